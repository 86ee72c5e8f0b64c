"""Data of a program as the text that it is sent as."""

from __future__ import annotations

from interlock.effects.python.values import PyValue, is_text, text_of
from interlock.effects.server_statements import begins


def write_out(thing: PyValue) -> str:
    """Return data as JSON has it, as far as it is known."""
    if isinstance(thing.value, dict):
        return "".join([f'"{key}":{write_out(inner)},' for key, inner in thing.value.items()])
    if isinstance(thing.value, list):
        return "".join([write_out(inner) for inner in thing.value])
    text = text_of(thing) if is_text(thing.value) else ""
    return text if _IS_JSON.issubset(text) or begins(text) else f'"{text}"'


_IS_JSON = frozenset('{"')
