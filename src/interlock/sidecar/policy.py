"""The team's policy on this machine, kept as it is to be: looked for when the service says so and
now and then, put in place whole, and put back where somebody changed it.

Whatever is wrong, the last policy that was verified goes on. It is never taken away because the
service is gone, because a document ended, or because another one came that cannot be believed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from importlib.util import find_spec
from random import uniform
from threading import Event, Thread
from time import monotonic

from interlock.audit.log import Audit
from interlock.model.record import Record
from interlock.policy.installation import install_command
from interlock.sidecar.client import SidecarClient, UnreachableError
from interlock.sidecar.policy_place import (
    FetchedPolicy,
    PolicyFetchError,
    PolicyPlace,
    ServiceGoneError,
    find_change,
    keep_state,
    load_state,
    put_back,
    take_over,
)
from interlock.store.chain import now
from interlock.store.elsewhere import EnrolmentState, load_enrolment
from interlock.store.place import StoreError
from interlock.store.protocol import Storage
from interlock.wire.policy_state import PolicyState, hash_text, plain

LOOK_SECONDS = 5.0
"""How often it is looked whether the file that hooks read is the one that was put there."""
EVERY_SECONDS = 600.0
"""How often the service is asked without a hint."""
SPREAD_SECONDS = 10.0
"""Within which the machines of a fleet ask once they are told of a new one."""
LACKING = "the team's policy is not taken here; what verifies it is missing: {0}"
NEEDED = ("tuf", "securesystemslib")


def day_before(at: str) -> str:
    """Return the same time a day earlier."""
    early = datetime.fromisoformat(at) - timedelta(days=1)
    return early.strftime("%Y-%m-%dT%H:%M:%S.000Z")


class FleetSettings(Record):
    """What keeping a policy needs. ``check``: what is wrong with a text on this machine, empty
    where nothing is; ``drawn``: draws the length of a wait.
    """

    check: Callable[[bytes], str]
    drawn: Callable[[float, float], float] = uniform


class FleetPolicy:
    """The policy of one service on this machine; one thread at a time."""

    def __init__(
        self,
        store: Storage,
        where: EnrolmentState,
        place: PolicyPlace,
        settings: FleetSettings,
    ) -> None:
        self._store, self._where, self._place = store, where, place
        self._settings = settings
        self.state = load_state(place)
        self._told: PolicyState | None = None
        self._due = 0.0
        self._hinted = Event()

    def hint(self) -> None:
        """Look soon: the service says that there may be another one; from any thread."""
        self._hinted.set()

    def begin(self, ended: Event) -> None:
        """Keep it from now on, in a thread of its own."""
        Thread(target=self.run, args=(ended,), daemon=True).start()

    def run(self, ended: Event) -> None:
        """Keep it until that is ended."""
        while not ended.is_set():
            try:
                self.step()
            except StoreError:
                self._due = 0.0  # the store is held, or the disk is full: the next look tries again
            left = self._due - monotonic()
            self._hinted.wait(left if 0 < left < LOOK_SECONDS else LOOK_SECONDS)

    def step(self) -> None:
        """Look once; raises ``StoreError``."""
        if self._hinted.is_set():
            self._hinted.clear()
            self._due = min(self._due, monotonic() + self._settings.drawn(0.0, SPREAD_SECONDS))
        if not self._is_ours():
            return
        self.restore()
        if monotonic() >= self._due:
            self._due = monotonic() + EVERY_SECONDS
            self.fetch()

    def _is_ours(self) -> bool:
        """Tell whether this machine is enrolled there still: who left keeps no policy of theirs."""
        found = load_enrolment(self._store.folder)
        return found is not None and found.credential == self._where.credential

    # -- what is here ------------------------------------------------------------------------------

    def restore(self) -> None:
        """Put back what somebody changed or removed, and record that; raises ``StoreError``."""
        what = find_change(self._place, self.state)
        if not what:
            return
        back = put_back(self._place, self.state)
        done = "was put back" if back else "has to come from the service anew"
        at = now()
        drift = f"its file was {what} here at {at}, and {done}"
        self._note("bundle-drift", self.state.bundle, {"what": what, "back": back})
        bundle = self.state.bundle if back else 0
        self._become(self.state.replace(drift=drift, drifted=at, bundle=bundle))
        self._due = 0.0  # it is told at once

    # -- what the service has ----------------------------------------------------------------------

    def fetch(self) -> None:
        """Ask the service, and take what is meant for this machine; raises ``StoreError``."""
        client = SidecarClient(self._where.url, self._where.pin, self._where.credential)
        try:
            self._ask(client)
            self._tell(client)
        except (UnreachableError, ServiceGoneError):
            # said where the record is sent; what is here goes on, and in the end that is told
            if self.state.expires and self.state.expires < now():
                self._refuse(f"nobody has vouched for the team's policy since {self.state.expires}")
        finally:
            client.close()

    def _ask(self, client: SidecarClient) -> None:
        if any(find_spec(name) is None for name in NEEDED):
            has_one = client.ask("/v1/policy/timestamp.json").status == 200
            lacking = LACKING.format(install_command("fleet")) if has_one else ""
            self._become(self.state.replace(why=lacking))
            return
        from interlock.sidecar.policy_fetch import fetch  # an extra brings what it stands on

        try:
            answer = fetch(client, self._place, self._where.machine, self.state.bundle)
        except ServiceGoneError:
            raise
        except PolicyFetchError as error:
            self._refuse(str(error))
            return
        if answer is None:
            self._become(self.state.replace(why=""))
            return
        state = self.state.replace(why="", expires=answer.expires)
        if state.drifted < day_before(now()):
            state = state.replace(drift="", drifted="")
        if answer.policy is None:
            self._become(state.replace(refused=0))
        else:
            self._take(answer.policy, state)

    def _take(self, policy: FetchedPolicy, state: PolicyState) -> None:
        number, content = policy.bundle, policy.content
        wrong = self._settings.check(content)
        if wrong:
            if state.refused != number:
                self._note("bundle-refused", number, {"why": wrong})
            self._become(state.replace(refused=number, why=f"bundle {number}: {wrong}"))
            return
        hashed, enforced = hash_text(content), self._place.enforced
        taken = PolicyState(number, hashed, now(), enforced, expires=state.expires)
        take_over(self._place, content, taken)
        self.state = taken
        self._note("bundle", number, {"hash": hashed, "enforced": enforced})

    def _refuse(self, why: str) -> None:
        """Record, once, that what the service offered is not taken."""
        if self.state.why != why:
            self._note("bundle-refused", self.state.bundle, {"why": why})
        self._become(self.state.replace(why=why))

    def _tell(self, client: SidecarClient) -> None:
        """Say which policy is here; raises ``UnreachableError``."""
        if self._told != self.state:
            answer = client.tell("/v1/policy", plain(self.state))
            self._told = self.state if answer.status == 200 else None

    def _become(self, state: PolicyState) -> None:
        if state != self.state:
            self.state = state
            keep_state(self._place, state)

    def _note(self, kind: str, bundle: int, body: dict[str, object]) -> None:
        said = {"service": self._where.url, **body}
        self._store.commit([Audit(self._store).event(kind, str(bundle), said)])
