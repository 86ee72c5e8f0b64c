"""The one table of agent clients. Their modules are imported when asked for."""

from __future__ import annotations

from collections.abc import Callable

from interlock.integrations.dialect import Adapter
from interlock.integrations.protocol import HookProtocol


def _claude_code() -> Adapter:
    from interlock.integrations import claude_code

    return claude_code


def _codex() -> Adapter:
    from interlock.integrations import codex

    return codex


def _copilot() -> Adapter:
    from interlock.integrations import copilot

    return copilot


def _gemini() -> Adapter:
    from interlock.integrations import gemini

    return gemini


def _opencode() -> Adapter:
    from interlock.integrations import opencode

    return opencode


def _pi() -> Adapter:
    from interlock.integrations import pi

    return pi


def _qwen() -> Adapter:
    from interlock.integrations import qwen

    return qwen


CLIENTS: dict[str, Callable[[], Adapter]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "copilot": _copilot,
    "gemini": _gemini,
    "opencode": _opencode,
    "pi": _pi,
    "qwen": _qwen,
}


DOCUMENTED = ("amp", "cline", "cursor", "droid", "goose", "kiro", "windsurf")
"""Clients that are known from their pages only: ``interlock hook NAME`` answers them, and nothing
writes their settings.
"""


def answers_of(name: str) -> HookProtocol:
    """Return what answers a client's events, for one that was tried or one that was only read
    about; raises ``KeyError``.
    """
    if name in CLIENTS:
        return adapter_of(name)
    from interlock.integrations.documented import CLIENTS as ROWS

    return ROWS[name]


def adapter_of(name: str) -> Adapter:
    """Return the module for a client; raises ``KeyError`` for a name that is not in the table."""
    return CLIENTS[name]()
