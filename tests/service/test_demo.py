"""``interlock serve --demo``: a made-up week, through the real guard, in a folder that goes with it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING

import pytest

from interlock.cli.week import MACHINES, TASKS
from interlock.service.ingest.verify import verify
from interlock.service.machines.health import health
from interlock.service.store.seen import Wanted
from interlock.service.store.sqlite import Database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 60


class Demo:
    """A demo that serves. ``link``: what it printed; ``folder``: what it keeps."""

    def __init__(self, link: str, folder: Path) -> None:
        self.link, self.folder = link, folder


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Run it; at its end nothing of it is left."""
    top = tmp_path_factory.mktemp("demo")
    process = subprocess.Popen(
        [sys.executable, "-m", "interlock", "serve", "--demo"],
        env={**os.environ, "TMPDIR": str(top), "HOME": str(top)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = next(
            filter(None, (re.search(r"http\S+/signin/\S+", one) for one in process.stdout))
        )
        [folder] = top.glob("interlock-demo-*")
        yield Demo(found[0], folder)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert list(top.iterdir()) == []


def test_a_week_of_five_machines_is_there_and_verifies(demo: Demo) -> None:
    """Every guard is another one, calls of each verdict reach back for days, and every chain is
    whole.
    """
    database = Database(str(demo.folder / "service"))
    try:
        report = database.read(lambda known: verify(known, []))
        guards = {one.machine.name: one.guard for one in database.read(health)}
        calls = database.read(lambda known: known.decisions(Wanted(most=5000)))
    finally:
        database.close()
    assert (report.chains, report.problems, report.known) == (len(MACHINES), (), ())
    assert guards == {one.name: one.guard for one in MACHINES}
    assert {one.verdict for one in calls} == {"allow", "ask", "deny"}
    assert len({one.at[:10] for one in calls}) >= 7
    assert {one.source for one in calls} == {one.source for one in calls if one.status == "ran"}
    asked = {line.partition(" ")[2] for some in TASKS.values() for task in some for line in task}
    assert {one.text for one in calls if one.action == "Bash"} <= asked


def test_its_link_signs_in_as_somebody_in_person(demo: Demo) -> None:
    """So that all of it can be tried: what would ask for a code elsewhere is a form here."""
    jar = urllib.request.HTTPCookieProcessor(CookieJar())
    opener = urllib.request.build_opener(jar)

    def page(address: str) -> str:
        return str(opener.open(address, timeout=SECONDS).read().decode())

    assert "as it happens" not in page(demo.link), "a script says so"
    url = demo.link.partition("/signin/")[0]
    assert "mbp-ada" in page(f"{url}/machines")
    assert "Invite somebody" in page(f"{url}/people")
    assert "takes a second factor" not in page(f"{url}/people")
