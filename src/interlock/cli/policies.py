"""The policy that holds where a command runs, out of its files."""

from __future__ import annotations

import os
import time

from interlock.cli import build
from interlock.policy.builtin import builtin
from interlock.policy.files import SKILLS, PolicyLocations, look
from interlock.policy.load import LoadedPolicy, load
from interlock.policy.problem import PolicyProblems
from interlock.policy.schema import FLEET, ORGANISATION, PROJECT, SESSION, USER
from interlock.policy.skills import is_skill
from interlock.policy.source import PolicySource

DAY = 86400
TODAY = time.strftime("%Y-%m-%d", time.gmtime())


def load_policy(where: PolicyLocations) -> LoadedPolicy:
    """Return the policy that holds today, out of its files."""
    return load(where, build.reader(where.home), int(time.time()) // DAY)


def layer_of(path: str, where: PolicyLocations) -> str:
    """Return the layer of a file by where it lies; one of no such place is the user's."""
    if path in where.fleet_files:
        return FLEET
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


def fleet_file(where: PolicyLocations) -> str:
    """Return the file of the team's policy that counts here, or would; "" where none can lie."""
    there = [path for path in where.fleet_files if look(path, (), where.lent).there]
    return (there or [*where.fleet_files[::-1]])[0]


def policy_source(layer: str, path: str, where: PolicyLocations) -> PolicySource:
    """Return what compiling a file of a layer alone needs."""
    known = {rule.id: rule for rule in builtin().rules}
    reader, problems = build.reader(where.home), PolicyProblems(path)
    return PolicySource(layer, path, where.home, known, reader, problems, layer != PROJECT)
