"""Whether a text that may be a search or may be SQL is a statement that changes something: by what
stands behind its first words.

``drop table users`` is one; ``drop table in sqlite``, ``delete from array javascript`` and ``insert
into dict`` are what people look up.
"""

from __future__ import annotations

from interlock.data.words import words

_KINDS = frozenset(
    "table database schema index view user role sequence function procedure trigger type".split()
)
_NO_NAME = frozenset(
    "a an the in on of for from to with without using and or not vs is how what when why if into as"
    " statement statements command query syntax example examples table column row rows all".split()
)
_ENDS = frozenset(("", ",", "cascade", "restrict", "restart", "continue", "purge"))
_FOLLOWS: dict[str, frozenset[str]] = {
    "drop": _ENDS | {"on"},
    "truncate": _ENDS,
    "delete": frozenset(("", "where", "using", "as", "returning", "limit", "order")),
    "insert": frozenset("( values select default set overriding partition with exec table".split()),
    "merge": frozenset(("using", "as")),
    "alter": frozenset(
        "add drop rename alter modify change owner set enable disable attach detach with password"
        " identified convert engine".split()
    ),
    "create": frozenset(
        ("with", "identified", "password", "login", "superuser", "createdb", "for")
    ),
    "update": frozenset(("set", "as")),
}
"""By the first word: what may stand behind the name of what is changed; ``""`` is the end."""
_RIGHTS = frozenset(
    "all select insert update delete usage execute create connect references trigger truncate alter"
    " drop index super".split()
)
_SKIPPED = frozenset(
    "if exists not only ignore low_priority quick temporary or replace external".split()
)


def changes(text: str) -> bool:
    """Tell whether a text holds a statement of SQL that changes something, first or later."""
    pieces = text.split(";")
    return any(
        _changes(_bare(piece), ended=index < len(pieces) - 1) for index, piece in enumerate(pieces)
    )


def _bare(text: str) -> str:
    """Return a text without the comments it begins with."""
    text = text.lstrip()
    while text.startswith(("--", "/*")):
        end = "*/" if text.startswith("/*") else "\n"
        text = text.partition(end)[2].lstrip()
    return text


def _changes(text: str, *, ended: bool) -> bool:
    words = "".join([f" {char} " if char in "()," else char for char in text]).split()
    if words and words[0].lower() in ("with", "explain"):
        starts = [
            index
            for index, word in enumerate(words)
            if word.lower() in ("delete", "insert", "update", "merge")
        ]
        return any(_begins_change(words[index:], shouted=False) for index in starts[:20])
    return _begins_change(words, shouted=ended or (bool(words) and words[0].isupper()))


def _begins_change(words: list[str], *, shouted: bool) -> bool:
    """``shouted`` says that it is written as SQL and not as a search is: in capitals, or with a
    semicolon behind it.
    """
    low = [word.lower() for word in words]
    if not low:
        return False
    if low[0] in ("grant", "revoke"):
        return len(low) > 1 and low[1] in _RIGHTS and ("to" if low[0] == "grant" else "from") in low
    follows = _FOLLOWS.get(low[0])
    if follows is None:
        return False
    if low[0] == "truncate" and shouted and len(low) == 2:
        return True
    return _names_what(low, follows) and (low[0] != "update" or any("=" in word for word in low))


def _names_what(words: list[str], follows: frozenset[str]) -> bool:
    rest = words[1:]
    if words[0] in ("drop", "alter", "create", "truncate"):
        if not rest or rest[0] not in _KINDS:
            return False
        rest = rest[1:]
    elif words[0] in ("delete", "insert", "merge"):
        if not rest or rest[0] not in ("from", "into"):
            return False
        rest = rest[1:]
    while rest and rest[0] in _SKIPPED:
        rest = rest[1:]
    return (
        bool(rest)
        and rest[0] not in _NO_NAME
        and rest[0][0] not in "(),"
        and (rest[1] if len(rest) > 1 else "") in follows
    )


def only_looks(text: str) -> bool:
    """Tell whether a statement changes nothing, and keeps nobody else from doing so."""
    said = text.lstrip("( \n\t").upper()
    return said.startswith(_LOOKING) and not said.startswith(_LOCKING)


_LOOKING = words("sockets", "looking")
_LOCKING = ("BEGIN EXCLUSIVE", "BEGIN IMMEDIATE")
