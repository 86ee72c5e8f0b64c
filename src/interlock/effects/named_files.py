"""Files that the words of a call name and that its reader did not speak of: values of options, what
stands behind ``@`` and ``file:``.

A program may show whatever file it is given, in its output or its complaints, and may write to
whatever it is told to keep a record in. So a secret that is named there may be read, and a file
that starts programs or lets people in may be written, whichever option it was.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects import hosts
from interlock.effects.embedded_paths import find_paths
from interlock.effects.environment import PLAIN
from interlock.effects.gathering import ReadResult
from interlock.effects.guard_files import directly_in
from interlock.effects.other_folders import uses_words_alone
from interlock.effects.programs import table as programs
from interlock.effects.run import Run
from interlock.effects.service_lookups import looks_at_service
from interlock.effects.variables import turns
from interlock.model.effect import (
    ACCESS,
    DEVICE,
    GUARD,
    LOCAL,
    PERSISTENCE,
    SECRET,
    SINK,
    SYSTEM,
    TEMP,
    WORKSPACE,
    Connects,
    Effect,
    Executes,
    Reads,
    Sends,
    Span,
    TampersWithGuard,
    Writes,
)
from interlock.shell.pattern import matches
from interlock.shell.value import HOLE, Choice, Value

OWN_KEYS = tuple(
    "-key cert identity config credential netrc auth -ca --private keyring profile".split()
)
"""Parts of an option's name saying that the program itself uses the file; ``-i`` is an identity."""
MATTERS = frozenset({GUARD, PERSISTENCE, ACCESS})
_SECRETS = frozenset({SECRET})
_NAMED = MATTERS | _SECRETS


class NamedTargets:
    """Of which paths, and of which words, it is told already what is done to them."""

    __slots__ = ("spans", "targets")

    def __init__(self, targets: set[str], spans: set[Span | None]) -> None:
        self.targets = targets
        self.spans = spans


_BEHIND = ("@", "file://", "file:")


def account(run: Run, effects: tuple[Effect, ...]) -> ReadResult:
    """Return what may be done to files of which none of the effects of a program tells."""
    return run.context.gather(lambda: _account(run, effects))


def _account(run: Run, effects: tuple[Effect, ...]) -> None:
    kept = run.context.gather(lambda: _keep(run, effects))
    run.context.take(kept)
    if all(_TELLING.isdisjoint(value.text) for value in run.arguments):
        return  # no word names a file, or may be one
    known = [*effects, *kept.effects]
    telling = [effect for effect in known if tells_of_path(effect)]
    told = NamedTargets({effect.target for effect in telling}, {effect.span for effect in telling})
    words = [("", value) for value in run.arguments if _behind(value.text) != value.text]
    if run.name not in TALKING:
        pairs = {(option, value.text): value for option, value in run.parsed.options}
        words += [(name, value) for (name, _), value in pairs.items() if _matters(run, value)]
        words += [("", one) for one in _once(run.operands) if _matters(run, one, _SECRETS)]
        _doubt(run, told)
        if not any(effect.kind in (Connects, Sends) for effect in known):
            _doubt_hosts(run)
    else:
        for option, value in run.parsed.paths:
            if option not in _OF_TEXT:
                _doubt_path(run, value.text, told)
    for option, value in [*run.parsed.paths, *words]:
        text = _behind(value.text)
        if "/" in text and not value.hollow and not value.pattern and "://" not in text:
            _add_possible(run, option, Value(text, value.start, value.end), told)


def tells_of_path(effect: Effect) -> bool:
    """Whether an effect says what is done to the path that it names: the name of a task says
    nothing of where that lies (``dart run /tmp/x.dart``).
    """
    return effect.kind is not Executes or effect.place is not None


_TELLING = frozenset(f"/~|!%:={HOLE}")
"""Letters without one of which a word is no path, no address, and known."""


def _keep(run: Run, effects: tuple[Effect, ...]) -> None:
    """Add what is done to the guard's own files and variables."""
    if run.name.partition(" ")[0] not in TALKING:
        _folders(run, effects)
    if run.name in SETTING:
        keep_variables(run)


SETTING = frozenset("dbus-update-activation-environment mise rtx screen set fish_config".split())
"""Programs that keep variables for what others start: ``mise set NAME=VALUE``, ``screen -X setenv
NAME VALUE``, fish's ``set -Ux NAME VALUE``.
"""


def keep_variables(run: Run) -> None:
    """Add that a variable by which a client or the guard is another one is kept for later."""
    for value in run.words:
        name, equals, _ = value.text.partition("=")
        if turns(name) and (equals or len(run.arguments) > 1):
            run.effect(
                TampersWithGuard, name, "client-settings", value=value, certain=False,
                detail="for what is started later",
            )  # fmt: skip


def _folders(run: Run, told: tuple[Effect, ...]) -> None:
    """Add the possible change of the guard's files in a folder that a word names, of which nothing
    else tells: ``renamer ~/.claude``; or that is written as a whole: ``formatter --write .claude``.
    """
    context = run.context
    if any("interactive" in one.traits for one in told):  # what is typed into an editor is kept
        opened = [
            one.target
            for one in told
            if one.kind is Reads and one.place is not None and GUARD in one.place.natures
        ]
        _may_change(run, opened, Value(""))
    held = {one.target: directly_in(context, one.target) for one in told if one.kind is Writes}
    for one in [one for one in told if held.get(one.target)]:
        every = _OF_ONE_NAME.isdisjoint(one.traits) or _is_from_search(told)
        paths = [path for path in held[one.target] if every or _may_be_called(run, path)]
        _may_change(run, paths, Value(one.target))
    looks = run.row.read is None and run.row.operands in ("", "data*")
    if looks or programs.language(run.name):  # the words are those of the code that it runs
        return
    words = {("", one.text): one for one in run.operands}
    words |= {(option, one.text): one for option, one in run.parsed.options}
    for (option, _), value in words.items():
        text = value.text.rpartition("=")[2]
        if value.hollow or value.pattern or text[:1] not in ("/", "~", "."):
            continue
        path = context.normal(context.at_home(text), run.cwd)
        if path is not None and all(one.target != path for one in told):
            uses = option in _USED or any(part in option for part in OWN_KEYS)
            matters = (GUARD,) if uses else MATTERS
            own = [] if context.place(path).natures.isdisjoint(matters) else [path]
            _may_change(run, [*own, *directly_in(context, path)], value)


_USED = frozenset({"-F", "-i", "-f", "-u"})
"""Options that name the settings, or the key, that a program uses, beside those of ``OWN_KEYS``."""
_OF_ONE_NAME = frozenset(
    {"create", "copied", "moved-to", "cloned", "downloaded", "extracted", "link", "restored"}
)
"""Traits of a write that puts something of its own name into a folder."""


def _is_from_search(told: tuple[Effect, ...]) -> bool:
    """Whether what is put there was found by a search, so that its name may be any."""
    return any(one.kind is Reads and "found" in one.traits for one in told)


def _may_be_called(run: Run, path: str) -> bool:
    """Whether one of the words may stand for a file of this name."""
    name = path.rpartition("/")[2]
    words = [value for value in run.operands if value.pattern or value.hollow]
    return any(matches(value.text.rpartition("/")[2].replace(HOLE, "*"), name) for value in words)


def _may_change(run: Run, paths: list[str], value: Value) -> None:
    for path in paths:
        run.possible(Writes, Value(path, value.start, value.end), "named")


TALKING = frozenset(
    "echo printf test [ export declare typeset local readonly alias which type command cd pushd"
    " basename dirname realpath readlink read case git grep rg ag ack sed awk gawk mawk nawk find"
    " fd df jq xargs env sudo ssh docker kubectl expr logger say notify-send gh glab".split()
)
"""Programs whose words are texts, patterns or other commands as often as files, or whose own reader
tells one from the other.
"""


def doubt_words(run: Run) -> None:
    """Note such words of a program of which nothing is known but that it runs."""
    _doubt(run, NamedTargets(set(), set()))


def _doubt(run: Run, told: NamedTargets) -> None:
    """Note the words that are paths outside of what was lent, and those that may be any, of which
    no effect speaks: a program may write there, whichever it was.
    """
    compiles = run.name in _COMPILING or programs.names().get(run.name) == "compilers"
    spared = _LOOKED_IN if compiles else _APART
    if run.name.startswith("git ") or programs.language(run.name):
        spared = _OF_TEXT
    pairs = run.parsed.options
    looked_in = {value.start for option, value in pairs if _is_spared(option, value, spared)}
    options = [value for option, value in pairs if not _is_spared(option, value, spared)]
    words = [value for value in run.words if value.start not in looked_in]
    whole = uses_words_alone(run) or run.name.partition(" ")[0] in TALKING
    alike = {(one.text, run.span(one) in told.spans): one for one in [*options, *words]}
    for (_, spoken), value in alike.items():
        if value.text.startswith(_MARKS) or _is_connection(value.text):
            run.context.doubt(f"what {run.name} does with {value.text} is not known")
        for path in () if whole else find_paths(value.text):
            _doubt_path(run, path, told, spared=(WORKSPACE, TEMP, SYSTEM))
        if spoken:
            continue
        if _is_unknown(value):
            run.context.doubt(f"what {run.name} is given is not known")
        _doubt_path(run, value.text, told)
        given = value.text.partition("=")[2]
        if " " not in given:
            _doubt_path(run, given, told)


def _once(values: Iterable[Value]) -> list[Value]:
    """Return one of words that are alike: what is to say of one is said of all."""
    return list({value.text: value for value in values}.values())


def _is_spared(option: str, value: Value, spared: frozenset[str]) -> bool:
    """Whether what an option is given is no path; ``-d`` is a mark that fields are cut at, or a
    folder.
    """
    return option in spared and not (option == "-d" and len(value.text) > len("\\t"))


_MARKS = ("|", "!", "+/", "+./", "@/", "%pipe", "ephemeral:", "msl:", "mvg:")
"""What stands before a command, or before a file of code, in the words of some programs."""
_CONNECTIONS = ("host=", "hostaddr=", "server=", "dbname=", "data source=")


def _is_connection(text: str) -> bool:
    """Whether a text says where a database is: ``PG:host=db.test dbname=gis``."""
    small = text.lower()
    at = next((small.find(mark) + len(mark) for mark in _CONNECTIONS if mark in small), -1)
    host = small[at:].partition(" ")[0].partition(";")[0].strip("'\"")
    return at >= 0 and text[:1] != "-" and hosts.classify(host) != LOCAL


def _is_unknown(value: Value) -> bool:
    """Whether a word begins with what nobody knows, so that it may be a path of any place; it is
    none where a variable in the word is a version, a date (``-X main.version=$(git describe)``).
    """
    name, _, given = value.text.rpartition("=")
    plain = " " in name and name.upper().rpartition(".")[2].rpartition("_")[2] in PLAIN
    return given[:1] == HOLE and not plain and not isinstance(value, Choice)


def _doubt_path(
    run: Run, text: str, told: NamedTargets, spared: tuple[str, ...] = (WORKSPACE, TEMP)
) -> None:
    outside = text.startswith(_OUTSIDE) or "/.." in text
    if not outside or HOLE in text or _is_subject(text):
        return
    if text.startswith("//") and run.name in _LABELLED:
        return
    path = run.context.normal(run.context.at_home(text), run.cwd)
    if path is None or path in told.targets:
        return
    place = run.context.place(path)
    if place.location not in spared and SINK not in place.natures:
        run.context.doubt(f"what {run.name} does with {text} is not known")


def _is_subject(text: str) -> bool:
    """Whether a text is the name in a certificate: ``/C=DE/CN=localhost``."""
    pieces = [piece.partition("=") for piece in text[1:].split("/")]
    return all(name.isalpha() and equals for name, equals, _ in pieces)


def _doubt_hosts(run: Run) -> None:
    """Note the addresses of other machines that no effect speaks of."""
    for value in run.words:
        before, colons, rest = value.text.partition("://")
        scheme = before.rpartition("=")[2]
        if colons and " " not in value.text and scheme != "file":
            host = hosts.host_of(f"{scheme}://{rest}")
            if host and hosts.classify(host) != LOCAL and not looks_at_service(run):
                run.context.doubt(f"what {run.name} does with {host} is not known")


_OUTSIDE = ("/", "~", "../")
_LABELLED = frozenset("bazel bazelisk buck buck2 pants plz".split())
"""Programs for which ``//a/b`` is a part of the workspace."""
_APART = frozenset("-d --delimiter --field-separator --xpath --xquery".split())
"""Options whose values are no paths though they begin like one."""
_LOOKED_IN = _APART | {"-I", "-L", "-isystem"}
"""And those of a compiler, whose values are folders that are looked into."""
_OF_TEXT = _APART | frozenset("-L -S -G -m --message --grep -e -E --eval".split())
"""And those of git and of interpreters, whose values are patterns, messages and code."""
_COMPILING = frozenset("protoc clang-tidy cppcheck swig verilator iverilog".split())


def _matters(run: Run, value: Value, natures: frozenset[str] = _NAMED) -> bool:
    """Whether a word is the path of a secret, or of a file that matters and that a program could
    only be given to write it.
    """
    text = value.text
    if text[:1] not in ("/", "~") or value.hollow or value.pattern or " " in text:
        return False
    path = run.context.normal(run.context.at_home(text), run.cwd)
    place = run.context.place(path) if path is not None else None
    return place is not None and place.location != DEVICE and not place.natures.isdisjoint(natures)


def _behind(text: str) -> str:
    """Return a word without what says that a file's contents are meant: ``@FILE``, ``name=@FILE``,
    ``file:///FILE``.
    """
    name, equals, rest = text.partition("=")
    if equals and name.endswith("-file") and name[:1] != "-":
        return rest
    if equals and rest.startswith(_BEHIND):
        text = rest
    return next((text.removeprefix(mark) for mark in _BEHIND if text.startswith(mark)), text)


def _add_possible(run: Run, option: str, value: Value, told: NamedTargets) -> None:
    """Add the possible reading of a secret, or writing of a file that matters."""
    context = run.context
    path = context.normal(context.at_home(value.text), run.cwd)
    if path is None:
        return
    if context.normal(value.text, run.cwd) in told.targets:
        return  # a quoted `~` is a folder of that name, and was told as one
    natures = context.place(path).natures
    own = option == "-i" or any(part in option for part in OWN_KEYS)
    reads, writes = SECRET in natures and not own, not natures.isdisjoint(MATTERS)
    if not (reads or writes) or path in told.targets or (option and run.span(value) in told.spans):
        return
    if reads or not own:
        told.targets.add(path)
        told.spans.add(run.span(value))
    if reads:
        run.possible(Reads, Value(path, value.start, value.end), "named")
    if writes and not own:
        run.possible(Writes, Value(path, value.start, value.end), "named")
