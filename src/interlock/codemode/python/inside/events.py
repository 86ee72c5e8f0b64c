"""What is asked before which audit event (the table of audit events of the Python library
reference, measured on CPython 3.11).
"""

from __future__ import annotations

import os
import posix

from .paths import CHANGE, READ, behind, below, real, to_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from .asking import Asking

    Check = Callable[..., object]

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
FOREIGN = frozenset(
    """ctypes _ctypes cffi _cffi_backend _xxsubinterpreters _interpreters
        _xxinterpchannels _testcapi _testinternalcapi
    _ctypes_test""".split()
)
"""Modules that a program itself does not import: they reach below the operations that are asked
about. Installed packages may.
"""
LIBRARYS = frozenset({"_posixsubprocess", "_posixshmem"})
"""The same for the library's own modules, whatever of it stands between: what they do is asked."""
INNER = frozenset(
    """ctypes.dlsym ctypes.dlsym/handle ctypes.call_function ctypes.string_at ctypes.wstring_at
        ctypes.cdata ctypes.cdata/buffer gc.get_objects
    gc.get_referrers gc.get_referents code.__new__ sys.settrace
    sys.monitoring.register_callback""".split()
)
"""Events that a program itself does not cause."""
NEVER = frozenset(
    "cpython.PyInterpreterState_New setopencodehook cpython.remote_debugger_script sys.remote_exec".split()
)
"""Events that nothing causes that has to run here."""
_UNIX, _INTERNET, _KINDS = 1, frozenset({2, 10}), frozenset({1, 2})
"""``AF_UNIX`` is only for pairs within the program; ``AF_INET``, ``AF_INET6``; ``SOCK_STREAM``,
``SOCK_DGRAM``.
"""
_TYPED = frozenset({0x5412, 0x541C, 0x80047472})
"""``TIOCSTI`` and ``TIOCLINUX``: words put into a terminal as if somebody typed them."""
_NATIVE = "Machine code is for installed packages to load."


def writes(flags: int) -> bool:
    """Tell whether a file is opened to be changed (open(2))."""
    return bool(flags & _WRITING)


def operation_of(flags: int) -> str:
    """Return the operation that opening with these flags is."""
    if not writes(flags):
        return "read"
    if flags & (os.O_TRUNC | os.O_EXCL):
        return "write"
    return "append" if flags & os.O_APPEND else "update" if flags & os.O_RDWR else "write"


def is_there(path: str, look: Callable[[str], object] = posix.stat) -> bool:
    """Tell whether anything is at a path."""
    try:
        look(path)
    except OSError:
        return False
    return True


class EventChecks:
    """The checks of one program. Each takes the event's own arguments, and raises if refused."""

    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.pid = posix.getpid

    def table(self) -> dict[str, Check]:
        """Return the check of every event that has one."""
        found: dict[str, Check] = {
            "open": self.on_open, "os.rename": self.on_two("rename"),
            "os.link": self.on_two("link"), "os.symlink": self.on_symlink,
            "os.chmod": self.on_chmod, "shutil.rmtree": self.on_rmtree, "os.system": self.on_system,
            "os.forkpty": self.on_terminal,
            "subprocess.Popen": lambda program, words, _cwd,
            table: self.on_exec("subprocess.Popen", program, words, table),
            "os.exec": lambda program, words,
            table=None: self.on_exec("os.exec", program, words, table),
            "os.posix_spawn": lambda program, words,
            table=None: self.on_exec("os.posix_spawn", program, words, table),
            "os.spawn": lambda _mode, program, words,
            table=None: self.on_exec("os.spawn", program, words, table),
            "socket.__new__": self.on_socket, "socket.connect": self.address("connect", "tcp"),
            "socket.bind": self.address("bind", "tcp"),
            "socket.sendto": self.address("connect", "udp"),
            "socket.sendmsg": self.address("connect", "udp"),
            "socket.getaddrinfo": self.on_lookup, "socket.gethostbyname": self.on_lookup,
            "socket.gethostbyaddr": self.on_lookup,
            "resource.prlimit": self.on_limits, "socket.sethostname": self.on_name,
            "os.kill": self.on_kill, "os.killpg": self.on_kill, "import": self.on_import,
            "ctypes.dlopen": self.on_load,
            "object.__setattr__": self.on_setattr, "sqlite3.connect": self.on_database,
            "sqlite3.enable_load_extension": self.on_extension,
            "sqlite3.load_extension": self.on_extension, "fcntl.ioctl": self.on_control,
        }  # fmt: skip
        for event, operation, last in _CHANGING:
            found[event] = self.on_change(event, operation, last=last)
        for event in _LISTING:
            found[event] = self.on_listing(event)
        for event in INNER | NEVER:
            found[event] = self.on_inner(event)
        return found

    # -- files -------------------------------------------------------------------------------------

    def on_open(self, path: object, _mode: object, flags: object) -> None:
        number = flags if isinstance(flags, int) else 0
        self.asking.path(operation_of(number), path, CHANGE if writes(number) else READ, "open")

    def on_change(self, event: str, operation: str, *, last: bool) -> Check:
        hangs = event in _WITH_FOLDER

        def check(path: object, *rest: object) -> None:
            folder = rest[-1] if hangs and rest and isinstance(rest[-1], int) else None
            self.asking.path(operation, path, CHANGE, event, folder, last=last)

        return check

    def on_listing(self, event: str) -> Check:
        return lambda path=None, *_: self.asking.path(
            "list", "." if path is None else path, READ, event
        )

    def on_two(self, operation: str) -> Check:
        """Both ends of a rename or a hard link; a link is of the file behind all names."""

        def check(first: object, second: object, first_fd: int = -1, second_fd: int = -1) -> None:
            one = real(to_text(first) or "", first_fd, last=operation == "link")
            other = real(to_text(second) or "", second_fd, last=False)
            if not (self.asking.plain.lets(one, CHANGE) and self.asking.plain.lets(other, CHANGE)):
                self.asking.asked(operation, f"os.{operation}", one, other)

        return check

    def on_symlink(self, target: object, path: object, dir_fd: int = -1) -> None:
        one = real(to_text(path) or "", dir_fd, last=False)
        if not self.asking.plain.lets(one, CHANGE):
            self.asking.asked("symlink", "os.symlink", to_text(target) or "", one)

    def on_chmod(self, path: object, mode: int, dir_fd: int = -1) -> None:
        found = to_text(path)
        if found is None:
            found = behind(path) if isinstance(path, int) else ""
        if found is None:
            return
        target = real(found, dir_fd)
        if mode & 0o6002 or not self.asking.plain.lets(target, CHANGE):
            self.asking.asked("chmod", "os.chmod", target, str(int(mode)))

    def on_rmtree(self, path: object, dir_fd: int | None = None) -> None:
        target = real(to_text(path) or "", dir_fd, last=False)
        if not below(target, self.asking.plain.writes):
            self.asking.asked("rmtree", "shutil.rmtree", target)

    def on_database(self, path: object, *_: object) -> None:
        """A database is a file, or one of memory (sqlite.org/inmemorydb.html, uri.html)."""
        found = to_text(path)
        if not found or found.startswith((":memory:", "file::memory:")) or "mode=memory" in found:
            return
        if found.startswith("file:"):
            found = found[5:].partition("?")[0]
            found = found[found.find("/", 2) :] if found.startswith("//") else found
        self.asking.path("update", found, CHANGE, "sqlite3.connect")

    # -- programs and machine code -----------------------------------------------------------------

    def on_exec(self, by: str, program: object, words: object, table: Any = None) -> None:
        given = [words] if isinstance(words, (str, bytes)) else list(words)  # type: ignore[call-overload]
        texts = [to_text(word) or "" for word in given[:200]]
        self.asking.asked(
            "exec", by, self._found(to_text(program) or (texts[0] if texts else ""), table), *texts
        )

    def _found(self, name: str, table: Mapping[Any, Any] | None) -> str:
        """Return where a program is found by its name, as execvp(3) looks for it."""
        if "/" in name:
            return real(name)
        variables: Any = table if hasattr(table, "get") else os.environ
        path = to_text(variables.get("PATH") or variables.get(b"PATH") or os.defpath) or ""
        return next(
            (
                real(place)
                for place in [f"{folder or '.'}/{name}" for folder in path.split(":")]
                if is_there(place)
            ),
            name,
        )

    def started(self, by: str, places: Sequence[object], words: Sequence[object]) -> None:
        """Ask about a program of which several places are tried."""
        found = [to_text(one) or "" for one in places]
        there = next((one for one in found if one and is_there(one)), found[0] if found else "")
        self.asking.asked(
            "exec", by, real(there), *[to_text(word) or "" for word in list(words)[:200]]
        )

    def on_system(self, command: object) -> None:
        self.asking.asked("shell", "os.system", to_text(command) or "")

    def on_terminal(self, *_: object) -> None:
        raise self.asking.make_refusal(
            "fork",
            "a terminal",
            "code.run-program",
            "A guarded program opens no terminals of its own.",
        )

    def on_import(self, module: str, path: object = None, *_: object) -> None:
        if (module in FOREIGN and self.asking.by_program()) or (
            module in LIBRARYS and self.asking.by_program(())
        ):
            raise self.asking.make_refusal(
                "import",
                module,
                "code.load-native",
                f"{module} reaches below what is asked about; use the language's library.",
            )
        if (
            isinstance(path, str)
            and path.endswith((".so", ".pyd", ".dylib"))
            and not below(real(path), self.asking.plain.reads)
        ):
            self.asking.asked("load", "import", real(path))

    def on_load(self, library: object) -> None:
        shown = to_text(library) if isinstance(library, (str, bytes)) else ""
        if self.asking.by_program() or (
            shown and "/" in shown and not below(real(shown), self.asking.plain.reads)
        ):
            raise self.asking.make_refusal(
                "load", shown or "the interpreter itself", "code.load-native", _NATIVE
            )

    def on_extension(self, *_: object) -> None:
        raise self.asking.make_refusal(
            "load", "an extension of SQLite", "code.load-native", _NATIVE
        )

    def on_setattr(self, _thing: object, attribute: object, *_: object) -> None:
        if attribute in ("__code__", "__globals__", "__closure__") and self.asking.by_program():
            raise self.asking.make_refusal(
                "patch",
                str(attribute),
                "code.inner",
                "The code of a function is not replaced in a guarded program.",
            )

    def on_inner(self, event: str) -> Check:
        def check(*_: object) -> None:
            if event in NEVER or self.asking.by_program():
                raise self.asking.make_refusal(
                    "inner", event, "code.inner", f"{event} reaches into the interpreter itself."
                )

        return check

    # -- network and processes ---------------------------------------------------------------------

    def on_socket(self, _socket: object, family: int, kind: int, _protocol: int) -> None:
        if family == _UNIX:
            return
        if family not in _INTERNET or kind & 0xF not in _KINDS:
            shown = f"family {int(family)}, type {int(kind)}"
            raise self.asking.make_refusal(
                "socket", shown, "code.raw-socket", "Only TCP and UDP are for programs."
            )
        if (self.asking.network == "off" and not self.asking.loopback) or (
            self.asking.network != "open" and kind & 0xF != 1
        ):
            message = "Programs run without a network unless a host is allowed (--allow-host NAME), or they serve themselves on this machine (--allow-loopback)."
            raise self.asking.make_refusal("socket", "network", "code.reach-host", message)

    def address(self, operation: str, kind: str) -> Check:
        def check(_socket: object, where: object = None, *_: object) -> None:
            if where is None or where == self.asking.proxy:
                return
            if not isinstance(where, tuple):
                shown = to_text(where) or str(where)
                raise self.asking.make_refusal(
                    operation,
                    shown,
                    "code.local-socket",
                    "Sockets of this machine are not for guarded programs.",
                )
            self.asking.asked(operation, f"socket.{operation}", kind, str(where[0]), str(where[1]))

        return check

    def on_lookup(self, host: object, *_: object) -> None:
        if host is not None and (self.asking.proxy is None or host != self.asking.proxy[0]):
            self.asking.asked("resolve", "socket.getaddrinfo", to_text(host) or str(host))

    def on_kill(self, pid: int, number: int) -> None:
        if pid != self.pid() and not (pid == 0 and self.asking.kernel):
            self.asking.asked("kill", "os.kill", str(pid), str(int(number)))

    def on_limits(self, pid: int, *_: object) -> None:
        if pid not in (0, self.pid()):
            raise self.asking.make_refusal(
                "call", "resource.prlimit", "code.others", "It limits no other process."
            )

    def on_name(self, *_: object) -> None:
        raise self.asking.make_refusal(
            "call", "socket.sethostname", "code.privilege", "The machine keeps its name."
        )

    def on_control(self, _descriptor: object, request: int, *_: object) -> None:
        if request in _TYPED:
            raise self.asking.make_refusal(
                "ioctl", "TIOCSTI", "code.terminal", "Nothing is typed into a terminal."
            )


_CHANGING = (
    ("os.remove", "delete", False), ("os.rmdir", "rmdir", False), ("os.mkdir", "mkdir", True),
    ("os.truncate", "truncate", True),
    ("os.chown", "chown", True), ("os.utime", "utime", True), ("os.setxattr", "utime", True),
    ("os.removexattr", "utime", True),
)  # fmt: skip
"""Events on a path, the operation, and whether a link at its end is followed."""
_LISTING = ("os.listdir", "os.scandir", "os.getxattr", "os.listxattr")
_WITH_FOLDER = frozenset({"os.remove", "os.rmdir", "os.mkdir", "os.chown", "os.utime"})
"""Those whose last argument is the descriptor of the folder that a relative path hangs on."""
