"""The hook's JSON says what ``json`` says, strictly, and never answers with anything but a value or
one clear error.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model import jsontext
from interlock.model.jsontext import DEPTH, JsonError, dumps, loads

SOURCE = str(Path(__file__).resolve().parents[2] / "src")
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_round_trip(value: object) -> None:
    """What is written is read back the same, and is what ``json`` reads."""
    text = dumps(value)
    assert text.isascii()
    assert "\n" not in text
    assert loads(text) == value == json.loads(text)
    assert loads(text.encode()) == value
    assert loads(" \n" + text + "\r\n\t") == value


@given(st.binary(max_size=200))
def test_any_bytes_give_a_value_or_our_error(raw: bytes) -> None:
    """No bytes bring anything else than a value or ``JsonError``, and what is read, ``json`` reads
    the same.
    """
    try:
        value = loads(raw)
    except JsonError:
        return
    assert dumps(value) == dumps(json.loads(raw.decode()))


@pytest.mark.parametrize(
    ("source", "part"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\xff\xfe{}", "not UTF-8: byte 0 is 0xff"),
        (b'{"a": "\xed\xa0\x80"}', "not UTF-8"),
        (b"{} {}", "more text after"),
        (b"{}x", "more text after"),
        (b"nothing", "no JSON value at character 0"),
        (b"NaN", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b"[1e999]", "1e999 is out of range"),
        (b'{"a":', "no JSON value"),
        (b'{"a" 1}', "':'"),
        (b'"\n"', "control character"),
        (b"\xef\xbb\xbf{}", "no JSON value"),
        (b"9" * 5000, "4300"),
        (b"[" * 10_000, "nested deeper"),
        (b"[" * 10_000 + b"]" * 10_000, "nested deeper"),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "nested deeper"),
        (b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1), "nested deeper"),
    ],
)
def test_refused(source: bytes, part: str) -> None:
    """Everything that is not one strict JSON value is refused with words that say why."""
    with pytest.raises(JsonError) as caught:
        loads(source)
    assert part.lower() in str(caught.value).lower()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("source", ["{", '{"a"', '"x', '{"a" 1}', '"\\', "[1"])
def test_refused_by_a_bare_interpreter_in_the_same_words(source: str) -> None:
    """A hook has not imported ``json``, without which the C scanner has no words for what is
    wrong.
    """
    program = "import sys; sys.path.append(sys.argv[1])\nfrom interlock.model.jsontext import JsonError, loads\ntry:\n    loads(sys.argv[2])\n"
    program += "except JsonError as error:\n    print(error)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, SOURCE, source],
        capture_output=True,
        text=True,
        check=False,
    )
    with pytest.raises(JsonError) as here:
        loads(source)
    assert (done.stdout.strip(), done.stderr) == (str(here.value), "")


def test_depth_that_is_allowed() -> None:
    """The deepest nesting that is allowed is read."""
    value = loads(b"[" * DEPTH + b"]" * DEPTH)
    for _ in range(DEPTH - 1):
        value = value[0]
    assert value == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"\ud800"', "\ufffd"),
        (r'{"\udc00k": ["a\ud83d"]}', {"\ufffdk": ["a\ufffd"]}),
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"\u00e9"', "é"),
    ],
)
def test_surrogates(text: str, value: object) -> None:
    """An unpaired surrogate becomes U+FFFD; a pair stays its character."""
    assert loads(text) == value


def _listed(value: object) -> object:
    assert isinstance(value, frozenset)
    return sorted(value)


def test_what_json_does_not_know() -> None:
    """A value of another type is refused, or turned by ``default``."""
    with pytest.raises(TypeError, match="set is not a JSON value"):
        dumps({1, 2})
    assert dumps({"a": frozenset({1})}, default=_listed) == '{"a":[1]}'
    assert dumps({"b": 1, "a": 2}, sort_keys=True) == '{"a":2,"b":1}'


def test_what_cannot_be_written() -> None:
    """NaN, a value that holds itself and bottomless nesting are ``ValueError``."""
    ring: list[object] = []
    ring.append(ring)
    deep: list[object] = []
    for _ in range(200_000):
        deep = [deep]
    for value in (float("nan"), ring, deep):
        with pytest.raises(ValueError, match=r".+"):
            dumps(value)


@pytest.fixture
def _no_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)
    monkeypatch.setattr(jsontext, "_kept", {})


@pytest.mark.usefixtures("_no_accelerator")
@pytest.mark.parametrize(
    ("text", "value"), [('{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}), ('"é"', "é")]
)
def test_without_the_c_parts(text: str, value: object) -> None:
    """An interpreter without ``_json`` reads and writes the same."""
    assert jsontext.loads(text) == value
    assert jsontext.loads(jsontext.dumps(value)) == value
    for bad in ("[NaN]", "{} {}", "[" * 10_000):
        with pytest.raises(JsonError):
            jsontext.loads(bad)
