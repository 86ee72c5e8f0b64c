"""The fake models of ``interlock doctor --live``, which the tests with real clients talk to as well."""

from __future__ import annotations

from interlock.doctor.wires import Chat, Gemini, Messages, Responses, Step, Wire

__all__ = ["Chat", "Gemini", "Messages", "Responses", "Step", "Wire"]
