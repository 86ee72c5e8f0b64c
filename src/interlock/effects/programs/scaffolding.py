"""Programs that bring a tree of somebody's into a folder, without a repository around it (the pages
of degit, giget, copier, npm-init).
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.connecting import to_host, to_url
from interlock.effects.hosts import host_of
from interlock.effects.programs.bringing import bring_trees
from interlock.effects.programs.sending import arrive
from interlock.effects.run import Run
from interlock.model.effect import Connects, Reads, Writes
from interlock.shell.value import HOLE, UNREAD, Flow, Value

_FORGES = {
    "gitlab": "gitlab.com",
    "bitbucket": "bitbucket.org",
    "sourcehut": "git.sr.ht",
    "git.sr.ht": "git.sr.ht",
}
_FORGE = "github.com"


def _bringing(folder: str, *words: str) -> Callable[[Run], Flow]:
    """Return a reader of ``PROGRAM [WORD] SOURCE [FOLDER]``; ``folder``: where the tree comes if
    none is named, ``""`` for one of its own name.
    """

    def read(run: Run) -> Flow:
        operands = (
            run.operands[1:] if run.operands and run.operands[0].text in words else run.operands
        )
        if (
            not operands
            or run.has("--help", "-h", "--version")
            or (words and operands is run.operands)
        ):
            return UNREAD
        source = operands[0]
        name = (
            source.text.partition("#")[0]
            .rstrip("/")
            .removesuffix(".git")
            .rpartition("/")[2]
            .rpartition(":")[2]
        )
        target = (
            operands[1]
            if operands[1:]
            else Value(folder or name or HOLE, source.start, source.end, source.why)
        )
        if source.text[:1] in ("/", ".", "~"):
            bring_trees(run, [source], target, contents=True)
            run.path(Reads, source, "recursive")
            run.path(Writes, target, "copied")
        else:
            _fetch(run, source)
            arrive(run, run.path(Writes, target, "extracted", "cloned"), "cloned")
        return UNREAD

    return read


def _fetch(run: Run, source: Value) -> None:
    """``user/repo``, ``gitlab:user/repo``, ``git@host:user/repo``, or an address."""
    text = source.text
    if "://" in text:
        to_url(run.context, text, run.span(source), frozenset({"get"}), run.name)
        return
    head, colon, _ = text.partition(":")
    to_host(
        run.context,
        Connects,
        host_of(text) if "@" in head else _FORGES.get(head, _FORGE) if colon else _FORGE,
        run.span(source),
        frozenset({"get"}),
        run.name,
    )
