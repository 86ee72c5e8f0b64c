"""Credentials that a client shows since they are asked for by name (``config get oauth_token``,
``acr credential show``) or by an option (``--print-secret``).

A program that is listed nowhere for this shows one all the same when its words say so: a verb that
shows, and behind it, or in the same word, the name of one credential. Names in the plural are a
list of what there is.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.gathering import NOTHING_FOUND, ReadResult
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.effects.verb_words import parts
from interlock.model.effect import ChangesInfrastructure

_SHOWING = frozenset(words("keys", "showing"))
_NAMES = frozenset(words("keys", "credentials"))
_OF_A_KEY = frozenset(words("keys", "of a key"))
_FAMILIES = frozenset("cloud stores packages git services daemons tools remoting".split())
"""Families of programs that keep credentials, or ask a service that does, and whose own readers do
not say of each command what it shows.
"""
_LOOKED_AT = _FAMILIES | {"netconfig", "databases"}
_OF_SETTINGS = frozenset({"packages", "git"})
"""Those where only the settings hold one: ``npm view auth`` names a package."""
_SERVERS = frozenset({"requirepass", "masterauth", "masteruser"})
"""Settings of a server of Redis's kin that are passwords."""
_FIRST = 5
"""How many operands may be groups, verb and name."""


def reveal(run: Run, read: ReadResult) -> ReadResult:
    """Return that a credential is shown, where the words say so and nothing says it yet."""
    family = programs.names().get(programs.canonical(run.name.partition(" ")[0]))
    if family not in _LOOKED_AT or any("secret-access" in effect.traits for effect in read.effects):
        return NOTHING_FOUND
    told = [value.text for value in run.operands[:_FIRST] if value.known]
    asked = family in _FAMILIES and (_by_words(run, told, family) or _by_option(run))
    if family == "netconfig" and "key=clear" in [word.lower() for word in told]:
        asked = True  # netsh wlan show profile NAME key=clear
    if not asked and not (family in ("databases", "stores") and not _SERVERS.isdisjoint(told)):
        return NOTHING_FOUND
    return run.context.gather(lambda: _say(run, told))


def _say(run: Run, told: list[str]) -> None:
    run.effect(
        ChangesInfrastructure, " ".join([run.name, *told[:3]]), "secret-access",
        detail="a credential is shown",
    )  # fmt: skip


def _by_words(run: Run, told: list[str], family: str | None) -> bool:
    """Whether a verb that shows stands before, behind or in the name of one credential; one that is
    named behind ``config`` alone is shown where no value follows.
    """
    settings = "config" in told or run.name == "git config"
    if family in _OF_SETTINGS and (not settings or run.name == "git"):
        return False
    pieces = [_pieces(word) for word in told if settings or _is_plain(word)]
    at = next((at for at, some in enumerate(pieces) if _is_credential(some)), -1)
    if at < 0 or "login" in pieces[at]:
        return False
    shows = [not _SHOWING.isdisjoint(some[:1]) for some in pieces]
    key = told.index("config") + 1 if "config" in told else 0
    return any(shows) or (settings and at == key == len(pieces) - 1)


def _is_plain(word: str) -> bool:
    """Whether a word may be a verb or a name, and is no path of a thing in a store."""
    return not any(mark in word for mark in "/:@ ")


def _pieces(word: str) -> list[str]:
    for mark in "/:.*?^$'\"":
        word = word.replace(mark, " ")
    return parts(word.strip())


def _is_credential(pieces: list[str]) -> bool:
    last = pieces[-1] if pieces else ""
    return last in _NAMES or (
        last == "key" and len(pieces) > 1 and not _OF_A_KEY.isdisjoint(pieces[-2:-1])
    )


def _by_option(run: Run) -> bool:
    """Whether an option says so: ``--print-secret``, ``--show-token``, ``--get-regexp
    extraheader``.
    """
    for name in (*run.parsed.flags, *run.parsed.unknown):
        said = frozenset(parts(name.strip("-")))
        if not said.isdisjoint(("print", "show", "reveal")) and any(
            piece.removesuffix("s") in _NAMES for piece in said
        ):
            return True
    return any(
        name.startswith("--get") and _is_credential(_pieces(value.text))
        for name, value in run.parsed.options
    )
