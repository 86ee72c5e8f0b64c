"""What reads, builds or runs outside the workspace: asked about by the careful profile however it
is said, and only warned of by default.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.effects.read import read
from interlock.facts import Live
from interlock.model.call import GLOB, GREP, ToolCall
from interlock.policy.builtin import builtin
from tests.judging import decided, rules_of, shell, tool
from tests.policy.layering import answer, policy

if TYPE_CHECKING:
    from pathlib import Path

CAREFUL = builtin("careful")

LOOKS = (
    ("cd / && ls", "cd src && ls"), ("cd .. && ls -la", "cd src && cd .. && ls -la"), ("(cd / && ls | head)", "(cd src && ls | head)"),
    ("cd .. && rg foo", "rg foo"), ("cd .. && ag foo", "cd src && ag foo"), ("cd .. && fd x", "fd x"), ("cd .. && grep -r foo", "grep -r foo"),
    ("cd .. && echo x | grep -r foo", "cd .. && echo x | grep foo"), ("cd $X && ls", "cd src && ls"), ("cd .. && ls", "cd .. && echo x"),
    ("git log -- ../x", "git log -- src"), ("git diff ../x", "git diff HEAD~1 -- src/a"), ("git show HEAD:../x", "git show HEAD:src/x"),
    ("git log /srv/x", "git log origin/main..HEAD"), ("cd .. && git status", "cd src && git status"), ("cd .. && git log", "git show :/fix"),
    ("ag --pager ./evil foo", "ag foo"), ("ag --pager=./evil foo", "ag --nopager foo"), ("rg --hostname-bin ./evil foo", "rg --hidden foo"),
    ("make -C ~/other", "make -C src"), ("make -C../other", "make -Csrc"), ("cd ../other && make", "cd src && make"),
    ("go run ../other/main.go", "go run main.go"), ("go test ../other/...", "go test ./..."), ("go build /srv/x", "go build ./cmd/x"),
    ("cmake ../other", "cd build && cmake .."), ("cmake -S../other -B build", "cmake -S. -B build"), ("cmake --build ../other/b", "cmake --build b"),
    ("npm --prefix=../other test", "npm test"), ("cd ../other && npm test", "cd src && npm test"),
    ("cargo test --manifest-path ../other/Cargo.toml", "cargo test --manifest-path src/Cargo.toml"), ("cd ~/other && cargo build", "cargo build"),
)  # fmt: skip
"""What the careful profile asks about, and its twin that runs."""


@pytest.mark.parametrize(("outside", "inside"), LOOKS)
def test_careful_asks_about_what_lies_outside_however_it_is_reached(
    outside: str, inside: str
) -> None:
    """By a folder that was changed to, by an option, by a path of git; the same inside the
    workspace runs, and by default both do.
    """
    assert answer(outside, CAREFUL) == "ask"
    assert answer(inside, CAREFUL) == "allow"
    assert {answer(outside, builtin()), answer(inside, builtin())} <= {"allow", "warn"}


@pytest.mark.parametrize(
    ("pattern", "folder", "expected"),
    [
        ("/home/alice/other/*", "", "ask"), ("../*", "", "ask"), ("src/../../*", "", "ask"), ("~/x/*", "", "ask"), ("{/etc,src}/*", "", "ask"),
        ("**/../../x", "", "ask"), ("*/../../x", "", "ask"), ("../../*", "src", "ask"), ("*.py", "/srv", "ask"), ("{" + "a," * 40 + "b}", "", "ask"),
        ("src/**/*.py", "", "allow"), ("{src,lib}/*", "", "allow"), ("src/../*", "", "allow"), ("../*", "src", "allow"), ("a..b/*", "", "allow"),
        ("/home/user/project/src/*", "", "allow"),
    ],
)  # fmt: skip
def test_a_pattern_of_names_leads_where_it_leads(pattern: str, folder: str, expected: str) -> None:
    """Of the Glob tool: absolute, by ``..``, by braces, from the folder it names."""
    fields = {"pattern": pattern, **({"path": folder} if folder else {})}
    assert str(decided(tool(GLOB, fields, "Glob"), CAREFUL).verdict) == expected


@pytest.mark.parametrize(
    ("glob", "expected"),
    [
        ("/srv/*.txt", "ask"),
        ("../*.py", "ask"),
        ("~/x/*", "ask"),
        ("*.py", "allow"),
        ("!*.py", "allow"),
        ("!/srv/x", "allow"),
        ("**/*.{ts,tsx}", "allow"),
    ],
)
def test_the_glob_of_grep_leads_where_it_leads(glob: str, expected: str) -> None:
    """Its pattern is a text that is looked for, and no path."""
    assert (
        str(decided(tool(GREP, {"pattern": "/etc/passwd", "glob": glob}, "Grep"), CAREFUL).verdict)
        == expected
    )


def test_a_glob_of_grep_that_begins_with_a_slash_may_be_meant_from_the_folder(
    tmp_path: Path,
) -> None:
    """Where there is no such folder at the top of the machine; where there is one, it may be
    that.
    """
    for glob, expected in (("/no-such-folder-here/**/*.ts", "allow"), ("/usr/**/*.ts", "ask")):
        call = ToolCall(
            GREP, "Grep", {"pattern": "x", "glob": glob}, cwd=str(tmp_path), roots=(str(tmp_path),)
        )
        assert str(decided(call, CAREFUL, Live(str(tmp_path / "home"))).verdict) == expected


# -- programs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "warned"),
    [
        ("~/other/bin", True), ("../other/tool --run", True), ("/srv/app/tool", True), ("python3 ~/other/x.py", True),
        ("~/.local/bin/tool", False), ("~/go/bin/tool", False), ("/opt/tool/Tool -batchmode", False), ("./tool", False), ("/usr/bin/tool", False),
    ],
)  # fmt: skip
def test_a_program_outside_that_nobody_read_is_warned_of(command: str, warned: bool) -> None:
    """Where it is installed, or in the workspace, it is not; nobody is asked by default."""
    decision = decided(shell(command))
    assert str(decision.verdict) == "allow"
    assert ("exec.program-outside" in rules_of(decision)) is warned


def test_a_program_outside_that_can_be_read_is_judged_by_what_it_does(tmp_path: Path) -> None:
    """Its text counts, and no word is said of where it lies."""
    (tmp_path / "work").mkdir()
    (tmp_path / "home/other").mkdir(parents=True)
    script = tmp_path / "home/other/tool"
    call = shell(str(script), str(tmp_path / "work")).replace(roots=(str(tmp_path / "work"),))
    facts = Live(str(tmp_path / "home"))
    for text, expected in (
        ("#!/bin/sh\necho built\n", "allow"),
        ("#!/bin/sh\nrm -rf ~/photos\n", "ask"),
    ):
        script.write_text(text, encoding="utf-8")
        decision = decided(call, facts=facts)
        assert (str(decision.verdict), "exec.program-outside" in rules_of(decision)) == (
            expected,
            False,
        )
    assert read(call, facts).coverage == "full"


# -- what is named like keys ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [".ssh/config", ".ssh/authorized_keys", "deploy/.ssh/known_hosts", ".ssh/keys/a"]
)
def test_a_projects_ssh_folder_is_not_written_without_a_question(name: str) -> None:
    """By whatever tool; it may be read, and a folder of another name is nothing."""
    assert [
        answer(command, builtin())
        for command in (f"echo x >> {name}", f"cp a {name}", f"rm {name}")
    ] == ["ask"] * 3
    assert (
        str(decided(tool("write", {"file_path": name, "content": "x"}, "Write")).verdict) == "ask"
    )
    assert answer(f"cat {name}", builtin()) == "allow"
    assert answer(f"echo x >> {name.replace('.ssh', 'ssh')}", builtin()) == "allow"


def test_what_looks_outside_is_not_among_allowed_paths() -> None:
    """A policy that allows the workspace alone means a folder that was changed to as well."""
    found = policy("files: {allow: ['${WORKSPACE}']}")
    assert (
        answer("cd ~/other && ls", found),
        answer("make -C ~/other", found),
        answer("cd src && make", found),
    ) == ("deny", "deny", "allow")
