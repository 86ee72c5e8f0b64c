"""What happened against what was read: every happening is covered by an effect, is explained by a
row below, or was missed.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from interlock.effects import registry
from interlock.effects.context import CallContext
from interlock.effects.shell import ShellReader
from interlock.model.call import SHELL, ToolCall
from interlock.model.effect import (
    ChangesDatabase,
    ChangesMode,
    Connects,
    Deletes,
    DiscardsWork,
    Effect,
    Executes,
    Installs,
    KillsProcess,
    Listens,
    Opaque,
    Publishes,
    Pushes,
    RunsCode,
    Sends,
    Writes,
)
from tests.oracle.trace import DELETED, MADE, MODE, REACHED, SIGNALLED, STARTED, WROTE, Happening
from tests.oracle.world import PROJECT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from interlock.model.effect import Kind
    from interlock.shell.execution import Execution
    from interlock.shell.value import Flow
    from interlock.shell.walk import Walker
    from tests.oracle.world import World

NUMBER = "\u2026"
"""Stands in a target for a number that nobody knows yet (``$(date +%s)``)."""
KINDS: dict[str, tuple[Kind, ...]] = {
    WROTE: (Writes, Deletes, ChangesDatabase),
    MADE: (Writes,),
    DELETED: (Deletes,),
    MODE: (ChangesMode, Writes, Deletes),
    REACHED: (Connects, Sends, Pushes, Installs, Publishes, Listens),
    SIGNALLED: (KillsProcess,),
}
"""What happens to a path -> the kinds of effect that say so. What writes a file anew also sets its
mode; what destroys it may write it first.
"""
REACHING = frozenset(
    {
        "recursive",
        "found",
        "all-of",
        "moved",
        "moved-to",
        "copied",
        "extracted",
        "link",
        "in-place",
        "downloaded",
        "create",
        "removed",
        "parents",
    }
)
"""Traits of an effect on a folder that says what happens in it."""

SINKS = ("/dev/", "/proc/")
_OWN_TEMPORARY = re.compile(r"/tmp\.\w{10}(?=/|$)")
"""What ``mktemp`` makes has another name every time; the reader calls it ``tmp.own``."""
CHILDREN: dict[str, str] = {
    "git": "git* sh less pager editor vi gpg ssh", "tar": "gzip bzip2 xz zstd lzip lzma compress sh", "bsdtar": "gzip bzip2 xz zstd",
    "zcat": "gzip", "gunzip": "gzip", "uncompress": "gzip", "zgrep": "gzip grep sed sh", "bzgrep": "*", "xzgrep": "*", "zdiff": "*",
    "gcc": "cc1* as collect2 ld lto* gcc*", "cc": "cc1* as collect2 ld gcc*", "g++": "cc1* as collect2 ld", "c++": "cc1* as collect2 ld",
    "make": "sh make", "egrep": "grep", "fgrep": "grep", "man": "*", "ldd": "*", "split": "sh bash", "script": "sh bash", "flock": "sh bash",
    "watch": "sh", "parallel": "*", "vim": "sh bash", "ed": "sh", "awk": "sh", "mawk": "sh", "gawk": "sh", "sed": "sh", "patch": "ed sh",
    "sort": "gzip", "zip": "sh unzip", "cpio": "sh", "rsync": "rsync ssh", "busybox": "sh", "python3": "sh uname", "perl": "sh", "node": "sh",
    "ruby": "sh", "php": "sh", "lua5.4": "sh", "gdb": "sh bash iconv", "sqlite3": "sh", "npm": "node sh", "install": "strip", "diff": "pr",
}  # fmt: skip
"""Program -> the programs that it starts by itself, with words of its own (a shell is started with
the user's words, which are read).
"""
OWN_FILES: dict[str, tuple[str, ...]] = {
    "git": ("*/.git/[!hc]*", "*/.git", "*/.git/config", "*/.git/config.lock", "*/.git/hooks/*.sample", "*/.git/hooks"),
    "gcc": ("/tmp/cc*",), "cc1": ("/tmp/cc*", "*.s", "*.d", "*.i"), "as": ("/tmp/cc*", "*.o"), "collect2": ("/tmp/cc*",),
    "ld": ("/tmp/cc*", "*/a.out"), "cc": ("/tmp/cc*",), "trash": ("*/.local/share/Trash*", "*/.local/share", "*/.local", "*/.Trash-*"),
    "ssh-keygen": ("*.pub",), "mktemp": ("*",), "node": ("/tmp/node-compile-cache*",), "less": ("*/.lesshst*",),
    "sqlite3": ("*-journal", "*-wal", "*-shm"), "vim": ("*.sw?", "*.viminfo*", "/tmp/v*"), "ex": ("*.viminfo*",), "gpg": ("*/.gnupg*",),
    "man": ("/var/cache/man*",), "bash": ("/tmp/sh-thd*",), "emacs": ("*/.emacs.d*",), "nano": ("*/.local*",),
    "parallel": ("*/.parallel*", "/tmp/par*", "*/.cache/parallel*"), "ctags": ("/tmp/*",), "sort": ("/tmp/sort*",),
    "npm": ("*/.npm*", "*/package.json", "*/package-lock.json"), "jar": ("/tmp/hsperfdata*",), "java": ("/tmp/hsperfdata*",),
}  # fmt: skip
"""Program -> files that it keeps for itself, wherever it runs."""
MOVES_FILES = frozenset(
    "checkout switch restore reset merge rebase pull stash cherry-pick revert am apply rm mv clean init clone worktree submodule bisect read-tree "
    "checkout-index sparse-checkout archive bundle format-patch".split()
)
"""Commands of git that change files of the work tree; what is lost by them is compared by
content.
"""


@dataclass(frozen=True)
class Read:
    """What was read of a command: its effects, and each program met with its words."""

    effects: tuple[Effect, ...]
    programs: tuple[tuple[str, ...], ...]

    def names(self) -> set[str]:
        """Return the names of the programs met."""
        return {words[0].rpartition("/")[2] for words in self.programs if words}


class _Noting(ShellReader):
    """A reader that notes every program it meets."""

    def __init__(self, context: CallContext) -> None:
        super().__init__(context)
        self.met: list[tuple[str, ...]] = []

    def visit(self, execution: Execution, walker: Walker) -> Flow:
        """Note the command, and read it."""
        self.met.append(tuple([value.text for value in execution.argv]))
        return super().visit(execution, walker)


def read(command: str, world: World, cwd: str = PROJECT) -> Read:
    """Read a command as ``effects.read`` does, in the world it will run in."""
    context = CallContext(
        ToolCall(SHELL, "Bash", {"command": command}, cwd=cwd, roots=(cwd,)), world, registry
    )
    reader = _Noting(context)
    reader.read(command, cwd)
    return Read(context.found().effects, tuple(reader.met))


# -- one happening ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Verdict:
    """Why a happening is no miss (``certain``, ``pattern``, ``unread``, ``explained``), or
    ``missed``.
    """

    happening: Happening
    why: str


def compare(seen: Read, happenings: list[Happening], world: World) -> list[Verdict]:
    """Judge every happening of a command; the two shells that start it are left out."""
    happened = [
        replace(h, real=h.real or _real(h.path, world)) if h.path.startswith("/") else h
        for h in happenings
    ]
    scratch = _scratch(happened, world)
    again = {
        path
        for path in (h.path for h in happened if h.what == DELETED)
        if _made_again(path, happened)
    }
    verdicts = []
    for raw in happened:
        if len(raw.by) < 2:
            continue
        h = replace(
            raw,
            path=_OWN_TEMPORARY.sub("/tmp.own", raw.path),
            real=_OWN_TEMPORARY.sub("/tmp.own", raw.real),
        )
        if (h.pid, h.real or h.path) in scratch or h.path.startswith(SINKS):
            verdicts.append(Verdict(h, "explained"))
            continue
        verdicts.append(Verdict(h, _why(seen, h, world, again)))
    return verdicts


def _why(seen: Read, h: Happening, world: World, again: set[str]) -> str:
    if h.what == STARTED:
        if _started(seen, h):
            return "certain"
    elif h.what in (REACHED, SIGNALLED):
        if any(effect.kind in KINDS[h.what] for effect in seen.effects):
            return "certain"
    else:
        kinds = KINDS[h.what] + ((Writes,) if h.what == DELETED and h.path in again else ())
        paths = {h.path, h.real or h.path}
        found = {
            covers(named, path)
            for effect in seen.effects
            if effect.kind in kinds
            for named in _names(effect, world)
            for path in paths
        }
        for how in ("certain", "pattern"):
            if how in found:
                return how
        if h.what == DELETED and any(
            effect.kind is Writes and named.target in paths
            for effect in seen.effects
            for named in _names(effect, world)
        ):
            return "certain"  # what is said to be overwritten is said to be lost
        if h.what in (MADE, WROTE, MODE) and any(
            effect.kind is Writes and _beside(h, named.target)
            for effect in seen.effects
            for named in _names(effect, world)
        ):
            return "explained"
    if _explained(seen, h):
        return "explained"
    return "unread" if _unread(seen, h, world) else "missed"


def covers(effect: Effect, path: str) -> str:
    """Tell how an effect names a path: ``certain`` by name or by a folder, ``pattern``, or
    ``""``.
    """
    target = effect.target
    if NUMBER in target and re.fullmatch(re.escape(target).replace(NUMBER, r"[\d.:-]+"), path):
        return "pattern"
    if "unknown-target" in effect.traits or "unknown-folder" in effect.traits:
        return "pattern" if not target.startswith("/") or _below(path, target) else ""
    if target == path:
        return "certain"
    if "found" in effect.traits and _below(path, os.path.dirname(target)):
        return "pattern"
    if "some-of" in effect.traits:
        return "pattern" if _below(path, os.path.dirname(target)) else ""
    if "*" in target and fnmatchcase(path, target.replace("/**/", "/*")):
        return "pattern"
    if _below(path, target):
        return "certain" if effect.traits & REACHING or effect.kind is Writes else ""
    # the folders above what is made are made as well (mkdir -p), and above what is removed are
    # the folders that rmdir -p removed
    return (
        "certain"
        if effect.kind is Writes and "create" in effect.traits and _below(target, path)
        else ""
    )


def _names(effect: Effect, world: World) -> list[Effect]:
    """Return the effect, and the same with the links of its path followed."""
    if not effect.target.startswith("/"):
        return [effect]
    real = {_real(effect.target, world), str(world.real(effect.target))} - {effect.target}
    return [effect, *[effect.replace(target=path) for path in real]]


BACKUPS = frozenset({"cp", "mv", "ln", "install", "sed", "perl", "ruby", "patch"})
"""Programs that keep what they overwrite beside it, under the same name with a suffix."""


def _beside(h: Happening, target: str) -> bool:
    """Whether what was made is a folder above a file that is written, or its backup."""
    if h.what == MADE and _below(target, h.path):
        return True
    suffix = (
        h.path[len(target) :]
        if h.path.startswith(target)
        else h.real[len(target) :]
        if h.real.startswith(target)
        else "/"
    )
    return "/" not in suffix and h.by[-1].rpartition("/")[2] in BACKUPS


def _below(path: str, folder: str) -> bool:
    return folder in ("/", path) or path.startswith(folder + "/")


def _real(path: str, world: World) -> str:
    """Return the path with the links of the folder above it followed, and as it was before the
    command.
    """
    folder, _, name = path.rpartition("/")
    return f"{world.real(folder) or ''}/{name}"


def _started(seen: Read, h: Happening) -> bool:
    """Whether a program that was started is one that was read, or one that a program that was read
    starts by itself.
    """
    name = h.path.rpartition("/")[2]
    names = seen.names()
    if (
        name in names
        or _other_name(name) & names
        or any(
            effect.kind is Executes and effect.target in (h.path, name) for effect in seen.effects
        )
    ):
        return True
    parents = [program.rpartition("/")[2] for program in h.by[2:]]
    return any(
        fnmatchcase(name, mark) for parent in parents for mark in CHILDREN.get(parent, "").split()
    )


SAME = (
    {"awk", "mawk", "gawk", "nawk"},
    {"sh", "dash"},
    {"vi", "vim", "vim.basic"},
    {"nc", "nc.openbsd"},
    {"python3", "python3.11", "python"},
    {"cc", "gcc"},
    {"[", "test"},
)


def _other_name(name: str) -> set[str]:
    """Return other names of the same program."""
    same = (
        {"awk", "mawk", "gawk", "nawk"},
        {"sh", "dash"},
        {"vi", "vim", "vim.basic"},
        {"nc", "nc.openbsd"},
        {"python3", "python3.11", "python"},
        {"cc", "gcc"},
        {"[", "test"},
    )
    return set().union(*[names for names in same if name in names])


def _explained(seen: Read, h: Happening) -> bool:
    programs = [program.rpartition("/")[2] for program in h.by]
    if h.what in (REACHED, SIGNALLED):
        return h.what == SIGNALLED and programs[-1] in (
            "timeout",
            "bash",
            "sh",
            "dash",
            "script",
            "make",
            "git",
            "node",
        )
    for program in programs[1:]:
        if any(fnmatchcase(h.path, mark) for mark in OWN_FILES.get(program, ())):
            return True
    if "git" in programs[2:]:
        verbs = {
            word
            for words in seen.programs
            if words and words[0].rpartition("/")[2] == "git"
            for word in words[1:]
        }
        return bool(verbs & MOVES_FILES) or any(
            effect.kind is DiscardsWork for effect in seen.effects
        )
    return False


UNREAD = frozenset(
    {
        "unread",
        "sed-e",
        "awk-system",
        "git-config-command",
        "option-command",
        "from-environment",
        "environment",
    }
)
"""Traits of code that is not all known: what it is given beside its text is another program's."""


def _unread(seen: Read, h: Happening, world: World) -> bool:
    """Whether the happening is the doing of something that was said to be unread: code, a script
    that is not there yet, an unknown program.
    """
    chain = {program.rpartition("/")[2] for program in h.by[2:]} | (
        {h.path.rpartition("/")[2]} if h.what == STARTED else set()
    )
    for effect in seen.effects:
        if effect.kind is Opaque:
            return True
        if (
            effect.kind is RunsCode
            and effect.traits & UNREAD
            and (
                effect.by in chain
                or "?" in effect.by
                or effect.by in ("eval", "source", ".", "trap")
            )
        ):
            return True
        if effect.kind is Executes and effect.traits & {
            "unknown-program",
            "by-path",
            "script",
            "package-script",
            "module",
            "interactive",
        }:
            name = effect.target.rpartition("/")[2]
            known = not effect.traits.isdisjoint({"by-path", "script"}) and isinstance(
                world.text(effect.target), str
            )
            if not known and (name in chain or effect.by in chain):
                return True
    return False


def idle(seen: Read, happenings: list[Happening], world: World) -> list[Effect]:
    """Return writes and deletes that were read for certain, by a name, and did not happen: no
    failure, a figure.
    """
    paths = {
        path
        for h in happenings
        for path in (h.path, h.real, _real(h.path, world))
        if path.startswith("/")
    }
    named = [
        effect
        for effect in seen.effects
        if effect.kind in (Writes, Deletes) and effect.certain and effect.target.startswith("/")
    ]
    return [
        effect
        for effect in named
        if not any(covers(effect, path) or _below(effect.target, path) for path in paths)
    ]


def _scratch(happened: list[Happening], world: World) -> set[tuple[int, str]]:
    """Return what a process made and itself removed or moved away again: a file it kept for a
    while.
    """
    made: set[tuple[int, str]] = set()
    gone: set[tuple[int, str]] = set()
    for h in happened:
        key = (h.pid, h.real or h.path)
        if h.what in (WROTE, MADE) and not world.has(key[1]):
            made.add(key)
        elif h.what == DELETED and key in made:
            gone.add(key)
    return gone


def _made_again(path: str, happened: Iterable[Happening]) -> bool:
    """Whether what was deleted at a path was put there anew afterwards."""
    last = [
        h.what for h in happened if path in (h.path, h.real) and h.what in (WROTE, MADE, DELETED)
    ]
    return bool(last) and last[-1] != DELETED
