"""``Approvals``: what the guard wants to know of a call that is asked about: is it approved
already, and where does its request wait.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import time
from typing import Any, Protocol

from interlock.approvals.exact_calls import verbatim
from interlock.approvals.grant_scope import (
    EVERYWHERE,
    REFUSED_GOAL,
    SESSION,
    Cover,
    covers_of,
    fits,
    is_granted_goal,
    lasting,
)
from interlock.approvals.projects import project_of
from interlock.approvals.requests import ApprovalRequest
from interlock.approvals.terms import ApprovalTerms, asking, terms
from interlock.model.action import ALLOW, ASK, REVIEW, WARN, Action
from interlock.model.blake import blake2b
from interlock.model.call import ToolCall
from interlock.model.codec import encode
from interlock.model.decision import NOTIFY, TAMPER, Decision, Finding, Settled
from interlock.model.effect import Reading
from interlock.model.facts import Facts
from interlock.model.jsontext import dumps, loads
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.store.chain import extend
from interlock.store.protocol import Connection, Storage
from interlock.store.schema import WRITES, Write

if sys.platform == "win32":
    from nt import urandom
else:
    from posix import urandom


class TextRedactor(Protocol):
    """Takes secrets out of texts; the audit's own."""

    def text(self, text: str, limit: int = ...) -> str:
        """Return the text without its secrets."""


class ApprovalCase(Record):
    """A call that is asked about, with all that its approval hangs on."""

    call: ToolCall
    reading: Reading
    decision: Decision
    policy: Policy
    facts: Facts

    @property
    def project(self) -> str:
        """The path that grants for the project are kept by."""
        return self.call.roots[0] if self.call.roots else ""


class RequestTicket(Record):
    """Where a request waits. ``id`` is ``""`` where no more of this session may wait; ``granted``:
    it was approved meanwhile; ``page``: where a team can answer it, too, empty where none can;
    ``elsewhere``: nobody can on this machine.
    """

    id: str
    seconds: int = 0
    granted: bool = False
    page: str = ""
    elsewhere: bool = False


class Grant(Record):
    """What a person granted for longer.

    ``owner``: the session, or the project's path; ``*`` for a pause, in which whatever is asked
    about only warns. ``expires``: Unix seconds; ``uses``: how often it still counts.
    """

    id: str
    scope: str
    owner: str
    covers: tuple[Cover, ...]
    by: str
    expires: float
    uses: int


class AlreadySpentError(Exception):
    """Another process spent first what was about to be spent."""


class Approvals:
    """The approvals of one store. Every method raises ``StoreError`` where the store could not be
    asked; then nothing is approved.

    ``hook``: this process was started by the agent, and ends with the call; else it is the agent's
    own.
    """

    def __init__(self, store: Storage, redactor: TextRedactor, *, hook: bool = False) -> None:
        self.store = store
        self.redactor = redactor
        self.hook = hook
        self._key: bytes | None = None

    # -- what is approved already ------------------------------------------------------------------

    def spend(self, matter: ApprovalCase) -> Decision | None:
        """Return the decision settled by an approval of this very call, else by grants that cover
        all it asks about; None where there is neither.

        What settles it is used up, once, before the call runs.
        """
        granted, grants = self._candidates(matter)
        if granted:
            digest = self.digest(matter)
            by = (
                self.store.transact(lambda connection: _spend_once(connection, matter, digest))
                if digest in granted
                else ""
            )
            if by:
                return settle_decision(matter.decision, by)
        needed = terms(matter.decision, matter.policy)
        if not grants or needed.roles or needed.several:
            return None
        spent = self._spend_grants(matter, [grant for grant in grants if grant.owner != EVERYWHERE])
        return spent or self._apply_pause(
            matter, next((grant for grant in grants if grant.owner == EVERYWHERE), None)
        )

    def _apply_pause(self, matter: ApprovalCase, pause: Grant | None) -> Decision | None:
        """Make a warning of what is asked about while a person has the questions paused, but for
        what would change the guard itself.
        """
        if pause is None or any(TAMPER in finding.tags for finding in asking(matter.decision)):
            return None
        self.store.transact(lambda connection: _spend_uses(connection, matter, [pause]))
        return settle_decision(
            matter.decision, f"{pause.by}, who paused the questions ({pause.id})", WARN
        )

    def _candidates(self, matter: ApprovalCase) -> tuple[set[str], list[Grant]]:
        sql = """SELECT digest, '', '', '', '', 0, 0 FROM approval WHERE session_id = ?1 AND state
            = 'granted' AND expires > ?3
            UNION ALL SELECT id, scope, owner, covers, granted_by, expires, uses FROM approval_grant
            WHERE revoked = 0 AND uses > 0 AND expires > ?3 AND owner != ''
                AND ((scope = 'session' AND owner = ?1) OR (scope = 'project' AND owner = ?2) OR
                owner = '*')"""
        rows = self.store.query(
            sql, (matter.call.session, project_of(matter.project) if matter.project else "", time())
        )
        return {row[0] for row in rows if not row[1]}, [grant_of(row) for row in rows if row[1]]

    def _spend_grants(self, matter: ApprovalCase, grants: list[Grant]) -> Decision | None:
        """Settle every asking finding by a grant that covers it, or none of them."""
        used: dict[int, Grant] = {}
        asked, call = asking(matter.decision), verbatim(matter.call, matter.reading)
        for number, finding in enumerate(asked):
            grant = next(
                (
                    one
                    for one in grants
                    if any(
                        fits(cover, finding, matter.policy, matter.facts, call)
                        for cover in one.covers
                    )
                ),
                None,
            )
            if grant is not None:
                used[number] = grant
        effects = [
            finding.effect
            for number, finding in enumerate(asked)
            if number in used and finding.effect is not None
        ]
        if not used or any(
            number not in used and not is_granted_goal(finding, effects)
            for number, finding in enumerate(asked)
        ):
            return None
        spent = list({grant.id: grant for grant in used.values()}.values())
        try:
            self.store.transact(lambda connection: _spend_uses(connection, matter, spent))
        except AlreadySpentError:
            return None
        return settle_decision(
            matter.decision, ", ".join([f"{grant.by} ({grant.id})" for grant in spent])
        )

    # -- what waits --------------------------------------------------------------------------------

    def request(self, matter: ApprovalCase, needed: ApprovalTerms) -> RequestTicket:
        """File the request of a call, or find the one that waits already; what the agent's process
        is, is noted with it.
        """
        from interlock.approvals import requests

        call, now, fresh, noted = (
            matter.call,
            time(),
            self.fresh(matter, needed),
            self.agent(matter.call.session),
        )

        def work(connection: Connection) -> RequestTicket:
            requests.expire(connection, now, call.session)
            requests.forget(connection, now)
            for name, values in noted:
                connection.execute(WRITES[name], values)
            waiting = requests.select(
                connection,
                "session_id = ? AND digest = ? AND state IN ('pending', 'granted')",
                (call.session, fresh.digest),
            )
            if waiting:
                return RequestTicket(
                    waiting[0].id,
                    max(0, int(waiting[0].expires - now)),
                    waiting[0].state == requests.GRANTED,
                )
            many = connection.execute(
                "SELECT count(*) FROM approval WHERE session_id = ? AND state = 'pending'",
                (call.session,),
            ).fetchone()[0]
            if many >= matter.policy.approving.most_pending:
                return RequestTicket("")
            requests.insert(connection, fresh)
            return RequestTicket(fresh.id, needed.seconds)

        filed = self.store.transact(work)
        return filed.replace(page=self._page(filed.id)) if filed.id else filed

    def _page(self, name: str) -> str:
        """Return the page of a request at the service that this store is sent to."""
        from interlock.store.elsewhere import load_enrolment
        from interlock.store.place import StoreError

        try:
            found = load_enrolment(self.store.folder)
        except StoreError:
            return ""  # the request is filed; `interlock status` says what is wrong with that file
        return f"{found.url}/inbox/{found.machine}/{name}" if found is not None else ""

    def fresh(self, matter: ApprovalCase, needed: ApprovalTerms) -> ApprovalRequest:
        """Return the request of a call, not filed yet."""
        from interlock.approvals.requests import PENDING, ApprovalRequest
        from interlock.approvals.summary import describe_call
        from interlock.approvals.user import me

        call, now = matter.call, time()
        covers, no_grant = self.grantable(matter)
        return ApprovalRequest(
            f"a-{urandom(5).hex()}", self.digest(matter), PENDING, matter.decision.id, call.session,
            matter.project, call.user or me(), call.agent,
            encode(describe_call(call, matter.reading, matter.decision, self.redactor.text)),
            needed,
            tuple([encode(cover) for cover in covers]), no_grant,
            now, now + needed.seconds, fleet=self.fleet_digest(matter, needed),
        )  # fmt: skip

    def fleet_digest(self, matter: ApprovalCase, needed: ApprovalTerms) -> str:
        """Return what the call is on every machine, empty where a yes counts on this one alone."""
        why = _reasons(matter.decision)
        said = {one.id for one in matter.policy.rules if one.id in why and one.anywhere}
        if not why or said != set(why):
            return ""
        from interlock.approvals.anywhere import AnyCall

        found = AnyCall(matter.call, matter.reading, why, self.redactor.text)
        return found.digest(needed, matter.facts)

    def digest(self, matter: ApprovalCase) -> str:
        """Return what an approval of one call is bound to, as a keyed hash: tool, arguments,
        folder, effects, policy, and why it is asked about.
        """
        if self._key is None:
            from interlock.store.secret import key

            self._key = key(self.store.folder)
        call, reading, needed = matter.call, matter.reading, terms(matter.decision, matter.policy)
        bound = [_reasons(matter.decision), list(needed.roles), needed.quorum, needed.second_person]
        bound += [
            call.tool,
            call.name,
            encode(call.input),
            call.cwd,
            list(call.roots),
            call.platform,
            call.shell,
        ]
        text = dumps(
            [*bound, encode(reading.effects), reading.coverage, matter.policy.hash], sort_keys=True
        )
        return blake2b(
            text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=32
        ).hexdigest()

    # -- what counts for longer --------------------------------------------------------------------

    def grantable(self, matter: ApprovalCase) -> tuple[tuple[Cover, ...], str]:
        """Return what a grant of this call would cover, or nothing and why; what would hold a
        secret is never kept.
        """
        covers, why = covers_of(
            matter.decision, matter.policy, matter.facts, verbatim(matter.call, matter.reading)
        )
        secret = any(
            self.redactor.text(text) != text
            for cover in covers
            for text in (cover.target, cover.real, cover.where, cover.folder, *cover.only)
        )
        return ((), "its target holds a secret") if secret else (covers, why)

    def grant(self, matter: ApprovalCase, scope: str, by: str) -> Grant | None:
        """Keep a grant that a person gave at a prompt; None where this call may have none."""
        covers, _ = self.grantable(matter)
        owner = (
            matter.call.session
            if scope == SESSION
            else project_of(matter.project)
            if matter.project
            else ""
        )
        if not covers or not owner or not lasting(covers, scope):
            return None
        made = fresh_grant(matter.policy, scope, owner, covers, by)
        self.store.transact(
            lambda connection: keep_grant(connection, made, matter.decision.id, matter.call.session)
        )
        return made

    # -- whose process it is -----------------------------------------------------------------------

    def agent(self, session: str) -> list[Write]:
        """Return the write that notes the agent's process; nothing where it cannot be seen."""
        from interlock.facts import processes

        found = processes.agent() if self.hook else processes.this()
        return (
            [
                (
                    "agent-process",
                    (found.pid, found.ticks, processes.boot(), session, found.name, time()),
                )
            ]
            if found is not None
            else []
        )


def _reasons(decision: Decision) -> list[str]:
    """Return the rules that ask. That the goal was refused before is no new reason: the request
    refused it.
    """
    return sorted({finding.rule for finding in asking(decision)} - {REFUSED_GOAL})


def fresh_grant(
    policy: Policy, scope: str, owner: str, covers: tuple[Cover, ...], by: str
) -> Grant:
    """Return a new grant, as long and as often as the policy says."""
    how = policy.approving
    seconds = how.session_seconds if scope == SESSION else how.project_seconds
    return Grant(f"g-{urandom(5).hex()}", scope, owner, covers, by, time() + seconds, how.uses)


def keep_grant(connection: Connection, grant: Grant, decision: str, session: str) -> None:
    """Write a grant and its event."""
    covers = [encode(cover) for cover in grant.covers]
    connection.execute(
        "INSERT INTO approval_grant (id, scope, owner, covers, granted_by, created, expires, uses)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            grant.id,
            grant.scope,
            grant.owner,
            dumps(covers),
            grant.by,
            time(),
            grant.expires,
            grant.uses,
        ),
    )
    body: dict[str, object] = {
        "decision": decision,
        "scope": grant.scope,
        "owner": grant.owner,
        "by": grant.by,
        "covers": covers,
    }
    body |= {"expires": grant.expires, "uses": grant.uses}
    extend(connection, "grant", grant.id, body, session)


def grant_of(row: tuple[Any, ...]) -> Grant:
    """Return a grant from id, scope, owner, covers, by, expires, uses."""
    return Grant(
        row[0], row[1], row[2], tuple([cover_of(cover) for cover in loads(row[3])]), *row[4:7]
    )


def cover_of(data: Mapping[str, Any]) -> Cover:
    """Return a cover from plain data."""
    from interlock.model.action import Action

    floor = Action.of(data["floor"]) if "floor" in data else ALLOW
    return Cover(
        **{
            **data,
            "traits": tuple(data.get("traits", ())),
            "only": tuple(data.get("only", ())),
            "floor": floor,
        }
    )


def settle_decision(decision: Decision, by: str, action: Action = ALLOW) -> Decision:
    """Return the decision with all that asks settled, and met what was asked about: the approver's
    duty, and what the call now runs without.

    ``action``: what stands of it; a warning says that nobody looked, so nothing else is met.
    """
    stands = Settled(action, by)

    def one(finding: Finding) -> Finding:
        return finding.replace(settled=stands) if REVIEW <= finding.effective <= ASK else finding

    duties = tuple(
        [
            duty if duty.met or action > ALLOW or duty.name == NOTIFY else duty.replace(met=by)
            for duty in decision.obligations
        ]
    )
    return decision.replace(
        findings=tuple([one(finding) for finding in decision.findings]), obligations=duties
    )


# -- spending, within one transaction --------------------------------------------------------------


def _spend_once(connection: Connection, matter: ApprovalCase, digest: str) -> str:
    from interlock.approvals import requests

    now = time()
    requests.expire(connection, now, matter.call.session)
    found = requests.select(
        connection,
        "session_id = ? AND digest = ? AND state = 'granted'",
        (matter.call.session, digest),
    )
    if not found or not requests.move(
        connection,
        found[0],
        requests.SPENT,
        now,
        {"by": found[0].by, "spent_by": matter.decision.id},
    ):
        return ""
    return f"{found[0].by} ({found[0].id})"


def _spend_uses(connection: Connection, matter: ApprovalCase, grants: list[Grant]) -> None:
    for grant in grants:
        sql = (
            "UPDATE approval_grant SET uses = uses - 1 WHERE id = ? AND uses > 0 AND revoked = 0"
            " AND expires > ?"
        )
        if connection.execute(sql, (grant.id, time())).rowcount != 1:
            raise AlreadySpentError(grant.id)
        extend(
            connection,
            "grant-used",
            grant.id,
            {"decision": matter.decision.id, "by": grant.by},
            matter.call.session,
        )
