"""What models cost, as rows: US dollars for a million tokens. A policy's own rows go first.

Anthropic: platform.claude.com/docs/en/about-claude/pricing, read in November 2026; ``written`` is
the price of an hour in the cache, the dearer one, and where a price hangs on the length of the
prompt the dearer one stands here. OpenAI: the list price of gpt-5 of August 2025. A model that is
in no row has no price, and what it spends cannot be counted in money.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.model.limits import Price
from interlock.model.usage import Usage

DOLLAR = 1_000_000
"""In what money is counted."""
PRICES = (
    *[
        Price(name, 10, 50, 1, 20)
        for name in ("claude-fable-5", "claude-fable-5-1", "claude-mythos-5", "claude-mythos-5-1")
    ],
    Price("claude-opus-5", 5, 25, 0.5, 10),
    Price("claude-opus-5-5", 4, 20, 0.2, 8),
    *[
        Price(name, 15, 75, 1.5, 30)
        for name in ("claude-opus-4", "claude-opus-4-0", "claude-opus-4-1")
    ],
    *[Price(f"claude-opus-4-{minor}", 5, 25, 0.5, 10) for minor in (5, 6, 7, 8)],
    *[
        Price(name, 3, 15, 0.3, 6)
        for name in tuple(
            "claude-sonnet-4 claude-sonnet-4-0 claude-sonnet-4-5 claude-sonnet-4-6".split()
        )
    ],
    Price("claude-sonnet-5", 2, 10, 0.2, 4),
    Price("claude-haiku-4-5", 1, 5, 0.1, 2),
    Price("claude-haiku-5-5", 0.5, 2.5, 0.05, 1),
    *[Price(name, 1.25, 10, 0.125, 1.25) for name in ("gpt-5", "gpt-5-codex")],
)
FREE = ("<synthetic>",)
"""What clients write instead of a model's name where none was asked."""


_BUILT_IN = {price.model: price for price in PRICES}


def cost(usage: Usage, prices: Iterable[Price]) -> int | None:
    """Return what usage costs in millionths of a dollar, rounded up; None where nobody knows."""
    if usage.cost is not None:
        return _up(usage.cost * DOLLAR)
    if usage.model in FREE or not usage.input + usage.output + usage.cached + usage.written:
        return 0
    names = _names(usage.model)
    price = next((row for name in names for row in prices if row.model.lower() == name), None)
    price = price or next((_BUILT_IN[name] for name in names if name in _BUILT_IN), None)
    if price is None:
        return None
    return _up(
        usage.input * price.input
        + usage.output * price.output
        + usage.cached * price.cached
        + usage.written * price.written
    )


def _names(model: str) -> list[str]:
    """Return the names under which a model's row may stand: its very name, or that without a date
    behind it and a provider before it.

    A variant that has no row of its own may be dearer than what it is a variant of: it has no
    price.
    """
    name = model.lower()
    plain = name.rpartition("/")[2].removesuffix("[1m]").removesuffix("-latest")
    plain = plain.replace(".", "-") if plain.startswith("claude") else plain
    return [name, plain, _strip_date(plain)]


def _strip_date(name: str) -> str:
    """Cut off ``-20251101``, ``@20251101`` or ``-2025-11-01``."""
    if name[-9:-8] in ("-", "@") and name[-8:].isdigit():
        return name[:-9]
    day = name[-11:]
    return (
        name[:-11]
        if day[:1] + day[5:6] + day[8:9] == "---" and day.replace("-", "").isdigit()
        else name
    )


def _up(value: float) -> int:
    whole = int(value)
    return whole if whole == value else whole + 1
