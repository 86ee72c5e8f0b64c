"""The traits that effects may have: what a rule may ask for besides kind, place and host. Each
stands in ``data/words/traits.txt`` before anything sets it; tests/effects/test_traits.py holds the
readers to that.
"""

from __future__ import annotations

from interlock.data.words import groups

MEANT = groups("traits", "traits")
"""What traits say of an effect, and the traits that say it."""
TRAITS = frozenset([trait for traits in MEANT.values() for trait in traits])
BEGIN = ("from-", "method-")
"""What families of traits begin with: where code or data comes from, the method of a request."""


def is_declared(trait: str) -> bool:
    """Whether something may set a trait."""
    return trait in TRAITS or trait.startswith(BEGIN)
