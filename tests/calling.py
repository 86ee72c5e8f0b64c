"""A caller of a service for tests: a token, and what is asked with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from interlock.service.people import tokens
from interlock.service.people.owner import first
from interlock.service.roles import APPROVER, CALLER
from interlock.service.store.rows import SECOND, Membership, Visit
from interlock.service.viewer import Viewer, viewer
from interlock.store.chain import now

if TYPE_CHECKING:
    from interlock.service.store.rows import RequestRow
    from tests.serving import Answered, Served

PROJECT = "/srv/app"


class Calling:
    """A program with a token of the role caller."""

    def __init__(self, service: Served, said: str = "billing-bot", role: str = CALLER) -> None:
        self.service = service
        made = service.scene
        self.token = made.keeping.write(
            lambda steps: tokens.make(steps, made.keys, role, said, "1", first(steps))
        )
        self.id = next(
            one.id
            for one in made.keeping.read(lambda known: known.api_tokens())
            if one.said == said
        )
        self.headers = {"Authorization": f"Bearer {self.token}"}

    @property
    def chain(self) -> str:
        """The chain of its record."""
        return f"c-{self.id}"

    def post(self, path: str, body: object, **headers: str) -> Answered:
        """Send something."""
        sent = body if isinstance(body, (str, bytes)) else json.dumps(body)
        return self.service.ask("POST", path, {**self.headers, **headers}, sent)

    def decide(self, command: str, **more: Any) -> dict[str, Any]:
        """Return the decision on a shell command."""
        answer = self.post("/v1/decide", bash(command, **more))
        assert answer.status == 200, answer.text
        found: dict[str, Any] = answer.json
        return found

    def requests(self) -> list[RequestRow]:
        """Return what waits of it, or waited, the newest first."""
        return self.service.scene.keeping.read(
            lambda known: known.requests(machine=self.id, most=100)
        )

    def recorded(self) -> list[str]:
        """Return the decisions in its record, the newest first, by their ids."""
        from interlock.service.store.views import DecisionQuery

        wanted = DecisionQuery(sources=(self.chain,), most=1000)
        return [
            one.name
            for one in self.service.scene.keeping.read(lambda known: known.decisions(wanted))
        ]


def stand_as_approver(service: Served) -> Viewer:
    """Return somebody who may approve everything, and is there in person."""
    service.person("ada", "approver:*")
    held = [Membership("ada", APPROVER, "*", "", "")]
    person = service.scene.keeping.read(lambda known: known.person("ada"))
    assert person is not None
    return viewer(person, held, Visit("", "", "ada", now(), now(), now(), SECOND, now()))


def bash(command: str, **more: Any) -> dict[str, Any]:
    """Return a shell call in a project, as it is asked about."""
    return {
        "name": "Bash",
        "input": {"command": command},
        "cwd": PROJECT,
        "roots": [PROJECT],
        **more,
    }
