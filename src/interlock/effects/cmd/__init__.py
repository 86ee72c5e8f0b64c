"""cmd.exe: text to effects. Loaded only when a text for it is read."""

from __future__ import annotations

from interlock.effects.cmd.reading import read_code, read_input

__all__ = ["read_code", "read_input"]
