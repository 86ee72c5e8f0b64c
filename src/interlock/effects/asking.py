"""Clients of a service that the user is signed in to, where a call only looks at what the service
lists: ``kubectl get pods``, ``gh pr list``, ``aws ec2 describe-instances``.

Nothing changes there, nothing of this machine is sent but the names of what is asked for, and it
goes where the user's own settings say. A secret, another address and another identity make it more
than a look, and so does every word that nobody knows.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.programs.cloudverbs import exceptions
from interlock.effects.run import Run
from interlock.effects.verbwords import CHANGING, parts
from interlock.shell.value import HOLE

_LOOKS = frozenset(words("asking", "looks"))
_LEADS = frozenset(words("asking", "look leads"))
_PRIVATE = frozenset(words("asking", "private"))
_ELSEWHERE = words("asking", "elsewhere")
_LONG = tuple(word for word in _ELSEWHERE if word[:2] == "--")
_CLIENTS = frozenset(words("asking", "clients"))
_OWN = exceptions("asking")
ENDLESS = frozenset({"aws", "gcloud", "az", "oci"})
"""Clients with thousands of commands, whose options nobody lists: those of a look are filters."""
_DEEP = 4
"""How many of the words may be groups and verb."""


def looks_at_service(run: Run) -> bool:
    """Whether a call of such a client only looks at what its service lists."""
    if run.name not in _CLIENTS or run.has(*_ELSEWHERE) or any(map(_leads, run.parsed.unknown)):
        return False
    given = [value.text for value in run.arguments]
    if any(value.text == HOLE or value.hollow for value in run.operands[:_DEEP]):
        return False
    if any(not _PRIVATE.isdisjoint(_pieces(text)) or _leads_away(text) for text in given):
        return False
    named = [text for text in (value.text for value in run.operands) if text[:1] != "-"]
    return bool(named) and (run.name == "stern" or _looks(run, named))


def _leads(option: str) -> bool:
    """Whether an option that nobody listed is cut short of one that leads elsewhere, or a part of
    its name is the same.
    """
    return any(known.startswith(option) or option.startswith(known) for known in _LONG)


def _leads_away(text: str) -> bool:
    """Whether a word names an address; a bucket is none."""
    scheme, colon, _ = text.partition("://")
    return bool(colon) and scheme.rpartition("=")[2] not in ("s3", "gs")


def _pieces(text: str) -> list[str]:
    return parts(text.replace("/", " ").replace("=", " ").replace(",", " ").replace("@", " "))


def _looks(run: Run, named: list[str]) -> bool:
    """Whether the verb looks, and no other word of the command changes anything."""
    if named[0] == "api":
        return run.name in ("gh", "glab") and _gets(run)
    own = _OWN.get(run.name, ())
    if any(" ".join(named[:count]) in own for count in (1, 2)):
        return True
    at = next((at for at, word in enumerate(named[:_DEEP]) if _verb(word)), -1)
    return at >= 0 and CHANGING.isdisjoint(named[1:at])


def _verb(word: str) -> bool:
    last = word.rpartition(":")[2]
    lead, hyphen, _ = word.partition("-")
    return last in _LOOKS or (bool(hyphen) and lead in _LEADS)


def _gets(run: Run) -> bool:
    """Whether ``gh api PATH`` is a ``GET`` without fields."""
    return not run.has(
        "-X", "--method", "-f", "-F", "--field", "--raw-field", "--input", "-H", "--header"
    ) and [value.text for value in run.operands][1:2] != ["graphql"]
