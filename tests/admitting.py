"""People of a service, for tests: admitted, with a password and an authenticator, signed in."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

import pyotp

from interlock.service.people import admit
from interlock.service.people.owner import first
from interlock.service.people.password_signin import TOTP
from interlock.service.people.signin import find_viewer
from interlock.service.store.rows import Visit
from tests.serving import Served, Visitor

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.service.store.protocol import ServiceWriter

WORDS = "quiet rivers carry stones"
OTHER = "seven lamps above the harbour"


_NUMBERS = count()


def admitted(service: Served, *roles: str, by: str = "owner") -> tuple[str, Visitor]:
    """Return somebody's name, and them with their invitation open."""
    name = f"p{next(_NUMBERS)}"
    pairs = [(role, what) for role, _, what in (one.partition(":") for one in roles)]

    def work(steps: ServiceWriter) -> str:
        first(steps)
        return admit.invite(steps, name, pairs, by)

    visitor = Visitor(service)
    assert visitor.go(f"/welcome/{service.scene.keeping.write(work)}").status == 200
    return name, visitor


def joined(service: Served, *roles: str) -> tuple[str, Visitor, str]:
    """Return somebody who has a password and an authenticator: name, them, its secret."""
    name, visitor = admitted(service, *roles)
    visitor.send(visitor.path, shown=name.title(), password=WORDS)
    assert visitor.path == "/account/authenticator"
    found = re.search(r'class="secret"><code>([A-Z2-7 ]+)</code>', visitor.here.text)
    assert found is not None
    secret = found[1].replace(" ", "")
    visitor.send("/account/authenticator", code=pyotp.TOTP(secret).now())
    assert visitor.path == "/account?done=authenticator", visitor.here.text
    return name, visitor, secret


def again(service: Served, name: str) -> None:
    """Have the code of this half minute count once more, as the next one's would."""
    totp = service.scene.keeping.read(lambda asked: asked.credential(name, TOTP))
    assert totp is not None
    service.scene.keeping.write(lambda steps: steps.put_credential(totp.replace(last=0)))


def sign_in(service: Served, name: str, password: str, code: str = "") -> Visitor:
    """Return somebody who tried to sign in."""
    visitor = Visitor(service)
    visitor.go("/signin")
    visitor.send("/signin", name=name, password=password, code=code)
    return visitor


def changed(service: Served, change: Callable[[Visit], Visit], visitor: Visitor) -> None:
    """Change a visit."""
    cookie = visitor.cookie
    found = find_viewer(service.scene.keeping, cookie)
    assert found is not None
    assert found.visit is not None
    visit = change(found.visit)
    service.scene.keeping.write(lambda steps: steps.put_visit(visit))


def events(service: Served, kind: str, subject: str) -> list[object]:
    """Return who did something to somebody, the newest first."""
    found = service.scene.keeping.read(lambda asked: asked.noted([kind], 1000))
    return [one.body.get("by") for one in found if one.subject == subject]
