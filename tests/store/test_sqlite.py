"""The C module of SQLite is loaded lean, works, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent.parent / "src"

START = f"""
import sys
sys.path.append({str(SOURCE)!r})
from interlock.store.sqlite import load
"""
WORKS = """
connection = sqlite.connect(":memory:", cached_statements=2)
connection.execute("CREATE TABLE t (n)")
for number in range(20):
    connection.execute(f"INSERT INTO t VALUES ({number % 5})")
    connection.execute("INSERT INTO t VALUES (?)", (number,))
assert connection.execute("SELECT count(*) FROM t").fetchall() == [(40,)]
"""


WELL = (0, "", "")


def bare(script: str) -> tuple[int, str, str]:
    """Run a script in a bare interpreter; return its exit code and what it printed on both
    streams.
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", START + script],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


DRAGGED = "{'functools', 'collections', 'operator'}"


def test_it_drags_nothing_along() -> None:
    """Where functools and collections are not there yet, it works and brings neither; an ordinary
    import of the same module does.
    """
    away = f"for name in {DRAGGED}: sys.modules.pop(name, None)\n"
    none = f"assert not {DRAGGED} & set(sys.modules)\n"
    assert bare(f"{away}sqlite = load()\n{WORKS}\n{none}") == WELL
    assert bare(f"{away}import _sqlite3\n{none}")[0] == 1


@pytest.mark.parametrize("before", [True, False])
def test_functools_is_the_real_one(*, before: bool) -> None:
    """Imported before or after, functools is Python's own, and the module works beside it."""
    assert (
        bare(
            f"{'import functools' if before else ''}\nsqlite = load()\n{WORKS}\nimport functools\nassert functools.partial and functools.wraps"
        )
        == WELL
    )


def test_where_the_way_is_closed_it_is_loaded_plainly() -> None:
    """A Python whose C module lacks the class gets the plain import."""
    assert (
        bare(
            f"sys.modules['_functools'] = type(sys)('_functools')\ntry:\n    sqlite = load()\nfinally:\n    del sys.modules['_functools']\n{WORKS}"
        )
        == WELL
    )


def test_without_sqlite_it_says_so() -> None:
    """A Python built without SQLite gets one sentence, and functools is left alone."""
    done = bare(
        "from interlock.store.place import StoreError\n"
        "sys.modules['_sqlite3'] = sys.modules['sqlite3'] = None\n"
        "try:\n    load()\nexcept StoreError as error:\n    assert 'without SQLite' in str(error)\nelse:\n    raise SystemExit('loaded')\n"
        "import functools\nassert functools.partial"
    )
    assert done == WELL
