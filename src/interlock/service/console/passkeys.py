"""Passkeys on the pages: made on one's account, used to sign in and to show that one is here."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from interlock.service.console.account import account, may_change, own_visit
from interlock.service.console.keyring import keyring
from interlock.service.console.nav import ACCOUNT, inside
from interlock.service.console.signin_pages import prove_again, signin_form
from interlock.service.context import ServiceContext
from interlock.service.people import passkeys
from interlock.service.people.owner import SignInError
from interlock.service.people.routes import let_in
from interlock.service.request import ServiceRequest


def add_passkey(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Keep a passkey that a browser made."""
    visit, form = own_visit(asking), asking.form
    if not may_change(scene, asking):
        return RedirectResponse(f"/prove?to={ACCOUNT}", 303)
    try:
        cookie = keyring(scene, asking).make(visit, form.get("begun", ""), form.get("given", ""))
    except SignInError as refused:
        return account(scene, asking, str(refused))
    return let_in(scene, cookie, visit.expires, f"{ACCOUNT}?done=passkey")


def end_passkey(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Have a passkey count no more."""
    if not may_change(scene, asking):
        return RedirectResponse(f"/prove?to={ACCOUNT}", 303)
    name, kind = asking.who.person.name, asking.form.get("kind", "")
    scene.keeping.write(lambda steps: passkeys.end(steps, name, kind))
    return RedirectResponse(f"{ACCOUNT}?done=removed", 303)


def sign_in(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Let somebody in by a passkey."""
    form = asking.form
    to = inside(form.get("to", "/"))
    try:
        cookie, visit = keyring(scene, asking).enter(form.get("begun", ""), form.get("given", ""))
    except SignInError as refused:
        scene.refused("", "passkey")
        return signin_form(scene, asking, to, str(refused))
    return let_in(scene, cookie, visit.expires, to)


def proven(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Have the visit count as somebody there in person."""
    visit, form = own_visit(asking), asking.form
    to = inside(form.get("to", "/"))
    try:
        cookie = keyring(scene, asking).prove(visit, form.get("begun", ""), form.get("given", ""))
    except SignInError as refused:
        scene.refused(visit.person, "passkey")
        return prove_again(scene, asking, to, str(refused))
    return let_in(scene, cookie, visit.expires, to)
