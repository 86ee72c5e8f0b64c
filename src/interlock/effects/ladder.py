"""The unknown-program ladder: what a program that nobody described may do, told from its words alone, step by step.

(a) a word that names a device, a secret, or a file of the guard or the system that would be written; (b) a verb that changes something;
(c) a word that is itself a command, or a text of code; (d) an address, a tunnel or a port; (e) else nothing.
Each effect is only possible (but of a command behind ``--``) and carries the trait ``ladder``: what is caught so can be told from what the
table catches.
"""

from __future__ import annotations

from interlock.effects.programs import table as programs
from interlock.effects.spoken import statements
from interlock.effects.verbs import SAYS, said
from interlock.model.effect import DEVICE, GUARD, SECRET, SINK, SYSTEM, ChangesInfrastructure, Connects, Listens, Reads, Sends, Writes
from interlock.shell.value import FILE, HOLE, OUTPUT, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run
    from interlock.effects.verbs import Said

TRAIT = "ladder"
MAX_WORDS = 256
_RUNNABLE = frozenset({"files", "search", "wrappers", "privilege", "interpreters", "disks"})
"""Families of programs whose name among the words may start a command anywhere: ``in-container rm -rf /``."""
_ACTING = _RUNNABLE | {"git", "cloud", "containers", "clusters", "databases", "netshell", "netweb", "services", "processes", "accounts"}
"""Families whose name may start a command after ``--``, or where another program is run by name."""
_CODE = frozenset("-c -e --exec --execute --command --cmd --run --shell --eval -x --on-change --hook --pre --post".split())
_WRITES = frozenset("-o -w --output --out --outfile --output-file --dest --destination --target --write --install-dir --prefix --save --to".split())
_OWN_KEYS = ("-key", "cert", "identity", "config", "credential", "netrc", "auth", "-ca", "--private", "keyring", "profile")
"""Parts of an option's name that say the program uses the file for itself; ``-i`` is an identity as well."""
_PLAIN_DEVICES = tuple(
    [f"/dev/{name}" for name in "tty cu. video snd input dri nvidia kvm i2c spidev gpio usb hidraw serial rtc net/ fuse pts".split()]
)
"""Devices that ordinary work speaks to: serial lines, cameras, sound, graphics."""
_LOOKUPS = ("which", "command -v", "command -V", "type -p", "type -P", "whence", "hash -t", "xcrun", "realpath", "readlink")
"""Commands that say where a program lies."""
_OPENS = frozenset("--tunnel --expose --funnel --public --share --reverse --ngrok".split())
_CARRIED = frozenset({"secret", "workspace", "outside"})
"""Labels of files that matter when they are sent."""
_LISTENS = frozenset("--listen -listen --bind --listen-address --serve".split())


def climb(run: Run) -> None:
    """Add what the words of a program that nobody described tell."""
    context = run.context
    if context.supposed:
        return
    first = len(context.effects)
    if _hidden(run):
        run.unknown_code(OUTPUT, "unknown-program")
        context.effects[-1] = context.effects[-1].replace(certain=False)
    context.supposed = True
    try:
        _words(run)
        statements(run)
        _change(run)
        _network(run)
    finally:
        context.supposed = False
    context.effects[first:] = [effect.replace(traits=effect.traits | {TRAIT}) for effect in context.effects[first:]]
    _unfollowed(run)


def _hidden(run: Run) -> bool:
    """Whether the program's name is worked out by another command, though nobody looks it up: `` `printf my%s tool` ``.

    A name that is known so is judged like one that is written out; one that means nothing to the guard was hidden on purpose.
    """
    word = run.execution.argv[0]
    if "/" in word.text:
        return False
    source = run.walker.texts[run.execution.text].text[word.start : word.end]
    return ("$(" in source or "`" in source) and not any(lookup in source for lookup in _LOOKUPS)


def _words(run: Run) -> None:
    """Steps (a) and (c), word by word."""
    before = ""
    for index, word in enumerate(run.arguments[:MAX_WORDS]):
        if run.name not in SAYS:
            _command(run, word, run.arguments[index:], before)
        _place(run, word, before)
        before = word.text


def _unfollowed(run: Run) -> None:
    """Say that words stayed unread, if any of them may start a command."""
    if run.reader.guesses >= 0 and len(run.arguments) <= MAX_WORDS:
        return
    names = programs.names()
    rest = run.arguments[MAX_WORDS:] if run.reader.guesses >= 0 else run.arguments
    if any(names.get(word.text.rpartition("/")[2]) in _RUNNABLE for word in rest):
        run.context.opaque("more words that may be commands than can be followed", run.span(), "too-much")


# -- (c) commands and code ------------------------------------------------------------------------------------


def _command(run: Run, word: Value, words: list[Value], before: str) -> None:
    """Read the words from here on as a command, or the next one as code, if they look like it."""
    family = programs.names().get(word.text.rpartition("/")[2])
    if before == "--" and family in _ACTING:
        if _guess(run):
            _wrapped(run, words)
    elif family in _RUNNABLE:
        if _guess(run):
            run.command(words)
    elif " " in word.text and (before in _CODE or (len(words) == 1 and before[:1] != "-")):
        first = word.text.strip().partition(" ")[0]
        if (before in _CODE or programs.names().get(first) in _RUNNABLE) and _guess(run):
            run.code(word)


def _wrapped(run: Run, words: list[Value]) -> None:
    """Read the command that stands behind ``--``: it is no guess that it is run."""
    run.context.supposed = False
    try:
        run.command(words)
    finally:
        run.context.supposed = True


def _guess(run: Run) -> bool:
    """Whether one more guess may be followed."""
    run.reader.guesses -= 1
    return run.reader.guesses >= 0


# -- (a) places -----------------------------------------------------------------------------------------------


def _place(run: Run, word: Value, before: str) -> None:
    """Add what the place a word names means: reading a secret, writing a device, writing a file of the guard or the system."""
    option, equals, rest = word.text.partition("=")
    text = rest if equals else word.text
    option = option if equals else before
    if "/" not in text or HOLE in text or "://" in text or (text[:1] == "-" and not equals):
        return
    path = run.context.normal(run.context.home + text[1:] if text.startswith("~/") and run.context.home else text, run.cwd)
    if path is None:
        return
    place = run.context.place(path)
    value = Value(path, word.start, word.end)
    writes = (option in _WRITES or option == "of") and (place.location == SYSTEM or GUARD in place.natures)
    device = place.location == DEVICE and SINK not in place.natures and not path.startswith(_PLAIN_DEVICES)
    if SECRET in place.natures and option != "-i" and not (option[:1] == "-" and any(part in option for part in _OWN_KEYS)):
        run.path(Reads, value)
    if device or writes:
        run.path(Writes, value)


# -- (b) verbs ------------------------------------------------------------------------------------------------


def _change(run: Run) -> None:
    """Add the change that the words of the command tell of."""
    program = run.execution.argv[0].text
    own = "/" in program and run.context.workspace(run.context.normal(program, run.execution.cwd))
    found = said(run.name, run.arguments[:MAX_WORDS], own=own)
    if found is not None:
        _tell(run, run.name, run.arguments, found)


def handed(run: Run, name: str, words: list[Value], *, own: bool, strong: bool = False) -> None:
    """Add the change that the words handed to a script tell of: ``php bin/console doctrine:schema:drop``, ``java -jar cli.jar delete-job x``.

    ``strong``: only one that its verb alone tells of.
    """
    context = run.context
    first, held = len(context.effects), context.supposed
    context.supposed = True
    found = said(name, words[:MAX_WORDS], own=own)
    if found is not None and not found.mild and (found.strong or not strong):
        _tell(run, name, words, found)
    context.supposed = held
    context.effects[first:] = [effect.replace(traits=effect.traits | {TRAIT}) for effect in context.effects[first:]]


def _tell(run: Run, name: str, arguments: list[Value], found: Said) -> None:
    words = " ".join([name, *[value.text for value in arguments[:3]]])
    traits = [found.action, "mild"] if found.mild else [found.action]
    run.effect(ChangesInfrastructure, words, *traits, detail=f"{found.verb}, by a program nobody described")


# -- (d) network ----------------------------------------------------------------------------------------------


def _network(run: Run) -> None:
    """Add the hosts that words name, with what is sent there, and ports and tunnels that options open."""
    before = ""
    for word in run.arguments[:MAX_WORDS]:
        text = word.text
        option, _, rest = text.partition("=")
        if option in _OPENS:
            run.effect(Connects, run.name, "tunnel", host="unknown")
        elif option in _LISTENS and before != option:
            run.effect(Listens, rest)
        elif "://" in text and text[:1] != "-":
            _url(run, word)
        elif "@" in text and text[:1] != "@" and "-m" not in before:
            _address(run, word)
        before = text


def _url(run: Run, word: Value) -> None:
    """A URL, if it is one of the network; what was printed by a command and put into it goes there."""
    scheme = word.text.partition("://")[0]
    if scheme.isalnum() and scheme != "file" and (not word.hollow or word.why in (OUTPUT, FILE)):
        run.context.url(word.text, run.span(word), frozenset({"get"}), run.name)


def _address(run: Run, word: Value) -> None:
    """``user@host``, ``user@host:path``: the latter with a file beside it is sent there."""
    user, _, rest = word.text.rpartition("@")
    host, colon, _ = rest.partition(":")
    plain = user.replace("-", "a").replace("_", "a").replace(".", "a").isalnum()
    if not plain or not host[:1].isalpha() or not host.replace("-", "a").replace(".", "a").isalnum() or ("." not in host and not colon):
        return
    run.context.host(Connects, host, run.span(word), frozenset({"get"}), run.name)
    files = [value for value in run.operands if value is not word and "/" in value.text and value.known and "://" not in value.text]
    labels = frozenset().union(*[run.contents(value).labels for value in files]) if colon else frozenset()
    if labels:
        run.context.host(Sends, host, run.span(word), frozenset({"upload", *[f"carries-{label}" for label in labels & _CARRIED]}), run.name)
