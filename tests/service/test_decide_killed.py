"""What was answered is recorded, whatever is killed meanwhile."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from interlock.service.ingest.verify import verify
from interlock.service.keys import ServiceKeys
from interlock.service.people import tokens
from interlock.service.people.owner import first
from interlock.service.roles import CALLER
from interlock.service.store.sqlite import Database
from interlock.service.store.views import DecisionQuery
from tests.calling import bash

if TYPE_CHECKING:
    from interlock.service.store.protocol import ServiceWriter

TOP = Path(__file__).resolve().parents[2]
ASKING, KILLS, MOST_SECONDS = 6, 2, 60


def start(home: Path) -> tuple[subprocess.Popen[str], int]:
    """Start a service of a home, on the port of the last time; return it with its port."""
    environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(TOP / "src")}
    command = [sys.executable, "-m", "interlock", "serve"]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"ready at http://127\.0\.0\.1:(\d+)", process.stdout.readline())
    assert found is not None
    return process, int(found[1])


def make_token(folder: Path) -> str:
    """Return the token of a caller."""
    keys = ServiceKeys(str(folder))

    def work(steps: ServiceWriter) -> str:
        return tokens.make(steps, keys, CALLER, "bot", "1", first(steps))

    with closing(Database(str(folder))) as keeping:
        return keeping.write(work)


def ask_until(port: int, token: str, until: list[float], answered: list[str]) -> None:
    """Ask again and again; note each decision that came back, whole."""
    number = 0
    while time.monotonic() < until[0]:
        number += 1
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        try:
            connection.request("POST", "/v1/decide", json.dumps(bash(f"ls {number}")), headers)
            answer = connection.getresponse()
            said = json.loads(answer.read())
            if answer.status == 200:
                answered.append(said["id"])
        except (OSError, HTTPException, ValueError):
            time.sleep(0.05)  # it is dead now
        finally:
            connection.close()


def test_every_answer_is_in_the_record_however_often_it_is_killed(tmp_path: Path) -> None:
    """Callers ask without a pause while the service is killed and started again: each decision that
    came back is there once, every link and digest holds, and it goes on.
    """
    folder = tmp_path / ".local/state/interlock/service"
    process, port = start(tmp_path)
    token = make_token(folder)
    answered: list[str] = []
    until = [time.monotonic() + MOST_SECONDS]
    threads = [Thread(target=ask_until, args=(port, token, until, answered)) for _ in range(ASKING)]
    for one in threads:
        one.start()
    try:
        for _ in range(KILLS):
            before = len(answered)
            while len(answered) < before + 30:
                assert time.monotonic() < until[0], answered
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            process, port = start(tmp_path)
        before = len(answered)
        while len(answered) < before + 10:
            assert time.monotonic() < until[0], answered
            time.sleep(0.01)
    finally:
        until[0] = 0.0
        for one in threads:
            one.join()
        process.terminate()
        process.communicate()
    with closing(Database(str(folder))) as keeping:
        recorded = [
            one.name
            for one in keeping.read(lambda known: known.decisions(DecisionQuery(most=100_000)))
        ]
        assert keeping.read(verify).problems == ()
    assert len(recorded) == len(set(recorded))
    assert set(answered) <= set(recorded)
