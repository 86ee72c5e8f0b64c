"""What a process is walled in by, as records: ``Walls``, ``Bounds`` and its result ``Tier``."""

from __future__ import annotations

from interlock.model.record import Record

OFF, DIALLED, OPEN = "off", "dialled", "open"
"""Networks: none; TCP handed over by others; all but sockets of this machine."""

BUBBLEWRAP, LANDLOCK, SEATBELT = "bubblewrap", "landlock", "seatbelt"
JOB = "job"
"""Of Windows: no walls, see ``Tier``."""


class Walls(Record):
    """What the kernel lets a process and all that it starts reach. Paths are absolute and real; a
    folder stands for all below it.

    ``reads``, ``writes`` (which may be read too), ``executes``: programs that may be started, none
    where it is empty. ``hidden``: what is inside them and must not be seen, ``fixed``: and must not
    be changed; Landlock alone can hold neither.
    ``kept``: folders that stay where they are, and are written like what they lie in.
    ``forks``: whether it may start processes at all.
    ``still``: modes, owners and times of files may not be changed. ``listens``: it may wait for
    connections and reach itself, in its own network. ``empty``: folders of its own that are empty
    at first and go with it, under what else is lent below them; bubblewrap alone has them.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    executes: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    network: str = OFF
    forks: bool = True
    still: bool = False
    listens: bool = False
    empty: tuple[str, ...] = ()


class Bounds(Record):
    """How much a run may use: seconds on the clock, bytes of memory for each process (-1: as much
    as there is), processes, bytes of each file it writes, bytes of output kept.

    ``grace``: seconds between the interrupt and the kill when the time is over.
    """

    seconds: float = 60.0
    memory: int = 4 << 30
    processes: int = 64
    file_size: int = 1 << 28
    output: int = 1 << 16
    grace: float = 1.0


class Tier(Record):
    """What held a run: ``kernel``, as above or nothing, ``guard``: the language whose operations
    asked first, or nothing.

    ``notes``: what of the kernel is missing, for people. ``job``: it ran in a job of Windows, which
    bounds how long, how much and with which rights a run works, and no file and no host.
    """

    kernel: str = ""
    guard: str = ""
    notes: tuple[str, ...] = ()
    job: bool = False

    def __str__(self) -> str:
        if self.job:
            return "job only (no walls)"
        if not self.kernel:
            return "guard only" if self.guard else "none"
        return f"kernel+guard ({self.kernel})" if self.guard else f"kernel ({self.kernel})"
