"""Words that leave the machine, held against the shapes of tokens and against what the project's
own secret files hold.
"""

from __future__ import annotations

from interlock.effects.context import CallContext
from interlock.model.tokenlike import may_hold_token
from interlock.shell.value import HOLE

NAMES = tuple(
    (
        ".env .env.local .env.development .env.production .env.staging .envrc"
        " credentials.json secrets.yaml secrets.yml .npmrc"
    ).split()
)
"""Files at the top of a workspace whose values are looked for."""
LEAST = 8
"""Characters of the shortest value that is looked for, and of the shortest half of one."""
LONG = 16
"""Characters from which on a value without digits is looked for."""
MAX_VALUES = 512
TOKEN, VALUE = "token", "value"
_DRAWN = frozenset({"jwt", "webhook", "random"})
"""Kinds that are sent where they belong, or may be no secret at all."""
_FRAME = "-----BEGIN "


def leaves(context: CallContext, text: str) -> str:
    """Return what of a text is a secret: ``token`` by its shape, ``value`` as it stands in a secret
    file of the project, or ``""``.
    """
    text = text.replace(HOLE, " ")
    if len(text) < LEAST:
        return ""
    if _has_value(context, text):
        return VALUE
    if _FRAME not in text and not may_hold_token(text):
        return ""
    from interlock.model.secrets import shapes  # few texts come so far

    return TOKEN if any(kind not in _DRAWN for _, _, kind in shapes(text)) else ""


def in_address(context: CallContext, url: str, host: str) -> str:
    """Return what of an address is a secret: in path, query, or the host below the domain."""
    # as it is written: a name of a host knows no case, and a token does
    at = url.lower().find(host.lower()) if host else 0
    if at >= 0 and url:
        host, rest = url[at : at + len(host)], url[at + len(host) :]
    else:
        rest = ""
    below = host.split(".")[:-2] if "." in host else []
    return (
        leaves(context, " ".join([*below, rest]))
        if len(rest) >= LEAST or any(len(label) >= LEAST for label in below)
        else ""
    )


def _has_value(context: CallContext, text: str) -> bool:
    """Tell whether a value stands in a text: as it is, in halves, backwards, in base64 or hex."""
    if context.secrets.values is None:
        context.secrets.values = _forms(_values(context))
    low = text.lower()
    return any(form in (low if form.islower() else text) for form in context.secrets.values)


def _values(context: CallContext) -> list[str]:
    from interlock.model.secrets import secrets

    found: dict[str, None] = {}
    for root in context.call.roots[:2]:
        names = context.facts.names(root)
        for name in (
            NAMES if not isinstance(names, tuple) else [name for name in NAMES if name in names]
        ):
            text = context.facts.text(f"{root}/{name}")
            if isinstance(text, str):
                found.update(
                    dict.fromkeys(
                        [text[start:end] for start, end, _ in secrets(text) if end - start >= LEAST]
                    )
                )
    return list(found)[:MAX_VALUES]


def _forms(values: list[str]) -> frozenset[str]:
    if not values:
        return frozenset()
    from binascii import b2a_base64, hexlify

    found: set[str] = set()
    for value in [value for value in values if _is_telling(value)]:
        data, middle = value.encode("utf-8", "surrogatepass"), len(value) // 2
        coded = b2a_base64(data, newline=False).decode().rstrip("=")
        found |= {
            hexlify(data).decode(),
            coded[:-1],
            coded[:-1].replace("+", "-").replace("/", "_"),
        }
        found |= {
            form
            for form in (value, value[::-1], value[:middle], value[middle:])
            if _is_telling(form)
        }
    return frozenset(found)


def _is_telling(form: str) -> bool:
    """Tell whether a text stands for a secret wherever it is: no plain word, as ``postgres`` and
    ``development`` are.
    """
    return len(form) >= LONG or (
        len(form) >= LEAST
        and any(char.isdigit() for char in form)
        and any(char.isalpha() for char in form)
    )
