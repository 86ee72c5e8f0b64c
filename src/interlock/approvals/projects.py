"""Which project a grant is of: all work trees of one git repository are one project, so a yes given in one counts in the others."""

from __future__ import annotations

import os

LIMIT = 4096
_MARK = "gitdir:"


def project_of(root: str) -> str:
    """Return the folder of the main work tree that a work tree belongs to, else the folder itself.

    A work tree names its repository in the file ``.git``, which whoever made the folder wrote; so the repository has to name the work tree as well
    (gitrepository-layout(5), ``worktrees/NAME/gitdir`` and ``commondir``).
    """
    try:
        said = _text(f"{root}/.git")
        if not said.startswith(_MARK):
            return root
        own = os.path.realpath(os.path.join(root, said.removeprefix(_MARK).strip()))
        if os.path.realpath(_text(f"{own}/gitdir").strip()) != os.path.realpath(f"{root}/.git"):
            return root
        shared = os.path.realpath(os.path.join(own, _text(f"{own}/commondir").strip()))
    except (OSError, ValueError):
        return root
    return os.path.dirname(shared) if os.path.basename(shared) == ".git" else root


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read(LIMIT)
