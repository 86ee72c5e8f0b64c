"""What is gathered while one call is read: its effects, texts, questions to the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from interlock.effects import places
from interlock.effects.command_history import (
    CommandHistory,
    GitHistory,
    GuardFileSearches,
    OngoingWork,
    SecretHistory,
)
from interlock.effects.gathering import EffectCollector, is_news
from interlock.effects.rows import Readers
from interlock.effects.world import CallWorld
from interlock.model.call import ToolCall
from interlock.model.effect import (
    HERE,
    ROOT_OF,
    TEMP,
    Effect,
    Kind,
    Opaque,
    Span,
)
from interlock.model.facts import Facts
from interlock.model.kinds import meaning

T = TypeVar("T")
MAX_NOTED = 64
"""Links and temporary files of a call that are kept in mind."""
_OF_THE_MACHINE = meaning("machine")


class CallContext(CallWorld, EffectCollector):
    """A call that is being read: the world that it sees, what it did so far, and what was found."""

    def __init__(self, call: ToolCall, facts: Facts, readers: Readers) -> None:
        CallWorld.__init__(self, call, facts)
        EffectCollector.__init__(self)
        self.readers = readers
        self.past = CommandHistory()
        self.begun = OngoingWork()
        self.git = GitHistory()
        self.looked = GuardFileSearches()
        self.secrets = SecretHistory()

    # -- adding ------------------------------------------------------------------------------------

    def add(self, kind: Kind, target: str = "", **fields: object) -> Effect:
        """Add an effect to what is being gathered, and return it."""
        effect = Effect(kind, target, **fields)  # type: ignore[arg-type]
        if kind in _OF_THE_MACHINE and self.where != HERE:
            effect = effect.replace(
                traits=effect.traits
                | {"in-container" if self.where.startswith("container ") else "elsewhere"}
            )
        self.say(effect)
        if not self.guessing or is_news(effect):
            self.past.after(effect)
        return effect

    def noted(self, words: list[str]) -> None:
        """Keep the words of a command that is run, or may be, for rules that look at words."""
        super().noted(words)
        self.past.runs(words)

    def opaque(self, why: str, span: Span | None = None, *traits: str) -> None:
        """Add what could not be read."""
        if not self.guessing:
            self.misses()
        self.add(Opaque, traits=frozenset(traits), span=span, detail=why)

    def limit(self, items: Sequence[T], most: int, what: str) -> Sequence[T]:
        """Return the first of many; that there are more, nobody knows which, is a part of the call
        that was not read.
        """
        if len(items) > most:
            self.opaque(f"more {what} than can be read", None, "too-much")
        return items[:most]

    # -- paths -------------------------------------------------------------------------------------

    def secret_labels(self, path: str) -> frozenset[str]:
        """Return a secret's label for a path that holds one though its name does not say so, or
        lies in the copy of such a folder.
        """
        held = path in self.secrets.holding or any(
            places.below(path, folder) for folder in self.secrets.copied
        )
        return frozenset({"secret"}) if held else frozenset()

    def copies(self, source: str | None, target: str) -> None:
        """Note that a folder was copied; one with secrets in it keeps them."""
        if source in self.secrets.holding and len(self.secrets.copied) < MAX_NOTED:
            self.secrets.copied.append(target)

    def makes(self, effect: Effect) -> None:
        """Note a temporary file that this call writes anew: nothing else is in it any more."""
        if (
            effect.place is not None
            and effect.place.location == TEMP
            and ROOT_OF not in effect.place.natures
            and len(self.files.made) < MAX_NOTED
        ):
            self.files.made.add(effect.target)

    def note_made_folders(self, effect: Effect) -> None:
        """Note a temporary folder that this call makes, and its new parents (``mkdir -p``)."""
        self.makes(effect)
        path = effect.target.rpartition("/")[0]
        while effect.target in self.files.made and path.count("/") > 1 and self.is_new(path):
            place = self.place(path)
            if place.location != TEMP or ROOT_OF in place.natures:
                break
            self.files.made.add(path)
            path = path.rpartition("/")[0]

    def links(self, path: str, leads: str) -> None:
        """Note a link that this call makes; one too many is opaque."""
        if len(self.files.linked) < MAX_NOTED or path in self.files.linked:
            self.files.linked[path] = leads
        else:
            self.opaque("more links than can be followed", None, "too-much")

    def script(self, path: str) -> str | None:
        """Return the text of a file that this call has not rewritten, or None."""
        return None if path in self.files.rewritten else self.original(path)

    def original(self, path: str) -> str | None:
        """Return the text that a file held before the call, or None where that is not known."""
        if self.where != HERE:
            return None
        texts = self._answers.texts
        if path not in texts:
            if not self.may_ask():
                self.opaque("more files than can be read", None, "too-much")
                return None
            text = self.facts.text(path)
            texts[path] = text if isinstance(text, str) else None
        return texts[path]
