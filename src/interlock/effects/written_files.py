"""What a call puts into files, so that what it reads back or runs is known text."""

from __future__ import annotations

from interlock.shell.pattern import matches
from interlock.shell.value import FILE, HOLE, NOTHING, UNREAD, Flow, join_flows

MAX_WRITTEN = 512
"""Files of a call whose contents are followed; more are unread."""


MAX_COMPARED = 8192
"""Names that are compared with patterns in one call; past it a pattern names unknown files."""


class WrittenFiles(dict[str, Flow]):
    """Path -> what the call wrote there. ``maybe``: the command that writes now may not run, so
    that what was there may still be there.
    """

    maybe = False
    compared = 0

    def __setitem__(self, path: str, flow: Flow) -> None:
        """Note what a file holds now; if it may hold what it held before, it holds both."""
        before = self.get(path) if self.maybe else None
        if before is not None and before is not flow:
            both = before.text is not None and flow.text is not None
            flow = Flow(
                f"{before.text}\n{flow.text}" if both else None, before.labels | flow.labels
            )
        super().__setitem__(path, flow if len(self) < MAX_WRITTEN or path in self else UNREAD)

    def add(self, path: str, flow: Flow, held: Flow = NOTHING) -> None:
        """Note what is written into a file, behind what it ``held`` before."""
        if held is NOTHING:
            self[path] = flow
            return
        both = join_flows([held, flow])
        if both.text is None:
            both = Flow(None, both.labels)
            both.pieces = (held, flow)
        super().__setitem__(path, both if len(self) < MAX_WRITTEN or path in self else UNREAD)

    def carry(self, source: str | None, target: str, flow: Flow) -> None:
        """Note that a file or folder was copied or moved to the target, or into that folder."""
        name = source.rpartition("/")[2] if source is not None else ""
        for place in (target, f"{target}/{name}"):
            self[place] = flow
            if len(self) >= MAX_WRITTEN:
                continue
            for path in [
                path for path in self if source is not None and path.startswith(source + "/")
            ]:
                self[place + path[len(source or "") :]] = self[path]

    def matching(self, pattern: str, *, whole: bool) -> Flow | None:
        """Return what the files hold together that a pattern names; None where the call wrote none
        of them.

        The order of their names depends on the language that is set, so that there may be two texts
        to choose from.
        ``whole``: no other file can match. If one may, an unknown rest stands behind what is known.
        """
        self.compared += len(self)
        if self.compared > MAX_COMPARED:
            return None
        paths = sorted(
            [
                path
                for path in self
                if path.count("/") == pattern.count("/") and matches(pattern, path)
            ]
        )
        if not paths:
            return None
        labels = frozenset().union(*[self[path].labels for path in paths])
        labels = labels if whole else labels | {FILE}
        orders = [paths, sorted(paths, key=_by_language)]
        texts = [
            "".join([HOLE if self[path].text is None else self[path].text or "" for path in order])
            for order in orders
        ]
        if not whole:
            texts = [f"{text}\n{HOLE}" for text in texts]
        if texts[0] == texts[1]:
            return Flow(texts[0], labels)
        either = Flow(None, labels)
        either.choices = tuple(texts)
        return either


def _by_language(path: str) -> list[tuple[bool, str, str]]:
    """Sort names as most languages do, unlike the C locale: letters by the alphabet whatever their
    case, marks before control characters.
    """
    return [(char < " ", char.lower(), char) for char in path]
