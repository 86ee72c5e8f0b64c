"""Programs that search text in files: which files they look into, and whether what they find is
shown or only named (grep(1), rg(1), ag(1), ack(1)).
"""

from __future__ import annotations

from interlock.effects.filenames import outside
from interlock.effects.guard_files import pass_over
from interlock.effects.programs.filters import defer_change
from interlock.effects.read_selection import ReadSelection
from interlock.effects.run import Run
from interlock.effects.secret_reads import beneath
from interlock.model.effect import Reads
from interlock.shell.value import HOLE, Flow, Value


def _grep(run: Run) -> Flow:
    """The first word is the pattern unless ``-e`` or ``-f`` gave one; ``rg --pre`` runs one."""
    operands = list(run.operands)
    if not run.has("-e", "-f", "--regexp", "--file", "--files") and operands:
        operands.pop(0)
    for value in run.parsed.values("-f", "--file"):
        run.path(Reads, value)
    for value in run.parsed.values("--pre", "--hostname-bin"):
        run.command([value])
    for value in run.parsed.values("--pager"):
        run.code(value)
    labels = search(run, operands) | run.input_labels()
    flow = defer_change(run, _read_input(run, operands), lambda text: _match_lines(run, text))
    flow.labels = labels | flow.labels
    if run.has(
        "-l",
        "-L",
        "--files-with-matches",
        "--files-without-match",
        "--files-without-matches",
        "--files",
    ):
        deep = _is_deep(run)
        _pass_over(run, operands)
        flow.listing = expand_operands(operands or ([Value(".")] if deep else []), deep=deep)
    elif (
        not operands
        and run.stdin is not None
        and not run.has("-c", "--count", "-o", "--only-matching", "-n", "--line-number", "-b")
    ):
        flow.listing = run.stdin.listing  # lines that it read
    return flow


def _read_input(run: Run, operands: list[Value]) -> Flow | None:
    """Return what is searched, where it is files that are named or what flows in."""
    if _is_deep(run) and operands:
        return None
    return run.all_contents(operands) if operands else run.stdin


_PLAINLY = frozenset(
    "-v --invert-match -h --no-filename -F --fixed-strings -E -s --no-messages -e --regexp".split()
)
"""Options under which the lines are printed that hold a word, or those that do not."""


def _match_lines(run: Run, text: str) -> str | None:
    """Return the lines of a text with a plain word (``-v``: without); None for other searches."""
    sought = _list_patterns(run) if not run.has("-v", "--invert-match") else _words(run)
    if len(sought) != 1 or not sought[0] or any(mark in sought[0] for mark in ".*[]^$\\+?(){}|"):
        return None
    if run.parsed.flags - _PLAINLY:
        return None
    without = run.has("-v", "--invert-match")
    lines = text.splitlines(keepends=True)
    return "".join([line for line in lines if (sought[0] in line) != without])


def _words(run: Run) -> tuple[str, ...]:
    given = run.parsed.values("-e", "--regexp") or run.parsed.operands[:1]
    return tuple([value.text for value in given if value.known])


def _pass_over(run: Run, operands: list[Value]) -> None:
    """Note which of the guard's files it does not name, by what they hold."""
    every = run.has("-L", "--files-without-match", "--files-without-matches", "--files")
    for value in operands or [Value(".")]:
        folder = run.context.normal(value.text, run.cwd) if value.known and run.here else None
        if folder is not None:
            pass_over(run.context, folder, ("",) if every else _list_patterns(run), _picks(run))


def list_outside(run: Run, operands: list[Value], *, deep: bool) -> list[Value]:
    """Return what the names stand for that a program prints, where they lead out of the workspace:
    what is done to those is done there.

    In the workspace they are any files of the project, as before.
    """
    found = outside(run.context, operands, run.cwd)
    return [
        Value(f"{value.text.rstrip('/')}/**/*", value.start, value.end, value.why, pattern=True)
        if deep
        else value
        for value in found
    ]


def expand_operands(operands: list[Value], *, deep: bool) -> list[Value]:
    """Return what names printed of files and folders stand for: whatever lies below them."""
    return [
        Value(f"{value.text.rstrip('/')}/**/*", value.start, value.end, value.why, pattern=True)
        if deep
        else value
        for value in operands
    ]


def _is_deep(run: Run) -> bool:
    return (
        run.name not in _PLAIN
        or run.has("-r", "-R", "--recursive", "--dereference-recursive")
        or _recurses(run)
    )


def search(run: Run, operands: list[Value]) -> frozenset[str]:
    """Add the reading of what a search looks into: folders with what is in them, where it goes into
    folders and shows what it finds.

    Return the labels of what it finds in the workspace, which it reads where it is told no folder.
    """
    deep = _is_deep(run)
    if deep and not operands:
        run.looks_at(Value("."))
    picks = ReadSelection(told=True) if run.has(*_NAMES_ONLY) else _picks(run)
    if deep and not picks.told and not operands and (run.stdin is None or run.name in _PLAIN):
        if run.cwd is not None and run.cwd in run.context.call.roots:
            return _beneath(run, run.cwd, picks)
        operands = [Value(".")]
    for value in operands:
        run.read_picked(value, picks, *(["recursive"] if deep and not picks.told else []))
    return frozenset()


def _beneath(run: Run, folder: str, picks: ReadSelection) -> frozenset[str]:
    found = beneath(run.context, folder, picks, (run.span(), run.name)) if run.here else False
    return frozenset({"secret"}) if found else frozenset()


def _recurses(run: Run) -> bool:
    return any(value.text == "recurse" for value in run.parsed.values("-d", "--directories"))


def _picks(run: Run) -> ReadSelection:
    globs = [value.text for value in run.parsed.values("-g", "--glob", "--iglob")]
    types = [
        f"*.{value.text}" for value in run.parsed.values("-t", "--type") if value.text != "all"
    ]
    names = (
        [value.text for value in run.parsed.values("--include")]
        + [text for text in globs if text[:1] != "!"]
        + types
    )
    left_out = [
        value.text
        for value in run.parsed.values("--exclude", "--exclude-dir", "--ignore", "--ignore-dir")
    ]
    without = [*left_out, *[text[1:] for text in globs if text[:1] == "!"]]
    return ReadSelection(
        tuple([name for name in names if HOLE not in name]),
        tuple(without),
        hidden=_includes_hidden(run),
        sought=_list_patterns(run),
    )


def _list_patterns(run: Run) -> tuple[str, ...]:
    """Return the patterns that are looked for; one that finds everything stands for those that
    nobody knows, and for what fits none (``-v``).
    """
    given = run.parsed.values("-e", "--regexp") or run.parsed.operands[:1]
    if run.has("-f", "--file", "-v", "--invert-match") or any(value.hollow for value in given):
        return ("",)
    return tuple([value.text for value in given]) or ("",)


def _includes_hidden(run: Run) -> bool:
    """Whether names with a dot are looked into: rg, ag, pt do not unless told otherwise."""
    if run.name not in _CAREFUL or run.has("--hidden", "-."):
        return True
    return run.has("-u", "--unrestricted") and (
        run.name == "ag" or "".join([value.text for value in run.arguments]).count("u") > 1
    )


_PLAIN = frozenset({"grep", "egrep", "fgrep", "zgrep", "ugrep", "ug"})
_CAREFUL = frozenset({"rg", "ag", "pt"})
_NAMES_ONLY = (
    "-l", "-L", "-c", "-q", "--files-with-matches", "--files-without-match",
    "--files-without-matches", "--count", "--count-matches", "--quiet", "--silent",
    "--files", "--type-list",
)  # fmt: skip
"""Options with which a search tells names or numbers only."""
