"""MCP servers in the settings of every client: found where the client finds them, put behind the
proxy, taken out again; nothing else changes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from interlock.cli.main import main
from interlock.doctor import serving
from interlock.doctor.report_row import AMBER, GREEN
from interlock.integrations.clients import CLIENTS, adapter_of
from interlock.integrations.servers import (
    BEFORE,
    ServerEntry,
    behind,
    list_servers,
    unwrap_command,
    wrap_command,
)

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = {
    "mcpServers": {"db": {"command": "npx", "args": ["-y", "server", "--", "x"], "env": {"A": "b"}}}
}
BARE = {"mcpServers": {"db": {"type": "stdio", "command": "db-server", "args": []}}}
LISTS = {"mcp": {"db": {"type": "local", "command": ["npx", "-y", "server"], "enabled": True}}}
OWN: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "claude-code": [(".claude.json", PLAIN), (".claude.json", {"projects": {"{project}": PLAIN}})],
    "copilot": [(".copilot/mcp-config.json", BARE)],
    "gemini": [(".gemini/settings.json", PLAIN)],
    "opencode": [
        (".config/opencode/opencode.json", LISTS),
        (".config/opencode/config.json", LISTS),
    ],
    "qwen": [(".qwen/settings.json", PLAIN)],
}
"""Where each client's user writes servers, below HOME. Codex, which writes TOML itself, and Pi,
which has none, have tests of their own.
"""
SHARED: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "claude-code": [(".mcp.json", PLAIN)],
    "copilot": [(".mcp.json", PLAIN), (".github/mcp.json", PLAIN)],
    "gemini": [(".gemini/settings.json", PLAIN)],
    "opencode": [("opencode.json", LISTS), (".opencode/opencode.json", LISTS)],
    "qwen": [(".qwen/settings.json", PLAIN), (".mcp.json", PLAIN)],
}
"""The same below a project."""
ROWS = [
    pytest.param(client, name, document, shared, id=f"{client}-{name}-{number}")
    for shared, table in enumerate((OWN, SHARED))
    for client, places in table.items()
    for number, (name, document) in enumerate(places)
]


class Person:
    """A home and a project in it, which is the current folder."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self.project = home, home / "project"
        self.project.mkdir()
        self._capsys = capsys

    def put(self, name: str, document: object, *, shared: bool = False) -> Path:
        """Write a client's file."""
        path = (self.project if shared else self.home) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = (
            document
            if isinstance(document, str)
            else json.dumps(document, indent=4).replace("{project}", str(self.project)) + "\n"
        )
        path.write_text(text)
        return path

    def run(self, *words: str) -> tuple[int, str]:
        """Run ``interlock servers``; return its code and all that it said."""
        code = main(["servers", *words])
        said = self._capsys.readouterr()
        return code, said.out + said.err

    def rows(self, client: str) -> list[tuple[str, str, str]]:
        """Return the doctor's rows about this client's servers."""
        return [
            (row.colour, row.seen, row.mend)
            for row in serving.rows(adapter_of(client).SETTINGS, client, str(self.project))
        ]


@pytest.fixture
def person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Person:
    """Return a person none of whose variables moves a client's folder."""
    made = Person(tmp_path, capsys)
    monkeypatch.setenv("HOME", str(made.home))
    for client in CLIENTS:
        monkeypatch.delenv(adapter_of(client).SETTINGS.variable or "NONE", raising=False)
    monkeypatch.chdir(made.project)
    return made


@pytest.mark.parametrize(("client", "name", "document", "shared"), ROWS)
def test_in_and_out_again(
    person: Person, client: str, name: str, document: dict[str, Any], *, shared: bool
) -> None:
    """Each place of each client: the doctor names the server and the command that mends it; that
    command mends it, and its twin takes it back.
    """
    path = person.put(name, document, shared=shared)
    before, more = path.read_text(), ["--project"] if shared else []
    [(colour, seen, mend)] = person.rows(client)
    assert (colour, "db (" in seen, mend) == (
        AMBER,
        True,
        " ".join(["interlock servers wrap", client, *more]),
    )
    assert person.run("wrap", client, "--dry-run", *more)[0] == 0
    assert path.read_text() == before
    assert person.run(*mend.split()[2:])[0] == 0
    assert person.rows(client) == [(GREEN, "behind interlock mcp: db", "")]
    [server] = list_servers(adapter_of(client).SETTINGS, str(person.project))
    assert isinstance(server, ServerEntry)
    assert server.words[: len(BEFORE)] == BEFORE
    once = path.read_text()
    assert "nothing to change" in person.run("wrap", client, *more)[1]
    assert path.read_text() == once
    assert person.run("unwrap", client, *more)[0] == 0
    assert path.read_text() == before


def test_every_client_is_among_the_rows() -> None:
    """A client whose servers nobody looks at is one that has none, or a row above."""
    without = {client for client in CLIENTS if not adapter_of(client).SETTINGS.servers}
    assert {*OWN, "codex"} == set(CLIENTS) - without, (
        "say in OWN and SHARED where a client's servers are written"
    )
    assert without == {"pi"}, "a client without `servers` in its SETTINGS has no MCP: name it here"
    for client, places in OWN.items():
        assert len(adapter_of(client).SETTINGS.servers) == len(places) + len(SHARED[client])


def test_what_else_is_there_stays(person: Person) -> None:
    """Servers at an address, switched-off ones, forms nobody knows and all beside them keep their
    words; the address is told of.
    """
    others = {
        "far": {"type": "http", "url": "https://mcp.test/x?key=hidden"},
        "off": {"command": "off", "disabled": True},
        "odd": {"command": 7},
    }
    path = person.put(
        ".claude.json",
        {"mcpServers": {**others, **PLAIN["mcpServers"]}, "numStartups": 3, "projects": []},
    )
    code, said = person.run("wrap", "claude-code")
    assert code == 0
    assert "interlock mcp --server far --url https://mcp.test/x" in said
    assert "hidden" not in said
    after = json.loads(path.read_text())
    assert {name: entry for name, entry in after["mcpServers"].items() if name != "db"} == others
    assert after["mcpServers"]["db"]["env"] == {"A": "b"}
    assert after["numStartups"] == 3
    assert [colour for colour, *_ in person.rows("claude-code")] == [AMBER, GREEN]


def test_only_the_named_servers(person: Person) -> None:
    """A name takes one server; a name that is not there is an error, and nothing changes."""
    path = person.put(
        ".gemini/settings.json", {"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}
    )
    before = path.read_text()
    code, said = person.run("wrap", "gemini", "c")
    assert (code, "gemini starts no server 'c' here" in said, path.read_text()) == (1, True, before)
    assert person.run("wrap", "gemini", "b")[0] == 0
    assert json.loads(path.read_text())["mcpServers"]["a"] == {"command": "a"}
    assert json.loads(path.read_text())["mcpServers"]["b"]["args"][-3:] == ["b", "--", "b"]
    _, listing = person.run()
    assert [line.split()[:3] for line in listing.splitlines()] == [
        ["gemini", "a", "not"],
        ["gemini", "b", "behind"],
    ]


@pytest.mark.parametrize(
    ("name", "text"), [(".claude.json", "{ // mine\n}"), (".codex/config.toml", "[mcp_servers")]
)
def test_a_file_that_cannot_be_read_is_said_and_left_alone(
    person: Person, name: str, text: str
) -> None:
    """Comments in JSON and broken TOML are refused with the file's name, by the command and by the
    doctor.
    """
    path = person.put(name, text)
    client = "codex" if "codex" in name else "claude-code"
    code, said = person.run("wrap", client)
    assert (code, str(path) in said, path.read_text()) == (1, True, text)
    assert [(colour, str(path) in seen) for colour, seen, _ in person.rows(client)][:1] == [
        (AMBER, True)
    ]
    assert person.run()[0] == 1


def test_codex_without_its_program_writes_nothing(
    person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TOML is written by Codex itself, so that comments stay; where it is not to be found, or for a
    project, one sentence says so.
    """
    text = '[mcp_servers.db]\ncommand = "npx" # mine\n'
    path, shared = (
        person.put(".codex/config.toml", text),
        person.put(".codex/config.toml", text, shared=True),
    )
    monkeypatch.setenv("PATH", "/nowhere")
    assert [mend for *_, mend in person.rows("codex")] == [
        "interlock servers wrap codex",
        "interlock servers wrap codex --project",
    ]
    code, said = person.run("wrap", "codex")
    assert (code, "codex was not found on PATH" in said) == (1, True)
    code, said = person.run("wrap", "codex", "--project")
    assert (code, "change this file by hand" in said) == (1, True)
    assert (path.read_text(), shared.read_text()) == (text, text)


def test_no_servers_no_rows(person: Person) -> None:
    """Who has no MCP servers hears nothing of them from the doctor, and one sentence from the
    command.
    """
    assert [row for client in CLIENTS for row in person.rows(client)] == []
    assert person.run() == (0, "your clients start no MCP servers\n")


@pytest.mark.parametrize(
    ("words", "name", "server"),
    [
        (("interlock", "mcp", "--server", "db", "--", "npx", "x"), "db", ("npx", "x")),
        (
            ("/opt/bin/interlock", "mcp", "--folder", "/w", "--server=db", "--", "npx", "--", "x"),
            "db",
            ("npx", "--", "x"),
        ),
        (("C:\\py\\interlock.exe", "mcp", "--", "npx"), "", ("npx",)),
        (
            ("/py/python3", "-P", "-m", "interlock", "mcp", "--server", "db", "--", "npx"),
            "db",
            ("npx",),
        ),
        (
            ("python3", "-m", "interlock", "mcp", "--server", "db", "--url", "http://x.test/mcp"),
            "db",
            (),
        ),
        (("uvx", "interlock", "mcp", "--server", "db", "--", "npx"), "db", ("npx",)),
        (
            ("/opt/uv", "tool", "run", "interlock", "mcp", "--server", "db", "--", "npx"),
            "db",
            ("npx",),
        ),
    ],
)
def test_what_is_behind(words: tuple[str, ...], name: str, server: tuple[str, ...]) -> None:
    """The program tells, or what an interpreter or a runner is given; the name and the server's own
    words are read out of it.
    """
    there = behind(words)
    assert there is not None
    assert (there.name, there.words) == (name, server)


@pytest.mark.parametrize(
    "words",
    [
        (), ("interlock",), ("interlock", "log"), ("npx", "interlock", "mcp"), ("my-interlock", "mcp", "--", "npx"), ("sh", "-c", "interlock mcp"),
        ("python3", "evil.py", "-m", "interlock", "mcp", "--", "npx"), ("npx", "--", "interlock", "mcp"), ("uvx", "other", "interlock", "mcp"),
        ("python3", "interlock", "mcp", "--", "npx"), ("uv", "pip", "interlock", "mcp"),
    ],
)  # fmt: skip
def test_what_only_looks_like_it(words: tuple[str, ...]) -> None:
    """Another program that is given our words is not the proxy."""
    assert behind(words) is None


@pytest.mark.parametrize(
    ("words", "colour", "part"),
    [
        ([*BEFORE, "--server", "db", "--", "x"], GREEN, "behind"),
        ([*BEFORE, "--server", "other", "--", "x"], AMBER, "is called other by interlock mcp"),
        ([*BEFORE, "--", "x"], AMBER, "is called nothing by interlock mcp"),
        (["/nowhere/interlock", "mcp", "--server", "db", "--", "x"], AMBER, "cannot be started"),
        (["{home}/interlock", "mcp", "--server", "db", "--", "x"], AMBER, "another installation"),
    ],
)
def test_a_proxy_that_is_not_as_it_should_be(
    person: Person, words: list[str], colour: str, part: str
) -> None:
    """Another name, a program that is not there, another installation: pointed out, and not written
    over by the command.
    """
    (person.home / "interlock").write_text("#!/bin/sh\n")
    (person.home / "interlock").chmod(0o755)
    program, *more = [word.format(home=person.home) for word in words]
    path = person.put(
        ".qwen/settings.json", {"mcpServers": {"db": {"command": program, "args": more}}}
    )
    before = path.read_text()
    [(seen_colour, seen, _)] = person.rows("qwen")
    assert (seen_colour, part in seen) == (colour, True)
    assert "nothing to change" in person.run("wrap", "qwen")[1]
    assert path.read_text() == before


def test_a_moved_folder(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a variable moves the client's folder, its servers are looked for there."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(person.home / "else"))
    person.put(".claude.json", PLAIN)
    assert person.rows("claude-code") == []
    person.put("else/.claude.json", PLAIN)
    assert [colour for colour, *_ in person.rows("claude-code")] == [AMBER]


def test_a_servers_words_are_its_own() -> None:
    """A server at an address, and one behind a proxy for an address, start as they did, whatever is
    asked.
    """
    far = ServerEntry("far", "x.json", ("mcpServers",), (), "https://x.test")
    through = ServerEntry(
        "far",
        "x.json",
        ("mcpServers",),
        ("interlock", "mcp", "--server", "far", "--url", "https://x.test"),
    )
    for server in (far, through):
        assert wrap_command(server) == unwrap_command(server) == server.words
