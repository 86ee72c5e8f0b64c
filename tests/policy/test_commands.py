"""``interlock policy`` and ``interlock trust`` as people run them, and the schema for editors."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.policy.jsonschema import schema
from interlock.policy.page import page
from interlock.policy.schema import TABLES
from tests.warm import SOURCE, interlock

LOOSE = "version: 1\nhosts: {allow: unknown.test}\n"


class Shell:
    """A person's shell in a project of their own."""

    def __init__(self, top: Path) -> None:
        self.home, self.project = top / "home", top / "work"
        self.own = self.project / ".interlock/policy.yaml"
        for folder in (self.home, self.own.parent):
            folder.mkdir(parents=True)
        self.environment = {
            "HOME": str(self.home),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(SOURCE),
        }

    def run(self, *words: str) -> tuple[int, str]:
        """Run a command; return its exit code and all it said."""
        done = interlock(*words, cwd=self.project, env=self.environment)
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Make a home and a project."""
    return Shell(tmp_path)


@pytest.mark.parametrize("words", [(), ("--project",), ("mine.yaml",)])
def test_a_file_that_is_begun_is_well(shell: Shell, words: tuple[str, ...]) -> None:
    """What ``init`` writes passes ``check``, is shown by ``show``, and is never overwritten."""
    code, said = shell.run("policy", "init", *words)
    assert code == 0, said
    assert shell.run("policy", "check", *[word for word in words if word.endswith(".yaml")])[0] == 0
    code, said = shell.run("policy", "init", *words)
    assert (code, "it was left as it is" in said) == (1, True)


def test_a_file_that_is_begun_changes_nothing_until_it_is_wanted(shell: Shell) -> None:
    """Its examples are comments; without their marks each holds, in the same file."""
    assert shell.run("policy", "init", "--project")[0] == 0
    push = ("check", "--", "git push --force origin topic")
    assert shell.run(*push)[0] == 10
    shell.own.write_text(
        re.sub(r"(?m)^# (?=[ a-z]+:|  )", "", shell.own.read_text(encoding="utf-8")),
        encoding="utf-8",
    )
    assert shell.run("policy", "check")[0] == 0, shell.own.read_text(encoding="utf-8")
    assert shell.run(*push)[0] == 11
    assert "team.no-destroy" in shell.run("policy", "show")[1]
    assert shell.run("check", "--", "cat secrets/a")[0] == 11


def test_check_says_every_error_and_fails(shell: Shell) -> None:
    """A file that is wrong has the exit code 1, and each problem its place."""
    shell.own.write_text("version: 1\nrulez: 1\nobserve: no\nprofile: no\n", encoding="utf-8")
    code, said = shell.run("policy", "check")
    assert code == 1
    assert f"{shell.own}:2:1: there is no key 'rulez' in a policy; did you mean 'rules'?" in said
    assert f"{shell.own}:4:10:" in said
    assert "this file cannot be used" in said


def test_check_looks_for_what_is_well_and_means_little(shell: Shell) -> None:
    """Rules that nothing tests, that are too wide, that know a trait nobody gives, that change
    nothing.
    """
    shell.own.write_text(
        "version: 1\nrules:\n  - {id: a.b, title: t, action: ask, match: {effect: reads}}\n"
        "  - {id: a.c, title: t, action: ask, match: {effect: deletes, traits: recursiv}, catches: []}\n"
        "tune: [{rule: git.force-push, action: ask}]\n",
        encoding="utf-8",
    )
    _, said = shell.run("policy", "check")
    assert "catches is empty" in said
    shell.own.write_text(
        shell.own.read_text(encoding="utf-8").replace(", catches: []", ""), encoding="utf-8"
    )
    code, said = shell.run("policy", "check")
    assert code == 0
    for part in (
        "a.b has no example",
        "every reads",
        "'recursiv'",
        "this changes nothing: git.force-push says ask already",
    ):
        assert part in said


def test_check_names_what_is_dead(shell: Shell) -> None:
    """An exception that ended, a path or host that is blocked as well, a host that was allowed
    before; what counts is not named.
    """
    shell.own.write_text(
        "version: 1\nhosts: {allow: [pypi.org, a.evil.test, good.test], block: evil.test}\n"
        "files: {allow: [src, keys/old, '${WORKSPACE}/docs'], block: keys}\n"
        "allow:\n  - {rule: git.force-push, because: b, until: 2020-01-01, match: {effect: pushes, ref: a}}\n"
        "  - {rule: git.force-push, because: b, until: 9999-01-01, match: {effect: pushes, ref: b}}\n",
        encoding="utf-8",
    )
    code, said = shell.run("policy", "check")
    assert code == 0
    notes = [line for line in said.splitlines() if ": " in line and ": OK (" not in line]
    parts = (
        "this exception ended on 2020-01-01",
        "keys/old/** is blocked",
        "a.evil.test is blocked",
        "pypi.org is allowed already",
    )
    assert len(notes) == len(parts), said
    assert all(any(part in note for note in notes) for part in parts)


def test_check_of_a_file_that_is_not_there_or_not_believed(shell: Shell) -> None:
    """It says so, in one sentence, and fails."""
    assert shell.run("policy", "check", "none.yaml")[0] == 1
    assert shell.run("policy", "check") == (
        1,
        "interlock policy check: there is no policy file here; name one, or begin one with `interlock policy init`\n",
    )
    shell.own.write_text(LOOSE, encoding="utf-8")
    shell.own.chmod(0o666)
    code, said = shell.run("policy", "check")
    assert (code, "it would not be believed: it can be written by others" in said) == (1, True)
    # a draft for another place is read for what it says; whose it has to be there is a remark
    code, said = shell.run("policy", "check", "--layer", "organisation", str(shell.own))
    assert (code, "it would not be believed as it is: " in said) == (0, True)


def test_check_looks_at_each_guard_in_a_folder_of_guards(shell: Shell) -> None:
    """Good ones are well, a bad one is named, a text for people is none, and an empty folder is
    nothing wrong.
    """
    folder = shell.home / ".claude/guards"
    folder.mkdir(parents=True)
    assert shell.run("policy", "check")[0] == 0
    (folder / "ok.yaml").write_text(
        "id: ok\ntool: bash\npatterns: [{match: zork, verdict: deny, reason: never}]\n",
        encoding="utf-8",
    )
    (folder / "README.md").write_text("# Our guards\n", encoding="utf-8")
    code, said = shell.run("policy", "check")
    assert (code, "ok.yaml: OK" in said, "README.md: no guard" in said) == (0, True, True), said
    assert shell.run("check", "--", "zork")[0] == 11
    assert shell.run("check", "--", "ls")[0] == 0
    (folder / "bad.yaml").write_text("id: bad\ntool: bash\npatternz: []\n", encoding="utf-8")
    code, said = shell.run("policy", "check")
    assert (code, "bad.yaml:3:1: there is no key 'patternz'" in said, "ok.yaml: OK" in said) == (
        1,
        True,
        True,
    ), said


def test_check_looks_at_each_skill_in_a_folder_of_skills(shell: Shell) -> None:
    """A file and a folder with a page are read alike; a folder without one is said by name, here
    and by the doctor, whether named or not.
    """
    skills, text = (
        shell.project / ".claude/guard-skills",
        "---\nname: {name}\ndescription: A skill.\n---\nBe careful.\n",
    )
    (skills / "two").mkdir(parents=True)
    (skills / "one.md").write_text(text.format(name="one"), encoding="utf-8")
    (skills / "two/SKILL.md").write_text(text.format(name="two"), encoding="utf-8")
    for words in ((), (str(skills),), (str(skills / "one.md"), str(skills / "two/SKILL.md"))):
        code, said = shell.run("policy", "check", *words)
        assert (
            code,
            said.count("OK, the guard skill one"),
            said.count("OK, the guard skill two"),
        ) == (0, 1, 1), said
    assert "guard skills" in shell.run("doctor")[1]
    (skills / "bare").mkdir()
    for words in ((), (str(skills),)):
        code, said = shell.run("policy", "check", *words)
        assert (
            code,
            "bare/SKILL.md:1:1" in said,
            "this one has none" in said,
            "guard skill two" in said,
        ) == (1, True, True, True), said
    assert (
        "bare/SKILL.md:1:1: a folder in guard-skills is a skill by its SKILL.md"
        in shell.run("doctor")[1]
    )


def test_show_names_the_origin_of_every_value(shell: Shell) -> None:
    """Which file and line said what, and what was left out and why."""
    shell.own.write_text(LOOSE + "tune:\n  - {rule: git.push, action: deny}\n", encoding="utf-8")
    code, said = shell.run("policy", "show")
    assert code == 0
    assert "git.push.action  deny" in said
    assert f"{shell.own}:4" in said
    assert "hosts is left out: a file of the project only tightens" in said
    told = json.loads(shell.run("policy", "show", "--json")[1])
    assert told["values"] == [{"what": "git.push.action", "value": "deny", "at": f"{shell.own}:4"}]


def test_the_policy_of_the_project_answers_check(shell: Shell) -> None:
    """``interlock check`` says what the hook would say there."""
    assert shell.run("check", "--", "git push origin topic")[0] == 0
    shell.own.write_text("version: 1\ntune: [{rule: git.push, action: deny}]\n", encoding="utf-8")
    assert shell.run("check", "--", "git push origin topic")[0] == 11


def test_a_profile_can_be_tried(shell: Shell) -> None:
    """``check --profile`` judges by that profile alone, and says a denial as an error, a rule and a
    layer.
    """
    assert shell.run("check", "--", "node app.js")[0] == 0
    code, said = shell.run("check", "--profile", "strict", "--json", "--", "node app.js")
    assert code == 11
    assert json.loads(said)["refusal"] == {
        "error": "Command blocked by safety rule: it runs a program that is not on the list",
        "rule": "command_not_allowed",
        "layer": 3,
    }


def test_trust_needs_a_person_at_a_terminal(shell: Shell) -> None:
    """An agent cannot trust: without a terminal nothing is asked and nothing is trusted."""
    shell.own.write_text(LOOSE, encoding="utf-8")
    code, said = shell.run("trust")
    assert code == 1
    assert "agent" in said or "terminal" in said
    assert shell.run("trust", "--revoke") == (1, f"{shell.own} was not trusted\n")
    assert shell.run("check", "--", "interlock trust")[0] == 11
    assert shell.run("check", "--", "interlock policy show")[0] == 0
    assert shell.run("check", "--", "interlock policy init")[0] == 11


TRUST = """
import sys
from interlock.cli import main, person_check, trust
from interlock.policy import load
person_check.needs_person = lambda _store, *, given: None
load.is_own_home = lambda _home, _owner: True
sys.exit(main.main(["trust"]))
"""
"""The command with a person who is known to be one and a home that is known to be theirs: a test
has neither.
"""


def at_terminal(shell: Shell, answer: bytes, program: str = TRUST, *words: str) -> str:
    """Run the command at a terminal of its own, answer its question, and return what was shown."""
    person, agent = pty.openpty()
    done = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=shell.project,
        env=shell.environment,
        stdin=agent,
        stdout=agent,
        stderr=agent,
        close_fds=True,
    )
    os.close(agent)
    os.write(person, answer)
    shown = b""
    try:
        while piece := os.read(person, 4096):
            shown += piece
    except OSError:  # the other end is closed: it ended
        done.wait(60)
    finally:
        os.close(person)
    return shown.decode()


@pytest.mark.parametrize(
    ("answer", "trusted"), [(b"y\n", True), (b"\n", False), (b"n\n", False), (b"sure\n", False)]
)
def test_trust_shows_what_it_loosens_and_asks(
    shell: Shell, answer: bytes, *, trusted: bool
) -> None:
    """The person sees each thing the file would loosen; only a plain yes counts."""
    shell.own.write_text(
        LOOSE
        + "tune:\n  - {rule: git.force-push, action: warn}\n  - {rule: git.push, action: ask}\n",
        encoding="utf-8",
    )
    shown = at_terminal(shell, answer)
    assert "would loosen:" in shown
    assert f"hosts: unknown.test  ({shell.own}:2)" in shown
    assert f"git.force-push: action ask -> warn  ({shell.own}:4)" in shown
    assert "git.push" not in shown
    marks = list((shell.home / ".local/state/interlock/trusted").glob("*"))
    assert bool(marks) == trusted
    if trusted:
        assert shell.run("trust", "--revoke")[0] == 0


def test_there_is_nothing_to_trust_in_a_file_that_only_tightens(shell: Shell) -> None:
    """Nobody is asked for nothing."""
    shell.own.write_text("version: 1\ntune: [{rule: git.push, action: deny}]\n", encoding="utf-8")
    assert "there is nothing to trust" in at_terminal(shell, b"y\n")
    assert not (shell.home / ".local/state/interlock/trusted").exists()


def test_the_schema_for_editors_is_of_the_same_rows() -> None:
    """Every table and key is in it, every reference leads somewhere, and no other key is
    allowed.
    """
    found = schema()
    text = json.dumps(found)
    for table in TABLES.values():
        there = found["$defs"][table.name.replace(" ", "-")]
        assert set(there["properties"]) == {key.name for key in table.keys}
        assert there["additionalProperties"] is False
    for reference in text.split('"#/$defs/')[1:]:
        assert reference.partition('"')[0] in found["$defs"]


def test_the_page_names_every_key() -> None:
    """The reference is of the same rows."""
    text = "\n".join(page())
    for table in TABLES.values():
        assert all(f"| `{key.name}`" in text for key in table.keys)


def test_files_may_stand_behind_options(shell: Shell) -> None:
    """Before, between and behind; what is no option of the command is still refused."""
    (shell.project / "a.yaml").write_text(LOOSE, encoding="utf-8")
    for words in (("a.yaml", "--layer", "project"), ("--layer", "project", "a.yaml")):
        code, said = shell.run("policy", "check", *words)
        assert (code, "OK (project policy)" in said) == (0, True), said
    code, said = shell.run("policy", "check", "--layer", "project", "a.yaml", "--nonsense")
    assert (code, "unknown option '--nonsense'" in said) == (2, True)
    assert shell.run("version", "more")[0] == 2


def test_a_reader_who_had_enough_is_no_error(shell: Shell) -> None:
    """What is printed may end in a program that reads only its beginning."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "interlock", "policy", "schema"],
        cwd=shell.project, env=shell.environment, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
