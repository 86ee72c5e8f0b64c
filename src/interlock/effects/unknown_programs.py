"""The unknown-program ladder: what a program that nobody described may do, told from its words
alone, step by step.

(a) a word that names a device, a secret, or a file of the guard or the system that would be
written; (b) a verb that changes something; (c) a word that is itself a command, or a text of code;
(d) an address, a tunnel or a port; (e) else nothing. Each effect is only possible (but of a command
behind ``--``, and of code that is installed from an address) and carries the trait ``ladder``:
what is caught so can be told from what the table catches.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.code_options import load, run_handed
from interlock.effects.guard_files import match_guard_files
from interlock.effects.inline_code import CODE, read_code, read_pipe
from interlock.effects.named_files import MATTERS, OWN_KEYS, SETTING, keep_variables
from interlock.effects.orders import add_orders
from interlock.effects.programs import table as programs
from interlock.effects.reaching import OUT, WRITES, add_transfers, near, network
from interlock.effects.run import Run
from interlock.effects.scopes import PRODUCTION, in_production, words_of_variables
from interlock.effects.server_statements import read_statement, statements
from interlock.effects.verb_words import CHANGING, MAX_DEPTH, parts, verb_of
from interlock.effects.verbs import SAYS, find_change
from interlock.effects.worded_change import WordedChange
from interlock.model.effect import (
    DEVICE,
    PROJECT_SECRET,
    SECRET,
    SINK,
    SYSTEM,
    ChangesInfrastructure,
    Connects,
    Reads,
    Writes,
)
from interlock.shell.value import HOLE, OUTPUT, Value

TRAIT = "ladder"
_RUNNABLE = frozenset({"files", "search", "wrappers", "privilege", "interpreters", "disks"})
"""Families of programs whose name may start a command in any word: ``in-container rm -rf /``."""
_ACTING = _RUNNABLE.union(
    "git cloud containers clusters databases migrations netshell netweb services processes"
    " accounts".split()
)
"""Families whose name may start a command after ``--``, or where another program is run by name."""
_STARTABLE = _ACTING | frozenset({"machine", "daemons", "remoting", "syspackages"})
_PLAIN_DEVICES = tuple(
    [
        f"/dev/{name}"
        for name in "tty cu. video snd input dri nvidia kvm i2c spidev gpio usb hidraw serial rtc net/ fuse pts".split()
    ]
)
"""Devices that ordinary work speaks to: serial lines, cameras, sound, graphics."""
_LOOKUPS = words("ladder", "lookups")


def climb(run: Run) -> None:
    """Add what the words of a program that nobody described tell."""
    context = run.context
    if context.guessing:
        return
    context.take(context.gather(lambda: _steps(run)).marked(TRAIT))
    near(run)
    _note_unread_words(run)


def _steps(run: Run) -> None:
    context = run.context
    if _is_name_hidden(run):
        read = context.gather(lambda: run.unknown_code(OUTPUT, "unknown-program"))
        context.take(read.each(lambda effect: effect.replace(certain=False)))
    if run.name in SETTING:
        context.possibly(lambda: keep_variables(run))
    _words(run)
    _run_typed_lines(run)
    add_transfers(run)
    context.possibly(lambda: _tells(run))


def _tells(run: Run) -> None:
    statements(run)
    add_orders(run)
    _change(run)
    network(run)


def say(run: Run) -> None:
    """Add what the words of a program tell whose section says only what its options mean: it may
    publish, install and delete by a verb.
    """
    climb(run)
    for value in run.operands[:MAX_DEPTH]:
        if value.text in CHANGING:
            run.context.doubt(f"what {run.name} {value.text} does is not known")


def _is_name_hidden(run: Run) -> bool:
    """Whether the program's name is worked out by another command, though nobody looks it up: ``
    `printf my%s tool` ``.

    A name that is known so is judged like one that is written out; one that means nothing to the
    guard was hidden on purpose.
    """
    word = run.execution.argv[0]
    if "/" in word.text:
        return False
    source = run.walker.texts[run.execution.text].text[word.start : word.end]
    return ("$(" in source or "`" in source) and not any(lookup in source for lookup in _LOOKUPS)


MAX_WORDS = 4096


def _words(run: Run) -> None:
    """Steps (a) and (c), word by word."""
    before = ""
    for index, word in enumerate(run.context.limit(run.arguments, MAX_WORDS, "words")):
        if run.name not in SAYS:
            _command(run, word, run.arguments[index:], before)
            run.context.possibly(lambda one=word, option=before: read_code(run, one, option))  # type: ignore[misc]
        run.context.possibly(lambda one=word: read_pipe(run, one))  # type: ignore[misc]
        _place(run, word, before)
        load(run, word, before)
        run_handed(run, word, before)
        before = word.text


MAX_LINES = 64


def _run_typed_lines(run: Run) -> None:
    """Lines of input that a program hands to the shell, where people would type them."""
    text = run.stdin.text if run.stdin is not None and run.name not in SAYS else None
    typed = [_escapes(line) for line in (text or "").split("\n") if line[:1] == "!"]
    for line in run.context.limit([line for line in typed if line], MAX_LINES, "typed commands"):
        run.command([Value(_BANG_SHELL), Value("-c"), Value(line)])


def _note_unread_words(run: Run) -> None:
    """Say that words stayed unread, if any of them may start a command."""
    names = programs.names()
    if run.reader.guesses < 0 and any(
        names.get(word.text.rpartition("/")[2]) in _RUNNABLE for word in run.arguments
    ):
        run.context.opaque(
            "more words that may be commands than can be followed", run.span(), "too-much"
        )


# -- (c) commands and code -------------------------------------------------------------------------


def _command(run: Run, word: Value, words: list[Value], before: str) -> None:
    """Read the words from here on as a command, or the next one as code, if they look like it."""
    family = (
        programs.names().get(word.text.rpartition("/")[2])
        if (word.text not in VERBS_TOO or len(words) > 1) and _may_start(run, word.text)
        else None
    )
    if _bare_shell(word.text, words[1:], before):
        run.command([word])
    elif (
        before in ("-e", "-c", "--exec", "--sh-exec")
        and word.text.rpartition("/")[2] in _SHELLS
        and _is_peer(words[1:])
    ):
        run.effect(
            Connects,
            words[1].text,
            "socket",
            "shell",
            value=word,
            host="unknown",
            detail="a shell is handed to another host",
            certain=False,
        )
    elif word.text[:1] in ("!", ":") and _escapes(word.text):
        run.command(
            [
                Value(_BANG_SHELL),
                Value("-c"),
                Value(_escapes(word.text), word.start, word.end, word.why),
            ],
        )
    elif before == "--" and family in _ACTING:
        if _guess(run):
            run.command(words)
    elif family in _RUNNABLE or (family == "git" and len(words) > 1):
        if _guess(run):
            run.context.possibly(lambda: run.command(words))
    elif " " in word.text and (
        before in CODE or (len(words) == 1 and (before[:1] != "-" or _starts_others(run)))
    ):
        first = word.text.strip().partition(" ")[0]
        runnable = _STARTABLE if before in ("exec", "spawn", "dispatch") else _RUNNABLE
        if (before in CODE or programs.names().get(first) in runnable) and _guess(run):
            run.context.possibly(lambda: run.code(word))


_SHELLS_OUT = frozenset("exec ssh shell rsh remote".split())
_BUILTINS = frozenset(". source eval".split())


def _may_start(run: Run, word: str) -> bool:
    """Whether a word may name a command: what only a shell knows is none for another program, but
    one that hands words to a shell (``opa eval -i in.json``, ``lint . --fix``).
    """
    return word not in _BUILTINS or any(value.text in _SHELLS_OUT for value in run.arguments[:4])


def _is_peer(words: list[Value]) -> bool:
    """Whether words are a host and a port: what a program that joins sockets to programs is given
    (``nc -e /bin/sh HOST PORT``).
    """
    texts = [word.text for word in words if word.text[:1] != "-"]
    return len(texts) > 1 and "." in texts[0] and texts[1].isdecimal()


VERBS_TOO = frozenset(words("ladder", "verbs too"))
_BANG_SHELL = "sh"
_SHELLS = frozenset("sh bash dash zsh ksh ash csh tcsh fish".split())
_SETTINGS = ("--shell", "--default-shell", "--login-shell", "--with-shell", "-S", "SHELL", "-s")


def _bare_shell(text: str, rest: list[Value], before: str) -> bool:
    """Whether the last words are a shell that is started to be typed at: ``/bin/sh``, ``sh -i``; no
    name of a setting (``completion bash``).
    """
    folder, slash, name = text.rpartition("/")
    options = [value.text for value in rest]
    if (
        name not in _SHELLS
        or before in _SETTINGS
        or any(
            option not in ("-i", "-p", "-l", "-ip", "-pi", "-il", "--login") for option in options
        )
    ):
        return False
    return bool(options) if not slash else folder.endswith("bin")


def _escapes(text: str) -> str:
    """Return the command behind the mark by which interactive programs hand a line to the shell:
    ``!ls``, ``:!sh``; else nothing.
    """
    command = text.lstrip(": ")
    first = command[1:].split()[:1] if command[:1] == "!" else []
    known = first and (first[0].startswith("/") or programs.names().get(first[0]) in _RUNNABLE)
    return command[1:].strip() if known else ""


def _starts_others(run: Run) -> bool:
    """Whether one of the first words says that a command follows: ``app exec --reuse 'CMD'``."""
    return any(
        value.text in ("exec", "run", "ssh", "shell", "rsh", "remote")
        for value in run.arguments[:4]
    )


def _guess(run: Run) -> bool:
    """Whether one more guess may be followed."""
    run.reader.guesses -= 1
    return run.reader.guesses >= 0


# -- (a) places ------------------------------------------------------------------------------------


def _place(run: Run, word: Value, before: str) -> None:
    """Add what the place a word names means: reading a secret, writing a device or a file of the
    system.

    A file of the guard, of those that start programs or of those that let people in may be written
    by whatever is handed it: an editor of fields and a formatter name no option for it (``sd a b
    FILE``).
    """
    option, equals, rest = word.text.partition("=")
    text = rest if equals else word.text
    option = option if equals else before
    plain = "/" in text or text[:1] == "."
    if not plain or HOLE in text or "://" in text or (text[:1] == "-" and not equals):
        return
    path = run.context.normal(run.context.at_home(text) if run.context.home else text, run.cwd)
    if path is None:
        return
    place = run.context.place(path)
    value = Value(path, word.start, word.end)
    named = option in WRITES or any(part in option.lower() for part in OUT)
    writes = not place.natures.isdisjoint(MATTERS) or (named and place.location == SYSTEM)
    device = (
        place.location == DEVICE
        and SINK not in place.natures
        and not path.startswith(_PLAIN_DEVICES)
    )
    if (
        not place.natures.isdisjoint((SECRET, PROJECT_SECRET))
        and option != "-i"
        and not (option[:1] == "-" and any(part in option for part in OWN_KEYS))
    ):
        run.possible(Reads, value)
    if device or writes:
        run.possible(Writes, value)
    for held in match_guard_files(run.context, path):
        run.possible(Writes, Value(held, word.start, word.end))


# -- (b) verbs -------------------------------------------------------------------------------------


def _change(run: Run) -> None:
    """Add the change that the words of the command tell of."""
    program = run.execution.argv[0].text
    own = "/" in program and run.context.workspace(run.context.normal(program, run.execution.cwd))
    found = find_change(run.name, _with_surroundings(run, run.arguments), own=own)
    if found is not None:
        _tell(run, run.name, run.arguments, found)


def _with_surroundings(run: Run, words: list[Value]) -> list[Value]:
    """Return the words of a call, and those of its surroundings: ``ENV=production ./deploy.sh`` is
    ``./deploy.sh production``, ``ACTION=destroy ./infra.sh`` is ``./infra.sh action=destroy``.
    """
    production = [Value(PRODUCTION)] if in_production(run) else []
    return [*words, *words_of_variables(run), *production]


_STATEMENTS = frozenset("sql query queries db database exec execute statement psql mysql".split())
"""Before a text that is a statement: ``app.py --text 'DROP TABLE t'`` is handed a text."""


def add_change(run: Run, name: str, words: list[Value], *, own: bool, strong: bool = False) -> None:
    """Add the change that the words handed to a script tell of: ``php bin/console
    doctrine:schema:drop``, ``java -jar cli.jar delete-job x``.

    ``strong``: only one that its verb alone tells of.
    """
    before = set(parts(name))
    for word in words if not strong else []:
        if " " in word.text and not _STATEMENTS.isdisjoint(before):
            read_statement(run, word)
        before.update(parts(word.text))
    if strong:
        run.context.take(run.context.gather(lambda: add_transfers(run)).marked(TRAIT))
    found = find_change(name, _with_surroundings(run, words), own=own)
    if found is not None and found.mild and own:
        _doubt_own(run, name, found)
    for value in words_of_variables(run):
        run.context.doubt(f"what {value.text} means to {name} is not known")
    if (
        found is not None
        and not found.mild
        and not (strong and found.action == "secret-access" and _knows_secrets(run))
        and not (strong and (not found.strong or "rollback" in parts(found.verb)))
    ):
        context = run.context
        context.take(context.guess(lambda: _tell(run, name, words, found)).marked(TRAIT))


def _doubt_own(run: Run, name: str, found: WordedChange) -> None:
    """Note what a script of the workspace is told to lose, though it is the project's to lose."""
    if (verb_of(found.verb) or ("", True)) == ("delete", False):
        run.context.doubt(f"what {name} {found.verb} loses is not known")


def _knows_secrets(run: Run) -> bool:
    """Whether a program's own section says which of its words show a secret."""
    return programs.names().get(run.name) in ("clusters", "stores")


def _tell(run: Run, name: str, arguments: list[Value], found: WordedChange) -> None:
    words = " ".join([name, *[value.text for value in arguments[:3]]])
    traits = [found.action, "mild"] if found.mild else [found.action]
    run.effect(
        ChangesInfrastructure, words, *traits, detail=f"{found.verb}, by a program nobody described"
    )
