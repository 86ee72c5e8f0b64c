"""The console: every page without a script, whatever a call wrote shown as text, and found again."""

from __future__ import annotations

import re
from contextlib import closing
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from interlock.cli import build
from interlock.model.call import ToolCall
from interlock.service.console.activity_chart import MINUTES, hour, minute_of
from interlock.service.console.templating import STATIC, static
from interlock.service.history.query_words import query
from interlock.service.store.views import DecisionQuery, MinuteCounts
from interlock.sidecar.ship import Shipper
from interlock.store.database import Store
from tests.serving import Served, filled, served, shipped_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WRITTEN = "echo '<img src=x onerror=alert(1)>' \"&\" \u202egpj.exe \x07 {{ 7*7 }}"
"""What a call may write to take over a page, a reader's eyes or a template."""


class Page(HTMLParser):
    """What of a page matters here: its links, forms, elements with a script in them, its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.inline: list[str] = []
        self.text = ""
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.tags.append(tag)
        for name, value in attrs:
            sends = name == "action" and ("method", "post") in attrs
            loads = sends or ("download", None) in attrs
            if name in ("href", "src", "action") and value is not None and not loads:
                self.links.append(value)
            if name.startswith("on") or name == "style" or (value or "").startswith("javascript:"):
                self.inline.append(f"{tag} {name}")
        if tag in ("script", "style") and "src" not in dict(attrs):
            self.inline.append(tag)

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.text += data


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service over its own store, to which another machine has sent its record."""
    folder = tmp_path_factory.mktemp("console")
    own = filled(folder / "own", 12)
    hostile(folder / "other")
    sent = filled(folder / "other", 4, 100)
    with served(folder / "service", own) as found:
        with closing(Shipper(sent, found.enrolled(sent, "ci-<b>44</b>"))) as shipper:
            shipped_all(shipper)
        yield found


def hostile(home: Path) -> None:
    """Judge a call that would like to be more than text."""
    guard = build.guard({"HOME": str(home)}, folder=str(home))
    guard.check(
        ToolCall("shell", "Bash", {"command": WRITTEN}, str(home), (str(home),), session="<s>&1")
    )


@pytest.fixture(scope="module")
def pages(service: Served) -> dict[str, Page]:
    """Return every page that can be reached by links from the first one."""
    person = service.signed_in()
    found: dict[str, Page] = {}
    waiting = ["/"]
    while waiting:
        path = waiting.pop()
        if path in found or not path.startswith("/") or path.startswith(("/static/", "/signout")):
            continue
        answer = service.ask("GET", path, person)
        if path.startswith("/prove"):  # who has no authenticator yet is led to where one is set up
            answer = service.ask("GET", answer.headers["location"], person)
        assert answer.status == 200, (path, answer.text)
        if answer.headers["content-type"].startswith("text/html"):
            found[path] = Page(answer.text)
            waiting += found[path].links
    return found


def test_every_page_is_a_link_and_none_has_a_script_in_it(pages: dict[str, Page]) -> None:
    """All of them are reached from the first one, without a script; nothing inline, nothing from
    elsewhere.
    """
    kinds = {re.split(r"[/?]", path[1:])[0] for path in pages}
    assert kinds == {
        "", "search", "inbox", "sessions", "insights", "decisions", "machines", "policy", "stops", "people", "programs", "account", "prove",
    }  # fmt: skip
    for path, page in pages.items():
        assert page.inline == [], path
        elsewhere = [link for link in page.links if "//" in link]
        assert all(link.startswith("otpauth://totp/") for link in elsewhere), path
        assert page.tags.count("h1") == 1, path


def test_what_a_call_wrote_is_text(pages: dict[str, Page]) -> None:
    """Not an element of the page, not another direction of reading, not a template's word."""
    shown = r"echo '<img src=x onerror=alert(1)>' \"&\" \u202egpj.exe \x07 {{ 7*7 }}".replace(
        r"\"", '"'
    )
    holding = [page for page in pages.values() if "gpj.exe" in page.text]
    assert len(holding) >= 3
    for page in holding:
        assert shown in page.text
        assert "ci-<b>44</b>" in page.text
    for path, page in pages.items():
        raw = [char for char in page.text if char in "\u202e\x07"]
        assert (raw, page.tags.count("img")) == ([], 1), path


def test_what_stands_on_pages_is_what_was_judged(pages: dict[str, Page]) -> None:
    """A refusal with its reason and its rule, a session in order, machines with their state."""
    refused = [
        page
        for path, page in pages.items()
        if path.startswith("/decisions") and "rm -rf /" in page.text
    ]
    assert refused
    assert "fs.delete-system" in refused[0].text
    assert "Instead:" in refused[0].text
    session = next(page for path, page in pages.items() if path.startswith("/sessions/here"))
    parts = re.findall(r"part-(\d+)", session.text)
    assert parts == sorted(set(parts), key=int)
    machines = pages["/machines"].text
    assert "this machine" in machines
    assert machines.count("unproven") == 2
    assert "intact" in machines


@pytest.mark.parametrize(
    ("text", "there", "absent"),
    [
        ("verdict:deny", "rm -rf /", "ls -la part-1"),
        ("verdict:allow", "ls -la part-1", "rm -rf /"),
        ("part-3", "part-3", "part-4"),
        ('"ls -la part-3"', "part-3", "part-4"),
        ("rule:fs.*", "rm -rf /", "part-3"),
        ("machine:this", "part-3", "part-101"),
        ("machine:ci-*", "part-101", "part-3"),
        ("session:s1 part", "part-1", "part-2"),
        ("since:1h part-3", "part-3", "part-4"),
        ("100%", "No call matches", "part-3"),
        ("agent:claude-code tool:Bash part-5", "part-5", "part-6"),
    ],
)
def test_search_finds_what_fits_and_nothing_else(
    service: Served, text: str, there: str, absent: str
) -> None:
    """By words, fields and times, over both records at once."""
    answer = service.ask("GET", f"/search?q={quote(text)}", service.signed_in())
    page = Page(answer.text)
    assert there in page.text
    assert not re.search(rf"{re.escape(absent)}\b", page.text)


def test_what_cannot_be_read_is_said(service: Served) -> None:
    """A verdict and a time that are none; as JSON it is a problem."""
    person = service.signed_in()
    for text, words in (("verdict:perhaps", "expected allow, warn"), ("since:soon", "is no time")):
        assert words in Page(service.ask("GET", f"/search?q={text}", person).text).text
        assert service.ask("GET", f"/v1/decisions?q={text}", person).status == 400
    found = service.ask("GET", "/v1/decisions?q=verdict:deny", person).json["decisions"]
    assert {one["verdict"] for one in found} == {"deny"}
    assert service.ask("GET", "/decisions/here/d-none", person).status == 404
    assert service.ask("GET", "/sessions/here?id=none", person).status == 404
    assert service.ask("GET", "/static/../app.py", person).status == 404


def test_older_ones_are_a_link(tmp_path: Path) -> None:
    """Each page goes on where the last one ended, until there is no more; nothing twice."""
    own = filled(tmp_path / "home", 120)
    names: list[str] = []
    with served(tmp_path / "service", own) as service:
        person, path = service.signed_in(), "/search?q=part"
        for _ in range(4):
            text = service.ask("GET", path, person).text
            names += re.findall(r'id="c-here-(d-[0-9a-f]+)"', text)
            more = re.search(r'rel="next" href="([^"]+)"', text)
            if more is None:
                break
            path = more[1].replace("&amp;", "&")
    assert len(names) == len(set(names)) == 108


def test_looking_at_another_machines_record_is_recorded(service: Served) -> None:
    """Who and what; one's own is one's own."""
    from interlock.service.store.sqlite import Database

    keeping = service.scene.keeping
    assert isinstance(keeping, Database)

    def views() -> int:
        sql = "SELECT count(*) FROM audit_event WHERE kind = 'view'"
        return int(keeping._writer.execute(sql).fetchone()[0])

    person = service.signed_in()
    found = service.ask("GET", "/v1/decisions?q=part", person).json["decisions"]
    own, other = [
        next(one for one in found if (one["source"] == "here") is here) for here in (True, False)
    ]
    before = views()
    for one, more in ((own, 0), (other, 1)):
        service.ask("GET", f"/decisions/{one['source']}/{one['name']}", person)
        assert views() == before + more


def test_files_of_the_console_are_small(service: Served) -> None:
    """The script has 10 kB at most, and all of it may be kept for ever under its name."""
    for name in STATIC:
        answer = service.ask("GET", f"/static/{name}")
        assert "immutable" in answer.headers["cache-control"]
        assert len(static(name)) < 30_000
    assert len(static("console.js")) < 10_000


def test_new_calls_come_as_they_are_judged(tmp_path: Path) -> None:
    """The stream begins behind what the page shows: each call once, and what became of it."""
    import http.client

    own = filled(tmp_path / "home", 3)
    with served(tmp_path / "service", own) as service:
        person = service.signed_in()
        after = re.search(r'data-stream="([^"]+)"', service.ask("GET", "/", person).text)
        assert after is not None
        connection = http.client.HTTPConnection(service.where, timeout=60)
        try:
            connection.request("GET", after[1], headers=person)
            answer = connection.getresponse()
            assert answer.headers["content-type"].startswith("text/event-stream")
            filled(tmp_path / "home", 1, 7)
            text = ""
            while "ran 19 ms" not in text:
                text += answer.readline().decode()
        finally:
            connection.close()
    assert "part-7" in text
    assert "part-2" not in text


def test_an_hour_counts_each_minute_once() -> None:
    """What is older is no part of it; a minute with one refusal among many shows that one."""
    now = 1_800_000_000.0
    minutes = {
        name: MinuteCounts(name, 400, 0, 1) for name in (minute_of(now), minute_of(now - 3540))
    }
    found = hour({**minutes, minute_of(now - 3600): MinuteCounts("", 9, 9, 9)}, now)
    assert (found.calls, found.asked, found.denied) == (800, 0, 2)
    assert [bar.x for bar in found.bars] == [0, MINUTES - 1]
    assert all(bar.denied >= 3 for bar in found.bars)


def test_what_people_type_is_read() -> None:
    """Fields, words in quotes, times; what looks like a field and is none is a word."""
    found = query(
        'rule:git.* "push  --force" http://x since:1h machine:ci', lambda: 1_800_000_000.0
    )
    wanted = DecisionQuery(
        words=("push  --force", "http://x"), rule="git.*", since="2027-01-15T07:00:00"
    )
    assert (found.wanted, found.machine, found.wrong) == (wanted, "ci", "")


def test_a_store_of_ones_own_that_is_sent_here_is_there_once(tmp_path: Path) -> None:
    """Whoever enrols the very machine that serves sees each call once."""
    own = filled(tmp_path / "home", 3)
    with served(tmp_path / "service", own) as service:
        with closing(Shipper(own, service.enrolled(own))) as shipper:
            shipped_all(shipper)
        found = service.ask("GET", "/v1/decisions", service.signed_in()).json["decisions"]
        assert len(found) == 3
    assert isinstance(own, Store)
