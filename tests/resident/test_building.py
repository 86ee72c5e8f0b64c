"""Where the relay comes from: shipped, else built here, else there is none; whatever it is, it has
to start.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.resident import building
from tests.resident.house import House, call

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="a resident guard runs on Linux only"),
    pytest.mark.skipif(
        not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="no C compiler is installed"
    ),
]


@pytest.fixture(name="house")
def empty(tmp_path: Path) -> Iterator[House]:
    """A home in which no relay was put."""
    made = House(tmp_path)
    Path(made.relay).unlink()
    yield made
    made.close()


def shipped(folder: Path, monkeypatch: pytest.MonkeyPatch, *, sound: bool = True) -> Path:
    """Put a relay, or nonsense in its place, where a wheel would bring it; return it. It need not
    be executable there.
    """
    path = folder / "relay"
    path.write_text("\x7fELF of another machine")
    if sound:
        subprocess.run(["cc", "-O1", "-o", path, building.SOURCE], check=True)
    path.chmod(0o644)
    monkeypatch.setattr(building, "SHIPPED", path)
    return path


def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this a machine on which no compiler is found."""
    monkeypatch.setattr(building, "COMPILERS", ("no-such-compiler",))


@pytest.mark.parametrize("compiler", [True, False])
def test_the_shipped_one_is_taken_before_a_compiler_is_asked(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: bool
) -> None:
    """And it is that very program, which answers."""
    held = shipped(tmp_path, monkeypatch)
    if not compiler:
        without_compiler(monkeypatch)
    path = building.ensure_relay(house.variables)
    assert Path(path).read_bytes() == held.read_bytes()
    assert building.is_shipped(path)
    house.start()
    assert (
        house.ask(call("ls", house.work)).verdict,
        house.ask(call("rm -rf /", house.work)).verdict,
    ) == ("allow", "deny")


@pytest.mark.parametrize("way", range(len(building.WAYS)))
def test_in_whatever_way_it_is_built_it_answers(
    house: House, monkeypatch: pytest.MonkeyPatch, way: int
) -> None:
    """With calls of the kernel alone, with the system's library in it, with that beside it: the
    resident guard's answer, and where there is none the hook file's.
    """
    monkeypatch.setattr(building, "WAYS", (building.WAYS[way],))
    if not building.ensure_relay(house.variables):
        pytest.skip("this machine has not what it takes to build it so")
    calls = [call(command, house.work) for command in ("ls", "rm -rf /", "echo " + "x" * 300_000)]
    assert [house.ask(one).verdict for one in calls] == ["allow", "deny", "ask"]
    house.start()
    assert [house.ask(one).verdict for one in calls] == ["allow", "deny", "ask"]


def test_a_shipped_one_that_does_not_start_is_replaced_by_one_built_here(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another machine's, or a damaged one."""
    shipped(tmp_path, monkeypatch, sound=False)
    path = building.ensure_relay(house.variables)
    assert building.is_sound(path)
    assert not building.is_shipped(path)


def test_without_either_there_is_none(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the hook file asks by itself; nothing half made stays behind."""
    shipped(tmp_path, monkeypatch, sound=False)
    without_compiler(monkeypatch)
    assert building.ensure_relay(house.variables) == building.find_relay(house.variables) == ""
    assert [path.name for path in house.state.iterdir()] == []
    house.start()
    assert house.ask(call("rm -rf /", house.work), "python").verdict == "deny"


def test_what_is_built_here_is_not_the_shipped_one(house: House) -> None:
    """This installation brings none along: it is the repository's."""
    assert not building.is_shipped(building.ensure_relay(house.variables))
