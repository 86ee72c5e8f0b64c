"""Guarded code mode as tools over MCP, and as commands: the real programs, talked to as a client or
a person would.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from interlock.cli.main import main
from interlock.model.call import OTHER, ToolCall
from tests.codemode.scenes import needs
from tests.terminal import Terminal

if TYPE_CHECKING:
    from tests.codemode.scenes import Ground


def interlock(ground: Ground, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in the workspace, with a home of its own."""
    return subprocess.run(
        [sys.executable, "-m", "interlock", *words], input=said, capture_output=True, text=True, check=False, timeout=120, cwd=ground.work,
        env={"PATH": os.environ["PATH"], "HOME": str(ground.home)},
    )  # fmt: skip


def talked(
    ground: Ground, *calls: tuple[str, dict[str, object]], options: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """Call tools one after the other; return the answers."""
    hello = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}},
    }
    asked = [
        {
            "jsonrpc": "2.0",
            "id": at,
            "method": "tools/call",
            "params": {"name": name, "arguments": given},
        }
        for at, (name, given) in enumerate(calls, 1)
    ]
    done = interlock(
        ground,
        "tools",
        *options,
        said="".join(
            [json.dumps(one) + "\n" for one in (hello, {"jsonrpc": "2.0", "method": "x"}, *asked)]
        ),
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0]["result"]["serverInfo"]["name"] == "interlock", done.stderr
    return answers[1:]


def test_a_call_that_means_nothing_is_an_error(ground: Ground) -> None:
    """A tool that there is not, or an input that it does not take, is an error of the protocol, and
    the next call is answered.
    """
    nonsense: tuple[tuple[str, dict[str, object]], ...] = (
        ("nothing", {}),
        ("bash", {}),
        ("bash", {"command": 1}),
        ("runpy", {"code": "1", "x": 2}),
    )
    *bad, good = talked(ground, *nonsense, ("execute_python", {"code": "print(1)"}))
    assert [one["error"]["code"] for one in bad] == [-32602] * 4
    assert good["result"]["structuredContent"]["stdout"] == "1\n"


def test_long_output_is_kept_where_the_options_say(ground: Ground) -> None:
    """What is longer than ``--output`` is whole in the folder of ``--keep``; what is not leaves
    nothing there.
    """
    folder = ground.home / "kept"
    calls: tuple[tuple[str, dict[str, object]], ...] = (
        ("runpy", {"code": "print(1)"}),
        ("runpy", {"code": "print('x' * 5000)"}),
    )
    short, long = talked(ground, *calls, options=("--output", "1", "--keep", str(folder)))
    assert short["result"]["structuredContent"]["spilled"] == []
    (path,) = long["result"]["structuredContent"]["spilled"]
    assert [str(one) for one in folder.iterdir()] == [path]
    assert folder.joinpath(path).read_text(encoding="utf-8") == "x" * 5000 + "\n"


def with_client(
    ground: Ground, *words: str, calls: tuple[tuple[str, dict[str, object]], ...]
) -> tuple[list[str], list[Any]]:
    """Have the official client list the tools and call some; return their names, and the
    answers.
    """
    pytest.importorskip("mcp")
    import anyio
    from mcp.client.client import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    answers: list[Any] = []
    names: list[str] = []
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "interlock", "tools", *words], cwd=str(ground.work),
        env={"PATH": os.environ["PATH"], "HOME": str(ground.home)},
    )  # fmt: skip

    async def main() -> None:
        with anyio.fail_after(600):
            async with Client(stdio_client(server), mode="legacy") as client:
                names.extend([tool.name for tool in (await client.list_tools()).tools])
                for name, given in calls:
                    answers.append(await client.call_tool(name, given))

    anyio.run(main)
    return names, answers


@pytest.mark.filterwarnings("default")
def test_the_official_client_calls_every_tool(ground: Ground) -> None:
    """The SDK lists the four tools and checks their answers: what is permitted runs, what is not
    comes back as error, rule and layer.
    """
    needs("bubblewrap")
    names, answers = with_client(
        ground,
        calls=(
            ("bash", {"command": "echo hi > made; cat made"}), ("bash", {"command": "rm -rf /"}), ("bash", {"command": f"ls {ground.outside}"}),
            ("execute_python", {"code": "import sys\nprint(sys.argv[1:])", "arguments": ["a b"]}),
            ("runpy", {"code": "import sys\nopen('../outside/' + sys.argv[1], 'w')\n", "arguments": ["x"]}),
        ),
    )  # fmt: skip
    assert names == ["bash", "runpy", "execute_python", "execute_go_code"]
    good, bad, outside, program, refused = [answer.structured_content for answer in answers]
    assert [answer.is_error for answer in answers] == [False, True, True, False, True]
    assert (good["stdout"], good["tier"]["name"]) == ("hi\n", "kernel (bubblewrap)")
    assert (bad["rule"], bad["layer"], bad["status"]) == ("mass_deletion", 1, "refused")
    assert bad["error"]
    assert outside["stdout"] == ""
    assert program["stdout"] == "['a b']\n"
    assert (refused["rule"], refused["layer"], refused["refused"][0]["where"]) == (
        "workspace_containment",
        2,
        "program.py:2",
    )
    assert "program.py:2" in refused["error"]
    assert json.loads(answers[0].content[0].text) == good


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.filterwarnings("default")
def test_the_official_client_runs_a_go_program(ground: Ground) -> None:
    """`execute_go_code` builds and runs a program; one that writes outside gets an error with its
    line.
    """
    head = 'package main\nimport ("fmt"; "os")\nfunc main() {\n'
    names, (good, bad) = with_client(
        ground, "--only", "execute_go_code",
        calls=(
            ("execute_go_code", {"code": head + 'data, err := os.ReadFile("data.txt")\nfmt.Println(string(data), err)\n}\n'}),
            ("execute_go_code", {"code": head + f'fmt.Println(os.WriteFile({str(ground.outside / "x")!r}, nil, 0600))\n}}\n'.replace("'", '"')}),
        ),
    )  # fmt: skip
    assert names == ["execute_go_code"]
    assert good.structured_content["stdout"] == "some data <nil>\n", good
    assert not (ground.outside / "x").exists()
    assert bad.structured_content["refused"][0]["where"] == "run.go:4", bad


def test_the_command_code_runs_a_file(ground: Ground) -> None:
    """`interlock code FILE -- ARGUMENTS`: output where the program printed it, its exit code, and
    what held it.
    """
    (ground.work / "prog.py").write_text(
        "import sys\nprint(sys.argv[1])\nsys.exit(5)\n", encoding="utf-8"
    )
    done = interlock(ground, "code", "prog.py", "--", "--flag")
    assert (done.returncode, done.stdout) == (5, "--flag\n"), done.stderr
    assert "sandbox: " in done.stderr


class Here:
    """The command in this process, which is quicker: in the workspace, with nothing on standard
    input.
    """

    def __init__(
        self, ground: Ground, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self._capsys = capsys
        monkeypatch.chdir(ground.work)
        for name in [name for name in os.environ if name.startswith(("INTERLOCK_", "XDG_"))]:
            monkeypatch.delenv(name)
        self._patch = monkeypatch

    def run(self, *words: str, said: str = "") -> tuple[int, str, str]:
        """Run it; return its exit code, and what it printed."""
        with io.TextIOWrapper(io.BytesIO(said.encode())) as given:
            self._patch.setattr(sys, "stdin", given)
            code = main(list(words))
        printed = self._capsys.readouterr()
        return code, printed.out, printed.err


@pytest.fixture
def here(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Here:
    """Give the command."""
    return Here(ground, monkeypatch, capsys)


def test_the_command_code_says_what_was_refused(here: Here) -> None:
    """A refusal is a line with place, operation, rule and layer; with --json it is data."""
    source = "name = input() if False else '../outside/' + chr(120)\nopen(name, 'w')\n"
    assert "workspace-write.change-outside" in here.run("code", "-", said=source)[2]
    data = json.loads(here.run("code", "--json", "-", said=source)[1])
    assert data["refused"][0]["rule"] == "workspace-write.change-outside"
    assert data["error"]


@pytest.mark.parametrize(
    "words",
    [
        ("--seconds", "-1"),
        ("--seconds", "nan"),
        ("--memory", "0"),
        ("--processes", "0"),
        ("--output", "-5"),
    ],
)
def test_a_bound_is_more_than_nothing(here: Here, words: tuple[str, str]) -> None:
    """A bound that nothing fits in is bad usage; one above zero is none."""
    with pytest.raises(SystemExit) as ended:
        here.run("code", *words, "-", said="print(1)")
    assert ended.value.code == 2
    assert (
        here.run(
            "code",
            "--seconds",
            "50",
            "--memory",
            "3000",
            "--processes",
            "9",
            "--output",
            "5",
            "-",
            said="print(1)",
        )[1]
        == "1\n"
    )


def test_the_command_code_reads_its_options(ground: Ground, here: Here) -> None:
    """An allowed command may be started and no other; a file without a known ending needs a
    language.
    """
    source = "import subprocess\nprint(subprocess.run(['/bin/echo', 'hi'], capture_output=True, text=True).stdout)\n"
    assert here.run("code", "-", said=source)[0] == 1
    assert here.run("code", "--allow-command", "echo", "-", said=source)[1] == "hi\n\n"
    (ground.work / "prog.txt").write_text("print(1)", encoding="utf-8")
    assert here.run("code", "prog.txt")[0] == 2
    assert here.run("code", "prog.txt", "--language", "python")[1] == "1\n"


HIDES = """version: 1
rules:
  - id: own.hide
    title: reads customers
    why: What a program prints of them is read by others.
    match: {effect: [reads], path: ["**/customers.txt"]}
    action: warn
obligations:
  - rule: own.hide
    do: redact
"""


@pytest.mark.parametrize("name", ["'customers.txt'", "'cust' + sys.argv[0][:0] + 'omers.txt'"])
def test_secrets_are_taken_out_of_what_a_program_prints(
    ground: Ground, here: Here, name: str
) -> None:
    """Where the policy obliges to `redact`, foreseen or not, output comes without secrets, and no
    file keeps them; else as it is.
    """
    secret = "ghp_" + "aB3dE6gH9k" * 3 + "LmN4pQ"
    (ground.work / "customers.txt").write_text(f"token {secret}\n", encoding="utf-8")
    (ground.work / "prog.py").write_text(
        f"import sys\nsaid = open({name}).read()\nprint(said, 'x' * 3000)\nprint(said, file=sys.stderr)\n",
        encoding="utf-8",
    )
    plain = here.run("code", "prog.py")
    assert (plain[1].count(secret), plain[2].count(secret)) == (1, 1)
    policy = ground.home / ".config" / "interlock" / "policy.yaml"
    policy.parent.mkdir(parents=True)
    policy.write_text(HIDES, encoding="utf-8")
    code, out, err = here.run("code", "--output", "1", "prog.py")
    assert (code, secret in out + err) == (0, False), err
    assert out.startswith("token <"), out
    assert "more of what it printed is in" not in err


def test_the_command_run_holds_a_command(here: Here) -> None:
    """`interlock run -- COMMAND` runs behind walls: the workspace can be written, the world outside
    is not there, nothing is reached.
    """
    needs("bubblewrap")
    code, out, _ = here.run(
        "run", "--", "echo x > made; cat made; cat ../outside/note.txt; touch ../outside/new"
    )
    assert (code, out) == (126, "")
    _, out, err = here.run("run", "--", "echo x > made; cat made; cat ../outside/note.txt")
    assert out == "x\n"
    assert "note.txt" in err
    assert here.run("run", "--", "rm", "-rf", "/")[0] == 126
    assert here.run("run", "--", "exit 7")[0] == 7


def test_the_command_run_keeps_secrets_of_the_workspace(ground: Ground, here: Here) -> None:
    """A key in the workspace is not there for a command, while the file beside it is."""
    needs("bubblewrap")
    (ground.work / "id_rsa").write_text("TOP SECRET", encoding="utf-8")
    assert "TOP SECRET" not in here.run("run", "--", "f=id_; cat data.txt; cat ${f}rsa")[1]
    assert here.run("run", "--", "cat data.txt")[1] == "some data"


def test_a_person_at_the_terminal_is_asked_and_the_program_runs_again(ground: Ground) -> None:
    """With --ask the person says yes to a program that the walls do not let start, and yes to
    another run, in which it starts.
    """
    needs("bubblewrap")
    source = "import subprocess\nname = ''.join(['/bin/', 'echo'])\nprint(subprocess.run([name, 'h' + 'i'], capture_output=True).stdout)\n"
    (ground.work / "prog.py").write_text(source, encoding="utf-8")
    environment = {"PATH": os.environ["PATH"], "HOME": str(ground.home), "TERM": "xterm"}
    terminal = Terminal(
        [sys.executable, "-m", "interlock", "code", "--ask", "prog.py"], environment, ground.work
    )
    try:
        assert "prog.py:3: exec /usr/bin/echo /bin/echo hi" in terminal.until("once")
        terminal.type("y")
        terminal.until("with --allow-command echo?")
        terminal.until("again  [n]")
        terminal.type("y")
        terminal.until("ran (sandbox: kernel+guard (bubblewrap))")
        assert terminal.end() == 0
    finally:
        terminal.kill()
    assert "b'hi\\n'" in terminal.text


@pytest.mark.parametrize(
    ("agent", "name", "warned"),
    [
        ("mcp", "execute_go_code", False),
        ("code", "execute_go", False),
        ("claude-code", "execute_go_code", True),
    ],
)
def test_a_go_program_of_ours_is_no_unknown_tool(
    ground: Ground, agent: str, name: str, *, warned: bool
) -> None:
    """What code mode runs is known, since each of its operations is judged; somebody else's tool of
    that name is not.
    """
    call = ToolCall(
        OTHER,
        name,
        {"code": "package main\nfunc main() {}\n"},
        str(ground.work),
        (str(ground.work),),
        agent=agent,
    )
    decision = ground.scene().guard.check(call)
    assert ("tool.unrecognised" in [finding.rule for finding in decision.findings]) == warned
