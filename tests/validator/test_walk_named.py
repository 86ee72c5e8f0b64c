"""Who may name a validator."""

from __future__ import annotations

import pytest

from interlock.model.policy import Reviewing
from interlock.policy.schema import ORGANISATION, PROJECT, USER
from tests.policy.layering import layers, merged, wrong

OURS = "validator: {protocol: anthropic, model: ours}\n"
THEIRS = "validator: {protocol: openai-chat, model: theirs, url: 'https://models.example/v1', key_file: /etc/interlock/k, wait: 5s}\n"


def test_the_higher_layer_names_it() -> None:
    """The organisation's model is asked whatever its user wrote; where only the user names one,
    that one is.
    """
    top, user = layers(f"version: 1\n{THEIRS}", ORGANISATION), layers(f"version: 1\n{OURS}", USER)
    both, alone = merged(*top, *user), merged(*user)
    assert both.policy.reviewing is not None
    assert alone.policy.reviewing is not None
    assert (both.policy.reviewing.model, both.policy.reviewing.seconds) == ("theirs", 5)
    assert "reviewing stays" in " ".join(both.notes)
    assert (
        alone.policy.reviewing.model,
        alone.policy.reviewing.url,
        alone.policy.reviewing.seconds,
    ) == ("ours", "", 8)


def test_the_guard_agents_bounds() -> None:
    """What a policy says of the guard agent is what holds; what it does not say has its default."""
    said = "validator: {protocol: anthropic, model: ours, agent: true, turns: 0, tokens: 9000, remember: 10m}\n"
    (one,), (other,) = layers(f"version: 1\n{said}", USER), layers(f"version: 1\n{OURS}", USER)
    assert merged(one).policy.reviewing == Reviewing(
        "anthropic", "ours", agent=True, turns=0, tokens=9000, remember=600
    )
    assert merged(other).policy.reviewing == Reviewing(
        "anthropic", "ours", agent=False, turns=4, tokens=20_000, remember=86_400
    )


def test_a_project_names_none() -> None:
    """A repository cannot bring the judge of its own commands, trusted or not; nor can a user's
    file that may not loosen.
    """
    for name, loosens in ((PROJECT, False), (PROJECT, True), (USER, False)):
        assert (
            merged(
                *layers(f"version: 1\nintent: ask\n{OURS}", name, loosens=loosens)
            ).policy.reviewing
            is None
        )
    assert merged(*layers(f"version: 1\nintent: ask\n{OURS}", USER)).policy.reviewing is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("validator: {model: x}", "protocol"),
        ("validator: {protocol: openai, model: x}", "openai-chat"),
        ("validator: {protocol: openai-chat}", "model"),
        (
            "validator: {protocol: openai-chat, model: x, url: 'http://models.example/v1'}",
            "https://",
        ),
        (
            "validator: {protocol: openai-chat, model: x, url: 'http://localhost.evil.example/v1'}",
            "https://",
        ),
        (
            "validator: {protocol: openai-chat, model: x, url: 'http://127.0.0.1@evil.example/v1'}",
            "without a user",
        ),
        ("validator: {protocol: openai-chat, model: x, url: 'file:///etc/passwd'}", "address"),
        ("validator: {protocol: openai-chat, model: x, url: models.example}", "address"),
        ("validator: {protocol: openai-chat, model: x, key_file: key}", "whole path"),
        ("validator: {protocol: openai-chat, model: x, key_file: '~/*.key'}", "one file"),
        ("validator: {protocol: openai-chat, model: x, key_file: $KEY}", "variables"),
        ("validator: {protocol: openai-chat, model: x, wait: 60s}", "at most 10s"),
        ("validator: {protocol: openai-chat, model: x, key: abc}", "key_file"),
        ("validator: {protocol: openai-chat, model: x, turns: 2}", "is for the guard agent"),
        (
            "validator: {protocol: openai-chat, model: x, agent: false, remember: 1h}",
            "is for the guard agent",
        ),
        ("validator: {protocol: openai-chat, model: x, agent: true, turns: 11}", "at most 10"),
        (
            "validator: {protocol: openai-chat, model: x, agent: true, tokens: 1000000}",
            "at most 200000",
        ),
        ("validator: {protocol: openai-chat, model: x, agent: true, remember: 8d}", "at most 7d"),
    ],
)
def test_what_cannot_be_meant(text: str, told: str) -> None:
    """A validator that could not be asked, or not safely, is an error that says what was
    expected.
    """
    assert told in wrong(text)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:11434/v1",
        "http://127.0.0.1:8080/v1",
        "http://[::1]:8080/v1",
        "https://models.example/v1/",
    ],
)
def test_addresses_that_can_be_asked(url: str) -> None:
    """Models on this machine need no TLS; others do."""
    assert wrong(f"validator: {{protocol: openai-chat, model: x, url: '{url}'}}") == ""
