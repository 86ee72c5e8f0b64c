"""``policy replay``: the recorded history judged by another policy."""

from __future__ import annotations

import json
import os
import pty
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.audit.entry import Judgement
from interlock.audit.log import Audit
from interlock.audit.rejudge import HistoryCall, chunks, history, judge_rows
from interlock.cli.policy_replay import FEW, WIDTH, bar, commands, in_processes
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.guard.intent_stage import misfits
from interlock.policy.builtin import builtin
from interlock.store.database import Store
from tests.judging import shell as call_of
from tests.policy.layering import policy
from tests.policy.test_commands import Shell

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.call import ToolCall

SAID = ("ls", "ls", "ls -la", "git push origin topic", "rm -rf /", "cat keys/a")
STRICT = "tune: [{rule: git.push, action: deny}]\n"


def recorded(folder: Path, said: tuple[str, ...] = SAID, profile: str = "default") -> Store:
    """Record calls as the guard does."""
    store = Store(str(folder))
    audit = Audit(store)
    for number, text in enumerate(said):
        call = call_of(text)
        reading = read(call, Recorded("/home/user"))
        by = builtin(profile)
        store.commit(
            [
                audit.judged(
                    Judgement(call, reading, decide(call, reading, by, f"d-{number:016x}"), by)
                )
            ]
        )
    return store


def test_the_same_policy_changes_nothing_and_another_what_it_says(tmp_path: Path) -> None:
    """Each distinct call is judged once; what flips is told with the rules that differ."""
    rows = history(recorded(tmp_path), "")
    assert (len(rows), sum(row.times for row in rows)) == (5, 6)
    same = judge_rows(rows, builtin(), misfits, commands)
    assert (same.distinct, same.calls, same.flips, same.rules, same.unread) == (5, 6, (), (), ())
    other = judge_rows(rows, policy(STRICT), misfits, commands)
    assert [(flip.old, flip.new, flip.rules, flip.times) for flip in other.flips] == [
        ("warn", "deny", ("git.push",), 1)
    ]
    assert other.rules == (("git.push", 1),)


@pytest.mark.parametrize(
    ("match", "flips"),
    [
        ("commands: git push", 1),
        ("outside: [ls, cat]", 2),
        ("text: topic", 1),
        ("commands: svn", 0),
    ],
)
def test_rules_that_look_at_words_are_judged_again(tmp_path: Path, match: str, flips: int) -> None:
    """Commands are read from the recorded text, since a row keeps effects only."""
    rows = history(recorded(tmp_path, ("ls", "git push origin topic", "make")), "")
    rule = "rules: [{id: a.b, title: t, action: ask, match: {" + match + "}}]\n"
    assert len(judge_rows(rows, policy(rule), misfits, commands).flips) == flips


@pytest.mark.parametrize("profile", ["careful", "strict"])
def test_the_commands_that_a_row_keeps_are_those_that_are_judged(
    tmp_path: Path, profile: str
) -> None:
    """A history of a policy that looks at commands is judged by it as it was, without reading its
    texts anew.
    """

    def none(_call: ToolCall) -> tuple[tuple[str, ...], ...]:
        raise AssertionError("the row keeps them")

    rows = history(recorded(tmp_path, (*SAID, "some-program --flag"), profile), "")
    report = judge_rows(rows, builtin(profile), misfits, none)
    assert (report.distinct, report.flips, report.rules) == (6, (), ())


@pytest.mark.parametrize(
    ("column", "value"),
    [("effects", "{"), ("findings", "[1]"), ("schema", 99), ("call", '{"nope": 1}')],
)
def test_rows_that_cannot_be_judged_again_are_counted(
    tmp_path: Path, column: str, value: object
) -> None:
    """A row that is not readable changes nothing and is told; those beside it are judged."""
    recorded(tmp_path)
    with closing(sqlite3.connect(tmp_path / "interlock.db")) as raw, raw:
        raw.execute(
            f"UPDATE guardrail_audit_log SET {column} = ? WHERE decision_id = ?",  # noqa: S608 - our own words
            (value, f"d-{3:016x}"),
        )
    report = judge_rows(history(Store(str(tmp_path)), ""), policy(STRICT), misfits, commands)
    assert (report.calls, report.flips, report.unread) == (6, (), (("the row cannot be read", 1),))


def test_many_processes_say_what_one_says(tmp_path: Path) -> None:
    """However the history is parted, the report is the same, and progress ends where the rows
    end.
    """
    few = history(recorded(tmp_path), "")
    rows = [
        HistoryCall(row.values, row.times, f"{row.decision}-{number}")
        for number in range(FEW // len(few) + 1)
        for row in few
    ]
    seen: list[int] = []
    several = in_processes(rows, policy(STRICT), seen.append)
    one = judge_rows(rows, policy(STRICT), misfits, commands)
    assert seen[-1] == len(rows)
    assert len(seen) == len(list(chunks(rows)))
    assert several.replace(flips=()) == one.replace(flips=())
    assert sorted(flip.decision for flip in several.flips) == sorted(
        flip.decision for flip in one.flips
    )


def test_the_command_tells_people_and_machines(tmp_path: Path) -> None:
    """Nothing recorded is said; what changes is exit code 1; ``--since`` is a time."""
    shell = Shell(tmp_path)
    assert shell.run("policy", "replay")[0] == 2
    recorded(shell.home / ".local/state/interlock")
    code, said = shell.run("policy", "replay", "--policy", "default")
    assert (code, "6 recorded calls, 5 distinct" in said, "no answer changes" in said) == (
        0,
        True,
        True,
    ), said
    shell.own.write_text(f"version: 1\n{STRICT}", encoding="utf-8")
    code, said = shell.run("policy", "replay")
    assert (code, "warn -> deny: 1 calls, 1 distinct" in said) == (1, True), said
    told = json.loads(shell.run("policy", "replay", "--json")[1])
    assert (told["calls"], told["rules"], len(told["flips"])) == (6, {"git.push": 1}, 1)
    code, said = shell.run("policy", "replay", "--since", "soon")
    assert (code, "expected a time" in said) == (2, True)


def test_a_terminal_sees_how_far_it_is(tmp_path: Path) -> None:
    """On a terminal a bar is drawn where it stands and taken away at the end; what is found goes to
    standard output alone.
    """
    shell = Shell(tmp_path)
    recorded(shell.home / ".local/state/interlock")
    person, child = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "interlock", "policy", "replay", "--policy", "default"],
        cwd=shell.project, env=shell.environment, stdout=subprocess.PIPE, stderr=child, text=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(child)
    drawn = os.read(person, 4096).decode()
    os.close(person)
    assert (done.returncode, "\r" in done.stdout) == (0, False)
    assert drawn == f"\r[{'#' * WIDTH}] 5 of 5\r\x1b[K"
    assert "[#" not in shell.run("policy", "replay", "--policy", "default")[1]


def test_the_bar_fills_with_what_is_done() -> None:
    """Its length is the part of the whole, and it is always as wide."""
    shown = [bar(done, 10) for done in (0, 1, 5, 9, 10)]
    assert [text.count("#") for text in shown] == [0, 4, 20, 36, 40]
    assert len({text.index("]") for text in shown}) == 1
    assert [text.endswith("\r\x1b[K") for text in shown] == [False] * 4 + [True]


@pytest.mark.parametrize(
    ("profile", "word"),
    [
        ("default", "policy says the same"),
        ("careful", "careful.unlisted-command: nothing -> review"),
    ],
)
def test_explain_reads_the_commands_that_a_row_does_not_keep(
    tmp_path: Path, profile: str, word: str
) -> None:
    """A call that was recorded by a policy of effects is held against a list of commands as it
    would be now: a listed one is no difference.
    """
    shell = Shell(tmp_path)
    recorded(shell.home / ".local/state/interlock", ("ls -la", "some-program"))
    user = shell.home / ".config/interlock/policy.yaml"
    user.parent.mkdir(parents=True)
    user.write_text(f"version: 1\nprofile: {profile}\n", encoding="utf-8")
    assert "careful" not in shell.run("explain", f"d-{0:016x}")[1]
    assert word in shell.run("explain", f"d-{1:016x}")[1]
