"""Programs that nobody described, in calls whose every word says that they build, test, check or
only look: ``protolint lint proto``, ``colcon test``, ``acmectl status --json``.

What such a program does in the workspace is lent, whoever made it: it was installed by the user.
So a call of it counts as checking where its verb is one of a list, its options are of no matter,
and every word lies within the workspace. An address, a secret, production and any other verb make
it a program of which nothing is known.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.raising import PRODUCTION
from interlock.effects.run import Run
from interlock.effects.telling import only_tells, traits_of_unknown
from interlock.effects.unlistedoptions import lies_within, means_little
from interlock.effects.verbwords import CHANGING, bare, parts
from interlock.shell.value import Value

CHECKS = frozenset(words("unlisted", "checks"))
_NAMED = words("unlisted", "named")
_PRIVATE = frozenset(words("asking", "private"))
_GROUPS = 2
"""How many words may stand before the verb."""
TRAIT = "checks"


def traits(run: Run) -> frozenset[str]:
    """Return what the start of a program that nobody described is marked with."""
    unknown = traits_of_unknown(run.arguments)
    return unknown | {TRAIT} if unknown and checks(run) else unknown


def checks(run: Run) -> bool:
    """Whether all that is said of a program is that it builds, tests, checks or looks."""
    return (
        _is_plain(run.name)
        and (_by_verb(run.arguments) or (bool(run.arguments) and _by_name(run.name)))
        and all(map(_means_little, run.arguments))
        and all(_lies_within(run, value) for value in run.arguments)
    )


def _is_plain(name: str) -> bool:
    """Whether a program is named by a bare word that is no verb of a change."""
    plain = name.removesuffix(".exe").replace("-", "").replace("_", "").replace(".", "")
    return plain.isalnum() and CHANGING.isdisjoint(parts(name))


def _by_name(name: str) -> bool:
    """Whether a name ends with what a program does that checks: ``rpmlint``, ``elf-info``."""
    stem = name.removesuffix(".exe").removesuffix(".py").removesuffix(".pl")
    return stem.endswith(_NAMED) and stem not in _NAMED


def _by_verb(arguments: list[Value]) -> bool:
    """Whether one of the first words is a verb that checks, and none before it changes anything."""
    given = [value.text for value in arguments if value.text[:1] not in ("-", "+")]
    for at, word in enumerate(given[: _GROUPS + 1]):
        if _is_verb(word):
            behind = [one for one in given[at + 1 : at + 3] if bare(one) and "." not in one]
            return all(map(_is_group, given[:at])) and not any(map(_is_change, behind))
    return False


def _is_change(word: str) -> bool:
    return not CHANGING.isdisjoint(parts(word))


def _is_verb(word: str) -> bool:
    return word in CHECKS or ((parts(word)[:1] or [""])[0] in CHECKS and bare(word))


def _is_group(word: str) -> bool:
    return bare(word) and CHANGING.isdisjoint(parts(word)) and _PRIVATE.isdisjoint(parts(word))


def _means_little(value: Value) -> bool:
    name = value.text.partition("=")[0]
    return name[:1] != "-" or name in ("-", "--") or only_tells(value.text) or means_little(name)


def _lies_within(run: Run, value: Value) -> bool:
    """Whether a word, or the value in it, is a plain one: no address, no secret, no other place."""
    text = value.text
    given = text.partition("=")[2] if text[:1] == "-" else text
    said = [*parts(given.replace("/", " ").replace(",", " "))]
    if value.hollow or "@" in given or not _PRIVATE.isdisjoint(said):
        return False
    return PRODUCTION.isdisjoint(said) and lies_within(run, Value(given, value.start, value.end))
