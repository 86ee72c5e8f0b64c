"""Texts that are commands, handed to functions that nobody described: ``BashOperator(bash_command=
"..")``, ``run_in_shell("..")``.

The name of the function or of the argument says that it is run, and the text begins with a program
that may do more than build and test. Neither alone says anything.
"""

from __future__ import annotations

from interlock.effects.foreign.unknown_calls import starts_programs
from interlock.effects.python.call import PyCall
from interlock.effects.python.values import PyValue, is_text, text_of
from interlock.effects.settingstext import begins_command, is_line, names_command
from interlock.effects.verb_words import parts

MAX_TEXTS = 64


def read_handed(call: PyCall) -> None:
    """Add what texts do that a call hands to somebody who runs them."""
    if call.program.idling:
        return
    for name, thing in call.keywords.items():
        for text in _texts(thing) if names_command(name) else []:
            if is_line(text):
                call.shell(PyValue(text, thing.labels, thing.why))
    if starts_programs(parts(call.method)):
        for thing in call.run.context.limit(call.arguments, MAX_TEXTS, "arguments"):
            for text in _texts(thing):
                if begins_command(text):
                    _read(call, PyValue(text, thing.labels, thing.why))


def _read(call: PyCall, line: PyValue) -> None:
    """Read a command that may run as one that does, but for what nobody is sure of."""
    context = call.run.context
    read = context.gather(lambda: call.shell(line))
    context.take(read.each(lambda effect: effect.replace(certain=False)))


def _texts(thing: PyValue) -> list[str]:
    """Return the commands that a thing may be: a text, a list of words, a list of texts."""
    if is_text(thing.value):
        return [text_of(thing)]
    if not isinstance(thing.value, list) or not all(is_text(one.value) for one in thing.value):
        return []
    words = [text_of(one) for one in thing.value]
    return [" ".join(words), *[word for word in words if " " in word]]
