"""The list of commands that a profile lets run is a person's to extend: in their own file, for a
session, in a project they trust; by nobody else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.policy.layering import answer
from tests.policy.test_load import House, told, trusted
from tests.policy.test_session import put

if TYPE_CHECKING:
    from pathlib import Path

LISTED = "allow: [{rule: careful.unlisted-command, match: {commands: [go version, docker ps]}, because: they only look}]\n"
CAREFUL = "version: 1\nprofile: careful\n"


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """Make a machine in a folder whose home counts as the user's own, and whose user is careful."""
    monkeypatch.setattr("interlock.policy.load.is_own_home", lambda _home, _owner: True)
    house = House(tmp_path)
    house.write(house.user, CAREFUL)
    return house


def listed(house: House, session: str = "") -> bool:
    """Tell whether the listed commands run, and nothing else does that did not before; the same
    words in a longer call list nothing more.
    """
    house = house_of(house, session)
    assert answer("ls", house.policy()) == "allow"
    for other in (
        "go env -w A=b",
        "docker pull a",
        "frobnicate",
        "./go version",
        "go version; frobnicate",
        "sudo go version",
        "go version > ~/.bashrc",
    ):
        assert answer(other, house.policy()) == "ask", other
    assert answer("docker ps; rm -rf /", house.policy()) == "deny"
    found = {
        answer(command, house.policy())
        for command in (
            "go version",
            "docker ps -a --no-trunc",
            "/usr/bin/docker ps",
            "go version && ls",
        )
    }
    assert len(found) == 1
    return found == {"allow"}


def house_of(house: House, session: str) -> House:
    """Return the same machine in a session."""
    if session:
        house.where = house.where.replace(session=session)
    return house


def test_a_users_own_file_extends_the_list(house: House) -> None:
    """For good; without it they are asked about."""
    assert not listed(house)
    house.write(house.user, CAREFUL + LISTED)
    assert (listed(house), told(house.policy())) == (True, "")


def test_a_session_extends_it_for_itself(house: House) -> None:
    """By the file that only a person puts there."""
    put(house, f"version: 1\n{LISTED}")
    assert not listed(house)
    assert listed(house, "s")


def test_a_project_extends_it_only_where_its_user_trusts_it(house: House) -> None:
    """What an agent can write lists nothing."""
    house.write(house.project, f"version: 1\n{LISTED}")
    assert not listed(house)
    assert "a file of the project only tightens" in " ".join(house.loaded().merged.notes)
    trusted(house)
    assert listed(house)


@pytest.mark.parametrize("name", ["user", "project", "session"])
def test_what_the_organisation_chose_nobody_below_it_extends(house: House, name: str) -> None:
    """Unless it says so itself."""
    house.write(house.organisation, CAREFUL)
    house.write(house.user, "version: 1\nintent: warn\n")
    if name == "session":
        put(house, f"version: 1\n{LISTED}")
    else:
        house.write(getattr(house, name), f"version: 1\n{LISTED}")
    if name == "project":
        trusted(house)
    assert not listed(house, "s" if name == "session" else "")
    house.write(house.organisation, CAREFUL + LISTED)
    assert listed(house)


@pytest.mark.parametrize(
    ("rule", "match", "part"),
    [
        ("careful.unlisted-command", "{commands: '* --help'}", "stands for nearly everything"),
        (
            "careful.unlisted-command",
            "{effect: executes, target: go}",
            "write `match: {commands: [PROGRAM]}` to list one",
        ),
        (
            "careful.unlisted-command",
            "{commands: go, effect: reads, path: /a}",
            "or commands alone",
        ),
        ("careful.unlisted-command", "{commands: go, tool: shell}", "or commands alone"),
        ("careful.read-outside", "{commands: go version}", "speaks of the effect reads"),
        ("own.words", "{effect: reads, path: /a}", "looks at words and not at effects"),
    ],
)
def test_an_exception_that_excepts_nothing_is_told_in_one_sentence(
    house: House, rule: str, match: str, part: str
) -> None:
    """With what to write instead."""
    own = "rules: [{id: own.words, title: t, action: ask, match: {commands: frob}}]\n"
    house.write(
        house.user, f"{CAREFUL}{own}allow: [{{rule: {rule}, match: {match}, because: b}}]\n"
    )
    said = " ".join([problem.message for problem in house.loaded().problems])
    assert part in said
    assert "  and" not in said
    assert "of , " not in said
