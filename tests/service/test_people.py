"""People: who lets them do what, who they let in, and how that ends; programs and machines of
theirs.
"""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

import pyotp
import pytest

from interlock.service.people import admit, tokens
from interlock.service.people.owner import SignInError, first
from interlock.service.people.signin import link
from interlock.service.roles import ADMIN, ROLES
from interlock.sidecar.client import SidecarClient
from interlock.sidecar.enrol import enrol
from interlock.wire.token import read
from tests.admitting import WORDS, events, joined, sign_in
from tests.serving import Served, Visitor, filled, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("cheap")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


def test_an_admin_invites_gives_and_takes(service: Served) -> None:
    """All of it is recorded with who did it; a role counts at once, and so does its end."""
    boss, admin, _ = joined(service, "admin")
    admin.go("/people")
    page = admin.send("/people", **{"name": "Grace@Example.com", "role-reader": "on", "approver": "dba, lead"})  # fmt: skip
    link = re.search(r"/welcome/[\w-]+", page.text)
    assert link is not None
    grace = Visitor(service)
    grace.go(link[0])
    grace.send(link[0], password=WORDS)
    assert grace.go("/sessions").status == 200
    name = "grace@example.com"
    held = service.scene.keeping.read(lambda asked: asked.memberships(name))
    assert [(one.role, one.name) for one in held] == [("approver", "dba"), ("approver", "lead"), ("reader", "")]  # fmt: skip
    admin.go(f"/people/{name}")
    admin.send(f"/people/{name}/roles/take", role="reader")
    assert grace.go("/sessions").status == 403
    grace.go("/")
    assert grace.path == "/inbox"
    admin.send(f"/people/{name}/roles", role="operator")
    assert grace.go("/sessions").status == 200
    assert events(service, "role", name)[0] == boss
    assert events(service, "role-taken", name) == [boss]
    assert "role taken" in admin.go("/people").text
    assert admin.go(f"/people/{name}").status == 200
    admin.send(f"/people/{name}/end")
    grace.go("/sessions")
    assert grace.path == "/signin?to=/sessions"
    assert events(service, "ended", name) == [boss]
    assert admin.go("/people/nobody").status == 404


@pytest.mark.parametrize(
    ("path", "fields", "words"),
    [
        ("/people", {"name": "-x"}, "A name has small letters"),
        ("/people", {"name": "owner"}, "somebody already"),
        ("/people", {"name": "x1", "role-admin": ""}, ""),
        ("/people/{me}/roles", {"role": "approver", "for": "*"}, "Nobody gives themselves a role"),
        ("/people/{other}/roles", {"role": "approver"}, "one for something"),
        ("/people/{other}/roles", {"role": "god"}, "is no role"),
        ("/people/{other}/roles", {"role": "approver", "for": "dba"}, ""),
        ("/people/none/roles", {"role": "reader"}, "no such person"),
        ("/programs", {"role": "approver", "said": "x", "days": "9"}, "A program&#39;s role is one of"),
        ("/programs", {"role": "reader", "said": "x", "days": "0"}, "1 to 366 days"),
        ("/programs", {"role": "reader", "said": "x", "days": "9"}, ""),
    ],
)  # fmt: skip
def test_what_will_not_do_is_said_in_words(
    service: Served, path: str, fields: dict[str, str], words: str
) -> None:
    """And what will is done."""
    me, admin, _ = joined(service, "admin")
    other, _, _ = joined(service, "reader")
    admin.go("/people")
    page = admin.send(path.format(me=me, other=other), **fields)
    assert words in page.text
    assert (page.status in (400, 404)) is bool(words)


def test_somebody_can_always_admit_others(tmp_path: Path) -> None:
    """The last admin stays one, until there is another."""
    with served(tmp_path) as service:
        keeping = service.scene.keeping
        owner = keeping.write(first)
        assert {one.role for one in keeping.read(lambda asked: asked.memberships(owner))} == set(
            ROLES
        )
        for step in (
            lambda steps: admit.take(steps, owner, ADMIN, "", owner),
            lambda steps: admit.end(steps, owner, owner),
        ):
            with pytest.raises(SignInError, match="make another admin first"):
                keeping.write(step)
        keeping.write(lambda steps: admit.invite(steps, "bob", [(ADMIN, "")], owner))
        keeping.write(lambda steps: admit.end(steps, owner, "bob"))
        assert keeping.write(first) == "bob", "a link of this machine is the next admin's"


def test_a_program_acts_with_one_role_and_never_in_person(service: Served) -> None:
    """It reads what its role lets it read, as JSON; pages, votes and people are not for it. It ends
    with its token, and with whoever made it.
    """
    boss, admin, _ = joined(service, "admin")

    def made(role: str) -> dict[str, str]:
        admin.go("/programs")
        page = admin.send("/programs", role=role, said="ci <b>", days="3")
        found = re.search(r"ilt_[\w-]+", page.text)
        assert found is not None
        assert "ci &lt;b&gt;" in page.text
        assert found[0] not in admin.go("/programs").text
        return {"Authorization": f"Bearer {found[0]}"}

    one, other = made("reader"), made("operator")
    assert service.ask("GET", "/v1/decisions", one).status == 200
    assert service.ask("GET", "/v1/decisions", {"Authorization": "Bearer ilt_no"}).status == 401
    assert service.ask("GET", "/people", one).status == 303
    name = service.scene.keeping.read(lambda asked: asked.api_tokens())[1].id
    admin.send(f"/programs/{name}/end")
    assert service.ask("GET", "/v1/decisions", one).status == 401
    assert service.ask("GET", "/v1/decisions", other).status == 200
    kept_of = str(service.scene.keeping.read(lambda asked: asked.api_tokens()))
    assert other["Authorization"][7:] not in kept_of
    service.scene.keeping.write(lambda steps: admit.end(steps, boss, "owner"))
    assert service.ask("GET", "/v1/decisions", other).status == 401


def test_an_operator_adds_and_retires_machines(service: Served, tmp_path: Path) -> None:
    """By a line that is shown once; its credential counts no more from then on. A program with the
    role makes lines, too, and one that only reads does not.
    """
    name, kim, _ = joined(service, "operator")
    kim.go("/machines")
    assert kim.send("/machines", uses="0").status == 400
    kim.go("/machines")
    page = kim.send("/machines", uses="1", team="web")
    line = re.search(r"interlock enrol (il1_[\w-]+)", page.text)
    assert line is not None
    assert line[1] not in kim.go("/machines").text
    where = enrol(filled(tmp_path, 1), read(line[1]), "lost-laptop")
    machine = service.scene.keeping.read(lambda asked: asked.machine(where.machine))
    assert machine is not None
    assert machine.team == "web"
    assert kim.go(f"/machines/{where.machine}").status == 200
    with closing(SidecarClient(where.url, "", where.credential)) as client:
        coming = client.begun("/v1/stream")
        assert coming.readline() == b"event: hello\n"
        kim.send(f"/machines/{where.machine}/retire")
        while coming.readline():
            pass  # until the stream ends
    assert events(service, "retired", where.machine) == [name]
    headers = {"Authorization": f"Bearer {where.credential}"}
    assert service.ask("POST", "/v1/beat", headers, "{}").status == 401
    kim.go("/machines")
    assert kim.send("/machines/m-none/retire").status == 404

    def program(role: str) -> dict[str, str]:
        secret = service.scene.keeping.write(
            lambda steps: tokens.make(steps, service.scene.keys, role, "image", "1", "owner")
        )
        return {"Authorization": f"Bearer {secret}"}

    body = '{"uses": 3, "team": "ci"}'
    made = service.ask("POST", "/v1/tokens", program("operator"), body)
    assert (made.status, made.json["uses"]) == (201, 3)
    assert read(made.json["token"]).url == service.url
    assert service.ask("POST", "/v1/tokens", program("operator"), '{"uses": 0}').status == 400
    assert service.ask("POST", "/v1/tokens", program("reader"), body).json["type"] == "role"


def test_who_cannot_sign_in_any_more_begins_anew(service: Served) -> None:
    """By a link of an admin: what they had before is none, and so is an older link."""
    boss, admin, _ = joined(service, "admin")
    name, visitor, secret = joined(service, "reader")
    admin.go(f"/people/{name}")
    links = []
    for _ in range(2):
        found = re.search(r"/welcome/[\w-]+", admin.send(f"/people/{name}/reset").text)
        assert found is not None
        links.append(found[0])
    visitor.go("/sessions")
    assert visitor.path == "/signin?to=/sessions"
    assert sign_in(service, name, WORDS, pyotp.TOTP(secret).now()).here.status == 403
    assert [Visitor(service).go(link).status for link in links] == [404, 200]
    assert events(service, "reset", name) == [boss, boss]


def test_a_link_of_the_machine_looks_and_does_nothing(tmp_path: Path) -> None:
    """The first person, alone: holds every role and is told so; may set a password and an
    authenticator, and from then on do what the roles are for.
    """
    with served(tmp_path) as service:
        owner = Visitor(service)
        owner.go(f"/signin/{service.scene.keeping.write(link)}")
        assert owner.path == "/"
        page = owner.go("/account").text
        assert "You hold every role here" in page
        assert "takes a second factor" in page
        assert owner.send("/people", name="bob").status == 403
        owner.go("/account")
        owner.send("/account/password", password=WORDS)
        owner.go("/account/authenticator")
        found = re.search(r'class="secret"><code>([A-Z2-7 ]+)', owner.here.text)
        assert found is not None
        owner.send("/account/authenticator", code="123456")
        assert "not right" in owner.here.text
        owner.send("/account/authenticator", code=pyotp.TOTP(found[1].replace(" ", "")).now())
        assert "authenticator counts from now on" in owner.here.text
        assert owner.send("/people", **{"name": "bob", "role-reader": "on"}).status == 200
        owner.send("/account/name", shown="The Owner")
        assert "The Owner" in owner.here.text
