"""Options that mean the same in every program: what it is, how much it tells, in which colours, or
that it is to do nothing at all.

The list is closed. An option that nobody listed for its program may mean anything, whatever its
name reads like (``--notify-command``, ``--repair``, ``--ship``), so no other one is spared the
doubt. These few are spared it, and what a call does is told by everything else in it.
"""

from __future__ import annotations

from interlock.shell.value import Value

ASKS_ABOUT_ITSELF = frozenset({"--version", "--help", "-version", "-help"})
ONLY_TELLS = ASKS_ABOUT_ITSELF | frozenset(
    "--usage --verbose --quiet --silent --dry-run -v -vv -vvv -vvvv -q -qq"
    " --color --colour --no-color --no-colour --ansi --no-ansi --progress --no-progress".split()
)


def traits_of_unknown(arguments: list[Value]) -> frozenset[str]:
    """Return what the start of a program that nobody described is marked with: nothing where it is
    only asked what it is, for no program does more then.
    """
    asked = len(arguments) == 1 and arguments[0].text in ASKS_ABOUT_ITSELF
    return frozenset() if asked else frozenset({"unknown-program"})
