"""Checkpoints are kept until they are too old or too large, and by several processes at once;
commands list them and go back to them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.checkpoint import CheckpointError, journal
from interlock.checkpoint.retention import RetentionLimits, due, prune
from interlock.checkpoint.service import Checkpoints
from interlock.cli import build
from interlock.cli.main import main
from interlock.model.call import SHELL, Outcome, ToolCall
from interlock.model.radius import Stake
from tests.workspaces import Yard, lying_in, run, settle

if TYPE_CHECKING:
    from interlock.checkpoint.vault import CheckpointHead

SOURCE = Path(__file__).parent.parent.parent / "src"


@pytest.fixture(name="yard")
def made(tmp_path: Path) -> Yard:
    """A workspace with two folders of a megabyte each."""
    yard = Yard(tmp_path)
    for name in ("a", "b"):
        (yard.root / name).mkdir()
        (yard.root / name / "file").write_bytes(os.urandom(1_000_000))
    return yard


def changed(yard: Yard) -> CheckpointHead:
    """Change a file and take another checkpoint."""
    (yard.root / "a/file").write_bytes(os.urandom(1_000_000))
    return yard.before(yard.stake("a"))[0]


def packs(yard: Yard) -> int:
    """Return how many packs of contents there are."""
    return len(list((yard.state / "checkpoints/packs").iterdir()))


def test_what_is_too_old_goes_with_its_contents(yard: Yard) -> None:
    """By the day: one that is young enough stays, and can still be gone back to."""
    old, young = changed(yard), changed(yard)
    vault = yard.checkpoints.vault
    assert prune(vault, RetentionLimits(days=3), now=old.taken + 2 * 86400) == []
    vault.write(f"{old.id}.head", vault_head(yard, old, old.taken - 4 * 86400))
    assert [head.id for head in prune(vault, RetentionLimits(days=3), now=young.taken)] == [old.id]
    assert [head.id for head in vault.heads()] == [young.id]
    run("rm -r a", yard.root)
    yard.checkpoints.undo(young)
    assert (yard.root / "a/file").stat().st_size == 1_000_000
    prune(vault, RetentionLimits(days=3), now=young.taken + 4 * 86400)
    assert (vault.heads(), packs(yard)) == ([], 0)


def test_what_cannot_be_read_just_now_keeps_its_contents(yard: Yard) -> None:
    """A checkpoint whose file the system does not give out for a moment is whole afterwards."""
    head = changed(yard)
    path, aside = yard.state / f"checkpoints/{head.id}.head", yard.state / "aside"
    path.rename(aside)
    path.mkdir()
    assert prune(yard.checkpoints.vault, RetentionLimits(), now=head.taken) == []
    path.rmdir()
    aside.rename(path)
    run("rm -r a", yard.root)
    yard.checkpoints.undo(head)
    assert (yard.root / "a/file").stat().st_size == 1_000_000


def test_no_checkpoint_takes_the_place_of_another(yard: Yard) -> None:
    """Later ones hold only what changed since it; the one that is there is still gone back to."""
    head, _ = yard.before(yard.stake("a"), decision="d-twice")
    (yard.root / "a/file").write_bytes(b"later")
    with pytest.raises(CheckpointError, match="there is a checkpoint c-twice already"):
        yard.before(yard.stake("a"), decision="d-twice")
    run("rm -r a", yard.root)
    yard.checkpoints.undo(head)
    assert (yard.root / "a/file").stat().st_size == 1_000_000


def test_what_is_damaged_goes_with_its_contents(yard: Yard) -> None:
    """Nothing can go back to a checkpoint whose own file says nothing."""
    head = changed(yard)
    (yard.state / f"checkpoints/{head.id}.head").write_bytes(b"no head")
    prune(yard.checkpoints.vault, RetentionLimits(), now=head.taken)
    assert packs(yard) == 0


def vault_head(yard: Yard, head: CheckpointHead, taken: float) -> bytes:
    """Return the file of a head with another time."""
    body = json.loads((yard.state / f"checkpoints/{head.id}.head").read_text(encoding="ascii"))
    return json.dumps({**body, "taken": taken}).encode("ascii")


def test_what_is_too_large_goes_oldest_first(yard: Yard) -> None:
    """All together stay below the size; contents that a younger one names stay with it."""
    heads = [changed(yard) for _ in range(4)]
    assert yard.checkpoints.size() > 5_000_000
    gone = prune(yard.checkpoints.vault, RetentionLimits(size=3_500_000))
    assert [head.id for head in gone] == [head.id for head in heads[: len(gone)]]
    assert 0 < yard.checkpoints.size() <= 3_500_000
    run("rm -r a b", yard.root)
    yard.checkpoints.undo(heads[-1].replace(stakes=(yard.stake("a"), yard.stake("b"))))
    assert set(lying_in(yard.root)) == {"a", "a/file", "b", "b/file"}


def test_where_little_changed_only_that_is_written(yard: Yard) -> None:
    """A tree that stands on another is gone back to as one in full; where much changed, or nothing
    is there to stand on, it is written in full.
    """
    for number in range(300):
        (yard.root / f"b/{number}").write_text(f"{number}", encoding="ascii")
    run("echo gone > a/gone && echo old > a/old && mkdir a/folder && ln -s old a/link", yard.root)
    settle()
    was, full = lying_in(yard.root), yard.before(yard.stake("a"))[0]
    run(
        "rm -r a/gone a/folder && echo newer > a/old && ln -sf file a/link && chmod 600 a/file && echo new > a/new",
        yard.root,
    )
    then, little = lying_in(yard.root), yard.before(yard.stake("a"))[0]
    again = yard.before(yard.stake("a"))[0]
    assert (full.base, little.base, again.base) == ("", full.id, full.id)
    vault = yard.checkpoints.vault
    sizes = [(yard.state / f"checkpoints/{head.id}.tree").stat().st_size for head in (full, little)]
    assert sizes[1] * 5 < sizes[0]
    for head, state in ((little, then), (full, was), (again, then)):
        run("rm -r a", yard.root)
        yard.checkpoints.undo(head)
        assert lying_in(yard.root) == state
    run("for one in b/1*; do echo other > $one; done", yard.root)
    assert yard.before(yard.stake("b"))[0].base == ""
    (yard.state / f"checkpoints/{full.id}.tree").unlink()
    with pytest.raises(CheckpointError, match=f"the checkpoint {little.id} cannot be read"):
        vault.tree(little)


def test_what_a_younger_one_stands_on_stays(yard: Yard) -> None:
    """The tree of a checkpoint that is too old goes when the last one that stands on it goes."""
    for number in range(20):
        (yard.root / f"b/{number}").write_text(f"{number}", encoding="ascii")
    settle()
    old, young = yard.before(yard.stake("a"))[0], yard.before(yard.stake("a"))[0]
    assert young.base == old.id
    vault = yard.checkpoints.vault
    vault.write(f"{old.id}.head", vault_head(yard, old, old.taken - 4 * 86400))
    assert [head.id for head in prune(vault, RetentionLimits(days=3), now=young.taken)] == [old.id]
    was = lying_in(yard.root)
    run("rm -r a", yard.root)
    yard.checkpoints.undo(young)
    assert lying_in(yard.root) == was
    prune(vault, RetentionLimits(days=3), now=young.taken + 4 * 86400)
    assert list((yard.state / "checkpoints").glob("*.tree")) == []


def test_it_is_looked_through_once_a_day_and_where_there_is_too_much(yard: Yard) -> None:
    """Before a checkpoint nothing is read of those that are kept, unless it is time."""
    vault, keeping = yard.checkpoints.vault, RetentionLimits()
    taken = changed(yard).taken
    assert not due(vault, keeping, taken)
    assert due(vault, keeping, taken + 2 * 86400)
    assert due(vault, RetentionLimits(size=1_000_000), taken)
    prune(vault, keeping)
    assert not due(vault, keeping)


def test_what_did_not_change_is_not_kept_twice(yard: Yard) -> None:
    """A second checkpoint of the same files adds no content; one changed file adds that one; a copy
    of a file adds none.
    """
    settle()
    yard.before(yard.stake("a"))
    size = yard.checkpoints.size()
    settle()
    yard.before(yard.stake("a"))
    assert yard.checkpoints.size() - size < 10_000
    run("cp a/file a/copy", yard.root)
    yard.before(yard.stake("a"))
    assert yard.checkpoints.size() - size < 20_000
    changed(yard)
    assert 1_000_000 < yard.checkpoints.size() - size < 1_100_000


def test_a_change_within_a_tick_of_the_clock_is_seen(yard: Yard) -> None:
    """A file that is written again right after a checkpoint, to the same size, is read again by the
    next one.
    """
    path = yard.root / "a/file"
    for number in range(5):
        path.write_bytes(bytes([number]) * 1000)
        head, _ = yard.before(yard.stake("a"))
        run("rm -r a", yard.root)
        yard.checkpoints.undo(head)
        assert path.read_bytes() == bytes([number]) * 1000


PROGRAM = """
import sys
from interlock.checkpoint.service import Checkpoints
from interlock.checkpoint.retention import RetentionLimits
from interlock.model.call import ToolCall
from interlock.model.radius import Stake
state, root, name = sys.argv[1:]
for number in range(6):
    checkpoints = Checkpoints(state, RetentionLimits(size=4_000_000))
    open(f"{root}/a/{name}", "w").write(f"{name} {number}" * 1000)
    call = ToolCall("shell", "Bash", {}, root, (root,), session=name, call_id=str(number))
    checkpoints.before(call, (Stake(root + "/a"),), f"d-{name}{number}", "")
"""


def test_several_agents_take_them_at_once(yard: Yard) -> None:
    """While old ones are taken away, too: every checkpoint that is listed can be read to its last
    byte.
    """
    doing = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(yard.state), str(yard.root), f"n{number}"],
            env={"PYTHONPATH": str(SOURCE)},
        )
        for number in range(3)
    ]
    assert [one.wait() for one in doing] == [0, 0, 0]
    vault = yard.checkpoints.vault
    heads = vault.heads()
    assert heads
    for head in heads:
        for path, entry in vault.tree(head).entries.items():
            assert entry.kind != "f" or len(vault.content(entry, path)) == entry.size


# -- people's commands -----------------------------------------------------------------------------


@pytest.fixture(name="home")
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a project, which is this process's folder."""
    project = tmp_path / "home" / "project"
    (project / "src").mkdir(parents=True)
    (project / "src/a").write_text("one", encoding="ascii")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(project)
    return tmp_path / "home"


def deleted(home: Path) -> str:
    """Have a call delete a folder, as a client does; return its decision."""
    environment, root = {"HOME": str(home), "PATH": os.defpath}, str(home / "project")
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": "rm -r src # AKIAIOSFODNN7EXAMPLE"},
        root,
        (root,),
        session="s",
        call_id="t1",
    )
    guard = build.guard(environment, "native", root)
    decision = guard.check(call)
    assert str(decision.verdict) == "allow"
    run("rm -r src", home / "project")
    guard.outcome(Outcome(call, "ran"))
    return decision.id


def test_the_commands_list_look_and_undo(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By name or the last one; a dry run does nothing; the undo is in the audit; a second one has
    nothing to do.
    """
    name = deleted(home)
    assert main(["checkpoints"]) == 0
    said = capsys.readouterr().out
    assert name in said
    assert "AKIAIOSFODNN7EXAMPLE" not in said
    assert main(["undo", "--dry-run"]) == 0
    assert "would bring back: 2" in capsys.readouterr().out
    assert not (home / "project/src").exists()
    assert main(["undo", name[:10]]) == 0  # as `interlock log` shows it
    assert (home / "project/src/a").read_text(encoding="ascii") == "one"
    assert main(["checkpoints", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= 2
    assert main(["undo"]) == 1
    assert "nothing to undo in this folder" in capsys.readouterr().err
    rows = build.store({"HOME": str(home)}).query(
        "SELECT subject FROM audit_event WHERE kind = 'undo'"
    )
    assert rows == [(name,)]


def test_what_is_left_is_told_by_the_exit_code(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file changed since: 3, and it is named."""
    deleted(home)
    run("mkdir src && echo newer > src/a", home / "project")
    assert main(["undo"]) == 4
    assert "left, for it was changed since" in capsys.readouterr().out
    assert main(["undo", "c-nonsense"]) == 1


def test_one_is_taken_by_hand_and_gone_back_to(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a whole folder, before no call in particular."""
    assert main(["checkpoints", "take"]) == 0
    name = capsys.readouterr().out.split()[0]
    run("rm -r src", home / "project")
    assert main(["undo", name]) == 0
    assert (home / "project/src/a").exists()
    assert main(["checkpoints", "prune"]) == 0


def test_the_next_call_finishes_what_was_cut_off(home: Path) -> None:
    """An undo whose list of steps is in place is finished before anything else is judged."""
    name = deleted(home)
    checkpoints = Checkpoints(str(home / ".local/state/interlock"))
    head = checkpoints.find(name)
    todo = checkpoints.look(head)
    with journal.alone(checkpoints.vault):
        journal.prepare(checkpoints.vault, "cut-off", checkpoints.vault.tree(head), todo)
    root = str(home / "project")
    assert not (home / "project/src").exists()
    build.guard({"HOME": str(home), "PATH": os.defpath}, "native", root).check(
        ToolCall(SHELL, "Bash", {"command": "ls"}, root, (root,), session="s")
    )
    assert (home / "project/src/a").read_text(encoding="ascii") == "one"
    assert list((home / ".local/state/interlock/flags").iterdir()) == []


def test_a_stake_that_is_not_there_is_no_matter(yard: Yard) -> None:
    """What was never there is not brought back."""
    head, _ = yard.before(Stake(str(yard.root / "nothing")))
    assert yard.checkpoints.undo(head).plan.back == ()
