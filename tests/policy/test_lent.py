"""Policy files that a running sandbox may write are refused, with the reason, as long as it
runs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.policy.current import current
from interlock.policy.files import look, places
from interlock.policy.sandbox_writable import FOLDER, MAX_BYTES, WritableLease, read_lent
from tests.disks import full_disk
from tests.judging import decided, rules_of, shell
from tests.policy.layering import answer
from tests.policy.test_load import BOTH, LOOSE, PUSH, TIGHT, House, loosened, told
from tests.policy.test_plugins import DOCKER, put

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.model.policy import Policy

SOURCE = Path(__file__).resolve().parents[2] / "src"
RUNNING = """
import sys
from interlock.policy.sandbox_writable import WritableLease
with WritableLease(sys.argv[1], [sys.argv[2]]):
    print("runs", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """Make a machine in a folder whose home counts as the user's own."""
    monkeypatch.setattr("interlock.policy.load.is_own_home", lambda _home, _owner: True)
    return House(tmp_path)


def now(house: House) -> Policy:
    """Return the policy of a call that comes now."""
    return current(house.where.replace(lent=read_lent(house.where.state)), house.reader)


@pytest.fixture
def sandbox(house: House) -> Iterator[subprocess.Popen[str]]:
    """Run a program that may write the project, until its standard input ends."""
    command = [sys.executable, "-c", RUNNING, house.where.state, house.where.project]
    running = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(SOURCE)},
    )
    assert running.stdout is not None
    assert running.stdout.readline() == "runs\n"
    yield running
    running.kill()
    running.communicate()


@pytest.mark.parametrize("how", [0, signal.SIGKILL])
def test_a_project_that_a_sandbox_writes_is_not_believed_until_it_ended(
    house: House, sandbox: subprocess.Popen[str], how: int
) -> None:
    """What it said before tightens still, what it says now counts for nothing, and every answer
    says why; also where the sandbox was killed.
    """
    house.write(house.project, TIGHT)
    before = house.policy()
    assert (answer(PUSH, before), told(before)) == ("deny", "")
    house.write(house.project, "version: 1\nfiles: {block: src}\n")
    found = now(house)
    assert (answer(PUSH, found), rules_of(decided(shell("cat src/a"), found))) == (
        "deny",
        {"policy.not-loaded"},
    )
    assert (
        f"it lies in {house.where.project}, which a program in a sandbox may write just now"
        in told(found)
    )
    if how:
        sandbox.send_signal(how)
    sandbox.communicate()
    after = now(house)
    assert (answer("cat src/a", after), told(after)) == ("deny", "")


@pytest.mark.parametrize("name", ["organisation", "user"])
def test_no_layer_loosens_while_a_sandbox_may_write_it(house: House, name: str) -> None:
    """Whoever runs in there could be writing it."""
    file = house.write(getattr(house, name), BOTH)
    with WritableLease(house.where.state, [str(file.parent)]):
        assert not loosened(now(house))
        assert "in a sandbox" in told(now(house))
    assert (loosened(now(house)), told(now(house))) == (True, "")


def test_guards_and_trust_are_files_too(house: House) -> None:
    """A guard that is put into the project meanwhile does not count; what is not in reach
    counts.
    """
    home = put(house, DOCKER)
    with WritableLease(house.where.state, [house.where.project]):
        put(house, DOCKER.replace("docker", "podman"), project=True)
        assert (answer("docker ps", now(house)), answer("podman ps", now(house))) == ("ask", "warn")
    assert answer("podman ps", now(house)) == "ask"
    with WritableLease(house.where.state, [str(home.parents[1])]):
        assert "in a sandbox" in told(now(house))


def test_what_the_sandbox_may_not_change_is_believed(house: House) -> None:
    """A folder inside a writable one that is closed to it; but only of the very sandbox that closes
    it.
    """
    house.write(house.project, TIGHT)
    fixed = [f"{house.where.project}/.interlock"]
    with WritableLease(house.where.state, [house.where.project], fixed):
        assert (answer(PUSH, now(house)), told(now(house))) == ("deny", "")
        with WritableLease(house.where.state, [house.where.project]):
            assert "in a sandbox" in told(now(house))


def test_a_sandbox_elsewhere_changes_nothing(house: House, tmp_path: Path) -> None:
    """Also one whose folder's name only begins alike; a link to the project is the project."""
    house.write(house.user, LOOSE)
    house.write(house.project, TIGHT)
    with WritableLease(house.where.state, [str(tmp_path / "wor"), str(tmp_path / "other")]):
        assert told(now(house)) == ""
    (tmp_path / "link").symlink_to(house.where.project)
    with WritableLease(house.where.state, [os.path.realpath(tmp_path / "link")]):
        assert (
            "in a sandbox"
            in look(
                f"{tmp_path}/link/.interlock/policy.yaml", (), read_lent(house.where.state)
            ).problem
        )


def test_what_cannot_be_read_may_write_anything(house: House) -> None:
    """Unknown never loosens; one that ended is swept away by the next."""
    house.write(house.user, LOOSE)
    folder = Path(house.where.state, FOLDER)
    folder.mkdir(parents=True)
    (folder / "odd").symlink_to("odd")
    assert not loosened(now(house))
    (folder / "odd").unlink()
    (folder / "stale").write_text(f"w{house.where.home}", encoding="utf-8")
    assert loosened(now(house))
    with WritableLease(house.where.state, ["/nowhere"] * (MAX_BYTES // 8)):
        assert not loosened(now(house))
    with WritableLease(house.where.state, ["/nowhere"]):
        assert len(list(folder.iterdir())) == 1
    assert list(folder.iterdir()) == []


def test_the_hook_asks_for_running_sandboxes(house: House) -> None:
    """Where policy lies says what of it may be written just now; without a home there is nobody to
    ask.
    """
    with WritableLease(house.where.state, [house.where.project]):
        assert places({"HOME": house.where.home}, house.where.project).lent == (
            ((house.where.project,), ()),
        )
    assert places({"HOME": house.where.home}, house.where.project).lent == ()
    assert places({}, house.where.project).lent == ()


def test_what_has_no_room_to_be_said_starts_no_sandbox(house: House) -> None:
    """On a full disk a sandbox's word is not said by half: it does not run, and nothing of it is
    left. With room it is said.
    """
    state = house.where.state
    with full_disk(20), pytest.raises(OSError, match="no room"):
        WritableLease(state, [house.where.project, "/" + "x" * 100]).__enter__()
    assert os.listdir(f"{state}/{FOLDER}") == []
    with WritableLease(state, [house.where.project]):
        assert read_lent(state) == (((house.where.project,), ()),)
