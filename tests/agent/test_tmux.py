"""``interlock agent`` in a window of tmux: the screen as it stands, after everything that moved on
it.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import pytest

from scripts import tmux
from tests.agent.models import environment, say, use
from tests.agent.processes import gone, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.agent.conftest import Place
    from tests.agent.models import Scripted

pytestmark = pytest.mark.skipif(not tmux.installed(), reason="tmux is not installed")
AFTER_NO = """\
> remove old.txt
I remove it.
● Bash rm ../old.txt

? interlock asks
  Bash in HERE
    rm ../old.txt
    • deletes files outside the workspace: deletes OLD
      safer: Delete inside the workspace, or ask the user to remove it.
      rule fs.delete-outside-workspace
    at stake: 1 file, 4 bytes
  [y] once  [n] no  [a] longer...  (no answer in 5:00 is a no) not approved
⚠ Guard: Bash did not run: you did not approve it
You did not approve that, so it stays.
"""


def test_the_screen_as_it_stands(place: Place, play: Callable[..., Scripted]) -> None:
    """A question and a no, Escape while a command runs, leaving: of the spinner nothing stays on
    the screen, and every line is whole.
    """
    outside, marker = place.home / "old.txt", place.project / "started"
    outside.write_text("A=1\n", encoding="utf-8")
    wire = play(
        use("Bash", "I remove it.", command="rm ../old.txt"), say("You did not approve that, so it stays."),
        use("Bash", command="echo $$ > started; sleep 1000"),
    )  # fmt: skip
    given = environment("openai-chat", wire, place.home) | {
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)
    }
    with tmux.Window(
        [sys.executable, "-m", "interlock", "agent"], given, place.project, 240
    ) as window:
        window.until(lambda screen: screen.endswith("\n>"))
        window.says("remove old.txt")
        window.until(lambda screen: screen.endswith("is a no)"))
        window.types("n")
        screen = window.until(lambda screen: screen.endswith("so it stays.\n\n>"))
        # the path is as long as HOME is: it may begin a line of its own, and what it is another
        told = re.sub(
            r"deletes\s+/.*?old\.txt(\s+\([^)]*\))?",
            "deletes OLD",
            re.sub(r"in\s+" + re.escape(str(place.project)), "in HERE", screen),
            flags=re.DOTALL,
        )
        # whether it is under version control depends on where the tests are
        told = re.sub(r"(4 bytes)[^\[]*\n", r"\1\n", told)
        assert told.partition("\n")[2] == AFTER_NO + "\n>"
        assert outside.exists()
        window.says("run it long")
        child = started(marker)
        window.until(lambda screen: "Esc stops" in screen)
        window.presses("Escape")
        screen = window.until(lambda screen: screen.endswith("\n>"))
        assert screen.endswith("\n● Bash echo $$ > started; sleep 1000\nstopped\n\n>")
        gone(child)
        window.says("/exit")
        assert window.code() == 0
