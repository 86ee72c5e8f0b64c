"""Every record survives the way to plain data and back, and the schema does not change unseen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.model import codec
from interlock.model.action import ASK, DENY, Action
from interlock.model.call import Outcome, ToolCall
from interlock.model.decision import Decision, Finding, Settled
from interlock.model.effect import KINDS, Deletes, Effect, Place, Reads, Span
from interlock.model.facts import Repository
from interlock.model.jsontext import dumps, loads
from interlock.model.policy import Policy
from interlock.model.rule import Call, Rule, on

if TYPE_CHECKING:
    from interlock.model.record import Record

GOLDEN = Path(__file__).with_name("schema.golden.json")

TEXT = st.text(max_size=8)
NAMES = st.frozensets(TEXT, max_size=3)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
CALLS = st.builds(
    ToolCall,
    TEXT,
    TEXT,
    st.dictionaries(TEXT, PLAIN, max_size=3),
    TEXT,
    st.lists(TEXT, max_size=2).map(tuple),
    headless=st.booleans(),
)
SPANS = st.builds(Span, st.integers(0, 9), st.integers(0, 99), st.integers(0, 99))
PLACES = st.builds(Place, TEXT, NAMES, TEXT)
EFFECTS = st.builds(
    Effect,
    st.sampled_from(KINDS),
    TEXT,
    st.none() | PLACES,
    TEXT,
    NAMES,
    st.booleans(),
    st.none() | SPANS,
    TEXT,
    TEXT,
    st.sampled_from([None, True, False]),
)
ACTIONS = st.integers(0, 5).map(Action)
FINDINGS = st.builds(
    Finding,
    TEXT,
    ACTIONS,
    TEXT,
    TEXT,
    TEXT,
    st.none() | EFFECTS,
    st.none() | st.builds(Settled, ACTIONS, TEXT),
    st.integers(0, 9),
    NAMES,
)
RECORDS: st.SearchStrategy[Record] = st.one_of(
    CALLS,
    EFFECTS,
    FINDINGS,
    st.builds(Outcome, CALLS, TEXT, TEXT, st.integers(0, 9)),
    st.builds(Decision, TEXT, st.lists(FINDINGS, max_size=2).map(tuple)),
    st.builds(Repository, TEXT, TEXT),
)


@given(RECORDS)
def test_round_trip(record: Record) -> None:
    """What is encoded, written as JSON text, read and decoded is the same record."""
    assert codec.unwrap(loads(dumps(codec.wrap(record)))) == record
    assert codec.decode(type(record), json.loads(json.dumps(codec.encode(record)))) == record


def test_rules_and_policies_survive() -> None:
    """A rule with both sorts of example, and the policy that holds it, come back equal."""
    rule = Rule(
        "a.b",
        "t",
        "w",
        "i",
        on(Deletes, Reads, has={"force"}),
        DENY,
        possible=ASK,
        catches=("rm x", Call("write", (("p", "/x"),))),
    )
    policy = Policy((rule,), hosts=frozenset({"a", "b"}))
    assert codec.decode(Policy, codec.encode(policy)) == policy


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"rule": "a"}, "Finding: the field 'action' is missing"),
        ({"rule": "a", "action": "ask", "colour": 1}, "Finding: there is no field 'colour'"),
        ({"rule": "a", "action": "maybe"}, "Finding.action: expected one of allow, warn"),
        ({"rule": 7, "action": "ask"}, "Finding.rule: expected text, found 7"),
        (
            {"rule": "a", "action": "ask", "retry_after": True},
            "Finding.retry_after: expected a whole number, found True",
        ),
        (
            {"rule": "a", "action": "ask", "effect": {"kind": "flies"}},
            "Finding.effect.kind: expected a kind of effect",
        ),
        ({"rule": "a", "action": "ask", "tags": "x"}, "Finding.tags: expected a list"),
        ([], "Finding: expected an object"),
    ],
)
def test_nonsense_is_refused_by_place(data: object, words: str) -> None:
    """What is no such record is refused, and the words say where and what was expected."""
    with pytest.raises(codec.MalformedError) as caught:
        codec.decode(Finding, data)
    assert words in str(caught.value)


def test_a_newer_schema_is_refused() -> None:
    """Data of a later schema is not guessed at; its twin of this schema is read."""
    data = codec.wrap(Decision("d"))
    assert codec.unwrap(data) == Decision("d")
    with pytest.raises(codec.MalformedError, match="upgrade interlock"):
        codec.unwrap({**data, "schema": codec.SCHEMA_VERSION + 1})


def test_what_no_record_may_hold_is_refused() -> None:
    """Bytes and keys that are no text are not written down as something else."""
    for value in (b"x", {1: 2}, object()):
        with pytest.raises(TypeError):
            codec.encode(value)


def test_schema_is_the_golden_one() -> None:
    """A field that changes shows in the golden file (written anew with ``python
    tests/model/test_codec.py``).
    """
    assert codec.schema() == json.loads(GOLDEN.read_text(encoding="utf-8"))


def _write() -> None:
    shown: dict[str, Any] = codec.schema()
    GOLDEN.write_text(json.dumps(shown, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _write()
