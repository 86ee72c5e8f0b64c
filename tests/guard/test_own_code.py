"""The guard's own running code is a guard file, from wherever it was installed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

import interlock
from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.model.call import ToolCall
from interlock.policy.builtin import builtin

OWN = Path(interlock.__file__).parent.resolve()
CHECKOUT = str(OWN.parents[1])
CODE, QUOTED_CHECKOUT = shlex.quote(str(OWN)), shlex.quote(CHECKOUT)
"""As they stand in a command, wherever this repository lies."""


def verdict(command: str, root: str) -> str:
    """Return the answer to a command in a workspace."""
    call = ToolCall("shell", "Bash", {"command": command}, root, (root,))
    return str(Guard(builtin(), ask=NATIVE, facts=Live("/home/user")).check(call).verdict)


@pytest.mark.parametrize(
    "command",
    [
        f"echo x > {CODE}/guard/check.py", f"rm {CODE}/hook.py", f"rm -rf {CODE}", f"chmod -x {CODE}/hook.py",
        f"sed -i s/DENY/ALLOW/ {CODE}/rules/guard.py",
        f"mv {CODE}/rules /tmp/x", f"cp evil.py {CODE}/hook.py",
        "python3 -c " + shlex.quote(f"open({f'{OWN}/hook.py'!r}, 'w')"), f"ln -sf /tmp/x.py {CODE}/hook.py",
    ],
)  # fmt: skip
def test_from_elsewhere(command: str) -> None:
    """An agent that works on something else may not change it: denied, and its twin beside the code
    is not denied for this.
    """
    assert verdict(command, "/home/user/project") == "deny"


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (f"echo x > {CODE}/guard/check.py", "ask"),
        ("sed -i s/a/b/ src/interlock/hook.py", "ask"),
        ("rm -rf src", "ask"),
        (f"cat {CODE}/hook.py", "allow"),
        ("echo x > tests/x.py", "allow"),
        ("git status", "allow"),
        ("python -m pytest -q", "allow"),
    ],
)
def test_in_its_own_workspace(command: str, answer: str) -> None:
    """Who develops the guard in the folder it runs from is asked for each change of the code, and
    for nothing else.
    """
    assert verdict(command, CHECKOUT) == answer


def test_the_folders_above_it() -> None:
    """What would take the code along is a change of it too."""
    assert verdict(f"rm -rf {QUOTED_CHECKOUT}", "/home/user/project") in {"ask", "deny"}
    assert verdict(f"rm -rf {QUOTED_CHECKOUT}", str(Path(CHECKOUT).parent)) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /",
        "rm -rf ~",
        "chmod -R 777 /",
        "rm -rf /work /usr",
        "find / -delete",
        "echo x > /etc/passwd",
    ],
)
def test_it_takes_nothing_from_other_rules(command: str) -> None:
    """What is denied for other reasons stays denied where the guard's code is concerned as well."""
    assert verdict(command, "/home/user/project") == "deny"
    assert verdict(command, CHECKOUT) == "deny"


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("import interlock.hook as h; h.main()", "ask"),
        ("from interlock.hook import main; main()", "ask"),
        ("from interlock.store.database import Store", "ask"),
        ("import interlock; print(interlock.__version__)", "allow"),
        ("from interlock.shell.parse import parse", "allow"),
    ],
)
def test_its_parts_in_a_program(code: str, answer: str) -> None:
    """Whoever calls the hook themselves could tell it of a prompt that no person wrote, so it is
    asked about; what it judges with is free.
    """
    assert verdict(f"python3 -c '{code}' < prompt.json", "/home/user/project") == answer
