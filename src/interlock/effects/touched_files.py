"""What a file holds that this call touched before it runs or reads it: what is not followed is
said, and is never silent.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects import places, secret_variables
from interlock.effects.api import CodeReading
from interlock.effects.context import CallContext
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.effects.shebang import parse_first_line
from interlock.model.effect import (
    ELSEWHERE,
    HERE,
    HOME,
    OTHER_REPOSITORY,
    PROJECT_SECRET,
    SECRET,
    TEMP,
    WORKSPACE_ROOT,
    Executes,
    Place,
)
from interlock.model.facts import FOLDER
from interlock.shell.value import ENVIRONMENT, FILE, HOLE, OUTPUT, UNREAD, ChangedFlow, Flow, Value


def find_text(context: CallContext, flow: Flow) -> str | None:
    """Return the text of a flow: known, what a file held before the call, or put together of such;
    None where a piece is not known.
    """
    if flow.text is not None:
        return flow.text
    if isinstance(flow, ChangedFlow):
        text = find_text(context, flow.source)
        return flow.change(text) if text is not None and HOLE not in text else None
    texts = [find_text(context, piece) for piece in flow.pieces]
    if texts:
        return None if None in texts else "".join([text for text in texts if text is not None])
    return context.original(flow.path) if flow.path and not flow.edited else None


def find_partial_text(context: CallContext, flow: Flow) -> str | None:
    """Return what is known of a text: all of it, or the pieces of it that are (what this call put
    behind a file that nobody can read); None where nothing is.
    """
    text = find_text(context, flow)
    if text is not None or not flow.pieces:
        return text
    texts = [find_text(context, piece) for piece in flow.pieces]
    known = [text for text in texts if text is not None]
    return "\n".join(known) if known else None


def run_pieces(reader: CodeReading[Run], run: Run, flow: Flow, language: str, *, own: bool) -> Flow:
    """Run text put together of pieces: the known ones are read, others are told of."""
    texts = [find_text(reader.context, piece) for piece in flow.pieces]
    if any(
        text is None and isinstance(piece, ChangedFlow)
        for piece, text in zip(flow.pieces, texts, strict=True)
    ):
        run.unknown_code(OUTPUT, "script", *sorted(flow.labels - {FILE}))
    elif None in texts:
        run.unknown_code(FILE, "script", *sorted(flow.labels - {FILE}))
    return reader.flow_as_code(
        run,
        Flow("".join([text for text in texts if text is not None]), flow.labels),
        language,
        own=own,
    )


def run_sourced(reader: CodeReading[Run], run: Run, value: Value, path: str, language: str) -> Flow:
    """Run a file in this very shell. What one with secrets sets is no known text, but a value of
    the environment, whatever was read of it.
    """
    variables = run.walker.state.variables
    before = dict(variables)
    flow = reader.run_file(run, value, path, language, own=True)
    if not reader.context.place(path).natures.isdisjoint((SECRET, PROJECT_SECRET)):
        new = {name: given for name, given in variables.items() if before.get(name) is not given}
        secret_variables.sets(
            reader.context, path, {name: given.text for name, given in new.items()}
        )
        for name, given in new.items():
            variables[name] = Value(HOLE, given.start, given.end, ENVIRONMENT)
    return flow


def run_rewritten(
    reader: CodeReading[Run], run: Run, path: str, language: str, *, quiet: bool
) -> Flow:
    """Run a file that this call changed in a way that nobody follows (``sed -i``, a formatter): it
    may still do what it did before.

    ``quiet``: it is started by its path, so that its first line says what it is; of a file that was
    no text before nothing is said.
    """
    context = reader.context
    run.unread_script(path)
    before = context.original(path) if path in context.files.rewritten else None
    if before is not None:
        run.unknown_code(FILE, "script")
        spoken = parse_first_line(before, path)[0] or language if quiet else language
        context.possibly(lambda: reader.code(run, before, None, spoken))
    elif path in context.files.rewritten and not quiet:
        run.unknown_code(FILE, "script")
    return UNREAD


def bring(reader: CodeReading[Run], source: str | None, target: str, held: Flow) -> Flow:
    """Note that what came from outside, or a temporary file or folder that nobody has seen, is at
    another place as well; return what it ``held``.
    """
    context = reader.context
    if source is None or context.where != HERE or held.text is not None:
        return held
    flow = reader.find_unpacked(source)
    place = context.place(source)
    if (
        flow is None
        and place.location == TEMP
        and unseen_traits(context, source, place, reader.written.get(source))
    ):
        flow = Flow(None, frozenset({"unseen"}))
    if flow is None:
        return held
    inside = f"{target.rstrip('/')}/{source.rpartition('/')[2]}"
    folder = context.is_kind(target, FOLDER) or WORKSPACE_ROOT in context.place(target).natures
    reader.unpacked.update(dict.fromkeys([inside] if folder else [inside, target], flow))
    return Flow(None, held.labels | flow.labels, held.path)


def _among_programs(context: CallContext, path: str) -> bool:
    """Tell whether a path lies in a folder of programs that somebody installed: in a hidden folder
    or at the top of a home, or called like a program that is known; ``~/other/bin/x`` is a
    project's.
    """
    folder, _, name = path.rpartition("/")
    if folder.rpartition("/")[2] not in TOOLS:
        return False
    inside = folder.removeprefix(f"{context.home}/") if context.home else folder
    return (
        inside == folder
        or "/." in f"/{inside}"
        or "/" not in inside
        or inside.partition("/")[0] in _TOOL_HOMES
        or programs.find(name) is not None
    )


_TOOL_HOMES = frozenset(words("places", "tool homes"))
OUTSIDE = frozenset({TEMP, HOME, OTHER_REPOSITORY, ELSEWHERE})
TOOLS = frozenset({"bin", "sbin", ".bin", "shims", "libexec"})
"""Names of folders of programs."""
INSTALLED = ("/opt/", "/Applications/", "/nix/store/", "/snap/", "/System/")
"""Folders that programs are installed to, each with all that belongs to it."""


def unseen_traits(
    context: CallContext, path: str, place: Place, flow: Flow | None
) -> frozenset[str]:
    """Return the trait of a file outside the workspace that is run, though nobody has read it and
    this session did not make it.

    What lies among programs (``~/go/bin``) was put there by whoever installed it: not by this user,
    where it is another one's.
    """
    foreign = _is_foreign(context, path)
    installed = place.location != TEMP and (
        (not foreign and _among_programs(context, path)) or path.startswith(INSTALLED)
    )
    if (
        place.location not in OUTSIDE
        or installed
        or flow is not None
        or context.files.is_made(path)
        or context.facts.made(path)
    ):
        return frozenset()
    if context.script(path) is not None:
        return frozenset()
    return frozenset({"unseen", "downloaded"} if foreign else {"unseen"})


_SHARED = frozenset({"linuxbrew", "shared", "public"})
"""Folders among those of users that are nobody's."""


def _is_foreign(context: CallContext, path: str) -> bool:
    """Tell whether a path lies where a browser puts what it fetches, or in another user's home."""
    if places.below(path, f"{context.home}/Downloads"):
        return bool(context.home)
    _, top, name = [*path.split("/"), "", ""][:3]
    other = top in ("home", "Users") and not places.below(path, context.home)
    return other and name.lower() not in _SHARED


def is_unseen(run: Run, value: Value) -> bool:
    """Whether a file lies in a place for temporary files, and nobody knows how it came there."""
    path = None if value.hollow or value.pattern else run.context.normal(value.text, run.cwd)
    if path is None or not run.here:
        return False
    path = run.context.through(path)
    place = run.context.place(path)
    return place.location == TEMP and bool(
        unseen_traits(run.context, path, place, run.reader.find_written(path))
    )


def run_unseen(run: Run, file: Value, told: Value) -> None:
    """Add that a file of commands is run of unknown origin; ``told``: the word that says so."""
    if is_unseen(run, file):
        path = run.context.through(run.context.normal(file.text, run.cwd) or file.text)
        run.context.add(
            Executes,
            path,
            place=run.context.place(path),
            traits=frozenset({"script", "unseen"}),
            span=run.span(told),
            by=run.name,
        )
