"""Rows that are tried as one test are all tried, and what is wrong with one is said."""

from __future__ import annotations

import pytest

from tests.grouping import _try_all, find_rows

TRIED: list[object] = []


@pytest.mark.parametrize("one", [1, pytest.param(2, id="two")])
@pytest.mark.parametrize(("two", "three"), [("a", "b"), ("c", "d")])
def _rows(one: int, two: str, three: str) -> None:
    TRIED.append((one, two, three))
    assert (one, two) != (2, "c")


@pytest.mark.parametrize("one", [1, 2])
def _skips(one: int) -> None:
    if one == 1:
        pytest.skip("nothing to see")


@pytest.mark.parametrize("one", [1, pytest.param(2, marks=pytest.mark.long)])
def _marked(one: int) -> None:
    assert one


@pytest.mark.parametrize("one", [1, 2])
def _takes_more(one: int, tmp_path: object) -> None:
    assert one, tmp_path


def test_every_row_is_tried_and_the_wrong_one_is_named() -> None:
    """In the order of pytest, by the names of the arguments."""
    rows = find_rows(_rows)
    TRIED.clear()
    with pytest.raises(AssertionError) as caught:
        _try_all(_rows, rows)()
    assert TRIED == [(1, "a", "b"), (2, "a", "b"), (1, "c", "d"), (2, "c", "d")]
    assert "'two': 'c', 'three': 'd', 'one': 2" in caught.value.__notes__[0]


def test_what_cannot_be_tried_here_is_said() -> None:
    """A row that skips is counted, though others passed."""
    with pytest.raises(pytest.skip.Exception, match="1 of 2 rows: nothing to see"):
        _try_all(_skips, find_rows(_skips))()


@pytest.mark.parametrize("test", [_marked, _takes_more])
def test_what_pytest_has_to_prepare_stays_as_it_is(test: object) -> None:
    """Marks of a row, fixtures."""
    assert callable(test)
    assert find_rows(test) == []
