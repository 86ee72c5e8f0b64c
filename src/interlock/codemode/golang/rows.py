"""Where the Go standard library meets the machine: one row for each function that is given a check,
and what the check is.

A check is Go: an expression whose error ends the call (``before``), or the call's whole body
(``instead``), written with the function's own parameters (``$1`` where its name is another one on
another processor) and with ``RAW`` for a call of the function as it was. ``on`` are the systems
that have the function. A release of Go in which a row's function is not found, or in which a
function on paths has no row (``surprises``), is one that the rows do not know.
"""

from __future__ import annotations

import re
from typing import NamedTuple

LINUX, DARWIN, WINDOWS = "linux", "darwin", "windows"
UNIX = frozenset({LINUX, DARWIN})
ONLY_LINUX, ONLY_DARWIN, ONLY_WINDOWS = (
    frozenset({LINUX}),
    frozenset({DARWIN}),
    frozenset({WINDOWS}),
)
EVERYWHERE = frozenset({LINUX, DARWIN, WINDOWS})


class GuardRow(NamedTuple):
    """One function of the library. ``function``: its name, after its receiver's type where it has
    one. ``optional``: some releases lack it.
    """

    package: str
    function: str
    before: str = ""
    instead: str = ""
    on: frozenset[str] = UNIX
    optional: bool = False


STAT, CHMOD, CHOWN, UTIME, TRUNCATE, CREATE, MKDIR = (
    "stat",
    "chmod",
    "chown",
    "utime",
    "truncate",
    "create",
    "mkdir",
)
HERE = "guardHere"
_AT = "internal/syscall/unix"


def _at(
    operation: str, folder: str = HERE, path: str = "path", follow: str = "true", more: str = ""
) -> str:
    return f'GuardAt("{operation}", {folder}, {path}, {follow}{more})'


def _stub(
    function: str, before: str, on: frozenset[str] = ONLY_LINUX, *, optional: bool = False
) -> GuardRow:
    return GuardRow("syscall", function, before=before, on=on, optional=optional)


def _unix(
    function: str, before: str, on: frozenset[str] = UNIX, *, optional: bool = False
) -> GuardRow:
    return GuardRow(_AT, function, before=before, on=on, optional=optional)


def _doing(check: str) -> str:
    """Return the body of a function that the guard may have done already, by way of the broker."""
    return f"if done, err := {check}; done || err != nil {{ return err }}; return RAW"


def _change(
    function: str,
    check: str,
    on: frozenset[str] = ONLY_LINUX,
    package: str = "syscall",
    *,
    optional: bool = False,
) -> GuardRow:
    """Return the row of a function that changes something and returns nothing but an error."""
    return GuardRow(package, function, instead=_doing(check), on=on, optional=optional)


def _at_change(function: str, check: str, on: frozenset[str] = UNIX) -> GuardRow:
    return _change(function, check, on, _AT)


def _do(
    operation: str, folder: str = HERE, path: str = "path", follow: str = "true", more: str = ""
) -> str:
    return f'GuardDo("{operation}", {folder}, {path}, {follow}{more})'


def _owning(path: str) -> str:
    """Return the body of a change that the broker cannot make: it is told what came of it."""
    return (
        f'if err := GuardAt("chown", {path}); err != nil {{ return err }}; return'
        f' GuardAfter("chown", {path}, RAW)'
    )


def _looking(folder: str, stat: str, no_link: str) -> str:
    """Return the body of a look at a path: what the walls hide the broker opens for it."""
    return (
        f"return GuardLook({folder}, path, flags&{no_link} == 0, {stat}, func() error {{ return"
        " RAW })"
    )


LINUX_PATHS = (
    GuardRow(
        "syscall", "openat", instead="return GuardOpen(dirfd, path, flags, mode)", on=ONLY_LINUX
    ),
    _stub("faccessat", _at(STAT, "dirfd")),
    _stub("faccessat2", _at(STAT, "dirfd"), optional=True),
    _change("fchmodat", _do(CHMOD, "dirfd", more=", GuardMode(mode)")),
    _change("fchmodat2", _do(CHMOD, "dirfd", more=", GuardMode(mode)"), optional=True),
    _change("linkat", 'GuardTwo("link", olddirfd, oldpath, newdirfd, newpath)'),
    _stub("readlinkat", _at(STAT, "dirfd", follow="false")),
    _change("symlinkat", "GuardSymlink(oldpath, newdirfd, newpath)"),
    _change("unlinkat", "GuardDo(GuardRemoval(flags&_AT_REMOVEDIR != 0), dirfd, path, false)"),
    _change(
        "utimensat",
        _do(UTIME, "dirfd", follow="flag&_AT_SYMLINK_NOFOLLOW == 0", more=", GuardTimes(times)..."),
    ),
    _stub("futimesat", _at(UTIME, "dirfd"), optional=True),
    _stub("Utime", _at(UTIME), optional=True),
    _stub("utimes", _at(UTIME), optional=True),
    _change("Mkdirat", _do(MKDIR, "dirfd", follow="false", more=", GuardMode(mode)")),
    _stub("Mknodat", _at(CREATE, "dirfd", follow="false")),
    GuardRow(
        "syscall",
        "Fchownat",
        instead=_owning("dirfd, path, flags&_AT_SYMLINK_NOFOLLOW == 0"),
        on=ONLY_LINUX,
    ),
    _change("Renameat", 'GuardTwo("rename", olddirfd, oldpath, newdirfd, newpath)', optional=True),
    _change("renameat2", 'GuardTwo("rename", olddirfd, oldpath, newdirfd, newpath)', optional=True),
    GuardRow(
        "syscall", "fstatat", instead=_looking("$1", "stat", "_AT_SYMLINK_NOFOLLOW"), on=ONLY_LINUX
    ),
    _stub("Statfs", _at(STAT)),
    _change("Truncate", _do(TRUNCATE, more=", guardDecimal(int(length))")),
    _stub("Chdir", _at(STAT)),
    _stub("Getxattr", _at(STAT)),
    _stub("Listxattr", _at(STAT)),
    _stub("Setxattr", _at(CHMOD, more=', "xattr"')),
    _stub("Removexattr", _at(CHMOD, more=', "xattr"')),
    _stub("InotifyAddWatch", _at(STAT, path="pathname")),
)

ERRORS = (
    GuardRow(
        "os",
        "underlyingErrorIs",
        instead="if GuardRefused(underlyingError(err), target) { return true }; return RAW",
        on=EVERYWHERE,
    ),
)
"""``os.IsPermission`` knows the errors of its own time alone, and a refusal is none of them."""
BY_DESCRIPTOR = (
    _stub("Fchmod", 'GuardFd("chmod", fd, GuardMode(mode))', UNIX),
    _stub("Fchown", 'GuardFd("chown", fd)', UNIX),
    _stub("Futimes", 'GuardFd("utime", fd)', UNIX),
    _stub("Fchflags", 'GuardFd("chmod", fd, "flags")', ONLY_DARWIN),
)
"""What changes a file by its descriptor alone: of what was opened to be read as well."""

LINUX_SYSTEM = (
    _stub("Chroot", 'GuardSystem("chroot " + path)'),
    _stub("Acct", 'GuardSystem("acct " + path)'),
    _stub("mount", 'GuardSystem("mount " + target)'),
    _stub("Unmount", 'GuardSystem("unmount " + target)'),
    _stub("PivotRoot", 'GuardSystem("pivot_root " + newroot)'),
    _stub("reboot", 'GuardSystem("reboot")'),
    _stub("ptrace", 'GuardSystem("ptrace")'),
    _stub("ptracePtr", 'GuardSystem("ptrace")', optional=True),
    _stub("Unshare", 'GuardSystem("unshare")'),
    _stub("Sethostname", 'GuardSystem("sethostname")'),
    _stub("Tgkill", "GuardKill(tgid, sig)"),
)

LINUX_AT = (
    GuardRow(_AT, "Openat", instead="return GuardOpen(dirfd, path, flags, perm)", on=ONLY_LINUX),
    _at_change(
        "Unlinkat", "GuardDo(GuardRemoval(flags&AT_REMOVEDIR != 0), dirfd, path, false)", ONLY_LINUX
    ),
    _unix("Readlinkat", 'GuardAt("stat", dirfd, path, false)'),
    _at_change("Mkdirat", _do(MKDIR, "dirfd", follow="false", more=", GuardMode(mode)")),
    GuardRow(_AT, "Fchownat", instead=_owning("dirfd, path, flags&AT_SYMLINK_NOFOLLOW == 0")),
    _at_change(
        "Fchmodat", 'GuardDo("chmod", dirfd, path, flags&AT_SYMLINK_NOFOLLOW == 0, GuardMode(mode))'
    ),
    _at_change("Renameat", 'GuardTwo("rename", olddirfd, oldpath, newdirfd, newpath)'),
    _at_change("Linkat", 'GuardTwo("link", olddirfd, oldpath, newdirfd, newpath)'),
    _at_change("Symlinkat", "GuardSymlink(oldpath, newdirfd, newpath)"),
    GuardRow(
        _AT, "Fstatat", instead=_looking("dirfd", "stat", "AT_SYMLINK_NOFOLLOW"), on=ONLY_LINUX
    ),
    _change(
        "Utimensat",
        _do(UTIME, "dirfd", follow="flag&AT_SYMLINK_NOFOLLOW == 0", more=", GuardTimes(times)..."),
        UNIX,
        _AT,
        optional=True,
    ),
    GuardRow("os", "RemoveAll", instead=_doing("GuardTree(path)")),
)

DARWIN_PATHS = (
    GuardRow("syscall", "Open", instead="return GuardOpen(guardHere, path, mode, perm)", on=ONLY_DARWIN),
    GuardRow("syscall", "openat", instead="return GuardOpen(fd, path, flags, perm)", on=ONLY_DARWIN),
    *(_stub(function, _at(STAT), ONLY_DARWIN) for function in ("Access", "Chdir", "Pathconf", "Stat", "Statfs")),
    *(_stub(function, _at(STAT, follow="false"), ONLY_DARWIN) for function in ("Lstat", "Readlink")),
    *(_stub(function, _at(CREATE, follow="false"), ONLY_DARWIN) for function in ("Mkfifo", "Mknod")),
    _stub("Undelete", _at(CREATE), ONLY_DARWIN),
    _stub("utimes", _at(UTIME), ONLY_DARWIN),
    _stub("Chflags", _at(CHMOD, more=', "flags"'), ONLY_DARWIN),
    _change("Chmod", _do(CHMOD, more=", GuardMode(mode)"), ONLY_DARWIN),
    GuardRow("syscall", "Chown", instead=_owning("guardHere, path, true"), on=ONLY_DARWIN),
    GuardRow("syscall", "Lchown", instead=_owning("guardHere, path, false"), on=ONLY_DARWIN),
    _change("Truncate", _do(TRUNCATE, more=", guardDecimal(int(length))"), ONLY_DARWIN),
    _change("Mkdir", _do(MKDIR, follow="false", more=", GuardMode(mode)"), ONLY_DARWIN),
    _change("Unlink", _do("delete", follow="false"), ONLY_DARWIN),
    _change("Rmdir", _do("rmdir", follow="false"), ONLY_DARWIN),
    _change("unlinkat", "GuardDo(GuardRemoval(flags&0x80 != 0), fd, path, false)", ONLY_DARWIN),
    _stub("fstatat", _at(STAT, "fd", follow="flags&0x20 == 0"), ONLY_DARWIN),
    _change("utimensat",
        _do(UTIME, "dirfd", follow="flags&0x20 == 0", more=", GuardTimes(times)..."), ONLY_DARWIN,
        optional=True),
    _change("Rename", 'GuardTwo("rename", guardHere, from, guardHere, to)', ONLY_DARWIN),
    _change("Link", 'GuardTwo("link", guardHere, path, guardHere, link)', ONLY_DARWIN),
    _stub("Exchangedata", 'GuardSystem("exchangedata " + path1 + " " + path2)', ONLY_DARWIN),
    _change("Symlink", "GuardSymlink(path, guardHere, link)", ONLY_DARWIN),
    _unix("faccessat", 'GuardAt("stat", dirfd, path, true)', ONLY_DARWIN),
    *(_stub(function, f'GuardSystem("{function} " + path)', ONLY_DARWIN) for function in ("Chroot", "Revoke", "Unmount")),
    _stub("ptrace", 'GuardSystem("ptrace")', ONLY_DARWIN, optional=True),
    _stub("kill", "GuardKill(pid, Signal(signum))", ONLY_DARWIN),
)  # fmt: skip
"""macOS has a stub for each operation, most of them without the descriptor of a folder."""

WINDOWS_PATHS = (
    _stub("createFile", "GuardFile(name, access, createmode, attrs)", ONLY_WINDOWS),
    *(_stub(function, f'GuardName("{operation}", {name}, {follow})', ONLY_WINDOWS) for function,
        operation, name, follow in (
        ("CreateDirectory", MKDIR, "path", "false"), ("DeleteFile", "delete", "path", "false"),
        ("RemoveDirectory", "rmdir", "path", "false"),
        ("findFirstFile1", STAT, "name", "false"), ("GetFileAttributesEx", STAT, "name", "true"),
        ("GetFileAttributes", STAT, "name", "true"),
        ("SetCurrentDirectory", STAT, "path", "true"), ("SetFileAttributes", CHMOD, "name", "true"),
    )),
    _stub("MoveFile", 'GuardNames("rename", from, to)', ONLY_WINDOWS),
    _stub("CreateHardLink", 'GuardNames("link", existingfilename, filename)', ONLY_WINDOWS),
    _stub("CreateSymbolicLink", "GuardSymbolic(symlinkfilename, targetfilename)", ONLY_WINDOWS),
    GuardRow("internal/syscall/windows", "MoveFileEx", before='GuardNames("rename", from, to)',
        on=ONLY_WINDOWS),
    GuardRow("internal/syscall/windows", "Openat",
        before="GuardAt(GuardOpening(flag), dirfd, name, flag&O_NOFOLLOW_ANY == 0)",
        on=ONLY_WINDOWS),
    GuardRow("internal/syscall/windows", "Mkdirat", before='GuardAt("mkdir", dirfd, name, false)',
        on=ONLY_WINDOWS),
    GuardRow("internal/syscall/windows", "Deleteat", before='GuardAt("delete", dirfd, name, false)',
        on=ONLY_WINDOWS),
    GuardRow("internal/syscall/windows", "Renameat",
        before='GuardAtTwo("rename", olddirfd, oldpath, newdirfd, newpath)', on=ONLY_WINDOWS),
    GuardRow("internal/syscall/windows", "Linkat",
        before='GuardAtTwo("link", olddirfd, oldpath, newdirfd, newpath)', on=ONLY_WINDOWS),
    GuardRow("internal/syscall/windows", "Symlinkat",
        before='GuardAt("symlink", newdirfd, newname, false)', on=ONLY_WINDOWS),
)  # fmt: skip
WINDOWS_OTHER = (
    GuardRow("syscall", "StartProcess", on=ONLY_WINDOWS,
        instead="err = GuardExec(argv0, argv, attr); if err == nil { pid, handle, err = RAW; GuardBorn(pid, err) }; return"),
    GuardRow("os", "Process.signal", before="GuardKill(p.Pid, syscall.SIGKILL)", on=ONLY_WINDOWS),
    _stub("Connect", 'GuardSocket("connect", int(fd), sa)', ONLY_WINDOWS),
    _stub("ConnectEx", 'GuardSocket("connect", int(fd), sa)', ONLY_WINDOWS),
    _stub("Bind", 'GuardSocket("bind", int(fd), sa)', ONLY_WINDOWS),
    _stub("WSASendto", "GuardPacket(int(s), to)", ONLY_WINDOWS),
    _stub("wsaSendtoInet4", "GuardPacket(int(s), to)", ONLY_WINDOWS),
    _stub("wsaSendtoInet6", "GuardPacket(int(s), to)", ONLY_WINDOWS),
    _stub("GetHostByName", "GuardResolve(name)", ONLY_WINDOWS),
    GuardRow("net", "Resolver.lookupHost", before="GuardResolve(name)", on=ONLY_WINDOWS),
)  # fmt: skip
"""Windows takes paths as UTF-16; what it opens is looked at just before, and by its final name."""

PROCESSES = (
    GuardRow(
        "syscall",
        "forkExec",
        instead=(
            "if err = GuardExec(argv0, argv, attr); err == nil { pid, err = RAW; GuardBorn(pid,"
            " err) }; return pid, err"
        ),
    ),
    GuardRow("syscall", "Exec", before="GuardExec(argv0, argv, nil)"),
    GuardRow("syscall", "Kill", before="GuardKill(pid, sig)", on=ONLY_LINUX),
    GuardRow(
        "os",
        "Process.pidfdSendSignal",
        before="GuardSignal(p.Pid, s)",
        on=ONLY_LINUX,
        optional=True,
    ),
)

SOCKETS = (
    GuardRow(
        "syscall",
        "Connect",
        instead=(
            "if done, err := GuardConnect(fd, sa); done || err != nil { return err }; return RAW"
        ),
    ),
    GuardRow("net", "ListenConfig.Listen", before="guardListen(network, address)"),
    GuardRow("net", "ListenConfig.ListenPacket", before="guardListen(network, address)"),
    GuardRow(
        "net",
        "Dialer.DialContext",
        instead=(
            "if c, err, done := guardDial(ctx, d, network, address); done { return c, err };"
            " return RAW"
        ),
    ),
    GuardRow(
        "syscall",
        "Bind",
        instead=(
            'if err = GuardSocket("bind", fd, sa); err == nil { err = RAW }; if err == nil { err ='
            " GuardBound(fd, sa) }; return err"
        ),
    ),
    GuardRow("syscall", "Socket", before="GuardKind(domain, typ)", on=EVERYWHERE),
    GuardRow("syscall", "SendmsgN", before="GuardPacket(fd, to)"),
    GuardRow("syscall", "Sendto", before="GuardPacket(fd, to)"),
    GuardRow("syscall", "sendtoInet4", before="GuardPacket(fd, to)"),
    GuardRow("syscall", "sendtoInet6", before="GuardPacket(fd, to)"),
    GuardRow("syscall", "sendmsgNInet4", before="GuardPacket(fd, to)"),
    GuardRow("syscall", "sendmsgNInet6", before="GuardPacket(fd, to)"),
)

NAMES = (
    GuardRow("net", "Resolver.lookupHost", before="GuardResolve(host)"),
    *(GuardRow("net", f"Resolver.{function}", before=f"GuardResolve({name})", on=EVERYWHERE) for function, name in (
        ("lookupIPAddr", "host"), ("lookupCNAME", "name"), ("lookupSRV", "name"),
        ("lookupMX", "name"), ("lookupNS", "name"),
        ("lookupTXT", "name"), ("lookupAddr", "addr"),
    )),
    GuardRow("net/http", "Transport.roundTrip", before="GuardRequest(req.URL.Scheme, req.URL.Host)",
        on=EVERYWHERE),
)  # fmt: skip

ROWS = (
    *LINUX_PATHS,
    *LINUX_SYSTEM,
    *LINUX_AT,
    *BY_DESCRIPTOR,
    *ERRORS,
    *DARWIN_PATHS,
    *WINDOWS_PATHS,
    *WINDOWS_OTHER,
    *PROCESSES,
    *SOCKETS,
    *NAMES,
)

HARMLESS = frozenset(
    {
        "DnsQuery",
        "Eaccess",
        "GetProcAddress",
        "GetProtoByName",
        "GetServByName",
        "LoadLibrary",
        "Ptsname",
        "Setlogin",
    }
)
"""Functions with a string that is no path, or that call one of the rows' with theirs, as all of
``at_libc2.go`` do.
"""
_TAKES_STRING = re.compile(r"^func (\w+)\(([^)]*\bstring\b[^)]*)\).*\{$", re.MULTILINE)


def surprises(package: str, file: str, text: str) -> list[str]:
    """Return the functions of a file that take a path and that no row knows. The lowest files are
    looked at: what the kernel is asked through.

    ``file``: its name. A release of Go with such a function is newer than the rows.
    """
    lowest = (
        file != "at_libc2.go"
        if package == _AT
        else package == "syscall" and file.startswith("zsyscall_")
    )
    if not lowest:
        return []
    known = {row.function for row in ROWS if row.package == package} | HARMLESS
    return [
        f"{package}.{found.group(1)}"
        for found in _TAKES_STRING.finditer(text)
        if found.group(1) not in known
    ]
