"""What services ask of a store, as protocols: SQLite's file is one, a server can be another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from interlock.store.schema import Value, Write

T = TypeVar("T")


class Cursor(Protocol):
    """What a statement found or did."""

    @property
    def rowcount(self) -> int:
        """How many rows it changed."""

    @property
    def lastrowid(self) -> int | None:
        """The number of the row it inserted last."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""


class Connection(Protocol):
    """One transaction of a store, as its steps see it."""

    def execute(self, sql: str, values: Sequence[Value] = ..., /) -> Cursor:
        """Do one statement; values stand for its question marks."""


class Storage(Protocol):
    """State that many processes share. Every method raises ``StoreError`` where it could not do
    what it says.
    """

    folder: str
    notices: list[str]

    def query(self, sql: str, values: Sequence[Value] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of one question."""

    def commit(self, writes: Sequence[Write]) -> None:
        """Do all writes or none, and take in what waits in the spool."""

    def transact(self, work: Callable[[Connection], T]) -> T:
        """Do a step whose writes hang on what it reads: nobody else writes meanwhile."""

    def view(self, work: Callable[[Connection], T]) -> T:
        """Ask several questions of one and the same state, while others go on writing."""

    def spool(self, writes: Sequence[Write]) -> None:
        """Keep writes that ``commit`` did not do for a later one."""

    def waiting(self) -> bool:
        """Tell whether writes wait that a question does not see yet."""
