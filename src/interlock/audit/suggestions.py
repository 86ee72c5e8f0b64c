"""What the record suggests to write into a policy: what was asked and always let run, programs that
nobody described, proofs that answer nothing yet.

A suggestion is lines of a policy with the evidence for them. Whether they may stand there, and what
they would change, is for others to find out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import gmtime, strftime, time

from interlock.audit.replay import findings
from interlock.model.action import ASK
from interlock.model.codec import MalformedError, decode
from interlock.model.decision import Finding
from interlock.model.effect import (
    ACCESS,
    GUARD,
    INSTRUCTION_FILE,
    PERSISTENCE,
    PROJECT_SECRET,
    SECRET,
    VCS_INTERNAL,
    Deletes,
    Effect,
    Executes,
)
from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.kinds import meaning
from interlock.model.record import Record
from interlock.store.protocol import Storage

LEAST = 3
"""So often something has to have come before it is suggested."""
LASTS = 90 * 86400
"""Seconds: an exception that is suggested ends by itself."""
MOST_ROWS = 200_000
PATHS = meaning("path")
_MATTERS = frozenset(
    {SECRET, PROJECT_SECRET, PERSISTENCE, ACCESS, GUARD, VCS_INTERNAL, INSTRUCTION_FILE}
)
"""What a person may let happen as often as they like, and is asked about each time."""
_NAMED = meaning("target") - PATHS - {Executes}


class Suggestion(Record):
    """Lines of a policy, below one of its keys. ``said``: what they do; ``evidence``: why;
    ``program``: the one whose options are to be found out.
    """

    key: str
    said: str
    evidence: str
    lines: tuple[str, ...]
    program: str = ""


def suggestions(store: Storage, home: str, days: int, *, approves: bool) -> Iterator[Suggestion]:
    """Yield what the last days suggest, what saves most questions first; raises ``StoreError``.
    ``approves``: proofs answer questions already.
    """
    since = strftime("%Y-%m-%d", gmtime(time() - days * 86400))
    if not approves:
        yield from _proofs(store, since, days)
    yield from _exceptions(store, since, days, home)
    yield from _programs(store, since, days)


def _proofs(store: Storage, since: str, days: int) -> Iterator[Suggestion]:
    sql = (
        "SELECT count(*), coalesce(sum(proof = 'proven'), 0) FROM guardrail_audit_log WHERE"
        " timestamp >= ?"
    )
    [(calls, proven)] = store.query(sql, (since,))
    if proven >= LEAST:
        evidence = f"{proven} of {calls} calls of the last {days} days were proven harmless"
        yield Suggestion(
            "proven",
            "your agent's own questions about what is proven harmless are answered",
            evidence,
            ("proven: approve",),
        )


def _exceptions(store: Storage, since: str, days: int, home: str) -> Iterator[Suggestion]:
    """Where every call that a rule asked about in one place was let run."""
    counts: dict[tuple[str, str, str], list[int]] = {}
    sql = (
        "SELECT findings, status FROM guardrail_audit_log WHERE verdict = 'ask' AND timestamp >= ?"
        " ORDER BY id LIMIT ?"
    )
    for text, status in store.query(sql, (since, MOST_ROWS)):
        for finding in _asking({"findings": text}):
            about = _about(finding, home)
            if about:
                counts.setdefault((finding.rule, *about), [0, 0])[status != "ran"] += 1
    until = strftime("%Y-%m-%d", gmtime(time() + LASTS))
    for (rule, kind, subject), (ran, other) in sorted(counts.items(), key=lambda pair: -pair[1][0]):
        if ran < LEAST or other:
            continue
        named = "path" if kind in PATHS else "target"
        yield Suggestion(
            "allow",
            f"{rule} says nothing of {subject}",
            f"asked {ran} times in the last {days} days, let run every time",
            (
                f"- rule: {rule}",
                f"  match: {{effect: {kind}, {named}: {dumps(subject)}}}",
                f"  because: asked {ran} times in {days} days and let run every time",
                f"  until: {until}",
            ),
        )


def _asking(row: Mapping[str, object]) -> tuple[Finding, ...]:
    try:
        return tuple(
            [
                finding
                for finding in findings(row)
                if finding.effective == ASK and finding.stage == "policy"
            ]
        )
    except MalformedError:
        return ()


def _about(finding: Finding, home: str) -> tuple[str, str] | None:
    """Return the kind of effect and what an exception would name: the folder of a path that is
    narrow enough, else the very target.
    """
    effect = finding.effect
    if (
        effect is None
        or not effect.certain
        or not effect.target
        or "\ue000" in effect.target
        or "[" in effect.target
    ):
        return None
    if effect.kind in _NAMED:
        return str(effect.kind), effect.target
    if effect.kind not in PATHS or effect.kind is Deletes or effect.target[:1] != "/":
        return None
    if effect.place is None or not effect.place.natures.isdisjoint(_MATTERS):
        return None
    folder = effect.target.rpartition("/")[0]
    wide = (
        folder.count("/") < home.count("/") + 2
        if folder.startswith(home)
        else folder.count("/") < len(("", "srv"))
    )
    return str(effect.kind), effect.target if wide else f"{folder}/**"


def _programs(store: Storage, since: str, days: int) -> Iterator[Suggestion]:
    """Programs that nobody described, whose calls ran."""
    counts: dict[str, int] = {}
    sql = """SELECT effects FROM guardrail_audit_log WHERE instr(effects, '"unknown-program"') AND
        verdict != 'deny' AND timestamp >= ?
        ORDER BY id LIMIT ?"""
    for (text,) in store.query(sql, (since, MOST_ROWS)):
        for name in _unknown_programs(str(text)):
            counts[name] = counts.get(name, 0) + 1
    for name, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        if count >= LEAST:
            lines = (f"- name: {name}", "  says:")
            evidence = f"met in {count} calls of the last {days} days, and nobody described it"
            yield Suggestion(
                "programs", f"calls of {name} can be proven harmless", evidence, lines, program=name
            )


def _unknown_programs(text: str) -> frozenset[str]:
    try:
        effects = [decode(Effect, one) for one in loads(text)]
    except (JsonError, MalformedError, TypeError):
        return frozenset()
    names = [
        effect.target
        for effect in effects
        if effect.kind is Executes and "unknown-program" in effect.traits
    ]
    return frozenset(
        [
            name
            for name in names
            if name.replace("-", "").replace("_", "").replace(".", "").isalnum() and name.isascii()
        ]
    )
