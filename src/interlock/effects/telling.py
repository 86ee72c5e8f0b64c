"""Options that mean the same in every program: how much is told, in which form, how strictly it is
checked, or that nothing is done at all.

A program whose own list of options is not at hand does nothing more by ``--verbose``,
``--no-color`` or ``--check``. Such a word only spares a doubt about a known program: what a call
does is told by everything else in it. Options that take a file, a filter, a host or settings are
none of these, and the value of one is looked at like any word.
"""

from __future__ import annotations

from interlock.effects.verbwords import parts
from interlock.shell.value import Value

WORDS = frozenset(
    "help usage version versions verbose verbosity quiet silent debug trace color colour"
    " colors colours ansi emoji progress spinner banner tty json jsonl yaml toml xml csv tsv"
    " html markdown junit sarif pretty compact short long plain raw wide oneline table text"
    " human readable bytes utc iso only"
    " show list print display describe explain info details detail summary stat stats"
    " statistics count counts total totals size sizes time times timing timings timestamps"
    " line lines number numbers column columns width depth limit max min maximum minimum first"
    " last head tail top sort sorted order ascending descending unique strict"
    " pedantic check checks lint diff dry noop whatif warning warnings warn error errors"
    " err fail fails failed failure failures fast slow exit status changed unchanged"
    " formatted formatting coverage cov threads thread jobs parallel workers concurrency"
    " concurrent sequential recursive recurse hidden ignore ignored case insensitive sensitive"
    " smart exact match matches names name ascii utf8 unicode interactive style theme level"
    " severity tags grep exclude pattern skip going offline frozen locked"
    " immutable release optimized optimised incremental cached parsable porcelain null"
    " delimiter separator header headers indent minify minified headless graph tree"
    " licenses license outdated installed available watch once"
    " follow since until retries timeout wait tests test bench benchmark doc docs"
    " examples example benches bins lib features platform arch edition language lang"
    " locale encoding charset format type kind".split()
)
"""Words about how much is told and how strictly it is checked: one of them has to be there."""
BESIDE = frozenset(
    "no not non all any as if on by in per and or the is run keep continue repeat reverse group"
    " zero code tag target current active enabled disabled".split()
)
"""Words that tell beside one of those (``--show-all``, ``--dry-run``, ``--keep-going``,
``--exit-code``); by themselves they widen what is done, undo it, or name code or a place
(``--all``, ``--run``, ``--zero``, ``--reverse``, ``--target``).
"""
NEGATIONS = frozenset("no not non skip ignore ignored exclude disabled".split())
RESTRAINTS = frozenset(
    "dry noop whatif check checks lint strict pedantic only exclude ignore ignored skip keep"
    " offline frozen locked immutable limit depth max maximum once interactive wait timeout".split()
)
"""What keeps a program from doing more: with a negation before it, it does (``--no-dry-run``,
``--not-offline``, ``--no-interactive``, which no longer asks).
"""
LETTERS = frozenset({"-v", "-vv", "-vvv", "-vvvv", "-q", "-qq"})
ASKS_ABOUT_ITSELF = frozenset({"--version", "--help", "-version", "-help"})


def only_tells(option: str) -> bool:
    """Whether an option means how much is told, in every program; with the value that denies it
    where it has one (``--color=false``).
    """
    if option in LETTERS or option in ASKS_ABOUT_ITSELF:
        return True
    name, _, value = option.partition("=")
    said = frozenset(parts(name.strip("-")))
    return (
        name[:2] == "--"
        and said <= WORDS | BESIDE
        and not said.isdisjoint(WORDS)
        and ("run" not in said or "dry" in said)
        and not _loosens(said, denied=bool(value))
    )


def _loosens(said: frozenset[str], *, denied: bool) -> bool:
    """Whether an option takes a restraint away: it is one that is negated, by another word of the
    option or by its value.
    """
    negations = said & NEGATIONS
    alone = negations if len(negations) == 1 else frozenset()
    return (denied and not RESTRAINTS.isdisjoint(said)) or (
        bool(negations) and not RESTRAINTS.isdisjoint(said - alone)
    )


def traits_of_unknown(arguments: list[Value]) -> frozenset[str]:
    """Return what the start of a program that nobody described is marked with: nothing where it is
    only asked what it is, for no program does more then.
    """
    asked = len(arguments) == 1 and arguments[0].text in ASKS_ABOUT_ITSELF
    return frozenset() if asked else frozenset({"unknown-program"})
