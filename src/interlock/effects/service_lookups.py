"""Clients of a service that the user is signed in to, where a call only looks at what the service
lists: ``kubectl get pods``, ``gh pr list``, ``aws ec2 describe-instances``.

Nothing changes there, nothing of this machine is sent but the names of what is asked for, and it
goes where the user's own settings say. A secret, another address and another identity make it more
than a look, and so does every word that nobody knows.
"""

from __future__ import annotations

from interlock.data import options
from interlock.data.words import tables, words
from interlock.effects.programs.cloudverbs import exceptions
from interlock.effects.run import Run
from interlock.effects.verb_words import CHANGING, parts
from interlock.model.effect import TEMP, WORKSPACE
from interlock.shell.value import HOLE, Value

_LOOKS = frozenset(words("asking", "looks"))
_LEADS = frozenset(words("asking", "look leads"))
_PRIVATE = frozenset(words("asking", "private"))
_ELSEWHERE = words("asking", "elsewhere")
_LONG = tuple(word for word in _ELSEWHERE if word[:2] == "--")
_CLIENTS = frozenset(words("asking", "clients"))
_OWN = exceptions("asking")
_SHOWN = {
    program: [command.replace("+", " ") for command in table]
    for program, table in tables("asking", "shows").items()
}
_NARROWED = frozenset(words("asking", "narrowing"))
"""Options by which names are listed, and nothing of what they are set to."""
_QUIET = frozenset(words("asking", "quiet variables"))
_OWN_VARIABLES = words("asking", "variables")
_LED = words("asking", "leading")
_KEPT = frozenset({"directory", "dir", "file", "cache", "output", "log", "dump", "save"})
"""Parts of options' names whose value is a file or a folder of this machine."""
ENDLESS = frozenset({"aws", "gcloud", "az", "oci"})
"""Clients with thousands of commands, whose options nobody lists: those of a look are filters."""
_DEEP = 4
"""How many of the words may be groups and verb."""


def looks_at_service(run: Run) -> bool:
    """Whether a call of such a client only looks at what its service lists."""
    if run.name not in _CLIENTS or run.has(*_ELSEWHERE) or any(map(_leads, run.parsed.unknown)):
        return False
    given = [value.text for value in run.arguments]
    if any(value.text == HOLE or value.hollow for value in run.operands[:_DEEP]):
        return False
    spared = _own_words(run)
    if any(
        _leads_away(text) or (text not in spared and not _PRIVATE.isdisjoint(_pieces(text)))
        for text in given
    ):
        return False
    if shows_values(run) or _is_led(run) or _keeps_aside(run):
        return False
    if any(map(_of_a_host, run.parsed.values("-R", "--repo"))):
        return False
    named = [text for text in (value.text for value in run.operands) if text[:1] != "-"]
    if named and _is_plugin(run.name, named[0]):
        return False
    return bool(named) and (run.name == "stern" or _looks(run, named))


def _is_plugin(name: str, word: str) -> bool:
    """Whether a first word is none of a client's own commands: a plugin, or an extension."""
    table = options.find(name)
    return table is not None and bool(table.top.commands) and word not in table.top.commands


def _own_words(run: Run) -> tuple[str, ...]:
    """Return the words of a command that is known to look, whatever they say: ``auth can-i``."""
    named = tuple([value.text for value in run.operands[:2]])
    return named if " ".join(named) in _OWN.get(run.name, ()) else ()


def _leads(option: str) -> bool:
    """Whether an option that nobody listed is cut short of one that leads elsewhere, or a part of
    its name is the same.
    """
    return any(known.startswith(option) or option.startswith(known) for known in _LONG)


def _leads_away(text: str) -> bool:
    """Whether a word names an address; a bucket is none."""
    scheme, colon, _ = text.partition("://")
    return bool(colon) and scheme.rpartition("=")[2] not in ("s3", "gs")


def _of_a_host(value: Value) -> bool:
    """Whether a repository is named with its host: ``HOST/OWNER/NAME``."""
    host, *names = value.text.split("/")
    return len(names) == len(("owner", "name")) and "." in host.strip(".") and all(names)


def shows_values(run: Run) -> bool:
    """Whether a command shows, among what is listed, what a secret is set to: the environment of a
    container, the values of a release, a state in full.
    """
    if run.name not in _SHOWN or not _NARROWED.isdisjoint(_texts(run)):
        return False
    return any(_is_said(run, command.split()) for command in _SHOWN[run.name]) and not any(
        map(_picks, run.arguments)
    )


def _is_said(run: Run, command: list[str]) -> bool:
    """Whether a command has these words in their order (those of ``az`` behind groups, any of them
    behind the value of an option that nobody listed), and the options anywhere in it.
    """
    named = [value.text for value in run.operands if value.text[:1] != "-"]
    verbs = [word for word in command if word[:1] != "-"]
    rest = iter(named)
    said = all(verb in rest for verb in verbs) and (
        run.name == "az" or not verbs or named[:1] == verbs[:1]
    )
    options = {text.partition("=")[0] for text in _texts(run)}
    return said and options.issuperset([word for word in command if word[:1] == "-"])


def _texts(run: Run) -> list[str]:
    return [value.text for value in run.arguments]


def _picks(value: Value) -> bool:
    """Whether a word picks some of what is listed, and none of it by a name that values have:
    ``{{.State.Status}}``, ``Configuration.Timeout``.
    """
    text = value.text.partition("=")[2] if value.text[:2] == "--" else value.text
    chosen = ("." in text and text[:1].isupper()) or text.startswith("{{")
    small = text.lower().replace(" ", "")
    return chosen and not any(name in small for name in _VALUES)


_VALUES = (
    "env", "variable", "secret", "password", "userdata",
    "json.}}", "json.config}}", "{{.config}}", "{{.}}",
)  # fmt: skip
"""What a word has in it that picks values all the same."""


def _is_led(run: Run) -> bool:
    """Whether a variable leads the client to another service, or to one as somebody else: any that
    stands before it but the few that only say how it looks, and an exported one by its name.
    """
    before = [
        name for name, value in (*run.execution.prefix, *run.execution.inherited) if value.text
    ]
    exported = [name for name in run.walker.state.exported if name not in before]
    return any(name not in _QUIET for name in before) or any(
        name.startswith(_OWN_VARIABLES) and name.endswith(_LED) for name in exported
    )


def _keeps_aside(run: Run) -> bool:
    """Whether an option says that something is kept in a file outside of what was lent."""
    return any(
        not _KEPT.isdisjoint(parts(option)) and _is_outside(run, value.text)
        for option, value in run.parsed.options
    )


def _is_outside(run: Run, text: str) -> bool:
    path = run.context.normal(run.context.at_home(text), run.cwd)
    return "/" in text and (
        path is None or run.context.place(path).location not in (WORKSPACE, TEMP)
    )


def _pieces(text: str) -> list[str]:
    return parts(text.replace("/", " ").replace("=", " ").replace(",", " ").replace("@", " "))


def _looks(run: Run, named: list[str]) -> bool:
    """Whether the verb looks, and no other word of the command changes anything."""
    if named[0] == "api":
        return run.name in ("gh", "glab") and _gets(run)
    own = _OWN.get(run.name, ())
    if any(" ".join(named[:count]) in own for count in (1, 2)):
        return True
    at = next((at for at, word in enumerate(named[:_DEEP]) if _verb(word)), -1)
    return at >= 0 and CHANGING.isdisjoint(named[1:at])


def _verb(word: str) -> bool:
    last = word.rpartition(":")[2]
    lead, hyphen, _ = word.partition("-")
    return last in _LOOKS or (bool(hyphen) and lead in _LEADS)


def _gets(run: Run) -> bool:
    """Whether ``gh api PATH`` is a ``GET`` without fields."""
    return not run.has(
        "-X", "--method", "-f", "-F", "--field", "--raw-field", "--input", "-H", "--header"
    ) and [value.text for value in run.operands][1:2] != ["graphql"]
