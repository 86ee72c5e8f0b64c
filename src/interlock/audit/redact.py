"""Secrets become ``<kind:mark>``: the mark is a keyed hash, so that the same secret is seen to be
the same and nobody can guess it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from interlock.model.decision import Decision
from interlock.model.effect import Effect, Place, Reading
from interlock.model.radius import Radius
from interlock.model.secrets import Found
from interlock.model.tokenlike import may_hold_token
from interlock.store.place import StoreError

TEXT_LIMIT = 16 * 1024
"""Characters of one text that are kept."""
DEPTH_LIMIT = 20
ITEM_LIMIT = 200
HINTS = (
    "passw", "passphrase", "passcode", "pwd", "secret", "token", "apikey", "api_key", "api-key",
    "accesskey", "access_key", "access-key",
    "accountkey", "privatekey", "private_key", "private-key", "credential", "authorization",
    "-----begin", "bearer", "://", "sshpass", "curl",
)  # fmt: skip
"""A text with none of these, in lower case, and without a word that may be a token, holds no secret
that ``model.secrets`` knows, which is then not even imported.
"""
NAME_HINTS = ("pass", "pwd", "secret", "token", "key", "credential", "authorization")
_WORDS = ("target", "host", "by", "detail", "folder")
_MARGIN = 4096  # read past the limit, so that a secret across it is seen whole


class Redactor:
    """Redacts with one store's key, which is asked for at the first secret. ``names``: in small
    letters, those whose values are secrets too.
    """

    def __init__(self, key: Callable[[], bytes], names: tuple[str, ...] = ()) -> None:
        self._ask = key
        self._key: bytes | None = None
        self._names = names

    def mark(self, kind: str, secret: str) -> str:
        """Return what stands for the secret: ``<kind:mark>``, or ``<kind>`` without a key."""
        digest = self.digest(secret)
        return f"<{kind}:{digest}>" if digest else f"<{kind}>"

    def digest(self, text: str) -> str:
        """Return the keyed hash, twelve hex digits; ``""`` where there is no key to be had."""
        if self._key is None:
            try:
                self._key = self._ask()
            except StoreError:
                self._key = b""
        return _digest(self._key, text) if self._key else ""

    def text(self, text: str, limit: int = TEXT_LIMIT) -> str:
        """Return a text without its secrets, within the limit (what was left out is noted)."""
        shown = text if len(text) <= limit else text[: limit + _MARGIN]
        found = self._found(shown)
        if found:
            shown = self._without(shown, found)
        if len(text) <= limit:
            return shown
        return f"{shown[:limit]}...[{len(text)} characters <text:{self.digest(text)}>]"

    def _found(self, text: str) -> list[Found]:
        found = _secrets(text)
        if not self._names:
            return found
        from interlock.model.secrets import with_named  # few policies name any

        return with_named(found, text, self._names)

    def _without(self, text: str, found: list[tuple[int, int, str]]) -> str:
        parts, done = [], 0
        for start, end, kind in found:
            parts += [text[done:start], self.mark(kind, text[start:end])]
            done = end
        return "".join([*parts, text[done:]])

    def words(self, words: Sequence[str]) -> list[str]:
        """Return the words of a command without its secrets, which are seen where the words stand
        together (``--password hunter2``).
        """
        text = " ".join(words)
        shown = self.text(text)
        return list(words) if shown == text else shown.split(" ")

    def value(self, value: object, depth: int = 0) -> object:
        """Return plain data without its secrets, bounded in depth and width; what is not plain
        becomes its type's name.
        """
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, float):
            return value if value - value == 0 else repr(value)  # JSON knows no NaN
        if value is None or isinstance(value, (bool, int)):
            return value
        if depth >= DEPTH_LIMIT:
            return "...[nested deeper]"
        if isinstance(value, dict):
            kept: dict[str, object] = {
                self.text(str(key), 200): self._field(str(key), item, depth)
                for key, item in list(value.items())[:ITEM_LIMIT]
            }
            return kept if len(value) <= ITEM_LIMIT else {**kept, "...": f"{len(value)} fields"}
        if isinstance(value, (list, tuple)):
            items = [self.value(item, depth + 1) for item in value[:ITEM_LIMIT]]
            return items if len(value) <= ITEM_LIMIT else [*items, f"...[{len(value)} items]"]
        return f"...[{type(value).__name__}]"

    def _field(self, key: str, item: object, depth: int) -> object:
        kind = (
            ("named" if key.lower() in self._names else _kind_of_name(key))
            if isinstance(item, str)
            else ""
        )
        if kind and item and not str(item).startswith(_REFERENCES):
            return self.mark(kind, str(item))
        return self.value(item, depth + 1)

    def without(self, text: str, given: Mapping[str, object]) -> str:
        """Return the text without the secrets in a tool's input: an output may repeat them."""
        for value in _texts(given):
            if len(value) <= TEXT_LIMIT:
                for start, end, kind in self._found(value):
                    if end - start >= 6:
                        text = text.replace(value[start:end], self.mark(kind, value[start:end]))
        return text

    def input(self, given: Mapping[str, object]) -> object:
        """Return a tool's input without its secrets."""
        return self.value(dict(given))

    def effect(self, effect: Effect) -> Effect:
        """Return the effect without secrets in its words; kind, place's natures, traits and
        certainty are what rules read, and stay.
        """
        told = {field: getattr(effect, field) for field in _WORDS}
        kept: dict[str, Any] = {field: self.text(word) for field, word in told.items() if word}
        only = tuple([self.text(word) for word in effect.only])
        place = self._place(effect.place)
        if place is effect.place and only == effect.only and {**told, **kept} == told:
            return effect
        return effect.replace(**kept, only=only, place=place)

    def _place(self, place: Place | None) -> Place | None:
        if place is None or (place.where == "here" and not place.real):
            return place
        where, real = self.text(place.where), self.text(place.real)
        return (
            place
            if (where, real) == (place.where, place.real)
            else place.replace(where=where, real=real)
        )

    def _radius(self, radius: Radius) -> Radius:
        examples, unknown = [
            tuple([self.text(word) for word in words])
            for words in (radius.examples, radius.unknown)
        ]
        return radius.replace(examples=examples, unknown=unknown)

    def effects(self, reading: Reading) -> tuple[Effect, ...]:
        """Return a reading's effects without their secrets."""
        return tuple([self.effect(effect) for effect in reading.effects])

    def decision(self, decision: Decision) -> Decision:
        """Return the decision with findings, messages, effects and radius free of secrets."""
        return decision.replace(
            radius=None if decision.radius is None else self._radius(decision.radius),
            obligations=tuple(
                [
                    duty.replace(detail=self.text(duty.detail)) if duty.detail else duty
                    for duty in decision.obligations
                ]
            ),
            findings=tuple(
                [
                    finding.replace(
                        message=self.text(finding.message),
                        instead=self.text(finding.instead),
                        effect=None if finding.effect is None else self.effect(finding.effect),
                    )
                    for finding in decision.findings
                ]
            ),
        )


def holds_secret(given: Mapping[str, object]) -> bool:
    """Tell whether a tool's input holds a secret, by its shape or by the name it stands under.
    Words that only look drawn are none here.
    """
    left: list[tuple[str, object]] = list(given.items())
    for name, item in left:
        if isinstance(item, str):
            shapes = [kind for _, _, kind in _secrets(item[: 2 * TEXT_LIMIT]) if kind != "random"]
            if shapes or (
                len(item) >= LEAST_NAMED
                and " " not in item
                and _is_secret_name(name)
                and not item.startswith(_REFERENCES)
            ):
                return True
        elif len(left) < MOST_LOOKED_AT:
            inner = (
                item.items()
                if isinstance(item, dict)
                else [(name, one) for one in item]
                if isinstance(item, (list, tuple))
                else ()
            )
            left.extend([(str(key), one) for key, one in inner])
    return False


LEAST_NAMED = 8
"""Characters of the shortest word that is a secret for its name alone."""
MOST_LOOKED_AT = 4000
MOST_KNOWN = 256
"""Characters of a text, and texts, that are remembered as holding no secret."""
_REFERENCES = ("$", "<", "${", "{{")
_PLACES = frozenset(
    "page next prev previous continuation continue cursor sync start end resume csrf upload max".split()
)
"""Words before ``token`` that make it a place in a list."""


def _is_secret_name(name: str) -> bool:
    lower = name.lower()
    return bool(_kind_of_name(name)) and not any(word in lower for word in _PLACES)


_known: dict[str, list[Found]] = {}
"""Secrets of short texts that come with every call (folders, names of tools, fields)."""


def _secrets(text: str) -> list[Found]:
    found = _known.get(text)
    if found is None:
        found = _find_secrets(text)
        if len(text) <= MOST_KNOWN and not found:
            if len(_known) >= MOST_KNOWN:
                _known.clear()
            _known[text] = found
    return found


def _find_secrets(text: str) -> list[Found]:
    lower = text.lower()
    for hint in HINTS:
        if hint in lower:
            break
    else:
        if not may_hold_token(text):
            return []
    from interlock.model.secrets import secrets

    return secrets(text)


def _kind_of_name(name: str) -> str:
    lower = name.lower()
    for hint in NAME_HINTS:
        if hint in lower:
            from interlock.model.secrets import kind_of_name

            return kind_of_name(name)
    return ""


def _texts(value: object, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [value]
    if depth >= DEPTH_LIMIT:
        return []
    inner = (
        value.values()
        if hasattr(value, "values")
        else value
        if isinstance(value, (list, tuple))
        else ()
    )
    return [text for item in inner for text in _texts(item, depth + 1)][:ITEM_LIMIT]


def _digest(key: bytes, text: str) -> str:
    from interlock.model.blake import blake2s

    return blake2s(text.encode("utf-8", "surrogatepass"), digest_size=6, key=key).hexdigest()
