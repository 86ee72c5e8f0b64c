"""``run``: a program's text to what came of it, whatever its language. What it will try is read
first, and asked about once.
"""

from __future__ import annotations

import sys

from interlock.codemode.advice import advice
from interlock.codemode.permissions import LISTEN, PRIVATE, REACH
from interlock.codemode.program import (
    BOTH,
    GO,
    KERNEL,
    LANGUAGES,
    LAUNCHER,
    PYTHON,
    READER,
    REDACT,
    Refusal,
    RunContext,
    RunResult,
    refuse_run,
)
from interlock.model.action import ASK, THROTTLE, VERDICT_ALLOW, WARN
from interlock.model.call import Outcome
from interlock.model.decision import Decision, Finding
from interlock.model.effect import LOCAL, Connects, Listens
from interlock.policy.schema import PROFILES

EXCERPT = 2000
NO_GUARD = (
    "On Windows no program runs under guard: its questions go over a socket of Unix that hands"
    " files over. A command is judged beforehand and runs in a job: interlock run --require none --"
    " python FILE."
)
SELF = frozenset({LISTEN.id, REACH.id, PRIVATE.id, "workspace-write.reach-out"})
"""What speaks of waiting for connections, and of reaching who waits."""
UNASKED = frozenset({"approval.nobody-to-ask", "approval.requested"})


def run(
    source: str, language: str, scene: RunContext, arguments: tuple[str, ...] = (), name: str = ""
) -> RunResult:
    """Run a program. ``name``: its file's absolute path if it has one. The scene's call is judged,
    and its outcome recorded, as any tool call's.
    """
    before = ahead(scene)
    return (
        before
        if before is not None
        else record_result(execute(source, language, scene, arguments, name), scene)
    )


def execute(
    source: str, language: str, scene: RunContext, arguments: tuple[str, ...] = (), name: str = ""
) -> RunResult:
    """Run a program whose call was judged already, by who also records what becomes of it."""
    if sys.platform == "win32":
        return refuse_run(Refusal("start", language, "code.platform", LAUNCHER, NO_GUARD))
    if language == PYTHON:
        from interlock.codemode.python.run import run as python

        return python(source, scene, arguments, name)
    if language == GO:
        from interlock.codemode.golang.run import run as go

        return go(source, scene, arguments, name)
    return refuse_run(
        Refusal(
            "start",
            language,
            "code.language",
            LAUNCHER,
            f"There is no code mode for {language}; known: {', '.join(LANGUAGES)}.",
        )
    )


def ahead(scene: RunContext) -> RunResult | None:
    """Judge the whole before it starts; None where it may. What a person approves here is not asked
    about again in this run.

    Where nobody can be asked, what would be asked about does not stop the program: each operation
    is judged when it comes. What is denied for sure stops it before it has done half.
    """
    decision = scene.guard.check(scene.call)
    scene.notices += tuple(
        [
            _sentence(finding)
            for finding in decision.findings
            if finding.effect is None and finding.effective == WARN
        ]
    )
    scene.decision = decision.id
    scene.redacts |= any(duty.name == REDACT for duty in decision.obligations)
    if decision.verdict == VERDICT_ALLOW:
        scene.granted = frozenset(
            [
                (one.effect.kind, one.effect.target)
                for one in decision.findings
                if one.settled is not None and one.effect
            ]
        )
        return None
    against = [
        finding
        for finding in decision.findings
        if finding.effective >= THROTTLE and not _later(finding, scene)
    ]
    if all(finding.rule in UNASKED for finding in against) and not (against and scene.commands):
        scene.begun = True
        return None
    return record_result(_denial_result(decision, scene), scene, "refused")


def _later(finding: Finding, scene: RunContext) -> bool:
    """Tell whether a program may wait for itself, and this may be it: which port and address it is
    shows when it comes.

    It is judged then, or, of a command, held by walls in which it has a network of its own.
    """
    effect, held = finding.effect, not scene.commands or scene.require in {KERNEL, BOTH}
    if not held or not scene.permits.loopback or effect is None or finding.rule not in SELF:
        return False
    return (
        "public" not in effect.traits
        if effect.kind == Listens
        else effect.kind == Connects and (effect.host == LOCAL or effect.target == "?")
    )


def _denial_result(decision: Decision, scene: RunContext) -> RunResult:
    said = [finding for finding in decision.findings if finding.stage != "approval"] or list(
        decision.findings
    )
    top = max([finding.effective for finding in said])
    # what is dangerous by itself stands before what this run was not allowed, and of that the words
    # that say what would allow it before those of the preset
    found = [
        one for one in said if one.effective == top or (one.effective >= ASK and _by_itself(one))
    ]
    found.sort(key=lambda one: (not _by_itself(one), not one.rule.startswith("code.")))
    told = tuple(dict.fromkeys([_refusal(finding, scene) for finding in found]))
    return refuse_run(told[0]).replace(refused=told)


def _by_itself(finding: Finding) -> bool:
    """Tell whether a rule holds whatever this run was allowed: none of its own, nor of a preset."""
    kind = finding.rule.partition(".")[0]
    return kind not in ("code", *PROFILES) and finding.effect is not None


def _refusal(finding: Finding, scene: RunContext) -> Refusal:
    effect = finding.effect
    return Refusal(
        str(effect.kind) if effect else finding.stage, effect.target if effect else "",
        finding.rule, READER,
        _sentence(finding), _line(finding, scene), advice(finding),
    )  # fmt: skip


def _sentence(finding: Finding) -> str:
    return f"This {finding.message}." if finding.message[:1].islower() else finding.message


def _line(finding: Finding, scene: RunContext) -> str:
    """Return the line of the program where an effect was read, if it was."""
    code = scene.call.input.get("code")
    if finding.span is None or finding.span.text != 0 or not isinstance(code, str):
        return ""
    return f"line {code.count(chr(10), 0, finding.span.start) + 1}"


def record_result(result: RunResult, scene: RunContext, status: str = "") -> RunResult:
    """Record what came of it, without secrets where that was an obligation; what could not be
    recorded is a notice.
    """
    if scene.redacts:
        result = _redact_result(result, scene)
    word = status or {"ran": "ran", "refused": "refused"}.get(result.status, "failed")
    if scene.begun and word == "failed":
        word = "ran"  # of what was denied as a whole it counts that it ran
    excerpt = f"[{result.tier}] {result.stdout[:EXCERPT]}"
    said = scene.guard.outcome(Outcome(scene.call, word, excerpt, int(result.seconds * 1000)))
    return (
        result.replace(notices=result.notices + scene.notices + said)
        if said or scene.notices
        else result
    )


def _redact_result(result: RunResult, scene: RunContext) -> RunResult:
    """Return a result without secrets in what the program printed; files with all of it go."""
    import contextlib
    import os

    audit = scene.guard.audit
    if audit is None:  # nobody said that it would be carried out
        notice = "its output is left out: nothing here can take secrets out of it"
        return result.replace(stdout="", stderr="", content="", notices=(*result.notices, notice))
    for path in result.spilled:
        # a full disk may not have taken its first byte
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
    said = {
        name: audit.redactor.text(text, len(text))
        for name in ("stdout", "stderr", "content")
        if (text := getattr(result, name))
    }
    refused = tuple(
        [
            one.replace(
                argument=audit.redactor.text(one.argument), message=audit.redactor.text(one.message)
            )
            for one in result.refused
        ]
    )
    return result.replace(**said, refused=refused, spilled=())
