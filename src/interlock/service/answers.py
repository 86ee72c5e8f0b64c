"""Answers: JSON, problems as RFC 9457 has them, and what every answer says to a browser."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response

VERSION = {"Interlock-Version": "1"}
PROBLEM = "application/problem+json"
BROWSER = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src"
        " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Nothing inline, nothing from elsewhere, in nobody's frame."""


class RequestEnd(Exception):
    """A request ends here, with this answer."""

    def __init__(self, answer: Response) -> None:
        super().__init__(answer.status_code)
        self.answer = answer


def json_response(body: object, status: int = 200) -> Response:
    """Return an answer in JSON."""
    return JSONResponse(body, status, VERSION)


def problem(status: int, kind: str, title: str, **more: object) -> Response:
    """Return what is wrong: ``kind`` for programs, ``title`` for people."""
    body = {"type": kind, "title": title, "status": status, **more}
    headers = {**VERSION, **({"Retry-After": str(more["after"])} if "after" in more else {})}
    return JSONResponse(body, status, headers, PROBLEM)
