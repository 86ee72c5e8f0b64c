"""Limits as a policy writes them, and what they count: plain data, all of it off by default.

A limit holds for one session, one agent of a session, one user or one tenant (``per``); a name that
is not known is one like any other, so calls of unknown users share a count. One of a team or of the
organisation is shared by machines: each uses up by itself what their service lends it.
"""

from __future__ import annotations

from interlock.model.call import EDIT, FETCH, MCP, SEARCH, SHELL, TOOLS, WRITE
from interlock.model.effect import Connects, Deletes, Kind, Sends, Writes
from interlock.model.record import Record

SESSION, AGENT, USER, TENANT = "session", "agent", "user", "tenant"
TEAM, ORGANISATION = "team", "organisation"
SHARED = (TEAM, ORGANISATION)
"""Whom machines share a limit for."""
PER = (SESSION, AGENT, USER, TENANT, *SHARED)
SPENT, CONTEXT = "spent", "context"
ALL = "*"
NAMED = "tool:"
"""Before a tool's name as its client says it: ``tool:mcp__db__query``."""


class ToolClass(Record):
    """A class of tools: calls of some tools, and calls of any tool that do such things. A call is
    in it once, however much it does.
    """

    name: str
    tools: tuple[str, ...]
    kinds: tuple[Kind, ...] = ()


CLASSES = (
    ToolClass("bash_commands", (SHELL,)),
    ToolClass("file_writes", (WRITE, EDIT), (Writes, Deletes)),
    ToolClass("api_calls", (FETCH, SEARCH, MCP), (Connects, Sends)),
    *[ToolClass(tool, (tool,)) for tool in TOOLS],
)
"""What ``tools`` of a limit may name, beside ``*`` and ``tool:NAME``. The first three are S3's; by
effects, so that ``curl`` is an API call too.
"""


class Rate(Record):
    """At most so many calls in a time: ``60/minute``, ``10/30s``. Answer: throttle (GR-007).

    ``burst``: how many may come at once; 0: as many as the rate's count. In any time of length t at
    most ``burst + t * count / time`` calls pass.
    """

    rate: str
    tools: str = ALL
    per: str = SESSION
    burst: int = 0


class TokenBudget(Record):
    """At most so many tokens: a warning from ``warning`` of them on, and from ``hard`` on the pause
    that only a person lifts (GR-006).

    ``of``: ``spent``, all that was spent; or ``context``, what the calling agent's last request
    held. ``every``: seconds of a period after which the count starts anew, 0 for never. ``cached``:
    what a provider read from its cache counts. ``reserve``: tokens set aside for each call that has
    no outcome yet.
    """

    limit: int
    warning: float = 0.8
    hard: float = 0.95
    per: str = SESSION
    of: str = SPENT
    every: int = 0
    cached: bool = True
    reserve: int = 0


class CostBudget(Record):
    """A person approves each further ``threshold`` of US dollars (GR-010). ``approver``: the role
    that must, where the policy names its holders.

    ``every`` and ``reserve`` (dollars) as for tokens.
    """

    threshold: float
    per: str = SESSION
    every: int = 0
    reserve: float = 0.0
    approver: str = "lead"


class Concurrency(Record):
    """At most so many calls at once, judged, without an outcome. Answer: throttle (GR-007)."""

    most: int
    tools: str = ALL
    per: str = SESSION


class Duration(Record):
    """A session lasts so many seconds from its first call on: a warning from ``warning`` of them
    on, at the end the pause.
    """

    seconds: int
    warning: float = 0.8


class Price(Record):
    """US dollars for a million tokens of a model (its name, or that and a date); ``written`` is
    what writing the provider's cache costs.
    """

    model: str
    input: float
    output: float
    cached: float
    written: float


class Limits(Record):
    """All limits of a policy. ``prices`` go before the built-in ones. ``lease``: seconds after
    which a call without an outcome counts as ended.
    """

    rates: tuple[Rate, ...] = ()
    tokens: tuple[TokenBudget, ...] = ()
    costs: tuple[CostBudget, ...] = ()
    concurrent: tuple[Concurrency, ...] = ()
    durations: tuple[Duration, ...] = ()
    prices: tuple[Price, ...] = ()
    lease: int = 600

    @property
    def shared(self) -> bool:
        """Whether any of them is shared by machines."""
        some: tuple[Rate | TokenBudget | CostBudget | Concurrency, ...]
        some = (*self.rates, *self.tokens, *self.costs, *self.concurrent)
        return any(limit.per in SHARED for limit in some)

    @property
    def budgets(self) -> tuple[TokenBudget | CostBudget, ...]:
        """The limits that need figures of usage."""
        return (*self.tokens, *self.costs)


_UNITS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86400),
}
_MOST = 10**9


def parse_rate(text: str) -> tuple[int, int]:
    """Return a rate's count and seconds; raises ``ValueError`` with one sentence."""
    count, slash, time = text.strip().partition("/")
    time = time.strip()
    number = time.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = time[len(number) :].strip()
    if slash and _whole(count) and (not number or _whole(number)) and unit in _UNITS:
        calls, seconds = int(count), int(number or "1") * _UNITS[unit]
        if 0 < calls < _MOST and 0 < seconds < _MOST:
            return calls, seconds
    raise ValueError(
        f"{text!r} is no rate: write COUNT/TIME, such as 60/minute, 10/30s or 500/2hours"
    )


def _whole(text: str) -> bool:
    text = text.strip()
    return text.isascii() and text.isdigit() and len(text) < 10


def check_limits(limits: Limits) -> Limits:
    """Return the limits; raises ``ValueError`` with one sentence for the first that means nothing:
    a typing error must not switch one off.
    """
    for name in ("rates", "tokens", "costs", "concurrent", "durations", "prices"):
        for number, limit in enumerate(getattr(limits, name)):
            why = _wrong(limit)
            if why:
                raise ValueError(f"limits.{name}[{number}]: {why}")
    if not 0 < limits.lease < _MOST:
        raise ValueError(
            f"limits.lease: it is {limits.lease} seconds, and has to be more than none"
        )
    return limits


def _wrong(limit: Record) -> str:
    found = _wrong_name(limit)
    if found:
        return found
    if isinstance(limit, Rate):
        try:
            count, _ = parse_rate(limit.rate)
        except ValueError as error:
            return str(error)
        return (
            ""
            if 0 <= limit.burst <= count
            else f"a burst of {limit.burst} is not between 0 and the {count} of {limit.rate}"
        )
    if isinstance(limit, TokenBudget) and not 0 < limit.warning <= limit.hard <= 1:
        return (
            f"the warning at {limit.warning} and the end at {limit.hard} are not parts of one, the"
            " first of them the smaller"
        )
    if isinstance(limit, TokenBudget) and limit.of not in (SPENT, CONTEXT):
        return f"of {limit.of!r} is neither {SPENT} nor {CONTEXT}"
    if isinstance(limit, Duration) and not 0 < limit.warning <= 1:
        return f"the warning at {limit.warning} is no part of one"
    return _too_small(limit)


def _wrong_name(limit: Record) -> str:
    per, tools = getattr(limit, "per", SESSION), getattr(limit, "tools", ALL)
    if per not in PER:
        return f"per {per!r} is not one of {', '.join(PER)}"
    if per in SHARED and getattr(limit, "of", SPENT) == CONTEXT:
        return f"what a context holds is one agent's, and no {per} shares it"
    if (
        tools != ALL
        and not tools.startswith(NAMED)
        and tools not in [known.name for known in CLASSES]
    ):
        return (
            f"there is no class of tools {tools!r}; write {ALL},"
            f" {', '.join([known.name for known in CLASSES])}, or {NAMED}NAME"
        )
    return ""


def _too_small(limit: Record) -> str:
    for field in ("limit", "threshold", "most", "seconds"):
        if hasattr(limit, field) and not 0 < getattr(limit, field) < 10**15:
            return f"{field} is {getattr(limit, field)}, and has to be more than none"
    for field in ("every", "reserve", "input", "output", "cached", "written"):
        if not 0 <= getattr(limit, field, 0) < 10**15:
            return f"{field} is {getattr(limit, field)}, and cannot be less than none"
    return ""
