"""Fields of a JSON file that a command sets: ``npm pkg set scripts.x=..``, ``jq '.scripts.x =
".."'``. What it holds then is known text where it was before, so that a script which is put there
is read when it is run.
"""

from __future__ import annotations

from typing import Any

from interlock.effects import touched_files
from interlock.effects.programs.projects import text_of
from interlock.effects.run import Run
from interlock.model.effect import Reads, Writes
from interlock.model.jsontext import JsonError, dumps, loads
from interlock.shell.value import UNREAD, Flow, Value

MAX_FIELDS = 64
_VALUES = ("--arg", "--argjson")
"""Options of jq that give a variable a text, or a value."""


def package_fields(run: Run, words: list[Value], traits: tuple[str, ...]) -> Flow:
    """``npm pkg set KEY=VALUE ..``, ``npm pkg delete KEY ..``."""
    folder = run.parsed.value("--prefix", "-C", "--dir", "--cwd")
    name = f"{folder.text}/package.json" if folder is not None else "package.json"
    before = _parse(text_of(run, name))
    data = before if isinstance(before, dict) else {}
    effect = run.path(Writes, Value(name), "in-place")
    for word in run.context.limit(words, MAX_FIELDS, "fields"):
        key, equals, text = word.text.partition("=")
        value = _parse(text) if run.has("--json") else text
        keys = [part for part in key.replace("[", ".").replace("]", "").split(".") if part]
        if keys and (equals or "delete" in traits):
            _put(data, keys, value, delete="delete" in traits)
    run.reader.written[effect.target] = Flow(dumps(data) + "\n", frozenset())
    return UNREAD


def _jq(run: Run) -> Flow:
    """Print what jq makes of its input: known text where the filter only sets fields."""
    variables, taken = _variables(run)
    words = [value for value in run.operands if not any(value is one for one in taken)]
    if taken:
        for value in words[1:]:
            run.path(Reads, value)
    else:
        run.roles()
    made = _apply_filter(run, words, variables) if words and "=" in words[0].text else None
    return Flow(made, run.input_labels())


def _variables(run: Run) -> tuple[dict[str, Any], list[Value]]:
    """Return the variables that jq is given, and the words that say so."""
    found: dict[str, Any] = {}
    taken: list[Value] = []
    for at, value in enumerate(run.arguments[:-2]):
        if value.text in _VALUES and not any(value is one for one in taken):
            name, given = run.arguments[at + 1 : at + 3]
            found[f"${name.text}"] = given.text if value.text == "--arg" else _parse(given.text)
            taken += [name, given]
    return found, taken


def _apply_filter(run: Run, words: list[Value], variables: dict[str, Any]) -> str | None:
    """Return the text after a filter that only sets fields; None for any other."""
    flow = run.contents(words[1]) if len(words) > 1 else run.stdin
    fields = _assignments(words[0].text, variables)
    if flow is None or fields is None or len(words) > 2:
        return None
    data = _parse(touched_files.find_text(run.context, flow))
    if not isinstance(data, dict):
        return None
    for keys, value in fields:
        _put(data, keys, value)
    return dumps(data) + "\n"


def _assignments(text: str, variables: dict[str, Any]) -> list[tuple[list[str], Any]] | None:
    """Read ``.a.b = "c" | .["d"] = $e``; None for a filter that is not made of these alone."""
    found: list[tuple[list[str], Any]] = []
    rest = text.strip()
    while rest and len(found) < MAX_FIELDS:
        keys, rest = _path(rest)
        if not keys or rest[:1] != "=" or rest[:2] == "==":
            return None
        rest = rest[1:].lstrip()
        end = _end(rest) if rest[:1] == '"' else (rest + "|").index("|")
        literal, rest = rest[:end].strip(), rest[end:].lstrip()
        if "\\(" in literal or rest[:1] not in ("", "|"):
            return None
        value = variables[literal] if literal in variables else _parse(literal)
        if value is None and literal != "null":
            return None
        found.append((keys, value))
        rest = rest[1:].lstrip()
    return found if not rest else None


def _path(text: str) -> tuple[list[str], str]:
    """Return the keys that a filter begins with, and what stands behind them."""
    keys: list[str] = []
    while text[:1] == "." or (keys and text[:1] == "["):
        text = text.removeprefix(".")
        bracket = text[:1] == "["
        text = text[bracket:]
        end = (
            _end(text)
            if text[:1] == '"'
            else next((at for at, char in enumerate(text) if not _plain(char)), len(text))
        )
        key = text[:end].strip('"')
        if not key or (bracket and text[end : end + 1] != "]"):
            return [], text
        keys.append(key)
        text = text[end + bracket :]
    return keys, text.lstrip()


def _plain(char: str) -> bool:
    return char.isalnum() or char == "_"


def _end(text: str) -> int:
    """Return where the string ends that a text begins with."""
    at = 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return min(at + 1, len(text))


def _put(data: dict[str, Any], keys: list[str], value: object, *, delete: bool = False) -> None:
    """Set a field, or take it away."""
    for key in keys[:-1]:
        inner = data.get(key)
        if not isinstance(inner, dict):
            inner = data[key] = {}
        data = inner
    if delete:
        data.pop(keys[-1], None)
    else:
        data[keys[-1]] = value


def _parse(text: str | None) -> Any:
    """Return what a text of JSON says; None where it is none."""
    try:
        return loads(text) if text is not None else None
    except JsonError:
        return None
