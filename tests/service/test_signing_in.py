"""Coming in: invitations, passwords, codes and links; and how a visit ends."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pyotp
import pytest

from interlock.cli import serve_start
from interlock.service.guess_limits import SECONDS, TRIES, GuessCounter
from interlock.service.keys import ServiceKeys
from interlock.service.people import admit, codes, passwords
from interlock.service.people.owner import SignInError
from interlock.service.people.password_signin import TOTP, WRONG
from interlock.service.people.signin import IDLE_SECONDS, find_viewer, goes_on, link
from interlock.service.roles import PEOPLE, SEE
from interlock.service.secrets import hash_secret, later
from interlock.service.store.protocol import ServiceStoreError
from interlock.service.store.rows import PASSWORD, SECOND, Credential, Person
from tests.admitting import OTHER, WORDS, admitted, again, changed, events, joined, sign_in
from tests.serving import Served, Visitor, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


pytestmark = pytest.mark.usefixtures("cheap")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


def test_an_invitation_leads_to_an_account_with_two_factors(service: Served) -> None:
    """A link that is looked at still works, and once it was used it does not; the password alone
    lets look, and name, password and code let do.
    """
    name, visitor = admitted(service, "operator")
    path = visitor.path
    assert Visitor(service).go(path).status == 200
    assert visitor.send(path, password="short").status == 400  # noqa: S106 - judged
    assert visitor.send(path, shown=" Ada\tL. ", password=WORDS).status == 200
    assert Visitor(service).go(path).status == 404
    assert Visitor(service).send(path, password=OTHER).status == 404
    account = visitor.go("/account").text
    assert "Ada L." in account
    assert "You can look, and nothing more" in account
    plain = sign_in(service, name, WORDS)
    assert plain.go("/machines").status == 200
    assert (events(service, "joined", name), events(service, "sign-in", name)) == (
        [None],
        ["password", "password"],
    )


def test_a_second_factor_is_asked_for_where_there_is_one(service: Served) -> None:
    """Not without the code, not with a wrong one, not with one that was used; spaces do not count."""
    name, _, secret = joined(service, "reader")
    code = pyotp.TOTP(secret).now()
    assert sign_in(service, name, WORDS).here.status == 403
    assert sign_in(service, name, WORDS, "000000").here.status == 403
    assert sign_in(service, name, WORDS, code).here.status == 403, "it confirmed the authenticator"
    again(service, name)
    spaced = f"{code[:3]} {code[3:]}"
    assert sign_in(service, f" {name.upper()} ", WORDS, spaced).path == "/"
    assert sign_in(service, name, WORDS, code).here.status == 403


def test_what_is_wrong_is_not_said(service: Served) -> None:
    """Nobody of that name, a wrong password, no password at all, a wrong code, somebody who left:
    the same page, and as much work.
    """
    name, _, _ = joined(service, "reader")
    invited, _ = admitted(service, "reader")
    gone, _, _ = joined(service, "reader")
    service.scene.keeping.write(lambda steps: admit.end(steps, gone, "owner"))
    worked: list[str] = []
    real = passwords.fits

    def fits(password: str, kept: str) -> bool:
        worked.append(kept)
        return real(password, kept)

    said = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "fits", fits)
        for who, password in (
            ("nobody", WORDS),
            ("no name!", WORDS),
            (name, OTHER),
            (invited, WORDS),
            (name, WORDS),
            (gone, WORDS),
        ):
            page = sign_in(service, who, password).here
            text = page.text.replace(f'value="{who}"', "").replace('value="no name!"', "")
            said.add((page.status, text))
    assert len(said) == 1
    assert len(worked) == 6
    assert WRONG in unescape(next(iter(said))[1])
    assert sign_in(service, "nobody", WORDS).here.headers.get("set-cookie") is None


def test_guessing_ends_and_the_right_one_waits_with_the_wrong_ones(service: Served) -> None:
    """Five tries at a name; at codes as well; another name is let in meanwhile."""
    name, visitor, secret = joined(service, "reader")
    other, _ = admitted(service, "reader")
    for _ in range(TRIES):
        assert WRONG in sign_in(service, name, OTHER).here.text
    assert "Too many tries" in sign_in(service, name, WORDS, pyotp.TOTP(secret).now()).here.text
    assert WRONG in sign_in(service, other, WORDS).here.text
    again(service, name)
    visitor.go("/prove?to=/machines")
    for _ in range(TRIES):
        assert "not right" in visitor.send("/prove", code="000000").text
    assert "Too many tries" in visitor.send("/prove", code=pyotp.TOTP(secret).now()).text


def test_counting_guesses_takes_a_fixed_room_and_is_never_forgotten_for_others() -> None:
    """However many names are tried; a name waits again after its time, and a right guess gives one
    try back, not those that others made.
    """
    clock = [0.0]
    guesses = GuessCounter(clock=lambda: clock[0])
    waits = [guesses.wait("ada") for _ in range(TRIES + 1)]
    assert waits[:-1] == [0] * TRIES
    assert 0 < waits[-1] <= SECONDS / TRIES + 1
    before = len(guesses._free)
    for number in range(20_000):
        guesses.wait(f"n{number}")
    assert len(guesses._free) == before
    assert guesses.wait("ada")
    guesses.right("ada")
    assert [bool(guesses.wait("ada")) for _ in range(2)] == [False, True]
    clock[0] += SECONDS * 2
    assert [guesses.wait("ada") for _ in range(TRIES)] == [0] * TRIES


def test_a_visit_ends_by_itself(service: Served) -> None:
    """Where it was not used for two hours; at most twelve hours after it began."""
    _, visitor, _ = joined(service, "reader")
    assert visitor.go("/machines").status == 200
    assert visitor.path == "/machines"
    changed(service, lambda visit: visit.replace(seen=later(-120)), visitor)
    visitor.go("/machines")
    assert visitor.path == "/machines", "it was used just now, which is noted"
    changed(service, lambda visit: visit.replace(seen=later(-IDLE_SECONDS - 1)), visitor)
    visitor.go("/machines")
    assert visitor.path == "/signin?to=/machines"


def test_what_comes_as_it_happens_ends_with_the_visit(service: Served) -> None:
    """And with the role; a visit that nobody used is not kept alive by it."""
    name, visitor, _ = joined(service, "reader")
    token = hash_secret(visitor.cookie)
    keeping = service.scene.keeping
    assert goes_on(keeping, token, SEE)
    assert not goes_on(keeping, token, PEOPLE)
    keeping.write(lambda steps: admit.take(steps, name, "reader", "", "owner"))
    assert not goes_on(keeping, token, SEE)
    keeping.write(lambda steps: admit.give(steps, name, "reader", "", "owner"))
    assert goes_on(keeping, token, SEE)
    changed(service, lambda visit: visit.replace(seen=later(-IDLE_SECONDS - 1)), visitor)
    assert not goes_on(keeping, token, SEE)


def test_signing_out_everywhere_leaves_this_browser(service: Served) -> None:
    """And another password or authenticator does the same."""
    name, visitor, secret = joined(service, "reader")

    def elsewhere() -> Visitor:
        again(service, name)
        other = sign_in(service, name, other_password, pyotp.TOTP(secret).now())
        assert other.path == "/"
        return other

    other_password = WORDS
    other = elsewhere()
    visitor.go("/account")
    visitor.send("/signout/everywhere")
    assert (visitor.path, other.go("/machines").status, other.path) == ("/account", 200, "/signin?to=/machines")  # fmt: skip
    other = elsewhere()
    assert visitor.send("/account/password", old=OTHER, password=OTHER).status == 400
    visitor.send("/account/password", old=WORDS, password=OTHER)
    assert "signed out everywhere else" in visitor.here.text
    other.go("/machines")
    assert other.path == "/signin?to=/machines"
    other_password = OTHER
    elsewhere()
    visitor.go("/account")
    visitor.send("/signout")
    assert visitor.path == "/signin"


def test_proving_gives_a_new_cookie_and_the_old_one_is_none(service: Served) -> None:
    """Who had the old one gains nothing; the way back leads within the console and nowhere else."""
    name, visitor, secret = joined(service, "admin")
    changed(service, lambda visit: visit.replace(proved=later(-16 * 60)), visitor)
    page = visitor.go("/people")
    assert "takes a passkey or a code within 15 minutes" in page.text
    refused = visitor.send("/people", name="new")
    assert refused.status == 403
    assert 'href="/prove?to=/"' in refused.text
    old = visitor.cookie
    again(service, name)
    visitor.go("/prove?to=//evil.example/x")
    visitor.send("/prove", code=pyotp.TOTP(secret).now(), to="/people")
    assert visitor.path == "/people"
    assert "Invite somebody" in visitor.here.text
    assert find_viewer(service.scene.keeping, old) is None
    assert visitor.cookie != old
    again(service, name)
    for away in ("//evil.example", "https://evil.example", "/\\evil.example", "\\x", "/a\nb"):
        visitor.go("/prove")
        visitor.send("/prove", code=pyotp.TOTP(secret).now(), to=away)
        assert visitor.path == "/"
        again(service, name)


def test_a_link_is_printed_until_people_need_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """From then on it would be a way in that lies in a log; who wants one asks for it by name, and
    for nobody there is none.
    """
    with served(tmp_path) as service:
        keeping, url = service.scene.keeping, service.url
        serve_start._ready(keeping, url, None)
        assert f"{url}/signin/" in capsys.readouterr().out
        [owner] = keeping.read(lambda asked: asked.persons())
        made = Credential(owner.name, PASSWORD, "x", owner.made)
        keeping.write(lambda steps: steps.put_credential(made))
        serve_start._ready(keeping, url, None)
        assert f"{url}/signin/" not in capsys.readouterr().out
        keeping.write(lambda steps: steps.end_credential(owner.name, PASSWORD))
        keeping.write(lambda steps: steps.add_person(Person("kim", "Kim", owner.made, "", "x 1")))
        serve_start._ready(keeping, url, None)
        assert f"{url}/signin/" not in capsys.readouterr().out, "kim comes by a provider"
        assert keeping.write(lambda steps: link(steps, owner.name))
        with pytest.raises(SignInError, match="eve is nobody here"):
            keeping.write(lambda steps: link(steps, "eve"))


def test_another_authenticator_takes_a_code_of_the_one_before(service: Served) -> None:
    """A stolen password alone does not replace it."""
    name, visitor, _ = joined(service, "reader")
    before = service.scene.keeping.read(lambda asked: asked.credential(name, TOTP))
    weak = service.person(name, strength=PASSWORD)
    for method in ("GET", "POST"):
        answer = service.ask(method, "/account/authenticator", weak, b"code=1" if method == "POST" else b"")  # fmt: skip
        assert answer.headers["location"] == "/prove?to=/account/authenticator"
    page = visitor.go("/account/authenticator").text
    secret = re.search(r'class="secret"><code>([A-Z2-7 ]+)', page)
    assert secret is not None
    visitor.send("/account/authenticator", code=pyotp.TOTP(secret[1].replace(" ", "")).now())
    after = service.scene.keeping.read(lambda asked: asked.credential(name, TOTP))
    assert before is not None
    assert after is not None
    assert before.value != after.value


def test_an_authenticator_is_begun_and_confirmed_in_one_visit(service: Served) -> None:
    """What another visit of the same person saw is no secret of this one's: whoever could look on
    before knows nothing of what counts later.
    """
    name, visitor = admitted(service, "reader")
    visitor.send(visitor.path, password=WORDS)

    def shown(someone: Visitor) -> str:
        found = re.search(
            r'class="secret"><code>([A-Z2-7 ]+)', someone.go("/account/authenticator").text
        )
        assert found is not None
        return found[1].replace(" ", "")

    other = sign_in(service, name, WORDS)
    seen = shown(other)
    own = shown(visitor)
    assert shown(visitor) == own, "loading the page again changes nothing"
    assert own != seen
    assert "Begin anew" in other.send("/account/authenticator", code=pyotp.TOTP(seen).now()).text
    again_own = shown(visitor)
    visitor.send("/account/authenticator", code=pyotp.TOTP(again_own).now())
    assert visitor.path == "/account?done=authenticator"


def test_many_who_sign_in_at_once_leave_room_for_machines(service: Served) -> None:
    """Whoever comes while eight wait is told to come again; whoever comes later is let in."""
    name, _ = admitted(service, "reader")
    taken = [passwords._QUEUE.acquire(blocking=False) for _ in range(passwords.WAITING)]
    assert all(taken)
    try:
        assert "Too many people sign in" in sign_in(service, name, WORDS).here.text
        assert "Too many people sign in" in sign_in(service, "nobody", WORDS).here.text
    finally:
        for _ in taken:
            passwords._QUEUE.release()
    assert WRONG in sign_in(service, name, WORDS).here.text


def test_a_form_of_another_site_lets_nobody_in(service: Served) -> None:
    """Not even as somebody else, whose record one would then write."""
    name, _ = admitted(service, "reader")
    body = f"name={name}&password=x"
    foreign = {"Origin": "http://evil.example"}
    assert service.ask("POST", "/signin", foreign, body).json["type"] == "forged"
    crossed = {"Sec-Fetch-Site": "cross-site"}
    assert service.ask("POST", "/welcome/x", crossed, body).json["type"] == "forged"
    assert service.ask("POST", "/signin", {"Origin": service.url}, body).status == 403


def test_codes_count_around_their_time() -> None:
    """The step before and the one after, and none further away."""
    secret = codes.secret()
    at = 1_800_000_000.0
    found = [codes.step_of(secret, pyotp.TOTP(secret).at(int(at) + 30 * by), at) for by in range(-2, 3)]  # fmt: skip
    now = int(at // 30)
    assert found == [0, now - 1, now, now + 1, 0]
    assert codes.step_of(secret, "", at) == 0


def test_what_is_sealed_is_opened_by_its_key_for_its_person(tmp_path: Path) -> None:
    """A database without its key, or a row that was put under another name, opens nothing."""
    one, other = ServiceKeys(str(tmp_path / "one")), ServiceKeys(str(tmp_path / "other"))
    sealed = one.seal("secret", "ada")
    assert one.opened(sealed, "ada") == "secret"
    assert one.hash_text("x") != other.hash_text("x")
    for keys, whose in ((other, "ada"), (one, "bob")):
        with pytest.raises(ServiceStoreError, match=r"sealed with another people\.key"):
            keys.opened(sealed, whose)


def test_passwords_are_dear_to_guess_and_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """argon2id at 64 MiB; short ones and those of one letter are none."""
    monkeypatch.undo()
    kept = passwords.hash_password(WORDS)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=1$")
    assert passwords.NOBODYS.startswith("$argon2id$v=19$m=65536,t=3,p=1$")
    assert passwords.fits(WORDS, kept)
    assert not passwords.fits(OTHER, kept)
    assert not passwords.fits(WORDS, "")
    for unfit in ("short", "aaaaaaaaaaaaaaa", "adaadaadaada", "x" * 257):
        assert passwords.unfit(unfit, "ada")
    assert passwords.unfit(WORDS, "ada") == ""
    assert SECOND
