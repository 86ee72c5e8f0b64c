"""Where the secrets of a text are: spans and kinds, by shape, by what stands before them, and by
being drawn. Without ``re``, for the hook's sake.

What follows a telling name is a secret where it is a value: ``token: str`` and ``--password-file
x`` are none.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.model.entropy import find_drawn
from interlock.model.tokens import BASE64URL, DIGITS, run, tokens

Found = tuple[int, int, str]

NAMES = ("passw", "passphrase", "passcode", "pwd", "secret", "token", "apikey", "api_key",
    "api-key", "accesskey", "access_key", "access-key",
          "accountkey", "privatekey", "private_key", "private-key", "credential",
          "authorization")  # fmt: skip
_PASSWORDS = ("password", "passwd", "passphrase", "passcode")
_SECRET_WORDS = frozenset({"credential", "credentials", "accesskey", "privatekey", "authorization"})
_PAIRS = frozenset(
    {("api", "key"), ("access", "key"), ("private", "key"), ("secret", "key"), ("account", "key")}
)
_NO_SECRET = frozenset({
    "", "true", "false", "null", "none", "nil", "undefined", "yes", "no", "str", "string", "int",
    "bytes", "bool", "any", "object", "optional",
    "required", "basic", "bearer", "digest", "token", "password", "secret", "prompt", "stdin",
    "env", "read", "write",
})  # fmt: skip
_END_OF_VALUE = " \t\r\n\"'`;&|,)}]<>"
_ENDS = dict.fromkeys(map(ord, _END_OF_VALUE), "\0")
_REFERENCES = ("$", "<", "{", "%", "*", "(", "[", "@", "!")


def secrets(text: str) -> list[Found]:
    """Return ``(start, end, kind)`` of every secret, in order, none within another."""
    lower = text.lower()
    return _drop_overlaps(
        list(_all(text, lower if len(lower) == len(text) else _same_length(text)))
    )


def shapes(text: str) -> Iterator[Found]:
    """Yield ``(start, end, kind)`` of what is a secret by its shape alone: private keys, and the
    tokens of services.
    """
    yield from _private_keys(text)
    yield from tokens(text)


def with_named(found: list[Found], text: str, names: tuple[str, ...]) -> list[Found]:
    """Return what was found with the values that stand behind some names, in small letters:
    ``NAME=x``, ``--name x``, ``"name": "x"``.
    """
    lower = text.lower()
    lower = lower if len(lower) == len(text) else _same_length(text)
    return _drop_overlaps(
        [*found, *[one for name in names for one in _find_named(text, lower, name)]]
    )


def _find_named(text: str, lower: str, name: str) -> Iterator[Found]:
    for at in _occurrences(lower, name):
        before, end = lower[:at].rstrip("-"), at + len(name)
        option = at > 0 and lower[at - 1] == "-" and (not before or before[-1:].isspace())
        rest = text[end:].lstrip("\"'")
        if (at and lower[at - 1] in BASE64URL and not option) or rest[:1] not in (
            "=",
            ":",
            *((" ",) if option else ()),
        ):
            continue
        start = len(text) - len(rest.lstrip("=: \"'"))
        stop = _value_end(text, start)
        if stop > start and not text.startswith(_REFERENCES, start):
            yield start, stop, "named"


def _same_length(text: str) -> str:
    """Lower the ASCII letters only: others may grow when lowered, and positions must hold."""
    return "".join([char.lower() if char.isascii() else char for char in text])


def _all(text: str, lower: str) -> Iterator[Found]:
    yield from shapes(text)
    yield from _headers(text, lower)
    yield from _in_urls(text)
    yield from _find_assigned(text, lower)
    yield from _of_programs(text, lower)
    yield from find_drawn(text)


def _drop_overlaps(found: list[Found]) -> list[Found]:
    """Leave out what overlaps an earlier or, at the same place, a longer one."""
    kept: list[Found] = []
    for start, end, kind in sorted(found, key=lambda one: (one[0], -one[1])):
        if kept and start < kept[-1][1]:
            if end > kept[-1][1]:
                kept[-1] = (kept[-1][0], end, kept[-1][2])
            continue
        kept.append((start, end, kind))
    return kept


def _occurrences(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))


# -- by shape --------------------------------------------------------------------------------------


def _private_keys(text: str) -> Iterator[Found]:
    for start in _occurrences(text, "-----BEGIN "):
        title = text.find("-----", start + 11)
        if title < 0 or "PRIVATE KEY" not in text[start:title] or title - start > 80:
            continue
        end = text.find("-----END ", title)
        close = text.find("-----", end + 9) if end >= 0 else -1
        yield start, close + 5 if close >= 0 else len(text), "private-key"


def _headers(text: str, lower: str) -> Iterator[Found]:
    for word in ("bearer ", "basic "):
        for at in _occurrences(lower, word):
            start = at + len(word)
            end = _value_end(text, start)
            value = text[start:end]
            named = "authorization" in lower[max(0, at - 20) : at]
            if (
                (named or (word == "bearer " and _random(value)))
                and len(value) >= 4
                and not value.startswith(_REFERENCES)
            ):
                yield start, end, "authorization"


def _in_urls(text: str) -> Iterator[Found]:
    for at in _occurrences(text, "://"):
        start = at + 3
        end = start
        while end < len(text) and text[end] not in "/?# \t\r\n\"'`<>":
            end += 1
        user, sign, _ = text[start:end].rpartition("@")
        if not sign:
            continue
        name, colon, word = user.partition(":")
        if colon and word and not word.startswith(_REFERENCES):
            yield start + len(name) + 1, start + len(user), "password"
        elif not colon and len(name) >= 16 and _random(name):
            yield start, start + len(name), "token"


# -- by the name before it -------------------------------------------------------------------------


def kind_of_name(name: str) -> str:
    """Return the kind of secret that a key, variable or option of this name holds: ``password``,
    ``secret``..., or ``""``.
    """
    words = _words(name)
    for word in words:
        if word == "pwd" or (
            word.endswith(_PASSWORDS) and word != "nopasswd"
        ):  # PGPASSWORD; sudoers say what needs none
            return "password"
        if word in _SECRET_WORDS or word.endswith(("token", "secret", "apikey")):
            return next(
                (kind for kind in ("token", "secret", "apikey", "credential") if kind in word), word
            )
    for at in range(len(words) - 1):
        if (words[at], words[at + 1]) in _PAIRS:
            return f"{words[at]}-{words[at + 1]}"
    return ""


def _words(name: str) -> list[str]:
    spaced = []
    for at, char in enumerate(name):
        if char in "_-. ":
            spaced.append(" ")
        elif char.isupper() and at and name[at - 1].islower():
            spaced.append(" " + char.lower())
        else:
            spaced.append(char.lower())
    words = "".join(spaced).split()
    # ``--password-file x``, ``token_count=3`` name something about the secret, not the secret
    return (
        words
        if not words
        or words[-1]
        not in (
            "file",
            "path",
            "count",
            "type",
            "url",
            "name",
            "length",
            "limit",
            "id",
            "stdin",
            "env",
        )
        else []
    )


def _find_assigned(text: str, lower: str) -> Iterator[Found]:
    seen = -1
    for at in sorted([at for name in NAMES for at in _occurrences(lower, name)]):
        if at < seen:
            continue
        end = seen = run(text, at, BASE64URL)
        start = at
        while start and text[start - 1] in BASE64URL:
            start -= 1
        kind = kind_of_name(text[start:end])
        for found in _value_after(text, start, end, kind) if kind else ():
            seen = max(seen, found[1])
            yield found


def _value_after(text: str, start: int, end: int, kind: str) -> Iterator[Found]:
    at = end + 1 if text[end : end + 1] in ('"', "'") and text[end : end + 1] else end
    spaces = run(text, at, " \t")
    sign = text[spaces : spaces + 1]
    option = text[start:end].startswith("-")
    if sign in (":", "=") and sign:
        first = run(
            text, spaces + (2 if text[spaces : spaces + 2] in (":=", "==", "=>") else 1), " \t"
        )
        sure = sign == "=" and first == at + 1
    elif option and spaces > at:
        first, sure = spaces, True
    else:
        return
    quote = text[first : first + 1]
    if quote in ('"', "'") and quote:
        close = text.find(quote, first + 1)
        first, last, sure = first + 1, close if close >= 0 else len(text), True
    else:
        last = _value_end(text, first)
    if _secret_value(text[first:last], kind, sure):
        yield first, last, kind


def _secret_value(value: str, kind: str, sure: bool) -> bool:
    if (
        value.lower() in _NO_SECRET
        or value.startswith(_REFERENCES)
        or (value.startswith("-") and " " not in value and len(value) < 20)
    ):
        return False
    if kind == "password":
        return not value.startswith(("/", "~", "./")) and (sure or "(" not in value)
    if sure:
        return len(value) >= 4 and not ("(" in value and ")" not in value) and not value.isdigit()
    return _random(value)


def _value_end(text: str, start: int) -> int:
    for at in range(start, len(text), 256):
        end = text[at : at + 256].translate(_ENDS).find("\0")
        if end >= 0:
            return at + end
    return len(text)


def _random(value: str) -> bool:
    """Tell whether a word looks drawn, not written: eight or more letters and digits together."""
    return (
        len(value) >= 8
        and "(" not in value
        and any(char in DIGITS for char in value)
        and any(char.isalpha() for char in value)
    )


def _of_programs(text: str, lower: str) -> Iterator[Found]:
    """``curl -u NAME:WORD`` and ``sshpass -p WORD``: options for a password not called so."""
    for program, options in (
        ("curl", ("-u ", "--user ", "--proxy-user ")),
        ("sshpass", ("-p ", "-p")),
    ):
        if program not in lower:
            continue
        for option in options:
            for at in _occurrences(text, " " + option):
                start = run(text, at + 1 + len(option), " '\"")
                end = _value_end(text, start)
                name, colon, word = text[start:end].partition(":")
                if (
                    program == "sshpass"
                    and end > start
                    and not text[start:end].startswith(_REFERENCES)
                ):
                    yield start, end, "password"
                elif colon and word and not word.startswith(_REFERENCES):
                    yield start + len(name) + 1, end, "password"
