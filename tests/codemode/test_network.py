"""The network of guarded programs: none, or single hosts to which the broker connects and hands over the connection."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.permits import Permits
from interlock.codemode.proxy import connected, is_public
from tests.codemode.scenes import HELD, NONE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.codemode.scenes import Ground


@pytest.fixture
def port() -> Iterator[int]:
    """Serve a page on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                with line:
                    line.recv(4096)
                    line.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello")

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def fetch(host: str, port: int) -> str:
    """Write a program that fetches a page."""
    return f"import urllib.request\nprint(urllib.request.urlopen('http://{host}:{port}/', timeout=20).read())\n"


@pytest.mark.parametrize("tier", [*HELD, NONE])
def test_an_allowed_host_is_reached_and_no_other(ground: Ground, port: int, tier: str) -> None:
    """An address that was allowed is reached with the standard library as it is; without the permit nothing is."""
    result = ground.run(fetch("127.0.0.1", port), tier, Permits(allow_hosts=("127.0.0.1",)))
    assert result.stdout == "b'hello'\n", result
    refused = ground.run(fetch("127.0.0.1", port), tier, Permits(allow_hosts=("example.com",)))
    assert refused.status == "failed"
    assert {one.rule for one in refused.refused} <= {"code.reach-host", "code.reach-private", "workspace-write.reach-out"}
    assert refused.refused


def test_datagrams_do_not_leave(ground: Ground) -> None:
    """With single hosts allowed there is TCP and nothing else."""
    source = "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    result = ground.run(source, NONE, Permits(allow_hosts=("example.com",)))
    assert [one.rule for one in result.refused] == ["code.reach-host"]


def test_a_name_that_leads_home_is_refused(port: int) -> None:
    """A host that is allowed by name and leads to this machine is refused; the address itself, if that was allowed, is reached."""
    with pytest.raises(OSError, match="address of this machine or its network"):
        connected("localhost", port, ("example.com",))
    connected("localhost", port, ("localhost",)).close()


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("127.0.0.1", False), ("10.1.2.3", False), ("172.16.0.1", False), ("192.168.1.1", False), ("169.254.169.254", False), ("100.64.0.1", False),
        ("224.0.0.1", False), ("::1", False), ("fe80::1%eth0", False), ("fd00:ec2::254", False), ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False), ("1.1.1.1", True), ("2606:4700::1111", True),
    ],
)  # fmt: skip
def test_addresses_of_this_machine_and_its_network_are_known(address: str, *, public: bool) -> None:
    """Private, local, link-local, shared and multicast addresses are nobody's in the world; others are."""
    assert is_public(address) == public


def test_a_kernel_that_cannot_hold_single_hosts_runs_nothing(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a Landlock that knows no TCP, and nothing else, a run with single hosts does not start; one without a network does."""
    from interlock.codemode import running
    from interlock.codemode.python.run import run as run_python
    from interlock.sandbox.probe import Kernel
    from tests.codemode.scenes import needs

    needs("landlock")
    monkeypatch.setattr(running, "kernel", lambda _: Kernel(landlock=3))
    refused = run_python("print(1)", ground.scene("", Permits(allow_hosts=("example.com",))))
    assert (refused.status, refused.refused[0].rule) == ("refused", "code.require")
    assert run_python("print(1)", ground.scene("")).status == "ran"
