"""What a tenant's policy says of callers: limits, stops by themselves, obligations, approvers."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from interlock.service.approvals.votes import VoteAnswer, VoteError, vote
from interlock.service.callers import policy as policies
from interlock.service.hooks.sending import create_hook
from interlock.service.stops.stops import resume, ring
from interlock.store.chain import now
from tests.calling import Calling, bash, stand_as_approver
from tests.serving import served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def judging_by(folder: Path, policy: str) -> Iterator[Calling]:
    """Serve a policy; return a program that may ask."""
    with served(folder) as found:
        file = folder / "policy.yaml"
        file.write_text(f"version: 1\n{policy}")
        file.chmod(0o600)
        yield Calling(found)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a policy count from the next call on."""
    monkeypatch.setattr(policies, "LOOK_SECONDS", 0.0)


def test_a_rate_counts_the_calls_of_a_session(tmp_path: Path) -> None:
    """What is too much is denied, with the time after which it is not; another session goes on,
    and a restart forgets nothing.
    """
    limits = "limits:\n  rates:\n    - {rate: 3/1h}\n"
    with judging_by(tmp_path / "service", limits) as caller:
        found = [caller.decide(f"ls {number}", session="s") for number in range(4)]
        assert [one["verdict"] for one in found] == ["allow", "allow", "allow", "deny"]
        assert found[3]["retry_after"] > 0
        assert "request" not in found[3]
        assert caller.decide("ls", session="other")["verdict"] == "allow"
        token, name = caller.headers, caller.id
    with served(tmp_path / "service") as again:
        body = json.dumps(bash("ls 5", session="s"))
        answer = again.ask("POST", "/v1/decide", token, body)
        assert (answer.status, answer.json["verdict"]) == (200, "deny"), name


@pytest.mark.parametrize("what", ["denials: 3/1h", "repeats: 3", "calls: 3/1h"])
def test_a_session_is_stopped_by_itself_and_resumed_by_people(tmp_path: Path, what: str) -> None:
    """As the policy says: the stop stands among those of the fleet, nothing of that session runs
    until somebody resumes it there, and other sessions go on.
    """
    with judging_by(tmp_path / "service", f"stop: {{{what}}}\n") as caller:
        made = caller.service.scene
        commands = ["rm -rf /"] * 4 if "denials" in what else ["ls"] * 4
        verdicts = [caller.decide(one, session="s")["verdict"] for one in commands]
        assert verdicts[-1] == "deny"
        [standing] = made.keeping.read(lambda known: known.stops(0, standing=True))
        assert (standing.place, standing.scope) == (f"machine:{caller.id}", "session:s")
        stopped = caller.decide("pwd", session="s")
        assert (stopped["verdict"], stopped["rule"]) == ("deny", "stop.engaged")
        assert caller.decide("pwd", session="other")["verdict"] == "allow"
        lifted = made.keeping.write(
            lambda steps: resume(steps, made.signer, standing, "ada", ["ada"])
        )
        assert lifted.resume is not None
        ring(made.bell, lifted.resume, standing.place)
        assert caller.decide("pwd", session="s").get("rule") != "stop.engaged"


RULE = "rules:\n  - id: own.reports\n    title: makes a report\n    match: {commands: [report]}\n"


def test_who_is_to_be_told_is_told(tmp_path: Path) -> None:
    """``notify`` goes to the tenant's web hooks, and stops nothing."""
    notify = f"{RULE}    action: warn\nobligations:\n  - {{rule: own.reports, do: notify}}\nnotify: [terminal]\n"
    with judging_by(tmp_path / "service", notify) as caller:
        keeping = caller.service.scene.keeping
        keeping.write(lambda steps: create_hook(steps, "http://127.0.0.1:9/x", private=True))
        assert caller.decide("report")["verdict"] == "allow"
        assert caller.decide("ls")["verdict"] == "allow"
        due = keeping.read(lambda known: known.deliveries("9999", 10))
        assert [one.kind for one in due] == ["decision.notice"]
        assert caller.id in due[0].body


def access(**context: Any) -> dict[str, Any]:
    """Return the question whether a report may be made, by AuthZEN."""
    resource = {"type": "tool", "id": "Bash", "properties": {"command": "report"}}
    return {
        "subject": {"type": "agent", "id": "bot"},
        "action": {"name": "Bash"},
        "resource": resource,
        "context": context,
    }


def test_a_policy_that_only_observes_stops_nothing(tmp_path: Path) -> None:
    """What would be denied is allowed, and said to be observed; an obligation that nobody carries
    out is no denial then.
    """
    duty = f"observe: true\n{RULE}    action: deny\nobligations:\n  - {{rule: own.reports, do: sandbox}}\n"
    with judging_by(tmp_path / "service", duty) as caller:
        found = caller.decide("report")
        assert (found["verdict"], found["observed"]) == ("allow", True)
        assert caller.post("/access/v1/evaluation", access()).json["decision"] is True


def test_who_made_the_token_is_no_second_person(tmp_path: Path) -> None:
    """A rule that wants somebody else: the owner's yes is refused, another approver's counts."""
    asks = f"{RULE}    action: ask\n    second_person: true\n"
    with judging_by(tmp_path / "service", asks) as caller:
        keeping, ada = caller.service.scene.keeping, stand_as_approver(caller.service)
        found = caller.decide("report", session="s")
        assert found["verdict"] == "ask"
        machine = keeping.read(lambda known: known.machine(caller.id))
        assert machine is not None
        owner = keeping.read(lambda known: known.person(machine.owner))
        assert owner is not None

        def answer(who: Any) -> None:
            yes = VoteAnswer(who, yes=True, at=now())
            keeping.write(lambda steps: vote(steps, caller.id, found["request"], yes))

        with pytest.raises(VoteError):
            answer(ada.replace(person=owner))
        assert caller.decide("report", session="s")["verdict"] == "ask"
        answer(ada)
        assert caller.decide("report", session="s")["verdict"] == "allow"


def test_an_approver_is_one_of_the_role_that_the_rule_names(tmp_path: Path) -> None:
    """The request names it, and the reason says whose approval it takes."""
    asks = f"{RULE}    action: ask\n    approver: finance\nroles: {{eva: [finance]}}\n"
    with judging_by(tmp_path / "service", asks) as caller:
        found = caller.decide("report", session="s")
        assert (found["verdict"], "finance" in found["reason"]) == ("ask", True)
        [request] = caller.requests()
        assert json.loads(request.roles) == ["finance"]
