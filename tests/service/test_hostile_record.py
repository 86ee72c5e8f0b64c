"""A machine whose record holds anything at all, each link and digest of it right: it is taken, and
every page of the team is still a page.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from interlock.audit.source import ExportChain
from interlock.audit.verify import verify as verify_export
from interlock.service.console.pages import SHOWN, history
from interlock.service.console.stream import _pieces
from interlock.service.ingest.verify import export, verify
from interlock.store.chain import FIELDS, GENESIS, digest, link, of_row
from interlock.store.schema import AUDIT_COLUMNS, SETTLED_COLUMNS, Value
from interlock.wire.batch import KEPT, MOST_LINES, ROW, pack_lines
from tests.service.conftest import DATABASES, name_empty
from tests.serving import Served, filled, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AT = "2026-01-31T10:00:00.000Z"
VALUES: tuple[Value, ...] = (
    None, "\0", 5, -(2**62), 1.5, "", "[]", '{"a": [1]}', '[{"kind": 1}]', "[" * 900,
    "<b>\u202e\x1b[31m</b>",
)  # fmt: skip
KINDS = (
    "prompt", "stop", "resume", "approval", "anchor", "prune", "checkpoint", "event", "<b>", "",
)  # fmt: skip


class Machine:
    """A machine that sends what it likes, and its service."""

    def __init__(self, service: Served, home: Path) -> None:
        self.service, self.where = service, service.enrolled(filled(home, 0))
        self.seq, self.hash, self.row = 0, GENESIS, 0
        self.lines: list[str] = []
        self.names: list[str] = []
        self.told = [1]

    def tell(self, kind: str, subject: str, body: str, row: dict[str, Value] | None = None) -> None:
        """Add an event that follows from the one before."""
        self.seq += 1
        fields = (self.seq, f"e-{self.seq}", AT, kind, f"s-{self.seq}", subject, body)
        self.hash = link(self.hash, fields)
        said: dict[str, Any] = dict(zip(FIELDS, (*fields, self.hash), strict=True))
        self.lines.append(json.dumps({**said, **({} if row is None else {"row": row})}) + "\n")

    def judged(self, **odd: Value) -> str:
        """Tell of a decision whose row holds these values; return its name."""
        name, self.row = f"d-{self.seq}", self.seq + 1
        self.names.append(name)
        row: dict[str, Value] = {
            **dict.fromkeys(ROW, "x"),
            "id": self.row,
            "created_at": AT,
            "session_id": "s-1",
        }
        row = {**row, "parameters": '{"command": "ls"}', "decision_id": name, **odd}
        audit = [None if one in SETTLED_COLUMNS else row[one] for one in AUDIT_COLUMNS]
        body = {"digest": of_row(row["id"], row["created_at"], audit)}
        self.tell("decision", name, json.dumps(body), {one: row[one] for one in KEPT})
        return name

    def ended(self, name: str, *settled: Value) -> None:
        """Tell what became of a decision."""
        row = dict(zip(SETTLED_COLUMNS, settled, strict=True))
        self.tell("outcome", name, json.dumps({"digest": digest(settled), "row": self.row}), row)

    def send(self) -> None:
        """Send all of it."""
        previous, first, lines = GENESIS, 1, self.lines
        while lines:
            some, lines = lines[:MOST_LINES], lines[MOST_LINES:]
            headers = {
                "Authorization": f"Bearer {self.where.credential}",
                "From": str(first),
                "Previous": previous,
            }
            path = f"/v1/chains/{self.where.chain}/events"
            answer = self.service.ask("POST", path, headers, pack_lines(some))
            assert answer.status == 200, answer.text
            first, previous = first + len(some), json.loads(some[-1])["hash"]


@pytest.fixture(scope="module", params=DATABASES)
def machine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Machine]:
    """Return a machine whose record holds every value in every place."""
    folder = tmp_path_factory.mktemp("hostile")
    name_empty(request, folder / "service")
    with served(folder / "service") as service:
        found = Machine(service, folder / "home")
        for column in KEPT[2:]:
            for value in VALUES:
                found.judged(**{column: value})
        for number in range(len(SETTLED_COLUMNS)):
            for value in VALUES:
                settled: list[Value] = ["ran", "", 1]
                settled[number] = value
                found.ended(found.judged(), *settled)
        for kind in KINDS:
            for value in VALUES:
                found.tell(kind, str(value), str(value))
                found.told.append(found.seq)
        found.send()
        yield found


@pytest.mark.parametrize("machine", ["sqlite"], indirect=True)
def test_every_page_of_it_is_one(machine: Machine) -> None:
    """Live, the search, sessions and each decision; as JSON, too. None shows a sign that a reader
    or a browser would obey.
    """
    service, chain = machine.service, machine.where.chain
    who = service.signed_in()
    paths = ["/", "/search?q=x", "/sessions", "/machines", f"/machines/{machine.where.machine}"]
    paths += [f"/sessions/{chain}?id=s-{number}" for number in machine.told]
    paths += [f"/decisions/{chain}/{name}" for name in machine.names]
    for path in paths:
        text = service.ask("GET", path, who)
        assert text.status in (200, 404), path
        assert not {"\u202e", "\x1b"} & {*text.text}, path
        assert "<b>\\u" not in text.text, path
    found = service.ask("GET", "/v1/decisions?q=ls", who).json["decisions"]
    assert len(found) == SHOWN
    assert all(type(one["ms"]) is int for one in found)


def test_what_comes_of_it_is_shown_as_it_comes(machine: Machine) -> None:
    """The stream, too, says each call, on one line."""
    past = history(machine.service.scene)
    end, pieces = _pieces(past, (0, 0))
    assert end == past.end()
    assert len(pieces) == 101
    assert not {"\n", "\r", "\u202e"} & {*"".join(text for _, text in pieces)}


def test_it_is_kept_as_it_was_hashed(machine: Machine) -> None:
    """Checked again, and exported, it is whole: odd is not changed."""
    report = machine.service.scene.keeping.read(verify)
    assert (report.events, report.problems) == (machine.seq, ())
    lines: list[str] = []
    machine.service.scene.keeping.read(
        lambda known: [
            export(known, one, lines.append) for one in known.branches(machine.where.chain)
        ]
    )
    assert verify_export(ExportChain(lines), [], b"").problems == ()
