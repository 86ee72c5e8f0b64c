"""What a policy says of MCP calls holds at the proxy: obligations, exceptions, profiles, and
changes while it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.cli import build
from tests.proxying import Wire, only, refused, response

if TYPE_CHECKING:
    from pathlib import Path

KEY = "ghp_" + "a1B2" * 9


def policy(home: Path, text: str) -> None:
    """Write the user's policy."""
    folder = home / ".config" / "interlock"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.yaml").write_text(f"version: 1\n{text}", encoding="utf-8")


def test_a_secret_in_the_arguments_is_asked_about(tmp_path: Path) -> None:
    """Where nobody can ask it is refused, and neither the refusal nor the audit repeats it; its
    twin runs.
    """
    wire = Wire(tmp_path)
    assert KEY not in refused(wire.call("get_widget", 2, note=f"use {KEY}"))
    assert wire.call("get_widget", 3, note="use the token").to_server
    assert not [
        row
        for row in build.store(wire.environment).query("SELECT * FROM guardrail_audit_log")
        if KEY in str(row)
    ]


def test_the_person_who_is_asked_sees_the_arguments_without_secrets(tmp_path: Path) -> None:
    """The form shows the call."""
    wire = Wire(tmp_path)
    wire.begin({"elicitation": {}})
    asked = only(wire.call("get_widget", 2, note=KEY, widget="w7").to_client)["params"]["message"]
    assert "w7" in asked
    assert KEY not in asked


def test_results_lose_their_secrets_where_the_policy_says_so(tmp_path: Path) -> None:
    """``redact`` is carried out by the proxy, so nobody has to be asked; without it results pass as
    they are.
    """
    result = {
        "content": [{"type": "text", "text": f"the token is {KEY}"}],
        "structuredContent": {"a": [KEY]},
        "isError": False,
    }
    wire = Wire(tmp_path / "plain")
    wire.call("frobnicate")
    assert only(wire.server(response(2, result)).to_client)["result"] == result
    rule = "{id: own.mcp-results, title: answers with secrets, match: {effect: calls, target: 'mcp__demo__*'}, action: warn}"
    policy(
        tmp_path / "strict",
        f"rules: [{rule}]\nobligations: [{{rule: own.mcp-results, do: redact}}]\n",
    )
    wire = Wire(tmp_path / "strict")
    assert wire.call("get_widget").to_server
    said = only(wire.server(response(2, result)).to_client)["result"]
    assert KEY not in str(said)
    assert "the token is <github-token:" in said["content"][0]["text"]
    assert said["isError"] is False


def test_a_policy_that_changes_counts_from_the_next_call_on(tmp_path: Path) -> None:
    """The proxy lives longer than a policy stays the same."""
    wire = Wire(tmp_path)
    assert wire.call("frobnicate", 2).to_server
    policy(tmp_path, "profile: careful\n")
    assert "careful.unrecognised-tool" in refused(wire.call("frobnicate", 3))


def test_a_rule_of_ones_own_speaks_of_a_server(tmp_path: Path) -> None:
    """By the names that clients with hooks know too."""
    policy(
        tmp_path,
        "rules: [{id: own.demo, title: uses demo, action: deny, match: {effect: calls, target: 'mcp__demo__*'}}]\n",
    )
    assert "own.demo" in refused(Wire(tmp_path).call("get_widget"))
    assert Wire(tmp_path, server="other").call("get_widget").to_server


def test_what_was_approved_elsewhere_runs_when_it_comes_again(tmp_path: Path) -> None:
    """The request that a refusal names is answered by a person, and the retry spends it."""
    from interlock.approvals import answers
    from interlock.approvals.answers import ApprovalAnswer

    wire = Wire(tmp_path)
    said = refused(wire.call("delete_widget", 2, widget="w7"))
    name = said.partition("interlock approve ")[2].partition("`")[0]
    answers.approve(
        build.store(wire.environment), name, ApprovalAnswer("me"), build.policy(wire.environment)
    )
    assert wire.call("delete_widget", 3, widget="w7").to_server
    refused(wire.call("delete_widget", 4, widget="w7"))


def test_what_became_of_a_call_is_recorded(tmp_path: Path) -> None:
    """Ran, failed, refused by the person; and what was asked about and ran was granted at the
    client's prompt.
    """
    wire = Wire(tmp_path)
    wire.begin({"elicitation": {}})
    wire.call("get_widget", 2)
    wire.server(response(2, {"content": [{"type": "text", "text": f"seven {KEY}"}]}))
    wire.call("get_gadget", 3)
    wire.server({"jsonrpc": "2.0", "id": 3, "error": {"code": 1, "message": "broken"}})
    for number, yes in ((4, True), (5, False)):
        question = only(wire.call(f"delete_{number}", number).to_client)["id"]
        wire.client(response(question, {"action": "accept", "content": {"approve": yes}}))
        wire.server(response(number, {"content": []}))
    store = build.store(wire.environment)
    assert store.query("SELECT verdict, status FROM guardrail_audit_log ORDER BY id") == [
        ("allow", "ran"), ("allow", "failed"), ("ask", "ran"), ("ask", "refused"),
    ]  # fmt: skip
    assert store.query("SELECT count(*) FROM audit_event WHERE kind = 'approval-granted'") == [(1,)]
    assert "<github-token:" in str(
        store.query("SELECT result FROM guardrail_audit_log ORDER BY id LIMIT 1")
    )
