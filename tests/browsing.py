"""A real browser: Chromium without a window, driven by its own protocol (CDP)."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from websockets.sync.client import connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from websockets.sync.client import ClientConnection

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or ""
needs_a_browser = pytest.mark.skipif(not CHROMIUM, reason="no Chromium: apt-get install chromium")
SECONDS = 60


class Browser:
    """One page. ``complaints``: what it said of errors in pages and of what their policy forbade."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._number = socket, 0
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.do(f"{domain}.enable")

    def do(self, method: str, **parameters: Any) -> Any:
        """Do one thing of the protocol; return its result."""
        self._number += 1
        said = {"id": self._number, "method": method, "params": parameters}
        self._socket.send(json.dumps(said))
        while True:
            answer = json.loads(self._socket.recv(SECONDS))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            if answer.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
                self.complaints.append(json.dumps(answer["params"]))

    def js(self, expression: str) -> Any:
        """Return what an expression is in the page, or comes to there."""
        found = self.do(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        return found["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until the page is loaded, its scripts have run, and an expression holds in it."""
        until = time.monotonic() + SECONDS
        while not self.js(f"document.readyState === 'complete' && Boolean({expression})"):
            assert time.monotonic() < until, (expression, self.js("document.body.innerText"))
            time.sleep(0.05)

    def go(self, address: str) -> None:
        """Open a page and wait for it."""
        self.js("window.before = true")
        self.do("Page.navigate", url=address)
        self.wait("!window.before")

    def sized(self, width: int, height: int = 800, *, dark: bool = False) -> None:
        """Have a screen of this size."""
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.do("Emulation.setEmulatedMedia", features=[scheme])

    def press(self, key: str) -> None:
        """Press a key; a longer name is one that writes nothing, but for Enter."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            self.do(
                "Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else ""
            )

    def picture(self, path: Path) -> None:
        """Keep what the screen shows."""
        path.write_bytes(base64.b64decode(self.do("Page.captureScreenshot")["data"]))


@contextmanager
def browsing() -> Iterator[Browser]:
    """Run a browser while the body runs."""
    with tempfile.TemporaryDirectory(
        prefix="interlock-browser-", ignore_cleanup_errors=True
    ) as home:
        process = subprocess.Popen(
            [
                CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                "--remote-debugging-port=0", "--remote-allow-origins=*", f"--user-data-dir={home}",
                "about:blank",
            ],
            env={**os.environ, "HOME": home}, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            with connect(_address(process), max_size=None) as socket:
                yield Browser(socket)
        finally:
            process.terminate()
            process.communicate(timeout=SECONDS)


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"ws://127\.0\.0\.1:(\d+)/", line)
        if found:
            with urllib.request.urlopen(f"http://127.0.0.1:{found[1]}/json") as answer:
                pages = json.load(answer)
            return str(next(one for one in pages if one["type"] == "page")["webSocketDebuggerUrl"])
    raise AssertionError("the browser ended before it listened")
