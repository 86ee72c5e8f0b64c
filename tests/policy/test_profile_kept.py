"""The rules that a profile adds to a run are kept as compiled policies are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from interlock.policy import profiles
from interlock.policy.builtin import builtin
from interlock.policy.files import PolicyLocations

RUN = """
import sys
from interlock.policy.builtin import builtin
from interlock.policy.files import PolicyLocations
from interlock.policy.profiles import rules_of
rules = rules_of("workspace-write", builtin(), PolicyLocations("", "", state=sys.argv[1], owner=int(sys.argv[2])))
print("yaml" in sys.modules, len(rules))
"""


def ran(state: Path, owner: int) -> list[str]:
    """Take a profile's rules in a process of its own; return whether YAML was read, and how many
    rules there are.
    """
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(state), str(owner)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_the_second_run_of_a_machine_reads_no_yaml(tmp_path: Path) -> None:
    """What was kept is the same, and nothing is parsed for it."""
    owner = tmp_path.stat().st_uid
    first = ran(tmp_path / "state", owner)
    assert first[0] == "True"
    assert int(first[1]) > 0
    assert ran(tmp_path / "state", owner) == ["False", first[1]]


def test_what_was_kept_is_what_the_profile_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules come back as they were, until the profile's file or the policy is another."""
    where = PolicyLocations("", "", state=str(tmp_path / "state"), owner=tmp_path.stat().st_uid)
    made = profiles.rules_of("read-only", builtin(), where)
    assert profiles.rules_of("read-only", builtin(), where) == made
    assert profiles.rules_of("read-only", builtin()) == made
    own = tmp_path / "shipped"
    own.mkdir()
    text = (Path(profiles.FOLDER) / "read-only.yaml").read_text(encoding="utf-8")
    (own / "read-only.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(profiles, "FOLDER", str(own))
    assert profiles.rules_of("read-only", builtin(), where) == made
    first = made[0]
    changed = text.replace(first.title, f"{first.title} of this test")
    assert changed != text
    (own / "read-only.yaml").write_text(changed, encoding="utf-8")
    again = profiles.rules_of("read-only", builtin(), where)
    assert [one.title for one in again][:1] == [f"{first.title} of this test"]
    other = builtin().replace(hash="another")
    (own / "read-only.yaml").write_text(text, encoding="utf-8")
    assert profiles.rules_of("read-only", other, where) == made


def test_what_another_user_may_write_is_not_believed(tmp_path: Path) -> None:
    """A file that others may read or change is worked out again."""
    owner = tmp_path.stat().st_uid
    state = tmp_path / "state"
    ran(state, owner)
    for file in (state / "compiled").iterdir():
        file.chmod(0o666)
    assert ran(state, owner)[0] == "True"
    assert ran(state, owner)[0] == "False"
