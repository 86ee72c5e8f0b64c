"""The hook's import graph: what one ordinary call may load beside the interpreter's own start."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.cli.bundle_writer import write
from tests.installed import installed_at

SOURCE = Path(__file__).parent.parent / "src"
needs_the_guard = pytest.mark.skipif(
    not (SOURCE / "interlock/cli/build.py").exists(),
    reason="nothing wires the parts together (cli/build.py)",
)

ALLOWED = frozenset(
    """__future__ posix nt time _json _signal _thread _sqlite3 _datetime _random _struct fcntl msvcrt binascii itertools _functools _operator
    _collections pwd types _sha2 _sha256 _sha512 _blake2""".split()
)
"""Built into the interpreter or written in C, and cheap. ``re``, ``json``, ``enum``, ``typing``,
``dataclasses``, ``hashlib``, ``sqlite3`` and ``pathlib`` each cost more than reading and judging a
call does.
"""

PROBE = """
import sys
bare = set(sys.modules)
source, report = sys.argv[1:]
sys.path.append(source)
from interlock.cli.bundle import use
assert use(source + "/interlock")
import interlock.cli.hook as hook

def leave(code):
    names = " ".join(sorted(set(sys.modules) - bare))
    with open(report, "w", encoding="utf-8") as file:
        file.write(f"{code} {names}")
    sys.exit(code)

hook.leave = leave
hook.main(["claude-code"])
"""
"""Runs the hook as its file does, and notes what was loaded when it would leave."""
LATE = PROBE.replace(
    "from interlock.cli.bundle import use",
    """
from interlock.cli.bundle import Bundle, use

def run(bundle, module, plainly=Bundle.run):
    late.append(module.__name__)
    plainly(bundle, module)

late, Bundle.run = [], run
""",
).replace("set(sys.modules) - bare", "late")
"""The same, and notes what was run by itself: none of what was run at once."""


def payload(cwd: Path, command: str) -> str:
    """Write an event of the client for one shell command."""
    event = {
        "session_id": "s",
        "cwd": str(cwd),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_use_id": "t",
    }
    return json.dumps(event)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package as `interlock install` leaves it: with its bundle."""
    return copied(tmp_path_factory.mktemp("installed"))


def copied(folder: Path, ending: str = "", module: str = "model/action") -> Path:
    """Copy the package and bundle it; ``ending``: code to add to a module on the hook's way."""
    package = installed_at(folder / "interlock")
    if ending:
        with (package / f"{module}.py").open("a", encoding="utf-8") as file:
            file.write(f"\n\n{ending}\n")
        write(str(package))
    return folder


def probe(
    source: Path, folder: Path, command: str
) -> tuple[subprocess.CompletedProcess[str], set[str]]:
    """Judge one command in a bare interpreter; return the process and the modules outside the
    package that it loaded.
    """
    done, noted = judged(source, folder, command, PROBE)
    return done, {name for name in noted if name.partition(".")[0] != "interlock"}


def judged(
    source: Path, folder: Path, command: str, program: str
) -> tuple[subprocess.CompletedProcess[str], set[str]]:
    """Judge one command in a bare interpreter; return the process and the modules that the program
    noted.
    """
    home, work, report = folder / "home", folder / "work", folder / "report"
    for made in (home, work):
        made.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, str(source), str(report)],
        input=payload(work, command),
        env={"HOME": str(home), "PATH": "/usr/bin:/bin"},
        cwd=work,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert report.exists(), done.stderr
    code, *noted = report.read_text(encoding="utf-8").split()
    assert int(code) == done.returncode
    return done, set(noted)


def too_many(loaded: set[str]) -> set[str]:
    """Return what is not on the list."""
    return loaded - ALLOWED


@needs_the_guard
@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "git status --short | head -5",
        "cd src && grep -rn 'def main' . > /tmp/out.txt",
        "python3 -m pytest -q tests",
    ],
)
def test_an_ordinary_call_stays_within_the_budget(
    installed: Path, tmp_path: Path, command: str
) -> None:
    """An allowed command is judged and recorded with nothing loaded that is not on the list."""
    done, loaded = probe(installed, tmp_path, command)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    assert too_many(loaded) == set()


@needs_the_guard
@pytest.mark.parametrize(
    ("command", "besides"),
    [
        ("python3 -c 'print(6 * 7)'", {"_ast", "warnings"}),  # what a compiler warns of is silenced
        ("node -e 'console.log(6 * 7)'", {"_ast"}),
    ],
)
def test_a_program_needs_little_besides(
    installed: Path, tmp_path: Path, command: str, besides: set[str]
) -> None:
    """A program is read with Python's own nodes, written in C; none of what says in a source which
    types there are comes along.
    """
    done, loaded = probe(installed, tmp_path, command)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr
    assert too_many(loaded) == besides


@needs_the_guard
def test_a_refusal_stays_within_the_budget(installed: Path, tmp_path: Path) -> None:
    """A denied command is answered, reason and all, with nothing loaded that is not on the list."""
    done, loaded = probe(installed, tmp_path, "rm -rf /")
    assert done.returncode == 2
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert too_many(loaded) == set()


@needs_the_guard
def test_what_every_call_needs_is_run_at_once(
    installed: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Of calls that have little in common each runs modules of its own one by one, but none that
    all of them need: those stand first in the bundle.
    """
    commands = ("ls -la", "git status --short | head -5", "npm run build", "rm -rf /")
    folder = tmp_path_factory.mktemp("a")  # a longer word might be a secret, and is looked at
    late = [judged(installed, folder, command, LATE)[1] for command in commands]
    assert set.intersection(*late) == set()
    assert "interlock.effects.programs.git" in late[1] - late[0]


SEEDED = """
import json
from fractions import Fraction

WAYS = json

def late(x: Fraction | None) -> object:
    import re
    return re

late(None)
"""


def test_an_expensive_import_is_caught(tmp_path: Path) -> None:
    """A module on the hook's way that imports what is not on the list is found, at its top or
    inside a function; what only annotations name is not even loaded.
    """
    _, loaded = probe(copied(tmp_path, SEEDED), tmp_path, "ls")
    assert {"json", "re"} <= too_many(loaded)
    assert "fractions" not in loaded


@needs_the_guard
def test_a_machine_that_is_enrolled_judges_with_nothing_more(
    installed: Path, tmp_path: Path
) -> None:
    """What sends the record, and what keeps it, is not on the hook's way: the same modules are
    loaded on a machine that is enrolled and on one that is not.
    """
    loaded = []
    for name in ("alone", "enrolled"):
        folder = tmp_path / name
        state = folder / "home/.local/state/interlock"
        state.mkdir(parents=True, mode=0o700)
        if name == "enrolled":
            said = dict.fromkeys(("url", "pin", "machine", "credential", "chain"), "x")
            (state / "enrolled.json").write_text(json.dumps({**said, "service_key": "", "at": ""}))
        probe(installed, folder, "ls -la")
        loaded.append((folder / "report").read_text(encoding="utf-8"))
    assert loaded[0] == loaded[1]
    assert not any(f"interlock.{room}" in loaded[0] for room in ("wire", "sidecar", "service"))


EXTRAS = "pydantic_ai prompt_toolkit starlette uvicorn jinja2 cryptography apprise tuf".split()
"""What only some commands need, once they run."""
HELP = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1:]))
from interlock.cli.main import main, parser
parser()
sys.exit(main(["--help"]))
"""
"""Declares every command and lists them where these packages are not installed."""


def test_every_command_is_listed_where_no_extra_is_installed() -> None:
    """What a command needs beside the package is imported when it runs: the overview costs nobody
    what one of them needs, and does not fail where that is missing.
    """
    done = subprocess.run(
        [sys.executable, "-c", HELP, *EXTRAS], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "interlock help COMMAND" in done.stdout
