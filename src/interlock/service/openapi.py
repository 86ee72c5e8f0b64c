"""The routes for programs as OpenAPI 3.1, out of the table that they are served by."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from interlock.model.release import __version__
from interlock.service import shapes
from interlock.service.answers import PROBLEM
from interlock.service.json_shape import TEXT
from interlock.service.roles import ANYONE, MACHINE
from interlock.service.routing import Row, is_api

JSON, EVENTS = "application/json", "text/event-stream"
SECURITY: dict[str, dict[str, str]] = {
    "machine": {
        "type": "http", "scheme": "bearer", "description": "a machine's (/v1/enrol)",
    },
    "token": {
        "type": "http", "scheme": "bearer", "description": "a program's (page Programs)",
    },
}  # fmt: skip


def document(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the description of those rows that are for programs."""
    paths: dict[str, dict[str, Any]] = {}
    for row in rows:
        if is_api(row.path):
            paths.setdefault(row.path, {})[row.method.lower()] = operation(row)
    return {
        "openapi": "3.1.0",
        "info": {"title": "interlock serve", "version": __version__},
        "paths": paths,
        "components": {"securitySchemes": SECURITY},
    }


def operation(row: Row) -> dict[str, Any]:
    """Return what one row takes and gives."""
    found: dict[str, Any] = {
        "operationId": f"{row.method.lower()} {row.path.removeprefix('/v1/')}",
        "summary": (row.answer.__doc__ or "").partition("\n\n")[0].rstrip("."),
        "description": f"It takes the permission to {row.permission.said}.",
        "parameters": _parameters(row),
        "responses": _responses(row),
        "security": _security(row),
    }
    if row.method != "GET":
        body = row.body if row.body is not None else {}
        content = {row.takes: {"schema": body}}
        found["requestBody"] = {"content": content, "required": row.body is not None}
    return found


def _parameters(row: Row) -> list[dict[str, Any]]:
    names = [("path", name, shapes.WORD, True) for name in re.findall(r"{(\w+)}", row.path)]
    query = [("query", name, shape, False) for name, shape in row.query.items()]
    headers = [("header", name, shape, True) for name, shape in row.headers.items()]
    return [
        {"in": where, "name": name, "schema": shape, "required": needed}
        for where, name, shape, needed in (*names, *query, *headers)
    ]


def _responses(row: Row) -> dict[str, Any]:
    kind = EVENTS if row.gives is None else row.says
    given = {kind: {"schema": row.gives if row.gives is not None else TEXT}}
    wrong = {"description": "what is wrong", "content": {PROBLEM: {"schema": shapes.PROBLEM}}}
    return {
        str(row.status): {"description": "done", "content": given},
        "4XX": wrong,
        "503": {**wrong, "description": "its database cannot be used now"},
        "507": {**wrong, "description": "its disk is full"},
    }


def _security(row: Row) -> list[dict[str, list[str]]]:
    who = row.permission.who
    if who == ANYONE:
        return []
    return [{"machine" if who == MACHINE else "token": []}]
