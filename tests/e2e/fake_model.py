"""The model of Claude Code's tests: what it says, step by step, in Anthropic's protocol."""

from __future__ import annotations

from interlock.doctor.fake_models import MessagesModel as FakeModel
from interlock.doctor.fake_models import Step

__all__ = ["USAGE", "FakeModel", "use"]

USAGE = FakeModel.usage


def use(tool: str, **given: object) -> Step:
    """Write a step of the script: the model calls a tool."""
    return {"tool": tool, "input": given}
