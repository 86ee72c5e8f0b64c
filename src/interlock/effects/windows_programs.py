"""Programs as Windows' shells start them: names without case and endings, and programs that mean
something else there than on Unix.
"""

from __future__ import annotations

from interlock.effects.api import ShellReading
from interlock.effects.context import CallContext
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.shell.execution import Execution
from interlock.shell.value import Flow, Value
from interlock.shell.walk import Walker

ENDINGS = (".exe", ".com", ".cmd", ".bat")
_FOLDERS = ("c:/windows/system32/", "c:/windows/syswow64/", "c:/windows/sysnative/", "c:/windows/")
_OF_CMD = frozenset({"rd", "del", "erase", "robocopy"})
_SWITCHES = frozenset({"/s", "/q", "/f", "/mir", "/purge", "/move"})
_POWERSHELL = "windowspowershell/v1.0/"


def program_word(context: CallContext, value: Value) -> Value:
    """Return a program's name as rows know it: without Windows' endings and its own folders, in
    lower case; a path with forward slashes.
    """
    text = value.text.strip().strip('"').replace("\\", "/")
    low = text.lower()
    full = (context.normal(low, None) or low) if low[1:2] == ":" else low
    for folder in _FOLDERS:
        if full.startswith(folder):
            low = full[len(folder) :].removeprefix("wbem/").removeprefix(_POWERSHELL)
            text = low
            break
    for ending in ENDINGS:
        if low.endswith(ending) and "/" not in low and ending in (".exe", ".com"):
            low, text = low[: -len(ending)], text[: -len(ending)]
            break
    return Value(text if "/" in low else low, value.start, value.end, value.why)


def run_program(reader: ShellReading[Run], walker: Walker, execution: Execution) -> Flow:
    """Run a program; return what it prints."""
    _here(reader, execution)
    word = execution.argv[0]
    stem, dot, _ = word.text.rpartition(".")
    if (
        dot
        and word.text.lower().endswith((".cmd", ".bat"))
        and "/" not in stem
        and programs.find(stem.lower()) is not None
    ):
        # npm.cmd, gradlew.bat
        word = execution.argv[0] = Value(stem.lower(), word.start, word.end, word.why)
    name = word.text
    row, script = programs.only_on_windows(name), name.lower().endswith((".bat", ".cmd", ".ps1"))
    if row is not None or script:
        reader.noted(execution.argv)
        return (
            _script(reader, walker, execution)
            if row is None
            else reader.apply(execution, walker, row, name)
        )
    return walker.run(execution)


def _here(reader: ShellReading[Run], execution: Execution) -> None:
    """A name without a folder is first looked for here: then it is what this call put there."""
    word = execution.argv[0]
    if "/" in word.text or word.hollow or not reader.written:
        return
    for ending in ("", *ENDINGS):
        path = reader.context.normal(word.text + ending, execution.cwd)
        if path is not None and path in reader.written:
            execution.argv[0] = Value(f"./{word.text}{ending}", word.start, word.end)
            return


def in_unix(reader: ShellReading[Run], walker: Walker, execution: Execution) -> Flow | None:
    """Run a name that only Windows knows, though a shell of Unix reads the line: a cmdlet, or a
    program that this call put here. None for others.
    """
    word = execution.argv[0]
    stem = word.text.lower().removesuffix(".exe")
    row = programs.only_on_windows(stem) if stem != word.text.lower() else None
    if row is not None:
        return reader.apply(execution, walker, row, stem)
    language = _language_of(execution)
    if language:
        from interlock.effects.rows import ProgramRow
        from interlock.effects.run import Run

        text = walker.texts[execution.text].text[execution.start : execution.end]
        return Run(reader, walker, execution, ProgramRow(clustered=False), word.text).code(
            Value(text, execution.start, execution.end), language
        )
    path = (
        reader.context.normal(word.text, execution.cwd)
        if word.text.lower().endswith((*ENDINGS, ".ps1"))
        else None
    )
    if path is None or path not in reader.written:
        return None
    execution.argv[0] = Value(f"./{word.text}", word.start, word.end)
    return walker.run(execution)


def _language_of(execution: Execution) -> str:
    """Return which of Windows' shells knows a name: cmdlets, and cmd.exe's own words with an option
    (``rd /s /q x``); nothing for others.
    """
    name = execution.argv[0].text
    if name in _OF_CMD:
        return "cmd" if any(value.text.lower() in _SWITCHES for value in execution.argv[1:]) else ""
    verb, dash, noun = name.partition("-")
    if not (dash and verb[:1].isupper() and noun[:1].isupper() and verb.isalpha()):
        return ""
    from interlock.effects.powershell.cmdlet_table import find

    return "powershell" if find(name.lower()) is not None else ""


def _script(reader: ShellReading[Run], walker: Walker, execution: Execution) -> Flow:
    from interlock.effects.rows import ProgramRow
    from interlock.effects.run import Run

    value = execution.argv[0]
    run = Run(reader, walker, execution, ProgramRow(clustered=False), value.text)
    return run.script(value, "powershell" if value.text.lower().endswith(".ps1") else "cmd")
