"""Batches of events as bytes, each as its form has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any

from interlock.model.jsontext import dumps
from interlock.model.record import Record
from interlock.model.release import __version__
from interlock.service.export.facts import Facts
from interlock.service.export.mapping import nest, read_form

FACILITY = 13
"""Syslog's number for a record of what was done (log audit)."""
MOST_HOST, MOST_MSGID = 255, 32
JSON, NDJSON = "application/json", "application/x-ndjson"


class ExportBatch(Record):
    """What is sent at once. ``name``: the same each time that it is sent."""

    name: str
    events: tuple[Facts, ...]


def encode_message(batch: ExportBatch) -> bytes:
    """Return a message of a web hook."""
    form = read_form("webhook")
    events = [nest(form.render(one)) for one in batch.events]
    said = {"type": "record.events", "timestamp": events[-1]["at"], "data": {"events": events}}
    return dumps(said).encode()


def encode_ocsf(batch: ExportBatch) -> bytes:
    """Return events of OCSF, a line each."""
    return _encode_lines("ocsf", batch)


def encode_ecs(batch: ExportBatch) -> bytes:
    """Return events of the Elastic Common Schema, a line each."""
    return _encode_lines("ecs", batch)


def _encode_lines(name: str, batch: ExportBatch) -> bytes:
    form = read_form(name)
    lines = [dumps(nest(form.render(one))) + "\n" for one in batch.events]
    return "".join(lines).encode()


# -- OTLP ------------------------------------------------------------------------------------------

_RESOURCE = "resource."
_SCOPE = {"name": "interlock", "version": __version__}


def encode_otlp(batch: ExportBatch) -> bytes:
    """Return an ``ExportLogsServiceRequest`` in JSON."""
    form = read_form("otlp")
    fields = [form.render(one) for one in batch.events]
    found = []
    for _, some in groupby(fields, _machine):
        mine = [*some]
        resource = {
            name.removeprefix(_RESOURCE): value
            for name, value in mine[0].items()
            if name.startswith(_RESOURCE)
        }
        records = [_log_record(one) for one in mine]
        scoped = [{"scope": _SCOPE, "logRecords": records}]
        found.append({"resource": {"attributes": _attributes(resource)}, "scopeLogs": scoped})
    return dumps({"resourceLogs": found}).encode()


def _machine(fields: Mapping[str, Any]) -> Any:
    return fields.get("resource.host.id", "")


def _log_record(fields: Mapping[str, Any]) -> dict[str, Any]:
    found = {name[1:]: value for name, value in fields.items() if name[0] == "@"}
    found["body"] = _any_value(found["body"])
    others = {
        name: value
        for name, value in fields.items()
        if name[0] != "@" and not name.startswith(_RESOURCE)
    }
    return {**found, "attributes": _attributes(others)}


def _attributes(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _any_value(value)} for name, value in fields.items()]


def _any_value(value: Any) -> dict[str, Any]:
    if isinstance(value, int) and not isinstance(value, bool):
        return {"intValue": str(value)}
    return {"stringValue": str(value)}


# -- CEF over syslog -------------------------------------------------------------------------------

_IN_HEADER = str.maketrans({"\\": "\\\\", "|": "\\|", "\n": " ", "\r": " "})
_IN_VALUE = str.maketrans({"\\": "\\\\", "=": "\\=", "\n": "\\n", "\r": "\\r"})


def encode_cef(batch: ExportBatch) -> bytes:
    """Return messages of syslog (RFC 5424) with CEF in them, each behind its length (RFC 5425)."""
    form = read_form("cef")
    messages = [_message(form.render(one)) for one in batch.events]
    return b"".join([b"%d %b" % (len(one), one) for one in messages])


def _message(fields: Mapping[str, Any]) -> bytes:
    head = f"<{FACILITY * 8 + int(fields['@syslog'])}>1 {_word(fields.get('@at'), MOST_MSGID)}"
    host = _word(fields.get("@host"), MOST_HOST)
    return f"{head} {host} interlock - {_word(fields.get('@class'), MOST_MSGID)} - ".encode() + (
        _cef(fields).encode("utf-8", "replace")
    )


def _word(text: Any, most: int) -> str:
    """Return a text as a field of syslog's header can hold it."""
    return "".join([one if "!" <= one <= "~" else "_" for one in str(text or "-")])[:most]


def _cef(fields: Mapping[str, Any]) -> str:
    head = ["CEF:0", "interlock", "interlock", __version__]
    named = [fields.get(name, "") or "record" for name in ("@class", "@name", "@severity")]
    head += [str(one).translate(_IN_HEADER) for one in named]
    said = [
        f"{name}={str(value).translate(_IN_VALUE)}"
        for name, value in fields.items()
        if name[0] != "@" and not (name.endswith("Label") and name[:-5] not in fields)
    ]
    return "|".join([*head, " ".join(said)])


class ExportKind(Record):
    """A kind of destination. ``schemes``: of its addresses, the first where nobody reads along;
    ``form``: how events are said there; ``content``: what HTTP calls that; ``signed``: as Standard
    Webhooks has it.
    """

    name: str
    schemes: Sequence[str]
    form: Callable[[ExportBatch], bytes]
    content: str = ""
    signed: bool = False


HTTP, SYSLOG = ("https", "http"), ("tls",)
KINDS = {
    one.name: one
    for one in (
        ExportKind("webhook", HTTP, encode_message, JSON, signed=True),
        ExportKind("otlp", HTTP, encode_otlp, JSON),
        ExportKind("ocsf", HTTP, encode_ocsf, NDJSON),
        ExportKind("ecs", HTTP, encode_ecs, NDJSON),
        ExportKind("cef", SYSLOG, encode_cef),
    )
}
"""All kinds, by name."""
