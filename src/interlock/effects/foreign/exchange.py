"""Actions of the network: requests, sockets, what is sent and what comes back."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects import hosts
from interlock.effects.python.call import PyCall, idle
from interlock.effects.python.files import remember
from interlock.effects.python.network import data_carries, visit
from interlock.effects.python.values import (
    UNKNOWN,
    BoundAttribute,
    DottedName,
    Function,
    KnownObject,
    PyValue,
    is_text,
    labels_of,
    text_of,
    unknown_from,
)
from interlock.model.effect import Connects, Listens, Reads, Sends, Writes
from interlock.shell.value import HOLE, NETWORK

Action = Callable[[PyCall, list[PyValue], list[str]], PyValue | None]
"""What a call of a name does: the call, its arguments, and the words of the name."""

_NETWORK = frozenset({NETWORK})
_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_HOST_KEYS = ("hostname", "host", "PeerAddr", "PeerHost", "url", "uri", "href", "baseURL")


def foundation(thing: PyValue | None) -> PyValue | None:
    """Return the object that a member of a member is of: ``process`` of ``process.stdin``."""
    while thing is not None and isinstance(thing.value, BoundAttribute):
        thing = thing.value.thing
    return thing


def _option(thing: PyValue, *names: str) -> PyValue | None:
    if isinstance(thing.value, dict):
        return next((thing.value[name] for name in names if name in thing.value), None)
    return None


def get(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A URL is visited; options may say that data is sent (``fetch(url, {method, body})``)."""
    if not things:
        return None
    url = foundation(things[0]) or things[0]
    first = text_of(call.arguments[0]) if call.arguments else ""
    verb = traits[0] if traits else first if first in _METHODS else "get"
    if isinstance(url.value, KnownObject) and "url" in url.value.fields:
        verb = text_of(url.value.fields["verb"]) if "verb" in url.value.fields else verb
        url = url.value.fields["url"]
    url = _of_session(call, url)
    options = next(
        (
            thing
            for thing in [*things, *call.arguments, PyValue(dict(call.keywords))]
            if isinstance(thing.value, dict) and thing.value
        ),
        None,
    )
    body: list[PyValue] = [
        thing
        for thing in things[1:]
        if not isinstance(thing.value, (dict, Function, DottedName, KnownObject)) or verb != "get"
    ]
    if options is not None:
        named = _option(options, "method", "type")
        verb = text_of(named) if named is not None else verb
        body += [
            inner
            for inner in (
                _option(options, name)
                for name in ("body", "data", "json", "params", "content", "form", "source")
            )
            if inner is not None
        ]
        for name in ("headers", "auth"):
            inner = _option(options, name)
            if inner is not None:
                call.keywords[name] = inner
        if isinstance(url.value, dict):
            url = _address_of(options)
    if (
        not is_text(url.value)
        and not isinstance(url.value, KnownObject)
        and url.value is not UNKNOWN
    ):
        return None
    if "?" in call.name and not text_of(url).startswith(("http://", "https://", "//")):
        return None
    made = visit(call, url, verb, body)
    host = hosts.host_of(text_of(url))
    return PyValue(KnownObject("request", {"host": PyValue(host)}), made.labels, made.why)


def _of_session(call: PyCall, url: PyValue) -> PyValue:
    """Return the whole address of a path that an object is asked for which knows its host:
    ``Net::HTTP.new("h").get("/x")``.
    """
    host = call.field("name")
    if host is None or not is_text(host.value) or not text_of(url).startswith("/"):
        return url
    text = text_of(host)
    base = text if "://" in text else f"http://{text}"
    return PyValue(f"{base.rstrip('/')}{text_of(url)}", labels_of([host, url]), url.why)


def _address_of(options: PyValue) -> PyValue:
    """Return ``host/path`` of an options object."""
    host = _option(options, *_HOST_KEYS) or PyValue(HOLE)
    path = _option(options, "path", "pathname") or PyValue("/")
    text = text_of(host)
    return PyValue(
        text if "://" in text else f"http://{text}{text_of(path)}",
        labels_of([host, path]),
        host.why,
    )


def _url(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``new URL(text)``, ``HttpPost(url)``: a request to be; its method may come first."""
    if not things:
        return PyValue(KnownObject("request"))  # its address is set later
    first = text_of(call.arguments[0]) if call.arguments else ""
    verb = traits[0] if traits else first if first in _METHODS else ""
    fields = {"url": things[0], **({"verb": PyValue(verb)} if verb else {})}
    return PyValue(KnownObject("request", fields), things[0].labels, things[0].why)


def _download(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A URL into a file."""
    del traits
    if not things:
        return None
    visit(call, things[0], "get", [])
    if len(things) < 2:
        return PyValue(HOLE, _NETWORK, NETWORK)
    effect = call.path(Writes, things[1], "downloaded")
    if effect is not None:
        remember(call, effect.target, PyValue(UNKNOWN, _NETWORK))
    return None


def _send(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """Mail and messages."""
    sent = [trait for trait in data_carries(things) if trait != "inline-data"]
    call.host(
        Sends,
        text_of(things[0]).rpartition("@")[2] if things else HOLE,
        *(traits or ["message"]),
        *sent,
    )
    return None


def _upload(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A file of this machine is put onto another one."""
    del traits
    if not things or idle(things[0]):
        return None
    call.path(Reads, things[0], "sent")
    labels = (
        call.run.contents(call.word(things[0])).labels
        if HOLE not in text_of(things[0])
        else frozenset()
    )
    host = call.field("host")
    call.host(
        Sends,
        text_of(host) if host is not None else HOLE,
        "upload",
        *[f"carries-{label}" for label in sorted(labels & {"secret", "workspace", "outside"})],
    )
    return None


def _connect(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A socket to host and port, in either order, in one text, or in an options object."""
    words = [thing for thing in things if not isinstance(thing.value, (Function, KnownObject))]
    named = [
        PyValue(dict(call.keywords)),
        *[thing for thing in words if isinstance(thing.value, dict)],
    ]
    host = next(
        (found for found in (_option(thing, *_HOST_KEYS) for thing in named) if found is not None),
        None,
    )
    texts = [
        thing
        for thing in words
        if is_text(thing.value)
        and not text_of(thing).isdigit()
        and text_of(thing) not in ("tcp", "udp", "tcp4")
    ]
    if host is None and words and isinstance(words[0].value, list):
        texts = [thing for thing in words[0].value if is_text(thing.value)]
    if host is None:
        host = (
            texts[0]
            if texts
            else (
                PyValue("localhost")
                if any(isinstance(thing.value, int) for thing in words) and "port-first" in traits
                else PyValue(HOLE)
            )
        )
    if idle(host) or (not words and not call.keywords):
        return _socket(PyValue(HOLE))
    text = text_of(host).removeprefix("tcp://").removeprefix("ssl://").removeprefix("udp://")
    effect = call.host(Connects, hosts.host_of(text.rpartition(":")[0] or text), "socket")
    call.program.marks.add("socket")
    call.program.peer = effect.target
    return _socket(PyValue(effect.target))


def _socket(host: PyValue) -> PyValue:
    return PyValue(
        KnownObject(
            "socket",
            {"host": host, "contents": PyValue(HOLE, frozenset({NETWORK, "socket"}), NETWORK)},
        ),
        frozenset({"socket"}),
    )


def _make_socket(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    del call, things, traits
    return _socket(PyValue(HOLE))


def _listen(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """A port is opened; what comes in is from the network."""
    port = next(
        (
            thing
            for thing in things
            if isinstance(thing.value, int) or text_of(thing).rpartition(":")[2].isdigit()
        ),
        None,
    )
    public = any(is_text(thing.value) and text_of(thing) in ("0.0.0.0", "::") for thing in things)  # noqa: S104 - a name that is looked for
    if "serves" not in traits or port is not None:
        call.effect(
            Listens, text_of(port) if port is not None else "", *(["public"] if public else [])
        )
    if "raw" in traits:
        call.program.marks.add("socket")
        call.program.peer = text_of(port) if port is not None else ""
    return _socket(PyValue(HOLE))


def _receive(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """What a socket, a file or a process gives to be read."""
    del traits
    base = foundation(call.owner if call.owner is not None else (things[0] if things else None))
    if base is not None and isinstance(base.value, KnownObject):
        if base.value.kind == "socket":
            return PyValue(HOLE, frozenset({NETWORK, "socket"}), NETWORK)
        if base.value.kind == "request":
            return PyValue(HOLE, _NETWORK, NETWORK)
        return base.value.fields.get("contents")
    return None if base is None else unknown_from([base])


def _joins(call: PyCall, things: list[PyValue], traits: list[str]) -> PyValue | None:
    """``a.pipe(b)``: a socket and a process joined are a shell for whoever is at the other end."""
    del traits
    ends = [foundation(thing) for thing in [call.owner, *things] if thing is not None]
    kinds = {
        end.value.kind for end in ends if end is not None and isinstance(end.value, KnownObject)
    }
    if {"socket", "process"} <= kinds:
        call.program.marks.add("joined")
    if (
        len(ends) == 2
        and ends[1] is not None
        and isinstance(ends[1].value, KnownObject)
        and ends[1].value.kind == "file"
        and ends[0] is not None
    ):
        remember(
            call,
            text_of(ends[1].value.fields.get("target", PyValue(""))),
            PyValue(UNKNOWN, labels_of([ends[0]])),
        )
    if "request" in kinds or "socket" in kinds:
        sent = [
            trait
            for trait in data_carries([end for end in ends if end is not None])
            if trait not in ("inline-data", "unknown-data")
        ]
        last = ends[-1]
        if (
            sent
            and last is not None
            and isinstance(last.value, KnownObject)
            and last.value.kind in ("request", "socket")
        ):
            call.host(Sends, text_of(last.value.fields.get("host", PyValue(HOLE))), "upload", *sent)
    return things[0] if things else None


EXCHANGES: dict[str, Action] = {
    "get": get, "url": _url, "download": _download, "send": _send,
    "uploads": _upload, "connect": _connect, "socket": _make_socket, "listen": _listen,
    "received": _receive, "pipe": _joins,
}  # fmt: skip
