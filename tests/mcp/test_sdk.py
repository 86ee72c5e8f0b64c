"""The official SDK's client, the proxy and the official SDK's server, as three real programs: over
pipes, and over HTTP in three ways.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("mcp")

import anyio
import mcp_types as types
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

SERVER = str(Path(__file__).parent / "sdk_server.py")
INTERLOCK = [sys.executable, "-m", "interlock"]
YES = types.ElicitResult(action="accept", content={"approve": True})
NO = types.ElicitResult(action="decline")

pytestmark = pytest.mark.filterwarnings("default")


class Program:
    """Where a client finds the proxy, and what the server ran."""

    def __init__(self, folder: Path, transport: object, *, streams: bool) -> None:
        self.transport = transport
        self.streams = streams
        self._run_call = folder / "ran"
        self.asked: list[str] = []

    @property
    def ran(self) -> list[str]:
        """The tools that the server ran."""
        return self._run_call.read_text(encoding="utf-8").split() if self._run_call.exists() else []

    def use(
        self,
        work: Callable[[Any], Awaitable[None]],
        mode: str = "legacy",
        answer: types.ElicitResult | None = None,
    ) -> None:
        """Connect a client, and do something with it."""

        async def elicited(_context: object, params: Any) -> types.ElicitResult:
            self.asked.append(params.message)
            return (
                types.ElicitResult(action="accept", content={"name": "Ada"})
                if "Who are you" in params.message
                else answer or NO
            )

        async def sampled(_context: object, _params: object) -> types.CreateMessageResult:
            return types.CreateMessageResult(
                role="assistant", content=types.TextContent(type="text", text="roses"), model="m"
            )

        async def main() -> None:
            options = {"elicitation_callback": elicited} if answer is not None else {}
            with anyio.fail_after(60):
                async with Client(
                    self.transport,  # type: ignore[arg-type]
                    mode=mode,
                    sampling_callback=sampled,  # type: ignore[arg-type]
                    **options,  # type: ignore[arg-type]
                ) as client:
                    await work(client)

        anyio.run(main)


def environment(folder: Path) -> dict[str, str]:
    """Return variables for programs that know nothing of this machine's user."""
    return {
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "RAN": str(folder / "ran"),
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
    }


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def listening(command: list[str], port: int, folder: Path) -> Iterator[None]:
    """Run a program that listens at a port."""
    process = subprocess.Popen(
        command,
        env=environment(folder),
        cwd=folder / "project",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(600):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(60)


WAYS = ("pipes", "address", "address-json", "listening")


@pytest.fixture(scope="module", params=WAYS)
def way(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Path, Callable[[], object], bool]]:
    """A folder, what makes a transport to a proxy there, and whether the server can say things
    before its answer. Over HTTP there is one server.
    """
    folder = tmp_path_factory.mktemp("mcp")
    (folder / "project").mkdir()

    def piped(*arguments: str) -> object:
        command = [*INTERLOCK, "mcp", "--server", "demo", *arguments]
        return stdio_client(
            StdioServerParameters(
                command=command[0],
                args=command[1:],
                env=environment(folder),
                cwd=str(folder / "project"),
            )
        )

    if request.param == "pipes":
        yield folder, lambda: piped("--", sys.executable, SERVER), True
        return
    port, front = free_port(), free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    with ExitStack() as stack:
        stack.enter_context(
            listening(
                [
                    sys.executable,
                    SERVER,
                    str(port),
                    *(["json"] if request.param == "address-json" else []),
                ],
                port,
                folder,
            )
        )
        if request.param == "listening":
            stack.enter_context(
                listening(
                    [
                        *INTERLOCK,
                        "mcp",
                        "--server",
                        "demo",
                        "--url",
                        url,
                        "--listen",
                        f"127.0.0.1:{front}",
                    ],
                    front,
                    folder,
                )
            )
            yield folder, lambda: f"http://127.0.0.1:{front}/", True
        else:
            yield folder, lambda: piped("--url", url), request.param == "address"


@pytest.fixture
def program(way: tuple[Path, Callable[[], object], bool]) -> Program:
    """A proxy before a server that has run nothing yet."""
    folder, transport, streams = way
    (folder / "ran").unlink(missing_ok=True)
    return Program(folder, transport(), streams=streams)


def text_of(result: Any) -> str:
    """Return the text of a result."""
    return str(result.content[0].text)


async def calls(client: Any) -> None:
    """What may run runs and says what it says; what may not does not run, and the model reads
    why.
    """
    assert {"get_sum", "delete_file"} <= {tool.name for tool in (await client.list_tools()).tools}
    assert text_of(await client.call_tool("get_sum", {"a": 1, "b": 2})) == "3"
    denied = await client.call_tool("delete_file", {"path": "/etc/passwd"})
    assert denied.is_error
    assert "Blocked by interlock" in text_of(denied)
    assert (await client.read_resource("note://7")).contents[0].text == "note 7"
    with pytest.raises(MCPError, match="Blocked by interlock"):
        await client.read_resource("file:///etc/shadow")
    assert (await client.get_prompt("review", {"topic": "x"})).messages[
        0
    ].content.text == "review x"
    assert len(text_of(await client.call_tool("get_much", {"size": 400_000}))) == 400_000


async def at_once(client: Any) -> None:
    """Each of many calls gets its own answer."""
    sums: dict[int, str] = {}

    async def one(number: int) -> None:
        sums[number] = text_of(await client.call_tool("get_sum", {"a": number, "b": 1}))

    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(one, number)
    assert sums == {number: str(number + 1) for number in range(20)}


async def asked_by_server(client: Any) -> None:
    """Progress, elicitation and sampling reach the client, and its answers the server."""
    seen: list[float] = []

    async def progress(done: float, _total: float | None, _message: str | None) -> None:
        seen.append(done)

    assert (
        text_of(await client.call_tool("list_slowly", {"count": 3}, progress_callback=progress))
        == "done"
    )
    assert seen == [1, 2, 3]
    assert text_of(await client.call_tool("get_name", {})) == "hello Ada"
    assert text_of(await client.call_tool("get_poem", {})) == "roses"


CALLED = ["get_sum", "note", "review", "get_much"]


def test_a_client_that_can_ask(program: Program) -> None:
    """The handshake of the older protocols: what is judged, what passes both ways, and a question
    that is answered with yes.
    """

    async def work(client: Any) -> None:
        await calls(client)
        assert text_of(await client.call_tool("delete_widget", {"widget": "w7"})) == "deleted w7"
        await at_once(client)
        if program.streams:
            await asked_by_server(client)

    program.use(work, answer=YES)
    told = ["list_slowly", "get_name", "get_poem"] if program.streams else []
    assert program.ran == [*CALLED, "delete_widget", *["get_sum"] * 20, *told]
    assert [text for text in program.asked if "w7" in text] == program.asked[:1]


def test_a_client_of_2026(program: Program) -> None:
    """No handshake, and a question is an answer that wants input: no means no."""

    async def work(client: Any) -> None:
        await calls(client)
        refused = await client.call_tool("delete_widget", {"widget": "w7"})
        assert refused.is_error
        assert "did not approve" in text_of(refused)
        await at_once(client)

    program.use(work, "auto", NO)
    assert program.ran == [*CALLED, *["get_sum"] * 20]
    assert len(program.asked) == 1


def test_a_client_that_cannot_ask(program: Program) -> None:
    """The refusal says how to approve."""

    async def work(client: Any) -> None:
        said = await client.call_tool("delete_widget", {"widget": "w8"})
        assert said.is_error
        assert "interlock approve a-" in text_of(said)

    program.use(work)
    assert program.ran == []
