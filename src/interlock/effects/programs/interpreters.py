"""Interpreters: text and files that are run as code."""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.model.effect import Executes, Reads, RunsCode
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.effects.run import Run


def _shell(run: Run) -> Flow:
    """``bash -c TEXT [NAME ARG..]``, ``bash FILE``, ``bash`` fed on standard input (POSIX sh)."""
    if run.has("--version", "--help") or (run.has("-n") and not run.has("-c")):
        return NOTHING
    operands = run.operands
    for value in run.parsed.values("--rcfile", "--init-file"):
        run.script(value)
    if any("c" in flag[1:] and not flag.startswith("--") for flag in run.parsed.flags) and operands:
        return _text(run, operands)
    if run.has("-s") or not operands:
        return run.input_as_code() if run.stdin is not None else _interactive(run)
    return run.script(operands[0])


def _text(run: Run, operands: list[Value]) -> Flow:
    code = operands[0]
    if code.hollow and not code.text.strip(HOLE).strip():
        run.unknown_code(code.why, value=code)
        return UNREAD
    return run.reader.code_with_arguments(run, code, operands[1:])


def _interactive(run: Run) -> Flow:
    run.effect(Executes, run.name, "interactive")
    return UNREAD


def _eval(run: Run) -> Flow:
    """Join the words and read them in this very shell."""
    words = run.arguments
    if words and words[0].text == "--":
        words = words[1:]
    if not words:
        return NOTHING
    text = " ".join([value.text for value in words])
    why = next((value.why for value in words if value.hollow), "")
    return run.code(Value(text, words[0].start, words[-1].end, why), own=True)


def _source(run: Run) -> Flow:
    """Read a file's commands in this very shell."""
    if not run.operands:
        return NOTHING
    value = run.operands[0]
    run.path(Reads, value)
    return run.script(value, own=True)


def _trap(run: Run) -> Flow:
    """``trap TEXT SIGNAL..``: the text runs when the shell ends, in the state it ends in; of most signals also before (bash manual 4.1)."""
    operands = run.operands
    if len(operands) < 2 or operands[0].text in ("", "-"):
        return NOTHING
    code, signals = operands[0], {value.text.upper().removeprefix("SIG") for value in operands[1:]}
    for signal in signals:
        run.walker.state.traps[signal] = (code, run.execution.text)
    if signals & {"DEBUG", "ERR", "RETURN"}:
        run.reader.code(run, code.text, code, "sh", own=True)
    return NOTHING


def _python(run: Run) -> Flow:
    """``python -c TEXT``, ``python -m MODULE``, ``python FILE``, ``python -``."""
    words = run.arguments
    for index, value in enumerate(words):
        text = value.text
        if text[:1] != "-" or text == "-":
            break
        if text.startswith("-") and not text.startswith("--") and "c" in text[1:] and text[1] not in "WXQm":
            return _python_text(run, words, index, text)
        if text[:2] == "-m":
            module = Value(text[2:], value.start, value.end) if len(text) > 2 else (words[index + 1] if index + 1 < len(words) else Value(""))
            return _module(run, module, words[index + (1 if len(text) > 2 else 2) :])
        if text in ("-V", "--version", "-h", "--help"):
            return NOTHING
    if run.operands:
        _framework(run, "manage.py")
        return run.script(run.operands[0], "python")
    return run.input_as_code("python") if run.stdin is not None else _interactive(run)


def _framework(run: Run, name: str) -> None:
    """``python manage.py flush``, ``php artisan db:wipe``: a project's script whose commands are known by its name."""
    script, *rest = run.operands
    if script.text.rpartition("/")[2] == name:
        run.command([Value(name, script.start, script.end), *rest])


def _python_text(run: Run, words: list[Value], index: int, text: str) -> Flow:
    after = text[text.index("c") + 1 :]
    if after:
        return run.code(Value(after, words[index].start, words[index].end), "python")
    return run.code(words[index + 1], "python") if index + 1 < len(words) else UNREAD


def _module(run: Run, module: Value, rest: list[Value]) -> Flow:
    """``python -m pip ..`` is pip; other modules are programs of their own."""
    name = module.text
    if name in ("pip", "pipx", "uv", "poetry", "twine"):
        return run.command([Value(name, module.start, module.end), *rest])
    run.effect(Executes, f"python -m {name}", "module")
    return UNREAD


def _script_language(language: str, code_flags: tuple[str, ...]) -> Callable[[Run], Flow]:
    """Return a reader for an interpreter with ``-e TEXT`` and ``FILE``."""

    def read(run: Run) -> Flow:
        texts = run.parsed.values(*code_flags)
        for value in texts:
            run.code(value, language)
        if texts or run.has("--version", "-v", "-V", "--help", "-h"):
            return UNREAD
        if run.operands:
            _framework(run, "artisan")
            return run.script(run.operands[0], language)
        return run.input_as_code(language) if run.stdin is not None else _interactive(run)

    return read


def _perl(run: Run) -> Flow:
    """Clusters like ``-pi -e`` and ``-ne``: ``-i`` writes the operands."""
    read = _script_language("perl", ("-e", "-E"))
    in_place = any(flag.startswith("-i") for flag in run.parsed.flags) or any(value.text.startswith(("-i", "-pi", "-ni")) for value in run.arguments)
    texts = run.parsed.values("-e", "-E")
    if texts and run.operands:
        from interlock.model.effect import Writes

        for value in run.operands:
            run.path(Writes if in_place else Reads, value, *(["in-place"] if in_place else []))
    return read(run)


def _runner(run: Run) -> Flow:
    """``deno run FILE``, ``bun run x``: subcommands of their own."""
    operands = run.operands
    if operands and operands[0].text in ("run", "test", "x") and len(operands) > 1:
        target = operands[1]
        if target.text.startswith(("http://", "https://")) or "." in target.text:
            return run.script(target, "javascript")
        run.effect(Executes, target.text, "package-script")
        return UNREAD
    if operands and operands[0].text == "eval" and len(operands) > 1:
        return run.code(operands[1], "javascript")
    if operands and "." in operands[0].text:
        return run.script(operands[0], "javascript")
    return UNREAD


_SH = Row(options="-O:data -o:data --rcfile:data --init-file:data +O:data +o:data", flags="+:", operands="command", read=_shell)
_PYTHON = Row(operands="command", options="-W:data -X:data -Q:data --check-hash-based-pycs:data", read=_python)


def _language(language: str, flags: str, options: str = "") -> Row:
    return Row(
        operands="command",
        options=" ".join([f"{flag}:data" for flag in flags.split()]) + " " + options,
        read=_script_language(language, tuple(flags.split())),
    )


_VALUED_IN_POWERSHELL = ("-ex", "-ep", "-w", "-inp", "-o", "-v", "-configurationname", "-settingsfile", "-custompipename")


def _ruby(run: Run) -> Flow:
    """``-i`` writes the operands, as in Perl."""
    if run.parsed.values("-e") and any(value.text[:1] == "-" and value.text[1:2] != "-" and "i" in value.text for value in run.arguments):
        from interlock.model.effect import Writes

        for value in run.operands:
            run.path(Writes, value, "in-place")
    return _script_language("ruby", ("-e",))(run)


def _powershell(run: Run) -> Flow:
    """``pwsh -c TEXT``, ``-EncodedCommand BASE64`` (UTF-16LE; any prefix of its name does), ``-File FILE``. Options have no case."""
    rest = run.arguments
    while rest:
        value, rest = rest[0], rest[1:]
        option = value.text.lower()
        if len(option) > 1 and ("-encodedcommand".startswith(option) or option == "-ec"):
            return _encoded(run, rest[0] if rest else Value(HOLE))
        if len(option) > 1 and ("-command".startswith(option) or option == "-cwa"):
            for word in rest:
                run.code(word, "powershell")
            return UNREAD
        if "-file".startswith(option) and len(option) > 1:
            return run.script(rest[0], "powershell") if rest else UNREAD
        if option.startswith(_VALUED_IN_POWERSHELL):
            rest = rest[1:]
        elif option[:1] not in ("-", "/"):
            return run.script(value, "powershell") if option.endswith(".ps1") else run.code(value, "powershell")
    return run.input_as_code("powershell") if run.stdin is not None else _interactive(run)


def _encoded(run: Run, value: Value) -> Flow:
    """Text that was encoded is read as far as it can be; that it was encoded is an effect of its own."""
    from interlock.effects.programs.streams import from_base64

    run.effect(RunsCode, run.name, "encoded", value=value, detail="code that was encoded")
    data = from_base64(value.text) if HOLE not in value.text else None
    if data is not None:
        run.reader.code(run, data.decode("utf-16-le", "replace"), None, "powershell")
    return UNREAD


_NODE = _language("javascript", "-e --eval -p --print", "-r:reads --require:reads --import:data --loader:data --env-file:reads")
_RUNNER = Row(options="-c:data --config:data", read=_runner)

ROWS: dict[str, Row] = dict.fromkeys("bash sh zsh dash ksh ash fish rbash mksh".split(), _SH)
ROWS.update(dict.fromkeys("python python2 python3 pypy pypy3 ipython".split(), _PYTHON))
ROWS.update({
    "eval": Row(read=_eval), "source": Row(operands="command", read=_source), ".": Row(operands="data command", read=_source),
    "trap": Row(clustered=False, read=_trap),
    "node": _NODE, "nodejs": _NODE, "ts-node": _NODE, "tsx": _NODE, "deno": _RUNNER, "bun": _RUNNER,
    "perl": Row(operands="command", options="-e:data -E:data -I:data -M:data", read=_perl),
    "ruby": Row(operands="command", options="-e:data -r:data -I:data", read=_ruby), "php": _language("php", "-r", "-d:data -S:data -t:data"),
    "lua": _language("lua", "-e", "-l:data"), "luajit": _language("lua", "-e"), "Rscript": _language("r", "-e"), "R": _language("r", "-e"),
    "osascript": _language("applescript", "-e", "-l:data"), "pwsh": Row(clustered=False, read=_powershell),
    "powershell": Row(clustered=False, read=_powershell), "tclsh": _language("tcl", "-c"), "wish": _language("tcl", "-c"),
    "expect": _language("tcl", "-c"), "guile": _language("scheme", "-c"), "scheme": _language("scheme", "--eval"),
    "sbcl": _language("lisp", "--eval"), "ghci": _language("haskell", "-e"),
    "julia": _language("julia", "-e -E"), "groovy": _language("groovy", "-e"), "scala": _language("scala", "-e"), "jshell": _language("java", "-e"),
    "irb": _language("ruby", "-e"),
    "erl": _language("erlang", "-eval"), "elixir": _language("elixir", "-e --eval"), "java": Row(options="-cp:reads -classpath:reads -jar:script"),
})  # fmt: skip
