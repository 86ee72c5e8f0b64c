"""AuthZEN 1.0: the shapes, semantics and errors of the specification, and that only an allow that
lacks nothing is ``true``.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from interlock.service.callers import policy as policies
from tests.calling import PROJECT, Calling
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.protocol import ServiceReader
    from interlock.service.store.views import DecisionDetail

ONE, MANY = "/access/v1/evaluation", "/access/v1/evaluations"
ALICE = {"type": "user", "id": "alice@example.com"}
RUNS, DENIED, ASKS = "ls -la", "rm -rf /", "git push --force origin main"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture(scope="module")
def caller(service: Served) -> Calling:
    """Return a program that may ask."""
    return Calling(service)


def tool(command: str) -> dict[str, Any]:
    """Return a shell as a resource, with a command."""
    return {"type": "tool", "id": "Bash", "properties": {"command": command}}


def access(command: str, **context: Any) -> dict[str, Any]:
    """Return the question whether an agent may run a command."""
    return {
        "subject": {"type": "agent", "id": "billing-bot"},
        "action": {"name": "Bash"},
        "resource": tool(command),
        "context": {"cwd": PROJECT, "roots": [PROJECT], **context},
    }


def evaluate(caller: Calling, body: object, path: str = ONE) -> dict[str, Any]:
    """Return the answer to a question."""
    answer = caller.post(path, body)
    assert answer.status == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    found: dict[str, Any] = answer.json
    return found


@pytest.mark.parametrize(("command", "verdict"), [(RUNS, "allow"), (DENIED, "deny"), (ASKS, "ask")])
def test_only_an_allow_is_true(caller: Calling, command: str, verdict: str) -> None:
    """The same verdict as by the native route; an ask is false, with the request that waits."""
    found = evaluate(caller, access(command))
    assert caller.decide(command)["verdict"] == verdict
    assert found["decision"] is (verdict == "allow")
    assert found["context"]["verdict"] == verdict
    assert ("request" in found["context"], "retry_after" in found["context"]) == (
        (verdict == "ask",) * 2
    )
    assert found["context"]["id"] in caller.recorded()


def test_subjects_are_agents_and_people(caller: Calling) -> None:
    """A subject of the type agent is the agent, any other is for whom it works."""
    known = caller.service.scene.keeping
    for subject, agent, user in (
        ({"type": "agent", "id": "bot-7"}, "bot-7", ""),
        (ALICE, "billing-bot", "alice@example.com"),
    ):
        found = evaluate(caller, {**access(RUNS), "subject": subject})
        row = known.read(partial(_row, caller.chain, found["context"]["id"]))
        assert row is not None
        assert row.seen.agent == agent
        assert json.loads(str(row.row["call"])).get("user", "") == user


def _row(chain: str, name: str, known: ServiceReader) -> DecisionDetail | None:
    return known.decision(chain, name)


READ_ONE = {
    "subject": ALICE, "action": {"name": "can_read", "properties": {"method": "GET"}},
    "resource": {"type": "account", "id": "123", "properties": {"library_record": {"title": "x"}}},
    "context": {"time": "1985-10-26T01:22-07:00", "extra": {"deep": [1, 2]}},
}  # fmt: skip


def test_what_is_no_tool_is_judged_by_what_it_is_called(caller: Calling) -> None:
    """A resource that is no tool is what the action is done to; context that is not known is not
    looked at.
    """
    found = evaluate(caller, READ_ONE)
    row = caller.service.scene.keeping.read(
        lambda known: known.decision(caller.chain, found["context"]["id"])
    )
    assert row is not None
    assert json.loads(str(row.row["parameters"])) == {
        "resource": "account", "id": "123", "library_record": {"title": "x"}, "method": "GET",
    }  # fmt: skip
    assert row.seen.action == "can_read"
    deletes = {**READ_ONE, "action": {"name": "delete_account"}}
    assert evaluate(caller, deletes)["context"]["verdict"] != found["context"]["verdict"]


def twice(command: str) -> dict[str, Any]:
    """Return a question whose action says a command, beside the resource that says another."""
    action = {"name": "Bash", "properties": {"command": command}}
    return {**access(RUNS), "action": action}


def test_what_is_said_twice_is_one_thing(caller: Calling) -> None:
    """Who asks may run either: two that differ are no question, the same said twice is one."""
    assert evaluate(caller, twice(RUNS))["decision"] is True
    found = evaluate(caller, {"evaluations": [twice(RUNS), twice(DENIED)]}, MANY)
    assert [one["decision"] for one in found["evaluations"]] == [True, False]


LACKING: list[tuple[object, str]] = (
    [
        (twice(DENIED), "'command' is said twice"),
        ({**access(RUNS, user="x"), "subject": ALICE}, "'user' is said twice"),
        ({**READ_ONE, "action": {"name": "x", "properties": {"id": "7"}}}, "'id' is said twice"),
    ]
    + [
        ({name: value for name, value in access(RUNS).items() if name != left}, left)
        for left in ("subject", "action", "resource")
    ]
    + [
        ({**access(RUNS), "subject": {"id": "x"}}, "type"),
        ({**access(RUNS), "subject": {"type": "agent"}}, "id"),
        ({**access(RUNS), "resource": {"type": "tool"}}, "id"),
        ({**access(RUNS), "action": {}}, "name"),
        ({**access(RUNS), "action": {"name": 7}}, "name"),
        ({**access(RUNS), "action": "Bash"}, "action"),
        ({**access(RUNS), "context": []}, "context"),
        ({**access(RUNS), "context": {"cwd": 7}}, "cwd"),
        ({**access(RUNS), "context": {"session": "interlock-doctor"}}, "session"),
        ([access(RUNS)], "object"),
    ]
)


@pytest.mark.parametrize(("body", "word"), LACKING, ids=range(len(LACKING)))
def test_what_lacks_something_is_a_problem(caller: Calling, body: object, word: str) -> None:
    """400 with what is missing or wrong, by both routes; and no decision."""
    for path in (ONE, MANY):
        answer = caller.post(path, body)
        assert (answer.status, answer.headers["content-type"]) == (400, "application/problem+json")
        assert word in answer.json["title"]
        assert "decision" not in answer.json


def test_one_may_be_asked_of_the_route_for_several(caller: Calling) -> None:
    """Without a list, or with an empty one, it is the single evaluation."""
    for body in (access(RUNS), {**access(RUNS), "evaluations": []}):
        found = evaluate(caller, body, MANY)
        assert found["decision"] is True
        assert "evaluations" not in found


def several(*commands: str, semantic: str = "") -> dict[str, Any]:
    """Return several questions with all but the resource in common."""
    usual = {name: value for name, value in access(RUNS).items() if name != "resource"}
    options = {"options": {"evaluations_semantic": semantic}} if semantic else {}
    return {**usual, **options, "evaluations": [{"resource": tool(one)} for one in commands]}


SEMANTICS = [
    ("", (RUNS, DENIED, RUNS), [True, False, True]),
    ("execute_all", (RUNS, DENIED, RUNS), [True, False, True]),
    ("deny_on_first_deny", (RUNS, DENIED, RUNS), [True, False]),
    ("deny_on_first_deny", (RUNS, ASKS, RUNS), [True, False]),
    ("deny_on_first_deny", (RUNS, RUNS), [True, True]),
    ("permit_on_first_permit", (RUNS, RUNS, RUNS), [True]),
    ("permit_on_first_permit", (DENIED, ASKS, RUNS, RUNS), [False, False, True]),
    ("permit_on_first_permit", (DENIED, DENIED), [False, False]),
]


@pytest.mark.parametrize(("semantic", "commands", "expected"), SEMANTICS)
def test_the_three_semantics(
    caller: Calling, semantic: str, commands: tuple[str, ...], expected: list[bool]
) -> None:
    """All in their order; up to the first denial; up to the first permit. What was not evaluated
    is not recorded.
    """
    before = len(caller.recorded())
    found = evaluate(caller, several(*commands, semantic=semantic), MANY)
    assert [one["decision"] for one in found["evaluations"]] == expected
    assert "decision" not in found
    assert len(caller.recorded()) - before == len(expected)


def test_a_semantic_that_is_none_is_a_problem(caller: Calling) -> None:
    """It is not taken for another one."""
    answer = caller.post(MANY, several(RUNS, semantic="any"))
    assert (answer.status, "execute_all" in answer.json["title"]) == (400, True)


def test_usual_values_are_overridden_whole(caller: Calling) -> None:
    """What an evaluation names itself replaces what is said for all, as a whole."""
    body = several(RUNS, DENIED)
    body["evaluations"][1]["action"] = {"name": "can_read"}
    body["evaluations"][1]["resource"] = {"type": "document", "id": "7"}
    first, second = evaluate(caller, body, MANY)["evaluations"]
    assert first["decision"] is True
    assert second["context"]["verdict"] != "deny"
    body["context"] = {"cwd": PROJECT, "session": "interlock-doctor"}
    assert caller.post(MANY, body).status == 400


@pytest.mark.parametrize(
    "semantic", ["execute_all", "deny_on_first_deny", "permit_on_first_permit"]
)
def test_what_cannot_be_read_of_several_is_false(caller: Calling, semantic: str) -> None:
    """An error of one evaluation is its own: false, with what is wrong, and it ends what a denial
    ends.
    """
    body = several(DENIED, RUNS, RUNS, semantic=semantic)
    body["evaluations"][1] = {"resource": {"type": "tool"}}
    found = evaluate(caller, body, MANY)["evaluations"]
    expected = {
        "execute_all": [False, False, True],
        "deny_on_first_deny": [False],
        "permit_on_first_permit": [False, False, True],
    }[semantic]
    assert [one["decision"] for one in found] == expected
    if len(found) > 1:
        assert found[1]["context"]["error"]["status"] == 400
    body["evaluations"].reverse()
    back = evaluate(caller, body, MANY)["evaluations"]
    ends = {"deny_on_first_deny": [True, False], "permit_on_first_permit": [True]}
    assert [one["decision"] for one in back] == ends.get(semantic, [True, False, False])


def test_a_hundred_and_no_more(caller: Calling) -> None:
    """As many as a batch holds."""
    found = evaluate(caller, several(*[RUNS] * 100), MANY)
    assert len(found["evaluations"]) == 100
    assert caller.post(MANY, several(*[RUNS] * 101)).status == 400


DUTY = """\
version: 1
rules:
  - id: own.reports
    title: makes a report
    match: {commands: [report]}
    action: warn
obligations:
  - {rule: own.reports, do: sandbox}
"""


def test_an_obligation_is_false_for_who_does_not_carry_it_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever says that it runs the call in a sandbox may run it, and is told to."""
    monkeypatch.setattr(policies, "LOOK_SECONDS", 0.0)
    with served(tmp_path / "service") as found:
        caller = Calling(found)
        file = tmp_path / "service/policy.yaml"
        file.write_text(DUTY)
        file.chmod(0o600)
        without = evaluate(caller, access("report --all"))
        carried = evaluate(caller, access("report --all", carries=["sandbox"]))
        other = evaluate(caller, access("report --all", carries=["redact"]))
        assert [one["decision"] for one in (without, carried, other)] == [False, True, False]
        assert carried["context"]["obligations"] == [
            {"name": "sandbox", "met": "who runs the call"}
        ]


def test_the_configuration_says_where(service: Served) -> None:
    """Without a credential, by the service's own address; the endpoints it names answer."""
    found = service.ask("GET", "/.well-known/authzen-configuration")
    assert (found.status, found.headers["content-type"]) == (200, "application/json")
    said = found.json
    assert said["policy_decision_point"] == service.url
    caller = Calling(service, "finds-out")
    one = said["access_evaluation_endpoint"].removeprefix(service.url)
    many = said["access_evaluations_endpoint"].removeprefix(service.url)
    assert evaluate(caller, access(RUNS), one)["decision"] is True
    assert evaluate(caller, several(RUNS), many)["evaluations"][0]["decision"] is True


def test_a_request_is_named_as_the_caller_named_it(caller: Calling) -> None:
    """``X-Request-ID`` comes back; a word that is none does not."""
    for path in (ONE, MANY):
        answer = caller.post(path, access(RUNS), **{"X-Request-ID": "bfe9eb29-ab87"})
        assert answer.headers["x-request-id"] == "bfe9eb29-ab87"
    assert "x-request-id" not in caller.post(ONE, access(RUNS)).headers
    assert (
        "x-request-id" not in caller.post(ONE, access(RUNS), **{"X-Request-ID": "x" * 600}).headers
    )
