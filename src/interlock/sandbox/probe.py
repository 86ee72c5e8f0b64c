"""What this machine's kernel can hold: found out by really walling in a process, and kept for as
long as the machine is the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable

from interlock.model.record import Record
from interlock.sandbox import seatbelt, seccomp
from interlock.sandbox.bounds import BUBBLEWRAP, JOB, LANDLOCK, SEATBELT, Walls
from interlock.sandbox.process import ProcessEnd

SECONDS = 10
ENOUGH = 2
"""The version of Landlock from which on files can be renamed across folders of a workspace; with
less, ordinary programs fail.
"""


class Kernel(Record):
    """What works here: ``bwrap``, the program's path, or ``""``; ``landlock``, its version, or 0;
    ``seatbelt``. ``notes``: why something does not.

    ``job``: of Windows; it bounds a run and is no wall, so it is never ``best``.
    """

    bwrap: str = ""
    landlock: int = 0
    notes: tuple[str, ...] = ()
    seatbelt: bool = False
    job: bool = False

    @property
    def best(self) -> str:
        """The strongest walls that work, or ``""``."""
        if self.bwrap:
            return BUBBLEWRAP
        return LANDLOCK if self.landlock >= ENOUGH else SEATBELT if self.seatbelt else ""


_known: dict[str, Kernel] = {}


def kernel(state: str = "") -> Kernel:
    """Return what works here. ``state``: a folder in which the answer is kept; asked again when
    kernel, bubblewrap or user are other ones.
    """
    if "here" not in _known:
        _known["here"] = _load_kernel(f"{state}/sandbox") if state else _probe()
    return _known["here"]


def _load_kernel(path: str) -> Kernel:
    print_ = _fingerprint()
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        if lines[0] == print_:
            return Kernel(
                lines[1], int(lines[2]), tuple(lines[4:]), lines[3] == SEATBELT, lines[3] == JOB
            )
    except (OSError, ValueError, IndexError):
        return _probe_and_save(path, print_)
    return _probe_and_save(path, print_)


def _probe_and_save(path: str, print_: str) -> Kernel:
    """Find it out, and keep it."""
    found = _probe()
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            besides = SEATBELT if found.seatbelt else JOB if found.job else ""
            file.write("\n".join([print_, found.bwrap, str(found.landlock), besides, *found.notes]))
        os.replace(f"{path}.{os.getpid()}", path)
    except OSError as error:
        return found.replace(
            notes=(*found.notes, f"what works here could not be kept: {error.strerror}")
        )
    return found


def _fingerprint() -> str:
    """Return what the answer hangs on, in one line."""
    boot = ""
    if os.path.exists("/proc/sys/kernel/random/boot_id"):
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    bwrap = _bwrap()
    seen = os.stat(bwrap) if bwrap else None
    # elsewhere the folder in which this is kept is the user's own
    user = os.getuid() if hasattr(os, "getuid") else ""
    return " ".join(
        map(
            str,
            [
                "3",
                os.uname().release if hasattr(os, "uname") else "",  # not on Windows
                boot,
                user,
                bwrap,
                seen.st_mtime_ns if seen else 0,
                sys.version_info[:2],
            ],
        )
    )


def _bwrap() -> str:
    """Return where bubblewrap is, in the system's own folders, not on an agent's PATH."""
    return (
        shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin") or ""
    )


def _probe() -> Kernel:
    if seatbelt.fits():
        notes: list[str] = []
        return Kernel(seatbelt=_works(SEATBELT, "", notes), notes=tuple(notes))
    if sys.platform == "win32":
        return _job()
    if not sys.platform.startswith("linux"):
        return Kernel(notes=(f"no walls of the kernel are known for {sys.platform}",))
    machine = os.uname().machine
    if not seccomp.fits(machine):
        return Kernel(notes=(f"system calls of {machine} are not known here",))
    from interlock.sandbox.entrance.walls import landlock_abi

    notes = []
    abi = landlock_abi()
    if abi and not _works(LANDLOCK, "", notes):
        abi = 0
    if not abi and not notes:
        notes.append("this kernel has no Landlock, or it is switched off")
    bwrap = _bwrap()
    if not bwrap:
        notes.append("bubblewrap is not installed (apt-get install bubblewrap)")
    elif not _works(BUBBLEWRAP, bwrap, notes):
        bwrap = ""
    return Kernel(bwrap, abi, tuple(notes))


_SYSTEM = tuple(
    [
        path
        for path in ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache")
        if os.path.exists(path)
    ]
)
_OTHERS = "/bin/ls /Users >/dev/null 2>&1 || echo held"
"""The same for macOS."""
_SCRIPT = (
    "ls /var/.. /home >/dev/null 2>&1 || while read name value; do case $name$value in Seccomp:2)"
    " echo held;; esac; done </proc/self/status"
)
"""Prints ``held`` where what is outside cannot be listed and a filter of system calls is loaded
(proc_pid_status(5)). The loop starts nothing.
"""


def _works(which: str, bwrap: str, notes: list[str]) -> bool:
    """Run a line of sh behind walls of a sort, and note why they do not work."""
    from interlock.sandbox.bounds import Bounds
    from interlock.sandbox.process import ProcessStart, SandboxProcess

    script = _OTHERS if which == SEATBELT else _SCRIPT
    start = ProcessStart(
        ("/bin/sh", "-c", script),
        "/",
        {"PATH": "/usr/bin:/bin"},
        Walls(_SYSTEM, (), _SYSTEM),
        Bounds(seconds=SECONDS),
        which,
        bwrap,
    )
    return _check_held(which, lambda: SandboxProcess(start).ended(), notes)


def _job() -> Kernel:
    """Find out whether a job of Windows works, by running a line of cmd.exe in one."""
    from interlock.sandbox import windows, windows_job
    from interlock.sandbox.bounds import Bounds
    from interlock.sandbox.process import ProcessStart

    notes = [windows_job.NO_WALLS]

    def ran() -> ProcessEnd:
        start = ProcessStart(
            (windows.cmd(), *windows_job.LINE, "echo held"),
            os.getcwd(),
            dict(os.environ),
            Walls(),
            Bounds(seconds=SECONDS),
            "",
        )
        return windows.WindowsProcess(start).ended()

    return Kernel(job=_check_held(JOB, ran, notes), notes=tuple(notes))


def _check_held(which: str, run: Callable[[], ProcessEnd], notes: list[str]) -> bool:
    """Whether a run says that it is held; if not, why is noted."""
    try:
        done = run()
        said = done.stdout.text().strip() or done.stderr.text() or "it held nothing"
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        said = str(error)
    if said != "held":
        first = " ".join(said.split()).partition(". ")[0]  # bubblewrap goes on with where to read
        notes.append(f"{which} does not work here: {first[:200]}")
    return said == "held"
