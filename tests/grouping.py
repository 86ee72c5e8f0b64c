"""Rows of a table as one test, where tests run in several processes.

pytest and xdist spend three thousandths of a second on a test whatever it does, which is more than
most rows of a table take: of 35,000 that is two minutes of the processor. Where a test takes nothing
but its rows, it is one item that tries them all and says which failed. Run by itself (``pytest
FILE``), each row is a test of its own, as always.
"""

from __future__ import annotations

import inspect
import itertools
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    Rows = list[dict[str, Any]]


def group(collector: pytest.Collector, name: str, test: object) -> pytest.Function | None:
    """Return the one item of a test that takes nothing but its rows; None for any other."""
    if not isinstance(collector, pytest.Module) or not inspect.isfunction(test):
        return None
    rows = find_rows(test) if collector.istestfunction(test, name) else []
    if len(rows) < 2 or _prepares(collector):
        return None
    item: pytest.Function = pytest.Function.from_parent(
        collector, name=name, callobj=_try_all(test, rows)
    )
    return item


def find_rows(test: Callable[..., None]) -> Rows:
    """Return the arguments of each row; none where a test takes something else, or a row has marks
    of its own.
    """
    marks: list[pytest.Mark] = getattr(test, "pytestmark", [])
    if hasattr(test, "hypothesis") or any(mark.name != "parametrize" for mark in marks):
        return []
    tables = [_read_table(mark) for mark in marks]
    rows = [
        dict(itertools.chain(*[one.items() for one in row])) for row in itertools.product(*tables)
    ]
    return rows if rows and set(rows[0]) == set(inspect.signature(test).parameters) else []


def _read_table(mark: pytest.Mark) -> Rows:
    """Return the rows of one ``parametrize``; none where pytest has to read it."""
    if "indirect" in mark.kwargs or len(mark.args) < 2:
        return []
    given, values = mark.args[:2]
    names = (
        [one.strip() for one in given.split(",") if one.strip()]
        if isinstance(given, str)
        else given
    )
    single = isinstance(given, str) and "," not in given
    rows = []
    for value in values:
        if getattr(value, "marks", ()):
            return []
        row = (
            getattr(value, "values", value)
            if hasattr(value, "marks")
            else (value,)
            if single
            else value
        )
        rows.append(dict(zip(names, row, strict=True)))
    return rows


def _try_all(test: Callable[..., None], rows: Rows) -> Callable[[], None]:
    def every_row() -> None:
        found = [error for row in rows if (error := _try(test, row)) is not None]
        skipped = [one for one in found if isinstance(one, pytest.skip.Exception)]
        wrong = [one for one in found if not isinstance(one, pytest.skip.Exception)]
        if len(wrong) == 1:
            raise wrong[0]
        if wrong:
            raise BaseExceptionGroup(f"{len(wrong)} of {len(rows)} rows", wrong)
        if skipped:
            pytest.skip(f"{len(skipped)} of {len(rows)} rows: {skipped[0].msg}")

    every_row.__doc__, every_row.__name__ = test.__doc__, test.__name__
    every_row.rows = len(rows)  # type: ignore[attr-defined]
    return every_row


def _try(test: Callable[..., None], row: dict[str, Any]) -> BaseException | None:
    """Return what a row came to, unless all is well."""
    try:
        test(**row)
    except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001 - of any kind
        error.add_note(f"the row: {row!r:.1000}")
        return error
    return None


def _prepares(collector: pytest.Module) -> bool:
    """Whether something is made anew for every test of a file, whatever it takes."""
    marks = [getattr(one, "_fixture_function_marker", None) for one in vars(collector.obj).values()]
    return any(getattr(mark, "autouse", False) for mark in marks)
