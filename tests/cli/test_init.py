"""Setting up: agents are found, what would change is shown, nothing is changed without a yes, and
everything is taken back byte for byte.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.approvals import caller
from interlock.cli.main import main
from interlock.cli.profile import MEANINGS, ProfileError, with_words
from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.policy.schema import PROFILES
from tests.terminal import person as at_terminal

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Path(__file__).resolve().parents[2] / "src"
CLAUDE = '{\n    "model": "opus",\n    "hooks": {},\n    "permissions": {"allow": []}\n}\n'
OPENCODE = '{"permission":"ask", "model": "x"}'
POLICY = "# mine\nversion: 1   # of the format\nhosts: {allow: [git.example.org]}\nprofile: careful  # since May\n"


class Machine:
    """A home with settings of agents in it, and commands that run there."""

    def __init__(
        self, top: Path, patch: pytest.MonkeyPatch, output: pytest.CaptureFixture[str]
    ) -> None:
        self.home, self.output = top / "home", output
        (self.home / "project").mkdir(parents=True)
        patch.setenv("HOME", str(self.home))
        patch.setenv("PATH", str(top / "bin"))
        for name in [
            settings.variable
            for settings in (adapter_of(client).SETTINGS for client in CLIENTS)
            if settings.variable
        ]:
            patch.delenv(name, raising=False)
        patch.chdir(self.home / "project")
        # the package of these tests stays as it is
        patch.setattr("interlock.cli.install.compile_package", lambda: None)
        # who runs tests may be an agent; a person is below
        patch.setattr("interlock.approvals.caller.examine", lambda *_: None)

    def write(self, path: str, text: str) -> Path:
        """Put a file into the home."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run a command; return its exit code and what it printed."""
        try:
            code = main(list(words))
        except SystemExit as ended:
            code = int(ended.code or 0)
        said = self.output.readouterr()
        return code, said.out, said.err

    def files(self) -> dict[str, bytes]:
        """Return every file of the home but what is recorded, with its bytes."""
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and ".local/state" not in str(path)
        }


def raising(error: Exception) -> Callable[..., None]:
    """Return what raises."""

    def raises(*_: object) -> None:
        raise error

    return raises


@pytest.fixture
def machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Machine:
    """Return a machine on which nothing is installed."""
    return Machine(tmp_path, monkeypatch, capsys)


def test_what_would_change_is_shown_in_words_and_nothing_changes(machine: Machine) -> None:
    """A dry run names each agent, each file, and what comes into it."""
    machine.write(".claude/settings.json", CLAUDE)
    machine.write(".config/opencode/opencode.json", OPENCODE)
    before = machine.files()
    code, out, err = machine.run("init", "--dry-run", "--profile", "careful")
    assert (code, err) == (0, "")
    assert "claude-code would be protected" in out
    assert (
        f"{machine.home}/.claude/settings.json\n    + PreToolUse: interlock is asked before every tool call; if it fails"
        in out
    )
    assert (
        '+ "**": "deny", last under "permission": where the plugin is not loaded no tool runs'
        in " ".join(out.split())
    )
    assert "+ profile: careful" in out
    assert "codex" not in out
    assert machine.files() == before
    assert not (machine.home / ".local").exists()


def test_nothing_is_changed_without_a_yes(machine: Machine) -> None:
    """Where nobody can be asked and nobody said yes, one sentence says what to do."""
    machine.write(".claude/settings.json", CLAUDE)
    before = machine.files()
    code, _, err = machine.run("init")
    assert (code, err.count("\n")) == (1, 1)
    assert "--yes" in err
    assert machine.files() == before


def test_everything_is_taken_back_byte_for_byte(machine: Machine) -> None:
    """Settings of any form, a policy with comments, a file that was not there: after uninstalling
    each is as it was, and no backup is left.
    """
    machine.write(".claude/settings.json", CLAUDE)
    machine.write(".config/opencode/opencode.json", OPENCODE)
    machine.write(".config/interlock/policy.yaml", POLICY.replace("careful", "default"))
    (machine.home / ".gemini").mkdir()
    before = machine.files()
    code, out, err = machine.run("init", "--yes")
    assert (code, err) == (0, ""), out
    assert all(
        f"interlock doctor {client}: " in out for client in ("claude-code", "opencode", "gemini")
    )
    during = machine.files()
    assert {name for name in during if "backup" not in name} == {
        *before,
        ".gemini/settings.json",
        ".config/opencode/plugin/interlock.js",
    }
    assert all(
        during[name] != before[name] for name in before if "opencode" in name or "claude" in name
    )
    again, out, _ = machine.run("init", "--yes")
    assert (again, "everything is in place" in out) == (0, True)
    assert machine.files() == during
    assert machine.run("uninstall")[0] == 0
    assert machine.files() == before


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "{}",
        '{"model":"opus"}',
        '\ufeff{\r\n  "model": 1.10\r\n}\r\n',
        '{"hooks": {"PreToolUse": []}}',
    ],
)
def test_settings_of_any_form_are_taken_back(machine: Machine, text: str) -> None:
    """An empty file stays one, marks, line ends, spaces and the way numbers are written stay;
    nothing is left beside it.
    """
    settings = machine.write(".claude/settings.json", text)
    settings.write_bytes(text.encode())  # line ends as they are
    settings.chmod(0o444)
    before = machine.files()
    assert machine.run("install", "claude-code")[0] == 0
    assert machine.files() != before
    assert machine.run("uninstall")[0] == 0
    assert machine.files() == before
    assert settings.stat().st_mode & 0o777 == 0o444


def test_a_link_to_settings_stays_one(machine: Machine) -> None:
    """A link into a folder of dotfiles, to a file there or to none yet, is afterwards as it was,
    and so is what it leads to.
    """
    kept = machine.write("dotfiles/claude.json", CLAUDE)
    for target in (kept, kept.with_name("none-yet.json")):
        settings = machine.home / ".claude/settings.json"
        settings.parent.mkdir(exist_ok=True)
        settings.symlink_to(target)
        before = machine.files()
        assert machine.run("install", "claude-code")[0] == 0
        assert "interlock" in target.read_text(encoding="utf-8")
        assert machine.run("uninstall")[0] == 0
        assert settings.readlink() == target
        assert machine.files() == before
        settings.unlink()


def test_settings_without_us_are_none_of_our_business(machine: Machine) -> None:
    """Who never protected a client whose settings hold comments hears nothing of them when all is
    taken out.
    """
    machine.write(".claude/settings.json", "{\n  // mine\n}\n")
    before = machine.files()
    code, out, err = machine.run("uninstall")
    assert (code, out, err) == (0, "", "")
    assert machine.run("uninstall", "claude-code")[:2] == (
        0,
        f"interlock is not in {machine.home}/.claude/settings.json\n",
    )
    assert machine.files() == before


@pytest.mark.parametrize(("client", "told"), [("codex", True), ("gemini", False)])
def test_what_a_client_noted_itself_is_said(machine: Machine, client: str, *, told: bool) -> None:
    """Where a client keeps notes of the hooks that it was told to trust, they are its own, and the
    person hears that they stay.
    """
    assert machine.run("install", client)[0] == 0
    assert ("noted of your trust stays" in machine.run("uninstall")[1]) is told


def test_what_a_person_changed_since_stays(machine: Machine) -> None:
    """Only ours is taken out of settings that were edited after us, and the backup of the older
    ones is kept.
    """
    settings = machine.write(".claude/settings.json", CLAUDE)
    machine.run("init", "--yes", "--agent", "claude-code")
    document = json.loads(settings.read_text())
    settings.write_text(json.dumps({**document, "model": "sonnet"}))
    assert machine.run("uninstall")[0] == 0
    assert json.loads(settings.read_text()) == {"model": "sonnet", "permissions": {"allow": []}}
    assert len([name for name in machine.files() if "backup" in name]) >= 1


def test_a_profile_is_one_line_of_the_policy(machine: Machine) -> None:
    """A new file is begun, in an old one a word is changed; both go back, and one that was edited
    since is left alone.
    """
    machine.write(".claude/settings.json", CLAUDE)
    before = machine.files()
    assert machine.run("init", "--yes", "--profile", "careful")[0] == 0
    policy = machine.home / ".config/interlock/policy.yaml"
    assert "\nprofile: careful\n" in policy.read_text()
    assert json.loads(machine.run("policy", "show", "--json")[1])["profile"] == "careful"
    policy.write_text(policy.read_text() + "observe: false\n")
    edited = policy.read_text()
    assert machine.run("uninstall")[0] == 0
    assert policy.read_text() == edited
    policy.unlink()
    policy.parent.rmdir()
    assert machine.files() == before


def test_what_is_proven_may_be_answered_for_the_person(machine: Machine) -> None:
    """One line of the policy, which a person may write by a word of init, and which goes back with
    the rest.
    """
    machine.write(".claude/settings.json", CLAUDE)
    machine.write(".config/interlock/policy.yaml", POLICY)
    before = machine.files()
    assert machine.run("init", "--yes", "--proven", "approve")[0] == 0
    policy = machine.home / ".config/interlock/policy.yaml"
    assert policy.read_text() == POLICY.replace(
        "of the format\n", "of the format\nproven: approve\n"
    )
    assert machine.run("uninstall")[0] == 0
    assert machine.files() == before


@pytest.mark.parametrize("words", [["--proven", "approve"]])
def test_an_answer_in_the_persons_place_takes_a_person(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    """``--yes`` is not enough for it."""
    monkeypatch.setattr(
        "interlock.approvals.caller.examine",
        raising(caller.UnknownCallerError("its standard input is no terminal")),
    )
    machine.write(".claude/settings.json", CLAUDE)
    before = machine.files()
    code, _, err = machine.run("init", "--yes", *words)
    assert (code, err.count("\n")) == (1, 1), err
    assert machine.files() == before


@pytest.mark.parametrize("profile", ["observe", "default"])
def test_what_loosens_takes_a_person_at_a_terminal(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, profile: str
) -> None:
    """``--yes`` is not enough for a policy that may let more pass than before; it is for one that
    only tightens, as the test above shows.
    """
    monkeypatch.setattr(
        "interlock.approvals.caller.examine",
        raising(caller.UnknownCallerError("its standard input is no terminal")),
    )
    machine.write(".claude/settings.json", CLAUDE)
    machine.write(".config/interlock/policy.yaml", POLICY)
    before = machine.files()
    code, _, err = machine.run("init", "--yes", "--profile", profile)
    assert (code, err.count("\n")) == (1, 1), err
    assert machine.files() == before


def test_an_agent_may_not_set_its_own_guard_up(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an agent's session started is refused, whatever it says of a yes."""
    monkeypatch.setattr(
        "interlock.approvals.caller.examine",
        raising(caller.AgentCallerError("this runs inside an agent's session")),
    )
    machine.write(".claude/settings.json", CLAUDE)
    before = machine.files()
    code, _, err = machine.run("init", "--yes")
    assert (code, "an agent may not" in err) == (1, True)
    assert machine.files() == before


def test_what_changed_while_it_was_asked_about_is_not_written_over(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The yes was for what was shown."""
    settings = machine.write(".claude/settings.json", CLAUDE)

    def meanwhile(*_: object) -> None:
        settings.write_text("{}")

    monkeypatch.setattr("interlock.approvals.caller.examine", meanwhile)
    code, _, err = machine.run("init", "--yes", "--agent", "claude-code", "--agent", "claude-code")
    assert (code, "changed while it was asked about" in err) == (1, True)
    assert settings.read_text() == "{}"


def test_one_agent_whose_settings_cannot_be_written_is_no_reason_to_leave_the_others(
    machine: Machine,
) -> None:
    """It is said, the exit code is 1, and the others are protected."""
    (machine.home / ".claude").mkdir()
    (machine.home / ".claude/settings.json").symlink_to("/proc/no-such-folder/settings.json")
    machine.write(".gemini/settings.json", "{}")
    code, out, err = machine.run("init", "--yes")
    assert (code, err.count("\n")) == (1, 1), err
    assert "/.claude/settings.json: cannot be written" in err
    assert "gemini asks interlock before every tool call" in out
    assert "interlock" in (machine.home / ".gemini/settings.json").read_text()


def test_servers_that_still_go_through_interlock_are_named(machine: Machine) -> None:
    """They would not start without it; a server that does not is no reason for a word."""
    entry = {"command": "interlock", "args": ["mcp", "--server", "fs", "--", "npx", "x"]}
    for args, named in ((entry["args"], True), (["x"], False)):
        machine.write(
            ".claude.json",
            json.dumps(
                {
                    "mcpServers": {
                        "fs": {**entry, "command": "interlock" if named else "npx", "args": args}
                    }
                }
            ),
        )
        machine.run("install", "claude-code")
        assert (
            "1 of its MCP servers still goes through interlock mcp"
            in machine.run("uninstall", "claude-code")[1]
        ) is named


@pytest.mark.parametrize(
    ("files", "words", "said"),
    [
        ({}, ("init", "--yes"), "no supported agent was found"),
        ({".claude/settings.json": "{ // mine\n}"}, ("init", "--dry-run"), "expected strict JSON"),
        ({".claude/settings.json": "{}", ".config/interlock/policy.yaml": "version: 1\nprofile: [a]\n"},
         ("init", "--yes", "--profile", "careful"), "expected one line `profile: WORD`"),
        ({".claude/settings.json": "{}", ".config/interlock/policy.yaml": "version: 1\nnonsense: 1\n"},
         ("init", "--yes", "--profile", "careful"), "policy.yaml:3:1"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(
    machine: Machine, files: dict[str, str], words: tuple[str, ...], said: str
) -> None:
    """One sentence, nothing changed."""
    for path, text in files.items():
        machine.write(path, text)
    before = machine.files()
    code, out, err = machine.run(*words)
    assert said in out + err
    assert code == 1 or "--dry-run" in words
    assert machine.files() == before


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (POLICY, POLICY.replace("careful", "strict")),
        ("version: 1\nobserve: false\n", "version: 1\nprofile: strict\nobserve: false\n"),
        ('version: 1\nprofile:  "careful"\r\n', 'version: 1\nprofile:  "strict"\r\n'),
        (
            "version: 1\nrules: []\n#profile: x\n",
            "version: 1\nprofile: strict\nrules: []\n#profile: x\n",
        ),
    ],
)
def test_every_other_byte_of_a_policy_stays(text: str, after: str) -> None:
    """Comments, spaces, quotes and line ends are the person's."""
    assert with_words(text, {"profile": "strict"}) == after


@pytest.mark.parametrize(
    "text",
    ["profile: {a: b}\nversion: 1\n", "{version: 1}\n", "version: 1\nprofile: a\nprofile: b\n"],
)
def test_a_policy_that_cannot_be_changed_in_one_place_is_left_alone(text: str) -> None:
    """The person is told the line to write."""
    with pytest.raises(ProfileError, match="write `profile: strict` there yourself"):
        with_words(text, {"profile": "strict"})


def test_every_profile_is_explained() -> None:
    """What is offered is what there is."""
    assert list(MEANINGS) == [*PROFILES, "approve", "pass"]


def test_a_person_at_a_terminal_is_asked_once(tmp_path: Path) -> None:
    """The profile, then one yes; the doctor proves it afterwards. n changes nothing."""
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    (home / ".claude/settings.json").write_text(CLAUDE)
    env = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(SOURCE),
        "LANG": "C.UTF-8",
        "TERM": "xterm",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    argv = [sys.executable, "-m", "interlock", "init", "--agent", "claude-code"]
    code, text = at_terminal(
        argv,
        env,
        tmp_path,
        [["Profile [default]:", "\r"], ["Answer those? [y/N]", "\r"], ["Do this? [y/N]", "n\r"]],
    )
    assert (code, "nothing was changed" in text) == (1, True), text
    assert (home / ".claude/settings.json").read_text() == CLAUDE
    code, text = at_terminal(
        argv,
        env,
        tmp_path,
        [
            ["Profile [default]:", "nonsense\r"],
            ["expected a number", "2\r"],
            ["Answer those?", "x\r"],
            ["expected y, n", "y\r"],
            ["Do this? [y/N]", "y\r"],
            ["Make one now? [y/N]", "y\r"],
        ],
    )
    assert "interlock-token-" in text, text
    assert "interlock doctor claude-code" in text.replace("\x1b[1m", "").replace("\x1b[0m", ""), (
        text
    )
    assert (
        "profile: careful\nproven: approve\n"
        in (home / ".config/interlock/policy.yaml").read_text()
    )
    assert "interlock/hook.py" in (home / ".claude/settings.json").read_text()
    code, text = at_terminal(argv, env, tmp_path, [["Profile", "\r"], ["Answer those?", "\r"]])
    assert "Make one now?" not in text, "a token that is there is not offered again"
