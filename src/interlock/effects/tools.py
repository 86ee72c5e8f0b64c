"""The agents' own tools that are no shell: files, search, web, sub-agents, MCP. Under every
client's names of the keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from interlock.data.words import words
from interlock.effects.connecting import to_url
from interlock.effects.context import CallContext
from interlock.effects.filenames import is_file
from interlock.effects.outgoing_words import VALUE, leaves
from interlock.effects.path_actions import PathAction
from interlock.effects.path_words import act_on
from interlock.effects.read_selection import ReadSelection
from interlock.effects.settings import KEPT, keeps_guard
from interlock.effects.tool_commands import MAX_NODES, MAX_VALUES, plain
from interlock.model.call import (
    EDIT,
    FETCH,
    GLOB,
    GREP,
    MCP,
    OTHER,
    READ,
    SEARCH,
    TASK,
    WRITE,
    ToolCall,
)
from interlock.model.effect import (
    UNKNOWN_HOST,
    Calls,
    Deletes,
    KillsProcess,
    Kind,
    Opaque,
    Reads,
    Sends,
    Writes,
)
from interlock.model.facts import MISSING
from interlock.shell.value import HOLE, Value

PATH_KEYS = frozenset(words("tools", "path keys"))
URL_KEYS = frozenset({"url", "urls", "uri", "href", "endpoint"})
_URL_ENDS = ("url", "urls", "href", "webhook", "endpoint")
DATA_KEYS = frozenset(words("tools", "data keys"))
PACKED_KEYS = frozenset({"arguments", "args", "input", "params", "parameters", "payload", "json"})
_DATABASES = words("tools", "databases")
_DELETING = ("delete", "remove", "unlink", "rmdir", "rm_", "trash", "purge", "destroy", "drop")
_WRITING = words("tools", "writing")


def _paths(call: ToolCall) -> list[str]:
    return [text for key, text in text_values(call.input) if plain(key) in PATH_KEYS and text]


def _act(context: CallContext, call: ToolCall, kind: Kind, *traits: str) -> None:
    """Add an effect on each path of the input; without a path the call is opaque."""
    paths = _paths(call)
    if not paths:
        context.opaque(f"{call.name} names no path", None, "no-path")
    for path in paths:
        _path(context, call, kind, path, *traits)


def _path(
    context: CallContext,
    call: ToolCall,
    kind: Kind,
    path: str,
    *traits: str,
    picks: ReadSelection | None = None,
) -> None:
    text = _of_url(path)
    for home in ("~", "$HOME", "${HOME}"):
        if text == home or text.startswith(home + "/"):
            text = (context.home or HOLE) + text[len(home) :]
            break
    pattern = "pattern" in traits
    found = frozenset(traits) - {"pattern"}
    if (
        kind is Writes
        and text.endswith(".json")
        and keeps_guard(context, call, context.normal(text, call.cwd or None) or "")
    ):
        found |= {KEPT}
    act = PathAction(kind, None, found, call.name, picks)
    act_on(context, act, Value(text, pattern=pattern), call.cwd or None)


def _of_url(text: str) -> str:
    """Return the path a ``file:`` URL names (RFC 8089), ``%2E`` and its like decoded; any other
    text as it is.
    """
    if text[:5].lower() != "file:":
        return text
    rest = text[5:]
    if rest.startswith("//"):
        rest = "/" + rest[2:].partition("/")[2]
    head, *coded = rest.split("%")
    out = [head.encode("utf-8", "surrogatepass")]
    for piece in coded:
        try:
            out.append(bytes.fromhex(piece[:2]) + piece[2:].encode("utf-8", "surrogatepass"))
        except ValueError:
            out.append(b"%" + piece.encode("utf-8", "surrogatepass"))
    return b"".join(out).decode("utf-8", "replace")


def _read(context: CallContext, call: ToolCall) -> None:
    _act(context, call, Reads)


def _write(context: CallContext, call: ToolCall) -> None:
    _act(context, call, Writes, "tool-write")
    _read_late(context, call, _paths(call))


def _edit(context: CallContext, call: ToolCall) -> None:
    """An edit, or a patch in the ``*** Begin Patch`` form that names its files itself."""
    patch = next(
        (
            text
            for key in _PATCH_KEYS
            if isinstance(text := call.input.get(key), str) and "*** Begin Patch" in text
        ),
        "",
    )
    named = [
        (kind, path.strip())
        for kind, path in map(_parse_patch_line, patch.split("\n"))
        if kind is not None and path.strip()
    ]
    for kind, path in named:
        _path(context, call, kind, path, "tool-edit")
    if not named or _paths(call):
        _act(context, call, Writes, "tool-edit")
    _read_late(context, call, [*_paths(call), *[path for _, path in named]])


def _read_late(context: CallContext, call: ToolCall, paths: list[str]) -> None:
    """Add what a text does that is put where something starts it later: mostly a hidden file, or
    one of the system.
    """
    late = [path for path in paths if "/." in f"/{path}" or "etc/" in path or path.endswith("ml")]
    if late:
        from interlock.effects import tool_texts

        tool_texts.read_late(context, call, late, list(text_values(call.input)))


def _parse_patch_line(line: str) -> tuple[Kind | None, str]:
    """Return what a line of a patch does to which file; clients take it with and without a space
    behind the colon.
    """
    head, _, path = line.strip().partition(":")
    return _PATCH_LINES.get(head), path


_PATCH_KEYS = ("command", "patch", "input", "patchText")
_PATCH_LINES: dict[str, Kind] = {
    "*** Add File": Writes,
    "*** Update File": Writes,
    "*** Delete File": Deletes,
    "*** Move to": Writes,
}


def _search(context: CallContext, call: ToolCall) -> None:
    """Glob and Grep look below a folder, or below the working folder; Grep shows what it finds in a
    file, or in those that its ``glob`` names.
    """
    glob = call.input.get("glob") or call.input.get("include")
    shown = call.tool == GREP and _shows(call)
    keys = ("pattern", "glob_pattern", "glob") if call.tool == GLOB else ("glob", "include")
    patterns = [text for key, text in text_values(call.input) if key in keys and text]
    for path in _paths(call) or ["."]:
        listed = call.tool == GLOB or not (
            shown or context.secret(context.normal(_of_url(path), call.cwd or None))
        )
        picks = _picks(call, glob, told=not shown) if call.tool == GREP else None
        how = ["listed"] if listed else ["recursive"] if shown else []
        _path(context, call, Reads, path, *how, picks=picks)
        for pattern in patterns:
            _add_pattern(context, call, path, pattern, picks)


def _shows(call: ToolCall) -> bool:
    """Whether a search shows the lines that it finds, and not only in which files; Claude Code's
    own names files unless it is told otherwise.
    """
    mode = call.input.get("output_mode")
    return mode == "content" if isinstance(mode, str) or call.name == "Grep" else True


def _picks(call: ToolCall, glob: object, *, told: bool) -> ReadSelection:
    """Return what a search looks into and looks for."""
    from interlock.effects.read_selection import ReadSelection

    sought = next(
        (
            text
            for key in ("pattern", "query", "regex")
            if isinstance(text := call.input.get(key), str)
        ),
        "",
    )
    names = (glob.rpartition("/")[2],) if isinstance(glob, str) and glob.strip("*/.") else ()
    return ReadSelection(names, sought=(sought,), told=told)


def _add_pattern(
    context: CallContext, call: ToolCall, folder: str, pattern: str, picks: ReadSelection | None
) -> None:
    """Add what a pattern of names reads: Grep's files, and what lies out of the folder."""
    from interlock.effects.globs import alternatives, is_absolute, leads_to

    if call.tool == GREP:
        _path(context, call, Reads, f"{folder}/{pattern}", "pattern", picks=picks)
    for one in alternatives(pattern):
        if call.tool == GREP and is_absolute(one):
            top = "/".join(one.split("/")[:2])
            # where it is missing the folder that is searched is meant: ``/src/*.py``
            if not context.is_kind(top, MISSING):
                _path(context, call, Reads, one, "pattern", picks=picks)
            continue
        for path in leads_to(one, folder):
            _path(context, call, Reads, path, "listed", picks=picks)


def _fetch(context: CallContext, call: ToolCall) -> None:
    named = [text for key, text in text_values(call.input) if plain(key) in URL_KEYS and text]
    if not named:
        text = call.input.get("prompt")
        named = [word for word in text.split() if "://" in word] if isinstance(text, str) else []
    if not named:
        context.opaque(f"{call.name} names no URL", None, "no-path")
    for url in named:
        if url[:5].lower() == "file:":
            _path(context, call, Reads, url)
        else:
            to_url(context, url, None, frozenset({"get"}), call.name)


def _quiet(context: CallContext, call: ToolCall) -> None:
    """A web search or a sub-agent: noted, and harmless by itself; what a sub-agent does is judged
    call by call. What is looked for leaves.
    """
    context.add(Calls, call.name, by=call.name)
    for text in [text for _, text in text_values(call.input)] if call.tool == SEARCH else []:
        if leaves(context, text):
            context.add(
                Sends,
                call.name,
                host=UNKNOWN_HOST,
                traits=frozenset({"carries-token"}),
                by=call.name,
            )


_WORKS_IN = ("project", "repo", "workspace", "cwd", "workdir", "workingdir")
"""How keys begin that say where a tool works; what it changes is that only where its name says so
(``delete_project``).
"""


def _foreign(context: CallContext, call: ToolCall) -> None:
    """MCP and unknown tools: what the arguments name (paths, URLs, commands, SQL, however deep),
    and then what the name says.
    """
    from interlock.effects.shell import ShellReader
    from interlock.effects.tool_commands import commands, is_command
    from interlock.effects.tool_names import read_name, split
    from interlock.effects.tool_settings import sets_bounds

    verb = split(call.name)[1].lower()
    acts = ((Deletes, _DELETING), (Writes, _WRITING))
    kind = next((one for one, words in acts if any(word in verb for word in words)), Reads)
    fields = _unpack_input(call.input)
    told = False
    traits = {"mcp" if call.tool == MCP else "unknown-tool"}

    def arguments() -> None:
        nonlocal told
        for command in commands(call.name, fields):
            ShellReader(context).read(command, call.cwd)
            told = True
        _add_kill(context, call, split(call.name)[1], fields)
        for key, text in text_values(fields, context):
            if leaves(context, text) == VALUE:
                traits.add("holds-secret")
            name = plain(key)
            if not is_command(name) and text.strip():
                told = _argument(context, call, name, text, kind) or told

    read = context.gather(arguments)
    known = [effect for effect in read.effects if effect.kind is not Calls]
    name = context.gather(lambda: traits.update(read_name(context, call, known, told=told)))
    if sets_bounds(split(call.name)[1], fields):
        traits = traits - {"unrecognised"} | {"sets-bounds"}
    context.add(Calls, call.name, traits=frozenset(traits), by=call.name)
    context.take(read.then(name))


def _add_kill(
    context: CallContext, call: ToolCall, tool: str, fields: Mapping[str, object]
) -> None:
    """Add the process that a tool ends whose name says so, and which is given its number."""
    from interlock.effects.verb_words import parts

    pid = next(
        (value for key, value in fields.items() if plain(str(key)) in ("pid", "processid")), None
    )
    if (
        isinstance(pid, (int, str))
        and str(pid).lstrip("-").isdigit()
        and not _ENDING.isdisjoint(parts(tool))
    ):
        how = "all" if str(pid) == "-1" else "init" if str(pid) == "1" else "by-pid"
        context.add(KillsProcess, str(pid), traits=frozenset({how}), by=call.name)


_ENDING = frozenset({"kill", "terminate", "end", "stop", "signal"})


def _argument(context: CallContext, call: ToolCall, name: str, text: str, kind: Kind) -> bool:
    """Read one text of the input, by its key and its looks; tell whether it was recognised."""
    named = (
        name not in DATA_KEYS and " " not in text and (name in URL_KEYS or name.endswith(_URL_ENDS))
    )
    if (
        ("://" in text[:12] or (named and ":" not in text[:5]))
        and not text.startswith(("file://", "/", "."))
        and " " not in text
    ):
        to_url(context, text, None, frozenset({"get"}), call.name)
    elif _is_path(name, text):
        verb = call.name.rpartition("__")[2].lower()
        acts = (
            Reads
            if kind is not Reads
            and name.startswith(_WORKS_IN)
            and not any(noun in verb for noun in _WORKS_IN)
            else kind
        )
        _path(
            context,
            call,
            acts,
            text,
            "tool-call",
            *_reach(context, call, text, acts, "listed" if acts is not kind else ""),
        )
    elif _is_sql(name, text, call):
        _sql(context, text, call)
    else:
        return False
    return True


def _reach(context: CallContext, call: ToolCall, text: str, acts: Kind, else_: str) -> list[str]:
    """Return how far a tool's act on a path reaches: what is not known to be one file may be a
    folder with all that is in it.
    """
    if acts is Deletes:
        return [] if is_file(context, _of_url(text), call.cwd or None) else ["recursive"]
    return [else_] if else_ else []


def _is_sql(name: str, text: str, call: ToolCall) -> bool:
    """Whether a text is SQL: by its key, by its key and the tool's name, or as a statement under a
    key that may hold SQL.
    """
    if "sql" in name or name in ("statement", "statements"):
        return True
    if name not in ("query", "queries", "q", "expression", "text", "input"):
        return False
    from interlock.effects.statements import changes  # few tools are given such texts
    from interlock.effects.tool_names import is_own

    return (
        name in ("query", "queries") and any(word in call.name.lower() for word in _DATABASES)
    ) or (changes(text) and not is_own(call.name))


def _unpack_input(data: Mapping[str, object]) -> Mapping[str, object]:
    """Return the input with the arguments that were handed over as a JSON text taken out of it,
    wherever they stand.
    """
    out: dict[str, object] = dict(data)
    left: list[dict[str, object] | list[object]] = [out]
    for holder in left:
        if len(left) > MAX_VALUES:
            break
        for key, value in holder.items() if isinstance(holder, dict) else enumerate(holder):
            new = (
                _parse_json(value)
                if isinstance(value, str) and isinstance(key, str) and plain(key) in PACKED_KEYS
                else value
            )
            if isinstance(new, (dict, list)):
                new = dict(new) if isinstance(new, dict) else list(new)
                left.append(new)
            holder[key] = new  # type: ignore[index]
    return out


def _parse_json(text: str) -> object:
    """Return the JSON object or list that a text holds, or the text."""
    from interlock.model.jsontext import JsonError, loads

    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return loads(text)
    except JsonError:
        return text


def _sql(context: CallContext, text: str, call: ToolCall) -> None:
    from interlock.effects.sql import read_text

    read_text(context, text, call.name)


def _is_path(key: str, text: str) -> bool:
    if "\n" in text or len(text) > 4096 or not text:
        return False
    if key in DATA_KEYS:
        return False
    named = any(
        word in key for word in ("path", "file", "dir", "folder", "target", "source", "destination")
    )
    return (
        text[:1] in "/~"
        or text[:5].lower() == "file:"
        or (text[:1] == "." and "/" in text)
        or named
    )


def text_values(
    data: Mapping[str, object], context: CallContext | None = None
) -> Iterator[tuple[str, str]]:
    """Yield every string of the input with the key it stands under, bounded; the rest is opaque."""
    left: list[tuple[str, object]] = list(data.items())
    found = 0
    for key, value in left:
        if isinstance(value, str):
            found += 1
            yield key, value
        inner = (
            list(value.items())
            if isinstance(value, dict)
            else [(key, item) for item in value]
            if isinstance(value, (list, tuple))
            else []
        )
        if found >= MAX_VALUES or len(left) + len(inner) > MAX_NODES:
            if context is not None:
                context.opaque("more arguments than can be looked at", None, "too-much")
            return
        left.extend([(str(name), item) for name, item in inner])


def read_unknown(context: CallContext, call: ToolCall) -> None:
    """Read a call whose kind is not in the table: as a tool nobody described."""
    context.add(
        Opaque,
        call.name,
        traits=frozenset({"unknown-tool"}),
        by=call.name,
        detail=f"a tool of the unknown kind {call.tool!r}",
    )
    context.misses()
    _foreign(context, call)


READERS: dict[str, Callable[[CallContext, ToolCall], None]] = {
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
