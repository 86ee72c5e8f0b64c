"""Signing in with a provider: a real one, as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import urllib.error
import urllib.request
from hashlib import sha256
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from interlock.service.people import admit, bounded_answers
from interlock.service.people.oidc import BROKEN, ENDPOINTS, leads
from interlock.service.people.owner import first
from interlock.service.provider import IdentityProvider, ProviderError, read
from tests.answering import answering
from tests.serving import Served, Visitor, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 30
GROUPS = {"web": (("reader", ""),), "leads": (("approver", "lead"), ("operator", ""))}


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    """Run a provider."""
    from interlock.service.serving import ListenSettings, bind_socket

    with bind_socket(ListenSettings()) as sock:
        port = sock.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port)],
        stderr=subprocess.DEVNULL,
    )
    try:
        yield awake(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.wait(SECONDS)


def awake(url: str) -> str:
    """Wait until it answers."""
    until = time.monotonic() + SECONDS
    while True:
        try:
            urllib.request.urlopen(f"{url}/.well-known/openid-configuration").close()  # noqa: S310
        except urllib.error.URLError:
            assert time.monotonic() < until
            time.sleep(0.1)
        else:
            return url


@pytest.fixture(scope="module")
def service(issuer: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that people come to by way of it."""
    provider = IdentityProvider(issuer, "interlock", "secret", GROUPS)
    with served(tmp_path_factory.mktemp("service"), provider=provider) as found:
        found.scene.keeping.write(first)
        yield found


def claims(issuer: str, sub: str, **said: object) -> None:
    """Have the provider know somebody."""
    request = urllib.request.Request(  # noqa: S310 - our own provider
        f"{issuer}/users/{sub}", json.dumps(said).encode(), method="PUT",
        headers={"Content-Type": "application/json"},
    )  # fmt: skip
    urllib.request.urlopen(request).close()  # noqa: S310


def gone(service: Served, to: str = "/machines") -> tuple[Visitor, str]:
    """Return somebody who was led to the provider, and where that is."""
    visitor = Visitor(service)
    visitor.go("/signin")
    answer = visitor.go(f"/signin/provider?to={to}")
    return visitor, answer.headers["location"]


def signed(where: str, sub: str) -> str:
    """Sign in at the provider; return where it leads back to."""
    parts = urlsplit(where)
    connection = HTTPConnection(parts.netloc, timeout=SECONDS)
    try:
        body = urlencode({"sub": sub})
        head = {"Content-Type": "application/x-www-form-urlencoded"}
        connection.request("POST", f"{parts.path}?{parts.query}", body, head)
        answer = connection.getresponse()
        answer.read()
        return str(answer.headers["location"])
    finally:
        connection.close()


def back(service: Served, sub: str, to: str = "/machines") -> Visitor:
    """Return somebody who was there and came back."""
    visitor, where = gone(service, to)
    visitor.go(signed(where, sub))
    return visitor


def held(service: Served, name: str) -> set[tuple[str, str]]:
    """Return somebody's roles."""
    some = service.scene.keeping.read(lambda asked: asked.memberships(name))
    return {(one.role, one.name) for one in some}


def test_groups_admit_and_say_anew_at_each_sign_in(service: Served, issuer: str) -> None:
    """Who has a group with a role comes in, as nobody who was here before; a group that is gone
    takes its role along, and what a person gave stays.
    """
    claims(issuer, "7", preferred_username="Grace", name="Grace H.", groups=["web", "leads", "x"])
    grace = back(service, "7")
    assert (grace.path, grace.here.status) == ("/machines", 200)
    assert "Grace H." in grace.go("/account").text
    assert held(service, "grace") == {("reader", ""), ("approver", "lead"), ("operator", "")}
    service.scene.keeping.write(
        lambda steps: admit.give(steps, "grace", "approver", "dba", "owner")
    )
    claims(issuer, "7", preferred_username="Other", groups=["web"])
    back(service, "7")
    assert held(service, "grace") == {("reader", ""), ("approver", "dba")}
    assert f"{service.scene.cookie}-begun" not in grace.cookies


def test_a_provider_alone_is_one_factor_unless_it_says_more(service: Served, issuer: str) -> None:
    """Who only looked in there looks here; to do something takes a code here, too."""
    claims(issuer, "8", preferred_username="kim", groups=["leads"])
    kim = back(service, "8")
    assert kim.send("/machines", uses="1").status == 403
    claims(issuer, "8", preferred_username="kim", groups=["leads"], amr=["pwd", "mfa"])
    kim = back(service, "8")
    assert "interlock enrol il1_" in kim.send("/machines", uses="1").text


@pytest.mark.parametrize(
    ("sub", "said", "words"),
    [
        ("20", {"preferred_username": "eve"}, "No group of yours has a role here"),
        ("21", {"preferred_username": "eve", "groups": ["x"]}, "No group of yours has a role here"),
        ("22", {"preferred_username": "owner", "groups": ["web"]}, "somebody else here already"),
        ("23", {"preferred_username": "!!", "groups": ["web"]}, "no name that can be one here"),
        ("24", {"preferred_username": "eva", "groups": ["web"]}, ""),
    ],
)
def test_who_is_not_let_in_is_told_why(
    service: Served, issuer: str, sub: str, said: dict[str, Any], words: str
) -> None:
    """Not by a name that is taken, whoever says so; and who is let in is."""
    claims(issuer, sub, **said)
    visitor = back(service, sub)
    assert words in visitor.here.text
    assert bool(visitor.cookie) is not bool(words)


def test_whom_a_provider_vouches_for_has_no_password_here(service: Served, issuer: str) -> None:
    """It would outlast what the provider says; an authenticator is theirs to have, and to lose."""
    claims(issuer, "11", preferred_username="max", groups=["web"])
    someone = back(service, "11")
    someone.go("/account")
    page = someone.send("/account/password", password="quiet rivers carry stones")  # noqa: S106
    assert "it has your password" in page.text
    assert service.scene.keeping.write(lambda steps: admit.reset(steps, "max", "owner")) == ""
    assert back(service, "11").cookie


def test_who_ended_here_stays_ended(service: Served, issuer: str) -> None:
    """The provider does not bring them back."""
    claims(issuer, "9", preferred_username="zoe", groups=["web"])
    assert back(service, "9").cookie
    service.scene.keeping.write(lambda steps: admit.end(steps, "zoe", "owner"))
    visitor = back(service, "9")
    assert "do not belong to this service any more" in visitor.here.text
    assert not visitor.cookie


def test_what_began_elsewhere_ends_nowhere(service: Served, issuer: str) -> None:
    """Another browser's code, another state, a code that was used, a cookie that was changed; and
    the way back leads within the console.
    """
    claims(issuer, "10", preferred_username="ida", groups=["web"])
    visitor, where = gone(service)
    answer = signed(where, "10")
    other, _ = gone(service)
    for someone in (other, Visitor(service)):
        assert BROKEN in someone.go(answer).text
        assert not someone.cookie
    changed, where = gone(service)
    name = f"{service.scene.cookie}-begun"
    changed.cookies[name] = changed.cookies[name][:-2] + "00"
    assert BROKEN in changed.go(signed(where, "10")).text
    begun = visitor.cookies[name]
    assert visitor.go(answer).status == 200
    assert visitor.cookie
    assert BROKEN in visitor.go(answer).text
    visitor.cookies[name] = begun
    assert "could not be asked who you are" in visitor.go(answer).text, "its code was used"
    assert back(service, "10", "//evil.example").path == "/"


def test_the_way_there_is_bound_to_the_way_back(service: Served) -> None:
    """State, nonce and a challenge whose answer only the sealed cookie holds."""
    visitor, where = gone(service)
    said = {name: values[0] for name, values in parse_qs(urlsplit(where).query).items()}
    assert said["code_challenge_method"] == "S256"
    assert said["redirect_uri"] == f"{service.url}/signin/provider/back"
    assert len(said["state"]) >= 20
    assert len(said["nonce"]) >= 20
    sealed = visitor.cookies[f"{service.scene.cookie}-begun"]
    state, nonce, verifier, _, _ = json.loads(service.scene.keys.opened(sealed, "a provider"))
    assert (state, nonce) == (said["state"], said["nonce"])
    assert digest(verifier) == said["code_challenge"]


def digest(verifier: str) -> str:
    """Return the challenge of a verifier (RFC 7636)."""
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def test_a_provider_that_is_not_there_is_said(tmp_path: Path) -> None:
    """And where none is named the page says nothing of one."""
    provider = IdentityProvider("http://127.0.0.1:9", "interlock", "", GROUPS)
    with served(tmp_path, provider=provider) as service:
        visitor = Visitor(service)
        page = visitor.go("/signin/provider")
        assert page.status == 403
        assert "127.0.0.1:9 could not be asked who you are" in page.text
        assert "Sign in with 127.0.0.1:9" in page.text
    with served(tmp_path) as service:
        assert service.ask("GET", "/signin/provider").status == 404
        assert "Sign in with" not in service.ask("GET", "/signin").text


GOOD = dict.fromkeys(ENDPOINTS, "https://login.example/x")
HTTPS, HERE = "https://login.example", "http://127.0.0.1:9"


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "x",
        "http://login.example/",
        "https://",
        "https://a b/",
        "https://a:99999/",
        "https://[/",
        None,
        1,
        [],
        "ftp://a/",
    ],
)
@pytest.mark.parametrize("name", ENDPOINTS)
def test_what_a_provider_says_of_itself_leads_nowhere_unsafe(
    tmp_path: Path, name: str, wrong: object
) -> None:
    """It is a sentence, and nobody is led away; addresses that are some are gone to."""
    with answering() as issuer, served(tmp_path, provider=provider_at(issuer.url)) as service:
        issuer.answer(200, json.dumps({"issuer": issuer.url, **GOOD, name: wrong}).encode())
        page = Visitor(service).go("/signin/provider")
        assert (page.status, f"names {name} without https" in page.text) == (403, True)
        issuer.answer(200, json.dumps({"issuer": issuer.url, **GOOD}).encode())
        answer = service.ask("GET", "/signin/provider")
        assert answer.headers["location"].startswith("https://login.example/x?")


def provider_at(issuer: str) -> IdentityProvider:
    """Return a provider that answers there."""
    return IdentityProvider(issuer, "interlock", "", GROUPS)


@pytest.mark.parametrize(
    ("issuer", "address", "led"),
    [(HTTPS, HERE, False), (HTTPS, "https://keys.example/", True), (HERE, HERE, True),
     (HERE, "http://login.example/", False)],
)  # fmt: skip
def test_a_provider_elsewhere_names_no_address_of_this_machine(
    issuer: str, address: str, *, led: bool
) -> None:
    """What listens here for this machine alone is asked nothing; a provider here may be."""
    assert leads(provider_at(issuer), address) is led


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b"{", b"<html>", b'{"issuer": 1}', b"1" * 6000, b"[" * 5000]
)
def test_a_provider_that_says_nonsense_is_said(tmp_path: Path, body: bytes) -> None:
    """However it answers, whoever wants in reads a sentence."""
    with answering() as issuer, served(tmp_path, provider=provider_at(issuer.url)) as service:
        for status in (200, 302, 500):
            issuer.answer(status, body, {"Location": "http://127.0.0.1:1/"})
            page = Visitor(service).go("/signin/provider")
            assert (page.status, "could not be asked who you are" in page.text) == (403, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is no JSON"),
        ("[]", "expected an object with"),
        (
            '{"issuer": "https://x", "client": "c", "roles": {}, "colour": 1}',
            "unknown key 'colour'",
        ),
        ('{"issuer": "https://x", "roles": {}}', "client is missing"),
        ('{"issuer": "http://x", "client": "c", "roles": {}}', "expected an https:// address"),
        ('{"issuer": "https://x", "client": 3, "roles": {}}', "client is no text"),
        ('{"issuer": "https://x", "client": "c", "roles": []}', "roles is an object"),
        ('{"issuer": "https://x", "client": "c", "roles": {"a": ["god"]}}', "a has 'god'"),
        (
            '{"issuer": "https://x", "client": "c", "roles": {"a": ["approver"]}}',
            "a has 'approver'",
        ),
        ('{"issuer": "https://x", "client": "c", "roles": {"a": ["reader:x"]}}', "a has 'reader'"),
    ],
)
def test_a_file_that_names_no_provider_is_told(tmp_path: Path, text: str, words: str) -> None:
    """And one that does is read."""
    path = tmp_path / "oidc.json"
    path.write_text(text)
    with pytest.raises(ProviderError, match=words):
        read(str(path))
    path.write_text(
        '{"issuer": "https://x/", "client": "c", "roles": {"a": ["approver:lead", "reader"]}}'
    )
    found = read(str(path))
    assert (found.issuer, found.host) == ("https://x", "x")
    assert found.roles == {"a": (("approver", "lead"), ("reader", ""))}


@pytest.mark.parametrize(
    ("padding", "headers", "said"),
    [
        (0, {}, ""),
        (bounded_answers.MOST_BYTES // 2, {}, ""),
        (bounded_answers.MOST_BYTES, {}, "more than 1024 KiB"),
        (0, {"Content-Encoding": "identity"}, ""),
        (0, {"Content-Encoding": "gzip"}, "something packed"),
        (0, {"Content-Encoding": "br, gzip"}, "something packed"),
    ],
)
def test_of_what_a_provider_answers_so_much_is_read(
    tmp_path: Path, padding: int, headers: dict[str, str], said: str
) -> None:
    """Whoever wants in has it asked, and is nobody yet: what is too much, or may be once it is
    unpacked, is a sentence.
    """
    with answering() as issuer, served(tmp_path, provider=provider_at(issuer.url)) as service:
        text = json.dumps({"issuer": issuer.url, **GOOD, "more": "x" * padding})
        issuer.answer(200, text.encode(), headers)
        page = service.ask("GET", "/signin/provider", {"Accept": "text/html"})
        assert (page.status, said in page.text) == (403 if said else 303, True)
        assert {one[1]["accept-encoding"] for one in issuer.came} == {"identity"}


def test_a_provider_that_answers_a_byte_at_a_time_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte in time, and all of them not; one that is as slow and ends in time is heard."""
    for most, status in ((0.2, 403), (20.0, 303)):
        monkeypatch.setattr(bounded_answers, "MOST_SECONDS", most)
        with answering() as issuer, served(tmp_path, provider=provider_at(issuer.url)) as service:
            issuer.drip = 0.1
            issuer.answer(200, json.dumps({"issuer": issuer.url, **GOOD}).encode())
            assert service.ask("GET", "/signin/provider").status == status
