"""What a call took away comes back as it was; what others did since stays; what cannot come back is
said before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.checkpoint import CheckpointError
from interlock.model.call import Outcome
from interlock.model.radius import CHANGED, NAMED, NOT_TRACKED, UNTRACKED, Stake
from interlock.sandbox.bounds import BUBBLEWRAP
from tests.codemode.scenes import needs
from tests.workspaces import Yard, awkward, git_state, lying_in, run, settle


@pytest.fixture(name="yard")
def made(tmp_path: Path) -> Yard:
    """A workspace with checkpoints beside it."""
    return Yard(tmp_path)


@pytest.mark.parametrize("noted", [True, False], ids=["its end was noted", "its end was not noted"])
def test_a_deleted_folder_comes_back_as_it_was(yard: Yard, *, noted: bool) -> None:
    """Odd names, links, permissions, empty folders, names that differ by case: all of it, times of
    files too.
    """
    awkward(yard.root / "src")
    was = lying_in(yard.root, times=True)
    head, call = yard.before(yard.stake("src"))
    run("chmod -R u+rwx src; rm -rf src", yard.root)
    if noted:
        yard.checkpoints.ended(Outcome(call, "ran"))
    assert lying_in(yard.root) == {}
    done = yard.checkpoints.undo(head)
    assert lying_in(yard.root, times=True) == was
    assert (done.problems, done.plan.changed_since, done.plan.new) == ((), (), ())


@pytest.mark.parametrize("to", ["HEAD", "HEAD~1"])
def test_a_hard_reset_is_undone_with_index_and_branch(yard: Yard, to: str) -> None:
    """What was staged is staged again, what was changed beside it is changed again, and the branch
    stands where it stood.
    """
    yard.repository()
    was, files = git_state(yard.root), lying_in(yard.root)
    head = yard.reset(to)
    assert git_state(yard.root) != was
    yard.checkpoints.undo(head)
    assert (git_state(yard.root), lying_in(yard.root)) == (was, files)


def test_a_forced_checkout_is_undone(yard: Yard) -> None:
    """The branch is the old one again, and what only the other one has is gone; a file that
    somebody wrote since stays.
    """
    yard.repository()
    run(
        "git stash -q -u && git checkout -q -b topic && mkdir t && echo t > t/only && git add t && git commit -qm t && git checkout -q main",
        yard.root,
    )
    run("git stash pop -q --index && git add src/a", yard.root)
    was, files = git_state(yard.root), lying_in(yard.root)
    head = yard.ran("git checkout -q -f topic", yard.stake("", CHANGED))
    assert (yard.root / "t/only").exists()
    yard.checkpoints.undo(head)
    assert (git_state(yard.root), lying_in(yard.root)) == (was, files)
    head = yard.ran("git checkout -q -f topic", yard.stake("", CHANGED))
    run("echo mine > t/mine", yard.root)
    assert yard.checkpoints.undo(head).plan.new == (str(yard.root / "t"),)
    assert set(lying_in(yard.root)) - set(files) == {"t", "t/mine"}


def test_a_clean_is_undone_with_what_git_ignores(yard: Yard) -> None:
    """Ignored files that nobody can make again are kept; what a tool makes again is not, and the
    head says so.
    """
    yard.repository()
    run(
        "echo .env > .gitignore && echo node_modules >> .gitignore && echo KEY=1 > .env && mkdir node_modules && echo x > node_modules/y",
        yard.root,
    )
    was = lying_in(yard.root)
    head = yard.ran("git clean -qfdx", yard.stake("", NOT_TRACKED))
    assert [left.path for left in head.left_out] == [str(yard.root / "node_modules")]
    yard.checkpoints.undo(head)
    gone = was.keys() - lying_in(yard.root).keys()
    assert gone == {"node_modules", "node_modules/y"}


def test_what_a_tool_makes_again_is_kept_where_it_is_what_goes(yard: Yard) -> None:
    """The twin: a folder that is named goes whole, so it is kept whole."""
    run("mkdir -p node_modules/x && echo x > node_modules/x/y", yard.root)
    was = lying_in(yard.root)
    yard.checkpoints.undo(yard.ran("rm -r node_modules", yard.stake("node_modules")))
    assert lying_in(yard.root) == was


def test_an_undo_can_be_undone(yard: Yard) -> None:
    """Before an undo a checkpoint is taken, by which everything goes back to how it was before the
    undo.
    """
    yard.repository()
    head = yard.reset("HEAD~1")
    state, files = git_state(yard.root), lying_in(yard.root)
    done = yard.checkpoints.undo(head)
    assert git_state(yard.root) != state
    yard.checkpoints.undo(yard.checkpoints.find(done.before), exact=True)
    assert (git_state(yard.root), lying_in(yard.root)) == (state, files)


# -- others work there too -------------------------------------------------------------------------


def test_what_another_agent_did_since_stays(yard: Yard) -> None:
    """Two agents in one workspace: each undo brings back what its own call took away, and no
    more.
    """
    run("mkdir a b && echo a > a/file && echo b > b/file && echo c > c", yard.root)
    one = yard.ran("rm -r a", yard.stake("a"))
    two = yard.ran("rm -r b", yard.stake("b"))
    run("echo changed > c && mkdir a && echo new > a/other", yard.root)
    yard.checkpoints.undo(one)
    assert set(lying_in(yard.root)) == {"a", "a/file", "a/other", "c"}
    assert (yard.root / "c").read_text(encoding="ascii") == "changed\n"
    yard.checkpoints.undo(two)
    assert (yard.root / "b/file").read_text(encoding="ascii") == "b\n"


def test_a_file_that_was_changed_since_is_left_and_told(yard: Yard) -> None:
    """It stays as somebody made it since; only who asks for it gets the older one, and the newer
    one is kept.
    """
    run("mkdir src && echo old > src/a && echo old > src/b", yard.root)
    head = yard.ran("rm -r src", yard.stake("src"))
    run("mkdir src && echo newer > src/a", yard.root)
    done = yard.checkpoints.undo(head)
    assert done.plan.changed_since == (str(yard.root / "src/a"),)
    assert run("cat src/a src/b", yard.root) == "newer\nold\n"
    again = yard.checkpoints.undo(head, over=True)
    assert run("cat src/a src/b", yard.root) == "old\nold\n"
    yard.checkpoints.undo(yard.checkpoints.find(again.before))
    assert run("cat src/a src/b", yard.root) == "newer\nold\n"


def test_what_the_call_made_is_left_unless_asked_for(yard: Yard) -> None:
    """An undo removes nothing by itself."""
    run("mkdir src && echo old > src/a", yard.root)
    head = yard.ran(
        "rm src/a && echo new > src/b",
        Stake(str(yard.root / "src"), NAMED, (f"{yard.root}/src/*",), deep=False),
    )
    assert yard.checkpoints.look(head).new == (str(yard.root / "src/b"),)
    yard.checkpoints.undo(head)
    assert set(lying_in(yard.root)) == {"src", "src/a", "src/b"}
    yard.checkpoints.undo(head, exact=True)
    assert set(lying_in(yard.root)) == {"src", "src/a"}


def test_a_branch_that_went_on_stays(yard: Yard) -> None:
    """After a commit the branch is left where it is; the files come back all the same, and it is
    told.
    """
    yard.repository()
    head = yard.reset()
    run("echo more > d && git add d && git commit -qm third", yard.root)
    done = yard.checkpoints.undo(head)
    assert done.plan.git_left == (str(yard.root / ".git"),)
    assert run("git log --format=%s", yard.root).split() == ["third", "second", "first"]
    assert (yard.root / "src/a").read_text(encoding="ascii") == "four\n"


def test_nothing_is_written_through_a_link(yard: Yard, tmp_path: Path) -> None:
    """Where a link stands by now for a folder, nothing is brought back behind it; who wants the
    folder gets it in the link's place.
    """
    run("mkdir -p src/in && echo x > src/in/a", yard.root)
    head = yard.ran("rm -r src", yard.stake("src"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (yard.root / "src").symlink_to(elsewhere)
    assert yard.checkpoints.undo(head).plan.changed_since == (str(yard.root / "src"),)
    assert (yard.root / "src").is_symlink()
    yard.checkpoints.undo(head, over=True)
    assert (yard.root / "src/in/a").read_text(encoding="ascii") == "x\n"
    assert not (yard.root / "src").is_symlink()
    assert list(elsewhere.iterdir()) == []


def test_git_at_work_is_waited_for(yard: Yard) -> None:
    """While git holds its lock nothing of the repository is touched."""
    yard.repository()
    head = yard.reset()
    lock = yard.root / ".git/index.lock"
    lock.write_text("", encoding="ascii")
    with pytest.raises(CheckpointError, match="git works in"):
        yard.checkpoints.undo(head)
    lock.unlink()
    assert yard.checkpoints.undo(head).plan.back


# -- repositories in repositories ------------------------------------------------------------------


def test_another_repository_inside_comes_back_with_its_history(yard: Yard) -> None:
    """A deleted clone with a commit that nobody else has: the commit is there again."""
    run(
        "git init -q -b main . && git init -q -b main lib && cd lib && echo x > f && git add f && git commit -qm only-here && echo y > f",
        yard.root,
    )
    was = git_state(yard.root / "lib")
    head = yard.ran("rm -rf lib", yard.stake("lib"))
    yard.checkpoints.undo(head)
    assert git_state(yard.root / "lib") == was
    assert "only-here" in run(
        "git fsck --full --strict >/dev/null && git log --format=%s", yard.root / "lib"
    )


FULL = """
import os, shutil, sys
from interlock.checkpoint.service import Checkpoints
from interlock.model.call import Outcome, ToolCall
from interlock.model.radius import Stake
root, state = sys.argv[1:]
os.makedirs(root + "/src")
for name, size in ("large", 30_000), ("small", 3):
    with open(f"{root}/src/{name}", "wb") as file:
        file.write(b"x" * size)
checkpoints, call = Checkpoints(state), ToolCall("shell", "Bash", {}, root, (root,), session="s", call_id="t")
checkpoints.before(call, (Stake(root + "/src"),), "d-1", "x")
shutil.rmtree(root + "/src")
checkpoints.ended(Outcome(call, "ran"))
with open(root + "/other", "wb") as file:
    file.write(b"x" * 50_000)
for _ in range(2):
    done = checkpoints.undo(checkpoints.find("", (root,)))
    print([path.removeprefix(root) for path in done.plan.back], [one.removeprefix(root) for one in done.problems], sorted(os.listdir(root + "/src")))
    os.truncate(root + "/other", 0)
print(os.path.getsize(root + "/src/large"), checkpoints.undone(checkpoints.find("d-1")))
"""


def test_an_undo_on_a_full_disk_is_gone_on_with(tmp_path: Path) -> None:
    """What has no room is told and not counted among what came back, no half of it is left, and the
    next undo brings it. The disk is really full.
    """
    needs(BUBBLEWRAP)
    disk, source = tmp_path / "disk", Path(__file__).parents[2] / "src"
    disk.mkdir()
    walls = ["bwrap", "--dev-bind", "/", "/", "--size", "65536", "--tmpfs", str(disk)]
    argv = [*walls, sys.executable, "-c", FULL, f"{disk}/work", str(tmp_path / "state")]
    done = subprocess.run(
        argv,
        env={"PYTHONPATH": str(source), "PATH": os.defpath},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split("\n")[:3] == [
        "['/src', '/src/small'] ['/src/large: No space left on device'] ['small']",
        "['/src/large'] [] ['large', 'small']",
        "30000 True",
    ], done.stderr


def test_what_lies_there_again_is_undone(yard: Yard) -> None:
    """A call whose loss is made good already is not the next one to be undone, once that was seen;
    one whose end nobody noted may still run.
    """
    (yard.root / "src").mkdir()
    (yard.root / "src/a").write_text("a", encoding="utf-8")
    earlier, settled = yard.ran("rm src/a", yard.stake("src/a")), (str(yard.root),)
    (yard.root / "src/a").write_text("a", encoding="utf-8")
    running, _ = yard.before(yard.stake("src"))
    assert [yard.checkpoints.undo(running).plan.back, yard.checkpoints.find("", settled)] == [
        (),
        running,
    ]
    noted = yard.ran("true", yard.stake("src"))
    assert yard.checkpoints.find("", settled) == noted
    yard.checkpoints.undo(noted)
    assert yard.checkpoints.find("", settled) == running
    assert yard.checkpoints.undone(noted)
    assert not yard.checkpoints.undone(earlier)


def test_a_clean_that_takes_repositories_is_undone(yard: Yard) -> None:
    """``git clean -ffd`` takes untracked repositories with their history."""
    run(
        "git init -q -b main . && git init -q -b main lib && cd lib && echo x > f && git add f && git commit -qm only-here",
        yard.root,
    )
    was = git_state(yard.root / "lib")
    yard.checkpoints.undo(yard.ran("git clean -qffd", yard.stake("", UNTRACKED)))
    assert git_state(yard.root / "lib") == was


def test_a_submodule_comes_back(yard: Yard, tmp_path: Path) -> None:
    """Its files and what was changed in them; its data lie in the outer repository and were never
    gone.
    """
    inner = tmp_path / "inner"
    inner.mkdir()
    run("git init -q -b main . && echo x > f && git add f && git commit -qm inner", inner)
    run(
        f"git init -q -b main . && git -c protocol.file.allow=always submodule add -q {inner} sub && git commit -qm outer && echo y > sub/f",
        yard.root,
    )
    was, files = git_state(yard.root / "sub"), lying_in(yard.root)
    yard.checkpoints.undo(yard.ran("rm -rf sub", yard.stake("sub")))
    assert (git_state(yard.root / "sub"), lying_in(yard.root)) == (was, files)


def test_a_linked_work_tree_is_reset_and_brought_back(yard: Yard, tmp_path: Path) -> None:
    """Its state lies outside the workspace, in the repository that it belongs to."""
    main = tmp_path / "main"
    main.mkdir()
    run(
        f"git init -q -b main . && echo 1 > a && git add a && git commit -qm 1 && git worktree add -q -b topic {yard.root}",
        main,
    )
    run("echo 2 > a && git commit -qam 2 && echo 3 > a && git add a && echo 4 > a", yard.root)
    was = git_state(yard.root)
    head = yard.reset("HEAD~1")
    assert git_state(yard.root) != was
    yard.checkpoints.undo(head)
    assert git_state(yard.root) == was


# -- a checkpoint changes nothing and runs nothing -------------------------------------------------


def test_a_checkpoint_touches_nothing_of_the_workspace(yard: Yard) -> None:
    """Not a byte and not a time of it changes, of git's own data neither."""
    yard.repository()
    awkward(yard.root / "odd")

    def every() -> dict[str, tuple[int, int, int]]:
        found = {}
        for above, folders, files in os.walk(yard.root):
            for name in (*folders, *files):
                stat = os.lstat(os.path.join(above, name))
                found[os.path.join(above, name)] = (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        return found

    was = every()
    yard.before(yard.stake("src"))
    yard.before(yard.stake("", CHANGED))
    assert every() == was


def test_nothing_that_the_repository_configures_is_run(yard: Yard) -> None:
    """Filters, fsmonitor and hooks of a cloned repository run for git, as the twin shows, and never
    for a checkpoint or an undo.
    """
    yard.repository()
    ran = yard.root.parent / "ran"
    script = yard.root.parent / "script"
    script.write_text(f"#!/bin/sh\necho ran >> {ran}\ncat\n", encoding="ascii")
    script.chmod(0o755)
    run(
        f"git config core.fsmonitor {script} && git config filter.x.clean {script} && git config filter.x.smudge {script}",
        yard.root,
    )
    run("echo '* filter=x' > .gitattributes", yard.root)
    for hook in ("pre-commit", "post-checkout", "reference-transaction", "post-index-change"):
        shutil.copy(script, yard.root / ".git/hooks" / hook)
    settle()
    head, call = yard.before(yard.stake("", CHANGED))
    shutil.rmtree(yard.root / "src")
    yard.checkpoints.ended(Outcome(call, "ran"))
    yard.checkpoints.undo(head)
    assert (yard.root / "src/a").read_text(encoding="ascii") == "four\n"
    assert not ran.exists()
    run("git status", yard.root)
    assert ran.exists()


# -- what cannot be kept ---------------------------------------------------------------------------


def test_what_is_too_large_is_said_before(yard: Yard) -> None:
    """A file that a checkpoint does not hold, in what goes: there is none, and it is named. Beside
    it, it is left out.
    """
    (yard.root / "src").mkdir()
    with (yard.root / "src/big").open("wb") as file:
        file.truncate(65 * 1024 * 1024)
    (yard.root / "small").mkdir()
    (yard.root / "small/a").write_text("x", encoding="ascii")
    with pytest.raises(CheckpointError, match="src/big is larger than 64 MiB"):
        yard.before(yard.stake("src"))
    with pytest.raises(CheckpointError, match="src/big is larger than 64 MiB"):
        yard.before(yard.stake("", CHANGED))
    was = lying_in(yard.root)
    yard.checkpoints.undo(yard.ran("rm -r small", yard.stake("small")))
    assert lying_in(yard.root) == was


def test_a_pipe_holds_nothing(yard: Yard) -> None:
    """Pipes and sockets are left out without waiting for anybody; the folder comes back without
    them.
    """
    run("mkdir src && mkfifo src/pipe && echo x > src/a", yard.root)
    yard.checkpoints.undo(yard.ran("rm -r src", yard.stake("src")))
    assert set(lying_in(yard.root)) == {"src", "src/a"}


def test_a_damaged_checkpoint_is_not_gone_back_to(yard: Yard) -> None:
    """Contents are checked before anything is touched: all comes back or nothing."""
    run("mkdir src && echo one > src/a && echo two > src/b", yard.root)
    head = yard.ran("rm -r src", yard.stake("src"))
    pack = next((yard.state / "checkpoints/packs").glob("*.pack"))
    pack.write_bytes(pack.read_bytes()[:-2] + b"xx")
    with pytest.raises(CheckpointError, match="is damaged"):
        yard.checkpoints.undo(head)
    assert lying_in(yard.root) == {}
    assert not (yard.state / "checkpoints/undo").exists()
    assert list((yard.state / "flags").iterdir()) == []


def test_a_checkpoint_that_is_not_there_is_one_sentence(yard: Yard) -> None:
    """A name that nobody gave, a path, nothing at all."""
    run("echo x > a", yard.root)
    for number in (1, 2):
        yard.before(yard.stake("a"), decision=f"d-abcd{number}234")
    assert yard.checkpoints.find("d-abcd1").decision == "d-abcd1234"
    with pytest.raises(CheckpointError, match="2 checkpoints begin with d-abcd: d-abcd"):
        yard.checkpoints.find("d-abcd")
    for name in ("d-0", "c-../../x", "x/y", "d-abcd3", "c-", "d-a", "d-ab"):
        with pytest.raises(CheckpointError, match="there is no checkpoint"):
            yard.checkpoints.find(name)
    with pytest.raises(CheckpointError, match="nothing to undo in this folder"):
        yard.checkpoints.find("", (f"{yard.root}-2",))
