"""``codeMode.sandboxing``, the older shape: every key of it, and what may not be switched off from
inside the workspace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.codemode.permissions import ANY, RunPermissions
from interlock.codemode.sandboxing import read, resolve_permits
from interlock.policy.problem import PolicyError
from tests.codemode.scenes import NONE

if TYPE_CHECKING:
    from interlock.model.call import ToolCall
    from interlock.model.decision import Decision
    from interlock.model.effect import Reading
    from tests.codemode.scenes import Ground

WHOLE = b"""defaults:
  codeMode:
    enabled: true
    sandboxing:
      enabled: true
      allowedPaths:
        - "/tmp/run-*"
        - "./data/*"
      deniedPaths:
        - "/etc/*"
        - "~/.ssh/*"
      allowedCommands:
        - "git"
        - "rg"
      deniedCommands:
        - "rm"
        - "sudo"
      allowNetwork: true
      interactive: false  # If true, prompt user for each operation
"""


def test_every_key_is_read() -> None:
    """The whole shape becomes the permits of one run."""
    said = read(WHOLE, "f.yaml")
    assert (said.code, said.held) == (True, True)
    assert said.permits == RunPermissions(
        deny_paths=("/etc/*", "~/.ssh/*"), only_paths=("/tmp/run-*", "./data/*"), allow_commands=("git", "rg"), deny_commands=("rm", "sudo"),
        allow_hosts=(ANY,),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"defaults:\n  codeMode:\n    sandboxing:\n      allowedPath: []\n", "allowedPaths"),
        (b"defaults:\n  codeMode:\n    sandboxing:\n      allowNetwork: maybe\n", "true or false"),
        (b"defaults:\n  codeMode:\n    sandboxing:\n      deniedCommands: rm\n", "a list of texts"),
        (b"other: 1\n", "codeMode"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: bytes, said: str) -> None:
    """A misspelt key, a value of another sort and a file without the key are errors; the file as it
    should be is none.
    """
    with pytest.raises(PolicyError, match=said):
        read(text, "f.yaml")
    assert read(b"codeMode:\n  enabled: false\n", "f.yaml").code is False


def test_a_file_of_the_workspace_switches_nothing_off() -> None:
    """`sandboxing.enabled: false` counts in the person's own file, and is told; in the workspace it
    is left out, and that is told too.
    """
    said = read(
        b"codeMode:\n  sandboxing:\n    enabled: false\n    deniedCommands: [rm]\n", "f.yaml"
    )
    inside, left_out = resolve_permits(said, trusted=False)
    assert inside.deny_commands == ("rm",)
    assert "left out" in left_out[0]
    own, told = resolve_permits(said, trusted=True)
    assert (own.allow_commands, own.preset) == ((ANY,), "")
    assert "switched off" in told[0]


def test_only_allowed_paths_are_reached(ground: Ground) -> None:
    """With a list of allowed paths nothing else of the workspace is read or written; what is on it
    is.
    """
    (ground.work / "data").mkdir()
    permits = read(b"codeMode:\n  sandboxing:\n    allowedPaths: ['./data/*']\n", "f").permits
    good = ground.run("open('data/x', 'w').write('y'); print(open('data/x').read())", NONE, permits)
    assert good.stdout == "y\n", good
    bad = ground.run("print(open('data.txt').read())", NONE, permits)
    assert bad.refused[0].argument == str(ground.work / "data.txt")
    # Python 3.13 looks into the folder besides, for its traceback
    assert {one.rule for one in bad.refused} == {"code.not-allowed-path"}


def test_a_denied_command_beats_an_allowed_one(ground: Ground) -> None:
    """With every command allowed but one, that one is refused and another runs."""
    permits = RunPermissions(allow_commands=(ANY,), deny_commands=("id",))
    source = "import subprocess\nprint(subprocess.run(['/bin/echo', 'hi'], capture_output=True, text=True).stdout.strip())\nsubprocess.run(['id'])\n"
    result = ground.run(source, NONE, permits)
    assert result.stdout == "hi\n", result
    assert [one.rule for one in result.refused] == ["code.blocked-command"]


def test_interactive_asks_about_each_operation(ground: Ground) -> None:
    """With interactive a person is asked about reading and writing; a yes counts for the rest of
    the run, a no is a refusal.
    """
    from interlock.codemode.python.run import run as run_python
    from interlock.model.decision import Approval

    scene = ground.scene("", RunPermissions(interactive=True))
    asked: list[str] = []

    def answer(decision: Decision, call: ToolCall, reading: Reading) -> Approval | None:
        del call
        asked.append(reading.effects[0].target.rpartition("/")[2])
        return Approval(decision.id, by="ann") if asked[-1] != "no.txt" else None

    scene.guard.ask = answer
    source = (
        "open('yes.txt', 'w').write('x')\nopen('yes.txt', 'w').write('y')\nopen('no.txt', 'w')\n"
    )
    result = run_python(source, scene)
    assert asked == ["yes.txt", "no.txt"], result
    assert [(one.rule, one.where) for one in result.refused] == [
        ("code.each-operation", "program.py:3")
    ]
    assert (ground.work / "yes.txt").read_text(encoding="utf-8") == "y"
