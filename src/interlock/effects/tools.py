"""The agents' own tools that are no shell: files, search, web, sub-agents, MCP. Under every client's names of the keys."""

from __future__ import annotations

from interlock.model.call import EDIT, FETCH, GLOB, GREP, MCP, OTHER, READ, SEARCH, TASK, WRITE
from interlock.model.effect import Calls, Deletes, Opaque, Reads, Writes
from interlock.shell.value import HOLE, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from interlock.effects.context import Context
    from interlock.model.call import ToolCall
    from interlock.model.effect import Kind

PATH_KEYS = ("file_path", "path", "notebook_path", "absolute_path", "filename", "filePath", "file", "target_file", "dir_path", "directory")
URL_KEYS = ("url", "uri", "href", "endpoint")
COMMAND_KEYS = ("command", "cmd", "shell", "script", "bash")
MAX_VALUES = 400
_DELETING = ("delete", "remove", "unlink", "rmdir", "rm_", "trash", "purge", "destroy", "drop")
_WRITING = (
    "write",
    "create",
    "edit",
    "save",
    "put",
    "append",
    "update",
    "touch",
    "mkdir",
    "move",
    "rename",
    "copy",
    "replace",
    "insert",
    "upload",
    "set",
)


def _paths(call: ToolCall) -> list[str]:
    found = [call.input.get(key) for key in PATH_KEYS]
    return [path for path in found if isinstance(path, str) and path]


def _act(context: Context, call: ToolCall, kind: Kind, *traits: str) -> None:
    """Add an effect on each path of the input; without a path the call is opaque."""
    paths = _paths(call)
    if not paths:
        context.opaque(f"{call.name} names no path", None, "no-path")
    for path in paths:
        _path(context, call, kind, path, *traits)


def _path(context: Context, call: ToolCall, kind: Kind, path: str, *traits: str) -> None:
    text = path if path[:1] != "~" else (context.home or HOLE) + path[1:] if path[1:2] in ("", "/") else path
    text = text.removeprefix("file://")
    context.path(kind, Value(text), call.cwd or None, None, frozenset(traits), call.name)


def _read(context: Context, call: ToolCall) -> None:
    _act(context, call, Reads)


def _write(context: Context, call: ToolCall) -> None:
    _act(context, call, Writes, "tool-write")


def _edit(context: Context, call: ToolCall) -> None:
    """An edit, or a patch in the ``*** Begin Patch`` form that names its files itself."""
    patch = call.input.get("command") or call.input.get("patch") or call.input.get("input")
    if isinstance(patch, str) and "*** Begin Patch" in patch:
        for line in patch.split("\n"):
            head, colon, path = line.partition(": ")
            kind = _PATCH_LINES.get(head)
            if colon and kind is not None:
                _path(context, call, kind, path.strip(), "tool-edit")
        return
    _act(context, call, Writes, "tool-edit")


_PATCH_LINES: dict[str, Kind] = {"*** Add File": Writes, "*** Update File": Writes, "*** Delete File": Deletes, "*** Move to": Writes}


def _search(context: Context, call: ToolCall) -> None:
    """Glob and Grep read below a folder, or below the working folder."""
    for path in _paths(call) or ["."]:
        _path(context, call, Reads, path, "listed")


def _fetch(context: Context, call: ToolCall) -> None:
    urls = [call.input.get(key) for key in URL_KEYS]
    named = [url for url in urls if isinstance(url, str) and url]
    if not named:
        text = call.input.get("prompt")
        named = [word for word in text.split() if "://" in word] if isinstance(text, str) else []
    if not named:
        context.opaque(f"{call.name} names no URL", None, "no-path")
    for url in named:
        context.url(url, None, frozenset({"get"}), call.name)


def _quiet(context: Context, call: ToolCall) -> None:
    """A web search or a sub-agent: noted, and harmless by itself; what a sub-agent does is judged call by call."""
    context.add(Calls, call.name, by=call.name)


def _foreign(context: Context, call: ToolCall) -> None:
    """MCP and unknown tools: the name tells little, so the arguments are read: paths, URLs, commands."""
    context.add(Calls, call.name, traits=frozenset({"mcp" if call.tool == MCP else "unknown-tool"}), by=call.name)
    verb = call.name.rpartition("__")[2].lower()
    kind = Deletes if any(word in verb for word in _DELETING) else Writes if any(word in verb for word in _WRITING) else Reads
    for key, text in _values(call.input):
        name = key.lower()
        if name in COMMAND_KEYS and text.strip():
            from interlock.effects.shell import ShellReader

            ShellReader(context).read(text, call.cwd)
        elif "://" in text[:12] and not text.startswith("file://") and " " not in text:
            context.url(text, None, frozenset({"get"}), call.name)
        elif _is_path(name, text):
            _path(context, call, kind, text, "tool-call", *(["recursive"] if kind is Deletes else []))
        elif name in ("sql", "query", "statement") and text.strip():
            _sql(context, text, call)


def _sql(context: Context, text: str, call: ToolCall) -> None:
    from interlock.effects.sql import read_text

    read_text(context, text, call.name)


def _is_path(key: str, text: str) -> bool:
    if "\n" in text or len(text) > 4096 or not text:
        return False
    named = any(word in key for word in ("path", "file", "dir", "folder", "target", "source", "destination"))
    return text[:1] in "/~" or text.startswith(("./", "../", "file://")) or (named and key not in ("file_text", "file_content", "profile", "filter"))


def _values(data: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield every string of the input with the key it stands under, at most 400."""
    left: list[tuple[str, object]] = list(data.items())
    for _ in range(MAX_VALUES):
        if not left:
            return
        key, value = left.pop(0)
        if isinstance(value, str):
            yield key, value
        elif isinstance(value, dict):
            left.extend((str(name), item) for name, item in value.items())
        elif isinstance(value, (list, tuple)):
            left.extend((key, item) for item in value)


def read_unknown(context: Context, call: ToolCall) -> None:
    """Read a call whose kind is not in the table: as a tool nobody described."""
    context.add(Opaque, call.name, traits=frozenset({"unknown-tool"}), by=call.name, detail=f"a tool of the unknown kind {call.tool!r}")
    context.partial = True
    _foreign(context, call)


READERS: dict[str, Callable[[Context, ToolCall], None]] = {
    READ: _read,
    WRITE: _write,
    EDIT: _edit,
    GLOB: _search,
    GREP: _search,
    FETCH: _fetch,
    SEARCH: _quiet,
    TASK: _quiet,
    MCP: _foreign,
    OTHER: _foreign,
}
