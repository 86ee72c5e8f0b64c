"""Enrolment of this machine: a token becomes a credential, which is kept for this user alone."""

from __future__ import annotations

import platform
import socket

from interlock.model.release import __version__
from interlock.sidecar.client import Client, UnreachableError
from interlock.store.chain import now
from interlock.store.elsewhere import Enrolled, Shipped, enrolled, forget, keep, shipped
from interlock.store.protocol import Storage
from interlock.wire.token import Token

_FIRST = "SELECT min(seq) FROM audit_event"


class RefusedError(Exception):
    """The service would not; its own sentence says why."""


def enrol(store: Storage, token: Token, name: str = "") -> Enrolled:
    """Enrol this user's store; raises ``RefusedError``, ``UnreachableError`` or ``StoreError``."""
    first = int(store.query(_FIRST)[0][0] or 1)
    client = Client(token.url, token.pin)
    try:
        said = {
            "secret": token.secret,
            "name": name or socket.gethostname(),
            "platform": platform.system().lower(),
            "version": __version__,
            "first": first,
        }
        answer = client.tell("/v1/enrol", said)
    finally:
        client.close()
    if answer.status != 201:
        raise RefusedError(str(answer.said.get("title") or f"it answered {answer.status}"))
    given = answer.said
    words = [_word(given.get(name)) for name in ("machine", "credential", "chain", "service_key")]
    if not all(words):
        raise RefusedError("its answer lacks what a machine needs; is it interlock serve?")
    machine, credential, chain, key = words
    found = Enrolled(token.url, token.pin, machine, credential, chain, key, now())
    keep(store.folder, Shipped(seq=first - 1))
    keep(store.folder, found)
    return found


def _word(given: object) -> str:
    """Return what may stand in a header, empty where it is no such text."""
    return given if isinstance(given, str) and given.isascii() and given.isprintable() else ""


def placed(token: Token, machine: str, credential: str, chain: str, key: str) -> Enrolled:
    """Return where a store's record goes that was enrolled without asking over the network."""
    return Enrolled(token.url, token.pin, machine, credential, chain, key, now())


def leave(store: Storage, here: Enrolled) -> str:
    """Have the record stay here from now on, and tell the service; return why that did not take
    note, empty where it did. Raises ``StoreError``.
    """
    client = Client(here.url, here.pin, here.credential)
    try:
        status = client.tell("/v1/retire", {}).status
    except UnreachableError as error:
        return str(error)
    else:
        return "" if status == 200 else f"{here.url} answered {status}"
    finally:
        client.close()
        forget(store.folder)


def where(folder: str) -> Enrolled | None:
    """Return where this user's record goes, None where it stays; raises ``StoreError``."""
    return enrolled(folder)


def state(folder: str) -> Shipped:
    """Return how far the record was acknowledged; raises ``StoreError``."""
    return shipped(folder)
