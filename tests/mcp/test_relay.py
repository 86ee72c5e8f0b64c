"""What a relay remembers is bounded, and what it forgets is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.ledger import pins
from interlock.mcp import elicitation, relay
from tests.proxying import Wire, only, refused, request, response

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CAPABLE: dict[str, object] = {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
KEY = "ghp_" + "a1B2" * 9


def test_a_question_too_many_closes_the_oldest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its call is refused, and a late answer to it means nothing; the newer ones stay open."""
    monkeypatch.setattr(elicitation, "MOST", 2)
    wire = Wire(tmp_path)
    wire.begin({"elicitation": {}})
    names = [
        only(wire.call("delete_widget", number, widget=str(number)).to_client)["id"]
        for number in (1, 2)
    ]
    said = wire.call("delete_widget", 3, widget="3")
    assert b'"id":1,"result"' in said.to_client[0]
    assert b"did not approve" in said.to_client[0]
    assert (
        wire.client(
            response(names[0], {"action": "accept", "content": {"approve": True}})
        ).to_server
        == ()
    )
    assert wire.client(
        response(names[1], {"action": "accept", "content": {"approve": True}})
    ).to_server


def test_a_question_of_2026_that_was_forgotten_is_asked_again(tmp_path: Path) -> None:
    """Our own state never reaches the server."""
    wire = Wire(tmp_path)

    def call(number: int, **more: object) -> dict[str, object]:
        return request(
            number,
            "tools/call",
            name="delete_widget",
            arguments={"widget": "w"},
            _meta=CAPABLE,
            **more,
        )

    first = only(wire.client(call(1)).to_client)["result"]
    wire.relay.questions.take(first["requestState"])
    again = only(
        wire.client(call(2, requestState=first["requestState"], inputResponses={})).to_client
    )["result"]
    assert again["resultType"] == "input_required"
    yes = {again["requestState"]: {"action": "accept", "content": {"approve": True}}}
    said = wire.client(call(3, requestState=again["requestState"], inputResponses=yes))
    assert b"requestState" not in said.to_server[0]
    assert b"inputResponses" not in said.to_server[0]


def test_too_many_requests_under_way_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As soon as one is answered, or given up by its client, the next may come; what is answered
    after that is dropped.
    """
    monkeypatch.setattr(relay, "MOST_PENDING", 2)
    wire = Wire(tmp_path)
    for number in (1, 2):
        assert wire.client(request(number, "ping")).to_server
    assert only(wire.client(request(3, "ping")).to_client)["error"]["code"] == -32000
    wire.server(response(1, {}))
    assert wire.client(request(3, "ping")).to_server
    assert wire.client(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}}
    ).to_server
    assert wire.client(request(4, "ping")).to_server
    assert wire.server(response(3, {})).to_client == ()


def test_the_result_of_a_task_loses_its_secrets_too(tmp_path: Path) -> None:
    """A call that became a task is answered later, by another request."""
    folder = tmp_path / ".config" / "interlock"
    folder.mkdir(parents=True)
    (folder / "policy.yaml").write_text(
        "version: 1\nobligations: [{rule: tool.unrecognised, do: redact}]\n", encoding="utf-8"
    )
    wire = Wire(tmp_path)
    result = {"content": [{"type": "text", "text": KEY}]}
    wire.client(request(1, "tasks/result", taskId="t0"))
    assert KEY in str(wire.server(response(1, result)).to_client)
    wire.client(request(2, "tools/call", name="frobnicate", task={"ttl": 9}))
    wire.server(response(2, {"task": {"taskId": "t1", "status": "working"}}))
    wire.client(request(3, "tasks/result", taskId="t1"))
    assert KEY not in str(wire.server(response(3, result)).to_client)


def test_tools_beyond_those_that_are_pinned_are_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server cannot fill the store."""
    monkeypatch.setattr(pins, "MAX_PINS", 2)
    wire = Wire(tmp_path)
    tools: list[dict[str, object]] = [
        {"name": f"get_{number}", "description": "x"} for number in range(3)
    ]
    shown = wire.list(*tools)
    assert "not shown" in shown[2]["description"]
    assert wire.call("get_1", 2).to_server
    assert "tool.changed-description" in refused(wire.call("get_2", 3))


def test_an_id_may_be_used_again_once_it_was_answered(tmp_path: Path) -> None:
    """A question of 2026-07-28 is an answer, so its id is free; one of before leaves the call under
    way.
    """
    wire = Wire(tmp_path)
    for _ in range(2):
        said = wire.client(
            request(1, "tools/call", name="delete_widget", arguments={}, _meta=CAPABLE)
        )
        assert only(said.to_client)["result"]["resultType"] == "input_required"
    wire.begin({"elicitation": {}})
    assert only(wire.call("delete_widget", 2).to_client)["method"] == "elicitation/create"
    assert "under way" in only(wire.call("get_widget", 2).to_client)["error"]["message"]
