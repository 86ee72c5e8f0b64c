"""Which objects of a program speak to another machine, though nobody described their library: what
is made with the address of one (``createClient({url: "ldap://.."})``, ``ServerProxy("http://..")``,
``ModbusTcpClient("10.0.0.7")``).
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects import hosts
from interlock.effects.python.call import PyCall
from interlock.effects.python.values import PyValue, is_text, text_of
from interlock.effects.raising import is_number
from interlock.effects.verb_words import parts
from interlock.model.effect import LOCAL
from interlock.shell.value import HOLE

_WHERE = frozenset(
    "host hosts hostname server servers url urls uri endpoint endpoints address addr broker brokers"
    " bootstrap contact points node nodes broker_url base".split()
)
"""Parts of the names of arguments that say where something is."""
_MAKING = frozenset(
    "client connection connect session proxy create new dial open handler driver admin api login"
    " initialize init tcp udp ldap channel transport start engine".split()
)
"""Parts of the names of functions that make what speaks to another machine."""
_NO_CLIENTS = frozenset(
    "url uri request image link source path location redirect response parse urlparse urljoin"
    " feed soup browser page driver webdriver element map set array list dict counter date error"
    " version network interface ip".split()
)
"""And of those that only hold an address, or look at what is there."""


def is_far_client(call: PyCall) -> bool:
    """Whether a call makes something that speaks to another machine."""
    said = [one.rstrip("!") for one in parts(call.method)]
    if not said or not _NO_CLIENTS.isdisjoint(said):
        return False
    makes = not _MAKING.isdisjoint(said)
    if not makes and not call.method[:1].isupper():
        return False
    given = [*call.arguments, *_pick_named(call.keywords)]
    return any(is_far(text, bare=makes) for thing in given for text in _texts(thing))


def _pick_named(pairs: dict[str, PyValue]) -> list[PyValue]:
    """Return what is given under a name that says where something is."""
    return [
        thing
        for key, thing in pairs.items()
        if not _WHERE.isdisjoint(parts(str(key).replace("_", "-")))
    ]


def _texts(thing: PyValue) -> Iterator[str]:
    value = thing.value
    if isinstance(value, dict):
        for inner in _pick_named(value):
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif is_text(value):
        yield text_of(thing)


def is_far(text: str, *, bare: bool) -> bool:
    """Whether a text is the address of another machine: one with a scheme, a number, or, where it
    may be ``bare``, a name with a port or of a domain.
    """
    if " " in text or HOLE in text or not text or text[:1] in "/.":
        return False
    scheme, colons, _ = text.partition("://")
    if colons:
        host = hosts.host_of(text)
        return scheme.replace("+", "").isalnum() and bool(host) and hosts.classify(host) != LOCAL
    host, _, port = text.partition(":")
    plain = host.replace("-", "").replace(".", "").isalnum()
    named = plain and "." in host and (port.isdecimal() or host.rpartition(".")[2] not in _ENDINGS)
    named = named and bare and host[-1:].isalpha()
    return (is_number(text) or named) and hosts.classify(host) != LOCAL


_ENDINGS = frozenset(
    "py js ts txt csv json yaml yml toml ini cfg conf md html xml db sqlite sqlite3 log png jpg pdf"
    " parquet pkl pt h5 npy zip gz tar sh rb php go rs java c h cpp lock sql env tsv".split()
)
"""Last parts of names of files rather than of hosts."""
