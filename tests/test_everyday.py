"""Everyday work, hard negatives and whole sessions: how much of it is interrupted, and whether what
deserves a question gets one.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.judging import judged
from tests.sessions import MORE, SESSIONS, SIZE, figure, play, play_all

CORPUS = Path(__file__).parent / "corpus"
EVERYDAY: dict[str, dict[str, list[Any]]] = yaml.safe_load(
    (CORPUS / "everyday.yaml").read_text(encoding="utf-8")
)
HARD: dict[str, list[Any]] = yaml.safe_load(
    (CORPUS / "hard_negatives.yaml").read_text(encoding="utf-8")
)
STOPPED = ("ask", "deny")
MOST_INTERRUPTED, MOST_WARNED, MOST_MISSED, MOST_IN_A_SESSION, MOST_NEEDLESS = (
    0.02,
    0.05,
    0.05,
    0.5,
    0.1,
)


def call_of(row: Any) -> str:
    """Return the command of a row."""
    return str(row["call"] if isinstance(row, dict) else row)


def pending(row: Any) -> str:
    """Return why a row is not answered as it says yet, or nothing."""
    return str(row.get("pending", "")) if isinstance(row, dict) else ""


ROWS = [
    (answer, row)
    for answers in EVERYDAY.values()
    for answer, rows in answers.items()
    for row in rows
]
DATA = [row for rows in HARD.values() for row in rows]


@cache
def verdict(call: str) -> tuple[str, bool]:
    """Return the verdict on a command, and whether it warns."""
    decision = judged(call)
    return str(decision.verdict), decision.warned


def share(parts: list[bool]) -> float:
    """Return how many of them are true."""
    return sum(parts) / len(parts)


@pytest.mark.parametrize(
    ("answer", "row"), [pytest.param(*row, id=call_of(row[1])[:60]) for row in ROWS]
)
def test_everyday_work_is_answered_as_it_should_be(answer: str, row: Any) -> None:
    """Ordinary work passes, what deserves a question is stopped, and a pending row fails here as
    soon as it is answered rightly.
    """
    right = (verdict(call_of(row))[0] in STOPPED) == (answer in STOPPED)
    assert right != bool(pending(row)), (
        pending(row) and "it is answered rightly now: its reason to wait is over"
    )


@pytest.mark.parametrize("row", [pytest.param(row, id=call_of(row)[:60]) for row in DATA])
def test_text_is_not_code(row: Any) -> None:
    """Dangerous words that are only data interrupt nobody."""
    assert verdict(call_of(row))[0] not in STOPPED


def test_how_much_is_interrupted() -> None:
    """The figures hold: ordinary work interrupted, warned about, and questions that are missed."""
    calm = [verdict(call_of(row)) for answer, row in ROWS if answer not in STOPPED]
    assert share([answer in STOPPED for answer, _ in calm]) <= MOST_INTERRUPTED
    assert (
        share(
            [
                warned
                for answer, row in ROWS
                if answer == "allow"
                for _, warned in [verdict(call_of(row))]
            ]
        )
        <= MOST_WARNED
    )
    assert (
        share(
            [verdict(call_of(row))[0] not in STOPPED for answer, row in ROWS if answer in STOPPED]
        )
        <= MOST_MISSED
    )


def test_rows_are_many_and_their_own() -> None:
    """The sets have their size, nothing twice, only the four answers, and a part that is rightly
    stopped.
    """
    calls = [call_of(row) for row in [row for _, row in ROWS] + DATA]
    assert len(calls) == len(set(calls))
    assert len(EVERYDAY) >= 6
    assert len(ROWS) >= 450
    assert len(DATA) >= 180
    assert {answer for answer, _ in ROWS} == {"allow", "warn", *STOPPED}
    assert 0.1 <= share([answer in STOPPED for answer, _ in ROWS]) <= 0.25


def test_sessions_are_hardly_interrupted() -> None:
    """Forty working sessions, sixteen of them of fifty calls: few questions, the right ones among
    them, and hardly a needless one.
    """
    assert [len(session["calls"]) for session in SESSIONS] == [SIZE] * 16
    played = play_all()
    assert [one.text for one in played if one.asks and not one.interrupted] == []
    assert figure(played) <= MOST_IN_A_SESSION
    assert figure([one for one in played if not one.asks]) <= MOST_NEEDLESS


@pytest.mark.long
def test_ten_more_sessions_are_not_interrupted_and_mostly_proven(tmp_path: Path) -> None:
    """Ten other kinds of project: no question, and seven calls of eight may be answered by a proof."""
    folders = [tmp_path / str(number) for number in range(len(MORE))]
    played = [
        one for session, folder in zip(MORE, folders, strict=True) for one in play(session, folder)
    ]
    assert len(MORE) == 10
    assert [one.text for one in played if one.interrupted] == []
    assert share([bool(one.decision.proof) for one in played]) >= 7 / 8
