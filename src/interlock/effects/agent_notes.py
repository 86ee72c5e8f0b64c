"""The notes that an agent keeps for itself beside a project: its plans, and its memory of that
project, in the client's own folder.

To write them is how these clients work, and what is written there is read later as something to
follow; those of another project are not its own.
"""

from __future__ import annotations

PLANS = (".claude/plans/", ".cursor/plans/", ".qwen/plans/", ".gemini/plans/")
"""Folders of plans, below the home folder (Claude Code's settings page, ``plansDirectory``;
Cursor's page on plan mode).
"""
_MEMORY = ".claude/projects/"
_ENDINGS = (".md", ".mdx")


def is_note(relative: str, roots: tuple[str, ...]) -> bool:
    """Whether a path below the home folder is a note of the agent: a plan, or a page of its memory
    of one of these workspaces.

    Claude Code names the folder of a project by its path, with ``-`` for all that is no letter and
    no digit.
    """
    if not relative.endswith(_ENDINGS) or ".." in relative:
        return False
    if relative.startswith(PLANS):
        return True
    project, slash, rest = relative.removeprefix(_MEMORY).partition("/")
    if not relative.startswith(_MEMORY) or not slash or not rest.startswith("memory/"):
        return False
    return any(
        project == "".join([char if char.isascii() and char.isalnum() else "-" for char in root])
        for root in roots
    )
