"""Secrets that any program may take away: it is given one, by its words or on standard input, and
another machine to talk to.
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.effects.api import ShellReading
from interlock.effects.connecting import to_host
from interlock.effects.gathering import NOTHING_FOUND, ReadResult
from interlock.effects.host_words import LOOKUPS, address, host_in
from interlock.effects.places import natures
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.model.effect import (
    HERE,
    LOCAL,
    PROJECT_SECRET,
    SECRET,
    Connects,
    Effect,
    Installs,
    Reads,
    Sends,
    Span,
)
from interlock.shell.execution import Execution
from interlock.shell.value import ENVIRONMENT, FILE, OUTPUT, Flow
from interlock.shell.walk import Walker

_READ_CLOSELY = frozenset(
    {"netweb", "netshell", "git", "printing", "text", "filters", "cloud", "wrappers"}
)
"""Families whose readers say by themselves what is sent, and those that only print."""
_PROVING = frozenset({"openssl", "mutt", "docker", "podman"})
"""Programs that prove with a key who asks, or hand variables to what runs here."""
_OPEN = frozenset({SECRET, PROJECT_SECRET})
_POURED = {"secret": "carries-secret", ENVIRONMENT: "carries-environment"}
"""Labels of what stands on standard input, and what a connection carries that it is poured into."""


def read_command(reader: ShellReading[Run], execution: Execution, walker: Walker) -> Flow:
    """Read a command; add that it may send a secret if it holds one and talks to a machine."""
    context = reader.context
    read = context.gather(lambda: reader.program(execution, walker))
    flow = context.take(read)
    if context.where == HERE:
        name = execution.argv[0].text.rpartition("/")[2]
        for look in _LOOKS:
            more = look(reader, execution, walker, name, read.effects)
            if more is not NOTHING_FOUND:
                context.take(more)
                read = read.then(more)
    return flow


def _check_lookup(
    reader: ShellReading[Run],
    execution: Execution,
    walker: Walker,
    name: str,
    effects: Sequence[Effect],
) -> ReadResult:
    """Return that a secret is put into a name that is asked for."""
    del name
    if not any(value.hollow for value in execution.argv[1:]):
        return NOTHING_FOUND
    from interlock.effects.lookups import find_recipient  # few words have a hole

    return _may_send(reader, execution, *find_recipient(reader, execution, walker, effects))


def _check_literal(
    reader: ShellReading[Run],
    execution: Execution,
    walker: Walker,
    name: str,
    effects: Sequence[Effect],
) -> ReadResult:
    """Return that a secret is written out in a name that is asked for."""
    del walker
    if name not in LOOKUPS and not any(effect.kind is Installs for effect in effects):
        return NOTHING_FOUND
    from interlock.effects.lookups import find_literal_secret  # few commands ask for names

    host, value = find_literal_secret(reader, execution, name, effects)
    if value is None:
        return NOTHING_FOUND
    span = Span(execution.text, value.start, value.end)
    return reader.context.gather(
        lambda: to_host(reader.context, Sends, host, span, frozenset({"carries-token"}), name)
    )


def _check_input(
    reader: ShellReading[Run],
    execution: Execution,
    walker: Walker,
    name: str,
    effects: Sequence[Effect],
) -> ReadResult:
    """Return that what stands on standard input may go with a connection that a program opens,
    whatever it speaks: a terminal, a queue, a socket.
    """
    del walker
    if execution.stdin is None or not execution.stdin.labels:
        return NOTHING_FOUND
    labels = execution.stdin.labels
    traits = frozenset({trait for label, trait in _POURED.items() if label in labels})
    if not traits or any(
        effect.kind is Sends and not traits.isdisjoint(effect.traits) for effect in effects
    ):
        return NOTHING_FOUND
    host = next(
        (
            effect.target
            for effect in effects
            if effect.kind is Connects and effect.host != LOCAL and effect.by == name
        ),
        "",
    )
    if not host and programs.find(name) is None:
        host = next((one for value in execution.argv[1:] if (one := host_in(value.text))), "")
    return _may_send(reader, execution, host, traits if host else frozenset())


def _may_send(
    reader: ShellReading[Run], execution: Execution, host: str, traits: frozenset[str]
) -> ReadResult:
    """Return that a command may send something to a host, if it is anything."""
    if not traits:
        return NOTHING_FOUND
    span = Span(execution.text, execution.start, execution.end)
    by = execution.argv[0].text.rpartition("/")[2]
    return reader.context.guess(lambda: to_host(reader.context, Sends, host, span, traits, by))


def _check_words(
    reader: ShellReading[Run],
    execution: Execution,
    walker: Walker,
    name: str,
    effects: Sequence[Effect],
) -> ReadResult:
    """Return that a secret a command was given, as words or a file, may go to its host."""
    del walker
    if name in _PROVING or programs.names().get(name) in _READ_CLOSELY:
        return NOTHING_FOUND
    words = [value for value in execution.argv[1:] if value.hollow and value.why in (OUTPUT, FILE)]
    host = next(
        (
            found
            for value in words
            if (found := address(value)) and "secret" in reader.context.past.labels(reader.written)
        ),
        "",
    )
    if not host:
        hosts = [
            effect.target
            for effect in effects
            if effect.kind is Connects and effect.host != LOCAL and effect.by == name
        ]
        known = programs.find(name) is not None
        named = [
            host_in(value.text) for value in execution.argv[1:] if not known or "://" in value.text
        ]
        host = next((one for one in [*hosts, *named] if one), "")
        if not host:
            return NOTHING_FOUND
        # what stands in a word is handed on like a file
        told = bool(words) and "secret" in reader.context.past.labels(reader.written)
        host = host if host and (told or _is_given(reader, execution, name, effects)) else ""
    sent = any(effect.kind is Sends and "carries-secret" in effect.traits for effect in effects)
    carries = frozenset({"carries-secret"}) if host and not sent else frozenset[str]()
    return _may_send(reader, execution, host, carries)


def _is_given(
    reader: ShellReading[Run], execution: Execution, name: str, effects: Sequence[Effect]
) -> bool:
    """Tell whether a command itself reads a secret: a file."""
    own = [
        effect
        for effect in effects
        if effect.kind is Reads and effect.by == name and "listed" not in effect.traits
    ]
    if any(
        "holds-secret" in effect.traits
        or (effect.place is not None and not _OPEN.isdisjoint(effect.place.natures))
        for effect in own
    ):
        return True
    if programs.find(name) is not None:
        return False
    paths = [
        reader.context.normal(value.text, execution.cwd)
        for value in execution.argv[1:]
        if value.known and value.text[:1] != "-"
    ]
    context = reader.context
    return any(
        path is not None and not _OPEN.isdisjoint(natures(path, context.call.roots, context.home))
        for path in paths
    )


_LOOKS = (_check_input, _check_lookup, _check_literal, _check_words)
"""Ways to take something away, each told what is known of the command so far."""
