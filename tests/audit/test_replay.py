"""A law: a row, free of secrets as it is, is judged like the call was, by any policy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.audit.entry import MOST_COMMANDS, Judgement, decision_row
from interlock.audit.redact import Redactor
from interlock.audit.replay import SHORT, findings, remember, replay
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model.action import ASK
from interlock.model.call import ToolCall
from interlock.model.codec import MalformedError
from interlock.model.decision import Decision, Finding, Obligation
from interlock.model.effect import Effect, Place, Reading, Reads, Text
from interlock.model.policy import Policy
from interlock.model.radius import Radius
from interlock.model.rule import Match, Rule
from interlock.policy.builtin import builtin
from interlock.store.schema import AUDIT_COLUMNS
from tests.test_reference import EFFECTS, policies

if TYPE_CHECKING:
    from interlock.model.record import Record

REDACTOR = Redactor(lambda: b"k" * 32)
SECRET = "ghp_" + "a1B2" * 9


@given(policies(), EFFECTS, st.booleans())
def test_a_row_is_judged_like_its_call(
    rules: tuple[Rule, ...], effects: tuple[Effect, ...], secret: bool
) -> None:
    """The rules that spoke, what they said and of which effect are the same, whether or not the
    words held a secret.
    """
    call = ToolCall("shell", "Bash", {"command": f"x {SECRET}"}, "/w", ("/w",), session="s")
    policy = Policy(rules)
    told = (
        tuple([effect.replace(detail=f"with {SECRET}", by="x") for effect in effects])
        if secret
        else effects
    )
    decision = decide(call, Reading(told), policy, "d")
    _, values = decision_row(Judgement(call, Reading(told), decision, policy), REDACTOR)
    row = dict(zip(AUDIT_COLUMNS, values, strict=True))
    assert SECRET not in repr(row)
    again = decide(*replay(row), policy, "d")
    assert again.findings == findings(row)
    assert [(one.rule, one.action) for one in again.findings] == [
        (one.rule, one.action) for one in decision.findings
    ]
    assert again.verdict == decision.verdict


@pytest.mark.parametrize("profile", ["careful", "strict"])
@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "some-program --flag",
        "mysql --password=hunter2hunter2 -e x",
        "find . -exec node {} +",
        "$PROGRAM",
    ],
)
def test_a_row_keeps_the_commands_that_its_policy_looked_at(profile: str, command: str) -> None:
    """What a profile says of programs is said of the row too; a secret among the words is none of
    them.
    """
    call, policy = (
        ToolCall(
            "shell", "Bash", {"command": command}, "/home/user/p", ("/home/user/p",), session="s"
        ),
        builtin(profile),
    )
    reading = read(call, Recorded("/home/user"))
    decision = decide(call, reading, policy, "d")
    row = dict(
        zip(
            AUDIT_COLUMNS,
            decision_row(Judgement(call, reading, decision, policy), REDACTOR)[1],
            strict=True,
        )
    )
    assert "hunter2" not in repr(row)
    assert [(one.rule, one.action) for one in decide(*replay(row), policy, "d").findings] == [
        (one.rule, one.action) for one in decision.findings
    ]


def test_no_commands_are_kept_where_nothing_looks_at_them() -> None:
    """The default policy judges effects, and its rows stay as short as they were; a call of too
    many commands keeps none rather than some.
    """
    for command, profile in (("ls -la", "default"), ("ls;" * (MOST_COMMANDS + 1), "careful")):
        call = ToolCall("shell", "Bash", {"command": command}, "/w", ("/w",))
        reading, policy = read(call, Recorded("/home/user")), builtin(profile)
        values = decision_row(
            Judgement(call, reading, decide(call, reading, policy, "d"), policy), REDACTOR
        )[1]
        assert values[AUDIT_COLUMNS.index("commands")] is None


@pytest.mark.parametrize("value", ["[1]", '["ls"]', '[["ls", 1]]', "{}", "["])
def test_commands_that_cannot_be_read_are_said(value: str) -> None:
    """A row that somebody changed is malformed, never a traceback and never another answer."""
    call, policy = ToolCall("shell", "Bash", {"command": "ls"}, "/w", ("/w",)), builtin()
    reading = read(call, Recorded("/home/user"))
    row = dict(
        zip(
            AUDIT_COLUMNS,
            decision_row(
                Judgement(call, reading, decide(call, reading, policy, "d"), policy), REDACTOR
            )[1],
            strict=True,
        )
    )
    if value == "{}":
        assert replay({**row, "commands": None})[1].commands == ()
    with pytest.raises(MalformedError, match="commands"):
        replay({**row, "commands": value})


WORDS_OF_OURS = {("Effect", "kind"), ("Place", "location"), ("Finding", "rule"), ("Finding", "stage"), ("Decision", "id"), ("Decision", "coverage"),
                 ("Obligation", "name"), ("Obligation", "met")}  # fmt: skip
"""Texts that are never a call's: names of ours, and of the people who approve."""


def filled(cls: type[Record], **parts: object) -> Record:
    """Return a record with a secret in each of its texts."""
    types = vars(cls)["__annotations__"]
    texts = {
        name: SECRET
        for name, kind in types.items()
        if kind == "str" and (cls.__name__, name) not in WORDS_OF_OURS
    }
    lists = {
        name: (SECRET, f"-H token:{SECRET}")
        for name, kind in types.items()
        if kind == "tuple[str, ...]"
    }
    return cls(**{**texts, **lists, **parts})


def test_no_text_of_a_record_keeps_a_secret() -> None:
    """Whatever field it stands in, of an effect, its place, where a link really leads, a finding,
    what would be lost: a field added later too.
    """
    place = filled(Place, location="workspace")
    effect = filled(Effect, kind=Reads, place=place)
    finding = filled(Finding, rule="a.b", action=ASK, effect=effect)
    radius, duty = filled(Radius), filled(Obligation, name="notify")
    decision = Decision("d", (finding,), (duty,), radius=radius)  # type: ignore[arg-type]
    call = ToolCall(
        "shell",
        "Bash",
        {"command": f"x {SECRET}", SECRET: [SECRET]},
        SECRET,
        (SECRET,),
        intent=SECRET,
        scope=SECRET,
        transcript=SECRET,
    )
    reading = Reading((effect,), (Text(SECRET),), commands=(("x", SECRET),))  # type: ignore[arg-type]
    policy = Policy((Rule("a.b", "t", "", "", Match((), commands=("x",)), ASK),))
    assert place.real == SECRET  # type: ignore[attr-defined]
    assert SECRET not in repr(decision_row(Judgement(call, reading, decision, policy), REDACTOR))


def test_equal_rows_are_equal_and_share_nothing_that_can_be_changed() -> None:
    """A text that was read before is not read again, and what one call was given is no other's."""
    call = ToolCall("shell", "Bash", {"command": "make"}, "/w", ("/w",), session="s")
    reading = Reading((Effect(Reads, "/w/a", Place("workspace")),))
    decision = decide(call, reading, builtin(), "d")
    _, values = decision_row(Judgement(call, reading, decision, builtin()), REDACTOR)
    row = dict(zip(AUDIT_COLUMNS, values, strict=True))
    first, again = replay(row), replay(row)
    assert first == again == (call, reading)
    first[0].input["command"] = "other"  # type: ignore[index]
    assert replay(row) == (call, reading)
    assert replay({**row, "cwd": "/v", "session_id": "t"})[0] == call.replace(cwd="/v", session="t")


def test_only_short_texts_are_kept() -> None:
    """All of a row's together; so what is kept of rows that a machine made up has a bound."""
    came: list[tuple[str, ...]] = []
    recall = remember(lambda *texts: came.append(texts))
    for texts in (("a", "b"), ("a", "b"), ("a", "b" * SHORT), ("a", "b" * SHORT)):
        recall(*texts)
    assert [len(texts[1]) for texts in came] == [1, SHORT, SHORT]


@pytest.mark.parametrize(
    ("column", "text", "said"),
    [
        ("effects", '[{"kind":"reads","place":{"location":3}}]', "Effect.place.location: expected"),
        ("effects", '[{"kind":"reads","only":["a",3]}]', "Effect.only[1]: expected text, found 3"),
        ("effects", "3", "effects"),
        ("parameters", "[]", "parameters"),
        ("call", "[]", "call"),
    ],
)
def test_what_is_no_row_says_where(column: str, text: str, said: str) -> None:
    """A row that was changed is refused each time that it is read, with the place."""
    call = ToolCall("shell", "Bash", {"command": "make"}, "/w", ("/w",), session="s")
    decision = decide(call, Reading(()), builtin(), "d")
    _, values = decision_row(Judgement(call, Reading(()), decision, builtin()), REDACTOR)
    row = {**dict(zip(AUDIT_COLUMNS, values, strict=True)), column: text}
    for _ in range(2):
        with pytest.raises(MalformedError) as error:
            replay(row)
        assert said in str(error.value)
