"""Programs that run another command: as somebody else, later, elsewhere, many times."""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.model.effect import ControlsSystem, EscalatesPrivilege, Reads
from interlock.shell.value import HOLE, NOTHING, OUTPUT, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.effects.run import Run

MAX_ITEMS = 64


def _sudo(run: Run) -> Flow:
    """Run the rest as another user; the inner effects count as well."""
    run.effect(EscalatesPrivilege, run.name)
    operands = list(run.operands)
    while operands and "=" in operands[0].text and operands[0].text.partition("=")[0].isidentifier():
        operands.pop(0)
    if run.has("-e", "--edit"):
        from interlock.model.effect import Writes

        for value in operands:
            run.path(Writes, value)
        return NOTHING
    if not operands:
        return run.input_as_code() if run.has("-s", "-i", "--shell", "--login") and run.stdin is not None else UNREAD
    return run.command(operands)


def _su(run: Run) -> Flow:
    """``su [-] [USER] [-c COMMAND]``."""
    run.effect(EscalatesPrivilege, run.name)
    words = [value.text for value in run.operands]
    code = run.parsed.value("-c", "--command", "--session-command")
    if code is None and "-c" in words[:-1]:
        code = run.operands[words.index("-c") + 1]
    if code is not None:
        return run.code(code)
    return run.input_as_code() if run.stdin is not None else UNREAD


def _runuser(run: Run) -> Flow:
    """``runuser -u USER COMMAND``, or ``runuser [-l] USER -c TEXT`` as ``su``."""
    return _su(run) if run.has("-c", "--command", "--session-command") or "-c" in [value.text for value in run.operands] else _sudo(run)


def _env(run: Run) -> Flow:
    """``env [-i] [-u NAME] [-S STRING] [NAME=VALUE..] COMMAND``: assignments are judged as before a command."""
    from interlock.effects.environment import judge_prefix

    words = list(run.operands)
    split = run.parsed.value("-S", "--split-string")
    prefix = []
    while words and "=" in words[0].text and words[0].text.partition("=")[0].isidentifier():
        value = words.pop(0)
        name, _, text = value.text.partition("=")
        prefix.append((name, Value(text, value.start, value.end, value.why)))
    if split is not None:
        return run.code(Value(" ".join([split.text, *[value.text for value in words]]), split.start, split.end, split.why))
    if not words:
        return Flow(None, frozenset({"environment"}))
    inner = run.execution.inner(words)
    inner.external = True
    folder = run.parsed.value("-C", "--chdir")
    inner.cwd = run.context.normal(folder.text, run.cwd) if folder is not None else run.cwd
    inner.prefix = prefix
    if prefix:
        judge_prefix(run.reader, inner, run.walker)
    return run.walker.run(inner)


def _after(count: int) -> Callable[[Run], Flow]:
    """Return a reader that skips ``count`` operands (a time, a lock file, a root) and runs the rest."""

    def read(run: Run) -> Flow:
        return run.command(run.operands[count:]) if len(run.operands) > count else UNREAD

    return read


def _command(run: Run) -> Flow:
    """``command -v x`` only asks."""
    if run.has("-v", "-V"):
        return Flow("".join([f"/usr/bin/{value.text}\n" for value in run.operands])) if all(value.known for value in run.operands) else UNREAD
    return run.command(run.operands, own=True)


def _exec(run: Run) -> Flow:
    """``exec COMMAND`` runs it in place; ``exec > file`` only redirects."""
    return run.command(run.operands) if run.operands else NOTHING


def _xargs(run: Run) -> Flow:
    """Run a command with words from standard input: known words are put in, unknown ones are holes."""
    words = list(run.operands) or [Value("echo")]
    marks = run.parsed.value("-I", "-i", "--replace", "-J")
    mark = marks.text if marks is not None else ("{}" if run.has("-i", "--replace") else "")
    listed = run.parsed.value("-a", "--arg-file")
    if listed is not None:
        run.path(Reads, listed)
    flow = run.contents(listed) if listed is not None else run.stdin
    null = run.has("-0", "--null", "-d", "--delimiter")
    items = _items(flow, null=null, lines=bool(mark))
    if mark:
        result = UNREAD
        for item in items:
            result = run.command([_filled(word, mark, item) for word in words], NOTHING)
        return result
    return run.command([*words, *items], NOTHING)


def _filled(word: Value, mark: str, item: Value) -> Value:
    """Return a word with the item in place of the mark."""
    if mark not in word.text:
        return word
    return Value(word.text.replace(mark, item.text), word.start, word.end, item.why or word.why, word.pattern or item.pattern)


def _items(flow: Flow | None, *, null: bool, lines: bool = False) -> list[Value]:
    """Return the words on standard input (its ``lines`` for ``-I``), or one hole that says where it comes from."""
    if flow is not None and flow.listing:
        return flow.listing
    if flow is None or flow.text is None or HOLE in flow.text:
        why = flow.why if flow is not None else OUTPUT
        return [Value(HOLE, why=why)]
    if null:
        texts = flow.text.split("\0") if "\0" in flow.text else flow.text.split("\n")
    elif lines:
        texts = [line.strip() for line in flow.text.split("\n")]
    else:
        texts = quoted_words(flow.text)
    if len(texts) > MAX_ITEMS:
        return [Value(HOLE, why=OUTPUT)]
    return [Value(text) for text in texts if text]


def quoted_words(text: str) -> list[str]:
    """Return the words of a text as ``xargs`` takes them: quotes and backslashes hold blanks together (POSIX xargs)."""
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


def _parallel(run: Run) -> Flow:
    """``parallel CMD {} ::: a b`` (GNU)."""
    words = run.operands
    cut = next((index for index, value in enumerate(words) if value.text.startswith(":::")), len(words))
    items = words[cut + 1 :] or _items(run.stdin, null=False)
    command = words[:cut]
    if not command:
        for item in items:
            run.code(item)
        return UNREAD
    template = " ".join([value.text for value in command])
    for item in items[:MAX_ITEMS]:
        text = template.replace("{}", item.text) if "{" in template else f"{template} {item.text}"
        run.code(Value(text, command[0].start, command[-1].end, item.why))
    return UNREAD


def _watch(run: Run) -> Flow:
    """``watch COMMAND WORDS`` hands one text to ``sh -c``."""
    words = run.operands
    if not words:
        return UNREAD
    if run.has("-x", "--exec"):
        return run.command(words)
    return run.code(Value(" ".join([value.text for value in words]), words[0].start, words[-1].end, words[0].why))


def _script(run: Run) -> Flow:
    """``script [-c COMMAND] [FILE]``."""
    from interlock.model.effect import Writes

    code = run.parsed.value("-c", "--command")
    for value in run.operands[:1]:
        run.path(Writes, value)
    return run.code(code) if code is not None else UNREAD


def _flock(run: Run) -> Flow:
    """``flock FILE COMMAND`` or ``flock FILE -c TEXT``."""
    code = run.parsed.value("-c", "--command")
    if code is not None:
        return run.code(code)
    return run.command(run.operands[1:]) if len(run.operands) > 1 else UNREAD


def _chroot(run: Run) -> Flow:
    run.effect(EscalatesPrivilege, run.name)
    return run.command(run.operands[1:]) if len(run.operands) > 1 else UNREAD


def _unshare(run: Run) -> Flow:
    run.effect(EscalatesPrivilege, run.name)
    return run.command(run.operands) if run.operands else UNREAD


def _busybox(run: Run) -> Flow:
    """``busybox APPLET ..`` is the applet."""
    return run.command(run.operands) if run.operands else UNREAD


def _trace(run: Run) -> Flow:
    from interlock.model.effect import Writes

    output = run.parsed.value("-o")
    if output is not None:
        run.path(Writes, output)
    if run.has("-p"):
        run.effect(EscalatesPrivilege, run.name, "attaches", detail="attaches to a running process")
    return run.command(run.operands) if run.operands else UNREAD


def _entr(run: Run) -> Flow:
    return run.command(run.operands) if run.operands else UNREAD


def _each_a_text(run: Run) -> Flow:
    """``concurrently TEXT TEXT..``: each operand is a command line."""
    for value in run.operands:
        run.code(value)
    return UNREAD


def _systemd_run(run: Run) -> Flow:
    run.effect(ControlsSystem, "systemd-run")
    return run.command(run.operands) if run.operands else UNREAD


_REST = Row(operands="command", read=_after(0))
_SU = Row(options="-c:data -s:data -g:data -G:data --command:data --session-command:data --shell:data", read=_su)

ROWS: dict[str, Row] = {
    "sudo": Row(operands="command", options="-u:data -g:data -h:data -p:data -C:data -r:data -t:data -U:data "
        "-D:data -R:data -T:data --user:data --group:data --host:data --prompt:data --chdir:data", read=_sudo),
    "doas": Row(operands="command", options="-u:data -C:data", read=_sudo),
    "pkexec": Row(operands="command", options="--user:data", read=_sudo),
    "su": _SU,
    "runuser": Row(operands="command", options="-u:data -g:data -c:data --user:data --command:data --session-command:data -s:data", read=_runuser),
    "gosu": Row(operands="data command", read=_after(1)),
    "su-exec": Row(operands="data command", read=_after(1)),
    "env": Row(operands="command", options="-u:data -S:data -C:data --unset:data --split-string:data --chdir:data", read=_env),
    "timeout": Row(operands="data command", options="-s:data -k:data --signal:data --kill-after:data", read=_after(1)),
    "nice": Row(operands="command", options="-n:data --adjustment:data", read=_after(0)),
    "ionice": Row(operands="command", options="-c:data -n:data --class:data --classdata:data", read=_after(0)),
    "nohup": _REST, "setsid": _REST, "builtin": Row(operands="command", read=_command), "rlwrap": _REST, "unbuffer": _REST, "fakeroot": _REST, "catchsegv": _REST,
    "dbus-run-session": _REST,
    "setarch": Row(operands="data command", read=_after(1)), "linux64": _REST,
    "caffeinate": Row(operands="command", options="-t:data -w:data", read=_after(0)),
    "time": Row(operands="command", options="-o:writes -f:data --output:writes --format:data", read=_after(0)),
    "stdbuf": Row(operands="command", options="-i:data -o:data -e:data", read=_after(0)),
    "taskset": Row(operands="data command", read=_after(1)),
    "chrt": Row(operands="data command", read=_after(1)),
    "xvfb-run": Row(operands="command", options="-s:data -n:data -e:data", read=_after(0)),
    "nodemon": Row(operands="script:javascript", options="-x:code --exec:code -e:data -w:data --watch:data --ext:data"),
    "tsx-watch": Row(operands="data*"),
    "proot": Row(operands="command", options="-r:data -b:data -w:data", read=_after(0)),
    "command": Row(operands="command", read=_command),
    "exec": Row(operands="command", options="-a:data", read=_exec),
    "xargs": Row(
        operands="command",
        options="-I:data -J:data -n:data -P:data -L:data -l:?data -s:data -d:data "
        "-E:data -a:data --max-args:data --max-procs:data --delimiter:data --arg-file:data --max-lines:data --max-chars:data",
        read=_xargs,
    ),
    "parallel": Row(operands="command", options="-j:data -n:data -I:data --jobs:data -N:data "
        "--colsep:data --delay:data --retries:data --joblog:writes --timeout:data -S:data", read=_parallel),
    "watch": Row(operands="command", options="-n:data --interval:data -d:?data --differences:?data", read=_watch),
    "chroot": Row(operands="data command", options="--userspec:data --groups:data", read=_chroot),
    "unshare": Row(operands="command", read=_unshare),
    "nsenter": Row(operands="command", options="-t:data -r:data -w:data --target:data", read=_unshare),
    "strace": Row(operands="command", options="-o:data -e:data -p:data -s:data -u:data -E:data -P:data", read=_trace),
    "ltrace": Row(operands="command", options="-o:data -e:data -p:data -s:data", read=_trace),
    "script": Row(options="-c:data --command:data -t:data -T:data", read=_script),
    "flock": Row(operands="data command", options="-w:data -E:data -c:data --timeout:data --command:data", read=_flock),
    "busybox": Row(operands="command", read=_busybox), "toybox": Row(operands="command", read=_busybox),
    "firejail": _REST,
    "bwrap": Row(operands="command", options="--bind:data --ro-bind:data --dev:data "
        "--proc:data --chdir:data --setenv:data --tmpfs:data", read=_after(0)),
    "setpriv": _REST,
    "systemd-run": Row(operands="command", options="-u:data -p:data --unit:data --property:data -t:data", read=_systemd_run),
    "concurrently": Row(options="-n:data --names:data -c:data --prefix-colors:data -p:data --prefix:data -m:data", read=_each_a_text),
    "entr": Row(operands="command", read=_entr),
}  # fmt: skip
