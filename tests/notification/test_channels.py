"""People are told by every way there is; what fails is one sentence that repeats no address."""

from __future__ import annotations

import json
import os
import pty
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from interlock.cli import alarm, build
from interlock.cli.main import main
from interlock.model.call import SHELL, ToolCall
from interlock.notification import NotificationError, channels
from interlock.notification.channels import kinds, tell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Listener:
    """A web server on this machine that keeps what it was sent."""

    def __init__(self) -> None:
        self.got: list[dict[str, str]] = []
        self.status, self.location = 200, ""
        self.held = threading.Lock()
        outer = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with outer.held:
                    outer.got.append(json.loads(body))
                self.send_response(outer.status)
                if outer.location:
                    self.send_header("Location", outer.location)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Answer)
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        self.port = self.server.server_port

    def close(self) -> None:
        """Stop serving."""
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@pytest.fixture(name="listener")
def listening() -> Iterator[Listener]:
    """A server for one test."""
    listener = Listener()
    yield listener
    listener.close()


def test_a_web_hook_gets_title_and_text(listener: Listener) -> None:
    """As JSON, without what a terminal would take for commands."""
    tell(
        f"http://127.0.0.1:{listener.port}/hook?token=secret", "stopped\x1b[2J", "because\nof this"
    )
    assert listener.got == [{"title": "stopped [2J", "text": "because of this"}]


@pytest.mark.parametrize(
    ("status", "location"), [(500, ""), (404, ""), (302, "http://127.0.0.1:1/elsewhere")]
)
def test_a_web_hook_that_refuses_is_one_sentence(
    listener: Listener, status: int, location: str
) -> None:
    """No redirection is followed, and the address, which may hold a secret, is not repeated."""
    listener.status, listener.location = status, location
    with pytest.raises(NotificationError) as caught:
        tell(f"http://127.0.0.1:{listener.port}/hook?token=secret", "a", "b")
    assert "secret" not in str(caught.value)
    assert len(listener.got) == 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of that library's own
def test_apprise_sends_what_it_knows(listener: Listener) -> None:
    """Any address of that library; here its own JSON to this machine."""
    tell(f"json://127.0.0.1:{listener.port}/path", "stopped", "because")
    assert (listener.got[0]["title"], listener.got[0]["message"]) == ("stopped", "because")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of that library's own
@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("nonsense://secret", "nonsense: "),
        ("https://127.0.0.1:1/secret", "https: Connection refused"),
        ("https://secret.invalid/", "https: "),
    ],
)
def test_an_address_that_leads_nowhere_is_one_sentence(address: str, why: str) -> None:
    """Nobody is told, the reason is said, and nothing of the address is repeated."""
    with pytest.raises(NotificationError) as caught:
        tell(address, "a", "b")
    assert "secret" not in str(caught.value)
    assert str(caught.value).startswith(why)


def test_a_terminal_gets_a_line() -> None:
    """A terminal of this user's; one that is gone is left, and so is what is none."""
    keyboard, screen = pty.openpty()
    try:
        path = os.ttyname(screen)
        assert channels._write(path, "told\r\n")
        assert b"told" in os.read(keyboard, 100)
    finally:
        os.close(keyboard)
        os.close(screen)
    assert not channels._write(path, "x")
    assert not channels._write("/dev/pts/99999", "x")


def test_the_desktop_is_told_by_its_own_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``notify-send`` gets title and text as words of their own, whatever is in them; without it
    that is said.
    """
    program = tmp_path / "notify-send"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$0.said"\n', encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    tell("desktop", "--help", "$(id) `id`")
    assert (tmp_path / "notify-send.said").read_text(encoding="ascii").splitlines()[-3:] == [
        "--",
        "--help",
        "$(id) `id`",
    ]
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(NotificationError, match="there is no notify-send"):
        tell("desktop", "a", "b")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("rm -rf src", '"rm -rf src"'),
        ('" & (do shell script "id") & "', '"\\" & (do shell script \\"id\\") & \\""'),
        ("a\\", '"a\\\\"'),
        ("\u00e9\u4e2d $(id) `id` 'x'", "\"\u00e9\u4e2d $(id) `id` 'x'\""),
    ],
)
def test_the_desktop_of_macos_is_told_by_one_line_of_applescript(text: str, written: str) -> None:
    """As text only, for there is no such machine here: whatever is in the words, they stay
    words.
    """
    argv = channels.desktop("interlock", text, mac=True)
    assert argv == [
        "/usr/bin/osascript",
        "-e",
        f'display notification {written} with title "interlock"',
    ]


def test_what_ways_are_called() -> None:
    """For the record, without what may be secret."""
    assert kinds(["terminal", "https://x.test/secret", "slack://token"]) == [
        "terminal",
        "https",
        "slack",
    ]


def test_the_command_tells_by_the_ways_of_the_policy(
    listener: Listener,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Free of secrets, and recorded; where the policy names nobody, that is said."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["notify"]) == 2
    folder = tmp_path / ".config/interlock"
    folder.mkdir(parents=True)
    (folder / "policy.yaml").write_text(
        f"version: 1\nnotify: http://127.0.0.1:{listener.port}/hook\n", encoding="ascii"
    )
    assert main(["notify", "--title", "t", "--text", "key AKIAIOSFODNN7EXAMPLE leaked"]) == 0, (
        capsys.readouterr().err
    )
    assert "AKIAIOSFODNN7EXAMPLE" not in str(listener.got)
    assert listener.got[0]["title"] == "t"


def test_no_call_waits_for_people_to_be_told(listener: Listener, tmp_path: Path) -> None:
    """While the web hook does not answer, the call is answered; what is told comes once it does,
    free of secrets.
    """
    folder = tmp_path / "home/.config/interlock"
    folder.mkdir(parents=True)
    (folder / "policy.yaml").write_text(
        f"version: 1\nnotify: http://127.0.0.1:{listener.port}/hook\nobligations: [{{rule: git.push, do: notify}}]\n",
        encoding="ascii",
    )
    guard = build.guard({"HOME": str(tmp_path / "home"), "PATH": os.defpath}, "native")
    with listener.held:
        decision = guard.check(
            ToolCall(
                SHELL,
                "Bash",
                {"command": "git push https://x.test/AKIAIOSFODNN7EXAMPLE"},
                "/",
                session="s",
            )
        )
        assert "notify" in [duty.name for duty in decision.obligations]
        assert listener.got == []
    while alarm._started:
        alarm._started.pop().wait()
    assert [decision.id in one["title"] for one in listener.got] == [True]
    assert "AKIAIOSFODNN7EXAMPLE" not in str(listener.got)


def test_a_project_names_nobody_to_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is told would go wherever a cloned repository wants it."""
    monkeypatch.chdir(tmp_path)
    project = tmp_path / "home" / "project"
    (project / ".interlock").mkdir(parents=True)
    (project / ".interlock/policy.yaml").write_text(
        "version: 1\nnotify: https://x.test/hook\nintent: ask\n", encoding="ascii"
    )
    assert build.policy({"HOME": str(tmp_path / "home")}, str(project)).notify == ()
