"""The pages where people come in: signing in, an invitation, a code that says that one is here."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from interlock.service.console.keyring import keyring, site
from interlock.service.console.nav import inside
from interlock.service.console.page_answer import plain, render_page
from interlock.service.context import ServiceContext
from interlock.service.people.admit import find_invited, join
from interlock.service.people.owner import SignInError
from interlock.service.people.passkeys import passkeys
from interlock.service.people.password_signin import TOTP, PasswordSignIn
from interlock.service.people.passwords import LEAST, hash_password, unfit
from interlock.service.people.routes import let_in
from interlock.service.people.signin import has_passkeys, has_passwords
from interlock.service.request import ServiceRequest

AUTHENTICATOR = "/account/authenticator"


def door(scene: ServiceContext) -> PasswordSignIn:
    """Return where people come in."""
    return PasswordSignIn(scene.keeping, scene.keys, scene.guesses, scene.refused)


def signin(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Ask who it is."""
    used = "That link was used already, or is older than ten minutes."
    wrong = used if "used" in asking.words else ""
    return signin_form(scene, asking, asking.words.get("to", ""), wrong)


def sign_in(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Let somebody in by their name, password and code."""
    form = asking.form
    name, to = form.get("name", ""), form.get("to", "")
    try:
        cookie, visit = door(scene).enter(name, form.get("password", ""), form.get("code", ""))
    except SignInError as refused:
        return signin_form(scene, asking, to, str(refused), name)
    return let_in(scene, cookie, visit.expires, inside(to))


def signin_form(
    scene: ServiceContext, asking: ServiceRequest, to: str, wrong: str, name: str = ""
) -> Response:
    """Ask who it is, once more where something was wrong."""
    local = scene.keeping.read(has_passwords)
    fits = site(scene, asking).fits and scene.keeping.read(has_passkeys)
    return plain(
        "signin.html", status=403 if wrong else 200, title="Sign in", wrong=wrong, local=local,
        to=inside(to) if to else "/", name=name[:64],
        key=keyring(scene, asking).to_use() if fits else None,
        provider=scene.provider.host if scene.provider is not None else "",
    )  # fmt: skip


def welcome(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show an invitation. To look at it does not use it up: programs look at links, too."""
    person = scene.keeping.read(lambda known: find_invited(known, asking.names["link"]))
    name = person.name if person is not None else ""
    return _welcome(name, asking.names["link"], "", status=200 if name else 404)


def accept_invitation(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Take somebody in with the password that they chose, and lead on to the second factor."""
    secret, form = asking.names["link"], asking.form
    person = scene.keeping.read(lambda known: find_invited(known, secret))
    if person is None:
        return _welcome("", secret, "", status=404)
    why = unfit(form.get("password", ""), person.name)
    if why:
        return _welcome(person.name, secret, why, status=400)
    try:
        kept = hash_password(form["password"])
    except SignInError as refused:
        return _welcome(person.name, secret, str(refused), status=429)
    found = scene.keeping.write(lambda steps: join(steps, secret, form.get("shown", ""), kept))
    if found is None:
        return _welcome("", secret, "", status=404)
    return let_in(scene, found[0], found[1].expires, AUTHENTICATOR)


def _welcome(name: str, link: str, wrong: str, *, status: int) -> Response:
    return plain(
        "welcome.html", status=status, title="Welcome", name=name, link=link, wrong=wrong,
        least=LEAST,
    )  # fmt: skip


def prove(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Ask for a code, and lead back."""
    return prove_again(scene, asking, inside(asking.words.get("to", "/")), "")


def confirm_presence(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Have the visit count as somebody there in person."""
    visit, form = asking.who.visit, asking.form
    to = inside(form.get("to", "/"))
    if visit is None:
        return RedirectResponse(to, 303)
    try:
        cookie = door(scene).prove(visit, form.get("code", ""))
    except SignInError as refused:
        return prove_again(scene, asking, to, str(refused))
    return let_in(scene, cookie, visit.expires, to)


def prove_again(scene: ServiceContext, asking: ServiceRequest, to: str, wrong: str) -> Response:
    """Ask for a code or a passkey, once more where something was wrong."""
    name, visit = asking.who.person.name, asking.who.visit
    totp = scene.keeping.read(lambda known: known.credential(name, TOTP))
    held = scene.keeping.read(lambda known: passkeys(known, name))
    if totp is None and not held:
        return RedirectResponse(AUTHENTICATOR, 303)
    fits = held and site(scene, asking).fits
    return render_page(
        asking, "prove.html", status=403 if wrong else 200, to=to, wrong=wrong,
        key=keyring(scene, asking).to_use(visit) if fits else None, totp=totp is not None,
        elsewhere=scene.elsewhere,
    )  # fmt: skip
