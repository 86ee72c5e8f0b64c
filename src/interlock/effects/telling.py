"""Options that mean the same in every program: how much is told, in which form, how strictly it is
checked, or that nothing is done at all.

A program whose own list of options is not at hand does nothing more by ``--verbose``,
``--no-color`` or ``--check``. Such a word only spares a doubt about a known program: what a call
does is told by everything else in it. Options that take a file, a filter, a host or settings are
none of these, and the value of one is looked at like any word.
"""

from __future__ import annotations

from interlock.effects.verbs import parts
from interlock.shell.value import Value

WORDS = frozenset(
    "help usage version versions verbose verbosity quiet silent debug trace color colour"
    " colors colours ansi emoji progress spinner banner tty json jsonl yaml toml xml csv tsv"
    " html markdown junit sarif pretty compact short long plain raw wide oneline table text"
    " human readable bytes utc iso no not non only all any as if on by in per and or the is"
    " show list print display describe explain info details detail summary stat stats"
    " statistics count counts total totals size sizes time times timing timings timestamps"
    " line lines number numbers column columns width depth limit max min maximum minimum first"
    " last head tail top sort sorted order ascending descending reverse unique group strict"
    " pedantic check checks lint diff dry run noop whatif warning warnings warn error errors"
    " err fail fails failed failure failures fast slow exit code status changed unchanged"
    " formatted formatting coverage cov threads thread jobs parallel workers concurrency"
    " concurrent sequential recursive recurse hidden ignore ignored case insensitive sensitive"
    " smart exact match matches names name ascii utf8 unicode interactive style theme level"
    " severity tags tag grep exclude pattern skip keep going continue offline frozen locked"
    " immutable release optimize optimized optimise incremental cached parsable porcelain null"
    " zero delimiter separator header headers indent minify minified headless graph tree"
    " licenses license outdated installed available current active enabled disabled watch once"
    " follow since until repeat retries timeout wait tests test bench benchmark doc docs"
    " examples example benches bins lib features target platform arch edition language lang"
    " locale encoding charset format type kind".split()
)
"""Of what the name of such an option may be made."""
LETTERS = frozenset({"-v", "-vv", "-vvv", "-vvvv", "-q", "-qq"})
ASKS_ABOUT_ITSELF = frozenset({"--version", "--help", "-version", "-help"})


def only_tells(option: str) -> bool:
    """Whether an option means how much is told, in every program."""
    if option in LETTERS or option in ASKS_ABOUT_ITSELF:
        return True
    return option[:2] == "--" and WORDS.issuperset(parts(option.strip("-")))


def traits_of_unknown(arguments: list[Value]) -> frozenset[str]:
    """Return what the start of a program that nobody described is marked with: nothing where it is
    only asked what it is, for no program does more then.
    """
    asked = len(arguments) == 1 and arguments[0].text in ASKS_ABOUT_ITSELF
    return frozenset() if asked else frozenset({"unknown-program"})
