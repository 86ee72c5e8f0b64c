"""The policy that holds where a command runs, out of its files."""

from __future__ import annotations

import os
import time

from interlock.cli import build
from interlock.policy.files import SKILLS, PolicyLocations
from interlock.policy.load import LoadedPolicy, load
from interlock.policy.schema import ORGANISATION, PROJECT, SESSION, USER
from interlock.policy.skills import is_skill

DAY = 86400
TODAY = time.strftime("%Y-%m-%d", time.gmtime())


def load_policy(where: PolicyLocations) -> LoadedPolicy:
    """Return the policy that holds today, out of its files."""
    return load(where, build.reader(where.home), int(time.time()) // DAY)


def layer_of(path: str, where: PolicyLocations) -> str:
    """Return the layer of a file by where it lies; one of no such place is the user's."""
    if path.startswith(f"{where.system}/"):
        return ORGANISATION
    if where.state and path.startswith(f"{where.state}/"):
        return SESSION
    if is_skill(path):
        return (
            USER
            if path.startswith(
                tuple([f"{folder}/" for folder in where.guard_folders(where.home, SKILLS)])
            )
            else PROJECT
        )
    return PROJECT if os.path.basename(os.path.dirname(path)) == ".interlock" else USER
