"""What the words of a command line say when nobody described the program: a verb that changes
something, or one that only looks.

Command lines of our time are built alike: ``PROGRAM [GROUP] VERB [NAME]``, ``PROGRAM GROUP:VERB``,
``PROGRAM VERB-THING``, ``PROGRAM --delete NAME``. Only the first bare words are a command; names of
files, quoted sentences and values of options are not.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.option_verbs import by_option
from interlock.effects.raising import (
    CACHES,
    LOSING,
    PRODUCTION,
    RESOURCES,
    WITHOUT_ASKING,
    in_production,
    is_number,
    is_serious,
)
from interlock.effects.showing import asks_to_reveal, keeper_shows, reveals
from interlock.effects.verb_words import (
    LOOKS,
    MAX_DEPTH,
    NEGATED,
    STRONGLY,
    bare,
    parts,
    verb_of,
)
from interlock.effects.worded_change import DATABASES, EMPTYING, WordedChange, empties
from interlock.shell.value import HOLE, Value

OWN = frozenset(words("verbs", "own"))
GLUED = tuple(
    f"{verb}{thing}"
    for verb in "rm del delete remove destroy erase wipe dlt".split()
    for thing in list(words("verbs", "glued"))
)
LOST = words("verbs", "lost")
WATCHING = frozenset(words("verbs", "watching"))
STOPPING = frozenset(words("verbs", "stopping"))


_PEOPLE = frozenset(
    "user users account accounts member members admin admins role roles owner owners collaborator"
    " permission policy key keys".split()
)
"""Who or what may be let in: words that make ``add`` more than a line of one's own."""
_EVERYDAY = frozenset(
    "clean revert add gc write put pub call close resolve silence mute toggle trigger".split()
)
"""Of the mild verbs, those that say nothing where nothing raises them."""

_TASKS = frozenset(words("verbs", "tasks"))
_DRY = frozenset(
    "--dry-run --dryrun --dry_run --dry --what-if --whatif --simulate --no-op --noop --preview"
    " --plan --help --version".split()
)
_NAMED = frozenset(("--plan", "--preview", "--dry"))
"""Of those, what may take a name elsewhere (``create --plan basic``): only if no word follows."""
_FLAGS = frozenset(
    "-v -vv -y -f -q -d --verbose --debug --yes --force --quiet --json --no-color --no-input"
    " --non-interactive --silent --trace --color --all".split()
)
"""Options before a verb that take no value; after another one the next word may be its value."""
_NO_VERBS = frozenset({"reset", "tset", "dbus-send"})
"""Programs whose name reads like a verb, and means something small (a terminal set right)."""
SAYS = frozenset(words("verbs", "says"))


def task_of(task: str, arguments: list[Value], *, far: bool) -> WordedChange | None:
    """Return what the name of a project's task says, where it goes into production or takes down
    what is there; None for every other.

    ``far``: its surroundings say that it goes into production.
    """
    pieces = parts(task.replace("/", " "))
    ruins = next((piece for piece in pieces if piece in _RUINS), None)
    if ruins is None and not DATABASES.isdisjoint(pieces):
        ruins = next((piece for piece in pieces if piece in EMPTYING or piece == "reset"), None)
    if ruins is not None and NEGATED.isdisjoint(pieces):
        return WordedChange("delete", ruins, mild=False)
    far = far or not PRODUCTION.isdisjoint(pieces) or in_production(arguments)
    verb = (
        next(
            (
                piece
                for piece in pieces
                if piece in STRONGLY and (piece not in _OFTEN_LOCAL or in_production(arguments))
            ),
            None,
        )
        if far
        else None
    )
    if verb is None or not NEGATED.isdisjoint(pieces):
        return by_option(arguments, looks=False) if far else None
    return WordedChange(STRONGLY[verb], verb, mild=False)


_OFTEN_LOCAL = frozenset({"send", "reset", "release"})
"""Verbs in the names of tasks that mean something of the workspace as often."""


def stem(path: str) -> str:
    """Return the name of a script without its folder and its ending."""
    return path.rpartition("/")[2].partition(".")[0]


def names_store(task: str) -> bool:
    """Whether the name of a task says that it is about a database."""
    return not DATABASES.isdisjoint(parts(task))


def names_ruin(task: str) -> bool:
    """Whether the name of a task says that what is there is taken down."""
    return not _RUINS.isdisjoint(parts(task))


def unclear(task: str) -> str:
    """Return the word of a task's name by which it may do more than build and test: ``release``,
    ``publish:all``, ``db:seed``; ``""`` for every other.
    """
    pieces = parts(task.replace("/", " "))
    if not NEGATED.isdisjoint(pieces) or not LOOKS.isdisjoint(pieces):
        return ""
    if "release" in pieces and pieces[0] != "release":
        pieces.remove("release")  # ``prepare_release``, ``build:release``
    return next((piece for piece in pieces if piece in STRONGLY or piece in EMPTYING), "")


_RUINS = frozenset({"destroy", "nuke", "teardown", "wipe"})


def parse_order(name: str, text: str) -> WordedChange | None:
    """Return what a text loses that a client takes as one order: ``-c 'delete queue x'``, ``CLEAR
    QLOCAL(Q1)``; None for any other text.
    """
    for line in text.replace(";", "\n").split("\n"):
        words = line.replace("(", " ").split()[:MAX_DEPTH]
        plain = [word.lower() for word in words if bare(word)]
        if name in SAYS or not plain or plain[0] in LOOKS:
            continue
        if plain[0] in _STATEMENTS:
            continue
        found = next(
            (word for word in plain[:2] if (verb_of(word) or ("", True)) == ("delete", False)), None
        )
        if found is not None or plain[0] in _ORDERS or (len(plain) > 1 and plain[1] in _ORDERS):
            return WordedChange("delete", found or plain[0], mild=False)
    return None


_STATEMENTS = frozenset(
    "select with insert echo print return if for while import from let var const def".split()
)
"""First words of texts that are no orders."""
_ORDERS = frozenset("stop shutdown restart reboot clear flush halt poweroff reload".split())
"""Orders of servers that are given as texts."""


def find_change(name: str, arguments: list[Value], *, own: bool = False) -> WordedChange | None:
    """Return the change that a command line tells of, or None. ``own``: a script of the workspace,
    whose words are the project's.
    """
    if name in SAYS or _only_tells(arguments):
        return None
    words = _command(arguments)
    found = _by_name(name) if not own or in_production(arguments) else None
    if name.endswith("-submit") and any("local" in value.text for value in arguments):
        found = None  # spark-submit --master local[2]: a job of this machine
    found = found or _by_words(
        [
            word
            for at, word in enumerate(words)
            if word != "rm" or not _names_files(arguments) or _of_thing(words[:at], arguments)
        ],
        sum(value.text[:1] != "-" for value in arguments),
    )
    if found is None or found.mild:
        found = by_option(arguments, looks=not LOOKS.isdisjoint(words)) or found
    shown = reveals(words) or keeper_shows(name, words) or asks_to_reveal(arguments)
    if shown and (found is None or found.mild):
        return WordedChange("secret-access", shown, mild=False)
    if (
        found is None
        or _is_noun(found, words)
        or (found.verb == "add" and _PEOPLE.isdisjoint(words))
    ):
        return None
    if found.mild:
        watched = not WATCHING.isdisjoint(parts(name)) and found.verb in STOPPING
        found.mild = not watched and not is_serious(
            found.verb, found.action, words, arguments, name
        )
    if empties(found):
        found.mild = False
        return found
    if found.verb == "push" and "git" in words:
        found.mild = True  # a wrapper of git, which is read as git besides
    before = words[: words.index(found.verb)] if found.verb in words else []
    named = _names_task(before) and not in_production(arguments)
    named = named and not _goes_ahead(found, arguments)
    small = name in OWN and not _PUBLISHING.intersection(parts(found.verb))
    found.mild = found.mild or (own and not _far(found, words, arguments)) or named or small
    return None if found.mild and found.verb.lower() in _EVERYDAY else found


def _names_task(before: list[str]) -> bool:
    """Whether one of the words before a verb says that the next is a name, or a setting of one's
    own; that of a cluster is none (``cluster config set``).
    """
    at = next((at for at, word in enumerate(before) if word in _TASKS), -1)
    return at >= 0 and _FAR_THINGS.isdisjoint(
        piece for word in before[:at] for piece in parts(word)
    )


_FAR_THINGS = frozenset(
    "cluster server instance broker database db account tenant fleet device org organization"
    " domain zone".split()
)


def _goes_ahead(found: WordedChange, arguments: list[Value]) -> bool:
    """Whether something is lost without a question: ``tasks clear x -y``, ``serve down --all``,
    ``run wipe --force``.
    """
    texts = frozenset(value.text for value in arguments)
    if found.verb in LOSING - _EVERYDAY:
        return not _YES.isdisjoint(texts) or (found.verb in _ENDS_RUNNING and "--all" in texts)
    return found.strong and found.action == "delete" and not WITHOUT_ASKING.isdisjoint(texts)


_ENDS_RUNNING = frozenset("cancel kill stop abort terminate".split())
_YES = frozenset({"-y", "--yes", "-ay", "-ya"})
_PUBLISHING = frozenset({"publish", "deploy", "upload"})
"""What leaves the machine, whoever's program does it."""


def _far(found: WordedChange, words: list[str], arguments: list[Value]) -> bool:
    """Whether the words of a script of the workspace reach beyond it, into production or to all."""
    near = [piece for word in words for piece in parts(word)]
    every = "all" in near or any(value.text == "--all" for value in arguments)
    return in_production(arguments) or (
        found.action == "delete" and every and not CACHES.intersection(near)
    )


def _only_tells(arguments: list[Value]) -> bool:
    """Whether an option or the last word asks for help, a version or a rehearsal."""
    for at, value in enumerate(arguments):
        option, _, given = value.text.partition("=")
        named = option in _NAMED and at + 1 < len(arguments) and arguments[at + 1].text[:1] != "-"
        if option in _DRY and not named and given not in ("false", "none", "0", "no"):
            return True
        if option == "--":
            return False
    return bool(arguments) and arguments[-1].text in ("-h", "-V", "help")


def _command(arguments: list[Value]) -> list[str]:
    """Return the bare words that may be groups and verb."""
    words: list[str] = []
    before = ""
    for at, value in enumerate(arguments):
        text = value.text
        if text == "--" or sum(not _thing(word) for word in words) == MAX_DEPTH:
            break
        if text[:1] == "-":
            before = text
            continue
        text = text.removeprefix("+")  # ``steamcmd +app_uninstall 1``
        valued = before[:1] == "-" and "=" not in before and before not in _FLAGS
        before = ""
        following = arguments[at + 1].text if at + 1 < len(arguments) else ""
        valued = valued and not (text in STRONGLY and following.removesuffix("s") in RESOURCES)
        if not valued and bare(text):
            words.append(text)
        elif not valued and not _addresses(text) and not (words and _names(words[-1], text)):
            break
    return words


def _thing(word: str) -> bool:
    """Whether a word names a kind of thing, alone or as a part: groups of commands are called so
    (``iam role-binding create``).
    """
    return any(piece.removesuffix("s") in RESOURCES for piece in parts(word))


def _names(thing: str, text: str) -> bool:
    """Whether a word is the name of one of the kind of things that the word before it says: ``zone
    example.com records delete``.
    """
    return _thing(thing) and " " not in text and HOLE not in text


def _addresses(text: str) -> bool:
    """Whether a word only says which one is meant: ``0``, ``slot=0``, ``/c0/v1``."""
    kind, slash, name = text.partition("/")
    return (
        text.isdigit()
        or is_number(text)
        or (slash and name and kind.removesuffix("s") in RESOURCES)  # ``hosts/web01``
        or ("=" in text and " " not in text)
        or (text[:1] == "/" and "." not in text and len(text) < len("/c0/eall/sall"))
    )


def _by_name(name: str) -> WordedChange | None:
    """Return the change that the program's name tells: ``deploy``, ``delete-user``, ``db_drop``."""
    name = name.removesuffix(".sh")
    lost = name.endswith(LOST) and len(name) > len("wipefs") and name not in _NO_VERBS
    if name.endswith(GLUED) or lost:
        return WordedChange("delete", name, mild=False)
    pieces = parts(name)
    ends = name if len(pieces) <= MAX_DEPTH else pieces[-1]
    found = verb_of(ends) if "." not in name and name not in _NO_VERBS else None
    return WordedChange(found[0], name, mild=False) if found is not None and not found[1] else None


def _by_words(words: list[str], operands: int) -> WordedChange | None:
    """Return the first change among the words; a word that only looks ends the search.
    ``operands``: how many words there are, names of things among them.
    """
    mild: WordedChange | None = None
    for at, word in enumerate(words):
        if _is_group_of(word, words[at + 1 : at + 2]) and operands > at + 2:
            continue
        if _is_group_of(word, words[at + 2 : at + 3]) and operands == at + len(words[at:]):
            continue  # ``view users drop``
        if word.lower() in LOOKS or word.lower().startswith("can-"):
            break
        found = verb_of(word) if word not in _WHOLE else ("modify", False)
        if word in EMPTYING and at and not DATABASES.isdisjoint(parts(words[at - 1])):
            found = ("delete", False)  # ``migrate fresh`` is ``migrate:fresh``
        if found is not None and not found[1]:
            return WordedChange(found[0], word, mild=False)
        if found is not None and mild is None:
            mild = WordedChange(found[0], word, mild=True)
    return mild


def _is_group_of(word: str, after: list[str]) -> bool:
    """Whether a word that looks is a group of commands: a verb that loses stands right behind it,
    and what is lost behind that (``version delete ID``, ``log purge NAME``).
    """
    return word in _GROUPS and any(STRONGLY.get(one) == "delete" for one in after)


_GROUPS = frozenset(
    "version log logs report history query watch list balance receipt preview view".split()
)
_WHOLE = frozenset({"flash", "burn"})
"""Verbs that are one only as a word of its own: ``flash_id`` looks."""


def _of_thing(before: list[str], arguments: list[Value]) -> bool:
    """Whether ``rm`` follows a kind of thing (``repo rm a/b``), or before one (``rm user/bob``)."""
    named = [value.text.partition("/")[0] for value in arguments if "/" in value.text[1:]]
    things = RESOURCES | _OF_REGISTRIES
    return any(word.removesuffix("s") in things for word in before[-1:] or named[:1])


_OF_REGISTRIES = frozenset({"tag", "image", "manifest", "artifact", "blob", "chart"})


def _names_files(arguments: list[Value]) -> bool:
    """Whether an argument looks like a path: ``in-container rm build/a.o`` removes a file, and is
    read as that command.
    """
    texts = [value.text for value in arguments]
    named = arguments[texts.index("rm") + 1 :] if "rm" in texts else arguments
    return any(
        ("/" in value.text or "." in value.text or value.pattern) and not _is_reference(value.text)
        for at, value in enumerate(named)
        if not at or named[at - 1].text[:2] != "--"
    )


def _is_reference(text: str) -> bool:
    """Whether a word names something of a registry or another machine: ``host/app:tag``, ``s3://b``,
    ``app@sha256:0a``.
    """
    return "://" in text or "@" in text or ":" in text.rpartition("/")[2]


def _is_noun(found: WordedChange, words: list[str]) -> bool:
    """Whether a seeming verb names a looked-at thing: ``deploy list``, ``deploy-key show``."""
    if found.action != "modify" or found.verb not in words:
        return False
    after = words[words.index(found.verb) + 1 :]
    return bool(after) and after[0].lower() in LOOKS
