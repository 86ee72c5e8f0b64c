"""One history over everything that is at hand: the store of whoever runs the service, and what
machines have sent.
"""

from __future__ import annotations

from fnmatch import fnmatch

from interlock.service.archive.protocol import Archive
from interlock.service.history.insights import MOST, Insights, gather_insights
from interlock.service.history.local_store import LocalHistory
from interlock.service.history.query_words import Query
from interlock.service.store.protocol import ServiceStore, ServiceStoreError
from interlock.service.store.sources import find_names, find_teams
from interlock.service.store.views import (
    OWN,
    DecisionDetail,
    DecisionLine,
    DecisionQuery,
    MinuteCounts,
    SessionEvent,
    SessionLine,
)
from interlock.store.elsewhere import load_enrolment
from interlock.store.place import StoreError
from interlock.store.protocol import Storage

HERE = "this machine"
BEHIND_ALL = 2**62
"""Behind every event that there is: whoever asks what came since then is told of none."""


class FleetHistory:
    """``names`` says whose a source is. Raises ``KeptError`` or ``StoreError``."""

    def __init__(
        self, keeping: ServiceStore, own: Storage | None, archive: Archive | None = None
    ) -> None:
        self._keeping, self._archive = keeping, archive
        self._own = None if own is None else LocalHistory(own)
        self._twin = _chain(own)

    def names(self) -> dict[str, str]:
        """Return the machines' names by their sources. The own store is not there twice where it
        is sent to this very service.
        """
        found = self._keeping.read(find_names)
        found.pop(self._twin, None)
        return {**({OWN: HERE} if self._own is not None else {}), **found}

    def decisions(self, query: Query) -> list[DecisionLine]:
        """Return decisions, the newest first."""
        names = self.names()
        pattern = f"*{query.machine}*" if query.machine else "*"
        sources = [one for one, name in names.items() if fnmatch(name.lower(), pattern.lower())]
        wanted = query.wanted.replace(sources=tuple(one for one in sources if one != OWN))
        found = self._sent(wanted) if wanted.sources else []
        if self._own is not None and OWN in sources:
            found = [*found, *self._own.decisions(wanted)]
        found.sort(key=lambda one: (one.at, one.name), reverse=True)
        return found[: wanted.most]

    def _sent(self, wanted: DecisionQuery) -> list[DecisionLine]:
        """Return decisions of machines: those of past days out of the archive, where the database
        would have to look at each of them.
        """
        if self._archive is None or not wanted.dear:
            return self._keeping.read(lambda known: known.decisions(wanted))
        through, past = self._archive.find(wanted)
        late = wanted.replace(beyond=through)
        numbers = [one.number for one in past]
        older, newer = self._keeping.read(
            lambda known: (known.lines(numbers), known.decisions(late))
        )
        if {(one.source, one.name) for one in older} != {(one.chain, one.name) for one in past}:
            raise ServiceStoreError(
                f"{self._archive.folder} is of another database: move it away, and it is written"
                " anew"
            )
        return [*older, *newer]

    def session(self, source: str, name: str) -> list[SessionEvent]:
        """Return a session's events, oldest first."""
        if source == OWN:
            return self._own.session(name) if self._own is not None else []
        return self._keeping.read(lambda known: known.session(source, name))

    def decision(self, source: str, name: str) -> DecisionDetail | None:
        """Return a decision in full."""
        if source == OWN:
            return self._own.decision(name) if self._own is not None else None
        return self._keeping.read(lambda known: known.decision(source, name))

    def find_arrived(self, after: tuple[int, int]) -> tuple[tuple[int, int], list[DecisionLine]]:
        """Return where all of it ends by now, and what came or ended since it ended at ``after``,
        the oldest first.
        """
        sent, found = self._keeping.read(lambda known: known.find_arrived(after[1]))
        found = [one for one in found if one.source != self._twin]
        own = after[0]
        if self._own is not None:
            own, here = self._own.find_arrived(after[0])
            found = [*found, *here]
        found = [one for one in found if one.session != "interlock-doctor"]
        return (own, sent), sorted(found, key=lambda one: (one.at, one.name))

    def end(self) -> tuple[int, int]:
        """Return where all of it ends by now."""
        return self.find_arrived((BEHIND_ALL if self._own is not None else 0, BEHIND_ALL))[0]

    def minutes(self, since: str) -> dict[str, MinuteCounts]:
        """Return what was decided in each minute from a time on, in which anything was."""
        found: dict[str, MinuteCounts] = {}
        own = self._own.minutes(since) if self._own is not None else []
        for one in [*self._keeping.read(lambda known: known.minutes(since, self._twin)), *own]:
            before = found.get(one.minute, MinuteCounts(one.minute, 0, 0, 0))
            found[one.minute] = MinuteCounts(
                one.minute,
                before.calls + one.calls,
                before.asked + one.asked,
                before.denied + one.denied,
            )
        return found

    def sessions(self, since: str, most: int) -> list[SessionLine]:
        """Return the sessions since a time, the newest first."""
        found = self._keeping.read(lambda known: known.sessions(since, most))
        found = [one for one in found if one.source != self._twin]
        here = self._own.sessions(since, most) if self._own is not None else []
        return sorted([*found, *here], key=lambda one: one.last, reverse=True)[:most]

    def insights(self, since: str) -> Insights:
        """Return what was asked about from a time on, counted."""
        counts, calls, teams = self._keeping.read(
            lambda known: (
                known.count_asked(since, self._twin),
                known.asked_most(since, self._twin, MOST),
                find_teams(known),
            )
        )
        if self._own is not None:
            counts += self._own.count_asked(since)
            calls += self._own.asked_most(since, MOST)
            calls.sort(key=lambda one: -one.asked)
        return gather_insights(counts, calls, self.names(), teams)

    @property
    def own(self) -> LocalHistory | None:
        """The store of whoever runs the service."""
        return self._own

    @property
    def twin(self) -> str:
        """The chain by which the own store is sent to this service, too; empty where it is not."""
        return self._twin


def _chain(own: Storage | None) -> str:
    try:
        found = load_enrolment(own.folder) if own is not None else None
    except StoreError:
        return ""  # said by `interlock status`
    return found.chain if found is not None else ""
