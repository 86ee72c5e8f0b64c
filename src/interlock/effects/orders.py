"""What a text tells a machine elsewhere to do: an order among the fields of JSON, a mutation of
GraphQL, a statement of a database, whichever program or library hands it over.

``{"op": "shutdown"}`` to a socket, ``{"query": "mutation { deleteUsers }"}`` to a server,
``DROP TABLE t`` to whatever takes it by HTTP.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interlock.effects.context import CallContext
from interlock.effects.raising import goes_out
from interlock.effects.run import Run
from interlock.effects.server_statements import begins
from interlock.effects.verb_words import ENDS, SAYING, STRONGLY, bare, field_loses, parts, verb_of
from interlock.model.effect import ChangesInfrastructure

MAX_TEXT = 65_536
MAX_NAMES = 256
_ORDERS = SAYING | frozenset("event kind function fn rpc".split())
"""Keys whose value may say what is done."""
_STATEMENTS = frozenset("query sql statement stmt cypher command cmd q".split())
"""Keys whose value may be a statement."""


def find_order(context: CallContext, texts: Iterable[str]) -> str:
    """Return the first word of texts by which something is lost where they go, else ``""``."""
    for whole in texts:
        text = str(context.limit(whole, MAX_TEXT, "letters of what is sent"))
        found = _in_mutation(context, text) or _in_fields(text) or _in_line(text)
        if found:
            return found
    return ""


def add_orders(run: Run) -> None:
    """Add what the words of a program that nobody described order at the machine that they name."""
    texts = [word.text for word in run.arguments if " " in word.text or "{" in word.text]
    found = find_order(run.context, texts) if texts and goes_out(run.arguments) else ""
    if found:
        run.effect(
            ChangesInfrastructure, f"{run.name} {found}", "delete", detail=f"{found}, an order"
        )


def _in_line(text: str) -> str:
    """A statement begins the text, or its one field (``query=DROP TABLE t``); fields of a form are
    those of an address.
    """
    if field_loses(f"?{text}"):
        return text
    field, equals, value = text.partition("=")
    told = [text, value] if equals and field.lower() in _STATEMENTS else [text]
    return next((" ".join(one.split()[:2]) for one in told if begins(one)), "")


def _in_mutation(context: CallContext, text: str) -> str:
    behind = text.partition("mutation")[2]
    names = "".join([char if char.isalnum() or char == "_" else " " for char in behind]).split()
    first = context.limit(names, MAX_NAMES, "names of a mutation")
    return next((name for name in first if _loses(name)), "")


def _in_fields(text: str) -> str:
    for key, value in _pairs(text):
        if key in _STATEMENTS and begins(value):
            return " ".join(value.split()[:2])
        if key in _ORDERS and bare(value) and (_loses(value) or value.lower() in ENDS):
            return value
    return ""


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield keys and values of JSON that are both texts, wherever they stand."""
    pieces = text.replace('\\"', "'").split('"')
    for at in range(1, len(pieces) - 2, 2):
        if pieces[at + 1].strip() == ":":
            yield pieces[at].lower(), pieces[at + 2]


def _loses(word: str) -> bool:
    """Whether a name says that something is lost: its verb leads (``delete_users_by_pk``)."""
    first = "".join(parts(word)[:1])
    return STRONGLY.get(first) == "delete" or verb_of(word) == ("delete", False)
