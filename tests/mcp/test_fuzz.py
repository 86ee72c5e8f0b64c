"""Whatever comes from either side, the proxy answers, and no call leaves it for the server that was
not let run.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.mcp.jsonrpc import fold
from interlock.mcp.judge import ASK, REFUSE, RUN, Ruling
from interlock.mcp.relay import Relay
from interlock.mcp.tool_lists import Listing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.mcp.methods import MethodRequest
    from interlock.mcp.relay import RelayOutput


class Ruled:
    """A judge that lets run what is called ``ok...``, asks about ``ask...`` and refuses everything
    else; it remembers what it was asked.
    """

    def __init__(self) -> None:
        self.let_run: list[tuple[str, str]] = []

    def rule(self, asked: MethodRequest, hints: tuple[str, ...] = (), *, asks: bool) -> Ruling:
        """Rule by name."""
        del hints
        if asked.name.startswith("ok"):
            self.let_run.append((asked.name, json.dumps(asked.given, sort_keys=True)))
            return Ruling(RUN)
        return Ruling(ASK if asks and asked.name.startswith("ask") else REFUSE, "no")

    def ended(self, ruling: Ruling, status: str, said: object) -> tuple[str, ...]:
        """Nothing is recorded."""
        del ruling, status, said
        return ()


class Unpinned:
    """Pins that hold nothing."""

    def held(self, seen: object) -> dict[str, str | None]:
        """Nothing differs."""
        del seen
        return {}

    def known(self, tool: str) -> tuple[str, str, str]:
        """Nothing is known."""
        del tool
        return "", "", ""

    def mark(self, body: str) -> str:
        """Everything is the same."""
        del body
        return ""


def relay() -> tuple[Relay, Ruled]:
    """Return a relay whose judge is known."""
    judge = Ruled()
    return Relay(judge, Listing(Unpinned(), lambda _: None), lambda _: None), judge  # type: ignore[arg-type]


# -- an oracle that shares no code with what it watches: every reading that some server could make -


def readings(data: bytes) -> Iterator[list[tuple[str, Any]]]:
    """Yield each object of a line as pairs, none of two equal names dropped."""

    def pairs(found: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
        return [("{}", None), *found]

    value = json.loads(data, object_pairs_hook=pairs)
    yield from [value] if value and value[0] == ("{}", None) else value


def called(data: bytes) -> list[tuple[str, str]]:
    """Return each call that some reader could find in a line: by any spelling of ``method``,
    ``params``, ``name`` and ``arguments``.
    """
    found = []
    for message in readings(data):
        methods = [value for key, value in message if fold(key) == "method"]
        if not any(isinstance(method, str) and fold(method) == "toolscall" for method in methods):
            continue
        holders = [
            value for key, value in message if fold(key) == "params" and isinstance(value, list)
        ] or [[]]
        for holder in holders:
            names = [value for key, value in holder if fold(key) == "name"] or [""]
            givens = [value for key, value in holder if fold(key) == "arguments"] or [
                [("{}", None)]
            ]
            found += [
                (str(name), json.dumps(plain(given or [("{}", None)]), sort_keys=True))
                for name in names
                for given in givens
            ]
    return found


def plain(value: Any) -> Any:
    """Return pairs as an object again."""
    if isinstance(value, list) and value[:1] == [("{}", None)]:
        return {key: plain(inner) for key, inner in value[1:]}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


# -- what is sent ----------------------------------------------------------------------------------

METHODS = st.sampled_from(
    ["tools/call"] * 6 + ["Tools/call", "tools/call ", "tools\\/call", "tools/\u200bcall", "TOOLS/CALL", "ping", "tools/list", "initialize"]
    + ["notifications/cancelled", "notifications/tools/call", "resources/read", "x/y", "", "tools/callTool"]
)  # fmt: skip
NAMES = st.sampled_from(
    ["ok"] * 5
    + [
        "ok_get",
        "no_delete",
        "ask_me",
        "",
        "ok\u0000",
        7,
        None,
        ["ok"],
        {"name": "ok"},
        "ok" * 5000,
    ]
)
IDS = st.sampled_from(
    [1, 1, 2, "1", "", None, True, 1.0, 1e300, -5, 2**70, [1], {"a": 1}, "interlock-1"]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "Name", "path", "arguments", "a"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
KEYS = {
    "method": ["method"] * 8 + ["Method", "METHOD", "meth\u017fd", "method "], "params": ["params"] * 8 + ["Params", "param\u017f"],
    "id": ["id"] * 8 + ["ID", "Id"], "name": ["name"] * 3 + ["Name"], "arguments": ["arguments"] * 8 + ["ARGUMENTS"],
}  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Write a message with fields left out, doubled, misspelt or of another kind."""

    def pair(name: str, value: object) -> str:
        return f"{json.dumps(draw(st.sampled_from(KEYS[name])), ensure_ascii=draw(st.booleans()))}: {value if isinstance(value, str) else ''}"

    def some(pairs: list[str]) -> str:
        kept = [one for one in pairs if draw(st.integers(0, 9))]
        doubled = [one for one in kept if not draw(st.integers(0, 9))]
        return "{" + ", ".join(draw(st.permutations(kept + doubled))) + "}"

    given_arguments = json.dumps(
        draw(st.dictionaries(st.sampled_from(["path", "a", "Path"]), JSON, max_size=2) | JSON)
    )
    params = [
        pair("name", json.dumps(draw(NAMES))),
        pair("name", json.dumps(draw(NAMES))),
        pair("arguments", given_arguments),
    ]
    if draw(st.booleans()):
        del params[1]
    inner = some(params) if draw(st.integers(0, 9)) else json.dumps(draw(JSON))
    fields = [
        '"jsonrpc": "2.0"',
        pair("id", json.dumps(draw(IDS))),
        pair("method", json.dumps(draw(METHODS)).replace("\\\\/", "\\/")),
    ]
    more = (
        ['"result": {"action": "accept", "content": {"approve": true}}', '"error": {"code": 1}']
        if not draw(st.integers(0, 5))
        else []
    )
    return some([*fields, pair("params", inner), *more])


@st.composite
def sent(draw: st.DrawFn) -> bytes:
    """Write what a client sends: one message, a batch, and sometimes bytes that are nearly that."""
    found = draw(st.lists(texts(), min_size=1, max_size=3))
    text = found[0] if draw(st.booleans()) else "[" + ", ".join(found) + "]"
    data = text.encode("utf-8", "surrogatepass")
    how = draw(st.integers(0, 14))
    if how == 0:
        at = draw(st.integers(0, len(data)))
        return data[:at]
    if how == 1:
        return b"\xef\xbb\xbf" + data
    if how == 2:
        return text.encode("utf-16", "surrogatepass")
    if how == 3:
        at = draw(st.integers(0, max(0, len(data) - 1)))
        return data[:at] + bytes([draw(st.integers(0, 255))]) + data[at + 1 :]
    if how == 4:
        return data.replace(
            b"1", draw(st.sampled_from([b"1e400", b"NaN", b"-Infinity", b"1" * 5000])), 1
        )
    return b"[" * 300 + data + b"]" * 300 if how == 5 else data


def well_formed(said: RelayOutput) -> None:
    """Each line that is sent is one line of JSON-RPC."""
    for message in (*said.to_client, *said.to_server):
        assert b"\n" not in message
        for one in json.loads(message) if message[:1] == b"[" else [json.loads(message)]:
            assert one["jsonrpc"] == "2.0"


@settings(max_examples=120)
@given(st.lists(sent(), min_size=1, max_size=5), st.booleans())
def test_no_call_reaches_the_server_that_was_not_let_run(lines: list[bytes], asks: bool) -> None:
    """Whichever reading the server makes of a line, each call in it was let run, once; and there is
    no exception.
    """
    proxy, judge = relay()
    proxy.asks = asks
    for line in lines:
        before = len(judge.let_run)
        said = proxy.receive_from_client(line)
        well_formed(said)
        wanted = [call for message in said.to_server for call in called(message)]
        assert sorted(wanted) == sorted(call for call in judge.let_run[before:] if call in wanted)
        assert all(name.startswith("ok") for name, _ in wanted)


@settings(max_examples=60)
@given(st.lists(sent() | st.binary(max_size=60), min_size=1, max_size=6))
def test_whatever_a_server_sends_is_taken(lines: list[bytes]) -> None:
    """No exception, only messages go on, and nothing goes back to the server."""
    proxy, _ = relay()
    proxy.receive_from_client(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ok"}}'
    )
    proxy.receive_from_client(b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}')
    for line in lines:
        said = proxy.receive_from_server(line)
        well_formed(said)
        assert said.to_server == ()


ENCODED = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ok"}}'


@pytest.mark.parametrize(
    "line",
    [
        b"\xef\xbb\xbf" + ENCODED,
        ENCODED.decode().encode("utf-16"),
        ENCODED.decode().encode("utf-16-le"),
        ENCODED + b"\x00",
        ENCODED * 2,
    ],
)
def test_other_encodings_are_refused(line: bytes) -> None:
    """A byte order mark, UTF-16, a NUL at the end, two messages on one line: servers would not
    agree on what they say.
    """
    proxy, judge = relay()
    said = proxy.receive_from_client(line)
    assert said.to_server == ()
    assert json.loads(said.to_client[0])["error"]["code"] == -32700
    assert judge.let_run == []
    assert proxy.receive_from_client(ENCODED).to_server


def test_the_oracle_sees_what_it_is_to_see() -> None:
    """Every spelling that some server would take for a call is found in a line; a list of tools is
    none.
    """
    for line in (
        b'{"method":"ping","method":"tools/call","params":{"name":"x"}}',
        b'{"Method":"Tools/Call","Params":{"NAME":"x"}}',
        b'[{"method":"tools/call","params":{"name":"y","name":"x"}}]',
    ):
        assert ("x", "{}") in called(line)
    assert called(b'{"method":"tools/list","params":{"name":"x"}}') == []
