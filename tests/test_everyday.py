"""Everyday work and hard negatives as rows: how much of it is interrupted, and whether what deserves a question gets one."""

from __future__ import annotations

from pathlib import Path

import yaml

CORPUS = Path(__file__).parent / "corpus"
EVERYDAY: dict[str, dict[str, list[str]]] = yaml.safe_load((CORPUS / "everyday.yaml").read_text(encoding="utf-8"))
HARD: dict[str, list[str]] = yaml.safe_load((CORPUS / "hard_negatives.yaml").read_text(encoding="utf-8"))
ROWS = [(answer, call) for answers in EVERYDAY.values() for answer, calls in answers.items() for call in calls]
DATA = [call for calls in HARD.values() for call in calls]


def test_rows_are_many_and_their_own() -> None:
    """The sets have their size, nothing twice, only the four answers, and about a fifth that is rightly stopped."""
    calls = [call for _, call in ROWS] + DATA
    assert len(calls) == len(set(calls))
    assert len(EVERYDAY) >= 6
    assert len(ROWS) >= 450
    assert len(DATA) >= 180
    assert {answer for answer, _ in ROWS} == {"allow", "warn", "ask", "deny"}
    stopped = sum(answer in ("ask", "deny") for answer, _ in ROWS)
    assert 0.12 <= stopped / len(ROWS) <= 0.25
