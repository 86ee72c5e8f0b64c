"""Signing in and out."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from interlock.service.asked import Asking
from interlock.service.people.signin import VISIT_SECONDS, begin, end
from interlock.service.scene import Scene

SIGN_IN = "/signin"


def signed_in(scene: Scene, asking: Asking) -> Response:
    """Use a link, and lead on to the console; a link that does not count leads to the page that
    says how to get one.
    """
    found = scene.keeping.write(lambda keeping: begin(keeping, asking.names["link"]))
    if found is None:
        return RedirectResponse(f"{SIGN_IN}?used=1", 303)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        scene.cookie, found[0], VISIT_SECONDS, httponly=True, secure=scene.secure, samesite="lax"
    )
    return answer


def signed_out(scene: Scene, asking: Asking) -> Response:
    """End the visit."""
    visit = asking.who.visit
    if visit is not None:
        scene.keeping.write(lambda keeping: end(keeping, visit))
    answer = RedirectResponse(SIGN_IN, 303)
    answer.delete_cookie(scene.cookie, httponly=True, secure=scene.secure, samesite="lax")
    return answer
