"""``powershell`` and ``pwsh`` as programs: which of their words is code (about_Pwsh)."""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import ControlsSystem, Executes, RunsCode
from interlock.shell.value import HOLE, UNREAD, Flow, Value

_VALUED = tuple(
    (
        "-ex -ep -w -inp -o -v -configurationname -settingsfile -custompipename -psconsolefile"
    ).split()
)
_DASHES = ("-", "/", "\u2013", "\u2014", "\u2015")


def _powershell(run: Run) -> Flow:
    """``pwsh -c TEXT``, ``-EncodedCommand BASE64`` (UTF-16LE; any prefix of its name does), ``-File
    FILE``. Options have no case.
    """
    rest = run.arguments
    while rest:
        value, rest = rest[0], rest[1:]
        option = "-" + value.text[1:].lower() if value.text[:1] in _DASHES else value.text
        if len(option) > 1 and ("-encodedcommand".startswith(option) or option == "-ec"):
            return _read_encoded(run, rest[0] if rest else Value(HOLE))
        if len(option) > 1 and ("-command".startswith(option) or option == "-cwa"):
            return _read_command(run, rest)
        if "-file".startswith(option) and len(option) > 1:
            return run.script(_as_path(rest[0]), "powershell") if rest else UNREAD
        if option.startswith(_VALUED):
            _judge_option(run, option, rest[0] if rest else value)
            rest = rest[1:]
        elif option[:1] != "-":
            return (
                run.script(_as_path(value), "powershell")
                if option.lower().endswith(".ps1")
                else _read_command(run, [value, *rest])
            )
    return _read_input(run)


def _as_path(value: Value) -> Value:
    """Return a word as a path; a name that is a drive of this machine keeps its slashes."""
    return Value(value.text.replace("\\", "/"), value.start, value.end, value.why)


def _read_input(run: Run) -> Flow:
    """Without code it reads what comes in, or waits for somebody to type."""
    if run.stdin is not None:
        return run.input_as_code("powershell")
    run.effect(Executes, run.name, "interactive")
    return UNREAD


def _read_command(run: Run, words: list[Value]) -> Flow:
    """Read the words behind ``-Command`` as one text, like PowerShell; ``-`` is standard input."""
    if not words or (len(words) == 1 and words[0].text == "-"):
        return _read_input(run)
    if len(words) == 1:
        return run.code(words[0], "powershell")
    why = next((word.why for word in words if word.hollow), "")
    return run.code(
        Value(" ".join([word.text for word in words]), words[0].start, words[-1].end, why),
        "powershell",
    )


def _judge_option(run: Run, option: str, value: Value) -> None:
    """``-ExecutionPolicy Bypass`` runs what the machine would not; ``-WindowStyle Hidden`` shows
    nothing of it.
    """
    text = value.text.lower()
    if option.startswith("-e") and (text in ("bypass", "unrestricted") or value.hollow):
        run.effect(ControlsSystem, "execution policy", "security-off", value=value)
    elif (
        option.startswith("-w")
        and not option.startswith("-wo")
        and (text == "1" or (text and "hidden".startswith(text)) or value.hollow)
    ):
        run.effect(
            RunsCode,
            run.name,
            "hidden-window",
            value=value,
            detail="code that runs in a hidden window",
        )


def _read_encoded(run: Run, value: Value) -> Flow:
    """Encoded text is read as far as it can be; that it was encoded is an effect of its own."""
    from interlock.effects.programs.streams import from_base64

    run.effect(RunsCode, run.name, "encoded", value=value, detail="code that was encoded")
    data = from_base64(value.text) if HOLE not in value.text else None
    if data is not None:
        run.reader.code(run, data.decode("utf-16-le", "replace"), None, "powershell")
    return UNREAD
