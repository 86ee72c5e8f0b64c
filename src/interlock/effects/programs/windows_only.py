"""Programs of Windows whose names mean something else elsewhere; only Windows' own shells look
here. Their options begin with a slash.
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import ChangesMode, Reads
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value


def files(run: Run) -> list[Value]:
    """Return the operands that are no switches, as paths."""
    return [
        Value(
            value.text.replace("\\", "/"),
            value.start,
            value.end,
            value.why,
            "*" in value.text or "?" in value.text,
        )
        for value in run.arguments
        if value.text[:1] != "/" or len(value.text) > 12 or value.text.count("/") > 1
    ]


def _find(run: Run) -> Flow:
    """``find [/v /c /n /i] "text" FILE..``, ``findstr``."""
    found = files(run)
    for value in found[1:]:
        run.path(Reads, value)
    labels = run.all_contents(found[1:]).labels | (
        run.stdin.labels if run.stdin is not None else frozenset()
    )
    return Flow(None, labels)


def _reads(run: Run) -> Flow:
    found = files(run)
    for value in found:
        run.path(Reads, value)
    return (
        run.all_contents(found)
        if found
        else Flow(None, run.stdin.labels if run.stdin is not None else frozenset())
    )


def _copy(run: Run) -> Flow:
    """``xcopy SOURCE TARGET``, ``robocopy SOURCE TARGET [FILE..] /MIR /PURGE /MOVE``."""
    from interlock.model.effect import Deletes, Writes

    found = files(run)
    switches = {value.text.lower() for value in run.arguments if value.text[:1] == "/"}
    source, target = (
        found[0] if found else Value(HOLE, why="argument"),
        found[1] if len(found) > 1 else Value("."),
    )
    effect = run.path(Reads, source, *(["recursive"] if switches & {"/s", "/e", "/mir"} else []))
    flow = run.contents(source)
    if switches & {"/mir", "/purge"}:
        run.path(Deletes, target, "recursive", "overwritten")
    if switches & {"/mov", "/move"}:
        run.path(Deletes, source, "moved", "recursive")
    written = run.path(
        Writes, target, "copied", *[f"carries-{label}" for label in flow.labels & {"secret"}]
    )
    if source.known:
        run.reader.carry(effect.target, written.target, flow)
    return NOTHING


def _attrib(run: Run) -> Flow:
    for value in files(run):
        if value.text[:1] not in ("+", "-"):
            run.path(ChangesMode, value, "attributes")
    return NOTHING


def _waits(run: Run) -> Flow:
    del run
    return NOTHING


def _looks(run: Run) -> Flow:
    del run
    return UNREAD


def _forfiles(run: Run) -> Flow:
    """``forfiles /p PATH /m MASK /c "cmd /c del @path"``: the command for each file found."""
    words = run.arguments
    given = {
        words[at].text.lower(): words[at + 1]
        for at in range(len(words) - 1)
        if words[at].text[:1] == "/"
    }
    folder = given.get("/p", Value("."))
    mask = given.get("/m", Value("*"))
    deep = "**/" if any(value.text.lower() == "/s" for value in words) else ""
    command = given.get("/c")
    if command is not None:
        found = f"{folder.text}/{deep}{mask.text}".replace("\\", "/")
        text = command.text
        for name in ("@path", "@file", "@relpath", "@fname"):
            text = text.replace(name, f'"{found}"')
        run.code(Value(text, command.start, command.end, command.why), "cmd")
    return UNREAD
