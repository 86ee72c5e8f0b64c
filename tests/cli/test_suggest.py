"""What the record suggests: lines of a policy with evidence, judged over history before they are
written, and written by a person alone.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from interlock.approvals.answers import AnswerError
from interlock.audit.log import Audit
from interlock.cli import program_draft
from interlock.cli.main import main
from interlock.cli.policy_edit import with_lines
from interlock.cli.profile import BEGUN, ProfileError
from interlock.guard.services import NATIVE
from interlock.model.call import Outcome
from interlock.sandbox.probe import kernel
from tests.approving import Desk

if TYPE_CHECKING:
    from pathlib import Path

WALLS = pytest.mark.skipif(
    not kernel().best, reason="no walls work here; to run this: sudo apt-get install bubblewrap"
)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Return a home with a store, whose policy counts as its user's own."""
    made = Desk(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setattr("interlock.policy.load.is_own_home", lambda *_: True)
    monkeypatch.setattr("interlock.cli.policy_edit.is_own_home", lambda *_: True)
    monkeypatch.chdir(made.project)
    return made


def judged(desk: Desk, command: str, number: int, *, ran: bool = True) -> None:
    """Judge a call at a client that asks, and say whether it was let run."""
    call = desk.call(command, call_id=f"c{number}", session=f"s{number}")
    desk.guarding(desk.policy, NATIVE).check(call)
    if ran:
        desk.store.commit([Audit(desk.store).outcome(Outcome(call, "ran"))])


def told(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    """Return the suggestions."""
    assert main(["suggest", "--json", *words]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_what_was_always_let_run_is_suggested_with_what_it_would_change(
    desk: Desk, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three calls into one folder, each let run: an exception for that folder. What was once not
    let run is not, nor what came too seldom.
    """
    for number in range(4):
        judged(desk, f"touch ~/notes/more/n{number}.md", number)
        judged(desk, f"touch ~/letters/more/n{number}.md", 10 + number, ran=number != 2)
    judged(desk, "touch ~/rarely/more/a.md", 20)
    allowed = [one for one in told(capsys) if one["key"] == "allow"]
    assert [one["said"] for one in allowed] == [
        f"fs.write-outside-workspace says nothing of {desk.home}/notes/more/**"
    ]
    assert allowed[0]["changes"] == {"ask -> allow": 4}
    assert allowed[0]["evidence"] == "asked 4 times in the last 30 days, let run every time"


def test_what_matters_is_never_suggested(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """However often it was let run: what starts by itself, what deletes, what was denied."""
    for number in range(4):
        judged(desk, "echo x >> ~/.bashrc", number)
        judged(desk, "rm -rf /", 10 + number)
        judged(desk, f"rm -rf ~/photos/{number}", 20 + number)
    assert [one for one in told(capsys) if one["key"] == "allow"] == []


def test_proofs_and_programs_are_suggested(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """What is proven could be answered; a program that nobody described gets a section."""
    for number in range(3):
        judged(desk, "ls -la", number)
        judged(desk, "frobnicate --now", 10 + number)
    found = {one["key"]: one for one in told(capsys)}
    assert found["proven"]["lines"] == ["proven: approve"]
    assert found["programs"]["lines"][0] == "- name: frobnicate"  # type: ignore[index]
    assert found["programs"]["changes"] == {}


def refused(*_: object, **__: object) -> None:
    """Refuse, as where nobody sits."""
    raise AnswerError("interlock cannot tell you from an agent here")


def test_nothing_is_written_without_a_person(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A number that is not there, and a caller who is no person, change nothing."""
    for number in range(3):
        judged(desk, "ls -la", number)
    assert main(["suggest", "--write", "7"]) == 2
    assert "there is no suggestion 7" in capsys.readouterr().err
    monkeypatch.setattr("interlock.cli.person_check.needs_person", refused)
    assert main(["suggest", "--write", "1"]) == 1
    assert "cannot tell you from an agent" in capsys.readouterr().err
    assert not (desk.home / ".config/interlock/policy.yaml").exists()


def test_a_person_writes_one(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stands in the policy then, counts, and is suggested no more."""
    for number in range(3):
        judged(desk, f"touch ~/notes/more/n{number}.md", number)
    monkeypatch.setattr("interlock.cli.person_check.needs_person", lambda *_, **__: None)
    [found] = [one for one in told(capsys) if one["key"] == "allow"]
    assert main(["suggest", "--write", str(found["number"])]) == 0
    text = (desk.home / ".config/interlock/policy.yaml").read_text()
    assert text.startswith(
        f"{BEGUN}allow:\n  - rule: fs.write-outside-workspace\n    match: {{effect: writes, path: "
    )
    capsys.readouterr()
    assert [one for one in told(capsys) if one["key"] == "allow"] == []


def test_an_empty_record_suggests_nothing(desk: Desk, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence."""
    assert desk.store is not None
    assert main(["suggest"]) == 0
    assert capsys.readouterr().out == "nothing to suggest yet\n"


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("", f"{BEGUN}allow:\n  - rule: a\n    because: b\n"),
        ("version: 1\n", "version: 1\nallow:\n  - rule: a\n    because: b\n"),
        (
            "version: 1\nallow:  # mine\n- rule: x\n",
            "version: 1\nallow:  # mine\n- rule: a\n  because: b\n- rule: x\n",
        ),
        (
            "version: 1\nallow:\n\n    - rule: x\nhosts: {}\n",
            "version: 1\nallow:\n    - rule: a\n      because: b\n\n    - rule: x\nhosts: {}\n",
        ),
    ],
)
def test_lines_are_put_where_they_belong(text: str, after: str) -> None:
    """Every other byte stays."""
    assert with_lines(text, "allow", ("- rule: a", "  because: b")) == after


@pytest.mark.parametrize("text", ["version: 1\nallow: [{rule: x}]\n", "version: 1\nallow: {}\n"])
def test_a_list_in_one_line_is_left_to_the_person(text: str) -> None:
    """It says which lines to write."""
    with pytest.raises(ProfileError, match="write the lines there yourself"):
        with_lines(text, "allow", ("- rule: a",))


@WALLS
def test_a_section_is_drafted_from_the_programs_own_help() -> None:
    """It is run behind walls; a program that is not there says nothing."""
    assert shutil.which("sort") is not None
    lines = list(program_draft.section(program_draft.help_of("sort")))
    assert "-r --reverse" in lines
    assert any(line.startswith("-o --output =") for line in lines)
    assert program_draft.help_of("nobody-has-this") == ""


def test_what_a_help_text_lists() -> None:
    """Flags, values, values that may be missing, and what names a file."""
    text = """Usage: x [OPTION]...
  -a, --all              do all
  -o, --output=FILE      write to FILE
      --color[=WHEN]     colours
  -n NUM                 so many
  --config <path>        settings
plain words -x
"""
    assert list(program_draft.section(text)) == [
        "-a --all",
        "-o --output =writes",
        "--color ?",
        "-n =",
        "--config =reads",
    ]
