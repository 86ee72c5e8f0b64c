"""Programs that run another command: later, elsewhere, many times, with other settings."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.programs.printing import shows_variables, unescape
from interlock.effects.programs.processes import attaches
from interlock.effects.rows import table
from interlock.effects.run import Run
from interlock.effects.unending import EVERY_VARIABLE
from interlock.model.effect import ControlsSystem, KillsProcess, Persists, Reads, Writes
from interlock.shell.value import ENVIRONMENT, FILE, HOLE, NOTHING, OUTPUT, UNREAD, Flow, Value

MAX_ITEMS = 64


def _env(run: Run) -> Flow:
    """``env [-i] [-u NAME] [-S STRING] [NAME=VALUE..] COMMAND``: assignments are judged as before a
    command.
    """
    from interlock.effects.environment import judge_prefix

    words = list(run.operands)
    split = run.parsed.value("-S", "--split-string")
    prefix = []
    while words and (_assigns(words[0]) or (len(words) > 1 and _settings(run, words[0]))):
        value = words.pop(0)
        if value.text == HOLE:
            continue  # `env $(cat .env) npm start`: what a file holds are assignments
        name, _, text = value.text.partition("=")
        prefix.append((name, Value(text, value.start, value.end, value.why)))
    if split is not None:
        behind = [at for at, value in enumerate(run.arguments) if value.start == split.start]
        rest = (
            [
                "'" + value.text.replace("'", "'\\''") + "'"
                for value in run.arguments[behind[-1] + 1 :]
            ]
            if behind
            else []
        )
        return run.code(Value(" ".join([split.text, *rest]), split.start, split.end, split.why))
    if not words:
        shows_variables(run)
        return Flow(None, frozenset({ENVIRONMENT, EVERY_VARIABLE}))
    inner = run.execution.inner(words)
    inner.external = True
    folder = run.parsed.value("-C", "--chdir")
    inner.cwd = run.context.normal(folder.text, run.cwd) if folder is not None else run.cwd
    inner.prefix = prefix
    if prefix:
        judge_prefix(run.reader, inner, run.walker)
    unset = [value.text for value in run.parsed.values("-u", "--unset")] + (
        ["HOME"] if run.has("-i", "-", "--ignore-environment") else []
    )
    inner.prefix = prefix + [(name, Value("")) for name in unset]
    return run.walker.run(inner)


def _finder(run: Run) -> Flow:
    """``fzf --preview COMMAND``; in ``--bind KEY:execute(COMMAND)`` and its kin commands stand in
    brackets (fzf(1)).
    """
    for value in run.parsed.values("--preview"):
        run.code(value)
    for value in run.parsed.values("--bind"):
        for action in _RUN_BY_KEY:
            command = (
                value.text.partition(f"{action}(")[2].rpartition(")")[0]
                or value.text.partition(f"{action}:")[2]
            )
            if command:
                run.code(Value(command, value.start, value.end, value.why))
    return Flow(None, run.input_labels())


_RUN_BY_KEY = ("execute", "execute-silent", "become", "reload", "transform")


def _settings(run: Run, value: Value) -> bool:
    """Whether a word is what a file of settings holds: ``env $(grep -v '^#' .env | xargs) npm
    start``.
    """
    if value.text != HOLE or value.why not in (FILE, OUTPUT):
        return False
    return run.context.past.settings


def _assigns(value: Value) -> bool:
    name, equals, _ = value.text.partition("=")
    return bool(equals) and name.removesuffix("%%").isidentifier()


def _after(count: str) -> Callable[[Run], Flow]:
    """Return a reader that skips ``count`` operands (a time, a lock, a root) and runs the rest."""
    skipped = int(count)

    def read(run: Run) -> Flow:
        options = table(run.row.options)
        for name, value in run.parsed.options:
            run.role(options.get(name, ""), value)
        return run.command(run.operands[skipped:]) if len(run.operands) > skipped else UNREAD

    return read


def _command(run: Run) -> Flow:
    """``command -v x`` only asks."""
    if run.has("-v", "-V"):
        return (
            Flow(
                "".join([f"/usr/bin/{value.text}\n" for value in run.operands]),
                frozenset({"lookup"}),
            )
            if all(value.known for value in run.operands)
            else UNREAD
        )
    return run.command(run.operands, own=True)


def _exec(run: Run) -> Flow:
    """``exec COMMAND`` runs it in place; ``exec > file`` only redirects."""
    return run.command(run.operands) if run.operands else NOTHING


def _xargs(run: Run) -> Flow:
    """Run a command with words from standard input: known ones are put in, unknown are holes."""
    words = list(run.operands) or [Value("echo")]
    marks = run.parsed.value("-I", "-i", "--replace", "-J")
    mark = marks.text if marks is not None else ("{}" if run.has("-i", "--replace") else "")
    listed = run.parsed.value("-a", "--arg-file")
    if listed is not None:
        run.path(Reads, listed)
    flow = run.contents(listed) if listed is not None else run.stdin
    ends = run.parsed.value("-d", "--delimiter")
    end = "\0" if run.has("-0", "--null") else unescape(ends.text)[:1] if ends is not None else ""
    items = _items(flow, end=end, lines=bool(mark))
    if mark:
        result = UNREAD
        for item in items:
            result = run.command([_fill_mark(word, mark, item) for word in words], NOTHING)
        return result
    return run.command([*words, *items], NOTHING)


def _fill_mark(word: Value, mark: str, item: Value) -> Value:
    """Return a word with the item in place of the mark."""
    if mark not in word.text:
        return word
    return Value(
        word.text.replace(mark, item.text),
        word.start,
        word.end,
        item.why or word.why,
        word.pattern or item.pattern,
    )


def _items(flow: Flow | None, *, end: str = "", lines: bool = False) -> list[Value]:
    """Return the words on standard input (its ``lines`` for ``-I``, what ends with ``end``), or one
    hole that says where it comes from.
    """
    if flow is not None and flow.listing:
        return flow.listing
    if flow is None or flow.text is None or HOLE in flow.text:
        why = flow.why if flow is not None else OUTPUT
        return [Value(HOLE, why=why)]
    if end:
        texts = flow.text.split(end if end in flow.text else "\n")
    elif lines:
        texts = [" ".join(split_words(line)) for line in flow.text.split("\n")]
    else:
        texts = split_words(flow.text)
    if len(texts) > MAX_ITEMS:
        return [Value(HOLE, why=OUTPUT)]
    return [Value(text) for text in texts if text]


def split_words(text: str) -> list[str]:
    """Return the words of a text as ``xargs`` takes them: quotes and backslashes hold blanks
    together (POSIX xargs).
    """
    words: list[str] = []
    word: list[str] = []
    quote, at, started = "", 0, False
    while at < len(text):
        char = text[at]
        at += 1
        if char == quote:
            quote = ""
        elif quote:
            word.append(char)
        elif char in "\"'":
            quote, started = char, True
        elif char.isspace():
            if word or started:
                words.append("".join(word))
            word, started = [], False
        else:
            if char == "\\" and at < len(text):
                char, at = text[at], at + 1
            word.append(char)
    return [*words, "".join(word)] if word or started else words


def _watch(run: Run) -> Flow:
    """``watch COMMAND WORDS`` hands one text to ``sh -c``."""
    words = run.operands
    if not words:
        return UNREAD
    if run.has("-x", "--exec"):
        return run.command(words)
    return run.code(
        Value(
            " ".join([value.text for value in words]), words[0].start, words[-1].end, words[0].why
        )
    )


def _script(run: Run) -> Flow:
    """``script [-c COMMAND] [FILE]``; where it comes from BSD, ``script FILE COMMAND..``."""
    code = run.parsed.value("-c", "--command")
    options = table(run.row.options)
    for name, value in run.parsed.options:
        run.role(options.get(name, "").removeprefix("?"), value)
    for value in run.operands[:1]:
        run.path(Writes, value)
    rest = [value for value in run.arguments if run.operands and value.start > run.operands[0].end]
    if rest and rest[0].text[:1] != "-":
        return run.command(rest)
    return run.code(code) if code is not None else UNREAD


def _flock(run: Run) -> Flow:
    """``flock FILE COMMAND`` or ``flock FILE -c TEXT``."""
    code = run.parsed.value("-c", "--command")
    if code is not None:
        return run.code(code)
    return run.command(run.operands[1:]) if len(run.operands) > 1 else UNREAD


def _run_parts(run: Run) -> Flow:
    """``run-parts FOLDER``: every program in it, with the words of ``-a`` (run-parts(8))."""
    if run.has("--test", "--list"):
        return UNREAD
    for folder in run.operands[:1]:
        each = Value(f"{folder.text}/*", folder.start, folder.end, folder.why, pattern=True)
        run.command([each, *run.parsed.values("-a", "--arg")])
    return UNREAD


def _busybox(run: Run) -> Flow:
    """``busybox APPLET ..`` is the applet."""
    return run.command(run.operands) if run.operands else UNREAD


def _trace(run: Run) -> Flow:
    output = run.parsed.value("-o", "--output")
    if output is not None and output.text[:1] in "|!":
        run.code(Value(output.text[1:], output.start, output.end, output.why))
    elif output is not None:
        run.path(Writes, output)
    attaches(run, run.parsed.values("-p", "--attach"))
    return run.command(run.operands) if run.operands else UNREAD


def _faketime(run: Run) -> Flow:
    """``faketime TIMESTAMP COMMAND``; advanced ones are behind ``-f`` (faketime(1))."""
    words = run.operands if run.has("-f") else run.operands[1:]
    return run.command(words) if words else UNREAD


def _entr(run: Run) -> Flow:
    """``entr COMMAND``, ``entr -s TEXT``: run whenever a listed file changes."""
    if run.has("-s"):
        return run.code(run.operands[0]) if run.operands else UNREAD
    return run.command(run.operands) if run.operands else UNREAD


def _each_a_text(run: Run) -> Flow:
    """``concurrently TEXT TEXT..``: each operand is a command line."""
    for value in run.operands:
        runner, colon, script = value.text.partition(":")
        if colon and runner in _RUNNERS and script.replace("-", "").replace(":", "").isalnum():
            words = (runner, "run", script)
            run.command([Value(word, value.start, value.end) for word in words])
        else:
            run.code(value)
    return UNREAD


_RUNNERS = frozenset({"npm", "pnpm", "yarn", "bun"})
"""What stands before the name of a script of the project: ``npm:lint`` is ``npm run lint``."""


def _systemd_run(run: Run) -> Flow:
    run.effect(ControlsSystem, "systemd-run")
    return run.command(run.operands) if run.operands else UNREAD


def _bwrap(run: Run) -> Flow:
    """``bwrap OPTIONS.. COMMAND``: some options take two words, most one (bwrap(1))."""
    words = list(run.arguments)
    while words and words[0].text[:2] == "--":
        name = words[0].text
        if name == "--":
            words = words[1:]
            break
        words = words[1 + (2 if name in _BWRAP_TWO else 0 if name.startswith(_BWRAP_NONE) else 1) :]
    return run.command(words) if words else UNREAD


def _setarch(run: Run) -> Flow:
    """``setarch [ARCHITECTURE] [OPTIONS] [COMMAND]``: the first may be left out (setarch(8))."""
    words = run.operands
    if words and words[0].text.startswith(_ARCHITECTURES):
        words = words[1:]
        while words and words[0].text[:1] == "-":
            words = words[1:]
    return run.command(words) if words else UNREAD


def _loader(run: Run) -> Flow:
    """``ld-linux.so.2 [OPTIONS] PROGRAM ARGUMENTS``: the loader runs what it gets (ld.so(8))."""
    if run.has(
        "--list", "--verify", "--help", "--version", "--list-tunables", "--list-diagnostics"
    ):
        return UNREAD
    return run.command(run.operands) if run.operands else UNREAD


def _daemon(run: Run) -> Flow:
    """``start-stop-daemon --start --exec PROGRAM [-- ARGUMENTS]``, ``--stop`` with a name or a file
    of a process number.
    """
    if run.has("-K", "--stop"):
        run.effect(KillsProcess, run.name, "by-name")
        return NOTHING
    program = run.parsed.value("-x", "--exec", "-a", "--startas")
    return run.command([program, *run.operands]) if program is not None else UNREAD


def _direnv(run: Run) -> Flow:
    """``direnv exec FOLDER COMMAND``; ``direnv allow`` lets the folder's ``.envrc`` run."""
    verb = run.operands[0].text if run.operands else ""
    if verb == "exec":
        return run.command(run.arguments[2:]) if len(run.arguments) > 2 else UNREAD
    if verb in ("allow", "permit", "grant"):
        folder = run.operands[1] if len(run.operands) > 1 else Value(".")
        path = run.context.normal(folder.text, run.cwd)
        settings = Value(f"{folder.text}/.envrc")
        if run.contents(settings).text is not None:
            run.script(settings)
        if path is None or not run.context.workspace(path):
            run.effect(Persists, folder.text, "startup", value=folder)
    return UNREAD


def _dotenv(run: Run) -> Flow:
    """``dotenv [-f FILE] COMMAND``, ``dotenv run COMMAND``, ``dotenv list``, ``dotenv get KEY``
    (python-dotenv, dotenv-cli).
    """
    for name, value in run.parsed.options:
        run.role(table(run.row.options).get(name, ""), value)
    words = run.operands[run.operands[:1] != [] and run.operands[0].text == "run" :]
    words = words[bool(words) and words[0].text == "--" :]
    if words and words[0].text in ("list", "get", "set", "unset") and words is not run.operands[1:]:
        changes = words[0].text in ("set", "unset")
        for file in run.parsed.values("-f") or [Value(".env")]:
            run.path(Writes if changes else Reads, file, *(["in-place"] if changes else []))
        return Flow(None, run.input_labels())
    return run.command(words) if words else UNREAD


def _procfile(run: Run) -> Flow:
    """``foreman run COMMAND``: with what ``.env`` or ``-e FILE`` sets."""
    for value in run.parsed.values("-e", "--env"):
        run.path(Reads, value)
    rest = [value for value in run.operands[1:] if value.text != "--"]
    words = run.arguments
    if not rest or run.operands[0].text != "run":
        return UNREAD
    return run.command(words[[word is rest[0] for word in words].index(True) :])


def _prlimit(run: Run) -> Flow:
    """``prlimit [LIMITS] COMMAND``; with ``--pid`` it sets the limits of a process that runs."""
    if run.has("-p", "--pid") and len(run.arguments) > 2:
        run.effect(ControlsSystem, run.name, value=run.parsed.value("-p", "--pid"))
    return run.command(run.operands) if run.operands else UNREAD


_BWRAP_TWO = frozenset("--bind --bind-try --dev-bind --dev-bind-try --ro-bind --ro-bind-try --symlink --setenv --file --bind-data --ro-bind-data "
    "--chmod "
    "--overlay --add-seccomp-fd --bind-fd --ro-bind-fd".split())  # fmt: skip
_BWRAP_NONE = ("--unshare-", "--share-net", "--die-with-parent", "--new-session", "--clearenv",
    "--as-pid-1", "--help", "--version",
    "--disable-userns",
    "--assert-userns-disabled")  # fmt: skip
_ARCHITECTURES = tuple(
    (
        "x86_64 i386 i486 i586 i686 linux32 linux64 arm aarch64 ppc s390 uname26 riscv mips"
        " sparc ia64"
    ).split()
)
