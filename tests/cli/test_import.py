"""``interlock import``: the pages' examples become the pages' policies; what was imported is judged
as it was meant, with near misses; nothing is loosened; nonsense is one clear sentence.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from interlock.cli import build
from interlock.cli.main import main
from interlock.cli.policy_cases import judge_case
from interlock.integrations.importing import claude, codex, dippy, nah, safetynet
from interlock.integrations.importing.proposal import UnreadError, check_line, render_policy
from interlock.policy.builtin import builtin
from interlock.policy.cases import Case
from interlock.policy.compare import of_file
from interlock.policy.examples import HOME
from interlock.policy.problem import PolicyProblems
from interlock.policy.schema import USER
from interlock.policy.source import PolicySource

if TYPE_CHECKING:
    from types import ModuleType

    from interlock.model.policy import Policy

PAGES = Path(__file__).resolve().parents[2] / "docs" / "coming-from"
READERS: dict[str, tuple[ModuleType, str]] = {
    "claude-code": (claude, ".claude/settings.json"),
    "codex": (codex, "team.rules"),
    "dippy": (dippy, ".dippy"),
    "nah": (nah, "config.yaml"),
    "cc-safety-net": (safetynet, "rulebook.json"),
}


def proposed(tool: str, text: str) -> str:
    """Return the policy that a configuration proposes."""
    reader, path = READERS[tool]
    return render_policy([check_line(line) for line in reader.lines(text, path)], tool)


def policy(text: str) -> Policy:
    """Return the policy of a user with this file alone; raises ``PolicyError``."""
    if not text:
        return builtin()
    known = {rule.id: rule for rule in builtin().rules}
    source = PolicySource(
        USER, "p.yaml", HOME, known, build.reader(HOME), PolicyProblems("p.yaml"), loosens=True
    )
    return of_file(text.encode(), source, time.strftime("%Y-%m-%d", time.gmtime())).policy


def verdict(call: str | tuple[tuple[str, str], ...], held: Policy) -> str:
    """Return what is answered to a command or a tool's call."""
    decision = judge_case(Case("", call, "", 0, 0), held, HOME)[1]
    return "warn" if decision.warned else str(decision.verdict)


@pytest.mark.parametrize("tool", READERS)
def test_the_example_of_a_page_becomes_its_policy(tool: str) -> None:
    """Whoever reads the page sees what the command prints, to the letter."""
    page = (PAGES / f"{tool}.md").read_text(encoding="utf-8")
    theirs, ours = re.findall(r"^```\w*\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[:2]
    assert proposed(tool, theirs) == ours


def settings_of(**lists: list[str]) -> str:
    """Return settings of Claude Code with these permissions."""
    return json.dumps({"permissions": lists})


READ_ENV = (("tool", "Read"), ("file_path", ".env"))
EDIT_LOCK = (("tool", "Edit"), ("file_path", "poetry.lock"))
READ_LOCK = (("tool", "Read"), ("file_path", "poetry.lock"))
# tool, configuration, a call, the answer before, the answer after
ROWS: list[tuple[str, str, str | tuple[tuple[str, str], ...], str, str]] = [
    (
        "claude-code",
        settings_of(deny=["Bash(make deploy:*)"]),
        "make deploy STAGE=x",
        "allow",
        "deny",
    ),
    (
        "claude-code",
        settings_of(deny=["Bash(make deploy:*)"]),
        "sh -c 'cd a && make deploy'",
        "allow",
        "deny",
    ),
    ("claude-code", settings_of(deny=["Bash(make deploy:*)"]), "make test", "allow", "allow"),
    (
        "claude-code",
        settings_of(deny=["Bash(make deploy:*)"]),
        "echo make deploy",
        "allow",
        "allow",
    ),
    ("claude-code", settings_of(deny=["Read(./.env)"]), READ_ENV, "warn", "deny"),
    ("claude-code", settings_of(deny=["Read(./.env)"]), "cat .env", "warn", "deny"),
    ("claude-code", settings_of(deny=["Read(./.env)"]), "cat env.md", "allow", "allow"),
    ("claude-code", settings_of(deny=["Edit(*.lock)"]), EDIT_LOCK, "allow", "deny"),
    ("claude-code", settings_of(deny=["Edit(*.lock)"]), READ_LOCK, "allow", "allow"),
    (
        "claude-code",
        settings_of(ask=["Bash(* --frobnicate)"]),
        "tool go --frobnicate",
        "allow",
        "ask",
    ),
    (
        "claude-code",
        settings_of(allow=["WebFetch(domain:corp.test)"]),
        "curl -s https://corp.test/",
        "warn",
        "allow",
    ),
    ("claude-code", settings_of(allow=["Bash(rm -rf ~)"]), "rm -rf ~", "deny", "deny"),
    (
        "codex",
        'prefix_rule(pattern=["make", ["deploy", "ship"]], decision="prompt")',
        "make ship",
        "allow",
        "ask",
    ),
    (
        "codex",
        'prefix_rule(pattern=["make", ["deploy", "ship"]], decision="prompt")',
        "make test",
        "allow",
        "allow",
    ),
    (
        "codex",
        'prefix_rule(pattern=["git", "reset"])',
        "git push --force origin main",
        "ask",
        "ask",
    ),
    (
        "codex",
        'network_rule(host="paste.test", decision="forbidden")',
        "curl https://paste.test/x",
        "warn",
        "deny",
    ),
    ("dippy", 'deny make deploy * "ask the team"', "make deploy", "allow", "deny"),
    ("dippy", "deny make deploy *", "make -n test", "allow", "allow"),
    ("dippy", "ask-redirect **/*.lock", "echo x > poetry.lock", "allow", "ask"),
    ("dippy", "ask-redirect **/*.lock", "cat poetry.lock", "allow", "allow"),
    ("dippy", "allow rm *", "rm -rf ~", "deny", "deny"),
    ("nah", "actions: {git_remote_write: ask}", "git push origin topic", "warn", "ask"),
    ("nah", "actions: {git_remote_write: ask}", "git fetch origin", "allow", "allow"),
    ("nah", "actions: {filesystem_delete: allow}", "rm -rf ~", "deny", "deny"),
    (
        "nah",
        "classify: {service_destructive: [refresh-cache]}",
        "refresh-cache all",
        "allow",
        "ask",
    ),
    ("nah", "classify: {filesystem_read: [show-cache]}", "show-cache all", "allow", "allow"),
    (
        "cc-safety-net",
        '{"rules": [{"name": "a", "command": "git", "subcommand": "add", "block_args": ["-A"], "reason": "no"}]}',
        "git add -A",
        "allow",
        "deny",
    ),
    (
        "cc-safety-net",
        '{"rules": [{"name": "a", "command": "git", "subcommand": "add", "block_args": ["-A"], "reason": "no"}]}',
        "git add src/a.py",
        "allow",
        "allow",
    ),
    (
        "cc-safety-net",
        '{"rules": [{"name": "a", "command": "tf", "match": {"command_path": ["plan"], "any_args": ["-x"]}, "reason": "no"}]}',
        "tf plan -x",
        "allow",
        "deny",
    ),
]


@pytest.mark.parametrize(("tool", "text", "call", "before", "after"), ROWS)
def test_what_was_imported_is_judged_as_it_was_meant(
    tool: str, text: str, call: str | tuple[tuple[str, str], ...], before: str, after: str
) -> None:
    """Each stricter answer has a near miss that is answered as before, and no allow of theirs makes
    ours looser.
    """
    assert (verdict(call, builtin()), verdict(call, policy(proposed(tool, text)))) == (
        before,
        after,
    )


# tool, configuration, words of the report
SAID = [
    ("claude-code", settings_of(ask=["Bash"]), "not translated: names a whole tool"),
    (
        "claude-code",
        settings_of(allow=["Bash(ls:*)"]),
        "needs nothing: interlock does not ask about it",
    ),
    (
        "claude-code",
        settings_of(allow=["Bash(git push --force origin main)"]),
        "by git.force-push-main",
    ),
    ("claude-code", settings_of(deny=["Bash(*x*)"]), "can only ask, and this one refuses"),
    (
        "claude-code",
        settings_of(deny=["Read(!x)"]),
        "an exception from a pattern has no equal here",
    ),
    ("claude-code", settings_of(deny=["Read(../x)"]), "expected a path without `..` in it"),
    (
        "claude-code",
        settings_of(deny=["Skill(x)"]),
        "interlock has no rule for what Skill is given",
    ),
    ("codex", "x = 3", "line 1: x = 3"),
    ("codex", "prefix_rule(pattern=[a])", "its values are worked out when it is read"),
    ("codex", 'prefix_rule(pattern=["a"], decision="maybe")', "the decision 'maybe' is not known"),
    ("dippy", "allow-redirect /tmp/**", "an allow below a stricter line does not loosen it here"),
    ("dippy", "set default allow", "line 1: set default allow"),
    ("nah", "actions: {git_discard: ask}", "needs nothing: interlock's own rules say so already"),
    ("nah", "actions: {lang_exec: ask}", "interlock has no kind of rule for lang_exec"),
    ("nah", "trusted_containers: [a]", "has no equal here"),
]


@pytest.mark.parametrize(("tool", "text", "words"), SAID)
def test_what_does_not_translate_is_said(
    tool: str,
    text: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By its line, on standard error, so that the policy can be sent into a file."""
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / READERS[tool][1]
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    assert main(["import", tool, str(file)]) == 0
    told = capsys.readouterr()
    assert words in told.err
    assert "1 line: " in told.err
    assert "not translated" not in told.out


WRONG = [
    ("claude-code", "{", "this is no JSON"),
    ("claude-code", "[]", "expected an object with the key permissions"),
    ("codex", "prefix_rule(", "line 1: expected calls of prefix_rule(...)"),
    ("nah", "a: [", "YAML"),
    ("nah", "- a", "expected a table of keys"),
    ("cc-safety-net", "nonsense", "this is no JSON"),
]


@pytest.mark.parametrize(("tool", "text", "words"), WRONG)
def test_a_file_that_cannot_be_read_is_one_sentence(
    tool: str, text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It names the file and what is wrong with it; nothing is proposed."""
    file = tmp_path / "file"
    file.write_text(text, encoding="utf-8")
    assert main(["import", tool, str(file)]) == 1
    told = capsys.readouterr()
    assert (told.out, f"{file}: " in told.err, words in told.err) == ("", True, True)


def test_files_are_found_where_they_lie_by_default_and_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The user's and the project's; of a user's pattern that begins with ``/`` the start is the
    folder of the settings; in the home folder itself nothing counts twice.
    """
    project = tmp_path / "work"
    for folder in (tmp_path, project):
        (folder / ".claude").mkdir(parents=True)
        (folder / ".claude/settings.json").write_text(settings_of(deny=["Edit(/x/**)"]))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(project)
    assert main(["import", "claude-code"]) == 0
    text = capsys.readouterr().out
    assert '"${HOME}/.claude/x/**"' in text
    assert '"${WORKSPACE}/x/**"' in text
    monkeypatch.chdir(tmp_path)
    assert main(["import", "claude-code"]) == 0
    assert "1 line: 1 carried over" in capsys.readouterr().err
    monkeypatch.chdir(project)
    assert main(["import", "dippy"]) == 1
    assert (
        "no file of dippy is here (looked for ~/.dippy/config, .dippy)" in capsys.readouterr().err
    )


def test_a_policy_is_written_once_and_never_over_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--write`` makes the user's policy, and refuses where one is."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(
        "interlock.approvals.caller.examine", lambda *_: None
    )  # who runs tests may be an agent
    file = tmp_path / "x.rules"
    file.write_text('prefix_rule(pattern=["make", "deploy"], decision="prompt")')
    made = tmp_path / ".config/interlock/policy.yaml"
    assert main(["import", "codex", str(file), "--write"]) == 0
    before = made.read_text()
    assert "imported.codex-1" in before
    assert main(["import", "codex", str(file), "--write"]) == 1
    assert f"{made} is there already, and stays as it is" in capsys.readouterr().err
    assert made.read_text() == before
    file.write_text('prefix_rule(pattern=["ls"])')
    assert main(["import", "codex", str(file), "--write", str(tmp_path / "other.yaml")]) == 1
    assert "nothing of it translates, so nothing was written" in capsys.readouterr().err


PIECES = some.sampled_from(
    ["Bash(", "Read(", "Edit(", "WebFetch(domain:", "mcp__", ")", "git push", " *", ":*", "--force", "~/", "//", "..",
     "${HOME}", "!", "$x", "`", "|", '"', "\\", "\n", "é", "\x1b[2J", "{", "[", "a", " ", "deny ", "ask-redirect "]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(some.lists(PIECES, max_size=8).map("".join))
def test_whatever_stands_there_the_proposal_is_a_policy(text: str) -> None:
    """A rule of nonsense is left out and said, or is one that a policy takes; never a traceback."""
    accepted = 0
    for tool, given_text in (
        ("claude-code", settings_of(deny=[text], ask=[text], additionalDirectories=[text])),
        ("codex", f"prefix_rule(pattern=[{text!r}], decision='prompt', justification={text!r})"),
        ("dippy", f"deny {text}"),
        ("nah", json.dumps({"sensitive_paths": {text: "block"}, "classify": {"db_exec": [text]}})),
        (
            "cc-safety-net",
            json.dumps({"rules": [{"name": text, "command": text, "block_args": [text]}]}),
        ),
        ("nah", text),
        ("codex", text),
    ):
        try:
            accepted += bool(policy(proposed(tool, given_text)).rules)
        except UnreadError:
            continue
    assert accepted >= 5  # all but the two that may be no configuration
