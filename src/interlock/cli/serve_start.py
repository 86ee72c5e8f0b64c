"""What ``interlock serve`` and ``interlock ui`` do where all that they need is installed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from tempfile import TemporaryDirectory

from interlock.approvals.user import me
from interlock.audit.sinks import FILE as FILE_SINK
from interlock.audit.sinks import SinkError, read, write
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.serve_demo import Fleet
from interlock.cli.trial_tools import trial_tools
from interlock.model.record import Record
from interlock.service.backing import backup
from interlock.service.context import ServiceContext
from interlock.service.databases import is_begun, is_shared, name_database, open_store
from interlock.service.folder_lock import FolderLock
from interlock.service.hooks.sending import HookError
from interlock.service.ingest.roots import line
from interlock.service.ingest.verify import verify
from interlock.service.machines.enrol import MachineOwner, token
from interlock.service.operating.probing import keep_address, probe
from interlock.service.people.admit import reset
from interlock.service.people.owner import OWNER, SignInError
from interlock.service.people.signin import IN_PERSON, link, need_no_link
from interlock.service.provider import IdentityProvider, ProviderError
from interlock.service.provider import read as read_provider
from interlock.service.serving import (
    ListenSettings,
    ServingError,
    bind_socket,
    check_listening,
    scene,
    serve,
)
from interlock.service.store.protocol import ServiceStore, ServiceStoreError, ServiceWriter
from interlock.service.tenants import OIDC_FILE, TenantError, tenants
from interlock.service.tenants import folder_of as tenant_folder
from interlock.store.protocol import Storage
from interlock.wire.token import format_token

ERRORS = (
    HookError,
    ServiceStoreError,
    ServingError,
    SinkError,
    SignInError,
    ProviderError,
    TenantError,
    OSError,
)


def folder_of(state: str, tenant: str = "") -> str:
    """Return where the service keeps its data, below this user's state; or a tenant's."""
    return tenant_folder(f"{state}/service", tenant) if tenant else f"{state}/service"


_NONE_YET = "no service has run here yet: start one with `interlock serve`"


class ServeOptions(Record):
    """``oidc``: the file of the provider that people sign in with; ``tenant``: one that is served
    from now on, too; ``database``: the address of a server's, where this is one of its nodes.
    """

    oidc: str = ""
    tenant: str = ""
    database: str = ""


def listen(
    folder: str,
    wanted: Mapping[str, str],
    own: Storage,
    opened: Callable[[str], None] | None = None,
    options: ServeOptions = ServeOptions(),  # noqa: B008 - a record never changes
) -> int:
    """Serve; ``opened`` is called with a link that signs in, once it is ready."""
    provider = read_provider(options.oidc) if options.oidc else None
    alone = FolderLock(folder)
    if not alone.had:
        url = _setting(folder, "url")
        where = f"at {url}" if url else "and is about to answer"
        raise ServingError(f"it runs already, {where}: interlock ui opens it")
    try:
        names = sorted({*tenants(folder), *([options.tenant] if options.tenant else [])})
        for name in ("", *names) if options.database else ():
            there = tenant_folder(folder, name) if name else folder
            name_database(there, options.database, name)
        listening = ListenSettings(**{**wanted, "port": int(wanted["port"] or _port(folder))})  # type: ignore[arg-type]
        check_listening(listening)
        end_quietly()
        with closing(bind_socket(listening)) as sock:
            port = sock.getsockname()[1]
            made = [scene(folder, listening, port, own, provider)]
            for name in names:
                there = tenant_folder(folder, name)
                made.append(scene(there, listening, port, None, _provider(there), name))
            made = [one.replace(tools=trial_tools()) for one in made]
            for one in made:
                one.keeping.write(partial(_record_start, url=one.url, pin=one.pin, port=port))
            keep_address(folder, listening.host, port, made[0].url, listening.certificate)
            return serve(made, listening, sock, lambda: _all_ready(made, opened))
    finally:
        alone.let_go()


def _provider(folder: str) -> IdentityProvider | None:
    """Return the provider of a tenant: no tenant's people sign in with another's."""
    path = f"{folder}/{OIDC_FILE}"
    return read_provider(path) if os.path.exists(path) else None


def _all_ready(made: Sequence[ServiceContext], opened: Callable[[str], None] | None) -> None:
    for one in made[1:]:
        print(f"tenant {one.url.partition('://')[2].partition('.')[0]}: {one.url}")
    _ready(made[0].keeping, made[0].url, opened)


def _record_start(keeping: ServiceWriter, url: str, pin: str, port: int) -> None:
    """Keep how it is called, for the next time and for who asks beside it."""
    for name, value in (("url", url), ("pin", pin), ("port", str(port))):
        keeping.set(name, value)
    keeping.note("started", "", {"url": url})


def _ready(keeping: ServiceStore, url: str, opened: Callable[[str], None] | None) -> None:
    """Say where it is. A link that signs in is no line of a log, once people need none."""
    known = keeping.read(need_no_link)
    paint = Painter(sys.stdout)
    print(f"{paint('interlock serve', 'bold')}: ready at {url}")
    if known and opened is None:
        print(f"  sign in:           {url}/signin")
    else:
        address = f"{url}/signin/{keeping.write(_link)}"
        print(f"  sign in, once:     {address}")
        if opened is not None:
            opened(address)
    print("  enrol a machine:   interlock serve --token")
    sys.stdout.flush()


def user() -> str:
    """Return what whoever runs the service is called there, until they say otherwise."""
    name = me()
    return OWNER if name == "root" else name


def _link(keeping: ServiceWriter, name: str = "") -> str:
    return link(keeping, name, user())


def demonstrate(wanted: Mapping[str, str]) -> int:
    """Serve a made-up week until it is ended, from a folder that goes with it."""
    listening = ListenSettings(**{**wanted, "port": int(wanted["port"] or 0)})  # type: ignore[arg-type]
    check_listening(listening)
    end_quietly()
    with TemporaryDirectory(prefix="interlock-demo-") as folder:
        sock = bind_socket(listening)
        made = scene(f"{folder}/service", listening, sock.getsockname()[1], None)
        made = made.replace(tools=trial_tools())
        fleet = Fleet(made, folder)
        print("interlock serve --demo: a made-up week of five machines goes through the guard ...")
        sys.stdout.flush()
        fleet.fill()
        fleet.go_on()
        try:
            return serve([made], listening, sock, lambda: _print_signin(made.keeping, made.url))
        finally:
            fleet.end()


def _print_signin(keeping: ServiceStore, url: str) -> None:
    secret = keeping.write(lambda steps: link(steps, kind=IN_PERSON))
    print(f"  nothing of it was run; agents go on asking at {url}")
    print(f"  sign in, once:     {url}/signin/{secret}")
    print("  it ends with Ctrl-C, and nothing of it stays")
    sys.stdout.flush()


def is_running(folder: str) -> bool:
    """Tell whether one serves this folder now."""
    alone = FolderLock(folder)
    alone.let_go()
    return not alone.had


def new_link(folder: str, name: str = "") -> str:
    """Return another address that signs somebody in once; raises one of ``ERRORS``."""
    keeping = open_database(folder)
    try:
        return f"{_read(keeping, 'url')}/signin/{keeping.write(lambda steps: _link(steps, name))}"
    finally:
        keeping.close()


def print_link(folder: str, name: str) -> int:
    """Print it."""
    print(new_link(folder, name))
    return 0


def print_reset(folder: str, name: str) -> int:
    """Have somebody's password and authenticator count no more, and print the link that sets them
    anew: for the admin whom no other admin can let in again.
    """
    keeping = open_database(folder)
    try:
        secret = keeping.write(lambda steps: reset(steps, name, f"{user()}, on this machine"))
        print(_read(keeping, "url") + (f"/welcome/{secret}" if secret else "/signin"))
    finally:
        keeping.close()
    return 0


def print_token(folder: str, uses: int, whose: Mapping[str, str]) -> int:
    """Print the line that enrols so many machines, each once, within a day; ``whose`` they are:
    a ``team``'s and an ``owner``'s.
    """
    if uses < 1:
        raise ValueError(f"--uses is {uses}; expected 1 or more")
    keeping = open_database(folder)
    try:
        url, pin = [_read(keeping, name) for name in ("url", "pin")]
        if not url:
            raise ServingError(_NONE_YET)
        made = keeping.write(lambda steps: token(steps, url, pin, uses, MachineOwner(**whose)))
    finally:
        keeping.close()
    print(f"interlock enrol {format_token(made)}")
    return 0


def anchor(folder: str, path: str) -> int:
    """Add the newest root to a file outside; 1 where there is none yet."""
    keeping = open_database(folder)
    try:
        root = keeping.read(lambda known: known.last_root())
    finally:
        keeping.close()
    if root is None:
        raise ServingError("nothing has been sent here for a whole minute: there is no root yet")
    write(_sink(path), line(root))
    complain(f"anchored the root of {root.minute} ({root.hash[:12]}…) in {path}\n")
    return 0


def back_up(folder: str, target: str) -> int:
    """Copy all that the service keeps."""
    open_database(folder).close()  # says so where there is none
    size = backup(folder, target)
    if is_shared(folder):
        said = "its keys, and pg_dump copies its database, as the page on running the service says"
        complain(f"all that this node keeps is in {target}: {said}\n")
        return 0
    complain(f"all that the service keeps is in {target} ({size >> 10:,} KiB); keep it as safe\n")
    return 0


def _sink(path: str) -> str:
    return f"{FILE_SINK}:{path if path == '-' else os.path.abspath(path)}"


def ask_ready(folder: str) -> int:
    """Ask the one that runs here whether it is ready. 0 ready, 1 not."""
    status, said = probe(folder)
    print(f"interlock serve: {said}")
    return 0 if status == 200 else 1


def print_report(folder: str, against: str) -> int:
    """Verify all that is kept. 0 intact, 1 not."""
    anchored = read(_sink(against)) if against else []
    keeping = open_database(folder)
    try:
        report = keeping.read(lambda known: verify(known, anchored))
    finally:
        keeping.close()
    paint = Painter(sys.stdout)
    chains = "1 chain" if report.chains == 1 else f"{report.chains} chains"
    count = f"{report.events} records of {chains}"
    if report.problems:
        print(f"{paint('✗ NOT INTACT', 'red', 'bold')}  {count}")
    else:
        print(f"{paint('✓ intact', 'green', 'bold')}  {count}")
    for said in report.problems:
        print(f"  {paint('✗', 'red')} {visible(said)}")
    for said in report.known:
        print(f"  {paint('!', 'amber')} told when it came: {visible(said)}")
    return 1 if report.problems else 0


def open_database(folder: str) -> ServiceStore:
    """Return the database that is there already."""
    if not is_begun(folder):
        raise ServingError(_NONE_YET)
    return open_store(folder)


def _setting(folder: str, name: str) -> str:
    keeping = open_database(folder)
    try:
        return _read(keeping, name)
    finally:
        keeping.close()


def _read(keeping: ServiceStore, name: str) -> str:
    return keeping.read(lambda known: known.setting(name))


def _port(folder: str) -> str:
    """Return the port of the last time: machines that were enrolled know it. Nodes of one database
    have one each.
    """
    if is_shared(folder):
        raise ServingError("a node of several says where it listens: --listen ADDRESS:PORT")
    return (_setting(folder, "port") if is_begun(folder) else "") or "0"


def end_quietly() -> None:
    """Take a wish to end as such: exit code 0."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
