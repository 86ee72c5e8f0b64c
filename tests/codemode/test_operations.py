"""Operations as effects: the same words that tool calls are judged by."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.operations import Operation, UnknownOperationError, classify_open, effects
from interlock.codemode.plain_paths import ENDINGS, NAMES, WORDS, PlainPaths, is_plain
from interlock.effects import places
from interlock.facts.recorded import Recorded
from interlock.model.call import PYTHON, ToolCall

if TYPE_CHECKING:
    from interlock.model.effect import Effect

CALL = ToolCall(PYTHON, "execute_python", {"code": ""}, cwd="/home/u/p", roots=("/home/u/p",))
FACTS = Recorded(
    "/home/u",
    reals={
        "/home/u/p": "/home/u/p",
        "/home/u/p/way": "/srv",
        "/home/u/p/way/x": "/srv/x",
        "/home/u/p/link": "/home/u/.ssh/id_rsa",
    },
)


def told(effect: Effect) -> str:
    """Write an effect in one line."""
    place = f" in {effect.place.location}" if effect.place is not None else ""
    traits = "".join([f" +{trait}" for trait in sorted(effect.traits)])
    return f"{effect.kind} {effect.target}{place}{traits}"


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (("read", "/home/u/p/a"), ["reads /home/u/p/a in workspace"]),
        (("stat", "/srv/a"), ["reads /srv/a in elsewhere +listed"]),
        (("write", "/home/u/p/way/x"), ["writes /home/u/p/way/x in elsewhere"]),
        (
            ("update", "/home/u/p/a"),
            ["reads /home/u/p/a in workspace", "writes /home/u/p/a in workspace +append"],
        ),
        (("delete", "/home/u/p/link"), ["deletes /home/u/p/link in workspace"]),
        (("delete", "/home/u/p/way/x"), ["deletes /srv/x in elsewhere"]),
        (
            ("rename", "/home/u/p/a", "/home/u/p/b"),
            [
                "deletes /home/u/p/a in workspace +moved",
                "writes /home/u/p/b in workspace +moved-to",
            ],
        ),
        (("rmtree", "/home/u/p/src"), ["deletes /home/u/p/src in workspace +recursive"]),
        (("chmod", "/home/u/p/a", str(0o4755)), ["changes-mode /home/u/p/a in workspace +setuid"]),
        (("connect", "tcp", "Example.COM.", "80"), ["connects example.com"]),
        (("bind", "tcp", "0.0.0.0", "80"), ["listens 80 +public"]),  # noqa: S104 - an address that a program names
        (("kill", "4711", "9"), ["kills-process 4711 +by-pid"]),
        (("kill", "4711", "0"), []),
        (("load", "/home/u/p/x.so"), ["executes /home/u/p/x.so +native-code"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_an_operation_is_its_effects(operation: tuple[str, ...], expected: list[str]) -> None:
    """Each operation says what it does to what, and where that is; a link is followed unless it is
    itself what is done away with.
    """
    assert [
        told(effect) for effect in effects(Operation(operation[0], operation[1:]), CALL, FACTS)
    ] == expected


def test_a_program_that_is_started_does_what_its_command_line_says() -> None:
    """Starting rm is starting a program, and deleting; one that lies in the workspace is named by
    its path.
    """
    found = effects(Operation("exec", ("/usr/bin/rm", "rm", "-rf", "/home/u/old")), CALL, FACTS)
    assert {str(effect.kind) for effect in found} >= {"executes", "deletes"}
    assert found[0].target == "rm"
    assert (
        effects(Operation("exec", ("/home/u/p/git", "git")), CALL, FACTS)[0].target
        == "/home/u/p/git"
    )


@pytest.mark.parametrize(
    "operation",
    [("fly",), ("read",), ("read", "relative"), ("chmod", "/x", "u+x"), ("rename", "/x")],
)
def test_what_is_no_operation_is_said(operation: tuple[str, ...]) -> None:
    """An operation that there is not, without its arguments, or of a path that hangs nowhere is an
    error.
    """
    with pytest.raises(UnknownOperationError):
        effects(Operation(operation[0], operation[1:]), CALL, FACTS)


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        (os.O_RDONLY, "read"), (os.O_WRONLY | os.O_CREAT | os.O_TRUNC, "write"), (os.O_WRONLY | os.O_APPEND, "append"), (os.O_RDWR, "update"),
        (os.O_RDWR | os.O_CREAT | os.O_EXCL, "write"), (os.O_RDONLY | os.O_DIRECTORY, "list"), (os.O_RDONLY | os.O_TRUNC, "write"),
    ],
)  # fmt: skip
def test_flags_of_open_are_an_operation(flags: int, name: str) -> None:
    """What a file is opened for tells what is done to it."""
    assert classify_open(flags) == name


ROOT = "/home/u/p"
PLAIN = PlainPaths(lent=(ROOT,), written=True, names=NAMES, words=WORDS, endings=ENDINGS)
SPECIAL = sorted(
    {*places.ANY_FOLDER, *places.KEY_NAMES, *places.INSTRUCTIONS, *places.STARTS_WITH_PYTHON, ".env", ".env.local", "secrets.json", "a.pem",
     "prod.tfstate", "x/.git/hooks/pre-commit", "site-packages/a.pth", "my_password.txt", "credentials", "server.key", ".claude/settings.json"}
)  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_what_is_special_by_name_is_not_plain(name: str) -> None:
    """Every name that places know in a workspace has to be asked about; generated and ordinary
    names need not be.
    """
    natures = places.natures(f"{ROOT}/{name}", (ROOT,), "/home/u") - {"generated", "log"}
    assert natures, f"{name} is nothing special"
    assert not is_plain(f"{ROOT}/{name}", PLAIN)


@pytest.mark.parametrize(
    "name", ["a.py", "src/main.go", "data/x.csv", "README.md", "node_modules/a/b.js", "build/out.o"]
)
def test_ordinary_names_are_plain(name: str) -> None:
    """An ordinary file of a workspace needs no question, and the workspace itself and what lies
    outside does.
    """
    assert is_plain(f"{ROOT}/{name}", PLAIN)
    assert not is_plain(f"/srv/{name}", PLAIN)
    assert not is_plain(ROOT, PLAIN)
