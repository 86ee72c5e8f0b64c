"""tmux: sessions and windows start commands, ``send-keys`` types them, and files of its commands
hold more (tmux(1)).
"""

from __future__ import annotations

from interlock.effects.programs import table as programs
from interlock.effects.programs.makefiles import MAX_LINES
from interlock.effects.programs.netshell import option_command
from interlock.effects.programs.owning import makes, owns
from interlock.effects.run import Run
from interlock.effects.touched_files import run_unseen
from interlock.effects.variables import turns
from interlock.effects.verbs import parse_order
from interlock.model.effect import ChangesInfrastructure, KillsProcess, Reads, TampersWithGuard
from interlock.shell.value import UNREAD, Flow, Value

_STARTS = frozenset(
    "new new-session neww new-window splitw split-window respawnp respawn-pane respawnw respawn-window run run-shell popup display-popup pipep "
    "pipe-pane if if-shell".split()
)
_KEYS = frozenset(
    "Enter C-m C-c C-d C-l C-z Escape Space Tab Up Down Left Right BSpace Home End q KPEnter".split()
)
_TMUX_VALUED = frozenset("-t -s -n -c -x -y -F -e -l -p -b -d -w -h -S -T -N -f -L -R".split())


def at(value: Value, text: str) -> Value:
    """Return another text that stands where a word stands."""
    return Value(text, value.start, value.end, value.why)


def _tmux(run: Run) -> Flow:
    """tmux: sessions and windows start commands; ``send-keys`` types them."""
    first = run.operands[0].start if run.operands else run.execution.end
    for file in run.parsed.values("-f"):
        if file.start < first:
            _tmux_file(run, file)
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
    named = [words[at + 1] for at, option in enumerate(words[:-1]) if option.text in ("-s", "-t")][
        :1
    ]
    if verb in ("new", "new-session") and named:
        makes(run, "session", named[0])
    if verb in ("kill-server", "kill-session"):
        own = (
            verb == "kill-session"
            and "-a" not in [value.text for value in words]
            and owns(run, "session", named)
        )
        run.effect(KillsProcess, "tmux", "own" if own else "by-name", value=words[0])
        return UNREAD
    rest = _operands(words[1:], switches=verb)
    if not rest:
        return UNREAD
    if verb in (
        "send-keys",
        "send",
        "set-buffer",
        "setb",
    ):  # what is put into a buffer is there to be pasted
        keys = [value for value in rest if value.text not in _KEYS]
        return read_keys(run, join_words(keys)) if keys else UNREAD
    if (
        verb in ("set", "set-option", "setw")
        and rest[0].text in ("default-command", "default-shell")
        and len(rest) > 1
    ):
        option_command(run, rest[1], rest[0].text)
    elif verb in ("setenv", "set-environment") and turns(rest[0].text):
        run.effect(
            TampersWithGuard,
            rest[0].text,
            "client-settings",
            value=rest[0],
            certain=False,
            detail="for all that this terminal starts",
        )
    elif verb in ("source", "source-file"):
        _tmux_file(run, rest[0])
    elif verb in ("loadb", "load-buffer"):
        text = run.text_of(rest[0]) if rest[0].text != "-" else _stdin_text(run)
        return run.code(at(rest[0], text)) if text is not None else UNREAD
    elif verb in ("set-hook", "bind", "bind-key"):
        return _tmux_text(run, rest[1:])
    elif verb in ("if", "if-shell"):
        run.code(rest[0])
        for value in rest[1:3]:
            _tmux_text(run, [value])
    elif verb in _STARTS:
        return (
            run.code(join_words(rest))
            if len(rest) == 1 or verb in ("if", "if-shell", "run", "run-shell")
            else run.command(rest)
        )
    return UNREAD


def _stdin_text(run: Run) -> str | None:
    return run.reader.find_text(run.stdin) if run.stdin is not None else None


def _tmux_file(run: Run, file: Value) -> None:
    """Read a file of tmux's commands; one that nobody has seen may hold any."""
    run.path(Reads, file)
    run_unseen(run, file, file)
    _tmux_lines(run, run.text_of(file) or "")


def _tmux_lines(run: Run, text: str) -> None:
    """Read a file of tmux's commands, one a line."""
    lines = [line.strip() for line in text.replace("\\\n", "").split("\n")]
    told = [line for line in lines if line and line[0] != "#"]
    for line in told[:MAX_LINES]:
        _tmux_text(run, [Value(line)])
    if len(told) > MAX_LINES:
        run.context.opaque("more lines than can be read", run.span(), "too-much")


def _tmux_text(run: Run, words: list[Value]) -> Flow:
    """Read tmux's commands: words of their own, or one text with quotes."""
    if len(words) == 1:
        first = words[0]
        parts = first.text.replace(";", " ; ").split(" ")
        words = [at(first, word) for word in _join_quoted(parts)]
    for command in _split(words):
        _tmux_command(run, command)
    return UNREAD


def _join_quoted(parts: list[str]) -> list[str]:
    """Return words, those between quotes put together."""
    found: list[str] = []
    closing = ""
    for part in parts:
        if closing:
            found[-1] += f" {part}"
        elif part:
            found.append(part)
            closing = part[0] if part[0] in "'\"" else ""
        if closing and part[-1:] == closing and (len(found[-1]) > 1):
            found[-1] = found[-1][1:-1]
            closing = ""
    return found


def _operands(words: list[Value], switches: str) -> list[Value]:
    """Drop the options before a tmux command's own words; ``-d`` has no value where it detaches."""
    plain = (
        {"-d", "-h", "-b", "-l", "-f", "-N", "-R"}
        if switches in _STARTS or switches.startswith("send")
        else set()
    )
    at = 0
    while at < len(words) and words[at].text[:1] == "-" and len(words[at].text) > 1:
        at += 2 if words[at].text in _TMUX_VALUED and words[at].text not in plain else 1
    return words[at:]


def read_keys(run: Run, text: Value) -> Flow:
    """Read what is typed into a terminal: a command of its shell, or an order to the server that
    runs there (``stop``).
    """
    first = text.text.split()[:1]
    found = parse_order(run.name, text.text) if first and programs.find(first[0]) is None else None
    if found is not None:
        run.effect(
            ChangesInfrastructure, text.text.strip()[:60], found.action, "ladder", value=text,
            detail=f"{found.verb}, typed to whatever runs there", certain=False,
        )  # fmt: skip
    return run.code(text)


def join_words(words: list[Value]) -> Value:
    """Return words as one text."""
    why = next((word.why for word in words if word.hollow), "")
    return Value(" ".join([word.text for word in words]), words[0].start, words[-1].end, why)
