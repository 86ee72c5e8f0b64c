"""Processes and those that started them, from ``/proc`` (proc(5)); elsewhere nothing is known of
them.

A process is told by its number and by when it began, in ticks since the machine's start, together
with which start that was: numbers are used again.
"""

from __future__ import annotations

import sys

from interlock.facts.files import read_file
from interlock.model.record import Record

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

SHELLS = frozenset(
    "sh bash dash zsh fish ksh mksh ash busybox env timeout nice setsid nohup".split()
)
"""Programs between a client and its hook that are not the client."""
INITS = frozenset(
    "init systemd launchd tini dumb-init docker-init catatonit s6-svscan runit upstart openrc-init"
    " pid1".split()
)
"""Programs that take in the orphans of all others: nobody's agent."""
TERMINALS = frozenset(
    """sshd sshd-session sshd-auth login agetty getty mosh-server dropbear telnetd xterm uxterm
        gnome-terminal gnome-terminal-server ptyxis
    ptyxis-agent kgx gnome-console konsole yakuake xfce4-terminal mate-terminal lxterminal
    qterminal deepin-terminal tilix terminator guake tilda
    terminology alacritty kitty foot footclient wezterm wezterm-gui ghostty rio contour st urxvt
    urxvtd rxvt mlterm cool-retro-term hyper tabby
    warp warp-terminal ttyd wetty gotty""".split()
)
"""Programs that show a person a terminal, or let one log in."""
EDITORS = frozenset(
    "code code-oss codium cursor windsurf zed zed-editor emacs nvim idea pycharm goland webstorm"
    " clion rider fleet".split()
)
"""Programs that show a person terminals and run agents as well."""
MULTIPLEXERS = frozenset("tmux screen zellij dvtm abduco dtach byobu".split())
"""Programs that keep terminals by themselves: anybody can start one that nobody looks at."""
MOST = 64
"""Steps up at most."""


class RunningProcess(Record):
    """A process: its number, when it began, its program's name, who started it, its session's
    leader and its terminal (0: none).

    ``group`` and ``front``: its process group, and the one in the terminal's foreground.
    ``called``: what it calls itself.
    """

    pid: int
    ticks: int
    name: str
    parent: int
    leader: int
    terminal: int
    group: int = 0
    front: int = 0
    called: str = ""


def running(pid: int) -> RunningProcess | None:
    """Return a process; None where there is none or where it cannot be seen."""
    try:
        head, _, rest = read_file(f"/proc/{pid}/stat", 8192).rpartition(b")")
        fields = rest.split()
        called = head.partition(b"(")[2].decode("utf-8", "replace")
        parent, group, leader, terminal, front = [int(field) for field in fields[1:6]]
        return RunningProcess(
            pid,
            int(fields[19]),
            _name(pid) or called,
            parent,
            leader,
            terminal,
            group,
            front,
            called,
        )
    except (OSError, ValueError, IndexError):
        return None


def _name(pid: int) -> str:
    """Return the name of the program's file; ``""`` for another user's process."""
    try:
        path = system.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""
    # Claude Code's is called claude.exe everywhere
    return path.removesuffix(" (deleted)").rpartition("/")[2].removesuffix(".exe")


def ancestors(pid: int) -> list[RunningProcess]:
    """Return a process and those above it, nearest first, as far as they can be seen."""
    found: list[RunningProcess] = []
    while pid > 0 and len(found) < MOST:
        process = running(pid)
        if process is None:
            break
        found.append(process)
        pid = process.parent
    return found


def boot() -> str:
    """Return which start of the machine this is, and where its processes are numbered
    (pid_namespaces(7)); ``""`` where that is not known.
    """
    try:
        return (
            f"{read_file('/proc/sys/kernel/random/boot_id', 64).decode('ascii').strip()}"
            f" {system.readlink('/proc/self/ns/pid')}"
        )
    except (OSError, ValueError):
        return ""


_asking = [0]
"""The process that has this one answer for it; 0 where this one was started to answer."""


def note_asker(pid: int) -> None:
    """Note which process has this one answer for it, until the next is noted; 0: none."""
    _asking[0] = pid


def agent() -> RunningProcess | None:
    """Return the agent that started this hook: the nearest process above that is no shell. None
    where that is no agent's, or cannot be seen.
    """
    asking = running(_asking[0]) if _asking[0] else None
    for process in ancestors(
        asking.parent if asking is not None else 0 if _asking[0] else system.getppid()
    ):
        if process.name not in SHELLS:
            return (
                None
                if process.name in INITS
                or process.name in TERMINALS
                or process.name in MULTIPLEXERS
                else process
            )
    return None


def this() -> RunningProcess | None:
    """Return this process; None where it cannot be seen."""
    return running(system.getpid())
