"""Reading a client's transcript from where it was left: bounded, and whatever stands in it, never
an error and never a smaller count.
"""

from __future__ import annotations

import sys
from binascii import crc32
from collections.abc import Iterator

from interlock.limits.formats import Format, UnreadableLineError, read_line
from interlock.model.jsontext import dumps, loads
from interlock.model.record import Record
from interlock.model.usage import Usage

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


MOST_BYTES = 16 * 1024 * 1024
"""Bytes of one transcript that are read for one call; what is left then is read for the next."""
CHUNK = 1 << 20
HEAD = 256
"""Bytes at the beginning of a file by which it is known again."""
MOST_KNOWN = 16
"""Requests whose figures are remembered, so that what is noted again is counted once."""


class Mark(Record):
    """How far a transcript was read: the file's number, its first bytes' checksum, the offset, what
    is known of the last requests.

    ``known``: figures by the request's id (for sums under ``""``), as input, output, cached,
    written. ``unread``: why something in it was not read, or ``""``; it stays until a person says
    that it may go.
    """

    path: str
    inode: int = 0
    head: str = ""
    offset: int = 0
    known: tuple[tuple[str, tuple[int, int, int, int]], ...] = ()
    model: str = ""
    unread: str = ""

    @property
    def state(self) -> str:
        """What is known of the last requests, as text."""
        return dumps([self.model, *[[name, *figures] for name, figures in self.known]])


def mark_of(path: str, inode: int, head: str, offset: int, kept: tuple[str, str]) -> Mark:
    """Return a mark from its row; ``kept`` is state and unread."""
    state, unread = kept
    model, *known = loads(state)
    return Mark(
        path,
        inode,
        head,
        offset,
        tuple([(name, tuple(figures)) for name, *figures in known]),
        model,
        unread,
    )


class Progress(Record):
    """What was read: the new mark, what was used, the size of the last request (-1: none was read),
    and why it is not all, or ``""``.

    ``missing``: there is no such file.
    """

    mark: Mark
    usages: tuple[Usage, ...] = ()
    context: int = -1
    problem: str = ""
    missing: bool = False


def advance(mark: Mark, form: Format, most: int = MOST_BYTES) -> Progress:
    """Read on from a mark. A file that is another one now, or shrank, is read from its beginning:
    counted twice rather than not at all.
    """
    try:
        file = system.open(
            mark.path,
            system.O_RDONLY | getattr(system, "O_NONBLOCK", 0) | getattr(system, "O_BINARY", 0),
        )
    except (OSError, ValueError) as error:
        why = f"{mark.path} cannot be read ({getattr(error, 'strerror', None) or error})"
        return Progress(mark, problem=why, missing=isinstance(error, FileNotFoundError))
    try:
        found = system.fstat(file)
        if found.st_mode & 0o170000 != 0o100000:
            return Progress(mark, problem=f"{mark.path} is no file")
        return _read(file, _same(file, mark, found), form, (found.st_size, most))
    except OSError as error:
        return Progress(mark, problem=f"{mark.path} cannot be read ({error.strerror})")
    finally:
        system.close(file)


def _same(file: int, mark: Mark, found: system.stat_result) -> Mark:
    """Return the mark, or one at the beginning where this is not the file that was read before."""
    length = int(mark.head.partition(" ")[0] or "0")
    if (
        mark.inode == found.st_ino
        and mark.offset <= found.st_size
        and mark.head == _head(file, length)
    ):
        return mark.replace(head=_head(file, HEAD)) if length < HEAD else mark
    # a request is known again by its id, a sum is not
    known = tuple([(name, figures) for name, figures in mark.known if name])
    return Mark(mark.path, found.st_ino, _head(file, HEAD), 0, known, mark.model, mark.unread)


def _head(file: int, length: int) -> str:
    """Return the length of a file's first bytes, ``length`` at most, and their checksum."""
    system.lseek(file, 0, 0)
    data = system.read(file, length) if length else b""
    return f"{len(data)} {crc32(data)}"


def _read(file: int, mark: Mark, form: Format, bounds: tuple[int, int]) -> Progress:
    size, most = bounds
    tally = _Tally(mark, form)
    system.lseek(file, mark.offset, 0)
    end = mark.offset
    for line in _lines(file, most):
        end += len(line)
        tally.line(line)
    behind = size - end
    problem = tally.unread
    if end == mark.offset and behind >= most:
        # not one whole line in all that may be read at once: it is passed over, and that something
        # was is not forgotten
        tally.unread = problem = f"a line of {mark.path} is longer than {most} bytes"
        end += most
    elif size - mark.offset > most:
        problem = f"{behind} bytes of {mark.path} are not read yet"
    return tally.progress(mark, end, problem)


def _lines(file: int, most: int) -> Iterator[bytes]:
    """Yield whole lines with their ends, ``most`` bytes at most. What stands behind the last end is
    still being written.
    """
    rest: list[bytes] = []
    while most > 0:
        data = system.read(file, min(CHUNK, most))
        if not data:
            return
        most -= len(data)
        *whole, last = data.split(b"\n")
        if whole:
            yield b"".join([*rest, whole[0], b"\n"])
            yield from [line + b"\n" for line in whole[1:]]
            rest = []
        rest.append(last)


class _Tally:
    """What the lines of one reading come to."""

    def __init__(self, mark: Mark, form: Format) -> None:
        self.form = form
        self.known = dict(mark.known)
        self.model = mark.model
        self.unread = mark.unread
        self.path = mark.path
        self.usages: list[Usage] = []
        self.context = -1

    def line(self, line: bytes) -> None:
        """Take one line in."""
        try:
            noted = read_line(line, self.form)
        except UnreadableLineError as error:
            self.unread = f"in {self.path} {error}"[:500]
            return
        if noted is None:
            return
        self.model = noted.model or self.model
        if noted.usage is not None:
            self.context = noted.context or self.context
            self._add(noted.usage, "" if self.form.sums else noted.id)

    def _add(self, usage: Usage, name: str) -> None:
        """Count what a request took beyond what was counted of it before."""
        figures = (usage.input, usage.output, usage.cached, usage.written)
        if name or self.form.sums:
            before = self.known.pop(name, (0, 0, 0, 0))
            if self.form.sums and sum(figures) < sum(before):
                before = (0, 0, 0, 0)  # the sums began anew
                self.known[name] = figures
            else:
                self.known[name] = _larger(figures, before)
            figures = _beyond(figures, before)
        if any(figures):
            self.usages.append(Usage(usage.model or self.model, *figures))

    def progress(self, mark: Mark, end: int, problem: str) -> Progress:
        """Return it all; ``end``: the offset up to which it was read."""
        known = tuple(list(self.known.items())[-MOST_KNOWN:])
        read = Mark(mark.path, mark.inode, mark.head, end, known, self.model, self.unread)
        return Progress(read, tuple(self.usages), self.context, problem)


def _larger(
    one: tuple[int, int, int, int], other: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    return (
        max(one[0], other[0]),
        max(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
    )


def _beyond(
    one: tuple[int, int, int, int], other: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    return (
        max(one[0] - other[0], 0),
        max(one[1] - other[1], 0),
        max(one[2] - other[2], 0),
        max(one[3] - other[3], 0),
    )
