"""Programs are allowed by the name that people type; who follows a refusal's advice gets through."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.commands import everything, names, program, program_folders, search
from interlock.codemode.permissions import ANY, RunPermissions
from interlock.codemode.program import RunResult
from interlock.codemode.python.interpreter import choose_interpreter
from interlock.sandbox.bounds import BUBBLEWRAP
from tests.codemode.scenes import HELD, NONE, needs

if TYPE_CHECKING:
    from tests.codemode.scenes import Ground

OPTION = re.compile(r"(--allow-[a-z]+)(?: ([^\s.:;]\S*[^\s.:;]|\w))?")
FIELDS = {"--allow-command": "allow_commands", "--allow-host": "allow_hosts"}


def followed(result: RunResult) -> RunPermissions:
    """Return the permits of who does what the refusals of a run advise, and nothing else."""
    allowed = RunPermissions()
    for one in result.refused:
        option, value = OPTION.findall(one.instead or one.message)[0]
        if option == "--allow-loopback":
            allowed = allowed.replace(loopback=True)
        else:
            field = FIELDS[option]
            allowed = allowed.replace(**{field: (*getattr(allowed, field), value)})
    return allowed


STARTS = {
    "git": "print(subprocess.run(['git', '--version'], check=True).returncode)",
    "this interpreter": "print(subprocess.run([sys.executable, '-c', '0'], check=True).returncode)",
    "an alternative": "print(subprocess.run(['awk', 'BEGIN {exit 0}'], check=True).returncode)",
    "a shell": "print(subprocess.run(['sh', '-c', 'exit 0'], check=True).returncode)",
    "a line for the shell": "print(subprocess.run('exit 0', shell=True, check=True).returncode)",
    "python3": "print(subprocess.run(['python3', '-c', '0'], check=True).returncode)",
    "a script": "print(subprocess.run(['./tool'], check=True).returncode)",
    "by asyncio": "import asyncio\nasync def go():\n    p = await asyncio.create_subprocess_exec('git', '--version')\n    print(await p.wait())\nasyncio.run(go())",
}  # fmt: skip


@pytest.mark.parametrize("tier", [*HELD, NONE])
@pytest.mark.parametrize("code", STARTS.values(), ids=STARTS)
def test_who_follows_the_advice_starts_the_program(ground: Ground, tier: str, code: str) -> None:
    """The refusal names an option; with it, and nothing else, the program runs."""
    (ground.work / "tool").write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    (ground.work / "tool").chmod(0o755)
    source = f"import subprocess, sys\n{code}\n"
    first = ground.run(source, tier)
    assert first.status == "failed", first
    assert first.refused, first
    second = ground.run(source, tier, followed(first))
    assert (second.status, second.stdout[-2:]) == ("ran", "0\n"), second


SERVER = """
import http.server, threading, urllib.request
server = http.server.HTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler)
threading.Thread(target=server.serve_forever, daemon=True).start()
try:
    urllib.request.urlopen('http://127.0.0.1:%d/' % server.server_port)
except urllib.error.HTTPError as error:
    print(error.code)
"""


@pytest.mark.parametrize("tier", [BUBBLEWRAP, NONE])
def test_who_follows_the_advice_serves_itself(ground: Ground, tier: str) -> None:
    """A program that waits on this machine is told of the option for that; also by the reader."""
    first = ground.run(SERVER, tier)
    assert first.status == "failed", first
    assert "--allow-loopback" in first.refused[0].message
    assert ground.run(SERVER, tier, RunPermissions(loopback=True)).stdout == "501\n"
    read = ground.run_whole(
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:8000/')\n", tier
    )
    assert "--allow-loopback" in read.refused[0].instead


SPAWN = """
import multiprocessing as m
def double(x):
    return 2 * x
if __name__ == '__main__':
    c = m.get_context({way!r})
    with c.Pool(2) as pool:
        print(pool.map(double, range(4)))
    q = c.Queue()
    p = c.Process(target=q.put, args=(7,))
    p.start()
    print(q.get())
    p.join()
"""


@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_processes_are_made_in_every_way(ground: Ground, way: str) -> None:
    """By a fork with nothing allowed, by another interpreter with the name that the refusal says."""
    needs(BUBBLEWRAP)
    (ground.work / "spawn.py").write_text(SPAWN.format(way=way), encoding="utf-8")
    source = "import runpy\n" if way == "fork" else ""
    source = SPAWN.format(way=way)
    permits = RunPermissions()
    if way != "fork":
        permits = followed(ground.run(source, BUBBLEWRAP))
    result = ground.run(source, BUBBLEWRAP, permits)
    assert result.stdout == "[0, 2, 4, 6]\n7\n", result


def test_a_toolchain_of_the_home_is_started(ground: Ground) -> None:
    """What pyenv and the like keep, with the scripts that stand before it."""
    needs(BUBBLEWRAP)
    kept = ground.home / ".pyenv"
    (kept / "shims").mkdir(parents=True)
    (kept / "versions").mkdir()
    (kept / "versions" / "real").write_text("#!/bin/sh\necho it ran\n", encoding="utf-8")
    shim = kept / "shims" / "tool"
    shim.write_text(f"#!/usr/bin/env bash\nexec {kept}/versions/real\n", encoding="utf-8")
    for path in (shim, kept / "versions" / "real"):
        path.chmod(0o755)
    source = "import subprocess\nprint(subprocess.run(['tool'], capture_output=True).stdout)\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{kept}/shims:/usr/bin:/bin")
        for allowed in (("tool", "sh"), (ANY,)):
            result = ground.run(source, BUBBLEWRAP, RunPermissions(allow_commands=allowed))
            assert result.stdout == "b'it ran\\n'\n", result
        assert ground.run(source, BUBBLEWRAP).refused[0].rule == "code.run-program"


def test_a_denied_alternative_is_denied_by_its_name(ground: Ground) -> None:
    """Who denies awk denies what awk leads to; another program is started."""
    permits = RunPermissions(allow_commands=(ANY,), deny_commands=("awk",))
    code = "import subprocess\nsubprocess.run([{!r}, '{{}}'], stdin=subprocess.DEVNULL)\n"
    needs(BUBBLEWRAP)
    refused = ground.run(code.format("awk"), BUBBLEWRAP, permits)
    assert [one.rule for one in refused.refused] == ["code.blocked-command"]
    assert ground.run(code.format("true"), BUBBLEWRAP, permits).refused == ()


MEMORY = """
import os
f = os.memfd_create('x', 0)
os.write(f, open('/bin/true', 'rb').read())
pid = os.posix_spawn(f'/proc/self/fd/{f}', ['true'], {})
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


@pytest.mark.parametrize("tier", HELD)
def test_memory_is_no_program_although_one_is_allowed(ground: Ground, tier: str) -> None:
    """Who may start git may not start what it wrote into memory; git it may."""
    permits = RunPermissions(
        allow_commands=("git", "x (deleted)", "memfd:x (deleted)", "3", "4", "5")
    )
    result = ground.run(MEMORY, tier, permits)
    assert result.status == "failed", result
    allowed = "import subprocess\nprint(subprocess.run(['git', '--version']).returncode)\n"
    assert ground.run(allowed, tier, permits).stdout.endswith("0\n")


# -- as data ---------------------------------------------------------------------------------------


def test_a_program_that_traces_runs_behind_walls_alone(ground: Ground) -> None:
    """What sees each line would see the guard, so it is refused there; as a command it has none
    inside, and the walls hold it.
    """
    needs(BUBBLEWRAP)
    text = f"import sys\nsys.settrace(lambda *a: None)\nprint('traced')\nopen({str(ground.secret)!r})\n"
    refused = ground.run(text, BUBBLEWRAP).refused
    assert [one.rule for one in refused] == ["code.inner"]
    (ground.work / "prog.py").write_text(text, encoding="utf-8")
    walled = ground.command("python3 prog.py", RunPermissions())
    assert walled.stdout == "traced\n"
    assert "FileNotFoundError" in walled.stderr


def test_names_lead_on(tmp_path: Path) -> None:
    """A link's name counts, and what it leads to; what is not there is its own name."""
    (tmp_path / "real-1.2").write_text("#!/bin/sh\n", encoding="utf-8")
    (tmp_path / "real-1.2").chmod(0o755)
    (tmp_path / "tool").symlink_to("real-1.2")
    path = search([str(tmp_path)])
    assert set(names(("tool", "none", "*"), path)) >= {"tool", "real-1.2", "none", "*"}
    found = program("tool", path, "/home/x")
    assert found.paths[0] == str(tmp_path / "real-1.2")
    assert os.path.realpath("/bin/sh") in found.paths
    assert program("none", path, "/home/x").paths == ()
    assert str(tmp_path) not in search([str(tmp_path)], [str(tmp_path)]).split(":")


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("/usr/bin/git", ()),
        ("/usr/local/bin/tool", ()),
        ("/usr/local/go/bin/go", ("/usr/local/go",)),
        ("/opt/x/bin/tool", ("/opt/x",)),
        ("/home/x/bin/tool", ("/home/x/bin",)),
    ],
)
def test_what_a_program_is_made_of(path: str, parts: tuple[str, ...]) -> None:
    """A toolchain's own folder, and never a whole home."""
    assert program_folders(path, "/home/x") == parts


def test_any_program_means_those_of_the_search_path() -> None:
    """Folders of toolchains on it come along; the system's are there anyway."""
    assert everything("/usr/bin:/usr/sbin", "/home/x") == ()


# -- which interpreter -----------------------------------------------------------------------------


def environment_of(folder: Path, real: str) -> None:
    """Make an environment whose interpreter leads somewhere."""
    (folder / "bin").mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(f"home = {os.path.dirname(real)}\n", encoding="utf-8")
    (folder / "bin" / "python").symlink_to(real)


def test_the_environment_of_the_workspace_runs_a_program(ground: Ground) -> None:
    """What is installed there is found; nothing in the workspace is run outside the walls."""
    needs(BUBBLEWRAP)
    real = os.path.realpath(sys.executable)
    environment_of(ground.work / ".venv", real)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    packages = ground.work / ".venv" / "lib" / version / "site-packages"
    packages.mkdir(parents=True)
    (packages / "own.py").write_text("word = 'installed'\n", encoding="utf-8")
    result = ground.run("import own, sys; print(own.word, sys.prefix)", BUBBLEWRAP)
    assert result.stdout == f"installed {ground.work / '.venv'}\n", result


def test_an_interpreter_in_the_workspace_is_never_run_beforehand(tmp_path: Path) -> None:
    """A file, or a link to one where an agent writes, is no interpreter; a link outside is."""
    work, evil = tmp_path / "work", tmp_path / "work" / "python3"
    work.mkdir()
    evil.write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    evil.chmod(0o755)
    barred = (str(work),)
    for number, leads in enumerate((str(evil), "/bin/sh", "/usr/bin/env")):
        folder = work / str(number)
        environment_of(folder / ".venv", leads)
        assert choose_interpreter("", "", str(folder), barred, {}) == ""
        assert (
            choose_interpreter("", "", str(work), barred, {"VIRTUAL_ENV": str(folder / ".venv")})
            == ""
        )
    assert choose_interpreter(f"#!{evil}\n", "", str(work), barred, {}) == ""
    real = os.path.realpath(sys.executable)
    environment_of(work / "good" / ".venv", real)
    found = str(work / "good" / ".venv" / "bin" / "python")
    assert choose_interpreter("", "", str(work / "good"), barred, {}) == found
    assert (
        choose_interpreter("", "", str(work), barred, {"VIRTUAL_ENV": str(work / "good/.venv")})
        == found
    )
    usual = shutil.which("python3", path="/usr/bin:/bin")
    if usual:
        assert choose_interpreter(f"#!{usual}\n", "", str(work), barred, {}) == usual


LINE = "import subprocess\nprint(subprocess.run('{line}', shell=True, stderr=subprocess.DEVNULL).returncode)"


@pytest.mark.parametrize(
    ("line", "told"),
    [("sort data.txt | head -1", ["sort", "head"]), ("echo data.txt; cd src", [])],
)
def test_a_line_that_names_what_the_walls_do_not_start(
    ground: Ground, line: str, told: list[str]
) -> None:
    """A shell that may be started says no more than that it may not start the next program; the
    result names it with its option. What the shell does itself is nothing to tell.
    """
    found = ground.run(
        LINE.replace("{line}", line), "bubblewrap", RunPermissions(allow_commands=("sh",))
    )
    assert found.status == "ran", found
    assert [one.argument for one in found.refused] == told
    assert all(f"--allow-command {one.argument}" in one.instead for one in found.refused)
    both = ground.run(
        LINE.replace("{line}", line),
        "bubblewrap",
        RunPermissions(allow_commands=("sh", "sort", "head")),
    )
    assert both.stdout.endswith("0\n")
    assert both.refused == ()
