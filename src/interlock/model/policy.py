"""``Policy``: the merged, frozen whole that a call is judged by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, Self

from interlock.model.action import ALLOW, Action
from interlock.model.effect import Effect, Reading
from interlock.model.limits import Limits
from interlock.model.record import Record
from interlock.model.rule import Rule


class Rules(Protocol):
    """Rules by their places in the order."""

    def __getitem__(self, place: int, /) -> Rule: ...


class ByKind(Protocol):
    """What finds the rules that could match (``engine.candidates.Index``)."""

    rules: Rules

    def has(self, kind: str) -> bool:
        """Tell whether there are rules of a kind of effect; under ``""`` those of words are."""

    def get(self, kind: str, default: tuple[Rule, ...] = ()) -> tuple[Rule, ...]:
        """Return all rules of a kind."""

    def among(self, effect: Effect, roots: tuple[str, ...]) -> Sequence[int]:
        """Return the places of those that could match an effect."""

    def under(self, kind: str, paths: Iterable[str], roots: tuple[str, ...]) -> Sequence[int]:
        """Return the places of those of a kind that some path could fit."""

    def spoken(self, reading: Reading) -> Sequence[int]:
        """Return the places of those of words that could speak of a reading."""


class Approving(Record):
    """How people are asked, in seconds and numbers.

    ``seconds``: how long a request waits for an answer, and then for the call that spends it, where
    its rules say nothing. ``session_seconds``, ``project_seconds`` and ``uses``: how long and how
    often a grant counts. ``most_pending``: requests of one session that may wait at once.
    ``token_always``: an approval needs the person's token even at a terminal.
    """

    seconds: int = 300
    session_seconds: int = 12 * 3600
    project_seconds: int = 30 * 86400
    uses: int = 100
    most_pending: int = 50
    token_always: bool = False


RUN, ASK_FIRST = "run", "ask"
"""What becomes of a call whose whole loss a checkpoint brings back: it runs, or is asked about."""


class Checkpointing(Record):
    """How checkpoints are used and kept. ``loss``: one of the two words above. ``days`` and
    ``megabytes``: how old and how large they may get.
    """

    loss: str = RUN
    days: int = 14
    megabytes: int = 2048


READ_ONLY, IN_WORKSPACE, WITH_NETWORK = SCOPES = ("read-only", "workspace", "workspace+network")
"""What may be lent to an agent without a question, the least first."""
PASS, APPROVE = "pass", "approve"
"""What becomes of a call that is proven harmless: the client asks as it always does, or its
question is answered with yes.
"""


class Stopping(Record):
    """When a session is stopped by itself, until a person resumes it. 0 and nothing: never for
    that.

    ``repeats``: the same call came so many times in a row. ``refused_goals``: it reached so many
    times for what it was refused before. ``denials``, ``calls``: so many calls were denied, or made
    at all, within so many seconds, in pairs.
    ``rules``, ``tags``: one of these rules spoke, or one with such a tag. ``kill``: its processes
    are ended as well.
    """

    repeats: int = 0
    refused_goals: int = 0
    denials: tuple[tuple[int, int], ...] = ()
    calls: tuple[tuple[int, int], ...] = ()
    rules: frozenset[str] = frozenset()
    tags: frozenset[str] = frozenset()
    kill: bool = False


SPOKEN = ("openai-chat", "openai-responses", "anthropic", "gemini")
"""The protocols in which a language model can be asked."""


class Reviewing(Record):
    """The language model that looks at what rules want reviewed.

    ``protocol``: one of ``SPOKEN``. ``url``: where it is asked, or ``""`` for the protocol's own
    place. ``key_file``: the file that holds its key, or ``""`` for none. ``seconds``: how long an
    answer may take, with all that is asked on the way to it.
    ``agent``: it may look closer before it answers (the guard agent): so often at most (``turns``),
    with so many tokens for one call; and an answer counts again for so many seconds (``remember``;
    0: never).
    """

    protocol: str
    model: str
    url: str = ""
    key_file: str = ""
    seconds: int = 8
    agent: bool = False
    turns: int = 4
    tokens: int = 20_000
    remember: int = 86_400


class Named(Record):
    """What lies at some paths of a policy's own: ``paths`` are patterns, ``natures`` what they are
    besides what everybody knows.
    """

    paths: tuple[str, ...]
    natures: frozenset[str]


class Duty(Record):
    """What else has to happen where one of these rules or tags speaks: obligations by name."""

    rules: frozenset[str]
    tags: frozenset[str]
    names: tuple[str, ...]


INTENT_LEVELS = ("off", "warn", "on", "ask")
"""How much a policy makes of calls that do not fit what the person asked for."""


class Policy(Record):
    """Every rule with the action it has after the layers were merged, and the few settings stages
    read.

    ``by_kind``: the same rules by what they could match, or None where nobody made the index yet.
    ``hosts``: host names (and domains) that count as allowed. ``hash`` names this exact policy in
    the audit.
    ``roles``: the roles that somebody holds. A rule's ``approver`` counts only where somebody can
    be that approver; elsewhere the person at the prompt is. ``limits``: rates, budgets and the
    like, or None for none.
    ``intent``: what becomes of calls that do not fit what the person asked for: ``off`` (nothing),
    ``warn`` (a warning at most), ``on`` (as the table of misfits says) or ``ask`` (each is asked
    about).
    ``places``: what paths of its own are. ``roots``: folders that count as the workspace too.
    ``duties``: what else has to happen with a call.
    ``tenant``: whom this machine works for. ``notices``: what every answer has to say, such as a
    rule that could not be read.
    ``broken``: files of which nobody knows all that they say, and why; every call is asked about
    until they are mended.
    ``bound``: some rule speaks of paths by name, which may be those of a call's own workspace.
    ``checkpointing``: how checkpoints are used and kept. ``notify``: by which ways people are told
    (``terminal``, ``desktop``, addresses).
    ``stopping``: when a session is stopped by itself.
    ``proven``: what becomes of a call that is proven harmless (``pass`` or ``approve``);
    ``unproven``: the least that is answered to any other; ``proven_scope``: what counts as
    harmless. ``programs``: those that it describes, by name, each as lines of ``data/programs``.
    ``reviewing``: the language model that is asked where a rule says ``review``, or None: then a
    person is.
    ``redacted``: names of fields, variables and options of one's own whose values are kept out of
    every record, in small letters.
    ``retention_days``: how old records of the audit may get before ``interlock audit prune`` takes
    them away; 0 for any age.
    """

    rules: tuple[Rule, ...]
    by_kind: ByKind | None = None
    profile: str = "default"
    hash: str = ""
    hosts: frozenset[str] = frozenset()
    roles: Mapping[str, frozenset[str]] | None = None
    observe: bool = False
    audit_required: bool = False
    audit_durable: bool = False
    prompts_full: bool = False
    limits: Limits | None = None
    approving: Approving = Approving()
    intent: str = "on"
    places: tuple[Named, ...] = ()
    roots: tuple[str, ...] = ()
    duties: tuple[Duty, ...] = ()
    tenant: str = ""
    notices: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    bound: bool = False
    reviewing: Reviewing | None = None
    retention_days: int = 0
    checkpointing: Checkpointing = Checkpointing()
    notify: tuple[str, ...] = ()
    stopping: Stopping | None = None
    proven: str = PASS
    unproven: Action = ALLOW
    proven_scope: str = IN_WORKSPACE
    programs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    redacted: tuple[str, ...] = ()

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed. The index of other rules is not kept: a rule that
        is not in it would never be tried.
        """
        return super().replace(**({"by_kind": None} | changes if "rules" in changes else changes))
