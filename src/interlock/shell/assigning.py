"""Assignments: ``name=value``, ``name+=value``, ``name[subscript]=value``, ``name=(words)`` (bash
manual 3.4, 6.7).
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.shell.api import ShellWalk
from interlock.shell.execution import Execution
from interlock.shell.expand import fields, single
from interlock.shell.numbers import calculate
from interlock.shell.tree import Assignment, Word
from interlock.shell.value import Choice, Value


def assign(nodes: Sequence[Assignment], execution: Execution, walker: ShellWalk) -> None:
    """Set variables, or note what a command is started with."""
    for node in nodes:
        if node.array is not None:
            _array(node, walker)
            if node.name == "PROMPT_COMMAND":  # bash runs every element
                texts = [item.text for item in walker.state.arrays[node.name]]
                execution.prefix.append((node.name, Value("\n".join(texts), node.start, node.end)))
            continue
        value = _one_of(node, walker)
        if node.name in walker.state.integers:
            calculate(value.text, walker)
        if node.subscript is not None:
            _element(node.name, node.subscript, value, walker)
        elif execution.argv:
            execution.prefix.append((node.name, value))
        else:
            walker.state.assign(node.name, value, append=node.append)
            execution.prefix.append((node.name, value))


def _one_of(node: Assignment, walker: ShellWalk) -> Value:
    """Return what is assigned; of a word that is one of a few texts, which."""
    held, walker.choices = walker.choices, 0
    value = single(node.value, walker, assigned=True)
    count, walker.choices = walker.choices, held
    if not count or walker.at.choice is not None:
        return Value(value.text, value.start, value.end, value.why, value.pattern)
    texts = []
    for choice in range(count):
        with walker.within(choice=choice):
            texts.append(single(node.value, walker, assigned=True).text)
    return Choice(tuple(texts), value.start, value.end, value.why)


def _array(node: Assignment, walker: ShellWalk) -> None:
    """``name=(words)``, ``name+=([subscript]=word ..)``."""
    state = walker.state
    before = (
        state.lookup(node.name)
        if node.append and node.name not in state.arrays and node.name in state.variables
        else None
    )
    items = (
        list(state.arrays.get(node.name, [] if before is None else [before])) if node.append else []
    )
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


def _element(name: str, subscript: Word, value: Value, walker: ShellWalk) -> None:
    """``name[subscript]=value``; bash keeps its aliases, the places of commands and the stack of
    folders in such.
    """
    if name in ("BASH_ALIASES", "BASH_CMDS"):
        walker.state.aliases[single(subscript, walker).text] = value.text
        return
    at = walker.state.position(
        name, single(subscript, walker), lambda text: calculate(text, walker), new=True
    )
    if name == "DIRSTACK":
        stack = list(walker.state.stack)
        walker.state.stack = tuple(
            [
                value.text if at in (None, place) and value.known else None if at is None else old
                for place, old in enumerate(stack, 1)
            ]
        )
    walker.state.put(name, at, value)
