"""Calls whose text one of Windows' shells may read: which one it is, and reading it. The call says
it; it is never guessed from the text.
"""

from __future__ import annotations

from interlock.effects.gathering import ReadResult
from interlock.effects.names import WINDOWS_SHELLS
from interlock.effects.shell import ShellReader
from interlock.model.call import ToolCall
from interlock.model.effect import Effect, Opaque
from interlock.shell.execution import NestedText
from interlock.shell.state import ShellState
from interlock.shell.walk import Walker

_READS: dict[str, str] = {
    "powershell": "powershell", "pwsh": "powershell", "cmd": "cmd", "bash": "sh", "sh": "sh",
    "zsh": "sh", "git-bash": "sh", "gitbash": "sh",
    "wsl": "sh",
}  # fmt: skip
_POSIX_TOOLS = frozenset({"bash", "execute_bash", "shell_bash", "exec_bash"})


def dialect(call: ToolCall) -> str:
    """Return who reads the text: ``sh``, ``powershell``, ``cmd``; ``either`` where nothing says
    which shell of Windows does.
    """
    for named in (call.shell, call.input.get("shell"), WINDOWS_SHELLS.get(call.name)):
        if isinstance(named, str) and named:
            name = named.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
            found = _READS.get(name)
            if found is not None:
                return found
    return (
        "either" if call.platform == "windows" and call.name.lower() not in _POSIX_TOOLS else "sh"
    )


def read(reader: ShellReader, call: ToolCall, text: str, cwd: str) -> list[NestedText]:
    """Read a call's text by the shell that will read it; by both of Windows' where nobody says by
    which. Return all texts met.
    """
    shell = dialect(call)
    if shell == "sh":
        return reader.read(text, cwd)
    context = reader.context
    walker = Walker(reader, ShellState(cwd or None, context.home, lambda _: None))
    if shell != "either":
        _read(shell, reader, walker, text)
        return walker.texts
    one = context.gather(lambda: _read("powershell", reader, walker, text, both=True))
    walker.state = ShellState(cwd or None, context.home, lambda _: None)
    other = context.gather(lambda: _read("cmd", reader, walker, text, both=True))
    context.take(_keep_read(one, other))
    return walker.texts


def _keep_read(one: ReadResult, other: ReadResult) -> ReadResult:
    """Leave out what only says that one of the shells cannot read a text which is plainly meant for
    the other.

    PowerShell runs nothing of a text with ``if`` or ``for`` without brackets; what cmd.exe cannot
    read of a text that PowerShell reads whole is PowerShell's. Anything else that could not be read
    stays.
    """
    from interlock.effects.powershell.parse import NO_BRACKETS

    if not any(map(_is_unread, one.effects)):
        other = other.of([effect for effect in other.effects if not _is_unread(effect)])
    meant = [one for one in one.effects if not (_is_unread(one) and one.detail == NO_BRACKETS)]
    return one.of(meant).then(other)


def _is_unread(effect: Effect) -> bool:
    return effect.kind is Opaque and "syntax" in effect.traits


def _read(
    shell: str, reader: ShellReader, walker: Walker, text: str, *, both: bool = False
) -> None:
    if not walker.texts:
        walker.texts.append(NestedText(text, 0, 0, len(text), "input"))
    with walker.within(text=0):
        reader.context.readers.call_text(shell)(reader, walker, text, both=both)
