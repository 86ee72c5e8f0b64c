"""One question to a model's endpoint over HTTP, the text of its answer, and what that took.

Nothing of the environment counts here: no proxy, no other certificates, no log of keys
(``SSL_CERT_FILE``, ``SSLKEYLOGFILE``, ``HTTPS_PROXY``), for a project's settings can set variables
of a hook. No redirect is followed. What fails is an ``EndpointError`` in words.
"""

from __future__ import annotations

import http.client
import json
import ssl
import stat
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from socket import SHUT_RDWR
from threading import Thread
from urllib.parse import quote, urlsplit

from interlock.model.policy import Reviewing
from interlock.model.record import Record
from interlock.model.usage import Usage
from interlock.validator.protocols import PROTOCOLS, usage
from interlock.validator.question import ReviewQuestion

MOST = 256 * 1024
"""Bytes of a reply that are read."""
MOST_KEY = 4096
OK = 200
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class EndpointError(Exception):
    """No answer was to be had; the message says why."""


class ModelReply(Record):
    """What a model said, and the tokens that it took; ``counted``: by the endpoint itself, else
    guessed from the length.
    """

    text: str
    usage: Usage
    counted: bool = True


def ask(how: Reviewing, question: ReviewQuestion, key: str = "", seconds: float = 0) -> ModelReply:
    """Return what the model says; raises ``EndpointError``.

    ``key`` goes before the policy's file of a key. ``seconds``: how long all of it may take, from
    looking the name up to the last byte; 0: what the policy says.
    """
    protocol = PROTOCOLS[how.protocol]
    base = urlsplit(how.url or protocol.base)
    name, before = protocol.key
    headers = {"Content-Type": "application/json", "Connection": "close", **protocol.headers}
    if key or how.key_file:
        headers[name] = before + (key or _key(how.key_file))
    path = base.path.rstrip("/") + protocol.path.format(model=quote(how.model, safe=""))
    text, wait = json.dumps(protocol.body(how.model, question)), seconds or how.seconds
    try:
        connection = _connection(base.scheme, base.netloc, wait)
        code, body = _within(wait, connection, lambda: _post(connection, path, text, headers))
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise EndpointError(
            f"{base.netloc} could not be asked:"
            f" {' '.join(str(error).split())[:200] or type(error).__name__}"
        ) from error
    if code != OK:
        raise EndpointError(f"{base.netloc} answered with status {code}")
    try:
        reply = json.loads(body)
        said = "".join([part for part in protocol.answer(reply) if isinstance(part, str)])
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise EndpointError(
            f"what {base.netloc} answered is not in the form of {how.protocol}"
        ) from error
    found = usage(protocol, how.model, reply)
    return ModelReply(
        said, found or Usage(how.model, tokens(text), tokens(said)), found is not None
    )


def tokens(text: str) -> int:
    """Return about how many tokens a text is, rather too many than too few for English and code."""
    return len(text) // 3 + 1


def _within(
    seconds: float, connection: http.client.HTTPConnection, work: Callable[[], tuple[int, bytes]]
) -> tuple[int, bytes]:
    """Return what some work on a connection returns; raises ``TimeoutError`` when it takes longer,
    and what the work raises.

    A time-out of a socket counts from byte to byte, and looking up a name has none at all: an
    endpoint that answers one byte at a time would keep an agent waiting for ever.
    """
    done: SimpleQueue[tuple[int, bytes] | Exception] = SimpleQueue()

    def run() -> None:
        try:
            done.put(work())
        except Exception as error:  # noqa: BLE001 - it is raised by who waits
            done.put(error)

    Thread(target=run, daemon=True).start()
    try:
        found = done.get(timeout=seconds)
    except Empty:
        late = TimeoutError(f"no whole answer within {seconds:g} seconds")
        try:
            if connection.sock is not None:
                connection.sock.shutdown(SHUT_RDWR)  # so that the thread ends
        except OSError as error:
            raise late from error
        raise late from None
    if isinstance(found, Exception):
        raise found
    return found


def _post(
    connection: http.client.HTTPConnection, path: str, text: str, headers: dict[str, str]
) -> tuple[int, bytes]:
    try:
        connection.request("POST", path, text.encode(), headers)
        with connection.getresponse() as response:
            body = response.read(MOST + 1)
            if len(body) > MOST:
                raise ValueError(f"the reply is longer than {MOST} bytes")
            return response.status, body
    finally:
        connection.close()


def _connection(scheme: str, netloc: str, seconds: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(netloc, timeout=seconds, context=_trusting())
    return http.client.HTTPConnection(netloc, timeout=seconds)


def _trusting() -> ssl.SSLContext:
    """Return a context with the certificates that this machine's OpenSSL was built with, whatever
    the environment says.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    built = ssl.get_default_verify_paths()
    if not Path(built.openssl_cafile).is_file() and not Path(built.openssl_capath).is_dir():
        raise OSError(
            f"this Python knows no certificates: there is neither {built.openssl_cafile} nor"
            f" {built.openssl_capath}"
        )
    file = built.openssl_cafile if Path(built.openssl_cafile).is_file() else None
    context.load_verify_locations(
        file, built.openssl_capath if Path(built.openssl_capath).is_dir() else None
    )
    return context


def _key(path: str) -> str:
    """Return the key in a file that only its owner may read."""
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode) or mode & _OTHERS:
            raise EndpointError(
                f"the key's file {path} is open to others: expected a file of yours alone; chmod"
                f" 600 {path}"
            )
        with Path(path).open("rb") as file:
            text = file.read(MOST_KEY + 1)
    except OSError as error:
        raise EndpointError(f"the key's file {path} cannot be read: {error.strerror}") from error
    key = text.decode("utf-8", "replace").strip()
    if not key or len(text) > MOST_KEY or not key.isascii() or not key.isprintable():
        raise EndpointError(f"the key's file {path} holds no key: expected one line")
    return key
