"""A control group for what is to be killed (cgroups(7), version 2): what is in it stands still, its
children are born in it, one write kills all.

It needs a folder of the hierarchy that may be written: root's, or one that was handed over to the
user (systemd's ``Delegate``).
"""

from __future__ import annotations

import os

NAME = "interlock-stop"


class Group:
    """One group, made for one stop. Every method raises ``OSError``."""

    def __init__(self, path: str) -> None:
        self.path = path
        os.mkdir(path)
        try:
            self._write("cgroup.freeze", "1")
            if not os.path.exists(f"{path}/cgroup.kill"):
                raise FileNotFoundError(2, "the kernel is older than 5.14", f"{path}/cgroup.kill")
        except OSError:
            os.rmdir(path)
            raise

    def _write(self, name: str, text: str) -> None:
        descriptor = os.open(f"{self.path}/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, text.encode("ascii"))
        finally:
            os.close(descriptor)

    def add(self, pid: int) -> None:
        """Take a process in, where it stands still."""
        self._write("cgroup.procs", str(pid))

    def kill(self) -> None:
        """Kill all that is in it."""
        self._write("cgroup.kill", "1")

    def close(self) -> None:
        """Take the group away; it stays while something in it is ending."""
        try:
            os.rmdir(self.path)
        except OSError:
            return


def make(pids: list[int]) -> Group | None:
    """Return a group that processes can be moved to: beside one of them, or at the top; None where
    no folder may be written.
    """
    top = find_mount()
    if not top:
        return None
    beside = [top + _of(pid) for pid in pids[:1]]
    for above in dict.fromkeys(
        [*beside, *[path.rpartition("/")[0] for path in beside if path != top], top]
    ):
        try:
            return Group(f"{above.rstrip('/')}/{NAME}-{os.getpid()}-{os.urandom(3).hex()}")
        except OSError:
            continue
    return None


def find_mount() -> str:
    """Return where version 2 of the hierarchy is mounted, or ``""``."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split() for line in file]
    except OSError:
        return ""
    return next(
        (
            fields[4]
            for fields in lines
            if "-" in fields and fields[fields.index("-") + 1] == "cgroup2"
        ),
        "",
    )


def _of(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cgroup", encoding="utf-8", errors="surrogateescape") as file:
            return next(
                (line.rstrip("\n").partition("::")[2] for line in file if line.startswith("0::")),
                "",
            ).rstrip("/")
    except OSError:
        return ""
