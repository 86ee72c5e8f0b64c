"""Programs that transform what flows through them: on known text the result is known too."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.guard_files import beneath
from interlock.effects.programs.filters import bytes_of, defer_change, encoding_reader, read_input
from interlock.effects.programs.printing import unescape
from interlock.effects.run import Run
from interlock.model.effect import Deletes, Kind, Reads, Writes
from interlock.shell.value import HOLE, NAME, NOTHING, OUTPUT, UNREAD, Flow, Value


def _tr(run: Run) -> Flow:
    """Translate known text with plain sets and ranges; ``-d`` deletes."""
    flow, sets = run.stdin, [_expand_set(value.text) for value in run.operands]
    known = [item for item in sets if item is not None]
    if len(known) < len(sets):
        return defer_change(run, flow, lambda _: None)
    if flow is None or flow.text is None or HOLE in flow.text:
        return defer_change(run, flow, lambda text: _translate(run, known, text))
    text = _translate(run, known, flow.text)
    return Flow(text, flow.labels | {"decoded"} if text is not None else flow.labels)


def _translate(run: Run, known: list[str], text: str) -> str | None:
    """Return a text translated from one set to another; None where an option is not followed."""
    within = not run.has("-c", "-C", "--complement")
    squeezes = run.has("-s", "--squeeze-repeats")
    if run.has("-d", "--delete") and known:
        left = "".join([char for char in text if (char in known[0]) != within])
        return _squeeze(left, known[1]) if squeezes and len(known) > 1 else left
    if squeezes and len(known) == 1 and within:
        return _squeeze(text, known[0])
    if len(known) == 2 and known[1] and not within:
        left = "".join([char if char in known[0] else known[1][-1] for char in text])
        return _squeeze(left, known[1]) if squeezes else left
    if squeezes or len(known) != 2 or not known[1]:
        return None
    source, target = known
    target += target[-1] * (len(source) - len(target))
    return text.translate(
        {ord(char): target[index] for index, char in reversed(list(enumerate(source)))}
    )


def _squeeze(text: str, of: str) -> str:
    """Return the text with runs of one of these characters made one."""
    return "".join(
        [char for at, char in enumerate(text) if not at or char != text[at - 1] or char not in of]
    )


_UPPER, _LOWER, _NUMBERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"
_MARKS = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_CLASSES = {
    "upper": _UPPER, "lower": _LOWER, "digit": _NUMBERS, "alpha": _UPPER + _LOWER,
    "alnum": _NUMBERS + _UPPER + _LOWER, "blank": "\t ",
    "space": "\t\n\v\f\r ", "punct": _MARKS, "xdigit": _NUMBERS + "ABCDEFabcdef",
    "cntrl": "".join([chr(code) for code in range(32)]) + "\x7f",
    "graph": _MARKS + _NUMBERS + _UPPER + _LOWER,
    "print": " " + _MARKS + _NUMBERS + _UPPER + _LOWER,
}  # fmt: skip
"""Character classes of the C locale (POSIX 7.3.1)."""


def _expand_set(text: str) -> str | None:
    """Return the characters of a ``tr`` set: classes, ranges and single ones; None where it holds
    something else (``[=a=]``, ``[x*9]``).
    """
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
        return decode_flow(read_input(run), from_base64)
    flow = encoding_reader(to_base64)(run)
    return flow if flow.text is not None else Flow(None, run.input_labels())


def _base32(run: Run) -> Flow:
    run.roles()
    import base64

    if run.has("-d", "-D", "--decode"):
        return decode_flow(read_input(run), from_base32)
    flow = encoding_reader(lambda data: base64.b32encode(data).decode())(run)
    return flow if flow.text is not None else Flow(None, run.input_labels())


def decode_flow(flow: Flow | None, decode: Callable[[str], bytes | None]) -> Flow:
    """Return what a decoder makes of known text: text where it is UTF-8, else bytes for the next
    decoder (``base64 -d | gunzip``).
    """
    if flow is None:
        return Flow(None, frozenset({"decoded"}))
    labels = flow.labels | {"decoded"}
    data = (
        decode(flow.text)
        if flow.text is not None and HOLE not in flow.text and NAME not in flow.text
        else None
    )
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
        return decode_flow(flow, from_hex)
    flow = read_input(run)
    data = bytes_of(flow)
    if data is None or flow is None or run.parsed.options or not run.has("-p", "-ps"):
        return Flow(None, run.input_labels())
    digits = data.hex()
    return Flow(
        "".join([digits[at : at + 60] + "\n" for at in range(0, len(digits), 60)]), flow.labels
    )


def _editor(run: Run) -> Flow:
    """``ed``, ``ex`` fed with commands: ``!`` runs a shell, ``w FILE`` writes, ``r !COMMAND`` and
    ``w !COMMAND`` run (POSIX ed, ex).
    """
    flow, put = run.stdin, ""
    if flow is not None and flow.text is not None:
        put = _edits(run, flow.text)
    for value in run.parsed.values("-c"):
        put += _edits(run, value.text)
    for value in run.operands:
        held = run.contents(value)
        effect = run.path(Writes, value, "in-place")
        if put and value.known:
            run.reader.written.add(effect.target, Flow(put), held)
    return NOTHING


MAX_EDITS = 500
"""Lines of commands to an editor that are looked at; what follows is opaque."""


def _edits(run: Run, text: str) -> str:
    """Add what the commands of an editor do; return the lines that they put in."""
    added, put = False, ""
    lines = text.split("\n")
    if len(lines) > MAX_EDITS:
        run.context.opaque("more commands to an editor than can be read", None, "too-much")
    for line in lines[:MAX_EDITS]:
        command = line.strip().lstrip("0123456789.$%,;+-: ")
        if command.startswith("/"):
            command = command[command.find("/", 1) + 1 :]
        if added or command[:1] in ("a", "i", "c"):
            put += f"\n{line}\n" if added and line != "." else ""
            added = line != "." and (added or command in ("a", "i", "c"))
            continue
        word = command[: len(command) - len(command.lstrip("weErRWfq"))]
        rest = command[len(word) :].strip()
        forced = word in ("w", "W", "wq") and command[len(word) :].startswith("!")
        if not forced and (command.startswith("!") or (word and rest.startswith("!"))):
            run.code(Value(rest.lstrip("!") if word else command[1:]))
        elif word in ("w", "W", "wq", "write") and rest.lstrip("! "):
            run.path(Writes, Value(run.context.at_home(rest.lstrip("! "))))
        elif word in ("r", "e", "E") and rest:
            run.path(Reads, Value(rest))
    return put


MAX_PATCHED = 200
"""Files of a patch that are looked at; what follows is opaque."""


def patches(run: Run, files: list[Value], strip: int, folder: Value | None = None) -> bool:
    """Add what the patches in these files, or on standard input, write and delete in a folder;
    return whether all their text is known.

    A unified diff names the file before (``---``) and after (``+++``), each with folders in front
    of which ``strip`` are taken off.
    """
    texts = [_patch_text(run, value) for value in files] if files else [_stdin_text(run)]
    known = [text for text in texts if text is not None]
    left, above = MAX_PATCHED, f"{folder.text}/" if folder is not None else ""
    for text in known:
        before = named = ""
        for line in text.split("\n"):
            if line.startswith("diff --git "):
                named = line.rpartition(" b/")[2].strip()
            elif named and left and line.startswith(("GIT binary patch", "new file mode")):
                left -= 1
                run.path(Writes, Value(above + named), "in-place")
            elif line.startswith("--- "):
                before = _header_name(line, strip)
            elif line.startswith("+++ ") and left:
                left -= 1
                after = _header_name(line, strip)
                run.path(
                    Writes if after else Deletes,
                    Value(above + (after or before)),
                    *(["in-place"] if after else []),
                )
            elif line.startswith(("rename to ", "copy to ")) and left:
                left -= 1
                run.path(Writes, Value(above + line.partition(" to ")[2].strip()), "moved-to")
    if not left:
        run.context.opaque("more files of a patch than can be looked at", None, "too-much")
    return len(known) == len(texts)


def any_of_ours(run: Run, files: list[Value]) -> None:
    """Add the possible change of the guard's files here by a patch whose text nobody knows."""
    texts = [_patch_text(run, value) for value in files] if files else [_stdin_text(run)]
    if run.cwd is None or not run.here or None not in texts:
        return
    for path in beneath(run.context, run.cwd):
        run.possible(Writes, Value(path), "restored")


def _patch_text(run: Run, value: Value) -> str | None:
    return _stdin_text(run) if value.text == "-" else run.text_of(value)


def _stdin_text(run: Run) -> str | None:
    return run.reader.find_text(run.stdin) if run.stdin is not None else None


def _header_name(line: str, strip: int) -> str:
    """Return the name in a header of a diff, or nothing where it is ``/dev/null``."""
    name = line[4:].partition("\t")[0].strip().strip('"')
    return "" if name == "/dev/null" else name.split("/", strip)[-1]


def _strip(run: Run, default: int) -> int:
    value = run.parsed.value("-p", "--strip")
    return (
        int(value.text)
        if value is not None and value.text.isdigit() and len(value.text) < 3
        else default
    )


def _patch(run: Run) -> Flow:
    given = [*run.parsed.values("-i", "--input"), *run.operands[1:2]]
    for value in given:
        run.path(Reads, value)
    if not run.has("--dry-run"):
        folder = run.parsed.value("-d", "--directory")
        run.cwd = run.cwd if folder is None else run.context.normal(folder.text, run.cwd)
        if run.operands or not patches(run, given, _strip(run, 0)):
            run.path(Writes, run.operands[0] if run.operands else Value("."), "in-place")
        if not run.operands:
            any_of_ours(run, given)
    for value in run.parsed.values("-o", "--output", "-r", "--reject-file"):
        run.path(Writes, value)
    return UNREAD


_ENVELOPE: dict[str, Kind] = {
    "*** Add File": Writes,
    "*** Update File": Writes,
    "*** Delete File": Deletes,
    "*** Move to": Writes,
}


def _apply_patch(run: Run) -> Flow:
    """``apply_patch 'TEXT'``, or fed with it: the ``*** Begin Patch`` form in which Codex edits
    files; it names them itself.
    """
    text = (
        run.operands[0].text if run.operands else run.stdin.text if run.stdin is not None else None
    )
    hidden = text is None or any(
        HOLE in line and line[:1] not in ("+", "-", " ") for line in text.split("\n")
    )
    many = text is not None and text.count("\n*** ") > MAX_PATCHED
    if many:
        run.context.opaque("more files of a patch than can be looked at", None, "too-much")
    if text is None or hidden or many:
        run.path(Writes, Value(HOLE, why=OUTPUT), "tool-edit")
        return UNREAD
    for part in text.split("\n*** ")[1:]:
        head, _, body = part.partition("\n")
        name, colon, path = f"*** {head}".partition(": ")
        kind = _ENVELOPE.get(name)
        if colon and kind is not None:
            effect = run.path(kind, Value(path.strip()), *(["tool-edit"] if kind is Writes else []))
            added = (
                "".join([f"{line[1:]}\n" for line in body.split("\n")])
                if name == "*** Add File"
                else None
            )
            run.reader.written[effect.target] = Flow(added, frozenset())
    return UNREAD
