"""Go programs as calls of the agent: built for real, with checks in the library."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.golang.toolchain import NoGoError, find
from tests.agent.models import say, use
from tests.lasting import lasting

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.agent.conftest import Place
    from tests.agent.models import Scripted

pytestmark = [pytest.mark.e2e, pytest.mark.long]
PROGRAM = """package main

import (
	"fmt"
	"os"
)

func main() {
	name, err := os.ReadFile("name.txt")
	if err == nil {
		err = os.WriteFile(string(name), []byte("x"), 0o600)
	}
	fmt.Println(6*7, err)
}
"""


def test_a_go_program_runs_under_guard(
    place: Place, play: Callable[..., Scripted], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It writes where it may, and is refused what it may not, with the rule; a program that cannot
    be built says so.
    """
    kept = str(lasting("go"))
    try:
        find(os.environ.get("PATH", ""), kept)
    except NoGoError as missing:
        pytest.skip(str(missing))
    # where the library is kept: it takes a minute
    monkeypatch.setattr("interlock.cli.run_options._state", lambda: os.path.join(kept, "state"))
    outside, name = place.home / "foo", place.project / "name.txt"
    outside.write_text("kept", encoding="utf-8")
    name.write_text("made.txt", encoding="utf-8")
    wire = play(
        use("execute_go_code", code=PROGRAM),
        use("Bash", command="printf %s ../foo > name.txt"),
        use("execute_go_code", code=PROGRAM),
        use("execute_go_code", code="package main\nfunc main() { x }\n"),
        say("The first ran."),
    )
    assert (
        place.run(
            wire,
            "-p",
            "compute",
            PATH=os.pathsep.join([os.environ.get("PATH", ""), "/usr/bin:/bin"]),
        )
        == 0
    )
    assert outside.read_text(encoding="utf-8") == "kept"
    assert (place.project / "made.txt").read_text(encoding="utf-8") == "x"
    ran, _, refused, unbuilt = wire.results()
    assert ran.startswith("42 <nil>")
    assert 'run.go:11: os.WriteFile("../foo") is refused' in refused
    assert "workspace-write.change-outside" in refused
    assert "run.go:2:15: undefined: x" in unbuilt
    go = [verdict for name, verdict in place.check_decision() if name == "execute_go_code"]
    assert go == ["allow", "allow", "deny", "allow"]  # the third is the operation
