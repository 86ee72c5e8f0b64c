"""What is kept of a judgement: S3's fields, nothing secret, enough to judge again; and what became
of the call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.audit.entry import Judgement, validation_result
from interlock.audit.log import Audit
from interlock.audit.query import Filter, last
from interlock.audit.replay import findings, replay
from interlock.audit.verify import verify_store
from interlock.engine.decide import decide
from interlock.model.action import ALLOW, ASK, DENY, REVIEW, THROTTLE, WARN, Action, Verdict
from interlock.model.call import Outcome, ToolCall
from interlock.model.codec import MalformedError
from interlock.model.decision import Decision, Finding
from interlock.model.effect import (
    HOME,
    SECRET,
    WORKSPACE,
    Deletes,
    Effect,
    Place,
    Reading,
    Reads,
    Sends,
    Span,
)
from interlock.model.policy import Policy
from interlock.model.rule import Rule, on
from interlock.store.database import Store

if TYPE_CHECKING:
    from pathlib import Path

POLICY = Policy(
    (
        Rule("fs.delete", "t", "w", "i", on(Deletes, location={HOME}), ASK),
        Rule("secret.read", "t", "w", "i", on(Reads, nature={SECRET}), DENY),
        Rule("net.send", "t", "w", "i", on(Sends), WARN),
    ),
    hash="h1",
)
EFFECTS = (
    Effect(Deletes, "/home/u/x", Place(HOME), traits=frozenset({"recursive"}), span=Span(0, 1, 2)),
    Effect(Sends, "https://u:hunter2@h/", host="unknown", certain=False),
    Effect(Reads, "/home/u/.ssh/id", Place(HOME, frozenset({SECRET})), undoable=False),
    Effect(Deletes, "/w/x", Place(WORKSPACE)),
)


def judge(store: Store, call: ToolCall, *effects: Effect, number: str = "d-1") -> Decision:
    """Judge a call by the small policy, and record it."""
    reading = Reading(effects)
    decision = decide(call, reading, POLICY, number)
    store.commit(
        [
            Audit(store).judged(
                Judgement(call, reading, decision, POLICY, ("reading",), {"home": {"": "/home/u"}})
            )
        ]
    )
    return decision


def call(command: str = "ls", call_id: str = "", user: str = "") -> ToolCall:
    """Return a shell call."""
    return ToolCall(
        "shell",
        "Bash",
        {"command": command},
        "/w",
        ("/w",),
        session="s",
        agent="claude-code",
        call_id=call_id,
        user=user,
    )


@pytest.mark.parametrize(
    ("action", "word"),
    [
        (ALLOW, "allowed"),
        (WARN, "allowed"),
        (REVIEW, "requires_confirmation"),
        (ASK, "requires_confirmation"),
        (THROTTLE, "throttled"),
        (DENY, "blocked"),
    ],
)
def test_words_of_the_document(action: Action, word: str) -> None:
    """Every action has one of the document's four words."""
    assert validation_result(action) == word


@given(st.integers(0, len(Action.names) - 1).map(Action))
def test_mapping_is_total_and_true(action: Action) -> None:
    """No action is without a word, and only what runs by itself is called allowed (the document's
    hook let THROTTLED run).
    """
    assert (validation_result(action) == "allowed") == (Verdict.of(action) == Verdict.of(ALLOW))


def test_fields(tmp_path: Path) -> None:
    """A row holds the document's fields and ours, and its indexes are there."""
    store = Store(str(tmp_path))
    judge(store, call("rm -rf ~/x"), *EFFECTS[:1])
    (row,) = last(store)
    wanted = {
        "id": 1,
        "action": "Bash",
        "parameters": '{"command":"rm -rf ~/x"}',
        "validation_result": "requires_confirmation",
        "rule_id": "fs.delete",
    }
    assert wanted.items() <= row.items()
    assert (
        row["verdict"],
        row["session_id"],
        row["decision_id"],
        row["policy_hash"],
        row["agent"],
        row["cwd"],
    ) == (
        "ask",
        "s",
        "d-1",
        "h1",
        "claude-code",
        "/w",
    )
    assert str(row["timestamp"])[:10] == str(row["created_at"])[:10]
    names = {
        str(name) for (name,) in store.query("SELECT name FROM sqlite_master WHERE type = 'index'")
    }
    assert {"idx_guardrail_session", "idx_guardrail_timestamp", "idx_guardrail_rule"} <= names


def test_replay(tmp_path: Path) -> None:
    """The same policy finds in a row what it found in the call, secrets being marks by then."""
    store = Store(str(tmp_path))
    asked = call("curl https://u:hunter2@h/", call_id="c1", user="bob")
    decision = judge(store, asked, *EFFECTS)
    (row,) = last(store)
    assert "hunter2" not in repr(row)
    again, reading = replay(row)
    replayed = decide(again, reading, POLICY, "d-2").findings
    assert replayed == findings(row)
    assert [(f.rule, f.action) for f in replayed] == [(f.rule, f.action) for f in decision.findings]
    assert again == asked.replace(input=again.input)
    with pytest.raises(MalformedError, match="upgrade"):
        replay({**row, "schema": 99})
    with pytest.raises(MalformedError, match="effects"):
        replay({**row, "effects": "[{"})


def test_outcome_by_id_and_by_likeness(tmp_path: Path) -> None:
    """An outcome finds its decision by the call's id, else the oldest open one of the same tool and
    input; its excerpt is bounded and clean.
    """
    store = Store(str(tmp_path))
    audit = Audit(store)
    judge(store, call("a", call_id="1"), number="1")
    judge(store, call("b"), number="2")
    judge(store, call("b"), number="3")
    judge(store, call("c", call_id="4"), EFFECTS[2], number="4")
    for done in (
        Outcome(call("b"), "ran", "first"),
        Outcome(call("b"), "failed", "second", 7),
        Outcome(call("a", call_id="1"), "ran", "password=hunter2" * 999),
    ):
        store.commit([audit.outcome(done)])
    rows = {row["decision_id"]: row for row in last(store)}
    assert [rows[number]["status"] for number in "1234"] == ["ran", "ran", "failed", "refused"]
    assert (rows["2"]["result"], rows["3"]["result"], rows["3"]["duration_ms"]) == (
        "first",
        "second",
        7,
    )
    assert "hunter2" not in str(rows["1"]["result"])
    assert len(str(rows["1"]["result"])) < 2200


def test_what_ran_although_it_was_denied_says_so(tmp_path: Path) -> None:
    """By the call's id and by likeness; what is only told to have failed was refused, as it was
    judged; the chain is whole.
    """
    store = Store(str(tmp_path))
    audit = Audit(store)
    judge(store, call("a", call_id="1"), EFFECTS[2], number="1")
    judge(store, call("b"), EFFECTS[2], number="2")
    judge(store, call("c"), EFFECTS[2], number="3")
    for done in (
        Outcome(call("a", call_id="1"), "ran", "out"),
        Outcome(call("b"), "ran", "out"),
        Outcome(call("c"), "failed", "out"),
    ):
        store.commit([audit.outcome(done)])
    rows = {row["decision_id"]: row for row in last(store)}
    assert [(rows[number]["verdict"], rows[number]["status"]) for number in "123"] == [
        ("deny", "ran"),
        ("deny", "ran"),
        ("deny", "refused"),
    ]
    assert verify_store(store, []).problems == ()


def test_outcome_repeats_a_secret(tmp_path: Path) -> None:
    """A secret of the input is not kept because the output says it bare; other words of the output
    stay.
    """
    store = Store(str(tmp_path))
    asked = call("curl -u bob:hunter2x https://h", call_id="1")
    judge(store, asked, number="1")
    store.commit([Audit(store).outcome(Outcome(asked, "ran", "you are bob, with hunter2x"))])
    said = str(last(store)[0]["result"])
    assert "hunter2x" not in said
    assert said.startswith("you are bob, with <password:")


def test_filters(tmp_path: Path) -> None:
    """The log is asked by session, verdict, any finding's rule, time and number; the newest is
    first.
    """
    store = Store(str(tmp_path))
    judge(store, call("a"), number="1")
    judge(store, call("b").replace(session="t"), *EFFECTS[:2], number="2")
    judge(store, call("c"), EFFECTS[2], number="3")

    def found(**wanted: object) -> list[object]:
        return [row["decision_id"] for row in last(store, Filter(**wanted))]  # type: ignore[arg-type]

    assert found() == ["3", "2", "1"]
    assert found(limit=1) == ["3"]
    assert found(session="t") == ["2"]
    assert found(verdict="allow") == ["1"]
    assert found(rule="fs.delete") == ["2"]
    assert found(since="2999") == []
    assert found(since="2000") == ["3", "2", "1"]


@pytest.mark.parametrize(
    "given_",
    [
        {"x": float("nan")},
        {"x": "\ud800"},
        {"x": [[[[]]]] * 3},
        {"x": object()},
        {},
        {"x": 10**400},
        {"\ud800": 1},
        {"x": "\0"},
    ],
)
def test_odd_input_is_recorded(tmp_path: Path, given_: dict[str, object]) -> None:
    """Whatever a client or an embedder hands in, there is a row."""
    store = Store(str(tmp_path))
    judge(store, ToolCall("mcp", "m\ud800", given_, "/w\udcff", session="s"))
    assert len(last(store)) == 1


def test_a_decision_is_recorded_once(tmp_path: Path) -> None:
    """The same write done twice (a spool taken in after a crash) leaves one row."""
    store = Store(str(tmp_path))
    reading = Reading(())
    decision = Decision("d", (Finding("a.b", ASK),))
    write = Audit(store).judged(Judgement(call(), reading, decision, POLICY))
    store.commit([write])
    store.commit([write])
    assert len(last(store)) == 1


def test_no_byte_of_a_secret_reaches_the_disk(tmp_path: Path) -> None:
    """What is hashed, written, logged beside the file, spooled and exported is free of secrets: in
    no file of the store is one found.
    """
    store = Store(str(tmp_path))
    audit = Audit(store)
    secret = "ghp_" + "a1B2" * 9
    asked = call(f"git clone https://{secret}@github.com/a/b", call_id="1")
    judge(store, asked, Effect(Sends, f"https://{secret}@github.com/a/b", host="unknown"))
    store.commit(
        [
            audit.outcome(Outcome(asked, "ran", f"cloned with {secret}")),
            audit.event("grant", f"git clone {secret}", {"note": secret}),
        ]
    )
    store.spool(
        [
            audit.event("grant", "g", {"deep": [{"er": secret}]}),
            audit.outcome(Outcome(call("x", call_id="none"), "ran", secret)),
        ]
    )
    files = list(tmp_path.iterdir())
    assert {"interlock.db", "interlock.db-wal", "spool.jsonl"} <= {path.name for path in files}
    assert [path.name for path in files if secret.encode() in path.read_bytes()] == []
    store.commit([])
    assert secret not in repr(store.query("SELECT * FROM audit_event")) + repr(last(store))
    assert len(store.query("SELECT 1 FROM audit_event WHERE kind = 'grant'")) == 2
