"""A throw-away root for one command: bubblewrap without network, with nothing of this machine but
what it cannot write, and strace inside.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.oracle.world import HOME, PROJECT, TOPS, VARIABLES, World, build

SECONDS = 10
CALLS = (
    "open openat openat2 creat unlink unlinkat rmdir mkdir mkdirat rename renameat renameat2 link linkat symlink symlinkat mknod mknodat truncate "
    "ftruncate chmod fchmod fchmodat chown lchown fchown fchownat chdir fchdir execve execveat clone clone3 fork vfork connect listen kill tgkill"
)
"""The system calls that change files, start programs, reach other processes, or say where a process
is.
"""
_READY = "ulimit -f 65536 -u 4096 -c 0; cp -a /world/. / 2>/dev/null"
SETTINGS = {
    **VARIABLES,
    "LANG": "C",
    "TERM": "dumb",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "UV_USE_IO_URING": "0",
    **{f"GIT_{role}_NAME": "user" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "user@host.test" for role in ("AUTHOR", "COMMITTER")},
}


class Sandbox:
    """Runs commands, each in a new root with a copy of the world. Made only where ``why_not``
    returned nothing.
    """

    def __init__(self, folder: Path) -> None:
        build(folder)
        self.world = World(folder)

    def trace(self, command: str, cwd: str = PROJECT) -> str:
        """Run a command by ``bash -c`` and return what strace saw; what it prints is lost."""
        # the copy is made and the limits set before strace starts; the command's own output goes
        # nowhere, so that only strace speaks
        strace = f"strace -o /proc/self/fd/2 -f -qq -y -s 4096 --seccomp-bpf -e signal=none -e trace={','.join(CALLS.split())}"
        inside = f'{_READY}; cd {cwd} || exit; exec {strace} bash -c \'exec bash -c "$1" >/dev/null 2>&1\' start "$1"'
        done = self._start(["bash", "-c", inside, "inside", command])
        return done.decode("utf-8", "surrogateescape")

    def look(self, command: str, then: str, cwd: str = PROJECT, seconds: int = SECONDS) -> str:
        """Run a command and return what a second one prints then."""
        inside = f'{_READY}; cd {cwd} || exit; bash -c "$1" >/dev/null 2>&1; cd {cwd} 2>/dev/null; bash -c "$2" >&2 2>/dev/null'
        return self._start(["bash", "-c", inside, "inside", command, then], seconds).decode(
            "utf-8", "surrogateescape"
        )

    def _start(self, argv: list[str], seconds: int = SECONDS) -> bytes:
        with tempfile.TemporaryFile() as said:
            subprocess.run(
                [
                    "timeout",
                    "-s",
                    "KILL",
                    str(seconds),
                    "bwrap",
                    *_walls(self.world.folder),
                    "--",
                    *argv,
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                env={"PATH": os.environ["PATH"]},
                check=False,
            )
            said.seek(0)
            return said.read()


def _walls(world: Path) -> list[str]:
    """Return bubblewrap's options: no network, no privileges, this machine's programs to read,
    everything else new and empty.
    """
    walls = [
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--uid",
        "1000",
        "--gid",
        "1000",
        "--cap-drop",
        "ALL",
        "--clearenv",
    ]
    walls += [word for name, value in SETTINGS.items() for word in ("--setenv", name, value)]
    walls += ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
    for name in ("bin", "sbin", "lib", "lib64"):
        walls += (
            ["--symlink", f"usr/{name}", f"/{name}"]
            if Path(f"/{name}").is_symlink()
            else ["--ro-bind-try", f"/{name}", f"/{name}"]
        )
    walls += [word for top in TOPS for word in ("--size", "67108864", "--tmpfs", f"/{top}")]
    walls += [
        word
        for path in ("/etc/alternatives", "/etc/ld.so.cache")
        for word in ("--ro-bind-try", path, path)
    ]
    return [*walls, "--ro-bind", str(world), "/world", "--chdir", "/"]


def why_not() -> str:
    """Return why no sandbox can be made here, or ``""``."""
    for name in ("bwrap", "strace", "git", "timeout", "bash"):
        if shutil.which(name) is None:
            return f"{name} is not installed, so what commands really do is not compared with what was read (apt-get install bubblewrap strace git)"
    with tempfile.TemporaryDirectory() as empty:
        tried = subprocess.run(
            ["bwrap", *_walls(Path(empty)), "--", "strace", "-f", "true"],
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    return (
        ""
        if tried.returncode == 0
        else f"a sandbox cannot be made here: {tried.stderr.strip()[-200:]}"
    )


def escapes(sandbox: Sandbox, canary: Path) -> str:
    """Try to reach a file of this machine from inside, by its name and by every root a process
    shows; return how it was reached, or ``""``.
    """
    before = canary.read_bytes()
    roots = "/proc/[0-9]*/root /proc/self/root /world/.."
    attack = f"for r in '' {roots}; do echo x >> $r{canary}; rm -f $r{canary}; done; rm -rf /work /root/* {HOME}"
    sandbox.trace(attack)
    seen = sandbox.look(
        f"cat {canary} > /tmp/seen; ls {canary.parent} >> /tmp/seen", "cat /tmp/seen"
    )
    if not canary.exists() or canary.read_bytes() != before:
        return "a file of this machine was changed from inside"
    if seen:
        return "a file of this machine was read from inside"
    return (
        ""
        if "1" in sandbox.look("true", "ls -d /proc/1; ls /proc | grep -c '^[0-9]'")
        else "the sandbox shows nothing of itself"
    )
