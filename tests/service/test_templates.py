"""Every template with hostile values in every place that it shows: whatever rows hold, a page has
no element, no address and no direction of reading that somebody else wrote.
"""

from __future__ import annotations

from html.parser import HTMLParser
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from jinja2 import Environment, FileSystemLoader, Template, meta
from markupsafe import Markup

from interlock.service.console import templating
from interlock.service.console.nav import PLACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TEXT = (
    "javascript:alert(1)//' onclick=x \"><img src=evil onerror=x>\u202e\x1b[31m\x07\u200b{{ 7*7 }}"
)
RAW = frozenset("\u202e\x1b\x07\u200b")
ADDRESSES = ("href", "src", "action", "formaction", "data-stream")
OURS = {
    "authenticator.html": {"picture": Markup("<svg></svg>"), "where": "/of-our-own"},
    "refused.html": {"to": "/of-our-own"},
    "search.html": {"older": "/of-our-own"},
}
"""Whole addresses and a drawing, which code made: no part of them is somebody else's unescaped."""
TRIES = 40


class Hostile:
    """A value that is anything a template takes it for, and says ``TEXT``. ``drawn`` says how what
    is asked of it comes out.
    """

    def __init__(self, drawn: Random) -> None:
        self._drawn = drawn

    def __getattr__(self, name: str) -> Hostile:
        if name.startswith("__"):
            raise AttributeError(name)
        return Hostile(self._drawn)

    def __getitem__(self, _name: object) -> Hostile:
        return Hostile(self._drawn)

    def __call__(  # noqa: D102 - as whatever is called
        self, *_given: object, **_named: object
    ) -> Hostile:
        return Hostile(self._drawn)

    def __iter__(self) -> Iterator[Hostile]:
        return iter([Hostile(self._drawn), Hostile(self._drawn)])

    def __len__(self) -> int:
        return 2

    def __bool__(self) -> bool:
        return self._drawn.random() < 0.6

    def __eq__(self, other: object) -> bool:
        return self._drawn.random() < 0.3

    __hash__ = object.__hash__

    def _number(self, *_others: object) -> int:
        return self._drawn.randrange(9000)

    __add__ = __radd__ = __sub__ = __rsub__ = __floordiv__ = __mod__ = __int__ = _number

    def _order(self, _other: object) -> bool:
        return self._drawn.random() < 0.5

    __lt__ = __gt__ = __le__ = __ge__ = _order

    def __str__(self) -> str:
        return TEXT


def as_text(value: Any) -> Any:
    """Return what a template would have got in its place."""
    return TEXT if isinstance(value, Hostile) else value


def taking(change: Callable[[Any], Any], work: Callable[..., Any]) -> Callable[..., Any]:
    """Have a filter take what it would have got."""
    return lambda value, *more, **named: work(change(value), *more, **named)


LOADER = FileSystemLoader(f"{templating.FOLDER}/templates")


def hostile_writer() -> Environment:
    """Return the writer of pages, whose templates may be given hostile values."""
    real = templating._WRITER
    assert real.autoescape is True
    made = Environment(
        loader=LOADER, autoescape=True, finalize=taking(as_text, templating.sanitize_value),
        undefined=real.undefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.globals = real.globals
    made.filters = dict(real.filters)
    for name in ("safe", "urlencode", "lines"):
        made.filters[name] = taking(as_text, real.filters[name])
    for name in ("duration", "thousands", "amount"):
        made.filters[name] = taking(int, real.filters[name])
    return made


WRITER = hostile_writer()
TEMPLATES = sorted(WRITER.list_templates())
TREES = [WRITER.parse(LOADER.get_source(WRITER, name)[0]) for name in TEMPLATES]
NAMES = {name for tree in TREES for name in meta.find_undeclared_variables(tree)}


class Seen(HTMLParser):
    """What of a page a browser would obey: its addresses, and elements with a script in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        held = dict(attrs)
        self.addresses += [str(held[name]) for name in ADDRESSES if held.get(name)]
        inline = tag in ("script", "style", "iframe", "object") and "src" not in held
        names = [name for name in held if name.startswith("on") or name in ("style", "srcdoc")]
        if inline or names:
            self.scripts.append(tag)


def wrong_with(text: str) -> str:
    """Return what of a page somebody else wrote, empty where nothing is."""
    seen = Seen(text)
    away = [one for one in seen.addresses if one[:1] not in "/#?" or one[:2] in ("//", "/\\")]
    if seen.scripts:
        return f"has an element: {seen.scripts[0]}"
    if away:
        return f"leads to {away[0]}"
    return "shows a character raw" if RAW & set(text) else ""


def rendered(source: Template, seed: int) -> str:
    """Return a page of hostile values."""
    drawn = Random(seed)  # noqa: S311 - no secret
    given: dict[str, object] = {name: Hostile(drawn) for name in NAMES - {*WRITER.globals}}
    return source.render({**given, "places": PLACES, **OURS.get(source.name or "", {})})


@pytest.mark.parametrize("name", TEMPLATES)
def test_nothing_that_somebody_else_wrote_is_more_than_text(name: str) -> None:
    """In whatever place of whatever page: each is drawn many times, so that its conditions go
    both ways.
    """
    shows = False
    for seed in range(TRIES):
        text = rendered(WRITER.get_template(name), seed)
        wrong = wrong_with(text)
        assert wrong == "", (name, seed, wrong)
        shows = shows or "onclick" in text
    assert shows or name in ("hour.html", "missing.html", "parts.html", "head.html")


@pytest.mark.parametrize(
    ("source", "wrong"),
    [
        ("<p>{{ q | safe }}</p>", "has an element"),
        ("<p title={{ q }}>x</p>", "has an element"),
        ("<a href='{{ q }}'>x</a>", "leads to javascript:alert"),
        ("<a href='{{ q | urlencode }}'>x</a>", "leads to javascript%3Aale"),
        ("<script>{{ q }}</script>", "has an element"),
        ("<p>{{ q ~ ('<b>' | safe) }}</p>", "shows a character raw"),
        ("<p>{% autoescape false %}{{ q }}{% endautoescape %}</p>", "has an element"),
        ("<p title='{{ q }}'>{{ q }}</p><a href='/x?q={{ q | urlencode }}'>x</a>", ""),
    ],
)
def test_the_law_bites(source: str, wrong: str) -> None:
    """A template that lets something through is found, however it does so; a right one is none."""
    found = wrong_with(rendered(WRITER.from_string(source), 0))
    assert found.startswith(wrong), found
    assert bool(found) is bool(wrong)
