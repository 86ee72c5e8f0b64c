"""The door to the world: what is asked of the disk, and that what cannot be known is unknown."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

import interlock
from interlock.facts import Live, Recorded
from interlock.facts.live import MAX_NAMES
from interlock.guard.factcache import FactCache
from interlock.model.facts import FILE, FOLDER, LINK, MISSING, UNKNOWN, Process, Repository, Stat


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a file, a link to it, a link to the folder above, and a loop."""
    top = tmp_path.resolve()
    (top / "a.txt").write_text("x")
    (top / "to-a").symlink_to("a.txt")
    (top / "up").symlink_to("..")
    (top / "loop").symlink_to("loop")
    return top


def test_links_are_followed(tree: Path) -> None:
    """Every part of a path may be a link; what does not exist is kept as written."""
    live = Live(str(tree))
    assert live.real(f"{tree}/to-a") == f"{tree}/a.txt"
    assert live.real(f"{tree}/up/new/file") == f"{tree.parent}/new/file"
    assert live.real(f"{tree}/a.txt") == f"{tree}/a.txt"


def test_a_path_of_another_platform_is_unknown(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path of Windows is not looked up below the folder that the guard happens to run in."""
    monkeypatch.chdir(tree)
    (tree / "c:").mkdir()
    (tree / "c:/x").write_text("x")
    assert [Live(str(tree)).real("c:/x"), Live(str(tree)).stat("c:/x")] == [UNKNOWN, UNKNOWN]
    assert Live(str(tree)).real(f"{tree}/c:/x") == f"{tree}/c:/x"


def test_a_loop_of_links_is_unknown(tree: Path) -> None:
    """After forty links nobody knows."""
    assert Live(str(tree)).real(f"{tree}/loop") is UNKNOWN


def test_what_is_there(tree: Path) -> None:
    """A last link is not followed, and what is missing is known to be missing."""
    live = Live(str(tree))
    kinds = {name: live.stat(f"{tree}/{name}") for name in ("a.txt", "to-a", "nothing", "")}
    assert all(isinstance(found, Stat) for found in kinds.values())
    assert [found.kind for found in kinds.values() if isinstance(found, Stat)] == [
        FILE,
        LINK,
        MISSING,
        FOLDER,
    ]
    assert live.stat("/\0") is UNKNOWN


def test_names_in_a_folder(tree: Path) -> None:
    """In order, folders with a slash; none of what is no folder or not there; too many are
    unknown.
    """
    live = Live(str(tree))
    (tree / "b/c").mkdir(parents=True)
    assert live.names(str(tree)) == ("a.txt", "b/", "loop", "to-a", "up")
    assert (live.names(f"{tree}/a.txt"), live.names(f"{tree}/nothing"), live.names("/\0")) == (
        (),
        (),
        UNKNOWN,
    )
    for number in range(MAX_NAMES):
        (tree / f"b/{number}").touch()
    assert live.names(f"{tree}/b") is UNKNOWN
    (tree / "b/c").rmdir()
    found = live.names(f"{tree}/b")
    assert isinstance(found, tuple)
    assert len(found) == MAX_NAMES
    witness = FactCache(live)
    witness.names(str(tree))
    assert witness.noted() == {"names": {str(tree): {"names": 5}}}


def test_only_small_plain_text_is_read(tree: Path) -> None:
    """A script is read; a folder, a device, bytes, a huge or a missing file are unknown."""
    live = Live(str(tree))
    (tree / "bytes").write_bytes(b"\xff\xfe")
    (tree / "huge").write_text("x" * (256 * 1024 + 1))
    assert live.text(f"{tree}/a.txt") == "x"
    assert [
        live.text(path)
        for path in (str(tree), "/dev/zero", f"{tree}/bytes", f"{tree}/huge", f"{tree}/none")
    ] == [UNKNOWN] * 5


def test_only_harmless_variables_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret in the environment is never read."""
    monkeypatch.setenv("API_TOKEN", "s3cret")
    monkeypatch.setenv("EDITOR", "vim")
    assert Live("/h").variable("API_TOKEN") is UNKNOWN


def test_a_repository_is_read_without_running_git(tree: Path) -> None:
    """The branch comes from a file; nothing the repository configures is started."""
    subprocess.run(
        ["git", "init", "-q", "-b", "topic", str(tree)],
        check=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tree)},
    )
    with (tree / ".git/config").open("a") as config:
        config.write("[core]\n\tfsmonitor = touch canary\n")
    assert Live(str(tree)).repository(f"{tree}/sub/x") == Repository(str(tree), branch="topic")
    assert not (tree / "canary").exists()


def test_recorded_facts_know_only_what_was_noted() -> None:
    """Everything else is unknown, which loosens nothing."""
    facts = Recorded("/home/u", texts={"/home/u/x.sh": "ls"})
    assert facts.text("/home/u/x.sh") == "ls"
    assert [
        facts.text("/y"),
        facts.real("/y"),
        facts.stat("/y"),
        facts.variable("X"),
        facts.repository("/y"),
    ] == [UNKNOWN] * 5


def test_a_linked_work_tree_has_a_branch_of_its_own(tree: Path) -> None:
    """It is not the one of the repository that it is linked to."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tree), "GIT_CONFIG_NOSYSTEM": "1"}
    for words in (
        ["init", "-q", "-b", "main", "one"],
        [
            "-C",
            "one",
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.test",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
        ["-C", "one", "worktree", "add", "-q", "-b", "topic", "../two"],
    ):
        subprocess.run(["git", *words], check=True, cwd=tree, env=environment)
    assert Live(str(tree)).repository(f"{tree}/two/sub") == Repository(
        f"{tree}/two", branch="topic"
    )


def test_pipes_and_devices_are_not_opened(tree: Path) -> None:
    """A pipe that nobody writes to would be waited for without end; a link to one too."""
    os.mkfifo(tree / "pipe")
    (tree / "to-pipe").symlink_to("pipe")
    assert [Live(str(tree)).text(f"{tree}/{name}") for name in ("pipe", "to-pipe")] == [UNKNOWN] * 2


def test_a_file_that_becomes_a_pipe_is_not_waited_for(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look and the opening it may be changed: what was opened is looked at again."""
    os.mkfifo(tree / "pipe")
    regular = os.stat(tree / "a.txt")
    monkeypatch.setattr("interlock.facts.files._os.stat", lambda _: regular)
    assert Live(str(tree)).text(f"{tree}/pipe") is UNKNOWN


def test_texts_of_a_call_have_a_budget(tree: Path) -> None:
    """After a mebibyte of scripts the next one is unknown; one call reads a file once."""
    (tree / "big.sh").write_text("x" * 250_000)
    witness = FactCache(Live(str(tree)))
    names = [f"{tree}/{'./' * number}big.sh" for number in range(7)]
    assert [isinstance(witness.text(name), str) for name in names] == [True] * 5 + [False] * 2
    assert isinstance(witness.text(names[0]), str)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="there is no /proc")
def test_when_a_process_began() -> None:
    """A running process began before now and after the machine; a number of none, or no number, is
    unknown.
    """
    live = Live("/h")
    mine = live.process(str(os.getpid()))
    assert isinstance(mine, Process)
    assert 0 < mine.began <= time.time() + 2
    assert [live.process(pid) for pid in ("99999999", "x", "../1", "")] == [UNKNOWN] * 4


def test_the_guard_s_own_code() -> None:
    """It lies where the package was imported from."""
    assert str(Path(interlock.__file__).parent) in Live("/h").own_code()
