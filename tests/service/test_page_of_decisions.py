"""The programs of the page on decisions over HTTP, run as they stand there against a service."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn

from tests.calling import Calling
from tests.serving import Served, served

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = (Path(__file__).resolve().parents[2] / "docs/decide.md").read_text("utf-8")
PROGRAMS = dict(re.findall(r'^```\w+ title="([\w.]+)"\n(.*?)^```', PAGE, re.MULTILINE | re.DOTALL))
ADDRESS = "https://interlock.example.com"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service that answers."""
    with served(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture
def caller(service: Served, request: pytest.FixtureRequest) -> Calling:
    """Return a program that may ask."""
    return Calling(service, request.node.name)


@pytest.fixture
def told(caller: Calling, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that tools work in; variables name it, the service and the token."""
    folder = tmp_path / "app"
    folder.mkdir()
    (folder / "notes.md").write_text("a line\n")
    monkeypatch.setenv("APP_FOLDER", str(folder))
    monkeypatch.setenv("INTERLOCK_URL", caller.service.url)
    monkeypatch.setenv("INTERLOCK_TOKEN", caller.token)
    return folder


def load(name: str) -> ModuleType:
    """Return a program of the page as a module."""
    module = ModuleType(f"page_{name.partition('.')[0]}")
    sys.modules[module.__name__] = module
    exec(compile(PROGRAMS[name], name, "exec"), module.__dict__)  # noqa: S102 - our own page
    return module


def outcomes(caller: Calling) -> list[str]:
    """Return what became of the caller's calls, the newest first."""
    from interlock.service.store.views import DecisionQuery

    wanted = DecisionQuery(sources=(caller.chain,))
    return [
        one.status
        for one in caller.service.scene.keeping.read(lambda known: known.decisions(wanted))
    ]


def test_every_program_of_the_page_is_tried_here() -> None:
    """Those with a title are all that there are."""
    assert set(PROGRAMS) == {"ask.sh", "ask.py", "ask.ts", "service.py", "agent.py"}
    assert not re.search(r"^```(python|ts|sh)\n", PAGE, re.MULTILINE)


def test_the_first_one_asks_and_tells(caller: Calling) -> None:
    """As it stands, but for the address and the token."""
    text = PROGRAMS["ask.py"].replace(ADDRESS, caller.service.url)
    exec(compile(text, "ask.py", "exec"), {"token": caller.token})  # noqa: S102 - our own page
    assert outcomes(caller) == ["ran"]


def test_the_line_for_curl_gets_a_decision(caller: Calling) -> None:
    """The one that the page shows the answer to."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    line = PROGRAMS["ask.sh"].replace(ADDRESS, caller.service.url)
    done = subprocess.run(
        ["sh", "-c", line],
        env={"TOKEN": caller.token, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    said = json.loads(done.stdout)
    [answer] = re.findall(r'^\{"id": "d-77aa6.*?\}$', PAGE, re.MULTILINE | re.DOTALL)
    shown = json.loads(answer.replace("[...]", "[]"))
    assert said["id"] in caller.recorded()
    assert (said["verdict"], said["rule"]) == ("ask", shown["rule"])
    assert set(said) == set(shown)


def ask(port: int, command: str) -> tuple[int, Any]:
    """Have the service of the page run a command."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    body = json.dumps({"command": command, "session": "s1"})
    connection.request("POST", "/tools/shell", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    said = json.loads(answer.read())
    connection.close()
    return answer.status, said


def test_the_service_runs_what_is_allowed(caller: Calling, told: Path) -> None:
    """A command that may runs, and its outcome is told; one that may not does not, and says why;
    without a service that decides nothing runs.
    """
    module, ready = load("service.py"), Event()

    class Ready(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            ready.set()

    server = Ready(uvicorn.Config(module.app, port=0, log_level="error"))
    thread = Thread(target=server.run)
    thread.start()
    try:
        assert ready.wait(60)
        port = server.servers[0].sockets[0].getsockname()[1]
        assert ask(port, "cat notes.md") == (200, {"output": "a line\n"})
        status, said = ask(port, "git push --force origin main")
        assert (status, said["detail"]["verdict"]) == (403, "ask")
        assert caller.id in said["detail"]["page"]
        assert outcomes(caller) == ["", "ran"]
        module.guard._client._service._headers["Authorization"] = "Bearer ended"
        status, said = ask(port, "touch made")
        assert (status, said["detail"]["verdict"]) == (403, "deny")
        assert not (told / "made").exists()
    finally:
        server.should_exit = True
        thread.join(60)


def test_the_agent_is_told_why_not(caller: Calling, told: Path) -> None:
    """What its model wants is decided on: one command runs, the other is answered with why it does
    not.
    """
    from pydantic_ai.messages import (
        ModelMessage,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
    )
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    module = load("agent.py")
    wanted = ["cat notes.md", "rm -rf /"]

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        del info
        back = [
            str(part.content)
            for one in messages
            for part in one.parts
            if isinstance(part, ToolReturnPart)
        ]
        if len(back) < len(wanted):
            return ModelResponse([ToolCallPart("shell", {"command": wanted[len(back)]})])
        return ModelResponse([TextPart(json.dumps(back))])

    # run_sync would leave its loop open, and a later test be told so
    done = asyncio.run(module.agent.run("go", model=FunctionModel(model), deps="session-7"))
    said = json.loads(done.output)
    module.guard.close()
    assert said[0] == "a line\n"
    assert said[1].startswith("Not run (deny).")
    assert outcomes(caller) == ["", "ran"]
    assert (told / "notes.md").exists()
    row = caller.service.scene.keeping.read(
        lambda known: known.decision(caller.chain, caller.recorded()[0])
    )
    assert row is not None
    assert (row.seen.agent, row.seen.session) == ("billing-bot", "session-7")


TYPES = [
    r"^type Decision = .*?;\n$",
    r"(?<=\w): (?:string|object|Decision|Promise<\w+>)(?=[,)= {])",
    r"(?<=\)): Promise<\w+>",
]
"""What of the program in TypeScript is no JavaScript, for a node that does not leave it out."""


@pytest.mark.parametrize("works", [True, False])
def test_typescript_asks_too(caller: Calling, told: Path, tmp_path: Path, works: bool) -> None:
    """By node, which leaves types out since 22.6; for an older one they are left out here. Without
    a decision nothing is allowed.
    """
    del told
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    text, options, name = PROGRAMS["ask.ts"], ["--experimental-strip-types"], "ask.mts"
    if tuple(map(int, version[1:].split(".")[:2])) < (22, 6):
        options, name = [], "ask.mjs"
        for one in TYPES:
            text = re.sub(one, "", text, flags=re.MULTILINE | re.DOTALL)
    program = tmp_path / name
    program.write_text(text)
    token = caller.token if works else "ended"
    environment = {
        "INTERLOCK_URL": caller.service.url,
        "INTERLOCK_TOKEN": token,
        "PATH": "/usr/bin:/bin",
    }
    commands = ["ls", "rm -rf /", "git push --force origin main"]
    done = subprocess.run(
        [node, *options, str(program), *commands],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    verdicts = [line.split(maxsplit=1)[0] for line in done.stdout.splitlines()]
    assert verdicts == (["allow", "deny", "ask"] if works else ["deny"] * 3)
    assert outcomes(caller) == (["", "", "ran"] if works else [])
