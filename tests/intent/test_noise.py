"""How often the stage of intent speaks up for nothing: requests taken for others, and ordinary work
that is disturbed.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from interlock.cli import build
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.integrations import claude_code
from interlock.intent.classify import classify
from interlock.intent.judge import findings
from interlock.intent.names import LOOKING
from interlock.intent.prompt_history import after
from interlock.intent.request import SessionIntent
from interlock.model.action import ALLOW, ASK, WARN, Action
from interlock.policy.builtin import builtin
from tests.judging import shell
from tests.sessions import SESSIONS, _lay_out, tool_call

if TYPE_CHECKING:
    from interlock.model.call import ToolCall
    from interlock.model.effect import Reading

FOLDER = Path(__file__).parent
LIKENESS: dict[str, list[Any]] = yaml.safe_load(
    (FOLDER / "likeness.yaml").read_text(encoding="utf-8")
)
BEGINNINGS: dict[str, list[str]] = yaml.safe_load(
    (FOLDER / "sessions.yaml").read_text(encoding="utf-8")
)
EVERYDAY: dict[str, dict[str, list[Any]]] = yaml.safe_load(
    (FOLDER.parent / "corpus" / "everyday.yaml").read_text(encoding="utf-8")
)
Judged = tuple["ToolCall", "Reading", Action]


def looks(words: str) -> bool:
    """Tell whether a prompt is read as mere looking, and surely so."""
    request = classify(words)
    return bool(request.names) and set(request.names) <= set(LOOKING) and not request.unsure


def test_who_wants_something_done_is_not_taken_for_looking() -> None:
    """At most three in a hundred requests that look like looking are misread so."""
    misread = [words for words in LIKENESS["working"] if looks(words)]
    assert len(LIKENESS["working"]) >= 100
    assert len(misread) <= 0.03 * len(LIKENESS["working"]), misread


def test_who_looks_is_taken_so() -> None:
    """At least nine in ten questions are read as such."""
    missed = [words for words in LIKENESS["looking"] if not looks(words)]
    assert len(missed) <= 0.1 * len(LIKENESS["looking"]), missed


@pytest.mark.parametrize(
    ("limits", "words"), [pytest.param(*row, id=row[1]) for row in LIKENESS["limits"]]
)
def test_limits(limits: str, words: str) -> None:
    """A limit is read where it is surely one, and nowhere else."""
    assert "; ".join(classify(words).limits) == limits


def said(judged: list[Judged], prompt: str) -> list[tuple[Action, str]]:
    """Return what the stage makes of calls beyond what the ordinary rules say of them anyway."""
    stood = after(SessionIntent(), classify(prompt))
    found = []
    for call, reading, ordinary in judged:
        action = max(
            [
                finding.action
                for finding in findings(
                    call.replace(intent=stood.intent, scope=stood.scope), reading
                )
            ],
            default=ALLOW,
        )
        if action > ordinary:
            found.append((action, str(next(iter(call.input.values()), ""))))
    return found


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session["project"].split()[0])
def test_sessions_go_on_undisturbed(session: dict[str, Any]) -> None:
    """None of the working sessions is interrupted after any of three beginnings, and hardly a call
    is warned of anew.
    """
    judged: list[Judged] = []
    with tempfile.TemporaryDirectory() as folder:
        home, root = Path(folder) / "home", Path(folder) / "home/work/project"
        _lay_out(session["files"], root)
        environment = {"HOME": str(home), "CLAUDE_PROJECT_DIR": str(root)}
        for number, row in enumerate(session["calls"]):
            name, given = tool_call(row, root)
            payload = {
                "hook_event_name": "PreToolUse",
                "session_id": "s",
                "cwd": str(root),
                "tool_name": name,
                "tool_input": given,
            }
            call = claude_code.read({**payload, "tool_use_id": f"t{number}"}, environment).call
            assert call is not None
            reading = read(call, build.disk(environment))
            judged.append((call, reading, decide(call, reading, builtin(), "d").action))
    for prompt in BEGINNINGS.get(
        session["project"].split()[0], ["fix the bug", "add what is missing", "make it work"]
    ):
        found = said(judged, prompt)
        assert not [words for action, words in found if action >= ASK], (prompt, found)
        assert len(found) <= 1, (prompt, found)


def test_everyday_work_goes_on() -> None:
    """Of everyday calls none is interrupted after an ordinary request for work, and almost none
    warned of.
    """
    rows = [
        row["call"] if isinstance(row, dict) else row
        for answers in EVERYDAY.values()
        for some in answers.values()
        for row in some
    ]
    calls = [shell(row) for row in rows if isinstance(row, str)]
    readings = [(call, read(call, Recorded("/home/user"))) for call in calls]
    judged = [
        (call, reading, decide(call, reading, builtin(), "d").action) for call, reading in readings
    ]
    assert len(judged) > 1000
    for prompt in (
        "fix the bug",
        "add a flag",
        "refactor this",
        "commit my changes",
        "write a README",
        "add tests",
        "run the migrations",
        "update the deps",
    ):
        found = said(judged, prompt)
        assert [action for action, _ in found if action > WARN] == [], (prompt, found)
        assert len(found) <= 0.003 * len(judged), (prompt, found)
