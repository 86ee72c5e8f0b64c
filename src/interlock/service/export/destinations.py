"""Where the record goes: what may be named, and by whom it was."""

from __future__ import annotations

import re
import ssl
from secrets import token_hex

from interlock.model.record import Record
from interlock.service.addresses import split_url
from interlock.service.export.encoding import KINDS
from interlock.service.export.facts import name_event
from interlock.service.keys import ServiceKeys
from interlock.service.store.protocol import ServiceWriter
from interlock.service.store.rows import Destination
from interlock.store.chain import now

_HEADER = re.compile(r"[A-Za-z0-9-]+: *[!-~][ -~]*")


class DestinationError(Exception):
    """A destination that cannot be one; one sentence says why."""


class DestinationRequest(Record):
    """What a person names. ``header``: a line of HTTP that authorizes; ``authority``: certificates
    in PEM; ``everything``: what came before, too.
    """

    kind: str
    url: str
    header: str = ""
    authority: str = ""
    private: bool = False
    everything: bool = False


def add_destination(
    keeping: ServiceWriter, keys: ServiceKeys, wanted: DestinationRequest, by: str
) -> Destination:
    """Have the record go there from now on; raises ``DestinationError``."""
    host = _check_request(wanted)
    name = f"x-{token_hex(4)}"
    sealed = keys.seal(wanted.header, name) if wanted.header else ""
    made = Destination(
        name, wanted.kind, wanted.url, wanted.private, sealed, wanted.authority, now()
    )
    keeping.add_destination(made, 0 if wanted.everything else keeping.newest_arrival())
    body = {"by": by, "host": host, "kind": wanted.kind, "private": wanted.private}
    keeping.note("export", name, body)
    return made


def _check_request(wanted: DestinationRequest) -> str:
    """Return the host that is meant; raises ``DestinationError``."""
    kind = KINDS.get(wanted.kind)
    if kind is None:
        raise DestinationError(f"{wanted.kind!r} is no kind of export; expected {', '.join(KINDS)}")
    try:
        where = split_url(wanted.url)
    except ValueError as error:
        raise DestinationError(f"{wanted.url!r} is no address: {error}") from error
    best, *others = kind.schemes
    if where.scheme != best and not (wanted.private and where.scheme in others):
        more = f" ({others[0]}:// only with --private)" if others else ""
        raise DestinationError(f"{wanted.url!r} is no {best}:// address{more}")
    if wanted.header and (not kind.content or not _HEADER.fullmatch(wanted.header)):
        what = "NAME: VALUE in one line" if kind.content else "none: syslog has no headers"
        raise DestinationError(f"the header is not one of HTTP; expected {what}")
    try:
        ssl.create_default_context(cadata=wanted.authority or None)
    except (ssl.SSLError, ValueError) as error:
        raise DestinationError(f"the authority is no certificate in PEM: {error}") from error
    return str(where.hostname)


def forget_destination(keeping: ServiceWriter, name: str, by: str) -> None:
    """Have nothing go there any more; raises ``DestinationError``."""
    if not keeping.end_destination(name, now()):
        raise DestinationError(f"there is no export {name!r}; `interlock export` lists them")
    keeping.note("export-ended", name, {"by": by})


def skip_event(keeping: ServiceWriter, name: str, by: str) -> str:
    """Have the event that a destination refuses never go there; return its name. Raises
    ``DestinationError``.
    """
    passed = keeping.pass_over(name, now())
    if passed is None:
        raise DestinationError(
            f"{name!r} refuses nothing; `interlock export` lists what does not go on"
        )
    event = name_event(passed)
    keeping.note("export-skipped", name, {"by": by, "event": event})
    return event
