"""The pages of whoever admits people: who there is, what they may do, programs' tokens."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from starlette.responses import RedirectResponse, Response

from interlock.model.record import Record
from interlock.service.console.page_answer import render_page
from interlock.service.context import ServiceContext
from interlock.service.people import admit, tokens
from interlock.service.people.owner import SignInError
from interlock.service.people.password_signin import TOTP
from interlock.service.people.routes import SIGN_IN
from interlock.service.request import ServiceRequest
from interlock.service.roles import APPROVER, PEOPLE, PERMISSIONS, PROGRAMS, ROLES
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import PASSWORD, Membership, Person

HERE = "/people"
KINDS = {
    "person": "invited",
    "role": "role given",
    "role-taken": "role taken",
    "joined": "joined",
    "reset": "begins anew",
    "ended": "left",
    "password": "password set",
    "authenticator": "authenticator set up",
    "passkey": "passkey added",
    "passkey-ended": "passkey removed",
    "api-token": "token made",
    "api-token-ended": "token ended",
}
"""Events of the service's own chain that admins see: who may do what changed."""
LATELY = 20


class PersonLine(Record):
    """A person in a line. ``signs``: the kinds of what they sign in with; ``seen``: when they were
    last here, empty where they are not signed in.
    """

    person: Person
    held: tuple[Membership, ...]
    signs: tuple[str, ...]
    seen: str


def people(scene: ServiceContext, asking: ServiceRequest, **more: str) -> Response:
    """Show who there is."""
    found = scene.keeping.read(lambda known: somebodies(known, asking.at))
    lately = scene.keeping.read(lambda known: known.noted(tuple(KINDS), LATELY))
    live = [one for one in found if not one.person.ended]
    return _page(
        asking, "people.html", people=found, lately=lately, count=len(live), kinds=KINDS, **more
    )


def somebodies(known: ServiceReader, at: str) -> list[PersonLine]:
    """Return all people, those who are none any more last."""
    held: dict[str, list[Membership]] = {}
    for one in known.memberships():
        held.setdefault(one.person, []).append(one)
    found = [_somebody(known, one, held.get(one.name, []), at) for one in known.persons()]
    return sorted(found, key=lambda one: bool(one.person.ended))


def _somebody(known: ServiceReader, person: Person, held: list[Membership], at: str) -> PersonLine:
    kinds = {one.kind.partition(":")[0] for one in known.credentials(person.name)}
    signs = tuple([kind for kind in (PASSWORD, TOTP, "passkey") if kind in kinds])
    seen = max([one.seen for one in known.visits(person.name, at)], default="")
    return PersonLine(person, tuple(held), signs, seen)


def person(scene: ServiceContext, asking: ServiceRequest, **more: str) -> Response:
    """Show one person, and what may be changed of them."""
    name = asking.names["name"]
    found = scene.keeping.read(lambda known: somebodies(known, asking.at))
    one = next((one for one in found if one.person.name == name), None)
    if one is None:
        return render_page(asking, "missing.html", status=404, why="There is no such person.")
    return _page(asking, "person.html", one=one, **more)


def invite_person(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Invite somebody; the link is shown once, here."""
    form = asking.form
    roles = [(role, "") for role in ROLES if role != APPROVER and f"role-{role}" in form]
    roles += [(APPROVER, what) for what in _names(form.get("approver", ""))]
    by = asking.who.person.name
    name = form.get("name", "")

    def work(steps: ServiceWriter) -> str:
        return admit.invite(steps, name, roles, by)

    return _show_link(scene, asking, people, work)


def reset(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Take all that somebody signs in with; the link to set it anew is shown once, here."""
    name, by = asking.names["name"], asking.who.person.name
    return _show_link(scene, asking, person, lambda steps: admit.reset(steps, name, by))


def _show_link(
    scene: ServiceContext,
    asking: ServiceRequest,
    page: Callable[..., Response],
    work: Callable[[ServiceWriter], str],
) -> Response:
    try:
        secret = scene.keeping.write(work)
    except SignInError as refused:
        return page(scene, asking, wrong=str(refused))
    there = f"/welcome/{secret}" if secret else SIGN_IN
    return page(scene, asking, link=scene.url + there)


def give_role(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Give a role."""
    form, by = asking.form, asking.who.person.name
    role, whats = form.get("role", ""), _names(form.get("for", "")) or [""]

    def work(steps: ServiceWriter) -> None:
        for what in whats:
            admit.give(steps, asking.names["name"], role, what, by)

    return _change_person(scene, asking, work)


def take_role(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Take a role."""
    form, by, name = asking.form, asking.who.person.name, asking.names["name"]
    role, what = form.get("role", ""), form.get("for", "")
    return _change_person(scene, asking, lambda steps: admit.take(steps, name, role, what, by))


def end_person(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Have somebody be none any more."""
    name, by = asking.names["name"], asking.who.person.name
    return _change_person(scene, asking, lambda steps: admit.end(steps, name, by))


def _change_person(
    scene: ServiceContext, asking: ServiceRequest, work: Callable[[ServiceWriter], None]
) -> Response:
    try:
        scene.keeping.write(work)
    except SignInError as refused:
        return person(scene, asking, wrong=str(refused))
    return RedirectResponse(f"{HERE}/{quote(asking.names['name'])}", 303)


def programs(scene: ServiceContext, asking: ServiceRequest, **more: str) -> Response:
    """Show programs' tokens."""
    found = scene.keeping.read(lambda known: known.api_tokens())
    return _page(asking, "tokens.html", tokens=found, fit=PROGRAMS, clock=asking.at, **more)


def create_token(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Make a token; it is shown once, here."""
    form, by = asking.form, asking.who.person.name
    role, said, days = [form.get(name, "") for name in ("role", "said", "days")]

    def work(steps: ServiceWriter) -> str:
        return tokens.make(steps, scene.keys, role, said, days, by)

    try:
        secret = scene.keeping.write(work)
    except SignInError as refused:
        return programs(scene, asking, wrong=str(refused))
    return programs(scene, asking, secret=secret)


def end_token(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """End a token."""
    name, by = asking.names["name"], asking.who.person.name
    scene.keeping.write(lambda steps: tokens.end(steps, name, by))
    return RedirectResponse("/programs", 303)


def _names(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _page(asking: ServiceRequest, template: str, **values: object) -> Response:
    more = {"wrong": "", "link": "", "secret": "", **values}
    status = 400 if more["wrong"] else 200
    lacks = asking.who.lacks(PEOPLE)
    return render_page(
        asking, template, status=status, here="people", roles=ROLES, lacks=lacks,
        permissions=PERMISSIONS, **more,
    )  # fmt: skip
