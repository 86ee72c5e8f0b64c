"""Two patterns of paths: whether one path may fit both is never denied where one does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from interlock.model.glob import _may_meet, path_fits

NAMES = ("a", "b", "ab", "aab", "c.pem")
PARTS = st.sampled_from(["a", "b", "*", "**", "a*", "*b", "?", "*.pem", "a?b"])
PATTERNS = st.lists(PARTS, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts))
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=5).map(
    lambda parts: "/" + "/".join(parts)
)


@given(PATTERNS, PATTERNS, PATHS)
def test_what_one_path_fits_may_meet(one: str, other: str, path: str) -> None:
    """The reference is matching itself; the order of the two does not matter where neither has sets
    of characters.
    """
    if path_fits(one, path) and path_fits(other, path):
        assert _may_meet(one, other)
        assert _may_meet(other, one)


@given(PATTERNS, PATHS)
def test_a_written_path_meets_exactly_what_it_fits(pattern: str, path: str) -> None:
    """Without wildcards on one side nothing is only possible."""
    assert _may_meet(path, pattern) == path_fits(pattern, path)


def test_ends_and_beginnings_tell_apart() -> None:
    """Names that cannot be one do not meet, however many folders stand between."""
    for one, other in (
        ("/w/**/*.log", "/**/*.pem"),
        ("/w/a*", "/w/b*"),
        ("/w/x/**", "/v/**"),
        ("/w", "/w/x/y"),
    ):
        assert not _may_meet(one, other)
