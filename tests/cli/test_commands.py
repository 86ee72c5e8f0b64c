"""The command line as people and scripts use it: words, exit codes, JSON, and errors that help."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.cli import samples
from interlock.cli.main import COMMANDS, main, parser

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run one command in a home and project of its own; return its exit code and what it
    printed.
    """
    project = tmp_path / "home" / "project"
    project.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(project)

    def go(*argv: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        try:
            code = main(list(argv))
        except SystemExit as ended:
            code = int(ended.code or 0)
        out = capsys.readouterr()
        return code, out.out, out.err

    return go


@pytest.mark.parametrize(
    ("command", "code", "word"),
    [
        ("ls -la", 0, "ALLOW"),
        ("pip install requests", 0, "warning"),
        ("git reset --hard", 10, "ASK"),
        ("rm -rf /", 11, "DENY"),
    ],
)
def test_check_says_the_verdict_twice(run: Run, command: str, code: int, word: str) -> None:
    """In words, and in an exit code that is 0 for an allow alone."""
    found, out, _ = run("check", "--", command)
    assert (found, word in out) == (code, True)


def test_check_and_explain_say_what_is_at_stake(run: Run, tmp_path: Path) -> None:
    """An ask says what would be lost, with names that nothing in a terminal obeys; an allow looks
    for nothing.
    """
    folder = tmp_path / "home" / "photos"
    folder.mkdir()
    for name in ("a.jpg", "b\x1b[2J.jpg"):
        (folder / name).write_text("12345")
        os.utime(folder / name, (1e9, 1e9))
    for command in ("check", "explain"):
        _, out, _ = run(command, "--", "rm -rf ~/photos")
        assert "at stake: 2 files, 10 bytes, all of them under no version control" in out
        assert (
            "such as `photos/a.jpg`, `photos/b\\x1b[2J.jpg`; last changed 2001-09-09 01:46 UTC"
            in " ".join(out.split())
        )
        assert "at stake" not in run(command, "--", "ls ~/photos")[1]
    decision = json.loads(run("check", "--json", "--", "rm -rf ~/photos")[1])["decision"]
    assert (decision["radius"]["files"], decision["radius"]["unversioned"]) == (2, 2)
    assert "radius" not in json.loads(run("check", "--json", "--", "rm -rf /")[1])["decision"]


SHELLS = [
    ("powershell", ("Remove-Item -Recurse -Force C:\\Windows",), 11),
    ("powershell", ("Remove-Item", "-Recurse", "-Force", "C:\\Program Files"), 11),
    ("powershell", ("Get-ChildItem C:\\Windows",), 0),
    ("cmd", ("rd /s /q C:\\Windows",), 11),
    ("cmd", ("rd", "/s", "/q", "C:\\Program Files"), 11),
    ("cmd", ("dir C:\\Windows",), 0),
    ("cmd", ("echo", "x>C:\\Windows\\a"), 0),
    ("cmd", ("echo x>C:\\Windows\\a",), 11),
    ("sh", ("rm -rf /usr",), 11),
    ("sh", ("dir /usr",), 0),
]


@pytest.mark.parametrize(("shell", "words", "code"), SHELLS)
def test_check_reads_a_command_as_the_shell_does_that_is_named(
    run: Run, shell: str, words: tuple[str, ...], code: int
) -> None:
    """PowerShell and cmd.exe read their commands by their own rules, and paths by those of
    Windows.
    """
    assert run("check", "--shell", shell, "--", *words)[0] == code


def test_the_platform_follows_the_shell_unless_it_is_said(run: Run) -> None:
    """PowerShell runs on Linux too; a folder of Windows is no folder below this one; a tool's input
    is read by no shell.
    """
    on_windows = (
        "check",
        "--shell",
        "powershell",
        "--cwd",
        "C:\\work",
        "--json",
        "--",
        "rm -r C:\\work\\x",
    )
    target = json.loads(run(*on_windows)[1])["reading"]["effects"][-1]
    assert target["place"]["location"] == "workspace"
    assert run("check", "--shell", "powershell", "--platform", "linux", "--", "rm -r /usr")[0] == 11
    code, _, error = run("check", "--shell", "cmd", "--tool", "Write", "--input", "{}")
    assert (code, "--shell" in error) == (2, True)


def test_a_home_of_windows_counts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Windows names the home and nobody else does, it is a home: it is not deleted, and it is
    no workspace; a folder in it may be one.
    """
    monkeypatch.delenv("HOME")
    monkeypatch.setenv("USERPROFILE", "C:\\Users\\me")
    assert (
        run("check", "--shell", "cmd", "--cwd", "C:\\work", "--", "rd /s /q %USERPROFILE%")[0] == 11
    )
    assert run("check", "--shell", "cmd", "--cwd", "C:\\Users\\me", "--", "del x.txt")[0] == 10
    assert run("check", "--shell", "cmd", "--cwd", "C:\\Users\\me\\work", "--", "del x.txt")[0] == 0


def test_check_marks_the_words_that_matter(run: Run) -> None:
    """Without colour the span is marked on the line below."""
    _, out, _ = run("check", "--", "ls; rm -rf ~ ; ls")
    line = next(
        number for number, text in enumerate(out.splitlines()) if text.strip().startswith("ls; rm")
    )
    quoted, marks = out.splitlines()[line], out.splitlines()[line + 1]
    assert quoted[marks.index("^") : marks.rindex("^") + 1] == "~"
    assert "\x1b" not in out


def test_check_shows_what_hidden_text_would_run(run: Run) -> None:
    """Of decoded text the words that led to it are marked, and the inner words are shown."""
    _, out, _ = run("check", "--", "echo cm0gLXJmIC8= | base64 -d | sh")
    assert "which runs: rm -rf /" in out


def test_check_takes_words_as_the_shell_left_them(run: Run) -> None:
    """Several words are one command whose words are already apart: a quoted operator stays a
    word.
    """
    assert run("check", "--", "echo", "a; rm -rf /")[0] == 0
    assert run("check", "--", "rm", "-rf", "/")[0] == 11


def test_check_reads_standard_input(run: Run) -> None:
    """A script can be piped in."""
    assert run("check", stdin="cd /\nrm -rf *\n")[0] == 11
    assert run("check", stdin="ls\n")[0] == 0


def test_check_of_another_tool(run: Run, tmp_path: Path) -> None:
    """Any tool's input is judged by the same rules."""
    inside = json.dumps({"file_path": str(tmp_path / "home/project/a.py"), "content": "x"})
    assert run("check", "--tool", "Write", "--input", inside)[0] == 0
    assert (
        run("check", "--tool", "Write", "--input", '{"file_path": "/etc/hosts", "content": "x"}')[0]
        == 11
    )


def test_check_as_json(run: Run) -> None:
    """The whole decision and reading, for programs."""
    code, out, _ = run("check", "--json", "--", "rm -rf /")
    found = json.loads(out)
    assert (code, found["verdict"], found["decision"]["findings"][0]["rule"]) == (
        11,
        "deny",
        "fs.delete-system",
    )


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["check", "--tool", "Write", "--input", "nonsense"], "is no JSON"),
        (["check", "--tool", "Write", "--input", "[1]"], "expected an object"),
        (["check", "--input", "{}", "--", "ls"], "--input goes with --tool"),
        (["explain", "fs.delete-hom"], "did you mean fs.delete-home"),
        (["rules", "--tag", "nonsense"], "tags are:"),
        (["nonsense"], "there is no command 'nonsense'"),
    ],
)
def test_what_a_person_got_wrong_is_said_in_words(run: Run, argv: list[str], words: str) -> None:
    """One clear sentence, an exit code that is no verdict, and no traceback."""
    code, out, err = run(*argv)
    assert code in (1, 2)
    assert words in err
    assert "Traceback" not in out + err


def test_a_defect_of_ours_is_no_verdict(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unexpected failure exits with a code of its own, in words."""
    monkeypatch.setattr("interlock.cli.check.judge", lambda _call: 1 / 0)
    code, _, err = run("check", "--", "ls")
    assert (code, "a bug in interlock" in err, "Traceback" in err) == (3, True, False)


def test_explain_a_command_step_by_step(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every effect, and under each the rules that spoke; what is not there is no loss, and no rule
    speaks of it.
    """
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    folder = tmp_path / "temporary/x"
    folder.mkdir(parents=True)
    code, out, _ = run("explain", "--", f"cd {folder.parent} && rm -rf x")
    assert code == 0
    assert f"deletes {folder} (temporary)" in " ".join(out.split())
    assert "ask by fs.delete-temporary" in out
    folder.rmdir()
    assert "no rule speaks of it" in run("explain", "--", f"cd {folder.parent} && rm -rf x")[1]


def test_explain_a_rule(run: Run) -> None:
    """A rule in full, with its examples."""
    code, out, _ = run("explain", "fs.delete-home")
    assert code == 0
    assert all(word in out for word in ("Why:", "Safer:", "catches", "passes"))


def test_rules_are_listed_and_filtered(run: Run) -> None:
    """All of them, or those with a tag, as lines or as JSON."""
    every, tagged = run("rules")[1].splitlines(), run("rules", "--tag", "GR-002")[1].splitlines()
    assert len(every) > 50 > len(tagged) > 0
    assert {row["id"] for row in json.loads(run("rules", "--json")[1])} == {
        line.split()[0] for line in every
    }


def test_the_log_of_a_new_user_is_empty(run: Run) -> None:
    """It says so."""
    code, out, _ = run("log")
    assert (code, out.strip()) == (0, "no decisions yet")


def test_version_names_package_rules_and_python(run: Run) -> None:
    """What a report of a fault needs."""
    code, out, _ = run("version")
    assert code == 0
    assert all(word in out for word in ("interlock", "rules", "Python"))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(run: Run, command: str) -> None:
    """``--help`` works for each and says more than its name."""
    code, out, _ = run(command, "--help")
    assert code == 0
    assert len(out.splitlines()) > 3


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal_and_its_examples_are_command_lines(name: str, run: Run) -> None:
    """80 columns, no word broken in two; what stands there as an example is understood."""
    _, out, _ = run(name, "--help")
    assert [
        line for line in out.splitlines() if len(line) > 80 and "modelcontext" not in line
    ] == []
    assert re.search(r"\w-\n", out) is None
    for line in samples.EXAMPLES.get(name, ()):
        assert f"  {line}\n" in out
        words = [word for word in shlex.split(re.sub(r" > .*|\$\(|\)", "", line)) if word != "eval"]
        words = shlex.split(words[0]) if " " in words[0] else words
        assert (words[0], words[1]) == ("interlock", name)
        parser().parse_args(words[1:])
