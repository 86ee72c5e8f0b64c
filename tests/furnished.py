"""A service with something behind every name of its routes: a machine, its record, a request that
waits, a stop, a person, an invitation.
"""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

from interlock.service.people.admit import make_link
from interlock.service.roles import APPROVER, EVERY, ROLES
from interlock.service.stops.stops import StopRequest, stop
from interlock.service.store.views import DecisionQuery
from interlock.sidecar.client import SidecarClient
from interlock.sidecar.requests import SidecarRequests
from interlock.sidecar.ship import Shipper
from tests.approvals.test_roles import desk
from tests.serving import Served, shipped_all

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.service.routing import Row
    from tests.approving import Desk

ALL = [f"{APPROVER}:{EVERY}" if role == APPROVER else role for role in ROLES]
"""Every role."""


def waiting(folder: Path) -> tuple[Desk, str]:
    """Return a machine's store, and a call that waits there."""
    folder.mkdir(exist_ok=True)
    here = desk(folder, approver="lead", seconds=3600)
    return here, here.requested("rm -rf ~/photos")


class Furnished:
    """A machine of its own at a service. ``known``: names that lead somewhere; ``credential``: the
    machine's.
    """

    def __init__(self, service: Served, here: Desk, request: str, person: str = "ben") -> None:
        where = service.enrolled(here.store, "runner")
        self.credential, keeping = where.credential, service.scene.keeping
        with closing(SidecarClient(where.url, where.pin, where.credential)) as client:
            SidecarRequests(here.store, where).fetch(client)
        with closing(Shipper(here.store, where)) as shipper:
            shipped_all(shipper)
        service.person(person, "reader")
        asked = StopRequest(f"machine:{where.machine}", "all", "the disk fills", person)
        stopped = keeping.write(lambda steps: stop(steps, service.scene.signer, asked))
        found = keeping.read(lambda known: known.decisions(DecisionQuery(sources=(where.chain,))))
        self.known = {
            "machine": where.machine, "chain": where.chain, "source": where.chain,
            "epoch": str(stopped.epoch), "request": request, "decisions": found[0].name,
            "machines": where.machine, "people": person, "static": "console.css",
            "link": keeping.write(lambda steps: make_link(steps, person)),
        }  # fmt: skip

    def names(self, row: Row) -> dict[str, str]:
        """Return the names of a route's path as they lead somewhere, as far as that is known."""
        kind = row.path.split("/")[1]
        return {
            name: self.known.get(kind if name == "name" else name, "none")
            for name in re.findall(r"{(\w+)}", row.path)
        }

    def path(self, row: Row) -> str:
        """Return a route's path with those names."""
        return row.path.format_map(self.names(row))
