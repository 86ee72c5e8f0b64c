"""Commands that cmd.exe itself carries out (Microsoft Learn: Windows commands)."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.cmd.following import CmdInterpreter
from interlock.effects.cmd.parse import CmdNode
from interlock.effects.connecting import to_url
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.model.effect import Deletes, Persists, Reads, Writes
from interlock.shell.execution import Execution
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value


class Builtin(Run):
    """One command of cmd.exe itself: its switches begin with a slash, without case."""

    def __init__(self, session: CmdInterpreter, node: CmdNode, execution: Execution) -> None:
        Run.__init__(
            self,
            session.reader,
            session.walker,
            execution,
            ProgramRow(clustered=False),
            execution.argv[0].text.lower(),
        )
        self.session = session
        self.node = node
        self.switches: set[str] = set()
        self.files: list[Value] = []
        for value in execution.argv[1:]:
            self._take(value)

    def _take(self, value: Value) -> None:
        text = value.text
        if (
            text[:1] == "/"
            and len(text) > 1
            and (len(text) == 2 or text[2] in "/:-" or text[1:].isalpha())
        ):
            self.switches.update(["/" + one.lower() for one in text[1:].split("/") if one])
            return
        folder, slash, rest = text.partition("/")
        if slash and rest[:1].lower() in ("s", "q", "f", "y") and len(rest.partition("/")[0]) == 1:
            self.switches.update(["/" + one.lower() for one in rest.split("/")])
            text = folder
        for word in text.split(",") if "," in text and HOLE not in text else [text]:
            if word:
                self.files.append(
                    Value(
                        word.replace("\\", "/"),
                        value.start,
                        value.end,
                        value.why,
                        "*" in word or "?" in word,
                    )
                )

    @property
    def text(self) -> str:
        """All that stands behind the name, as it was written, with variables put in."""
        keeps = self.name in ("call", "start")
        return (self.session.variables.keep_word if keeps else self.session.variables.expand_word)(
            self.node.raw
        ).strip()


def head(word: str) -> tuple[str, str]:
    """Tell a name from a switch written without a blank: ``rd/s/q``, ``cd..``, ``echo.``."""
    low = word.lower()
    for name in (
        "erase",
        "rmdir",
        "mkdir",
        "chdir",
        "pushd",
        "xcopy",
        "start",
        "move",
        "copy",
        "echo",
        "type",
        "call",
        "del",
        "dir",
        "set",
        "ren",
        "rd",
        "md",
        "cd",
    ):
        rest = low[len(name) :]
        if low.startswith(name) and rest[:1] in ("/", ".", "\\", ":", "(", "[", "+") and rest:
            return name, word[len(name) :]
    return word, ""


def _delete(run: Builtin) -> Flow:
    """``del /s /q``: files by name or pattern; a folder's files, with ``/s`` those below."""
    deep = ["found", "recursive"] if "/s" in run.switches else []
    for value in run.files or [Value(HOLE, why="argument")]:
        run.path(Deletes, value, *deep, *(["force"] if run.switches & {"/f", "/q"} else []))
    return NOTHING


def _remove_folder(run: Builtin) -> Flow:
    for value in run.files:
        run.path(
            Deletes,
            value,
            *(["recursive"] if "/s" in run.switches else []),
            *(["force"] if "/q" in run.switches else []),
        )
    return NOTHING


def _copy(run: Builtin) -> Flow:
    """``copy A+B TARGET``: the target is the current folder where none is named."""
    files = [value for value in run.files if value.text != "+"]
    *sources, target = files if len(files) > 1 else [*files, Value(".")]
    for source in sources:
        for name in source.text.split("+"):
            value = Value(name, source.start, source.end, source.why, source.pattern)
            effect = run.path(Reads, value)
            flow = run.contents(value)
            written = run.path(
                Writes,
                target,
                "copied",
                *[f"carries-{label}" for label in flow.labels & {"secret"}],
            )
            if value.known:
                run.reader.carry(effect.target, written.target, flow)
    return NOTHING


def _move(run: Builtin) -> Flow:
    """``move``, ``ren``: the source is gone from its place."""
    if len(run.files) < 2:
        return NOTHING
    *sources, target = run.files
    for source in sources:
        where = target
        if run.name in ("ren", "rename"):
            folder, slash, _ = source.text.rpartition("/")
            where = Value(
                f"{folder}{slash}{target.text}",
                target.start,
                target.end,
                target.why,
                target.pattern,
            )
        flow = run.contents(source)
        effect = run.path(Deletes, source, "moved", "recursive")
        written = run.path(Writes, where, "moved-to")
        if source.known:
            run.reader.carry(effect.target, written.target, flow)
    return NOTHING


def _type(run: Builtin) -> Flow:
    for value in run.files:
        run.path(Reads, value)
    return run.all_contents(run.files)


def _list(run: Builtin) -> Flow:
    for value in run.files or [Value(".")]:
        run.path(Reads, value, "listed")
    return Flow(None, frozenset({"output"}))


def _make(run: Builtin) -> Flow:
    for value in run.files:
        run.path(Writes, value, "create")
    return NOTHING


def _link(run: Builtin) -> Flow:
    """``mklink [/d /h /j] LINK TARGET``."""
    if len(run.files) > 1:
        effect = run.path(Writes, run.files[0], "link")
        run.path(Reads, run.files[1], "linked")
        leads = run.context.normal(run.files[1].text, run.cwd) if run.files[1].known else None
        if leads is not None:
            run.context.links(effect.target, leads)
    return NOTHING


def _go(run: Builtin) -> Flow:
    """``cd [/d] FOLDER``; without ``/d`` another drive's folder is only noted there, but what
    follows may mean it.
    """
    state = run.walker.state
    if run.name == "pushd":
        run.session.folders.append(state.cwd)
    if run.files:
        text = run.files[0].text
        state.cwd = run.context.normal(text, state.cwd) if run.files[0].known else None
    return NOTHING


def _back(run: Builtin) -> Flow:
    if run.session.folders:
        run.walker.state.cwd = run.session.folders.pop()
    return NOTHING


def _set(run: Builtin) -> Flow:
    """``set x=text``, ``set "x=text"``, ``set /a``, ``set /p x=``; ``set`` alone prints all."""
    text = run.text
    text = text[3:].strip() if text[:3].lower() == "set" else text
    low = text[:2].lower()
    if low in ("/a", "/p"):
        name = text[2:].strip().strip('"').partition("=")[0].strip()
        if name:
            run.session.variables.assign(name, HOLE)
        return NOTHING
    if text[:1] == '"':
        text = text[1:].rpartition('"')[0] or text[1:]
    name, equals, value = text.partition("=")
    if not equals:
        return Flow(None, frozenset({"environment"}))
    run.session.variables.assign(name, value)
    state = run.walker.state
    word = Value(
        value, run.execution.start, run.execution.end, "environment" if HOLE in value else ""
    )
    state.assign(name.strip().upper(), word)
    state.exported.add(name.strip().upper())
    run.execution.prefix = [(name.strip().upper(), word)]
    return NOTHING


def _echo(run: Builtin) -> Flow:
    text = run.text
    text = text[5:] if text[:4].lower() == "echo" else text
    if text.strip().lower() in ("on", "off", ""):
        return NOTHING
    return Flow(text + "\n", frozenset({"script"}))


def _call(run: Builtin) -> Flow:
    """``call FILE``, ``call COMMAND`` (its variables are put in once more); a label's lines are
    read where they stand.
    """
    text = run.text
    rest = text[4:].strip() if text[:4].lower() == "call" else text
    if not rest or rest[:1] == ":":
        return NOTHING
    return run.session.again(run.node, rest)


def _start(run: Builtin) -> Flow:
    """``start ["title"] [/b /wait /d FOLDER] PROGRAM ..``: in a process of its own."""
    words = run.execution.argv[1:]
    raw = run.text[5:].strip()
    if raw[:1] == '"' and len(words) > 1:
        words = words[1:]
    while words and words[0].text[:1] == "/":
        words = words[2:] if words[0].text.lower() == "/d" else words[1:]
    if not words:
        return NOTHING
    if words[0].text.lower().startswith(("http://", "https://")):
        to_url(run.context, words[0].text, run.span(), frozenset({"get"}), "start")
        return NOTHING
    if HOLE in words[0].text:
        run.unknown_code(words[0].why or "argument", "unknown-program")
        return UNREAD
    text = " ".join([f'"{word.text}"' if " " in word.text else word.text for word in words])
    return run.session.again(run.node, text)


def _local(run: Builtin) -> Flow:
    run.session.local.append(dict(run.session.variables.known))
    return NOTHING


def _end_local(run: Builtin) -> Flow:
    if run.session.local:
        run.session.variables.known = run.session.local.pop()
    return NOTHING


def _quiet(run: Builtin) -> Flow:
    del run
    return NOTHING


def _text(run: Builtin) -> Flow:
    del run
    return Flow(None, frozenset({"output"}))


def _associate(run: Builtin) -> Flow:
    """``assoc .x=y``, ``ftype x=command``: what is run when a file is opened."""
    if any("=" in value.text for value in run.execution.argv[1:]):
        run.effect(Persists, run.files[0].text if run.files else run.name, "startup")
    return NOTHING


ACTS: dict[str, Callable[[Builtin], Flow]] = {
    "del": _delete, "erase": _delete, "rd": _remove_folder, "rmdir": _remove_folder, "copy": _copy,
    "move": _move, "ren": _move, "rename": _move,
    "type": _type, "dir": _list, "md": _make, "mkdir": _make, "mklink": _link, "cd": _go,
    "chdir": _go, "pushd": _go, "popd": _back, "set": _set,
    "setlocal": _local, "endlocal": _end_local, "echo": _echo, "call": _call, "start": _start,
    "assoc": _associate, "ftype": _associate, "ver": _text, "vol": _text, "date": _text,
    "time": _text,
    **dict.fromkeys("rem title cls color pause exit goto shift prompt verify break path".split(),
        _quiet),
}  # fmt: skip
"""What each does, by its name in lower case."""
