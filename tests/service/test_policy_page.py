"""The page of the team's policy: a text is tried, published for a few, and signed by a second
person where it takes two; in a real browser the line that is wrong is marked.
"""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from securesystemslib.signer import CryptoSigner

from interlock.cli.trial_tools import trial_tools
from interlock.service.console.publishing import BEGIN, BEGIN_CASES
from interlock.service.policy import repository
from interlock.service.policy.policy_keys import open_online_signer, open_sealed
from interlock.service.policy.repository import Thresholds
from interlock.service.serving import ListenSettings, bind_socket, scene
from tests.browsing import Browser, browsing, needs_a_browser
from tests.policies import policy
from tests.serving import Answered, Served, answering

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.service.store.protocol import ServiceWriter
    from interlock.wire.rollout import Rollout

CASES = "cases:\n  - {call: ls, expect: allow}\n"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service where policies are tried, and whose keys are its own: it takes two."""
    folder = str(tmp_path_factory.mktemp("service"))
    listening = ListenSettings()
    sock = bind_socket(listening)
    made = scene(folder, listening, sock.getsockname()[1], None).replace(tools=trial_tools())

    def begin(keeping: ServiceWriter) -> None:
        owners = [open_sealed(folder, number) for number in (1, 2)]
        online, root = open_online_signer(folder), CryptoSigner.generate_ed25519()
        repository.begin(keeping, online, [root], owners, Thresholds(1, 2))

    made.keeping.write(begin)
    with answering([made], listening, sock) as [found]:
        yield found


def send(service: Served, who: dict[str, str], deed: str, **fields: str) -> Answered:
    """Send a form of the page."""
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    return service.ask("POST", f"/policy/{deed}", {**who, **kind}, urlencode(fields))


def waits(service: Served) -> str:
    """Return what the page's button signs."""
    found = service.scene.keeping.read(repository.read_proposal)
    return found.name if found is not None else ""


def live(service: Served) -> Rollout | None:
    """Return how far the newest policy goes."""
    return service.scene.keeping.read(repository.read_rollout)


def test_two_people_publish_what_was_tried(service: Served) -> None:
    """One tries and publishes, machines see nothing; the same one cannot sign again, another can.
    A browser ends lines otherwise than files do: it is the same text.
    """
    ada = service.person("ada", "policy-owner")
    ben = service.person("ben", "policy-owner")
    text = policy(1).decode().replace("\n", "\r\n")
    refused = send(service, ada, "publish", policy=text)
    assert (refused.status, "this very text was not tried" in refused.text) == (409, True)
    tried = send(service, ada, "try", policy=text, cases=CASES)
    assert (tried.status, "no answer changes" in tried.text) == (200, True)
    assert "Publish for 10 of 1000" in tried.text
    assert send(service, ada, "publish", policy=text).status == 303
    assert live(service) is None
    again = send(service, ada, "sign", waits=waits(service))
    assert (again.status, "it takes somebody else now" in again.text) == (409, True)
    page = service.ask("GET", "/policy", ben).text
    assert "Bundle 1 for 10 of 1000 machines waits for another signature" in page
    assert f'name="waits" value="{waits(service)}"' in page
    assert send(service, ben, "sign", waits=waits(service)).status == 303
    found = live(service)
    assert found is not None
    assert (found.bundle, found.permille) == (1, 10)
    page = service.ask("GET", "/policy", ada).text
    assert "bundle 1 is for 10 of 1000 machines" in page
    shown = page.partition('name="policy"')[2].partition(">\n")[2].partition("</textarea>")[0]
    assert unescape(shown) == policy(1).decode()
    assert send(service, ada, "widen").status == 303
    assert send(service, ben, "sign", waits=waits(service)).status == 303
    page = send(service, ada, "try", policy=policy(2).decode(), cases=CASES).text
    assert "Publish for 100 of 1000" in page
    assert send(service, ada, "publish", policy=policy(2).decode()).status == 303
    assert send(service, ada, "back", bundle="7").status == 409
    assert send(service, ada, "back", bundle="1").status == 303
    assert send(service, ben, "sign", waits=waits(service)).status == 303
    back = live(service)
    assert back is not None
    assert (back.bundle, back.whole) == (2, True)


def test_nobody_signs_what_they_were_not_shown(service: Served) -> None:
    """What came meanwhile is looked at first; what was shown is signed."""
    zoe, ben = service.person("zoe", "policy-owner"), service.person("bea", "policy-owner")
    shown = []
    for number in (5, 6):
        text = policy(number).decode()
        assert send(service, zoe, "try", policy=text, cases=CASES).status == 200
        assert send(service, zoe, "publish", policy=text).status == 303
        shown.append(waits(service))
    assert shown[0] != shown[1]
    for seen in ("", shown[0]):
        refused = send(service, ben, "sign", waits=seen)
        assert (refused.status, "something else waits by now" in refused.text) == (409, True)
    assert send(service, ben, "sign", waits=shown[1]).status == 303
    assert waits(service) == ""


def test_what_is_wrong_is_named_with_its_line(service: Served) -> None:
    """And cannot be published from there."""
    ada = service.person("ada", "policy-owner")
    page = send(service, ada, "try", policy="version: 1\nrulez: []\n", cases=CASES).text
    assert "policy.yaml, line 2" in page
    assert "Publish for" not in page
    page = send(service, ada, "try", policy=BEGIN, cases=BEGIN_CASES).text
    assert "Publish for" in page, "what an empty editor begins with can be tried"
    page = send(
        service, ada, "try", policy=policy(2).decode(), cases=CASES.replace("ls", "tool2")
    ).text
    assert "expected allow, got deny" in page
    assert "Publish for" not in page


def test_who_may_look_may_not_publish(service: Served) -> None:
    """A reader sees the text; only an owner of the policy tries one, and only in person publishes."""
    rita, ada = (
        service.person("rita", "reader"),
        service.person("olga", "policy-owner", proved=3600),
    )
    page = service.ask("GET", "/policy", rita).text
    assert ("readonly" in page, "Try it" in page) == (True, False)
    assert send(service, rita, "try", policy="version: 1\n").status == 403
    assert send(service, ada, "try", policy=policy(3).decode(), cases=CASES).status == 200
    for deed in ("publish", "widen", "sign", "back"):
        assert send(service, ada, deed, policy=policy(3).decode()).status == 403


@pytest.mark.e2e
@needs_a_browser
def test_the_line_that_is_wrong_is_marked_in_a_browser(service: Served) -> None:
    """A text is typed and tried, the named line is marked; mended and tried it can be published."""
    with browsing() as browser:
        name, _, value = service.person("eve", "policy-owner")["Cookie"].partition("=")
        browser.do("Network.setCookie", name=name, value=value, url=service.url)
        browser.go(f"{service.url}/policy")
        fill(browser, "version: 1\nrulez: []\n")
        browser.wait("document.querySelector('#trial a[data-line]')")
        browser.js("document.querySelector('#trial a[data-line]').click()")
        marked = "(t => t.value.slice(t.selectionStart, t.selectionEnd))(document.getElementById('policy'))"
        assert browser.js(marked) == "rulez: []"
        fill(browser, policy(4).decode())
        browser.wait("document.querySelector('[formaction]')")
        browser.js("document.querySelector('[formaction]').click()")
        browser.wait("document.body.innerText.includes('Signed by eve')")
        assert browser.complaints == []
        browser.go("about:blank")


def fill(browser: Browser, text: str) -> None:
    """Write a policy into the editor, and try it."""
    browser.js("window.before = true")
    browser.js(f"document.getElementById('policy').value = {text!r}")
    browser.js("document.querySelector('.editor button').click()")
    browser.wait("!window.before && document.querySelector('#trial')")
