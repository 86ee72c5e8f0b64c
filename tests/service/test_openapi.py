"""Whatever is sent to whatever route: made up by schemathesis, out of the OpenAPI of the service
and of the forms of its pages, the same each time.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from interlock.service.answers import PROBLEM
from interlock.service.console import stream as live
from interlock.service.console.templating import FOLDER
from interlock.service.machines import stream as down
from interlock.service.openapi import JSON, document
from interlock.service.people import tokens
from interlock.service.roles import CALLER, MACHINE, OPERATOR, PERSON
from interlock.service.routes import PROGRAMS, ROWS
from interlock.service.routing import Row
from tests.furnished import ALL, Furnished, waiting
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.approving import Desk

EXAMPLES = 4
POSITIVE, NEGATIVE = GenerationMode.POSITIVE, GenerationMode.NEGATIVE
ENDLESS = (live.stream, down.stream)
"""Streams are not read here: they have no end."""
ENDS = "/v1/retire"
FORM, TEXT = "application/x-www-form-urlencoded", {"type": "string"}
QUERY = ("q", "at", "name", "id", "to", "code", "state", "whom", "session", "done", "used")
"""What pages take in their addresses."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path_factory.mktemp("service")) as found:
        found.person("maker", *ALL)
        yield found


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> tuple[Desk, str]:
    """Return a machine's store, and a call that waits there."""
    return waiting(tmp_path_factory.mktemp("home"))


def headers(service: Served, place: Furnished, row: Row) -> dict[str, str]:
    """Return those of somebody who may; of people another visit each time, for some routes end
    it.
    """
    if row.permission.who == MACHINE:
        return {"Authorization": f"Bearer {place.credential}"}
    if row.permission.who != PERSON:
        return {"Origin": service.url}
    if row not in PROGRAMS:
        return {**service.person("maker", *ALL), "Accept": "text/html"}
    made = service.scene
    role = next(one for one in (OPERATOR, CALLER) if one in row.permission.roles)
    token = made.keeping.write(
        lambda steps: tokens.make(steps, made.keys, role, "made up", "1", "maker")
    )
    return {"Authorization": f"Bearer {token}"}


def form() -> dict[str, Any]:
    """Return the shape of a form: the fields that pages have, with their values or any text."""
    text = "".join(one.read_text("utf-8") for one in Path(FOLDER, "templates").iterdir())
    names = set(re.findall(r'name="(\w+)"', text)) - {"proof"}
    values = {"enum": sorted(set(re.findall(r'value="(\w+)"', text)))}
    fields = {name: {"anyOf": [values, TEXT]} for name in sorted(names)}
    return {"type": "object", "properties": fields}


def page(row: Row) -> dict[str, Any]:
    """Return the OpenAPI of a page."""
    answers: dict[str, Any] = {"303": {"description": "on to another page"}}
    for status, *kinds in (("200", "text/css", "application/zip"), ("4XX",)):
        answers[status] = {
            "description": "a page",
            "content": {kind: {} for kind in ("text/html", PROBLEM, *kinds)},
        }
    found: dict[str, Any] = {
        "responses": answers,
        "parameters": [
            {"in": "path", "name": name, "required": True, "schema": TEXT}
            for name in re.findall(r"{(\w+)}", row.path)
        ],
    }
    if row.method == "GET":
        found["parameters"] += [{"in": "query", "name": name, "schema": TEXT} for name in QUERY]
    else:
        found["requestBody"] = {"content": {FORM: {"schema": form()}}}
    return {**document([]), "paths": {row.path: {row.method.lower(): found}}}


READ = [row for row in ROWS if row.answer not in ENDLESS]
SHAPED = [row for row in PROGRAMS if row.body is not None and row.takes == JSON]
MODES = [*[(row, POSITIVE) for row in READ], *[(row, NEGATIVE) for row in SHAPED]]
CHECKS: list[Any] = [
    status_code_conformance, content_type_conformance, response_schema_conformance,
]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "mode"), MODES, ids=lambda one: getattr(one, "value", "") or f"{one.method} {one.path}"
)
def test_whatever_is_sent_is_answered_as_described(
    service: Served, asking: tuple[Desk, str], row: Row, mode: GenerationMode
) -> None:
    """With a status, a kind and a shape that stand in the description, for names that lead
    somewhere and for others; never as a bug. What has the shape is read, what has not is refused.
    """
    place = Furnished(service, *asking)
    schema = schemathesis.openapi.from_dict(document([row]) if row in PROGRAMS else page(row))
    cases = schema[row.path][row.method].as_strategy(generation_mode=mode)
    checks = [*CHECKS, negative_data_rejection] if mode == NEGATIVE else CHECKS
    unread = {401, *((400, 422) if mode == POSITIVE and row in SHAPED else ())}
    if row.path == ENDS:
        unread.clear()  # its second example comes from nobody

    @settings(
        max_examples=EXAMPLES, derandomize=True, database=None, deadline=None,
        phases=[Phase.generate], suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=cases, known=st.booleans())
    def check(case: Any, known: bool) -> None:
        if known:
            case.path_parameters = place.names(row)
            if mode == POSITIVE and isinstance(case.body, dict) and "chain" in case.body:
                case.body["chain"] = place.known["chain"]
        case.headers = {**(case.headers or {}), **headers(service, place, row)}
        answer = case.call(base_url=service.url, allow_redirects=False)
        case.validate_response(answer, checks=checks)
        assert answer.status_code not in unread, answer.text

    check()
