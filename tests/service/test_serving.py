"""How a service listens: by TLS beyond this machine, known by its certificate, and only where what
it needs is installed.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.cli import serve
from interlock.cli.main import main
from interlock.service.serving import ListenSettings, ServingError, check_listening
from interlock.sidecar.client import SidecarClient, UnreachableError
from interlock.sidecar.ship import Shipper
from interlock.wire.token import EnrolmentToken, TokenError, format_token, read
from tests.certificates import certificate
from tests.serving import filled, listening, served, shipped_all, until

if TYPE_CHECKING:
    from pathlib import Path


EVERYWHERE = "0.0.0.0"  # noqa: S104 - judged, never listened on


def test_a_pinned_certificate_is_the_only_one_that_counts(tmp_path: Path) -> None:
    """The token brings its digest along: the record is sent to that very service, and not a byte
    of it, nor the credential, to one that shows another certificate.
    """
    store = filled(tmp_path / "home", 3)
    with served(tmp_path / "service", **certificate(tmp_path)) as service:
        assert service.url.startswith("https://")
        where = service.enrolled(store)
        assert len(where.pin) == 64
        with closing(Shipper(store, where)) as shipper:
            shipped_all(shipper)
        with listening(store, where):
            until(lambda: service.scene.bell.list_machines() == {where.machine})
        assert service.scene.cookie.startswith("__Host-")
        for pin, words in (("ab" * 32, "its certificate is another one"), ("", "verify failed")):
            other = SidecarClient(where.url, pin, where.credential)
            with closing(other), pytest.raises(UnreachableError, match=words):
                other.tell("/v1/retire", {})
        assert service.scene.keeping.read(lambda known: known.machines())[0].retired == ""


@pytest.mark.parametrize(
    ("listening", "words"),
    [
        (ListenSettings(host=EVERYWHERE), "without TLS anybody on the way reads along"),
        (ListenSettings(host="192.0.2.7", url="https://team"), "without TLS"),
        (ListenSettings(certificate="a"), "name both"),
        (ListenSettings(url="http://team"), "expected the proxy's https:// address"),
        (ListenSettings(host=EVERYWHERE, certificate="a", key="b"), ""),
        (ListenSettings(url="https://team"), ""),
        (ListenSettings(), ""),
        (ListenSettings(host="::1"), ""),
    ],
)
def test_beyond_this_machine_it_speaks_tls_or_not_at_all(
    listening: ListenSettings, words: str
) -> None:
    """On this machine alone, and behind a proxy that has TLS, it needs none."""
    if not words:
        check_listening(listening)
        return
    with pytest.raises(ServingError, match=words):
        check_listening(listening)


def test_without_the_extra_one_sentence_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And with it there is nothing to say."""
    assert serve.lacking("serve") == ""
    monkeypatch.setattr(serve, "NEEDED", ("no_such_package", "sys"))
    assert main(["serve"]) == 2
    said = capsys.readouterr().err
    assert "no_such_package is not installed here; `pip install 'interlock[serve]'`" in said


@pytest.mark.parametrize(
    "token", [EnrolmentToken("http://127.0.0.1:1", "s"), EnrolmentToken("https://t", "s", "p")]
)
def test_a_token_is_one_word(token: EnrolmentToken) -> None:
    """It says what it was made of, with spaces around it too, and cut off it says nothing."""
    text = format_token(token)
    assert text == "".join(text.split())
    assert read(f"  {text}\n") == token
    for broken in (text[:-4], text[4:], "il1_", "il1_é", text + "x" * 5):
        with pytest.raises(TokenError, match="expected one word that begins with il1_"):
            read(broken)
