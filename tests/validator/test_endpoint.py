"""A real HTTP server on this machine, each provider's protocol, and everything that can go wrong on
the way to an answer.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest

from interlock.model.policy import SPOKEN as NAMED
from interlock.model.policy import Reviewing
from interlock.model.usage import Usage
from interlock.validator.endpoint import MOST, EndpointError, ModelReply, ask
from interlock.validator.protocols import PROTOCOLS
from interlock.validator.question import ReviewQuestion
from tests.validator.endpoints import CACHED, KEY, MODEL, READ, SPOKEN, WRITTEN, Endpoint, Heard

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = ReviewQuestion("You are the reviewer.", "Tool: Bash\nsome-program", whole=True)


@pytest.fixture
def key(tmp_path: Path) -> str:
    """Write a key that only its owner may read."""
    path = tmp_path / "key"
    path.write_text(KEY + "\n", encoding="utf-8")
    path.chmod(0o600)
    return str(path)


def test_a_policy_may_name_what_is_spoken() -> None:
    """The names of a policy file, the rows that speak them and the servers of these tests are the
    same.
    """
    assert set(NAMED) == set(PROTOCOLS) == set(SPOKEN)
    assert all(row.base.startswith("https://") for row in PROTOCOLS.values())


@pytest.mark.parametrize("protocol", NAMED)
def test_a_question_and_its_answer(protocol: str, key: str) -> None:
    """Each protocol carries the whole question, the key and the model's name, and gives back what
    the model says and not what it thinks.
    """
    with Endpoint(protocol, "ASK: why?") as endpoint:
        said = ask(Reviewing(protocol, MODEL, endpoint.url, key), QUESTION)
        assert endpoint.asked == [f"{QUESTION.system}\n{QUESTION.text}"]
    assert said == ModelReply("ASK: why?", Usage(MODEL, READ - CACHED, WRITTEN, CACHED))


@pytest.mark.parametrize("protocol", NAMED)
def test_a_conversation(protocol: str) -> None:
    """What the model said before, and what it was told, go with the question, by turns; a key that
    is at hand needs no file.
    """
    turns = (("SKILL: bash", "it expands"), ("PATH: src", "a folder"))
    with Endpoint(protocol, lambda heard: f"DENY: {len(heard.said)} said") as endpoint:
        assert (
            ask(Reviewing(protocol, MODEL, endpoint.url), QUESTION.replace(turns=turns), KEY).text
            == "DENY: 5 said"
        )
    assert endpoint.heard == [
        Heard(
            QUESTION.system, [QUESTION.text, "SKILL: bash", "it expands", "PATH: src", "a folder"]
        )
    ]


@pytest.mark.parametrize(
    "used",
    [
        b"null",
        b'{"prompt_tokens": -1}',
        b'{"prompt_tokens": "7", "completion_tokens": 1}',
        b"[]",
        b'{"prompt_tokens": 1}',
    ],
)
def test_tokens_that_are_not_told_are_guessed(used: bytes, key: str) -> None:
    """An endpoint that counts nothing, or nonsense, is no free one."""
    with Endpoint(
        raw=(200, b'{"choices": [{"message": {"content": "ALLOW"}}], "usage": ' + used + b"}")
    ) as endpoint:
        said = ask(Reviewing("openai-chat", MODEL, endpoint.url, key), QUESTION)
    assert not said.counted
    assert said.usage.input >= len(QUESTION.text) // 4


@pytest.mark.parametrize("protocol", NAMED)
def test_a_wrong_key_is_no_answer(protocol: str, tmp_path: Path) -> None:
    """What the provider refuses is an error that names the status."""
    wrong = tmp_path / "key"
    wrong.write_text("another", encoding="utf-8")
    wrong.chmod(0o600)
    with Endpoint(protocol) as endpoint, pytest.raises(EndpointError, match="status 400"):
        ask(Reviewing(protocol, MODEL, endpoint.url, str(wrong)), QUESTION)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ((500, b"ALLOW"), "status 500"),
        ((301, b""), "status 301"),
        ((204, b""), "status 204"),
        ((200, b"ALLOW"), "not in the form"),
        ((200, b""), "not in the form"),
        ((200, b"[]"), "not in the form"),
        ((200, b"null"), "not in the form"),
        ((200, b'{"choices": []}'), "not in the form"),
        ((200, b'{"choices": [{"message": null}]}'), "not in the form"),
        ((200, b"\xff\xfe{"), "not in the form"),
        ((200, b"[" * 100_000), "not in the form"),
        ((200, b" " * (MOST + 1)), "longer than"),
    ],
)
def test_replies_that_are_none(raw: tuple[int, bytes], told: str, key: str) -> None:
    """A status, a form or a length that is not the protocol's is an error in one line."""
    with Endpoint(raw=raw) as endpoint, pytest.raises(EndpointError, match=told) as caught:
        ask(Reviewing("openai-chat", MODEL, endpoint.url, key), QUESTION)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"null", b"7", b'["ALLOW"]', b'{"text": "ALLOW"}'])
def test_an_answer_that_is_no_text_says_nothing(content: bytes, key: str) -> None:
    """Where a text belongs, anything else is not read as one."""
    with Endpoint(
        raw=(200, b'{"choices": [{"message": {"content": ' + content + b"}}]}")
    ) as endpoint:
        assert ask(Reviewing("openai-chat", MODEL, endpoint.url, key), QUESTION).text == ""


def test_nobody_there(key: str) -> None:
    """A closed port is an error that names the place."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(EndpointError, match=f"127.0.0.1:{port} could not be asked"):
        ask(Reviewing("openai-chat", MODEL, f"http://127.0.0.1:{port}/v1", key), QUESTION)


def test_an_endpoint_that_never_answers(key: str) -> None:
    """Who accepts and says nothing is given up on."""
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        pytest.raises(
            EndpointError, match=r"could not be asked: (timed out|no whole answer within 1 seconds)"
        ),
    ):
        ask(
            Reviewing(
                "openai-chat", MODEL, f"http://127.0.0.1:{silent.getsockname()[1]}/v1", key, 1
            ),
            QUESTION,
        )


def _drips(listening: socket.socket) -> None:
    """Answer one caller a byte at a time, each well within a time-out between bytes, until it
    goes.
    """
    connection, _ = listening.accept()
    with connection, contextlib.suppress(OSError):
        connection.recv(65536)
        for char in b"HTTP/1.1 200 OK\r\n" + b"X-More: yes\r\n" * 1000:
            connection.send(bytes([char]))
            time.sleep(0.2)


def test_an_answer_that_never_ends(key: str) -> None:
    """Who goes on answering a byte at a time is given up on when the time is over, and the
    connection is cut.
    """
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=_drips, args=(listening,), daemon=True)
        server.start()
        with pytest.raises(EndpointError, match="no whole answer within 1 seconds"):
            ask(
                Reviewing(
                    "openai-chat",
                    MODEL,
                    f"http://127.0.0.1:{listening.getsockname()[1]}/v1",
                    key,
                    1,
                ),
                QUESTION,
            )
        server.join(30)
        assert not server.is_alive()


def test_https_needs_a_certificate(key: str) -> None:
    """A server without TLS behind https:// is not spoken to in the clear."""
    with Endpoint() as endpoint, pytest.raises(EndpointError, match="could not be asked"):
        ask(
            Reviewing("openai-chat", MODEL, endpoint.url.replace("http://", "https://"), key),
            QUESTION,
        )
    assert endpoint.asked == []


def test_the_environment_changes_nothing(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable sends the question, or the key, elsewhere."""
    for name in (
        "http_proxy",
        "HTTP_PROXY",
        "ALL_PROXY",
        "OPENAI_BASE_URL",
        "INTERLOCK_GUARD_LLM_BASE_URL",
    ):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Endpoint() as endpoint:
        assert ask(Reviewing("openai-chat", MODEL, endpoint.url, key), QUESTION).text == "ALLOW"


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        (KEY, 0o640),
        (KEY, 0o604),
        ("", 0o600),
        ("\n", 0o600),
        ("a\nb", 0o600),
        ("schlüssel", 0o600),
        ("k" * 5000, 0o600),
    ],
)
def test_a_key_that_is_not_used(text: str, mode: int, tmp_path: Path) -> None:
    """A key that others may read, or that is none, is not sent; the message names the file."""
    path = tmp_path / "key"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    with (
        Endpoint() as endpoint,
        pytest.raises(
            EndpointError, match=r"the key's file .*/key (is open to others|holds no key)"
        ),
    ):
        ask(Reviewing("openai-chat", MODEL, endpoint.url, str(path)), QUESTION)
    assert endpoint.asked == []


def test_a_key_that_is_no_file(tmp_path: Path) -> None:
    """A pipe is not waited for, and a file that is not there is said to be so."""
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name, told in (("pipe", "expected a file"), ("none", "No such file")):
        with pytest.raises(EndpointError, match=told):
            ask(
                Reviewing("openai-chat", MODEL, "http://127.0.0.1:9/v1", str(tmp_path / name)),
                QUESTION,
            )
