"""What of this store is kept elsewhere, too: which service it is sent to, and how far that has
acknowledged it. Two files beside the database, for their owner only.

==================  ==========================================================================
``enrolled.json``   the service, this machine's name there and its credential; written once
``shipped.json``    how far the service has acknowledged, and since when it did not
==================  ==========================================================================

They are files and no tables so that shipping takes no turn at the database that hooks write, and so
that a damaged database loses neither.
"""

from __future__ import annotations

import os
from typing import Any, TypeVar

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.record import Record
from interlock.store.chain import GENESIS
from interlock.store.place import StoreError, prepare

ENROLLED, SHIPPED = "enrolled.json", "shipped.json"
R = TypeVar("R", bound=Record)


class EnrolmentState(Record):
    """Where this store's record goes. ``chain``: the store's name there; ``pin``: SHA-256 of the
    service's certificate, empty for one that the system vouches for; ``service_key``: its public
    key (Ed25519, hex); ``at``: UTC.
    """

    url: str
    pin: str
    machine: str
    credential: str
    chain: str
    service_key: str
    at: str


class ShippingState(Record):
    """How far it went. ``seq`` and ``hash``: the last event that the service acknowledged, ``at``
    when, ``receipt`` its signature under that.

    ``failing``: since when (UTC) it could not be sent, and ``why``; ``told``: what the service says
    is wrong with the record itself.
    """

    seq: int = 0
    hash: str = GENESIS
    at: str = ""
    receipt: str = ""
    failing: str = ""
    why: str = ""
    told: str = ""


def load_enrolment(folder: str) -> EnrolmentState | None:
    """Return where this store's record goes, None where it stays; raises ``StoreError``."""
    return _read(f"{folder}/{ENROLLED}", EnrolmentState)


def load_progress(folder: str) -> ShippingState:
    """Return how far it went; raises ``StoreError``."""
    return _read(f"{folder}/{SHIPPED}", ShippingState) or ShippingState()


def keep(folder: str, what: EnrolmentState | ShippingState) -> None:
    """Write one of both, whole or not at all; raises ``StoreError``."""
    path = f"{folder}/{ENROLLED if isinstance(what, EnrolmentState) else SHIPPED}"
    said = {name: getattr(what, name) for name in type(what).fields}
    prepare(folder)
    try:
        descriptor = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(dumps(said) + "\n")
            file.flush()
            if isinstance(what, EnrolmentState):
                os.fsync(descriptor)
        os.replace(f"{path}.new", path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def forget(folder: str) -> None:
    """Have the record stay here from now on; raises ``StoreError``."""
    for name in (ENROLLED, SHIPPED):
        try:
            os.unlink(f"{folder}/{name}")
        except FileNotFoundError:
            continue
        except OSError as error:
            raise StoreError(f"{folder}/{name} cannot be removed: {error.strerror}") from error


def _read(path: str, kind: type[R]) -> R | None:
    try:
        with open(path, encoding="utf-8") as file:
            said: Any = loads(file.read())
        found = kind(**{name: said[name] for name in kind.fields})
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from error
    except (JsonError, KeyError, TypeError, UnicodeDecodeError) as error:
        raise StoreError(
            f"{path} is not as it was written: move it away and enrol this machine anew"
        ) from error
    return found
