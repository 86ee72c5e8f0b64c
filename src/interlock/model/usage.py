"""What an agent used of its model."""

from __future__ import annotations

from interlock.model.record import Record

_MOST_USED = 10**18
_MOST = 10**9


class Usage(Record):
    """Tokens that one request or more took. ``input``: read anew, neither from the cache nor into
    it. ``cost``: US dollars, None if not known.
    """

    model: str = ""
    input: int = 0
    output: int = 0
    cached: int = 0
    written: int = 0
    cost: float | None = None

    @property
    def wrong(self) -> str:
        """Say in a sentence what of this no request can have used, or ``""``."""
        for field in ("input", "output", "cached", "written"):
            value = getattr(self, field)
            if type(value) is not int or not 0 <= value < _MOST_USED:
                return f"{field} is {str(value)[:40]}, which is no number of tokens"
        if self.cost is None or (type(self.cost) in (int, float) and 0 <= self.cost < _MOST):
            return ""
        return f"the cost is {str(self.cost)[:40]}, which is no sum of dollars"

    def plus(self, more: Usage) -> Usage:
        """Return both together, of the same model and without a cost of their own."""
        return Usage(
            self.model,
            self.input + more.input,
            self.output + more.output,
            self.cached + more.cached,
            self.written + more.written,
        )
