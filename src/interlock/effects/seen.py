"""What the commands of one call have done so far, as far as later ones of it depend on it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.holding import Picks


class GitSeen:
    """Of git.

    ``steps``: what each may have done to the state of files in git, and to which (None: all). ``aliases``: what this call gave names to.

    ``kept``: secrets that git was surely told to keep, each after the top of its work tree.

    ``followed``: how many aliases and commands of git's configuration were read. ``hooks``: where git looks for hooks, by the top of the work tree.
    """

    def __init__(self) -> None:
        self.steps: list[tuple[str, tuple[str, ...] | None]] = []
        self.kept: list[tuple[str, str]] = []
        self.aliases: dict[str, str] = {}
        self.followed = 0
        self.hooks: dict[str, list[str]] = {}

    def marks(self) -> list[tuple[str, str]]:
        """Return what later calls are to know of: a repository that was given a secret, by what is no path, and the secret."""
        return [(mark_of(top), f"{COMMITTED} {path}") for top, path in self.kept]


COMMITTED = "committed-secret"
"""The mark of a repository that a call of the session gave a secret to; the file's path stands behind it."""


def mark_of(top: str) -> str:
    """Return what a repository's mark is kept under: no path, so that it says nothing of the files below."""
    return f"git {top}"


class SecretsSeen:
    """Of secrets.

    ``picks``: what of a folder is read, where not all of it is. ``holding``: paths that were read and hold secrets, though their names
    do not say so; ``copied``: where this call put copies of them. ``values``: what the project's own secret files hold, in the forms in which it may
    leave (None: nobody asked yet). ``keys``: files that were looked into for keys, and the kind of what was found.
    ``trees_read``: the secrets found in folders, each with whether it is surely there.
    """

    def __init__(self) -> None:
        self.picks: Picks | None = None
        self.holding: set[str] = set()
        self.copied: list[str] = []
        self.values: frozenset[str] | None = None
        self.keys: dict[str, str] = {}
        self.trees_read: dict[tuple[str, Picks], list[tuple[str, bool]]] = {}
