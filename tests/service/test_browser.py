"""The console in a real browser: live, at three widths, in light and dark, by keyboard alone, and
without a script.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyotp
import pytest

from interlock.service.people.admit import invite
from interlock.service.people.password_signin import TOTP
from interlock.service.people.signin import link
from tests.approvals.test_roles import desk
from tests.browsing import Browser, browsing, needs_a_browser
from tests.service.test_inbox import sent
from tests.serving import Served, filled, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.e2e, needs_a_browser]


WORDS = "quiet rivers carry stones"
PEOPLES = ("/people", "/people/owner", "/programs", "/account", "/account/authenticator")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser."""
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home with a record."""
    found = tmp_path_factory.mktemp("home")
    filled(found, 30)
    return found


@pytest.fixture
def service(tmp_path: Path, home: Path, browser: Browser) -> Iterator[Served]:
    """Return a service in which the browser has signed in."""
    with served(tmp_path / "service", filled(home, 0)) as found:
        browser.complaints.clear()
        browser.do("Emulation.setScriptExecutionDisabled", value=False)
        browser.sized(1440)
        browser.go(f"{found.url}/signin/{found.scene.keeping.write(link)}")
        yield found
        browser.go("about:blank")


def addresses(browser: Browser, service: Served) -> list[str]:
    """Return one page of each kind."""
    browser.go(f"{service.url}/sessions")
    session = browser.js("document.querySelector('.cards a').href")
    browser.go(f"{service.url}/search?q=verdict:deny")
    decision = browser.js("document.querySelector('.feed a').href")
    plain = [
        f"{service.url}{path}"
        for path in (
            "/",
            "/search",
            "/sessions",
            "/insights",
            "/machines",
            "/exports",
            "/signin",
            "/inbox",
            "/stops",
            *PEOPLES,
        )
    ]
    return [*plain, session, decision]


def test_every_page_fits_every_screen(browser: Browser, service: Served) -> None:
    """From a phone to a desk, light and dark: nothing is cut off at the side, nothing is forbidden
    by the page's own policy, and text stands out from its ground.
    """
    for address in addresses(browser, service):
        browser.go(address)
        for width in (360, 768, 1440):
            for dark in (False, True):
                browser.sized(width, dark=dark)
                assert browser.js("document.documentElement.scrollWidth") <= width, (address, width)
                ground, ink = browser.js(
                    "[getComputedStyle(document.body).backgroundColor,"
                    " getComputedStyle(document.body).color]"
                )
                assert (brightness(ground) < brightness(ink)) == dark
    assert browser.complaints == []


def brightness(colour: str) -> float:
    """Return how bright ``rgb(1, 2, 3)`` is."""
    return sum(float(part) for part in colour.strip("rgb()").split(","))


def test_new_calls_come_in_on_top_and_wait_while_one_reads(
    browser: Browser, service: Served, home: Path
) -> None:
    """Each once, with what became of it; a pause keeps them back and counts them."""
    browser.go(service.url)
    browser.wait("document.getElementById('state').textContent === 'as it happens'")
    first = "document.querySelector('.feed li').textContent"
    filled(home, 1, 501)
    browser.wait(f"{first}.includes('part-501') && {first}.includes('ran')")
    assert (
        browser.js(
            "[...document.querySelectorAll('.feed li')].filter(one => one.textContent.includes('part-501')).length"
        )
        == 1
    )
    browser.js("document.getElementById('pause').click()")
    filled(home, 1, 502)
    browser.wait("/paused, \\d+ new/.test(document.getElementById('state').textContent)")
    assert "part-501" in browser.js(first)
    browser.js("document.getElementById('pause').click()")
    browser.wait(f"{first}.includes('part-502')")
    assert browser.complaints == []


def test_a_keyboard_is_enough(browser: Browser, service: Served) -> None:
    """To find, to walk, to open; where one is can be seen."""
    browser.go(service.url)
    browser.press("/")
    assert browser.js("document.activeElement.name") == "q"
    for key in "rule:fs.*":
        browser.press(key)
    browser.press("Enter")
    browser.wait("location.pathname === '/search' && document.querySelector('.feed li')")
    browser.press("j")
    assert browser.js("document.activeElement === document.querySelector('.feed a')")
    assert browser.js("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    browser.press("j")
    browser.press("k")
    browser.press("Enter")
    browser.wait("location.pathname.startsWith('/decisions/')")
    assert "rm -rf /" in browser.js("document.querySelector('pre').textContent")


def test_without_a_script_every_page_says_the_same(browser: Browser, service: Served) -> None:
    """Times are UTC and say so; what makes pages live is not there."""
    found = addresses(browser, service)
    browser.do("Emulation.setScriptExecutionDisabled", value=True)
    for address in found:
        browser.go(address)
        text = browser.js("document.querySelector('main').innerText")
        times = browser.js("[...document.querySelectorAll('time')].map(one => one.textContent)")
        assert text
        assert all(one.endswith("UTC") for one in times)
        assert not browser.js("[...document.querySelectorAll('#pause')].some(one => !one.hidden)")
    browser.go(found[0])
    assert "loaded anew every 10 seconds" in browser.js(
        "document.getElementById('state').innerText"
    )
    browser.do("Emulation.setScriptExecutionDisabled", value=False)


def test_signing_out_is_one_press(browser: Browser, service: Served) -> None:
    """And leads to the page that says how to come back."""
    browser.go(f"{service.url}/account")
    browser.js("document.querySelector('.bar button').click()")
    browser.wait("location.pathname === '/signin'")
    browser.go(f"{service.url}/machines")
    assert browser.js("location.pathname") == "/signin"


def entered(browser: Browser, service: Served, *roles: str) -> None:
    """Have somebody with these roles, and a second factor, sit at the browser."""
    name, _, value = service.person("ada", *roles)["Cookie"].partition("=")
    browser.do("Network.setCookie", name=name, value=value, url=service.url)


def test_a_thumb_or_a_key_answers_a_request(
    browser: Browser, service: Served, tmp_path: Path
) -> None:
    """On a phone: it fits, its buttons are large enough for a thumb, time runs down by itself, and
    Enter on Approve is a yes.
    """
    here = desk(tmp_path, approver="lead")
    where = service.enrolled(here.store, "runner")
    name = here.requested("rm -rf ~/photos")
    sent(service, where, here)
    entered(browser, service, "approver:lead")
    browser.sized(360)
    browser.go(f"{service.url}/inbox")
    browser.press("j")
    browser.press("Enter")
    browser.wait(f"location.pathname.endsWith('/{name}')")
    buttons = browser.js(
        "[...document.querySelectorAll('.buttons button')].map(one => one.getBoundingClientRect().height)"
    )
    assert min(buttons) >= 44
    assert browser.js("document.documentElement.scrollWidth") <= 360
    begun = browser.js("document.querySelector('[data-left]').textContent")
    browser.wait(f"document.querySelector('[data-left]').textContent !== {begun!r}")
    reach(browser, "document.activeElement.value === 'approve'")
    browser.press("Enter")
    browser.wait("document.querySelector('.outcome')")
    assert "Approved by ada" in browser.js("document.querySelector('.outcome').textContent")
    assert browser.complaints == []


def test_a_stop_is_typed_and_its_page_fills_by_itself(
    browser: Browser, service: Served, tmp_path: Path
) -> None:
    """What is filled in is what is chosen; who confirms shows without a reload."""
    where = service.enrolled(filled(tmp_path / "home", 1), "runner")
    entered(browser, service, "operator")
    browser.go(f"{service.url}/stops")
    reach(browser, "document.activeElement.name === 'fleet'")
    for key in "STOP ALL":
        browser.press(key)
    assert browser.js("document.getElementById('w-fleet').checked")
    browser.press("Enter")
    browser.wait("document.querySelector('#again')")
    assert "confirmed by 0 of 1 machine" in browser.js("document.body.textContent")
    browser.js("window.same = true")
    epoch = browser.js("location.pathname.split('/').pop()")
    headers = {"Authorization": f"Bearer {where.credential}"}
    done = service.ask("POST", f"/v1/stops/{epoch}", headers, '{"done":true,"ended":3}')
    assert done.status == 200
    browser.wait(
        "document.body.textContent.includes('confirmed by 1 of 1 machine; 3 processes ended')"
    )
    assert browser.js("window.same")
    assert browser.complaints == []


def test_somebody_comes_in_by_keyboard_alone(browser: Browser, service: Served) -> None:
    """Invited, with a password and an authenticator; out again, and in by name, password and code.
    The square that a phone reads is black on white, in the dark as well.
    """
    keeping = service.scene.keeping
    secret = keeping.write(lambda steps: invite(steps, "ada", [("reader", "")], "owner"))
    browser.sized(360, dark=True)
    browser.go(f"{service.url}/welcome/{secret}")
    typed(browser, "password", WORDS)
    browser.wait("location.pathname === '/account/authenticator' && document.querySelector('.qr')")
    assert browser.js("document.querySelector('.qr').getBoundingClientRect().width") >= 180
    ground = browser.js("getComputedStyle(document.querySelector('.qr')).backgroundColor")
    assert brightness(ground) == 3 * 255
    totp = pyotp.TOTP(browser.js("document.querySelector('.secret').textContent").replace(" ", ""))
    typed(browser, "code", totp.now())
    browser.wait("location.pathname === '/account' && document.querySelector('.done')")
    reach(browser, "document.activeElement.textContent === 'Sign out'")
    browser.press("Enter")
    browser.wait("location.pathname === '/signin' && document.getElementById('name')")
    used = keeping.read(lambda known: known.credential("ada", TOTP))
    assert used is not None
    keeping.write(lambda steps: steps.put_credential(used.replace(last=0)))  # the next half minute
    typed(browser, "name", "ada", enter=False)
    typed(browser, "password", WORDS, enter=False)
    typed(browser, "code", totp.now())
    browser.wait("location.pathname === '/' && document.querySelector('.me')")
    assert browser.js("document.querySelector('.me').textContent.trim()") == "ada"
    assert browser.js("document.querySelectorAll('.top nav a[href=\"/people\"]').length") == 0
    assert browser.complaints == []


def reach(browser: Browser, there: str) -> None:
    """Go on from one thing to the next until this holds."""
    for _ in range(40):
        if browser.js(there):
            return
        for kind in ("rawKeyDown", "keyUp"):
            browser.do("Input.dispatchKeyEvent", type=kind, key="Tab", windowsVirtualKeyCode=9)
    raise AssertionError(there)


def typed(browser: Browser, name: str, text: str, *, enter: bool = True) -> None:
    """Type into a field."""
    reach(browser, f"document.activeElement.id === '{name}'")
    browser.do("Input.insertText", text=text)
    if enter:
        browser.press("Enter")
