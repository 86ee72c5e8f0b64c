"""The table of misfits: which effects are unexpected for another request (GR-009)."""

from __future__ import annotations

from interlock.intent.names import LOOKING
from interlock.model.effect import (
    ELSEWHERE,
    GENERATED,
    HOME,
    LOG,
    OTHER_REPOSITORY,
    SINK,
    SYSTEM,
    UNKNOWN_PLACE,
    VCS_INTERNAL,
    WORKSPACE,
    ChangesDatabase,
    ChangesInfrastructure,
    ControlsContainer,
    ControlsSystem,
    Deletes,
    DiscardsWork,
    Effect,
    EscalatesPrivilege,
    Executes,
    Installs,
    Persists,
    Publishes,
    Pushes,
    RewritesHistory,
    Sends,
    Writes,
)
from interlock.model.record import Record
from interlock.model.rule import Match, on

KEPT = frozenset({WORKSPACE, HOME, OTHER_REPOSITORY, ELSEWHERE, SYSTEM, UNKNOWN_PLACE})
"""Where changes count: not among temporary files, and not on devices."""
PASSING = frozenset({GENERATED, SINK, VCS_INTERNAL, LOG})
"""What comes and goes by itself: what is built again, git's own files, logs."""
_LOOKING = frozenset(LOOKING)
_CODE = frozenset({"debug_error", "write_code", "write_docs", "refactor", "configure", "clean_up"})
_RUNNING = frozenset({"test", "build_run", "install"})
_SHIPPED = frozenset({"deploy", "release", "publish", "ship", "rollout"})
"""Scripts that bring things to others: ``npm run deploy``, ``make release``, ``./deploy.sh``."""


_CODE_HOSTS = frozenset({"gh", "glab", "hub"})


class UnexpectedEffect(Record):
    """One row: what a call does, and under which intents that is asked about or warned of. Under
    all others it is no misfit.

    ``title`` completes "This call ...". ``named``: for programs and scripts, the first word of
    their name. ``by``: only of these programs, ``not_by``: not of these.
    """

    title: str
    match: Match
    asks: frozenset[str] = frozenset()
    warns: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    by: frozenset[str] = frozenset()
    not_by: frozenset[str] = frozenset()

    def __call__(self, effect: Effect) -> bool:
        """Tell whether the row speaks of an effect."""
        if (
            effect.kind not in self.match.kinds
            or effect.by in self.not_by
            or (self.by and effect.by not in self.by)
        ):
            return False
        return self.match(effect) and (not self.named or script(effect.target) in self.named)


def script(target: str) -> str:
    """Return a script's first word: ``deploy`` of ``scripts/deploy-all.sh``, ``deploy:prod``."""
    name = target.rpartition("/")[2]
    for sign in ".:-_":
        name = name.partition(sign)[0]
    return name.lower()


MISFITS = (
    UnexpectedEffect(
        "deletes files",
        on(
            Deletes,
            location=KEPT,
            no_nature=PASSING,
            lacks={"made-here", "moved", "ignored", "nothing-lost"},
        ),
        asks=_LOOKING,
        warns=frozenset({"message", "push", "publish", "deploy"}),
        not_by=frozenset({"rmdir"}),
    ),
    UnexpectedEffect(
        "throws away work that is in no commit",
        on(DiscardsWork, location=KEPT, lacks={"nothing-lost"}),
        asks=_LOOKING | {"build_run", "message", "push", "publish", "deploy"},
        warns=frozenset({"write_docs", "configure", "test", "install"}),
    ),
    UnexpectedEffect(
        "rewrites history", on(RewritesHistory), asks=_LOOKING | _RUNNING, warns=_CODE
    ),
    UnexpectedEffect(
        "pushes commits",
        on(Pushes),
        asks=_LOOKING,
        warns=_CODE | _RUNNING | {"git_work", "data_change", "operate"},
    ),
    UnexpectedEffect(
        "publishes something for everybody",
        on(Publishes),
        asks=_LOOKING | _RUNNING | _CODE | {"git_work", "data_change", "message"},
        warns=frozenset({"push", "operate"}),
    ),
    UnexpectedEffect(
        "changes servers, clusters or cloud resources",
        on(ChangesInfrastructure, lacks={"soft", "mild"}),
        asks=_LOOKING | _RUNNING | {"write_docs", "refactor", "git_work"},
        warns=frozenset({"write_code", "clean_up", "data_change"}),
        not_by=_CODE_HOSTS,
    ),
    UnexpectedEffect(
        "changes something on the code host",
        on(ChangesInfrastructure, lacks={"soft", "mild"}),
        asks=_LOOKING | _RUNNING,
        by=_CODE_HOSTS,
    ),
    UnexpectedEffect(
        "stops or removes containers, images or volumes",
        on(ControlsContainer, any={"remove", "prune", "stop"}),
        asks=_LOOKING,
    ),
    UnexpectedEffect(
        "runs a script that brings something to others",
        on(Executes),
        asks=_LOOKING | _RUNNING,
        warns=_CODE | {"git_work"},
        named=_SHIPPED,
    ),
    UnexpectedEffect(
        "deletes from a database",
        on(ChangesDatabase, any={"drop", "truncate", "flush", "delete-all", "delete"}),
        asks=_LOOKING,
        warns=frozenset(
            {"write_docs", "build_run", "install", "git_work", "push", "publish", "message"}
        ),
    ),
    UnexpectedEffect(
        "changes a database",
        on(ChangesDatabase, lacks={"drop", "truncate", "flush", "delete-all", "delete"}),
        warns=_LOOKING,
    ),
    UnexpectedEffect(
        "changes files",
        on(Writes, location=KEPT, no_nature=PASSING, lacks={"made-here"}),
        warns=_LOOKING,
    ),
    UnexpectedEffect(
        "installs packages",
        on(Installs, lacks={"manifest", "in-container", "known"}),
        warns=_LOOKING,
    ),
    UnexpectedEffect(
        "writes to other people", on(Sends, has={"message"}), warns=_LOOKING | _RUNNING | _CODE
    ),
    UnexpectedEffect(
        "changes the machine's own state",
        on(ControlsSystem, Persists, EscalatesPrivilege),
        warns=_LOOKING,
    ),
)
