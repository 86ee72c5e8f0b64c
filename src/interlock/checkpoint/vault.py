"""Where checkpoints lie: ``checkpoints/`` in the state folder, for its owner only.

==============
==========================================================================================
``ID.head``     one line of JSON: of which call, when, of which folders, how much
(``CheckpointHead``) ``ID.tree``     every file, folder and link: compressed JSON; or what is not as
another tree, its base, has it (by columns, which are read in half the time that rows take)
``ID.after``    what the call changed of them, once it ended ``packs/``      contents, one after the
other; a pack goes when no tree names it any more ``latest/``     by folders, the checkpoint that
the next one compares with ``open/``       calls whose end is waited for ==============
==========================================================================================

Every file is written beside its place and then renamed, the head last: a checkpoint is there whole
or not at all.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

from interlock.checkpoint import CheckpointError
from interlock.checkpoint.entry import FileEntry
from interlock.checkpoint.scan import Omission
from interlock.model.codec import encode
from interlock.model.radius import Stake
from interlock.model.record import Record

VERSION = 2
DIGEST = 20
"""Bytes of a content's name (BLAKE2b)."""
PART = 4
"""A tree is written in full where more than one in so many things differs from its base."""
LEAST = 4
"""A name that is cut off has more characters than this."""
MOST_LEFT_OUT = 50
"""Things that were left out which a head names; of more it is known that there are more."""


class CheckpointHead(Record):
    """A checkpoint in short. ``stakes``: what its call was about to take away. ``taken``: Unix
    seconds. ``files``, ``size``: what it holds.

    ``left_out``: what it does not hold. ``packs``: where contents lie. ``shown``: the call in a few
    words, free of secrets. ``base``: the checkpoint whose tree its own stands on.
    """

    id: str
    taken: float
    roots: tuple[str, ...]
    stakes: tuple[Stake, ...] = ()
    session: str = ""
    call: str = ""
    decision: str = ""
    shown: str = ""
    files: int = 0
    size: int = 0
    left_out: tuple[Omission, ...] = ()
    packs: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    repositories: bool = False
    why: str = ""
    base: str = ""


class CheckpointTree(Record):
    """A checkpoint's things by path. ``began``: nanoseconds since 1970 at which the first of them
    was looked at.

    ``base``: the tree that is written in full which this one stands on (``""``: none), and
    ``below``, its things.
    """

    entries: Mapping[str, FileEntry]
    began: int
    base: str = ""
    below: Mapping[str, FileEntry] | None = None


class Vault:
    """The checkpoints of one user. Methods raise ``CheckpointError`` in words for a person."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.folder = f"{state}/checkpoints"

    # -- the folder --------------------------------------------------------------------------------

    @contextmanager
    def held(self, *, alone: bool = False, wait: bool = True) -> Iterator[bool]:
        """Keep others from taking contents away, or (``alone``) from adding any; yields False where
        it would have to ``wait``.
        """
        try:
            import fcntl
        except ImportError:
            raise CheckpointError("checkpoints are not taken on this system") from None
        self.prepare()
        descriptor = os.open(f"{self.folder}/lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(
                    descriptor,
                    (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB),
                )
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(descriptor)

    def prepare(self) -> None:
        """Make the folders."""
        try:
            for path in (self.folder, f"{self.folder}/packs", f"{self.folder}/latest"):
                os.makedirs(path, mode=0o700, exist_ok=True)
        except OSError as error:
            raise CheckpointError(f"{self.folder} cannot be made: {error.strerror}") from error

    def write(self, name: str, data: bytes, *, lasting: bool = True) -> None:
        """Write a file whole or not at all; ``lasting``: it outlasts a crash of the machine."""
        fresh = f"{self.folder}/{name}.{os.getpid()}.new"
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "wb", closefd=False) as file:
                file.write(data)
            if lasting:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(fresh, f"{self.folder}/{name}")

    def remove(self, name: str) -> None:
        """Take a file away, if it is there."""
        try:
            os.unlink(f"{self.folder}/{name}")
        except FileNotFoundError:
            return

    # -- checkpoints -------------------------------------------------------------------------------

    def keep(
        self, head: CheckpointHead, tree: CheckpointTree, last: CheckpointTree | None = None
    ) -> CheckpointHead:
        """Keep a checkpoint and return its head; its contents are in their packs already.

        Where little changed since the ``last`` tree, only that is written. Raises
        ``CheckpointError`` for a name that is taken.
        """
        if os.path.exists(f"{self.folder}/{head.id}.head"):
            raise CheckpointError(f"there is a checkpoint {head.id} already")
        below: Mapping[str, FileEntry] = (last.below or last.entries) if last is not None else {}
        changed = {
            path: entry for path, entry in tree.entries.items() if below.get(path) is not entry
        }
        gone = [path for path in below if path not in tree.entries]
        few = last is not None and (len(changed) + len(gone)) * PART <= len(tree.entries)
        kept = head.replace(base=last.base) if few and last is not None else head
        written, less = (changed, gone) if few else (tree.entries, [])
        body = {
            "version": VERSION, "began": tree.began, "base": kept.base, "gone": less,
            "paths": list(written), "columns": list(zip(*written.values(), strict=True)),
        }  # fmt: skip
        self.write(f"{kept.id}.tree", zlib.compress(json.dumps(body).encode("ascii"), 1))
        self.write(f"{kept.id}.head", json.dumps(encode(kept)).encode("ascii"))
        self.write(f"latest/{_name_of(kept.roots)}", kept.id.encode("ascii"), lasting=False)
        return kept

    def heads(self, *, every: bool = False) -> list[CheckpointHead]:
        """Return all checkpoints, the newest first; one that cannot be read is not there.
        ``every``: then it raises ``OSError``.
        """
        try:
            names = [name[:-5] for name in os.listdir(self.folder) if name.endswith(".head")]
        except FileNotFoundError:
            return []
        found = [head for name in names if (head := self._head(name, every=every)) is not None]
        return sorted(found, key=lambda head: (-head.taken, head.id))

    def head(self, name: str) -> CheckpointHead:
        """Return one checkpoint by its own id or its decision's, or either's unique beginning."""
        own = name if name.startswith("c-") else f"c-{name.removeprefix('d-')}"
        found = self._head(own) if "/" not in name else None
        if found is not None:
            return found
        alike = (
            [head for head in self.heads() if head.id.startswith(own)] if len(own) > LEAST else []
        )
        if len(alike) > 1:
            raise CheckpointError(
                f"{len(alike)} checkpoints begin with {name}:"
                f" {', '.join(head.decision or head.id for head in alike[:LEAST])}"
            )
        if not alike:
            raise CheckpointError(
                f"there is no checkpoint {name}; `interlock checkpoints` lists them"
            )
        return alike[0]

    def _head(self, name: str, *, every: bool = False) -> CheckpointHead | None:
        try:
            with open(f"{self.folder}/{name}.head", "rb") as file:
                return _head_of(json.loads(file.read()))
        except OSError as error:
            if every and not isinstance(error, FileNotFoundError):
                raise
            return None
        except (ValueError, TypeError, KeyError):
            return None

    def tree(self, head: CheckpointHead) -> CheckpointTree:
        """Return what a checkpoint holds."""
        try:
            tree, gone = self._tree(head.id)
            if not tree.base:
                return tree.replace(base=head.id, below=tree.entries)
            below = self._tree(tree.base)[0].entries
            entries = {**below, **tree.entries}
            for path in gone:
                del entries[path]
        except (OSError, ValueError, KeyError, TypeError, zlib.error) as error:
            raise CheckpointError(f"the checkpoint {head.id} cannot be read: {error}") from error
        return tree.replace(entries=entries, below=below)

    def _tree(self, name: str) -> tuple[CheckpointTree, list[str]]:
        """Return a tree as it is written, and what of its base is not in it."""
        with open(f"{self.folder}/{name}.tree", "rb") as file:
            body = json.loads(zlib.decompress(file.read()))
        if body["version"] != VERSION:
            raise ValueError("it is of another version of interlock")
        rows = map(FileEntry._make, zip(*body["columns"], strict=True))
        return (
            CheckpointTree(
                dict(zip(body["paths"], rows, strict=True)), body["began"], body["base"]
            ),
            body["gone"],
        )

    def latest(self, roots: tuple[str, ...]) -> CheckpointTree | None:
        """Return what the last checkpoint of these folders holds, to compare with."""
        try:
            with open(f"{self.folder}/latest/{_name_of(roots)}", encoding="ascii") as file:
                head = self._head(file.read())
            return None if head is None or head.roots != roots else self.tree(head)
        except (OSError, ValueError, CheckpointError):
            return None

    # -- contents ----------------------------------------------------------------------------------

    def content(self, entry: FileEntry, path: str) -> bytes:
        """Return a file's content, which is what it was: its name is its checksum."""
        if not entry.size:
            return b""
        try:
            with open(f"{self.folder}/packs/{entry.pack}", "rb") as file:
                file.seek(entry.offset)
                data = file.read(entry.size)
        except OSError as error:
            raise CheckpointError(f"what {path} held cannot be read: {error.strerror}") from error
        if digest_of(data) != entry.digest:
            raise CheckpointError(f"what {path} held is damaged in its checkpoint")
        return data

    def packs(self) -> frozenset[str]:
        """Return the packs that are there."""
        return frozenset(
            name for name in os.listdir(f"{self.folder}/packs") if name.endswith(".pack")
        )


def digest_of(data: bytes) -> str:
    """Return a content's name."""
    return blake2b(data, digest_size=DIGEST).hexdigest()


def _head_of(data: dict[str, Any]) -> CheckpointHead:
    lists = {name: tuple(data.pop(name, ())) for name in ("roots", "packs", "whole")}
    stakes = tuple(
        [Stake(**{**one, "names": tuple(one.get("names", ()))}) for one in data.pop("stakes", ())]
    )
    left_out = tuple([Omission(**one) for one in data.pop("left_out", ())])
    return CheckpointHead(**{**data, **lists, "stakes": stakes, "left_out": left_out})


def _name_of(roots: tuple[str, ...]) -> str:
    return blake2b("\0".join(roots).encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()
