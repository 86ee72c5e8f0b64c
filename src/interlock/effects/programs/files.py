"""Programs that make, move, change and remove files (coreutils and kin)."""

from __future__ import annotations

from interlock.effects.filenames import is_file
from interlock.effects.places import ENDLESS, below
from interlock.effects.programs.bringing import bring_trees
from interlock.effects.programs.modes import mode_traits
from interlock.effects.run import Run
from interlock.model.effect import (
    DEVICE,
    GENERATED,
    SYSTEM,
    TEMP,
    WORKSPACE,
    ChangesMode,
    Deletes,
    Effect,
    ErasesTraces,
    Exhausts,
    Reads,
    Writes,
)
from interlock.model.facts import MISSING
from interlock.shell.value import HOLE, NOTHING, OUTPUT, UNREAD, Flow, Value

SHELLS = frozenset(
    f"{folder}{name}"
    for folder in ("/bin/", "/usr/bin/")
    for name in ("sh", "bash", "dash", "zsh", "ksh", "busybox")
)
"""Programs that run whatever they are given: under another name nobody sees what runs."""


def _rm(run: Run) -> Flow:
    """Delete each operand; folders only with ``-r``."""
    traits = run.parsed.traits
    for value in run.operands:
        run.parsed.traits = (
            traits - {"recursive"}
            if value.known and is_file(run.context, value.text, run.cwd)
            else traits
        )
        run.path(Deletes, value, *(["stale-lock"] if _is_lock(value) else []))
    run.parsed.traits = traits
    return NOTHING


def _is_lock(value: Value) -> bool:
    """Whether a path is a lock of a killed git, which says to remove it by hand."""
    return (
        value.known
        and value.text.endswith(".lock")
        and (value.text.startswith(".git/") or "/.git/" in value.text)
    )


def _sides(run: Run) -> tuple[list[Value], Value | None]:
    """Return the sources and the target of ``cp a.. b`` or ``cp -t b a..``; one unknown word alone
    (``$FILES``) may be all of them.
    """
    folder = run.parsed.value("-t", "--target-directory")
    if folder is not None:
        return run.operands, folder
    if len(run.operands) == 1 and run.operands[0].text == HOLE:
        return run.operands, run.operands[0]
    return run.operands[:-1], run.operands[-1] if len(run.operands) > 1 else None


def _copy(run: Run) -> Flow:
    """The target is written with what the sources hold; a secret in a copy stays a secret. ``-n``
    writes only what is not there.
    """
    sources, target = _sides(run)
    if target is not None and run.has("-r", "-R", "-a", "--recursive", "--archive"):
        bring_trees(run, sources, target, contents=run.has("-T", "--no-target-directory"))
    update = run.parsed.value("--update")
    new = (
        ["no-clobber"]
        if run.has("-n", "--no-clobber") or (update is not None and update.text.startswith("none"))
        else []
    )
    for value in sources:
        run.path(Reads, value)
        if target is not None:
            flow = run.contents(value)
            how = ["truncate", "emptied"] if value.text == "/dev/null" else ["copied"]
            how += (
                ["shell-copy"]
                if value.text in SHELLS and run.name in ("cp", "install", "ln", "link")
                else []
            )
            fresh = [] if new or not _is_missing(run, target) else ["no-clobber"]
            whole = _with_parents(target, value) if run.has("--parents") else target
            effect = _put(
                run,
                value,
                whole,
                *how,
                *new,
                *fresh,
                *sorted(f"carries-{label}" for label in flow.labels & {"secret"}),
            )
            run.reader.carry(run.context.normal(value.text, run.cwd), effect.target, flow)
            if run.has("-s", "-l", "--symbolic-link", "--link") and run.name == "cp":
                _leads(run, value, target)
    return NOTHING


def _with_parents(target: Value, source: Value) -> Value:
    """Return where ``cp --parents a/b c`` puts a file: ``c/a/b``."""
    return Value(
        f"{target.text}/{source.text}",
        target.start,
        target.end,
        target.why or source.why,
        target.pattern or source.pattern,
    )


def _is_missing(run: Run, target: Value) -> bool:
    """Whether a path is known not to be there: nothing can be lost where a copy is put."""
    path = run.context.normal(target.text, run.cwd) if target.known else None
    return (
        path is not None
        and path not in run.context.files.changed
        and run.context.is_kind(path, MISSING)
    )


def _put(run: Run, source: Value, target: Value, *traits: str) -> Effect:
    """Write to the target, or into it: where that is a file that matters, it counts."""
    name = source.text.rstrip("/").rpartition("/")[2]
    inside = Value(
        f"{target.text}/{name}",
        target.start,
        target.end,
        target.why,
        target.pattern or source.pattern,
    )
    path = None if inside.hollow or inside.pattern else run.context.normal(inside.text, run.cwd)
    outer = None if path is None else run.context.normal(target.text, run.cwd)
    if path is not None and outer is not None and name:
        more = run.context.place(path).natures - run.context.place(outer).natures - {GENERATED}
        if more:
            run.path(Writes, inside, *traits)
    return run.path(Writes, target, *traits)


def _move(run: Run) -> Flow:
    """Each source is gone from its place, the target is written."""
    return move(run, *_sides(run))


def move(run: Run, sources: list[Value], target: Value | None) -> Flow:
    """Add what a move does: ``mv``, ``git mv``."""
    how = () if target is not None and target.text == "/dev/null" else ("moved",)
    if target is not None:
        bring_trees(run, sources, target, contents=run.has("-T", "--no-target-directory"))
    for value in sources:
        flow = run.contents(value)
        run.path(
            Deletes,
            value,
            *how,
            *(() if value.known and is_file(run.context, value.text, run.cwd) else ("recursive",)),
        )
        if target is not None:
            effect = _put(run, value, target, "moved-to")
            run.reader.carry(run.context.normal(value.text, run.cwd), effect.target, flow)
    return NOTHING


def _link(run: Run) -> Flow:
    """``ln -s target name``: writing to the name later is writing to the target, so both count."""
    operands = run.operands
    folder = run.parsed.value("-t", "--target-directory")
    sources = operands if folder is not None or len(operands) == 1 else operands[:-1]
    target = folder if folder is not None else (operands[-1] if len(operands) > 1 else Value("."))
    for value in sources:
        run.path(Reads, value, "linked")
        _put(run, value, target, "link", *(["shell-copy"] if value.text in SHELLS else []))
        _leads(run, value, target)
    return NOTHING


def _leads(run: Run, source: Value, target: Value) -> None:
    """Note where a new link leads: read from its own folder if symbolic, from here if hard."""
    name = source.text.rstrip("/").rpartition("/")[2]
    for link in (target.text, f"{target.text}/{name}"):
        path = None if target.hollow else run.context.normal(link, run.cwd)
        if path is None or (
            link == target.text and target.text.rstrip("/").rpartition("/")[2] in ("", ".", "..")
        ):
            continue
        symbolic = run.has("-s", "--symbolic", "--symbolic-link")
        leads = (
            None
            if source.hollow or source.pattern
            else run.context.normal(
                source.text, path.rpartition("/")[0] or "/" if symbolic else run.cwd
            )
        )
        if leads is not None and not below(leads, path):
            run.context.links(path, leads)


def _dd(run: Run) -> Flow:
    """``dd if=.. of=..``."""
    flow = run.stdin if run.stdin is not None else UNREAD
    written: list[Effect] = []
    for value in run.arguments:
        name, _, text = value.text.partition("=")
        word = Value(text, value.start, value.end, value.why, value.pattern)
        if name == "if":
            run.path(Reads, word)
            flow = run.contents(word)
        elif name == "of":
            written.append(run.path(Writes, word, "raw"))
    bounded = any(
        value.text.startswith(("count=", "iflag=count_bytes")) or value.hollow
        for value in run.arguments
    )
    for effect in written:
        run.reader.written[effect.target] = flow
        if (
            not bounded
            and effect.place is not None
            and effect.place.location != DEVICE
            and any(value.text[3:] in ENDLESS for value in run.arguments)
        ):
            run.effect(Exhausts, effect.target, certain=False, detail="writes without end")
    return NOTHING if written else flow


def _tee(run: Run) -> Flow:
    """Write what is read to each operand and pass it on."""
    flow = run.stdin if run.stdin is not None else UNREAD
    traits = ["append"] if run.has("-a", "--append") else []
    for value in run.operands:
        held = run.contents(value) if traits else NOTHING
        run.reader.written.add(run.path(Writes, value, *traits).target, flow, held)
    return flow


def _mktemp(run: Run) -> Flow:
    """A fresh path of this call's own: what is deleted there was made here."""
    run.context.files.made.add("/tmp/tmp.own")
    folder = run.parsed.value("-p", "--tmpdir")
    if folder is not None and folder.known:
        return Flow(f"{folder.text}/tmp.own\n")
    return Flow("/tmp/tmp.own\n")


def _touch(run: Run) -> Flow:
    """Makes files or sets their times; those of a file of the system, or other times for files
    outside, hide what happened to them.
    """
    run.roles()
    if run.has("-t", "-d", "-r", "--date", "--reference"):
        like = run.parsed.value("-r", "--reference")
        of_system = (
            like is not None
            and like.text.startswith("/")
            and run.context.place(like.text).location == SYSTEM
        )
        for value in run.operands:
            path = None if value.hollow else run.context.normal(value.text, run.cwd)
            if path is not None and (
                of_system or run.context.place(path).location not in (WORKSPACE, TEMP)
            ):
                run.effect(ErasesTraces, path, "timestamps", value=value, certain=False)
    return NOTHING


def _truncate(run: Run) -> Flow:
    size = run.parsed.value("-s", "--size")
    empty = ["emptied"] if size is not None and size.text.strip("0") == "" else []
    for value in run.operands:
        run.path(Writes, value, "truncate", *empty)
    return NOTHING


def _srm(run: Run) -> Flow:
    """As ``rm``, and what was there is overwritten first."""
    run.parsed.traits |= {"overwritten"}
    return _rm(run)


def _shred(run: Run) -> Flow:
    for value in run.operands:
        run.path(Deletes, value, "overwritten")
    return NOTHING


def _rimraf(run: Run) -> Flow:
    """Delete each operand with all it holds."""
    for value in run.operands:
        run.path(Deletes, value, "recursive")
    return NOTHING


def _gio(run: Run) -> Flow:
    """``gio trash PATH..``, ``gio remove PATH..``; its other verbs copy or look."""
    verb = run.operands[0].text if run.operands else ""
    named = run.operands[1:]
    if verb in ("copy", "move", "save", "mkdir", "rename", "set") and named:
        sources, target = (named[:-1], named[-1]) if verb in ("copy", "move") else ([], named[0])
        bring_trees(run, sources, target)
        run.path(Writes, target, "copied")
        named = sources
    for value in named:
        run.path(
            Deletes if verb in ("trash", "remove", "move") else Reads,
            value,
            *(["recursive"] if verb in ("trash", "remove") else []),
        )
    return NOTHING


def _install(run: Run) -> Flow:
    if run.has("-d", "--directory"):
        for value in run.operands:
            run.path(Writes, value, "create")
        return NOTHING
    flow = _copy(run)
    _install_mode(run)
    for value in run.parsed.values("--strip-program"):
        run.command([value])
    return flow


def _rmdir(run: Run) -> Flow:
    """Empty folders; ``rmdir /s /q FOLDER`` is a word of cmd.exe."""
    if not any(value.text.lower() in ("/s", "/q") for value in run.operands):
        run.roles()
        return NOTHING
    text = run.walker.texts[run.execution.text].text[run.execution.start : run.execution.end]
    return run.code(Value(text, run.execution.start, run.execution.end), "cmd")


def _install_mode(run: Run) -> None:
    """``install -m 4755`` sets the mode of what it writes."""
    target = _sides(run)[1]
    for value in run.parsed.values("-m", "--mode"):
        traits = mode_traits(value.text)
        if target is not None and not {"setuid", "world-writable"}.isdisjoint(traits):
            run.path(
                ChangesMode,
                target,
                *traits,
                *(["shell"] if any(value.text in SHELLS for value in _sides(run)[0]) else []),
            )


def _split(run: Run) -> Flow:
    """``split [FILE [PREFIX]]`` writes ``PREFIXaa``..; ``--filter`` gets the pieces."""
    operands = run.operands
    for value in operands[:1]:
        if value.text != "-":
            run.path(Reads, value)
    for value in run.parsed.values("--filter"):
        run.code(value)
    if not run.has("--filter"):
        _pieces(run, operands[1] if len(operands) > 1 else Value("x"))
    return NOTHING


def _csplit(run: Run) -> Flow:
    """``csplit FILE PATTERN..`` writes ``xx00``, ``xx01``...; ``-f`` names another beginning."""
    for value in run.operands[:1]:
        run.path(Reads, value)
    _pieces(run, run.parsed.value("-f", "--prefix") or Value("xx"))
    return NOTHING


def _pieces(run: Run, prefix: Value) -> None:
    run.path(Writes, Value(prefix.text + "*", prefix.start, prefix.end, prefix.why, pattern=True))


def _rename(run: Run) -> Flow:
    """``rename PERLEXPR FILE..`` (Perl's, which runs the expression) or ``rename FROM TO FILE..``
    (util-linux).
    """
    operands = list(run.operands)
    codes = run.parsed.values("-e", "-E", "--expr")
    if not codes and operands and any(mark in operands[0].text for mark in "/(;{$`|,!"):
        codes = [operands.pop(0)]
    elif not codes:
        del operands[:2]
    folders = [_new_folder(run, code) for code in codes]
    for value in operands:
        run.path(Deletes, value, "moved")
        for folder in folders or [""]:
            place = folder or value.text.rpartition("/")[0] or "."
            run.possible(
                Writes, Value(f"{place}/{HOLE}", value.start, value.end, OUTPUT), "moved-to"
            )
    return NOTHING


def _new_folder(run: Run, code: Value) -> str:
    """Return the folder that ``s/A/B/`` puts before names, or ``""``; others are code."""
    text = code.text
    parts = (
        text[1:].split(text[1])
        if text[:1] in ("s", "y") and len(text) > 1 and not text[1].isalnum()
        else []
    )
    if len(parts) == 4 and set(parts[3]) <= set("gixms"):
        folder, slash, _ = parts[2].rpartition("/")
        return folder or slash
    if not text.startswith("tr/"):
        run.code(code, "perl")
    return ""
