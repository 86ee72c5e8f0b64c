"""The guard's own protection: each way an agent may go about switching it off, under every tool,
beside a twin that only looks.

What counts is a rule of the family ``guard``: a call that is asked about for another reason would
pass as soon as that one is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model import call as tools
from interlock.model.action import ASK, VERDICT_ALLOW
from interlock.policy.builtin import builtin
from interlock.rules.guard import RULES
from tests.judging import decided, judged, rules_of, shell, tool
from tests.rows_self_protection import (
    BY_SHELLS,
    CARRIED,
    CARRIERS,
    ENDING,
    ENDS,
    FILES,
    HOME,
    LOOKING,
    NEAR,
    TWINS,
    WAITING,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.model.call import ToolCall
    from interlock.model.decision import Decision


def stopped(decision: Decision) -> bool:
    """Whether the guard speaks for itself, and the call does not simply run."""
    return decision.verdict != VERDICT_ALLOW and speaks(decision)


def speaks(decision: Decision) -> bool:
    """Whether a rule of the family spoke."""
    return any(rule.startswith("guard.") for rule in rules_of(decision))


def test_no_policy_can_go_below_asking() -> None:
    """Every rule of the family has a floor."""
    assert {rule.floor for rule in RULES} == {ASK}


# -- what may not be done --------------------------------------------------------------------------


@pytest.mark.parametrize("command", ENDS)
def test_an_end_is_stopped(command: str) -> None:
    """What takes the guard out, or goes around it, is stopped for that."""
    assert stopped(judged(command))


@pytest.mark.parametrize("command", LOOKING)
def test_looking_is_free(command: str) -> None:
    """Whoever reads the guard's settings, or does the same to something else, is not told of
    tampering.
    """
    assert not speaks(judged(command))


# -- through what it may be done -------------------------------------------------------------------


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_carrier_does_not_hide_it(carrier: str) -> None:
    """Started through another program, typed into a terminal, put off until later or written in
    another language: it is stopped; its twin is not.
    """
    carry = CARRIERS[carrier]
    assert [given for given in CARRIED if not stopped(judged(carry(given)))] == []
    assert [given for given in TWINS if speaks(judged(carry(given)))] == []


@pytest.mark.parametrize("carrier", BY_SHELLS)
def test_settings_are_not_reached_through_a_carrier(carrier: str) -> None:
    """The same for files: settings are not written through any of them, and may be read through
    all.
    """
    carry = CARRIERS[carrier]
    assert stopped(judged(carry(f"rm {HOME}/.claude/settings.json")))
    assert not speaks(judged(carry(f"cat {HOME}/.claude/settings.json")))


# -- with other tools than the shell ---------------------------------------------------------------


def _changing(path: str) -> Iterator[tuple[str, ToolCall]]:
    yield "write", tool(tools.WRITE, {"file_path": path, "content": "{}"})
    yield "edit", tool(tools.EDIT, {"file_path": path, "old_string": "a", "new_string": "b"})
    yield "notebook", tool(tools.EDIT, {"notebook_path": path, "new_source": "b"})
    yield (
        "patch",
        tool(
            tools.EDIT,
            {"command": f"*** Begin Patch\n*** Update File: {path}\n@@\n-a\n+b\n*** End Patch\n"},
        ),
    )
    yield (
        "patch that moves",
        tool(
            tools.EDIT,
            {
                "command": f"*** Begin Patch\n*** Update File: a\n*** Move to: {path}\n@@\n-a\n+b\n*** End Patch\n"
            },
        ),
    )
    yield (
        "patch that deletes",
        tool(tools.EDIT, {"input": f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n"}),
    )
    yield (
        "MCP write",
        tool(tools.MCP, {"path": path, "content": "x"}, "mcp__filesystem__write_file"),
    )
    yield (
        "MCP edit",
        tool(
            tools.MCP,
            {"path": path, "edits": [{"oldText": "a", "newText": "b"}]},
            "mcp__filesystem__edit_file",
        ),
    )
    yield (
        "MCP move there",
        tool(tools.MCP, {"source": "a", "destination": path}, "mcp__filesystem__move_file"),
    )
    yield (
        "MCP move away",
        tool(tools.MCP, {"source": path, "destination": "a"}, "mcp__filesystem__move_file"),
    )
    yield "MCP delete", tool(tools.MCP, {"path": path}, "mcp__fs__delete_file")
    yield (
        "MCP nested",
        tool(
            tools.MCP,
            {"arguments": {"ops": [{"op": "write", "file": path, "text": "x"}]}},
            "mcp__x__write_many",
        ),
    )
    yield (
        "MCP packed",
        tool(
            tools.MCP, {"arguments": f'{{"path": "{path}", "content": "x"}}'}, "mcp__x__write_file"
        ),
    )
    yield "unknown tool", tool(tools.OTHER, {"path": path, "content": "x"}, "write_thing")
    yield (
        "MCP database",
        tool(
            tools.MCP,
            {"db_path": path, "query": "delete from decisions"},
            "mcp__sqlite__write_query",
        ),
    )
    if not path.startswith("file:"):
        yield "MCP shell", tool(tools.MCP, {"command": f"echo x > {path}"}, "mcp__terminal__run")
        yield "MCP words", tool(tools.MCP, {"argv": ["sh", "-c", f"rm {path}"]}, "mcp__x__spawn")
        yield "MCP terminal", tool(tools.MCP, {"keys": f"rm {path}\n"}, "mcp__tmux__send_keys")
        if not path.startswith("~"):
            yield "Python", tool(tools.PYTHON, {"code": f"import os; os.replace('a', '{path}')"})
            yield (
                "MCP Python",
                tool(tools.MCP, {"code": f"open('{path}', 'w').write('x')"}, "mcp__py__run_python"),
            )


@pytest.mark.parametrize("path", FILES)
def test_no_tool_changes_a_file_of_the_guard(path: str) -> None:
    """Whatever the tool is called and however the path is spelled, a change of what calls the guard
    is stopped.
    """
    assert [name for name, call in _changing(path) if not stopped(decided(call))] == []


@pytest.mark.parametrize("path", NEAR)
def test_every_tool_may_change_other_files(path: str) -> None:
    """The same tools are free to change a project's files of similar names."""
    assert [name for name, call in _changing(path) if speaks(decided(call))] == []


@pytest.mark.parametrize("path", FILES)
def test_every_tool_may_read_them(path: str) -> None:
    """Reading the settings is no tampering."""
    reading = (
        tool(tools.READ, {"file_path": path}),
        tool(tools.GREP, {"path": path, "pattern": "hooks"}),
        tool(tools.MCP, {"path": path}, "mcp__filesystem__read_file"),
        tool(tools.MCP, {"path": path}, "mcp__filesystem__get_file_info"),
    )
    assert [call.name for call in reading if speaks(decided(call))] == []


@pytest.mark.parametrize("key", ["command", "cmd", "script", "keys", "input"])
def test_a_terminal_of_an_mcp_server_is_a_shell(key: str) -> None:
    """What is run or typed through a server's terminal is judged as the shell's commands are."""
    assert stopped(decided(tool(tools.MCP, {key: "interlock approve 12"}, "mcp__terminal__send")))
    assert not speaks(decided(tool(tools.MCP, {key: "interlock log"}, "mcp__terminal__send")))


# -- what is typed later ---------------------------------------------------------------------------


def typed(command: str) -> set[str]:
    """Return the rules that speak of a command whose client can type into it later."""
    call = shell(command).replace(typed=True)
    return rules_of(decide(call, read(call, Recorded(HOME)), builtin(), "test"))


@pytest.mark.parametrize("command", WAITING)
def test_what_waits_for_typing_is_asked_about_where_typing_is_not_judged(command: str) -> None:
    """Codex types into a running program without asking its hooks, so the start is asked about;
    with other clients it is not.
    """
    assert "exec.shell-escape" in typed(command)
    assert "exec.shell-escape" not in rules_of(judged(command))


@pytest.mark.parametrize("command", ENDING)
def test_what_ends_by_itself_is_not(command: str) -> None:
    """What has its program, its statement or its input already does not wait."""
    assert "exec.shell-escape" not in typed(command)
