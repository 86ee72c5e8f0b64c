"""Options out of a manual page or a help text: lines that begin with a dash, and what stands behind
it.

-a, --all                 a flag -I, --ignore=PATTERN      takes a value          (GNU, git,
argparse, clap, cobra: ``--file string``) --color[=WHEN]            a value that may be missing, in
the same word --cov [SOURCE]            one that may be missing, and may be the next word (argparse,
commander) --files FILE [FILE ...]   any number of words
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from scripts.options.found import FLAG, JOINED, MANY, MAYBE, ONE, Option

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(
    r"--?(?:\[no-\])?[A-Za-z0-9?@#%][\w?@#%.+:-]*|-<(?:number|num|n)>|-(?:NUM|DIGITS)\b|-[^\w\s=\[<-](?=,|\s|$)"
)
_OPTIONAL = re.compile(r"\[=?[^\]\s]*\]|\[=[^\]]*\]")
_SWITCH = re.compile(r"=(?:true|false)\b:?")
"""kubectl shows what a flag is without being given: ``--all=false:``."""
_VALUE = re.compile(
    r"=(?=,|\s|$)|=(?:\([^)]*\)|\{[^}]*\}|<[^>]*>\S*|[^\s,]+)|<[^>]*>[^\s,]*(?: *\.\.\.)?|\{[^}]*\}"
)
_SPACED = re.compile(
    r" (?!or )(\[[^\]]*\][\w:.<]\S*|\[[^\]]*\](?:"
    r" *\.\.\.)?|<[^>]*>[^\s,]*|\{[^}]*\}|\([^)]*\)|\"[^\"]*\"|"
    r"[A-Za-z@%.#][\w:./|@%*#=<>{}\[\]-]*(?:\.\.\.)?)((?: \[[^\]]*\.\.\.\]|\.\.\.| \.\.\.)?)"
)
_SEPARATOR = re.compile(r" *(?:,|\||/| or ) *(?=-)| {1,2}(?=--[A-Za-z\[])| (?=-)")
_PATHS = re.compile(r"file|path|dir|folder|script", re.IGNORECASE)
_TYPED = re.compile(r"\[(string|number|array|count|boolean)\]")
_WORDS = 3
"""Words behind the names of an option that may still be its value; what has more is a sentence that
begins with a dash.
"""


def options(text: str, *, manual: bool = False) -> Iterator[Option]:
    """Yield the options of a text, in order; in a manual page they stand behind an empty line, all
    as far from the margin.
    """
    lines = text.expandtabs().split("\n")
    numbers = [number for number, line in enumerate(lines) if re.match(r" {0,40}-", line)]
    if manual:
        numbers = [number for number in numbers if _stands_free(lines, number)]
        margins = Counter(_margin(lines[number]) for number in numbers)
        numbers = [
            number
            for number in numbers
            if margins[_margin(lines[number])] * 4 >= max(margins.values())
        ]
    for number in numbers:
        for found in heading(lines[number]):
            if all(map(is_option, found.names)):
                yield from _parts(_typed(found, lines, number))


def is_option(name: str) -> bool:
    """Whether a word can be an option's name."""
    return (
        re.fullmatch(r"-NUM|--?[^\s=\[\]<>,|'\"`(){}-][^\s=\[\]<>,|'\"`(){}]*|--?:", name)
        is not None
    )


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _stands_free(lines: list[str], number: int) -> bool:
    """Whether a line begins a paragraph, or follows one that does and lists an option, too."""
    before = lines[number - 1] if number else ""
    return (
        not before.strip()
        or before.isupper()
        or (before.lstrip().startswith("-") and _margin(before) == _margin(lines[number]))
    )


def _parts(option: Option) -> Iterator[Option]:
    """Yield the options of one line: what turns another one off, and a number that may stand on its
    own, are options by themselves.

    Of ``-4 --ipv4 -6 --ipv6`` nobody knows which are the same, nor whether ``-n`` is ``--verify``
    or ``--no-verify``.
    """
    off = [
        name
        for name in option.names
        if name.startswith("--no-") and f"--{name[5:]}" in option.names
    ]
    shorts = [name for name in option.names if name[:2] != "--" and name != "-NUM"]
    longs = [name for name in option.names if name[:2] == "--" and name not in off]
    apart = len(shorts) > 1 < len(longs) or (shorts and off)
    together: list[tuple[str, ...]] = [] if apart else [(*shorts, *longs)]
    alone = [*(shorts if apart else []), *(longs if apart else []), *off]
    for names in (*together, *[(name,) for name in alone]):
        if names:
            yield Option(names, option.takes, option.path)
    if "-NUM" in option.names:
        yield Option(("-NUM",))


def heading(line: str) -> list[Option]:
    """Return the options that a line lists; none where it is a sentence. Names without a value of
    their own take what stands behind the next.
    """
    text, found, waiting, path = line.strip(), [], [], False
    while match := _NAME.match(text):
        waiting += _spelled(
            match.group() if len(match.group()) == 2 else match.group().rstrip(".:,")
        )
        text = text[match.end() :]
        mark, given, text = _taken(text)
        path = path or bool(_PATHS.search(given))
        if mark:
            # diff: ``-u, -U NUM, --unified[=NUM]``
            alone = waiting[:-1] if waiting[-1][:2] != "--" else []
            found += [Option((name,)) for name in alone]
            # git: ``--force-with-lease, --force-with-lease=<refname>``
            given_alone = mark == ONE and len(set(waiting)) < len(waiting)
            found.append(
                Option(
                    tuple(name for name in waiting if name not in alone),
                    JOINED if given_alone else mark,
                )
            )
            waiting = []
        separator = _SEPARATOR.match(text)
        if separator is None:
            break
        text = text[separator.end() :]
    found += [Option(tuple(waiting), found[-1].takes if found else FLAG)] if waiting else []
    if text and not text.startswith(("  ", ":", ".")) and len(text.split("  ")[0].split()) > _WORDS:
        return []
    return [Option(one.names, one.takes, path and one.takes != FLAG) for one in _joined(found)]


def _joined(found: list[Option]) -> list[Option]:
    """Put options together that take a value in the same way: they are spellings of one."""
    by_mark: dict[str, tuple[str, ...]] = {}
    for one in found:
        by_mark[one.takes] = tuple(dict.fromkeys((*by_mark.get(one.takes, ()), *one.names)))
    return [Option(names, mark) for mark, names in by_mark.items()]


def _spelled(name: str) -> list[str]:
    if name[1:] in ("<number>", "<num>", "<n>", "NUM", "DIGITS"):
        return ["-NUM"]
    return [name.replace("[no-]", ""), name.replace("[no-]", "no-")] if "[no-]" in name else [name]


def _taken(text: str) -> tuple[str, str, str]:
    """Return the mark of a value that stands next, the value's name, and what is left."""
    if match := _SWITCH.match(text):
        return FLAG, "", text[match.end() :]
    if match := _OPTIONAL.match(text):
        return JOINED, match.group(), text[match.end() :]
    if match := _VALUE.match(text):
        return ONE, match.group(), text[match.end() :]
    match = _SPACED.match(text)
    rest = text[match.end() :] if match is not None else text
    if match is None or (rest and not rest.startswith(("  ", ",", " |", " -", "/", " or -"))):
        return FLAG, "", text
    word, more = match.group(1), match.group(2)
    if more.strip(
        " ."
    ):  # argparse: ``FILE [FILE ...]``; what clap and docopt write as ``<x>...`` is given again and again
        return MANY, word, rest
    return (MAYBE if re.fullmatch(r"\[[^\]]*\]", word) else ONE), word, rest


def _typed(option: Option, lines: list[str], number: int) -> Option:
    """Return an option with what yargs says of it behind its sentence: ``[string]``."""
    if option.takes:
        return option
    for at, line in enumerate(lines[number : number + 14]):
        if at and re.match(r" {0,12}-", line):
            break
        if match := _TYPED.search(line):
            takes = {"string": ONE, "number": ONE, "array": MANY}.get(match.group(1), FLAG)
            return Option(option.names, takes, option.path)
    return option


_SECTION = re.compile(r"^(?:[A-Z][\w() -]*)?(?:commands|subcommands)[^:]*:?$", re.IGNORECASE)
_COMMAND = re.compile(r"^ {1,8}([a-z][\w-]*)((?:, ?[a-z][\w-]*)*):?\*?(?: {2,}\S| *$)")


def commands(text: str) -> list[tuple[str, ...]]:
    """Return the subcommands that a help text lists, each with its other names."""
    found: dict[tuple[str, ...], None] = {}
    inside = False
    for line in text.expandtabs().split("\n"):
        if line and not line.startswith(" "):
            inside = bool(_SECTION.match(line.strip()))
        elif inside and (match := _COMMAND.match(line)):
            found[
                (
                    match.group(1),
                    *[name.strip() for name in match.group(2).split(",") if name.strip()],
                )
            ] = None
    return list(found)
