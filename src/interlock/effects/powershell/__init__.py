"""PowerShell: text to effects. Loaded only when PowerShell is read."""

from __future__ import annotations

from interlock.effects.powershell.reading import read_code, read_input

__all__ = ["read_code", "read_input"]
