"""Which machine has which policy, by its own word."""

from __future__ import annotations

from interlock.model.jsontext import JsonError, loads
from interlock.service.store.protocol import ServiceReader
from interlock.wire.policy_state import PolicyState, state_of

KIND = "policy"
"""The kind of check that a machine says it with."""


class PolicyReport(PolicyState):
    """What one machine said. ``chains``: its record's, ``at``: when it said so."""

    machine: str = ""
    name: str = ""
    at: str = ""
    chains: tuple[str, ...] = ()


def read_reports(known: ServiceReader) -> list[PolicyReport]:
    """Return what each machine last said that is not retired."""
    chains: dict[str, list[str]] = {}
    for chain in known.chains():
        chains.setdefault(chain.machine, []).append(chain.id)
    found = []
    for machine in known.machines():
        state = None if machine.retired else read_state(known, machine.id)
        if state is not None:
            said = {name: getattr(state[0], name) for name in PolicyState.fields}
            own = tuple(chains.get(machine.id, ()))
            found.append(
                PolicyReport(**said, machine=machine.id, name=machine.name, at=state[1], chains=own)
            )
    return found


def read_state(known: ServiceReader, machine: str) -> tuple[PolicyState, str] | None:
    """Return what a machine last said of its policy, and when. A text that was never published
    under its number is drift, whatever the machine says.
    """
    for check in known.checks(machine):
        if check.kind == KIND:
            state = _parse_state(check.rows)
            if state is None:
                return None
            right = known.bundle(state.bundle) if state.bundle else None
            if right is not None and right.hash != state.hash:
                state = state.replace(drift=f"it has another text than bundle {right.number} is")
            return state, check.at
    return None


def _parse_state(text: str) -> PolicyState | None:
    try:
        given = loads(text)
    except JsonError:
        return None
    return state_of(given) if isinstance(given, dict) else None
