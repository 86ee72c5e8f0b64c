"""What tests of checkpoints share: a workspace with every awkward thing in it, what lies in a
folder as data, real git without anybody's settings.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.checkpoint.service import Checkpoints
from interlock.model.call import SHELL, Outcome, ToolCall
from interlock.model.radius import BRANCH_MOVES, CHANGED, Stake

if TYPE_CHECKING:
    from interlock.checkpoint.vault import CheckpointHead

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
    "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "n@x.test", "GIT_COMMITTER_NAME": "n", "GIT_COMMITTER_EMAIL": "n@x.test",
}  # fmt: skip


def run(command: str, folder: Path) -> str:
    """Run a shell command in a folder and return what it printed; what fails fails the test."""
    done = subprocess.run(
        ["/bin/sh", "-ec", command], cwd=folder, env=ENVIRONMENT, capture_output=True, check=False
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout.decode("utf-8", "surrogateescape")


def lying_in(folder: Path, *, times: bool = False) -> dict[str, tuple[object, ...]]:
    """Return what lies in a folder, ``.git`` apart: by path its kind, permissions, and content or
    where a link leads; of files their times too.
    """
    found: dict[str, tuple[object, ...]] = {}
    for above, folders, files in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        for name in (*folders, *files):
            path = os.path.join(above, name)
            inside, stat = path[len(str(folder)) + 1 :], os.lstat(path)
            if os.path.islink(path):
                found[inside] = ("link", os.readlink(path))
            elif os.path.isdir(path):
                found[inside] = ("folder", stat.st_mode & 0o7777)
            else:
                with open(path, "rb") as file:
                    found[inside] = (
                        "file",
                        stat.st_mode & 0o7777,
                        stat.st_mtime_ns if times else 0,
                        file.read(),
                    )
    return found


def git_state(folder: Path) -> str:
    """Return what git says of a work tree: where it stands, what is changed and staged, its stashes
    and branches.
    """
    return run(
        "git status --porcelain=v2 --branch; git log --oneline --all; git diff --cached; git diff; git stash list; git branch -v",
        folder,
    )


def awkward(folder: Path) -> None:
    """Fill a folder with what is easily lost: odd names, links, permissions, empty things, names
    that differ by case only.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in (
        b"plain",
        b"new\nline",
        b"\xff\xfe not utf-8",
        b"-rf",
        b" blank ",
        "\u00e9\u4e2d".encode(),
        b"quote'\"$`",
    ):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(name * 3)
    (folder / "empty").write_bytes(b"")
    (folder / "large").write_bytes(bytes(range(256)) * 4096)
    root = os.geteuid() == 0  # who reads, and takes away, whatever the mode says
    for mode in (0o600, 0o444, 0o755, 0o4755, 0o000 if root else 0o400):
        path = folder / f"mode-{mode:o}"
        path.write_text(str(mode), encoding="ascii")
        path.chmod(mode)
    (folder / "no" / "thing" / "in").mkdir(parents=True)
    (folder / "closed").mkdir()
    (folder / "closed" / "inside").write_text("x", encoding="ascii")
    (folder / "closed").chmod(0o555 if root else 0o700)
    (folder / "Case").write_text("upper", encoding="ascii")
    (folder / "case").write_text("lower", encoding="ascii")
    for link, target in (
        ("to-file", "plain"),
        ("to-folder", "no"),
        ("dangling", "nowhere/at all"),
        ("outside", "/etc/hostname"),
        ("itself", "itself"),
    ):
        (folder / link).symlink_to(target)


class Yard:
    """A workspace and the checkpoints of a state folder beside it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "work"
        self.root.mkdir()
        self.state = folder / "state"
        self.checkpoints = Checkpoints(str(self.state))
        self.calls = 0

    def repository(self) -> None:
        """Make it a repository with two commits, a staged change, a change beside it, and an
        untracked file.
        """
        run(
            "git init -q -b main . && mkdir src && echo one > src/a && echo b > src/b && git add -A && git commit -qm first"
            " && echo two > src/a && git commit -qam second && echo three > src/a && git add src/a && echo four > src/a && echo c > src/c",
            self.root,
        )

    def before(
        self, *stakes: Stake, call_id: str = "", decision: str = ""
    ) -> tuple[CheckpointHead, ToolCall]:
        """Take the checkpoint of a call that takes these away."""
        self.calls += 1
        call = ToolCall(
            SHELL,
            "Bash",
            {"command": "x"},
            str(self.root),
            (str(self.root),),
            session="s",
            call_id=call_id or f"t{self.calls}",
        )
        return self.checkpoints.before(call, stakes, decision or f"d-{self.calls}", "x"), call

    def ran(self, command: str, *stakes: Stake) -> CheckpointHead:
        """Run a command after its checkpoint, and have its end noted."""
        head, call = self.before(*stakes)
        run(command, self.root)
        self.checkpoints.ended(Outcome(call, "ran"))
        return head

    def stake(self, path: str = "", what: str = "all") -> Stake:
        """Return a stake below the workspace."""
        return Stake(str(self.root / path) if path else str(self.root), what)

    def reset(self, to: str = "HEAD") -> CheckpointHead:
        """Throw changes away with git, and commits where it goes back."""
        stakes = (self.stake("", CHANGED), Stake(str(self.root), BRANCH_MOVES, (to,)))
        return self.ran(f"git reset -q --hard {to}", *stakes)


def settle() -> None:
    """Wait until what is written now and what is written next bear different times."""
    time.sleep(0.12)
