"""The relays that wheels bring along, as they are shipped: of this machine, and of the other one in
an emulator.
"""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.resident import building
from scripts.relay_wheel import MACHINES, compiled
from tests.resident.house import PYTHON, House, call, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="a resident guard runs on Linux only"),
    pytest.mark.skipif(
        importlib.util.find_spec("ziglang") is None,
        reason="ziglang is not installed (pip install -e '.[release]')",
    ),
]


@pytest.fixture(name="house", scope="module", params=MACHINES)
def shipped(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """A home in which calls are asked by the relay of a machine."""
    folder = tmp_path_factory.mktemp(request.param)
    emulator = (
        None
        if request.param == platform.machine()
        else shutil.which(f"qemu-{request.param}-static") or ""
    )
    if emulator == "":
        pytest.skip(
            f"qemu-{request.param}-static is not installed (apt-get install qemu-user-static)"
        )
    (folder / "built").mkdir()
    relay = compiled(building.SOURCE, request.param, folder / "built")
    if emulator:
        relay = folder / "emulated"
        relay.write_text(f'#!/bin/sh\nexec {emulator} {folder}/built/relay "$@"\n')
        relay.chmod(0o755)
    made = House(folder)
    made.relay = str(relay)
    yield made
    made.close()


def asked(house: House, body: bytes, *, alone: bool = True) -> tuple[int, str]:
    """Ask by the relay; return the exit code and the output. ``alone``: whether a call may be
    judged in a process of its own.
    """
    words = [
        word if alone or word != PYTHON else "/nowhere/python"
        for word in house.words("relay", "claude-code", "check")
    ]
    done = subprocess.run(
        words,
        input=body,
        env=house.variables,
        cwd=house.work,
        capture_output=True,
        check=False,
        timeout=100,
    )
    return done.returncode, plain(done.stdout)


@pytest.mark.parametrize(("command", "code"), [("ls", 100), ("rm -rf /", 2)])
def test_the_resident_guard_answers_it(house: House, command: str, code: int) -> None:
    """And where that is gone, and Python too, it says that it could not be."""
    house.start()
    assert asked(house, call(command, house.work), alone=False)[0] == code
    house.end()
    assert asked(house, call(command, house.work), alone=False)[0] == 127


@pytest.mark.parametrize(
    "command", ["ls", "rm -rf /", "a" * 300_000], ids=lambda command: command[:10]
)
def test_a_call_that_nobody_answers_is_handed_on_whole(house: House, command: str) -> None:
    """Also one that is longer than a request may be."""
    house.end()
    alone = house.ask(call(command, house.work, "alone"), "alone")
    assert asked(house, call(command, house.work, "handed")) == (alone.code, alone.out)
