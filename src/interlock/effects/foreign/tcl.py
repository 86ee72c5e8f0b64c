"""Tcl and Expect: words and commands, by the twelve rules of tcl(n)."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.connecting import to_host
from interlock.effects.foreign.search import word_at
from interlock.effects.run import Run
from interlock.model.effect import Connects, Deletes, Kind, Listens, Reads, Writes
from interlock.shell.value import HOLE, NOTHING, Value

MAX_WORDS = 4000
MAX_DEPTH = 40
_BODIES = frozenset(
    "if while for foreach catch try eval proc namespace uplevel after expect expect_before after_idle time else elseif then switch".split()
)
_STREAMS = ("<@", ">@", "2>@", "&")


class Tcl:
    """One program: variables that are known, and what its commands do."""

    def __init__(self, run: Run, value: Value | None) -> None:
        self.run = run
        self.at = value
        self.variables: dict[str, str] = {}
        self.sockets: set[str] = set()
        self.spawned = False
        self.depth = 0
        self.left = MAX_WORDS

    def read(self, text: str) -> None:
        """Read every command of a text."""
        self.depth += 1
        for words in commands(text) if self.depth <= MAX_DEPTH else ():
            self.left -= len(words)
            if self.left < 0:
                break
            self._command(words)
        if self.depth > MAX_DEPTH or self.left < 0:
            self.run.context.opaque("more Tcl than can be read", self.run.span(), "too-much")
        self.depth -= 1

    def _word(self, word: tuple[str, str]) -> str:
        """Return a word with known variables put in and ``[..]`` read; the unknown is a hole."""
        kind, text = word
        if kind == "{":
            return text
        out, at = [], 0
        while at < len(text):
            char = text[at]
            if char == "\\" and at + 1 < len(text):
                out.append({"n": "\n", "t": "\t", "r": "\r"}.get(text[at + 1], text[at + 1]))
                at += 2
            elif char == "$":
                name, at = _variable(text, at + 1)
                out.append(self.variables.get(name, HOLE) if name else "$")
            elif char == "[":
                end = closing(text, at + 1, "[", "]")
                self.read(text[at + 1 : end - 1])
                out.append(HOLE)
                at = end
            else:
                out.append(char)
                at += 1
        return "".join(out)

    def _command(self, words: list[tuple[str, str]]) -> None:
        name = self._word(words[0]).removeprefix("::")
        if name in _BODIES:
            for kind, text in words[1:]:
                if kind == "{":
                    self.read(text)
            if name not in ("eval", "uplevel", "after", "time"):
                return
        rest = [self._word(word) for word in words[1:]]
        if name == "set" and len(rest) > 1:
            self.variables[rest[0]] = rest[1]
            if any(mark in words[2][1] for mark in ("[socket", "[accept")):
                self.sockets.add(rest[0])
        read = _COMMANDS.get(name)
        if read is not None and rest:
            read(self, rest, words[1:])

    # -- what commands do --------------------------------------------------------------------------

    def execute(self, rest: list[str], words: list[tuple[str, str]]) -> None:
        """``exec ?-opts? program arg ..``: streams may be channels."""
        given = [
            word
            for word in rest
            if not word.startswith(_STREAMS)
            and word not in ("-ignorestderr", "--", "-noecho", "-keepnewline")
        ]
        if self.sockets and any(mark in text for _, text in words for mark in ("[gets", "[read")):
            self.run.unknown_code("network", "tcl")
        if any(text.lstrip("<>2@&").lstrip("$") in self.sockets for _, text in words):
            self._join_socket()
        self.start(given)

    def _join_socket(self) -> None:
        detail = "a shell is joined to a socket"
        self.run.effect(Connects, "", "socket", "shell", host="unknown", detail=detail)

    def start(self, words: list[str]) -> None:
        """A program is started; one that nobody can name, where a socket is open, is named by
        whoever is at the other end.
        """
        if words and words[0][:1] == HOLE and self.sockets:
            self.run.unknown_code("network", "tcl")
            self._join_socket()
        elif words:
            self.run.command([word_at(word, self.at) for word in words], NOTHING)

    def spawn(self, rest: list[str], words: list[tuple[str, str]]) -> None:
        """``spawn program arg ..`` of Expect: what is sent later is typed into it."""
        del words
        given = [word for word in rest if word not in ("-noecho", "-nottycopy")]
        self.spawned = bool(given) and given[0].rpartition("/")[2] in (
            "sh",
            "bash",
            "zsh",
            "dash",
            "ksh",
            "su",
            "sudo",
        )
        self.start(given)

    def send(self, rest: list[str], words: list[tuple[str, str]]) -> None:
        """``send text``: a command where a shell was spawned."""
        del words
        text = rest[-1].replace("\r", "\n").replace("\\r", "\n").removesuffix("\n")
        if self.spawned and text.strip(HOLE).strip():
            self.run.code(word_at(text, self.at))

    def shell(self, rest: list[str], words: list[tuple[str, str]]) -> None:
        """``system text`` of TclX."""
        del words
        self.run.code(word_at(" ".join(rest), self.at))

    def open_(self, rest: list[str], words: list[tuple[str, str]]) -> None:
        """``open path mode``, ``open |command``."""
        del words
        if rest[0][:1] == "|":
            self.run.code(word_at(rest[0][1:].strip(), self.at))
            return
        writes = len(rest) > 1 and rest[1][:1] in ("w", "a", "W")
        self._path(
            Writes if writes else Reads,
            rest[0],
            *(["truncate" if rest[1][:1] == "w" else "append"] if writes else []),
        )

    def _path(self, kind: Kind, path: str, *traits: str) -> None:
        """Add an effect on a path; ``~`` is the home folder (filename(n), before Tcl 9)."""
        self.run.path(kind, word_at(self.run.context.at_home(path), self.at), *traits)

    def file(self, rest: list[str], words: list[tuple[str, str]]) -> None:
        """``file delete -force path..``, ``file rename``, ``file copy``, ``file mkdir``."""
        del words
        verb, operands = rest[0], [word for word in rest[1:] if word not in ("-force", "--")]
        if verb == "delete":
            for path in operands:
                self._path(Deletes, path, *(["recursive"] if "-force" in rest else []))
        elif verb in ("rename", "copy") and len(operands) > 1:
            for path in operands[:-1]:
                self._path(
                    Deletes if verb == "rename" else Reads,
                    path,
                    *(["moved"] if verb == "rename" else []),
                )
            self._path(Writes, operands[-1], "moved-to" if verb == "rename" else "copied")
        elif verb == "mkdir":
            for path in operands:
                self._path(Writes, path, "create")

    def socket(self, rest: list[str], words: list[tuple[str, str]]) -> None:
        """``socket host port``, ``socket -server command port``."""
        del words
        if "-server" in rest:
            self.run.effect(Listens, rest[-1])
        elif len(rest) > 1:
            to_host(
                self.run.context,
                Connects,
                rest[-2],
                self.run.span(self.at),
                frozenset({"socket"}),
                self.run.name,
            )

    def source(self, rest: list[str], words: list[tuple[str, str]]) -> None:
        """``source file``."""
        del words
        self.run.script(word_at(rest[-1], self.at), "tcl")

    def evaluate(self, rest: list[str], words: list[tuple[str, str]]) -> None:
        """``eval word ..``; a word in braces was read with the others."""
        if any(kind != "{" for kind, _ in words):
            text = " ".join(rest)
            if HOLE in text and not text.strip(HOLE).strip():
                self.run.unknown_code("network" if self.sockets else "argument", "tcl")
            else:
                self.read(text)


_COMMANDS: dict[str, Callable[[Tcl, list[str], list[tuple[str, str]]], None]] = {
    "exec": Tcl.execute, "spawn": Tcl.spawn, "send": Tcl.send, "exp_send": Tcl.send,
    "system": Tcl.shell, "open": Tcl.open_, "file": Tcl.file, "socket": Tcl.socket,
    "source": Tcl.source, "eval": Tcl.evaluate,
    "uplevel": Tcl.evaluate,
}  # fmt: skip


def commands(text: str) -> list[list[tuple[str, str]]]:
    """Return the commands of a text: words with what they were quoted in."""
    found: list[list[tuple[str, str]]] = []
    words: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        char = text[at]
        if char in "\n;":
            found.append(words)
            words = []
            at += 1
        elif char in " \t\r" or text.startswith("\\\n", at):
            at += 1 + (char == "\\")
        elif char == "#" and not words:
            at = text.find("\n", at)
            at = at if at >= 0 else len(text)
        else:
            word, at = _one_word(text, at)
            words.append(word)
    return [words for words in [*found, words] if words]


def _one_word(text: str, at: int) -> tuple[tuple[str, str], int]:
    if text[at] == "{":
        end = closing(text, at + 1, "{", "}")
        return ("{", text[at + 1 : end - 1]), end
    if text[at] == '"':
        end = closing(text, at + 1, "", '"')
        return ('"', text[at + 1 : end - 1]), end
    end = at
    while end < len(text) and text[end] not in " \t\r\n;":
        if text[end] == "[":
            end = closing(text, end + 1, "[", "]")
        else:
            end += 2 if text[end] == "\\" else 1
    return ("", text[at:end]), end


def closing(text: str, at: int, opens: str, close: str) -> int:
    """Return the place after the closing mark."""
    depth = 1
    while at < len(text):
        char = text[at]
        at += 2 if char == "\\" else 1
        if char == close:
            depth -= 1
            if depth == 0:
                return at
        elif char == opens:
            depth += 1
    return len(text) + 1


def _variable(text: str, at: int) -> tuple[str, int]:
    if text[at : at + 1] == "{":
        end = text.find("}", at)
        return (text[at + 1 : end], end + 1) if end > 0 else ("", at)
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "_:"):
        end += 1
    return text[at:end], end


def read_code(run: Run, text: str, value: Value | None) -> None:
    """Add what a Tcl program would do."""
    Tcl(run, value).read(text)
