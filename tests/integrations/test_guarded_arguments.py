"""What ``guarded`` makes of the arguments of a function: plain data, a kind of tool, paths that
go.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock import Refused, Session, guarded
from interlock.integrations.session import kind_of, plain
from interlock.model.action import ASK
from tests.integrations.guarding import BAD, GOOD, workspace

if TYPE_CHECKING:
    from collections.abc import Callable


class Unreadable:
    """An argument that cannot be said."""

    def __str__(self) -> str:
        raise OSError("gone")


def nested(depth: int) -> object:
    """Make a list in a list in a list."""
    value: object = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("argument", [Unreadable(), nested(60)])
def test_arguments_that_cannot_be_read_are_refused(session: Session, argument: object) -> None:
    """What cannot be read cannot be judged, so it does not run; what can be, does."""
    ran: list[object] = []

    @guarded(session)
    def note(value: object) -> None:
        ran.append(value)

    with pytest.raises(Refused, match="could not be read") as caught:
        note(argument)
    assert caught.value.decision is None
    note(nested(3))
    assert len(ran) == 1


@dataclass
class Place:
    """A record of a program."""

    path: str


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Path("/a/b"), "/a/b"),
        (b"ab", "ab"),
        (("a", 1, None, 2.5, True), ["a", 1, None, 2.5, True]),
        ({"a": Path("/x"), 3: {"b": b"c"}}, {"a": "/x", "3": {"b": "c"}}),
        (Place("/etc"), {"path": "/etc"}),
        (object(), "<object>"),
        (ValueError("why"), "why"),
    ],
)
def test_arguments_become_plain_data(value: object, expected: object) -> None:
    """Paths, bytes, records and containers are read as what they hold."""
    assert plain(value) == expected


KINDS = [
    ("bash", ("command",), "shell"),
    ("Bash", ("cmd",), "shell"),
    ("shell", ("line",), "mcp"),
    ("terminal", ("commands",), "mcp"),
    ("read_file", ("path",), "read"),
    ("read_file", ("key",), "mcp"),
    ("write_file", ("file_path", "content"), "write"),
    ("edit_file", ("filePath", "command"), "edit"),
    ("fetch", ("url",), "fetch"),
    ("task", ("command",), "mcp"),
    ("search", ("query",), "mcp"),
    ("grep", ("pattern", "path"), "grep"),
    ("grep", ("path", "command"), "mcp"),
    ("delete_user", ("id",), "mcp"),
]


@pytest.mark.parametrize(("name", "keys", "kind"), KINDS)
def test_a_kind_is_guessed_only_where_name_and_arguments_agree(
    name: str, keys: tuple[str, ...], kind: str
) -> None:
    """A name alone never makes a tool a harmless kind."""
    assert kind_of(name, dict.fromkeys(keys, "x")) == kind


def each_style() -> dict[str, Callable[[Session], Callable[..., object]]]:
    """Write one tool in each way that a program may."""

    class Box:
        def do(self, command: str) -> str:
            return "ran " + command

        @classmethod
        def make(cls, command: str) -> str:
            return "ran " + command

    def many(*command: str) -> str:
        return "ran " + command[0]

    def named(**given: str) -> str:
        return "ran " + given["command"]

    def default(again: int = 1, command: str = GOOD) -> str:
        return f"ran {command} {again}"

    def keyword(*, command: str) -> str:
        return "ran " + command

    def other(line: str, context: object = None) -> str:
        return f"ran {line} {context}"

    return {
        "a bound method": lambda session: guarded(session)(Box().do),
        "a method": lambda session: lambda command: guarded(session)(Box.do)(Box(), command),
        "a class method": lambda session: guarded(session)(Box.make),
        "a list of arguments": lambda session: guarded(session)(many),
        "any keywords": lambda session: lambda command: guarded(session)(named)(command=command),
        "a default": lambda session: lambda command: guarded(session)(default)(2, command),
        "a keyword": lambda session: lambda command: guarded(session)(keyword)(command=command),
        "a key of its own": lambda session: guarded(
            session, tool="shell", keys={"line": "command"}, skip=("context",)
        )(other),
    }


@pytest.mark.parametrize("style", each_style())
def test_every_way_to_hand_over_arguments_is_read(session: Session, style: str) -> None:
    """The bad command is found wherever it stands, and the good one runs."""
    tool = each_style()[style](session)
    with pytest.raises(Refused, match=r"fs\.delete-system"):
        tool(BAD)
    assert str(tool(GOOD)).startswith("ran echo hello")


def test_defaults_are_judged_too(session: Session) -> None:
    """A call that leaves an argument out is judged with what the function puts there."""

    @guarded(session)
    def bash(command: str = BAD) -> str:
        return command

    with pytest.raises(Refused):
        bash()
    assert bash(GOOD) == GOOD


def test_a_wrong_call_is_the_callers_error(session: Session) -> None:
    """As without a guard."""

    @guarded(session)
    def bash(command: str) -> str:
        return command

    with pytest.raises(TypeError, match="missing a required argument"):
        bash(comand="ls")  # type: ignore[call-arg]


# -- what is said of a function that deletes -------------------------------------------------------

FOLDER, NAME = "fs.delete-workspace-tree", "infra.unlisted"


DELETING = [
    # of one file there is nothing to ask about, as for `rm a`; a folder is one, by whatever name
    # the function goes
    ("delete", {"path": "a"}, ()),
    ("remove_file", {"path": "a"}, ()),
    ("delete", {"path": "src"}, (FOLDER,)),
    ("delete_folder", {"path": "src"}, (FOLDER,)),
    # what is not there may be anything, and anywhere
    ("delete", {"path": "gone"}, (FOLDER, NAME)),
    ("delete", {"path": "a", "target_path": "gone"}, (FOLDER, NAME)),
    # the name says that something else goes than what the path names, or there is no path
    ("delete_user", {"path": "a"}, (NAME,)),
    ("purge_cache", {"path": "src"}, (FOLDER, NAME)),
    ("delete", {"name": "a"}, (NAME,)),
    # a server's tool may mean what is with the server, unless files are all that it has
    ("mcp__store__delete_file", {"path": "a"}, (NAME,)),
    ("mcp__filesystem__delete_file", {"path": "a"}, ()),
    ("mcp__filesystem__delete_file", {"path": "src"}, (FOLDER,)),
    # where it lies counts as ever
    ("delete", {"path": "/etc/hosts"}, ("fs.delete-system",)),
]


@pytest.mark.parametrize(
    ("name", "given", "rules"),
    DELETING,
    ids=[f"{name}-{number}" for number, (name, *_) in enumerate(DELETING)],
)
def test_what_a_function_deletes_is_told_by_its_arguments(
    session: Session, tmp_path: Path, name: str, given: dict[str, str], rules: tuple[str, ...]
) -> None:
    """A file is a file and a folder a folder; the name asks only where the arguments leave open
    what goes.
    """
    (workspace(tmp_path) / "src").mkdir()
    for file in ("a", "src/b"):
        (workspace(tmp_path) / file).write_text("x", encoding="utf-8")
    asked = {
        finding.rule
        for finding in session.guard.check(session.call(name, given)).findings
        if finding.action >= ASK and finding.effect is not None
    }
    assert asked == set(rules)


def test_a_refusal_names_a_function_once(session: Session, tmp_path: Path) -> None:
    """Of a folder it says what goes, and of a name that says more than its arguments the name, not
    twice.
    """
    (workspace(tmp_path) / "src").mkdir()
    (workspace(tmp_path) / "src/b").write_text("x", encoding="utf-8")
    for name, given, said in (
        (
            "delete",
            {"path": "src"},
            f"What matched: `delete {workspace(tmp_path)}/src`\n",
        ),
        (
            "delete_user",
            {"id": "7"},
            "The call did not run. What matched: `delete_user`\n",
        ),
    ):
        with pytest.raises(Refused) as why:
            session.judge(session.call(name, given))
        assert said in str(why.value)
