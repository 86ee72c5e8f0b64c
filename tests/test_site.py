"""The site as a reader meets it: what they search for leads to a page for them, a wrong address
leads on, and a model finds its way.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.model.release import __version__

TOP = Path(__file__).resolve().parent.parent
WORDS = {
    "whitelist": "faq.html",
    "dashboard": "faq.html",
    "team": "faq.html",
    "uninstall": "faq.html",
    "macOS": "faq.html",
    "bypass": "faq.html",
    "disable": "faq.html",
    "update": "faq.html",
}
"""What people type, and a page with a heading that has the word."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site, built with a repository's address."""
    made = tmp_path_factory.mktemp("site")
    argv = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(made)]
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(made),
        "NO_MKDOCS_2_WARNING": "1",
        "REPOSITORY_URL": "https://forge.example/o/interlock",
        "PYTHONPATH": f"{TOP}/src:{TOP}",
    }
    done = subprocess.run(
        argv, cwd=TOP, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return made


def found(site: Path) -> list[dict[str, str]]:
    """Return what the search knows."""
    told = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    return [dict(one) for one in told["docs"]]


@pytest.mark.parametrize(("word", "page"), WORDS.items())
def test_what_people_search_for_stands_in_a_heading(site: Path, word: str, page: str) -> None:
    """Headings count most in the search, so the answer comes first."""
    titles = [one["title"] for one in found(site) if one["location"].startswith(page)]
    assert any(re.search(rf"\b{word}\b", title, re.IGNORECASE) for title in titles)


def test_the_search_leads_to_no_decision_record(site: Path) -> None:
    """They are for who works on interlock, and are read from the navigation."""
    places = [one["location"] for one in found(site)]
    assert len(places) > 200
    assert not [place for place in places if place.startswith("decisions/")]
    assert list((site / "decisions").glob("*.html"))


def test_the_header_names_the_repository_and_the_release(site: Path) -> None:
    """As a link, without the theme's own request to the forge."""
    page = (site / "index.html").read_text(encoding="utf-8")
    assert 'href="https://forge.example/o/interlock"' in page
    assert f"Repository · {__version__}" in page
    assert 'data-md-component="source"' not in page


def test_a_wrong_address_leads_on(site: Path) -> None:
    """The page for it names where people want to go, and each is there."""
    page = (site / "404.html").read_text(encoding="utf-8")
    article = page[page.index("This page is not here") :]
    links = re.findall(r'href="/?([a-z]+\.html)"', article)
    assert {"index.html", "install.html", "faq.html", "cookbook.html", "cli.html"} <= set(links)
    assert all((site / link).exists() for link in links)


def test_models_find_every_page(site: Path) -> None:
    """``llms.txt`` names pages that are there, the one for agents among them."""
    text = (site / "llms.txt").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 40
    assert "for-agents.html" in links
    assert not [link for link in links if not (site / link).exists()]
    assert "A refusal is final" in (site / "for-agents.html").read_text(encoding="utf-8")


def test_rules_can_be_filtered(site: Path) -> None:
    """The page loads the field, which finds the headings it hides."""
    page = (site / "rules.html").read_text(encoding="utf-8")
    assert 'src="site.js"' in page
    assert len(re.findall(r'<h3 id="', page)) > 100
