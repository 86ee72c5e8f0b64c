"""Real files in a real folder: whose policy counts, what cannot be believed, what happens when one
breaks, and the compiled cache.
"""

from __future__ import annotations

import os
import pwd
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.policy import files
from interlock.policy.builtin import builtin
from interlock.policy.current import current
from interlock.policy.files import PolicyLocations, look
from interlock.policy.load import LoadedPolicy, load, trust_path
from tests.judging import decided, shell
from tests.policy.layering import answer, reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.model.policy import Policy
    from interlock.policy.source import Reader

TODAY = int(time.time()) // 86400
LOOSE = "version: 1\nhosts: {allow: unknown.test}\n"
TIGHT = "version: 1\ntune: [{rule: git.push, action: deny}]\n"
BOTH = "version: 1\nhosts: {allow: unknown.test}\ntune: [{rule: git.push, action: deny}]\n"
UNKNOWN, PUSH = "curl https://unknown.test", "git push origin topic"


class House:
    """A machine in a folder: the organisation's folder, a home, a project."""

    def __init__(self, top: Path) -> None:
        me = os.getuid()
        self.where = PolicyLocations(
            str(top / "etc/interlock"),
            str(top / "home"),
            str(top / "work"),
            str(top / "home/.local/state/interlock"),
            me,
            me,
        )
        for folder in ("etc/interlock/tenants", "home/.config/interlock", "work/.interlock"):
            (top / folder).mkdir(parents=True, mode=0o755)
        self.organisation, self.user, self.project = (
            Path(path)
            for path in (
                self.where.organisation_file,
                self.where.user_file,
                self.where.project_file,
            )
        )
        self.read = 0

    def write(self, file: Path, text: str) -> Path:
        """Write a file as its owner would."""
        file.write_text(text, encoding="utf-8")
        file.chmod(0o644)
        return file

    def reader(self) -> Reader:
        """Count how often files are read anew."""
        self.read += 1
        return reader

    def policy(self) -> Policy:
        """Return the policy a call would be judged by."""
        return current(self.where, self.reader)

    def loaded(self) -> LoadedPolicy:
        """Return what the files say, freshly read."""
        return load(self.where, reader, TODAY)


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """Make a machine in a folder whose home counts as the user's own."""
    monkeypatch.setattr("interlock.policy.load.is_own_home", lambda _home, _owner: True)
    return House(tmp_path)


def told(policy: Policy) -> str:
    """Return what every answer says besides."""
    return " ".join(
        finding.message
        for finding in decided(shell("ls"), policy).findings
        if finding.rule == "policy.not-loaded"
    )


def loosened(policy: Policy) -> bool:
    """Tell whether the host of ``LOOSE`` is allowed: an answer cannot tell where every answer warns
    of a file.
    """
    return "unknown.test" in policy.hosts


def test_without_files_the_built_in_policy_holds_and_nothing_is_written(house: House) -> None:
    """Who wrote no policy pays for none."""
    assert house.policy() is builtin()
    assert not Path(house.where.state).exists()


@pytest.mark.parametrize("name", ["organisation", "user"])
def test_who_may_loosen_does(house: House, name: str) -> None:
    """The twin of all refusals below."""
    house.write(getattr(house, name), BOTH)
    found = house.policy()
    assert (answer(UNKNOWN, found), answer(PUSH, found), told(found), loosened(found)) == (
        "allow",
        "deny",
        "",
        True,
    )


def test_a_cloned_repository_cannot_loosen(house: House) -> None:
    """A project's file tightens at once and loosens nothing, until its user trusts that content."""
    house.write(house.project, BOTH)
    found = house.policy()
    assert (answer(UNKNOWN, found), answer(PUSH, found)) == ("warn", "deny")


def test_trust_is_by_content(house: House) -> None:
    """What was trusted may loosen; one byte more, and it may not."""
    house.write(house.project, BOTH)
    trusted(house)
    assert answer(UNKNOWN, house.policy()) == "allow"
    house.write(house.project, BOTH + "# one byte more\n")
    assert answer(UNKNOWN, house.policy()) == "warn"


def test_trust_of_another_path_is_none(house: House, tmp_path: Path) -> None:
    """A copy of a trusted project elsewhere is not trusted."""
    house.write(house.project, BOTH)
    other = house.where.replace(project=str(tmp_path / "other"))
    assert trust_path(
        other, look(str(house.project), ()).replace(path=other.project_file)
    ) != trust_path(house.where, look(str(house.project), ()))


def trusted(house: House) -> Path:
    """Trust the project's file as it is, and return the mark."""
    marker = Path(trust_path(house.where, look(str(house.project), ())))
    marker.parent.mkdir(parents=True, mode=0o700)
    marker.touch(0o600)
    return marker


def test_trust_that_others_could_have_given_is_none(house: House) -> None:
    """A mark that is a link, or that others may write, or whose folder they may write, says
    nothing.
    """
    house.write(house.project, BOTH)
    marker = trusted(house)
    assert loosened(house.policy())
    for folder, mode in ((0o700, 0o666), (0o777, 0o600)):
        marker.parent.chmod(folder)
        marker.chmod(mode)
        assert not loosened(house.policy())
    marker.parent.chmod(0o700)
    assert loosened(house.policy())
    symlinked(marker)
    assert not loosened(house.policy())


def test_a_trusted_file_that_its_group_may_write_only_tightens(house: House) -> None:
    """Who could write it after the yes could write anything; its tightening counts."""
    house.write(house.project, BOTH)
    trusted(house)
    house.project.chmod(0o664)
    found = house.policy()
    assert (loosened(found), answer(PUSH, found)) == (False, "deny")
    house.project.chmod(0o644)
    assert loosened(house.policy())


def test_where_policy_lies_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The organisation's folder is the system's own, whatever the variable ``ProgramData`` says."""
    monkeypatch.setattr(sys, "platform", "win32")
    found = files.places({"USERPROFILE": "C:\\Users\\u", "ProgramData": "D:/evil"}, "C:/w")
    assert (found.organisation_file, found.user_file) == (
        "C:/ProgramData/interlock/policy.yaml",
        "C:/Users/u/.config/interlock/policy.yaml",
    )
    assert found.state == "C:/Users/u/.local/state/interlock"


def test_an_environment_variable_cannot_loosen(tmp_path: Path) -> None:
    """A home that only ``HOME`` names is anybody's: its file tightens and loosens nothing."""
    fake = House(tmp_path)
    fake.write(fake.user, BOTH)
    found = fake.policy()
    assert (answer(UNKNOWN, found), answer(PUSH, found)) == ("warn", "deny")
    assert files.is_own_home(pwd.getpwuid(os.getuid()).pw_dir, os.getuid())
    assert not files.is_own_home(str(tmp_path), os.getuid())


@pytest.mark.parametrize(
    "name", ["INTERLOCK_POLICY", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "INTERLOCK_PROFILE"]
)
def test_no_variable_says_where_policy_lies(name: str) -> None:
    """Only the home is asked for, and that is checked."""
    assert files.places({"HOME": "/home/user", name: "/evil"}, "/w") == files.places(
        {"HOME": "/home/user"}, "/w"
    )


def symlinked(file: Path) -> None:
    """Put the file elsewhere and a link in its place."""
    file.rename(file.with_name("elsewhere.yaml"))
    file.symlink_to(file.with_name("elsewhere.yaml"))


def in_linked_folder(file: Path) -> None:
    """Put the file's folder elsewhere and a link in its place."""
    real = file.parent.with_name("elsewhere")
    file.parent.rename(real)
    file.parent.symlink_to(real)


def as_folder(file: Path) -> None:
    """Put a folder where the file was."""
    file.unlink()
    file.mkdir()


def as_pipe(file: Path) -> None:
    """Put a pipe where the file was: reading it must not wait."""
    file.unlink()
    os.mkfifo(file)


SPOILT: tuple[tuple[str, Callable[[Path], object], str], ...] = (
    ("a link", symlinked, "symbolic link"),
    ("a linked folder", in_linked_folder, "symbolic link"),
    ("written by all", lambda file: file.chmod(0o666), "can be written by others: chmod"),
    ("written by a group", lambda file: file.chmod(0o664), "can be written by others: chmod go-w"),
    (
        "its folder written by all",
        lambda file: file.parent.chmod(0o777),
        "can be written by others: chmod",
    ),
    ("a folder", as_folder, "no ordinary file"),
    ("too long", lambda file: file.write_text("#" * (files.MAX_BYTES + 1)), "has at most"),
    ("a pipe", as_pipe, "no ordinary file"),
)


@pytest.mark.parametrize(
    ("spoil", "reason"), [row[1:] for row in SPOILT], ids=[row[0] for row in SPOILT]
)
@pytest.mark.parametrize("name", ["organisation", "user"])
def test_a_file_that_others_could_have_written_loosens_nothing_and_says_why(
    house: House, name: str, spoil: Callable[[Path], object], reason: str
) -> None:
    """It is refused with the reason and what to do, in every answer."""
    spoil(house.write(getattr(house, name), LOOSE))
    found = house.policy()
    assert not loosened(found)
    assert reason in told(found)
    assert told(house.policy()) == told(found)


@pytest.mark.parametrize("spoil", [symlinked, in_linked_folder, lambda file: file.chmod(0o666)])
def test_a_project_that_others_could_have_written_is_refused(
    house: House, spoil: Callable[[Path], object]
) -> None:
    """Not even its tightening is believed; but a file its group may write, as many machines make
    them, still tightens.
    """
    house.write(house.project, TIGHT)
    house.project.chmod(0o664)
    assert answer(PUSH, house.policy()) == "deny"
    spoil(house.project)
    assert "symbolic link" in told(house.policy()) or "written by others" in told(house.policy())


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(house: House) -> None:
    """The organisation's file is root's, the user's their own or root's."""
    os.chown(house.write(house.user, LOOSE), 4711, 4711)
    assert "belongs to user 4711" in told(house.policy())
    assert not loosened(house.policy())


# -- files that break ------------------------------------------------------------------------------


def test_a_broken_file_loosens_nothing_and_keeps_what_it_tightened(house: House) -> None:
    """The stricter of built-in and last good: the tightening stays, the loosening goes, and every
    answer says so until it is mended.
    """
    house.write(house.user, BOTH)
    assert (answer(UNKNOWN, house.policy()), answer(PUSH, house.policy())) == ("allow", "deny")
    house.write(house.user, BOTH.replace("tune", "tuen"))
    found = house.policy()
    assert (loosened(found), answer(PUSH, found)) == (False, "deny")
    assert (
        "~/.config/interlock/policy.yaml:3:1: there is no key 'tuen' in a policy; did you mean 'tune'?"
        in told(found)
    )
    house.write(house.user, BOTH)
    assert (answer(UNKNOWN, house.policy()), told(house.policy())) == ("allow", "")


def test_what_a_broken_file_bounded_stays_bounded(house: House) -> None:
    """A user cannot use the day on which the organisation's file is broken."""
    house.write(
        house.organisation,
        "version: 1\napprovals: {wait: 10m}\ntune: [{rule: git.push, action: ask}]\n",
    )
    house.write(
        house.user, "version: 1\napprovals: {wait: 1h}\ntune: [{rule: git.push, action: warn}]\n"
    )
    assert (house.policy().approving.seconds, answer(PUSH, house.policy())) == (600, "ask")
    house.write(house.organisation, "version: 1\napprovals: {wait: 10}\n")
    found = house.policy()
    assert (found.approving.seconds, answer(PUSH, found)) == (300, "ask")
    assert "policy.yaml:2:19" in told(found)


BROKEN = ["version: 1\nrulez: []\nobserve: yes\n", "profil: careful\n", "version: 1\nprofile: carefull\n", "version: 1\nrules: [\n", "\tx", "- a\n",
          "version: 1\nfiles: {blokc: x}\n", "version: 2\n", "version: '1.0'\nrules: x\n"]  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
def test_a_file_that_was_never_good_asks_about_every_call(house: House, broken: str) -> None:
    """Whatever is wrong outside of a rule: nobody knows what else it was to forbid. The built-in
    rules hold; a good file asks about nothing.
    """
    house.write(house.user, broken)
    found = house.policy()
    assert (answer("rm -rf /", found), answer("ls", found)) == ("deny", "ask")
    assert "policy.yaml:" in told(found)
    house.write(house.user, "version: 1\nfiles: {block: keys}\n")
    assert (answer("ls", house.policy()), told(house.policy())) == ("allow", "")


GOOD_RULE = (
    "  - {id: my.push, title: pushes, match: {effect: pushes}, action: deny, catches: [git push]}\n"
)
BAD_RULES = {
    "a wrong key": "  - {id: my.kill, title: kills, match: {effect: kills-process}, action: deny, becuse: x, catches: [kill 1]}\n",
    "a wrong action": "  - {id: my.kill, title: kills, match: {effect: kills-process}, action: forbid, catches: [kill 1]}\n",
    "no action": "  - {id: my.kill, title: kills, match: {effect: kills-process}, catches: [kill 1]}\n",
    "an example that fails": "  - {id: my.kill, title: kills, match: {effect: kills-process}, action: deny, catches: [ls]}\n",
    "a wrong condition": "  - {id: my.kill, title: kills, match: {effect: kills-process, traitz: [all]}, action: deny, catches: [kill 1]}\n",
}


@pytest.mark.parametrize("bad", BAD_RULES)
@pytest.mark.parametrize("first", [True, False], ids=["before", "behind"])
def test_one_bad_rule_takes_no_good_one_with_it(house: House, bad: str, first: bool) -> None:
    """The good one holds, the bad one asks about what its readable part matches, and other calls
    are not asked about.
    """
    rules = [BAD_RULES[bad], GOOD_RULE] if first else [GOOD_RULE, BAD_RULES[bad]]
    house.write(house.user, "version: 1\nrules:\n" + "".join(rules))
    found = house.policy()
    assert (
        answer("git push origin x", found),
        answer("kill -9 77", found),
        answer("ls", found),
    ) == ("deny", "ask", "warn")
    assert f"policy.yaml:{3 if first else 4}:" in told(found)


@pytest.mark.parametrize("bad", BAD_RULES)
@pytest.mark.parametrize("first", [True, False], ids=["before", "behind"])
def test_a_bad_rule_on_the_same_line_takes_no_good_one_with_it(
    house: House, bad: str, first: bool
) -> None:
    """A file in flow style, as a program writes it: all rules stand on one line."""
    good, broken = [rule.removeprefix("  - ").rstrip() for rule in (GOOD_RULE, BAD_RULES[bad])]
    house.write(
        house.user,
        f"{{version: 1, rules: [{broken if first else good}, {good if first else broken}]}}\n",
    )
    found = house.policy()
    assert (
        answer("git push origin x", found),
        answer("kill -9 77", found),
        answer("ls", found),
    ) == ("deny", "ask", "warn")
    house.write(house.user, f"{{version: 1, rules: [{good}], hosst: x}}\n")
    assert (answer("git push origin x", house.policy()), answer("ls", house.policy())) == (
        "deny",
        "ask",
    )


def test_of_two_rules_of_one_name_the_first_holds_and_the_second_asks(house: House) -> None:
    """Which of them was meant is not known; neither is lost."""
    house.write(
        house.user,
        "version: 1\nrules:\n"
        + GOOD_RULE
        + GOOD_RULE.replace("pushes}", "kills-process}").replace("git push]", "kill 1]"),
    )
    found = house.policy()
    assert (
        answer("git push origin x", found),
        answer("kill -9 77", found),
        answer("ls", found),
    ) == ("deny", "ask", "warn")


@pytest.mark.parametrize(
    "bad",
    [
        "  - text\n",
        "  - {id: my.x, title: t, action: deny}\n",
        "  - {id: my.x, title: t, match: {efect: kills-process}, action: deny}\n",
    ],
)
def test_a_rule_of_which_nothing_can_be_read_asks_about_every_call(house: House, bad: str) -> None:
    """It may have forbidden anything; the good one beside it holds."""
    house.write(house.user, "version: 1\nrules:\n" + GOOD_RULE + bad)
    found = house.policy()
    assert (answer("git push origin x", found), answer("ls", found)) == ("deny", "ask")


def test_a_broken_file_loosens_nothing(house: House) -> None:
    """What it allows beside a bad rule is not believed; the same file without the bad rule is."""
    allowed = (
        "version: 1\ntune: [{rule: git.force-push, action: allow}]\nrules:\n"
        + GOOD_RULE.replace("pushes}", "kills-process}")
    )
    allowed = allowed.replace("git push]", "kill 1]")
    house.write(house.user, allowed)
    assert answer("git push --force origin topic", house.policy()) != "ask"
    house.write(house.user, allowed + BAD_RULES["a wrong key"].replace("my.kill", "my.other"))
    assert answer("git push --force origin topic", house.policy()) == "ask"


def test_what_is_in_the_cache_for_one_broken_file_leaves_others_alone(house: House) -> None:
    """A broken user's file takes nothing from the organisation's."""
    house.write(house.organisation, TIGHT)
    house.write(house.user, "rulez: 1")
    assert answer(PUSH, house.policy()) == "deny"


def test_without_pyyaml_the_built_in_rules_hold_and_it_says_what_is_missing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A torn installation: no traceback, no silence."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    monkeypatch.setattr("interlock.policy.load.find_yaml", lambda: None)
    house.write(house.user, TIGHT)
    assert "PyYAML, which is missing here; install it with: " in told(house.policy())
