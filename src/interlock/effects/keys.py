"""Keys by what is in them: a file that is named like a key or like credentials, and holds one."""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.context import CallContext
from interlock.effects.places import SAMPLE_ENDINGS, is_sensitive
from interlock.model.facts import FILE, Stat

WHOLE = frozenset({"recursive", "archived", "sent"})
"""Traits of reading a folder with all it holds, or of sending a file: what is in it counts."""
MAX_LOOKED_INTO = 32
"""Files of a call that are looked into for keys."""
_KEY_ENDINGS = words("keys", "key endings")
_KEPT_ENDINGS = words("keys", "kept endings")
KEPT_NAMES = frozenset(words("keys", "kept names"))
_STORES = (".p12", ".pfx")
"""Endings of files that are no text and hold a key with its certificate (RFC 7292)."""
_DRAWN = frozenset({"random", "jwt"})
"""Kinds that a text may have without being a secret: words that look drawn, and tokens that
examples are full of.
"""
PRIVATE = "private-key"


def may_hold(name: str) -> bool:
    """Tell whether a file of this name may hold a key or credentials; code is none of them."""
    low = name.lower()
    return not low.endswith(SAMPLE_ENDINGS) and (
        low.endswith(_KEY_ENDINGS + _KEPT_ENDINGS + _STORES)
        or low in KEPT_NAMES
        or is_sensitive(low)
    )


def secret_kind(context: CallContext, path: str, *, sent: bool = False) -> str:
    """Return the kind of secret that a file holds, or ``""``: of one that is named like it, and
    whatever its name of one that is sent.
    """
    name = path.rpartition("/")[2]
    if not may_hold(name) and not sent:
        return ""
    if path not in context.secrets.keys:
        if len(context.secrets.keys) >= MAX_LOOKED_INTO:
            context.opaque("more files than can be looked into for keys", None, "too-much")
            return ""
        context.secrets.keys[path] = _detect_kind(context, path)
    return context.secrets.keys[path]


def _detect_kind(context: CallContext, path: str) -> str:
    real = context.facts.real(path)
    text = context.facts.text(real if isinstance(real, str) else path)
    name = path.rpartition("/")[2].lower()
    if not isinstance(text, str):
        stat = context.facts.stat(path)
        if not isinstance(stat, Stat):
            return PRIVATE if _is_likely(context, path, name) else ""
        return PRIVATE if name.endswith(_STORES) and stat.kind == FILE and stat.size else ""
    return shape(text, named=may_hold(name) and not name.endswith(_KEY_ENDINGS))


_OPEN = words("keys", "open")
_KEYS = (".pem", ".key", ".p12", ".pfx", *_KEPT_ENDINGS)


def _is_likely(context: CallContext, path: str, name: str) -> bool:
    """Whether a file of which nothing at all is known holds a key: outside the workspace by its
    name, in it where all files of that name do.
    """
    if any(part in path.lower() for part in _OPEN):
        return False
    if name in KEPT_NAMES - {".npmrc", "token", "kubeconfig"}:
        return True
    return name.endswith(_KEYS) and not context.workspace(path)


def shape(text: str, *, named: bool = False) -> str:
    """Return the kind of the first secret in a text by its shape, or ``""``; ``named``: a value
    that stands behind a telling name is one, too.
    """
    from interlock.model.secrets import secrets, shapes  # few calls touch such files

    return next(
        (kind for _, _, kind in (secrets(text) if named else shapes(text)) if kind not in _DRAWN),
        "",
    )
