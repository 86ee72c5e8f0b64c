"""What a word says by itself: the parts it is made of, and the verb that it is or holds."""

from __future__ import annotations

from interlock.data.words import texts, words
from interlock.shell.value import HOLE

MAX_DEPTH = 3
"""How many bare words may be groups and verb."""
MAX_VERB = 40
"""Characters of a word that may be a verb."""

_STRONG: dict[str, str] = texts("verbs", "strong")
_MILD: dict[str, str] = texts("verbs", "mild")
STRONGLY: dict[str, str] = {
    verb: action for action, words in _STRONG.items() for verb in words.split()
}
_MILDLY: dict[str, str] = {
    verb: action for action, words in _MILD.items() for verb in words.split()
}

_WIDE = frozenset("write put pub call close resolve trigger".split())
"""Mild verbs that mean a change only where another machine or a thing kept elsewhere is named."""
CHANGING = frozenset(
    {
        *STRONGLY,
        *(_MILDLY.keys() - _WIDE),
        "login",
        "logout",
        "eject",
        "link",
        "unlink",
        "cloud",
        "driver",
    }
)
"""Verbs that may change what lies elsewhere, or later."""
LOOKS = frozenset(words("verbs", "looks"))
NEGATED = frozenset(
    "no not non un undo pre post before after on can will dry skip without test mock fake is has"
    " should auto never".split()
)
"""Parts of a word that make its verb another thing (``pre-deploy``, ``no-delete``)."""

SAYING = frozenset(
    "action op operation command cmd mode task verb do method state status desired-state"
    " target-state request call".split()
)
"""Names of options and keys whose value is a verb: ``--action delete``, ``state=absent``."""


def looks(word: str) -> bool:
    """Tell whether a word only looks: ``list``, ``get``."""
    return word in LOOKS


def bare(text: str) -> bool:
    """Whether a word may be a group or a verb: letters, joined by hyphens, colons and underscores,
    or by a dot before a verb (``vm.destroy``).
    """
    thing, dot, last = text.rpartition(".")
    if dot and last.lower() in STRONGLY:
        text = thing.replace(".", "")
    group, slash, last = text.rpartition("/")
    if slash and group.isalpha() and STRONGLY.get(last) == "delete":
        text = f"{group}:{last}"  # ``users/delete`` of a framework's console
    return (
        len(text) <= MAX_VERB
        and text[:1].isalpha()
        and text.replace("-", "").replace(":", "").replace("_", "").isalnum()
        and HOLE not in text
    )


def parts(word: str) -> list[str]:
    """Return a word's parts in small letters: ``db:drop``, ``delete-user``, ``drop_db``."""
    word = word.replace("/", ":")
    split = "".join(
        [
            f" {char}" if char.isupper() and before.islower() else char
            for before, char in zip(" " + word, word, strict=False)
        ]
    )
    return (
        split.lower()
        .replace(":", " ")
        .replace(".", " ")
        .replace("-", " ")
        .replace("_", " ")
        .split()
    )


def verb_of(word: str) -> tuple[str, bool] | None:
    """Return the action of a word and whether it is mild, by itself or its first or last part."""
    small = word.lower()
    pieces = [small] if small in STRONGLY or small in _MILDLY else parts(word)
    if not NEGATED.isdisjoint(pieces) or (len(pieces) > 1 and pieces[0] in LOOKS):
        return None
    last = parts(word.rpartition(":")[2]) if ":" in word and len(pieces) > 1 else []
    if last and len(pieces) > MAX_DEPTH:
        pieces = last
    if pieces[-1:] == ["all"] and len(pieces) > 1:
        pieces = pieces[:-1]
    ends = pieces[:1] + pieces[-1:] if len(pieces) <= MAX_DEPTH else []
    ends += last[:1] if len(last) <= MAX_DEPTH else []
    if _is_glued(small) or _resets_to_factory(pieces):
        return "delete", False
    for table, mild in ((STRONGLY, False), (_MILDLY, True)):
        for piece in ends:
            if piece in table:
                return table[piece], mild
    return None


def _resets_to_factory(pieces: list[str]) -> bool:
    """Whether the parts of a word put a device back as it was sold: ``load factory-default``."""
    return "factory" in pieces and not _BACK.isdisjoint(pieces)


_BACK = frozenset("default defaults reset restore erase".split())
_ENDINGS = ("erase", "wipe", "destroy", "purge", "deleteall", "removeall")
_LEADS = words("verbs", "leads")
_BEHIND = frozenset(
    "node snapshot zone user db database index key table queue topic role account volume bucket"
    " disk broker member replica slot acct site website domain customer group cert token".split()
)


def _is_glued(word: str) -> bool:
    """Whether verb and thing are one word: ``removenode``, ``delzone``, ``clearsnapshot``,
    ``flasherase``.
    """
    if word.isalpha() and word.endswith(_ENDINGS) and not word.startswith("un"):
        return word not in STRONGLY
    return any(
        word.startswith(lead) and word[len(lead) :].removesuffix("s") in _BEHIND for lead in _LEADS
    )


def address_loses(url: str) -> bool:
    """Whether an address says that something is lost where it is sent to: by the last part of its
    path (``/job/x/doDelete``), or by one of its fields.
    """
    path = (url.partition("://")[2] or url).partition("?")[0]
    last = path.rpartition("/")[2] if "/" in path else ""
    return field_loses(url) or any(map(_is_loss, last.replace(":", ".").split(".")))


def field_loses(url: str) -> bool:
    """Whether a field of an address says it: ``?action=delete``."""
    fields = [pair.partition("=") for pair in url.partition("?")[2].split("&")]
    return any(key.lower() in SAYING and _is_loss(value) for key, _, value in fields)


def _is_loss(word: str) -> bool:
    return bare(word) and (verb_of(word) == ("delete", False) or word.lower() in ENDS)


ENDS = frozenset(
    "stop empty clear shutdown kill cancel disable halt poweroff reboot suspend seal leave".split()
)
"""Verbs that end what runs elsewhere, where an address says them."""
