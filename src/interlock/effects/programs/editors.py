"""Editors, pagers, terminals and debuggers: interactive programs, and the options by which they run a command unasked."""

from __future__ import annotations

from interlock.effects.programs.interpreters import from_temp, loaded
from interlock.effects.programs.makefiles import MAX_LINES
from interlock.effects.programs.netshell import option_command
from interlock.effects.programs.owning import makes, owns
from interlock.effects.programs.processes import attaches
from interlock.effects.programs.projects import text_of
from interlock.effects.rows import Row
from interlock.effects.variables import turns
from interlock.model.effect import Deletes, EscalatesPrivilege, Executes, KillsProcess, Reads, RunsCode, TampersWithGuard, Writes
from interlock.shell.value import UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def _at(value: Value, text: str) -> Value:
    return Value(text, value.start, value.end, value.why)


# -- vi ------------------------------------------------------------------------------------------------------


def _vim(run: Run) -> Flow:
    """Vi and kin: ``-c CMD``, ``+CMD`` and ``--cmd CMD`` are ex commands; ``-S FILE`` is a script of them."""
    commands = [*run.parsed.values("-c", "--cmd"), *[_at(value, value.text[1:]) for value in run.operands if value.text[:1] == "+"], *_sent(run)]
    files = [value for value in run.operands if value.text[:1] != "+" and value.text != "-"]
    for value in commands:
        for line in value.text.split("|") if "!" not in value.text else [value.text]:
            _ex_command(run, _at(value, line.strip().lstrip(":").strip()))
    for value in run.parsed.values("-w", "-W"):
        run.path(Writes, value)
    typed = files[:1] if run.has("-s") and not run.has("-e", "-E") else []
    for value in [*run.parsed.values("-S", "-u"), *typed]:
        if value.text not in ("NONE", "NORC", "DEFAULTS", "/dev/null"):
            run.path(Reads, value)
            run.effect(Executes, value.text, "script", "vim", value=value, certain=False)
    if (run.stdin is not None and run.has("-e", "-E", "-es", "-s")) and run.stdin.text is not None:
        for line in run.stdin.text.split("\n"):
            _ex_command(run, Value(line.strip().lstrip(":")))
    for value in files:
        run.path(Writes if commands and not run.has("-R") else Reads, value, *(["in-place"] if commands and not run.has("-R") else []))
    if not commands:
        run.effect(Executes, run.name, "interactive")
    return UNREAD


def _sent(run: Run) -> list[Value]:
    """What is typed into an editor that runs already, and what it is to work out (Vim's remote.txt)."""
    keys = [(value, part) for value in run.parsed.values("--remote-send") for part in value.text.split("<CR>") if ":" in part]
    typed = [_at(value, part.partition(":")[2]) for value, part in keys]
    return typed + [_at(value, f"call {value.text}") for value in run.parsed.values("--remote-expr")]


_EX_SYSTEM = ("system(", "systemlist(", "job_start(", "term_start(", "jobstart(", "termopen(", "os.execute(", "io.popen(")
_EX_LANGUAGES = {
    "py": "python",
    "py3": "python",
    "python": "python",
    "python3": "python",
    "pyx": "python",
    "perl": "perl",
    "ruby": "ruby",
    "lua": "lua",
    "luado": "lua",
}


def _ex_command(run: Run, value: Value) -> None:
    """One ex command: ``!cmd``, ``w !cmd``, ``%!cmd``, ``term cmd``, ``call system('cmd')``, ``py ..``, ``w FILE``."""
    text = value.text
    word, _, rest = text.partition(" ")
    name = word.rstrip("!")
    head, mark, command = text.partition("!")
    if mark and (
        not head
        or head.split()[-1:] in ([], ["silent"], ["sil"], ["w"], ["r"], ["write"], ["read"], ["exe"], ["execute"])
        or head[-1:] in "% $.,0123456789\"'"
    ):
        if command.strip(" \"'"):
            option_command(run, _at(value, command.strip(" \"'")), "ex command")
    elif name in ("term", "terminal", "te"):
        option_command(run, _at(value, rest), "ex command")
    elif name in _EX_LANGUAGES and rest:
        run.code(_at(value, rest), _EX_LANGUAGES[name])
    elif any(call in text for call in _EX_SYSTEM):
        _quoted_commands(run, value)
    elif name in ("call", "cal", "echo", "let") and any(call in text for call in ("writefile(", "delete(", "rename(", "mkdir(")):
        _ex_files(run, value)
    elif name in ("w", "write", "saveas", "sav", "wq", "x", "up") and rest.strip() and not rest.startswith("!"):
        run.path(Writes, _at(value, rest.strip().removeprefix("!").strip()))
    elif name in ("so", "source", "luafile", "pyfile", "py3file") and rest.strip():
        run.effect(Executes, rest.strip(), "script", "vim", value=value)


def _ex_files(run: Run, value: Value) -> None:
    """``call writefile([..], "path")``, ``call delete("path", "rf")``, ``call rename("a", "b")`` (Vim's builtin.txt)."""
    from interlock.effects.foreign.search import strings

    text = value.text
    if "writefile(" in text:
        named = strings(text.rpartition("]")[2] or text)
        for path in named[:1]:
            run.path(Writes, _at(value, path))
    if "delete(" in text:
        named = strings(text.partition("delete(")[2])
        for path in named[:1]:
            run.path(Deletes, _at(value, path), *(["recursive"] if "rf" in named[1:] else []))
    if "rename(" in text:
        named = strings(text.partition("rename(")[2])
        if len(named) > 1:
            run.path(Deletes, _at(value, named[0]), "moved")
            run.path(Writes, _at(value, named[1]), "moved-to")


def _quoted_commands(run: Run, value: Value) -> None:
    """Read each quoted text of a call that starts a command."""
    from interlock.effects.foreign.search import strings

    run.effect(RunsCode, run.name, "option-command", value=value)
    for text in strings(value.text):
        if text.strip():
            run.code(_at(value, text))


def _emacs(run: Run) -> Flow:
    """emacs: ``--eval`` is Lisp, ``-l`` and ``--script`` load it; ``-nw`` alone is interactive."""
    home = run.context.home or "~"
    evals = run.parsed.values("--eval", "-eval", "--execute", "-execute", "-e")
    for value in evals:
        if any(call in value.text for call in ("shell-command", "call-process", "start-process", "make-process", "term ", "compile ")):
            run.effect(RunsCode, run.name, "option-command", value=value)
        if any(
            word in value.text
            for word in ("shell", "process", "file", "directory", "write-region", "url-", "load", "eval", "network", "term", "compile")
        ):
            text = value.text.replace('"~/', f'"{home}/').replace('"~"', f'"{home}"')
            run.code(Value(text, value.start, value.end, value.why), "lisp")
    for value in run.parsed.values("-l", "--load", "-load", "--script", "-script", "-x"):
        loaded(run, value, "lisp")
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


# -- pagers -----------------------------------------------------------------------------------------------------


_SHELL_NAMES = ("sh", "bash", "zsh", "dash", "ksh", "fish")
_PAGERS = ("less", "more", "cat", "most", "col", "bat", "")


def _man(run: Run) -> Flow:
    """``man -P PAGER`` and ``--html=BROWSER`` run a command."""
    for value in run.parsed.values("-P", "--pager", "--html", "--browser"):
        if value.text.replace("-", "").replace("_", "").isalnum() and value.text not in _SHELL_NAMES:
            run.command([value])
        elif (value.text.split() or [""])[0].rpartition("/")[2] not in _PAGERS or ";" in value.text or "|" in value.text:
            option_command(run, value, "--pager")
    for value in run.arguments:
        if value.text.startswith("-H") and len(value.text) > 2:
            option_command(run, _at(value, value.text[2:]), "-H")
    for value in run.operands:
        if "/" in value.text:
            run.path(Reads, value)
    return UNREAD


def _less(run: Run) -> Flow:
    """``less +'!CMD'`` runs a command."""
    for value in run.operands:
        if value.text.startswith("+"):
            if "!" in value.text:
                option_command(run, _at(value, value.text.partition("!")[2]), "+!")
        else:
            run.path(Reads, value)
    for value in run.parsed.values("-o", "-O", "--log-file"):
        run.path(Writes, value)
    return run.stdin if run.stdin is not None and not run.operands else Flow(None, run.input_labels())


# -- terminals ------------------------------------------------------------------------------------------------------

_STARTS = frozenset(
    "new new-session neww new-window splitw split-window respawnp respawn-pane respawnw respawn-window run run-shell popup display-popup pipep "
    "pipe-pane if if-shell".split()
)
_KEYS = frozenset("Enter C-m C-c C-d C-l C-z Escape Space Tab Up Down Left Right BSpace Home End q KPEnter".split())
_TMUX_VALUED = frozenset("-t -s -n -c -x -y -F -e -l -p -b -d -w -h -S -T -N -f -L -R".split())


def _tmux(run: Run) -> Flow:
    """tmux: sessions and windows start commands; ``send-keys`` types them."""
    words = [*run.arguments]
    while words and words[0].text[:1] == "-":
        words = words[2 if words[0].text in ("-L", "-S", "-f", "-c", "-T") else 1 :]
    flow = UNREAD
    for command in _split(words):
        flow = _tmux_command(run, command)
    return flow


def _split(words: list[Value]) -> list[list[Value]]:
    """Return the commands of a tmux line, told apart by ``;``."""
    commands: list[list[Value]] = [[]]
    for value in words:
        if value.text in (";", "\\;"):
            commands.append([])
        else:
            commands[-1].append(value)
    return [command for command in commands if command]


def _tmux_command(run: Run, words: list[Value]) -> Flow:
    verb = words[0].text
    named = [words[at + 1] for at, option in enumerate(words[:-1]) if option.text in ("-s", "-t")][:1]
    if verb in ("new", "new-session") and named:
        makes(run, "session", named[0])
    if verb in ("kill-server", "kill-session"):
        own = verb == "kill-session" and "-a" not in [value.text for value in words] and owns(run, "session", named)
        run.effect(KillsProcess, "tmux", "own" if own else "by-name", value=words[0])
        return UNREAD
    rest = _operands(words[1:], switches=verb)
    if not rest:
        return UNREAD
    if verb in ("send-keys", "send", "set-buffer", "setb"):  # what is put into a buffer is there to be pasted
        typed = [value for value in rest if value.text not in _KEYS]
        return run.code(_joined(typed)) if typed else UNREAD
    if verb in ("set", "set-option", "setw") and rest[0].text in ("default-command", "default-shell") and len(rest) > 1:
        option_command(run, rest[1], rest[0].text)
    elif verb in ("setenv", "set-environment") and turns(rest[0].text):
        run.effect(TampersWithGuard, rest[0].text, "client-settings", value=rest[0], certain=False, detail="for all that this terminal starts")
    elif verb in ("source", "source-file"):
        run.path(Reads, rest[0])
    elif verb in _STARTS:
        return run.code(_joined(rest)) if len(rest) == 1 or verb in ("if", "if-shell", "run", "run-shell") else run.command(rest)
    return UNREAD


def _operands(words: list[Value], switches: str) -> list[Value]:
    """Drop the options before a tmux command's own words; ``-d`` takes no value where it detaches."""
    plain = {"-d", "-h", "-b", "-l", "-f", "-N", "-R"} if switches in _STARTS or switches.startswith("send") else set()
    at = 0
    while at < len(words) and words[at].text[:1] == "-" and len(words[at].text) > 1:
        at += 2 if words[at].text in _TMUX_VALUED and words[at].text not in plain else 1
    return words[at:]


def _joined(words: list[Value]) -> Value:
    why = next((word.why for word in words if word.hollow), "")
    return Value(" ".join([word.text for word in words]), words[0].start, words[-1].end, why)


def _screen(run: Run) -> Flow:
    """``screen -dmS NAME CMD`` starts it; ``-X stuff TEXT`` types it, ``-X exec`` runs it."""
    words = run.operands
    for value in run.parsed.values("-Logfile"):
        run.path(Writes, value, "append")
    if run.has("-X") and words:
        if words[0].text in ("quit", "kill"):
            run.effect(KillsProcess, "screen", "by-name", value=words[0])
        if words[0].text == "stuff" and len(words) > 1:
            return run.code(_at(words[1], words[1].text.replace("^M", "\n").replace("\\n", "\n").replace("\\015", "\n")))
        return run.command(words[1:]) if words[0].text in ("exec", "screen") and len(words) > 1 else UNREAD
    return run.command(words) if words else UNREAD


def _detached(run: Run) -> Flow:
    """dtach, abduco: a socket, then a command."""
    return run.command(run.operands[1:]) if len(run.operands) > 1 else UNREAD


def _terminal(run: Run) -> Flow:
    """Xterm and kin: ``-e COMMAND..``, the rest of the line; ``kitty @ send-text`` and its like type into another window."""
    for index, value in enumerate(run.arguments):
        typed = [word for word in run.arguments[index + 1 :] if word.text[:1] != "-"]
        if value.text in ("send-text", "write-chars") and typed:
            return run.code(_joined(typed))
        if value.text == "launch" and typed:
            return run.command(run.arguments[run.arguments.index(typed[0]) :])
        if value.text in ("-e", "-x", "--", "--command") and index + 1 < len(run.arguments):
            rest = run.arguments[index + 1 :]
            return run.code(rest[0]) if len(rest) == 1 else run.command(rest)
    return UNREAD


# -- debuggers -----------------------------------------------------------------------------------------------------------


def _gdb(run: Run) -> Flow:
    """Gdb and lldb: ``-ex CMD`` may be ``shell ..``, ``python ..`` or a call of ``system``; ``-p`` attaches."""
    for value in run.parsed.values("-ex", "-iex", "-eval-command", "--eval-command", "--ex", "-o", "-O", "--one-line"):
        _debugger_command(run, value)
    for value in run.parsed.values("-x", "-ix", "-command", "--command", "-s", "--source"):
        run.path(Reads, value)
        run.effect(Executes, value.text, "script", "gdb", *from_temp(run, value), value=value, certain=False)
        for line in (text_of(run, value.text) or "").split("\n")[:MAX_LINES]:
            _debugger_command(run, _at(value, line))
    attaches(run, run.parsed.values("-p", "-pid", "--pid", "--attach-pid"))
    for index, value in enumerate(run.arguments):
        if value.text in ("-args", "--args", "--") and index + 1 < len(run.arguments):
            return run.command(run.arguments[index + 1 :])
    return UNREAD


def _debugger_command(run: Run, value: Value) -> None:
    text = value.text.strip()
    word, _, rest = text.partition(" ")
    if text.startswith("!"):
        option_command(run, _at(value, text[1:]), "gdb")
    elif word in ("shell", "make") or text.startswith("platform shell "):
        option_command(run, _at(value, rest.removeprefix("shell ")), "gdb")
    elif word in ("python", "py", "pi", "script"):
        run.code(_at(value, rest), "python")
    elif "system(" in text.replace(" ", "") or "exec" in word:
        _quoted_commands(run, value)
    elif word == "attach":
        run.effect(EscalatesPrivilege, run.name, "attaches", value=value)


_VIM = Row(
    options="-c:data --cmd:data -S:data -u:data -i:data -w:writes -W:writes -T:data -t:data --servername:data "
    "--server:data --remote-send:data --remote-expr:data -U:data",
    read=_vim,
)
_EMACS = Row(
    options="--eval:data -eval:data --execute:data -execute:data -e:data -l:data --load:data -load:data --script:data -script:data -x:data -f:data "
        "--funcall:data -u:data -d:data",
    clustered=False, read=_emacs,
)  # fmt: skip
_GDB = Row(
    options="-ex:data -iex:data -eval-command:data --eval-command:data --ex:data -o:data -O:data --one-line:data -x:data -ix:data -command:data "
        "--command:data -s:data --source:data "
    "-p:data -pid:data --pid:data --attach-pid:data -c:reads -core:reads -d:data -cd:data -tty:data -f:data",
    clustered=False, read=_gdb,
)  # fmt: skip
_NANO = Row(options="-s:data --speller:data -C:data -T:data -r:data -f:reads", read=_editor)
_TERMINAL = Row(operands="command", options="-T:data -title:data -geometry:data", read=_terminal)

ROWS: dict[str, Row] = {
    **dict.fromkeys("vi vim nvim view gvim vimdiff rvim rview gview lvim vim.tiny vim.basic evim".split(), _VIM),
    **dict.fromkeys("emacs emacsclient xemacs zile mg".split(), _EMACS),
    **dict.fromkeys("nano pico micro helix hx joe jed kak ne vis mcedit".split(), _NANO),
    "man": Row(options="-P:data --pager:data --html:data --browser:data -C:reads -M:data -L:data -S:data -s:data -m:data -e:data -r:data -T:data "
    "-E:data", read=_man), "apropos": Row(), "whatis": Row(), "info": Row(), "tldr": Row(),
    "less": Row(options="-p:data -o:data -O:data -k:reads -P:data -T:data -t:data", read=_less),
    "most": Row(operands="reads*"), "zless": Row(operands="reads*"), "zmore": Row(operands="reads*"),
    "tmux": Row(operands="command", read=_tmux), "byobu": Row(operands="command", read=_tmux), "psmux": Row(operands="command", read=_tmux),
    "screen": Row(operands="command", options="-c:reads", read=_screen),
    "dtach": Row(operands="data command", read=_detached), "abduco": Row(operands="data command", read=_detached),
    "zellij": Row(operands="command", read=_terminal),
    **dict.fromkeys("xterm gnome-terminal konsole xfce4-terminal alacritty kitty urxvt st terminator tilix wezterm foot x-terminal-emulator "
        "lxterminal".split(), _TERMINAL),
    "gdb": _GDB, "lldb": _GDB, "rust-gdb": _GDB, "rust-lldb": _GDB, "cgdb": _GDB, "gdbserver": Row(operands="data command"),
    "dlv": Row(operands="subcommand"),
}  # fmt: skip
