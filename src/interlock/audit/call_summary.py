"""What a call was about, in one line: its command, path or address."""

from __future__ import annotations

from interlock.model.jsontext import JsonError, loads

SHORT = 80
_NAMES = ("command", "file_path", "path", "url", "pattern")


def briefly(parameters: str, most: int = SHORT) -> str:
    """Return the line; ``parameters`` is the tool's input as JSON, ``most`` characters kept."""
    try:
        given = loads(parameters)
    except JsonError:
        return parameters[:most]
    if not isinstance(given, dict):
        return parameters[:most]
    for key in _NAMES:
        if isinstance(given.get(key), str):
            text = " ".join(given[key].split())
            return text if len(text) <= most else text[: most - 1] + "…"
    return parameters[:most]
