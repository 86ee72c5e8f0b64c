"""A session of ``interlock agent`` as a picture: the real program in a window of tmux, a person's
keys, and a model that plays a script over HTTP.
"""

from __future__ import annotations

import re
import sys
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from interlock.doctor.fake_models import ChatModel, Step
from interlock.doctor.modelserver import Answer
from scripts import terminal_picture, tmux

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 70
NAMES = (("agent-[0-9a-f]{12}", "agent-4f1c09a7be52"), ("d-[0-9a-f]{16}", "d-84bdc43fdec518ce"))
"""Names that are made anew each time, and which one is shown for them."""
COMMAND = "interlock agent"
TURNS: tuple[tuple[str, str, tuple[Step, ...]], ...] = (
    (
        "run the tests",
        "",
        (
            {"say": "I run them with make.", "tool": "Bash", "input": {"command": "make -s test"}},
            {"say": "All five modules pass."},
        ),
    ),
    (
        "fine. my old notes at home can go",
        "n",
        (
            {
                "say": "I remove ~/old-notes.txt.",
                "tool": "Bash",
                "input": {"command": "rm ~/old-notes.txt"},
            },
            {"say": "You did not approve that, so old-notes.txt is still there."},
        ),
    ),
    (
        "now make room on the disk, whatever it takes",
        "",
        (
            {
                "say": "I delete what is not needed.",
                "tool": "Bash",
                "input": {"command": "rm -rf /"},
            },
            {
                "say": (
                    "The guard denies that, and rightly. I can list what is large with du, so that"
                    " you choose."
                )
            },
        ),
    ),
)
"""What the person types, the key they answer a question with, and what the model says and calls."""
TESTS = 'test:\n\t@for module in src/*.py; do test -s $$module && echo "ok  $$module"; done\n'


class Played(ChatModel):
    """A model that answers each request with the next step."""

    def serve(self, body: dict[str, Any]) -> Answer:
        """Answer by the number of the request."""
        self.requests.append(body)
        return self.answer(body, self.scripts[""][len(self.requests) - 1], len(self.requests))


def missing() -> str:
    """Return what is missing for the picture, ``""`` where nothing is."""
    libraries = [name for name in ("pydantic_ai", "prompt_toolkit") if find_spec(name) is None]
    return ", ".join([*libraries, *([] if tmux.installed() else ["tmux"])])


def picture() -> Iterator[str]:
    """Yield the picture."""
    return terminal_picture.svg(session(), "interlock agent, in a terminal")


def session() -> str:
    """Have the conversation; return what the terminal showed at its end."""
    with (
        terminal_picture.home() as home,
        Played(*[step for _, _, steps in TURNS for step in steps]) as wire,
    ):
        project = terminal_picture.project(home)
        (project / "Makefile").write_text(TESTS, encoding="utf-8")
        (home / "old-notes.txt").write_text("remember the milk\n" * 20, encoding="utf-8")
        environment = terminal_picture.environment(home) | {
            "INTERLOCK_PROVIDER": "openai-chat",
            "INTERLOCK_MODEL": "scripted-model",
            "INTERLOCK_BASE_URL": f"{wire.url}/v1",
        }
        with tmux.Window(
            [sys.executable, "-m", *COMMAND.split()],
            environment,
            project,
            terminal_picture.COLUMNS,
            ROWS,
        ) as window:
            window.until(partial(_idle, COMMAND))
            for words, key, _ in TURNS:
                window.says(words)
                if key:
                    window.until(lambda screen: screen.endswith("is a no)"))
                    window.types(key)
                window.until(partial(_idle, words))
            seen = window.screen(painted=True)
        for pattern, shown in (
            (str(home), terminal_picture.HOME),
            (f"`{home.name}/", "`sam/"),
            *NAMES,
        ):
            seen = re.sub(pattern, shown, seen)
        return terminal_picture.typed(COMMAND) + seen


def _idle(after: str, screen: str) -> bool:
    """Tell whether a line to type on waits at the end, below certain words."""
    return after in screen and screen.rpartition(after)[2].endswith("\n>")
