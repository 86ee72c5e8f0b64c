"""The policy of a tenant: ``policy.yaml`` in its folder, else what interlock brings along."""

from __future__ import annotations

import os
from time import monotonic

from interlock.model.policy import Policy
from interlock.policy.builtin import builtin
from interlock.policy.current import current
from interlock.policy.examples import HOME, reading
from interlock.policy.files import PolicyLocations
from interlock.service.callers.claims import ClaimedFacts

LOOK_SECONDS = 1.0
"""How often it is looked whether the file changed."""


class TenantPolicy:
    """The policy in a folder, as it is now. Who may write the file is who runs the service."""

    def __init__(self, folder: str) -> None:
        own = os.getuid() if hasattr(os, "getuid") else 0
        self._where = PolicyLocations(folder, "", state=f"{folder}/callers", owner=own, above=own)
        self._policy = builtin()
        self._until = 0.0

    def __call__(self) -> Policy:
        """Return it. Total: a file that is wrong tightens as it last did, and every answer says
        so.
        """
        at = monotonic()
        if at >= self._until:
            self._policy = current(self._where, lambda: reading(HOME, _examples_facts))
            self._until = monotonic() + LOOK_SECONDS
        return self._policy


def _examples_facts(home: str) -> ClaimedFacts:
    return ClaimedFacts({"home": home, "temps": ["/tmp"]})  # noqa: S108 - examples only
