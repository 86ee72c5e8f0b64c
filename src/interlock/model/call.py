"""``ToolCall``: the request, free of any client's words."""

from __future__ import annotations

from collections.abc import Mapping

from interlock.model.record import Record
from interlock.model.usage import Usage

SHELL, PYTHON, READ, WRITE, EDIT, GLOB, GREP, FETCH, SEARCH, TASK, MCP, OTHER = (
    "shell", "python", "read", "write", "edit", "glob", "grep", "fetch", "search", "task", "mcp",
    "other",
)  # fmt: skip
TOOLS = (SHELL, PYTHON, READ, WRITE, EDIT, GLOB, GREP, FETCH, SEARCH, TASK, MCP, OTHER)
PROVING = "interlock-doctor"
"""The session of the questions that `interlock doctor` asks."""


class ToolCall(Record):
    """A tool call that an agent wants to make.

    ``tool`` is one of ``TOOLS``, ``name`` what the client calls it (``Bash``, ``mcp__db__query``).
    ``input`` is the tool's input with the client's keys. ``cwd`` and ``roots`` are absolute paths;
    ``roots`` is empty where nothing may count as the workspace. ``platform`` is ``linux``,
    ``darwin`` or ``windows``: it decides how paths are read, never the machine the guard runs on.
    ``shell`` is who reads the text of a shell call: ``sh`` (any shell of Unix, Git Bash too),
    ``powershell`` or ``cmd``; where it is ``""`` the tool's name and input say.
    ``intent``: what the person asked for, as names with commas between (``explain,test``);
    ``scope``: the limits they set, with semicolons between (``only src/foo; not tests; no push``).
    Both are taken from the prompts of the session where they are empty.
    ``agent_id`` names a sub-agent within the session, ``parent_id`` the sub-agent that started it,
    where the client says so.
    ``transcript`` is the path of the file in which the client notes its requests to the model.
    ``hints``: what is known of an MCP or custom tool besides its name and input: ``destructive``
    and ``changes`` (its server says so), ``changed`` (its description is not the one that was
    pinned), ``secret`` (the input holds one). They only tighten.
    ``typed``: the client can type into what the call starts, later and without asking again.
    """

    tool: str
    name: str
    input: Mapping[str, object]
    cwd: str = ""
    roots: tuple[str, ...] = ()
    platform: str = "linux"
    session: str = ""
    agent: str = ""
    agent_id: str = ""
    call_id: str = ""
    user: str = ""
    tenant: str = ""
    project: str = ""
    environment: str = ""
    intent: str = ""
    headless: bool = False
    shell: str = ""
    scope: str = ""
    parent_id: str = ""
    transcript: str = ""
    hints: tuple[str, ...] = ()
    typed: bool = False


class Outcome(Record):
    """What became of a call: ``ran``, ``failed`` or ``refused``, with an excerpt of what it
    printed.

    ``usage``: the tokens that the call itself took, where it asked a model.
    """

    call: ToolCall
    status: str
    excerpt: str = ""
    duration_ms: int = 0
    usage: Usage | None = None
