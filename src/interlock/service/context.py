"""What every route has at hand."""

from __future__ import annotations

from threading import BoundedSemaphore

from interlock.model.record import Record
from interlock.service.archive.protocol import Archive
from interlock.service.callers.group import GroupWriter
from interlock.service.callers.judging import CallerGuard
from interlock.service.guess_limits import GuessCounter
from interlock.service.keys import ServiceKeys
from interlock.service.metrics import ServiceMetrics
from interlock.service.notifier import Notifier
from interlock.service.provider import IdentityProvider
from interlock.service.signing import Signer
from interlock.service.store.protocol import ServiceStore
from interlock.service.trial_tools import TrialTools
from interlock.service.trouble import ServiceFailures
from interlock.store.protocol import Storage

MOST_AT_ONCE = 16
"""Batches that are taken in or wait for it; whoever comes then is told to come again."""


class ServiceContext(Record):
    """``url``: the service's address as machines and people call it, without a slash at its end;
    ``pin``: SHA-256 of its certificate where machines have to know it; ``hosts``: the names by
    which it may be called, each with its port; ``bell``: wakes the streams of machines;
    ``guesses``: at passwords and codes, ``refusals``: those that are recorded; ``trouble``:
    what is said where it was started; ``own``: the store
    of whoever runs it, None where that is not shown; ``provider``: whom people may sign in with;
    ``guard``: judges the calls of programs, whose decisions ``group`` records; ``metrics``:
    what is counted; ``folder``: where the service's keys lie;
    ``tools``: with which policies are tried, None where they are not; ``archive``:
    files of past days, None where nothing is installed that makes them.
    """

    keeping: ServiceStore
    signer: Signer
    url: str
    pin: str
    hosts: frozenset[str]
    room: BoundedSemaphore
    bell: Notifier
    keys: ServiceKeys
    guesses: GuessCounter
    refusals: GuessCounter
    trouble: ServiceFailures
    guard: CallerGuard
    group: GroupWriter
    metrics: ServiceMetrics
    own: Storage | None = None
    provider: IdentityProvider | None = None
    folder: str = ""
    tools: TrialTools | None = None
    archive: Archive | None = None

    def close(self) -> None:
        """Finish what waits, and let go of what is open."""
        self.group.close()
        self.guard.close()
        if self.archive is not None:
            self.archive.close()
        self.keeping.close()

    def fail(self, why: str) -> None:
        """Say what kept it from its work, and count it."""
        self.metrics.count_failure()
        self.trouble.say(why)

    def refused(self, name: str, by: str) -> None:
        """Record that somebody was not let in, unless that fills the disk."""
        if not self.refusals.wait("all"):
            self.keeping.write(lambda steps: steps.note("sign-in-refused", name, {"by": by}))

    @property
    def secure(self) -> bool:
        """Whether it is called by TLS."""
        return self.url.startswith("https://")

    @property
    def elsewhere(self) -> str:
        """Its address by this machine's name, where it is called by this machine's number: there
        are passkeys for names alone. Empty where it has no other.
        """
        found = self.url.replace("127.0.0.1", "localhost").replace("[::1]", "localhost")
        return found if found != self.url else ""

    @property
    def cookie(self) -> str:
        """The cookie's name: with its port, for cookies are a host's and not a port's."""
        port = self.url.rpartition(":")[2].strip("/")
        return "__Host-interlock" if self.secure else f"interlock-{port}"
