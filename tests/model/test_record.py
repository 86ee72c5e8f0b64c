"""Records: frozen, equal by value, and wrong use said at once."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from interlock.model.effect import Place, Span
from interlock.model.record import Record


class Point(Record):
    """A record with a default."""

    x: int
    y: int = 0


class Named(Point):
    """A record with more fields than its base."""

    name: str = ""


@pytest.mark.parametrize(
    "point",
    [Point(1), Point(1, 0), Point(x=1), Point(1, y=0), Point(y=0, x=1)],
    ids=["default", "position", "name", "mixed", "any order"],
)
def test_fields_are_given_by_position_or_name(point: Point) -> None:
    """However its fields are given, it is the same record."""
    assert point == Point(1, 0)
    assert hash(point) == hash(Point(1, 0))


@pytest.mark.parametrize(
    ("arguments", "named", "said"),
    [
        ((), {}, "needs 'x'"),
        ((1, 2, 3), {}, "takes 2 arguments, not 3"),
        ((1,), {"z": 1}, "has no field 'z'"),
        ((1,), {"x": 1}, "'x'"),
    ],
    ids=["missing", "surplus", "unknown", "twice"],
)
def test_wrong_arguments_are_refused(
    arguments: tuple[int, ...], named: dict[str, int], said: str
) -> None:
    """Missing, surplus, unknown and doubled arguments raise, and the message names the field."""
    anything: Any = Point
    with pytest.raises(TypeError, match=said):
        anything(*arguments, **named)


def test_nothing_can_be_changed() -> None:
    """Neither a field nor a new attribute can be set or deleted."""
    point: Any = Point(1)
    with pytest.raises(AttributeError, match="immutable"):
        point.x = 2
    with pytest.raises(AttributeError, match="immutable"):
        point.z = 2
    with pytest.raises(AttributeError, match="immutable"):
        del point.x
    assert vars(point) == {"x": 1, "y": 0}


def test_replace_makes_another() -> None:
    """``replace`` changes a copy and refuses fields that do not exist."""
    point = Point(1, 2)
    assert point.replace(y=3) == Point(1, 3)
    assert point == Point(1, 2)
    with pytest.raises(TypeError, match="has no field 'z'"):
        point.replace(z=1)


def test_a_subclass_adds_fields_after_its_base() -> None:
    """Fields and defaults are inherited, the base's first."""
    assert Named.fields == ("x", "y", "name")
    assert Named(1, 2, "a") == Named(x=1, y=2, name="a")
    assert Named(1).name == ""
    assert isinstance(Named(1), Point)


def test_only_the_same_kind_is_equal() -> None:
    """Records of two kinds with the same values differ, and differ from a tuple."""
    values: list[object] = [Point(1, 2), Named(1, 2), (1, 2), Place("home"), Span(0, 1, 2)]
    assert all((one == other) is (one is other) for one in values for other in values)


def test_it_prints_as_it_is_written() -> None:
    """``repr`` is the call that makes it."""
    assert repr(Named(1, name="a")) == "Named(x=1, y=0, name='a')"
    assert eval(repr(Named(1, name="a")), {"Named": Named}) == Named(1, name="a")  # noqa: S307 - our own text


def test_it_survives_copies() -> None:
    """Pickled or copied it is equal to itself."""
    span = Span(0, 1, 2)
    assert pickle.loads(pickle.dumps(span)) == copy.deepcopy(span) == span  # noqa: S301 - our own bytes
