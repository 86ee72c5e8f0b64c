"""Variables of cmd.exe: ``%x%``, ``%x:~1,2%``, ``%x:a=b%``, ``!x!``, ``%%i``, ``%~nxi``, ``%1``
(Microsoft Learn: set, for, cmd).
"""

from __future__ import annotations

from interlock.effects import windows_paths
from interlock.effects.context import CallContext
from interlock.shell.value import ENVIRONMENT, HOLE, MAX_TEXT

_FIXED = {
    "cmdextversion": "2",
    "errorlevel": HOLE,
    "random": HOLE,
    "date": HOLE,
    "time": HOLE,
    "cmdcmdline": HOLE,
}
_MODIFIERS = frozenset("fdpnxsatz")
MAX_LINE = 8191
"""Characters of a command line and of a variable ("Command prompt line string limitation")."""


class CmdVariables:
    """What a session of cmd.exe knows of its variables. ``loops``: the values of ``for`` variables,
    each with why it is unknown.
    """

    def __init__(self, context: CallContext) -> None:
        self.context = context
        self.known: dict[str, str] = {}
        self.loops: dict[str, str] = {}
        self.why: dict[str, str] = {}
        self.cwd: str | None = None
        self.jumps = False
        """Whether the text jumps (``goto``): then a variable set twice may hold either."""

    def lookup(self, name: str) -> str | None:
        """Return a variable's text; None where nobody knows whether it is set."""
        low = name.lower()
        if low in self.known:
            return self.known[low]
        if low == "cd":
            return self.cwd
        if low in _FIXED:
            return _FIXED[low]
        return windows_paths.variable(self.context.home, low)

    def assign(self, name: str, text: str) -> None:
        """Set a variable."""
        name = name.strip().lower()
        again = self.jumps and self.known.get(name, text) != text
        self.known[name] = HOLE if again or len(text) > MAX_LINE else text

    def expand_line(self, text: str) -> str:
        """Put in what is known of ``%x%`` before a line is read; the rest stays for later."""
        return self._expand(text, "%", late=False) if "%" in text else text

    def expand_word(self, text: str) -> str:
        """Put in loop variables, ``!x!``, and what was unknown before; the rest is a hole."""
        if self.loops and "%" in text:
            text = self._loops(text)
        if "%" in text:
            text = self._expand(text, "%", late=True)
        return self._expand(text, "!", late=True) if text.count("!") > 1 else text

    def keep_word(self, text: str) -> str:
        """Put in loop variables and what is known; the rest stays for a started shell to expand."""
        if self.loops and "%" in text:
            text = self._loops(text)
        return self._expand(text, "%", late=False) if "%" in text else text

    def _expand(self, text: str, sign: str, *, late: bool) -> str:
        pieces: list[str] = []
        at = size = 0
        while size <= MAX_TEXT:
            start = text.find(sign, at)
            if start < 0:
                pieces.append(text[at:])
                break
            pieces.append(text[at:start])
            end = text.find(sign, start + 1)
            following = text[start + 1 : start + 2]
            if sign == "%" and (following.isdigit() or following in ("*", "~")) and following:
                pieces.append(HOLE if late else text[start : start + 2])
                at = start + 2
                while (
                    late
                    and following == "~"
                    and at < len(text)
                    and (text[at] in _MODIFIERS or text[at].isdigit())
                ):
                    at += 1
                continue
            name = text[start + 1 : end] if end > 0 else ""
            if not name or "\n" in name or len(name) > 512 or " " in name.partition(":")[0]:
                pieces.append(sign)
                at = start + 1
                continue
            found = self._value(name)
            if found is None:
                found = HOLE if late else text[start : end + 1]
            pieces.append(found)
            size += len(found)
            at = end + 1
        return "".join(pieces) if size <= MAX_TEXT else HOLE

    def _value(self, name: str) -> str | None:
        base, colon, rest = name.partition(":")
        text = self.lookup(base)
        if text is None or not colon:
            return text
        if rest[:1] == "~":
            first, _, count = rest[1:].partition(",")
            return _part(text, first, count)
        old, equals, new = rest.partition("=")
        if not equals or not old.lstrip("*") or HOLE in text:
            return HOLE
        if old[:1] == "*":
            before, found, after = text.lower().partition(old[1:].lower())
            return new + text[len(text) - len(after) :] if found else text + before[:0]
        if len(text) * (len(new) + 1) > MAX_TEXT:
            return HOLE
        return _replace(text, old, new)

    def _loops(self, text: str) -> str:
        """Put in ``%%i``, ``%i``, ``%~fi``."""
        pieces: list[str] = []
        at = size = 0
        while (start := text.find("%", at)) >= 0 and size <= MAX_TEXT:
            pieces.append(text[at:start])
            end = start + (2 if text[start : start + 2] == "%%" else 1)
            modified = text[end : end + 1] == "~"
            end += modified
            while (
                modified
                and text[end : end + 1].lower() in _MODIFIERS
                and text[end + 1 : end + 2].isalpha()
            ):
                end += 1
            name = text[end : end + 1]
            if name in self.loops and name:
                value = self.loops[name]
                pieces.append(value.strip('"') if modified else value)
                size += len(value)
                at = end + 1
            else:
                pieces.append(text[start:end])
                at = end
        return "".join([*pieces, text[at:]]) if size <= MAX_TEXT else HOLE

    def reason(self, text: str) -> str:
        """Return where the unknown piece of a text comes from."""
        if HOLE not in text:
            return ""
        return next((why for why in self.why.values() if why), ENVIRONMENT)


def _part(text: str, first: str, count: str) -> str:
    """``%x:~first,count%``."""
    if HOLE in text:
        return HOLE
    try:
        start = int(first or "0")
        size = int(count) if count.strip() else len(text)
    except ValueError:
        return HOLE
    start = max(0, len(text) + start) if start < 0 else start
    return text[start : start + size] if size >= 0 else text[start : max(start, len(text) + size)]


def _replace(text: str, old: str, new: str) -> str:
    low, small, pieces, at = text.lower(), old.lower(), [], 0
    while (found := low.find(small, at)) >= 0:
        pieces += [text[at:found], new]
        at = found + len(small)
    return "".join([*pieces, text[at:]])
