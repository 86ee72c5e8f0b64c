"""``interlock explain RULE | ID | -- COMMAND``: a rule in full, a recorded decision judged again,
or a call step by step.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping

from interlock.audit.query import Filter, find_decisions, last, verify_row
from interlock.audit.replay import JUDGED_AGAIN, Difference, decision, differences, replay
from interlock.cli import build, calls, check, machine, show
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.log import seconds
from interlock.engine.decide import decide
from interlock.engine.proof import doubts
from interlock.engine.proving import add_doubts
from interlock.intent.judge import findings as misfits
from interlock.model.call import SHELL, ToolCall
from interlock.model.codec import MalformedError, encode
from interlock.model.decision import Decision
from interlock.model.effect import Reading
from interlock.model.rule import Call, Rule
from interlock.rules.catalogue import RULES
from interlock.store.schema import Value

NAME = "explain"
SUMMARY = "explain a rule, a decision, or how a command is read"
MOST_DOUBTS = 3
_NAME = re.compile(r"[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*")
"""What looks like the name of a rule."""
SHORTEST = 6
"""Characters of a decision's id, ``d-`` included, by which it can be named."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--last", action="store_true", help="explain the latest decision")
    machine.add_json(parser)
    calls.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Explain a rule or a decision where one word is given that names one, else the command."""
    paint = None if options.json else Painter(sys.stdout)
    if options.last:
        return _explain_decision("d-", paint, latest=True)
    if options.tool is None and len(options.command) == 1:
        word = options.command[0]
        if word.startswith("d-"):
            return _explain_decision(word, paint)
        if _names_rule(word):
            return _rule(word, paint)
        if _NAME.fullmatch(word) and not (shutil.which(word) or os.path.lexists(word)):
            complain(
                f"interlock explain: no rule, decision or program here is called {word!r};"
                " `interlock rules` lists the rules, `interlock log` the decisions\n"
            )
            return check.BAD_INPUT
    try:
        call = calls.call_of(options)
    except calls.InputError as problem:
        complain(f"interlock explain: {problem}\n")
        return check.BAD_INPUT
    reading, decision = check.judge(call)
    if paint is None:
        found = doubts(reading)
        machine.tell(
            {
                "verdict": str(decision.verdict), "decision": encode(decision),
                "reading": encode(reading), "proven": not found, "doubts": list(found),
            }
        )  # fmt: skip
        return 0
    print(
        "\n".join([*show.explain_effects(reading, decision, paint), *proof_lines(reading, paint)])
    )
    return 0


def proof_lines(reading: Reading, paint: Painter) -> Iterator[str]:
    """Say whether a call is proven to be harmless in its workspace, and if not, why."""
    found = doubts(reading)
    if not found:
        yield from show.wrap_text(
            f"{paint('✓', 'green')} proven harmless: all of it is known;"
            f" {_describe_effects(reading)}",
            2,
            4,
        )
        return
    more = f", and {len(found) - MOST_DOUBTS} more" if len(found) > MOST_DOUBTS else ""
    yield from show.wrap_text(
        f"not proven harmless: {'; '.join(map(visible, found[:MOST_DOUBTS]))}{more}", 2, 4
    )


def _describe_effects(reading: Reading) -> str:
    """Say in a few words what a proven call does: ``it reads 3 files, writes 1 file``."""
    counts: dict[str, set[str]] = {}
    for effect in reading.effects:
        counts.setdefault(str(effect.kind), set()).add(effect.target)
    things = {
        "reads": "place",
        "writes": "place",
        "deletes": "place",
        "executes": "program",
        "connects": "host",
        "runs-code": "text",
    }
    told = [
        f"{kind} {len(some)} {things.get(kind, 'thing')}{'s' if len(some) > 1 else ''}"
        for kind, some in counts.items()
    ]
    return (
        f"it {', '.join(told)} of the workspace or of this machine"
        if told
        else "it changes nothing and reads no file"
    )


def _names_rule(word: str) -> bool:
    """Tell whether a word begins as the rules of a family do: ``git.``, ``secret.``."""
    family, dot, name = word.partition(".")
    return bool(dot and name) and any(rule.id.startswith(family + ".") for rule in RULES)


def _rule(name: str, paint: Painter | None) -> int:
    """Explain a rule by its name."""
    rule = next((rule for rule in RULES if rule.id == name), None)
    if rule is not None and paint is None:
        machine.tell(rule_to_dict(rule))
        return 0
    if rule is not None and paint is not None:
        print("\n".join(rule_lines(rule, paint)))
        return 0
    near = difflib.get_close_matches(name, [rule.id for rule in RULES], 1)
    meant = f"did you mean {near[0]}? " if near else ""
    complain(
        f"interlock explain: no rule is called {name!r}; {meant}`interlock rules` lists them all\n"
    )
    return check.BAD_INPUT


def _explain_decision(start: str, paint: Painter | None, *, latest: bool = False) -> int:
    """Explain a decision of the audit by the beginning of its name, or the latest one."""
    if not latest and len(start) < SHORTEST:
        complain(
            f"interlock explain: {start!r} is too short: give the id of a decision as"
            " `interlock log` shows it\n"
        )
        return check.BAD_INPUT
    try:
        store = build.store(os.environ)
        rows = last(store, Filter(limit=1)) if latest else find_decisions(store, start)
        build.tell(store)
        if len(rows) != 1:
            why = (
                "more than one decision begins so"
                if rows
                else "no decision is recorded yet"
                if latest
                else "no decision of this store begins so; `interlock log` shows them"
            )
            complain(f"interlock explain: {start}: {why}\n")
            return check.BAD_INPUT
        if paint is None:
            machine.tell(_to_dict(rows[0], verify_row(store, rows[0])))
        else:
            print("\n".join(decision_lines(rows[0], verify_row(store, rows[0]), paint)))
    except (build.StoreError, MalformedError) as problem:
        complain(f"interlock explain: {problem}\n")
        return check.BAD_INPUT
    return 0


def decision_lines(
    row: Mapping[str, Value], recorded: tuple[int, bool] | None, paint: Painter
) -> Iterator[str]:
    """Yield a recorded decision line by line, and whether today's policy differs; raises
    ``MalformedError``.
    """
    call, reading = replay(row)
    then = decision(row)
    yield (
        f"{paint(then.id, 'bold')}  {row['timestamp']}  {visible(call.agent or 'no agent')},"
        f" session {visible(call.session or '(none)')}"
    )
    yield from show.wrap_text(f"{visible(call.name)}: {visible(str(row['parameters']))}", 2, 4)
    yield from show.wrap_text(
        f"in {visible(call.cwd or '(no folder)')}, profile {row['profile']}, policy"
        f" {row['policy_hash']}",
        2,
        4,
    )
    if call.intent or call.scope:
        yield visible(
            f"  asked for: {call.intent or 'nothing that is known'}"
            + (f"; limits: {call.scope}" if call.scope else "")
        )
    yield from show.explain_effects(reading, then, paint)
    yield f"  {_describe_outcome(row)}"
    yield f"  {_describe_record(recorded, paint)}"
    yield from _today(call, reading, then, paint)


def _to_dict(row: Mapping[str, Value], recorded: tuple[int, bool] | None) -> dict[str, object]:
    """Return a recorded decision for a program; raises ``MalformedError``."""
    call, reading = replay(row)
    then = decision(row)
    today, changed = _judge_today(call, reading, then)
    return {
        "recorded": dict(row),
        "intact": None if recorded is None else recorded[1],
        "today": str(today.verdict),
        "changed": [
            {
                "rule": one.rule,
                "was": None if one.was is None else str(one.was),
                "now": None if one.now is None else str(one.now),
                "target": one.target,
            }
            for one in changed
        ],
    }


def _judge_today(
    call: ToolCall, reading: Reading, then: Decision
) -> tuple[Decision, list[Difference]]:
    """Judge what was read then by today's policy: its rules, and what the person asked for."""
    policy = build.policy(os.environ, call.roots[0] if call.roots else "", call.session)
    if (
        call.tool == SHELL
        and not reading.commands
        and any(not rule.match.kinds for rule in policy.rules)
    ):
        # the row keeps them only where its own policy looked at them
        from interlock.cli.policy_replay import commands

        reading = reading.replace(commands=commands(call))
    decided = decide(call, reading, policy, then.id).with_findings(
        *misfits(call, reading, policy.intent)
    )
    today = add_doubts(call, reading, decided, policy)
    return today, list(differences(then, today, frozenset(rule.id for rule in policy.rules)))


def _today(call: ToolCall, reading: Reading, then: Decision, paint: Painter) -> Iterator[str]:
    """Yield what today's policy says of what was read then."""
    today, changed = _judge_today(call, reading, then)
    others = sorted(
        {one.rule for one in then.findings if one.stage not in JUDGED_AGAIN}
        - {one.rule for one in changed}
    )
    if others:
        yield paint(
            f"  not judged again, for they hang on what was then: {', '.join(others)}", "grey"
        )
    if not changed:
        yield f"  {paint('✓', 'green')} today's policy says the same of what was read then"
        return
    yield (
        f"  {paint('!', 'amber')} today's policy differs: its rules say"
        f" {paint(str(today.verdict), 'bold')}"
    )
    for one in changed:
        was, now = [
            str(action) if action is not None else "nothing" for action in (one.was, one.now)
        ]
        yield f"     {one.rule}: {was} -> {paint(now, 'bold')}" + (
            f"  ({visible(one.target)})" if one.target else ""
        )


def _describe_outcome(row: Mapping[str, Value]) -> str:
    if row["status"] is None:
        return "what became of the call is not known"
    took = (
        f" in {seconds(row['duration_ms'])}"
        if isinstance(row["duration_ms"], int) and row["duration_ms"]
        else ""
    )
    said = " ".join(str(row["result"] or "").split())
    return f"the call {row['status'] if row['status'] != 'refused' else 'was refused'}{took}" + (
        f" and said: {visible(said[:160])}" if said else ""
    )


def _describe_record(recorded: tuple[int, bool] | None, paint: Painter) -> str:
    if recorded is None:
        return paint("no record of the chain tells of it", "amber")
    seq, same = recorded
    return (
        f"record {seq} of the chain; the row is as it was written"
        if same
        else paint(f"record {seq}: this row was CHANGED since", "red", "bold")
    )


def rule_to_dict(rule: Rule) -> dict[str, object]:
    """Return a rule for a program."""
    return {
        "id": rule.id, "action": str(rule.action), "floor": str(rule.floor or ""),
        "title": rule.title, "why": rule.why, "instead": rule.instead, "approver": rule.approver,
        "tags": sorted(rule.tags), "catches": [example_text(one) for one in rule.catches],
        "passes": [example_text(one) for one in rule.passes],
    }  # fmt: skip


def rule_lines(rule: Rule, paint: Painter) -> Iterator[str]:
    """Yield a rule line by line."""
    yield f"{paint(rule.id, 'bold')}  {rule.action}" + (
        f", never below {rule.floor}" if rule.floor else ""
    )
    for sentence in (f"A call that {rule.title}.", f"Why: {rule.why}", f"Safer: {rule.instead}"):
        yield from show.wrap_text(sentence, 2, 4)
    if rule.approver:
        yield f"  Needs the approval of: {rule.approver}"
    yield from show.wrap_text(f"Tags: {', '.join(sorted(rule.tags))}", 2, 4)
    for label, colour, examples in (
        ("catches", "red", rule.catches),
        ("passes", "green", rule.passes),
    ):
        for example in examples:
            yield f"  {paint(label.ljust(7), colour)} {example_text(example)}"


def example_text(example: str | Call) -> str:
    """Return an example as it would be typed."""
    if isinstance(example, Call):
        return f"{example.tool} " + ", ".join([f"{key}={value!r}" for key, value in example.input])
    return example
