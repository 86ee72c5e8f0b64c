"""Texts that are commands or statements, handed to functions that nobody described:
``BashOperator(bash_command="..")``, ``run_in_shell("..")``, ``spark.sql("DROP TABLE t")``.

The name of the function or of the argument says that it is run, and the text begins with a program
that may do more than build and test, or like a statement that loses something. Neither alone says
anything.
"""

from __future__ import annotations

from interlock.data.words import values
from interlock.effects.foreign.unknown_calls import starts_programs
from interlock.effects.python.call import PyCall
from interlock.effects.python.values import PyValue, is_text, text_of
from interlock.effects.server_statements import begins
from interlock.effects.settingstext import begins_command, is_line, names_command
from interlock.effects.sql import read_text
from interlock.effects.verb_words import parts
from interlock.model.effect import ChangesDatabase

MAX_TEXTS = 64


def read_handed(call: PyCall) -> None:
    """Add what texts do that a call hands to somebody who runs them."""
    if call.program.idling:
        return
    for name, thing in call.keywords.items():
        for text in _texts(thing) if names_command(name) else []:
            if is_line(text):
                call.shell(PyValue(text, thing.labels, thing.why))
    if starts_programs(parts(call.method.rstrip("!?"))):
        for thing in call.run.context.limit(call.arguments, MAX_TEXTS, "arguments"):
            for text in _texts(thing):
                if begins_command(text):
                    _read(call, PyValue(text, thing.labels, thing.why))
    _read_statements(call)


def _read_statements(call: PyCall) -> None:
    """Read what is handed to a database as statements: by the name of the function, or of what it
    is given.
    """
    takes = not _TAKE_STATEMENTS.isdisjoint(parts(call.method))
    given = [*call.arguments] if takes else []
    given += [
        thing
        for name, thing in call.keywords.items()
        if not _TAKE_STATEMENTS.isdisjoint(parts(name))
    ]
    for thing in call.run.context.limit(given, MAX_TEXTS, "arguments"):
        text = text_of(thing) if is_text(thing.value) else _first_of(thing)
        if text.lower() in _LINES:
            call.effect(ChangesDatabase, text.lower(), _LINES[text.lower()])
        elif begins(text):
            read_text(call.run.context, text, call.by, call.program.span(call.node))


def _first_of(thing: PyValue) -> str:
    """Return the first word of a list of words, as clients of Redis take an order."""
    words = thing.value[:1] if isinstance(thing.value, list) else []
    return text_of(words[0]) if words and is_text(words[0].value) else ""


_LINES = values("spoken", "lines")
"""Orders of Redis and memcached that lose something."""
_TAKE_STATEMENTS = frozenset(
    "sql query queries execute exec statement statements run command raw cypher cql ddl dml stmt"
    " submit".split()
)
"""Parts of the names of functions and arguments that hand statements to a database."""


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
