"""Managers of dotfiles and of a whole home: what they put in place, the guard's files in the home
among it (chezmoi(1), rcup(1), dotbot, homesick, vcsh(1), home-manager(1), mackup and their help).

What they bring lies in a folder of their own, in names of their own (``dot_claude``), so which
files are changed is only possible. Where none of the guard's files lies in the home nothing is
said.
"""

from __future__ import annotations

from interlock.effects.guard_files import beneath
from interlock.effects.run import Run
from interlock.effects.unknown_programs import climb
from interlock.model.effect import Writes
from interlock.shell.value import UNREAD, Flow, Value

_CHANGES: dict[str, frozenset[str]] = {
    "chezmoi": frozenset("apply update init destroy purge edit merge merge-all".split()),
    "rcup": frozenset(), "rcdn": frozenset(), "dotbot": frozenset(),
    "homesick": frozenset("link symlink unlink pull rc".split()),
    "homeshick": frozenset("link pull refresh".split()),
    "castle": frozenset("link".split()),
    "vcsh": frozenset("pull clone upgrade delete foreach".split()),
    "home-manager": frozenset("switch build-vm".split()),
    "mackup": frozenset("restore uninstall backup link".split()),
    "dotter": frozenset("deploy undeploy watch".split()),
    "dotdrop": frozenset("install uninstall".split()),
    "tuckr": frozenset("add set rm".split()),
    "bombadil": frozenset("link unlink".split()),
    "dfm": frozenset("install updates merge".split()),
    "rotz": frozenset("link".split()),
    "lnk": frozenset("pull init rm".split()),
}  # fmt: skip
"""Program -> its commands that change files of the home; none named: it does so whenever it runs."""
_LOOKS = ("-n", "--dry-run", "--simulate", "--no", "--help", "--version")


def _place(run: Run) -> Flow:
    verbs = _CHANGES[run.name]
    words = [value.text for value in run.operands[:2]]
    if run.has(*_LOOKS) or (verbs and verbs.isdisjoint(words) and not _in_home(run, words)):
        return UNREAD
    if words[:1] == ["init"] and run.name == "chezmoi" and not run.has("--apply"):
        return UNREAD
    home = run.context.home
    climb(run)
    for path in beneath(run.context, home) if home and run.here else ():
        run.possible(Writes, Value(path), "restored")
    return UNREAD


def _in_home(run: Run, words: list[str]) -> bool:
    """``vcsh REPOSITORY COMMAND..``: any command of git, with the home as its work tree."""
    looks = ("list", "list-tracked", "list-untracked", "status", "which", "version", "help")
    return run.name == "vcsh" and len(words) > 1 and words[0] not in looks
