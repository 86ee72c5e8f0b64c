"""What the broker hands over changes nothing that lies outside; what a program was allowed to write
there is there when it has written it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import pytest

from interlock.codemode import copies as module
from interlock.codemode.copies import Copies
from interlock.codemode.permissions import RunPermissions
from tests.codemode.scenes import HELD
from tests.codemode.test_asking import Person

if TYPE_CHECKING:
    from pathlib import Path

    from tests.codemode.scenes import Ground

READ = "f = os.open(P, os.O_RDONLY)"
LINE = (
    "line = next(c.cell_contents for c in os.open.__closure__"
    " if type(c.cell_contents).__name__ == 'Asking')"
)
"""A program that means to gets at the guard inside it, and asks the broker by itself."""


class Way(NamedTuple):
    """One way to change what lies outside: ``P`` is a file there, ``D`` its folder."""

    name: str
    code: str


WAYS = (
    Way("fchmod", f"{READ}; os.fchmod(f, 0o777)"),
    Way("chmod by number", f"{READ}; os.chmod(f, 0o777)"),
    Way("chmod by /proc", f"{READ}; os.chmod(f'/proc/self/fd/{{f}}', 0o777)"),
    Way("utime by number", f"{READ}; os.utime(f, (1, 1))"),
    Way("attributes", f"{READ}; os.setxattr(f, 'user.mark', b'x')"),
    Way("owner", f"{READ}; os.fchown(f, 1, 1)"),
    Way("an opened file", "f = open(P); os.utime(f.fileno(), (1, 1))"),
    Way("a folder", "d = os.open(D, os.O_RDONLY); os.utime('note.txt', (1, 1), dir_fd=d)"),
    Way("the folder above", "d = os.open(D, os.O_RDONLY); os.utime('../outside', (1, 1), dir_fd=d)"),
    Way("no name", "f = os.open(D, os.O_TMPFILE | os.O_RDWR); os.write(f, b'x'); os.link(f'/proc/self/fd/{f}', 'kept')"),
    Way("by the line, a file", f"{LINE}; f = line.handed('x', P, '0', '0'); os.utime(f, (1, 1))"),
    Way(
        "by the line, only its path",
        f"{LINE}; f = line.handed('x', '/', str(os.O_PATH | os.O_DIRECTORY), '0');"
        " os.utime(P[1:], (1, 1), dir_fd=f)",
    ),
    Way(
        "by the line, a folder",
        f"{LINE}; f = line.handed('x', D, '0', '0');"
        " d = f if isinstance(f, int) else os.open(f, os.O_RDONLY);"
        " os.utime('../outside/note.txt', (1, 1), dir_fd=d)",
    ),
)  # fmt: skip


def seen(ground: Ground) -> list[tuple[object, ...]]:
    """Return what is known of the folder outside and of what lies in it, attributes as well."""
    found: list[tuple[object, ...]] = []
    for path in (ground.outside, *sorted(ground.outside.iterdir())):
        one = path.stat()
        said = (path.name, one.st_mode, one.st_uid, one.st_gid, one.st_mtime_ns, one.st_ctime_ns)
        found.append((*said, tuple(os.listxattr(path))))
    return found


@pytest.mark.parametrize("tier", HELD)
@pytest.mark.parametrize("way", WAYS, ids=[way.name for way in WAYS])
def test_nothing_outside_is_changed_by_what_was_handed_over(
    ground: Ground, tier: str, way: Way
) -> None:
    """Whatever the program does to it, the thing outside stays as it was."""
    before = seen(ground)
    paths = f"import os\nP, D = {str(ground.outside / 'note.txt')!r}, {str(ground.outside)!r}\n"
    ground.run(paths + way.code, tier)
    assert seen(ground) == before


@pytest.mark.parametrize("tier", HELD)
@pytest.mark.parametrize("way", WAYS[:7], ids=[way.name for way in WAYS[:7]])
def test_the_same_in_the_workspace_is_done(ground: Ground, tier: str, way: Way) -> None:
    """What belongs to the program it changes in each of these ways."""
    path = ground.work / "data.txt"
    before = path.stat().st_ctime_ns
    code = f"import os\nP, D = {str(path)!r}, {str(ground.work)!r}\n" + way.code
    assert ground.run(code, tier).status == ("failed" if way.name == "owner" else "ran")
    assert (path.stat().st_ctime_ns != before) is (way.name != "owner")


LOOKS = """
import os, sys
p, d = {note!r}, {outside!r}
found = os.stat(p)
with open(p) as f:
    print(f.read(), found.st_size, oct(found.st_mode), found.st_mtime_ns == {time})
    inside = os.fstat(f.fileno())
    print(inside.st_size, inside.st_mtime_ns == {time})
print(sorted(os.listdir(d)), [e.name for e in os.scandir(d)], os.path.isdir(d))
fd = os.open(d, os.O_RDONLY)
print(os.listdir(fd), os.stat('note.txt', dir_fd=fd).st_size)
print(open(os.open('note.txt', os.O_RDONLY, dir_fd=fd)).read())
print([(os.path.basename(a), b, c) for a, b, c in os.walk(d)])
"""


@pytest.mark.parametrize("tier", HELD)
def test_what_lies_outside_is_read_and_looked_at(ground: Ground, tier: str) -> None:
    """Content, length, mode and times are those of the thing itself, also by its folder."""
    note = ground.outside / "note.txt"
    os.utime(note, ns=(7, 7_000_000_001))
    source = LOOKS.format(note=str(note), outside=str(ground.outside), time=7_000_000_001)
    result = ground.run(source, tier)
    assert result.stdout == (
        f"a note 6 {oct(note.stat().st_mode)} True\n6 True\n"
        "['note.txt'] ['note.txt'] True\n['note.txt'] 6\na note\n[('outside', [], ['note.txt'])]\n"
    ), result


WRITES = """
import os, sys
p = {note!r}
with open(p, 'w') as f:
    f.write('one')
print(open(p).read())
with open(p, 'a') as f:
    f.write(' two')
with open(p, 'r+') as f:
    print(f.read())
    f.seek(0)
    f.write('TEN')
print(open(p).read(), os.stat(p).st_size)
with open(p + '.new', 'x') as f:
    f.write('new')
os.replace(p + '.new', p + '.moved')
left = open(p, 'a')
left.write('!')
left.flush()
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.parametrize("tier", HELD)
def test_what_may_be_written_outside_is_there(ground: Ground, tier: str) -> None:
    """It is put back when the program closes it, and at the end of the run in any case."""
    note = ground.outside / "note.txt"
    mode = note.stat().st_mode
    source = WRITES.format(note=str(note))
    result = ground.run(source, tier, RunPermissions(asks=True), ask=Person(yes=True))
    assert result.stdout == "one\none two\nTEN two 7\n", result
    assert note.read_text(encoding="utf-8") == "TEN two!"
    assert (ground.outside / "note.txt.moved").read_text(encoding="utf-8") == "new"
    assert note.stat().st_mode == mode


def copies(tmp_path: Path, most: int = 1 << 20) -> Copies:
    """Return copies that are kept in a folder."""
    below = tmp_path / "below"
    below.mkdir()
    return Copies(str(below), most, lambda _: None)


def test_what_is_too_much_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one file, nor many, nor names without end; what is less is."""
    monkeypatch.setattr(module, "MAX_COPIED", 10)
    monkeypatch.setattr(module, "MAX_NAMES", 3)
    held = copies(tmp_path, 8)
    for name, size in (("nine", 9), ("eight", 8), ("two", 2)):
        (tmp_path / name).write_bytes(b"x" * size)
    with pytest.raises(OSError, match="larger"):
        held.opened(str(tmp_path / "nine"), os.O_RDONLY, 0)
    for name in ("eight", "two"):
        given = held.opened(str(tmp_path / name), os.O_RDONLY, 0)
        assert isinstance(given, int)
        os.close(given)
    with pytest.raises(OSError, match="larger"):
        held.opened(str(tmp_path / "two"), os.O_RDONLY, 0)
    with pytest.raises(OSError, match="more than 3 names"):
        held.opened(str(tmp_path), os.O_RDONLY, 0)
    held.close()


def test_neither_pipes_nor_devices_are_handed_over(tmp_path: Path) -> None:
    """Who holds one talks to who holds the other end."""
    os.mkfifo(tmp_path / "pipe")
    held = copies(tmp_path)
    assert held.opened("/dev/null", os.O_RDWR, 0) == -1  # the program has one of its own
    for path in (str(tmp_path / "pipe"), "/dev/ptmx"):
        with pytest.raises(PermissionError):
            held.opened(path, os.O_RDONLY, 0)
    held.close()


def test_a_link_on_the_way_to_a_copy_is_not_followed(tmp_path: Path) -> None:
    """Who swaps a folder of a copy for a link has nothing made where it leads."""
    held = copies(tmp_path)
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    (source / "name").touch()
    (tmp_path / "below" / "0").symlink_to(target)
    with pytest.raises(OSError, match=r"Not a directory|symbolic"):
        held.opened(str(source), os.O_RDONLY, 0)
    assert list(target.iterdir()) == []
    held.close()


def test_a_copy_is_never_run(tmp_path: Path) -> None:
    """A program that was read is no program that may be started."""
    held = copies(tmp_path, 1 << 24)
    given = held.opened(os.path.realpath("/bin/true"), os.O_RDONLY, 0)
    assert isinstance(given, int)
    with pytest.raises(PermissionError):
        os.execve(given, ["true"], {})  # noqa: S606 - it is refused
    held.close()
    os.close(given)
