"""Which project a grant is of: all work trees of one git repository are one project, so a yes given
in one counts in the others.
"""

from __future__ import annotations

LIMIT = 4096
_MARK = "gitdir:"


def project_of(root: str) -> str:
    """Return the folder of the main work tree of a work tree, else the folder itself."""
    try:
        said = _text(f"{root}/.git")
        return _main(root, said.removeprefix(_MARK).strip()) if said.startswith(_MARK) else root
    except (OSError, ValueError):
        return root


def _main(root: str, named: str) -> str:
    """Return the main work tree that ``named`` leads to.

    A work tree names its repository in the file ``.git``, which whoever made the folder wrote; so
    the repository has to name the work tree as well (gitrepository-layout(5),
    ``worktrees/NAME/gitdir`` and ``commondir``).
    """
    # most folders are no work tree, and a hook loads nothing it does not need
    from os.path import basename, dirname, join, realpath

    own = realpath(join(root, named))
    if realpath(_text(f"{own}/gitdir").strip()) != realpath(f"{root}/.git"):
        return root
    shared = realpath(join(own, _text(f"{own}/commondir").strip()))
    return dirname(shared) if basename(shared) == ".git" else root


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read(LIMIT)
