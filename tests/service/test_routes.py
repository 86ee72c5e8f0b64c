"""Every route, with no, a wrong and a foreign credential; and what each of them refuses."""

from __future__ import annotations

import http.client
import json
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from interlock.service.answers import BROWSER, PROBLEM
from interlock.service.roles import (
    ADMIN,
    ANYONE,
    APPROVER,
    MACHINE,
    PEOPLE,
    PERMISSIONS,
    PERSON,
    PUBLISH,
    ROLES,
    STOP,
    VOTE,
    Permission,
)
from interlock.service.routes import ROWS
from interlock.service.routing import Row
from interlock.service.secrets import later
from interlock.service.store.rows import LINK, PASSWORD, SECOND, Membership, Person, Visit
from interlock.service.viewer import AGAIN, FACTOR, ROLE, Viewer, viewer
from interlock.sidecar.reading import Portion, portion
from interlock.sidecar.ship import Shipper
from interlock.store.chain import GENESIS, now
from interlock.wire.batch import pack_lines
from tests.serving import Served, filled, served, shipped_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.store.database import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Return a store with a record."""
    return filled(tmp_path_factory.mktemp("home"), 6)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


def path_of(row: Row) -> str:
    """Return an address of a route whose names are nobody's."""
    known = {"{chain}": "c-0", "{epoch}": "999", "{source}": "here"}
    return re.sub(r"{\w+}", lambda found: known.get(found[0], "none"), row.path)


def waiting(store: Store) -> Portion:
    """Return a batch."""
    found = portion(store, 0)
    assert found is not None
    return found


def batch(
    service: Served, credential: str, chain: str, **more: str
) -> tuple[str, str, dict[str, str]]:
    """Return how, where and by which headers a batch is sent."""
    del service
    headers = {"Authorization": f"Bearer {credential}", "From": "1", "Previous": GENESIS}
    return "POST", f"/v1/chains/{chain}/events", {**headers, **more}


@pytest.mark.parametrize("row", [row for row in ROWS if row.permission.who != ANYONE], ids=lambda row: f"{row.method} {row.path}")  # fmt: skip
def test_nobody_unknown_gets_anything(service: Served, store: Store, row: Row) -> None:
    """Not without a credential, not with a wrong one, and not with that of the other kind: a
    machine is no person, and a person no machine.
    """
    machine = {"Authorization": f"Bearer {service.enrolled(store).credential}"}
    person = service.signed_in()
    cookie = f"{service.scene.cookie}=wrong"
    wrong = {"Authorization": "Bearer wrong", "Cookie": cookie}
    for headers in ({}, wrong, machine if row.permission.who == PERSON else person):
        answer = service.ask(row.method, path_of(row), headers)
        assert answer.status in (
            (401,) if row.permission.who == MACHINE or row.method != "GET" else (401, 303)
        )
        if answer.status == 303:
            back = "" if row.path == "/" else f"?to={path_of(row)}"
            assert answer.headers["location"] == f"/signin{back}"
        else:
            assert answer.json["status"] == 401


def status_of(service: Served, row: Row, headers: dict[str, str]) -> tuple[int, str]:
    """Return a route's answer to somebody: its status, and the kind of what is wrong. A stream is
    not read: it has no end.
    """
    connection = http.client.HTTPConnection(service.where, timeout=60)
    try:
        connection.request(row.method, path_of(row), headers=headers)
        answer = connection.getresponse()
        wrong = answer.headers["content-type"] == PROBLEM
        return answer.status, str(json.load(answer)["type"]) if wrong else ""
    finally:
        connection.close()


PEOPLES = [row for row in ROWS if row.permission.who == PERSON]


@pytest.mark.parametrize("role", ["", *ROLES])
def test_a_role_gets_what_the_table_says(service: Served, role: str) -> None:
    """Every route, asked by somebody with this role alone, there in person: the answer is about
    what they want where the table lets them, and about the role where it does not.
    """
    for row in PEOPLES:
        someone = service.person(f"only-{role}", *([role] if role else []))
        status, kind = status_of(service, row, someone)
        holds = not row.permission.roles or role in row.permission.roles
        away = status == 303 and row.path == "/"  # to the first page that they may see
        assert (kind == "role" or away) is not holds, (row.method, row.path, status)
        assert (status == 403) or kind != "role"
        assert status != 401


TRIES = [
    ("factor", {"strength": LINK}),
    ("factor", {"strength": PASSWORD}),
    ("again", {"proved": 16 * 60}),
    ("", {"proved": 14 * 60}),
]


@pytest.mark.parametrize(("lacking", "how"), TRIES)
def test_to_do_something_takes_a_second_factor(
    service: Served, lacking: str, how: dict[str, Any]
) -> None:
    """Not the password alone, nor a link; and what needs somebody there in person does not count
    a code of 16 minutes ago, while one of 14 minutes ago counts. Looking takes the role alone.
    """
    for row in PEOPLES:
        may = row.permission
        doing = row.method != "GET" and may.second and (may.recent or lacking != "again")
        someone = service.person("someone", *may.roles[:1], **how)
        status, kind = status_of(service, row, someone)
        found = kind if kind in (ROLE, FACTOR, AGAIN) else ""  # or what is wrong with the body
        assert found == (lacking if doing else ""), (row.path, status, kind)


@pytest.mark.parametrize("permission", PERMISSIONS.values(), ids=lambda one: one.name)
def test_what_a_person_lacks_is_said_by_the_table(permission: Permission) -> None:
    """For every permission: the role, the factor, the time, the kind of credential, in this order."""
    person, at = Person("ada", "ada", now()), now()
    held = [Membership("ada", role, "", "", at) for role in permission.roles[:1]]
    weak = Visit("", "", "ada", at, later(60), at, PASSWORD)
    old, fresh = [weak.replace(strength=SECOND, proved=later(-ago)) for ago in (16 * 60, 60)]
    some = bool(permission.roles)
    again = AGAIN if permission.recent else ""
    assert viewer(person, [], fresh).lacks(permission.name) == (ROLE if some else "")
    assert viewer(person, held, weak).lacks(permission.name) == (
        FACTOR if permission.second else ""
    )
    assert viewer(person, held, old).lacks(permission.name) == again
    assert viewer(person, held, fresh).lacks(permission.name) == ""
    assert viewer(person, held).lacks(permission.name) == ("" if permission.token else ROLE)


def test_an_approver_is_one_for_what_they_are_named_for() -> None:
    """One role by its name, or every one; who holds another role is none."""
    person = Person("ada", "ada", now())

    def of(role: str, name: str) -> Viewer:
        return viewer(person, [Membership("ada", role, name, "", "")])

    assert [of(APPROVER, "dba").approver_of(name) for name in ("dba", "lead")] == [True, False]
    assert of(APPROVER, "*").approver_of("lead")
    assert not of(ADMIN, "dba").approver_of("dba")


def test_no_role_holds_everything() -> None:
    """Whoever admits people cannot vote or publish; whoever votes cannot admit anybody. Each
    permission that is for some is held by a role, and each role holds one.
    """
    held = {role: {one.name for one in PERMISSIONS.values() if role in one.roles} for role in ROLES}
    everything = {one.name for one in PERMISSIONS.values() if one.roles}
    assert set().union(*held.values()) == everything
    assert all(found and found != everything for found in held.values())
    assert not held[ADMIN] & {VOTE, PUBLISH}
    assert [role for role in ROLES if PEOPLE in held[role]] == [ADMIN]
    assert [role for role in ROLES if VOTE in held[role]] == [APPROVER]
    assert not any(one.token for one in PERMISSIONS.values() if one.name in (VOTE, STOP, PEOPLE))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.method} {row.path}")
def test_every_answer_keeps_browsers_apart(service: Served, row: Row) -> None:
    """Whatever it is: nothing inline, nothing from elsewhere, in no frame; and none to a page of
    somebody else's that leads here by another name.
    """
    answer = service.ask(row.method, path_of(row))
    assert {name: answer.headers.get(name.lower()) for name in BROWSER} == BROWSER
    foreign = service.ask(row.method, path_of(row), {"Host": "evil.example:80"})
    assert foreign.status == 421


def test_what_is_no_route_says_so(service: Served) -> None:
    """As every other answer: a problem, kept apart from other pages."""
    for method, path, status in (("GET", "/none", 404), ("POST", "/v1/health", 405)):
        answer = service.ask(method, path)
        assert (answer.status, answer.json["status"]) == (status, status)
        assert answer.headers["x-frame-options"] == "DENY"


def test_a_machine_sends_its_own_chain_only(service: Served, store: Store) -> None:
    """To another one's chain, and to one that is nobody's, the answer is the same; its own is
    taken.
    """
    one, other = service.enrolled(store, "one"), service.enrolled(store, "other")
    body = pack_lines(waiting(store).lines)
    answers = [
        service.ask(*batch(service, one.credential, chain), body)
        for chain in (other.chain, "c-none")
    ]
    assert [answer.status for answer in answers] == [404, 404]
    assert answers[0].text == answers[1].text
    assert service.ask(*batch(service, one.credential, one.chain), body).status == 200


def test_a_batch_that_is_none_is_refused_in_words(service: Served, store: Store) -> None:
    """Each with what was expected; nothing of it is kept, and the one that is one is taken."""
    where = service.enrolled(store)
    whole = waiting(store).lines
    method, path, headers = batch(service, where.credential, where.chain)
    rows = [
        (b"", {}, 422, "gzip"),
        (b"nonsense", {}, 422, "gzip"),
        (pack_lines([]), {}, 422, "holds 0 lines"),
        (pack_lines(whole)[:-9], {}, 422, "no whole gzip stream"),
        (pack_lines(["{}\n"]), {}, 422, "line 1 is no line of an export"),
        (pack_lines([whole[0], whole[2]]), {}, 422, "event 3 stands behind event 1"),
        (pack_lines(whole[:1] * 501), {}, 422, "holds 501 lines"),
        (pack_lines(whole), {"From": "2"}, 422, "`From` is the number"),
        (pack_lines(whole), {"From": "x"}, 422, "header From is 'x'"),
        (pack_lines(whole), {"Previous": "short"}, 422, "`Previous` the hash"),
        (pack_lines([whole[0].replace('"seq":1', '"seq":1e400')]), {}, 422, "its fields are not"),
        (pack_lines([whole[0].replace('"seq":1', '"seq":NaN')]), {}, 422, "NaN is not JSON"),
        (
            pack_lines([whole[0].replace('"seq":1', f'"seq":{2**63}')]),
            {},
            422,
            "its fields are not",
        ),
        (
            pack_lines([*whole[:1], whole[1].replace('"row":{', '"row":{"x":1,')]),
            {},
            422,
            "other columns",
        ),
        (
            pack_lines([*whole[:1], whole[1].replace('"id":1', '"id":[1]')]),
            {},
            422,
            "more than values",
        ),
        (
            pack_lines([*whole[:1], whole[1].replace('"id":1', f'"id":{2**64}')]),
            {},
            422,
            "more than values",
        ),
        (pack_lines(["x" * (65 << 20)]), {}, 422, "holds more than"),
        (b"x" * (5 << 20), {}, 413, "at most"),
        (pack_lines(whole[1:]), {"From": "2"}, 409, "missing before"),
    ]
    for body, more, status, words in rows:
        answer = service.ask(method, path, {**headers, **more}, body)
        assert (answer.status, words in answer.json["title"]) == (status, True), answer.text
        assert answer.headers["content-type"] == "application/problem+json"
    assert service.scene.keeping.read(lambda known: known.branches(where.chain)) == []
    taken = service.ask(method, path, headers, pack_lines(whole))
    assert (taken.status, taken.json["acked"]) == (200, len(whole))


def test_a_token_enrols_once(service: Served, store: Store) -> None:
    """A second machine needs another; what is no JSON or no token is refused in words."""
    body = '{"secret":"none","name":"x"}'
    assert service.ask("POST", "/v1/enrol", body=body).status == 403
    assert service.ask("POST", "/v1/enrol", body="[]").status == 400
    assert service.ask("POST", "/v1/enrol", body='{"first":0}').status == 400
    assert service.ask("POST", "/v1/enrol", body="x" * (17 << 10)).status == 413
    assert service.enrolled(store).machine.startswith("m-")


def test_a_retired_machine_is_none(service: Served, store: Store) -> None:
    """It says good-bye itself, and nothing it sends counts from then on."""
    where = service.enrolled(store)
    headers = {"Authorization": f"Bearer {where.credential}"}
    assert service.ask("POST", "/v1/retire", headers).status == 200
    assert service.ask("POST", "/v1/retire", headers).status == 401
    body = pack_lines(waiting(store).lines)
    assert service.ask(*batch(service, where.credential, where.chain), body).status == 401


def test_a_link_signs_in_once(service: Served) -> None:
    """The cookie is out of reach of scripts and of other sites' forms; the link counts no more."""
    from interlock.service.people.signin import link

    secret = service.scene.keeping.write(link)
    first, second = (service.ask("GET", f"/signin/{secret}") for _ in range(2))
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert first.headers["location"] == "/"
    assert "set-cookie" not in second.headers
    assert second.headers["location"] == "/signin?used=1"


WRITING = [
    row for row in ROWS
    if row.method != "GET" and row.permission.who != MACHINE and row.path != "/v1/enrol"
]  # fmt: skip
"""What a page of somebody else's could have a browser do: not what takes a machine's credential,
or a token in what is sent.
"""


@pytest.mark.parametrize("row", WRITING, ids=lambda row: f"{row.method} {row.path}")
def test_nothing_is_done_for_a_page_of_somebody_elses(service: Served, row: Row) -> None:
    """Every route that writes: not from another site, not by a frame without an origin, and where
    a visit is needed not without its proof, nor with that of another visit. From a page of its own
    it is about what is wanted.
    """
    known = row.permission.who == PERSON
    ours = service.person("eva", *row.permission.roles[:1]) if known else {"Origin": service.url}
    other = service.person("udo", *row.permission.roles[:1]).get("Interlock-Proof", "")
    evil, port = "http://evil.example", service.url.replace("http:", "https:") + "0"
    wrong = [{"Origin": evil}, {"Origin": port}, {"Origin": "null"}, {"Origin": ""},
             {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}]  # fmt: skip
    if known:
        wrong += [{"Interlock-Proof": proof} for proof in ("", "x", other)]
    for change in wrong:
        assert status_of(service, row, {**ours, **change}) == (403, "forged"), change
    assert status_of(service, row, ours)[1] != "forged"


def test_a_form_counts_from_a_page_of_the_same_visit_only(service: Served) -> None:
    """Not without its proof, not with that of another visit, not from another site."""
    person, other = service.signed_in(), service.signed_in()

    def proof(headers: dict[str, str]) -> str:
        from interlock.service.people.signin import find_viewer

        found = find_viewer(service.scene.keeping, headers["Cookie"].partition("=")[2])
        assert found is not None
        assert found.visit is not None
        return f"proof={found.visit.proof}"

    own = proof(person)
    foreign = {**person, "Origin": "http://evil.example"}
    crossed = {**person, "Sec-Fetch-Site": "cross-site"}
    tries = [(person, ""), (person, proof(other)), (foreign, own), (crossed, own)]
    assert [service.ask("POST", "/signout", head, body).status for head, body in tries] == [403] * 4
    kept = {**person, "Origin": service.url, "Sec-Fetch-Site": "same-origin"}
    assert service.ask("POST", "/signout", kept, own).status == 303
    assert service.ask("POST", "/signout", kept, own).status == 401


def test_what_the_service_did_is_a_chain_of_its_own(tmp_path: Path, store: Store) -> None:
    """Enrolments and sign-ins are events that follow from each other; no secret is among them."""
    from interlock.service.store.sqlite import Database
    from interlock.store.chain import FIELDS, link

    with served(tmp_path / "service") as found:
        where = found.enrolled(store)
        found.signed_in()
        with closing(Shipper(store, where)) as shipper:
            shipped_all(shipper)
        keeping = found.scene.keeping
        assert isinstance(keeping, Database)
        rows = keeping._writer.execute(
            f"SELECT {', '.join(FIELDS)} FROM audit_event ORDER BY seq"  # noqa: S608 - our own words
        ).fetchall()
    previous = GENESIS
    for row in rows:
        previous = link(previous, row[:-1])
        assert row[-1] == previous
    kinds = [row[3] for row in rows]
    assert kinds == ["token", "enrolled", "person", *["role"] * len(ROLES), "sign-in"]
    assert where.credential not in str(rows)


def test_a_header_that_is_no_address_is_no_bug(service: Served) -> None:
    """What a browser came from is only where its link back leads."""
    for referer in ("http://[", "//evil.example/x", "/machines"):
        headers = {"Accept": "text/html", "Referer": referer, "Origin": "http://evil.example"}
        answer = service.ask("POST", "/signin", headers, "name=a")
        assert (answer.status, "evil.example" in answer.text) == (403, False)
