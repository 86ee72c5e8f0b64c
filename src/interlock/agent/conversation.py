"""Conversations on the disk, so that they can be gone on with: ``agent/ID.jsonl`` in the state folder, for its owner only.

The first line says whose it is; each other one is a list of messages in Pydantic AI's own form, in the order they were said, written as soon as they
were. A line that was torn by a crash is left out, and the next one begins anew.
"""

from __future__ import annotations

import json
import os
import re
import time

from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAMES = re.compile(r"agent-[0-9a-f]{12}")
VERSION = 1


class ConversationError(Exception):
    """A conversation cannot be read or written; the text is one sentence."""


class Head(Record):
    """Whose conversation it is: its session's id, the folder it works in, when it began (Unix seconds), its first words."""

    id: str
    cwd: str
    began: float
    words: str = ""


class Kept:
    """One conversation. ``at``: how many of its messages are on the disk."""

    def __init__(self, state: str, head: Head, at: int = 0) -> None:
        self.state = state
        self.head = head
        self.at = at
        self._path = _path(state, head.id)

    def append(self, messages: list[Any]) -> None:
        """Write what was said since; raises ``ConversationError``."""
        from pydantic_ai.messages import ModelMessagesTypeAdapter

        fresh = messages[self.at :]
        if not fresh:
            return
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            there = os.path.exists(self._path)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "ab") as file:
                if not there:
                    self.head = self.head.replace(words=self.head.words or _words(fresh))
                    file.write(json.dumps({"version": VERSION, **{name: getattr(self.head, name) for name in Head.fields}}).encode())
                file.write(b"\n" + ModelMessagesTypeAdapter.dump_json(fresh))
        except OSError as error:
            raise ConversationError(f"{self._path} cannot be written: {error.strerror}") from error
        self.at = len(messages)


def _words(messages: list[Any]) -> str:
    """Return the first words of a conversation, for a list."""
    said = [part.content for message in messages for part in message.parts if part.part_kind == "user-prompt"]
    return " ".join(str(said[0]).split())[:80] if said else ""


def begun(state: str, cwd: str) -> Kept:
    """Return a conversation that begins."""
    return Kept(state, Head(f"agent-{os.urandom(6).hex()}", cwd, time.time()))


def resumed(state: str, name: str) -> tuple[Kept, list[Any]]:
    """Return a conversation to go on with, and its messages; raises ``ConversationError``."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    head, rows = _read(state, name)
    messages: list[Any] = []
    for row in rows:
        try:
            messages += ModelMessagesTypeAdapter.validate_json(row)
        except ValueError:
            continue  # torn by a crash, or by another version of the library
    return Kept(state, head, len(messages)), messages


def heads(state: str, cwd: str = "") -> list[Head]:
    """Return the conversations that there are, of one folder or of all, the newest first."""
    folder = f"{state}/agent"
    try:
        names = [name[:-6] for name in os.listdir(folder) if name.endswith(".jsonl") and NAMES.fullmatch(name[:-6])]
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = []
    for name in sorted(names, key=lambda name: os.stat(_path(state, name)).st_mtime, reverse=True):
        try:
            found.append(_read(state, name)[0])
        except ConversationError:
            continue  # what is no conversation of ours is none to offer
    return [head for head in found if cwd in ("", head.cwd)]


def _path(state: str, name: str) -> str:
    return f"{state}/agent/{name}.jsonl"


def _read(state: str, name: str) -> tuple[Head, list[bytes]]:
    path = _path(state, name)
    if not NAMES.fullmatch(name):
        raise ConversationError(f"{name!r} names no conversation: expected agent- and twelve digits, as `interlock agent --sessions` lists them")
    try:
        with open(path, "rb") as file:
            first, *rows = file.read().split(b"\n")
        said = json.loads(first)
        return Head(str(said["id"]), str(said["cwd"]), float(said["began"]), str(said.get("words", ""))), [row for row in rows if row]
    except OSError as error:
        raise ConversationError(f"the conversation {name} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConversationError(f"{path} is no conversation of interlock's") from error
