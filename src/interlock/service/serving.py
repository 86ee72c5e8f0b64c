"""A service that listens: its folder, its socket, its certificate, and how it ends."""

from __future__ import annotations

import logging
import socket
import ssl
from collections.abc import Callable, Sequence
from hashlib import sha256
from threading import BoundedSemaphore

import uvicorn

from interlock.model.record import Record
from interlock.service.app import make
from interlock.service.archive.opening import open_archive
from interlock.service.context import MOST_AT_ONCE, ServiceContext
from interlock.service.databases import open_store
from interlock.service.desk import make_desk
from interlock.service.guess_limits import GuessCounter
from interlock.service.keys import ServiceKeys
from interlock.service.metrics import ServiceMetrics
from interlock.service.notifier import Notifier
from interlock.service.patience import Patient
from interlock.service.provider import IdentityProvider
from interlock.service.signing import Signer
from interlock.service.tenants import address, apart
from interlock.service.trouble import JSON, TEXT, JsonLines, ServiceFailures
from interlock.store.protocol import Storage

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
ENDS_SECONDS = 3
REFUSALS = 60
"""Refused sign-ins that are recorded in a quarter of an hour; the others only are refused."""


class ServingError(Exception):
    """It cannot listen so; one sentence says why, and what to do."""


class ListenSettings(Record):
    """Where it listens. ``port``: 0 for any that is free; ``url``: how it is called from outside,
    where that is another address (a proxy's); ``certificate``, ``key``: files in PEM, empty
    without TLS; ``log``: what it says where it was started, ``text`` or ``json``.
    """

    host: str = "127.0.0.1"
    port: int = 0
    url: str = ""
    certificate: str = ""
    key: str = ""
    log: str = TEXT


def check_listening(listening: ListenSettings) -> None:
    """Raise ``ServingError`` where what is sent could be read on the way."""
    if bool(listening.certificate) != bool(listening.key):
        raise ServingError("a certificate has a key: name both, --certificate and --key")
    if listening.host not in LOOPBACK and not listening.certificate:
        raise ServingError(
            f"{listening.host} is reached from other machines, and without TLS anybody on the way"
            " reads along: name --certificate FILE and --key FILE, or listen on 127.0.0.1 behind a"
            " proxy that has them (--url https://NAME)"
        )
    if listening.url and not listening.url.startswith("https://"):
        raise ServingError(f"--url is {listening.url!r}; expected the proxy's https:// address")


def bind_socket(listening: ListenSettings) -> socket.socket:
    """Return the socket, bound; raises ``ServingError``."""
    family = socket.AF_INET6 if ":" in listening.host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((listening.host, listening.port))
        found.listen(512)
    except OSError as error:
        found.close()
        raise ServingError(
            f"{listening.host}:{listening.port} cannot be listened on: {error.strerror}"
        ) from error
    return found


def pin(certificate: str) -> str:
    """Return SHA-256 of a certificate file's first certificate; raises ``ServingError``."""
    try:
        with open(certificate, encoding="ascii") as file:
            text = file.read()
        end = "-----END CERTIFICATE-----"
        return sha256(ssl.PEM_cert_to_DER_cert(text.partition(end)[0] + end)).hexdigest()
    except (OSError, ValueError) as error:
        raise ServingError(f"{certificate} is no certificate in PEM: {error}") from error


def scene(
    folder: str,
    listening: ListenSettings,
    port: int,
    own: Storage | None,
    provider: IdentityProvider | None = None,
    tenant: str = "",
) -> ServiceContext:
    """Return what the routes have at hand, of a tenant where one is named; raises ``KeptError``,
    ``ServingError`` or ``TenantError``.
    """
    shown = f"[{listening.host}]" if ":" in listening.host else listening.host
    plain = f"{'https' if listening.certificate else 'http'}://{shown}:{port}"
    names = {shown, *(("localhost", "127.0.0.1", "[::1]") if listening.host in LOOPBACK else ())}
    url = listening.url.rstrip("/") or plain
    hosts = {f"{name}:{port}" for name in names} | {url.partition("://")[2]}
    if listening.host in ("0.0.0.0", "::"):  # noqa: S104 - asked for by the person
        hosts |= {f"{name}:{port}" for name in (socket.gethostname(), socket.getfqdn())}
        url = f"https://{socket.gethostname()}:{port}" if not listening.url else url
    if tenant:
        url = address(url, tenant)
        hosts = {url.partition("://")[2]}
    known = pin(listening.certificate) if listening.certificate and not listening.url else ""
    keeping, signer, bell = open_store(folder), Signer(folder), Notifier()
    metrics = ServiceMetrics()
    guard, group = make_desk(folder, keeping, signer, bell, url)
    group.sizes = metrics.count_group
    return ServiceContext(
        keeping, signer, url, known, frozenset(hosts), BoundedSemaphore(MOST_AT_ONCE), bell,
        ServiceKeys(folder), GuessCounter(), GuessCounter(1, REFUSALS),
        ServiceFailures(listening.log), guard, group, metrics, own, provider,
        folder, archive=open_archive(folder),
    )  # fmt: skip


def serve(
    made: Sequence[ServiceContext],
    listening: ListenSettings,
    sock: socket.socket,
    ready: Callable[[], None],
) -> int:
    """Answer until somebody ends it, for one or for several that are kept apart; ``ready`` is
    called when the first one may ask.
    """
    try:
        server(made, listening, ready).run(sockets=[sock])
    finally:
        for one in made:
            one.close()
        sock.close()
    return 0


def server(
    made: Sequence[ServiceContext], listening: ListenSettings, ready: Callable[[], None]
) -> uvicorn.Server:
    """Return what answers."""
    app = apart(made[0], made[1:]) if len(made) > 1 else make(made[0])
    config = uvicorn.Config(
        app, http=Patient, ws="none", log_level="error", access_log=False,
        server_header=False, lifespan="on",
        timeout_graceful_shutdown=ENDS_SECONDS, proxy_headers=False,
        ssl_certfile=listening.certificate or None, ssl_keyfile=listening.key or None,
    )  # fmt: skip
    if listening.log == JSON:
        said = logging.getLogger("uvicorn")
        said.handlers, said.propagate = [JsonLines()], False
    return _Server(config, ready, [one.bell for one in made])


class _Server(uvicorn.Server):
    """Says when it is ready, and ends the streams of machines before it ends."""

    def __init__(
        self, config: uvicorn.Config, ready: Callable[[], None], bells: list[Notifier]
    ) -> None:
        super().__init__(config)
        self._ready, self._bells = ready, bells

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets=sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: machines come again, and need not be waited for."""
        for bell in self._bells:
            bell.end()
        await super().shutdown(sockets=sockets)
