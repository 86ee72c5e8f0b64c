"""interlock: the safety layer between what an AI agent decides and what a machine does.

The names below are the whole public face. Each is imported when it is first used, since a hook pays
for every import.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.cli.embed import guarded, session
    from interlock.cli.programs import run_code
    from interlock.guard.check import Guard
    from interlock.integrations.session import Refused, Session
    from interlock.model.action import Verdict
    from interlock.model.call import ToolCall
    from interlock.model.decision import Decision
    from interlock.model.policy import Policy
    from interlock.model.rule import Rule

__all__ = [
    "Decision",
    "Guard",
    "Policy",
    "Refused",
    "Rule",
    "Session",
    "ToolCall",
    "Verdict",
    "guarded",
    "run_code",
    "session",
]

_HOMES = {
    "Decision": "model.decision",
    "Guard": "guard.check",
    "Policy": "model.policy",
    "Refused": "integrations.session",
    "Rule": "model.rule",
    "Session": "integrations.session",
    "ToolCall": "model.call",
    "Verdict": "model.action",
    "guarded": "cli.embed", "run_code": "cli.programs", "session": "cli.embed",
}  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'interlock' has no attribute {name!r}")
    module = __import__(f"interlock.{_HOMES[name]}", fromlist=[name])
    return getattr(module, name)
