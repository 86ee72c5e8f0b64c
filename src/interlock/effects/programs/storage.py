"""What administers other Unixes, arrays of disks, file systems of clusters and backups: what they
drop no other copy brings back (each one's manual).
"""

from __future__ import annotations

from interlock.effects.rows import Reader
from interlock.effects.run import Run
from interlock.model.effect import ChangesInfrastructure, ControlsSystem
from interlock.shell.value import NOTHING, UNREAD, Flow

_LOSES = frozenset(
    "del delete remove destroy erase clear init initialize flush reset purge deletegroup rm drop wipe secureerase eradicate offline -cfgclr -cfglddel "
    "-destroy -delete -remove deletesfx deleteall factory".split()
)
_LOOKS = frozenset(
    "show status list ls info get help display query version -h --help -getlist -list -adpallinfo -ldinfo -pdlist -cfgdsply".split()
)


def _anywhere(run: Run) -> Flow:
    """Controllers are addressed first and told what to do after: ``storcli /c0/v1 del``, ``ssacli
    ctrl slot=0 ld 1 delete``.
    """
    words = [value.text.lower() for value in run.arguments]
    if any(
        word in _LOSES or word.startswith(("-cfgclr", "-cfglddel", "-pdclear", "-ldinit"))
        for word in words
    ):
        run.effect(ControlsSystem, run.name, "raid", "format")
    elif not words or _LOOKS.isdisjoint(words):
        run.effect(ControlsSystem, run.name, "raid") if len(words) > 1 else None
    return NOTHING


def _text_command(*options: str) -> Reader:
    """Return a reader for a client that takes a command as one text, as a word or by these options:
    ``dsmadmc "delete filespace x"``.
    """

    def read(run: Run) -> Flow:
        texts = [value.text for value in (*run.parsed.values(*options), *run.arguments)]
        words = [word.strip(";,'\"").lower() for text in texts for word in text.split()]
        if run.stdin is not None and run.stdin.text:
            words += run.stdin.text.lower().split()
        if not _LOSES.isdisjoint(words):
            run.effect(ChangesInfrastructure, " ".join([run.name, *texts[:2]]), "delete")
        elif words and _LOOKS.isdisjoint(words) and words[0] not in ("q", "exit", "quit"):
            run.effect(
                ChangesInfrastructure, " ".join([run.name, *texts[:2]]), "modify", certain=False
            )
        return UNREAD

    return read
