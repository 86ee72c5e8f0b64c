"""What a reading found, as a value (``ReadResult``), and the one place where such values are put
together (``EffectCollector``).

Nobody looks into what is being put together. Whoever needs to know what a part of a reading found
has that part gathered by itself (``gather``), gets it as a value, makes another value of it if need
be, and takes that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from interlock.model.effect import GUESSED, Effect, Executes, Opaque, RunsCode
from interlock.model.record import Record
from interlock.shell.value import UNREAD, Flow

MAX_EFFECTS = 2000
"""Effects of a call that are listed."""
_OF_RUNNING = frozenset({Executes, RunsCode, Opaque})


class ReadResult(Record):
    """What a reading found: the effects, and what is printed."""

    effects: tuple[Effect, ...]
    flow: Flow

    def then(self, other: ReadResult) -> ReadResult:
        """Return both readings, one after the other; what is printed is what the first prints."""
        return self if not other.effects else ReadResult((*self.effects, *other.effects), self.flow)

    def of(self, effects: Iterable[Effect]) -> ReadResult:
        """Return the same reading with other effects."""
        return ReadResult(tuple(effects), self.flow)

    def each(self, change: Callable[[Effect], Effect]) -> ReadResult:
        """Return the same reading with a change made to each effect."""
        return self.of(map(change, self.effects)) if self.effects else self

    def marked(self, *traits: str) -> ReadResult:
        """Return the same reading with traits added to each effect."""
        return self.each(lambda effect: effect.replace(traits=effect.traits.union(traits)))


NOTHING_FOUND = ReadResult((), UNREAD)


def is_news(effect: Effect) -> bool:
    """Whether an effect means anything of words that nobody may run: that something unknown might
    be started does not.
    """
    return effect.kind not in _OF_RUNNING or "from-network" in effect.traits


def possibly(read: ReadResult) -> ReadResult:
    """Return what a reading means of words that may be a command, or may be data: each effect may
    be, and may not be.
    """
    return read.of([effect.replace(certain=False) for effect in read.effects if is_news(effect)])


class EffectCollector:
    """What is found of a call, added one by one; what a part of it adds can be had by itself.

    ``guessing``: what is read now may be a command, or may be data. ``partial``: something of the
    call could not be read.
    """

    def __init__(self) -> None:
        self.guessing = False
        self.partial = False
        self._full = False
        self._effects: list[Effect] = []
        self._commands: list[tuple[str, ...]] = []
        self._doubts: dict[str, None] = {}

    def say(self, effect: Effect) -> None:
        """Add an effect as it is; past 2,000 it is only noted that there are more."""
        if len(self._effects) < MAX_EFFECTS:
            self._effects.append(effect)
        else:
            self._full = True

    def noted(self, words: list[str]) -> None:
        """Keep the words of a command that is run, or may be, for rules that look at words."""
        first = f"{GUESSED}{words[0]}" if self.guessing else words[0]
        self._commands.append((first, *words[1:]))

    def doubt(self, what: str) -> None:
        """Note what of the call is not known though it was read: an option that nobody listed."""
        self._doubts[what] = None

    def misses(self) -> None:
        """Note that something of the call could not be read."""
        self.partial = True

    def gather(self, work: Callable[[], object]) -> ReadResult:
        """Return what some work finds, which is not added: as a value, to be looked at and taken.

        What the work returns is what is printed, where that is a flow. What it found before an
        exception stays added.
        """
        begun = len(self._effects)
        printed = work()
        flow = printed if isinstance(printed, Flow) else UNREAD
        if len(self._effects) == begun:
            return NOTHING_FOUND if flow is UNREAD else ReadResult((), flow)
        found = tuple(self._effects[begun:])
        del self._effects[begun:]
        return ReadResult(found, flow)

    def guess(self, work: Callable[[], object]) -> ReadResult:
        """Return what some work finds as what may be, and may not be."""
        if self.guessing:
            return self.gather(work)
        self.guessing = True
        begun = len(self._effects)
        try:
            return possibly(self.gather(work))
        finally:
            self.guessing = False
            left = self._effects[begun:]  # only where an exception ended the work
            self._effects[begun:] = (
                possibly(ReadResult(tuple(left), UNREAD)).effects if left else ()
            )

    def take(self, read: ReadResult) -> Flow:
        """Add all that a reading found; return what it prints."""
        if read.effects:
            self._effects.extend(read.effects)
            if len(self._effects) > MAX_EFFECTS:
                del self._effects[MAX_EFFECTS:]
                self._full = True
        return read.flow

    def possibly(self, work: Callable[[], object]) -> Flow:
        """Add what some work finds as what may be, and may not be; return what it prints."""
        return self.take(self.guess(work))

    def found(self) -> ReadResult:
        """Return all that was found of the call; if that was too much, this is said as well."""
        if not self._full:
            return ReadResult(tuple(self._effects), UNREAD)
        self.misses()
        more = Effect(
            Opaque, traits=frozenset({"too-much"}), detail="more effects than can be listed"
        )
        return ReadResult((*self._effects, more), UNREAD)

    def commands(self) -> tuple[tuple[str, ...], ...]:
        """Return the words of every command that is run; one that may be data as well begins with
        ``GUESSED``.
        """
        return tuple(self._commands)

    def doubts(self) -> tuple[str, ...]:
        """Return what of the call is not known though it was read, each once."""
        return tuple(self._doubts)
