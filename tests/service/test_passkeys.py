"""Passkeys, with an authenticator that Chromium plays: made, used to sign in and to vote in person,
taken away; and what is none.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interlock.service.keys import ServiceKeys
from interlock.service.people.owner import SignInError
from interlock.service.people.passkeys import Passkeys, Site, passkeys
from interlock.service.people.signin import enter
from interlock.service.secrets import later
from interlock.service.store.rows import LINK, PASSKEY, PASSWORD, SECOND, Credential, Person, Visit
from interlock.service.store.sqlite import Database
from interlock.store.chain import now
from tests.approvals.test_roles import desk
from tests.browsing import Browser, browsing, needs_a_browser
from tests.service.test_inbox import page, sent, state
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from interlock.service.store.protocol import ServiceWriter

HOST = "localhost"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path / "service") as found:
        yield found


@pytest.fixture
def browser() -> Iterator[Browser]:
    """Return a browser with an authenticator whose owner shows themselves at once."""
    with browsing() as found:
        found.do("WebAuthn.enable")
        found.do(
            "WebAuthn.addVirtualAuthenticator",
            options={
                "protocol": "ctap2", "transport": "internal", "hasResidentKey": True,
                "hasUserVerification": True, "isUserVerified": True,
                "automaticPresenceSimulation": True,
            },
        )  # fmt: skip
        yield found


def named(service: Served) -> str:
    """Return the service's address by a name: there are no passkeys for a number."""
    return service.url.replace("127.0.0.1", HOST)


def sits(
    browser: Browser, service: Served, *roles: str, strength: str = SECOND, proved: float = 0
) -> None:
    """Have somebody sit at the browser, in a visit that began so."""
    headers = service.person("ada", *roles, strength=strength, proved=proved)
    name, _, value = headers["Cookie"].partition("=")
    browser.do("Network.setCookie", name=name, value=value, url=named(service))


def held(service: Served) -> int:
    """Return how many passkeys there are."""
    return len(service.scene.keeping.read(lambda known: passkeys(known, "ada")))


@pytest.mark.e2e
@needs_a_browser
def test_a_passkey_signs_in_and_votes_in_person(
    browser: Browser, service: Served, tmp_path: Path
) -> None:
    """Made by somebody who came by a link; then it is the way in, and the vote counts; sixteen
    minutes later it takes the passkey again, and once more it counts.
    """
    here = desk(tmp_path, approver="lead")
    where = service.enrolled(here.store, "runner")
    request = here.requested("rm -rf ~/photos")
    sent(service, where, here)
    sits(browser, service, "approver:lead", strength=LINK)
    browser.go(f"{named(service)}{page(where, request)}")
    assert not browser.js("document.querySelector('[value=approve]:enabled')")
    browser.go(f"{named(service)}/account")
    browser.js("document.querySelector('[data-passkey=create] button').click()")
    browser.wait("document.querySelector('.done')")
    assert held(service) == 1
    browser.js("document.querySelector('[action=\"/signout\"] button').click()")
    browser.wait("document.querySelector('[data-passkey=get]:not([hidden]) button')")
    browser.js("document.querySelector('[data-passkey=get] button').focus()")
    browser.press("Enter")
    browser.wait("location.pathname === '/inbox'")
    sits(browser, service, proved=16 * 60)
    browser.go(f"{named(service)}{page(where, request)}")
    browser.js("document.querySelector('a[href^=\"/prove\"]').click()")
    browser.wait("document.querySelector('[data-passkey=get]:not([hidden])')")
    assert not browser.js("document.getElementById('code')")
    browser.js("document.querySelector('[data-passkey=get] button').click()")
    browser.wait("document.querySelector('[value=approve]')")
    browser.js("document.querySelector('[value=approve]').click()")
    browser.wait("document.querySelector('.outcome')")
    assert state(service, where, request) == "granted"
    browser.go(f"{named(service)}/account")
    browser.js("document.querySelector('[action=\"/account/passkeys/end\"] button').click()")
    browser.wait("document.querySelector('.done')")
    assert held(service) == 0
    assert browser.complaints == []


def ring(service: Served, origin: str = "") -> Passkeys:
    """Return the passkeys of a site."""
    return Passkeys(service.scene.keeping, service.scene.keys, Site(origin or named(service)))


@pytest.mark.e2e
@needs_a_browser
def test_what_a_browser_said_counts_once_and_there_alone(browser: Browser, service: Served) -> None:
    """Not a second time, not for another name of the service, not for another visit, not for
    somebody else, and not once it was taken away.
    """
    sits(browser, service, "reader")
    browser.go(f"{named(service)}/account")
    browser.js("document.querySelector('[data-passkey=create] button').click()")
    browser.wait("document.querySelector('.done')")
    keeping = service.scene.keeping
    service.person("ben", "reader")
    ada, ben = [
        keeping.write(partial(enter, person=Person(name, name, ""), strength=PASSWORD))[1]
        for name in ("ada", "ben")
    ]

    def used(asked: Any) -> str:
        options = json.dumps(asked.options)
        return str(
            browser.js(
                "navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON("
                f"JSON.parse({options}))}}).then(one => JSON.stringify(one.toJSON()))"
            )
        )

    here = ring(service)
    asked = here.to_use()
    given = used(asked)
    with pytest.raises(SignInError, match="not right"):
        ring(service, "https://elsewhere.example").enter(asked.begun, given)
    with pytest.raises(SignInError, match="too long"):
        here.prove(ada, asked.begun, given)
    assert here.enter(asked.begun, given)[1].person == "ada"
    [kept] = keeping.read(lambda known: passkeys(known, "ada"))
    with pytest.raises(SignInError, match="not right"):  # its counter
        here.enter(asked.begun, given)
    keeping.write(lambda steps: steps.put_credential(kept.replace(last=0)))
    with pytest.raises(SignInError, match="used already"):  # one that counts nothing, as phones' do
        here.enter(asked.begun, given)
    asked = here.to_use(ben.replace(person="ada"))
    with pytest.raises(SignInError, match="not right"):
        here.prove(ben, asked.begun, used(asked))
    asked = here.to_use(ada)
    given = used(asked)
    keeping.write(lambda steps: steps.end_credential("ada", kept.kind))
    with pytest.raises(SignInError, match="not right"):
        here.prove(ada, asked.begun, given)
    keeping.write(lambda steps: steps.put_credential(kept.replace(last=0)))
    assert here.prove(ada, asked.begun, given)


WORDS = st.sampled_from(["AAAA", "", "é", "e30", "\ud800", "=", "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"])
VALUES = st.one_of(
    WORDS, st.none(), st.integers(), st.lists(WORDS, max_size=2), st.text(max_size=5)
)
NAMES = ("clientDataJSON", "authenticatorData", "signature", "userHandle", "attestationObject")
GIVEN = st.fixed_dictionaries(
    {
        "id": VALUES, "rawId": VALUES, "type": st.sampled_from(["public-key", "x"]),
        "response": st.one_of(VALUES, st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES))),
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def nobodys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Passkeys, Visit]]:
    """Return the passkeys of a site, one of which nobody has, and a visit."""
    folder = str(tmp_path_factory.mktemp("service"))
    keeping = Database(folder)
    visit = Visit("t", "p", "ada", now(), later(60), now(), SECOND, now())
    made = Credential("ada", f"{PASSKEY}AAAA", "pQECAyYgASFYIA", now())

    def work(steps: ServiceWriter) -> None:
        steps.add_person(Person("ada", "Ada", now()))
        steps.add_visit(visit)
        steps.put_credential(made)

    keeping.write(work)
    yield Passkeys(keeping, ServiceKeys(folder), Site("http://localhost:1")), visit
    keeping.close()


@settings(max_examples=80, derandomize=True, deadline=None)
@given(given=st.one_of(GIVEN, VALUES), raw=st.booleans())
def test_nonsense_is_refused(nobodys: tuple[Passkeys, Visit], given: Any, raw: bool) -> None:
    """Whatever comes in the place of what a browser says of a passkey, and of where it began."""
    here, visit = nobodys
    said = str(given) if raw else json.dumps(given)
    with pytest.raises(SignInError):
        here.enter(here.to_use().begun, said)
    with pytest.raises(SignInError):
        here.prove(visit, here.to_use(visit).begun, said)
    with pytest.raises(SignInError):
        here.make(visit, here.to_make(visit, "Ada").begun, said)
    with pytest.raises(SignInError):
        here.enter(said, said)


def test_what_one_signs_in_with_changes_in_person(service: Served) -> None:
    """Whoever finds a browser open adds no passkey and no authenticator where something counts
    already: the code of sixteen minutes ago is too old for that, one of fourteen is not.
    """
    keeping = service.scene.keeping
    service.person("ada", "reader")
    made = Credential("ada", f"{PASSKEY}AAAA", "pQECAyYgASFYIA", now())
    keeping.write(lambda steps: steps.put_credential(made))
    body = f"kind={made.kind}"
    for ago, to in ((16, "/prove?to=/account"), (14, "/account?done=removed")):
        someone = service.person("ada", proved=ago * 60)
        shown = service.ask("GET", "/account/authenticator", someone)
        assert (shown.status == 200) == (ago == 14)
        answer = service.ask("POST", "/account/passkeys/end", someone, body)
        assert answer.headers["location"] == to
    assert held(service) == 0


def test_there_are_passkeys_for_a_name_alone(service: Served) -> None:
    """At a number the page says where there are; at a name it has the button."""
    someone = service.person("ada", "reader")
    by_number = service.ask("GET", "/account", someone).text
    by_name = service.ask("GET", "/account", {**someone, "Host": named(service)[7:]}).text
    assert f"sign in at <code>{named(service)}</code>" in by_number
    assert "data-passkey" not in by_number
    assert 'data-passkey="create"' in by_name
    assert [
        Site(f"https://{one}").fits for one in ("team:8443", "10.0.0.5:8443", "[::1]:1", "a.b")
    ] == [True, False, False, True]
