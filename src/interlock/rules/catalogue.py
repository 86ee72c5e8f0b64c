"""All rules, in the order in which they are shown."""

from __future__ import annotations

from interlock.rules import (
    database,
    execution,
    filesystem,
    filewrites,
    git,
    guard,
    infrastructure,
    network,
    packages,
    secrets,
    system,
    tools,
    unread,
)

FAMILIES = (
    filesystem,
    filewrites,
    secrets,
    network,
    execution,
    git,
    packages,
    system,
    database,
    infrastructure,
    guard,
    tools,
    unread,
)
RULES = tuple([rule for family in FAMILIES for rule in family.RULES])
