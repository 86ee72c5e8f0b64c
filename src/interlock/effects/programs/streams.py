"""Programs that transform what flows through them: on known text the result is known too."""

from __future__ import annotations

from interlock.effects.programs.filters import bytes_of, encoded, given
from interlock.effects.programs.printing import unescape
from interlock.effects.rows import Row
from interlock.model.effect import Reads, RunsCode, Writes
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.effects.run import Run


def _tr(run: Run) -> Flow:
    """Translate known text with plain sets and ranges; ``-d`` deletes."""
    flow, sets = run.stdin, [_expand_set(value.text) for value in run.operands]
    if flow is None or flow.text is None or None in sets or HOLE in flow.text:
        return Flow(None, run.reader.carried(run))
    known = [item for item in sets if item is not None]
    within = not run.has("-c", "-C", "--complement")
    if run.has("-d", "--delete") and known:
        text = "".join([char for char in flow.text if (char in known[0]) != within])
        return Flow(_squeezed(text, known[1]) if run.has("-s", "--squeeze-repeats") and len(known) > 1 else text, flow.labels | {"decoded"})
    if run.has("-s", "--squeeze-repeats") and len(known) == 1 and within:
        return Flow(_squeezed(flow.text, known[0]), flow.labels | {"decoded"})
    if len(known) == 2 and known[1] and not within:
        text = "".join([char if char in known[0] else known[1][-1] for char in flow.text])
        return Flow(_squeezed(text, known[1]) if run.has("-s", "--squeeze-repeats") else text, flow.labels | {"decoded"})
    if run.has("-s", "--squeeze-repeats") or len(known) != 2 or not known[1]:
        return Flow(None, flow.labels)
    source, target = known
    target += target[-1] * (len(source) - len(target))
    return Flow(flow.text.translate({ord(char): target[index] for index, char in reversed(list(enumerate(source)))}), flow.labels | {"decoded"})


def _squeezed(text: str, of: str) -> str:
    """Return the text with runs of one of these characters made one."""
    return "".join([char for at, char in enumerate(text) if not at or char != text[at - 1] or char not in of])


_UPPER, _LOWER, _NUMBERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
_MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_CLASSES = {
    "upper": _UPPER, "lower": _LOWER, "digit": _NUMBERS, "alpha": _UPPER + _LOWER, "alnum": _NUMBERS + _UPPER + _LOWER, "blank": "\t ",
    "space": "\t\n\v\f\r ", "punct": _MARKS, "xdigit": _NUMBERS + "ABCDEFabcdef", "cntrl": "".join([chr(code) for code in range(32)]) + "\x7f",
    "graph": _MARKS + _NUMBERS + _UPPER + _LOWER, "print": " " + _MARKS + _NUMBERS + _UPPER + _LOWER,
}  # fmt: skip
"""Character classes of the C locale (POSIX 7.3.1)."""


def _expand_set(text: str) -> str | None:
    """Return the characters of a ``tr`` set: classes, ranges and single ones; None where it holds something else (``[=a=]``, ``[x*9]``)."""
    if "[=" in text or "*]" in text or "*0" in text or HOLE in text:
        return None
    text = unescape(text)
    out, at = [], 0
    while at < len(text):
        end = text.find(":]", at) if text.startswith("[:", at) else -1
        if end > 0 and text[at + 2 : end] in _CLASSES:
            out.append(_CLASSES[text[at + 2 : end]])
            at = end + 2
        elif at + 2 < len(text) and text[at + 1] == "-" and text[at] <= text[at + 2]:
            out.extend([chr(code) for code in range(ord(text[at]), ord(text[at + 2]) + 1)])
            at += 3
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def _base64(run: Run) -> Flow:
    run.roles()
    if run.has("-d", "-D", "--decode"):
        return decoded(given(run), from_base64)
    flow = encoded(to_base64)(run)
    return flow if flow.text is not None else Flow(None, run.reader.carried(run))


def _base32(run: Run) -> Flow:
    run.roles()
    import base64

    if run.has("-d", "-D", "--decode"):
        return decoded(given(run), from_base32)
    flow = encoded(lambda data: base64.b32encode(data).decode())(run)
    return flow if flow.text is not None else Flow(None, run.reader.carried(run))


def decoded(flow: Flow | None, decode: Callable[[str], bytes | None]) -> Flow:
    """Return what a decoder makes of known text: text where it is UTF-8, else bytes for the next decoder (``base64 -d | gunzip``)."""
    if flow is None:
        return Flow(None, frozenset({"decoded"}))
    labels = flow.labels | {"decoded"}
    data = decode(flow.text) if flow.text is not None and HOLE not in flow.text else None
    return flow_of(data, labels)


def flow_of(data: bytes | None, labels: frozenset[str]) -> Flow:
    """Return a flow of bytes; its text too where they are UTF-8."""
    if data is None:
        return Flow(None, labels)
    try:
        return Flow(data.decode("utf-8"), labels, data=data)
    except ValueError:
        return Flow(None, labels, data=data)


def to_base64(data: bytes) -> str:
    """Encode as ``base64`` does, in one line."""
    import binascii

    return binascii.b2a_base64(data, newline=False).decode()


def from_base32(text: str) -> bytes | None:
    """Decode base32 as ``base32 -d`` does; None where it is none."""
    import base64

    try:
        return base64.b32decode("".join(text.split()))
    except ValueError:
        return None


def from_base64(text: str) -> bytes | None:
    """Decode base64 as ``base64 -d`` does; None where it is none."""
    import binascii

    try:
        return binascii.a2b_base64("".join(text.split()))
    except ValueError:
        return None


def from_hex(text: str) -> bytes | None:
    """Decode hexadecimal digits, whatever stands between them."""
    digits = "".join([char for char in text if char in "0123456789abcdefABCDEF"])
    return bytes.fromhex(digits[: len(digits) // 2 * 2])


def _xxd(run: Run) -> Flow:
    operands = run.operands
    if operands and operands[0].text != "-":
        run.path(Reads, operands[0])
    if len(operands) > 1:
        run.path(Writes, operands[1])
        return NOTHING
    if run.has("-r"):
        flow = run.contents(operands[0]) if operands and operands[0].text != "-" else run.stdin
        return decoded(flow, from_hex)
    flow = given(run)
    data = bytes_of(flow)
    if data is None or flow is None or run.parsed.options or not run.has("-p", "-ps"):
        return Flow(None, run.reader.carried(run))
    digits = data.hex()
    return Flow("".join([digits[at : at + 60] + "\n" for at in range(0, len(digits), 60)]), flow.labels)


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
        pipes = _awk_pipes(text)
        if "system(" in text.replace(" ", "") or pipes:
            if "system(" in text.replace(" ", "") or not all(map(_only_text, pipes)):
                run.effect(RunsCode, "", "awk-system", value=program, detail="awk starts a command")
            for piece in text.split('"')[1::2]:
                if piece.strip() and (" " in piece or piece.isalpha()):
                    run.code(Value(piece, program.start, program.end))
        elif ">" in text and "print" in text:
            _awk_writes(run, program)
        if "/inet/" in text:
            run.effect(RunsCode, "", "socket", value=program, detail="awk opens a socket")
    in_place = any(value.text == "inplace" for value in run.parsed.values("-i", "--include"))
    for value in operands:
        if "=" not in value.text:
            run.path(Writes if in_place else Reads, value, *(["in-place"] if in_place else []))
    return Flow(None, run.reader.carried(run))


_AWK_PIPES = frozenset({"sort", "uniq", "head", "tail", "wc", "column", "cat", "tr", "cut", "date", "grep"})


_INSIDE = "\x01"
"""Stands for a mark inside a text of an awk program, where it divides nothing."""


def _awk_pipes(text: str) -> list[str]:
    """Return what stands at the other end of each pipe of an awk program: ``print | COMMAND``, ``COMMAND | getline``."""
    found = []
    pieces = text.split('"')
    inside, outside = str.maketrans(dict.fromkeys("|;{}\n", _INSIDE)), str.maketrans(dict.fromkeys("{}\n", ";"))
    text = '"'.join([piece.translate(inside if number % 2 else outside) for number, piece in enumerate(pieces)])
    for statement in text.replace("||", " ").split(";"):
        before, bar, after = statement.partition("|")
        if bar and "print" in before:
            found.append(after.strip())
        elif bar and "getline" in after:
            found.append(before.strip())
    return found


def _only_text(command: str) -> bool:
    """Whether a command of an awk program is a text of one program that only changes text: ``"sort -n"``."""
    words = command.strip('"').split()
    return command[:1] == '"' and bool(words) and words[0] in _AWK_PIPES and not any(mark in command for mark in _INSIDE + "&$`><")


def _awk_writes(run: Run, program: Value) -> None:
    rest = program.text
    while "print" in rest:
        rest = rest.partition("print")[2]
        statement = rest.replace("}", ";").replace("\n", ";").split(";")[0]
        target = statement.rpartition(">")[2].strip() if ">" in statement else ""
        if target[:1] == '"' and target.count('"') == 2:
            run.path(Writes, Value(target.strip('"'), program.start, program.end))


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


def _patch(run: Run) -> Flow:
    if not run.has("--dry-run"):
        run.path(Writes, run.operands[0] if run.operands else Value("."), "in-place")
    for value in run.parsed.values("-i", "--input"):
        run.path(Reads, value)
    for value in run.parsed.values("-o", "--output"):
        run.path(Writes, value)
    return UNREAD


_SED = Row(options="-e:data -f:data --expression:data --file:data -l:data --line-length:data", read=_sed)
_AWK = Row(options="-i:data --include:data -F:data -v:data -f:data --file:data --field-separator:data --assign:data", read=_awk)

ROWS: dict[str, Row] = {
    "sed": _SED, "gsed": _SED, "awk": _AWK, "gawk": _AWK, "mawk": _AWK, "nawk": _AWK,
    "tr": Row(read=_tr),
    "xxd": Row(options="-l:data -s:data -c:data -g:data -o:data", read=_xxd),
    "base64": Row(operands="reads*", options="-w:data -i:reads -o:writes --wrap:data", read=_base64),
    "base32": Row(operands="reads*", options="-w:data --wrap:data", read=_base32),
    "patch": Row(operands="writes reads", options="-p:data -d:data -i:data -o:data --input:data --output:data", read=_patch),
    "ed": Row(read=_editor), "ex": Row(options="-c:data", read=_editor),
}  # fmt: skip
