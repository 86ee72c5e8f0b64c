"""The session's layer: a file that a person puts there, for one session, below all others."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.policy import cache
from interlock.policy.current import current
from interlock.policy.schema import SESSION
from interlock.store.database import Store
from tests.judging import decided, shell
from tests.policy.layering import answer, wrong
from tests.policy.test_commands import Shell, at_terminal
from tests.policy.test_load import (
    BOTH,
    LOOSE,
    PUSH,
    TIGHT,
    UNKNOWN,
    House,
    loosened,
    symlinked,
    told,
)
from tests.policy.test_replay import recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.model.policy import Policy


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """Make a machine in a folder whose home counts as the user's own."""
    monkeypatch.setattr("interlock.policy.load.is_own_home", lambda _home, _owner: True)
    return House(tmp_path)


def put(house: House, text: str, session: str = "s") -> Path:
    """Write a session's file as the command does."""
    path = Path(house.where.replace(session=session).session_file)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return house.write(path, text)


def policy(house: House, session: str = "s") -> Policy:
    """Return the policy that a call of a session is judged by."""
    return current(house.where.replace(session=session), house.reader)


def test_it_holds_for_its_session_alone(house: House) -> None:
    """Another session, and a call of none, are judged as before."""
    put(house, BOTH)
    assert (answer(UNKNOWN, policy(house)), answer(PUSH, policy(house))) == ("allow", "deny")
    for other in ("t", ""):
        assert (answer(UNKNOWN, policy(house, other)), answer(PUSH, policy(house, other))) == (
            "warn",
            "warn",
        )


@pytest.mark.parametrize("name", ["organisation", "user", "project"])
def test_it_undoes_nothing_that_a_layer_above_tightened(house: House, name: str) -> None:
    """The session is the lowest rank; what is built in it may loosen, down to the floors."""
    put(house, "version: 1\ntune: [{rule: git.push, action: allow}]\n")
    assert answer(PUSH, policy(house)) == "allow"
    house.write(getattr(house, name), TIGHT)
    assert answer(PUSH, policy(house)) == "deny"


def test_floors_hold_and_nobody_observes_for_a_session() -> None:
    """Neither the guard's own files nor the answers themselves are a session's to give up."""
    assert "has the floor ask" in wrong("tune: [{rule: guard.change-files, action: warn}]", SESSION)
    from tests.policy.layering import layers, merged

    for text in ("observe: true\nintent: on", "profile: observe"):
        assert answer("rm -rf /", merged(*layers(f"version: 1\n{text}", SESSION)).policy) == "deny"


def test_a_profile_is_chosen_for_a_session(house: House) -> None:
    """Stricter for one piece of work, and only there."""
    put(house, "version: 1\nprofile: read-only\n")
    assert (answer("echo x > a", policy(house)), answer("echo x > a", policy(house, "t"))) == (
        "deny",
        "allow",
    )


SPOILT: tuple[Callable[[Path], object], ...] = (
    lambda file: file.chmod(0o666),
    lambda file: file.parent.chmod(0o777),
    symlinked,
)


@pytest.mark.parametrize("spoil", SPOILT, ids=["written by all", "its folder", "a link"])
def test_one_that_others_could_have_written_loosens_nothing(
    house: House, spoil: Callable[[Path], object]
) -> None:
    """It is a file like the others: who could write it could write the policy."""
    spoil(put(house, LOOSE))
    assert not loosened(policy(house))
    assert told(policy(house))


def test_sessions_without_one_share_what_is_compiled(house: House) -> None:
    """A new session reads no YAML; one with a file of its own reads it once."""
    house.write(house.user, LOOSE)
    for session in ("a", "b", "a", ""):
        policy(house, session)
    assert house.read == 1
    put(house, TIGHT)
    for session in ("s", "a", "s"):
        policy(house, session)
    assert house.read == 2
    assert len(list(Path(cache.folder(house.where)).glob("*.policy"))) == 2


def test_where_there_is_no_home_a_session_has_none(house: House) -> None:
    """The organisation's policy holds all the same."""
    house.write(house.organisation, TIGHT)
    found = current(house.where.replace(home="", state="", session="s"), house.reader)
    assert answer(PUSH, found) == "deny"


def test_no_agent_writes_or_removes_it(house: House) -> None:
    """Its place is among the guard's own files, by shell and by command."""
    home = "/home/user/.local/state/interlock/sessions/x.yaml"
    for command in (
        f"echo x > {home}",
        f"rm {home}",
        "interlock policy session a.yaml",
        "interlock policy session --clear",
    ):
        assert str(decided(shell(command)).verdict) == "deny", command
    assert str(decided(shell("interlock policy show")).verdict) == "allow"
    assert house.where.session_file == ""


# -- the command -----------------------------------------------------------------------------------

COMMAND = """
import sys
from interlock.cli import main, session, person_check
from interlock.policy import load
person_check.needs_person = lambda _store, *, given: None
load.is_own_home = session.is_own_home = lambda _home, _owner: True
sys.exit(main.main(["policy", "session", *sys.argv[1:]]))
"""


@pytest.fixture
def person(tmp_path: Path) -> Shell:
    """Make a home and a project with a history and a file to hold for the session."""
    found = Shell(tmp_path)
    Store(str(found.home / ".local/state/interlock"))
    recorded(found.home / ".local/state/interlock", ("ls",))
    (found.project / "mine.yaml").write_text(BOTH, encoding="utf-8")
    return found


def held(person: Shell) -> list[Path]:
    """Return the files of sessions."""
    return list((person.home / ".local/state/interlock/sessions").glob("*"))


@pytest.mark.parametrize(("said", "holds"), [(b"y\n", True), (b"\n", False), (b"maybe\n", False)])
def test_the_person_sees_what_changes_and_says_yes(
    person: Shell, said: bytes, *, holds: bool
) -> None:
    """Each value is shown before anything is written; what is written is private; the command takes
    it away again.
    """
    shown = at_terminal(person, said, COMMAND, "mine.yaml", "--session", "s-1")
    assert "for the session s-1" in shown
    assert "hosts: unknown.test" in shown
    assert "git.push.action: deny" in shown
    assert len(held(person)) == holds
    if holds:
        assert held(person)[0].read_text(encoding="utf-8") == BOTH
        assert stat.S_IMODE(held(person)[0].stat().st_mode) == 0o600
        assert "s-1" in at_terminal(person, b"", COMMAND, "--clear", "--session", "s-1")
        assert held(person) == []
        assert "has no policy of its own" in at_terminal(
            person, b"", COMMAND, "--clear", "--session", "s-1"
        )


def test_a_file_that_is_wrong_is_told_and_not_put(person: Shell) -> None:
    """With its place; so are a file that is not there, no file, and no session."""
    (person.project / "mine.yaml").write_text("version: 1\nrulez: 1\n", encoding="utf-8")
    told = at_terminal(person, b"", COMMAND, "mine.yaml", "--session", "s-1")
    assert "mine.yaml:2:1: there is no key 'rulez'" in " ".join(told.split())
    assert "there is no such file" in at_terminal(
        person, b"", COMMAND, "none.yaml", "--session", "s-1"
    )
    assert "no session was seen in this folder" in at_terminal(person, b"", COMMAND, "mine.yaml")
    assert person.run("policy", "session")[0] == 2
    assert held(person) == []


def test_it_takes_a_person_at_a_terminal(person: Shell) -> None:
    """Who has no terminal neither puts nor clears one."""
    for words in (("mine.yaml",), ("--clear",)):
        code, said = person.run("policy", "session", *words, "--session", "s-1")
        assert code == 1
        assert "agent" in said or "terminal" in said
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "mine.yaml", "--session", "s-1"],
        cwd=person.project, env=person.environment, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, "at a terminal" in done.stderr) == (1, True)
    assert held(person) == []


def test_show_names_the_sessions_file(person: Shell) -> None:
    """As it does those of the other layers."""
    code, said = person.run("policy", "show", "--session", "s-1")
    assert (code, "session  " in said, "(not there)" in said) == (0, True, True)
    assert "\nsession  " not in person.run("policy", "show")[1]
    assert os.listdir(person.project)
