"""Rules that ask for words in a call's text and for no effect: what is left where no reading helps, so they can ask and never allow."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.model.call import ToolCall
    from interlock.model.effect import Reading
    from interlock.model.rule import Rule

ANY = ""
"""Where an index of rules by kind keeps those without one."""
MAX_TEXT = 1 << 20
_APART = str.maketrans(dict.fromkeys("\"'`;|&(){}<>,", " "))


def spoken(rules: tuple[Rule, ...], call: ToolCall, reading: Reading) -> tuple[Rule, ...]:
    """Return the rules whose words stand in the call, one after the other, whatever their case and the quotes around them."""
    texts = [_words(text) for text in _texts(call, reading)]
    return tuple([rule for rule in rules if _is_of(rule, call) and any(_holds(text, phrase) for text in texts for phrase in rule.match.text)])


def _is_of(rule: Rule, call: ToolCall) -> bool:
    return not rule.match.tools or call.tool in rule.match.tools or call.name in rule.match.tools


def _texts(call: ToolCall, reading: Reading) -> Iterator[str]:
    for text in reading.texts:
        yield text.text
    if not reading.texts:
        yield from _strings(call.input, 0)


def _strings(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < 8 and hasattr(value, "values"):
        for one in value.values():
            yield from _strings(one, depth + 1)
    elif depth < 8 and isinstance(value, (list, tuple)):
        for one in value:
            yield from _strings(one, depth + 1)


def _words(text: str) -> str:
    """Return a text as its words with one space before, between and after them."""
    return f" {' '.join(text[:MAX_TEXT].casefold().translate(_APART).split())} "


def _holds(text: str, phrase: str) -> bool:
    return _words(phrase) in text
