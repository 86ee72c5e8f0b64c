"""Clients that take their time, or what they are given: a connection is theirs for seconds."""

from __future__ import annotations

import socket
from contextlib import closing
from time import monotonic

import pytest

from interlock.service import patience
from tests.serving import Served, until

MANY = 600
"""Answers, more of them than the system keeps for somebody who does not read."""


def sent(service: Served, text: str) -> socket.socket:
    """Return a connection on which so much was said."""
    host, _, port = service.where.partition(":")
    found = socket.create_connection((host, int(port)), 30)
    found.sendall(text.replace("HOST", service.where).encode())
    return found


@pytest.mark.parametrize(
    "begun",
    [
        "", "GET / HT", "GET /v1/health HTTP/1.1\r\nHost: HOST\r\n\r\nGET / HTTP/1.1\r\nX: ",
        "POST /people HTTP/1.1\r\nHost: HOST\r\nContent-Length: 9999\r\n\r\n",
    ],
)  # fmt: skip
def test_who_does_not_come_to_the_point_is_hung_up_on(
    service: Served, monkeypatch: pytest.MonkeyPatch, begun: str
) -> None:
    """However slowly they go on: the deadline is for all of it, also for what nobody reads any
    more because it was refused.
    """
    for name in ("HEADER_SECONDS", "BODY_SECONDS", "LATE_SECONDS"):
        monkeypatch.setattr(patience, name, 0.3)
    with closing(sent(service, begun)) as slow:
        slow.settimeout(0.1)
        end = monotonic() + 20
        while monotonic() < end:
            try:
                slow.sendall(b"a")
                if not slow.recv(1 << 16):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        assert monotonic() < end
    assert service.ask("GET", "/v1/health").status == 200


def test_what_never_ends_is_answered_and_what_breaks_off_is_no_bug(
    service: Served, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever announces more than they send waits for a moment; a stream is no such thing."""
    monkeypatch.setattr(patience, "BODY_SECONDS", 0.3)
    half = "POST /signin HTTP/1.1\r\nHost: HOST\r\nContent-Length: 9\r\n\r\nname"
    with closing(sent(service, half)) as slow:
        assert slow.recv(1 << 16).startswith(b"HTTP/1.1 408")
    sent(service, half).close()
    huge = "POST /signin HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999999\r\n\r\n"
    with closing(sent(service, huge)) as large:
        assert large.recv(1 << 16).startswith(b"HTTP/1.1 413")
    assert service.ask("GET", "/v1/health").status == 200
    assert capsys.readouterr().err == ""


def taken(connection: socket.socket, most: int) -> int:
    """Return how many bytes come: so many, or all there are."""
    size = 0
    while size < most and (some := connection.recv(min(1 << 16, most - size))):
        size += len(some)
    return size


def test_who_takes_nothing_of_what_is_said_is_hung_up_on(
    service: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waits for a reader is in memory; who reads, however much that is, gets all of it."""
    lost: list[object] = []
    ended = patience.Patient.connection_lost

    def noted(self: patience.Patient, exc: Exception | None) -> None:
        ended(self, exc)
        lost.append(exc)

    monkeypatch.setattr(patience.Patient, "connection_lost", noted)
    monkeypatch.setattr(patience, "TAKE_SECONDS", 0.5)
    asked = "GET /static/console.css HTTP/1.1\r\nHost: HOST\r\n\r\n"
    whole = MANY * len(service.ask("GET", "/static/console.css").text.encode())
    with closing(sent(service, asked * MANY)) as reader:
        assert taken(reader, whole) == whole
    until(lambda: len(lost) == 2)
    with closing(sent(service, asked * MANY)) as slow:
        until(lambda: len(lost) == 3)
        assert taken(slow, whole) < whole
