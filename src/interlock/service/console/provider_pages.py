"""The way to a provider and back."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from interlock.service.answers import RequestEnd, problem
from interlock.service.console.nav import inside
from interlock.service.console.signin_pages import signin_form
from interlock.service.context import ServiceContext
from interlock.service.people.owner import SignInError
from interlock.service.people.provider_accounts import come
from interlock.service.people.routes import let_in
from interlock.service.provider import IdentityProvider
from interlock.service.request import ServiceRequest

BACK = "/signin/provider/back"
SECONDS = 600


def there(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Lead to the provider."""
    from interlock.service.people.oidc import begin  # few services have one

    to = inside(asking.words.get("to", "/"))
    try:
        address, begun = begin(_provider(scene), f"{scene.url}{BACK}", to, scene.keys)
    except SignInError as refused:
        return signin_form(scene, asking, to, str(refused))
    answer = RedirectResponse(address, 303)
    answer.set_cookie(
        f"{scene.cookie}-begun", begun, SECONDS, httponly=True, secure=scene.secure, samesite="lax"
    )
    return answer


def back(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Let somebody in whom the provider vouches for."""
    from interlock.service.people.oidc import finish  # few services have one

    provider, sealed = _provider(scene), asking.cookies.get(f"{scene.cookie}-begun", "")
    try:
        claims, to = finish(provider, f"{scene.url}{BACK}", asking.words, sealed, scene.keys)
        cookie, visit = scene.keeping.write(lambda steps: come(steps, provider, claims))
    except SignInError as refused:
        scene.refused("", "provider")
        return signin_form(scene, asking, "", str(refused))
    answer = let_in(scene, cookie, visit.expires, inside(to))
    answer.delete_cookie(
        f"{scene.cookie}-begun", httponly=True, secure=scene.secure, samesite="lax"
    )
    return answer


def _provider(scene: ServiceContext) -> IdentityProvider:
    if scene.provider is None:
        raise RequestEnd(
            problem(404, "unknown", "no provider is named: interlock serve --oidc FILE")
        )
    return scene.provider
