"""Secrets that any program may take away: it is given one, by its words or on standard input, and another machine to talk to."""

from __future__ import annotations

from interlock.effects.contacted import LOOKUPS, MAX_WORDS, address, host_in
from interlock.effects.places import natures
from interlock.effects.programs import table as programs
from interlock.model.effect import HERE, LOCAL, PROJECT_SECRET, SECRET, Connects, Installs, Reads, Sends, Span
from interlock.shell.value import ENVIRONMENT, FILE, OUTPUT, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.shell import ShellReader
    from interlock.model.effect import Effect
    from interlock.shell.execution import Execution
    from interlock.shell.value import Value
    from interlock.shell.walk import Walker

_READ_CLOSELY = frozenset({"netweb", "netshell", "git", "printing", "text", "filters", "cloud", "wrappers"})
"""Families whose readers say by themselves what is sent, and those that only print."""
_PROVING = frozenset({"openssl", "mutt", "docker", "podman"})
"""Programs that prove with a key who asks, or hand variables to what runs here."""
_OPEN = frozenset({SECRET, PROJECT_SECRET})
_POURED = {"secret": "carries-secret", ENVIRONMENT: "carries-environment"}
"""Labels of what stands on standard input, and what a connection carries that it is poured into."""


def watched(reader: ShellReader, execution: Execution, walker: Walker) -> Flow:
    """Read a command; add that it may send a secret, where it holds one and talks to another machine."""
    first = len(reader.context.effects)
    flow = reader.program(execution, walker)
    if reader.context.where == HERE:
        name = execution.argv[0].text.rpartition("/")[2]
        _poured(reader, execution, name, reader.context.effects[first:])
        if any(value.hollow for value in execution.argv[1 : MAX_WORDS + 1]):
            from interlock.effects.lookups import told  # few words have a hole

            may_send(reader, execution, *told(reader, execution, walker, reader.context.effects[first:]))
        if name in LOOKUPS or any(effect.kind is Installs for effect in reader.context.effects[first:]):
            from interlock.effects.lookups import spelled  # few commands ask for names

            _told(reader, execution, *spelled(reader, execution, name, reader.context.effects[first:]))
        if name not in _PROVING and programs.names().get(name) not in _READ_CLOSELY:
            _spilled(reader, execution, name, reader.context.effects[first:])
    return flow


def _told(reader: ShellReader, execution: Execution, host: str, value: Value | None) -> None:
    """Add that a secret stands in a name that is asked for."""
    if value is not None:
        span = Span(execution.text, value.start, value.end)
        reader.context.host(Sends, host, span, frozenset({"carries-token"}), execution.argv[0].text.rpartition("/")[2])


def _poured(reader: ShellReader, execution: Execution, name: str, effects: list[Effect]) -> None:
    """Add that what stands on standard input may go with a connection that a program opens, whatever it speaks: a terminal, a queue, a socket."""
    labels = execution.stdin.labels if execution.stdin is not None else frozenset()
    traits = frozenset({trait for label, trait in _POURED.items() if label in labels})
    if not traits or any(effect.kind is Sends and not traits.isdisjoint(effect.traits) for effect in effects):
        return
    host = next((effect.target for effect in effects if effect.kind is Connects and effect.host != LOCAL and effect.by == name), "")
    if not host and programs.find(name) is None:
        host = next((one for value in execution.argv[1 : MAX_WORDS + 1] if (one := host_in(value.text))), "")
    if host:
        may_send(reader, execution, host, traits)


def may_send(reader: ShellReader, execution: Execution, host: str, traits: frozenset[str]) -> None:
    """Add that a command may send something to a host, if it is anything."""
    if not traits:
        return
    span = Span(execution.text, execution.start, execution.end)
    reader.context.possibly(lambda: reader.context.host(Sends, host, span, traits, execution.argv[0].text.rpartition("/")[2]))


def _spilled(reader: ShellReader, execution: Execution, name: str, effects: list[Effect]) -> None:
    words = [value for value in execution.argv[1 : MAX_WORDS + 1] if value.hollow and value.why in (OUTPUT, FILE)]
    host = next((found for value in words if (found := address(value)) and "secret" in reader.read_until_now()), "")
    if not host:
        hosts = [effect.target for effect in effects if effect.kind is Connects and effect.host != LOCAL and effect.by == name]
        known = programs.find(name) is not None
        named = [host_in(value.text) for value in execution.argv[1 : MAX_WORDS + 1] if not known or "://" in value.text]
        host = next((one for one in [*hosts, *named] if one), "")
        told = bool(words) and "secret" in reader.read_until_now()  # what stands in a word is handed on like a file
        host = host if host and (told or _is_given(reader, execution, name, effects)) else ""
    if host and not any(effect.kind is Sends and "carries-secret" in effect.traits for effect in effects):
        may_send(reader, execution, host, frozenset({"carries-secret"}))


def _is_given(reader: ShellReader, execution: Execution, name: str, effects: list[Effect]) -> bool:
    """Tell whether a command itself reads a secret: a file."""
    own = [effect for effect in effects if effect.kind is Reads and effect.by == name and "listed" not in effect.traits]
    if any("holds-secret" in effect.traits or (effect.place is not None and not _OPEN.isdisjoint(effect.place.natures)) for effect in own):
        return True
    if programs.find(name) is not None:
        return False
    paths = [reader.context.normal(value.text, execution.cwd) for value in execution.argv[1 : MAX_WORDS + 1] if value.known and value.text[:1] != "-"]
    context = reader.context
    return any(path is not None and not _OPEN.isdisjoint(natures(path, context.call.roots, context.home)) for path in paths)
