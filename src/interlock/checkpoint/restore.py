"""The way back to a checkpoint: what its call took away and nobody touched since is brought back;
everything else stays as it is.

Three states are compared: before the call (the checkpoint), after it (noted when it ended, where
the client says so), and now.

====================  ====================
======================================================================================= after the
call        now                   then ====================  ====================
======================================================================================= as before
anything              left: the call did not do it changed or gone       as after the call
brought back changed or gone       changed again         left and told, unless ``over`` new
as after the call     left and told, unless ``exact``, or unless git wrote it: then it is removed
not known             not as before         brought back (what is new is left) ====================
====================
=======================================================================================

Git's own state (HEAD, branches, index, reflog) goes back as one, and only where no commit or other
change of branches came since.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from interlock.checkpoint.entry import FILE, FOLDER, LINK, FileEntry
from interlock.checkpoint.vault import CheckpointHead, CheckpointTree, digest_of
from interlock.model.radius import ALL, BRANCH_MOVES, CHANGED, NAMED
from interlock.model.record import Record

GIT_STATE = frozenset(
    """HEAD ORIG_HEAD index packed-refs refs logs MERGE_HEAD MERGE_MSG MERGE_MODE CHERRY_PICK_HEAD
        REVERT_HEAD AUTO_MERGE rebase-merge
    rebase-apply sequencer""".split()
)
"""Of a repository's data, what says where its work stands."""


class UndoPlan(Record):
    """What an undo does.

    ``back``: paths that are brought back; ``away``: paths that are removed first;
    ``changed_since``, ``new``: left as they are; ``git_left``: repositories whose own state is
    left, for it went on.
    """

    back: tuple[str, ...] = ()
    away: tuple[str, ...] = ()
    changed_since: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    git_left: tuple[str, ...] = ()


class States(Record):
    """Before, after (None: not known; else what the call changed, None for what it took away) and
    now (what lies there), by path.
    """

    before: CheckpointTree
    after: Mapping[str, FileEntry | None] | None
    now: Mapping[str, FileEntry]


def plan(
    head: CheckpointHead, states: States, *, over: bool = False, exact: bool = False
) -> UndoPlan:
    """Return what is to be done, within what the call was about to take away. Reads files of the
    same size to compare them; changes nothing.
    """
    git = _git_folders(head, states.before)
    fates: dict[str, list[str]] = {
        "back": [],
        "away": [],
        "changed_since": [],
        "new": [],
        "blocked": [],
    }
    paths = (
        states.before.entries.keys() | states.now.keys()
        if states.after is None
        else states.after.keys()
    )
    for path in sorted(paths):
        if _in_scope(path, head) and not _of_git(path, git):
            fates[_fate(path, states, over=over)].append(path)
    left = []
    for folder in git:
        some = [path for path in sorted(paths) if _of_git(path, (folder,))]
        if _has_moved_on(folder, some, states) and not over:
            left.append(folder)
            continue
        fates["back"] += [
            path for path in some if path in states.before.entries and _differs(path, states)
        ]
        fates["away"] += [
            path for path in some if path not in states.before.entries and path in states.now
        ]
    by_git = (
        states.after is not None
        and not left
        and bool(head.stakes)
        and all(stake.what in (CHANGED, BRANCH_MOVES) for stake in head.stakes)
    )
    removed = _removable(fates["new"], states) if exact or by_git else []
    fates["away"] += removed
    fates["new"] = [path for path in fates["new"] if path not in removed]
    _unblock(fates, states)
    return UndoPlan(
        tuple(fates["back"]),
        tuple(fates["away"]),
        tuple(fates["changed_since"]),
        tuple(fates["new"]),
        tuple(left),
    )


def _removable(new: list[str], states: States) -> list[str]:
    """Return what of the new things goes: files, and folders in which nothing else lies."""
    going = set(new)
    kept = [path for path in states.now if path not in going]
    return [
        path
        for path in new
        if states.now[path].kind != FOLDER
        or not any(other.startswith(path + "/") for other in kept)
    ]


def _fate(path: str, states: States, *, over: bool) -> str:
    before, now = states.before.entries.get(path), states.now.get(path)
    if not _differs(path, states):
        return "blocked"
    if states.after is None:
        return "new" if before is None else "back"
    after = states.after[path]
    same_since = (after.seen if after is not None else None) == (
        now.seen if now is not None else None
    )
    if before is None:
        return "new" if same_since else "blocked"
    return "back" if same_since or over else "changed_since"


def _differs(path: str, states: States) -> bool:
    """Tell whether something is not as it was before."""
    before, now = states.before.entries.get(path), states.now.get(path)
    if before is None or now is None:
        return before is not now
    if before.seen == now.seen:
        return False
    if (before.kind, before.mode) != (now.kind, now.mode) or before.size != now.size:
        return before.kind != FOLDER or (before.kind, before.mode) != (now.kind, now.mode)
    try:
        if before.kind == LINK:
            return os.readlink(path) != before.digest
        if before.kind == FILE:
            with open(path, "rb") as file:
                return digest_of(file.read()) != before.digest
    except OSError:
        return True
    return False


def _unblock(fates: dict[str, list[str]], states: States) -> None:
    """See to what stands in the way of what comes back: a file where a folder was goes; a folder
    with something in it, where a file was, stays.
    """
    away = set(fates["away"])
    for path in list(fates["back"]):
        before, now = states.before.entries[path], states.now.get(path)
        if now is None or (before.kind == FOLDER) == (now.kind == FOLDER):
            continue
        inside = [other for other in states.now if other.startswith(path + "/")]
        if now.kind == FOLDER and not all(other in away for other in inside):
            fates["back"].remove(path)
            fates["changed_since"].append(path)
        else:
            fates["away"].append(path)
            away.add(path)
    gone = set(fates["changed_since"]) | {
        path for path in fates["new"] if path not in away and states.now[path].kind != FOLDER
    }
    fates["back"][:] = [
        path for path in fates["back"] if not any(above in gone for above in _above(path))
    ]


def _above(path: str) -> list[str]:
    found = []
    while path := path.rpartition("/")[0]:
        found.append(path)
    return found


# -- what belongs to a call ------------------------------------------------------------------------


def _in_scope(path: str, head: CheckpointHead) -> bool:
    """Tell whether a path lies in what the call was about to take away; a checkpoint of no such
    call is of everything.
    """
    if not head.stakes:
        return True
    for stake in head.stakes:
        if path == stake.path or (stake.deep and path.startswith(stake.path.rstrip("/") + "/")):
            return True
        if stake.what == NAMED and path.rpartition("/")[0] == stake.path:
            return True
        if stake.what not in (ALL, NAMED, BRANCH_MOVES) and path.startswith(
            stake.path.rstrip("/") + "/"
        ):
            return True
    return False


def _git_folders(head: CheckpointHead, before: CheckpointTree) -> tuple[str, ...]:
    """Return the data folders of the repositories whose own state the call may move."""
    found = {}
    for stake in head.stakes:
        for folder in (
            (stake.path, *_above(stake.path)) if stake.what in (CHANGED, BRANCH_MOVES) else ()
        ):
            if f"{folder}/.git" in before.entries:
                linked = before.entries[f"{folder}/.git"].kind != FOLDER
                found.update(dict.fromkeys(head.roots[1:] if linked else (f"{folder}/.git",)))
                break
    return tuple(found)


def _of_git(path: str, folders: tuple[str, ...]) -> bool:
    """Tell whether a path is part of the state of one of these repositories. A folder may itself be
    such a part (``refs`` of a linked work tree).
    """
    for folder in folders:
        if path == folder or path.startswith(folder + "/"):
            inside = path[len(folder) + 1 :].partition("/")[0]
            return inside in GIT_STATE or folder.rpartition("/")[2] in GIT_STATE
    return False


def _has_moved_on(folder: str, paths: list[str], states: States) -> bool:
    """Tell whether branches or HEAD moved since the call. The index alone says nothing: looking at
    the work tree writes it anew.
    """
    if states.after is None:
        return _more_entries(folder, states) > 1
    marks = [path for path in paths if path != f"{folder}/index" and not _is_folder(path, states)]
    return any(
        _get_seen(states.after.get(path)) != _get_seen(states.now.get(path))
        for path in marks
        if path in states.after
    )


def _is_folder(path: str, states: States) -> bool:
    entry = states.before.entries.get(path) or states.now.get(path)
    return entry is not None and entry.kind == FOLDER


def _get_seen(entry: FileEntry | None) -> tuple[object, ...] | None:
    return entry.seen if entry is not None else None


def _more_entries(folder: str, states: States) -> int:
    """Return how many entries HEAD's reflog got since: one may be the call's own."""
    path = f"{folder}/logs/HEAD"
    before, now = states.before.entries.get(path), states.now.get(path)
    if before is None or now is None or now.size < before.size:
        return 0
    try:
        with open(path, "rb") as file:
            file.seek(before.size)
            return file.read().count(b"\n")
    except OSError:
        return 2
