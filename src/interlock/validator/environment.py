"""The judge that a person's environment names, for ``interlock agent`` alone: hooks take theirs
from policy files, whatever the environment says.

``INTERLOCK_GUARD_LLM``: ``true`` (one line), ``agent`` (the guard agent) or ``false``. ``_MODEL``,
``_BASE_URL`` and ``_API_KEY`` are the agent's own where they are not set. The agent's key goes to
the agent's own endpoint and to no other.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.model.policy import Reviewing
from interlock.model.record import Record

NAME = "INTERLOCK_GUARD_LLM"
_ON, _OFF, _AGENT = ("true", "1", "yes", "on"), ("", "false", "0", "no", "off"), "agent"
SECONDS = 60
"""How long the answer may take: nobody else waits for it."""
_HERE = ("localhost", "127.0.0.1", "[::1]")


class NamedJudge(Record):
    """A judge, and the key of its endpoint (``""``: the one of ``how.key_file``, or none)."""

    how: Reviewing
    key: str = ""


def choose_judge(environment: Mapping[str, str], own: NamedJudge) -> NamedJudge | None:
    """Return the judge that the environment names, or None; ``own``: the agent's model, endpoint
    and key. Raises ``ValueError`` in one sentence.
    """
    wanted = environment.get(NAME, "").strip().lower()
    if wanted in _OFF:
        return None
    if wanted not in (*_ON, _AGENT):
        raise ValueError(f"{NAME} is {environment[NAME]!r}: expected true, agent or false")
    url = _address(environment.get(f"{NAME}_BASE_URL", "").strip())
    model = environment.get(f"{NAME}_MODEL", "").strip() or own.how.model
    if not model:
        raise ValueError(f"{NAME} is on and no model is named: set {NAME}_MODEL")
    key = environment.get(f"{NAME}_API_KEY", "").strip()
    there = not url or url == own.how.url
    file = own.how.key_file if there and not key else ""
    how = Reviewing(
        own.how.protocol, model, url or own.how.url, file, SECONDS, agent=wanted == _AGENT
    )
    return NamedJudge(how, key or (own.key if there else ""))


def _address(url: str) -> str:
    """Return an address without its last slash; raises ``ValueError`` for one over which others
    could read what is asked.
    """
    if not url:
        return ""
    scheme, _, rest = url.partition("://")
    host = rest.partition("/")[0]
    here = host in _HERE or host.rpartition(":")[0] in _HERE
    if (
        not host
        or "@" in host
        or not url.isascii()
        or any(char in url for char in " ?#")
        or (scheme != "https" and not (scheme == "http" and here))
    ):
        raise ValueError(
            f"{NAME}_BASE_URL is {url!r}: expected https://HOST/PATH; http:// only for a model on"
            " this machine"
        )
    return url.rstrip("/")
