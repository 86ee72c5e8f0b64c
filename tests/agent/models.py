"""Scripted models over real HTTP, one for each provider's protocol: each request is answered with
the next step of the script, streamed.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from interlock.doctor.fake_models import (
    ChatModel,
    GeminiModel,
    MessagesModel,
    ResponsesModel,
    ScriptedModel,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from interlock.doctor.modelserver import Answer

KEY = "k-not-a-real-key"
WAIT = 120.0
"""Seconds after which a test that holds an answer back has failed."""


class Scripted(ScriptedModel):
    """Plays a script by the number of the request. ``gate``: while it is not set, a stream stops
    before its second event, and ``held`` tells so.

    ``meanwhile`` is done there, in the server's thread.
    """

    def __init__(self, *steps: Step) -> None:
        super().__init__(*steps)
        self.gate, self.held = threading.Event(), threading.Event()
        self.gate.set()
        self.meanwhile: Callable[[], object] = lambda: None

    def serve(self, body: dict[str, Any]) -> Answer:
        """Keep a request and answer it with the next step, whether tools are offered or not."""
        self.requests.append(body)
        number = len(self.requests)
        steps = self.scripts[""]
        return self.answer(body, steps[number - 1] if number <= len(steps) else None, number)

    def so_far(self, body: dict[str, Any]) -> tuple[str, int]:
        """Return nothing: requests are counted."""
        del body
        return "", 0

    def between(self, answer: Answer) -> None:
        """Wait at the gate."""
        del answer
        self.meanwhile()
        if not self.gate.is_set():
            self.held.set()
            self.gate.wait(WAIT)


class Anthropic(Scripted, MessagesModel):
    """Anthropic's."""


class OpenAIResponses(Scripted, ResponsesModel):
    """OpenAI's newer one."""


class OpenAIChat(Scripted, ChatModel):
    """OpenAI's older one, which everybody else speaks too."""


class Google(Scripted, GeminiModel):
    """Google's."""


WIRES: dict[str, type[Scripted]] = {
    "anthropic": Anthropic,
    "openai-responses": OpenAIResponses,
    "openai-chat": OpenAIChat,
    "gemini": Google,
}


def use(tool: str, say: str = "", **given: object) -> Step:
    """Write a step: the model calls a tool, with words before it."""
    return {"tool": tool, "input": given, **({"say": say} if say else {})}


def say(text: str) -> Step:
    """Write a step: the model only speaks."""
    return {"say": text}


def environment(provider: str, wire: ScriptedModel, home: Path) -> dict[str, str]:
    """Return the variables with which ``interlock agent`` asks this model, and nothing else."""
    return {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "INTERLOCK_PROVIDER": provider,
        "INTERLOCK_MODEL": "made-up-1",
        "INTERLOCK_BASE_URL": wire.url + ("/v1" if provider.startswith("openai") else ""),
        "INTERLOCK_API_KEY": KEY,
    }
