"""Filters of system calls, as the bytes of a BPF program that seccomp(2) takes. Pure: made of
tables, loaded elsewhere.

A filter sees numbers and not what they point at: it cannot judge paths. It refuses with an errno,
so that a program can say what went wrong.
"""

from __future__ import annotations

from interlock.model.record import Record
from interlock.sandbox.bounds import DIALLED, OFF, OPEN, Walls

EPERM, EACCES, ENOSYS = 1, 13, 38
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN, _AND = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
"""Instructions of classic BPF: load a word, jump if equal, if at least, if any bit is set, return,
and (linux/bpf_common.h).
"""
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16
"""Where ``struct seccomp_data`` has the call's number, the machine, the arguments (8 bytes each,
the low half first).
"""


class Processor(Record):
    """A processor: its number in audits (linux/audit.h) and which column of the table holds its
    system calls.
    """

    audit: int
    column: int


MACHINES = {
    "x86_64": Processor(0xC000003E, 0),
    "aarch64": Processor(0xC00000B7, 1),
    "arm64": Processor(0xC00000B7, 1),
}

_NONE = -1
CALLS: dict[str, tuple[int, int]] = {
    # other programs' memory, the kernel's own, and rings of calls that no filter sees
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "pidfd_getfd": (438, 438),
    "kcmp": (312, 272), "userfaultfd": (323, 282), "bpf": (321, 280), "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "add_key": (248, 217),
    "request_key": (249, 218), "keyctl": (250, 219),
    # file systems and namespaces
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "unshare": (272, 97), "setns": (308, 268),
    "open_by_handle_at": (304, 265), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433),
    "move_mount": (429, 429), "open_tree": (428, 428), "mount_setattr": (442, 442),
    # the machine
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "init_module": (175, 105),
    "finit_module": (313, 273), "delete_module": (176, 106),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89),
    "quotactl": (179, 60), "syslog": (103, 116),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "clock_adjtime": (305, 266),
    "adjtimex": (159, 171), "sethostname": (170, 161),
    "setdomainname": (171, 162), "iopl": (172, _NONE), "ioperm": (173, _NONE),
    "modify_ldt": (154, _NONE), "vhangup": (153, 58),
    "move_pages": (279, 239), "migrate_pages": (256, 238), "memfd_secret": (447, 447),
}  # fmt: skip
"""Refused always: (x86_64, arm64), from the kernel's tables (asm/unistd_64.h,
asm-generic/unistd.h).
"""

METADATA: dict[str, tuple[int, int]] = {
    "chmod": (90, _NONE), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, _NONE), "fchown": (93, 55),
    "lchown": (94, _NONE), "fchownat": (260, 54), "utime": (132, _NONE), "utimes": (235, _NONE),
    "futimesat": (261, _NONE), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16), "setxattrat": (463, 463), "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}  # fmt: skip
"""What changes a file's mode, owner, times and attributes: no business of Landlock."""
RUNNING: dict[str, tuple[int, int]] = {
    "execve": (59, 221),
    "execveat": (322, 281),
    "memfd_create": (319, 279),
}
SHARED: dict[str, tuple[int, int]] = {
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190),
    "semop": (65, 193), "semtimedop": (220, 192), "semctl": (66, 191), "msgget": (68, 186),
    "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187), "mq_open": (240, 180),
    "mq_unlink": (241, 181),
}  # fmt: skip
"""What all processes of a user share by a number or a name (sysvipc(7), mq_overview(7)), where no
namespace keeps it apart.
"""
_LIMITS, _MEMORY = (302, 261), (319, 279)
"""prlimit64, memfd_create."""
_NEVER_RUN = 0x8
_CLONE, _CLONE3, _SOCKET, _SOCKETPAIR, _IOCTL = (
    (56, 220),
    (435, 435),
    (41, 198),
    (53, 199),
    (16, 29),
)
_FORK: tuple[tuple[int, int], ...] = ((57, _NONE), (58, _NONE))
_THREAD, _NAMESPACES = 0x10000, 0x7E020000
"""Flags of clone(2): ``CLONE_THREAD``; every namespace that it can make."""
_X32 = 0x40000000
_ANYTHING = frozenset({"/usr", "/usr/bin", "/bin"})
"""Who may run what lies here may run anything."""
_TERMINAL_INPUT = (0x5412, 0x541C)
"""ioctls that put words into a terminal as if they were typed: ``TIOCSTI``, ``TIOCLINUX``."""
_UNIX, _INET, _INET6, _STREAM, _PACKETS, _TYPE = 1, 2, 10, 1, 2, 0xF


def fits(machine: str) -> bool:
    """Tell whether there is a filter for a machine, as ``os.uname()`` names it."""
    return machine in MACHINES


def program(machine: str, walls: Walls, *, alone: bool = False) -> bytes:
    """Return the filter for these walls; raises ``ValueError`` for a machine whose numbers are not
    known. ``alone``: there are no namespaces beside it.
    """
    known = MACHINES.get(machine)
    if known is None:
        raise ValueError(
            f"system calls of {machine} are not known here; known: {', '.join(sorted(MACHINES))}"
        )
    return _Assembler(known).whole(walls, alone=alone)


class _Assembler:
    """Writes instructions one after the other. Each check is a block that falls through."""

    def __init__(self, machine: Processor) -> None:
        self.machine = machine
        self.code: list[tuple[int, int, int, int]] = []

    def whole(self, walls: Walls, *, alone: bool) -> bytes:
        """Return the whole filter."""
        self.code = [
            (_LOAD, 0, 0, _ARCH),
            (_EQUAL, 1, 0, self.machine.audit),
            (_RETURN, 0, 0, _KILL),
            (_LOAD, 0, 0, _NUMBER),
        ]
        if self.machine.column == 0:
            self.code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | ENOSYS)]
        self.refuse(_CLONE3, ENOSYS)  # its flags lie in memory; the C library falls back to clone
        for numbers in CALLS.values():
            self.refuse(numbers, EPERM)
        for numbers in METADATA.values() if walls.still else ():
            self.refuse(numbers, EPERM)
        for numbers in RUNNING.values() if not walls.executes else ():
            self.refuse(numbers, EACCES)
        for numbers in SHARED.values() if alone else ():
            self.refuse(numbers, EPERM)
        self.clone(walls)
        self.sockets(walls)
        self.limits()
        if walls.executes and not _ANYTHING.intersection(walls.executes):
            # who asks to run what lies in memory alone asks for a program that nobody allowed
            refused = [(_ANY_BIT, 1, 0, _NEVER_RUN), (_RETURN, 0, 0, _ERRNO | ENOSYS)]
            self.where(_MEMORY, 1, refused)
        self.where(
            _IOCTL,
            1,
            [
                block
                for wanted in _TERMINAL_INPUT
                for block in ((_EQUAL, 0, 1, wanted), (_RETURN, 0, 0, _ERRNO | EPERM))
            ],
        )
        self.code.append((_RETURN, 0, 0, _ALLOW))
        return b"".join([_pack_filter(*one) for one in self.code])

    def refuse(self, numbers: tuple[int, int], errno: int) -> None:
        number = numbers[self.machine.column]
        if number != _NONE:
            self.code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | errno)]

    def where(
        self, numbers: tuple[int, int], argument: int, block: list[tuple[int, int, int, int]]
    ) -> None:
        """Look at an argument of one call with a block that refuses or falls through; the call is
        allowed then.
        """
        body = [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), *block, (_RETURN, 0, 0, _ALLOW)]
        self.code += [(_EQUAL, 0, len(body), numbers[self.machine.column]), *body]

    def clone(self, walls: Walls) -> None:
        """No namespace is entered; where nothing may be started, only threads are made."""
        block = [(_ANY_BIT, 0, 1, _NAMESPACES), (_RETURN, 0, 0, _ERRNO | EPERM)]
        if not walls.forks:
            block += [(_ANY_BIT, 1, 0, _THREAD), (_RETURN, 0, 0, _ERRNO | EPERM)]
            for numbers in _FORK:
                self.refuse(numbers, EPERM)
        self.where(_CLONE, 0, block)

    def sockets(self, walls: Walls) -> None:
        """Allow families by the network; sockets of this machine (Docker, agents of keys, the
        desktop) never, pairs of them always.
        """
        network = DIALLED if walls.network == OFF and walls.listens else walls.network
        families = {OFF: (), DIALLED: (_INET, _INET6), OPEN: (_INET, _INET6)}[network]
        block = []
        for at, family in enumerate(families):
            block.append((_EQUAL, len(families) - at, 0, family))
        block.append((_RETURN, 0, 0, _ERRNO | EACCES))
        if network == DIALLED:
            block += [
                (_LOAD, 0, 0, _ARGUMENTS + 8),
                (_AND, 0, 0, _TYPE),
                (_EQUAL, 1, 0, _STREAM),
                (_RETURN, 0, 0, _ERRNO | EACCES),
            ]
        self.where(_SOCKET, 0, block)
        refused = (_RETURN, 0, 0, _ERRNO | EACCES)
        # one end of a pair for packets may be pointed at any socket of the machine (sendto(2))
        packets = [(_LOAD, 0, 0, _ARGUMENTS + 8), (_AND, 0, 0, _TYPE), (_EQUAL, 0, 1, _PACKETS)]
        self.where(_SOCKETPAIR, 0, [(_EQUAL, 1, 0, _UNIX), refused, *packets, refused])

    def limits(self) -> None:
        """Change the limits of nobody but the caller (0): a limit of seconds ends who has it."""
        low, high = _ARGUMENTS + 16, _ARGUMENTS + 20  # the new limits, null where they are asked
        changed = [(_LOAD, 0, 0, low), (_EQUAL, 0, 2, 0), (_LOAD, 0, 0, high), (_EQUAL, 1, 0, 0)]
        refused = (_RETURN, 0, 0, _ERRNO | EPERM)
        self.where(_LIMITS, 0, [(_EQUAL, 5, 0, 0), *changed, refused])


def _pack_filter(code: int, yes: int, no: int, value: int) -> bytes:
    """Return a ``struct sock_filter``."""
    return code.to_bytes(2, "little") + bytes((yes, no)) + value.to_bytes(4, "little")
