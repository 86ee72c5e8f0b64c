"""What the git modules share: effects on a repository, remotes, and what may be asked of it."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host
from interlock.effects.places import below
from interlock.effects.run import Run
from interlock.model.effect import (
    ALLOWED_HOST,
    TEMP,
    Connects,
    DiscardsWork,
    Kind,
    Pushes,
    Reads,
    RunsCode,
)
from interlock.model.facts import Repository
from interlock.shell.pattern import matches
from interlock.shell.value import HOLE, Value

MAIN = frozenset({"main", "master", "trunk", "production", "prod", "release", "stable", "live"})
"""Branches that others build on."""
_MARKS = "*?["


def repository_effect(
    run: Run, kind: Kind, target: str, *traits: str, value: Value | None = None, **fields: object
) -> None:
    """Add an effect on the repository, with the place of its folder (a push has none: it is
    elsewhere that something changes).
    """
    place = run.context.place(run.cwd) if run.cwd is not None and kind is not Pushes else None
    fields = {"folder": run.cwd or "", **fields}
    run.context.add(
        kind,
        target.replace(HOLE, "?"),
        place=place,
        traits=frozenset(traits),
        span=run.span(value),
        by=run.name,
        **fields,
    )


def is_meant(path: str, pathspec: str) -> bool:
    """Whether a path is one that git was given, or below it. In a pattern of git's own a ``*``
    stands for folders, too (gitglossary(7), "pathspec").
    """
    wide = any(mark in pathspec for mark in _MARKS)
    return below(path, pathspec) or (wide and matches(pathspec, path))


def top_of(run: Run, cwd: str) -> str:
    """Return the top of a folder's work tree, or of the workspace where none is known."""
    found = run.context.facts.repository(cwd)
    if isinstance(found, Repository):
        return found.root
    return next((root for root in run.context.call.roots if below(cwd, root)), cwd)


def find_repository(run: Run) -> Repository | None:
    """Return what is known of the folder's repository, if nothing so far could have changed it."""
    if (
        run.cwd is None
        or not run.here
        or run.context.files.changed
        or not run.context.past.only_looked
    ):
        return None
    found = run.context.facts.repository(run.cwd)
    return found if isinstance(found, Repository) else None


def current_branch(run: Run) -> str:
    """Return the branch that the folder's repository is on, or ``""`` where that is not known or an
    earlier command may have changed it.
    """
    if run.cwd is None or not run.here or not run.context.past.branch_kept:
        return ""
    found = run.context.facts.repository(run.cwd)
    return found.branch if isinstance(found, Repository) else ""


def _is_own(run: Run) -> bool:
    """Whether the folder is a temporary one that this call or its session made, and git works in it
    and nowhere else.
    """
    context, cwd = run.context, run.cwd
    if cwd is None or not run.here or context.files.linked or PLACED in context.files.made:
        return False
    return context.files.is_made(cwd) or (
        context.place(cwd).location == TEMP
        and context.facts.made(cwd)
        and context.facts.real(cwd) == cwd
    )


PLACED = "git works somewhere else"
"""Noted: an option or variable says where git's own data or its work tree is."""
_KEPT_ELSEWHERE = frozenset({"stash", "branch", "tag"})
"""What a linked work tree shares with its repository."""


def discard(
    run: Run, *traits: str, target: str = "", value: Value | None = None, **fields: object
) -> None:
    """Add that work is thrown away; what is in this call's own temporary folder was nobody's."""
    if _is_own(run) and not _KEPT_ELSEWHERE.intersection(traits):
        traits = ("made-here",)
    repository_effect(run, DiscardsWork, target or (run.cwd or ""), *traits, value=value, **fields)
    touch_tree(run)


def touch_tree(run: Run) -> None:
    """Files of the work tree may have changed: what was known of them no longer holds."""
    if run.cwd is not None:
        run.context.files.changed.add(run.cwd)


def after_dashes(run: Run) -> list[Value] | None:
    """Return the words after ``--``, or None where there is none."""
    for index, value in enumerate(run.arguments):
        if value.text == "--":
            return run.arguments[index + 1 :]
    return None


def is_address(text: str) -> bool:
    """Whether a remote is an address: a URL, ``host:path`` or a path (git-push(1), GIT URLS)."""
    head, colon, _ = text.partition(":")
    return (
        "::" in text
        or "://" in text
        or text.startswith(("/", ".", "~"))
        or (bool(colon) and "/" not in head)
    )


def is_local_path(text: str) -> bool:
    """Whether a remote is a folder of this machine."""
    return text.startswith(("/", ".", "~", "file://")) and "::" not in text


def connect(run: Run, value: Value | None, *traits: str, kind: Kind = Connects) -> None:
    """Add the connection to a remote: a configured one is allowed; ``ext::`` runs a command."""
    text = value.text if value is not None else ""
    if text.startswith("ext::"):
        run.effect(
            RunsCode,
            "ext",
            "git-config-command",
            value=value,
            detail="an ext:: address is a command",
        )
        run.code(
            Value(
                text[5:].replace("% ", " ").replace("%S", "").replace("%G", "").replace("%V", ""),
                value.start if value else 0,
                value.end if value else 0,
            )
        )
    elif value is not None and (is_address(text) or HOLE in text):
        if is_local_path(text):
            run.path(Reads, value, "listed")
        elif kind is Connects:
            host = hosts.host_of(text)
            to_host(
                run.context,
                Connects,
                host,
                run.span(value),
                frozenset({*traits, *(["unknown-host"] if HOLE in host or not host else [])}),
                run.name,
            )
            # few addresses are written with data in them
            from interlock.effects.programs.sending import leaks

            leaks(run, host)
    elif kind is Connects:
        run.context.add(
            Connects,
            text or "origin",
            host=ALLOWED_HOST,
            traits=frozenset({*traits, "configured-remote"}),
            span=run.span(value),
            by=run.name,
        )
