"""Enrolment of this machine: a token becomes a credential, which is kept for this user alone."""

from __future__ import annotations

import platform
import socket

from interlock.model.release import __version__
from interlock.sidecar.client import SidecarClient, UnreachableError
from interlock.store.chain import now
from interlock.store.elsewhere import (
    EnrolmentState,
    ShippingState,
    forget,
    keep,
    load_enrolment,
    load_progress,
)
from interlock.store.protocol import Storage
from interlock.wire.token import EnrolmentToken

_FIRST = "SELECT min(seq) FROM audit_event"


class EnrolmentError(Exception):
    """The service would not; its own sentence says why."""


def enrol(store: Storage, token: EnrolmentToken, name: str = "") -> EnrolmentState:
    """Enrol this user's store; raises ``EnrolmentError``, ``UnreachableError``, ``StoreError``."""
    first = int(store.query(_FIRST)[0][0] or 1)
    client = SidecarClient(token.url, token.pin)
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
        raise EnrolmentError(str(answer.said.get("title") or f"it answered {answer.status}"))
    given = answer.said
    words = [_word(given.get(name)) for name in ("machine", "credential", "chain", "service_key")]
    if not all(words):
        raise EnrolmentError("its answer lacks what a machine needs; is it interlock serve?")
    machine, credential, chain, key = words
    found = EnrolmentState(token.url, token.pin, machine, credential, chain, key, now())
    keep(store.folder, ShippingState(seq=first - 1))
    keep(store.folder, found)
    return found


def _word(given: object) -> str:
    """Return what may stand in a header, empty where it is no such text."""
    return given if isinstance(given, str) and given.isascii() and given.isprintable() else ""


def build_enrolled(
    token: EnrolmentToken, machine: str, credential: str, chain: str, key: str
) -> EnrolmentState:
    """Return where a store's record goes that was enrolled without asking over the network."""
    return EnrolmentState(token.url, token.pin, machine, credential, chain, key, now())


def leave(store: Storage, here: EnrolmentState) -> str:
    """Have the record stay here from now on, and tell the service; return why that did not take
    note, empty where it did. Raises ``StoreError``.
    """
    client = SidecarClient(here.url, here.pin, here.credential)
    try:
        status = client.tell("/v1/retire", {}).status
    except UnreachableError as error:
        return str(error)
    else:
        return "" if status == 200 else f"{here.url} answered {status}"
    finally:
        client.close()
        forget(store.folder)


def where(folder: str) -> EnrolmentState | None:
    """Return where this user's record goes, None where it stays; raises ``StoreError``."""
    return load_enrolment(folder)


def state(folder: str) -> ShippingState:
    """Return how far the record was acknowledged; raises ``StoreError``."""
    return load_progress(folder)
