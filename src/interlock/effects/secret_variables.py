"""Variables that hold what a file of secrets says (``source .env``, ``env $(cat .env)``,
``load_dotenv()``), and the hosts where such a value is at home.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from interlock.data.words import groups, words
from interlock.effects.context import CallContext
from interlock.effects.hosts import classify, host_of
from interlock.effects.outgoing_words import NAMES
from interlock.model.effect import LOCAL, UNKNOWN_HOST
from interlock.shell.execution import Execution
from interlock.shell.value import HOLE, Value

SECRET_NAMES = words("keys", "named")
"""How variables end that hold secrets."""
KEPT = "kept:"
"""Label of a value in a program, with the name of its variable behind it."""
SETTERS = frozenset({"export", "declare", "typeset", "local", "readonly", "eval", "env", "set"})
"""Commands that set variables whose names stand in their words."""
LOADERS = frozenset(
    "dotenv dotenvx dotenv-cli godotenv doppler infisical op chamber direnv foreman honcho forego"
    " envdir envchain summon teller envconsul aws-vault berglas".split()
)
"""Programs that start another one with what a file, or a safe, of secrets sets."""
PRELOADED = "dotenv/config"
"""A module of JavaScript that loads such a file by being loaded (``node -r dotenv/config``)."""
EVERYWHERE = frozenset(words("keys", "everywhere"))
"""Variables that no such file sets."""
_SECOND = frozenset({"co", "com", "org", "net", "gov", "edu", "ac"})
"""Labels below a country's that are no name of anybody's."""
_PLACES = ("/", "./", "../", "~", "$")
MAX_HOSTS = 64
_at: list[Mapping[str, tuple[str, ...]]] = []


def sets(context: CallContext, path: str, names: Mapping[str, str]) -> None:
    """Note what a file of secrets has set: variables with texts; if unread, any."""
    context.secrets.sources.add(path)
    context.secrets.kept |= {name for name, text in names.items() if not _plain(name, text)}
    context.secrets.unnamed = context.secrets.unnamed or not names


def spreads(
    context: CallContext, execution: Execution, set_by_it: list[tuple[str, Value]], source: str
) -> None:
    """Note that a command sets variables that nobody can name, out of a file of secrets that was
    read, or sets them from others that hold one. ``set_by_it``: those that it names; ``source``:
    the text that the command stands in.
    """
    argv = execution.argv
    name = argv[0].text.rpartition("/")[2] if argv else ""
    if name in LOADERS or any(
        value.text.startswith("--env-file") or PRELOADED in value.text for value in argv
    ):
        context.secrets.unnamed = True
    elif name in SETTERS and context.past.settings:
        hollow = any(HOLE in value.text.partition("=")[0] for value in argv[1:])
        context.secrets.unnamed = context.secrets.unnamed or hollow
    if context.secrets.kept or context.secrets.unnamed:
        context.secrets.kept |= {
            variable
            for variable, value in set_by_it
            if value.hollow
            and any(holds(context, one) for one in variables_in(source[value.start : value.end]))
        }


def list_assignments(execution: Execution) -> list[tuple[str, Value]]:
    """Return the variables that a command sets, each with what stands there."""
    argv = execution.argv
    name = argv[0].text.rpartition("/")[2] if argv else ""
    given = []
    for value in argv[1:] if name in SETTERS else ():
        variable, _, text = value.text.partition("=")
        given.append((variable, Value(text, value.start + len(variable) + 1, value.end)))
    return [*execution.prefix, *given]


def variables_in(source: str) -> list[str]:
    """Return the variables that a word names, as it is written: ``$NAME``, ``${NAME..}``."""
    return [leading_name(part) for part in source.split("$")[1:]]


def leading_name(text: str) -> str:
    """Return the name of a variable that a text begins with, in braces or without."""
    text = text.removeprefix("{")
    length = next(
        (index for index, char in enumerate(text) if not (char.isalnum() or char == "_")), len(text)
    )
    return text[:length]


def holds(context: CallContext, name: str) -> bool:
    """Tell whether a variable holds a value of a file of secrets."""
    seen = context.secrets
    return name in seen.kept or (seen.unnamed and bool(name) and name not in EVERYWHERE)


def strays(context: CallContext, names: Iterable[str], host: str) -> bool:
    """Tell whether one of these variables holds a secret that is not at home at a host."""
    if HOLE in host or not host or classify(host) == LOCAL:
        return False
    return any(holds(context, name) and not _at_home(context, name, host) for name in names)


def _at_home(context: CallContext, name: str, host: str) -> bool:
    """Tell whether a variable is called like the owner of a host (``OPENAI_API_KEY``), or the file,
    or the project's folder, names the host.
    """
    if classify(host) != UNKNOWN_HOST:
        return False
    domain = _domain(host)
    owner = domain.partition(".")[0].replace("-", "")
    for word in name.lower().split("_"):
        if len(word) > 1 and (word == owner or domain in _homes().get(word, ())):
            return True
    roots = [root.rpartition("/")[2].lower().replace("-", "") for root in context.call.roots]
    return owner in roots or domain in _secret_domains(context)


def _homes() -> Mapping[str, tuple[str, ...]]:
    if not _at:
        _at.append(groups("keys", "at home"))
    return _at[0]


def _secret_domains(context: CallContext) -> frozenset[str]:
    """Return the domains that the project's files of secrets name."""
    if context.secrets.named is None:
        found: set[str] = set()
        paths = [f"{root}/{name}" for root in context.call.roots[:2] for name in NAMES[:6]]
        for path in dict.fromkeys([*paths, *sorted(context.secrets.sources)]):
            text = context.original(path)
            for piece in (text or "").split("://")[1 : MAX_HOSTS + 1]:
                found.add(_domain(host_of("x://" + piece.partition("\n")[0].strip("'\" "))))
        context.secrets.named = frozenset(found - {""})
    return context.secrets.named


def _domain(host: str) -> str:
    """Return the name that somebody owns: the last two labels, three below a country."""
    labels = host.lower().strip(".'\"").split(".")
    third = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND
    return ".".join(labels[-3:] if third else labels[-2:])


def _plain(name: str, text: str) -> bool:
    """Tell whether a value is no secret, whoever reads it: a number, a place, a word."""
    if "://" in text:
        return "@" not in text and "?" not in text
    telling = any(char.isalpha() for char in text) and any(char.isdigit() for char in text)
    named = name.upper().endswith(SECRET_NAMES)
    return text.startswith(_PLACES) or not (telling or len(text) > 15 or named)
