"""Assignments: ``name=value``, ``name+=value``, ``name[subscript]=value``, ``name=(words)`` (bash manual 3.4, 6.7)."""

from __future__ import annotations

from interlock.shell.expand import fields, single
from interlock.shell.numbers import reckoned
from interlock.shell.tree import Assignment
from interlock.shell.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.shell.execution import Execution
    from interlock.shell.tree import Word
    from interlock.shell.walk import Walker


def assign(nodes: Sequence[Assignment], execution: Execution, walker: Walker) -> None:
    """Set variables, or note what a command is started with."""
    for node in nodes:
        if node.array is not None:
            _array(node, walker)
            if node.name == "PROMPT_COMMAND":  # bash runs every element
                texts = [item.text for item in walker.state.arrays[node.name]]
                execution.prefix.append((node.name, Value("\n".join(texts), node.start, node.end)))
            continue
        value = single(node.value, walker, assigned=True)
        if node.subscript is not None:
            _element(node.name, node.subscript, value, walker)
        elif execution.argv:
            execution.prefix.append((node.name, value))
        else:
            walker.state.assign(node.name, Value(value.text, value.start, value.end, value.why, value.pattern), append=node.append)
            execution.prefix.append((node.name, value))


def _array(node: Assignment, walker: Walker) -> None:
    """``name=(words)``, ``name+=([subscript]=word ..)``."""
    state = walker.state
    before = state.lookup(node.name) if node.append and node.name not in state.arrays and node.name in state.variables else None
    items = list(state.arrays.get(node.name, [] if before is None else [before])) if node.append else []
    state.variables.pop(node.name, None)
    if not node.append and node.name in state.subscripts:
        state.subscripts = {**state.subscripts, node.name: {}}
    for word in node.array or ():
        if isinstance(word, Assignment) and not word.name and word.subscript is not None:
            state.arrays[node.name] = items
            _element(node.name, word.subscript, single(word.value, walker), walker)
            items = list(state.arrays.get(node.name, []))
        else:
            items.extend(fields(word, walker))
    state.arrays[node.name] = items


def _element(name: str, subscript: Word, value: Value, walker: Walker) -> None:
    """``name[subscript]=value``; ``BASH_ALIASES`` holds the aliases."""
    if name == "BASH_ALIASES":
        walker.state.aliases[single(subscript, walker).text] = value.text
        return
    at = walker.state.position(name, single(subscript, walker), lambda text: reckoned(text, walker), new=True)
    walker.state.put(name, at, value)
