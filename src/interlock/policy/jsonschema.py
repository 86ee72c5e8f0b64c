"""The JSON Schema of policy files, for editors: made of the rows of the schema, so that it cannot
say anything else.
"""

from __future__ import annotations

from typing import Any

from interlock.policy.schema import ADR, LIST, MAP, POLICY, SOME, TABLES, SchemaKey, SchemaTable
from interlock.policy.value_kinds import WORDS

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema() -> dict[str, Any]:
    """Return the schema (JSON Schema 2020-12): version 1, or the older shape."""
    return {
        "$schema": DRAFT,
        "title": "interlock policy",
        "oneOf": [_reference(POLICY.name), _reference(ADR.name)],
        "$defs": {_name(table.name): _table(table) for table in TABLES.values()},
    }


def _name(table: str) -> str:
    return table.replace(" ", "-")


def _reference(table: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{_name(table)}"}


def _table(table: SchemaTable) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "object",
        "description": table.meaning,
        "properties": {key.name: _key(key, table) for key in table.keys},
        "additionalProperties": False,
    }
    needed = [key.name for key in table.keys if key.needed]
    found.update({"required": needed} if needed else {})
    found.update({"anyOf": [{"required": [name]} for name in table.some]} if table.some else {})
    return found


def _key(key: SchemaKey, table: SchemaTable) -> dict[str, Any]:
    described = {
        "description": f"{key.meaning}{f' Default: {key.default}.' if key.default else ''}"
    }
    if key.of == "version":
        return {**described, "enum": [1] if table is POLICY else ["1.0"]}
    one = _one(key.of)
    several: dict[str, Any] = {"type": "array", "items": one, "minItems": 1}
    if key.many == LIST:
        return {**described, **several}
    if key.many == SOME:
        return {**described, "anyOf": [one, several]}
    if key.many == MAP:
        value = {"anyOf": [one, several]} if key.of in WORDS else one
        return {**described, "type": "object", "additionalProperties": value, "minProperties": 1}
    return {**described, **one}


def _one(of: str) -> dict[str, Any]:
    if of in TABLES:
        return _reference(of)
    if of == "example":
        return {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "required": ["tool"],
                    "additionalProperties": {"type": "string"},
                },
            ]
        }
    if of == "confirmation":
        return {"enum": [True, False, "always"]}
    return dict(WORDS[of].schema)
