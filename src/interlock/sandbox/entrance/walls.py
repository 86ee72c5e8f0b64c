"""Puts walls around the process that runs this: limits, no new privileges, Landlock, seccomp (on
Linux; elsewhere limits alone).

What is put up holds for this thread, what it starts, and for ever: call it before anything else
runs, and in no process that is to go on without. Constants are the kernel's: linux/prctl.h,
linux/landlock.h, linux/seccomp.h.
"""

from __future__ import annotations

import _ctypes
import os

_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_DROP_BOUND = 24
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_VERSION = 1
_O_PATH = 0o10000000
_KEPT = frozenset({1, 3})
"""Capabilities that stay with root: to read and write files whatever their mode (CAP_DAC_OVERRIDE,
CAP_FOWNER). Paths are Landlock's to judge.
"""
_LAST_CAPABILITY = 63
_UNKNOWN = 22
"""EINVAL: there is no such capability."""

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1, 2, 4, 8
_CHANGES = sum([1 << bit for bit in range(4, 13)])
"""Removing and making of every sort: REMOVE_DIR ... MAKE_SYM."""
_REFER, _TRUNCATE, _DEVICE = 1 << 13, 1 << 14, 1 << 15
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _DEVICE
_BIND, _CONNECT = 1, 2
_ABSTRACT, _SIGNAL = 1, 2


class _Long(_ctypes._SimpleCData):  # type: ignore[type-arg]  # noqa: SLF001 - what ``ctypes`` is made of: the module itself takes longer than all else here
    _type_ = "l"


class _Int(_ctypes._SimpleCData):  # type: ignore[type-arg]  # noqa: SLF001 - as above
    _type_ = "i"


class _Text(_ctypes._SimpleCData):  # type: ignore[type-arg]  # noqa: SLF001 - as above
    _type_ = "z"


class _Function(_ctypes.CFuncPtr):
    """A function of the C library that keeps ``errno`` (``ctypes.CDLL(None, use_errno=True)``)."""

    _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
    _restype_ = _Int  # read as a long, a failed ``prctl`` is 4294967295: only its lower half is set


_own = _ctypes.dlopen(None, os.RTLD_NOW)  # type: ignore[arg-type] # None is the program itself
_known: dict[str, _Function] = {}


def _call_libc(name: str, *arguments: int | bytes | None) -> int:
    """Call a function of the C library, every number as a C long; raises ``OSError``."""
    if name not in _known:
        _known[name] = _Function(_ctypes.dlsym(_own, name))
    answer = int(_known[name](*[_Long(one) if isinstance(one, int) else one for one in arguments]))
    if answer < 0:
        errno = _ctypes.get_errno()
        raise OSError(errno, os.strerror(errno))
    return answer


def landlock_abi() -> int:
    """Return the version of Landlock that the kernel has, 0 where it is missing or off."""
    try:
        return _call_libc("syscall", _CREATE, None, 0, _VERSION)
    except OSError:
        return 0


def put_up(spec: dict) -> None:  # type: ignore[type-arg]
    """Put up the walls that ``spec`` describes (``interlock.sandbox.process.spec`` writes it).
    Raises ``OSError``: nothing may run then.
    """
    import resource

    if spec["group"] >= 0:
        os.write(spec["group"], b"0")
        os.close(spec["group"])
    for name, value in spec["limits"]:
        number = getattr(resource, name)
        hard = resource.getrlimit(number)[1]
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (least, least))
    if spec["door"] >= 0:
        open_door(spec["door"], spec["proxy"])
    if spec["privileges"]:
        _call_libc("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if spec["capabilities"]:
        drop_capabilities()
    if spec["landlock"]:
        landlock(spec["reads"], spec["writes"], spec["executes"], spec["ports"])
    if spec["filter"]:
        seccomp(spec["filter"])


def open_door(line: int, port: int) -> None:
    """Wait at a port of this process's own network, and hand the waiting socket out over a line:
    from in here only who holds it is reached.
    """
    import _socket

    door = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    door.bind(("127.0.0.1", port))
    door.listen(64)
    out = _socket.socket(fileno=line)
    out.sendmsg(
        [b"door\0\0"],
        [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, door.fileno().to_bytes(4, "little"))],
    )
    out.close()
    door.close()


def drop_capabilities() -> None:
    """Give up what root may do beyond its own files (capabilities(7)): mounts, devices, users."""
    for number in range(_LAST_CAPABILITY + 1):
        try:
            if number not in _KEPT:
                _call_libc("prctl", _DROP_BOUND, number, 0, 0, 0)
        except OSError as error:
            if error.errno != _UNKNOWN:
                return  # not root: there is nothing to give up
    kept = sum([1 << number for number in _KEPT])
    header = (0x20080522).to_bytes(4, "little") + bytes(4)
    both = kept.to_bytes(4, "little") * 2 + bytes(4)
    _call_libc("capset", header, both + bytes(12))


def landlock(reads: list, writes: list, executes: list, ports: list | None) -> None:  # type: ignore[type-arg]
    """Let only these paths be reached (landlock(7)). ``ports``: TCP ports that may be connected to,
    None for no rule about the network.

    What an old kernel does not know it does not hold: renaming across folders (2), truncating (3),
    TCP (4), devices (5), signals and sockets (6).
    """
    abi = landlock_abi()
    if not abi:
        raise OSError(38, "this kernel has no Landlock")
    files = _EXECUTE | _WRITE_FILE | _READ_FILE | _READ_FOLDER | _CHANGES
    files |= (
        (_REFER if abi >= 2 else 0) | (_TRUNCATE if abi >= 3 else 0) | (_DEVICE if abi >= 5 else 0)
    )
    network = _BIND | _CONNECT if abi >= 4 and ports is not None else 0
    scoped = _ABSTRACT | _SIGNAL if abi >= 6 else 0
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    attributes = b"".join([value.to_bytes(8, "little") for value in (files, network, scoped)])[
        :size
    ]
    ruleset = _call_libc("syscall", _CREATE, attributes, size, 0)
    try:
        for paths, rights in (
            (reads, _READ_FILE | _READ_FOLDER),
            (writes, files & ~_EXECUTE),
            (executes, _EXECUTE | _READ_FILE),
        ):
            for path in paths:
                _allow_path(ruleset, path, rights & files)
        for port in ports or [] if network else []:
            rule = _CONNECT.to_bytes(8, "little") + port.to_bytes(8, "little")
            _call_libc("syscall", _ADD, ruleset, 2, rule, 0)
        _call_libc("syscall", _RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow_path(ruleset: int, path: str, rights: int) -> None:
    """Add a rule; what is not there cannot be reached anyway."""
    try:
        handle = os.open(path, _O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        folder = os.fstat(handle).st_mode & 0o170000 == 0o040000
        rule = (rights if folder else rights & _OF_A_FILE).to_bytes(8, "little") + handle.to_bytes(
            4, "little", signed=True
        )
        _call_libc("syscall", _ADD, ruleset, 1, rule, 0)
    finally:
        os.close(handle)


def seccomp(program: bytes) -> None:
    """Load a filter of system calls: the bytes of its instructions, 8 each (seccomp(2))."""
    # its bytes are the address of the program's
    head = (len(program) // 8).to_bytes(8, "little") + bytes(_Text(program))
    _call_libc("prctl", _SECCOMP, _FILTER, head, 0, 0)
