"""MCP and custom tools that nobody described: what their arguments, their names and their servers'
hints come to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.model.action import ALLOW, ASK, WARN
from interlock.model.call import MCP, OTHER
from interlock.policy.builtin import builtin
from tests.judging import ROOT, decided, rules_of, tool

if TYPE_CHECKING:
    from interlock.model.decision import Decision

DEEP = {"a": [{"b": {"c": [{"path": "/etc/passwd"}]}}]}

# name, input, the rule that asks (or ""), the same with another argument, which is not asked about
ARGUMENTS: list[tuple[str, dict[str, object], str, dict[str, object]]] = [
    ("fs__delete_file", {"path": "/srv/x"}, "fs.delete-outside-workspace", {"path": f"{ROOT}/build/x.o"}),
    ("fs__delete_file", {"options": {"targetPath": "/srv/x"}}, "fs.delete-outside-workspace", {"options": {"targetPath": f"{ROOT}/build/x.o"}}),
    ("fs__save", {"files": [{"file_path": "/etc/hosts"}]}, "fs.overwrite-system", {"files": [{"file_path": "a.txt"}]}),
    ("git__git_checkout_files", {"repo_path": "/srv/x", "files": ["/srv/x/a"]}, "fs.write-outside-workspace", {"repo_path": ROOT, "files": ["a.py"]}),
    ("acme__go", {"steps": [{"run": "rm -rf ~/photos"}]}, "fs.delete-outside-workspace", {"steps": [{"run": "ls"}]}),
    ("acme__go", {"shell_command": "rm -rf ~/photos"}, "fs.delete-outside-workspace", {"shell_command": "ls"}),
    ("acme__go", {"params": {"arguments": '{"cmd": "rm -rf ~/photos"}'}}, "fs.delete-outside-workspace", {"params": {"arguments": '{"cmd": "ls"}'}}),
    ("acme__go", {"argv": ["rm", "-rf", "/home/user/photos"]}, "fs.delete-outside-workspace", {"argv": ["ls", "-l"]}),
    ("acme__go", {"command": "rm", "args": ["-rf", "/home/user/photos"]}, "fs.delete-outside-workspace", {"command": "ls", "args": ["-l"]}),
    ("acme__go", {"command": "rm -rf ~/photos", "Command": "ls"}, "fs.delete-outside-workspace", {"command": "ls", "Command": "ls"}),
    ("acme__go", {"Command": "ls", "command": "rm -rf ~/photos"}, "fs.delete-outside-workspace", {"Command": "ls", "command": "ls"}),
    ("acme__go", {"cmd": ["bash", "-c"], "args": ["rm -rf ~/photos"]}, "fs.delete-outside-workspace", {"cmd": ["bash", "-c"], "args": ["ls"]}),
    ("acme__get", {"binary": "/home/user/.ssh/id_rsa"}, "secret.read", {"binary": f"{ROOT}/a.out"}),
    ("acme__go", {"program": "rm", "arguments": "-rf ~/photos"}, "fs.delete-outside-workspace", {"program": "ls", "arguments": "-l"}),
    ("acme__start", {"args": ["bash", "-c", "rm -rf ~/photos"]}, "fs.delete-outside-workspace", {"args": ["rm: no such file", "x"]}),
    ("acme__go", {"cli_command": "aws s3 rb s3://b --force"}, "infra.change", {"cli_command": "aws s3 ls"}),
    ("acme__go", {"kubectlCommand": "kubectl delete ns prod"}, "infra.change", {"kubectlCommand": "kubectl get pods"}),
    ("jupyter__execute_cell", {"source": "!rm -rf ~/photos"}, "fs.delete-outside-workspace", {"source": "import pandas as pd\npd.DataFrame()"}),
    ("jupyter__execute_cell", {"code": "%%bash\nrm -rf ~/photos"}, "fs.delete-outside-workspace", {"code": "%%time\nprint(1)"}),
    ("devtools__evaluate", {"expression": "require('child_process').execSync('rm -rf ~/photos')"}, "fs.delete-outside-workspace",
        {"expression": "1 + 1"}),
    ("terminal__send", {"line": "rm -rf ~/photos"}, "fs.delete-outside-workspace", {"line": "ls"}),
    ("jupyter__insert_execute_code_cell", {"cell_source": "import os; os.system('rm -rf ~/photos')"}, "fs.delete-outside-workspace",
        {"cell_source": "print('rm -rf ~/photos')"}),
    ("notes__run_cell", {"cell": "import shutil; shutil.rmtree('/srv/x')"}, "fs.delete-outside-workspace", {"cell": "1 + 1"}),
    ("commander__interact_with_process", {"pid": 7, "input": "rm -rf ~/photos"}, "fs.delete-outside-workspace", {"pid": 7, "input": "ls"}),
    ("commander__write_stdin", {"data": "rm -rf ~/photos"}, "fs.delete-outside-workspace", {"data": "y"}),
    ("repl__send", {"code": "import shutil; shutil.rmtree('/srv/x')"}, "fs.delete-outside-workspace", {"code": "import shutil"}),
    ("repl__send", {"line": "import shutil; shutil.rmtree('/srv/x')"}, "fs.delete-outside-workspace", {"line": "print(1)"}),
    ("repl__send", {"input": "import shutil; shutil.rmtree('/srv/x')"}, "fs.delete-outside-workspace", {"input": "x = 'shutil.rmtree'"}),
    ("acme__type_into_repl", {"text": "require('fs').rmSync('/srv/x')"}, "fs.delete-outside-workspace", {"text": "1 + 1"}),
    ("commander__kill_process", {"pid": 4242}, "system.kill", {"name": "mine"}),
    ("commander__kill_process", {"pid": 1}, "system.kill-all", {"name": "mine"}),
    ("acme__launch", {"executable": "/bin/rm", "params": "-rf /srv/x"}, "fs.delete-outside-workspace", {"executable": "/bin/ls", "params": "-l"}),
    ("acme__kubectl", {"args": "delete ns prod"}, "infra.change", {"args": "get pods"}),
    ("acme__kubectl", {"args": ["delete", "ns", "prod"]}, "infra.change", {"args": ["get", "pods"]}),
    ("acme__run_code", {"language": "python", "code": "import shutil; shutil.rmtree('/srv/x')"}, "fs.delete-outside-workspace",
        {"language": "python", "code": "print('shutil.rmtree')"}),
    ("acme__run_code", {"language": "ruby", "code": "File.delete('/srv/x')"}, "fs.delete-outside-workspace", {"language": "ruby", "code": "puts 1"}),
    ("acme__execute", {"code": "require('fs').rmSync('/srv/x')"}, "fs.delete-outside-workspace", {"code": "console.log(1)"}),
    ("acme__execute", {"code": "import os; os.remove('/srv/x')"}, "fs.delete-outside-workspace", {"code": "AB-12"}),
    ("docker__run_container", {"image": "alpine", "privileged": True}, "infra.container-breakout", {"image": "alpine"}),
    ("docker__run_container", {"image": "alpine", "volumes": ["/:/host"]}, "infra.container-breakout", {"image": "alpine", "volumes": ["./a:/a"]}),
    ("docker__run_container", {"image": "a", "volumes": {"/etc": "/e"}}, "infra.container-breakout", {"image": "a", "volumes": {"./a": "/a"}}),
    ("github__push_files", {"branch": "main"}, "git.push-main", {"branch": "topic"}),
    ("github__create_or_update_file", {"path": "a", "branch": "main"}, "git.push-main", {"path": "a", "branch": "topic"}),
    ("git__git_push", {"branch": "x", "force": True}, "git.force-push", {"branch": "x"}),
    ("acme__go", {"sql": "DROP TABLE users"}, "db.drop", {"sql": "SELECT 1"}),
    ("acme__go", {"request": {"querySql": "DROP TABLE users"}}, "db.drop", {"request": {"querySql": "SELECT 1"}}),
    ("acme__go", {"query": "drop table users"}, "db.drop", {"query": "drop in tables for users"}),
    ("warehouse_db__go", {"query": "TRUNCATE users"}, "db.drop", {"query": "SELECT * FROM users"}),
    ("acme__get", {"url": "http://169.254.169.254/latest/meta-data"}, "secret.metadata-service", {"url": "http://localhost:3000/x"}),
    ("acme__get", {"page": {"endpoint": "169.254.169.254/latest"}}, "secret.metadata-service", {"page": {"endpoint": "localhost/x"}}),
    ("acme__get", {"callback_url": "http://169.254.169.254/"}, "secret.metadata-service", {"callback_url": "http://localhost/"}),
    ("acme__get", {"uri": "file:///home/user/.ssh/id_rsa"}, "secret.read", {"uri": f"file://{ROOT}/a.txt"}),
]  # fmt: skip


def decide(
    name: str,
    given: dict[str, object],
    hints: tuple[str, ...] = (),
    profile: str = "default",
    kind: str = MCP,
) -> Decision:
    """Return the decision on a call of a tool that nobody described."""
    return decided(
        tool(kind, given, f"mcp__{name}" if kind == MCP else name).replace(hints=hints),
        builtin(profile),
    )


@pytest.mark.parametrize(
    ("name", "given", "rule", "twin"),
    ARGUMENTS,
    ids=[f"{row[0]}-{number}" for number, row in enumerate(ARGUMENTS)],
)
def test_arguments_are_judged_however_deep_they_stand(
    name: str, given: dict[str, object], rule: str, twin: dict[str, object]
) -> None:
    """Paths, commands, URLs and SQL count under any usual key; the harmless twin is not asked
    about.
    """
    found = decide(name, given)
    assert found.action >= ASK
    assert rule in rules_of(found)
    assert decide(name, twin).action < ASK, rules_of(decide(name, twin))
    assert decide(name, given, kind=OTHER).action >= ASK


NAMES = [  # name, in the default profile, in the careful one
    ("acme__frobnicate", WARN, ASK),
    ("acme__go", WARN, ASK),
    ("acme__list_widgets", ALLOW, ALLOW),
    ("acme__getWidget", ALLOW, ALLOW),
    ("acme__create_widget", ALLOW, ALLOW),
    ("acme__delete_widget", ASK, ASK),
    ("acme__purgeWidgets", ASK, ASK),
    ("acme__memory__delete_all", ASK, ASK),
    ("memory__delete_entities", ASK, ASK),
    ("todo__remove_item", ALLOW, ALLOW),
    ("acme__share_page", ASK, ASK),
    ("acme__grant_access", ASK, ASK),
    ("acme__make_public", ASK, ASK),
    ("acme__get_share_settings", ALLOW, ALLOW),
    ("acme__get_secret", ASK, ASK),
    ("acme__reveal_password", ASK, ASK),
    ("acme__list_secrets", ALLOW, ALLOW),
    ("git__git_stash_push", ALLOW, ALLOW),
    ("github__list_push_rules", ALLOW, ALLOW),
    ("acme__g\u0435t_widget", ASK, ASK),
    ("acme__get\u200b_widget", ASK, ASK),
    ("acme__get widget", ASK, ASK),
    ("acme__get_" + "x" * 300, ASK, ASK),
]


@pytest.mark.parametrize(
    ("name", "default", "careful"), NAMES, ids=[ascii(row[0])[:40] for row in NAMES]
)
def test_a_name_alone_is_told_by_its_verb(name: str, default: int, careful: int) -> None:
    """A destructive verb asks, one that looks is silent, and where nothing is recognised there is a
    warning, or a question where care is wanted.
    """
    assert decide(name, {}).action == default, rules_of(decide(name, {}))
    assert decide(name, {}, profile="careful").action == careful


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Frobnicate", WARN), ("DeleteWidget", ASK), ("ListWidgets", ALLOW), ("TodoWrite", ALLOW)],
)
def test_a_custom_tool_is_told_by_its_verb_too(name: str, expected: int) -> None:
    """A tool that is no MCP tool, and of which no client told us, is judged alike; the clients' own
    lists and plans are known.
    """
    assert decide(name, {}, kind=OTHER).action == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mcp_github_delete_repository", ASK),
        ("mcp_my_own_wiki_purge_page", ASK),
        ("wiki-delete-page", ASK),
        ("my_wiki_delete_page", ASK),
        ("mcp_my_own_wiki_get_delete_policy", ALLOW),
        ("wiki-list-pages", ALLOW),
        ("slack-post-message", ASK),
    ],
)
def test_a_name_in_which_the_server_is_not_told_apart(name: str, expected: int) -> None:
    """Gemini CLI, Copilot and OpenCode write server and tool as one: the verb counts wherever it
    stands, unless one before it only looks.
    """
    assert decided(tool(MCP, {}, name)).action == expected, rules_of(decided(tool(MCP, {}, name)))


HINTS = [  # name, input, hints, the action
    ("acme__get_widget", {}, (), ALLOW),
    ("acme__get_widget", {}, ("changes",), WARN),
    ("acme__get_widget", {}, ("destructive",), ASK),
    ("acme__write", {"path": f"{ROOT}/a.txt"}, ("changes", "destructive"), ALLOW),
    ("acme__get_widget", {}, ("changed",), ASK),
    ("acme__write", {"path": f"{ROOT}/a.txt"}, ("changed",), ASK),
    ("acme__get_widget", {"token": "x"}, ("secret",), ASK),
    ("acme__get_widget", {}, ("read-only",), ALLOW),
]


@pytest.mark.parametrize(("name", "given", "hints", "action"), HINTS)
def test_a_servers_word_only_tightens(
    name: str, given: dict[str, object], hints: tuple[str, ...], action: int
) -> None:
    """What a server says against its tool is believed where the arguments do not tell."""
    assert decide(name, given, hints).action == action


@pytest.mark.parametrize("name", ["acme__delete_widget", "acme__frobnicate", "gmail__send_email"])
def test_a_hint_never_loosens(name: str) -> None:
    """A tool that calls itself harmless is judged as one that says nothing."""
    assert decide(name, {}, ("read-only",)).action == decide(name, {}).action > ALLOW


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("docs__search", {"source": "import os; os.system('rm -rf ~/photos')"}),
        ("jupyter__insert_cell", {"cell_source": "!rm -rf ~/photos"}),
        ("nlp__process_text", {"text": "rm -rf ~/photos", "input": "rm -rf ~/photos"}),
        ("acme__get", {"params": "-rf /srv/x"}),
    ],
)
def test_text_that_nothing_runs_is_text(name: str, given: dict[str, object]) -> None:
    """What is only kept, looked for or worked on is data, whatever it says."""
    assert decide(name, given).action < ASK


def test_what_is_typed_into_a_page_is_no_statement() -> None:
    """A text for a page that reads like SQL is data; the same text for a tool nobody knows may
    run.
    """
    assert decide("playwright__browser_type", {"text": "drop table users"}).action == ALLOW
    assert decide("acme__go", {"text": "drop table users"}).action == ASK


def test_an_image_is_a_container_only_for_tools_of_containers() -> None:
    """``image`` names a picture elsewhere."""
    assert decide("acme__create_card", {"image": "a.png", "privileged": True}).action < ASK


def test_more_arguments_than_are_looked_at_are_asked_about() -> None:
    """What stands behind the last argument that is read cannot slip by; a table of numbers is no
    such thing.
    """
    assert decide("acme__get_widget", {"rows": ["x"] * 3000}).action == ASK
    assert (
        decide("acme__get_widget", {"rows": [[1.5] * 100] * 100, "names": ["x"] * 500}).action
        == ALLOW
    )


BOUNDS: list[tuple[str, dict[str, object], bool]] = [
    ("mcp__desktop-commander__set_config_value", {"key": "blockedCommands", "value": []}, True),
    (
        "mcp__desktop-commander__set_config_value",
        {"key": "allowedDirectories", "value": ["/"]},
        True,
    ),
    ("mcp__fs__set_allowed_directories", {"directories": ["/"]}, True),
    ("mcp__fs__add_allowed_path", {"path": f"{ROOT}/x"}, True),
    ("mcp__acme__update_settings", {"settings": {"security": {"auto_approve": True}}}, True),
    ("mcp__acme__update_config", {"arguments": '{"readOnly": false}'}, True),
    ("mcp__acme__configure", {"config": {"alwaysAllow": ["run"]}}, True),
    ("mcp__acme__update_configuration", {"alwaysAllow": ["run"]}, True),
    ("set_permission_mode", {"mode": "bypass"}, True),
    ("set_mode", {"mode": "yolo"}, True),
    ("toggle_sandbox", {}, True),
    ("disable_command_validation", {}, True),
    ("mcp__desktop-commander__set_config_value", {"key": "defaultShell", "value": "zsh"}, False),
    ("mcp__desktop-commander__set_config_value", {"key": "fileReadLineLimit", "value": 9}, False),
    ("mcp__desktop-commander__get_config", {"key": "blockedCommands"}, False),
    ("mcp__fs__list_allowed_directories", {}, False),
    (
        "mcp__gitlab__update_project_settings",
        {"allow_forks": True, "description": "blocked commands"},
        False,
    ),
    ("mcp__notion__update_page", {"title": "allowed directories"}, False),
    ("mcp__acme__write_note", {"key": "blockedCommands", "path": f"{ROOT}/n.md"}, False),
    ("mcp__acme__update_config", {"key": "theme", "confirm": True}, False),
    ("mcp__sheets__set_cell", {"name": "sandbox"}, False),
]


@pytest.mark.parametrize(("name", "fields", "asked"), BOUNDS)
def test_a_tool_that_sets_what_tools_may_do(
    name: str, fields: dict[str, object], asked: bool
) -> None:
    """By a setter's name and a bound's, wherever that stands in the arguments; another setting, a
    look at one and words about one are quiet.
    """
    found = decided(tool(MCP if name.startswith("mcp__") else OTHER, fields, name))
    assert ("tool.sets-bounds" in rules_of(found)) is asked
    assert not asked or str(found.verdict) != "allow"
