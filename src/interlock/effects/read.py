"""A call to its effects: the one way in. Which reader a tool gets is a row of ``READERS``."""

from __future__ import annotations

from interlock.effects import registry
from interlock.effects.context import CallContext
from interlock.effects.gathering import ReadResult
from interlock.effects.mounts import MOUNTING
from interlock.effects.names import WINDOWS_SHELLS, tool_of
from interlock.effects.programs.table import Sections, build_rows
from interlock.effects.shell import ShellReader
from interlock.effects.tools import READERS, read_unknown
from interlock.model.call import PYTHON, SHELL, ToolCall
from interlock.model.effect import Effect, Opaque, Reading, Reads, Span, Text, Writes
from interlock.model.facts import Facts
from interlock.model.kinds import meaning
from interlock.shell.execution import NestedText

PAGES = (".md", ".mdc", ".toml")
"""How pages of a client's own agents, skills and commands end."""
SHELL_KEYS = ("command", "cmd", "script", "code")


def read(call: ToolCall, facts: Facts, programs: Sections = ()) -> Reading:
    """Return what the call would do, with every text met on the way and whether all of it was
    understood.

    ``programs``: those that the policy describes, by name, as the lines of a section of
    ``data/programs``.
    """
    context = CallContext(call, facts, registry)
    reader = ShellReader(context, build_rows(programs) if programs else {})
    texts: tuple[Text, ...] = ()
    tool = tool_of(call.tool, call.name)
    if tool == SHELL:
        texts = _shell(reader, call)
    elif tool == PYTHON:
        texts = _python(context, call)
    else:
        READERS.get(tool, read_unknown)(context, call)
    text = texts[0].text if texts else ""
    found = context.found()
    if call.typed:
        from interlock.effects.interactive import judge  # few clients can

        found = judge(found, context.commands(), text)
    changed = [effect.target for effect in found.effects if effect.kind is Writes]
    if any(map(_near_pages, [*changed, *reader.written])):
        from interlock.effects import extensions  # few calls write any

        effects = found.effects
        found = found.then(
            context.gather(lambda: extensions.judge(context, effects, reader.written))
        )
    found, marks = _over_time(reader, found, text)
    coverage = "partial" if context.partial else "full"
    return Reading(found.effects, texts, coverage, marks, context.commands(), context.doubts())


def _near_pages(path: str) -> bool:
    """Whether a path may be a client's page, a folder that holds one, or a file of variables."""
    return ("/." in path and (path.lower().endswith(PAGES) or _is_near(path))) or path.endswith(
        "/mise.toml"
    )


def _is_near(path: str) -> bool:
    return any(
        part in path for part in ("/skill", "/SKILL", "/.env", "/.vscode/t", "/.devcontainer")
    )


_FUTURE = meaning("future")


def _over_time(
    reader: ShellReader, found: ReadResult, text: str
) -> tuple[ReadResult, tuple[tuple[str, str], ...]]:
    """Return a reading with what earlier calls say of it, and what later ones should know."""
    context = reader.context
    left = context.begun.things or context.begun.words or "$!" in text
    if not (
        any(map(_lasts, found.effects)) or left or any(f"{temp}/" in text for temp in context.temps)
    ):
        return found, ()
    from interlock.effects.session_history import settle  # many calls only look
    from interlock.effects.session_marks import marks

    settled = settle(context, found)
    return settled, marks(context, settled.effects, reader.written, text)


def _lasts(effect: Effect) -> bool:
    """Whether an effect may mean something to other calls of the session."""
    if effect.kind is Reads and effect.place is not None and effect.place.natures:
        return True
    if effect.kind in _FUTURE or effect.by in MOUNTING:
        return True
    return not _LASTING.isdisjoint(effect.traits)


_LASTING = frozenset({"holds-secret", "query", "script"})


FOLDER_KEYS = ("workdir", "cwd", "working_directory", "workingDirectory", "dir_path", "directory")


_POSIX = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash"})


def _command(call: ToolCall) -> str | None:
    """Return the command text of a call, under any of the keys clients use; a list of words is
    joined as one command.
    """
    texts = [found for found in map(call.input.get, SHELL_KEYS) if isinstance(found, str)]
    if texts:
        return "\n".join(texts)
    for key in SHELL_KEYS:
        found = call.input.get(key)
        if (
            isinstance(found, (list, tuple))
            and found
            and all(isinstance(word, str) for word in found)
        ):
            words = [str(word) for word in found]
            if (
                len(words) == 3
                and words[1] in ("-c", "-lc")
                and words[0].rpartition("/")[2] in _POSIX
            ):
                return words[2]
            return " ".join(["'" + word.replace("'", "'\\''") + "'" for word in words])
    return None


def _shell(reader: ShellReader, call: ToolCall) -> tuple[Text, ...]:
    command = _command(call)
    if command is None:
        return _no_text(reader.context, call)
    folder = _folder(reader.context, call)
    if (
        call.platform == "windows"
        or call.shell
        or call.name in WINDOWS_SHELLS
        or "shell" in call.input
    ) and command in call.input.values():
        from interlock.effects import windows_shells

        nested = windows_shells.read(reader, call, command, folder)
    else:
        nested = reader.read(command, folder)
    return tuple([_text(item, number) for number, item in enumerate(nested)]) or (Text(command),)


def _folder(context: CallContext, call: ToolCall) -> str:
    """Return the folder that the call itself asks to run in, or the session's."""
    named = next(
        (found for found in map(call.input.get, FOLDER_KEYS) if isinstance(found, str) and found),
        ".",
    )
    return context.normal(context.at_home(named) if context.home else named, call.cwd or None) or ""


def _text(item: NestedText, number: int) -> Text:
    if number == 0:
        return Text(item.text, label=item.label)
    offsets = tuple(item.offsets) if item.offsets is not None else None
    return Text(item.text, Span(item.parent, item.start, item.end), offsets, item.label)


def _python(context: CallContext, call: ToolCall) -> tuple[Text, ...]:
    source = _command(call)
    if source is None:
        return _no_text(context, call)
    from interlock.effects.python import read_program

    read_program(context, source)
    return (Text(source),)


def _no_text(context: CallContext, call: ToolCall) -> tuple[Text, ...]:
    context.misses()
    context.add(
        Opaque,
        call.name,
        traits=frozenset({"no-text"}),
        by=call.name,
        detail="the call holds no text to run",
    )
    return ()
