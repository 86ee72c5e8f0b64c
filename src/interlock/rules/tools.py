"""Tools that nobody described: MCP servers' and custom ones."""

from __future__ import annotations

from interlock.model.action import ASK, WARN
from interlock.model.effect import Calls
from interlock.model.rule import Rule, call, on

RULES = (
    Rule(
        id="tool.unrecognised",
        title="calls a tool of which neither the name nor the arguments tell what it does",
        why="What a tool of somebody's server does is not known before it ran.",
        instead="Tell the user what you expect of it, or use a tool whose effect is plain.",
        match=on(Calls, has={"unrecognised"}),
        action=WARN, tags=frozenset({"mcp", "unread"}),
        catches=(call("mcp", name="mcp__acme__frobnicate", level="3"),
            call("other", name="Gizmo", x="y"),),
        passes=(call("mcp", name="mcp__acme__list_widgets", limit="3"),
            call("mcp", name="mcp__acme__frobnicate", path="/home/user/project/a.txt"),),
    ),
    Rule(
        id="tool.says-changes",
        title="calls a tool that changes something, its server says, and nobody knows what",
        why="The server does not call it a tool that only reads.",
        instead="Use a tool that only reads, where one does.",
        match=on(Calls, has={"says-changes"}),
        action=WARN, tags=frozenset({"mcp"}),
        catches=(call("mcp", name="mcp__acme__get_widget", hints="changes"),
            call("mcp", name="mcp__acme__frobnicate", id="7", hints="changes"),),
        passes=(
            call("mcp", name="mcp__acme__get_widget", id="7"),
            call("mcp", name="mcp__acme__write_note", path="/home/user/project/a.txt",
                hints="changes"),
        ),
    ),
    Rule(
        id="tool.says-destructive",
        title="calls a tool that destroys something, its server says, and nobody knows what",
        why="A server's word against its own tool is believed; its word for it is not.",
        instead="Show the user what would be lost, or use a tool that only reads.",
        match=on(Calls, has={"says-destructive"}),
        action=ASK, possible=ASK, tags=frozenset({"mcp", "data-loss"}),
        catches=(call("mcp", name="mcp__acme__tidy", hints="destructive"),
            call("mcp", name="mcp__acme__get_all", id="7", hints="destructive"),),
        passes=(
            call("mcp", name="mcp__acme__tidy"),
            call("mcp", name="mcp__acme__write_note", path="/home/user/project/a.txt",
                hints="destructive"),
        ),
    ),
    Rule(
        id="tool.changed-description",
        title="calls a tool whose description or schema is not the one that was pinned",
        why="A server that was trusted once can tell the agent something else later.",
        instead="Let the user compare both: interlock pins.",
        match=on(Calls, has={"changed-description"}),
        action=ASK, possible=ASK, tags=frozenset({"mcp", "supply-chain"}),
        catches=(call("mcp", name="mcp__acme__get_widget", hints="changed"),
            call("mcp", name="mcp__acme__add", a="1", hints="changed"),),
        passes=(call("mcp", name="mcp__acme__get_widget"),),
    ),
    Rule(
        id="tool.secret-argument",
        title="hands a secret to a tool",
        why="What a server is handed it may keep, log or pass on.",
        instead="Let the server read the secret from its own configuration.",
        match=on(Calls, has={"holds-secret"}),
        action=ASK, possible=ASK, tags=frozenset({"mcp", "exfiltration", "security-sensitive"}),
        catches=(call("mcp", name="mcp__acme__get_widget", q="x", hints="secret"),
            call("other", name="Gizmo", q="x", hints="secret"),),
        passes=(call("mcp", name="mcp__acme__get_widget", q="x"),),
    ),
    Rule(
        id="tool.sets-bounds",
        title="changes what a tool of the agent's is told to refuse",
        why="The next call of that tool may then do what it refused.",
        instead="Tell the user which bound is in the way, and let them change the server's settings.",
        match=on(Calls, has={"sets-bounds"}),
        action=ASK, possible=ASK, tags=frozenset({"mcp", "privilege", "security-sensitive"}),
        catches=(
            call("mcp", name="mcp__commander__set_config_value", key="blockedCommands", value="[]"),
            call("mcp", name="mcp__acme__add_allowed_directory", label="x"),
            call("other", name="set_permission_mode", mode="auto"),
        ),
        passes=(
            call("mcp", name="mcp__commander__set_config_value", key="telemetryEnabled", value="false"), call("mcp", name="mcp__commander__get_config"),
            call("mcp", name="mcp__forge__update_settings", allow_forks="no"),
        ),
    ),
    Rule(
        id="tool.odd-name",
        title="calls a tool whose name can be mistaken for another one",
        why="A name that looks like another one is no name a person can judge by.",
        instead="Ask the user which tool is meant.",
        match=on(Calls, has={"odd-name"}),
        action=ASK, possible=ASK, tags=frozenset({"mcp"}),
        catches=(call("mcp", name="mcp__fs__read\u200b_file"),
            call("mcp", name="mcp__acme__g\u0435t_widget"),),
        passes=(call("mcp", name="mcp__acme__get_widget"),),
    ),
)  # fmt: skip
