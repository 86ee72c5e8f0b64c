"""How fast machines send: what they may all ask for at once is this service's to say."""

from __future__ import annotations

LEAST_SECONDS = 1
EACH = 50
"""Machines by which the pace slows down by a second."""


def pace(machines: int) -> int:
    """Return how many seconds a machine lets pass between two batches of ordinary calls."""
    return LEAST_SECONDS + machines // EACH
