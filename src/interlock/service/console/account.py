"""The page of whoever is signed in: what they may do, how they sign in, where they are here."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from interlock.service.console.keyring import keyring, site
from interlock.service.console.nav import ACCOUNT
from interlock.service.console.page_answer import render_page
from interlock.service.console.signin_pages import AUTHENTICATOR, door
from interlock.service.context import ServiceContext
from interlock.service.people.admit import display_name
from interlock.service.people.codes import address, picture
from interlock.service.people.owner import SignInError
from interlock.service.people.passkeys import passkeys
from interlock.service.people.password_signin import TOTP
from interlock.service.people.passwords import LEAST
from interlock.service.people.routes import let_in
from interlock.service.request import ServiceRequest
from interlock.service.roles import CALLER, PERMISSIONS, ROLES
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import PASSWORD, Visit


def account(scene: ServiceContext, asking: ServiceRequest, wrong: str = "") -> Response:
    """Show it."""
    who, name = asking.who, asking.who.person.name
    held = scene.keeping.read(lambda known: known.memberships(name))
    signs = {
        kind: scene.keeping.read(lambda known, one=kind: known.credential(name, one))  # type: ignore[misc]
        for kind in (PASSWORD, TOTP)
    }
    keys = scene.keeping.read(lambda known: passkeys(known, name))
    fits, secured = site(scene, asking).fits, bool(signs[TOTP] or keys)
    key = keyring(scene, asking).to_make(own_visit(asking), who.person.shown) if fits else None
    visits = scene.keeping.read(lambda known: known.visits(name, asking.at))
    may = [one for one in PERMISSIONS.values() if one.roles and who.may(one.name)]
    return render_page(
        asking, "account.html", status=400 if wrong else 200, here="account", held=held,
        roles=ROLES, signs=signs, visits=visits, may=may, wrong=wrong, least=LEAST,
        keys=keys, key=key, secured=secured, changes=who.in_person or not secured,
        elsewhere=scene.elsewhere, alone=alone(scene, asking), done=asking.words.get("done", ""),
    )  # fmt: skip


def alone(scene: ServiceContext, asking: ServiceRequest) -> bool:
    """Tell whether somebody holds every role: nobody else checks what they do."""
    del scene
    return asking.who.roles.issuperset(ROLES.keys() - {CALLER})


def rename_person(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Take how somebody wants to be called."""
    shown = display_name(asking.form.get("shown", ""))
    if not shown:
        return account(scene, asking, "A name has a letter at least.")
    name = asking.who.person.name
    scene.keeping.write(lambda keeping: keeping.name_person(name, shown))
    return RedirectResponse(f"{ACCOUNT}?done=name", 303)


def password(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Set a password."""
    form = asking.form
    try:
        door(scene).set_password(own_visit(asking), form.get("old", ""), form.get("password", ""))
    except SignInError as refused:
        return account(scene, asking, str(refused))
    return RedirectResponse(f"{ACCOUNT}?done=password", 303)


def may_change(scene: ServiceContext, asking: ServiceRequest) -> bool:
    """Tell whether somebody may change what they sign in with: where something counts already, it
    takes that.
    """
    name = asking.who.person.name

    def secured(known: ServiceReader) -> bool:
        return known.credential(name, TOTP) is not None or bool(passkeys(known, name))

    return asking.who.in_person or not scene.keeping.read(secured)


def authenticator(scene: ServiceContext, asking: ServiceRequest, wrong: str = "") -> Response:
    """Show what an authenticator takes in. To replace one takes a code of that one."""
    name, visit = asking.who.person.name, own_visit(asking)
    before = scene.keeping.read(lambda known: known.credential(name, TOTP))
    if not may_change(scene, asking):
        return RedirectResponse(f"/prove?to={AUTHENTICATOR}", 303)
    secret = door(scene).begin_totp(visit)
    where = address(secret, name, scene.url.partition("://")[2])
    spaced = " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))
    return render_page(
        asking, "authenticator.html", status=403 if wrong else 200, secret=spaced, wrong=wrong,
        picture=picture(where), where=where, before=before is not None,
    )  # fmt: skip


def confirm_code(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Have the authenticator count, by its first code."""
    visit = own_visit(asking)
    if not may_change(scene, asking):
        return RedirectResponse(f"/prove?to={AUTHENTICATOR}", 303)
    try:
        cookie = door(scene).confirm_totp(visit, asking.form.get("code", ""))
    except SignInError as refused:
        return authenticator(scene, asking, str(refused))
    return let_in(scene, cookie, visit.expires, f"{ACCOUNT}?done=authenticator")


def own_visit(asking: ServiceRequest) -> Visit:
    """Return the visit of whoever asks."""
    if asking.who.visit is None:
        raise LookupError("a program has no account")  # its token opens no such route
    return asking.who.visit
