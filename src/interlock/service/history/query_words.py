"""What people type to find calls: ``verdict:deny rule:git.* machine:ci-* "push --force"``."""

from __future__ import annotations

from collections.abc import Callable
from time import gmtime, strftime, time

from interlock.model.record import Record
from interlock.service.store.views import DecisionQuery

FIELDS = ("verdict", "rule", "session", "agent", "tool", "folder")
VERDICTS = ("allow", "warn", "ask", "deny", "throttle")
_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 604800}


class Query(Record):
    """What was typed, read. ``machine``: a pattern of machines' names; ``wrong``: a sentence about
    what could not be read, empty where all could.
    """

    wanted: DecisionQuery
    machine: str = ""
    wrong: str = ""


def query(text: str, clock: Callable[[], float] = time) -> Query:
    """Return what a text asks for; what is no field is looked for in the call itself."""
    said: dict[str, str] = {}
    words: list[str] = []
    machine = wrong = since = ""
    for token in _tokens(text):
        name, colon, value = token.partition(":")
        name = name.lower()
        if not colon or not value:
            words.append(token)
        elif name in FIELDS:
            said[name] = value
        elif name == "machine":
            machine = value
        elif name == "since":
            since = _since(value, clock())
            wrong = (
                "" if since else f"since:{value} is no time; expected 30m, 12h, 7d or 2026-01-31"
            )
        else:
            words.append(token)
    if said.get("verdict", "allow") not in VERDICTS:
        wrong = f"verdict:{said.pop('verdict')} is none; expected {', '.join(VERDICTS)}"
    own = said.get("session", "") == "interlock-doctor"
    return Query(DecisionQuery(words=tuple(words), since=since, own=own, **said), machine, wrong)  # type: ignore[arg-type]


def _tokens(text: str) -> list[str]:
    """Return the words of a text; what stands in quotes is one."""
    found: list[str] = []
    word, quoted, begun = "", False, False
    for char in text:
        if char == '"':
            quoted, begun = not quoted, True
        elif char.isspace() and not quoted:
            found += [word] if begun else []
            word, begun = "", False
        else:
            word, begun = word + char, True
    return [one for one in [*found, word] if one]


def _since(value: str, now: float) -> str:
    """Return a time (UTC) by how long ago it is, or by its date; empty for what is neither."""
    if value[-1] in _SECONDS and value[:-1].isdecimal() and len(value) < 8:
        ago = int(value[:-1]) * _SECONDS[value[-1]]
        return strftime("%Y-%m-%dT%H:%M:%S", gmtime(max(0.0, now - ago)))
    digits = value.replace("-", "").replace(":", "").replace("T", "").replace("Z", "")
    return value.removesuffix("Z") if digits.isdecimal() and value[:2] == "20" else ""
