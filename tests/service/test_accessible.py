"""What axe-core finds on the console's pages: nothing, at three widths, light and dark; and what
the pages weigh.
"""

from __future__ import annotations

import gzip
import os
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from interlock.service.console.evidence import download_evidence
from interlock.service.console.pages import file
from interlock.service.console.stream import stream
from interlock.service.console.templating import STATIC, static
from interlock.service.routes import PEOPLES
from interlock.service.routing import Row
from tests.browsing import Browser, browsing, needs_a_browser
from tests.furnished import ALL, Furnished, waiting
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
ALL_SCREENS = [(width, dark) for width in (360, 768, 1440) for dark in (False, True)]
SCREENS = ALL_SCREENS if "INTERLOCK_CLIENTS" in os.environ else [(360, False), (1440, True)]
"""The smallest and the largest, one light and one dark; `make e2e` looks at all."""
MOST_SCRIPT, MOST_STYLE = 100_000, 30_000
NO_PAGES = (stream, file, download_evidence)
PAGES = [row for row in PEOPLES if row.method == "GET" and row.answer not in NO_PAGES]
"""Every page there is: one that is added to the table is looked at, too."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser."""
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def place(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> Iterator[tuple[Served, Furnished]]:
    """Return a service in which somebody who may everything sits at the browser."""
    with served(tmp_path_factory.mktemp("service")) as service:
        name, _, value = service.person("maker", *ALL)["Cookie"].partition("=")
        browser.do("Network.setCookie", name=name, value=value, url=service.url)
        yield service, Furnished(service, *waiting(tmp_path_factory.mktemp("home")))
        browser.go("about:blank")


@pytest.mark.e2e
@needs_a_browser
@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.path)
def test_nothing_keeps_anybody_from_a_page(
    browser: Browser, place: tuple[Served, Furnished], row: Row
) -> None:
    """Neither colours nor names nor order, by all that axe-core knows; and nothing lies outside of
    the screen.
    """
    service, names = place
    browser.sized(1440)
    browser.go(service.url + names.path(row))
    browser.js(AXE)
    for width, dark in SCREENS:
        browser.sized(width, dark=dark)
        found = browser.js(
            "axe.run().then(said => said.violations.map(one => one.id + ': ' +"
            " one.nodes.map(node => node.html).join(' ')))"
        )
        assert found == [], (width, dark)
        assert browser.js("document.documentElement.scrollWidth") <= width, (width, dark)


def test_what_the_pages_load_is_small() -> None:
    """All scripts together, as they are sent, and all styles."""
    for kind, most in (("javascript", MOST_SCRIPT), ("css", MOST_STYLE)):
        loaded = [gzip.compress(static(name)) for name, said in STATIC.items() if kind in said]
        assert loaded
        assert sum(map(len, loaded)) <= most
