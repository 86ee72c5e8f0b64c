"""What the tests with real clients show is kept, for the page of clients: ``INTERLOCK_PROVE=1 make
e2e`` writes ``proven.json`` beside this file.

A row of it is a promise (the first line of a test), and for each client whether it held, was
skipped, or failed, with the client's version.
"""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.install_client import CLIENTS

if TYPE_CHECKING:
    from collections.abc import Generator

collect_ignore = [] if "INTERLOCK_FRAMEWORKS" in os.environ else ["frameworks"]
"""They are tested where they are installed: ``make frameworks``."""
PROVEN = Path(__file__).with_name("proven.json")
HELD, SKIPPED, FAILED = "held", "skipped", "failed"
_ORDER = (SKIPPED, HELD, FAILED)
_seen: dict[str, dict[str, str]] = {}


def client_of(item: pytest.Item) -> str:
    """Return the name of the real client that a test talks to, ``""`` where it is none or not told
    by its parameters.
    """
    spec = getattr(item, "callspec", None)
    for value in spec.params.values() if spec is not None else ():
        name = value if isinstance(value, str) else getattr(value, "name", "")
        if name in CLIENTS:
            return str(name)
    return ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note how a test of a real client ended; of several with one promise the worst counts."""
    del call
    report = yield
    client, function = client_of(item), getattr(item, "function", None)
    if client and function is not None and (report.when == "call" or report.outcome != "passed"):
        promise = (function.__doc__ or "").strip().splitlines()[0]
        said = {"passed": HELD, "skipped": SKIPPED, "failed": FAILED}[report.outcome]
        held = _seen.setdefault(promise, {})
        held[client] = max(said, held.get(client, SKIPPED), key=_ORDER.index)
        if "INTERLOCK_PROVE" in os.environ:
            _keep()
    return report


def _keep() -> None:
    """Add what was seen so far to the file: a run of an hour may be ended before its end, and
    others may run beside it.
    """
    with PROVEN.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        kept = json.loads(file.read() or '{"versions": {}, "promises": {}}')
        for promise, held in _seen.items():
            for client, said in held.items():
                kept["promises"].setdefault(promise, {})[client] = said
                kept["versions"][client] = CLIENTS[client].version
        file.truncate(0)
        file.write(json.dumps(kept, indent=1, sort_keys=True) + "\n")
