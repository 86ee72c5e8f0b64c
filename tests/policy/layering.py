"""What tests of policy files share: a text in, its layers or the merged policy out, with real
readings and the home /home/user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.effects.read import read as read_call
from interlock.facts import Recorded
from interlock.policy import older
from interlock.policy.builtin import builtin
from interlock.policy.compile import compile_layer
from interlock.policy.merge import MergedPolicy, merge
from interlock.policy.plugins import guard
from interlock.policy.problem import PolicyError
from interlock.policy.reading import read, read_guard
from interlock.policy.schema import ORGANISATION, PROJECT
from interlock.policy.source import PolicySource
from tests.judging import decided, example, shell

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.call import ToolCall
    from interlock.model.effect import Reading
    from interlock.model.policy import Policy
    from interlock.model.rule import Call, Rule
    from interlock.policy.layer import Layer

HOME = "/home/user"


def reader(of: str | Call) -> tuple[ToolCall, Reading]:
    """Read an example as a call."""
    call = example(of)
    return call, read_call(call, Recorded(HOME))


def layers(
    text: str,
    name: str = ORGANISATION,
    *,
    loosens: bool | None = None,
    known: dict[str, Rule] | None = None,
) -> tuple[Layer, ...]:
    """Return the layers of a file; raises ``PolicyError`` with its errors."""
    section, problems = read(text.encode(), f"{name}.yaml", name)
    rules = known if known is not None else {rule.id: rule for rule in builtin().rules}
    source = PolicySource(
        name,
        f"{name}.yaml",
        HOME,
        rules,
        reader,
        problems,
        name != PROJECT if loosens is None else loosens,
    )
    found = (
        older.compile_layers(section, source)
        if section.get("version") == "1.0"
        else (compile_layer(section, source),)
    )
    if problems.broken:
        raise PolicyError(problems.found)
    return found


def guards(path: Path) -> Layer:
    """Return the layer of a plugin's guard; raises ``PolicyError`` with its errors."""
    section, problems = read_guard(path.read_bytes(), str(path), PROJECT)
    found = guard(section, PolicySource(PROJECT, str(path), HOME, {}, reader, problems))
    if problems.broken:
        raise PolicyError(problems.found)
    return found


def merged(*some: Layer, today: str = "2026-11-21") -> MergedPolicy:
    """Return the built-in rules with some layers over them."""
    return merge(builtin(), some, today)


def policy(text: str, name: str = ORGANISATION, *, loosens: bool | None = None) -> Policy:
    """Return the policy of one file alone."""
    return merged(*layers(f"version: 1\n{text}", name, loosens=loosens)).policy


def answer(command: str, by: Policy) -> str:
    """Return the answer to a shell command: ``allow``, ``warn``, ``ask`` or ``deny``."""
    decision = decided(shell(command), by)
    return "warn" if decision.warned else str(decision.verdict)


def wrong(text: str, name: str = ORGANISATION) -> str:
    """Return what is said of a file that is wrong, all of it as one text; ``""`` where nothing
    is.
    """
    try:
        layers(f"version: 1\n{text}", name)
    except PolicyError as error:
        return str(error)
    return ""
