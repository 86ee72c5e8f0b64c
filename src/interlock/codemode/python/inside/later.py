"""Modules whose functions ask nobody, changed when a program loads them: SQLite's statements,
readline's files, certificates, shared memory...
"""

from __future__ import annotations

import os
import sys

from . import processes
from .databases import sqlite
from .paths import CHANGE, READ, below, exact, real, to_text
from .standing import like, never

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.machinery import ModuleSpec
    from typing import Any

    from .asking import Asking
    from .events import EventChecks

    Change = Callable[[Asking, EventChecks, Any], None]


class PatchingFinder:
    """Finds nothing itself: what others find it has changed once it was loaded."""

    def __init__(self, asking: Asking, events: EventChecks) -> None:
        self._asking = asking
        self._events = events

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return another finder's answer, its loader wrapped."""
        change = LATE.get(name)
        if change is None:
            return None
        for finder in sys.meta_path:
            spec = (
                finder.find_spec(name, path, target)
                if finder is not self and hasattr(finder, "find_spec")
                else None
            )
            if spec is not None and spec.loader is not None:
                spec.loader = PatchingLoader(
                    spec.loader, lambda module: change(self._asking, self._events, module)
                )  # type: ignore[assignment]
                return spec
        return None


class PatchingLoader:
    """Loads as another loader does, and changes what was loaded."""

    def __init__(self, loader: Any, change: Callable[[Any], None]) -> None:
        self._loader = loader
        self._change = change

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> Any:
        """Make the module."""
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        """Run it, then change it."""
        self._loader.exec_module(module)
        self._change(module)


def _readline(asking: Asking, _events: EventChecks, module: Any) -> None:
    for name, operation, kind, at in (
        ("write_history_file", "write", CHANGE, 0), ("append_history_file", "append", CHANGE, 1),
        ("read_history_file", "read", READ, 0),
        ("read_init_file", "read", READ, 0),
    ):  # fmt: skip
        if hasattr(module, name):
            setattr(
                module,
                name,
                _with_path(asking, getattr(module, name), (operation, kind, at, "~/.history")),
            )


def _signal(asking: Asking, _events: EventChecks, module: Any) -> None:
    if hasattr(module, "pidfd_send_signal"):
        why = "Processes are signalled by their number here."
        module.pidfd_send_signal = never(asking, "signal.pidfd_send_signal", "code.kill", why)


def _dbm(asking: Asking, _events: EventChecks, module: Any) -> None:
    module.open = _with_path(asking, module.open, ("update", CHANGE, 0, ""))


def _with_path(
    asking: Asking, original: Callable[..., Any], about: tuple[str, int, int, str]
) -> Callable[..., Any]:
    """Stand for a function whose argument number ``at`` is a path, with a default."""
    operation, kind, at, default = about

    def function(*arguments: Any) -> Any:
        fixed = [exact(argument) for argument in arguments]
        path = (
            fixed[at] if len(fixed) > at and fixed[at] is not None else os.path.expanduser(default)
        )
        asking.path(operation, path, kind, getattr(original, "__qualname__", "open"))
        return original(*fixed)

    return function


def _ssl(asking: Asking, _events: EventChecks, module: Any) -> None:
    context = module.SSLContext
    chain, trusted = context.load_cert_chain, context.load_verify_locations

    def load_cert_chain(
        self: Any, certfile: Any, keyfile: Any = None, password: Any = None
    ) -> None:
        paths = [exact(path) for path in (certfile, keyfile)]
        for path in paths:
            asking.path("read", path, READ, "ssl.load_cert_chain")
        chain(self, *paths, password)

    def load_verify_locations(
        self: Any, cafile: Any = None, capath: Any = None, cadata: Any = None
    ) -> None:
        paths = [exact(path) for path in (cafile, capath)]
        for path in paths:
            asking.path("read", path, READ, "ssl.load_verify_locations")
        trusted(self, *paths, cadata)

    context.load_cert_chain, context.load_verify_locations = load_cert_chain, load_verify_locations


def _fork_exec(_asking: Asking, events: EventChecks, module: Any) -> None:
    original = module.fork_exec

    def fork_exec(words: Any, places: Any, *rest: Any) -> Any:
        events.started("_posixsubprocess.fork_exec", places, words)
        return original(words, places, *rest)

    module.fork_exec = fork_exec


def _socket(asking: Asking, _events: EventChecks, module: Any) -> None:
    """Where single hosts are allowed the broker connects, and hands the connection over; it
    resolves their names, too.
    """
    if asking.loopback:
        _listening(asking, module)
    if asking.network != "dialled":
        return
    whole, raw, own = module.socket, module.socket.connect, module.getaddrinfo
    module.has_ipv6 = False  # what looks whether it works (urllib3) binds a socket for that
    families, stream = (int(module.AF_INET), int(module.AF_INET6)), int(module.SOCK_STREAM)

    def connect(self: Any, address: Any) -> None:
        if (
            int(self.family) not in families
            or not isinstance(address, tuple)
            or address == asking.proxy
            or _is_own(asking, address[0])
        ):
            raw(self, address)
            return
        descriptor, timeout = (
            asking.asked("dial", "socket.connect", str(address[0]), str(int(address[1]))),
            self.gettimeout(),
        )
        os.dup2(descriptor, self.fileno(), inheritable=False)
        os.close(descriptor)
        self.settimeout(timeout)

    def connect_ex(self: Any, address: Any) -> int:
        try:
            connect(self, address)
        except OSError as error:
            return error.errno or 111
        return 0

    def getaddrinfo(
        host: Any,
        port: Any,
        family: int = 0,
        type: int = 0,  # noqa: A002 - as in socket
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        name = host.decode() if isinstance(host, bytes) else host or "localhost"
        if _is_own(asking, name) or (asking.proxy is not None and name == asking.proxy[0]):
            return list(own(host, port, family, type, proto, flags))
        asking.asked("resolve", "socket.getaddrinfo", name)
        if type not in (0, stream):
            raise module.gaierror(module.EAI_SOCKTYPE, "only TCP is to be had")
        number = (
            port
            if isinstance(port, int)
            else int(port)
            if str(port).isdigit()
            else module.getservbyname(port)
        )
        return [(module.AF_INET, module.SOCK_STREAM, 6, "", (name, number))]

    whole.connect, whole.connect_ex, module.getaddrinfo = connect, connect_ex, getaddrinfo


def _is_own(asking: Asking, host: object) -> bool:
    """Whether a host is this machine, in a run that may wait for itself there."""
    return (
        asking.loopback
        and isinstance(host, str)
        and (host in ("localhost", "::1") or host.startswith("127."))
    )


def _listening(asking: Asking, module: Any) -> None:
    """Tell the broker at which port here the program waits, so that it may connect there."""
    raw = module.socket.bind

    def bind(self: Any, address: Any) -> None:
        raw(self, address)
        if isinstance(address, tuple):
            host, port = self.getsockname()[:2]
            asking.asked("bound", "socket.bind", str(host), str(port))

    module.socket.bind = bind


def _shutil(asking: Asking, _events: EventChecks, module: Any) -> None:
    """A whole tree that the walls hide is removed by the broker, in one go."""
    original = module.rmtree

    def rmtree(
        path: Any,
        ignore_errors: bool = False,
        onerror: Any = None,
        *,
        dir_fd: int | None = None,
        **keywords: Any,
    ) -> None:
        path = exact(path)
        target = real(to_text(path) or "", dir_fd, last=False)
        if dir_fd is not None or below(target, asking.held):
            # which Python 3.10 does not know
            keywords |= {"dir_fd": dir_fd} if dir_fd is not None else {}
            original(path, ignore_errors, onerror, **keywords)
            return
        try:
            asking.asked("carry", "shutil.rmtree", "rmtree", target)
        except OSError:
            if not ignore_errors:
                raise

    if asking.held:
        rmtree.avoids_symlink_attacks = original.avoids_symlink_attacks  # type: ignore[attr-defined]
        module.rmtree = like(rmtree, original, "rmtree")


LATE: dict[str, Change] = {
    "sqlite3": sqlite, "readline": _readline, "ssl": _ssl, "_posixsubprocess": _fork_exec,
    **processes.LATE, "signal": _signal, "_gdbm": _dbm, "_dbm": _dbm,
    "socket": _socket, "shutil": _shutil,
}  # fmt: skip
"""Modules by name, and what is changed in them."""
