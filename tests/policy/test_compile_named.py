"""Pushes that name no branch, what a tag means, and programs of one's own."""

from __future__ import annotations

import pytest

from interlock.effects.read import read
from interlock.engine.proof import doubts
from interlock.facts import Recorded
from interlock.model.facts import Repository, Unknown
from interlock.policy.problem import PolicyError
from interlock.policy.schema import PROJECT, USER
from tests.judging import decided, shell
from tests.policy.layering import layers, merged, policy
from tests.policy.test_compile import TOPIC


class OnBranch(Recorded):
    """Facts of a repository on a branch; of none that is known where the branch is empty."""

    def __init__(self, branch: str) -> None:
        super().__init__("/home/user")
        self.branch = branch

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the repository."""
        return (
            Repository("/home/user/project", self.branch)
            if self.branch
            else super().repository(path)
        )


@pytest.mark.parametrize(
    ("command", "on_main", "on_topic", "unknown"),
    [
        ("git push", "deny", "allow", "ask"),
        ("git push origin", "deny", "allow", "ask"),
        ("git push origin HEAD", "deny", "allow", "ask"),
        ("git push origin @ --tags", "deny", "allow", "ask"),
        ("git push origin HEAD:main", "deny", "deny", "deny"),
        ("git push origin HEAD:topic", "allow", "allow", "allow"),
        ("git push origin topic", "allow", "allow", "allow"),
        ("git push origin $BRANCH", "ask", "ask", "ask"),
        ("git push origin release-$V", "deny", "deny", "deny"),
        ("git push origin ma$V", "ask", "ask", "ask"),
        ("git push origin fix-$V", "allow", "allow", "allow"),
        ("git push --all", "ask", "ask", "ask"),
        ("git add -A && git commit -m x && git push", "deny", "allow", "ask"),
        ("git -C . pull && git push", "deny", "allow", "ask"),
        # what may have changed the branch
        ("git checkout x && git push", "ask", "ask", "ask"),
        ("git -c a=b switch x && git push", "ask", "ask", "ask"),
        ("git symbolic-ref HEAD refs/heads/main && git push", "ask", "ask", "ask"),
        ("git stash branch x && git push", "ask", "ask", "ask"),
        ("git co main && git push", "ask", "ask", "ask"),
        ("make && git push", "ask", "ask", "ask"),
        ("echo 'ref: refs/heads/main' > .git/HEAD && git push", "ask", "ask", "ask"),
        ("cd /elsewhere/$X && git push", "ask", "ask", "ask"),
    ],
)
def test_a_push_that_names_no_branch_is_one_of_the_current_one(
    command: str, on_main: str, on_topic: str, unknown: str
) -> None:
    """Production's refs hold for it; where the branch is not known, it may be any."""
    found = policy("environments: {production: {git_refs: ['release-*', main], action: deny}}")
    answers = [
        str(decided(shell(command), found, OnBranch(branch)).verdict)
        for branch in ("main", "topic", "")
    ]
    assert answers == [on_main, on_topic, unknown]


def test_no_exception_speaks_of_a_push_that_names_no_branch() -> None:
    """What goes is for git's own settings to say, and those may say all branches."""
    found = policy(TOPIC)
    for command, expected in (
        ("git push -f", "ask"),
        ("git push -f origin", "ask"),
        ("git push -f origin topic/a", "allow"),
    ):
        assert str(decided(shell(command), found, OnBranch("topic/a")).verdict) == expected


SENSITIVE = frozenset(
    {
        "GR-004",
        "secrets",
        "privilege",
        "persistence",
        "exfiltration",
        "remote-control",
        "tamper",
        "traces",
    }
)


def test_security_sensitive_is_a_tag() -> None:
    """Secrets, rights, what runs at login, what leaves the machine, the guard itself: one word for
    all of them, to ask a role for.
    """
    for rule in merged().policy.rules:
        assert ("security-sensitive" in rule.tags) == bool(rule.tags & SENSITIVE), rule.id
    found = policy(
        "roles: {ann: security}\ntune: [{tag: security-sensitive, action: ask, approver: security}]"
    )
    for command, demanded in (
        ("cat ~/.ssh/id_rsa", True),
        ("sudo ls", True),
        ("echo x >> ~/.bashrc", True),
        ("rm -rf src", False),
        ("ls", False),
    ):
        decision = decided(shell(command), found)
        assert ([duty.detail for duty in decision.obligations] == ["security"]) is demanded, command


def test_a_program_of_ones_own_is_described_in_a_line_or_two() -> None:
    """Then a call of it can be proven harmless; a verb that changes something still counts, and so
    does what lies outside.
    """
    text = "version: 1\nprograms:\n- name: [shipyard, shy]\n  says: [operands reads*, -o --output =writes, -q]\n- name: git\n  says: [--nonsense]\n"
    policy = merged(*layers(text, USER)).policy
    found = {
        command: doubts(read(shell(command), Recorded("/home/user"), policy.programs))
        for command in (
            "shipyard -q -o a.txt b.txt",
            "shy -z",
            "shipyard deploy",
            "shipyard -o ~/a.txt",
            "git --nonsense status",
        )
    }
    assert found["shipyard -q -o a.txt b.txt"] == ()
    assert "the option -z of shy is not known" in found["shy -z"]
    assert "what shipyard deploy does is not known" in found["shipyard deploy"]
    assert "it writes /home/user/a.txt (in the home folder)" in found["shipyard -o ~/a.txt"]
    assert found["git --nonsense status"] != ()


def test_a_line_about_a_program_that_nobody_can_read_is_said() -> None:
    """With its place, and what may stand there; what a project's file says of programs counts for
    nothing.
    """
    with pytest.raises(
        PolicyError, match=r"user.yaml:4:9: expected a line such as .* not 'anything goes'"
    ):
        layers("version: 1\nprograms:\n- name: shipyard\n  says: [anything goes]\n", USER)
    assert (
        merged(
            *layers("version: 1\nprograms:\n- name: shipyard\n  says: -q\n", PROJECT)
        ).policy.programs
        == ()
    )
