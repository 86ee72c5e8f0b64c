"""``Checkpoints``: what the guard and people ask of them. One is taken before a call, completed
when it ended, and gone back to by an undo.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping

from interlock.checkpoint import CheckpointError, journal
from interlock.checkpoint.entry import FileEntry
from interlock.checkpoint.pending import mark_of
from interlock.checkpoint.restore import States, UndoPlan, plan
from interlock.checkpoint.retention import RetentionLimits, all_bytes, due, prune
from interlock.checkpoint.scan import Omission, Scan, ScanTargets
from interlock.checkpoint.snapshot import MAX_NEW, MORE_PATIENCE, PATIENCE, differences, take
from interlock.checkpoint.vault import CheckpointHead, CheckpointTree, Vault
from interlock.model.call import Outcome, ToolCall
from interlock.model.radius import (
    ALL,
    BRANCH_MOVES,
    CHANGED,
    IGNORED,
    NAMED,
    NOT_TRACKED,
    UNTRACKED,
    Stake,
)
from interlock.model.record import Record

if sys.platform == "win32":
    from nt import urandom
else:
    from posix import urandom


MOST_SHOWN = 200


class UndoResult(Record):
    """What an undo did: ``plan`` holds what was done of it. ``before``: the checkpoint that was
    taken first, by which it can be undone.

    ``problems``: what could not be done, in sentences; then the checkpoint is not gone back to yet,
    and the next undo goes on with it.
    """

    head: CheckpointHead
    plan: UndoPlan
    before: str = ""
    problems: tuple[str, ...] = ()


class Checkpoints:
    """The checkpoints of one user's state folder. Every method raises ``CheckpointError``."""

    def __init__(self, state: str, keeping: RetentionLimits | None = None) -> None:
        self.vault = Vault(state)
        self.keeping = keeping or RetentionLimits()

    # -- before a call -----------------------------------------------------------------------------

    def before(
        self, call: ToolCall, stakes: tuple[Stake, ...], decision: str, shown: str
    ) -> CheckpointHead:
        """Take a checkpoint before a call that takes ``stakes`` away: of its whole workspace, or of
        the stakes alone where that is too much.
        """
        head = CheckpointHead(
            f"c-{decision.removeprefix('d-')}",
            0.0,
            (),
            stakes,
            call.session,
            call.call_id,
            decision,
            shown[:MOST_SHOWN],
        )
        wanted = plan_contents(call.roots, stakes)
        try:
            taken = take(self.vault, head, wanted)
        except CheckpointError:
            if any(stake.what not in (ALL, NAMED) for stake in stakes) or not stakes:
                raise
            taken = take(
                self.vault,
                head,
                wanted.replace(roots=_outermost([stake.path for stake in stakes])),
                patience=MORE_PATIENCE,
            )
        lacking = next((left for left in find_left_out(taken) if not left.again), None)
        if lacking is not None and stakes:
            raise CheckpointError(f"{lacking.path} {lacking.why}")
        if call.call_id:
            os.makedirs(f"{self.vault.folder}/open", mode=0o700, exist_ok=True)
            self.vault.write(
                f"open/{mark_of(call.session, call.call_id)}", taken.id.encode("ascii")
            )
        if due(self.vault, self.keeping):
            prune(self.vault, self.keeping)
        return taken

    def of(
        self,
        roots: tuple[str, ...],
        why: str,
        session: str = "",
        patience: float = PATIENCE,
        most: int = MAX_NEW,
    ) -> CheckpointHead:
        """Take a checkpoint of folders, before no call in particular."""
        head = CheckpointHead(f"c-{urandom(8).hex()}", 0.0, (), session=session, why=why)
        return take(self.vault, head, plan_contents(roots, ()), most, patience)

    # -- after a call ------------------------------------------------------------------------------

    def ended(self, outcome: Outcome) -> None:
        """Note what a call changed, now that it ended."""
        mark = f"open/{mark_of(outcome.call.session, outcome.call.call_id)}"
        try:
            with open(f"{self.vault.folder}/{mark}", encoding="ascii") as file:
                name = file.read()
        except FileNotFoundError:
            return
        self.vault.remove(mark)
        head = self.vault.head(name)
        self._complete(head, self.vault.tree(head))

    def _complete(self, head: CheckpointHead, tree: CheckpointTree) -> None:
        changed = differences(tree, self._now(head, tree))
        self.vault.write(f"{head.id}.after", json.dumps(changed).encode("ascii"))

    def _now(self, head: CheckpointHead, tree: CheckpointTree) -> Mapping[str, FileEntry]:
        return Scan(
            ScanTargets(head.roots, head.whole, head.repositories),
            self.vault.state,
            known=tree.entries,
        ).entries

    # -- the way back ------------------------------------------------------------------------------

    def find(self, name: str = "", roots: tuple[str, ...] = ()) -> CheckpointHead:
        """Return a checkpoint by its id or its decision's; without a name the last one before a
        call in one of these folders that was not undone.
        """
        if name:
            return self.vault.head(name)
        for head in self.vault.heads():
            if (
                head.stakes
                and not head.why
                and not self.undone(head)
                and any(_meet(root, one) for root in head.roots for one in roots)
            ):
                return head
        raise CheckpointError("nothing to undo in this folder; see: interlock checkpoints")

    def undone(self, head: CheckpointHead) -> bool:
        """Tell whether a checkpoint was gone back to already."""
        return os.path.exists(f"{self.vault.folder}/{head.id}.undone")

    def look(self, head: CheckpointHead, *, over: bool = False, exact: bool = False) -> UndoPlan:
        """Return what an undo would do now."""
        return self._plan(head, self.vault.tree(head), over=over, exact=exact)

    def _plan(
        self, head: CheckpointHead, tree: CheckpointTree, *, over: bool, exact: bool
    ) -> UndoPlan:
        try:
            return plan(
                head, States(tree, self._after(head), self._now(head, tree)), over=over, exact=exact
            )
        except OSError as error:
            raise CheckpointError(f"{error.filename}: {error.strerror}") from error

    def _after(self, head: CheckpointHead) -> dict[str, FileEntry | None] | None:
        try:
            with open(f"{self.vault.folder}/{head.id}.after", "rb") as file:
                return {
                    path: FileEntry(*row) if row is not None else None
                    for path, row in json.loads(file.read()).items()
                }
        except (OSError, ValueError, TypeError):
            return None

    def undo(self, head: CheckpointHead, *, over: bool = False, exact: bool = False) -> UndoResult:
        """Go back to a checkpoint, after a checkpoint of how it is now. What a crash cuts off is
        finished by whoever comes next.
        """
        with journal.alone(self.vault) as lock, journal.finish_if_killed(self.vault, lock):
            problems = _sentences(journal.finish(self.vault))
            with self.vault.held():
                tree = self.vault.tree(head)
                todo = self._plan(head, tree, over=over, exact=exact)
                if not (todo.back or todo.away):
                    self._nothing_to_do(head, todo)
                    return UndoResult(head, todo, problems=problems)
                _idle(todo)
                before = self._before_undo(head)
                journal.prepare(self.vault, f"{head.id}-{os.getpid()}", tree, todo)
            failed = journal.finish(self.vault)
            if not failed:
                self.vault.write(f"{head.id}.undone", before.id.encode("ascii"))
            self._complete(before, self.vault.tree(before))
        back, away = [
            tuple([path for path in paths if path not in failed])
            for paths in (todo.back, todo.away)
        ]
        return UndoResult(
            head, todo.replace(back=back, away=away), before.id, (*problems, *_sentences(failed))
        )

    def _nothing_to_do(self, head: CheckpointHead, todo: UndoPlan) -> None:
        """Note that a call is undone where all is as it was before: an undo was cut off and
        finished by another process, or a person did it.
        """
        if self._after(head) is not None and not (todo.changed_since or todo.git_left):
            self.vault.write(f"{head.id}.undone", b"")

    def _before_undo(self, head: CheckpointHead) -> CheckpointHead:
        fresh = CheckpointHead(
            f"c-{urandom(8).hex()}",
            0.0,
            (),
            head.stakes,
            head.session,
            why=f"before the undo of {head.decision or head.id}",
        )
        return take(
            self.vault, fresh, ScanTargets(head.roots, head.whole, head.repositories), patience=60.0
        )

    def prune(self) -> list[CheckpointHead]:
        """Take away what is too old or too large; return the checkpoints that went."""
        return prune(self.vault, self.keeping)

    def size(self) -> int:
        """Return how many bytes all checkpoints take."""
        return all_bytes(self.vault)

    def finish(self) -> tuple[str, ...]:
        """Finish what a cut-off undo left; return what could not be done, in sentences."""
        if not os.path.lexists(f"{self.vault.state}/flags/{journal.FLAG}"):
            return ()
        with journal.alone(self.vault):
            return _sentences(journal.finish(self.vault))


def _sentences(problems: Mapping[str, str]) -> tuple[str, ...]:
    return tuple([f"{path}: {why}" for path, why in problems.items()])


def _idle(todo: UndoPlan) -> None:
    """Make sure that git does not work in a repository whose state is about to change."""
    for path in todo.back:
        git, found, _ = path.partition("/.git/")
        if found and os.path.exists(f"{git}/.git/index.lock"):
            raise CheckpointError(
                f"git works in {git} now ({git}/.git/index.lock is there); try again when it is"
                " done"
            )


# -- what is looked at -----------------------------------------------------------------------------


def plan_contents(roots: tuple[str, ...], stakes: tuple[Stake, ...]) -> ScanTargets:
    """Return what a checkpoint of a workspace holds for what is at stake; paths are real."""
    real = _outermost([os.path.realpath(root) for root in roots])
    whole = tuple([stake.path for stake in stakes if stake.what == ALL and stake.deep])
    untracked = any(stake.what in (UNTRACKED, IGNORED, NOT_TRACKED) for stake in stakes)
    return ScanTargets(
        (*real, *[path for root in real for path in _find_git_state(root)]),
        whole,
        repositories=untracked,
    )


def _outermost(paths: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for path in sorted(set(paths), key=len):
        if not any(path.startswith(one.rstrip("/") + "/") for one in found):
            found.append(path)
    return tuple(found)


def _find_git_state(root: str) -> list[str]:
    """Return where the state of a linked work tree lies (gitrepository-layout(5)): its own folder,
    and the branches and logs it shares.
    """
    try:
        with open(f"{root}/.git", encoding="utf-8", errors="surrogateescape") as file:
            own = os.path.realpath(os.path.join(root, file.read().partition("gitdir:")[2].strip()))
        with open(f"{own}/commondir", encoding="utf-8", errors="surrogateescape") as file:
            shared = os.path.realpath(os.path.join(own, file.read().strip()))
    except (OSError, ValueError):
        return []
    return [own, *[f"{shared}/{name}" for name in ("refs", "packed-refs", "logs")]]


def _meet(one: str, other: str) -> bool:
    return (
        one == other
        or one.startswith(other.rstrip("/") + "/")
        or other.startswith(one.rstrip("/") + "/")
    )


def find_left_out(head: CheckpointHead) -> tuple[Omission, ...]:
    """Return what a checkpoint does not hold of what its call takes away. What tools make again git
    does not track.
    """
    return tuple(
        [
            left
            for left in head.left_out
            if not head.stakes or any(_lies_in(left, stake) for stake in head.stakes)
        ]
    )


def _lies_in(left: Omission, stake: Stake) -> bool:
    return _meet(left.path, stake.path) and not (
        left.again and stake.what in (CHANGED, BRANCH_MOVES)
    )
