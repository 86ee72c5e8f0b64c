"""Conversations on the disk, so that they can be gone on with: ``agent/ID.jsonl`` in the state
folder, for its owner only.

The first line says whose it is; each other one is a list of messages in Pydantic AI's own form, in
the order they were said, written as soon as they were. A line that was torn by a crash is left out,
and the next one begins anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from typing import Any

from interlock.model.record import Record

NAMES = re.compile(r"agent-[0-9a-f]{12}")
VERSION = 1


class ConversationError(Exception):
    """A conversation cannot be read or written; the text is one sentence."""


class ConversationHead(Record):
    """Whose conversation it is: its session's id, the folder it works in, when it began (Unix
    seconds), its first words.
    """

    id: str
    cwd: str
    began: float
    words: str = ""


class SavedConversation:
    """One conversation. ``at``: how many of its messages are on the disk. From its first words
    until it is closed nobody else goes on with it.
    """

    def __init__(self, state: str, head: ConversationHead, at: int = 0) -> None:
        self.state = state
        self.head = head
        self.at = at
        self._path = _path(state, head.id)
        self._file = -1

    def append(self, messages: list[Any]) -> None:
        """Write what was said since, all of it or nothing; raises ``ConversationError``."""
        from pydantic_ai.messages import ModelMessagesTypeAdapter

        fresh = messages[self.at :]
        if not fresh:
            return
        row = b"\n" + ModelMessagesTypeAdapter.dump_json(fresh)
        self.hold()
        size = os.fstat(self._file).st_size
        try:
            _append(self._file, row if size else self._encode_head(fresh) + row)
        except OSError as error:
            os.ftruncate(self._file, size)
            raise ConversationError(f"{self._path} cannot be written: {error.strerror}") from error
        self.at = len(messages)

    def hold(self) -> None:
        """Open the file and keep it from others; raises ``ConversationError``."""
        if self._file >= 0:
            return
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            number = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConversationError(f"{self._path} cannot be written: {error.strerror}") from error
        if not _alone(number):
            os.close(number)
            raise ConversationError(
                f"{self.head.id} is gone on with by another program at this moment: end that one"
                " first"
            )
        self._file = number

    def close(self) -> None:
        """Let others go on with it."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _encode_head(self, fresh: list[Any]) -> bytes:
        """Return the first line, with the first words that were said."""
        self.head = self.head.replace(words=self.head.words or _words(fresh))
        return json.dumps(
            {
                "version": VERSION,
                **{name: getattr(self.head, name) for name in ConversationHead.fields},
            }
        ).encode()


def _alone(number: int) -> bool:
    """Lock a file for as long as it is open here; tell whether nobody else has it. Where there are
    no locks nobody has.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _append(number: int, data: bytes) -> None:
    """Write all of it; raises ``OSError``."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(number, rest) :]


def _words(messages: list[Any]) -> str:
    """Return the first words of a conversation, for a list."""
    said = [
        part.content
        for message in messages
        for part in message.parts
        if part.part_kind == "user-prompt"
    ]
    return " ".join(str(said[0]).split())[:80] if said else ""


def new_conversation(state: str, cwd: str) -> SavedConversation:
    """Return a conversation that begins."""
    return SavedConversation(
        state, ConversationHead(f"agent-{os.urandom(6).hex()}", cwd, time.time())
    )


def resume_conversation(state: str, name: str) -> tuple[SavedConversation, list[Any]]:
    """Return a conversation to go on with, and its messages; raises ``ConversationError``."""
    from pydantic_ai.messages import ModelMessagesTypeAdapter

    kept = SavedConversation(state, _read(state, name)[0])
    kept.hold()
    messages: list[Any] = []
    for row in _read(state, name, whole=True)[1]:
        try:
            messages += ModelMessagesTypeAdapter.validate_json(row)
        except ValueError:
            continue  # torn by a crash, or by another version of the library
    kept.at = len(messages)
    return kept, messages


def heads(state: str, cwd: str = "") -> list[ConversationHead]:
    """Return the conversations that there are, of one folder or of all, the newest first; what is
    none of ours is none to offer.
    """
    found = []
    try:
        names = [
            name.removesuffix(".jsonl")
            for name in os.listdir(f"{state}/agent")
            if name.endswith(".jsonl")
        ]
    except OSError:
        return []
    for name in names:
        with contextlib.suppress(OSError, ConversationError):
            found.append((os.stat(_path(state, name)).st_mtime, _read(state, name)[0]))
    return [
        head
        for _, head in sorted(found, key=lambda one: one[0], reverse=True)
        if cwd in ("", head.cwd)
    ]


def _path(state: str, name: str) -> str:
    return f"{state}/agent/{name}.jsonl"


def _read(state: str, name: str, *, whole: bool = False) -> tuple[ConversationHead, list[bytes]]:
    """Return a conversation's head, and its lines where the ``whole`` of it is wanted."""
    path = _path(state, name)
    if not NAMES.fullmatch(name):
        raise ConversationError(
            f"{name!r} names no conversation: expected agent- and twelve digits, as `interlock"
            " agent --sessions` lists them"
        )
    try:
        with open(path, "rb") as file:
            said = json.loads(file.readline())
            rows = file.read().split(b"\n") if whole else []
        return ConversationHead(
            str(said["id"]), str(said["cwd"]), float(said["began"]), str(said.get("words", ""))
        ), [row for row in rows if row]
    except OSError as error:
        raise ConversationError(
            f"the conversation {name} cannot be read: {error.strerror}"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ConversationError(f"{path} is no conversation of interlock's") from error
