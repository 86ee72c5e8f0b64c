"""What every database of the service has to do, whichever it is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from interlock.service.secrets import hash_secret, later
from interlock.service.store.protocol import (
    ServiceReader,
    ServiceStore,
    ServiceStoreError,
    ServiceWriter,
)
from interlock.service.store.rows import (
    SECOND,
    ApiToken,
    Branch,
    Chain,
    ChainProblem,
    Credential,
    EnrolmentTokenRow,
    Link,
    Machine,
    Membership,
    Person,
    Root,
    Visit,
)
from interlock.service.store.sqlite import Database
from interlock.service.store.tables import STEPS
from interlock.store.chain import GENESIS, link
from interlock.wire.batch import BatchLine

if TYPE_CHECKING:
    from pathlib import Path

AT = "2026-01-31T10:00:00.000Z"
LATER = "2026-01-31T11:00:00.000Z"
MACHINE = Machine("m-1", "one", "linux", "0.1", hash_secret("secret"), AT, AT)


def run_of(count: int, previous: str = GENESIS, first: int = 1) -> list[BatchLine]:
    """Return so many events that follow from each other."""
    lines = []
    for seq in range(first, first + count):
        fields = (seq, f"e-{seq}", AT, "prompt", "s", "", "{}")
        previous = link(previous, fields)
        lines.append(BatchLine(fields, previous))
    return lines


def test_a_machine_is_known_by_its_credential_until_it_is_retired(keeping: ServiceStore) -> None:
    """And by nothing else; retiring it counts once."""
    keeping.write(lambda steps: steps.add_machine(MACHINE))
    assert keeping.read(lambda known: known.machine_of(hash_secret("secret"))) == MACHINE
    assert keeping.read(lambda known: known.machine_of("secret")) is None
    assert keeping.write(lambda steps: steps.retire("m-1", LATER))
    assert not keeping.write(lambda steps: steps.retire("m-1", LATER))
    assert keeping.read(lambda known: known.machine_of(hash_secret("secret"))) is None
    assert keeping.read(lambda known: known.machine("m-1")) == MACHINE.replace(retired=LATER)


def test_a_token_counts_as_often_as_it_says_and_until_it_expires(keeping: ServiceStore) -> None:
    """Two uses: a third is none; one that is too old is none; one that nobody made is none."""
    keeping.write(lambda steps: steps.add_token(EnrolmentTokenRow("two", 2, LATER)))
    keeping.write(lambda steps: steps.add_token(EnrolmentTokenRow("old", 1, AT)))
    used = [keeping.write(lambda steps: steps.spend_token("two", AT)) for _ in range(3)]
    assert used == [True, True, False]
    assert not keeping.write(lambda steps: steps.spend_token("old", LATER))
    assert not keeping.write(lambda steps: steps.spend_token("none", AT))


def test_a_link_counts_once(keeping: ServiceStore) -> None:
    """And not after its time; it says whose it is."""
    one, old = Link("a", "ada", "sign-in", LATER), Link("b", "ada", "sign-in", AT)
    for link_of in (one, old):
        keeping.write(lambda steps, said=link_of: steps.add_link(said))  # type: ignore[misc]
    assert keeping.read(lambda known: known.link("a", AT)) == one
    assert keeping.write(lambda steps: steps.spend_link("a", AT)) == one
    assert keeping.write(lambda steps: steps.spend_link("a", AT)) is None
    assert keeping.write(lambda steps: steps.spend_link("b", LATER)) is None


def test_a_visit_lasts_until_it_ends_or_expires(keeping: ServiceStore) -> None:
    """Whichever is first; the others of its person can be ended with one word."""
    one, other = [Visit(name, "p", "ada", AT, later(60), AT) for name in ("t", "u")]
    for visit in (one, other):
        keeping.write(lambda steps, said=visit: steps.add_visit(said))  # type: ignore[misc]
    used = one.replace(seen=LATER, strength=SECOND, proved=LATER)
    keeping.write(lambda steps: steps.put_visit(used))
    assert keeping.read(lambda known: known.visit("t", AT)) == used
    assert keeping.read(lambda known: known.visit("t", later(120))) is None
    assert len(keeping.read(lambda known: known.visits("ada", AT))) == 2
    assert keeping.write(lambda steps: steps.end_visits("ada", "t")) == 1
    assert keeping.read(lambda known: known.visits("ada", AT)) == [used]
    keeping.write(lambda steps: steps.end_visit("t"))
    assert keeping.read(lambda known: known.visit("t", AT)) is None


def test_who_is_ended_has_nothing_left(keeping: ServiceStore) -> None:
    """Roles, credentials, links, visits and tokens of theirs count no more, those of others do;
    their name stays theirs.
    """

    def work(steps: ServiceWriter) -> None:
        for name in ("ada", "bob"):
            steps.add_person(Person(name, name.title(), AT))
            assert steps.add_membership(Membership(name, "reader", "", "ada", AT))
            assert not steps.add_membership(Membership(name, "reader", "", "bob", AT))
            steps.put_credential(Credential(name, "password", "x", AT))
            steps.add_link(Link(f"l-{name}", name, "invite", LATER))
            steps.add_visit(Visit(f"v-{name}", "p", name, AT, LATER, AT))
            token = ApiToken(f"t-{name}", f"s-{name}", name, "reader", "ci", AT, LATER)
            steps.add_api_token(token)

    keeping.write(work)
    assert keeping.write(lambda steps: steps.end_person("ada", AT))
    assert not keeping.write(lambda steps: steps.end_person("ada", AT))

    def left(known: ServiceReader, name: str) -> list[bool]:
        return [
            bool(known.memberships(name)),
            known.credential(name, "password") is not None,
            known.link(f"l-{name}", AT) is not None,
            known.visit(f"v-{name}", AT) is not None,
            known.api_token(f"s-{name}", AT) is not None,
        ]

    assert keeping.read(lambda known: left(known, "ada")) == [False] * 5
    assert keeping.read(lambda known: left(known, "bob")) == [True] * 5
    with pytest.raises(ServiceStoreError):
        keeping.write(lambda steps: steps.add_person(Person("ada", "Ada", LATER)))


def test_a_role_is_held_until_it_is_taken(keeping: ServiceStore) -> None:
    """An approver's for each name apart."""
    keeping.write(lambda steps: steps.add_person(Person("ada", "Ada", AT)))
    for name in ("dba", "lead"):
        one = Membership("ada", "approver", name, "bob", AT)
        assert keeping.write(lambda steps, said=one: steps.add_membership(said))  # type: ignore[misc]
    assert keeping.write(lambda steps: steps.end_membership("ada", "approver", "dba"))
    assert not keeping.write(lambda steps: steps.end_membership("ada", "approver", "dba"))
    assert [one.name for one in keeping.read(lambda known: known.memberships())] == ["lead"]


def test_a_code_counts_once(keeping: ServiceStore) -> None:
    """Nor does one that is older than one that was used; a new secret begins anew."""
    keeping.write(lambda steps: steps.put_credential(Credential("ada", "totp", "x", AT)))

    def use(step: int) -> bool:
        return keeping.write(lambda steps: steps.use_code("ada", "totp", step))

    used = [use(step) for step in (7, 7, 6, 8)]
    assert used == [True, False, False, True]
    keeping.write(lambda steps: steps.put_credential(Credential("ada", "totp", "y", LATER)))
    assert keeping.write(lambda steps: steps.use_code("ada", "totp", 7))


def test_a_program_is_known_until_its_token_ends_or_expires(keeping: ServiceStore) -> None:
    """By its hash and by nothing else."""
    one = ApiToken("t", "s", "ada", "reader", "ci", AT, LATER)
    keeping.write(lambda steps: steps.add_api_token(one))
    assert keeping.read(lambda known: known.api_token("s", AT)) == one
    assert keeping.read(lambda known: known.api_token("t", AT)) is None
    assert keeping.read(lambda known: known.api_token("s", LATER)) is None
    assert keeping.write(lambda steps: steps.end_api_token("t", AT))
    assert not keeping.write(lambda steps: steps.end_api_token("t", AT))
    assert keeping.read(lambda known: known.api_token("s", AT)) is None
    assert keeping.read(lambda known: known.api_tokens()) == [one.replace(ended=AT)]


def test_events_come_back_as_they_were_given(keeping: ServiceStore) -> None:
    """In order, by branch, a portion at a time; a branch says how far it goes."""
    lines = run_of(5)
    branch = Branch("c", 0, 0, 0, GENESIS, 5, lines[-1].hash, "", AT, AT)

    def work(steps: ServiceWriter) -> None:
        steps.add_chain(Chain("c", "m-1", 1))
        steps.put_branch(branch)
        steps.add_events("c", 0, lines[:3])
        steps.add_events("c", 0, lines[3:])

    keeping.write(work)
    found = keeping.read(lambda known: known.events("c", 0, 1, 3))
    assert [BatchLine(one.fields, one.hash, one.row) for one in found] == lines[1:4]
    assert keeping.read(lambda known: known.branches("c")) == [branch]
    nodes = keeping.read(lambda known: known.nodes("c", 2, 3))
    assert nodes == {(one.seq, one.hash): 0 for one in lines[1:3]}
    session = str(lines[0].fields[4])
    assert keeping.read(lambda known: known.holds_session("c", session))
    assert not keeping.read(lambda known: known.holds_session("c", "none"))
    assert not keeping.read(lambda known: known.holds_session("other", session))
    assert keeping.read(lambda known: known.grown(AT)) == [branch]
    assert keeping.read(lambda known: known.grown(LATER)) == []


def test_a_problem_is_told_once(keeping: ServiceStore) -> None:
    """However often it is found."""
    one = ChainProblem("c", 0, 7, "changed", "record 7 was changed", AT)
    assert keeping.write(lambda steps: steps.add_problem(one))
    assert not keeping.write(lambda steps: steps.add_problem(one.replace(at=LATER)))
    assert keeping.read(lambda known: known.problems(5)) == [one]


def test_roots_and_settings_are_kept(keeping: ServiceStore) -> None:
    """The newest root is the last; a setting may change."""
    for minute in ("2026-01-31T10:00", "2026-01-31T10:01"):
        keeping.write(lambda steps, at=minute: steps.add_root(Root(at, "h", "[]")))  # type: ignore[misc]
    assert keeping.read(lambda known: known.last_root()) == Root("2026-01-31T10:01", "h", "[]")
    assert len(keeping.read(lambda known: known.roots())) == 2
    for value in ("a", "b"):
        keeping.write(lambda steps, said=value: steps.set("port", said))  # type: ignore[misc]
    assert keeping.read(lambda known: known.setting("port")) == "b"
    assert keeping.read(lambda known: known.setting("none")) == ""


def test_a_step_that_fails_leaves_nothing(keeping: ServiceStore) -> None:
    """What it wrote before is undone, and the next one works."""

    def work(steps: ServiceWriter) -> None:
        steps.set("port", "1")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        keeping.write(work)
    assert keeping.read(lambda known: known.setting("port")) == ""
    keeping.write(lambda steps: steps.set("port", "2"))
    assert keeping.read(lambda known: known.setting("port")) == "2"


def test_what_the_database_refuses_is_one_error(keeping: ServiceStore) -> None:
    """A machine that is there already is none of this protocol's answers."""
    keeping.write(lambda steps: steps.add_machine(MACHINE))
    with pytest.raises(ServiceStoreError):
        keeping.write(lambda steps: steps.add_machine(MACHINE))


def test_a_file_of_a_newer_service_is_left_alone(tmp_path: Path) -> None:
    """One sentence says so."""
    Database(str(tmp_path)).close()
    with closing(sqlite3.connect(tmp_path / "service.db")) as connection:
        connection.execute("PRAGMA user_version=99")
    with pytest.raises(ServiceStoreError, match="newer interlock"):
        Database(str(tmp_path))


@pytest.mark.parametrize("version", range(1, len(STEPS)))
def test_a_file_of_an_older_service_is_brought_up(tmp_path: Path, version: int) -> None:
    """Its machines stay, and people can come in; visits of that time have to begin anew."""
    with closing(sqlite3.connect(tmp_path / "service.db")) as connection:
        for statement in [one for step in STEPS[:version] for one in step]:
            connection.execute(statement)
        columns = [row[1] for row in connection.execute("PRAGMA table_info(machine)")]
        row = ["m-1", "one", *["x"] * (len(columns) - 3), 0]
        connection.execute(f"INSERT INTO machine VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608 - our own words
        connection.execute(f"PRAGMA user_version={version}")
        connection.commit()
    with closing(Database(str(tmp_path))) as keeping:
        assert [one.name for one in keeping.read(lambda known: known.machines())] == ["one"]
        keeping.write(lambda steps: steps.add_person(Person("ada", "Ada", AT)))
        assert keeping.read(lambda known: known.person("ada")) is not None
