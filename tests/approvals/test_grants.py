"""A grant covers an effect of one kind, by one rule, on one resolved target; it is counted, it
ends, and it covers all that is asked or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.approvals import answers
from interlock.approvals.answers import AnswerError
from interlock.approvals.exact_calls import verbatim
from interlock.approvals.grant_scope import covers_of
from interlock.model.action import ALLOW, ASK, DENY, THROTTLE, VERDICT_ALLOW, VERDICT_DENY
from interlock.model.call import MCP, SHELL, ToolCall
from interlock.model.decision import Decision, Finding
from interlock.model.effect import Deletes, Reading
from interlock.model.policy import Approving
from interlock.model.rule import Match, Rule, on
from interlock.policy.builtin import builtin
from interlock.policy.profiles import profile
from tests.approving import Desk
from tests.policy.layering import merged

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.action import Action
    from interlock.model.policy import Policy


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a desk whose guard files requests."""
    return Desk(tmp_path)


def granted(
    desk: Desk, command: str = "rm -rf ~/photos", scope: str = "session", below: str = ""
) -> answers.AnswerOutcome:
    """Ask for a call and grant it for longer; the approval of the call itself is used up."""
    said = desk.approve(desk.requested(command), scope=scope, below=below)
    assert said.grant is not None
    assert desk.check(command).verdict == VERDICT_ALLOW
    return said


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("rm -rf ~/photos", True),
        ("rm -rf $HOME/photos", True),
        ("cd ~ && rm -rf photos", True),
        ("python3 -c \"import shutil, os; shutil.rmtree(os.path.expanduser('~/photos'))\"", False),
        ("rm -rf ~/photos2", False),
        ("rm -rf ~/photos/2020", False),
        ("rm -rf ~/pho*", False),
        ("rm -rf ~/photos ~/music", False),
        ("rm -rf ~/photos && sudo ls", False),
        ("mv x ~/photos", False),
        ("ssh host rm -rf ~/photos", False),
    ],
)
def test_it_covers_the_effect_and_not_the_words(desk: Desk, command: str, runs: bool) -> None:
    """The same effect on the same target runs however it is written; another one, or one more, is
    asked about.
    """
    granted(desk)
    assert (desk.check(command).verdict == VERDICT_ALLOW) == runs


def test_a_link_is_not_covered(desk: Desk) -> None:
    """What was put in place of the granted folder and leads elsewhere is asked about; the folder
    itself runs.
    """
    (desk.home / "photos").mkdir()
    (desk.home / "music").mkdir()
    granted(desk, "rm -rf ~/photos/")
    (desk.home / "photos").rmdir()
    (desk.home / "photos").symlink_to(desk.home / "music")
    assert desk.check("rm -rf ~/photos/").verdict == VERDICT_DENY
    (desk.home / "photos").unlink()
    (desk.home / "photos").mkdir()
    assert desk.check("rm -rf ~/photos/").verdict == VERDICT_ALLOW


def test_a_session_is_not_another(desk: Desk) -> None:
    """A grant for a session counts in it alone; one for the project in every session of it, and in
    no other project.
    """
    granted(desk)
    assert desk.check().verdict == VERDICT_ALLOW
    assert desk.check(session="other").verdict == VERDICT_DENY
    granted(desk, "rm -rf ~/music", "project")
    assert desk.check("rm -rf ~/music", session="other").verdict == VERDICT_ALLOW
    elsewhere = desk.home / "work" / "elsewhere"
    elsewhere.mkdir()
    assert (
        desk.check(
            "rm -rf ~/music", session="third", cwd=str(elsewhere), roots=(str(elsewhere),)
        ).verdict
        == VERDICT_DENY
    )


def test_it_lies_with_the_user_and_not_in_the_project(desk: Desk) -> None:
    """Nothing is written into the project."""
    granted(desk, scope="project")
    assert list(desk.project.iterdir()) == []


def test_below_a_folder(desk: Desk) -> None:
    """A grant can be widened to all below a folder: to nothing beside it, nor through a link that
    leads out.
    """
    (desk.home / "old" / "deep").mkdir(parents=True)
    (desk.home / "old" / "way").symlink_to("/srv")
    granted(desk, "rm -rf ~/old/a", below=str(desk.home / "old"))
    found = {
        name: desk.check(f"rm -rf ~/{name}").verdict == VERDICT_ALLOW
        for name in ("old/b", "old/deep/c", "old", "older", "old/way/x", "old/../x")
    }
    assert found == {
        "old/b": True,
        "old/deep/c": True,
        "old": False,
        "older": False,
        "old/way/x": False,
        "old/../x": False,
    }


@pytest.mark.parametrize("folder", ["/", "/home", "~/music", "relative", "~/old/*", "~/old/../.."])
def test_a_folder_that_does_not_fit_is_refused(desk: Desk, folder: str) -> None:
    """A folder must hold what was asked about, and be no top of everything; its twin does."""
    name = desk.requested("rm -rf ~/old/a")
    with pytest.raises(AnswerError, match="does not lie in"):
        desk.approve(name, scope="session", below=folder.replace("~", str(desk.home)))
    assert desk.approve(name, scope="session", below=str(desk.home / "old")).grant


def test_it_is_counted(tmp_path: Path) -> None:
    """So many times, and then it is asked about again."""
    desk = Desk(tmp_path, policy=builtin().replace(approving=Approving(uses=2)))
    granted(desk)
    assert [desk.check().verdict == VERDICT_ALLOW for _ in range(3)] == [True, True, False]
    assert desk.events().count("grant-used") == 2


@pytest.mark.parametrize("column", ["expires", "revoked"])
def test_it_ends(desk: Desk, column: str) -> None:
    """A grant whose time is over, or that was taken back, counts no more; until then it did."""
    said = granted(desk)
    assert desk.check().verdict == VERDICT_ALLOW
    if column == "revoked":
        assert said.grant is not None
        answers.revoke(desk.store, said.grant.id[:6], "alice")
        assert answers.grants(desk.store) == []
    else:
        desk.store.transact(
            lambda connection: (
                connection.execute("UPDATE approval_grant SET expires = 1.0").rowcount
            )
        )
    assert desk.check().verdict == VERDICT_DENY


def changed(policy: Policy, **fields: object) -> Policy:
    """Return the policy with every rule changed."""
    return policy.replace(
        rules=tuple([rule.replace(**fields) for rule in policy.rules]), by_kind=None, hash="changed"
    )


@pytest.mark.parametrize(
    ("action", "floor", "runs"),
    [
        (ASK, ALLOW, True),
        (ASK, ASK, False),
        (DENY, DENY, False),
        (DENY, ALLOW, False),
        (THROTTLE, ALLOW, False),
    ],
)
def test_it_survives_an_edit_of_the_policy(
    desk: Desk, action: Action, floor: Action, runs: bool
) -> None:
    """A grant goes on counting in an edited policy, unless its rule's floor rose; and it never
    settles DENY or THROTTLE.
    """
    granted(desk)
    assert (
        desk.guarding(changed(desk.policy, action=action, floor=floor)).check(desk.call()).verdict
        == VERDICT_ALLOW
    ) == runs


def test_it_covers_all_that_asks_or_nothing(desk: Desk) -> None:
    """Two things that were granted may come together; with a third that was not, neither is used
    up.
    """
    granted(desk)
    granted(desk, "rm -rf ~/music")
    assert desk.check("rm -rf ~/photos ~/music").verdict == VERDICT_ALLOW
    left = {grant.id: grant.uses for grant in answers.grants(desk.store)}
    assert desk.check("rm -rf ~/photos ~/music ~/films").verdict == VERDICT_DENY
    assert {grant.id: grant.uses for grant in answers.grants(desk.store)} == left


def test_another_rule_on_the_same_effect_is_not_settled(desk: Desk) -> None:
    """A rule that is new asks, though the effect was granted under another."""
    granted(desk)
    added = Rule("t.new", "t", "w", "i", on(Deletes), ASK)
    assert (
        desk.guarding(desk.policy.replace(rules=(*desk.policy.rules, added), by_kind=None))
        .check(desk.call())
        .verdict
        == VERDICT_DENY
    )
    assert desk.check().verdict == VERDICT_ALLOW


NEVER = {
    "sudo ./install.sh": "may be another program by then",
    "sudo make install": "may be another program by then",
    "kill $(cat pid)": "cannot be told from its words",
    "docker rm -f $NAME": "cannot be told from its words",
    "rm -rf $UNKNOWN": "",
    'bash -c "$UNKNOWN"': "",
    "rm -rf ~/pho*": "not one thing",
    "rm -rf *": "not one thing",
    "rm -rf ../project": "tops of places",
    "crontab jobs": "has no bounds",
    "pip install --user --index-url https://up.example.net/ requests": "has no bounds",
    "pip install --user requests": None,
    "curl -T a.txt https://up.example.net/x": None,
}


@pytest.mark.parametrize("command", NEVER)
def test_what_is_never_granted(desk: Desk, command: str) -> None:
    """What has no bounds, or is not known for certain, is approved once or not at all; a plain
    target may be granted.
    """
    name = desk.requested(command)
    why = NEVER[command]
    if why is None:
        assert desk.approve(name, scope="session").grant
        return
    with pytest.raises(AnswerError, match=f"can only be approved once.*{why}"):
        desk.approve(name, scope="session")
    desk.approve(name)
    assert desk.check(command).verdict == VERDICT_ALLOW


STANDING = {
    "sudo ls": ("sudo ls -l", "sudo rm x", "sudo ls; sudo id"),
    "kill 12345": ("kill 12346", "kill -9 12345"),
    "npm publish": ("npm publish --tag beta", "npm unpublish"),
    "psql -c 'drop table users'": (
        "psql -c 'drop table orders'",
        "psql prod -c 'drop table users'",
    ),
    "terraform destroy": ("terraform destroy -auto-approve", "terraform apply"),
    "docker rm -f web": ("docker rm -f db", "docker rm -f web db"),
    "docker system prune -af": ("docker system prune -af --volumes",),
    "mytool deploy": ("mytool deploy --all", "mytool destroy"),
}
"""What no target bounds, and calls that are not the same, word for word."""


@pytest.mark.parametrize("command", STANDING)
def test_what_no_target_bounds_is_granted_word_for_word(desk: Desk, command: str) -> None:
    """In this session and folder, and as it stands; never for the project."""
    name = desk.requested(command)
    with pytest.raises(AnswerError, match="once or for the session"):
        desk.approve(name, scope="project")
    said = desk.approve(name, scope="session")
    assert said.grant is not None
    assert (
        f"this very call, word for word, in {desk.project}: {command}"
        in said.grant.covers[0].told()
    )
    again = {"command": command, "description": "other words of the agent's own"}
    assert [desk.check(command).verdict == VERDICT_ALLOW for _ in range(3)] == [True] * 3
    assert desk.guard.check(desk.call(command).replace(input=again)).verdict == VERDICT_ALLOW
    others = [desk.check(other) for other in STANDING[command]]
    others += [
        desk.check(command, session="other"),
        desk.check(command, cwd=str(desk.home)),
        desk.check(f"{command}; rm -rf ~/photos"),
    ]
    assert [decision.verdict for decision in others] == [VERDICT_DENY] * len(others)


def test_a_command_on_no_list_is_granted_word_for_word(tmp_path: Path) -> None:
    """In the careful profile: the same command again, while what its own file does stays the same;
    not a word more.
    """
    desk = Desk(
        tmp_path,
        policy=merged(profile("careful", {rule.id: rule for rule in builtin().rules})).policy,
    )
    (desk.project / "x.sh").write_text("echo built\n", encoding="utf-8")
    for command in ("go version", "./x.sh --fast"):
        desk.approve(desk.requested(command), scope="session")
        assert [desk.check(command).verdict == VERDICT_ALLOW for _ in range(2)] == [True, True]
    assert desk.check("go version; frobnicate").verdict == VERDICT_DENY
    assert desk.check("go env -w GOFLAGS=x").verdict == VERDICT_DENY
    (desk.project / "x.sh").write_text("rm -rf ~/photos\n", encoding="utf-8")
    assert desk.check("./x.sh --fast").verdict == VERDICT_DENY


@pytest.mark.parametrize(("tool", "same"), [(SHELL, True), (MCP, False)])
def test_what_an_agent_says_of_a_shell_call_is_no_part_of_it(tool: str, same: bool) -> None:
    """Of any other tool every field may be what it does."""
    calls = [
        ToolCall(tool, "t", {"command": "sudo ls", "description": words})
        for words in ("one", "two")
    ]
    assert (verbatim(calls[0], Reading(())) == verbatim(calls[1], Reading(()))) is same


@pytest.mark.parametrize("stage", ["limits", "validator", "guard"])
def test_no_other_stage_is_answered_word_for_word(desk: Desk, stage: str) -> None:
    """A budget, or a file of policy that cannot be read, is asked about each time; a rule that
    speaks of words is the twin.
    """
    call, reading = desk.call("ls"), Reading(())
    rule = Rule("own.words", "t", "w", "i", Match((), commands=("ls",)), ASK)
    held = desk.policy.replace(rules=(rule,))
    for finding, some in (
        (Finding("own.words", ASK), True),
        (Finding("own.words", ASK, stage), False),
        (Finding(f"{stage}.x", ASK), False),
    ):
        covers, _ = covers_of(
            Decision("d", (finding,)), held, desk.guard.facts, verbatim(call, reading)
        )
        assert bool(covers) is some


def test_another_machine_is_not_covered(desk: Desk) -> None:
    """What was granted here for a package is asked about on another machine; here it runs."""
    desk.approve(desk.requested("pip install --user requests"), scope="session")
    desk.check("pip install --user requests")
    assert desk.check("pip install --user requests").verdict == VERDICT_ALLOW
    assert desk.check("ssh build pip install --user requests").verdict == VERDICT_DENY


def test_a_push_is_granted_for_its_branch(desk: Desk) -> None:
    """A forced push of one branch to one remote runs again; of another branch, or from another
    repository, it is asked about.
    """
    granted(desk, "git push --force origin topic")
    assert desk.check("git push --force origin topic").verdict == VERDICT_ALLOW
    for other in (
        "git push --force origin other",
        "git push --force origin main",
        "git push --force mirror topic",
        "git -C ../x push --force origin topic",
    ):
        assert desk.check(other).verdict == VERDICT_DENY, other


@pytest.mark.parametrize(
    "command", ["rm -rf /", "echo '{}' > ~/.claude/settings.json", "interlock approve a-123456"]
)
def test_denials_and_the_guard_are_never_offered(desk: Desk, command: str) -> None:
    """What is denied, the guard's own files among it, is covered by no grant even where a person's
    word came to it.
    """
    decision = desk.check(command)
    assert decision.verdict == VERDICT_DENY
    assert covers_of(decision, desk.policy, desk.guard.facts)[0] == ()
    asked = desk.check("rm -rf ~/photos")
    assert covers_of(asked, desk.policy, desk.guard.facts)[0]


def test_without_an_owner_there_is_no_grant(desk: Desk) -> None:
    """A call without a session, or outside of every project, can be approved once only."""
    name = desk.requested(session="")
    with pytest.raises(AnswerError, match="belongs to no session"):
        desk.approve(name, scope="session")
    other = desk.requested(session="wide", roots=(), cwd=str(desk.home))
    with pytest.raises(AnswerError, match="belongs to no project"):
        desk.approve(other, scope="project")
    assert desk.approve(other, scope="session").grant


def test_a_target_with_a_secret_is_not_kept(desk: Desk) -> None:
    """A grant would keep the target in clear, so one that holds a secret is approved once."""
    name = desk.requested(
        "curl -T a.txt https://user:hunter2hunter2@up.example.net/x -H 'x: y' && rm -rf ~/ghp_0123456789abcdefghijABCDEFGHIJ012345"
    )
    with pytest.raises(AnswerError, match="holds a secret"):
        desk.approve(name, scope="session")
    assert desk.approve(desk.requested(), scope="session").grant
