"""The rows that the service keeps, as records. Times are UTC as they sort,
``2026-01-31T23:59:59.123Z``; secrets are kept as SHA-256 in hex, never themselves.
"""

from __future__ import annotations

from interlock.model.record import Record
from interlock.store.schema import Value
from interlock.wire.orders import ResumeOrder, StopOrder

CALLER = "caller"
"""The platform of what is no machine: a program that asks for decisions by an API token."""


class Machine(Record):
    """An enrolled computer or runner, or a ``CALLER``. ``seen``: when it last said anything,
    ``head``: the last event that it has itself; ``retired``: from when on its credential counts no
    more, empty while it does; ``team`` and ``owner`` (a person): those that its token was made for,
    empty where it was made for none.
    """

    id: str
    name: str
    platform: str
    version: str
    secret: str
    enrolled: str
    seen: str = ""
    retired: str = ""
    head: int = 0
    team: str = ""
    owner: str = ""


class EnrolmentTokenRow(Record):
    """What enrols machines (``enrolment``). ``secret``: as SHA-256; ``uses``: how often it still
    does; ``team`` and ``owner``: of the machines that it enrols.
    """

    secret: str
    uses: int
    expires: str
    team: str = ""
    owner: str = ""


class Check(Record):
    """What a machine said of its guard. ``kind``: doctor or status; ``rows``: as JSON."""

    machine: str
    kind: str
    at: str
    rows: str


class Chain(Record):
    """One store's record. ``first``: the number of its first event that is kept here, ``base`` the
    hash before that; ``continues``: the chain that it goes on from.
    """

    id: str
    machine: str
    first: int
    base: str = ""
    continues: str = ""


MAIN = 0
FORK, CLONE = "fork", "clone"


class Branch(Record):
    """A way along a chain; the first is ``MAIN``. It leaves ``parent`` behind the event ``left``,
    and ``base`` is the hash that its own first event follows from; ``seq`` and ``hash`` are its
    last event's.

    ``kind``: empty for the main one, ``fork`` where the record was written anew from there,
    ``clone`` where both ways went on growing. ``since``: when it began, ``grown``: when it last
    grew.
    """

    chain: str
    number: int
    parent: int
    left: int
    base: str
    seq: int
    hash: str
    kind: str
    since: str
    grown: str


class EventRow(Record):
    """One event that is kept. ``fields``: from ``seq`` to ``body``; ``row``: as
    ``wire.batch.Line``; ``id``: in the order of arrival.
    """

    id: int
    chain: str
    branch: int
    fields: tuple[Value, ...]
    hash: str
    row: tuple[Value, ...] | None


class ChainProblem(Record):
    """Something wrong with a chain, told to people. ``kind``: changed, removed, fork, clone or
    cut.
    """

    chain: str
    branch: int
    seq: int
    kind: str
    said: str
    at: str


class Root(Record):
    """The state of all chains at the end of a minute (``2026-01-31T23:59``). ``heads``: those that
    grew since the root before, as JSON; ``hash``: over that and the root before.
    """

    minute: str
    hash: str
    heads: str


LINK, PASSWORD, SECOND = "link", "password", "second"
"""How much a visit began with: a link that works once, a password, a second factor as well."""
PASSKEY = "passkey:"
"""What the kind of a passkey begins with; its id stands behind it."""


class Person(Record):
    """Somebody who may sign in. ``name``: theirs for ever, and nobody else's after them;
    ``ended``: from when on they may not any more, empty while they may; ``subject``: who they are
    to the provider that they sign in with, empty where they sign in here.
    """

    name: str
    shown: str
    made: str
    ended: str = ""
    subject: str = ""


class Membership(Record):
    """A role that a person holds. ``name``: what for, of an approver; ``by``: who gave it."""

    person: str
    role: str
    name: str
    by: str
    at: str


class Credential(Record):
    """What a person signs in with, one of each kind: ``password`` (argon2id), ``totp`` (sealed) or
    ``passkey:ID`` (a public key). ``last``: the last step of the clock whose code was used, so that
    no code counts twice; a passkey's counter.
    """

    person: str
    kind: str
    value: str
    made: str
    last: int = 0


class Link(Record):
    """A link that works once. ``token``: SHA-256 of its secret; ``kind``: what it does."""

    token: str
    person: str
    kind: str
    expires: str


class Visit(Record):
    """A person's visit to the console (``web_session``). ``token``: SHA-256 of the cookie;
    ``proof``: what a form has to bring along; ``expires``: UTC; ``seen``: when it was last used;
    ``strength``: what it began with; ``proved``: when a second factor was last shown, empty where
    none was.
    """

    token: str
    proof: str
    person: str
    made: str
    expires: str
    seen: str
    strength: str = LINK
    proved: str = ""


class ApiToken(Record):
    """A program's credential, which acts for a person with one role of theirs. ``secret``: a keyed
    hash; ``ended``: from when on it counts no more, empty while it does.
    """

    id: str
    secret: str
    person: str
    role: str
    said: str
    made: str
    expires: str
    ended: str = ""


class StopRow(Record):
    """A stop, as it was signed. ``lifted``: the epoch of its resumption, 0 while it stands."""

    epoch: int
    place: str
    scope: str
    why: str
    by: str
    at: str
    signature: str
    lifted: int = 0
    lifted_by: str = ""
    lifted_at: str = ""
    lifted_signature: str = ""

    @property
    def order(self) -> StopOrder:
        """Return what machines are told."""
        return StopOrder(*[getattr(self, name) for name in StopOrder.fields])

    @property
    def resumption(self) -> ResumeOrder:
        """Return what machines are told once it is lifted."""
        return ResumeOrder(
            self.lifted, self.epoch, self.lifted_by, self.lifted_at, self.lifted_signature
        )


class StopConfirmation(Record):
    """What a machine reported of a stop, or of a resumption (by its own epoch). ``done``: its flag
    stands *and* processes were ended; ``ended``: how many, ``survivors`` and ``problems``: lines;
    ``freed``: who lifted it there without the service.
    """

    epoch: int
    machine: str
    at: str
    done: bool
    ended: int = 0
    survivors: str = ""
    problems: str = ""
    freed: str = ""


class RequestRow(Record):
    """A request of a machine. ``shown`` and ``roles``: as JSON; ``state``: as the machine's own
    store has it; ``by``: who settled it, ``settled`` when; ``reminded``: the last part of its time,
    in percent, at which people were reminded; ``fleet``: what its call is on every machine, hashed
    with the service's key, empty where the yes counts on this one alone.
    """

    machine: str
    id: str
    chain: str
    digest: str
    decision: str
    session: str
    project: str
    requester: str
    agent: str
    shown: str
    roles: str
    quorum: int
    second_person: bool
    seconds: int
    at: str
    expires: str
    state: str
    by: str = ""
    settled: str = ""
    reason: str = ""
    reminded: int = 0
    fleet: str = ""


class VoteRow(Record):
    """One person's answer to a request. ``roles``: those it is given in, as JSON."""

    machine: str
    request: str
    person: str
    roles: str
    yes: bool
    at: str
    uses: int = 1


class Claim(Record):
    """A yes that one chain may have. ``chain`` and ``holder``: who has it, empty while nobody
    does; ``expires``: UTC. One that another machine's request got has that one's name as its
    holder: ``MACHINE/REQUEST``.
    """

    machine: str
    request: str
    by: str
    expires: str
    chain: str = ""
    holder: str = ""
    at: str = ""
    giver: str = ""


class UseGrant(Record):
    """A yes that counts several times, on all machines together: the request that people answered,
    what its call is everywhere; ``uses``: how often it counts, ``spare``: how many of them no
    machine has yet, beside the one of that request.
    """

    machine: str
    request: str
    fleet: str
    uses: int
    spare: int
    by: str
    expires: str


class WebHook(Record):
    """A web hook. ``private``: its address may be one that only this network knows; ``ended``: from
    when on it is told nothing more, empty while it is.
    """

    id: str
    url: str
    private: bool
    made: str
    ended: str = ""


DUE, DELIVERED, FAILED = "due", "delivered", "failed"


class Delivery(Record):
    """What a web hook is to be told. ``body``: as JSON; ``due``: when it is tried next, UTC;
    ``said``: why it was not taken.
    """

    id: str
    hook: str
    kind: str
    body: str
    at: str
    due: str
    tries: int = 0
    state: str = DUE
    said: str = ""


OUT = -1


class SharedUseRow(Record):
    """What was used of a limit that machines share. ``scope``: who shares it; ``what``: what is
    counted; ``kind``, ``most``, ``each``, ``every``: as whoever asked last has the limit; ``used``:
    of a budget, leases that are out among it; ``since``: when its period began; ``paid``: when all
    of a rate is paid off; ``seen``: when it was asked for. Times in microseconds.
    """

    scope: str
    what: str
    kind: str
    most: int
    each: int
    every: int
    since: int
    used: int
    paid: int
    seen: int


class LeaseRow(Record):
    """A part of a shared limit that a machine may use up by itself. ``used``: ``OUT`` until that is
    told; ``until``: when the machine's time ends, ``gone``: when it counts no more; ``hold``:
    seconds for which a place stays taken. Times in microseconds.
    """

    machine: str
    id: str
    scope: str
    what: str
    amount: int
    used: int
    until: int
    gone: int
    hold: int = 0


class BundleRow(Record):
    """A policy for the fleet. ``content``: its text, ``hash``: that text's SHA-256; ``cases``:
    those that it passed; ``by`` whom and ``at`` when it was proposed, ``published``: from when on
    machines were told of it, empty while it waits for signatures.
    """

    number: int
    hash: str
    content: str
    cases: str
    by: str
    at: str
    published: str = ""


class TrialRow(Record):
    """What came of trying a policy. ``hash``: of its text; ``report``: as JSON."""

    hash: str
    cases: str
    by: str
    at: str
    report: str


class Destination(Record):
    """Where the record is exported to. ``kind``: which form it has there and how it gets there;
    ``sealed``: what it is authorized with, sealed, empty without; ``authority``: certificates in
    PEM that vouch for it, empty for those of the system; ``private``: its address may be one that
    only this network knows; ``ended``: from when on nothing goes there, empty while it does.
    """

    id: str
    kind: str
    url: str
    private: bool
    sealed: str
    authority: str
    made: str
    ended: str = ""


REFUSED = "it refuses "
"""Begins what is said of a destination that refuses an event."""


class ExportCursor(Record):
    """How far a destination has the record, by numbers of arrival. ``position``: the last event
    that it took; ``through``: the last one of what is under way, ``position`` where nothing is;
    ``sent``: how many it took; ``taken``: when it last took any.

    ``tries``: how often what is under way was not taken, ``said`` why, ``failing`` since when;
    ``due``: when it is tried next. ``holder``: who sends there, ``until`` when nobody else does.
    """

    destination: str
    position: int
    through: int
    sent: int = 0
    taken: str = ""
    tries: int = 0
    said: str = ""
    failing: str = ""
    due: str = ""
    holder: str = ""
    until: str = ""

    @property
    def refused(self) -> bool:
        """Whether it refuses an event, which a person may pass over: nobody passes over what merely
        does not get there.
        """
        return self.said.startswith(REFUSED)
