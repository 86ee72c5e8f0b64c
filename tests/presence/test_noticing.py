"""The guard notices that it is gone: what an agent took away is told once and put back, and what a
person did stays as it is.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.approvals import caller
from tests.losing import HOOK, POLICY, Home

if TYPE_CHECKING:
    from pathlib import Path

GUARD = 'id: {name}\npatterns:\n  - match: "{name}"\n    verdict: ask\n    reason: "asked"\n'
GONE = "interlock's entry for claude-code"


@pytest.fixture
def home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Home:
    """Return a home in which nothing is installed yet."""
    return Home(tmp_path, monkeypatch, capsys)


@pytest.fixture
def guarded(home: Home) -> Home:
    """Return a home in which both clients ask interlock, with a policy of the person's own."""
    home.policy.write_text(POLICY, encoding="utf-8")
    assert "self-repair is on" in home.init()
    return home


# -- hooks -----------------------------------------------------------------------------------------


def test_what_git_took_away_is_put_back_at_the_next_event_of_any_client(guarded: Home) -> None:
    """The hooks of one client go by three calls of git; the other one's hook puts them back, and
    says so to the session and to the person, once.
    """
    guarded.at_work()
    guarded.stash(guarded.settings.parent)
    assert not guarded.settings.exists()
    said = guarded.event("codex", command="rm -rf /")
    assert said["permissionDecision"] == "deny", "the call is judged as before"
    assert (
        f"While an agent was at work, {GONE} in {guarded.settings} was gone; it was put back."
        in said["permissionDecisionReason"]
    )
    assert guarded.asks()
    assert guarded.told() == ""
    assert GONE in guarded.told(name="PostToolUse")
    assert guarded.told(name="PostToolUse") == ""
    (event,) = guarded.events()
    assert (event["by"], event["back"], event["disarms"]) == ("agent", True, "claude-code")


def test_what_is_missed_at_the_end_of_a_call_is_told_to_the_session_with_the_next(
    guarded: Home,
) -> None:
    """Whichever event comes first, both are told, each where they read it."""
    guarded.at_work()
    guarded.settings.unlink()
    assert GONE in guarded.event("claude-code", "PostToolUse")["systemMessage"]
    assert guarded.asks()
    assert GONE in guarded.event("codex")["additionalContext"]
    assert guarded.told() == ""


@pytest.mark.parametrize("name", ["SessionStart", "UserPromptSubmit", "PostToolUse"])
def test_every_event_looks(guarded: Home, name: str) -> None:
    """A session that begins, a prompt and a call's end find it as well, and none of them fails for
    it.
    """
    guarded.at_work()
    guarded.settings.unlink()
    assert GONE in guarded.told(name=name)
    assert guarded.asks()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"disableAllHooks": True}, "switched the hooks of claude-code off (disableAllHooks)"),
        (
            {"env": {"CLAUDE_CODE_SIMPLE": "1"}},
            "switched the hooks of claude-code off (env.CLAUDE_CODE_SIMPLE)",
        ),
        ({"hooks": {}}, "was gone"),
    ],
)
def test_hooks_that_are_switched_off_are_switched_on(
    guarded: Home, change: dict[str, object], said: str
) -> None:
    """A switch goes, an entry comes back, and the person's own settings beside them stay."""
    guarded.at_work()
    document = json.loads(guarded.settings.read_text(encoding="utf-8"))
    guarded.settings.write_text(
        json.dumps({**document, **change, "theme": "dark"}), encoding="utf-8"
    )
    assert said in guarded.told()
    after = json.loads(guarded.settings.read_text(encoding="utf-8"))
    assert guarded.asks()
    assert (after["theme"], after["model"]) == ("dark", "opus")
    assert "disableAllHooks" not in after
    assert after.get("env", {}) == {}


def test_an_entry_that_fails_open_is_put_right(guarded: Home) -> None:
    """What was left of it is no guard: the client would let calls run when the hook fails."""
    guarded.at_work()
    before = guarded.settings.read_text(encoding="utf-8")
    guarded.settings.write_text(
        before.replace('"onFailure": "block"', '"onFailure": "allow"'), encoding="utf-8"
    )
    assert "was changed; it was put back" in guarded.told()
    assert guarded.settings.read_text(encoding="utf-8") == before


def test_an_unrelated_edit_is_quiet(guarded: Home) -> None:
    """Another theme, another model, another hook: nobody is told, nothing is changed, and nothing
    is recorded.
    """
    guarded.at_work()
    document = json.loads(guarded.settings.read_text(encoding="utf-8"))
    document["hooks"]["PreToolUse"].append(
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}
    )
    text = json.dumps({**document, "theme": "dark", "model": "haiku"})
    guarded.settings.write_text(text, encoding="utf-8")
    assert guarded.told() == guarded.told(name="PostToolUse") == ""
    assert guarded.settings.read_text(encoding="utf-8") == text
    assert guarded.events() == []


def test_one_of_many_tells(guarded: Home) -> None:
    """Hooks that run at the same time tell of one loss once, and put it back once."""
    guarded.at_work()
    guarded.settings.unlink()
    event = {
        "session_id": "s",
        "cwd": str(guarded.project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
    }
    started = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", str(HOOK), "codex"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=guarded.variables,
        )
        for _ in range(4)
    ]
    said = [
        one.communicate(json.dumps({**event, "tool_use_id": f"t{number}"}).encode())[0]
        for number, one in enumerate(started)
    ]
    assert sum(GONE.encode() in one for one in said) == 1, said
    assert len(guarded.events()) == 1
    assert guarded.asks()


# -- who did it ------------------------------------------------------------------------------------


def test_what_a_person_uninstalls_stays_away(guarded: Home) -> None:
    """Also while an agent works: nobody is told of a loss, and nothing is put back."""
    guarded.at_work()
    assert guarded.run("uninstall", "claude-code")[0] == 0
    assert guarded.told() == guarded.told(name="PostToolUse") == ""
    assert not guarded.asks()
    assert guarded.run("uninstall")[0] == 0
    assert not (guarded.state / "installed").exists()


def test_an_agent_uninstalls_nothing(guarded: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the reading of its command missed it, the command looks who started it; to look at what
    it would do anybody may.
    """
    guarded.at_work()

    def refuses(*_: object) -> None:
        raise caller.AgentCallerError("CLAUDECODE is set")

    with monkeypatch.context() as patch:
        patch.setattr("interlock.approvals.caller.examine", refuses)
        code, said = guarded.run("uninstall", "claude-code")
        assert code == 1
        assert (
            "an agent may not take the guard away: CLAUDECODE is set; use a terminal of your own"
            in said
        )
        assert guarded.run("uninstall", "claude-code", "--dry-run")[0] == 0
    assert guarded.asks()
    assert guarded.run("uninstall", "claude-code")[0] == 0
    assert not guarded.asks()


def test_what_an_agent_takes_out_of_the_settings_comes_back(guarded: Home) -> None:
    """With whatever it edits them: what it took away is a loss like any other."""
    guarded.at_work()
    guarded.settings.write_text("{}")
    assert not guarded.asks()
    assert "it was put back" in guarded.told()
    assert guarded.asks()


def test_what_a_person_removes_by_hand_while_no_agent_works_stays_away(guarded: Home) -> None:
    """The last session is an hour ago: hooks are quiet about it, doctor and status say it, and a
    person installs it anew when they want it.
    """
    guarded.at_work()
    guarded.long_ago()
    guarded.settings.unlink()
    assert guarded.told() == guarded.told(name="PostToolUse") == ""
    assert not guarded.settings.exists()
    assert [event["by"] for event in guarded.events()] == ["person"]
    assert (
        f"{GONE} in {guarded.settings} was gone; no agent was at work, so it stays so"
        in guarded.run("doctor", "claude-code")[1]
    )
    assert "no agent was at work, so it stays so" in guarded.run("status")[1]
    assert guarded.run("install", "claude-code")[0] == 0
    assert "none; what an agent takes away is put back" in guarded.run("doctor", "claude-code")[1]


@pytest.mark.parametrize("sign", ["transcript", "process"])
def test_a_session_that_goes_on_unseen_counts_as_at_work(guarded: Home, sign: str) -> None:
    """Its last judged call is an hour ago; that it is at work shows by its transcript, or by its
    client's process, which runs still.
    """
    guarded.event("claude-code", "SessionStart" if sign == "process" else "UserPromptSubmit")
    guarded.at_work()
    guarded.long_ago()
    guarded.settings.unlink()
    if sign == "transcript":
        guarded.transcript.write_text("{}\n", encoding="utf-8")
    assert "it was put back" in guarded.told()
    assert guarded.asks()


def test_without_self_repair_it_is_told_and_stays(home: Home) -> None:
    """Once; status is red, and the person's next ``init`` puts it back."""
    assert "self-repair is off" in home.init("--no-self-repair")
    home.at_work()
    home.settings.unlink()
    assert "self-repair is off, so it stays so until a person runs `interlock init`" in home.told()
    assert home.told() == ""
    assert not home.settings.exists()
    code, said = home.run("status")
    assert (code, GONE in said) == (1, True)
    assert "self-repair is off" in home.init(), "as it was chosen before"
    assert home.asks()
    assert home.run("status")[1].count("losses") == 0
    assert "self-repair is on" in home.init("--self-repair")


def test_what_cannot_be_put_back_is_said_and_tried_again_by_a_person(guarded: Home) -> None:
    """Settings that are no JSON are left as they are; when they can be read again, ``status`` puts
    the entry back.
    """
    guarded.at_work()
    guarded.settings.write_text("{ // mine\n", encoding="utf-8")
    assert "cannot be read any more; it could not be put back: " in guarded.told()
    assert guarded.told() == ""
    assert guarded.settings.read_text(encoding="utf-8") == "{ // mine\n"
    guarded.settings.write_text("{}", encoding="utf-8")
    assert "it was put back" in guarded.run("status")[1]
    assert guarded.asks()


# -- policy files ----------------------------------------------------------------------------------


def test_a_policy_that_was_taken_away_is_put_back(guarded: Home) -> None:
    """Byte for byte, with its permissions, and before the next call is judged: by it."""
    guarded.policy.chmod(0o640)
    guarded.init()
    guarded.at_work()
    guarded.stash(guarded.policy.parent)
    said = guarded.event("codex", command="cat keys/a")
    assert said["permissionDecision"] == "deny"
    assert (
        f"the policy {guarded.policy} was gone; it was put back" in said["permissionDecisionReason"]
    )
    assert guarded.policy.read_text(encoding="utf-8") == POLICY
    assert guarded.policy.stat().st_mode & 0o777 == 0o640


def test_a_policy_that_was_changed_is_told_and_left(guarded: Home) -> None:
    """It may be the person's own doing while an agent waits for them; ``init`` takes it as it
    is.
    """
    guarded.at_work()
    changed = POLICY.replace("keys", "other")
    guarded.policy.write_text(changed, encoding="utf-8")
    assert f"the policy {guarded.policy} was changed; it holds as it is now." in guarded.told()
    assert guarded.told() == ""
    assert guarded.policy.read_text(encoding="utf-8") == changed
    assert guarded.run("status")[0] == 1
    guarded.init()
    assert guarded.run("status")[0] == 0


def test_what_a_person_wrote_last_is_what_comes_back(guarded: Home) -> None:
    """An edit while no agent works is the person's own, so an agent's deletion is undone to it."""
    guarded.policy.write_text(f"{POLICY}# mine\n", encoding="utf-8")
    assert guarded.told(session="c") == ""
    guarded.policy.unlink()
    assert "it was put back" in guarded.told(session="c")
    assert guarded.policy.read_text(encoding="utf-8") == f"{POLICY}# mine\n"


def test_of_a_folder_of_guards_the_one_that_is_gone_comes_back(home: Home) -> None:
    """The other, which was edited, stays as it is."""
    folder = home.home / ".claude/guards"
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.yaml").write_text(GUARD.format(name=name), encoding="utf-8")
    home.init()
    home.at_work()
    kept = (folder / "a.yaml").read_text(encoding="utf-8")
    (folder / "a.yaml").unlink()
    (folder / "b.yaml").write_text(GUARD.format(name="c"), encoding="utf-8")
    assert f"the policy {folder} was gone; it was put back" in home.told()
    assert (folder / "a.yaml").read_text(encoding="utf-8") == kept
    assert 'match: "c"' in (folder / "b.yaml").read_text(encoding="utf-8")


def test_a_projects_policy_is_told_and_not_put_back(home: Home) -> None:
    """Another branch may hold none; the project's own hooks come back all the same."""
    own, settings = home.project / ".interlock/policy.yaml", home.project / ".claude/settings.json"
    own.parent.mkdir()
    own.write_text(POLICY, encoding="utf-8")
    assert home.run("init", "--yes", "--agent", "codex")[1]
    assert home.run("install", "claude-code", "--project", ".")[0] == 0
    home.at_work()
    own.unlink()
    settings.unlink()
    said = home.told()
    assert f"the project's policy {own} was gone; it stays so" in said
    assert f"{GONE} in {settings} was gone; it was put back" in said
    assert (own.exists(), settings.exists()) == (False, True)


# -- plugins ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", ["plugin/interlock.js", "opencode.json"])
def test_a_plugin_and_the_line_beside_it_come_back(home: Home, lost: str) -> None:
    """OpenCode loads a file of ours, and a line lets no tool run without it."""
    folder = home.home / ".config/opencode"
    home.run("init", "--yes", "--agent", "opencode", "--agent", "codex")
    before = {
        name: (folder / name).read_bytes() for name in ("plugin/interlock.js", "opencode.json")
    }
    home.at_work()
    (folder / lost).unlink()
    assert "it was put back" in home.told()
    assert {name: (folder / name).read_bytes() for name in before} == before
    (folder / "plugin/interlock.js").write_text("// nothing\n", encoding="utf-8")
    assert "was changed; it was put back" in home.told()
    assert (folder / "plugin/interlock.js").read_bytes() == before["plugin/interlock.js"]
