"""Hooks that a client runs only once they were trusted: asking its own program how ours stand, and
trusting them for the user.

Codex 0.169.0 keeps, for each hook by file and place, the hash of what was trusted; any change
un-trusts it, and an untrusted hook is not run, silently. ``codex app-server`` speaks JSON-RPC in
lines on its standard streams (without ``"jsonrpc"``): ``hooks/list`` tells the hashes, which are
never computed here, and ``config/batchWrite`` records them as the client's own review does.
"""

from __future__ import annotations

import json
import queue
import shutil
import subprocess
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from interlock.integrations.protocol import Settings
from interlock.model.record import Record

PATIENCE = 20.0
"""Seconds for an answer."""


class TrustError(Exception):
    """The client's program does not answer; the text says what was asked and what came."""


class HookTrust(Record):
    """One of our hooks as the client sees it. ``trusted``: it runs; ``key`` and ``hash`` are the
    client's own words for what is trusted.
    """

    event: str
    key: str
    hash: str
    trusted: bool
    source: str


def hooks(
    settings: Settings, client: str, folder: str, environment: Mapping[str, str] | None = None
) -> list[HookTrust]:
    """Return our hooks as the client sees them from a folder; raises ``TrustError``.
    ``environment``: the client's, where it is not this one.
    """
    with _Server(settings, folder, environment) as server:
        return _list_hooks(server, client, folder)


def trust(
    settings: Settings, client: str, folder: str, environment: Mapping[str, str] | None = None
) -> list[HookTrust]:
    """Trust our hooks, and no other, as the client's own review would; return how they stand then.
    Raises ``TrustError``.
    """
    with _Server(settings, folder, environment) as server:
        open_ones = {
            hook.key: {"trusted_hash": hook.hash}
            for hook in _list_hooks(server, client, folder)
            if not hook.trusted
        }
        if open_ones:
            edit = {"keyPath": "hooks.state", "value": open_ones, "mergeStrategy": "upsert"}
            server.ask("config/batchWrite", {"edits": [edit], "reloadUserConfig": True})
        return _list_hooks(server, client, folder)


def configure(
    settings: Settings,
    folder: str,
    values: Mapping[str, object],
    environment: Mapping[str, str] | None = None,
) -> None:
    """Have the client's own program write values into its user's settings, each under its path of
    keys. Raises ``TrustError``.
    """
    edits = [
        {"keyPath": path, "value": value, "mergeStrategy": "replace"}
        for path, value in values.items()
    ]
    with _Server(settings, folder, environment) as server:
        server.ask("config/batchWrite", {"edits": edits, "reloadUserConfig": True})


def _list_hooks(server: _Server, client: str, folder: str) -> list[HookTrust]:
    from interlock.integrations.install import is_ours

    try:
        found = [
            hook
            for place in server.ask("hooks/list", {"cwds": [folder]})["data"]
            for hook in place["hooks"]
        ]
        return [
            HookTrust(
                hook["eventName"],
                hook["key"],
                hook["currentHash"],
                hook["trustStatus"] in ("trusted", "managed") and hook["enabled"],
                hook["sourcePath"],
            )
            for hook in found
            if is_ours(hook, client)
        ]
    except (KeyError, TypeError) as error:
        raise TrustError(f"hooks/list was answered in a form that is not known: {error}") from None


class _Server:
    """The client's program, asked over its standard streams."""

    def __init__(
        self, settings: Settings, folder: str, environment: Mapping[str, str] | None
    ) -> None:
        program = shutil.which(settings.program)
        if program is None:
            raise TrustError(f"{settings.program} was not found on PATH")
        self._command = [program, *settings.trusting]
        self._folder = folder
        self._environment = environment
        self._number = 0
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def __enter__(self) -> Self:
        pipes: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.DEVNULL,
        }
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the client that is installed
                self._command, cwd=self._folder, env=self._environment, text=True, **pipes
            )
        except OSError as error:
            raise TrustError(f"{self._command[0]} cannot be started: {error.strerror}") from None
        threading.Thread(target=self._read, daemon=True).start()
        try:
            self.ask(
                "initialize",
                {"clientInfo": {"name": "interlock", "title": "interlock", "version": "0"}},
            )
            self._send({"method": "initialized"})
        except TrustError:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read(self) -> None:
        for line in self._process.stdout or ():
            self._lines.put(line)
        self._lines.put("")

    def _send(self, message: dict[str, Any]) -> None:
        pipe = self._process.stdin
        if pipe is None:
            raise TrustError("the client's program has no standard input")
        try:
            pipe.write(json.dumps(message) + "\n")
            pipe.flush()
        except OSError as error:
            raise TrustError(f"`{' '.join(self._command)}` ended: {error.strerror}") from None

    def ask(self, method: str, given: dict[str, Any]) -> Any:
        """Return the result of a question; raises ``TrustError`` for an error, nonsense, silence or
        an end.
        """
        self._number += 1
        self._send({"id": self._number, "method": method, "params": given})
        for _ in range(10_000):
            try:
                line = self._lines.get(timeout=PATIENCE)
                said = json.loads(line)
            except queue.Empty:
                raise TrustError(
                    f"{method} was not answered within {PATIENCE:.0f} seconds"
                ) from None
            except ValueError:
                raise TrustError(
                    f"{method} was answered with {line[:80]!r}, which is no JSON"
                ) from None
            if isinstance(said, dict) and said.get("id") == self._number and "method" not in said:
                if "result" not in said:
                    raise TrustError(f"{method} was refused: {said.get('error')}")
                return said["result"]
        raise TrustError(f"{method} was not answered")
