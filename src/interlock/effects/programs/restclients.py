"""Clients of HTTP and gRPC beside curl and its kin: a method by an option or a word, data by
options and fields, requests that stand in files (the manuals of httpx, restish, curlie, hurl, buf,
grpc_cli).
"""

from __future__ import annotations

from interlock.effects.connecting import to_host, to_url
from interlock.effects.hosts import classify, host_of
from interlock.effects.programs.requests import loses
from interlock.effects.programs.sending import (
    NETWORK_FLOW,
    file_carries,
    flow_carries,
    leaks,
    send,
    word_carries,
)
from interlock.effects.run import Run
from interlock.effects.verb_words import NEGATED, parts, verb_of
from interlock.effects.verbs import stem
from interlock.model.effect import LOCAL, ChangesInfrastructure, Connects
from interlock.shell.value import HOLE, UNREAD, Flow, Value

METHODS = frozenset("GET POST PUT PATCH DELETE HEAD OPTIONS PURGE TRACE QUERY LINK UNLINK".split())
_SENDING = METHODS - {"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"}
_LOSING = frozenset({"DELETE", "PURGE", "UNLINK"})
_METHOD = ("-m", "-X", "--method", "--request")
_DATA = ("-d", "--data", "-j", "--json", "-c", "--content", "-b", "--body", "--data-raw")
MAX_REQUESTS = 64
"""Requests of a file that are looked at; that there are more is a doubt."""


def _request(run: Run, method: str, url: Value, data: set[str]) -> None:
    """Add one request: the connection, what is sent, what is lost or changed there."""
    text = "localhost" + url.text if url.text[:1] == ":" else url.text
    address = Value(text, url.start, url.end, url.why)
    to_url(run.context, text, run.span(url), frozenset({"get"}), run.name)
    host = host_of(text)
    leaks(run, host, address)
    if not data and method not in _SENDING:
        return
    send(run, host, {"post", *(data or {"inline-data", f"method-{method.lower()}"})}, url)
    if classify(host) != LOCAL and method in _LOSING | {"PUT", "PATCH"}:
        action = "delete" if method in _LOSING else "modify"
        run.effect(ChangesInfrastructure, url.text, action, value=url)
    else:
        loses(run, host, url, {f"method-{method.lower()}"})


def _rest(run: Run) -> Flow:
    """``restish delete URL``, ``httpx URL -m DELETE -j JSON``: ``=`` is data, ``@`` a file."""
    words = list(run.operands)
    method = run.parsed.value(*_METHOD)
    named = method.text.upper() if method is not None else ""
    if words and words[0].text.upper() in METHODS:
        named = words.pop(0).text.upper()
    if not words:
        return UNREAD
    data = set().union(*[_field(run, value) for value in words[1:]], set[str]())
    for value in run.parsed.values(*_DATA):
        data |= _data_traits(run, value)
    if run.stdin is not None and run.stdin.text != "":
        data |= flow_carries(run.stdin)
    _request(run, named or ("POST" if data else "GET"), words[0], data)
    return NETWORK_FLOW


def _field(run: Run, value: Value) -> set[str]:
    if "@" in value.text:
        return {"upload"} | file_carries(run, _part(value, value.text.partition("@")[2]))
    return word_carries(run, value) if "=" in value.text else set()


def _data_traits(run: Run, value: Value) -> set[str]:
    if value.text[:1] == "@":
        return {"upload"} | file_carries(run, _part(value, value.text[1:]))
    return word_carries(run, value)


def _part(value: Value, text: str) -> Value:
    return Value(text, value.start, value.end, value.why)


def _curlie(run: Run) -> Flow:
    """The options of curl, and the words of httpie."""
    words = [value.text for value in run.operands]
    like = bool(words) and (
        words[0].upper() in METHODS or any("=" in word or "@" in word for word in words[1:])
    )
    read = run.context.readers.function("netweb.httpie" if like else "netweb.curl")
    flow: Flow = read(run)
    return flow


# -- requests in files -------------------------------------------------------------------------


def _hurl(run: Run) -> Flow:
    """``hurl FILE..``: requests a line, ``METHOD URL``; ``file,PATH;`` is a body. Of a file that
    nobody can read its name tells whether it deletes something.
    """
    given = dict([value.text.partition("=")[::2] for value in run.parsed.values("--variable")])
    for value in run.operands:
        text = run.text_of(value)
        if text is None:
            _by_name(run, value)
        else:
            _requests(run, value, _fill_variables(text, given))
    return NETWORK_FLOW


def _fill_variables(text: str, given: dict[str, str]) -> str:
    for name, value in given.items():
        text = text.replace(f"{{{{{name}}}}}", value)
    return text


def _requests(run: Run, file: Value, text: str) -> None:
    found: list[tuple[str, str, set[str]]] = []
    for line in text.split("\n"):
        method, _, url = line.strip().partition(" ")
        if method in METHODS and url:
            found.append((method, url.strip(), set()))
        elif found and method.startswith("file,"):
            path = method.partition(",")[2].rstrip(";")
            found[-1][2].update({"upload"} | file_carries(run, _part(file, path)))
    for method, url, data in found[:MAX_REQUESTS]:
        _request(run, method, _part(file, url.replace("{{", HOLE)), data)
    if len(found) > MAX_REQUESTS:
        run.context.doubt(f"not all requests of {file.text} were read")


def _by_name(run: Run, value: Value) -> None:
    pieces = parts(stem(value.text))
    lost = [piece for piece in pieces if verb_of(piece) == ("delete", False)]
    if lost and NEGATED.isdisjoint(pieces):
        run.effect(
            ChangesInfrastructure, value.text, "delete", "ladder", value=value, certain=False,
            detail=f"{lost[0]}, by requests in a file",
        )  # fmt: skip


# -- gRPC --------------------------------------------------------------------------------------


def _grpc(run: Run) -> Flow:
    """``grpc_cli call HOST pkg.Service.Method DATA``, ``evans .. call Method``: the name of what is
    called says what it does.
    """
    words = [value for value in run.operands if value.text not in ("cli", "repl")]
    if not words or words[0].text != "call":
        return UNREAD
    hosts = [value.text for value in [*words[1:2], *run.parsed.values("--host")]]
    host = next((host_of(text) for text in hosts if ":" in text or "." in text), "")
    if host:
        to_host(run.context, Connects, host, run.span(), frozenset({"get"}), run.name)
    for value in words[1:]:
        method = value.text.replace("/", ".").rpartition(".")[2]
        if method.isalnum() and verb_of(method) == ("delete", False) and classify(host) != LOCAL:
            run.effect(ChangesInfrastructure, value.text, "delete", value=value)
    return NETWORK_FLOW


def _buf(run: Run, said: object, rest: list[Value]) -> Flow:
    """``buf curl --data JSON https://HOST/pkg.Service/Method``."""
    del said, rest
    data = set().union(
        *[_data_traits(run, value) for value in run.parsed.values("-d", "--data")], set()
    )
    for value in [value for value in run.operands[1:] if "://" in value.text]:
        _request(run, "POST" if data else "GET", value, data)
        method = value.text.rpartition("/")[2]
        lost = method.isalnum() and verb_of(method) == ("delete", False)
        if lost and classify(host_of(value.text)) != LOCAL:
            run.effect(ChangesInfrastructure, value.text, "delete", value=value)
    return NETWORK_FLOW
