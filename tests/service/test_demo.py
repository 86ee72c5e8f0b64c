"""``interlock serve --demo``: a made-up week, through the real guard, in a folder that goes with
it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from http.cookiejar import CookieJar
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest

from interlock.cli.demo_week import MACHINES, TASKS
from interlock.service.ingest.verify import verify
from interlock.service.machines.health import health
from interlock.service.people.signin import IN_PERSON, link
from interlock.service.store.sqlite import Database
from interlock.service.store.views import DecisionQuery

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 60


class Demo:
    """A demo that serves. ``link``: what it printed; ``folder``: what it keeps."""

    def __init__(self, link: str, folder: Path) -> None:
        self.link, self.folder = link, folder

    def again(self) -> str:
        """Return another such link."""
        database = Database(str(self.folder / "service"))
        try:
            secret = database.write(lambda steps: link(steps, kind=IN_PERSON))
        finally:
            database.close()
        return f"{self.link.partition('/signin/')[0]}/signin/{secret}"


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
        calls = database.read(lambda known: known.decisions(DecisionQuery(most=5000)))
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
    visitor = Browser(demo.link)
    assert "mbp-ada" in visitor.get("/machines")
    assert "Invite somebody" in visitor.get("/people")
    assert "takes a second factor" not in visitor.get("/people")


def test_what_waits_is_answered_and_runs(demo: Demo) -> None:
    """By the real way: a request of a machine, a vote on its page, the yes fetched and spent."""
    visitor = Browser(demo.again())
    found = waits(visitor, r'href="(/inbox/m-[^"]+)"', "/inbox")
    page = visitor.get(found)
    proof = re.search(r'name="proof" value="([^"]+)"', page)
    assert proof is not None
    visitor.get(found, {"proof": proof[1], "answer": "approve"})
    assert waits(visitor, r"It was approved by (\w+), and the call ran by it", found) == "owner"


def test_its_machines_listen_and_a_stop_stops_them(demo: Demo) -> None:
    """All but the silent one are connected, confirm a stop of all within moments, and have every
    call refused until two people have resumed them; then calls pass again.
    """
    on = sum(not one.quiet for one in MACHINES)
    visitor = Browser(demo.again())
    waits(visitor, rf"({on}) of {len(MACHINES)} machines connected", "/stops")
    page = send(visitor, "/stops", "/stops", whom="fleet", fleet="STOP ALL", why="trying it")
    found = re.search(r'action="(/stops/\d+)/resume"', page)
    assert found is not None
    stop = found[1]
    waits(visitor, rf"({on}) of {len(MACHINES)} ", stop)
    newest = r'id="feed"[^>]*>\s*<li class="call ({})"'
    waits(visitor, newest.format("deny"), "/")
    assert "stop.engaged" in visitor.get("/")
    assert "it takes somebody else now: kim" in send(visitor, stop, f"{stop}/resume")
    waits(visitor, r"<h1[^>]*>(Resumed)", stop)
    waits(visitor, rf"({on}) of {len(MACHINES)} ", stop)
    waits(visitor, newest.format("allow"), "/")


def send(visitor: Browser, page: str, path: str, **form: str) -> str:
    """Send a form of a page."""
    proof = re.search(r'name="proof" value="([^"]+)"', visitor.get(page))
    assert proof is not None
    return visitor.get(path, {"proof": proof[1], **form})


class Browser:
    """Somebody signed in."""

    def __init__(self, link: str) -> None:
        jar = urllib.request.HTTPCookieProcessor(CookieJar())
        self._opener = urllib.request.build_opener(jar)
        self._url = link.partition("/signin/")[0]
        self._opener.open(link, timeout=SECONDS).close()

    def get(self, path: str, form: dict[str, str] | None = None) -> str:
        """Return a page, or send a form to it."""
        body = urlencode(form).encode() if form else None
        return str(self._opener.open(self._url + path, body, SECONDS).read().decode())


def waits(visitor: Browser, pattern: str, path: str) -> str:
    """Wait until a page says something."""
    until = time.monotonic() + SECONDS
    while (found := re.search(pattern, visitor.get(path))) is None:
        assert time.monotonic() < until
        time.sleep(0.2)
    return found[1]
