"""The network of guarded programs: none, or single hosts to which the broker connects and hands
over the connection.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.http_proxy import BadRequestError, request
from interlock.codemode.network import connect_host, is_public, may_be_reached
from interlock.codemode.operations import Operation, effects
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.run import ahead
from interlock.codemode.taint import takes_secret
from interlock.model.action import VERDICT_ALLOW
from interlock.model.policy import Named
from tests.codemode.scenes import HELD, NONE, needs
from tests.codemode.test_asking import Person

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
    """An address that was allowed is reached with the standard library as it is; without the permit
    nothing is.
    """
    result = ground.run(fetch("127.0.0.1", port), tier, RunPermissions(allow_hosts=("127.0.0.1",)))
    assert result.stdout == "b'hello'\n", result
    refused = ground.run(
        fetch("127.0.0.1", port), tier, RunPermissions(allow_hosts=("example.com",))
    )
    assert refused.status == "failed"
    assert {one.rule for one in refused.refused} <= {
        "code.reach-host",
        "code.reach-private",
        "workspace-write.reach-out",
    }
    assert refused.refused


def test_datagrams_do_not_leave(ground: Ground) -> None:
    """With single hosts allowed there is TCP and nothing else."""
    source = "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
    result = ground.run(source, NONE, RunPermissions(allow_hosts=("example.com",)))
    assert [one.rule for one in result.refused] == ["code.reach-host"]


def test_a_name_that_leads_home_is_refused(port: int) -> None:
    """A host that is allowed by name and leads to this machine is refused; the address itself, if
    that was allowed, is reached.
    """
    with pytest.raises(OSError, match="address of this machine or its network"):
        connect_host("localhost", port, ("example.com",))
    connect_host("localhost", port, ("localhost",)).close()


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("127.0.0.1", False), ("10.1.2.3", False), ("172.16.0.1", False), ("192.168.1.1", False), ("169.254.169.254", False), ("100.64.0.1", False),
        ("224.0.0.1", False), ("::1", False), ("fe80::1%eth0", False), ("fd00:ec2::254", False), ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False), ("64:ff9b::a00:1", False), ("2002:7f00:1::", False),
        ("64:ff9b::101:101", True), ("1.1.1.1", True), ("2606:4700::1111", True),
    ],
)  # fmt: skip
def test_addresses_of_this_machine_and_its_network_are_known(address: str, *, public: bool) -> None:
    """Private, local, link-local, shared and multicast addresses are nobody's in the world; others
    are.
    """
    assert is_public(address) == public


def test_a_kernel_that_cannot_hold_single_hosts_runs_nothing(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a Landlock that knows no TCP, and nothing else, a run with single hosts does not start;
    one without a network does.
    """
    from interlock.codemode import running
    from interlock.codemode.python.run import run as run_python
    from interlock.sandbox.probe import Kernel

    needs("landlock")
    monkeypatch.setattr(running, "kernel", lambda _: Kernel(landlock=3))
    refused = run_python("print(1)", ground.scene("", RunPermissions(allow_hosts=("example.com",))))
    assert (refused.status, refused.refused[0].rule) == ("refused", "code.require")
    assert run_python("print(1)", ground.scene("")).status == "ran"


def test_an_address_counts_and_not_the_name_that_leads_to_it() -> None:
    """An allowed name is no permit for a private address; the address itself is, and localhost
    means this machine.
    """
    assert not may_be_reached("example.com", "10.0.0.1", ("example.com",))
    assert may_be_reached("example.com", "10.0.0.1", ("example.com", "10.0.0.1"))
    assert may_be_reached("example.com", "1.1.1.1", ("example.com",))
    assert may_be_reached("localhost", "::1", ("localhost",))
    assert not may_be_reached("localhost", "10.0.0.1", ("localhost",))


# -- after a secret was read -----------------------------------------------------------------------


SHOWS = {
    "read": "open('.env').read()", "read by a path": "import pathlib\npathlib.Path('src/../.env').read_text()",
    "shown by a command": "import subprocess\nsubprocess.run(['cat', '.env'], stdout=subprocess.DEVNULL)",
}  # fmt: skip
SHOWS_NOT = {
    "looked at": "import os\nos.path.exists('.env')", "another file": "open('data.txt').read()", "an example": "open('.env.example').read()",
    "another command": "import subprocess\nsubprocess.run(['cat', 'data.txt'], stdout=subprocess.DEVNULL)",
}  # fmt: skip
HOST = RunPermissions(allow_hosts=("127.0.0.1",))


def with_settings(ground: Ground) -> None:
    """Put a project's secrets into the workspace, and an example of them."""
    for name in (".env", ".env.example"):
        (ground.work / name).write_text("TOKEN=x", encoding="utf-8")


@pytest.mark.parametrize("shows", [*SHOWS, *SHOWS_NOT])
def test_after_a_secret_was_seen_an_allowed_host_is_asked_about(
    ground: Ground, port: int, shows: str
) -> None:
    """What has seen a secret may hold it: without a person nothing is said to a host any more. That
    it is there, and other files, do not count.
    """
    with_settings(ground)
    result = ground.run(
        f"{(SHOWS | SHOWS_NOT)[shows]}\n{fetch('127.0.0.1', port)}",
        NONE,
        HOST.replace(allow_commands=("cat",)),
    )
    if shows in SHOWS:
        assert ([one.rule for one in result.refused], "hello" in result.stdout) == (
            ["code.send-after-secret"],
            False,
        ), result
    else:
        assert (result.refused, result.stdout) == ((), "b'hello'\n"), result


@pytest.mark.parametrize("tier", HELD)
def test_a_person_is_asked_once_what_may_hold_a_secret_is_sent(
    ground: Ground, port: int, tier: str
) -> None:
    """A yes counts for that host until the run ends, a no refuses it; what was reached before the
    secret was read is judged anew.
    """
    with_settings(ground)
    source = f"{fetch('127.0.0.1', port)}open('.env').read()\n{fetch('127.0.0.1', port) * 2}"
    yes, no = Person(yes=True), Person(yes=False)
    result = ground.run(source, tier, HOST, ask=yes)
    assert (result.stdout, result.refused, yes.asked) == (
        "b'hello'\n" * 3,
        (),
        ["connects sends"],
    ), result
    refused = ground.run(source, tier, HOST, ask=no)
    assert (refused.stdout, [(one.rule, one.where) for one in refused.refused]) == (
        "b'hello'\n",
        [("code.send-after-secret", "program.py:5")],
    )
    assert no.asked == ["connects sends"]


@pytest.mark.parametrize(
    ("operation", "names", "seen"),
    [
        ("read", ("vault/a.txt",), True), ("read", ("src/a.txt",), False), ("stat", ("vault/a.txt",), False), ("write", (".env",), False),
        ("update", (".env",), True), ("rename", (".env", "src/x"), True), ("rename", ("src/x", "src/y"), False), ("link", (".env", "src/x"), True),
    ],
)  # fmt: skip
def test_what_marks_a_run(
    ground: Ground, operation: str, names: tuple[str, ...], *, seen: bool
) -> None:
    """Reading a secret marks a run, and giving it another name; what the policy itself calls a
    secret is one. Writing one shows nothing.
    """
    scene = ground.scene("")
    scene.guard.policy = scene.guard.policy.replace(
        places=(Named(("${WORKSPACE}/vault/**",), frozenset({"secret"})),)
    )
    paths = tuple([str(ground.work / name) for name in names])
    assert (
        takes_secret(effects(Operation(operation, paths), scene.call, scene.guard.facts), scene)
        is seen
    )


@pytest.mark.parametrize("hosts", [(), ("api.example.com",)])
def test_what_is_sent_in_plain_sight_to_an_allowed_host_is_allowed(
    ground: Ground, hosts: tuple[str, ...]
) -> None:
    """A program that anybody can read to post something is let to an allowed host, as one that only
    fetches; without the permit it is not.
    """
    source = (
        "import urllib.request\nurllib.request.urlopen('https://api.example.com/x', data=b'abc')\n"
    )
    scene = ground.scene(source, RunPermissions(allow_hosts=hosts))
    assert (scene.guard.check(scene.call).verdict == VERDICT_ALLOW) is bool(hosts)


# -- the proxy for other programs ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"CONNECT Example.COM.:443 HTTP/1.1\r\nHost: x\r\n\r\n", ("example.com", 443, b"")),
        (b"CONNECT [::1]:443 HTTP/1.1\r\n\r\n", ("::1", 443, b"")),
        (
            b"POST http://a.b/x?y HTTP/1.1\r\nHost: a.b\r\nProxy-Connection: keep-alive\r\nConnection: keep-alive\r\n\r\nbody",
            ("a.b", 80, b"POST /x?y HTTP/1.1\r\nHost: a.b\r\nConnection: close\r\n\r\nbody"),
        ),
        (b"GET http://a.b:8080 HTTP/1.0\r\n\r\n", ("a.b", 8080, b"GET / HTTP/1.0\r\nConnection: close\r\n\r\n")),
        (b"GET /x HTTP/1.1\r\nHost: a.b\r\n\r\n", None), (b"GET https://a.b/ HTTP/1.1\r\n\r\n", None), (b"CONNECT a.b HTTP/1.1\r\n\r\n", None),
        (b"CONNECT a.b:0 HTTP/1.1\r\n\r\n", None), (b"CONNECT a.b:99999 HTTP/1.1\r\n\r\n", None),
        (b"CONNECT a.b:" + b"9" * 5000 + b" HTTP/1.1\r\n\r\n", None),
        (b"CONNECT u@a.b:443 HTTP/1.1\r\n\r\n", None),
        (b"CONNECT :443 HTTP/1.1\r\n\r\n", None), (b"CONNECT a.b:443 HTTP/1.1\r\n\r\nearly", None), (b"nonsense\r\n\r\n", None),
    ],
)  # fmt: skip
def test_a_request_names_its_host(head: bytes, expected: tuple[str, int, bytes] | None) -> None:
    """Host and port are those of the request's own line, whatever its headers say; a plain one ends
    with its connection; the rest are errors.
    """
    if expected is not None:
        assert request(head) == expected
        return
    with pytest.raises(BadRequestError):
        request(head)


ALLOWED = RunPermissions(allow_commands=("*",), allow_hosts=("127.0.0.1",))


@pytest.mark.skipif(
    shutil.which("curl", path="/usr/bin:/bin") is None, reason="curl is not installed"
)
def test_another_program_reaches_an_allowed_host_by_the_proxy(ground: Ground, port: int) -> None:
    """A command that asks nobody reaches the allowed host plainly and by CONNECT, and no other
    host, whatever it tries.
    """
    needs("bubblewrap")
    found = ground.command(
        f"curl -sS http://127.0.0.1:{port}/; echo; curl -sSp http://127.0.0.1:{port}/", ALLOWED
    )
    assert found.stdout == "hello\nhello", found
    denied = ground.command(
        f"curl -sS http://127.0.0.1:{port}/ 2>&1", ALLOWED.replace(allow_hosts=("example.com",))
    )
    assert denied.stdout.startswith("interlock: "), denied
    assert [(one.operation, one.argument) for one in denied.refused] == [
        ("connect", f"proxy 127.0.0.1 {port}")
    ]
    around = ground.command(
        f"curl -sS --noproxy '*' -m 5 http://127.0.0.1:{port}/ 2>&1; curl -sS --noproxy '*' -m 5 http://1.1.1.1/ 2>&1",
        ALLOWED,
    )
    assert "hello" not in around.stdout
    assert around.stdout.count("curl: (7)") == 2, around


def test_a_program_and_what_it_starts_reach_the_same(ground: Ground, port: int) -> None:
    """A guarded program that may start others reaches the host itself, and so does its child, which
    asks nobody.
    """
    needs("bubblewrap")
    child = f"import subprocess\nprint(subprocess.run(['curl', '-sS', 'http://127.0.0.1:{port}/'], capture_output=True).stdout)\n"
    source = fetch("127.0.0.1", port) + child
    result = ground.run(source, "bubblewrap", ALLOWED)
    assert result.stdout == "b'hello'\nb'hello'\n", result


# -- waiting for itself ----------------------------------------------------------------------------

SERVES = """
import http.server, threading, urllib.request
class Hello(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(b'me')
    def log_message(self, *_): pass
server = http.server.HTTPServer(('127.0.0.1', 0), Hello)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen(f'http://HOST:{server.server_port}/', timeout=20).read())
"""


@pytest.mark.parametrize("tier", ["bubblewrap", NONE])
@pytest.mark.parametrize("hosts", [(), ("example.com",)])
def test_a_program_may_wait_for_itself(
    ground: Ground, port: int, tier: str, hosts: tuple[str, ...]
) -> None:
    """With the permit a program serves itself on this machine, by address and by name, and reaches
    nobody else there; without it nothing waits.
    """
    permits = RunPermissions(loopback=True, allow_hosts=hosts)
    for host in ("127.0.0.1", "localhost"):
        result = ground.run(SERVES.replace("HOST", host), tier, permits)
        assert (result.stdout, result.refused) == ("b'me'\n", ()), result
    other = ground.run(fetch("127.0.0.1", port), tier, permits)
    assert "hello" not in other.stdout
    assert other.status == "failed"
    refused = ground.run(SERVES, tier, RunPermissions(allow_hosts=hosts))
    assert refused.status == "failed"
    everybody = ground.run("import socket\nsocket.socket().bind(('0.0.0.0', 0))\n", tier, permits)
    assert [one.rule for one in everybody.refused] == ["code.listen"], everybody


def test_reading_does_not_stop_what_waits_for_itself(ground: Ground) -> None:
    """What is read of a server that may reach itself stops nothing beforehand; another host does,
    and so does all of it without the permit.
    """
    permits = RunPermissions(preset="workspace-write", loopback=True)
    served = SERVES.replace("HOST", "127.0.0.1")
    assert ground.run_whole(served, "bubblewrap", permits).stdout == "b'me'\n"
    other = ground.run_whole(
        served + "urllib.request.urlopen('http://example.com/')\n", "bubblewrap", permits
    )
    assert (other.status, {one.argument for one in other.refused}) == (
        "refused",
        {"example.com", "0", "127.0.0.1"},
    ), other
    without = ground.run_whole(served, "bubblewrap", RunPermissions(preset="workspace-write"))
    assert (without.status, without.refused[0].layer) == ("refused", "reader")


@pytest.mark.parametrize(("require", "status"), [("kernel", ""), ("none", "refused")])
def test_a_command_waits_for_itself_where_walls_have_to_hold(
    ground: Ground, require: str, status: str
) -> None:
    """What is read of a command asks nobody later: it may wait for itself behind walls with a
    network of their own, and not without them.
    """
    scene = ground.scene(
        "import socket\nsocket.socket().bind(('127.0.0.1', 0))\n",
        RunPermissions(loopback=True),
        require=require.replace("none", ""),
    )
    scene.commands = True
    before = ahead(scene)
    assert (before.status if before is not None else "") == status


def test_landlock_alone_lets_nothing_wait(ground: Ground) -> None:
    """It knows no addresses, so such a run does not start there; without the permit it does."""
    result = ground.run("print(1)", "landlock", RunPermissions(loopback=True))
    assert (result.status, result.refused[0].rule) == ("refused", "code.require")
    assert ground.run("print(1)", "landlock").status == "ran"


def test_names_are_judged_and_so_are_the_addresses_that_they_lead_to(ground: Ground) -> None:
    """An allowed name at a public address is reached, by command, tunnel and program; at a private
    address not, nor is a redirect's host.
    """
    needs("bubblewrap")
    own = ["unshare", "--net", "--mount"]
    made = subprocess.run([*own, "ip", "link", "set", "lo", "up"], capture_output=True, check=False)
    if shutil.which("curl", path="/usr/bin:/bin") is None or made.returncode:
        pytest.skip("a network of its own cannot be made here, or curl is not installed")
    root = str(Path(__file__).parents[2])
    code = f"import sys; sys.path.insert(0, {root!r}); from tests.codemode.own_network import main; main()"
    done = subprocess.run(
        [*own, sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
        cwd=ground.work,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.pop("good.test") == ["here is good.test:8080"] * 3
    assert all("here is" not in said for answers in found.values() for said in answers), found
    for name, said in (
        ("inside.test", "10.9.9.9, an address of this machine"),
        ("meta.test", "169.254.169.254"),
        ("other.test", "[code.reach-host]"),
    ):
        assert said in found[name][0], found[name]
    assert "code.reach-host" in found["good.test/away"][0]
