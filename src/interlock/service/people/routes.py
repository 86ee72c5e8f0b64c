"""Signing in by a link, signing out, and the cookie that a visit is known by."""

from __future__ import annotations

from datetime import UTC, datetime

from starlette.responses import RedirectResponse, Response

from interlock.service.context import ServiceContext
from interlock.service.people.signin import begin, end, end_all
from interlock.service.request import ServiceRequest

SIGN_IN = "/signin"


def by_link(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Use a link, and lead on to the console; a link that does not count leads to the page that
    says how to get one.
    """
    found = scene.keeping.write(lambda keeping: begin(keeping, asking.names["link"]))
    if found is None:
        return RedirectResponse(f"{SIGN_IN}?used=1", 303)
    return let_in(scene, found[0], found[1].expires, "/")


def let_in(scene: ServiceContext, cookie: str, expires: str, to: str) -> Response:
    """Lead on with a visit's cookie: out of reach of scripts and of other sites' forms."""
    answer = RedirectResponse(to, 303)
    until = datetime.fromisoformat(expires).astimezone(UTC)
    answer.set_cookie(
        scene.cookie, cookie, expires=until, httponly=True, secure=scene.secure, samesite="lax"
    )
    return answer


def sign_out(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """End the visit."""
    visit = asking.who.visit
    if visit is not None:
        scene.keeping.write(lambda keeping: end(keeping, visit))
    answer = RedirectResponse(SIGN_IN, 303)
    answer.delete_cookie(scene.cookie, httponly=True, secure=scene.secure, samesite="lax")
    return answer


def sign_out_everywhere(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """End all other visits of the person."""
    visit = asking.who.visit
    if visit is not None:
        scene.keeping.write(lambda keeping: end_all(keeping, visit))
    return RedirectResponse("/account", 303)
