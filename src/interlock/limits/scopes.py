"""Whom a limit counts for, and which calls: a session, an agent with those above it, a user, a
tenant; a class of tools.
"""

from __future__ import annotations

from interlock.model.call import ToolCall
from interlock.model.effect import Reading
from interlock.model.limits import AGENT, ALL, CLASSES, NAMED, SESSION, SHARED, TENANT, USER
from interlock.store.protocol import Connection

MOST_ABOVE = 32
"""Agents above an agent that are looked for, beside the session's own."""


def session(name: str) -> str:
    """Return the scope of a session."""
    return f"session:{name}"


def agent(session_id: str, agent_id: str) -> str:
    """Return the scope of an agent within a session; the agent ``""`` talks to the person."""
    return f"agent:{session_id}/{agent_id}"


def guard(session_id: str) -> str:
    """Return the scope of what the guard's own model used for a session, in no agent's budget."""
    return f"guard:{session_id}"


class Scopes:
    """The scopes of one call. ``above``: the scopes of its agent and of all above it, the nearest
    first, down to the session's own agent.
    """

    def __init__(self, call: ToolCall, above: list[str]) -> None:
        self.session = session(call.session)
        self.above = above
        self.user = f"user:{call.user}"
        self.tenant = f"tenant:{call.tenant}"

    def of(self, per: str) -> str:
        """Return the one scope that a rate counts for."""
        if per == SESSION:
            return self.session
        if per == AGENT:
            return self.above[0]
        if per in SHARED:
            return f"{per}:"
        return self.tenant if per == TENANT else self.user

    def budget_scopes(self, per: str) -> list[str]:
        """Return the scopes that a budget holds for: of agents all above too, so that none can
        spend what those above it have not.
        """
        return self.above if per == AGENT else [self.of(per)]

    def counted(self, per: frozenset[str]) -> list[str]:
        """Return the scopes for which usage is counted: those that budgets hold for, the session,
        and what has a name and can be shown.
        """
        agents = self.above if AGENT in per else self.above[:-1]
        user = [self.user] if USER in per or self.user != f"{USER}:" else []
        return [
            self.session,
            *agents,
            *user,
            *([self.tenant] if TENANT in per or self.tenant != f"{TENANT}:" else []),
        ]

    @property
    def all(self) -> list[str]:
        """Every scope of the call."""
        return [self.session, *self.above, self.user, self.tenant]


def scopes(connection: Connection, call: ToolCall) -> Scopes:
    """Return the scopes of a call, and remember who started its agent."""
    if call.agent_id:
        connection.execute(
            "INSERT OR IGNORE INTO agent (session_id, agent_id, parent_id) VALUES (?, ?, ?)",
            (call.session, call.agent_id, call.parent_id),
        )
    above, agent_id, own = (
        [agent(call.session, call.agent_id)],
        call.agent_id,
        agent(call.session, ""),
    )
    while agent_id and len(above) < MOST_ABOVE:
        row = connection.execute(
            "SELECT parent_id FROM agent WHERE session_id = ? AND agent_id = ?",
            (call.session, agent_id),
        ).fetchone()
        agent_id = row[0] if row is not None and agent(call.session, row[0]) not in above else ""
        above.append(agent(call.session, agent_id))
    return Scopes(call, above if above[-1] == own else [*above, own])


def concerns(tools: str, call: ToolCall, reading: Reading) -> bool:
    """Tell whether a call is in a class of tools."""
    if tools == ALL:
        return True
    if tools.startswith(NAMED):
        return call.name == tools.removeprefix(NAMED)
    row = next(known for known in CLASSES if known.name == tools)
    return call.tool in row.tools or any(effect.kind in row.kinds for effect in reading.effects)


def describe_scope(scope: str) -> str:
    """Return a scope in words: ``this session``, ``this agent``, ``the user alice``."""
    kind, _, name = scope.partition(":")
    if kind in (SESSION, AGENT):
        return f"this {kind}"
    if kind in SHARED:
        return f"the {kind}"
    return f"the {kind} {name}" if name else f"all {kind}s without a name"
