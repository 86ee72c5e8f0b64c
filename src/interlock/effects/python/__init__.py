"""Python programs to effects: the source is followed with known values. Nothing is run."""

from __future__ import annotations

from interlock.effects.python.source import read_code, read_program

__all__ = ["read_code", "read_program"]
