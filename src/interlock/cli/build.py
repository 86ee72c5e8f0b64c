"""The one place where real parts are wired together: the disk, the store, the policy, the guard."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from sqlite3 import Connection
from typing import TypedDict, Unpack

from interlock.approvals.service import Approvals
from interlock.audit.log import Audit
from interlock.checkpoint.service import Checkpoints
from interlock.cli.alarm import Alarm
from interlock.facts.live import Live
from interlock.facts.recorded import Recorded
from interlock.facts.replayed import ReplayFacts
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE, QUEUE, Validator
from interlock.guard.stopping import StopCommand, StopResult
from interlock.guard.workspace import may_be_root
from interlock.integrations.drift import DriftContext
from interlock.ledger.pins import Pins
from interlock.ledger.sessions import Ledger
from interlock.limits.meter import Meter
from interlock.mcp.judge import Sharing
from interlock.model.call import PROVING, ToolCall
from interlock.model.decision import Decision, Finding, make_refusal
from interlock.model.effect import Reading
from interlock.model.facts import Facts
from interlock.model.policy import Checkpointing, Policy, Reviewing
from interlock.policy.builtin import builtin
from interlock.policy.current import current
from interlock.policy.files import PolicyLocations, places
from interlock.policy.source import Reader
from interlock.store.database import Store
from interlock.store.place import (
    StoreError as StoreError,  # noqa: PLC0414 - commands catch it, and only this module opens the store
)
from interlock.store.place import (
    home_folder as home_folder,  # noqa: PLC0414 - commands go by this door
)
from interlock.store.place import state_folder as state_folder  # noqa: PLC0414 - as above
from interlock.store.protocol import Storage
from interlock.validator.environment import NamedJudge
from interlock.validator.review import Review

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


class ValidatorOptions(TypedDict, total=False):
    """What a validator may be made with besides."""

    judge: NamedJudge
    told: Callable[[Review], None]


TEMP = "/tmp"  # noqa: S108 - the system's own folder for temporary files


ASKS = {"native": NATIVE, "never": QUEUE}
"""A client's own word for how it asks, and what that is to the guard; without such a word nobody
can be asked.
"""


def guard(
    environment: Mapping[str, str], asks: str = "", folder: str = "", session: str = ""
) -> Guard:
    """Return the guard of one call: the policy that holds in a folder and for a session, this disk,
    the store of this user.

    ``asks``: the client's own word, ``native`` where it asks the person itself, ``never`` where it
    cannot. Where there is no place for a store the guard judges without one, and says so with every
    call.
    """
    facts = disk(environment)
    ask = ASKS.get(asks)
    try:
        kept = store(environment)
    except StoreError as error:
        kept = HomelessStore(str(error))
    if session != PROVING:
        report_losses(environment, kept, "")  # what is put back holds for this very call
    held = policy(environment, folder, session)
    kept.sync(always=held.audit_durable)
    judge = (
        validator(kept, held, facts, lambda: _places(environment, folder))
        if held.reviewing is not None
        else None
    )
    return Guard(
        held, ask=ask, facts=facts, validator=judge,
        audit=Audit(kept, held.redacted), ledger=Ledger(kept),
        approvals=lambda: approvals(kept, held.redacted), limits=lambda: meter(kept),
        checkpoints=lambda: checkpoints(kept, held.checkpointing),
        flags=lambda call: flags(kept, held, call),
        alarm=lambda: alarm(environment, kept, held.notify),
        presence=(lambda to: report_losses(environment, kept, to)) if session != PROVING else None,
    )  # fmt: skip


def policy(environment: Mapping[str, str], folder: str = "", session: str = "") -> Policy:
    """Return the policy that holds for a session working in a folder (``""``: in none). Total."""
    where = _places(environment, folder, session)
    return current(where, lambda: reader(where.home))


def _places(environment: Mapping[str, str], folder: str, session: str = "") -> PolicyLocations:
    return places(
        environment, folder if may_be_root(folder, home_folder(environment)) else "", session
    )


def reader(home: str) -> Reader:
    """Return a reader of policies' examples: calls in a project below a home, with frozen facts."""
    if _compiled_only:
        raise PolicyNotCompiledError
    from interlock.policy.examples import reading  # only when a policy file changed

    return reading(home, fixed_facts)


class PolicyNotCompiledError(Exception):
    """A policy would have to be read anew, and not here (``take_compiled``)."""


_compiled_only = False


def take_compiled(*, only: bool) -> None:
    """Take policies as they were compiled, and raise ``PolicyNotCompiledError`` where one would
    have to be read anew: that is for a process that has all that reading needs.
    """
    global _compiled_only  # noqa: PLW0603 - it holds for all that this process is asked
    _compiled_only = only


def validator(
    kept: Storage,
    held: Policy,
    facts: Facts,
    where: Callable[[], PolicyLocations],
    **more: Unpack[ValidatorOptions],
) -> Validator:
    """Return what asks a language model where a rule says ``review``: the one that the policy
    names, or else ``judge``.

    ``where``: makes the places of the guard agent's skills. ``told``: it is only tried, and this is
    told what it took.
    """

    def review(call: ToolCall, reading: Reading, decision: Decision) -> Finding | None:
        from interlock.cli import reviewer_setup  # few calls are reviewed

        return reviewer_setup.review(
            reviewer_setup.ReviewerSetup(kept, held, facts, where, **more), call, reading, decision
        )

    return review


def trying(
    environment: Mapping[str, str], held: Policy, call: ToolCall, told: Callable[[Review], None]
) -> Validator:
    """Return the judge of a policy to be tried on a call; raises ``StoreError``."""
    folder = call.roots[0] if call.roots else ""
    return validator(
        store(environment), held, disk(environment), lambda: _places(environment, folder), told=told
    )


def agent_validator(
    environment: Mapping[str, str], guard: Guard, own: Reviewing, key: str = "", folder: str = ""
) -> Validator | None:
    """Return what judges reviews for ``interlock agent``: the model that a policy names, else the
    one of ``INTERLOCK_GUARD_LLM``, else None.

    ``own``, ``key``: the agent's own model and its key; ``folder``: where it works. Raises
    ``ValueError`` in one sentence for variables that mean nothing, and ``StoreError`` where there
    is no place for a store.
    """
    if guard.policy.reviewing is not None:
        return guard.validator
    from interlock.validator.environment import NamedJudge, choose_judge

    judge = choose_judge(environment, NamedJudge(own, key))
    if judge is None:
        return None
    return validator(
        store(environment),
        guard.policy,
        guard.facts,
        lambda: _places(environment, folder),
        judge=judge,
    )


def approvals(kept: Store, names: tuple[str, ...] = ()) -> Approvals:
    """Return the approvals of a store, for a hook. ``names``: of what else holds secrets
    (``Policy.redacted``).
    """
    from interlock.approvals.service import Approvals  # only what asks needs it

    return Approvals(kept, Audit(kept, names).redactor, hook=True)


def checkpoints(kept: Store, how: Checkpointing) -> Checkpoints:
    """Return the checkpoints beside a store."""
    from interlock.checkpoint.retention import RetentionLimits
    from interlock.checkpoint.service import Checkpoints  # few calls need one

    return Checkpoints(kept.folder, RetentionLimits(how.days, how.megabytes * 1024 * 1024))


def pins(kept: Storage, server: str, told: str) -> Pins:
    """Return what is pinned of an MCP server; ``told``: its command or address."""
    from interlock.ledger.pins import Pins

    return Pins(kept, server, told)


def sharing(kept: Storage) -> Sharing:
    """Return what finds the session of the client above this process, and what its hook has decided
    on a call already. Total.
    """
    from interlock.approvals.sessions import session_above
    from interlock.audit.shared_decision import SharedDecision, take

    redactor = Audit(kept).redactor

    def share(call: ToolCall, names: Sequence[str], granted: bool) -> tuple[str, SharedDecision]:
        try:
            session = session_above(kept)
            return session, (
                take(kept, redactor, call.replace(session=session), names, granted=granted)
                if session
                else SharedDecision()
            )
        except StoreError:
            return "", SharedDecision()  # the call is judged here, then

    return share


def flags(kept: Store, held: Policy, call: ToolCall) -> tuple[Finding, ...]:
    """Say whether a call belongs to something that is stopped. Where nothing is the folder is empty
    or missing, and that is all that is looked at.
    """
    try:
        if not system.listdir(f"{kept.folder}/flags"):
            return ()
    except (FileNotFoundError, NotADirectoryError):
        return ()
    from interlock.guard.precheck import precheck

    return precheck(kept.folder, call, lambda: checkpoints(kept, held.checkpointing))


def report_losses(environment: Mapping[str, str], kept: Store, to: str) -> tuple[str, ...]:
    """Say what of what was installed is gone, to the ``session`` or the ``person`` (``""``: nobody
    yet).

    Where nothing was written down, that there is no such folder is all that is looked at.
    """
    try:
        system.stat(f"{kept.folder}/installed")
    except OSError:
        return ()
    from interlock.presence.file_state import quiet

    if quiet(kept.folder):
        return ()
    from interlock.integrations.drift import notice_losses  # something moved

    return notice_losses(desk(environment, kept), to)


def desk(environment: Mapping[str, str], kept: Store) -> DriftContext:
    """Return what comparing with what was installed needs of a store. Total: what cannot be found
    out counts as an agent's.
    """
    from interlock.approvals import answers, caller
    from interlock.integrations.drift import DriftContext
    from interlock.presence import agent_activity
    from interlock.presence.unjudged_calls import GONE

    def at_work(when: float) -> bool:
        try:
            noted = [one for one in answers.agents(kept) if one[3] <= when]
            return bool(caller.agents_alive(noted)) or agent_activity.at_work(kept, when)
        except StoreError:
            return True

    def noted(subject: str, body: Mapping[str, object]) -> str:
        try:
            record(kept, GONE, subject, body)
        except StoreError as problem:
            return str(problem)
        return ""

    def tell(title: str, text: str) -> tuple[str, ...]:
        # the policy may have been put back just now
        return alarm(environment, kept, policy(environment).notify).tell(title, text)

    return DriftContext(kept.folder, at_work, lambda: agent_activity.last_judged(kept), noted, tell)


def execute_stop(
    environment: Mapping[str, str], order: StopCommand, *, call: str = "", kill: bool = True
) -> StopResult:
    """Stop a scope, or end what one call started; raises ``StopError`` and ``StoreError``."""
    from interlock.guard.stopping import StopContext, stop

    kept, held = store(environment), policy(environment)
    desk = StopContext(
        Audit(kept),
        lambda: checkpoints(kept, held.checkpointing),
        alarm(environment, kept, held.notify).tell,
        kills=kill,
    )
    return stop(desk, order, call=call)


def alarm(environment: Mapping[str, str], kept: Store, ways: tuple[str, ...]) -> Alarm:
    """Return what stops sessions and tells people."""
    from interlock.cli.alarm import Alarm  # few calls need it

    return Alarm(environment, kept.folder, Audit(kept).redactor, ways)


def record(
    kept: Store, kind: str, subject: str, body: Mapping[str, object], session: str = ""
) -> None:
    """Record what a person or interlock itself did; raises ``StoreError``."""
    kept.commit([Audit(kept).event(kind, subject, body, session)])


def redact_text(kept: Store, text: str) -> str:
    """Return a person's words without secrets, as they may be recorded."""
    return Audit(kept).redactor.text(text)


def meter(kept: Store) -> Meter:
    """Return what counts the limits of a store."""
    from interlock.limits.meter import Meter  # only a policy with limits needs it

    return Meter(kept)


def record_unjudged(environment: Mapping[str, str], call: ToolCall, why: str) -> None:
    """Record, in the spool, a call that was refused unjudged; raises ``StoreError``."""
    from interlock.audit.entry import Judgement
    from interlock.guard.walk import new_id

    kept = store(environment)
    decision = make_refusal(new_id(), "guard.out-of-time", why)
    kept.spool(
        [Audit(kept).judged(Judgement(call, Reading((), coverage="partial"), decision, builtin()))]
    )


def disk(environment: Mapping[str, str]) -> Live:
    """Return the facts of this machine, without a session."""
    return Live(home_folder(environment), temps(environment))


def fixed_facts(home: str) -> Recorded:
    """Return facts that are the same everywhere: a home folder, and nothing else known."""
    from interlock.facts.recorded import Recorded  # no hook asks it

    return Recorded(home)


def store_in(folder: str) -> Store:
    """Return a store in a folder of its own."""
    return Store(folder)


def replaying(kept: Store, home: str, root: str, platform: str) -> tuple[ReplayFacts, Guard]:
    """Return what is known of a recorded session going on, and a guard with the built-in policy."""
    from interlock.facts.replayed import ReplayFacts

    facts, held = ReplayFacts(home, root, platform), builtin()
    return facts, Guard(
        held, ask=NATIVE, facts=facts, audit=Audit(kept), ledger=Ledger(kept),
        flags=lambda call: flags(kept, held, call),
    )  # fmt: skip


def queueing(kept: Store, facts: Facts) -> Guard:
    """Return the guard of a session in which nobody sits at a prompt, by the built-in policy: what
    it would ask about waits for an answer from elsewhere.
    """
    held = builtin()
    return Guard(
        held, ask=QUEUE, facts=facts, audit=Audit(kept), ledger=Ledger(kept),
        approvals=lambda: approvals(kept), flags=lambda call: flags(kept, held, call),
    )  # fmt: skip


def store(environment: Mapping[str, str]) -> Store:
    """Return this user's store; raises ``StoreError`` where there is no place for one."""
    folder = state_folder(environment)
    if _stores is None:
        return Store(folder)
    if folder not in _stores:
        if len(_stores) >= MOST_STORES:
            _stores.clear()
        _stores[folder] = Store(folder, tidied=True)
    return _stores[folder]


MOST_STORES = 8
"""Stores that are kept open: a user has one, and a call may name another home."""
_stores: dict[str, Store] | None = None
"""The stores that this process keeps open, where it goes on after a call."""


def stay() -> None:
    """Keep stores open from now on: this process answers more than one call."""
    global _stores  # noqa: PLW0603 - what a process is, it is as a whole
    _stores = {}


def tidy() -> None:
    """Do what was put off while somebody waited for an answer."""
    for kept in (_stores or {}).values():
        kept.tidy()


def tell(kept: Store) -> None:
    """Say on standard error what the store found on opening: a damaged file moved aside."""
    while kept.notices:
        sys.stderr.write(f"interlock: {kept.notices.pop(0)}\n")


class HomelessStore(Store):
    """The store of a user without a home: every question and every write fails, in words."""

    def __init__(self, why: str) -> None:
        super().__init__("/dev/null/interlock")
        self._why = why

    def _connection(self) -> Connection:
        """Raise ``StoreError``."""
        raise StoreError(self._why)

    def spool(self, writes: object) -> None:
        """Raise ``StoreError``."""
        del writes
        raise StoreError(self._why)


def temps(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the folders for temporary files: the system's, and the guard's own where that is not
    as wide as a home.
    """
    own, home = environment.get("TMPDIR", "").rstrip("/"), home_folder(environment).rstrip("/")
    wide = (
        not own.startswith("/")
        or ".." in own.split("/")
        or own.count("/") < 2
        or (home + "/").startswith(own + "/")
    )
    return (TEMP,) if wide or own == TEMP else (TEMP, own)
