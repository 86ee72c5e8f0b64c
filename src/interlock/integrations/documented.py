"""Clients known from their pages only: one adapter, and a row for each. Nobody has run these with
the real program, so nothing is promised.

A client's event is turned into one of the shape that measured clients send (``event_shape``), and
the answer is said by exit code and JSON as the client's page has it. Pages read in November 2026:
cursor.com/docs/agent/hooks, docs.windsurf.com (Cascade hooks), docs.cline.bot/customization/hooks,
kiro.dev/docs/cli/hooks, docs.factory.ai (hooks), goose's and Amp's manuals.
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.integrations.dialect import Dialect, line
from interlock.integrations.event_shape import Shape
from interlock.integrations.protocol import (
    CARRIES,
    CHECK,
    OTHER,
    OUTCOME,
    PROMPT,
    SESSION,
    ClientEvent,
    Reply,
    clip,
    denial,
    effective_verdict,
    question,
)
from interlock.model import call as tools
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK
from interlock.model.decision import Decision
from interlock.model.jsontext import dumps
from interlock.model.record import Record

CLAUDE, CURSOR, CLINE = "claude", "cursor", "cline"
"""How a refusal is said: exit 2, words on stderr and Claude Code's JSON, which clients that read
the exit code only pass over; the same with Cursor's JSON; Cline's JSON and exit 0.
"""


class Documented(Record):
    """One client as its page describes it.

    ``words``: its words and the shape of its events; ``says``: how a refusal is said. ``file``:
    where its hooks are written, and ``snippet`` what is written there, with ``COMMAND`` for the
    line. ``closed``: what the page says of a hook that fails. ``page``: the address.
    """

    title: str
    words: Dialect
    page: str
    file: str
    snippet: str
    closed: str
    says: str = CLAUDE

    @property
    def asks(self) -> str:
        """Whether the client can ask a person: ``native`` or ``never``."""
        return self.words.asks

    def read(
        self, payload: object, variables: Mapping[str, str], platform: str = "linux"
    ) -> ClientEvent:
        """Turn a payload into an event; raises ``UnreadableError``."""
        return self.words.read(payload, variables, platform)

    def write(self, decision: Decision, event: ClientEvent) -> Reply:
        """Say a decision: nothing for an allow, the client's own question for an ask where it has
        one, else a refusal.
        """
        verdict = effective_verdict(decision, CARRIES)
        if verdict == VERDICT_ALLOW:
            return Reply()
        if verdict == VERDICT_ASK and self.asks == "native":
            why = question(decision, event)
            return Reply(line({"permission": "ask", "user_message": why, "agent_message": why}))
        return self._refused(denial(decision, event))

    @property
    def asks_first(self) -> bool:
        """Whether the client asks its user first: nobody knows, and nothing is answered."""
        return False

    def permit(self, event: ClientEvent, *, approved: bool) -> Reply:
        """Leave the client's own question to its user: what an answer does there is untried."""
        del event, approved
        return Reply()

    def greet(self, event: ClientEvent) -> Reply:
        """Say nothing: whether the model would read it is not known."""
        del event
        return Reply()

    def on_error(self, message: str, kind: str = CHECK) -> Reply:
        """Refuse a check; else say it on standard error, and let the session go on."""
        if kind != CHECK:
            return Reply(stderr=f"interlock: {clip(message, 400)}\n")
        return self._refused(
            f"interlock could not judge this call, so it did not run: {clip(message, 400)}. Tell"
            " the user."
        )

    def written(self, command: str) -> str:
        """Return what is written into the client's settings, for a line that starts the guard."""
        quoted = dumps(command)[1:-1] if self.snippet[:1] == "{" else command
        return self.snippet.replace("COMMAND", quoted)

    def _refused(self, why: str) -> Reply:
        if self.says == CURSOR:
            return Reply(
                line({"permission": "deny", "user_message": why, "agent_message": why}),
                why + "\n",
                2,
            )
        if self.says == CLINE:
            return Reply(line({"cancel": True, "errorMessage": why}), why + "\n")
        said = {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": why,
        }
        return Reply(
            line({"decision": "block", "reason": why, "hookSpecificOutput": said}), why + "\n", 2
        )


_EVENTS = {
    "PreToolUse": CHECK,
    "PostToolUse": OUTCOME,
    "UserPromptSubmit": PROMPT,
    "SessionStart": SESSION,
}
_ENDS = dict.fromkeys(("SessionEnd", "Stop", "SubagentStop", "Notification", "PreCompact"), OTHER)
_GROUPED = (
    '{"hooks": {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command": "COMMAND",'
    ' "timeout": 60}]}]}}'
)

CLIENTS: dict[str, Documented] = {
    "amp": Documented(
        "Amp",
        Dialect(
            "amp",
            "never",
            {"call": CHECK},
            {"Bash": tools.SHELL, "Read": tools.READ, "create_file": tools.WRITE,
                "edit_file": tools.EDIT},
            shape=Shape(event="", session="", cwd="cwd", prompt="", number="",
                variable="AGENT_TOOL_NAME"),
        ),
        page="https://ampcode.com/manual",
        file="~/.config/amp/settings.json",
        snippet='{"amp.permissions": [{"tool": "*", "action": "delegate", "to": "PROGRAM"}]}',
        closed="not said; PROGRAM is a file of your own, executable, that holds the line `exec sh -c COMMAND`",
    ),
    "cline": Documented(
        "Cline",
        Dialect(
            "cline",
            "never",
            {**_EVENTS, "TaskStart": OTHER, "TaskResume": OTHER, "TaskCancel": OTHER,
                "TaskComplete": OTHER, "PreCompact": OTHER},
            {"execute_command": tools.SHELL, "read_file": tools.READ, "write_to_file": tools.WRITE,
                "replace_in_file": tools.EDIT,
                "search_files": tools.GREP, "list_files": tools.GLOB},
            shape=Shape(event="hookName", session="taskId", cwd="", root="workspaceRoots.0",
                tool="preToolUse.toolName",
                given="preToolUse.parameters", number="", prompt="userPromptSubmit.prompt"),
        ),
        page="https://docs.cline.bot/customization/hooks",
        file="~/Documents/Cline/Hooks/PreToolUse (executable)",
        snippet="#!/bin/sh\nCOMMAND",
        closed="not said",
        says=CLINE,
    ),
    "cursor": Documented(
        "Cursor",
        Dialect(
            "cursor",
            "native",
            {
                **dict.fromkeys(("preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile"), CHECK),
                "beforeSubmitPrompt": PROMPT,
                **dict.fromkeys(("sessionStart", "sessionEnd", "stop", "postToolUse", "subagentStart", "subagentStop", "afterFileEdit"), OTHER),
            },
            {"Shell": tools.SHELL, "Read": tools.READ, "Write": tools.WRITE, "Edit": tools.EDIT,
                "Delete": tools.EDIT, "Grep": tools.GREP,
                "Task": tools.TASK, "WebFetch": tools.FETCH},
            mcp="MCP:",
            shape=Shape(session="conversation_id", root="workspace_roots.0", number="generation_id",
                calls={"beforeShellExecution": ("Shell", {"command": "command"}),
                    "beforeReadFile": ("Read", {"file_path": "file_path"})}),
        ),
        page="https://cursor.com/docs/agent/hooks",
        file="~/.cursor/hooks.json",
        snippet='{"version": 1, "hooks": {"preToolUse": [{"command": "COMMAND", "timeout": 60, "failClosed": true}]}}',
        closed="open, unless `failClosed` is true, as it is here. Cursor also reads Claude Code's hook files where third-party settings are on",
        says=CURSOR,
    ),
    "droid": Documented(
        "Factory Droid",
        Dialect(
            "droid",
            "never",
            {**_EVENTS, **_ENDS},
            {"Execute": tools.SHELL, "Read": tools.READ, "Create": tools.WRITE, "Edit": tools.EDIT,
                "ApplyPatch": tools.EDIT, "Grep": tools.GREP,
                "Glob": tools.GLOB, "LS": tools.GLOB, "FetchUrl": tools.FETCH,
                "WebSearch": tools.SEARCH, "Task": tools.TASK},
            shape=Shape(),
        ),
        page="https://docs.factory.ai/reference/hooks-reference",
        file="~/.factory/settings.json",
        snippet=_GROUPED,
        closed="not said",
    ),
    "goose": Documented(
        "Goose",
        Dialect(
            "goose",
            "never",
            {**_EVENTS, **_ENDS},
            {"developer__shell": tools.SHELL, "shell": tools.SHELL,
                "developer__text_editor": tools.EDIT, "text_editor": tools.EDIT},
            joint="__",
            shape=Shape(),
        ),
        page="https://block.github.io/goose/docs (context engineering, hooks; from 1.38)",
        file="~/.agents/plugins/interlock/hooks/hooks.json",
        snippet=_GROUPED,
        closed="not said",
    ),
    "kiro": Documented(
        "Kiro CLI",
        Dialect(
            "kiro",
            "never",
            {"preToolUse": CHECK, "postToolUse": OUTCOME, "userPromptSubmit": PROMPT,
                "agentSpawn": SESSION, "stop": OTHER},
            {"execute_bash": tools.SHELL, "shell": tools.SHELL, "fs_read": tools.READ,
                "read": tools.READ, "fs_write": tools.EDIT,
                "write": tools.EDIT, "grep": tools.GREP, "glob": tools.GLOB,
                "web_fetch": tools.FETCH, "web_search": tools.SEARCH},
            shape=Shape(),
        ),
        page="https://kiro.dev/docs/cli/hooks",
        file="the agent's own file, ~/.kiro/agents/NAME.json",
        snippet='{"hooks": {"preToolUse": [{"matcher": "*", "command": "COMMAND", "timeout_ms": 60000}]}}',
        closed="open: other exit codes than 2 are a warning",
    ),
    "windsurf": Documented(
        "Windsurf",
        Dialect(
            "windsurf",
            "never",
            {
                **dict.fromkeys(("pre_run_command", "pre_write_code", "pre_read_code", "pre_mcp_tool_use"), CHECK),
                "pre_user_prompt": PROMPT,
                **dict.fromkeys(("post_run_command", "post_write_code", "post_read_code", "post_mcp_tool_use", "post_cascade_response"), OTHER),
            },
            {"run_command": tools.SHELL, "write_code": tools.WRITE, "read_code": tools.READ},
            shape=Shape(event="agent_action_name", session="trajectory_id", cwd="tool_info.cwd",
                tool="tool_info.mcp_tool_name",
                server="tool_info.mcp_server_name", given="tool_info.mcp_tool_arguments",
                number="execution_id", prompt="tool_info.user_prompt",
                calls={
                    "pre_run_command": ("run_command", {"command": "tool_info.command_line"}),
                    "pre_write_code": ("write_code", {"file_path": "tool_info.file_path"}),
                    "pre_read_code": ("read_code", {"file_path": "tool_info.file_path"}),
                }),
        ),
        page="https://docs.windsurf.com/windsurf/cascade/hooks",
        file="~/.codeium/windsurf/hooks.json",
        snippet='{"hooks": {"pre_run_command": [{"command": "COMMAND"}], "pre_write_code": [{"command": "COMMAND"}], '
        '"pre_read_code": [{"command": "COMMAND"}], "pre_mcp_tool_use": [{"command": "COMMAND"}]}}',
        closed="open: only exit 2 blocks",
    ),
}  # fmt: skip
"""Clients with a hook. Those without one (Zed, Roo Code, Aider) have a sentence on
``docs/clients/README.md``.
"""
