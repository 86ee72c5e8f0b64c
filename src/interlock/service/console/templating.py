"""Pages out of templates. Whatever a template shows is text: escaped for HTML, and with every
character written out that could move, hide or reverse others.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from interlock.model.display import visible

FOLDER = os.path.dirname(os.path.abspath(__file__))
STATIC = {
    "console.css": "text/css; charset=utf-8",
    "console.js": "text/javascript; charset=utf-8",
    "mark.svg": "image/svg+xml",
}
MARKS = {"allow": "✓", "warn": "!", "ask": "?", "deny": "✗", "throttle": "…"}


def sanitize_value(value: Any) -> Any:
    """Return what a template shows: a text with nothing in it that a browser would obey."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def lines(text: str) -> list[str]:
    """Return a text's lines, which are shown below each other."""
    return text.replace("\r\n", "\n").split("\n")


def duration(milliseconds: int) -> str:
    """Return a duration as people say it: ``350 ms``, ``1.2 s``, ``2 min 5 s``."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    if milliseconds < 60_000:
        return f"{milliseconds / 1000:.1f} s"
    minutes, rest = divmod(milliseconds // 1000, 60)
    return f"{minutes} min {rest} s"


def thousands(number: int) -> str:
    """Return a count with its thousands apart."""
    return f"{number:,}"


def amount(number: float) -> str:
    """Return an amount with its thousands apart, and its hundredths where it has some."""
    return f"{number:,.0f}" if number == int(number) else f"{number:,.2f}"


def static(name: str) -> bytes:
    """Return a file of the console; raises ``KeyError`` for what is none."""
    if name not in STATIC:
        raise KeyError(name)
    with open(f"{FOLDER}/static/{name}", "rb") as file:
        return file.read()


def address(name: str) -> str:
    """Return a file's address, which changes with what it holds."""
    return f"/static/{name}?{sha256(static(name)).hexdigest()[:12]}"


_WRITER = Environment(
    loader=FileSystemLoader(f"{FOLDER}/templates"),
    autoescape=True,
    finalize=sanitize_value,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_WRITER.filters.update(lines=lines, duration=duration, thousands=thousands, amount=amount)
_WRITER.globals.update(address=address, marks=MARKS)


def page(template: str, **values: Any) -> str:
    """Return a page."""
    return _WRITER.get_template(template).render(**values)
