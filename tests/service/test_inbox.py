"""What an agent asks for on a machine is answered by people at the service, and the yes is spent
once: by the retry of that very call, on that very machine.
"""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.approvals import answers, team
from interlock.approvals.requests import GRANTED, PENDING, REFUSED, SPENT
from interlock.approvals.team import TeamApproval
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from interlock.sidecar.requests import _ask
from interlock.sidecar.ship import Shipper
from interlock.store.database import Store
from interlock.wire import asks
from tests.approvals.test_roles import desk
from tests.approving import Desk
from tests.serving import Served, Sidecar, listening, shipped_all, until

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.guard.stopping import StopResult
    from interlock.store.elsewhere import EnrolmentState
    from interlock.wire.orders import StopOrder

SOON = 300
HOLDS = {"ada": ("release",), "ben": ("release", "dba"), "cleo": ("*",), "dan": ("dba",)}
VOTERS = tuple(HOLDS)
"""Four approvers, and what for."""
AT = "2026-01-31T10:00:00.000Z"


def bearer(where: EnrolmentState) -> dict[str, str]:
    """Return a machine's headers."""
    return {"Authorization": f"Bearer {where.credential}"}


def state(service: Served, where: EnrolmentState, name: str) -> str:
    """Return how a request stands at the service, empty where it has not come."""
    found = service.scene.keeping.read(lambda known: known.request(where.machine, name))
    return found.state if found is not None else ""


def page(where: EnrolmentState, name: str) -> str:
    """Return the address of a request."""
    return f"/inbox/{where.machine}/{name}"


def sent(service: Served, where: EnrolmentState, here: Desk) -> None:
    """Have the sidecar look once."""
    from interlock.sidecar.client import SidecarClient
    from interlock.sidecar.requests import SidecarRequests

    client = SidecarClient(where.url, where.pin, where.credential)
    try:
        SidecarRequests(here.store, where).fetch(client)
    finally:
        client.close()
    del service


def test_the_last_yes_lets_the_retry_pass_once(service: Served, tmp_path: Path) -> None:
    """Two of a role: the first leaves it waiting, the second grants it; the machine's own store
    takes the yes, the retry passes and spends it, and the next one asks anew.
    """
    here = desk(tmp_path, approver="lead", quorum=2)
    where = service.enrolled(here.store)
    ada, ben = [service.person(name, "approver:lead") for name in ("ada", "ben")]
    with listening(here.store, where) as sidecar:
        name = here.requested()
        assert f"or have it approved at {service.url}{page(where, name)}" in str(here.check())
        sidecar.asks.look(sidecar.client)
        assert state(service, where, name) == PENDING
        assert service.ask("POST", page(where, name), ada, "answer=approve").status == 303
        assert state(service, where, name) == PENDING
        assert "You have approved this" in service.ask("GET", page(where, name), ada).text
        assert here.check().verdict == VERDICT_DENY
        assert service.ask("POST", page(where, name), ben, "answer=approve").status == 303
        until(lambda: here.states() == [GRANTED])
        passed = here.check()
        assert passed.verdict == VERDICT_ALLOW
        assert f"ada, ben (team) ({name})" in str(passed.findings)
        assert here.check().verdict == VERDICT_DENY
        sidecar.asks.look(sidecar.client)
        until(lambda: state(service, where, name) == SPENT)
    kinds = [one for one in here.events() if name]
    assert kinds[:3] == ["approval-requested", "approval-granted", "approval-spent"]


def test_a_no_is_one_also_after_the_last_yes(service: Served, tmp_path: Path) -> None:
    """What was granted and not spent yet is taken back on its machine, with the reason."""
    here = desk(tmp_path, approver="lead")
    where, ada = service.enrolled(here.store), service.person("ada", "approver:lead")
    ben = service.person("ben", "approver:dba", "reader")
    with listening(here.store, where) as sidecar:
        name = here.requested()
        sidecar.asks.look(sidecar.client)
        assert service.ask("POST", page(where, name), ada, "answer=approve").status == 303
        until(lambda: here.states() == [GRANTED])
        denied = service.ask("POST", page(where, name), ben, "answer=deny&reason=not+on+Fridays")
        assert denied.status == 303
        until(lambda: here.states() == [REFUSED])
        [found] = answers.list_requests(here.store, every=True)
        assert (found.by, found.reason) == ("ben (team)", "not on Fridays")
        assert here.check().verdict == VERDICT_DENY
    assert state(service, where, name) == REFUSED


@pytest.mark.parametrize(
    ("demand", "roles", "owner", "said"),
    [
        ({"approver": "lead"}, "approver:lead", "", ""),
        ({"approver": "lead"}, "approver:*", "", ""),
        ({"approver": "lead"}, "approver:dba", "", "There is no such request"),
        ({"approver": "lead"}, "approver:dba+reader", "", "takes an approver for lead"),
        ({"approver": "lead"}, "operator", "", "no role of yours"),
        ({}, "approver:*", "", ""),
        ({}, "approver:lead+reader", "", "an approver for everything"),
        ({"second_person": True}, "approver:*", "cleo", ""),
        ({"second_person": True}, "approver:*", "ADA", "asked for on your behalf"),
        ({"second_person": True}, "approver:*", "", "an operator names its owner"),
    ],
)  # fmt: skip
def test_who_may_approve_is_the_rule_s_to_say(
    service: Served, tmp_path: Path, demand: dict[str, object], roles: str, owner: str, said: str
) -> None:
    """By role, and never who asks; the page says why not, and its button is off."""
    here = desk(tmp_path, **demand)
    where, ada = service.enrolled(here.store), service.person("ada", *roles.split("+"))
    if owner:
        assert service.scene.keeping.write(lambda steps: steps.own(where.machine, owner))
    name = here.requested()
    sent(service, where, here)
    text = service.ask("GET", page(where, name), ada).text
    answer = service.ask("POST", page(where, name), ada, "answer=approve")
    wanted = {"": 303, "There is no such request": 404, "no role of yours": 403}
    assert answer.status == wanted.get(said, 409)
    assert said in answer.text
    assert state(service, where, name) == (PENDING if said else GRANTED)
    assert ("disabled" in text or "There is no such" in text) == bool(said)


def test_an_approver_sees_what_its_role_is_asked_and_a_reader_all(
    service: Served, tmp_path: Path
) -> None:
    """To whom it is none of theirs the answer is that of a request that is not there."""
    here = desk(tmp_path, approver="lead")
    where = service.enrolled(here.store)
    name = here.requested()
    sent(service, where, here)
    for roles, status in (
        (("approver:dba",), 404),
        (("approver:lead",), 200),
        (("reader",), 200),
        (("approver:dba", "operator"), 200),
    ):
        someone = service.person("-".join(roles).replace(":", "."), *roles)
        assert service.ask("GET", page(where, name), someone).status == status
        assert (name in service.ask("GET", "/inbox", someone).text) == (status == 200)
    foreign = service.person("eve", "approver:dba")
    assert service.ask("POST", page(where, name), foreign, "answer=deny").status == 404
    assert state(service, where, name) == PENDING


def test_to_vote_takes_a_person_who_is_there(service: Served, tmp_path: Path) -> None:
    """A second factor, and one that was shown within 15 minutes; a form from elsewhere is none."""
    here = desk(tmp_path, approver="lead")
    where = service.enrolled(here.store)
    name = here.requested()
    sent(service, where, here)
    late = service.person("ada", "approver:lead", proved=3600)
    link = service.person("ada", "approver:lead", strength="password")
    fresh = service.person("ada", "approver:lead")
    unproven = {key: value for key, value in fresh.items() if key != "Interlock-Proof"}
    foreign = {**fresh, "Origin": "http://evil.example"}
    for headers in (late, link, unproven, foreign):
        answer = service.ask("POST", page(where, name), headers, "answer=approve")
        assert (answer.status, state(service, where, name)) == (403, PENDING)
    assert service.ask("POST", page(where, name), fresh, "answer=perhaps").status == 400
    assert service.ask("POST", page(where, name), fresh, "answer=approve").status == 303


def test_a_request_is_shown_without_secrets_and_as_text(service: Served, tmp_path: Path) -> None:
    """What the machine took out does not come; what would move or hide words is written out."""
    here = desk(tmp_path, approver="lead")
    where, ada = service.enrolled(here.store), service.person("ada", "approver:lead")
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    hidden = f"rm -rf ~/photos '<b>x</b>' \u202e AWS_ACCESS_KEY_ID={key}"
    name = here.requested(hidden)
    sent(service, where, here)
    text = service.ask("GET", page(where, name), ada).text
    kept = service.scene.keeping.read(lambda known: known.request(where.machine, name))
    assert key not in text + str(kept)
    assert "\u202e" not in text
    assert "&lt;b&gt;" in text
    assert name in service.ask("GET", "/inbox", ada).text


def test_what_a_machine_says_stands_beside_what_its_record_says(
    service: Served, tmp_path: Path
) -> None:
    """Somebody with the sidecar's credential may ask in other words than the call's: those of the
    record are shown, and that they are not there yet is said.
    """
    here = desk(tmp_path, approver="lead")
    where, ada = service.enrolled(here.store), service.person("ada", "approver:lead")
    name = here.requested("rm -rf ~/photos")
    found = team.request(here.store, name)
    assert found is not None
    mild = dict(found.shown) | {"items": [{**found.shown["items"][0], "line": "ls ~/photos"}]}
    said = {**asks.plain(_ask(found)), "shown": mild, "chain": where.chain}
    assert service.ask("POST", "/v1/requests", bearer(where), json.dumps(said)).status == 201
    text = service.ask("GET", page(where, name), ada).text
    assert "machine&#39;s word alone" in text or "machine's word alone" in text
    assert "rm -rf ~/photos" not in text
    with closing(Shipper(here.store, where)) as shipper:
        shipped_all(shipper)
    assert "rm -rf ~/photos" in service.ask("GET", page(where, name), ada).text


def test_a_machine_answers_for_its_own_requests_only(service: Served, tmp_path: Path) -> None:
    """To another one's request, and to one that nobody made, the answer is the same; what is no
    request is refused in words.
    """
    here = desk(tmp_path, approver="lead")
    one = service.enrolled(here.store, "one")
    other = service.enrolled(Store(f"{tmp_path}/other"), "other")
    name = here.requested()
    sent(service, one.replace(), here)
    body = json.dumps({"state": "refused"})
    refused = [
        service.ask("POST", f"/v1/requests/{which}", bearer(other), body)
        for which in (name, "a-none")
    ]
    assert {(answer.status, answer.text) for answer in refused} == {(404, refused[0].text)}
    mine = {"chain": other.chain, "holder": "h"}
    stolen = service.ask("POST", f"/v1/requests/{name}/claim", bearer(other), json.dumps(mine))
    assert stolen.status == 409
    foreign = json.dumps({"chain": one.chain, "holder": "h"})
    assert service.ask("POST", f"/v1/requests/{name}/claim", bearer(other), foreign).status == 404
    whole = {
        "id": "a-1", "digest": "d", "decision": "", "session": "", "project": "", "requester": "",
        "agent": "", "roles": [], "quorum": 1, "second_person": False, "seconds": 60, "left": 60,
        "shown": {}, "chain": other.chain,
    }  # fmt: skip
    for key, value in (("id", ""), ("quorum", 0), ("roles", [1]), ("seconds", 2**40), ("left", True), ("shown", []), ("agent", "x" * 999)):  # fmt: skip
        wrong = json.dumps({**whole, key: value})
        assert service.ask("POST", "/v1/requests", bearer(other), wrong).status == 400
    for wrong in ("", "[]"):
        assert service.ask("POST", "/v1/requests", bearer(other), wrong).status == 400
    made = service.ask("POST", "/v1/requests", bearer(other), json.dumps(whole))
    assert (made.status, made.json["page"]) == (201, f"{service.url}/inbox/{other.machine}/a-1")
    ada = service.person("ada", "approver:*")
    assert (
        "in words that this one does not read"
        in service.ask("GET", f"/inbox/{other.machine}/a-1", ada).text
    )


def test_a_yes_that_the_service_did_not_sign_is_none_and_that_is_recorded(
    service: Served, tmp_path: Path
) -> None:
    """Once, however often it comes; the one with its signature counts."""
    here = desk(tmp_path, approver="lead")
    where, ada = service.enrolled(here.store), service.person("ada", "approver:lead")
    name = here.requested()
    sent(service, where, here)
    assert service.ask("POST", page(where, name), ada, "answer=approve").status == 303
    sidecar = Sidecar(here.store, where.replace(service_key="0" * 64), nothing)
    for _ in range(2):
        sidecar.asks.fetch(sidecar.client)
    sidecar.client.close()
    assert here.states() == [PENDING]
    told = here.store.query("SELECT body FROM audit_event WHERE kind = 'approval-not-taken'")
    assert len(told) == 1
    assert "did not sign it" in told[0][0]
    sent(service, where, here)
    assert here.states() == [GRANTED]


def nothing(order: StopOrder) -> StopResult:
    """Stop nothing."""
    raise AssertionError(order)


def test_the_inbox_is_there_as_json(service: Served, tmp_path: Path) -> None:
    """For whoever may see it, as on the page."""
    here = desk(tmp_path, approver="lead", quorum=2)
    where = service.enrolled(here.store, "runner")
    name = here.requested()
    sent(service, where, here)
    one = service.person("ada", "approver:lead")
    [found] = service.ask("GET", "/v1/inbox", one).json["waiting"]
    assert [found[key] for key in ("id", "name", "quorum", "roles")] == [
        name,
        "runner",
        2,
        ["lead"],
    ]
    other = service.person("eve", "approver:dba")
    assert service.ask("GET", "/v1/inbox", other).json == {"waiting": [], "before": []}


def test_what_was_answered_on_the_machine_is_no_question_any_more(
    service: Served, tmp_path: Path
) -> None:
    """Also where nobody listened when it was."""
    here = desk(tmp_path, approver="lead")
    where, ada = service.enrolled(here.store), service.person("ada", "approver:lead")
    name = here.requested()
    sent(service, where, here)
    answers.deny(here.store, name, "ann")
    sent(service, where, here)
    assert state(service, where, name) == REFUSED
    answer = service.ask("POST", page(where, name), ada, "answer=approve")
    assert (answer.status, "It was refused by ann" in answer.text) == (409, True)


def test_a_yes_expires_by_the_machine_s_clock_too(tmp_path: Path) -> None:
    """And what was approved has to be what waits there; the same yes twice is one."""
    here = desk(tmp_path, approver="lead", quorum=2)
    name = here.requested()
    found = team.request(here.store, name)
    assert found is not None
    right = TeamApproval(
        name, found.digest, ("lead",), 2, False, "ada", found.expires + 60, "http://x"
    )
    for wrong, why in (
        (right.replace(expires=1.0), "too late"),
        (right.replace(digest="0"), "is not what waits"),
        (right.replace(roles=()), "is not what waits"),
        (right.replace(quorum=1), "is not what waits"),
        (right.replace(request="a-none"), "no such request"),
    ):
        assert why in team.grant(here.store, wrong)
        assert here.states() == [PENDING]
    assert [team.grant(here.store, right) for _ in range(2)] == ["", ""]
    assert here.check().verdict == VERDICT_ALLOW
    assert team.grant(here.store, right) == ""
    assert here.check().verdict == VERDICT_DENY
