"""AppleScript: which applications are told to do what, and the shell texts in it (AppleScript
Language Guide, Standard Additions).
"""

from __future__ import annotations

from interlock.effects.foreign.search import word_at
from interlock.effects.run import Run
from interlock.model.effect import (
    ControlsSystem,
    Deletes,
    EscalatesPrivilege,
    Executes,
    KillsProcess,
    Persists,
    Reads,
    Writes,
)
from interlock.shell.value import HOLE, Value

_HARMLESS = (
    "display notification", "display alert", "display dialog", "activate", "get ", "say ", "beep",
    "return", "count ", "exists ", "log ", "launch", "name of", "version of", "set volume",
    "reopen", "delay", "the volume", "volume of",
    "id of", "open location", "set visible", "set bounds", "visible of",
)  # fmt: skip
"""What a script may tell an application without a question: messages, looks, sounds."""
_PLAIN = frozenset(
    "end try on return repeat if else considering ignoring using with error exit".split()
)
_POWER = ("shut down", "restart", "log out", "sleep", "logout")
_TYPED = ("keystroke", "key code", "click ", "key down", "key up", "perform action")


class AppleScript:
    """One script: what names stand for, and whom the commands are told to."""

    def __init__(self, run: Run, value: Value | None) -> None:
        self.run = run
        self.at = value
        self.names: dict[str, str] = {}
        self.told: list[str] = []

    def read(self, text: str) -> None:
        """Read a script line by line; a line that ends with the mark of continuation goes on."""
        for line in text.replace("\u00ac\n", " ").replace("\r", "\n").split("\n")[:2000]:
            self._line(
                line.partition("--")[0].strip()
                if "--" in line and '"' not in line
                else line.strip()
            )

    def _line(self, line: str) -> None:
        low = line.lower()
        if low.startswith("tell "):
            name = _find_quoted(line) or line[5:].partition(" to ")[0]
            self.told.append(name)
            rest = _after_to(line)
            if rest:
                self._line(rest)
                self.told.pop()
            elif low.startswith("tell application") is False:
                self.told[-1] = self.told[-2] if len(self.told) > 1 else name
            return
        if low.startswith("end tell"):
            del self.told[-1:]
            return
        if low.startswith("set ") and " to " in line:
            name, _, value = line[4:].partition(" to ")
            self.names[name.strip()] = self.text(value)
        self._shell(line, low)
        self._commands(line, low)

    def text(self, expression: str) -> str:
        """Return a text put together with ``&``; what is unknown is a hole."""
        out = []
        for part in _pieces(expression):
            piece = part.strip().removeprefix("quoted form of ").strip("() ")
            if piece[:1] == '"':
                out.append(_unescape(piece[1:].rpartition('"')[0]))
            else:
                out.append(
                    self.names.get(
                        piece,
                        {"return": "\n", "space": " ", "linefeed": "\n", "quote": '"'}.get(
                            piece, HOLE
                        ),
                    )
                )
        return "".join(out)

    def _shell(self, line: str, low: str) -> None:
        """``do shell script "text" with administrator privileges``; ``do script "text"`` of
        Terminal types it.
        """
        for mark in ("do shell script", "do script", "write text"):
            at = low.find(mark)
            if at < 0:
                continue
            rest = line[at + len(mark) :]
            for end in (
                " with administrator privileges",
                " user name",
                " password ",
                " without altering",
                " with timeout",
                " in window",
                " in front",
                " in tab",
            ):
                rest = rest.partition(end)[0]
            text = self.text(rest)
            if "administrator privileges" in low:
                self.run.effect(EscalatesPrivilege, "administrator", value=self.at)
            if not text.strip(HOLE).strip():
                self.run.unknown_code("argument", "applescript", value=self.at)
            else:
                self.run.code(word_at(text, self.at))

    def _commands(self, line: str, low: str) -> None:
        """What an application is told, or the script does by itself."""
        told = self.told[-1] if self.told else ""
        if "hidden answer" in low or (
            "display dialog" in low and "default answer" in low and "password" in low
        ):
            self.run.effect(
                Executes, "display dialog", "captures", value=self.at, detail="asks for a password"
            )
        if "clipboard" in low and not low.startswith("set the clipboard"):
            self.run.effect(
                Executes, "clipboard", "captures", value=self.at, detail="reads the clipboard"
            )
        if low.startswith("quit app") or (told and low.split()[:1] == ["quit"]):
            self.run.effect(KillsProcess, _find_quoted(line) or told, "by-name", value=self.at)
            return
        if "login item" in low and ("make" in low or "delete" in low):
            self.run.effect(Persists, _find_quoted(line), "login-item", value=self.at)
        if low.startswith(("load script", "run script")):
            self.run.unknown_code("argument", "applescript", value=self.at)
        if told in ("Finder", "System Events") and (
            low.startswith(("delete ", "move ", "duplicate ")) or "empty" in low.split()[:1]
        ):
            self._files(line, low)
        if told and (low in _POWER or low.startswith(_POWER)):
            self.run.effect(ControlsSystem, told, "power", value=self.at)
        if (
            told
            and low
            and low.split(maxsplit=1)[0] not in _PLAIN
            and not low.startswith(_HARMLESS)
            and not _looks(low)
        ):
            self.run.effect(
                Executes,
                told,
                "drives-applications",
                *(["types"] if low.startswith(_TYPED) else []),
                value=self.at,
            )

    def _files(self, line: str, low: str) -> None:
        """The Finder deletes, moves and copies."""
        path = _path(line)
        kind = Reads if low.startswith("duplicate") else Deletes
        word = word_at(path or HOLE, self.at)
        if kind is Deletes:
            self.run.path(
                Deletes, word, "recursive", *(["moved"] if low.startswith("move") else [])
            )
        else:
            self.run.path(Reads, word)
            rest = line.rpartition(" to ")[2]
            if "file" in rest and _path(rest):
                self.run.path(Writes, word_at(_path(rest), self.at), "copied")


def _looks(low: str) -> bool:
    """Whether a statement only asks: ``set x to name of ..``; ``if .. then``."""
    return (
        low.startswith("set ")
        and " to " in low
        and not low.partition(" to ")[2].startswith(
            ("make", "do ", "duplicate", "move", "open", "run ")
        )
        and low.split()[1] not in ("value", "contents", "text")
    )


def _after_to(line: str) -> str:
    """Return the command of ``tell application "X" to command``."""
    head, quote, rest = line.partition('"')
    if quote:
        rest = rest.partition('"')[2]
        return rest.partition("to ")[2].strip() if rest.strip().startswith("to ") else ""
    return head.partition(" to ")[2].strip()


def _find_quoted(line: str) -> str:
    parts = line.split('"')
    return parts[1] if len(parts) > 2 else ""


def _path(line: str) -> str:
    """Return the path that a file is named by: ``POSIX file "/a/b"``, ``"Macintosh HD:a:b"``."""
    text = _find_quoted(line)
    if "/" not in text and ":" in text:
        return "/" + "/".join(text.split(":")[1:])
    return text


def _pieces(expression: str) -> list[str]:
    """Return the operands of ``&``; marks inside quotes divide nothing."""
    found, start, at, inside = [], 0, 0, False
    while at < len(expression):
        char = expression[at]
        if char == "\\" and inside:
            at += 1
        elif char == '"':
            inside = not inside
        elif char == "&" and not inside:
            found.append(expression[start:at])
            start = at + 1
        at += 1
    return [*found, expression[start:]]


def _unescape(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")


def read_code(run: Run, text: str, value: Value | None) -> None:
    """Add what an AppleScript would do."""
    AppleScript(run, value).read(text)
