"""How each client is started without a person, a network or an account: against a made-up model on
this machine, its own questions bypassed. The rows stand in ``data/texts/launchers.json``.
"""

from __future__ import annotations

import json
from typing import Any

from interlock.data.texts import read_text
from interlock.doctor import fake_models
from interlock.doctor.fake_models import ScriptedModel, Step
from interlock.model.record import Record


class ClientLauncher(Record):
    """One client. ``wire``: the protocol its model speaks; ``row``: the rest, in whose texts
    ``$URL``, ``$HOME``, ``$PROMPT`` and ``$COMMAND`` stand for what they say.
    """

    wire: type[ScriptedModel]
    row: dict[str, Any]

    def files(self, url: str) -> dict[str, str]:
        """Return its settings below HOME for a model at a URL, as texts."""
        return _fill_texts(self.row["files"], URL=url)

    def command(self, prompt: str, url: str) -> list[str]:
        """Return its words for a prompt and that URL."""
        filled: list[str] = _fill(self.row["command"], URL=url, PROMPT=prompt)
        return filled

    def variables(self, url: str, home: str) -> dict[str, str]:
        """Return what it is given besides, from that URL and the person's own home."""
        return _fill_texts(self.row["variables"], URL=url, HOME=home)

    def types(self, command: str) -> Step:
        """Return how its model calls the shell's tool with a command."""
        filled: Step = _fill(self.row["types"], COMMAND=command)
        return filled


def _fill_texts(value: dict[str, Any], **words: str) -> dict[str, str]:
    """Fill texts; what is no text is a document of JSON."""
    filled = _fill(value, **words)
    return {name: one if isinstance(one, str) else json.dumps(one) for name, one in filled.items()}


def _fill(value: Any, **words: str) -> Any:
    if isinstance(value, dict):
        return {name: _fill(one, **words) for name, one in value.items()}
    if isinstance(value, list):
        return [_fill(one, **words) for one in value]
    for name, text in words.items() if isinstance(value, str) else ():
        value = value.replace(f"${name}", text)
    return value


_MODELS: dict[str, type[ScriptedModel]] = {
    "messages": fake_models.MessagesModel,
    "responses": fake_models.ResponsesModel,
    "chat": fake_models.ChatModel,
    "gemini": fake_models.GeminiModel,
}
STARTS = {
    name: ClientLauncher(_MODELS[row["model"]], row)
    for name, row in json.loads(read_text("launchers.json")).items()
}
