"""Programs that read, search, print and transform text or ask the system, and quiet builtins."""

from __future__ import annotations

from interlock.effects.filenames import is_file
from interlock.effects.labels import place_labels
from interlock.effects.programs.grep import list_outside
from interlock.effects.programs.printing import shows_variables
from interlock.effects.run import Run
from interlock.effects.secret_variables import SECRET_NAMES
from interlock.effects.unending import EVERY_VARIABLE
from interlock.model.effect import Reads, Writes
from interlock.shell.value import ENVIRONMENT, HOLE, NAME, UNREAD, Flow, Value


def _cat(run: Run) -> Flow:
    """Print files, or standard input, one after another."""
    values = [value for value in run.operands if value.text != "-"]
    read = [(value, run.path(Reads, value)) for value in values]
    if not run.operands:
        return run.stdin if run.stdin is not None else UNREAD
    if len(values) < len(run.operands) and run.stdin is not None and not values:
        return run.stdin
    flow = (
        run.contents(values[0])
        if len(values) == len(run.operands) == 1
        else run.all_contents(values)
    )
    matched = frozenset[str]().union(
        *[place_labels(effect) for value, effect in read if value.pattern]
    ) & {"secret"}
    return Flow(flow.text, flow.labels | matched, flow.path) if matched else flow


def passes_on(run: Run) -> Flow:
    """Read the operands by role; print something made of them and of standard input."""
    run.roles()
    return Flow(None, run.input_labels())


_LISTERS = frozenset({"ls", "dir", "vdir", "du", "tree"})
"""Programs that list the folder they work in where they are given none."""


def _list(run: Run) -> Flow:
    """Print names of files: nothing of what is in them."""
    for value in run.operands:
        run.path(Reads, value, "listed")
    flow = Flow(None, run.input_labels() - {"secret"})
    if not run.operands:
        if run.name in _LISTERS:
            run.looks_at(Value("."))
        flow.listing = [Value("*", pattern=True)]
    elif all(value.pattern or _prints_itself(run, value) for value in run.operands):
        flow.listing = list(run.operands)
    elif run.name == "du" or (
        run.name == "tree"
        and any("f" in value.text for value in run.arguments if value.text[:1] == "-")
    ):
        flow.listing = list_outside(run, run.operands, deep=True)
    return flow


def _prints_itself(run: Run, value: Value) -> bool:
    """Whether what is printed is the very word: a file, or a folder not looked into (``ls -d``)."""
    whole = run.has("-d", "--directory") or (
        value.known and is_file(run.context, value.text, run.cwd)
    )
    return (
        whole
        and run.name in ("ls", "dir", "vdir", "stat")
        and not run.has("-l", "-s", "--size", "-i", "--inode")
    )


def _yq(run: Run) -> Flow:
    """``yq EXPRESSION FILE..``; with ``-i`` the files are written."""
    if run.has("-i", "--inplace", "--in-place"):
        for value in run.operands[1:]:
            run.path(Writes, value, "in-place")
    return passes_on(run)


def _date(run: Run) -> Flow:
    """``date -s TEXT`` and ``date MMDDhhmm[CCYY][.ss]`` set the clock."""
    if run.has("-s", "--set") or any(
        value.text.replace(".", "").isdigit() for value in run.operands
    ):
        from interlock.model.effect import ControlsSystem

        run.effect(ControlsSystem, "clock", "time")
    form = next((value.text[1:] for value in run.operands if value.text[:1] == "+"), "%s")
    return (
        Flow(None)
        if HOLE in form or run.has("-f", "--file")
        else Flow(_conversions(form) + "\n", frozenset({"number"}))
    )


def _conversions(form: str) -> str:
    """Return what ``date +FORMAT`` prints: each conversion is something without a slash but for
    those that are dates (date(1)).
    """
    out, at = [], 0
    while at < len(form):
        mark = form[at : at + 2]
        at += 2 if form[at] == "%" else 1
        if mark[:1] == "%" and mark[1:] in ("-", "_", "^", "#", "0", "E", "O", ":"):
            mark = "%" + form[at : at + 1]
            at += 1
        slashed = NAME + "/" + NAME
        out.append(
            mark[0]
            if mark[0] != "%"
            else {"%%": "%", "%n": "\n", "%t": "\t", "%D": slashed, "%x": slashed, "%c": HOLE}.get(
                mark, NAME
            )
        )
    return "".join(out)


def _plain_name(run: Run) -> Flow:
    """Print a number or a name without slashes: ``nproc``, ``uname``, ``id -u``."""
    short = run.name != "id" or bool(run.parsed.flags & {"-u", "-g", "--user", "--group"})
    return (
        Flow(NAME + "\n", frozenset({"number"}))
        if short and not run.has("-a", "--all", "--version", "--help", "-n", "-un")
        else UNREAD
    )


def _which(run: Run) -> Flow:
    if run.name == "type" and not run.has("-P", "-p"):
        return UNREAD
    known = [value.text for value in run.operands]
    return (
        Flow("".join([f"/usr/bin/{name}\n" for name in known]), frozenset({"lookup"}))
        if known and all(HOLE not in name and "/" not in name for name in known)
        else UNREAD
    )


def _basename(run: Run) -> Flow:
    values = run.operands
    if not values or values[0].hollow or run.has("-s", "-a"):
        return UNREAD
    text = values[0].text.rstrip("/").rpartition("/")[2] or values[0].text[:1]
    return Flow((text.removesuffix(values[1].text) if len(values) > 1 else text) + "\n")


def _dirname(run: Run) -> Flow:
    values = run.operands
    if not values or values[0].hollow:
        return UNREAD
    head, slash, _ = values[0].text.rstrip("/").rpartition("/")
    return Flow(((head or "/") if slash else ".") + "\n")


def _pwd(run: Run) -> Flow:
    return Flow(run.cwd + "\n") if run.cwd is not None else UNREAD


def _path_itself(run: Run) -> Flow:
    """``realpath``, ``readlink -f``: the absolute path, where links do not matter."""
    values = run.operands
    if len(values) != 1 or values[0].hollow:
        return UNREAD
    path = run.context.normal(values[0].text, run.cwd)
    return Flow(path + "\n") if path is not None else UNREAD


def _variables(run: Run) -> Flow:
    """``printenv``, ``export -p``: the environment, where secrets may be."""
    shows_variables(run, [value.text for value in run.operands])
    secret = any(value.text.upper().endswith(SECRET_NAMES) for value in run.operands)
    labels = {ENVIRONMENT} if secret or not run.operands else set()
    return Flow(None, frozenset(labels if run.operands else {*labels, EVERY_VARIABLE}))
