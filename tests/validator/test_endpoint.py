"""A real HTTP server on this machine, each provider's protocol, and everything that can go wrong on the way to an answer."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

import pytest

from interlock.model.policy import SPOKEN as NAMED
from interlock.model.policy import Reviewing
from interlock.validator.endpoint import MOST, EndpointError, ask
from interlock.validator.protocols import PROTOCOLS
from interlock.validator.question import Question
from tests.validator.endpoints import KEY, MODEL, SPOKEN, Endpoint

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = Question("You are the reviewer.", "Tool: Bash\nsome-program", whole=True)


@pytest.fixture
def key(tmp_path: Path) -> str:
    """Write a key that only its owner may read."""
    path = tmp_path / "key"
    path.write_text(KEY + "\n", encoding="utf-8")
    path.chmod(0o600)
    return str(path)


def test_a_policy_may_name_what_is_spoken() -> None:
    """The names of a policy file, the rows that speak them and the servers of these tests are the same."""
    assert set(NAMED) == set(PROTOCOLS) == set(SPOKEN)
    assert all(row.base.startswith("https://") for row in PROTOCOLS.values())


@pytest.mark.parametrize("protocol", NAMED)
def test_a_question_and_its_answer(protocol: str, key: str) -> None:
    """Each protocol carries the whole question, the key and the model's name, and gives back what the model says and not what it thinks."""
    with Endpoint(protocol, "ASK: why?") as endpoint:
        assert ask(Reviewing(protocol, MODEL, endpoint.url, key), QUESTION) == "ASK: why?"
        assert endpoint.asked == [f"{QUESTION.system}\n{QUESTION.text}"]


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
    with Endpoint(raw=(200, b'{"choices": [{"message": {"content": ' + content + b"}}]}")) as endpoint:
        assert ask(Reviewing("openai-chat", MODEL, endpoint.url, key), QUESTION) == ""


def test_nobody_there(key: str) -> None:
    """A closed port is an error that names the place."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(EndpointError, match=f"127.0.0.1:{port} could not be asked"):
        ask(Reviewing("openai-chat", MODEL, f"http://127.0.0.1:{port}/v1", key), QUESTION)


def test_an_endpoint_that_never_answers(key: str) -> None:
    """Who accepts and says nothing is given up on."""
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(EndpointError, match="could not be asked: timed out"):
        ask(Reviewing("openai-chat", MODEL, f"http://127.0.0.1:{silent.getsockname()[1]}/v1", key, 1), QUESTION)


def test_https_needs_a_certificate(key: str) -> None:
    """A server without TLS behind https:// is not spoken to in the clear."""
    with Endpoint() as endpoint, pytest.raises(EndpointError, match="could not be asked"):
        ask(Reviewing("openai-chat", MODEL, endpoint.url.replace("http://", "https://"), key), QUESTION)
    assert endpoint.asked == []


def test_the_environment_changes_nothing(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable sends the question, or the key, elsewhere."""
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "OPENAI_BASE_URL", "INTERLOCK_GUARD_LLM_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with Endpoint() as endpoint:
        assert ask(Reviewing("openai-chat", MODEL, endpoint.url, key), QUESTION) == "ALLOW"


@pytest.mark.parametrize(
    ("text", "mode"), [(KEY, 0o640), (KEY, 0o604), ("", 0o600), ("\n", 0o600), ("a\nb", 0o600), ("schlüssel", 0o600), ("k" * 5000, 0o600)]
)
def test_a_key_that_is_not_used(text: str, mode: int, tmp_path: Path) -> None:
    """A key that others may read, or that is none, is not sent; the message names the file."""
    path = tmp_path / "key"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    with Endpoint() as endpoint, pytest.raises(EndpointError, match=r"the key's file .*/key (is open to others|holds no key)"):
        ask(Reviewing("openai-chat", MODEL, endpoint.url, str(path)), QUESTION)
    assert endpoint.asked == []


def test_a_key_that_is_no_file(tmp_path: Path) -> None:
    """A pipe is not waited for, and a file that is not there is said to be so."""
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name, told in (("pipe", "expected a file"), ("none", "No such file")):
        with pytest.raises(EndpointError, match=told):
            ask(Reviewing("openai-chat", MODEL, "http://127.0.0.1:9/v1", str(tmp_path / name)), QUESTION)
