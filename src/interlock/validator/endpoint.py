"""One question to a model's endpoint over HTTP, and the text of its answer.

Nothing of the environment counts here: no proxy, no other certificates, no log of keys (``SSL_CERT_FILE``, ``SSLKEYLOGFILE``, ``HTTPS_PROXY``), for a
project's settings can set variables of a hook. No redirect is followed. What fails is an ``EndpointError`` in words.
"""

from __future__ import annotations

import http.client
import json
import ssl
import stat
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from interlock.validator.protocols import PROTOCOLS

if TYPE_CHECKING:
    from interlock.model.policy import Reviewing
    from interlock.validator.question import Question

MOST = 256 * 1024
"""Bytes of a reply that are read."""
MOST_KEY = 4096
OK = 200
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class EndpointError(Exception):
    """No answer was to be had; the message says why."""


def ask(how: Reviewing, question: Question) -> str:
    """Return what the model says; raises ``EndpointError``."""
    protocol = PROTOCOLS[how.protocol]
    base = urlsplit(how.url or protocol.base)
    name, before = protocol.key
    headers = {"Content-Type": "application/json", "Connection": "close", **protocol.headers}
    if how.key_file:
        headers[name] = before + _key(how.key_file)
    path = base.path.rstrip("/") + protocol.path.format(model=quote(how.model, safe=""))
    try:
        code, body = _post(base.scheme, base.netloc, path, (json.dumps(protocol.body(how.model, question)), headers), how.seconds)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise EndpointError(f"{base.netloc} could not be asked: {' '.join(str(error).split())[:200] or type(error).__name__}") from error
    if code != OK:
        raise EndpointError(f"{base.netloc} answered with status {code}")
    try:
        return "".join([part for part in protocol.answer(json.loads(body)) if isinstance(part, str)])
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise EndpointError(f"what {base.netloc} answered is not in the form of {how.protocol}") from error


def _post(scheme: str, netloc: str, path: str, sent: tuple[str, dict[str, str]], seconds: int) -> tuple[int, bytes]:
    ends = monotonic() + seconds
    connection = _connection(scheme, netloc, seconds)
    try:
        connection.request("POST", path, sent[0].encode(), sent[1])
        with connection.getresponse() as response:
            body = b""
            while chunk := response.read1(MOST):
                body += chunk
                if len(body) > MOST:
                    raise ValueError(f"the reply is longer than {MOST} bytes")
                if monotonic() > ends:
                    raise TimeoutError(f"no whole answer within {seconds} seconds")
            return response.status, body
    finally:
        connection.close()


def _connection(scheme: str, netloc: str, seconds: int) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(netloc, timeout=seconds, context=_trusting())
    return http.client.HTTPConnection(netloc, timeout=seconds)


def _trusting() -> ssl.SSLContext:
    """Return a context with the certificates that this machine's OpenSSL was built with, whatever the environment says."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    built = ssl.get_default_verify_paths()
    if not Path(built.openssl_cafile).is_file() and not Path(built.openssl_capath).is_dir():
        raise OSError(f"this Python knows no certificates: there is neither {built.openssl_cafile} nor {built.openssl_capath}")
    file = built.openssl_cafile if Path(built.openssl_cafile).is_file() else None
    context.load_verify_locations(file, built.openssl_capath if Path(built.openssl_capath).is_dir() else None)
    return context


def _key(path: str) -> str:
    """Return the key in a file that only its owner may read."""
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode) or mode & _OTHERS:
            raise EndpointError(f"the key's file {path} is open to others: expected a file of yours alone; chmod 600 {path}")
        with Path(path).open("rb") as file:
            text = file.read(MOST_KEY + 1)
    except OSError as error:
        raise EndpointError(f"the key's file {path} cannot be read: {error.strerror}") from error
    key = text.decode("utf-8", "replace").strip()
    if not key or len(text) > MOST_KEY or not key.isascii() or not key.isprintable():
        raise EndpointError(f"the key's file {path} holds no key: expected one line")
    return key
