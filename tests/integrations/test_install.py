"""Settings of a client: exactly our entries come and go, and nothing else changes."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.integrations import install
from interlock.integrations.claude_code import SETTINGS
from interlock.integrations.install import (
    HookCommand,
    SettingsError,
    add_entries,
    entries,
    remove_entries,
    snippet,
)

LINE = HookCommand("/opt/py/bin/python3", "/opt/lib/interlock/hook.py", "claude-code")
OTHER = {"type": "command", "command": "prettier --check", "timeout": 5}
EVENTS = [hooked.event for hooked in SETTINGS.events]


def ours(text: str) -> dict[str, list[dict[str, object]]]:
    """Return our hooks by event."""
    found: dict[str, list[dict[str, object]]] = {}
    for entry in entries(text, SETTINGS, "claude-code"):
        found.setdefault(entry.event, []).append(entry.hook)
    return found


def test_what_is_written() -> None:
    """One entry for each event; the one that is asked blocks on failure and guards every tool."""
    document = json.loads(snippet(SETTINGS, LINE))
    assert list(document["hooks"]) == EVENTS
    guarding = document["hooks"]["PreToolUse"][0]
    assert guarding["matcher"] == "*"
    assert guarding["hooks"][0]["onFailure"] == "block"
    assert guarding["hooks"][0]["timeout"] == 60
    assert guarding["hooks"][0]["command"].startswith(
        "said=$(/opt/py/bin/python3 -I -S /opt/lib/interlock/hook.py claude-code check); rc=$?; "
    )
    assert "onFailure" not in document["hooks"]["UserPromptSubmit"][0]["hooks"][0]


# -- laws over any settings ------------------------------------------------------------------------

HOOKS = st.sampled_from(
    [
        OTHER,
        {"type": "http", "url": "http://x"},
        {"type": "command", "command": "interlock-like hook claude-code"},
    ]
)
GROUPS = st.fixed_dictionaries(
    {"hooks": st.lists(HOOKS, min_size=1, max_size=2)},
    optional={"matcher": st.sampled_from(["*", "Bash", ""])},
)
TABLES = st.dictionaries(
    st.sampled_from([*EVENTS, "Stop"]),
    st.lists(GROUPS, min_size=1, max_size=2),
    min_size=1,
    max_size=3,
)
SCALARS = st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5)
PERMISSIONS = st.dictionaries(st.text(max_size=4), SCALARS, max_size=2)
DOCUMENTS = st.fixed_dictionaries(
    {}, optional={"model": SCALARS, "hooks": TABLES, "permissions": PERMISSIONS}
)
INDENTS = st.sampled_from([2, 4, "\t"])
ENDS = st.sampled_from(["", "\n"])


def written(document: Any, indent: Any = 2, end: str = "\n") -> str:
    """Write settings as a careful person would."""
    return json.dumps(document, indent=indent, ensure_ascii=False) + end


@given(DOCUMENTS, INDENTS, ENDS)
def test_in_and_out_again_is_the_same_text(document: dict[str, Any], indent: Any, end: str) -> None:
    """Uninstalling after installing gives the file back, character for character; installing twice
    is installing once.
    """
    before = written(document, indent, end)
    after = add_entries(before, SETTINGS, LINE)
    assert add_entries(after, SETTINGS, LINE) == after
    assert {event: len(hooks) for event, hooks in ours(after).items()} == dict.fromkeys(EVENTS, 1)
    if document:
        assert remove_entries(after, SETTINGS, "claude-code") == before


@given(DOCUMENTS)
def test_nothing_else_changes(document: dict[str, Any]) -> None:
    """Keys keep their order, and other people's hooks their place."""
    after = json.loads(add_entries(written(document), SETTINGS, LINE))
    assert [key for key in after if key in document] == list(document)
    for event, groups in document.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    for key, value in document.items():
        assert key == "hooks" or after[key] == value


@given(DOCUMENTS)
def test_uninstalling_without_us_changes_nothing(document: dict[str, Any]) -> None:
    """Where we are not, the text stays as it is, whatever its form."""
    for text in (written(document), written(document, 3, "\n\n"), json.dumps(document)):
        assert remove_entries(text, SETTINGS, "claude-code") == text


# -- rows ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "mine"),
    [
        ("/usr/bin/python3 -I -S /x/interlock/hook.py claude-code check; rc=$?; exit $rc", True),
        ("'/a b/python3' -I -S '/a b/interlock/hook.py' claude-code note; rc=$?", True),
        ("interlock hook claude-code", True),
        ("/home/dev/.venv/bin/interlock hook claude-code", True),
        ("python C:\\x\\interlock\\hook.py claude-code", True),
        ("interlock hook codex", False),
        ("interlock hook claude-codex", False),
        ("my-interlock hook claude-code", False),
        ("/x/interlock/hook.pyc claude-code", False),
        ("/x/interlock2/hook.py claude-code", False),
        ("echo interlock claude-code", False),
        ("", False),
    ],
)
def test_our_entry_is_known_by_what_it_runs(command: str, *, mine: bool) -> None:
    """The program and its subcommand tell, never a marker."""
    text = written(
        {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": command}]}]}}
    )
    assert bool(entries(text, SETTINGS, "claude-code")) is mine
    assert (remove_entries(text, SETTINGS, "claude-code") != text) is mine


def test_an_old_entry_is_changed_in_place() -> None:
    """An entry of another installation is brought up to date where it stands; a second one goes, a
    stranger beside it stays.
    """
    old = {
        "type": "command",
        "command": "interlock hook claude-code",
        "timeout": 1,
        "statusMessage": "judging",
    }
    groups = [
        {"matcher": "*", "hooks": [OTHER, dict(old)]},
        {"matcher": "Bash", "hooks": [dict(old)]},
    ]
    after = json.loads(add_entries(written({"hooks": {"PreToolUse": groups}}), SETTINGS, LINE))[
        "hooks"
    ]["PreToolUse"]
    assert len(after) == 1
    assert after[0]["hooks"][0] == OTHER
    assert after[0]["hooks"][1] == {
        **old,
        "command": LINE.command(note=False),
        "timeout": 60,
        "onFailure": "block",
    }


def test_a_narrowed_entry_is_widened() -> None:
    """An entry for some tools only would leave the others unguarded, so it is replaced by one for
    all.
    """
    old = {
        "hooks": {
            "PreToolUse": [
                {
                    "matcher": "Bash",
                    "hooks": [{"type": "command", "command": "interlock hook claude-code"}],
                }
            ]
        }
    }
    after = json.loads(add_entries(written(old), SETTINGS, LINE))["hooks"]["PreToolUse"]
    assert [group["matcher"] for group in after] == ["*"]


def test_uninstall_leaves_no_empty_shells() -> None:
    """What held nothing but our entries goes with them."""
    assert remove_entries(snippet(SETTINGS, LINE), SETTINGS, "claude-code") == "{}\n"
    kept = written({"a": 1, "hooks": {"Stop": [{"hooks": [OTHER]}]}})
    assert remove_entries(add_entries(kept, SETTINGS, LINE), SETTINGS, "claude-code") == kept


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (
            '{\n  // mine\n  "a": 1\n}',
            "s.json:2:3: expected strict JSON: Expecting property name enclosed in double quotes (comments are not JSON)",
        ),
        ('{"a": 1,}', "s.json:1:"),
        ('{"a": 1, "a": 2}', "the key 'a' is there twice"),
        ('{"a": NaN}', "NaN is not JSON"),
        ("[]", "s.json: expected an object at the top"),
        ('{"hooks": []}', "expected an object under 'hooks'"),
        ('{"hooks": {"PreToolUse": {}}}', "expected a list under 'PreToolUse'"),
        ("[" * 100_000, "expected strict JSON"),
    ],
)
def test_refused(text: str, part: str) -> None:
    """What we do not understand we do not rewrite, and say where it is."""
    with pytest.raises(SettingsError) as caught:
        add_entries(text, SETTINGS, LINE, "s.json")
    assert part in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"model":"x"}',
        '{"model": "x"}\n',
        '{\r\n  "model": "é \\u2028"\r\n}\r\n',
        '\ufeff{\n    "model": "x"\n}\n\n',
        '{\n\t"model": "x"\n}',
    ],
)
def test_the_form_of_the_file_stays(text: str) -> None:
    """Indent, line ends, a byte order mark, one line or many: as they were."""
    after = add_entries(text, SETTINGS, LINE)
    assert after.startswith("\ufeff") is text.startswith("\ufeff")
    assert ("\r\n" in after) is ("\r\n" in text)
    assert ("\n" in after.strip()) is ("\n" in text.strip())
    assert (
        json.loads(after.removeprefix("\ufeff"))["model"]
        == json.loads(text.removeprefix("\ufeff"))["model"]
    )
    assert remove_entries(after, SETTINGS, "claude-code").replace("\u2028", "\\u2028") == text


# -- the line, as a shell sees it ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ends", "code", "note_code"),
    [
        ("echo an answer; exit 100", 0, 1),
        ("echo an answer; exit 2", 2, 1),
        ("exit 2", 2, 1),
        ("echo an; exit 0", 2, 0),
        ("echo an; exit 1", 2, 1),
        ("echo an; kill -9 $$", 2, 1),
        ("no-such-program-at-all", 2, 1),
    ],
)
def test_the_line_turns_every_other_end_into_a_refusal(
    tmp_path: Path, ends: str, code: int, note_code: int
) -> None:
    """Only an answer counts: 100 lets the call go on, everything else refuses it in the words of
    every client; a note never exits 2.
    """
    python = tmp_path / "a 'python'"
    python.write_text(f"#!/bin/sh\n{ends}\n")
    python.chmod(0o755)
    line = HookCommand(str(python), "/x/interlock/hook.py", "claude-code")
    done = subprocess.run(
        ["/bin/sh", "-c", line.command(note=False)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code
    if ends.startswith("echo an answer"):
        assert (done.stdout, done.stderr) == ("an answer", "")
    else:
        said = json.loads(done.stdout)
        assert (said["decision"], said["permissionDecision"], said["reason"]) == (
            "block",
            "deny",
            said["permissionDecisionReason"],
        )
        assert done.stderr.endswith(said["reason"] + "\n")
        assert said["reason"].startswith("interlock failed")
    noted = subprocess.run(
        ["/bin/sh", "-c", line.command(note=True)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert noted.returncode == note_code
    assert ("interlock failed" in noted.stderr) is (note_code != 0)


def test_an_answer_that_cannot_be_written_is_a_refusal(tmp_path: Path) -> None:
    """Where nobody takes the answer, the call is refused rather than let go on without the
    question; with somebody who does it goes on.
    """
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho an answer; exit 100\n")
    python.chmod(0o755)
    command = HookCommand(str(python), "/x/interlock/hook.py", "claude-code").command(note=False)
    ends = [
        subprocess.run(
            ["/bin/sh", "-c", f"({command}){to}"], capture_output=True, timeout=60, check=False
        ).returncode
        for to in (" >&-", "")
    ]
    assert ends == [2, 0]


# -- the disk --------------------------------------------------------------------------------------


def test_a_link_stays_a_link_and_the_mode_stays(tmp_path: Path) -> None:
    """A settings file in somebody's dotfiles is changed there, with its mode, and backed up beside
    itself.
    """
    real, link = tmp_path / "dotfiles.json", tmp_path / "home/settings.json"
    link.parent.mkdir()
    real.write_text('{"a": 1}')
    real.chmod(0o640)
    link.symlink_to(real)
    backup = install.write(str(link), '{"a": 2}')
    assert link.is_symlink()
    assert real.read_text() == '{"a": 2}'
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert Path(backup).read_text() == '{"a": 1}'
    assert list(install.backups(str(link))) == [backup]
    assert sorted(os.listdir(tmp_path)) == sorted(["dotfiles.json", Path(backup).name, "home"])


def test_a_new_file_is_for_its_owner_only(tmp_path: Path) -> None:
    """Settings may hold keys, so a file that we make is nobody else's to read; there is no backup
    of nothing.
    """
    path = tmp_path / "home/.claude/settings.json"
    assert install.write(str(path), "{}") == ""
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    """A folder in the place of the file, or bytes that are no text, bring one sentence with the
    path.
    """
    with pytest.raises(SettingsError, match=r"cannot be read"):
        install.content(str(tmp_path))
    (tmp_path / "s.json").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=r"expected UTF-8"):
        install.content(str(tmp_path / "s.json"))
    with pytest.raises(SettingsError, match=r"cannot be written"):
        install.write(str(tmp_path / "s.json/settings.json"), "{}")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes among files")
def test_a_pipe_in_the_place_of_the_file_is_not_waited_for(tmp_path: Path) -> None:
    """Nobody writes into it, and reading ends all the same."""
    os.mkfifo(tmp_path / "settings.json")
    with pytest.raises(SettingsError, match="expected a file, found a pipe"):
        install.content(str(tmp_path / "settings.json"))
