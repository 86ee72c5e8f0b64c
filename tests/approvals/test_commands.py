"""``interlock approvals``, ``approve``, ``deny`` and ``grants`` as a person at a terminal uses
them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.approvals import answers, screen
from interlock.approvals.summary import ApprovalSummary, FindingSummary
from interlock.cli.main import main
from interlock.guard.services import NATIVE
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK
from tests.approving import Desk
from tests.terminal import ROOT, person

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str]]

INTERLOCK = [sys.executable, "-m", "interlock"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a desk with its store."""
    return Desk(tmp_path)


@pytest.fixture
def run(desk: Desk, tmp_path: Path) -> Run:
    """Run a command on a terminal of its own, where no agent runs."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("only where processes can be seen; elsewhere a token is needed")
    variables = {"HOME": str(desk.home), "PATH": "/usr/bin:/bin", "TERM": "xterm", "NO_COLOR": "1"}

    def go(*words: str, dialogue: list[list[str]] | None = None) -> tuple[int, str]:
        desk.store.transact(
            lambda connection: (
                connection.execute(
                    "DELETE FROM agent_process WHERE pid = ?", (os.getpid(),)
                ).rowcount
            )
        )
        code, text = person([*INTERLOCK, *words], variables, tmp_path, dialogue)
        return code, text.replace("\r", "")

    return go


def test_list_approve_and_run(desk: Desk, run: Run) -> None:
    """Nothing waits; then one does, is shown, approved by a short name, and runs."""
    assert run("approvals", "list") == (0, "nothing waits for an answer\n")
    name = desk.requested("ls; rm -rf ~/photos")
    code, said = run("approvals", "list")
    assert code == 0
    assert f"{name}  pending, " in said
    assert "^^^^^^^^" in said
    code, said = run("approve", name[2:6])
    assert (code, f"approved {name}: let the agent retry the same call within" in said) == (0, True)
    assert desk.check("ls; rm -rf ~/photos").verdict == VERDICT_ALLOW


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (-1, "0:00"),
        (252, "4:12"),
        (3600, "60 minutes"),
        (7199, "119 minutes"),
        (7200, "2 hours"),
        (86400, "24 hours"),
        (30 * 86400, "30 days"),
    ],
)
def test_how_long_is_left(seconds: float, said: str) -> None:
    """In the unit that says it best, and never one hour for two that have just begun."""
    assert screen.format_time_left(seconds) == said


@pytest.mark.parametrize(
    ("columns", "held"), [(80, 80), (300, screen.WIDTH), (0, screen.WIDTH), (10, 40)]
)
def test_a_question_fits_its_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: int, held: int
) -> None:
    """Lines break where the terminal ends, at a blank; one that does not know its size counts as
    wide.
    """
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((columns, 24)))
    item = FindingSummary(
        "deletes /home/me/photos (home), force, recursive " * 4,
        "deletes files outside the workspace",
        "fs.x",
        instead="Move them away.",
    )
    longest = max(
        map(
            len,
            screen.lines(ApprovalSummary("Bash", "/w", items=(item,)), screen.plain, colour=False),
        )
    )
    assert held - 12 < longest <= held


def test_deny_with_a_reason(desk: Desk, run: Run) -> None:
    """A no is said once; a second one says what became of it. The reason is kept, and shown with
    all.
    """
    name = desk.requested()
    assert run("deny", name, "--reason", "not the photos") == (0, f"refused {name}\n")
    code, said = run("deny", name)
    assert (code, said) == (
        1,
        f"interlock deny: {name} was refused by {answers.list_requests(desk.store, every=True)[0].by}\n",
    )
    assert "reason: not the photos" in run("approvals", "list", "--all")[1]
    assert run("approvals", "list")[1] == "nothing waits for an answer\n"


def test_grants_are_shown_and_taken_back(desk: Desk, run: Run) -> None:
    """A grant says how far it goes when it is made, is listed, and taken back by a short name."""
    name = desk.requested()
    code, said = run("approve", name, "--for", "project")
    covered = (
        f"deletes {desk.home}/photos, by force, with everything in it [fs.delete-outside-workspace]"
    )
    assert code == 0
    assert covered in said
    assert f"for the project {desk.project}, 100 times at most, for 30 days" in said
    grant = answers.grants(desk.store)[0].id
    assert covered in run("grants", "list")[1]
    assert json.loads(run("grants", "list", "--json")[1])["id"] == grant
    assert run("grants", "revoke", grant[:6]) == (0, f"revoked {grant}\n")
    assert run("grants", "list")[1] == "no standing approvals\n"
    assert run("grants", "revoke", grant)[0] == 1


def test_a_pause_makes_warnings_of_questions_and_ends(desk: Desk, run: Run) -> None:
    """What is asked about only warns meanwhile, what is denied stays denied, and what is about the
    guard is asked about; it can be ended.
    """
    guard = desk.guarding(desk.policy, NATIVE)
    asked, guards = "rm -rf ~/photos", "cp -r x ~/.claude"
    before = [guard.check(desk.call(command)).verdict for command in (asked, "rm -rf /", guards)]
    assert (before[0], before[2]) == (VERDICT_ASK, VERDICT_ASK)
    code, said = run("pause", "10m")
    assert (code, said.startswith("for 10:00 what would be asked about only warns")) == (0, True), (
        said
    )
    paused = [guard.check(desk.call(command)) for command in (asked, "rm -rf /", guards)]
    assert (paused[0].verdict, paused[0].warned) == (VERDICT_ALLOW, True)
    assert [decision.verdict for decision in paused[1:]] == before[1:]
    assert "questions are paused for" in run("pause")[1]
    assert "questions are paused for" in run("grants", "list")[1]
    assert run("pause", "20m")[0] == 0
    assert len(answers.grants(desk.store)) == 1
    assert run("pause", "--end") == (0, "questions are asked again\n")
    assert guard.check(desk.call(asked)).verdict == VERDICT_ASK


def test_an_agent_may_not_pause_its_guard(desk: Desk) -> None:
    """What an agent's process started is refused, and so is what has no terminal."""
    desk.check("ls")
    environment = {"HOME": str(desk.home), "PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [*INTERLOCK, "pause", "10m"],
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert answers.grants(desk.store) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["approve", "a-123456"],
            "interlock approve: there is no request 'a-123456'; `interlock approvals list` shows those that wait\n",
        ),
        (
            ["approve", "1"],
            "interlock approve: '1' is too short for the id of a request: give at least 3 characters after a-, such as a-1f2\n",
        ),
        (
            ["approve", "d-1", "--for", "session"],
            "interlock approve: 'd-1' is too short for the id of a decision: give at least 3 characters after d-, such as d-1f2\n",
        ),
        (
            ["deny", "a-123456"],
            "interlock deny: there is no request 'a-123456'; `interlock approvals list` shows those that wait\n",
        ),
        (
            ["grants", "revoke", "g-123"],
            "interlock grants: there is no grant 'g-123' to take back; `interlock grants list` shows those that count\n",
        ),
        (
            ["approve", "a-123456", "--below", "/x"],
            "interlock approve: there is no request 'a-123456'; `interlock approvals list` shows those that wait\n",
        ),
    ],
)
def test_errors_are_one_sentence(run: Run, words: list[str], said: str) -> None:
    """What, where and what to do; a terminal gets it in lines that fit."""
    code, shown = run(*words)
    assert (code, " ".join(shown.split())) == (1, " ".join(said.split()))


@pytest.mark.parametrize(
    "words", ["approvals list", "grants list", "limits", "approve a-123456", "deny a-123456"]
)
def test_a_damaged_store_is_told(
    desk: Desk, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever looks for what waited is told that the file was damaged, once; of a sound file
    nothing is said.
    """
    monkeypatch.setenv("HOME", str(desk.home))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    desk.requested()
    desk.store.close()
    main(["approvals", "list"])
    assert capsys.readouterr().err == ""
    for path in Path(desk.store.folder).glob("interlock.db*"):
        path.write_bytes(b"garbage" * 3000)
    main(words.split())
    assert "interlock: the audit database was damaged and was moved to" in capsys.readouterr().err
    main(["approvals", "list"])
    assert capsys.readouterr().err == ""


def test_watch(desk: Desk, run: Run) -> None:
    """The live view answers what is marked: one is approved, the next refused, and q leaves the
    terminal as it was.
    """
    first, second = desk.requested("rm -rf ~/a"), desk.requested("rm -rf ~/b")
    desk.requested("rm -rf ~/c")
    dialogue = [[f"> {first}", "y"], [f"approved {first}", "n"], [f"refused {second}", "q"]]
    code, said = run("approvals", "watch", dialogue=dialogue)
    assert code == 0, said
    assert desk.states() == ["pending", "refused", "granted"]
    assert (said.count("\x1b[?1049h"), said.count("\x1b[?1049l")) == (1, 1)


def test_watch_shows_what_comes(desk: Desk, run: Run) -> None:
    """With nothing to answer keys do nothing, and the view says so; Ctrl-C leaves it."""
    assert (
        run("approvals", "watch", dialogue=[["nothing waits", "y"], ["nothing waits", "\x03"]])[0]
        == 0
    )
    assert desk.states() == []


def test_json_is_whole(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line for each request, with all that is known of it; anybody may list."""
    name = desk.requested()
    monkeypatch.setenv("HOME", str(desk.home))
    assert main(["approvals", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["id"], found["state"], found["terms"], found["covers"][0]["target"]) == (
        name,
        "pending",
        {},
        f"{desk.home}/photos",
    )


def test_a_home_without_a_place_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where there is no store there is a sentence, and no traceback."""
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("USERPROFILE", raising=False)
    for words in (
        ["approvals", "list"],
        ["approve", "a-123456"],
        ["deny", "a-123456"],
        ["grants", "list"],
    ):
        assert main(words) == 1
        assert (
            capsys.readouterr().err
            == f"interlock {words[0]}: HOME is not set, so there is no place for the audit\n"
        )


def test_what_a_client_asked_about_is_granted_by_its_decision(desk: Desk, run: Run) -> None:
    """A person grants the decision for longer; once is answered at the prompt, and what was not
    asked about is nothing to grant.
    """
    native = desk.guarding(desk.policy, NATIVE)
    asked, allowed = native.check(desk.call()), native.check(desk.call("ls"))
    told = " ".join(run("approve", asked.id)[1].split())
    assert "in the agent itself; to stop being asked" in told
    told = " ".join(run("approve", allowed.id, "--for", "session")[1].split())
    assert "was not asked about: its answer was allow" in told
    assert "no decision begins with 'd-000000'" in run("approve", "d-000000", "--for", "session")[1]
    code, said = run("approve", asked.id[:10], "--for", "session")
    assert code == 0, said
    assert (
        f"deletes {desk.home}/photos, by force, with everything in it [fs.delete-outside-workspace]"
        in said
    )
    assert native.check(desk.call()).verdict == VERDICT_ALLOW
    assert native.check(desk.call("rm -rf ~/music")).verdict == VERDICT_ASK
    assert desk.states() == []
    hidden = native.check(desk.call("rm -rf ~/ghp_0123456789abcdefghijABCDEFGHIJ012345"))
    assert "holds a secret" in run("approve", hidden.id, "--for", "session")[1]


def test_what_no_target_bounds_is_granted_by_its_decision_too(desk: Desk, run: Run) -> None:
    """The very call that was recorded, word for word; one that holds a secret, or what nobody knows
    beforehand, is not.
    """
    native = desk.guarding(desk.policy, NATIVE)
    for command in ("sudo ls", "psql -c 'drop table a' < /dev/null", "docker rm -f web"):
        asked = native.check(desk.call(command))
        assert asked.verdict == VERDICT_ASK, command
        assert run("approve", asked.id, "--for", "session")[0] == 0, command
        assert native.check(desk.call(command)).verdict == VERDICT_ALLOW
    assert native.check(desk.call("sudo ls -l")).verdict == VERDICT_ASK
    hidden = native.check(
        desk.call(
            "sudo curl -H 'Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345' https://a.test"
        )
    )
    assert "can only be approved once" in run("approve", hidden.id, "--for", "session")[1]
    assert (
        "cannot be told from its words"
        in run("approve", native.check(desk.call("kill $(cat pid)")).id, "--for", "session")[1]
    )


RULE = """version: 1
rules:
- id: team.two-of-us
  title: deletes what the team keeps
  match: {effect: deletes, path: 'kept/**'}
  action: ask
  second_person: true
  wait: 2h
"""


def asked_by_a_client(desk: Desk, command: str) -> str:
    """Judge a command by the hook of a real client's event; return all that it said."""
    event = {
        "session_id": "s",
        "cwd": str(desk.project),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(ROOT / "src/interlock/hook.py"), "claude-code"],
        input=json.dumps(event),
        env={
            "HOME": str(desk.home),
            "PATH": "/usr/bin:/bin",
            "CLAUDE_PROJECT_DIR": str(desk.project),
        },
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    # who runs these tests is above the hook, and no agent
    desk.store.transact(lambda connection: connection.execute("DELETE FROM agent_process").rowcount)
    return done.stdout


def test_a_rule_of_the_project_needs_a_second_person(desk: Desk, run: Run) -> None:
    """A policy file's own rule: refused with a request at a client that could ask by itself, for
    two hours, and not to be approved by who asks.
    """
    policy = desk.project / ".interlock/policy.yaml"
    policy.parent.mkdir()
    policy.write_text(RULE, encoding="utf-8")
    said = asked_by_a_client(desk, "rm -r kept/old")
    assert "needs the user's approval, not of who asks: run `interlock approve a-" in said
    assert "within 2 hours, then retry this very call" in said
    name = answers.list_requests(desk.store)[0].id
    code, told = run("approve", name)
    assert (code, "was asked for on your behalf" in told) == (1, True)
    answers.approve(desk.store, name, answers.ApprovalAnswer("somebody-else"), desk.policy)
    assert asked_by_a_client(desk, "rm -r kept/old") == ""
    assert "interlock approve a-" in asked_by_a_client(desk, "rm -r kept/old")


def test_the_token_each_time(desk: Desk, run: Run) -> None:
    """A user's policy that wants the token at every terminal gets it; without the policy the
    terminal is enough.
    """
    name = desk.requested()
    policy = desk.home / ".config/interlock/policy.yaml"
    policy.parent.mkdir(parents=True)
    policy.write_text("version: 1\napprovals: {token_always: true}\n", encoding="utf-8")
    code, said = run("approve", name)
    assert (code, "the policy wants it each time" in " ".join(said.split())) == (1, True)
    policy.unlink()
    assert run("approve", name)[0] == 0


def test_explain_says_who_settled_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A recorded decision names the person and the approval; one that was refused names nobody."""
    name = desk.requested()
    desk.approve(name)
    spent, refused = desk.check(), desk.check()
    monkeypatch.setenv("HOME", str(desk.home))
    assert main(["explain", spent.id]) == 0
    assert f"deletes files outside the workspace (ask, settled by alice ({name}))" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["explain", refused.id]) == 0
    assert "settled by" not in capsys.readouterr().out


def test_what_nobody_could_be_asked_about_is_granted_by_its_decision(desk: Desk, run: Run) -> None:
    """A session without a person refuses and says how; the command that it names makes the same
    call run, and only that.
    """
    guard = desk.guarding(desk.policy, NATIVE)
    refused = guard.check(desk.call("rm -rf ~/photos", headless=True))
    said = refused.deciding[0].message
    assert said.endswith(
        f" To let such calls run from now on: interlock approve {refused.id} --for project"
    )
    code, told = run(*said.rpartition("interlock ")[2].split())
    assert (code, "✓ granted" in told) == (0, True), told
    assert guard.check(desk.call("rm -rf ~/photos", headless=True)).verdict == VERDICT_ALLOW
    assert guard.check(desk.call("rm -rf ~/letters", headless=True)).verdict != VERDICT_ALLOW


def test_what_cannot_be_granted_names_no_command(desk: Desk) -> None:
    """What is denied by a rule, and what has no target that bounds it."""
    guard = desk.guarding(desk.policy, NATIVE)
    for command in ("rm -rf /", "sudo make install"):
        refused = guard.check(desk.call(command, headless=True))
        assert refused.verdict != VERDICT_ALLOW
        assert not any("interlock approve" in finding.message for finding in refused.findings)
