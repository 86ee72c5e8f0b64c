"""What a program's row says of a call, and what the row's own code adds to it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from interlock.data import options
from interlock.data.words import tables
from interlock.effects.amounts import doubt_amounts
from interlock.effects.building import BUILDERS, look_around
from interlock.effects.code_options import doubt_code_of_everybody, loads
from interlock.effects.common_options import ONLY_TELLS
from interlock.effects.embedded_calls import read_calls
from interlock.effects.environment import judge_options
from interlock.effects.gathering import NOTHING_FOUND, ReadResult
from interlock.effects.inline_code import judge_fetched
from interlock.effects.labels import derive_flow
from interlock.effects.local_stores import looks_here
from interlock.effects.named_files import TALKING, account
from interlock.effects.option_verbs import unlisted_change
from interlock.effects.other_folders import doubt_folder, doubt_project
from interlock.effects.programs import lists
from interlock.effects.programs import table as programs
from interlock.effects.revealing import reveal
from interlock.effects.rows import ProgramRow
from interlock.effects.run import Run
from interlock.effects.service_lookups import ENDLESS, looks_at_service, shows_values
from interlock.effects.shown_secrets import doubt_secrets
from interlock.effects.verb_words import CHANGING, bare, parts
from interlock.model.effect import (
    ONLY_LOOKS,
    ChangesInfrastructure,
    ChangesMode,
    Deletes,
    Effect,
    Executes,
    Writes,
)
from interlock.shell.pattern import matches
from interlock.shell.value import HOLE, UNREAD, Choice, Flow, Value


def apply(run: Run) -> Flow:
    """Add the effects of a command or subcommand; return what it prints."""
    if run.name in BUILDERS:
        look_around(run)
    _doubt(run)
    doubt_folder(run)
    doubt_amounts(run)
    doubt_secrets(run)
    judge_options(run)
    judge_fetched(run)
    read = run.context.gather(lambda: _apply_row(run))
    flow = derive_flow(run.context.take(read))
    more = account(run, read.effects).then(reveal(run, read))
    if run.row.calls:
        more = more.then(run.context.gather(lambda: read_calls(run)))
    run.context.take(more)
    loads(run, (*read.effects, *more.effects))
    _doubt_options(run, read)
    doubt_code_of_everybody(run, (*read.effects, *more.effects))
    doubt_project(run, (*read.effects, *more.effects))
    if run.parsed.unknown and run.name not in TALKING:
        more = more.then(_add_unlisted_change(run))
    if all(effect.kind is Executes for effect in (*read.effects, *more.effects)):
        _doubt_verb(run)
        _plugin(run)
    _doubt_beyond(run)
    _doubt_links(run, (*read.effects, *more.effects))
    if (
        not read.effects
        and not more.effects
        and run.name not in TALKING
        and any(is_open(value) for value in run.arguments)
    ):
        run.context.doubt(f"what {run.name} is given is not known")
    return flow


def _add_unlisted_change(run: Run) -> ReadResult:
    """Add the change that an option says which nobody listed, and return it: ``earthly --push``."""
    found = unlisted_change(run.parsed.unknown)
    here = any("://localhost" in value.text or "://127." in value.text for value in run.arguments)
    if found is None or here:
        return NOTHING_FOUND
    what, why = f"{run.name} {found.verb}", f"{found.verb}, an option that nobody described"
    effect = run.effect(
        ChangesInfrastructure, what, found.action, "ladder", detail=why, certain=False
    )
    return ReadResult((effect,), UNREAD)


def _doubt_verb(run: Run) -> None:
    """Note a word that changes something elsewhere, or later, where no effect speaks of it: the row
    does not know what it does (``flutter downgrade``, ``dvc push``).
    """
    texts = [value.text for value in run.arguments[:_DEEPEST]]
    if not _STORES.isdisjoint(texts) and not _EMPTIES.isdisjoint(texts):
        run.context.doubt(f"{run.name} empties what every project here uses")
    if run.name in _TOLD_BY_TASK:
        for task in _tasks_by_option(run):
            run.doubt_task(task)
    if run.name in TALKING or run.name in _TOLD_BY_TASK or run.name == "git stash":
        return
    for value in _verbs(run):
        word = value.text.lstrip("+:")
        away = word in _AWAY or _leads_with_loss(word) or word.startswith(_ACTS)
        if value.known and away:
            run.context.doubt(f"what {run.name} {value.text} does is not known")


def _doubt_beyond(run: Run) -> None:
    """Note a word, or an option, by which a program is known to reach beyond the workspace,
    whatever else it does (``west debug``, ``./gradlew installDebug``, ``pytest --pastebin=all``).
    """
    beyond = _BEYOND.get(_SAME.get(run.name, run.name), ())
    for value in _verbs(run) if beyond else ():
        named = (value.text, value.text.rpartition(":")[2])
        if value.known and any(matches(one, name) for one in beyond for name in named):
            run.context.doubt(f"what {run.name} {value.text} does is not known")
    properties = [value.text for value in run.words if value.text[:2] == "-D"]
    told = [one for one in beyond if one[:2] == "-D" and any(map(_begins(one), properties))]
    for name in [*told, *[one for one in beyond if one[:1] == "-" and run.has(one)]]:
        run.context.doubt(f"what {run.name} {name} does is not known")


def _begins(name: str) -> Callable[[str], bool]:
    """Return whether a text is a property of this name: ``-DarchetypeGroupId=x``."""
    return lambda text: text.startswith(name)


def _doubt_links(run: Run, told: tuple[Effect, ...]) -> None:
    """Note that a search or a walk goes through links, and changes what lies behind them, wherever
    that is.
    """
    words = [value.text for value in run.words]
    options = _THROUGH_LINKS.get(run.name, frozenset())
    joined = [one for one in options if one[:2] == "--" or len(one) == len("-L")]
    follows = not options.isdisjoint(words) or run.has(*joined)
    if follows and any(one.kind in (Deletes, Writes, ChangesMode) for one in told):
        run.context.doubt(f"where the links lead that {run.name} follows is not known")


_THROUGH_LINKS = {
    "find": frozenset({"-L", "-follow"}),
    "rsync": frozenset({"-L", "--copy-links", "--copy-unsafe-links", "-k", "--copy-dirlinks"}),
    **dict.fromkeys(("fd", "fdfind"), frozenset({"-L", "--follow"})),
    **dict.fromkeys(("chmod", "chown", "chgrp", "setfacl"), frozenset({"-L", "-RL", "-H"})),
}


def _verbs(run: Run) -> list[Value]:
    """Return the words that may say what is done: the first operands, words before them, values of
    options that name a task.
    """
    given = [value for name, value in run.parsed.options if not _NAMING.isdisjoint(parts(name))]
    return [*run.operands[:_DEEPEST], *_before_operands(run), *given[:_DEEPEST]]


def _tasks_by_option(run: Run) -> list[str]:
    """Return the tasks of the project that an option names: ``nx affected -t lint,test``."""
    given = [value for name, value in run.parsed.options if not _NAMING.isdisjoint(parts(name))]
    return [task for value in given[:_DEEPEST] for task in value.text.split(",")]


_BEYOND = {name: tuple(found) for name, found in tables("verbs", "beyond").items()}
_SAME = {"gradlew": "gradle", "mvnw": "mvn", "py.test": "pytest"}
_NAMING = frozenset("t target task goal action operation command job".split())
"""Parts of options' names whose value says what is done."""
_ACTS = ("upload", "publish", "deploy", "flash", "erase")
"""What words begin with that act elsewhere, whatever follows (``uploadfs``)."""


def _plugin(run: Run) -> None:
    """Read the program that a first word starts which is none of the commands (``cargo nextest`` is
    ``cargo-nextest``); note one that nobody described: a plugin that somebody installed.
    """
    word = run.operands[0] if run.operands and run.name in _STARTING else None
    if word is None:
        return
    name, at = f"{run.name}-{word.text}", run.arguments.index(word)
    table = options.find(run.name)
    if programs.find(name) is not None:
        run.command([Value(name, word.start, word.end), *run.arguments[at + 1 :]])
    elif table is not None and word.text not in table.top.commands and bare(word.text):
        run.context.doubt(f"what {run.name} {word.text} does is not known")


_STARTING = frozenset({"cargo", "dotnet", "poetry"})
"""Programs that start ``NAME-WORD`` for a word that is none of their own commands."""


def _before_operands(run: Run) -> list[Value]:
    """Return the values of options that stand before the first operand: where a list takes a flag
    for an option with a value, one of them is the verb.
    """
    first = run.operands[0] if run.operands else None
    at = next((at for at, value in enumerate(run.arguments) if value is first), _DEEPEST)
    return [value for value in run.arguments[: min(at, _DEEPEST)] if value.text[:1] != "-"]


def _leads_with_loss(word: str) -> bool:
    """Whether a word of several parts begins with a verb that loses: ``expire-generations``."""
    pieces = word.split("-")
    return len(pieces) > 1 and pieces[0] in _LOSES and "." not in word and "/" not in word


_LOSES = frozenset("expire delete remove destroy purge wipe drop erase reset revoke".split())
_DEEPEST = 4
_STORES = frozenset({"cache", "store", "-modcache", "--modcache", "caches"})
_EMPTIES = frozenset({"clean", "prune", "clear", "rm", "purge", "gc", "remove"})
_MINE = frozenset(
    "clean revert add init test run update upgrade set edit move rename create install link cloud"
    " driver apply restore merge attach clear empty stop lock submit send cancel load seed".split()
)
_AWAY = CHANGING.union(("repair", "abandon", "token", "switch")).difference(_MINE)
"""Verbs that mean a change of more than the workspace wherever nothing more is known."""
_TOLD_BY_TASK = frozenset(
    "make gmake bmake just task rake invoke npm yarn pnpm bun gradle gradlew mvn ant grunt gulp nx"
    " turbo tmux man tldr git".split()
)
"""Programs whose words are the project's own tasks, and pages of a manual."""


def _apply_row(run: Run) -> Flow:
    """Add what the row says, and what its own reader does."""
    flow = (
        run.spoken(lambda: _by_its_reader(run)) if run.row.read is not None else _by_its_roles(run)
    )
    if run.name in lists.OPTIONS:
        lists.read_lists(run)
    return flow


def _by_its_reader(run: Run) -> Flow | None:
    _effects(run)
    return run.row.read(run) if run.row.read is not None else None


def _by_its_roles(run: Run) -> Flow:
    _effects(run)
    _roles(run)
    return Flow(None, frozenset(run.row.prints.split()) | run.input_labels())


def _roles(run: Run) -> None:
    """Give each word what its row says of it; ``operands subcommand``: the row of that says it."""
    words = run.operands
    if run.row.operands != "subcommand" or not words:
        run.roles()
        return
    below = programs.below(run.name, words[0].text)
    if below is None:
        run.context.doubt(f"what {run.name} {words[0].text} does is not known")
    else:
        run.inside(words, words[0].text, below).roles()


def _effects(run: Run) -> None:
    for word in run.row.effects.split():
        kind, _, traits = word.partition(":")
        run.effect(programs.kind(kind), run.name, *[trait for trait in traits.split(",") if trait])


def is_open(value: Value) -> bool:
    """Whether a word may be anything, and any number of words, options among them."""
    return value.text == HOLE and not isinstance(value, Choice)


_HANDING = frozenset({"run", "exec", "x", "dlx"})
"""Subcommands of package managers with a command of own options next (``uv run pytest -x``)."""


_TAKES_SCRIPTS = frozenset({"yarn", "yarnpkg", "pnpm", "bun"})
"""Package managers handing words behind a script's name to it (``yarn lint --fix``)."""


def _before_command(run: Run, read: ReadResult) -> list[str] | None:
    """Return the words before the command or the project's script that a package manager is given
    to run; None where it is given none.
    """
    operands = run.operands
    word = operands[0].text if operands else ""
    if run.name in _STARTING and programs.find(f"{run.name}-{word}") is not None:
        return _words_before(run, operands[0])  # the plugin's own row knows its options
    scripts = {effect.target for effect in read.effects if "package-script" in effect.traits}
    if word in scripts and run.name in _TAKES_SCRIPTS:
        return _words_before(run, operands[0])
    if len(operands) < len(("run", "command")) or word not in _HANDING or not _hands_on(run):
        return None
    return _words_before(run, operands[1])


def _hands_on(run: Run) -> bool:
    """Whether ``run`` of a program is followed by another one with options of its own."""
    return programs.names().get(run.name) == "packages" or run.name in ("dart", "fvm")


def _words_before(run: Run, word: Value) -> list[str]:
    at = next((at for at, value in enumerate(run.arguments) if value is word), 0)
    return [value.text for value in run.arguments[:at]]


_SAID = {
    "pytest": (("-p",), "loads a plugin by its name"),
    "pylint": (("--load-plugins",), "loads a plugin by its name"),
    "py.test": (("-p",), "loads a plugin by its name"),
    "sphinx-build": (("-D",), "is told other settings"),
    "gnuplot": (("-e",), "runs code"),
    "stow": (("-D", "--delete"), "takes links away"),
    "open": (("-a", "-b", "-n", "-e", "-t"), "starts another program"),
    "curl": (("-n", "--netrc", "--netrc-optional"), "sends a password that is kept"),
    "ffmpeg": (("-stream_loop",), "goes on without end"),
    "renice": (("-p", "--pid", "-g", "--pgrp", "-u", "--user"), "is told of what runs already"),
    "yq": (("-s", "--split-exp"), "writes files of names that it makes up"),
    "git add": (("-f", "--force"), "takes what the project ignores"),
}
"""Options that are known, and prove nothing."""
_FETCHING = frozenset(
    {"build", "buildx", "bake", "pull", "load", "import", "login", "logout", "push"}
)
_LISTED = frozenset({"ls", "du", "version", "inspect"})
"""What is looked at of builders, and of what they keep."""
_CONTROLLING = tuple(
    ":2375 :2376 :2379 :2380 :5984 :6379 :6443 :6800 :8001 :8200 :8500 :9200 :10250 :27017".split()
)
"""Ports at which containers, clusters and stores are told what to do: of Docker, etcd, CouchDB,
Redis, Kubernetes, Vault, Consul, Elastic.
"""


def _stays(run: Run) -> bool:
    """Whether no word names a file outside of what was lent, or an address: the value of an option
    that nobody listed may be written.
    """
    given = [value.text.rpartition("=")[2].removeprefix("s3://") for value in run.arguments]
    return not any(text[:1] in ("/", "~") or "../" in text or ":" in text for text in given)


def _doubt_options(run: Run, read: ReadResult) -> None:
    """Note the options that nobody listed, but those that stand behind a command, or a script of
    the project, that is handed them, and the filters of a client whose options have no end.
    """
    unlisted_options = [*run.parsed.unknown, *_unlisted_below(run)]
    if not unlisted_options:
        return
    own = _before_command(run, read)
    filters = run.name in ENDLESS and looks_at_service(run)
    for option in unlisted_options:
        if option in ONLY_TELLS:
            continue
        handed = own is not None and not any(word.startswith(option) for word in own)
        if (handed or (filters and _stays(run))) and _CHANGES.isdisjoint(parts(option)):
            continue
        run.context.doubt(f"the option {option.replace(HOLE, '?')} of {run.name} is not known")


def _unlisted_below(run: Run) -> list[str]:
    """Return the options that nobody listed of a subcommand, where its words are left to the
    program's own reader: ``docker ps --frobnicate``.
    """
    words = []
    if run.row.operands == "subcommand":
        words = [word for word in run.operands if word in run.arguments]
    if not words:
        return []
    name = "docker" if programs.names().get(run.name) == "containers" else run.name
    rows = [programs.below(name, word.text) for word in words[:2]]
    row = next((row for row in rows if row is not None), _WORDS)
    return run.inside(words, words[0].text, row).parsed.unknown


_WORDS = ProgramRow(operands="data*")
_CHANGES = CHANGING - {"seed"}
"""Verbs in the names of options; a seed is a number there (``--seed 42``)."""


def _rehearses(run: Run) -> bool:
    """Whether a client is told to change nothing, or to stay on this machine (``ansible-playbook
    --syntax-check``, ``supabase db lint --local``).
    """
    client = programs.names().get(run.name) == "cloud"
    if run.name == "ansible-playbook" and not run.has("--syntax-check"):
        return False  # what it would change it finds out on the machines themselves
    return client and run.has(*_REHEARSALS) and _stays(run)


_REHEARSALS = ("--dry-run", "--dryrun", "--local", "--offline", "--check", "--syntax-check")


def _is_open_to_all(run: Run) -> bool:
    """Whether a word is the address by which a server listens to every machine."""
    given = [value.text.rpartition("=")[2].rpartition("/")[2] for value in run.words]
    return run.name not in TALKING and any(text.startswith(_EVERYBODY) for text in given)


def _may_listen(run: Run) -> bool:
    """Whether an option says where a server listens, and none that it is this machine alone."""
    if not run.has(*_LISTENING):
        return False
    words = [value.text for value in run.words]
    given = [after for word, after in pairwise(words) if word in _LISTENING]
    given += [word.partition("=")[2] for word in words if word.startswith(_LISTENING_AT)]
    return not given or not all(text.startswith(_THIS_MACHINE) for text in given)


_LISTENING = ("--host", "--hostname", "--listen", "--expose", "--public")
_LISTENING_AT = tuple([f"{name}=" for name in _LISTENING])
_THIS_MACHINE = ("127.0.0.1", "localhost", "[::1]", "::1")
_EVERYBODY = ("0.0.0.0", "[::]")  # noqa: S104 - words of a command


_KEPT = frozenset("secret secrets credential credentials token tokens password passwords".split())
"""Parts of commands that are about what nobody may see (``credentials:show``)."""


def _doubt(run: Run) -> None:
    """Note what is not known of a program though its row is: what it says by its options, and what
    a service elsewhere does.
    """
    if _may_listen(run) or _is_open_to_all(run):
        run.context.doubt(f"{run.name} may listen where others reach it")
    told = _SAID.get(run.name)
    if (
        told is not None
        and run.has(*told[0])
        and not any(value.text.startswith("no:") for value in run.parsed.values(*told[0]))
    ):
        run.context.doubt(f"{run.name} {told[1]}")
    if (
        programs.names().get(run.name) == "containers"
        and run.operands
        and run.operands[0].text in _FETCHING
        and _LISTED.isdisjoint([value.text for value in run.operands[1:2]])
    ):
        run.context.doubt(f"what {run.name} {run.operands[0].text} runs and fetches is not known")
    named = [
        part for value in run.operands[:_DEEPEST] if bare(value.text) for part in parts(value.text)
    ]
    if run.name not in TALKING and not _KEPT.isdisjoint(named):
        run.context.doubt(f"{run.name} may show what is secret")
    if shows_values(run):
        run.context.doubt(f"{run.name} may show what secrets are set to")
    ports = [value.text for value in run.arguments if ":" in value.text]
    if any(port in text for text in ports for port in _CONTROLLING):
        run.context.doubt("what answers at that port controls more than the workspace")
    if (
        not looks_here(run)
        and programs.works_elsewhere(run.name, run.operands[0].text if run.operands else "")
        and not run.has("--help", "--version")
    ):
        looks = looks_at_service(run) or _rehearses(run)
        run.context.doubt(f"{run.name} {ONLY_LOOKS if looks else 'asks a service elsewhere'}")
