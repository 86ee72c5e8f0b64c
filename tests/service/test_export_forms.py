"""Each event in each form, as whoever published the form has it."""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import Any

import jsonschema_rs
import pytest
from google.protobuf import json_format  # type: ignore[import-untyped]
from ocsf_json_schema import OcsfJsonSchemaEmbedded, get_ocsf_schema  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from interlock.service.export.encoding import (
    KINDS,
    ExportBatch,
    encode_cef,
    encode_ecs,
    encode_message,
    encode_ocsf,
    encode_otlp,
)
from interlock.service.export.facts import Facts, describe_event, read_origins
from interlock.service.export.mapping import FormError, parse_form
from interlock.service.store.rows import EventRow
from interlock.service.store.sqlite import Database
from interlock.wire.batch import KEPT
from tests.exporting import record, take_in, unframe

OCSF = "1.8.0"
ODD = "a|b\\c=d\ne\u202e\x00 é]"
"""What breaks a form that does not escape it. Halves of surrogate pairs do not come in."""
HOSTILE: tuple[EventRow, ...] = tuple(
    EventRow(9, "c-1", 0, (9, "k", at, kind, ODD, ODD, body), "h" * 64, row)
    for at, kind, body, row in (
        ("never", "decision", "{}", (ODD,) * len(KEPT)),
        ("9999-99-99", "decision", "[]", (None,) * len(KEPT)),
        ("", "outcome", '{"status":[1],"duration_ms":{}}', (ODD, None, -5)),
        ("1969-01-01T00:00:00Z", "outcome", '{"duration_ms":1e300}', None),
        ("x", "approval-granted", '{"by":{"a":1},"at":7,"decision":[2]}', None),
        (ODD, ODD, "no json", None),
    )
)
"""What a machine may say, for it may say anything."""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> list[Facts]:
    """Return what the events of a real record say, and hostile ones."""
    folder = tmp_path_factory.mktemp("forms")
    with closing(Database(str(folder / "service"))) as keeping:
        take_in(keeping, record(folder))
        events = keeping.read(lambda at: at.arrivals(0, 10**6, 500))
        events += HOSTILE
        whose = keeping.read(lambda at: read_origins(at, events))
    return [describe_event(one, whose[one.chain]) for one in events]


def each(encode: Any, known: list[Facts]) -> list[Any]:
    """Return events as a form has them, in JSON, line by line."""
    lines = encode(ExportBatch("n", tuple(known))).decode("ascii").splitlines()
    found = [json.loads(line) for line in lines]
    assert len(found) == len(known)
    return found


def of_verdict(found: list[Any], known: list[Facts], *verdicts: str) -> list[Any]:
    """Return the rendered decisions of verdicts."""
    some = zip(found, known, strict=True)
    return [one for one, facts in some if facts.get("answer") in verdicts]


def test_the_record_has_what_is_looked_for(known: list[Facts]) -> None:
    """Else the tests below show nothing."""
    assert {"allow", "deny"} <= {one.get("answer") for one in known}
    assert {"outcome", "approval-granted", "approval-spent"} <= {one["kind"] for one in known}


def test_ocsf_is_as_its_schema_says(known: list[Facts]) -> None:
    """Every event against the schema that is published, for its class and profiles; what was denied
    is a finding.
    """
    schemas = OcsfJsonSchemaEmbedded(get_ocsf_schema(OCSF))
    names = {6003: "api_activity", 2004: "detection_finding"}
    profiles = ["security_control", "host"]
    valid = {
        uid: jsonschema_rs.validator_for(schemas.get_class_schema(name, profiles))
        for uid, name in names.items()
    }
    found = each(encode_ocsf, known)
    for one in found:
        valid[one["class_uid"]].validate(one)
        assert one["type_uid"] == one["class_uid"] * 100 + one["activity_id"]
    assert {one["class_uid"] for one in of_verdict(found, known, "deny")} == {2004}
    assert {one["class_uid"] for one in of_verdict(found, known, "allow")} == {6003}
    broken = {name: value for name, value in found[0].items() if name != "metadata"}
    assert not valid[found[0]["class_uid"]].is_valid(broken), "the schema demands nothing"


def test_otlp_is_what_the_official_messages_read(known: list[Facts]) -> None:
    """Strictly: a field that they do not know is an error."""
    body = encode_otlp(ExportBatch("n", tuple(known)))
    said = json.loads(body)
    read = json_format.ParseDict(said, ExportLogsServiceRequest())
    records = [
        one for of in read.resource_logs for some in of.scope_logs for one in some.log_records
    ]
    assert len(records) == len(known)
    assert [_attribute(one, "log.record.uid") for one in records] == [one["id"] for one in known]
    assert {17} == {
        one.severity_number
        for one, facts in zip(records, known, strict=True)
        if facts.get("answer") == "deny"
    }
    assert _attribute(read.resource_logs[0].resource, "host.name") == "runner"
    said["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]["unknown"] = 1
    with pytest.raises(json_format.ParseError):
        json_format.ParseDict(said, ExportLogsServiceRequest())


def _attribute(holder: Any, name: str) -> str:
    return next((one.value.string_value for one in holder.attributes if one.key == name), "")


SYSLOG = re.compile(
    r"<(\d{1,3})>1 (-|\S{1,40}) ([!-~]{1,255}) interlock - ([!-~]{1,32}) - (CEF:0\|.*)", re.DOTALL
)


def read_cef(text: str) -> tuple[list[str], dict[str, str]]:
    """Return the header and the extensions of a line of CEF."""
    *header, rest = re.split(r"(?<!\\)(?:\\\\)*\|", text, maxsplit=7)
    parts = re.split(r"(?:^| )([A-Za-z0-9]+)=", rest)
    return header, dict(zip(parts[1::2], parts[2::2], strict=True))


def test_cef_in_syslog_can_be_read_back(known: list[Facts]) -> None:
    """Each message in its frame, with a header of eight fields and extensions in one line."""
    messages = unframe(encode_cef(ExportBatch("n", tuple(known))))
    assert len(messages) == len(known)
    for message, facts in zip(messages, known, strict=True):
        shaped = SYSLOG.fullmatch(message.decode())
        assert shaped is not None, message
        assert "\n" not in shaped[5]
        assert "\r" not in shaped[5]
        header, more = read_cef(shaped[5])
        assert len(header) == 7
        assert 0 <= int(header[6]) <= 10
        assert more["externalId"] == facts["id"]
        assert not [name for name in more if name.endswith("Label") and name[:-5] not in more]
    denied = of_verdict(messages, known, "deny")
    assert all(b"act=deny" in one and one.startswith(b"<108>") for one in denied)


ECS: dict[str, Any] = {
    "@timestamp": str, "message": str, "ecs.version": str, "event.id": str,
    "event.kind": {"event", "alert"}, "event.category": {"process"},
    "event.type": {"info", "allowed", "denied", "end"}, "event.action": str,
    "event.module": str, "event.dataset": str, "event.provider": str, "event.hash": str,
    "event.sequence": int, "event.severity": int, "event.reason": str, "event.duration": int,
    "event.outcome": {"success", "failure", "unknown"}, "observer.vendor": str,
    "observer.product": str, "observer.version": str, "host.id": str, "host.name": str,
    "user.name": str, "process.command_line": str, "process.working_directory": str,
    "rule.id": str, "rule.description": str, "rule.ruleset": str,
}  # fmt: skip
"""Fields of ECS 9.0 that are used, with their types or what they may say; all else is below
``interlock``.
"""


def test_ecs_says_what_its_fields_may_say(known: list[Facts]) -> None:
    """No field of another name but below ``interlock``."""
    for one in each(encode_ecs, known):
        for name, value in _flat(one).items():
            if name.startswith("interlock."):
                continue
            may = ECS[name]
            values = value if isinstance(value, list) else [value]
            assert all(v in may if isinstance(may, set) else isinstance(v, may) for v in values)


def _flat(one: dict[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in one.items():
        inside = isinstance(value, dict)
        found.update(_flat(value, f"{before}{name}.") if inside else {before + name: value})
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_who_approved_stands_in_each(kind: str, known: list[Facts]) -> None:
    """On the yes, and on the call that it let pass; and a call that nobody approved names nobody."""
    approved = [one for one in known if "alice" in str(one.get("approved_by"))]
    assert {one["kind"] for one in approved} == {"approval-granted", "approval-spent", "decision"}
    for one in approved:
        assert b"alice" in KINDS[kind].form(ExportBatch("n", (one,)))
    other = next(one for one in known if one.get("answer") == "deny" and one["session"] == "s0")
    assert b"alice" not in KINDS[kind].form(ExportBatch("n", (other,)))


def test_what_a_web_hook_is_told_of_a_call(known: list[Facts]) -> None:
    """What was asked, what was said, and under which name its record stands."""
    [one] = [facts for facts in known if facts.get("call", "").startswith("rm -rf /")][:1]
    [said] = json.loads(encode_message(ExportBatch("n", (one,))))["data"]["events"]
    assert said["id"] == f"c-1:{said['seq']}"
    assert said["decision"]["verdict"] == "deny"
    assert said["decision"]["call"] == one["call"]
    assert said["machine"] == {"id": "m-1", "name": "runner", "team": "web", "owner": "ada"}


@pytest.mark.parametrize(
    "text", ["a = b", "[every]\na = b | no such way", "[every]\na = {", "[every]\nno row"]
)
def test_a_form_that_cannot_be_read_is_told_by_its_line(text: str) -> None:
    """Not left out."""
    with pytest.raises(FormError, match="line"):
        parse_form(text, "t")


def test_a_later_section_goes_before_an_earlier_one() -> None:
    """And a dash takes a field away."""
    form = parse_form("[every]\na = 1\nb = kind\n[x|y who=me]\na = 2\nb = -", "t")
    assert form.render({"kind": "z", "who": "me"}) == {"a": 1, "b": "z"}
    assert form.render({"kind": "y", "who": "me"}) == {"a": 2}
    assert form.render({"kind": "y"}) == {"a": 1, "b": "y"}
