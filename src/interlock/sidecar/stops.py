"""What the team's service stopped is stopped here: the flag first, then its processes, then the
report. What it resumed goes on, if the service signed that.

To stop takes no proof, for it can only be too much; to resume does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from threading import RLock, Thread
from typing import Any

from interlock.audit.log import Audit
from interlock.guard.stopping import StopResult
from interlock.sidecar.client import ServiceResponse, SidecarClient, UnreachableError, number
from interlock.sidecar.receipts import is_signed
from interlock.stop import StopError
from interlock.stop.flags import Flag, engage, lift_fleet, of_fleet
from interlock.stop.fleet import HERE, SERVICE, free, read_freed
from interlock.store.elsewhere import EnrolmentState
from interlock.store.place import StoreError
from interlock.store.protocol import Storage
from interlock.wire.orders import (
    OrderError,
    ResumeOrder,
    StopOrder,
    bytes_to_sign,
    resume_of,
    stop_of,
)

End = Callable[[StopOrder], StopResult]
"""Does what ``interlock stop`` does; raises ``StopError`` and ``StoreError``."""
MOST_NAMES = 20


class Stops:
    """The stops of one service on this machine; safe for threads. Every method but ``fetch`` is
    total: what fails is reported, and tried again with the next look.
    """

    def __init__(self, store: Storage, where: EnrolmentState, end: End) -> None:
        self._store, self._where, self._end = store, where, end
        self._lock = RLock()
        self._busy: set[int] = set()
        self._untold: dict[int, Mapping[str, object]] = {}
        self._undone: set[int] = set()
        self.epoch = 0

    @property
    def owes(self) -> bool:
        """Whether something was not done or not reported yet: the next beat tries again."""
        return bool(self._untold or self._undone)

    def fetch(self, client: SidecarClient) -> ServiceResponse:
        """Ask what stands and do it; raises ``UnreachableError``."""
        self._finish()
        have = ",".join(map(str, of_fleet(self._store.folder)))
        answer = client.ask(f"/v1/stops?have={have}")
        if answer.status == 200:
            for one in _list(answer.said.get("stops")):
                self.take_stop(one, told=one.get("told") is True, free=one.get("freed") is True)
            for one in _list(answer.said.get("resumes")):
                self.take_resume(one)
            self._note_epoch(number(answer.said, "epoch"))
        self._tell(client)
        return answer

    def take_stop(
        self, given: Mapping[str, Any], *, told: bool = False, free: bool = False
    ) -> None:
        """Stop what the service says. ``told``: it knows already that this was done here;
        ``free``: that it was resumed here without the service.
        """
        try:
            order = stop_of({name: given.get(name) for name in StopOrder.fields})
        except OrderError:
            return  # nothing in it says whom to stop; the next look asks again
        order = order.replace(by=f"{order.by} (team)")
        with self._lock:  # no resumption comes between the look and the flag
            before = read_freed(self._store.folder, order.epoch)
            problem = self._flag(order) if before is None else ""
        if before is not None:
            if before.how == HERE and not free:
                self._report(order.epoch, done=True, freed=before.by)
            return
        self._note_epoch(order.epoch)
        if problem:
            self._report(order.epoch, done=False, problems=problem)
        elif not told and self._begins(order.epoch):
            Thread(target=self._ended, args=(order,), daemon=True).start()

    def take_resume(self, given: Mapping[str, Any]) -> None:
        """Let go what the service resumed, where it signed that."""
        try:
            order = resume_of({name: given.get(name) for name in ResumeOrder.fields})
        except OrderError:
            return
        self._note_epoch(order.epoch)
        if not is_signed(self._where.service_key, bytes_to_sign(order), order.signature):
            why = "not resumed here: the service that this machine knows did not sign it"
            self._report(order.epoch, done=False, problems=why)
            return
        problems = ""
        try:
            with self._lock:
                stood = free(self._store.folder, order.stop, SERVICE, order.by)
            if stood:
                body = {"by": order.by, "epoch": order.stop, "service": self._where.url}
                event = Audit(self._store).event("resume", f"stop:{order.stop}", body)
                self._store.commit([event])
        except (StopError, StoreError) as error:
            problems = str(error)
        self._report(order.epoch, done=not problems, problems=problems)

    # -- the parts of it ---------------------------------------------------------------------------

    def _finish(self) -> None:
        """Lift what was let go and whose flag stands: it was ended in between."""
        for epoch in of_fleet(self._store.folder):
            if read_freed(self._store.folder, epoch) is not None:
                with suppress(StopError):  # the next look tries again
                    lift_fleet(self._store.folder, epoch)

    def _note_epoch(self, epoch: int) -> None:
        with self._lock:
            self.epoch = max(self.epoch, epoch)

    def _flag(self, order: StopOrder) -> str:
        """Set the flag; return why it does not stand, empty where it does."""
        flag = Flag(order.scope, order.why, order.by, _since(order.at), order.epoch)
        try:
            return engage(self._store.folder, flag)
        except StopError as error:
            return str(error)

    def _begins(self, epoch: int) -> bool:
        """Tell whether nobody is at it, nor did it."""
        with self._lock:
            if epoch in self._busy or epoch in self._untold:
                return False
            self._busy.add(epoch)
            return True

    def _ended(self, order: StopOrder) -> None:
        """End its processes, and report."""
        try:
            done = self._end(order)
        except (StopError, StoreError) as error:
            self._report(order.epoch, done=False, problems=str(error))
        else:
            names = [f"{name} ({pid})" for pid, name in done.killed.survivors[:MOST_NAMES]]
            self._report(
                order.epoch, done=True, ended=done.killed.count, survivors=", ".join(names),
                problems=" ".join(done.problems),
            )  # fmt: skip
        client = SidecarClient(self._where.url, self._where.pin, self._where.credential)
        try:
            self._tell(client)
        except UnreachableError:
            return  # the next look tells it
        finally:
            client.close()
            with self._lock:
                self._busy.discard(order.epoch)

    def _report(self, epoch: int, *, done: bool, **what: object) -> None:
        with self._lock:
            self._untold[epoch] = {"done": done, **what}
            (self._undone.discard if done else self._undone.add)(epoch)

    def _tell(self, client: SidecarClient) -> None:
        """Report what was not reported yet; raises ``UnreachableError``."""
        with self._lock:
            waiting = dict(self._untold)
        for epoch, what in waiting.items():
            status = client.tell(f"/v1/stops/{epoch}", what).status
            if status in (200, 404):
                with self._lock:
                    if self._untold.get(epoch) == what:
                        del self._untold[epoch]


def _since(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return 0.0


def _list(given: object) -> list[dict[str, Any]]:
    return [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
