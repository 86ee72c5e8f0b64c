"""Disks: file systems, partitions, volumes, mounts. A disk is formatted for good; an image file is
a file like others.
"""

from __future__ import annotations

from interlock.effects.programs.acting import Said, doing
from interlock.effects.run import Run
from interlock.model.effect import DEVICE, HERE, Exhausts, Reads, Writes
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

_SIZE = frozenset("0123456789kKmMgGtTsSbB%.")
_PARTED = frozenset(
    "mklabel mktable mkpart mkpartfs rm resizepart resize set name toggle disk_set disk_toggle rescue move cp type".split()
)


def _is_disk(run: Run, value: Value) -> bool:
    """Whether a word names a device: by its path, or as ``LABEL=x``, ``disk2``, ``D:``."""
    text = value.text
    if (
        "=/dev/" in text
        or text.startswith(("/dev/", "UUID=", "LABEL=", "PARTUUID="))
        or (text[:4] == "disk" and text[4:5].isdigit())
        or text[1:] == ":"
    ):
        return True
    path = run.context.normal(text, run.cwd)
    return (
        path is not None
        and run.context.where == HERE
        and run.context.place(path).location == DEVICE
    )


def on_disks(run: Run, said: Said, rest: list[Value]) -> Flow:
    """Say it of each device among the words; where there is none, of the file or the unknown word
    that stands in its place.
    """
    words = [value for value in run.arguments if value.text[:1] != "-"]
    disks = [value for value in words if _is_disk(run, value)]
    named = [value for value in rest if not set(value.text) <= _SIZE]
    others = [] if disks else [value for value in named if value.hollow] or named[:1]
    for kind, traits in said:
        for value in disks:
            run.effect(kind, value.text, *traits, value=value)
        for value in others:
            if "mount" in traits:
                run.effect(kind, value.text, *traits, value=value)
            elif HOLE in value.text and not value.text.startswith("/"):
                run.effect(kind, value.text, *traits, value=value, certain=False)
            else:
                run.path(Writes, value, "raw")
        if not disks and not others:
            run.effect(kind, run.name, *traits)
    return NOTHING


def _parted(run: Run) -> Flow:
    """``parted [-s] DEVICE [COMMAND..]``: looks with ``print`` and the like, asks for commands
    where none is given.
    """
    if run.has("-l", "--list", "--help", "--version", "-v"):
        return UNREAD
    commands = [value.text for value in run.operands[1:]]
    if commands and _PARTED.isdisjoint(commands) and not any(HOLE in word for word in commands):
        return UNREAD
    return _PARTITION(run) or NOTHING


def _mount(run: Run) -> Flow:
    """``mount`` and ``umount``: without operands they list."""
    if not run.operands and not run.has("-a", "--all", "-A", "--all-targets"):
        return UNREAD
    if run.has("--help", "--version", "-V", "-h", "-f", "--fake") and run.name == "mount":
        return UNREAD
    return _MOUNTS(run) or NOTHING


def _last(run: Run, said: Said, rest: list[Value]) -> Flow:
    """Say it of the last word: where it is mounted, which disk."""
    for kind, traits in said:
        run.effect(
            kind, rest[-1].text if rest else run.name, *traits, value=rest[-1] if rest else None
        )
    return NOTHING


def _losetup(run: Run) -> Flow:
    """``losetup``: attaches where a file is given or a device detached."""
    if (
        run.has("-d", "--detach", "-D", "--detach-all", "-c", "--set-capacity")
        or len(run.operands) > 1
        or (run.operands and run.has("-f", "--find"))
    ):
        return _MOUNTS(run) or NOTHING
    return UNREAD


def _debugfs(run: Run) -> Flow:
    """``debugfs [-w] [-R COMMAND] DEVICE``: past all permissions; it only reads without ``-w``."""
    if run.has("-w"):
        return _DEBUGS(run) or NOTHING
    for value in run.operands:
        run.path(Reads, value)
    return Flow(None, run.input_labels())


def _huge(text: str) -> bool:
    """Whether a size is a hundred gigabytes or more: ``500G``, ``1T``, ``2TiB``."""
    size = text.rstrip("iB")
    return size[-1:].upper() in ("T", "P", "E") or (
        size[-1:].upper() == "G" and len(size) > len("99G")
    )


def _fallocate(run: Run) -> Flow:
    """``fallocate -l LENGTH FILE`` takes that much of the disk; ``-p``, ``-c`` and ``-z`` take out,
    or blank, what is there.
    """
    changes = run.has(
        "-p", "--punch-hole", "-c", "--collapse-range", "-z", "--zero-range", "-i", "--insert-range"
    )
    for value in run.operands:
        run.path(Writes, value, "in-place" if changes else "create")
    length = run.parsed.value("-l", "--length")
    if length is not None and _huge(length.text):
        run.effect(Exhausts, length.text, value=length, certain=False)
    return NOTHING


_PARTITION = doing("partition = *", say=on_disks)
_MOUNTS = doing("mount = *", say=_last)
_DEBUGS = doing("format = *", say=on_disks)
