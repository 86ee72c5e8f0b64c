"""Environments a policy names, such as production: how what touches them is recognised."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.model.effect import (
    ChangesDatabase,
    ChangesInfrastructure,
    ChangesMode,
    Connects,
    ControlsContainer,
    Deletes,
    Publishes,
    Pushes,
    Sends,
    Writes,
)
from interlock.model.rule import Match
from interlock.policy.patterns import below
from interlock.policy.reading import Section

CONTEXT, ACCOUNT = "context:", "account:"
"""How a program's reading says which context or account it works in, among the target's."""
NAMING = ("environment", "context", "workspace", "stack", "cluster")
"""What names an environment by a word, wherever it stands: ``NODE_ENV=production``, ``--context
prod-eu``, ``TF_WORKSPACE=prod``.
"""


def rows(one: Section, home: str) -> Iterator[tuple[str, Match]]:
    """Yield a word for the kind of recognition, and what matches."""
    hosts, paths = one.get("hosts", ()), one.get("paths", ())
    if hosts:
        yield (
            "hosts",
            Match(
                (Connects, Sends),
                like=tuple([form for name in hosts for form in (name, f"*.{name}")]),
            ),
        )
    if paths:
        yield (
            "paths",
            Match(
                (Writes, Deletes, ChangesMode),
                path=tuple([below(path, home) for path in paths]),
                holding=True,
            ),
        )
    if one.get("git_refs"):
        yield "refs", Match((Pushes,), ref=one.get("git_refs"))
    clouds = (ChangesInfrastructure, ControlsContainer, ChangesDatabase, Publishes)
    for key, word, start in (
        ("kube_contexts", "contexts", CONTEXT),
        ("cloud_accounts", "accounts", ACCOUNT),
    ):
        if one.get(key):
            yield word, Match(clouds, ref=tuple([start + name for name in one.get(key)]))
    if one.get("words"):
        yield (
            "words",
            Match(
                clouds,
                ref=tuple([f"{kind}:{word}" for kind in NAMING for word in one.get("words")]),
            ),
        )
