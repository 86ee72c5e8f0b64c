"""The team's policy as a layer: below what lies on the machine itself, above all that its user
says; and a file that only the user's account protects loosens nothing that root's tightened.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from interlock.policy.files import PolicyLocations
from interlock.policy.load import load
from tests.judging import decided, shell
from tests.policy.layering import reader

PUSH = "git push origin topic"


def write(path: str, action: str, mode: int = 0o600) -> None:
    """Write a policy that answers a push so."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(f"version: 1\ntune: [{{rule: git.push, action: {action}}}]\n")
    Path(path).chmod(mode)


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PolicyLocations:
    """Return places where policy may lie, all of them this user's, whose home it is."""
    monkeypatch.setattr("interlock.policy.load.is_own_home", lambda *_: True)
    own, home = os.getuid(), f"{tmp_path}/home"
    return PolicyLocations(
        f"{tmp_path}/etc", home, state=f"{home}/.local/state/interlock", owner=own, above=own
    )


def answered(where: PolicyLocations) -> str:
    """Return how a push is answered."""
    found = load(where, reader, 20_000)
    assert not found.problems
    return str(decided(shell(PUSH), policy=found.policy).verdict)


ORDER = [
    # root's own, the team's, the user's: what holds
    ("deny", "allow", "", "deny"),
    ("", "allow", "", "allow"),
    ("", "deny", "allow", "deny"),
    ("", "", "allow", "allow"),
    ("allow", "deny", "", "deny"),
]


@pytest.mark.parametrize(("root", "team", "user", "holds"), ORDER)
@pytest.mark.parametrize("place", [0, 1], ids=["root's file", "the user's file"])
def test_the_team_stands_between_the_machine_and_its_user(
    where: PolicyLocations, root: str, team: str, user: str, holds: str, place: int
) -> None:
    """What the machine's own file tightened stays, and so does what the team tightened."""
    files = (where.organisation_file, where.fleet_files[place], where.user_file)
    for path, action in zip(files, (root, team, user), strict=True):
        if action:
            write(path, action)
    assert answered(where) == holds


def test_where_root_keeps_the_teams_policy_a_users_own_counts_for_nothing(
    where: PolicyLocations,
) -> None:
    """Otherwise an agent would write one beside it; alone the user's counts."""
    write(where.fleet_files[1], "allow")
    assert answered(where) == "allow"
    write(where.fleet_files[0], "deny")
    assert answered(where) == "deny"


def test_a_teams_file_that_others_can_write_is_not_believed(where: PolicyLocations) -> None:
    """It loosens nothing, and that is said."""
    write(where.fleet_files[1], "allow", 0o666)
    found = load(where, reader, 20_000)
    assert "can be written by others" in found.problems[0].message
    assert str(decided(shell(PUSH), policy=found.policy).verdict) != "allow"
