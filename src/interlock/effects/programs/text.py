"""Programs that read, search, print and transform text, ask the system, and the shell's own quiet builtins."""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.model.effect import Reads, Writes
from interlock.shell.value import ENVIRONMENT, HOLE, NOTHING, OWN_PROCESS, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "e": "\x1b", "E": "\x1b", "'": "'", '"': '"'}


def unescape(text: str) -> str:
    r"""Decode ``\n``, ``\x41``, ``\0101``, ``\u00e9`` as ``echo -e`` and ``printf`` do (bash manual 4.2)."""
    out, at = [], 0
    while at < len(text):
        char = text[at]
        at += 1
        if char != "\\" or at >= len(text):
            out.append(char)
            continue
        mark = text[at]
        at += 1
        if mark in _ESCAPES:
            out.append(_ESCAPES[mark])
        elif mark in "xuU" or mark in "01234567":
            code, at = _code(text, at, mark)
            out.append(code)
        elif mark == "c":
            break
        else:
            out.append("\\" + mark)
    return "".join(out)


def _code(text: str, at: int, mark: str) -> tuple[str, int]:
    base, most, digits = (16, {"x": 2, "u": 4, "U": 8}[mark], "0123456789abcdefABCDEF") if mark in "xuU" else (8, 3, "01234567")
    start = at if mark in "xuU" or mark == "0" else at - 1
    end = start
    while end < len(text) and end - start < most and text[end] in digits:
        end += 1
    number = int(text[start:end], base) if end > start else 0
    return chr(min(number, 0x10FFFF)), max(end, at)


def _echo(run: Run) -> Flow:
    words = run.arguments
    decode = newline = True
    decode = False
    while words and words[0].text[:1] == "-" and words[0].text[1:] and set(words[0].text[1:]) <= set("neE"):
        decode = "e" in words[0].text or (decode and "E" not in words[0].text)
        newline = newline and "n" not in words[0].text
        words = words[1:]
    text = " ".join([value.text for value in words])
    return Flow((unescape(text) if decode else text) + ("\n" if newline else ""), _words_labels(words))


def _words_labels(words: list[Value]) -> frozenset[str]:
    labels = {"script"}
    for value in words:
        if value.why == ENVIRONMENT:
            labels.add(ENVIRONMENT)
        elif value.why == "network":
            labels.add("network")
    if {value.why for value in words if value.hollow} == {OWN_PROCESS}:
        labels.add(OWN_PROCESS)
    return frozenset(labels)


def _printf(run: Run) -> Flow:
    """``printf FORMAT ARG..`` for ``%s %b %d %c %x %%``; anything else is unknown text."""
    words = run.arguments
    if words and words[0].text == "--":
        words = words[1:]
    if not words or words[0].text == "-v":
        return NOTHING
    form, arguments = unescape(words[0].text), [value.text for value in words[1:]]
    out: list[str] = []
    for _ in range(64):
        arguments, used = _format(form, arguments, out)
        if not arguments or not used:
            break
    text = "".join(out)
    return Flow(text, _words_labels(words))


def _format(form: str, arguments: list[str], out: list[str]) -> tuple[list[str], bool]:
    """Put one round of arguments into the format; return what is left, and whether any was used."""
    at, used = 0, False
    while at < len(form):
        char = form[at]
        at += 1
        if char != "%":
            out.append(char)
            continue
        start = at
        while at < len(form) and form[at] in "-+ #0123456789.*":
            at += 1
        mark = form[at : at + 1]
        at += 1
        if mark == "%":
            out.append("%")
            continue
        argument = arguments[0] if arguments else ""
        arguments = arguments[1:]
        used = True
        out.append(_converted(mark, argument, form[start : at - 1]))
    return arguments, used


def _converted(mark: str, argument: str, flags: str) -> str:
    if mark == "s" and not flags:
        return argument
    if mark == "b":
        return unescape(argument)
    if mark == "c":
        return argument[:1]
    if mark in "diuxXo" and argument[:1] in ("'", '"') and len(argument) > 1:
        argument = str(ord(argument[1]))  # POSIX printf: a quote and a character is the character's number
    if mark in "diuxXo" and argument.lstrip("-").isdigit():
        return str(int(argument)) if mark in "diu" else format(int(argument), mark)
    return argument if mark in "sq" else HOLE


def _cat(run: Run) -> Flow:
    """Print files, or standard input, one after another."""
    for value in run.operands:
        if value.text != "-":
            run.path(Reads, value)
    if not run.operands:
        return run.stdin if run.stdin is not None else UNREAD
    values = [value for value in run.operands if value.text != "-"]
    if len(values) < len(run.operands) and run.stdin is not None and not values:
        return run.stdin
    return run.contents(values[0]) if len(values) == len(run.operands) == 1 else run.all_contents(values)


def passes_on(run: Run) -> Flow:
    """Read the operands by role; print something made of them and of standard input."""
    run.roles()
    return Flow(None, run.reader.carried(run))


def _list(run: Run) -> Flow:
    """Print names of files: nothing of what is in them."""
    for value in run.operands:
        run.path(Reads, value, "listed")
    flow = Flow(None, run.reader.carried(run) - {"secret"})
    if not run.operands:
        flow.listing = [Value("*", pattern=True)]
    elif all(value.pattern for value in run.operands):
        flow.listing = list(run.operands)
    return flow


def _yq(run: Run) -> Flow:
    """``yq EXPRESSION FILE..``; with ``-i`` the files are written."""
    if run.has("-i", "--inplace", "--in-place"):
        for value in run.operands[1:]:
            run.path(Writes, value, "in-place")
    return passes_on(run)


def _head(run: Run) -> Flow:
    run.roles()
    flow = run.stdin
    short = flow is not None and flow.text is not None and flow.text.count("\n") <= 1 and not run.has("-c", "--bytes")
    return flow if short and flow is not None and not run.operands else Flow(None, run.reader.carried(run))


def _date(run: Run) -> Flow:
    """``date -s TEXT`` and ``date MMDDhhmm[CCYY][.ss]`` set the clock."""
    if run.has("-s", "--set") or any(value.text.replace(".", "").isdigit() for value in run.operands):
        from interlock.model.effect import ControlsSystem

        run.effect(ControlsSystem, "clock", "time")
    return Flow(None, frozenset({"number"}))


def _which(run: Run) -> Flow:
    known = [value.text for value in run.operands]
    return (
        Flow("".join([f"/usr/bin/{name}\n" for name in known])) if known and all(HOLE not in name and "/" not in name for name in known) else UNREAD
    )


def _basename(run: Run) -> Flow:
    values = run.operands
    if not values or values[0].hollow or run.has("-s", "-a"):
        return UNREAD
    text = values[0].text.rstrip("/").rpartition("/")[2]
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
    """``realpath``, ``readlink -f``: the absolute path, where the links do not matter to what is known."""
    values = run.operands
    if len(values) != 1 or values[0].hollow:
        return UNREAD
    path = run.context.normal(values[0].text, run.cwd)
    return Flow(path + "\n") if path is not None else UNREAD


def _variables(run: Run) -> Flow:
    """``printenv``, ``export -p``: the environment, where secrets may be."""
    return Flow(None, frozenset({ENVIRONMENT} if not run.operands else set()))


_QUIET = Row(operands="data*")
_READS = Row(operands="reads*", read=passes_on)
_LISTS = Row(operands="reads*", options="-I:data --ignore:data -w:data -L:data", read=_list)
_LINES = Row(operands="data*", options="-C:code -c:data -d:data -n:data -O:data -s:data -u:data")
_HASH = Row(operands="reads*", options="-c:reads --check:reads")

_QUIET_NAMES = (
    "test [ true false : seq cal type whereis whoami id groups uname uptime df free expr bc sleep wait cd pushd popd dirs "
    "shift alias unalias return exit break continue let getopts fg bg disown umask ulimit hash help yes "
    "tput clear "
    "locale nproc lscpu lsblk ps top htop pgrep pstree lsof w who last arch tty stty numfmt read mapfile readarray"
)
_READ_NAMES = (
    "wc cut diff cmp comm paste join fold fmt column nl od hexdump strings stat file tree less more bat iconv uniq tsort sum shuf du envsubst xmllint"
)

ROWS: dict[str, Row] = dict.fromkeys(_QUIET_NAMES.split(), _QUIET)
ROWS.update(dict.fromkeys(_READ_NAMES.split(), _READS))
ROWS.update({
    "cat": Row(operands="reads*", read=_cat),
    "head": Row(operands="reads*", options="-n:data -c:data --lines:data --bytes:data", read=_head),
    "tail": Row(operands="reads*", options="-n:data -c:data --lines:data --bytes:data --pid:data -s:data", read=_head),
    "cut": Row(operands="reads*", options="-d:data -f:data -c:data -b:data --delimiter:data --fields:data", read=passes_on),
    "sort": Row(
        operands="reads*",
        options="-o:writes --output:writes -k:data -t:data -S:data -T:data --key:data --field-separator:data --compress-program:code --parallel:data",
        read=passes_on,
    ),
    "uniq": Row(operands="reads writes", options="-f:data -s:data -w:data", read=passes_on),
    "echo": Row(read=_echo), "printf": Row(read=_printf),
    "ls": _LISTS, "dir": _LISTS,
    "jq": Row(operands="data reads*", options="-f:reads --from-file:reads --indent:data", read=passes_on),
    "yq": Row(operands="data reads*", options="-o:data --output-format:data -p:data --input-format:data", read=_yq),
    "iconv": Row(operands="reads*", options="-f:data -t:data -o:writes --from-code:data --to-code:data --output:writes", read=passes_on),
    "xmllint": Row(operands="reads*", options="--output:writes -o:writes --xpath:data --schema:reads --dtdvalid:reads", read=passes_on),
    "date": Row(options="-d:data -s:data --date:data --set:data -r:reads -f:reads", read=_date),
    "mapfile": _LINES, "readarray": _LINES, "pwd": Row(read=_pwd), "basename": Row(options="-s:data", read=_basename), "dirname": Row(read=_dirname),
    "realpath": Row(read=_path_itself), "readlink": Row(read=_path_itself), "which": Row(read=_which),
    "printenv": Row(read=_variables),
    "md5sum": _HASH, "sha1sum": _HASH, "sha256sum": _HASH, "sha512sum": _HASH, "cksum": _HASH,
    "dos2unix": Row(operands="writes*"), "unix2dos": Row(operands="writes*"),
})  # fmt: skip
