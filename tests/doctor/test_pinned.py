"""The doctor tells of MCP servers that say something else of their tools than when they were first
seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.cli import build, doctor
from interlock.ledger.pins import Pins

if TYPE_CHECKING:
    from pathlib import Path


def test_a_changed_description_is_amber(tmp_path: Path) -> None:
    """What was pinned and is the same is nobody's business; what changed is told by the server's
    name, with how many.
    """
    environment = {"HOME": str(tmp_path)}
    pins = Pins(build.store(environment), "db", "server.py")
    pins.held({"query": "reads", "list": "lists"})
    assert list(doctor.check_pins(environment)) == []
    pins.held({"query": "reads, and sends", "list": "lists"})
    [row] = doctor.check_pins(environment)
    assert (row.colour, "of 1 of its tools changed" in row.seen) == ("amber", True)
    assert row.mend.endswith("interlock pins accept db")
