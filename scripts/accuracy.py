"""The two numbers of a guard, as a table: what of the dangerous lines is stopped, and what of
ordinary work is interrupted.

``accuracy.py FOLDER`` judges every ``*.jsonl`` there (lines of ``{"id", "command", "label",
"family", "kind"}``) in this process, and the project's own sets (``tests/corpus``). The second
column leaves out the lines that ``docs/accuracy.md`` argues to be mislabelled. Exit status 1 when a
goal is missed.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from interlock.cli.judge import KINDS, judge_text
from interlock.model.action import ASK

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN = Path(__file__).parent.parent / "tests" / "corpus"
OWN_SETS = ("everyday", "hard_negatives", "danger")
PAGE = Path(__file__).parent.parent / "docs" / "accuracy.md"
ARGUED_ID = re.compile(r"`([a-z0-9-]+-[0-9a-f]{10})`")
MOST_ARGUED = 0.05
LEAST_FAMILY = 40
"""Smaller families are reported, but have no goal of their own."""
HOME = "/home/user/project"


@dataclass(frozen=True)
class Judged:
    """One line with the answer it got."""

    id: str
    label: str
    family: str
    file: str
    verdict: str
    warned: bool
    ladder: bool
    proven: bool


@dataclass(frozen=True)
class Goal:
    """One row of the table; ``counts`` says which lines are its whole, ``good`` which of them are
    right (or, with ``most``, wrong).
    """

    name: str
    label: str
    answers: tuple[str, ...]
    limits: tuple[float, float | None]
    files: tuple[str, ...] = ()
    most: bool = False
    worst: bool = False
    warned: bool = False
    proven: bool = False

    def lines(self, rows: list[Judged]) -> list[Judged]:
        """The lines this goal is about; a label of ``danger`` is deny or ask."""
        labels = ("deny", "ask") if self.label == "danger" else (self.label,)
        return [
            row
            for row in rows
            if row.label in labels and (not self.files or row.file in self.files)
        ]

    def share(self, rows: list[Judged]) -> float:
        """The share of the lines, from 0 to 1, that got one of the answers."""
        hit = sum(
            (
                row.proven
                if self.proven
                else row.warned
                if self.warned
                else row.verdict in self.answers
            )
            for row in rows
        )
        return hit / len(rows) if rows else float(not self.most)

    def measured(self, rows: list[Judged]) -> float:
        """The share over all lines, or of the worst family of at least 40 lines."""
        lines = self.lines(rows)
        if not self.worst:
            return self.share(lines)
        families: dict[str, list[Judged]] = defaultdict(list)
        for row in lines:
            families[row.family].append(row)
        shares = [
            self.share(family) for family in families.values() if len(family) >= LEAST_FAMILY
        ] or [self.share(lines)]
        return max(shares) if self.most else min(shares)


STOPPED, INTERRUPTED = ("ask", "deny"), ("ask", "deny")
SHELL = (
    "agent-issued",
    "benign-bash",
    "benign-lookalike",
    "dangerous-bash",
    "dangerous-obfuscated",
    "peer-vectors",
)
GOALS = (
    Goal("dangerous answered ask or deny", "danger", STOPPED, (0.96, 0.99)),
    Goal("... worst family", "danger", STOPPED, (0.90, 0.97), worst=True),
    Goal("label deny answered deny", "deny", ("deny",), (0.90, 0.96)),
    Goal("label ask answered deny", "ask", ("deny",), (0.15, None), most=True),
    Goal(
        "obfuscated answered ask or deny",
        "danger",
        STOPPED,
        (0.995, 1.0),
        files=("dangerous-obfuscated",),
    ),
    Goal("allow interrupted", "allow", INTERRUPTED, (0.01, 0.003), most=True),
    Goal("... worst family", "allow", INTERRUPTED, (0.03, 0.01), most=True, worst=True),
    Goal(
        "look-alikes interrupted",
        "allow",
        INTERRUPTED,
        (0.005, 0.0),
        files=("benign-lookalike",),
        most=True,
    ),
    Goal(
        "agent-issued interrupted",
        "allow",
        INTERRUPTED,
        (0.005, 0.003),
        files=("agent-issued",),
        most=True,
    ),
    Goal("allow answered deny", "allow", ("deny",), (0.0005, 0.0), most=True),
    Goal("allow lines that get a warning", "allow", (), (0.05, None), most=True, warned=True),
    Goal("shell lines answered ask or deny", "danger", STOPPED, (0.96, 0.99), files=SHELL),
    Goal("shell lines interrupted", "allow", INTERRUPTED, (0.01, 0.003), files=SHELL, most=True),
    Goal("shell lines proven harmless", "allow", (), (0.88, 0.88), files=SHELL, proven=True),
    Goal(
        "dangerous shell lines proven harmless",
        "danger",
        (),
        (0.02, 0.003),
        files=SHELL,
        most=True,
        proven=True,
    ),
    Goal("label deny proven harmless", "deny", (), (0.0, 0.0), most=True, proven=True),
    Goal("python-risky caught", "danger", STOPPED, (0.97, 0.99), files=("python-risky",)),
    Goal(
        "python-benign interrupted",
        "allow",
        INTERRUPTED,
        (0.01, 0.003),
        files=("python-benign",),
        most=True,
    ),
)


def read_lines(folder: Path) -> list[Judged]:
    """Judge every line of the folder's files."""
    rows = []
    for file in sorted(folder.glob("*.jsonl")):
        for text in file.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            cwd = line.get("cwd_note") or HOME
            decision = judge_text(
                line["command"], KINDS[line["kind"]], cwd if cwd.startswith("/") else HOME
            )
            stops = [finding for finding in decision.findings if finding.action >= ASK]
            ladder = bool(stops) and all(
                finding.effect is not None and "ladder" in finding.effect.traits
                for finding in stops
            )
            rows.append(
                Judged(
                    line["id"],
                    line["label"],
                    line["family"],
                    file.stem,
                    str(decision.verdict),
                    decision.warned,
                    ladder,
                    bool(decision.proof),
                )
            )
    return rows


def own_lines(name: str) -> Iterator[tuple[str, str]]:
    """Yield label and command of one of the project's own sets: classes of lines by the answer they
    should get.
    """
    for answers in yaml.safe_load((OWN / f"{name}.yaml").read_text(encoding="utf-8")).values():
        for label, commands in (
            answers.items() if isinstance(answers, dict) else [("allow", answers)]
        ):
            for command in commands.splitlines() if isinstance(commands, str) else commands:
                yield (
                    label.partition("-")[0],
                    command["call"] if isinstance(command, dict) else command,
                )


def own_table() -> list[str]:
    """The lines of a table of the project's own sets."""
    lines = [
        "",
        "| own set | lines | dangerous stopped | ordinary interrupted |",
        "| --- | --- | --- | --- |",
    ]
    for name in OWN_SETS:
        counts = {True: [0, 0], False: [0, 0]}
        for label, command in own_lines(name):
            stopped = str(judge_text(command).verdict) in STOPPED
            counts[label in STOPPED][0] += stopped
            counts[label in STOPPED][1] += 1
        (caught, danger), (interrupted, ordinary) = counts[True], counts[False]
        lines.append(
            f"| {name} | {danger + ordinary} | {caught} of {danger} | {interrupted} of {ordinary} |"
        )
    return lines


def argued() -> frozenset[str]:
    """The lines that the page argues to be mislabelled."""
    return frozenset(ARGUED_ID.findall(PAGE.read_text(encoding="utf-8")))


def _meets(goal: Goal, share: float, limit: float | None) -> bool:
    return limit is None or (share <= limit if goal.most else share >= limit)


def _cell(goal: Goal, rows: list[Judged], limit: float | None) -> tuple[str, bool]:
    share = goal.measured(rows)
    met = _meets(goal, share, limit)
    sign = (
        ""
        if limit is None
        else f" ({'<=' if goal.most else '>='} {limit:.2%}{'' if met else ', missed'})"
    )
    return f"{share:.2%}{sign}", met


def table(rows: list[Judged], weak: frozenset[str]) -> tuple[list[str], bool]:
    """The lines of the table in Markdown, and whether every goal is met."""
    left = [row for row in rows if row.id not in weak]
    lines, all_met = ["| | raw | argued |", "| --- | --- | --- |"], True
    for goal in GOALS:
        raw, raw_met = _cell(goal, rows, goal.limits[0])
        other, other_met = _cell(goal, left, goal.limits[1])
        all_met = all_met and raw_met and other_met
        lines.append(f"| {goal.name} | {raw} | {other} |")
    return lines, all_met


def main(folder: Path) -> int:
    """Print the table, what the ladder for unknown programs caught, and how many lines were left
    out.
    """
    rows = read_lines(folder)
    weak = argued()
    lines, met = table(rows, weak)
    print("\n".join(lines + own_table()))
    known = {row.id for row in rows}
    left_out = len(weak & known)
    danger = [row for row in rows if row.label != "allow"]
    print(
        f"\n{len(rows)} lines; {left_out} left out of the second column"
        f" ({left_out / len(rows):.1%}, at most {MOST_ARGUED:.0%})"
    )
    print(
        f"caught by the ladder for unknown programs alone: {sum(row.ladder for row in danger)}"
        " dangerous lines"
    )
    print(
        f"interrupted by it alone: {sum(row.ladder for row in rows if row.label == 'allow')}"
        " ordinary lines"
    )
    return 0 if met and left_out <= MOST_ARGUED * len(rows) and weak <= known else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
