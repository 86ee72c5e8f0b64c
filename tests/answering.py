"""A server at an address of this machine that answers everything alike."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Answering:
    """``came``: what was asked, as path, headers by small names, and body; ``drip``: seconds
    between ten parts of an answer.
    """

    def __init__(self) -> None:
        self.drip = 0.0
        self.status, self.body, self.headers = 200, b"", dict[str, str]()
        self.came: list[tuple[str, dict[str, str], bytes]] = []
        outer = self

        class Taking(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                outer.came.append((self.path, headers, body))
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(outer.body)))
                self.end_headers()
                parts = 10 if outer.drip else 1
                each = -(-len(outer.body) // parts)
                for start in range(0, len(outer.body), max(1, each)):
                    time.sleep(outer.drip)
                    with suppress(OSError):  # whoever asked may have had enough
                        self.wfile.write(outer.body[start : start + each])

            def do_GET(self) -> None:
                self.do_POST()

            def log_message(self, *_: Any) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Taking)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(
        self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        """Answer so from now on."""
        self.status, self.body, self.headers = status, body, dict(headers or {})


@contextmanager
def answering() -> Iterator[Answering]:
    """Answer while the body runs."""
    found = Answering()
    thread = Thread(target=found.server.serve_forever)
    thread.start()
    try:
        yield found
    finally:
        found.server.shutdown()
        found.server.server_close()
        thread.join()
