"""Commands in a job of Windows, with a real Python of Windows, under Wine or on Windows itself
(docs/platforms.md says how to put one together).
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
import yaml

from interlock import __file__ as package

if TYPE_CHECKING:
    from pathlib import Path

VARIABLE = "INTERLOCK_WINDOWS_PYTHON"
PYTHON = shlex.split(os.environ.get(VARIABLE, ""))
PATIENCE = 120.0
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.skipif(
        not PYTHON,
        reason=f"the command line of a Python of Windows in {VARIABLE} runs this: docs/platforms.md",
    ),
]

BOOT = "import os, sys; os.environ['HOME'] = sys.argv.pop(1); sys.path[:0] = [sys.argv.pop(1), sys.argv.pop(1)]; "
COMMAND = f"{BOOT} from interlock.cli.main import main; raise SystemExit(main())"
TIER = "job only (no walls)"
LOOP = "for /l %i in (1,0,2) do @rem"
"""For cmd.exe, without an end."""
HELD = """
import os, sys
from interlock.sandbox.process import ProcessStart
from interlock.sandbox.bounds import Bounds, Walls
from interlock.sandbox.windows import WindowsProcess
def held(program, seconds=60.0, stdin=b'', *words):
    start = ProcessStart((sys.executable, '-c', program, *words), os.getcwd(), dict(os.environ), Walls(), Bounds(seconds=seconds), '', stdin=stdin)
    ended = WindowsProcess(start).ended()
    print(ended.why, ended.code, ended.stdout.text().replace(chr(13), ''), ended.stderr.text())
"""
BEATS = """
import subprocess, sys, time
if sys.argv[1:] != ['beat']:
    subprocess.Popen([sys.executable, '-c', open('beats.py').read(), 'beat'], creationflags=8)  # without a console, as a daemon
    time.sleep(600)
for _ in range(3000):
    open('beat', 'a').write('x')
    time.sleep(0.1)
"""


def there(path: object) -> str:
    """Return how Wine calls a file of this machine."""
    return f"Z:{path}".replace("/", "\\") if os.name != "nt" else str(path)


def line(folder: Path, program: str, *words: str) -> list[str]:
    """Return the command line of a program of Windows' Python, with this interlock and a home of
    its own.
    """
    home, libraries = folder / "home", folder / "libraries"
    home.mkdir(exist_ok=True)
    libraries.mkdir(exist_ok=True)
    if not (libraries / "yaml").exists():
        (libraries / "yaml").symlink_to(os.path.dirname(yaml.__file__))
        (libraries / "interlock-0.dist-info").mkdir()
        (libraries / "interlock-0.dist-info" / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: interlock\nVersion: 0\n", encoding="utf-8"
        )
    source = os.path.dirname(os.path.dirname(package))
    return [
        *PYTHON,
        "-B",
        "-X",
        "utf8",
        "-c",
        program,
        there(home),
        there(source),
        there(libraries),
        *words,
    ]


def start(folder: Path, program: str, *words: str) -> subprocess.Popen[str]:
    """Start it in a folder to work in; Wine wants pipes."""
    work = folder / "work"
    work.mkdir(exist_ok=True)
    said = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        line(folder, program, *words),
        cwd=work,
        env={"PATH": os.defpath},
        text=True,
        encoding="utf-8",
        **said,
    )


def ran(folder: Path, program: str, *words: str, given: str = "") -> tuple[int, str]:
    """Return the exit code and all that was said."""
    with start(folder, program, *words) as process:
        said, _ = process.communicate(given, PATIENCE)
        return process.returncode, said


def command(folder: Path, *words: str, given: str = "") -> tuple[int, str]:
    """Run ``interlock``."""
    return ran(folder, COMMAND, *words, given=given)


def grows(path: Path) -> bool:
    """Whether somebody writes to a file for as long as one needs to be sure."""
    before = path.stat().st_size
    deadline = time.monotonic() + 3.0
    while time.monotonic() < deadline:
        if path.stat().st_size > before:
            return True
        time.sleep(0.1)
    return False


def test_a_command_runs_in_a_job(tmp_path: Path) -> None:
    """Its output and exit code come back, what it reads is what was piped in, and the tier is in
    the result and in the log.
    """
    code, said = command(
        tmp_path,
        "run",
        "--require",
        "none",
        "--json",
        "--",
        'find "two" & echo %TEMP%>&2& exit 7',
        given="one\r\ntwo\r\n",
    )
    result = json.loads(said)
    assert (code, result["status"], result["code"], result["stdout"]) == (7, "failed", 7, "two\n")
    assert "interlock-run-" in result["stderr"]
    assert (result["tier"]["name"], result["tier"]["kernel"]) == (TIER, "")
    [row] = [json.loads(one) for one in command(tmp_path, "log", "--json")[1].splitlines()]
    assert TIER in json.dumps(row)
    code, said = command(tmp_path, "run", "--require", "none", "--", "echo", "a b", "c&d")
    assert (code, said.split("\n")[0].strip()) == (0, '"a b" "c&d"')


def test_a_job_is_not_taken_for_walls(tmp_path: Path) -> None:
    """Where the kernel's walls are required, and for a command they are unless told otherwise,
    nothing runs; the doctor says what there is.
    """
    code, said = command(tmp_path, "run", "--", "echo ran>ran")
    assert (code, (tmp_path / "work" / "ran").exists()) == (126, False)
    assert "holds no file and no host" in said
    assert "not run: blocked by policy" in said
    code, _ = command(tmp_path, "run", "--require", "none", "--", "echo ran>ran")
    assert (code, (tmp_path / "work" / "ran").exists()) == (0, True)
    assert "commands run in a job" in command(tmp_path, "doctor")[1]


def test_a_program_under_guard_is_refused(tmp_path: Path) -> None:
    """It does not run without its guard, and one sentence says why and what works."""
    code, said = command(tmp_path, "code", "-", given="open('ran', 'w')")
    assert (code, (tmp_path / "work" / "ran").exists()) == (126, False)
    assert "interlock run --require none -- python FILE" in said


def test_the_tools_refuse_in_words(tmp_path: Path) -> None:
    """An agent that calls them over MCP gets a refusal with its rule: no line of another shell
    runs, and no program without its guard.
    """
    tools = {"bash": {"command": "echo ran>ran"}, "runpy": {"code": "open('ran', 'w')"}}
    calls = [
        {"method": "tools/call", "params": {"name": name, "arguments": given}}
        for name, given in tools.items()
    ]
    hello = {
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    given = "".join(
        [
            json.dumps({"jsonrpc": "2.0", "id": at, **one}) + "\n"
            for at, one in enumerate([hello, *calls])
        ]
    )
    code, said = command(tmp_path, "tools", "--require", "none", given=given)
    answers = [json.loads(one)["result"]["structuredContent"] for one in said.splitlines()[1:]]
    assert (code, [one["refused"][0]["rule"] for one in answers]) == (
        0,
        ["code.shell", "code.platform"],
    )
    assert not (tmp_path / "work" / "ran").exists()


def test_a_denied_command_does_not_start(tmp_path: Path) -> None:
    """It is read as cmd.exe reads it and judged before anything runs."""
    (tmp_path / "work").mkdir()
    (tmp_path / "keep").write_text("x", encoding="utf-8")
    code, said = command(tmp_path, "run", "--require", "none", "--", "echo hi & del ..\\keep")
    assert (code, (tmp_path / "keep").exists(), "hi" in said.splitlines()) == (126, True, False)


def test_the_end_of_its_time_ends_a_command(tmp_path: Path) -> None:
    """A loop of cmd.exe without an end is over when its time is."""
    code, said = command(tmp_path, "run", "--require", "none", "--seconds", "2", "--", LOOP)
    assert code == 124, said
    assert "timed out" in said


def test_the_end_of_its_time_ends_what_it_started(tmp_path: Path) -> None:
    """A child with no console of its own ends with the job."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "beats.py").write_text(BEATS, encoding="utf-8")
    code, said = ran(tmp_path, f"{BOOT}{HELD}\nheld(open('beats.py').read(), 10.0)")
    assert (code, said.split()[0]) == (0, "time"), said
    assert (tmp_path / "work" / "beat").stat().st_size > 0
    assert not grows(tmp_path / "work" / "beat")


def test_a_job_ends_with_who_holds_it(tmp_path: Path) -> None:
    """Where the launcher is killed, nothing that it started is left."""
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "beats.py").write_text(BEATS, encoding="utf-8")
    beat = tmp_path / "work" / "beat"
    with start(tmp_path, f"{BOOT}{HELD}\nheld(open('beats.py').read(), {PATIENCE})") as process:
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None and not beat.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        grew = beat.exists() and grows(beat)
        process.kill()
    assert grew
    assert not grows(beat)


def test_a_job_may_be_inside_another(tmp_path: Path) -> None:
    """Where interlock runs in a job itself, as in many terminals and on build machines, what it
    starts has one of its own all the same.
    """
    inner = f"import sys; sys.path[:0] = WHERE\n{HELD}\nheld('print(6 * 7)')"
    code, said = ran(
        tmp_path, f"{BOOT}{HELD}\nheld({inner!r}.replace('WHERE', repr(sys.path[:2])))"
    )
    assert (code, said.split()) == (0, ["exit", "0", "exit", "0", "42"]), said


RIGHTS = """
import ctypes, subprocess, sys
kernel, security = ctypes.CDLL('kernel32'), ctypes.CDLL('advapi32')
kernel.GetCurrentProcess.restype = ctypes.c_void_p
token, said, size = ctypes.c_void_p(), ctypes.create_string_buffer(4096), ctypes.c_uint32()
security.OpenProcessToken(ctypes.c_void_p(kernel.GetCurrentProcess()), 8, ctypes.byref(token))
security.GetTokenInformation(token, 3, said, 4096, ctypes.byref(size))
print('privileges', int.from_bytes(said.raw[:4], 'little'), flush=True)
inside = ctypes.c_uint32()
kernel.IsProcessInJob(ctypes.c_void_p(kernel.GetCurrentProcess()), None, ctypes.byref(inside))
print('inside', inside.value, flush=True)
try:
    subprocess.run([sys.executable, '-c', ''], creationflags=0x1000000)
    print('away', flush=True)
except PermissionError:
    print('held', flush=True)
import msvcrt, os
for word in sys.argv[1:]:
    try:
        os.fstat(msvcrt.open_osfhandle(int(word), 0))
        print('inherited', flush=True)
    except OSError:
        print('not inherited', flush=True)
print(sys.stdin.read(), flush=True)
"""
LEFT = """
import msvcrt
handle = msvcrt.get_osfhandle(os.pipe()[1])
os.set_handle_inheritable(handle, True)
"""


def test_what_runs_in_a_job_has_fewer_rights(tmp_path: Path) -> None:
    """One privilege is left, nothing starts outside the job, no other handle is inherited; the same
    without a job has and may more.
    """
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "rights.py").write_text(RIGHTS, encoding="utf-8")
    code, said = ran(
        tmp_path,
        f"{BOOT}{HELD}{LEFT}\nheld(open('rights.py').read(), 60.0, b'piped in', str(handle))",
    )
    assert code == 0, said
    assert said.strip().splitlines() == [
        "exit 0 privileges 1",
        "inside 1",
        "held",
        "not inherited",
        "piped in",
    ]
    bare = ran(tmp_path, f"{BOOT}{RIGHTS}")[1].split("\n")
    assert int(bare[0].split()[1]) > 1, bare
    assert "away" in [one.strip() for one in bare], bare
