"""What all tests share: a neutral world, the same made-up examples every time, and a short table of
what was not run.

``INTERLOCK_FUZZ=1`` (``make fuzz``) looks for new examples instead. ``INTERLOCK_CLIENTS=1`` (``make
e2e``) runs what is marked ``long`` too.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import shutil
import signal
import time
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from hypothesis import HealthCheck, settings

from interlock.cli import bundle_writer
from tests import grouping, installed, neutral, unrun

neutral.enter()
gc.disable()  # until all tests are collected: what they are made of is kept to the end

# The same examples every time and no deadline: a busy machine is no failure. `make e2e` and
# `make fuzz` try a hundred others.
settings.register_profile(
    "interlock",
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
    database=None,
    print_blob=True,
)
settings.register_profile("fuzz", deadline=None, print_blob=True)
settings.load_profile("fuzz" if os.environ.get("INTERLOCK_FUZZ") else "interlock")

# As a terminal leaves them: what is started in the background of a script ignores Ctrl-C, and hands
# that on to every program it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for quiet in (signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(quiet) is signal.SIG_IGN:
        signal.signal(quiet, signal.SIG_DFL)


HANGS_AFTER = 300
ARMED_FOR = 20
_armed = [0.0]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """End a run with the stacks of a test that hangs, instead of holding it for ever.

    pytest's own ``faulthandler_timeout`` starts and ends a thread for each test, which costs as
    much as most tests do.
    """
    now = time.monotonic()
    if now - _armed[0] > ARMED_FOR:
        _armed[0] = now
        stderr = item.config.stash[fault_handler_stderr_fd_key]
        faulthandler.dump_traceback_later(HANGS_AFTER, exit=True, file=stderr)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """A process that waits for more to do is none that hangs."""
    if nextitem is None:
        _armed[0] = 0.0
        faulthandler.cancel_dump_traceback_later()


def pytest_configure(config: pytest.Config) -> None:
    """Bundle the modules before a parallel run begins: the hooks that tests start are as quick as
    installed ones.
    """
    if getattr(config.option, "numprocesses", None):
        bundle_writer.write(str(installed.SOURCE))


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(
    collector: pytest.Collector, name: str, obj: object
) -> pytest.Function | None:
    """Have the rows of a table be one test where tests run in several processes."""
    if not hasattr(collector.config, "workerinput"):
        return None
    return grouping.group(collector, name, obj)


FIRST = (
    "tests/e2e/", "tests/presence/", "tests/resident/", "tests/service/", "tests/cli/",
    "tests/approvals/", "tests/policy/", "tests/test_wrapping_laws.py", "tests/test_hook_hostile.py",
)  # fmt: skip
"""Where the files are that take long: begun last, one would keep a core alone at the end."""


COUNTS = ("long", "rows")
"""Tests that were left out because they take long; rows that were tried many in one test."""
COUNTED = pytest.StashKey[dict[str, int]]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is marked ``long`` unless it is asked for; it would only be skipped. What
    takes long comes first.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(FIRST))
    if "INTERLOCK_CLIENTS" in os.environ:
        return
    long = [item for item in items if item.get_closest_marker("long")]
    items[:] = [item for item in items if not item.get_closest_marker("long")]
    rows = [getattr(getattr(item, "obj", None), "rows", 0) for item in items]
    config.stash[COUNTED] = {"long": len(long), "rows": sum(rows)}
    if hasattr(config, "workeroutput"):
        config.workeroutput.update(config.stash[COUNTED])


def pytest_collection_finish() -> None:
    """Let the collector of waste pass over what is kept anyway."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Every process of a parallel run collects all tests; each says the same numbers."""
    del error
    said = getattr(node, "workeroutput", {})
    node.config.stash[COUNTED] = {name: said[name] for name in COUNTS if name in said}


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what was not run, why, and what to do about it."""
    counted = config.stash.get(COUNTED, {})
    unrun.report(terminalreporter, counted.get("long", 0))
    if counted.get("rows"):
        terminalreporter.line(
            f"{counted['rows']:,} of what was tried are rows of tables, many in one test"
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take the home of this run away, when all of its processes are done."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(neutral.home(), ignore_errors=True)
