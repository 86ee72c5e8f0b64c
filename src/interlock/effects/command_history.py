"""What the commands of one call have done so far, as far as later ones of it depend on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from interlock.effects.labels import place_labels
from interlock.effects.read_selection import ReadSelection
from interlock.model.effect import (
    VCS_INTERNAL,
    ChangesInfrastructure,
    Connects,
    Deletes,
    Effect,
    Executes,
    Opaque,
    Reads,
    RunsCode,
)
from interlock.shell.value import Flow

_KEEPING = frozenset(
    "add apply am blame cherry-pick clean commit config describe diff fetch gc grep log ls-files"
    " merge mv notes pull push remote reset restore rev-parse revert rm shortlog show stash status"
    " tag".split()
)
"""Commands of git after which the current branch is the one it was."""
_WITH_VALUE = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})


class FileHistory:
    """Files.

    ``changed``: paths that were changed, in whatever way; ``rewritten``: those whose text may be
    another (another mode, owner or time is no other text). ``made``: temporary files and folders
    that nothing was in before. ``linked``: links that were made, and where they lead.
    """

    def __init__(self) -> None:
        self.changed: set[str] = set()
        self.rewritten: set[str] = set()
        self.made: set[str] = set()
        self.linked: dict[str, str] = {}

    def is_made(self, path: str) -> bool:
        """Whether a temporary file was made, or a folder above it."""
        while path and self.made:
            if path in self.made:
                return True
            path = path.rpartition("/")[0]
        return False


class OngoingWork:
    """What goes on, and what later commands are about.

    ``words``: commands that were started to stay. ``things``: named things that were surely made,
    if that succeeds: containers, terminal sessions. ``entered``: patterns that were gone into, and
    the folders that fit each, as far as that is known.
    """

    def __init__(self) -> None:
        self.words: list[tuple[str, ...]] = []
        self.things: set[str] = set()
        self.entered: list[tuple[str, list[str]]] = []


class GuardFileSearches:
    """Where it was looked for files of the guard.

    ``guarded``: folders, and the guard's files that lie in each. ``passed``: those that a search
    did not find. ``trees``: how many trees and archives were looked into for what they bring.
    """

    def __init__(self) -> None:
        self.guarded: dict[str, tuple[str, ...]] = {}
        self.passed: set[str] = set()
        self.trees = 0


class CommandHistory:
    """What was done so far, told as it happens.

    ``count``: a number that grows with everything that is done. ``only_looked``: nothing but
    reading and connecting; ``kept_all``: besides that only what is known to lose nothing. ``read``:
    the paths that were read, and ``edited`` those of them whose text was; ``pipes``: those made as
    pipes. ``settings``: whether a file of variables was read. ``origins``: variables that were set
    from others of which only the name tells what they hold, each with that name.
    """

    def __init__(self) -> None:
        self.count = 0
        self.only_looked = True
        self.kept_all = True
        self.settings = False
        self.origins: dict[str, str] = {}
        self.read: set[str] = set()
        self.shown: set[str] = set()
        self.deleted: set[str] = set()
        self.pipes: set[str] = set()
        self.set_up: set[str] = set()
        self.reads: list[Effect] = []
        self.revealed: list[Effect] = []
        self._branch = _Branch()
        self._check_held = 0
        self._labels = frozenset[str]()

    def after(self, effect: Effect) -> None:
        """Take note of an effect."""
        self.count += 1
        if effect.kind is Reads:
            self.read.add(effect.target)
            self.reads.append(effect)
            if "listed" not in effect.traits:
                self.shown.add(effect.target)
            self.settings = self.settings or ".env" in effect.target.rpartition("/")[2]
            return
        if effect.kind is Deletes:
            self.deleted.add(effect.target)
        if effect.by in _PIPES:
            self.pipes.add(effect.target)
        if "secret-access" in effect.traits and effect.kind is ChangesInfrastructure:
            self.revealed.append(effect)
        self._branch.after(effect)
        if effect.kind is not Connects:
            self.only_looked = False
            self.kept_all = self.kept_all and "nothing-lost" in effect.traits

    def labels(self, written: Mapping[str, Flow]) -> frozenset[str]:
        """Return labels of all that was read: what an unknown piece of a text may hold. Each effect
        is looked at once. ``written``: what was put into files.
        """
        for effect in self.reads[self._check_held :]:
            put = written.get(effect.target)
            self._labels |= place_labels(effect) | (put.labels if put is not None else frozenset())
        self._check_held = len(self.reads)
        return self._labels

    def runs(self, words: Sequence[str]) -> None:
        """Take note of a command that is run."""
        if not _SETTING.isdisjoint(words):
            self.set_up.add(words[0])
        self._branch.runs(words)

    @property
    def branch_kept(self) -> bool:
        """Whether no earlier command or effect may have changed a repository's branch."""
        return self._branch.kept


_SETTING = frozenset({"-w", "set", "--set"})
"""Words by which a program is told to put things elsewhere from now on."""
_PIPES = frozenset({"mkfifo", "mknod"})


class _Branch:
    """Whether the current branch is the one it was: the command that runs now does not count yet,
    what it did so far does.
    """

    __slots__ = ("_last", "kept")

    def __init__(self) -> None:
        self.kept = True
        self._last = True

    def runs(self, words: Sequence[str]) -> None:
        self.kept = self.kept and self._last
        self._last = _keeps_branch(words)

    def after(self, effect: Effect) -> None:
        self.kept = self.kept and not _may_move(effect)


def _keeps_branch(words: Sequence[str]) -> bool:
    if words[0].rpartition("/")[2] != "git":
        return True
    at = 1
    while at < len(words) and words[at][:1] == "-":
        at += 2 if words[at] in _WITH_VALUE else 1
    return at < len(words) and words[at] in _KEEPING and "branch" not in words[at:]


def _may_move(effect: Effect) -> bool:
    """Whether it may be a change of branch: code that runs (but for git's own hooks), a write into
    the repository's own folder.
    """
    if effect.kind in (Executes, RunsCode, Opaque):
        return not effect.by.startswith("git ")
    return (
        effect.kind is not Reads
        and effect.place is not None
        and VCS_INTERNAL in effect.place.natures
    )


class GitHistory:
    """Of git.

    ``steps``: what each may have done to the state of files in git, and to which (None: all).
    ``aliases``: what this call gave names to.

    ``kept``: secrets that git was surely told to keep, each after the top of its work tree.
    ``remotes``: those whose address was set (``*``: any). ``given``: whether git was given secrets:
    ``sure``, ``possible``.

    ``followed``: how many aliases and commands of git's configuration were read. ``hooks``: where
    git looks for hooks, by the top of the work tree.
    """

    def __init__(self) -> None:
        self.steps: list[tuple[str, tuple[str, ...] | None]] = []
        self.kept: list[tuple[str, str]] = []
        self.aliases: dict[str, str] = {}
        self.remotes: set[str] = set()
        self.given: set[str] = set()
        self.followed = 0
        self.hooks: dict[str, list[str]] = {}

    def marks(self) -> list[tuple[str, str]]:
        """Return what later calls are to know of: a repository that was given a secret, by what is
        no path, and the secret.
        """
        return [(mark_of(top), f"{COMMITTED} {path}") for top, path in self.kept]


COMMITTED = "committed-secret"
"""The mark of a repository that a call of the session gave a secret to; the file's path follows."""


def mark_of(top: str) -> str:
    """Return what a repository's mark is kept under: no path, so it says nothing of files below."""
    return f"git {top}"


class SecretHistory:
    """Of secrets.

    ``holding``: paths that were read and hold secrets, though their names do not say so;
    ``copied``: where this call put copies of them. ``values``: what the project's own secret files
    hold, in the forms in which it may leave (None: nobody asked yet). ``keys``: files that were
    looked into for keys, and the kind of what was found. ``trees_read``: the secrets found in
    folders, each with whether it is surely there. ``told``: those that are told, by which program.
    ``kept``: variables that hold a value of such a file; ``unnamed``: so may any. ``sources``: the
    files that set them; ``named``: the domains that such files name (None: nobody asked yet).
    """

    def __init__(self) -> None:
        self.holding: set[str] = set()
        self.copied: list[str] = []
        self.kept: set[str] = set()
        self.sources: set[str] = set()
        self.unnamed = False
        self.named: frozenset[str] | None = None
        self.values: frozenset[str] | None = None
        self.keys: dict[str, str] = {}
        self.told: set[tuple[str, str]] = set()
        self.trees_read: dict[tuple[str, ReadSelection], list[tuple[str, bool]]] = {}
