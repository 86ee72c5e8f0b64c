"""What the real clients note of their calls is what their hooks were told, call by call."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.audit.entry import parameters
from interlock.audit.log import Audit
from interlock.cli import build
from interlock.integrations.clients import adapter_of
from interlock.model.call import OTHER, ToolCall
from interlock.presence.transcripts import FORMS
from interlock.presence.unjudged_calls import Gap, calls
from tests.e2e.clients import CLIENTS, Client, Desk, desk_of
from tests.e2e.test_clients import row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.fixture(params=[row(client) for client in CLIENTS])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """Install interlock for each client."""
    client: Client = request.param
    return desk_of(client, tmp_path)


def test_of_the_real_client_s_calls_those_are_shown_of_which_no_record_tells(desk: Desk) -> None:
    """All were judged, so none is shown; without the record of one, that one is, and no other."""
    agent = adapter_of(desk.client.name).DIALECT.agent
    assert agent in FORMS
    steps = [desk.client.run_shell(f"echo {word}") for word in ("one", "two", "two")]
    written = desk.client.write(str(desk.project / "made.txt"), "hello\n")
    with desk.client.wire(*steps, written) as model:
        desk.ask(model)
    noted = not_judged(desk, agent)
    assert noted == []
    with closing(sqlite3.connect(desk.home / ".local/state/interlock/interlock.db")) as base, base:
        base.execute(
            "DELETE FROM guardrail_audit_log WHERE id ="
            " (SELECT max(id) FROM guardrail_audit_log WHERE parameters LIKE '%two%')"
        )
    (shown,) = not_judged(desk, agent)
    assert "echo two" in shown


def not_judged(desk: Desk, agent: str) -> list[str]:
    """Return what a tool was given that the client's transcripts tell of and no record does."""
    store = build.store(desk.environment())
    hide = Audit(store).redactor

    def told(given: Mapping[str, object]) -> str:
        return parameters(ToolCall(OTHER, "", given), hide)

    return [told(one.given) for one in calls(store, [Gap(100.0, agent=agent)], told)]
