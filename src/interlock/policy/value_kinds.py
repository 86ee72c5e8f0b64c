"""The kinds of single values a policy file holds: how each is read, what it is called in a message,
and its JSON Schema.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from interlock.data.traits import TRAITS
from interlock.model.action import ALLOW, Action
from interlock.model.effect import HOSTS, KINDS, LOCATIONS, NATURES
from interlock.model.limits import CLASSES, NAMED, PER, parse_rate
from interlock.model.policy import APPROVE, PASS, SCOPES, SPOKEN
from interlock.model.record import Record
from interlock.model.skill import LANGUAGES
from interlock.policy.problem import suggest_name

MAX_TEXT = 2000


class ValueKind(Record):
    """A kind of single value. ``read`` raises ``ValueError`` with what was expected. ``plain``:
    what YAML would guess it to be is no trap here.
    """

    name: str
    expected: str
    read: Callable[[str], Any]
    schema: dict[str, Any]
    plain: bool = False


def _text(text: str) -> str:
    if not text.strip() or len(text) > MAX_TEXT or "\0" in text:
        raise ValueError(f"expected a text of at most {MAX_TEXT} characters")
    return text


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError("expected true or false")
    return text == "true"


def _whole(text: str) -> int:
    if (
        not (text.isascii() and text.isdigit())
        or len(text) > 12
        or (len(text) > 1 and text[0] == "0")
    ):
        raise ValueError(
            "expected a whole number such as 50, in plain digits and without a leading 0"
        )
    return int(text)


def _number(text: str) -> float:
    whole, _, part = text.partition(".")
    if (
        not all(digits.isascii() and digits.isdigit() for digits in (whole, part or "0"))
        or len(text) > 15
        or (len(whole) > 1 and whole[0] == "0")
    ):
        raise ValueError("expected a number such as 25 or 0.8")
    return float(text)


def _part(text: str) -> float:
    try:
        found = _number(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= 1:
        raise ValueError("expected a part of one, such as 0.8")
    return found


_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def _duration(text: str) -> int:
    count, unit = text[:-1], text[-1:]
    if (
        unit not in _SECONDS
        or not (count.isascii() and count.isdigit())
        or len(count) > 6
        or not int(count)
    ):
        raise ValueError("expected a time such as 30s, 5m, 12h or 30d")
    return int(count) * _SECONDS[unit]


def _date(text: str) -> str:
    parts = text.split("-")
    if [len(part) for part in parts] != [4, 2, 2] or not all(
        part.isascii() and part.isdigit() for part in parts
    ):
        raise ValueError("expected a day such as 2026-12-31")
    year, month, day = map(int, parts)
    last = (
        31,
        29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28,
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    )
    if not 1 <= month <= 12 or not 1 <= day <= last[month - 1]:
        raise ValueError("expected a day that exists, such as 2026-12-31")
    return text


_NAME = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")


def _name(text: str) -> str:
    if not text or len(text) > 64 or not set(text.lower()) <= _NAME or text[0] in "-.":
        raise ValueError("expected a name of letters, digits, - _ and .")
    return text


def _id(text: str) -> str:
    family, dot, rest = text.partition(".")
    if (
        not dot
        or not family
        or not rest
        or len(text) > 80
        or not set(text) <= _NAME - {"_"}
        or "." in rest
    ):
        raise ValueError(
            "expected an id such as team.no-deploy-on-friday: family, a dot, then small letters,"
            " digits and -"
        )
    return text


def _host(text: str) -> str:
    bare = text.lower()
    if "/" in bare or ":" in bare:
        raise ValueError(
            "expected the name of a host such as git.example.com, without a scheme, a port or a"
            " path"
        )
    if "*" in bare:
        raise ValueError(
            "expected a name without *: example.com stands for every host below it too"
        )
    if not bare or not set(bare) <= _NAME or len(bare) > 253:
        raise ValueError("expected the name of a host such as git.example.com")
    return bare.strip(".")


PLACEHOLDERS = ("${WORKSPACE}", "${HOME}")


def _path(text: str) -> str:
    if not text.strip() or "\0" in text or "\n" in text or len(text) > 1024:
        raise ValueError("expected a path or a pattern of paths, such as ${WORKSPACE}/secrets/**")
    if text[0] == "^":
        raise ValueError(
            "expected a pattern of paths such as /srv/keys/**, not a regular expression"
        )
    rest = text
    for name in PLACEHOLDERS:
        rest = rest.removeprefix(name)
    if "$" in rest or "`" in rest:
        raise ValueError(
            f"expected no variables but {' and '.join(PLACEHOLDERS)}, at the start: the environment"
            " must not change what a policy means"
        )
    if ".." in rest.split("/"):
        raise ValueError("expected a path without `..` in it")
    if rest != text and not rest.startswith("/") and rest:
        raise ValueError("expected / after the placeholder")
    return text


def _way(text: str) -> str:
    kind, found, rest = text.partition("://")
    if text not in ("terminal", "desktop") and not (found and rest and kind.isalnum()):
        raise ValueError(
            "expected terminal, desktop, or an address such as https://chat.example.com/hook"
        )
    if kind == "http" and rest.partition("/")[0].partition(":")[0] not in (
        "localhost",
        "127.0.0.1",
    ):
        raise ValueError(
            "expected https:// and not http://: what is told would be read by others on its way"
        )
    return text


def _endpoint(text: str) -> str:
    scheme, _, rest = text.partition("://")
    host = rest.partition("/")[0]
    here = host.partition(":")[0] in ("localhost", "127.0.0.1") or host.startswith("[::1]")
    if (
        not host
        or "@" in host
        or not text.isascii()
        or not text.isprintable()
        or any(char in text for char in " ?#")
    ):
        raise ValueError(
            "expected an address such as https://models.example.com/v1, without a user, a query or"
            " blanks"
        )
    if scheme != "https" and not (scheme == "http" and here):
        raise ValueError(
            "expected https://; http:// only for a model on this machine (localhost, 127.0.0.1,"
            " [::1])"
        )
    return text.rstrip("/")


def _file(text: str) -> str:
    _path(text)
    if not text.startswith(("/", "~/", "${HOME}/")) or any(char in text for char in "*?["):
        raise ValueError(
            "expected one file by its whole path, such as ~/.config/interlock/validator.key"
        )
    return text


def _command(text: str) -> str:
    first = text.split(maxsplit=1)[0] if text.split() else "-"
    if first[:1] == "-" or any(char in text for char in "|;&<>$`\n"):
        raise ValueError(
            "expected the first words of one command, such as git status, and options that have to"
            " be there"
        )
    return text


def _tool_list(text: str) -> tuple[str, ...]:
    names = tuple([name.strip() for name in text.split(",")])
    if not all(name and set(name.lower()) <= _NAME | {"*"} for name in names):
        raise ValueError("expected names of tools, such as Bash or Write,Edit")
    return names


def _rate(text: str) -> str:
    parse_rate(text)
    return text


def _tools(text: str) -> str:
    if text != "*" and not text.startswith(NAMED) and text not in _CLASSES:
        raise ValueError(
            f"expected one of {', '.join(('*', *_CLASSES))}, or"
            f" {NAMED}NAME{suggest_name(text, _CLASSES)}"
        )
    return text


_CLASSES = tuple([known.name for known in CLASSES])


def one_of(
    name: str, words: Iterable[str], of: Callable[[str], Any] = str, *, plain: bool = False
) -> ValueKind:
    """Return the kind of value that is one of some words."""
    known = tuple(words)

    def read(text: str) -> Any:
        if text not in known:
            raise ValueError(f"expected one of {', '.join(known)}{suggest_name(text, known)}")
        return of(text)

    return ValueKind(name, "one of " + ", ".join(known), read, {"enum": list(known)}, plain)


_TEXT: dict[str, Any] = {"type": "string"}
_PLAIN = "^[A-Za-z0-9_][A-Za-z0-9_.-]*$"
WORDS: dict[str, ValueKind] = {
    word.name: word
    for word in (
        ValueKind("text", "a text", _text, _TEXT),
        ValueKind("name", "a name", _name, {"type": "string", "pattern": _PLAIN}),
        ValueKind(
            "trait",
            "a trait",
            _name,
            {"anyOf": [{"enum": sorted(TRAITS)}, {"type": "string", "pattern": _PLAIN}]},
        ),
        ValueKind("truth", "true or false", _truth, {"type": "boolean"}, plain=True),
        ValueKind("whole", "a whole number", _whole, {"type": "integer", "minimum": 0}, plain=True),
        ValueKind("number", "a number", _number, {"type": "number", "minimum": 0}, plain=True),
        ValueKind(
            "part",
            "a part of one",
            _part,
            {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            plain=True,
        ),
        ValueKind(
            "duration",
            "a time such as 5m",
            _duration,
            {"type": "string", "pattern": "^[0-9]+[smhd]$"},
        ),
        ValueKind(
            "date",
            "a day such as 2026-12-31",
            _date,
            {"type": "string", "format": "date"},
            plain=True,
        ),
        ValueKind("id", "an id", _id, {"type": "string", "pattern": "^[a-z0-9-]+\\.[a-z0-9-]+$"}),
        ValueKind("host", "a host", _host, _TEXT),
        ValueKind("path", "a path or pattern", _path, _TEXT),
        ValueKind("endpoint", "an address", _endpoint, _TEXT),
        ValueKind("file", "one file", _file, _TEXT),
        ValueKind("command", "the first words of a command", _command, _TEXT),
        ValueKind(
            "rate",
            "a rate such as 60/minute",
            _rate,
            {"type": "string", "pattern": "^[0-9]+ */ *[0-9]* *[a-z]+$"},
        ),
        ValueKind("tools", "a class of tools", _tools, _TEXT),
        one_of("per", PER),
        one_of("tokens", ("spent", "context")),
        one_of("action", ("warn", "review", "ask", "deny"), Action.of),
        one_of("any action", ("allow", "warn", "review", "ask", "deny"), Action.of),
        one_of("kind of effect", KINDS, {str(kind): kind for kind in KINDS}.__getitem__),
        one_of("location", LOCATIONS),
        one_of("nature", NATURES),
        one_of("class of hosts", HOSTS),
        ValueKind("tool list", "names of tools such as Write,Edit", _tool_list, _TEXT),
        one_of("guard verdict", ("allow", "ask", "deny", "llm")),
        one_of("loss", ("run", "ask")),
        ValueKind("way", "terminal, desktop or an address", _way, _TEXT),
        one_of("intent", ("off", "warn", "on", "ask"), plain=True),
        one_of("proven", (PASS, APPROVE)),
        one_of(
            "unproven",
            (PASS, "review", "ask", "deny"),
            lambda word: ALLOW if word == PASS else Action.of(word),
        ),
        one_of("scope of proofs", SCOPES),
        one_of("protocol", SPOKEN),
        one_of("language", LANGUAGES),
        one_of("prompts", ("digest", "full")),
        one_of("durable", ("batch", "always")),
        one_of("obligation word", ("checkpoint", "sandbox", "notify", "redact")),
        one_of("confirmation", ("true", "always", "false"), plain=True),
        one_of("answer", ("allow", "warn", "ask", "deny")),
        one_of("platform", ("linux", "darwin", "windows")),
        one_of("shell kind", ("sh", "powershell", "cmd")),
        one_of("version", ("1", "1.0"), plain=True),
    )
}
