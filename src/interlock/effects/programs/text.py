"""Programs that read, search, print and transform text, ask the system, and the shell's own quiet builtins."""

from __future__ import annotations

from interlock.effects.rows import Row
from interlock.effects.shell import place_labels
from interlock.model.effect import Deletes, Reads, RunsCode, Writes
from interlock.shell.value import ENVIRONMENT, HOLE, NOTHING, UNREAD, Flow, Value

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
    return run.all_contents(values)


def _passes_on(run: Run) -> Flow:
    """Read the operands by role; print something made of them and of standard input."""
    run.roles()
    return Flow(None, run.reader.carried(run))


def _rev(run: Run) -> Flow:
    run.roles()
    flow = run.stdin
    if flow is None or flow.text is None:
        return Flow(None, run.reader.carried(run))
    return Flow("\n".join([line[::-1] for line in flow.text.split("\n")]), flow.labels | {"decoded"})


def _tac(run: Run) -> Flow:
    run.roles()
    flow = run.stdin
    if flow is None or flow.text is None:
        return Flow(None, run.reader.carried(run))
    return Flow("".join(reversed(flow.text.splitlines(keepends=True))), flow.labels)


def _head(run: Run) -> Flow:
    run.roles()
    flow = run.stdin
    short = flow is not None and flow.text is not None and flow.text.count("\n") <= 1 and not run.has("-c", "--bytes")
    return flow if short and flow is not None and not run.operands else Flow(None, run.reader.carried(run))


def _tr(run: Run) -> Flow:
    """Translate known text with plain sets and ranges; ``-d`` deletes."""
    flow, sets = run.stdin, [_expand_set(value.text) for value in run.operands]
    if flow is None or flow.text is None or None in sets or HOLE in flow.text:
        return Flow(None, run.reader.carried(run))
    known = [item for item in sets if item is not None]
    if run.has("-d", "--delete") and known:
        return Flow("".join([char for char in flow.text if char not in known[0]]), flow.labels | {"decoded"})
    if run.has("-s", "-c", "-C", "--squeeze-repeats", "--complement") or len(known) != 2 or not known[1]:
        return Flow(None, flow.labels)
    source, target = known
    target += target[-1] * (len(source) - len(target))
    return Flow(flow.text.translate({ord(char): target[index] for index, char in reversed(list(enumerate(source)))}), flow.labels | {"decoded"})


def _expand_set(text: str) -> str | None:
    """Return the characters of a ``tr`` set, or None for classes."""
    if "[:" in text or "[=" in text or HOLE in text:
        return None
    text = unescape(text)
    out, at = [], 0
    while at < len(text):
        if at + 2 < len(text) and text[at + 1] == "-" and text[at] <= text[at + 2]:
            out.extend([chr(code) for code in range(ord(text[at]), ord(text[at + 2]) + 1)])
            at += 3
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def _base64(run: Run) -> Flow:
    run.roles()
    if not run.has("-d", "-D", "--decode"):
        return Flow(None, run.reader.carried(run))
    flow = run.contents(run.operands[0]) if run.operands and run.operands[0].text != "-" else run.stdin
    return decoded(flow, _from_base64)


def decoded(flow: Flow | None, decode: object) -> Flow:
    """Return the text a decoder makes of known text; unknown otherwise, labelled as decoded."""
    if flow is None:
        return Flow(None, frozenset({"decoded"}))
    text = None
    if flow.text is not None and HOLE not in flow.text:
        text = decode(flow.text)  # type: ignore[operator]
    return Flow(text, flow.labels | {"decoded"})


def _from_base64(text: str) -> str | None:
    import binascii

    try:
        return binascii.a2b_base64("".join(text.split())).decode("utf-8")
    except ValueError:
        return None


def _from_hex(text: str) -> str | None:
    digits = "".join([char for char in text if char in "0123456789abcdefABCDEF"])
    try:
        return bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8")
    except ValueError:
        return None


def _xxd(run: Run) -> Flow:
    operands = run.operands
    if operands and operands[0].text != "-":
        run.path(Reads, operands[0])
    if len(operands) > 1:
        run.path(Writes, operands[1])
        return NOTHING
    if run.has("-r"):
        flow = run.contents(operands[0]) if operands and operands[0].text != "-" else run.stdin
        return decoded(flow, _from_hex)
    return Flow(None, run.reader.carried(run))


def _sed(run: Run) -> Flow:
    """``sed -i`` writes its operands; the ``e`` and ``w`` commands run and write; ``s/a/b/`` on known text is done."""
    scripts = run.parsed.values("-e", "--expression")
    operands = list(run.operands)
    if not scripts and not run.has("-f", "--file") and operands:
        scripts = [operands.pop(0)]
    in_place = run.has("-i", "--in-place")
    for value in run.parsed.values("-f", "--file"):
        run.path(Reads, value)
    for value in scripts:
        _sed_script(run, value)
    for value in operands:
        run.path(Writes if in_place else Reads, value, *(["in-place"] if in_place else []))
    flow = run.stdin
    if not operands and flow is not None and flow.text is not None and len(scripts) == 1:
        text = _sed_once(scripts[0].text, flow.text)
        if text is not None:
            return Flow(text, flow.labels | {"decoded"})
    return NOTHING if in_place else Flow(None, run.reader.carried(run))


def _sed_script(run: Run, value: Value) -> None:
    """Find ``e`` (runs a command), ``w FILE`` and the flags ``e`` and ``w`` of ``s`` (GNU sed 3.8, 6.2)."""
    for line in value.text.replace(";", "\n").split("\n"):
        command = line.strip().lstrip("0123456789$,!~+ ")
        if command.startswith("/") and command.count("/") >= 2:
            command = command[command.rfind("/", 1) + 1 :].strip() if command.split("/")[-1][:1] in ("e", "w", "W", "r") else command
        if command == "e" or command.startswith("e "):
            run.effect(RunsCode, "", "sed-e", value=value, detail="sed runs a command")
            if command[2:].strip():
                run.code(Value(command[2:].strip(), value.start, value.end))
        elif command[:2] in ("w ", "W "):
            run.path(Writes, Value(command[2:].strip(), value.start, value.end))
        elif command[:1] == "s" and len(command) > 1:
            flags = command.rpartition(command[1])[2]
            if "e" in flags.split("w")[0] and set(flags.split("w")[0]) <= set("gpiIeMm0123456789"):
                run.effect(RunsCode, "", "sed-e", value=value, detail="sed runs what it made")
            if "w" in flags and flags.partition("w")[2].strip():
                run.path(Writes, Value(flags.partition("w")[2].strip(), value.start, value.end))


def _sed_once(script: str, text: str) -> str | None:
    """Do one plain ``s/a/b/[g]`` on known text; None where it is anything else."""
    if script[:1] != "s" or len(script) < 4:
        return None
    parts = script.split(script[1])
    if len(parts) != 4 or any(mark in parts[1] for mark in ".*[]^$\\+?(){}|") or any(mark in parts[2] for mark in "\\&") or set(parts[3]) - {"g"}:
        return None
    return text.replace(parts[1], parts[2], -1 if "g" in parts[3] else 1)


def _awk(run: Run) -> Flow:
    """Awk programs that call ``system``, pipe or redirect run commands and write files."""
    operands = list(run.operands)
    for value in run.parsed.values("-f", "--file"):
        run.path(Reads, value)
    program = None if run.has("-f", "--file") or not operands else operands.pop(0)
    if program is not None:
        text = program.text
        if "system(" in text.replace(" ", "") or ("|" in text.replace("||", "") and ("getline" in text or "print" in text)):
            run.effect(RunsCode, "", "awk-system", value=program, detail="awk starts a command")
            for piece in text.split('"')[1::2]:
                if piece.strip() and (" " in piece or piece.isalpha()):
                    run.code(Value(piece, program.start, program.end))
        elif ">" in text and "print" in text:
            _awk_writes(run, program)
        if "/inet/" in text:
            run.effect(RunsCode, "", "socket", value=program, detail="awk opens a socket")
    for value in operands:
        if "=" not in value.text:
            run.path(Reads, value)
    return Flow(None, run.reader.carried(run))


def _awk_writes(run: Run, program: Value) -> None:
    rest = program.text
    while "print" in rest:
        rest = rest.partition("print")[2]
        statement = rest.replace("}", ";").replace("\n", ";").split(";")[0]
        target = statement.rpartition(">")[2].strip() if ">" in statement else ""
        if target[:1] == '"' and target.count('"') == 2:
            run.path(Writes, Value(target.strip('"'), program.start, program.end))


def _find(run: Run) -> Flow:
    """``find PATH.. TESTS ACTIONS``: ``-delete``, ``-exec``, ``-fprint`` act on what is found."""
    words = run.arguments
    at = 0
    roots: list[Value] = []
    while at < len(words) and (words[at].text[:1] not in ("-", "(", "!", ",", "\\") or words[at].text in ("-H", "-L", "-P")):
        if words[at].text not in ("-H", "-L", "-P"):
            roots.append(words[at])
        at += 1
    roots = roots or [Value(".")]
    tests = words[at:]
    narrow = any(
        value.text in ("-name", "-iname", "-path", "-regex", "-type", "-newer", "-mtime", "-size", "-empty", "-wholename", "-ipath", "-mmin", "-user")
        for value in tests
    )
    found = [_found(value, tests) for value in roots]
    for value in roots:
        run.path(Reads, value, "listed")
    labels = frozenset().union(*[place_labels(effect) for effect in run.context.effects[-len(roots) :]])
    _find_actions(run, tests, found, narrow=narrow)
    return Flow(None, labels)


def _found(root: Value, tests: list[Value]) -> Value:
    """Return the path that stands for what is found: below the root, named as ``-name`` says."""
    name = next((tests[index + 1].text for index, value in enumerate(tests[:-1]) if value.text in ("-name", "-iname")), "*")
    return Value(f"{root.text.rstrip('/') or '/'}/{name}" if root.text != "/" else f"/{name}", root.start, root.end, root.why, pattern=True)


def _find_actions(run: Run, tests: list[Value], found: list[Value], *, narrow: bool) -> None:
    traits = ["recursive", "found"] + (["narrowed"] if narrow else [])
    for index, value in enumerate(tests):
        if value.text == "-delete":
            for item in found:
                run.path(Deletes, item, *traits)
        elif value.text in ("-exec", "-execdir", "-ok", "-okdir"):
            _find_exec(run, tests[index + 1 :], found)
        elif value.text in ("-fprint", "-fprint0", "-fls", "-fprintf") and index + 1 < len(tests):
            run.path(Writes, tests[index + 1])


def _find_exec(run: Run, words: list[Value], found: list[Value]) -> None:
    """Run the words up to ``;`` or ``+`` once for each root, ``{}`` standing for what is found there."""
    end = next(
        (index for index, value in enumerate(words) if value.text == ";" or (value.text == "+" and index and words[index - 1].text == "{}")),
        len(words),
    )
    before = run.parsed.traits
    for item in found:
        argv = [
            Value(value.text.replace("{}", item.text), value.start, value.end, value.why, pattern=True) if "{}" in value.text else value
            for value in words[:end]
        ]
        run.command(argv)
    run.parsed.traits = before


def _fd(run: Run) -> Flow:
    """``fd PATTERN [PATH..] -x COMMAND``."""
    words = run.arguments
    at = next((index for index, value in enumerate(words) if value.text in ("-x", "-X", "--exec", "--exec-batch")), -1)
    if at >= 0:
        argv = [Value(value.text.replace("{}", "./x"), value.start, value.end) for value in words[at + 1 :]]
        if not any("{" in value.text for value in words[at + 1 :]):
            argv.append(Value(HOLE, why="output"))
        run.command(argv)
    for value in run.operands[1:] if at < 0 else []:
        run.path(Reads, value, "listed")
    return UNREAD


def _date(run: Run) -> Flow:
    if run.has("-s", "--set"):
        from interlock.model.effect import ControlsSystem

        run.effect(ControlsSystem, "clock")
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


def _grep(run: Run) -> Flow:
    """The first operand is the pattern unless ``-e`` or ``-f`` gave one; ``rg --pre`` runs a program."""
    operands = list(run.operands)
    if not run.has("-e", "-f", "--regexp", "--file", "--files") and operands:
        operands.pop(0)
    for value in run.parsed.values("-f", "--file"):
        run.path(Reads, value)
    for value in run.parsed.values("--pre"):
        run.command([value])
    for value in operands:
        run.path(Reads, value)
    return Flow(None, run.reader.carried(run))


def _variables(run: Run) -> Flow:
    """``printenv``, ``export -p``: the environment, where secrets may be."""
    return Flow(None, frozenset({ENVIRONMENT} if not run.operands else set()))


def _patch(run: Run) -> Flow:
    if not run.has("--dry-run"):
        run.path(Writes, run.operands[0] if run.operands else Value("."), "in-place")
    for value in run.parsed.values("-i", "--input"):
        run.path(Reads, value)
    for value in run.parsed.values("-o", "--output"):
        run.path(Writes, value)
    return UNREAD


def _editor(run: Run) -> Flow:
    """``ed``, ``ex`` fed with commands may run a shell by ``!``."""
    flow = run.stdin
    if flow is not None and flow.text is not None:
        for line in flow.text.split("\n"):
            if line.strip().startswith("!"):
                run.code(Value(line.strip()[1:]))
    for value in run.operands:
        run.path(Writes, value, "in-place")
    return NOTHING


_QUIET = Row(operands="data*")
_READS = Row(operands="reads*", read=_passes_on)
_LISTS = Row(operands="reads*", options="-I:data --ignore:data -w:data -L:data", read=_passes_on)
_GREP = Row(
    options="-e:data -f:data -m:data -A:data -B:data -C:data --regexp:data --file:data --max-count:data --context:data --include:data --exclude:data --exclude-dir:data "
    "-d:data -D:data --color:data -g:data --glob:data -t:data -T:data --type:data --type-not:data -j:data --pre:data --pre-glob:data -E:data -r:data --replace:data "
    "--after-context:data --before-context:data --max-depth:data --sort:data --colors:data --encoding:data",
    read=_grep,
)
_GREP_PLAIN = Row(
    options="-e:data -f:data -m:data -A:data -B:data -C:data --regexp:data --file:data --max-count:data --context:data -d:data -D:data --after-context:data --before-context:data",
    read=_grep,
)
_SED = Row(options="-e:data -f:data --expression:data --file:data -l:data --line-length:data", read=_sed)
_AWK = Row(options="-F:data -v:data -f:data --file:data --field-separator:data --assign:data", read=_awk)
_FD = Row(options="-e:data -E:data -t:data -d:data --extension:data --exclude:data --type:data --max-depth:data -x:data -X:data -c:data", read=_fd)
_HASH = Row(operands="reads*", options="-c:reads --check:reads")

_QUIET_NAMES = (
    "test [ true false : seq cal type whereis whoami id groups uname hostname uptime df free expr bc sleep wait cd pushd popd dirs export declare typeset local readonly unset set "
    "shift alias unalias shopt return exit break continue let getopts jobs fg bg disown umask ulimit hash help yes tput clear locale nproc lscpu lsblk ps top htop pgrep "
    "pstree lsof w who last arch tty stty numfmt read mapfile readarray"
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
    "cut": Row(operands="reads*", options="-d:data -f:data -c:data -b:data --delimiter:data --fields:data", read=_passes_on),
    "grep": _GREP_PLAIN, "egrep": _GREP_PLAIN, "fgrep": _GREP_PLAIN, "zgrep": _GREP_PLAIN, "rg": _GREP, "ag": _GREP, "ack": _GREP,
    "sed": _SED, "gsed": _SED, "awk": _AWK, "gawk": _AWK, "mawk": _AWK, "nawk": _AWK,
    "sort": Row(operands="reads*", options="-o:writes --output:writes -k:data -t:data -S:data -T:data --key:data --field-separator:data --compress-program:code --parallel:data", read=_passes_on),
    "uniq": Row(operands="reads writes", options="-f:data -s:data -w:data", read=_passes_on),
    "tr": Row(read=_tr),
    "rev": Row(operands="reads*", read=_rev),
    "tac": Row(operands="reads*", options="-s:data", read=_tac),
    "xxd": Row(options="-l:data -s:data -c:data -g:data -o:data", read=_xxd),
    "base64": Row(operands="reads*", options="-w:data -i:reads -o:writes --wrap:data", read=_base64),
    "base32": Row(operands="reads*", options="-w:data", read=_passes_on),
    "echo": Row(read=_echo), "printf": Row(read=_printf),
    "ls": _LISTS, "dir": _LISTS,
    "find": Row(read=_find), "fd": _FD, "fdfind": _FD,
    "jq": Row(operands="data reads*", options="-f:reads --from-file:reads --indent:data", read=_passes_on),
    "yq": Row(operands="data reads*", flags="-i:in-place", read=_passes_on),
    "date": Row(options="-d:data -s:data --date:data --set:data -r:reads -f:reads", read=_date),
    "pwd": Row(read=_pwd), "basename": Row(options="-s:data", read=_basename), "dirname": Row(read=_dirname),
    "realpath": Row(read=_path_itself), "readlink": Row(read=_path_itself), "which": Row(read=_which),
    "printenv": Row(read=_variables),
    "md5sum": _HASH, "sha1sum": _HASH, "sha256sum": _HASH, "sha512sum": _HASH, "cksum": _HASH,
    "dos2unix": Row(operands="writes*"), "unix2dos": Row(operands="writes*"),
    "patch": Row(operands="writes reads", options="-p:data -d:data -i:data -o:data --input:data --output:data", read=_patch),
    "ed": Row(read=_editor), "ex": Row(options="-c:data", read=_editor),
})  # fmt: skip
