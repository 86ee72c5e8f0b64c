"""A person is asked once for what a program will do, before it starts; what nobody could foresee is
asked when it comes.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest

from interlock.codemode import file_broker
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.run import run
from interlock.model.decision import Approval
from interlock.sandbox.bounds import BUBBLEWRAP, Bounds
from tests.codemode.scenes import HELD, NONE

if TYPE_CHECKING:
    from interlock.model.call import ToolCall
    from interlock.model.decision import Decision
    from interlock.model.effect import Reading
    from tests.codemode.scenes import Ground


class Person:
    """Somebody at the terminal who says yes or no to everything, and remembers what it was."""

    def __init__(self, *, yes: bool) -> None:
        self.yes = yes
        self.asked: list[str] = []

    def __call__(self, decision: Decision, call: ToolCall, reading: Reading) -> Approval | None:
        """Answer."""
        del call
        self.asked.append(" ".join(sorted({str(effect.kind) for effect in reading.effects})))
        return Approval(decision.id, by="ann") if self.yes else None


def foreseen(ground: Ground) -> str:
    """Write a program whose only act anybody can read."""
    return f"import shutil\nshutil.rmtree({str(ground.work / 'src')!r})\n"


def hidden(ground: Ground) -> str:
    """Write the same so that nobody can read it before it runs."""
    return f"import shutil, sys\nshutil.rmtree({str(ground.work)!r} + '/' + ''.join(chr(ord(c) + 1) for c in sys.stdin.read() or 'rqb'))\n"


def test_what_is_foreseen_is_asked_once(ground: Ground) -> None:
    """A yes before the start counts for the operation too."""
    source, person = foreseen(ground), Person(yes=True)
    scene = ground.scene(source)
    scene.guard.ask = person
    result = run(source, "python", scene)
    assert (result.status, result.refused) == ("ran", ()), result
    assert len(person.asked) == 1
    assert not (ground.work / "src").exists()


def test_a_no_beforehand_runs_nothing(ground: Ground) -> None:
    """Who says no before the start is not asked again, and nothing ran."""
    source, person = "open('first', 'w').close()\n" + foreseen(ground), Person(yes=False)
    scene = ground.scene(source)
    scene.guard.ask = person
    result = run(source, "python", scene)
    assert (result.status, result.refused[0].layer) == ("refused", "reader")
    assert len(person.asked) == 1
    assert not (ground.work / "first").exists()


def test_what_nobody_foresaw_is_asked_when_it_comes(ground: Ground) -> None:
    """The operation itself is asked about; a yes lets it be done, a no refuses it and nothing
    else.
    """
    source = hidden(ground)
    for person in (Person(yes=False), Person(yes=True)):
        scene = ground.scene("pass")
        scene.guard.ask = person
        result = run(source, "python", scene)
        assert person.asked == ["deletes"], result
        assert result.status == ("ran" if person.yes else "failed"), result
        assert (ground.work / "src").exists() is not person.yes


def test_where_nobody_can_be_asked_the_rest_still_runs(ground: Ground) -> None:
    """A question that nobody can answer refuses the operation, with its line, and not the
    program.
    """
    source = "open('first', 'w').close()\n" + foreseen(ground)
    result = run(source, "python", ground.scene(source))
    assert (ground.work / "first").exists()
    assert (ground.work / "src").exists()
    assert [(one.operation, one.where, one.layer) for one in result.refused] == [
        ("rmtree", "program.py:3", "guard")
    ]


class Told(Person):
    """Somebody who says yes to what they were told to say yes to."""

    def __init__(self, *targets: str) -> None:
        super().__init__(yes=True)
        self.targets = targets

    def __call__(self, decision: Decision, call: ToolCall, reading: Reading) -> Approval | None:
        """Answer."""
        del call
        found = [effect.target.rpartition("/")[2] for effect in reading.effects]
        self.asked += found
        return Approval(decision.id, by="ann") if set(found) <= set(self.targets) else None


ACTS = """
import os, shutil
out = {outside!r}
open(out + '/made', 'w').write('x')
os.mkdir(out + '/folder')
os.rename(out + '/note.txt', out + '/moved')
os.chmod(out + '/moved', 0o600)
os.utime(out + '/moved', (1, 2))
os.truncate(out + '/moved', 3)
os.symlink('moved', out + '/pointer')
os.remove(out + '/old')
shutil.rmtree(out + '/tree')
print(sorted(os.listdir(out)))
"""


@pytest.mark.parametrize("tier", HELD)
def test_what_a_person_approves_the_broker_does(ground: Ground, tier: str) -> None:
    """Writing, making, renaming, removing outside the walls: asked once each, done by the broker
    where the person says yes.
    """
    (ground.outside / "old").touch()
    (ground.outside / "tree" / "deep").mkdir(parents=True)
    source = ACTS.format(outside=str(ground.outside))
    person = Told("made", "folder", "note.txt", "moved", "pointer", "old", "tree")
    result = ground.run(source, tier, RunPermissions(asks=True), ask=person)
    assert (result.status, result.refused) == ("ran", ()), (result, person.asked)
    assert result.stdout == "['folder', 'made', 'moved', 'pointer']\n"
    moved = (ground.outside / "moved").stat()
    assert (moved.st_size, moved.st_mode & 0o777) == (3, 0o600)
    assert os.readlink(ground.outside / "pointer") == "moved"


@pytest.mark.parametrize("tier", HELD)
def test_what_a_person_does_not_approve_is_not_done(ground: Ground, tier: str) -> None:
    """With a no, or nobody to ask, the same is refused and nothing outside is another than
    before.
    """
    source = f"import os\ntry:\n    os.remove({str(ground.outside / 'note.txt')!r})\nexcept PermissionError as error:\n    print(error.filename)\n"
    for permits, person in (
        (RunPermissions(asks=True), Told()),
        (RunPermissions(asks=True), None),
        (RunPermissions(), Told("note.txt")),
    ):
        result = ground.run(source, tier, permits, ask=person)
        assert result.stdout.endswith("note.txt\n"), result
        assert [(one.operation, one.where) for one in result.refused] == [
            ("delete", "program.py:3")
        ]
        assert (ground.outside / "note.txt").exists()


@pytest.mark.parametrize("tier", HELD)
def test_a_program_that_walls_do_not_let_start_needs_another_run(ground: Ground, tier: str) -> None:
    """A yes to starting a program does not widen walls: the result says with which options another
    run would; there it starts.
    """
    source = "import subprocess\nprint(subprocess.run(['/bin/echo', 'hi'], capture_output=True, text=True).stdout)\n"
    result = ground.run(source, tier, RunPermissions(asks=True), ask=Told("echo"))
    assert result.wider == (("--allow-command", "echo"),), result
    assert [one.rule for one in result.refused] == ["code.rerun"]
    assert "--allow-command echo" in result.stderr
    assert ground.run(source, tier, RunPermissions(allow_commands=("echo",))).stdout == "hi\n\n"


def test_without_walls_what_is_approved_starts(ground: Ground) -> None:
    """Where nothing but the guard holds a program, a yes is enough, and a no is a refusal."""
    source = "import subprocess\nprint(subprocess.run(['/bin/echo', 'hi'], capture_output=True, text=True).stdout)\n"
    assert ground.run(source, NONE, RunPermissions(asks=True), ask=Told("echo")).stdout == "hi\n\n"
    assert [
        one.rule for one in ground.run(source, NONE, RunPermissions(asks=True), ask=Told()).refused
    ] == ["code.run-program"]


@pytest.mark.parametrize("name", ["delete", "rename", "open"])
def test_the_broker_follows_no_link(ground: Ground, name: str) -> None:
    """What became a link after it was judged is not followed, at the end of a path or on its way;
    the same without a link is done.
    """
    (ground.work / "src" / "note.txt").touch()
    new = str(ground.work / "src" / "new")

    def doing(path: str) -> None:
        if name == "open":
            os.close(file_broker.open_path(path, os.O_WRONLY, 0))
        else:
            file_broker.DOING[name]((path, new))

    with pytest.raises(OSError, match=r"Not a directory|Too many levels"):
        doing(str(ground.work / "way" / "note.txt"))
    assert (ground.outside / "note.txt").read_text(encoding="utf-8") == "a note"
    doing(str(ground.work / "src" / "note.txt"))
    with pytest.raises(OSError, match="Too many levels"):
        file_broker.open_path(str(ground.work / "link"), os.O_RDONLY, 0)


@pytest.mark.parametrize("tier", HELD)
def test_what_the_broker_cannot_do_needs_another_run(ground: Ground, tier: str) -> None:
    """Giving a file to somebody is not done from outside the walls, unless they let it through
    (Landlock): the result says which run would do it.
    """
    note = ground.outside / "note.txt"
    source = f"import os\nos.chown({str(note)!r}, os.getuid(), os.getgid())\nprint('done')\n"
    result = ground.run(source, tier, RunPermissions(asks=True), ask=Told("note.txt"))
    if tier != BUBBLEWRAP:
        assert (result.stdout, result.wider) == ("done\n", ()), result
        return
    assert (result.wider, [one.rule for one in result.refused]) == (
        (("--allow-path", str(ground.outside)),),
        ["code.rerun"],
    ), result
    assert ground.run(source, tier, RunPermissions(asks=True), ask=Told()).wider == ()
    assert (
        ground.run(
            source,
            tier,
            RunPermissions(asks=True, allow_paths=(str(ground.outside),)),
            ask=Told("note.txt"),
        ).stdout
        == "done\n"
    )


@pytest.mark.parametrize("tier", HELD)
def test_a_link_outside_is_seen_as_one(ground: Ground, tier: str) -> None:
    """Looking at what bears a name outside the walls follows no link; looking where it leads
    does.
    """
    (ground.outside / "pointer").symlink_to("note.txt")
    source = f"import os\nprint(*[how({str(ground.outside / 'pointer')!r}).st_mode >> 12 for how in (os.lstat, os.stat)])\n"
    assert ground.run(source, tier).stdout == "10 8\n"


def test_a_file_grows_no_longer_than_the_run_lets_it(ground: Ground) -> None:
    """What the broker does for a program keeps the program's own limit of file size; below that it
    is done.
    """
    note = str(ground.outside / "note.txt")
    source = "import os\nfor size in 5000, 50:\n    try:\n        os.truncate(NOTE, size)\n    except OSError as error:\n        print(error.errno)\n"
    source = source.replace("NOTE", repr(note))
    result = ground.run(
        source,
        BUBBLEWRAP,
        RunPermissions(asks=True),
        Bounds(seconds=30, file_size=4096),
        ask=Told("note.txt"),
    )
    assert (result.stdout, os.stat(note).st_size) == (f"{errno.EFBIG}\n", 50), result


def test_the_hands_know_a_tree_and_a_time_that_stays(ground: Ground) -> None:
    """Only a folder is removed as a tree, never a file or what a link leads to; a time that is not
    named stays as it is.
    """
    note, link, tree = (ground.outside / name for name in ("note.txt", "pointer", "tree"))
    link.symlink_to("tree")
    tree.mkdir()
    for path in (note, link):
        with pytest.raises(NotADirectoryError):
            file_broker.DOING["rmtree"]((str(path),))
    os.utime(note, ns=(5_000_000_000, 6_000_000_000))
    file_broker.DOING["utime"]((str(note), "", "7000000000"))
    assert (note.stat().st_atime_ns, note.stat().st_mtime_ns) == (5_000_000_000, 7_000_000_000)
    file_broker.DOING["rmtree"]((str(tree),))
    assert (tree.exists(), note.exists()) == (False, True)
