"""What unpacking an archive writes of the guard's, of git's hooks, and outside of the folder: by
the names in it, links followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects.context import CallContext
from interlock.effects.guard_files import is_new_here, is_ours, may_look, would_be
from interlock.model.facts import FOLDER
from interlock.shell.pattern import matches

HOOKS = tuple([f".git/hooks/{name}" for name in (
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout "
    "post-merge pre-push pre-receive update post-receive post-update push-to-checkout pre-auto-gc post-rewrite post-index-change fsmonitor-watchman"
).split()])  # fmt: skip
"""What git runs of its own accord (githooks(5))."""


def list_unpacked(
    context: CallContext, archive: str, folder: str, strip: int, only: tuple[str, ...] = ()
) -> list[tuple[str, bool]] | None:
    """Return what unpacking writes of these, and whether a file of ours lies there already; None
    where nobody can tell.

    ``strip``: so many leading parts of its names are left out. ``only``: members or patterns of
    them that are taken, where not all are.
    """
    if is_new_here(context, archive) or not may_look(context):
        return None
    members = context.facts.members(archive)
    if not isinstance(members, tuple):
        return None
    names = {
        *would_be(context, folder),
        *([*HOOKS, ".git/config"] if context.is_kind(f"{folder}/.git", FOLDER) else []),
    }
    taken = tuple(
        [member for member in members if not only or any(_is_meant(one, member[0]) for one in only)]
    )
    paths = [
        name if name[:1] == "/" else context.normal(name, folder) or folder
        for name in match_members(taken, names, strip)
    ]
    return [(path, is_ours(context, path)) for path in paths]


def _is_meant(wanted: str, name: str) -> bool:
    """Whether a member is asked for: by its name, a folder above it, or a pattern, whose ``*``
    takes ``/`` too (unzip(1), tar(1)).
    """
    wanted, name = wanted.removeprefix("./").rstrip("/"), name.removeprefix("./")
    return name == wanted or name.startswith(f"{wanted}/") or matches(wanted, name)


def match_members(members: tuple[tuple[str, str], ...], names: set[str], strip: int) -> list[str]:
    """Return which of these relative names members make, a folder when something in it is made, and
    names that lead out of the folder.
    """
    found: dict[str, None] = {}
    for path in _member_paths(members, strip):
        if path.startswith(("/", "../")):
            found[path] = None
        parts = path.split("/")
        found.update(
            dict.fromkeys(
                [one for end in range(1, len(parts) + 1) if (one := "/".join(parts[:end])) in names]
            )
        )
    return list(found)


def _member_paths(members: tuple[tuple[str, str], ...], strip: int) -> Iterator[str]:
    """Yield where each member comes: below a link, where that leads."""
    links: dict[str, str] = {}
    for name, leads in members:
        path = _resolve("/".join(name.split("/")[strip:]) if strip else name, links)
        if leads:
            links[path] = _normal(
                leads if leads[:1] == "/" else path[: path.rfind("/") + 1] + leads
            )
        yield path


def _resolve(name: str, links: dict[str, str]) -> str:
    path = _normal(name)
    parts = path.split("/")
    for end in range(1, len(parts)) if links else ():
        leads = links.get("/".join(parts[:end]))
        if leads is not None:
            return _normal("/".join([leads, *parts[end:]]))
    return path


def _normal(path: str) -> str:
    """Return a path without ``.``, and without ``..`` unless that leads out of its start."""
    done: list[str] = []
    for part in path.split("/"):
        if part == ".." and done and done[-1] != "..":
            done.pop()
        elif part not in ("", ".") and not (part == ".." and path[:1] == "/"):
            done.append(part)
    return ("/" if path[:1] == "/" else "") + "/".join(done) or "."
