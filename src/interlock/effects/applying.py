"""What a program's row says of a call, and what the row's own code adds to it."""

from __future__ import annotations

from interlock.effects.accounted import TALKING, account
from interlock.effects.asking import ENDLESS, looks_at_service, shows_values
from interlock.effects.building import BUILDERS, look_around
from interlock.effects.environment import judge_options
from interlock.effects.expressed import read_calls
from interlock.effects.gathering import NOTHING_FOUND, Read
from interlock.effects.inlinecode import judge_fetched
from interlock.effects.labels import made
from interlock.effects.loading import loads
from interlock.effects.nearby import looks_here
from interlock.effects.optionverbs import unlisted
from interlock.effects.programs import lists
from interlock.effects.programs import table as programs
from interlock.effects.revealing import reveal
from interlock.effects.run import Run
from interlock.effects.telling import only_tells
from interlock.effects.unlistedoptions import of_no_matter, works_here
from interlock.effects.verbwords import CHANGING, parts
from interlock.model.effect import ONLY_LOOKS, ChangesInfrastructure, Executes
from interlock.shell.value import HOLE, LOOKED, UNREAD, Choice, Flow, Value


def apply(run: Run) -> Flow:
    """Add the effects of a command or subcommand; return what it prints."""
    if run.name in BUILDERS:
        look_around(run)
    _doubt(run)
    judge_options(run)
    judge_fetched(run)
    read = run.context.gather(lambda: _described(run))
    flow = made(run.context.take(read))
    more = account(run, read.effects).then(reveal(run, read))
    if run.row.calls:
        more = more.then(run.context.gather(lambda: read_calls(run)))
    run.context.take(more)
    loads(run, (*read.effects, *more.effects))
    looks = flow is LOOKED or (run.name in ENDLESS and looks_at_service(run))
    quiet = looks and not read.effects and not more.effects and _stays(run)
    _doubt_options(run, read, quiet=quiet)
    if run.parsed.unknown and run.name not in TALKING:
        more = more.then(_unlisted(run))
    if all(effect.kind is Executes for effect in (*read.effects, *more.effects)):
        _doubt_verb(run)
    if (
        not read.effects
        and not more.effects
        and run.name not in TALKING
        and any(is_open(value) for value in run.arguments)
    ):
        run.context.doubt(f"what {run.name} is given is not known")
    return flow


def _unlisted(run: Run) -> Read:
    """Add the change that an option says which nobody listed, and return it: ``earthly --push``."""
    found = unlisted(run.parsed.unknown)
    here = any("://localhost" in value.text or "://127." in value.text for value in run.arguments)
    if found is None or here:
        return NOTHING_FOUND
    what, why = f"{run.name} {found.verb}", f"{found.verb}, an option that nobody described"
    effect = run.effect(
        ChangesInfrastructure, what, found.action, "ladder", detail=why, certain=False
    )
    return Read((effect,), UNREAD)


def _doubt_verb(run: Run) -> None:
    """Note a word that changes something elsewhere, or later, where no effect speaks of it: the row
    does not know what it does (``flutter downgrade``, ``dvc push``).
    """
    texts = [value.text for value in run.arguments[:_DEEPEST]]
    if not _STORES.isdisjoint(texts) and not _EMPTIES.isdisjoint(texts):
        run.context.doubt(f"{run.name} empties what every project here uses")
    if run.name in TALKING or run.name in _TOLD_BY_TASK:
        return
    for value in run.operands[:_DEEPEST]:
        word = value.text.lstrip("+:")
        if value.known and (word in _AWAY or _leads_with_loss(word)):
            run.context.doubt(f"what {run.name} {value.text} does is not known")


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


def _described(run: Run) -> Flow:
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
"""Subcommands of package managers whose next word is a command with options of its own (``uv run
pytest -x``).
"""


_TAKES_SCRIPTS = frozenset({"yarn", "yarnpkg", "pnpm", "bun"})
"""Package managers that hand every word behind a script's name to the script (``yarn lint
--fix``).
"""


def _before_command(run: Run, read: Read) -> list[str] | None:
    """Return the words before the command or the project's script that a package manager is given
    to run; None where it is given none.
    """
    operands = run.operands
    scripts = {effect.target for effect in read.effects if "package-script" in effect.traits}
    if operands and operands[0].text in scripts and run.name in _TAKES_SCRIPTS:
        at = next((at for at, value in enumerate(run.arguments) if value is operands[0]), 0)
        return [value.text for value in run.arguments[:at]]
    if (
        len(operands) < len(("run", "command"))
        or operands[0].text not in _HANDING
        or programs.names().get(run.name) != "packages"
    ):
        return None
    at = next((at for at, value in enumerate(run.arguments) if value is operands[1]), 0)
    return [value.text for value in run.arguments[:at]]


_SAID = {
    "pytest": (("-p",), "loads a plugin by its name"),
    "py.test": (("-p",), "loads a plugin by its name"),
    "gnuplot": (("-e",), "runs code"),
    "stow": (("-D", "--delete"), "takes links away"),
    "open": (("-a", "-b", "-n", "-e", "-t"), "starts another program"),
    "git add": (("-f", "--force"), "takes what the project ignores"),
}
"""Options that are known, and prove nothing."""
_FETCHING = frozenset(
    {"build", "buildx", "bake", "pull", "load", "import", "login", "logout", "push"}
)
_CONTROLLING = (
    ":2375",
    ":2376",
    ":2379",
    ":2380",
    ":5984",
    ":6379",
    ":6443",
    ":8001",
    ":8200",
    ":8500",
    ":9200",
    ":10250",
    ":27017",
)
"""Ports at which containers, clusters and stores are told what to do: of Docker, etcd, CouchDB,
Redis, Kubernetes, Vault, Consul, Elastic.
"""


def _stays(run: Run) -> bool:
    """Whether no word names a file outside of what was lent, or an address: the value of an option
    that nobody listed may be written.
    """
    given = [value.text.rpartition("=")[2] for value in run.arguments]
    return not any(text[:1] in ("/", "~") or "../" in text or ":" in text for text in given)


_CHANGES = CHANGING - {"seed"}
"""Verbs in the names of options; a seed is a number there (``--seed 42``)."""


def _doubt_options(run: Run, read: Read, *, quiet: bool) -> None:
    """Note the options that nobody listed. ``quiet``: its section says that this command only
    looks, so that one is noted only where its name is a verb.
    """
    if not run.parsed.unknown:
        return
    own = _before_command(run, read)
    here = _works_here(run)
    for option in run.parsed.unknown:
        small = _CHANGES.isdisjoint(parts(option))
        if own is not None and small and not any(word.startswith(option) for word in own):
            continue
        if only_tells(option) or (quiet and small) or (here and of_no_matter(run, option)):
            continue
        run.context.doubt(f"the option {option.replace(HOLE, '?')} of {run.name} is not known")


def _works_here(run: Run) -> bool:
    """Whether a program works on files of the workspace, or a client does where its word says so
    (``packer validate -var-file=dev.hcl .``).
    """
    word = run.operands[0].text if run.operands else ""
    client = bool(word) and programs.names().get(run.name) == "cloud"
    here = client and not programs.works_elsewhere(run.name, word)
    return works_here(run.name) or here or looks_at_service(run)


def _rehearses(run: Run) -> bool:
    """Whether a client is told to change nothing, or to stay on this machine (``ansible-playbook
    --check``, ``supabase db lint --local``).
    """
    client = programs.names().get(run.name) == "cloud"
    return client and run.has(*_REHEARSALS) and _stays(run)


_REHEARSALS = ("--dry-run", "--dryrun", "--local", "--offline", "--check", "--syntax-check")


def _doubt(run: Run) -> None:
    """Note what is not known of a program though its row is: what it says by its options, and what
    a service elsewhere does.
    """
    if run.has("--host", "--hostname", "--listen", "--expose", "--public"):
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
        and [value.text for value in run.operands[1:2]] not in (["ls"], ["du"], ["version"])
    ):
        run.context.doubt(f"what {run.name} {run.operands[0].text} runs and fetches is not known")
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
