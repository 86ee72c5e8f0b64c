"""Tenants, profiles and days of a policy, and the compiled one that no call parses anew."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.model.effect import KINDS
from interlock.policy import cache
from interlock.policy.current import current
from interlock.policy.load import load
from tests.policy.layering import answer, reader

if TYPE_CHECKING:
    from collections.abc import Callable

from tests.policy import test_load
from tests.policy.test_load import BOTH, LOOSE, PUSH, TIGHT, UNKNOWN, House, symlinked, told

house = test_load.house


def test_the_tenant_is_chosen_by_the_organisation(house: House) -> None:
    """Its file lies beside the organisation's; a user cannot choose one."""
    tenants = Path(house.where.system) / "tenants"
    house.write(tenants / "acme.yaml", TIGHT)
    house.write(house.organisation, "version: 1\ntenant: acme\n")
    assert answer(PUSH, house.policy()) == "deny"
    assert house.policy().tenant == "acme"
    house.write(tenants / "acme.yaml", "version: 1\ntune: [{rule: git.push, action: ask}]\n")
    assert answer(PUSH, house.policy()) == "ask"
    house.organisation.unlink()
    house.write(house.user, "version: 1\ntenant: acme\nprofile: default\n")
    assert answer(PUSH, house.policy()) == "warn"


def test_who_chose_a_profile_may_tune_its_rules_and_nobody_below(house: House) -> None:
    """The organisation's choice stands; a user's own choice is theirs to change."""
    tuned = "tune: [{rule: careful.read-outside, action: warn}]\n"
    house.write(house.user, f"version: 1\nprofile: careful\n{tuned}")
    assert (answer("cat /srv/a", house.policy()), told(house.policy())) == ("warn", "")
    assert answer("some-program", house.policy()) == "ask"
    house.write(house.organisation, "version: 1\nprofile: careful\n")
    assert answer("cat /srv/a", house.policy()) == "ask"


def test_observe_is_chosen_by_people_only(house: House) -> None:
    """As a profile and as a key: a user's counts, a project's does not, trusted or not."""
    house.write(house.user, "version: 1\nprofile: observe\n")
    assert answer("rm -rf /", house.policy()) == "allow"
    house.user.unlink()
    house.write(house.project, "version: 1\nprofile: observe\n")
    assert answer("rm -rf /", house.policy()) == "deny"


def test_an_exception_that_ends_ends_in_the_cache_too(house: House) -> None:
    """The compiled policy is worked out again on the day after."""
    house.write(
        house.user,
        "version: 1\nallow: [{rule: git.force-push, because: b, until: 1970-01-11, match: {effect: pushes, ref: topic}}]\n",
    )
    command = "git push -f origin topic"
    assert answer(command, load(house.where, reader, 10).policy) == "warn"
    assert cache.find(house.where, {}, 10) is not None
    assert cache.find(house.where, {}, 11) is None
    assert answer(command, load(house.where, reader, 11).policy) == "ask"


def test_files_are_read_once_until_one_of_them_changes(house: House) -> None:
    """A call with unchanged files reads no YAML, and gets the same policy."""
    house.write(house.organisation, TIGHT)
    house.write(house.user, LOOSE)
    first = house.policy()
    again = house.policy()
    assert again.replace(by_kind=None) == first.replace(by_kind=None)
    assert len(again.rules) == len(first.rules)
    assert first.by_kind is not None
    assert again.by_kind is not None
    assert all(again.by_kind.get(kind) == first.by_kind.get(kind) for kind in (*KINDS, ""))
    assert again.by_kind.get("no-such-kind", ()) == ()
    assert (*again.rules, *first.rules[:1]) == again.rules + first.rules[:1]
    assert house.read == 1
    house.write(house.user, LOOSE + "# changed\n")
    assert house.policy().hash != first.hash
    assert house.read == 2


def spoilt(file: Path) -> None:
    """Change one byte in the middle."""
    data = file.read_bytes()
    file.write_bytes(data[:200] + bytes([data[200] ^ 255]) + data[201:])


CHANGES: dict[str, Callable[[House, Path], object]] = {
    "a byte": lambda house, _: house.write(house.user, LOOSE.replace("unknown", "unknowm")),
    "a mode": lambda house, _: house.user.chmod(0o600),
    "the folder's": lambda house, _: house.user.parent.chmod(0o777),
    "a new file": lambda house, _: house.write(house.project, TIGHT),
    "a file gone": lambda house, _: house.user.unlink(),
    "cut off": lambda _, held: held.write_bytes(held.read_bytes()[:-1]),
    "spoilt": lambda _, held: spoilt(held),
    "empty": lambda _, held: held.write_bytes(b""),
    "not private": lambda _, held: held.chmod(0o644),
    "a link": lambda _, held: symlinked(held),
    "a pickle": lambda _, held: held.write_bytes(b"\x80\x04."),
}
"""Ways in which compiled data is no longer that of the files."""


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_anything_that_is_off_is_worked_out_again(
    house: House, change: Callable[[House, Path], object]
) -> None:
    """Compiled data is used only for exactly the files it was made of, whole and private."""
    house.write(house.user, LOOSE)
    house.write(house.organisation, TIGHT)
    house.policy()
    change(house, Path(cache.path_of(house.where)))
    house.policy()
    assert house.read == 2


def test_another_python_or_other_rules_work_it_out_again(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another interpreter or another version wrote is not used."""
    house.write(house.user, LOOSE)
    house.policy()
    monkeypatch.setattr(cache, "RULES_VERSION", "another")
    house.policy()
    assert house.read == 2


def test_compiled_data_is_private(house: House) -> None:
    """Folder 0700, file 0600, and nothing left over from writing it."""
    house.write(house.user, LOOSE)
    house.policy()
    folder = Path(cache.folder(house.where))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    assert {file.suffix for file in folder.iterdir()} == {".policy", ".good"}


def test_projects_have_compiled_policies_of_their_own(house: House, tmp_path: Path) -> None:
    """Going back and forth between two projects reads each of them once."""
    house.write(house.user, LOOSE)
    other = house.where.replace(project=str(tmp_path / "other"))
    for _ in range(3):
        house.policy()
        current(other, house.reader)
    assert house.read == 2


def test_where_nothing_can_be_kept_the_policy_still_holds(house: House) -> None:
    """A home that cannot be written to costs time and nothing else."""
    house.write(house.user, BOTH)
    Path(house.where.home, ".local").write_text("in the way", encoding="utf-8")
    assert (answer(UNKNOWN, house.policy()), answer(PUSH, house.policy())) == ("allow", "deny")
    assert house.loaded().unkept
