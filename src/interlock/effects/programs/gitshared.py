"""What the git modules share: effects on a repository, remotes, and what may be asked of it."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.places import below
from interlock.model.effect import ALLOWED_HOST, TEMP, VCS_INTERNAL, Connects, DiscardsWork, Executes, Opaque, Pushes, Reads, RunsCode
from interlock.model.facts import Repository
from interlock.shell.value import HOLE, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run
    from interlock.model.effect import Effect, Kind

MAIN = frozenset({"main", "master", "trunk", "production", "prod", "release", "stable", "live"})
"""Branches that others build on."""


def repository_effect(run: Run, kind: Kind, target: str, *traits: str, value: Value | None = None, **fields: object) -> None:
    """Add an effect on the repository, with the place of its folder (a push has none: it is elsewhere that something changes)."""
    place = run.context.place(run.cwd) if run.cwd is not None and kind is not Pushes else None
    fields = {"folder": run.cwd or "", **fields}
    run.context.add(kind, target.replace(HOLE, "?"), place=place, traits=frozenset(traits), span=run.span(value), by=run.name, **fields)


def top_of(run: Run, cwd: str) -> str:
    """Return the top of the work tree that a folder is in; where nobody knows of one, of the workspace."""
    found = run.context.facts.repository(cwd)
    if isinstance(found, Repository):
        return found.root
    return next((root for root in run.context.call.roots if below(cwd, root)), cwd)


def known_repository(run: Run) -> Repository | None:
    """Return what is known of the repository at the folder, if nothing before this command could have changed it."""
    if run.cwd is None or not run.here or run.context.changed or any(effect.kind not in (Reads, Connects) for effect in run.context.effects):
        return None
    found = run.context.facts.repository(run.cwd)
    return found if isinstance(found, Repository) else None


_KEEPING = frozenset(
    "add apply am blame cherry-pick clean commit config describe diff fetch gc grep log ls-files merge mv notes pull push remote reset restore rev-parse "
    "revert rm shortlog show stash status tag".split()
)
"""Commands of git after which the current branch is the one it was."""
_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})


def current_branch(run: Run) -> str:
    """Return the branch that the folder's repository is on, or ``""`` where that is not known or an earlier command may have changed it."""
    if run.cwd is None or not run.here or not all(map(_keeps_branch, run.context.commands[:-1])) or any(map(_may_move, run.context.effects)):
        return ""
    found = run.context.facts.repository(run.cwd)
    return found.branch if isinstance(found, Repository) else ""


def _keeps_branch(words: tuple[str, ...]) -> bool:
    if words[0].rpartition("/")[2] != "git":
        return True
    at = 1
    while at < len(words) and words[at][:1] == "-":
        at += 2 if words[at] in _WITH_VALUE else 1
    return at < len(words) and words[at] in _KEEPING and "branch" not in words[at:]


def _may_move(effect: Effect) -> bool:
    """Whether it may be a change of branch: code that runs (but for git's own hooks), a write into the repository's own folder."""
    if effect.kind in (Executes, RunsCode, Opaque):
        return not effect.by.startswith("git ")
    return effect.kind is not Reads and effect.place is not None and VCS_INTERNAL in effect.place.natures


def _is_own(run: Run) -> bool:
    """Whether the folder is a temporary one that this call or its session made, and git works in it and nowhere else."""
    context, cwd = run.context, run.cwd
    if cwd is None or not run.here or context.linked or PLACED in context.made:
        return False
    return context.is_made(cwd) or (context.place(cwd).location == TEMP and context.facts.made(cwd) and context.facts.real(cwd) == cwd)


PLACED = "git works somewhere else"
"""Among the things that are made: an option or variable says where git's own data or its work tree is."""
_KEPT_ELSEWHERE = frozenset({"stash", "branch", "tag"})
"""What a linked work tree shares with its repository."""


def discard(run: Run, *traits: str, target: str = "", value: Value | None = None, **fields: object) -> None:
    """Add that work is thrown away; what lies in a temporary folder that this call made was never anybody's."""
    if _is_own(run) and not _KEPT_ELSEWHERE.intersection(traits):
        traits = ("made-here",)
    repository_effect(run, DiscardsWork, target or (run.cwd or ""), *traits, value=value, **fields)
    touch_tree(run)


def touch_tree(run: Run) -> None:
    """Files of the work tree may have changed: what was known of them no longer holds."""
    if run.cwd is not None:
        run.context.changed.add(run.cwd)


def change_tree(run: Run) -> Flow:
    """Commands that change the work tree and keep what was there (``merge``, ``stash``, ``cherry-pick``)."""
    run.roles()
    touch_tree(run)
    return UNREAD


def after_dashes(run: Run) -> list[Value] | None:
    """Return the words after ``--``, or None where there is none."""
    for index, value in enumerate(run.arguments):
        if value.text == "--":
            return run.arguments[index + 1 :]
    return None


def is_address(text: str) -> bool:
    """Whether a remote is given by its address: a URL, ``host:path`` or a path (git-push(1), GIT URLS)."""
    head, colon, _ = text.partition(":")
    return "::" in text or "://" in text or text.startswith(("/", ".", "~")) or (bool(colon) and "/" not in head)


def is_local_path(text: str) -> bool:
    """Whether a remote is a folder of this machine."""
    return text.startswith(("/", ".", "~", "file://")) and "::" not in text


def connect(run: Run, value: Value | None, *traits: str, kind: Kind = Connects) -> None:
    """Add the connection to a remote: a configured one counts as allowed; ``ext::`` runs a command."""
    text = value.text if value is not None else ""
    if text.startswith("ext::"):
        run.effect(RunsCode, "ext", "git-config-command", value=value, detail="an ext:: address is a command")
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
            run.context.host(Connects, host, run.span(value), frozenset({*traits, *(["unknown-host"] if HOLE in host or not host else [])}), run.name)
            from interlock.effects.programs.sending import leaks  # few addresses are written with data in them

            leaks(run, host)
    elif kind is Connects:
        run.context.add(
            Connects, text or "origin", host=ALLOWED_HOST, traits=frozenset({*traits, "configured-remote"}), span=run.span(value), by=run.name
        )
