"""What was installed compared with what is there: told once where an agent took it away, and put
back where the person wants that.

A change counts as an agent's where one was at work (``presence.agent_activity``). What a person
changes while none is at work is their own: it stays, and only ``interlock doctor`` speaks of it. A
policy file that was changed, and not taken away, holds as it is, whoever did it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from interlock.guard.missing_stage import PERSON, SESSION
from interlock.integrations import installed_things, writing
from interlock.integrations.changes import alone
from interlock.integrations.clients import adapter_of
from interlock.integrations.install import UnwrittenError
from interlock.model.record import Record
from interlock.presence.file_state import RECORD, SEEN, PresenceState, read_seen, sign
from interlock.presence.record import DamagedError, InstalledItem, InstallRecord, read

OWN, AGENTS, OURS = "person", "agent", "interlock"
"""Who changed something; ours is what was put back by another version than wrote it."""
PATIENCE = 1.0
"""Seconds that a hook waits for another one that is looking at the same."""
MEND = "interlock init"
_ASIDE = (
    " Calls that were made in between were judged by nobody: `interlock log` shows what is known of"
    " them."
)


class DriftContext(Record):
    """What comparing needs of the rest. ``state``: the state folder; ``at_work``: whether an agent
    was at work at a time (Unix seconds).

    ``last``: when a call was judged last, 0 where that is not known. ``record``: records an event
    about something, returns what went wrong. ``tell``: has people told, by title and text, and
    returns what went wrong.
    """

    state: str
    at_work: Callable[[float], bool]
    last: Callable[[], float]
    record: Callable[[str, Mapping[str, object]], str]
    tell: Callable[[str, str], tuple[str, ...]]


def notice_losses(desk: DriftContext, to: str, *, again: bool = False) -> tuple[str, ...]:
    """Compare, and return what is to be told to the session or to the person; to nobody yet where
    it is neither.

    ``again``: try again to put back what could not be. Where another process is looking at the very
    same, it is the one that tells.
    """
    try:
        with alone(PATIENCE):
            return _DriftCheck(desk).all(to, again=again)
    except UnwrittenError:
        return ()


class _DriftCheck:
    """One comparison. The signs of files are taken before they are read, so that what changes
    meanwhile is seen the next time.
    """

    def __init__(self, desk: DriftContext) -> None:
        self.desk, self.state = desk, desk.state
        before = read_seen(self.state)
        self.last = before or PresenceState()
        self.first = before is None
        self.record_sign = sign(f"{self.state}/{RECORD}")
        self.problem = ""
        self.record = InstallRecord()
        try:
            self.record = read(self.state) or self.record
        except DamagedError as problem:
            self.problem = str(problem)
        self.signs = {item.path: sign(item.path) for item in self.record.items}
        self.known: dict[str, tuple[str, str]] = {}
        self.said: list[str] = []

    def all(self, to: str, *, again: bool) -> tuple[str, ...]:
        """Look at everything, tell people, and note what was seen and what is still to be told."""
        if self.record_sign != self.last.record:
            self._check_record()
        for item in self.record.items:
            self._one(item, again=again)
        self.said += (
            self.desk.tell("interlock: the guard was changed", " ".join(self.said))
            if self.said
            else ()
        )
        for_session, for_person = (*self.last.session, *self.said), (*self.last.person, *self.said)
        waits = PresenceState(
            self.record_sign,
            self.signs,
            self.known,
            () if to == SESSION else for_session,
            () if to == PERSON else for_person,
        )
        unwritten = write_own_file(self.state, SEEN, waits.text())
        return (*(for_session if to == SESSION else for_person if to == PERSON else ()), *unwritten)

    def _check_record(self) -> None:
        """Say that the record itself is damaged or gone."""
        if self.problem or not (self.record_sign or self.first):
            why = self.problem or f"{self.state}/{RECORD} is gone"
            self._say(
                "The record of what was installed cannot be used, so nothing is compared with it:"
                f" {why}. A person mends it by `{MEND}`."
            )

    def _one(self, item: InstalledItem, *, again: bool) -> None:
        state, mark = installed_things.now(item), self.last.known.get(item.key)
        if state == item.state:
            if mark is not None and mark[1] == AGENTS:
                self._event(item, {"what": "is as it was", "back": True})
            return
        was = item.replace(state=mark[0]) if mark is not None and mark[1] != AGENTS else item
        retry = (
            again
            and mark is not None
            and mark[1] == AGENTS
            and self.record.repair
            and installed_things.may_be_put_back(item, state)
        )
        if mark is not None and mark[0] == state and not retry:
            self.known[item.key] = mark
        elif retry or self.desk.at_work(installed_things.loss_time(item.path)):
            self._lost(item, was, state)
        else:
            self._accept_change(item, was, state)

    def _accept_change(self, item: InstalledItem, was: InstalledItem, state: str) -> None:
        """Leave it as it is; what there is of it now is what an agent is not to take away."""
        self.known[item.key] = (state, OWN)
        try:
            installed_things.keep(item, self.state)
        except OSError as error:
            self._say(
                f"{item.path} could not be kept, so it could not be put back: {error.strerror}."
            )
        self._event(item, {"what": installed_things.describe_change(was, state), "by": OWN})

    def _lost(self, item: InstalledItem, was: InstalledItem, state: str) -> None:
        """Put it back where that is wanted, and say it."""
        said, disarms, since = (
            installed_things.describe_change(was, state),
            installed_things.KINDS[item.kind].disarms,
            self._since(item.path),
        )
        wanted = installed_things.may_be_put_back(was, state)
        tried = wanted and self.record.repair is True
        why = installed_things.put_back(was, self.record.of(item), self.state) if tried else ""
        back = tried and not why
        self.signs[item.path] = sign(item.path)
        after = installed_things.now(item)
        if after != item.state:
            self.known[item.key] = (
                after,
                AGENTS if not back else OWN if after == was.state else OURS,
            )
        body: dict[str, object] = {
            "what": said,
            "by": AGENTS,
            "back": back,
            "why": why,
            "since": since,
        }
        agent = adapter_of(item.client).DIALECT.agent if disarms else ""
        self._event(item, {**body, "disarms": agent})
        fate = _fate(wanted=wanted, back=back, why=why, gone=installed_things.is_gone(was, state))
        self._say(f"While an agent was at work, {said}{fate}{_ASIDE if disarms else ''}")

    def _since(self, path: str) -> float:
        """Return from when on it may have been gone: since the last call that was judged, for with
        that call it was looked at.
        """
        lost, last = installed_things.loss_time(path), self.desk.last()
        return min(last, lost) if last else lost

    def _event(self, item: InstalledItem, body: Mapping[str, object]) -> None:
        problem = self.desk.record(item.key, body)
        if problem:
            self._say(f"That could not be recorded: {problem}.")

    def _say(self, sentence: str) -> None:
        self.said.append(sentence)


def _fate(*, wanted: bool, back: bool, why: str, gone: bool) -> str:
    if back:
        return "; it was put back."
    if why:
        return f"; it could not be put back: {why}."
    if wanted:
        return f"; self-repair is off, so it stays so until a person runs `{MEND}`."
    return (
        f"; it {'stays so' if gone else 'holds as it is now'}. If you did that, `{MEND}` takes"
        " it so."
    )


def write_own_file(state: str, name: str, text: str) -> tuple[str, ...]:
    """Write a file of ours; return why that could not be done."""
    path = f"{state}/{name}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        writing.whole(path, text.encode(), 0o600)
    except OSError as error:
        return (f"{path} could not be written: {error.strerror}.",)
    return ()
