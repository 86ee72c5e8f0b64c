"""The tools: what each does with a call that may run, and what it says of one that cannot be
done.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest

from interlock.agent.tool import MOST, Tool, ToolError, clip_text
from interlock.agent.tools import command, files, search, skills, todo
from interlock.model.call import ToolCall
from interlock.model.decision import Decision
from tests.agent.processes import alive, gone, started
from tests.disks import full_disk

if TYPE_CHECKING:
    from pathlib import Path

ALL = {tool.name: tool for tool in (*files.TOOLS, *search.TOOLS, *command.TOOLS, *todo.TOOLS)}


SESSION = f"agent-{os.getpid()}-{os.urandom(4).hex()}"
"""Of this run alone: what bears it is ended on the whole machine."""


def done(folder: Path, tool: Tool, **given: Any) -> str:
    """Run a tool in a folder."""
    tool.check_arguments(given)
    call = ToolCall(tool.kind, tool.name, given, cwd=str(folder), session=SESSION)
    return asyncio.run(_done(tool, call))


async def _done(tool: Tool, call: ToolCall) -> str:
    return await tool.run(call, Decision("d-1"))


def test_a_file_is_written_read_and_changed(tmp_path: Path) -> None:
    """Write makes folders, Read numbers lines from where it is told to, Edit changes exactly one
    place.
    """
    assert done(
        tmp_path, ALL["Write"], file_path="new/a.txt", content="one\ntwo\r\nthree\n"
    ).startswith("Made")
    assert (
        done(tmp_path, ALL["Read"], file_path="new/a.txt", offset=2, limit=1)
        == "     2\ttwo\n[1 more lines; give offset]"
    )
    assert done(
        tmp_path, ALL["Edit"], file_path="new/a.txt", old_string="two", new_string="2"
    ).endswith("in 1 place.")
    assert (tmp_path / "new/a.txt").read_bytes() == b"one\n2\r\nthree\n"


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "no file": ("Read", {"file_path": "none"}, "No such file or directory"),
    "a folder": ("Read", {"file_path": "."}, "is no ordinary file. Use Glob"),
    "a device": ("Read", {"file_path": "/dev/zero"}, "is no ordinary file"),
    "a device to write": (
        "Write",
        {"file_path": "/dev/zero", "content": "x"},
        "is no ordinary file",
    ),
    "a folder to write": (
        "Write",
        {"file_path": ".", "content": "x"},
        "is no ordinary file. Use Glob",
    ),
    "no text": ("Read", {"file_path": "binary"}, "no text in UTF-8"),
    "not there": (
        "Edit",
        {"file_path": "twice", "old_string": "x", "new_string": "y"},
        "does not hold that text exactly",
    ),
    "there twice": (
        "Edit",
        {"file_path": "twice", "old_string": "a", "new_string": "y"},
        "holds that text 2 times",
    ),
    "an empty text": (
        "Edit",
        {"file_path": "twice", "old_string": "", "new_string": "y"},
        "does not hold that text exactly",
    ),
    "out of the folder by a pattern": ("Glob", {"pattern": "../*"}, "give the folder as path"),
    "no expression": ("Grep", {"pattern": "a\\"}, "Grep failed"),
    "a command that fails": (
        "Bash",
        {"command": "echo out; echo err >&2; exit 3"},
        "out\nerr\n[exit code 3]",
    ),
    "a command that takes too long": (
        "Bash",
        {"command": "echo begun; sleep 100", "timeout": 1},
        "begun\n[stopped: its 1 seconds were over",
    ),
    "no such state": (
        "Todo",
        {"items": [{"text": "x", "state": "soon"}]},
        "a state of pending, doing, done",
    ),
    "an argument too few": (
        "Write",
        {"file_path": "x"},
        "Write needs content. It takes: file_path, content.",
    ),
    "an argument too many": ("Read", {"file_path": "x", "path": "y"}, "Read does not know path"),
    "a wrong type": ("Bash", {"command": ["ls"]}, "takes command as string, not as list"),
    "no number": (
        "Bash",
        {"command": "ls", "timeout": True},
        "takes timeout as integer, not as bool",
    ),
    "a zero byte in a command": ("Bash", {"command": "ls a\0b"}, "could not be started"),
    "a zero byte in an expression": ("Grep", {"pattern": "a\0b"}, "could not be started"),
    "a zero byte in a path": ("Read", {"file_path": "a\0b"}, "a path holds no zero byte"),
    "half a character": (
        "Write",
        {"file_path": "twice", "content": "\ud83d"},
        "surrogates not allowed",
    ),
}


@pytest.mark.parametrize(("name", "given", "said"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_done_is_said(
    tmp_path: Path, name: str, given: dict[str, Any], said: str
) -> None:
    """The model reads what was wrong and what to do instead; nothing was changed."""
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "twice").write_text("a a", encoding="utf-8")
    with pytest.raises(ToolError, match=re.escape(said)):
        done(tmp_path, ALL[name], **given)
    assert (tmp_path / "twice").read_text(encoding="utf-8") == "a a"


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("Write", {"content": "x" * 9000}),
        ("Edit", {"old_string": "kept\n" * 600, "new_string": "x" * 9000}),
    ],
    ids=["Write", "Edit"],
)
def test_a_full_disk_takes_no_file_away(tmp_path: Path, name: str, given: dict[str, Any]) -> None:
    """What is too long for the disk is said, and the file holds what it held; what fits is written,
    through a link, with the mode as it was.
    """
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("kept\n" * 600, encoding="utf-8")
    path.chmod(0o640)
    link.symlink_to(path)
    with full_disk(4096), pytest.raises(ToolError, match=f"File too large: {re.escape(str(link))}"):
        done(tmp_path, ALL[name], file_path="link", **given)
    assert path.read_text(encoding="utf-8") == "kept\n" * 600
    with full_disk(4096), pytest.raises(ToolError, match="File too large"):
        done(tmp_path, ALL["Write"], file_path="new", content="x" * 9000)
    assert not (tmp_path / "new").exists()
    done(tmp_path, ALL["Write"], file_path="link", content="short")
    assert [path.read_text(encoding="utf-8"), link.is_symlink(), path.stat().st_mode & 0o777] == [
        "short",
        True,
        0o640,
    ]


@pytest.mark.parametrize("program", ["rg", "grep"])
def test_files_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Glob by name, Grep by line, with whichever program is there; what is hidden is left out until
    its folder is named.
    """
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    if program == "grep":
        monkeypatch.setattr("interlock.agent.tools.search.shutil.which", lambda _: None)
    for name in ("src/a.py", "src/b.txt", ".hidden/c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("import needle\n", encoding="utf-8")
    assert done(tmp_path, ALL["Glob"], pattern="**/*.py") == str(tmp_path / "src/a.py")
    assert done(tmp_path, ALL["Glob"], pattern="*.py", path=".hidden") == str(
        tmp_path / ".hidden/c.py"
    )
    found = done(tmp_path, ALL["Grep"], pattern="need.e")
    assert sorted(found.split("\n")) == [
        f"{tmp_path}/src/{name}:1:import needle" for name in ("a.py", "b.txt")
    ]
    assert ".py" not in done(tmp_path, ALL["Grep"], pattern="needle", glob="*.txt")
    assert "fits nothing-here" in done(tmp_path, ALL["Grep"], pattern="nothing-here")


def test_a_command_is_marked_and_has_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What approves calls can see that an agent started it, the emergency stop whose it is, and the
    agent's own key is not in it.
    """
    monkeypatch.setenv("INTERLOCK_API_KEY", "secret")
    said = done(
        tmp_path,
        ALL["Bash"],
        command="echo $INTERLOCK_AGENT $INTERLOCK_SESSION $INTERLOCK_CALL [$INTERLOCK_API_KEY]",
    )
    assert said == f"1 {SESSION} d-1 []"


@pytest.mark.skipif(sys.platform != "linux", reason="processes are seen by /proc only")
def test_a_command_that_takes_too_long_ends_with_all_it_started(tmp_path: Path) -> None:
    """Also what left its group; what an earlier call left running goes on."""
    done(
        tmp_path,
        ALL["Bash"],
        command="INTERLOCK_CALL=earlier setsid sh -c 'echo $$ > other; exec sleep 300' > /dev/null 2>&1 &",
    )
    with pytest.raises(ToolError, match="its 2 seconds were over"):
        done(
            tmp_path,
            ALL["Bash"],
            command="setsid sh -c 'echo $$ > mine; exec sleep 300' & sleep 300",
            timeout=2,
        )
    gone(started(tmp_path / "mine"))
    other = started(tmp_path / "other")
    assert alive(other)
    os.kill(other, signal.SIGKILL)


def test_a_command_may_leave_something_running(tmp_path: Path) -> None:
    """A server in the background does not hold the answer back, and goes on."""
    said = done(tmp_path, ALL["Bash"], command="sleep 300 & echo $!")
    assert done(tmp_path, ALL["Bash"], command=f"kill {said.strip()} && echo ended") == "ended"


@pytest.mark.parametrize("last", [100, 6000, 100_000, 300_000])
def test_long_output_is_cut_in_the_middle(tmp_path: Path, last: int) -> None:
    """However long it is, its beginning, its end and the exit code are told, and in one line how
    much is missing, if any.
    """
    with pytest.raises(ToolError) as failed:
        done(tmp_path, ALL["Bash"], command=f"seq 1 {last}; echo FINAL-LINE; exit 3")
    said, whole = (
        str(failed.value),
        "".join([f"{number}\n" for number in range(1, last + 1)]) + "FINAL-LINE\n",
    )
    assert said.startswith("1\n2\n")
    assert said.endswith(f"\n{last}\nFINAL-LINE\n[exit code 3]")
    left = [int(count) for count in re.findall(r"\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n", said)]
    assert left == ([len(whole) - MOST] if len(whole) > MOST else [])
    assert len(said) < MOST + 100


def test_a_long_search_keeps_its_end(tmp_path: Path) -> None:
    """What is found is told as a command's output is: of more than fits the beginning and the end,
    and one line says how much is between.
    """
    (tmp_path / "a.txt").write_text(
        "".join([f"needle {number}\n" for number in range(20_000)]), encoding="utf-8"
    )
    said = done(tmp_path, ALL["Grep"], pattern="needle")
    assert said.startswith(f"{tmp_path}/a.txt:1:needle 0\n")
    assert said.endswith("needle 19999")
    assert said.count("left out") == 1


def test_a_text_that_fits_is_told_whole() -> None:
    """Nothing is cut of what is short enough."""
    assert clip_text("short") == "short"


def test_what_is_to_be_done_is_listed(tmp_path: Path) -> None:
    """Todo shows the list as it stands."""
    items = [
        {"text": "look", "state": "done"},
        {"text": "change", "state": "doing"},
        {"text": "test", "state": "pending"},
    ]
    assert done(tmp_path, ALL["Todo"], items=items) == "[x] look\n[>] change\n[ ] test"


def test_skills_are_found_and_read(tmp_path: Path) -> None:
    """Of the home and the project, in each of the four folders; the project's counts where both
    have one.

    A link out of the project, or to what is no page, is no skill; nor is a pipe, a folder or what
    is no text. Without any there is no tool.
    """
    for place, folder, name, told in (
        ("home", ".claude", "release", "the home's"),
        ("project", ".interlock", "release", "how to release"),
        ("project", ".agents", "test", "'how to test'"),
    ):
        path = tmp_path / place / folder / "skills" / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(
            f"---\nname: {name}\ndescription: {told}\n---\nDo it so ({place}).\n", encoding="utf-8"
        )
    (tmp_path / "project/.bitcode/skills/empty").mkdir(parents=True)
    for name, target in (("out", tmp_path / "key.md"), ("other", tmp_path / "project/.env")):
        target.write_text("secret", encoding="utf-8")
        link = tmp_path / "project/.agents/skills" / name / "SKILL.md"
        link.parent.mkdir()
        link.symlink_to(target)
    for name in ("pipe", "folder", "bytes"):
        (tmp_path / "project/.agents/skills" / name).mkdir()
    os.mkfifo(tmp_path / "project/.agents/skills/pipe/SKILL.md")
    (tmp_path / "project/.agents/skills/folder/SKILL.md").mkdir()
    (tmp_path / "project/.agents/skills/bytes/SKILL.md").write_bytes(b"\xff\xfe")
    (tmp_path / "project/.claude").mkdir()
    (tmp_path / "project/.claude/skills").write_text("no folder", encoding="utf-8")
    found = skills.find_skills([str(tmp_path / "home"), str(tmp_path / "project")])
    assert {skill.name: skill.told for skill in found.values()} == {
        "release": "how to release",
        "test": "how to test",
    }
    [tool] = skills.tools(found)
    assert "Do it so (project)." in done(tmp_path, tool, name="release")
    with pytest.raises(ToolError, match="There are: release, test"):
        done(tmp_path, tool, name="other")
    assert skills.tools({}) == ()
