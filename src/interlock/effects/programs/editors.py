"""Editors, pagers, terminals, debuggers, and the options by which they run a command."""

from __future__ import annotations

from interlock.data.words import values
from interlock.effects.programs.interpreters import from_temp, load_code
from interlock.effects.programs.netshell import option_command
from interlock.effects.programs.processes import attaches
from interlock.effects.programs.projects import text_of
from interlock.effects.programs.tmux import at, join_words, read_keys
from interlock.effects.run import Run
from interlock.effects.touched_files import run_unseen
from interlock.model.effect import (
    Deletes,
    EscalatesPrivilege,
    Executes,
    KillsProcess,
    Reads,
    RunsCode,
    Writes,
)
from interlock.shell.value import UNREAD, Flow, Value

MAX_LINES = 400
"""Lines of a script that are read; that there are more is said."""


def _lines(text: str | None) -> list[str]:
    return (text or "").split("\n")


# -- vi --------------------------------------------------------------------------------------------


def _vim(run: Run) -> Flow:
    """Vi and kin: ``-c CMD``, ``+CMD`` and ``--cmd CMD`` are ex commands, ``-S FILE`` a script."""
    commands = [
        *run.parsed.values("-c", "--cmd"),
        *[at(value, value.text[1:]) for value in run.operands if value.text[:1] == "+"],
        *_remote_commands(run),
    ]
    files = [value for value in run.operands if value.text[:1] != "+" and value.text != "-"]
    for value in commands:
        for line in value.text.split("|") if "!" not in value.text else [value.text]:
            _ex_command(run, at(value, line.strip().lstrip(":").strip()))
    for value in run.parsed.values("-w", "-W"):
        run.path(Writes, value)
    typed = files[:1] if run.has("-s") and not run.has("-e", "-E") else []
    for value in [*run.parsed.values("-S", "-u"), *typed]:
        if value.text not in ("NONE", "NORC", "DEFAULTS", "/dev/null"):
            run.path(Reads, value)
            run.effect(Executes, value.text, "script", "vim", value=value, certain=False)
            for line in run.context.limit(_lines(run.text_of(value)), MAX_LINES, "lines"):
                _ex_command(run, at(value, line.strip()))
    if (run.stdin is not None and run.has("-e", "-E", "-es", "-s")) and run.stdin.text is not None:
        for line in run.stdin.text.split("\n"):
            _ex_command(run, Value(line.strip().lstrip(":")))
    for value in files:
        run.path(
            Writes if commands and not run.has("-R") else Reads,
            value,
            *(["in-place"] if commands and not run.has("-R") else []),
        )
    if not commands:
        run.effect(Executes, run.name, "interactive")
    return UNREAD


def _remote_commands(run: Run) -> list[Value]:
    """What is typed into a running editor, and what it is to work out (Vim's remote.txt)."""
    keys = [
        (value, part)
        for value in run.parsed.values("--remote-send")
        for part in value.text.split("<CR>")
        if ":" in part
    ]
    typed = [at(value, part.partition(":")[2]) for value, part in keys]
    return typed + [at(value, f"call {value.text}") for value in run.parsed.values("--remote-expr")]


_EX_SYSTEM = tuple(
    ("system( systemlist( job_start( term_start( jobstart( termopen( os.execute( io.popen(").split()
)
_EX_LANGUAGES = values("editors", "ex languages")


def _ex_command(run: Run, value: Value) -> None:
    """One ex command: ``!cmd``, ``w !cmd``, ``%!cmd``, ``term cmd``, ``call system('cmd')``, ``py
    ..``, ``w FILE``.
    """
    text = value.text
    word, _, rest = text.partition(" ")
    name = word.rstrip("!")
    head, mark, command = text.partition("!")
    forced = word in ("w!", "write!", "sav!", "saveas!", "wq!", "x!", "up!")
    if (
        not forced
        and mark
        and (
            not head
            or head.split()[-1:]
            in ([], ["silent"], ["sil"], ["w"], ["r"], ["write"], ["read"], ["exe"], ["execute"])
            or head[-1:] in "% $.,0123456789\"'"
        )
    ):
        if command.strip(" \"'"):
            option_command(run, at(value, command.strip(" \"'")), "ex command")
    elif name in ("term", "terminal", "te"):
        option_command(run, at(value, rest), "ex command")
    elif name in _EX_LANGUAGES and rest:
        run.code(at(value, rest), _EX_LANGUAGES[name])
    elif any(call in text for call in _EX_SYSTEM):
        _read_quoted_code(run, value)
    elif name in ("call", "cal", "echo", "let") and any(
        call in text for call in ("writefile(", "delete(", "rename(", "mkdir(")
    ):
        _ex_files(run, value)
    elif (
        name in ("w", "write", "saveas", "sav", "wq", "x", "up")
        and rest.strip()
        and not rest.startswith("!")
    ):
        run.path(Writes, at(value, run.context.at_home(rest.strip())))
    elif name in ("so", "source", "luafile", "pyfile", "py3file") and rest.strip():
        run.effect(Executes, rest.strip(), "script", "vim", value=value)
        run_unseen(run, at(value, run.context.at_home(rest.strip())), value)


def _ex_files(run: Run, value: Value) -> None:
    """``call writefile([..], "path")``, ``call delete("path", "rf")``, ``call rename("a", "b")``
    (Vim's builtin.txt).
    """
    from interlock.effects.foreign.search import strings

    text = value.text
    if "writefile(" in text:
        named = strings(text.rpartition("]")[2] or text)
        for path in named[:1]:
            run.path(Writes, at(value, path))
    if "delete(" in text:
        named = strings(text.partition("delete(")[2])
        for path in named[:1]:
            run.path(Deletes, at(value, path), *(["recursive"] if "rf" in named[1:] else []))
    if "rename(" in text:
        named = strings(text.partition("rename(")[2])
        if len(named) > 1:
            run.path(Deletes, at(value, named[0]), "moved")
            run.path(Writes, at(value, named[1]), "moved-to")


def _read_quoted_code(run: Run, value: Value) -> None:
    """Read each quoted text of a call that starts a command."""
    from interlock.effects.foreign.search import strings

    run.effect(RunsCode, run.name, "option-command", value=value)
    for text in strings(value.text):
        if text.strip():
            run.code(at(value, text))


def _emacs(run: Run) -> Flow:
    """emacs: ``--eval`` is Lisp, ``-l`` and ``--script`` load it; ``-nw`` alone is interactive."""
    home = run.context.home or "~"
    evals = run.parsed.values("--eval", "-eval", "--execute", "-execute", "-e")
    for value in evals:
        if any(
            call in value.text
            for call in (
                "shell-command",
                "call-process",
                "start-process",
                "make-process",
                "term ",
                "compile ",
            )
        ):
            run.effect(RunsCode, run.name, "option-command", value=value)
        if any(
            word in value.text
            for word in (
                "shell",
                "process",
                "file",
                "directory",
                "write-region",
                "url-",
                "load",
                "eval",
                "network",
                "term",
                "compile",
            )
        ):
            text = value.text.replace('"~/', f'"{home}/').replace('"~"', f'"{home}"')
            run.code(Value(text, value.start, value.end, value.why), "lisp")
    for value in run.parsed.values("-l", "--load", "-load", "--script", "-script", "-x"):
        load_code(run, value, "lisp")
    acts = evals or run.parsed.values("-f", "--funcall", "-funcall", "-l", "--load", "-load")
    for value in run.operands:
        run.path(Reads, value)
        if acts:  # what is evaluated may save the file that is visited
            run.possible(Writes, value, "in-place")
    if not evals and not run.has("--batch", "-batch", "--version", "--script", "-script"):
        run.effect(Executes, run.name, "interactive")
    return UNREAD


def _editor(run: Run) -> Flow:
    """Nano and kin wait for a person; ``-s PROGRAM`` is a speller."""
    for value in run.parsed.values("-s", "--speller"):
        option_command(run, value, "--speller")
    for value in run.operands:
        run.path(Reads, value)
    run.effect(Executes, run.name, "interactive")
    return UNREAD


# -- pagers ----------------------------------------------------------------------------------------


_SHELL_NAMES = ("sh", "bash", "zsh", "dash", "ksh", "fish")
_PAGERS = ("less", "more", "cat", "most", "col", "bat", "")


def _man(run: Run) -> Flow:
    """``man -P PAGER`` and ``--html=BROWSER`` run a command."""
    for value in run.parsed.values("-P", "--pager", "--html", "--browser"):
        if (
            value.text.replace("-", "").replace("_", "").isalnum()
            and value.text not in _SHELL_NAMES
        ):
            run.command([value])
        elif (
            (value.text.split() or [""])[0].rpartition("/")[2] not in _PAGERS
            or ";" in value.text
            or "|" in value.text
        ):
            option_command(run, value, "--pager")
    for value in run.arguments:
        if value.text.startswith("-H") and len(value.text) > 2:
            option_command(run, at(value, value.text[2:]), "-H")
    for value in run.operands:
        if "/" in value.text:
            run.path(Reads, value)
    return UNREAD


def _less(run: Run) -> Flow:
    """``less +'!CMD'`` runs a command."""
    for value in run.operands:
        if value.text.startswith("+"):
            if "!" in value.text:
                option_command(run, at(value, value.text.partition("!")[2]), "+!")
        else:
            run.path(Reads, value)
    for value in run.parsed.values("-o", "-O", "--log-file"):
        run.path(Writes, value)
    return (
        run.stdin if run.stdin is not None and not run.operands else Flow(None, run.input_labels())
    )


# -- terminals -------------------------------------------------------------------------------------


def _screen(run: Run) -> Flow:
    """``screen -dmS NAME CMD`` starts it; ``-X stuff TEXT`` types it, ``-X exec`` runs it."""
    words = run.operands
    for value in run.parsed.values("-Logfile"):
        run.path(Writes, value, "append")
    if run.has("-X") and words:
        if words[0].text in ("quit", "kill"):
            run.effect(KillsProcess, "screen", "by-name", value=words[0])
        if words[0].text == "stuff" and len(words) > 1:
            return read_keys(run, at(words[1], _keys_to_text(words[1].text)))
        return (
            run.command(words[1:])
            if words[0].text in ("exec", "screen") and len(words) > 1
            else UNREAD
        )
    return run.command(words) if words else UNREAD


def _keys_to_text(text: str) -> str:
    return text.replace("^M", "\n").replace("\\n", "\n").replace("\\015", "\n")


def _dtach(run: Run) -> Flow:
    """dtach, abduco: a socket, then a command."""
    return run.command(run.operands[1:]) if len(run.operands) > 1 else UNREAD


def _terminal(run: Run) -> Flow:
    """Xterm and kin: ``-e COMMAND..``, the rest of the line; ``kitty @ send-text`` and its like
    type into another window.
    """
    for index, value in enumerate(run.arguments):
        typed = [word for word in run.arguments[index + 1 :] if word.text[:1] != "-"]
        if value.text in ("send-text", "write-chars") and typed:
            return run.code(join_words(typed))
        if value.text == "launch" and typed:
            return run.command(run.arguments[run.arguments.index(typed[0]) :])
        if value.text in ("-e", "-x", "--", "--command") and index + 1 < len(run.arguments):
            rest = run.arguments[index + 1 :]
            return run.code(rest[0]) if len(rest) == 1 else run.command(rest)
    return UNREAD


# -- debuggers -------------------------------------------------------------------------------------


def _gdb(run: Run) -> Flow:
    """Gdb and lldb: ``-ex CMD`` may be ``shell``, ``python`` or ``system(..)``; ``-p`` attaches."""
    for value in run.parsed.values(
        "-ex", "-iex", "-eval-command", "--eval-command", "--ex", "-o", "-O", "--one-line"
    ):
        _debugger_command(run, value)
    for value in run.parsed.values("-x", "-ix", "-command", "--command", "-s", "--source"):
        run.path(Reads, value)
        run.effect(
            Executes,
            value.text,
            "script",
            "gdb",
            *from_temp(run, value),
            value=value,
            certain=False,
        )
        for line in run.context.limit(_lines(text_of(run, value.text)), MAX_LINES, "lines"):
            _debugger_command(run, at(value, line))
    attaches(run, run.parsed.values("-p", "-pid", "--pid", "--attach-pid"))
    for index, value in enumerate(run.arguments):
        if value.text in ("-args", "--args", "--") and index + 1 < len(run.arguments):
            return run.command(run.arguments[index + 1 :])
    return UNREAD


_LOOKING_COMMANDS = frozenset(
    "run r start bt backtrace where info i list l break b tbreak continue c next n step s finish f"
    " quit q frame thread up down disassemble disas x print p help register".split()
)
"""Commands of a debugger that go through a program of the workspace, and look into it."""


def _debugger_command(run: Run, value: Value) -> None:
    text = value.text.strip()
    word, _, rest = text.partition(" ")
    if text.startswith("!"):
        option_command(run, at(value, text[1:]), "gdb")
    elif word in ("shell", "make") or text.startswith("platform shell "):
        option_command(run, at(value, rest.removeprefix("shell ")), "gdb")
    elif word in ("python", "py", "pi", "script"):
        run.code(at(value, rest), "python")
    elif "system(" in text.replace(" ", "") or "exec" in word:
        _read_quoted_code(run, value)
    elif word == "attach":
        run.effect(EscalatesPrivilege, run.name, "attaches", value=value)
    elif word == "source":
        run_unseen(run, at(value, run.context.at_home(rest.strip())), value)
    elif word not in _LOOKING_COMMANDS or "(" in text:
        run.context.doubt(f"what the command {word} of {run.name} does is not known")
