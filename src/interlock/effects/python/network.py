"""The network: requests, uploads, sockets, mail; databases and clouds a program talks to."""

from __future__ import annotations

from collections.abc import Callable

from interlock.data.words import values
from interlock.effects import hosts
from interlock.effects.orders import find_order
from interlock.effects.outgoing_words import VALUE, in_address, leaves
from interlock.effects.programs.sending import is_chat
from interlock.effects.python.call import PyCall, idle
from interlock.effects.python.clients import CLIENT, judge_by_name
from interlock.effects.python.files import remember
from interlock.effects.python.sockets import address_of
from interlock.effects.python.values import (
    UNKNOWN,
    KnownObject,
    PyValue,
    is_text,
    labels_of,
    text_of,
)
from interlock.effects.python.written_out import write_out
from interlock.effects.secret_variables import KEPT, strays
from interlock.effects.statements import only_looks
from interlock.effects.verb_words import address_loses
from interlock.model.effect import (
    LOCAL,
    ChangesInfrastructure,
    Connects,
    Listens,
    Persists,
    Reads,
    Sends,
    Writes,
)
from interlock.shell.value import HOLE, NETWORK

_NETWORK = frozenset({NETWORK})
BODIES = ("data", "json", "files", "content", "body", "fields", "msg", "params")
_HEADS = ("headers", "auth", "cookies")
CHANGING = frozenset({"post", "put", "patch", "delete"})
_LEAKS = frozenset({"secret", "workspace", "outside", "environment"})


def _response(call: PyCall) -> PyValue:
    del call
    return PyValue(KnownObject("response"), _NETWORK, NETWORK)


def data_carries(things: list[PyValue]) -> list[str]:
    """Return what data that is sent carries, as traits."""
    labels = labels_of(things)
    out = [
        f"carries-{label}"
        for label in ("secret", "workspace", "outside", "environment")
        if label in labels
    ]
    if "variable" in labels and not out:
        out.append("unknown-data")
    return out or ["inline-data"]


def visit(call: PyCall, url: PyValue, verb: str, body: list[PyValue]) -> PyValue:
    """A request: looked at, or data sent."""
    if idle(url):
        return _response(call)
    text = text_of(url)
    host = hosts.host_of(text)
    # a name in a path is ordinary in programs; what was read from files, the environment or secrets
    # is not
    leaks = [f"carries-{label}" for label in sorted(_LEAKS & labels_of([url]))]
    told = _token_traits(call, text, host, body)
    if (
        verb.lower() in CHANGING
        or (body and verb.lower() not in ("get", "head", "options"))
        or leaks
    ):
        call.host(Sends, host, "post", *(leaks or data_carries(body)), *told)
        lost = verb.lower() == "delete" or address_loses(text) or _orders_loss(call, host, body)
        if lost and hosts.classify(host) != LOCAL:
            # it removes something there, as ``curl -X DELETE`` does
            call.effect(ChangesInfrastructure, text, "delete")
    else:
        # a variable that is called like a secret, as in the shell
        named = ["unknown-word"] if "variable" in labels_of([url, *body]) else []
        call.host(Connects, host, "get", *told, *named)
        sent = [
            trait for trait in data_carries(body) if trait not in ("inline-data", "unknown-data")
        ]
        if sent:
            call.host(Sends, host, "post", *sent)
    _add_stray_secret(
        call, host, [url, *body, *[call.keywords[name] for name in _HEADS if name in call.keywords]]
    )
    return _response(call)


def _orders_loss(call: PyCall, host: str, body: list[PyValue]) -> bool:
    """Whether what is sent tells whoever takes it to lose something; people are told anything."""
    return not is_chat(host) and bool(find_order(call.run.context, map(write_out, body)))


def _add_stray_secret(call: PyCall, host: str, things: list[PyValue]) -> None:
    """Add that a value of a file of secrets goes to a host where it is not at home."""
    names = [label[len(KEPT) :] for label in labels_of(things) if label.startswith(KEPT)]
    if names and strays(call.run.context, sorted(names), host):
        call.host(Sends, host, "carries-kept")


def _token_traits(call: PyCall, url: str, host: str, body: list[PyValue]) -> list[str]:
    """Return the traits of tokens, and of the project's own secrets, that stand in an address or in
    what is sent.
    """
    texts = [
        text_of(thing)
        for item in body
        for thing in (
            [item] if is_text(item.value) else item.value if isinstance(item.value, list) else []
        )
    ]
    found = {leaves(call.run.context, text) for text in texts}
    token = ["carries-token"] if found - {""} or in_address(call.run.context, url, host) else []
    return [*token, "carries-secret"] if VALUE in found else token


def _bodies(call: PyCall, first: int) -> list[PyValue]:
    return [
        *call.arguments[first:],
        *[call.keywords[name] for name in BODIES if name in call.keywords],
    ]


def _request(call: PyCall) -> PyValue | None:
    """``requests.post(url, data)`` and the same on a session."""
    url = call.argument(0, "url")
    if url is None:
        return None
    return visit(call, _join_base(call, url), call.method, _bodies(call, 1))


def _join_base(call: PyCall, url: PyValue) -> PyValue:
    base = call.field("base")
    if base is None or "://" in text_of(url):
        return url
    return PyValue(text_of(base) + text_of(url), labels_of([base, url]))


def _by_verb(call: PyCall) -> PyValue | None:
    """``requests.request(method, url)``."""
    url = call.argument(1, "url")
    return (
        visit(call, _join_base(call, url), call.text(0, "method") or "get", _bodies(call, 2))
        if url is not None
        else None
    )


def _maybe_request(call: PyCall) -> PyValue | None:
    """``client.post(url)`` where nobody knows what the client is: a request if the text is one."""
    url = call.argument(0, "url")
    if url is not None and is_text(url.value) and text_of(url).startswith(("http://", "https://")):
        return _request(call)
    return judge_by_name(call)


def _urlopen(call: PyCall) -> PyValue | None:
    """``urlopen(url or Request, data=None)``."""
    url = call.argument(0, "url")
    if url is None:
        return None
    data = call.argument(1, "data")
    if isinstance(url.value, KnownObject) and url.value.kind == "request":
        fields = url.value.fields
        body = [fields["data"]] if "data" in fields else []
        return visit(
            call,
            fields.get("url", PyValue(UNKNOWN)),
            text_of(fields.get("method", PyValue("post" if body else "get"))),
            body,
        )
    return visit(
        call,
        url,
        "post" if data is not None and data.value is not None else "get",
        [data] if data is not None else [],
    )


def _make_request(call: PyCall) -> PyValue:
    given = {
        "url": call.argument(0, "url"),
        "data": call.argument(1, "data"),
        "method": call.keywords.get("method"),
    }
    return PyValue(
        KnownObject(
            "request",
            {
                name: thing
                for name, thing in given.items()
                if thing is not None and thing.value is not None
            },
        )
    )


def _retrieve(call: PyCall) -> PyValue | None:
    """``urlretrieve(url, file)``: downloaded to a file."""
    url, target = call.argument(0, "url"), call.argument(1, "filename", "out")
    if url is None or idle(url):
        return None
    call.host(Connects, hosts.host_of(text_of(url)), "get", "download")
    if target is not None:
        effect = call.path(Writes, target, "downloaded")
        if effect is not None:
            remember(call, effect.target, PyValue(UNKNOWN, _NETWORK))
    return None


def _session(call: PyCall) -> PyValue:
    base = call.argument(0, "base_url")
    return PyValue(
        KnownObject("session", {"base": base} if base is not None and is_text(base.value) else None)
    )


def _http(call: PyCall) -> PyValue:
    return PyValue(
        KnownObject(
            "http",
            {
                "base": PyValue(
                    "http://" + call.text(0, "host"),
                    call.arguments[0].labels if call.arguments else frozenset(),
                )
            },
        )
    )


def _browse(call: PyCall) -> PyValue | None:
    url = call.argument(0, "url")
    return visit(call, url, "get", []) if url is not None else None


def _open_socket(call: PyCall) -> PyValue | None:
    """``websocket.create_connection(url)``: what is sent on it goes there."""
    url = call.argument(0, "url", "uri")
    if url is None:
        return None
    visit(call, url, "get", [])
    host = PyValue(hosts.host_of(text_of(url)))
    return PyValue(KnownObject("socket", {"host": host}), _NETWORK | {"socket"})


# -- sockets ---------------------------------------------------------------------------------------


def _send(call: PyCall) -> PyValue | None:
    """``sock.sendall(data)``: of interest where the data was read from a file or a secret."""
    sent = [trait for trait in data_carries(call.arguments[:1]) if trait != "inline-data"]
    host = call.field("host")
    name = text_of(host) if host is not None else ""
    if name and hosts.classify(name) != LOCAL and _orders_loss(call, name, call.arguments[:1]):
        call.effect(ChangesInfrastructure, name, "delete")
    if sent and call.owner is not None:
        call.host(
            Sends,
            text_of(host) if host is not None else address_of(call.argument(1))[0],
            "upload",
            *sent,
        )
    return None


def _wrap(call: PyCall) -> PyValue | None:
    return call.argument(0, "sock")


def _server(call: PyCall) -> PyValue | None:
    host, port = address_of(call.argument(0, "server_address"))
    call.effect(Listens, port, *(["public"] if host in ("", "0.0.0.0", "::") else []))  # noqa: S104 - a name that is looked for
    return PyValue(KnownObject("server"))


# -- mail, files, other machines -------------------------------------------------------------------


def _peer(kind: str) -> Callable[[PyCall], PyValue | None]:
    """Return what makes a connection to the host that is the first argument."""

    def connect(call: PyCall) -> PyValue | None:
        host = call.argument(0, "host", "hostname")
        if host is not None and not idle(host):
            call.host(Connects, text_of(host).rpartition("@")[2])
        return PyValue(KnownObject(kind, {"host": host} if host is not None else None))

    return connect


def _client(call: PyCall) -> PyValue:
    del call
    return PyValue(KnownObject("remote"))


def _join_peer(call: PyCall) -> PyValue | None:
    host = call.argument(0, "hostname", "host")
    if (
        host is not None
        and call.owner is not None
        and isinstance(call.owner.value, KnownObject)
        and not idle(host)
    ):
        call.host(Connects, text_of(host))
        call.owner.value.fields["host"] = host
    return None


def _deliver(*traits: str) -> Callable[[PyCall], PyValue | None]:
    """Return what hands data to the host of the object."""

    def send(call: PyCall) -> PyValue | None:
        host = call.field("host")
        sent = [
            trait
            for trait in data_carries([*call.arguments, *call.keywords.values()])
            if trait != "inline-data"
        ]
        call.host(Sends, text_of(host) if host is not None else HOLE, *traits, *sent)
        return None

    return send


def _publish(call: PyCall) -> PyValue | None:
    """``publish.single(topic, payload, hostname=..)``: whoever listens there is told."""
    host = call.text(-1, "hostname") or "localhost"
    if hosts.classify(host) != LOCAL:
        call.effect(ChangesInfrastructure, host, "modify")
    return None


def _put_file(call: PyCall) -> PyValue | None:
    """``sftp.put(local, remote)``, ``s3.upload_file(local, ..)``: a file of here goes there."""
    local = call.argument(0, "localpath", "Filename", "local")
    if local is None or not is_text(local.value) or idle(local):
        return None
    call.path(Reads, local, "sent")
    host = call.field("host")
    flow = call.run.contents(call.word(local))
    call.host(
        Sends,
        text_of(host) if host is not None else "",
        "upload",
        *[f"carries-{label}" for label in sorted(flow.labels & _LEAKS)],
    )
    return None


# -- databases and clouds --------------------------------------------------------------------------


def _statement(call: PyCall) -> PyValue | None:
    """``cursor.execute(sql)``: read if known; a database in memory holds nothing to lose."""
    statement = call.argument(0, "sql", "query", "statement", "operation")
    name = call.field("name")
    if statement is None or (name is not None and text_of(name) == ":memory:"):
        return call.owner
    text = text_of(statement)
    if name is not None and not only_looks(text):
        call.path(Writes, name, "append", "database")
    if is_text(statement.value) and any(char.isalpha() for char in text):
        from interlock.effects.sql import read_text

        read_text(call.run.context, text, call.by, call.program.span(call.node))
    return call.owner


def _sql_text(call: PyCall) -> PyValue | None:
    return call.argument(0, "text")


def _unknown(call: PyCall) -> PyValue:
    return call.unknown()


def _itself(call: PyCall) -> PyValue | None:
    return call.owner


_VERBS = values("sockets", "verbs")


def _cloud_verb(call: PyCall) -> PyValue | None:
    trait = _VERBS.get(call.method.partition("_")[0])
    if trait is not None:
        call.effect(ChangesInfrastructure, call.method, trait)
    return PyValue(KnownObject("cloud"), frozenset({CLIENT}))


def _persist(call: PyCall) -> PyValue | None:
    call.effect(Persists, call.name, "cron")
    return None


def _lookup(call: PyCall) -> PyValue | None:
    """A name is looked up: who answers for its domain reads what was put before it. Names of hosts
    from a project's own files are no such data.
    """
    name = call.argument(0, "host", "qname")
    domain = text_of(name).rpartition(HOLE)[2] if name is not None else ""
    leaks = (
        [f"carries-{label}" for label in sorted({"outside", "secret"} & labels_of([name]))]
        if name is not None and domain[:1] == "."
        else []
    )
    if leaks:
        call.host(Sends, domain.lstrip("."), "dns", *leaks)
    return None


_THINGS = tuple(
    "bucket object objects instances table function stack user namespace deployment db_instance"
    " cluster queue secret".split()
)
CLOUD: dict[str, Callable[[PyCall], PyValue | None]] = {
    f"<cloud>.{verb}_{what}": _cloud_verb for verb in _VERBS for what in _THINGS
}
"""Methods of a client of a cloud."""
