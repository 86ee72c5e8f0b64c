"""Which machines take a policy: what the signed document says of that, and how a machine tells by
itself. Pure, and the same on both sides.

The document names two policies: the newest, with how far it goes, and the one before it, which
everybody else has. Whether a machine is meant depends on the document and its own name alone, so
it is no server's opinion and holds without a network.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from interlock.model.jsontext import whole
from interlock.model.record import Record
from interlock.wire.policy_state import MOST_BUNDLE

NEWEST, BEFORE = "policy.yaml", "before.yaml"
"""The names of the two policies in the repository."""
WHOLE = 1000
"""Of so many parts of a fleet, how many a stage is told in."""
PLAN = (10, 100, 500, WHOLE)
"""The stages of a rollout, where nothing else is said."""
MOST_MACHINES = 1000
MOST_PERCENT = 10_000


class RolloutError(ValueError):
    """What is signed says something else than how far a policy goes; one sentence says what."""


class Gates(Record):
    """What holds a stage: ``asks`` and ``denies``: more of a hundred calls than before, in percent
    of what it was; ``errors``: machines on which it does not load.
    """

    asks: int = 50
    denies: int = 50
    errors: int = 1


class Rollout(Record):
    """How far a policy goes. ``bundle``: its number, ``before`` that of the policy of all others, 0
    where there is none; ``permille``: the share of machines, drawn with ``salt``; ``machines``:
    those that have it whatever their share is; ``plan``: the stages that follow each other.
    """

    bundle: int
    before: int = 0
    salt: str = ""
    permille: int = WHOLE
    machines: tuple[str, ...] = ()
    plan: tuple[int, ...] = PLAN
    gates: Gates = Gates()

    @property
    def whole(self) -> bool:
        """Whether every machine has it."""
        return self.permille >= WHOLE

    @property
    def next(self) -> int:
        """The stage behind this one."""
        return next((one for one in self.plan if one > self.permille), WHOLE)


def share_of(salt: str, machine: str) -> int:
    """Return the place of a machine among ``WHOLE``: a stage that goes so far does not mean it,
    every larger one does.
    """
    text = f"{salt}\n{machine}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") % WHOLE


def is_meant(rollout: Rollout, machine: str) -> bool:
    """Tell whether a machine is to have the newest policy."""
    return machine in rollout.machines or share_of(rollout.salt, machine) < rollout.permille


def choose(rollout: Rollout, machine: str, have: int) -> str:
    """Return the name of the policy that a machine is to have; empty: the one that it has, whose
    number is ``have``. None is ever left for an older one.
    """
    if is_meant(rollout, machine):
        return NEWEST if rollout.bundle >= have else ""
    return BEFORE if rollout.before and rollout.before >= have else ""


def plain(rollout: Rollout) -> dict[str, object]:
    """Return what is signed of it, as plain data."""
    said = {name: getattr(rollout, name) for name in Rollout.fields}
    gates = {name: getattr(rollout.gates, name) for name in Gates.fields}
    return {**said, "machines": [*rollout.machines], "plan": [*rollout.plan], "gates": gates}


def rollout_of(given: object) -> Rollout:
    """Return what plain data says; raises ``RolloutError``."""
    if not isinstance(given, dict):
        raise RolloutError("it does not say how far the policy goes")
    gates = given.get("gates", {})
    if not isinstance(gates, dict):
        raise RolloutError("its gates are none")
    found = Rollout(
        _number(given, "bundle", 1, MOST_BUNDLE), _number(given, "before", 0, MOST_BUNDLE),
        _text(given, "salt"), _number(given, "permille", 0, WHOLE),
        tuple(map(str, _list(given, "machines", str, MOST_MACHINES))),
        tuple(_list(given, "plan", int, WHOLE)),
        Gates(*[_number(gates, name, 0, MOST_PERCENT) for name in Gates.fields]),
    )  # fmt: skip
    if found.before >= found.bundle:
        raise RolloutError(f"bundle {found.bundle} does not follow bundle {found.before}")
    return found


def _number(given: dict[Any, Any], name: str, least: int, most: int) -> int:
    found = whole(given.get(name))
    if found is None or not least <= found <= most:
        raise RolloutError(f"its `{name}` is no number from {least} to {most}")
    return found


def _text(given: dict[Any, Any], name: str) -> str:
    found = given.get(name)
    if not isinstance(found, str):
        raise RolloutError(f"its `{name}` is no text")
    return found


def _list(given: dict[Any, Any], name: str, kind: type, most: int) -> list[Any]:
    found = given.get(name)
    right = isinstance(found, list) and len(found) <= most
    if not right or not all(type(one) is kind for one in found or ()):
        raise RolloutError(f"its `{name}` is no list of {most} at most")
    return list(found or ())
