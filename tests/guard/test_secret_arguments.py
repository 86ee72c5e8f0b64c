"""A tool that nobody described is not handed a secret without a question, whoever calls it."""

from __future__ import annotations

import pytest

from interlock.facts import Recorded
from interlock.guard.check import Guard
from interlock.model.call import FETCH, MCP, OTHER, ToolCall
from interlock.policy.builtin import builtin

KEY = "ghp_" + "a1B2" * 9
HELD = [  # what holds a secret, and what holds none
    ({"body": f"use {KEY} for it"}, {"body": "use the token for it"}),
    ({"a": [{"b": {"text": KEY}}]}, {"a": [{"b": {"text": "ghp_short"}}]}),
    ({"api_key": "hunter2hunter2"}, {"api_key": "$API_KEY"}),
    ({"password": "correct-horse-battery"}, {"password_file": "~/x/password-of-db"}),
    (
        {"headers": {"Authorization": "Bearer abcdefgh12345678"}},
        {"headers": {"Accept": "application/json"}},
    ),
    ({"access_token": "0123456789abcdef"}, {"next_page_token": "0123456789abcdef"}),
    ({"dsn": "postgres://me:hunter2@localhost/db"}, {"dsn": "postgres://localhost/db"}),
    (
        {"text": "-----BEGIN RSA PRIVATE KEY-----\nMIIE"},
        {"text": "-----BEGIN PUBLIC KEY-----\nMIIE"},
    ),
]


def rules(kind: str, given: dict[str, object]) -> set[str]:
    """Return the rules that spoke of a call of a tool that only looks, by its name."""
    guard = Guard(builtin(), facts=Recorded("/home/user"))
    return {
        finding.rule
        for finding in guard.check(
            ToolCall(kind, "mcp__acme__get_widget", given, cwd="/home/user/project")
        ).findings
    }


@pytest.mark.parametrize(("given", "twin"), HELD)
@pytest.mark.parametrize("kind", [MCP, OTHER])
def test_a_secret_among_the_arguments_is_asked_about(
    kind: str, given: dict[str, object], twin: dict[str, object]
) -> None:
    """By its shape or its name, however deep; what only speaks of secrets is no question."""
    assert "tool.secret-argument" in rules(kind, given)
    assert "tool.secret-argument" not in rules(kind, twin)


def test_only_tools_that_nobody_described_are_looked_at() -> None:
    """A fetch is judged by the rules of the network."""
    assert "tool.secret-argument" not in rules(FETCH, {"url": "http://localhost/", "prompt": KEY})
