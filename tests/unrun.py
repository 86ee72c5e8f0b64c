"""What a run of the tests left out, as a short table: how many, why, and what to do about it."""

from __future__ import annotations

from collections import Counter
from typing import Any

ROWS = 20
"""Reasons that are shown."""


def reasons(reports: list[Any]) -> Counter[str]:
    """Count skipped tests by their reason; a whole file counts once."""
    found: Counter[str] = Counter()
    for report in reports:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        found[reason.removeprefix("Skipped: ")] += 1
    return found


def table(counted: Counter[str], long: int) -> list[str]:
    """Return the lines of the table."""
    lines = [f"{count:>5}  {reason}" for reason, count in counted.most_common(ROWS)]
    if len(counted) > ROWS:
        lines.append(
            f"{sum(counted.values()) - sum(count for _, count in counted.most_common(ROWS)):>5}  other reasons: pytest -rs"
        )
    if long:
        lines.append(
            f"{long:>5}  take minutes, or need programs that are fetched; to run them: make e2e"
        )
    return lines


def report(reporter: Any, long: int) -> None:
    """Write the table at the end of a run."""
    lines = table(reasons(reporter.stats.get("skipped", [])), long)
    if lines:
        reporter.section("not run")
        for line in lines:
            reporter.line(line)
