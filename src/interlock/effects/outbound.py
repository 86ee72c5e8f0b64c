"""Secrets that any program may take away: it is given one, by its words or on standard input, and another machine to talk to."""

from __future__ import annotations

from interlock.effects.filenames import FILE_ENDINGS
from interlock.effects.hosts import classify, host_of
from interlock.effects.places import natures
from interlock.effects.programs import table as programs
from interlock.model.effect import HERE, LOCAL, PROJECT_SECRET, SECRET, Connects, Reads, Sends, Span
from interlock.shell.value import FILE, HOLE, OUTPUT, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.shell import ShellReader
    from interlock.model.effect import Effect
    from interlock.shell.execution import Execution
    from interlock.shell.walk import Walker

MAX_WORDS = 32
_READ_CLOSELY = frozenset({"netweb", "netshell", "git", "printing", "text", "filters", "cloud", "wrappers"})
"""Families whose readers say by themselves what is sent, and those that only print."""
_PROVING = frozenset({"openssl", "mutt", "docker", "podman"})
"""Programs that prove with a key who asks, or hand variables to what runs here."""
_OPEN = frozenset({SECRET, PROJECT_SECRET})


def watched(reader: ShellReader, execution: Execution, walker: Walker) -> Flow:
    """Read a command; add that it may send a secret, where it holds one and talks to another machine."""
    first = len(reader.context.effects)
    flow = reader.program(execution, walker)
    name = execution.argv[0].text.rpartition("/")[2]
    if reader.context.where == HERE and name not in _PROVING and programs.names().get(name) not in _READ_CLOSELY:
        _spilled(reader, execution, name, reader.context.effects[first:])
    return flow


def _spilled(reader: ShellReader, execution: Execution, name: str, effects: list[Effect]) -> None:
    words = [value for value in execution.argv[1 : MAX_WORDS + 1] if value.hollow and value.why in (OUTPUT, FILE)]
    host = next((found for value in words if (found := _address(value)) and "secret" in reader.read_until_now()), "")
    if not host:
        hosts = [effect.target for effect in effects if effect.kind is Connects and effect.host != LOCAL and effect.by == name]
        known = programs.find(name) is not None
        named = [_host(value.text) for value in execution.argv[1 : MAX_WORDS + 1] if not known or "://" in value.text]
        host = next((one for one in [*hosts, *named] if one), "")
        told = bool(words) and "secret" in reader.read_until_now()  # what stands in a word is handed on like a file
        host = host if host and (told or _is_given(reader, execution, name, effects)) else ""
    if host and not any(effect.kind is Sends and "carries-secret" in effect.traits for effect in effects):
        span = Span(execution.text, execution.start, execution.end)
        reader.context.possibly(lambda: reader.context.host(Sends, host, span, frozenset({"carries-secret"}), name))


def _is_given(reader: ShellReader, execution: Execution, name: str, effects: list[Effect]) -> bool:
    """Tell whether a command itself reads a secret: a file, or its standard input."""
    if execution.stdin is not None and "secret" in execution.stdin.labels:
        return True
    own = [effect for effect in effects if effect.kind is Reads and effect.by == name and "listed" not in effect.traits]
    if any("holds-secret" in effect.traits or (effect.place is not None and not _OPEN.isdisjoint(effect.place.natures)) for effect in own):
        return True
    if programs.find(name) is not None:
        return False
    paths = [reader.context.normal(value.text, execution.cwd) for value in execution.argv[1 : MAX_WORDS + 1] if value.known and value.text[:1] != "-"]
    context = reader.context
    return any(path is not None and not _OPEN.isdisjoint(natures(path, context.call.roots, context.home)) for path in paths)


def _address(value: Value) -> str:
    """Return the host that a word with a hole in it names, or ``""``: ``https://host/?HOLE``, ``HOLE.host``, ``HOLE@host``, ``host/HOLE``."""
    text = value.text
    if "://" in text:
        return host_of(text).replace(HOLE, "") or "?"
    tail = text.rpartition(HOLE)[2]
    if tail[:1] in (".", "@") and _host(tail[1:]):
        return tail[1:]
    head = text.partition(HOLE)[0]
    return _host(head.partition("/")[0]) if "/" in head else ""


def _host(text: str) -> str:
    """Return the host that a word names, or ``""``: a name with a domain, an address of the network; no file."""
    name = host_of(text) if "://" in text else text.partition(":")[0].partition("/")[0]
    labels = name.split(".")
    named = len(labels) > 1 and all(label and label.replace("-", "").isalnum() for label in labels) and labels[-1].isalpha() and len(labels[-1]) > 1
    return name if named and labels[-1] not in FILE_ENDINGS and classify(name) != LOCAL else ""
