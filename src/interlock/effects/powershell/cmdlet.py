"""A cmdlet: its parameters as data, how they are told apart, and what each of them means."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.arguments import ParsedArguments
from interlock.effects.powershell import psdrives
from interlock.effects.powershell.following import PowerShellInterpreter
from interlock.effects.powershell.tree import PsNode
from interlock.effects.powershell.values import FALSE, NULL, TRUE, PsValue, make_list
from interlock.effects.rows import ProgramRow, table
from interlock.effects.run import Run
from interlock.model.effect import Effect, Kind
from interlock.model.record import Record
from interlock.shell.execution import Execution
from interlock.shell.value import HOLE, Flow, Value

Act = Callable[["Cmdlet"], PsValue | None]

_COMMON = "erroraction:data warningaction:data informationaction:data errorvariable:data outvariable:data ea:data ev:data ov:data outbuffer:data"
_COMMON_FLAGS = "verbose: debug: whatif: confirm: wi: cf:"


class CmdletShape(Record):
    """A cmdlet.

    ``positions``: parameters that take operands, in order, with their roles; the last takes all
    that are left. ``options``: parameters with a value, by name only. ``switches``: parameters
    without one; a trait may stand behind the colon. Roles and ``effects`` as in a program's row;
    ``act``: code for what rows cannot say, instead of the roles. ``piped``: the parameter that
    takes the input of the pipe.
    ``runs``: whether ``act`` follows the blocks it is given; of every other cmdlet they are
    followed once, for it may run them.
    """

    positions: str = ""
    options: str = ""
    switches: str = ""
    effects: str = ""
    act: Act | None = None
    prints: str = ""
    piped: str = ""
    runs: bool = False


class Cmdlet(Run):
    """One execution of a cmdlet: a run whose arguments were told apart by PowerShell's rules."""

    def __init__(
        self, session: PowerShellInterpreter, execution: Execution, shape: CmdletShape, name: str
    ) -> None:
        Run.__init__(
            self,
            session.reader,
            session.walker,
            execution,
            ProgramRow(operands="data*", clustered=False, effects=shape.effects),
            name,
        )
        self.session = session
        self.shape = shape
        self.node: PsNode | None = None
        self.parsed = ParsedArguments()
        self.named: dict[str, PsValue] = {}
        self.extra: list[PsValue] = []
        self.input = NULL

    def thing(self, *names: str) -> PsValue | None:
        """Return what one of these parameters was given."""
        return next((self.named[name] for name in names if name in self.named), None)

    def text(self, *names: str) -> str:
        """Return the text of a parameter, or ``""``."""
        found = self.thing(*names)
        return found.text if found is not None else ""

    def on(self, *names: str) -> bool:
        """Whether one of these switches is set."""
        return any(self.named.get(name, FALSE) is not FALSE for name in names)

    def paths(self, *names: str) -> list[Value]:
        """Return the files that parameters name; of several the first that was given, else what
        comes through the pipe.
        """
        for name in names:
            found = self.named.get(name)
            if found is not None:
                return self._at_home(path_words(found, literal=name in ("literalpath", "pspath")))
        return path_words(self.input, literal=True) if self.input is not NULL else []

    def _at_home(self, values: list[Value]) -> list[Value]:
        """Put the home folder in for ``~``."""
        home = self.context.home.replace("\\", "/") or HOLE
        return [
            Value(home + value.text[1:], value.start, value.end, value.why, value.pattern)
            if value.text == "~" or value.text[:2] == "~/"
            else value
            for value in values
        ]

    def path(self, kind: Kind, value: Value, *traits: str) -> Effect:
        """Add an effect on a path, or on what else a drive of PowerShell holds."""
        if psdrives.of(value.text):
            return psdrives.effect(self.session, self, kind, value, self.named)
        return Run.path(self, kind, value, *traits)

    def remember(self, path: str, thing: PsValue) -> None:
        """Note what is written into a file."""
        where = self.context.normal(path, self.cwd) if HOLE not in path else None
        if where is not None:
            flow = thing.flow()
            self.reader.written[where] = Flow(flow.text, flow.labels)


def path_words(thing: PsValue, *, literal: bool = False) -> list[Value]:
    """Return the words for paths of a thing, with forward slashes."""
    return [
        Value(value.text.replace("\\", "/"), value.start, value.end, value.why, value.pattern)
        for value in thing.values(literal=literal)
    ]


# -- telling parameters apart ----------------------------------------------------------------------


def roles(run: Cmdlet) -> None:
    """Add what the shape says of the parameters given."""
    for name, role in {**table(run.shape.options), **table(run.shape.positions)}.items():
        if role != "data" and (name in run.named or name == run.shape.piped):
            for value in run.paths(name):
                run.role(role, value)


def bind(session: PowerShellInterpreter, run: Cmdlet, words: list[PsNode]) -> None:
    """Tell parameters from operands: by name, by any beginning of it, by position
    (about_Parameters, about_CommonParameters).
    """
    valued = {**table(run.shape.positions), **table(run.shape.options), **table(_COMMON)}
    switches = {**table(run.shape.switches), **table(_COMMON_FLAGS)}
    left: list[PsValue] = []
    pending = ""
    for word in words:
        if word.kind == "parameter":
            pending = _parameter(session, run, word, valued, switches)
            continue
        thing = session.value(word)
        if word.kind == "splat":
            for key, value in thing.fields.items():
                run.named[_full(key, valued, switches)] = value
        elif pending:
            run.named[pending], pending = thing, ""
        else:
            left.append(thing)
    _positions(run, left)


def _parameter(
    session: PowerShellInterpreter,
    run: Cmdlet,
    word: PsNode,
    valued: dict[str, str],
    switches: dict[str, str],
) -> str:
    """Take one ``-Name`` or ``-Name:value``; return the name if its value is the next word."""
    name = _full(word.name[1:].lower(), valued, switches)
    if name in valued:
        if word.parts:
            run.named[name] = session.value(word.parts[0])
            return ""
        return name
    value = session.value(word.parts[0]) if word.parts else TRUE
    run.named[name] = value
    if value is not FALSE:
        run.parsed.flags.add(name)
        trait = switches.get(name)
        if trait:
            run.parsed.traits.add(trait)
    return ""


def _full(name: str, valued: dict[str, str], switches: dict[str, str]) -> str:
    """Return the parameter that a beginning of a name stands for; itself where none does."""
    if name in valued or name in switches:
        return name
    return next((full for full in (*switches, *valued) if full.startswith(name)), name)


def _positions(run: Cmdlet, left: list[PsValue]) -> None:
    names = [name for name in table(run.shape.positions) if name not in run.named]
    for index, thing in enumerate(left):
        if index < len(names):
            run.named[names[index]] = thing
        elif names:
            run.named[names[-1]] = make_list([*run.named[names[-1]].each(), *thing.each()])
        else:
            run.extra.append(thing)
