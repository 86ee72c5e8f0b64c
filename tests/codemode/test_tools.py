"""Guarded code mode as tools over MCP, and as commands: the real programs, talked to as a client or a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.codemode.scenes import needs

if TYPE_CHECKING:
    from tests.codemode.scenes import Ground


def interlock(ground: Ground, *words: str, said: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in the workspace, with a home of its own."""
    return subprocess.run(
        [sys.executable, "-m", "interlock", *words], input=said, capture_output=True, text=True, check=False, timeout=120, cwd=ground.work,
        env={"PATH": os.environ["PATH"], "HOME": str(ground.home)},
    )  # fmt: skip


def talked(ground: Ground, *calls: tuple[str, dict[str, object]]) -> list[dict[str, Any]]:
    """Call tools one after the other; return the answers."""
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}
    asked = [
        {"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": {"name": name, "arguments": given}}
        for at, (name, given) in enumerate(calls, 1)
    ]
    done = interlock(ground, "tools", said="".join([json.dumps(one) + "\n" for one in (hello, {"jsonrpc": "2.0", "method": "x"}, *asked)]))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0]["result"]["serverInfo"]["name"] == "interlock", done.stderr
    return answers[1:]


def test_a_shell_command_is_a_tool(ground: Ground) -> None:
    """`bash` runs in the workspace behind the walls; what is denied comes back as error, rule and layer."""
    needs("bubblewrap")
    good, bad, outside = talked(
        ground, ("bash", {"command": "echo hi > made; cat made"}), ("bash", {"command": "rm -rf /"}), ("bash", {"command": f"ls {ground.outside}"})
    )
    assert good["result"]["structuredContent"]["stdout"] == "hi\n"
    assert not good["result"]["isError"]
    data = bad["result"]["structuredContent"]
    assert bad["result"]["isError"]
    assert (data["rule"], data["layer"], data["status"]) == ("mass_deletion", 1, "refused")
    assert data["error"]
    assert outside["result"]["structuredContent"]["stdout"] == ""


def test_a_python_program_is_a_tool(ground: Ground) -> None:
    """`runpy` and `execute_python` run a program; a refusal names its line, and the layer as a number."""
    code = "import sys\nopen('../outside/' + sys.argv[1], 'w')\n"
    good, bad = talked(ground, ("execute_python", {"code": "print(6 * 7)"}), ("runpy", {"code": code, "arguments": ["x"]}))
    assert good["result"]["structuredContent"]["stdout"] == "42\n"
    assert "guard" in good["result"]["structuredContent"]["tier"]["name"]
    data = bad["result"]["structuredContent"]
    assert (data["rule"], data["layer"]) == ("workspace_containment", 2)
    assert "program.py:2" in data["error"]
    assert json.loads(bad["result"]["content"][0]["text"]) == data


@pytest.mark.parametrize(("name", "given"), [("nothing", {}), ("bash", {}), ("bash", {"command": 1}), ("runpy", {"code": "1", "x": 2})])
def test_a_call_that_means_nothing_is_an_error(ground: Ground, name: str, given: dict[str, object]) -> None:
    """A tool that there is not, or an input that it does not take, is an error of the protocol, and the next call is answered."""
    bad, good = talked(ground, (name, given), ("execute_python", {"code": "print(1)"}))
    assert bad["error"]["code"] == -32602
    assert good["result"]["structuredContent"]["stdout"] == "1\n"


def test_the_command_code_runs_a_file(ground: Ground) -> None:
    """`interlock code FILE -- ARGUMENTS`: output where the program printed it, its exit code, and what held it."""
    (ground.work / "prog.py").write_text("import sys\nprint(sys.argv[1])\nsys.exit(5)\n", encoding="utf-8")
    done = interlock(ground, "code", "prog.py", "--", "--flag")
    assert (done.returncode, done.stdout) == (5, "--flag\n"), done.stderr
    assert "held by: " in done.stderr


def test_the_command_code_says_what_was_refused(ground: Ground) -> None:
    """A refusal is a line with place, operation, rule and layer; with --json it is data."""
    source = "name = input() if False else '../outside/' + chr(120)\nopen(name, 'w')\n"
    done = interlock(ground, "code", "-", said=source)
    assert "workspace-write.change-outside" in done.stderr
    data = json.loads(interlock(ground, "code", "--json", "-", said=source).stdout)
    assert data["refused"][0]["rule"] == "workspace-write.change-outside"
    assert data["error"]


def test_the_command_code_reads_its_options(ground: Ground) -> None:
    """An allowed command may be started and no other; a file without a known ending needs a language."""
    source = "import subprocess\nprint(subprocess.run(['/bin/echo', 'hi'], capture_output=True, text=True).stdout)\n"
    assert interlock(ground, "code", "-", said=source).returncode == 1
    done = interlock(ground, "code", "--allow-command", "echo", "-", said=source)
    assert done.stdout == "hi\n\n", done.stderr
    (ground.work / "prog.txt").write_text("print(1)", encoding="utf-8")
    assert interlock(ground, "code", "prog.txt").returncode == 2
    assert interlock(ground, "code", "prog.txt", "--language", "python").stdout == "1\n"


def test_the_command_run_holds_a_command(ground: Ground) -> None:
    """`interlock run -- COMMAND` runs behind walls: the workspace can be written, the world outside is not there, nothing is reached."""
    needs("bubblewrap")
    done = interlock(ground, "run", "--", "echo x > made; cat made; cat ../outside/note.txt; touch ../outside/new")
    assert done.returncode == 126, done
    done = interlock(ground, "run", "--", "echo x > made; cat made; cat ../outside/note.txt")
    assert done.stdout == "x\n"
    assert "note.txt" in done.stderr
    assert interlock(ground, "run", "--", "rm", "-rf", "/").returncode == 126
    assert interlock(ground, "run", "--", "exit 7").returncode == 7


def test_the_command_run_keeps_secrets_of_the_workspace(ground: Ground) -> None:
    """A key in the workspace is not there for a command, while the file beside it is."""
    needs("bubblewrap")
    (ground.work / "id_rsa").write_text("TOP SECRET", encoding="utf-8")
    done = interlock(ground, "run", "--", "f=id_; cat data.txt; cat ${f}rsa")
    assert "TOP SECRET" not in done.stdout
    assert interlock(ground, "run", "--", "cat data.txt").stdout == "some data"
