"""The ways by which people are told, one function each, looked up by how an address begins.

=====================  ======================================================================
address                way
=====================  ======================================================================
``terminal``           a line on every terminal of this user
``desktop``            the desktop's own notification (notify-send, osascript)
``https://``           a POST of ``{"title", "text"}`` as JSON
any other ``x://``     the ``apprise`` library (the extra ``notify``): chats, mail, telephones
=====================  ======================================================================

An address may hold a secret and is never repeated.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterable
from ssl import SSLError
from urllib.error import HTTPError, URLError

from interlock.notification import NotificationError
from interlock.policy.installation import install_command

SECONDS = 10.0
"""How long one way may take; nobody waits for it but the process that tells."""
MAX_TEXT = 1000


def tell(address: str, title: str, text: str) -> None:
    """Tell people by one address; raises ``NotificationError``."""
    kind = address.partition("://")[0] if "://" in address else address
    try:
        _WAYS.get(kind, _apprise)(address, _plain(title), _plain(text))
    except NotificationError:
        raise
    except (OSError, URLError, ValueError, subprocess.SubprocessError) as error:
        raise NotificationError(f"{kind}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """Return why it failed, by the system's or TLS' own words, which name no address."""
    found = error.reason if isinstance(error, URLError) else error
    if isinstance(found, SSLError):
        return found.reason or "no TLS"
    return (found.strerror if isinstance(found, OSError) else "") or type(
        error if isinstance(found, str) else found
    ).__name__


def kinds(addresses: Iterable[str]) -> list[str]:
    """Return the ways of some addresses, without what may be secret in them."""
    return [address.partition("://")[0] for address in addresses]


def _plain(text: str) -> str:
    """Return a text that no terminal takes for commands."""
    return "".join([char if char.isprintable() else " " for char in text])[:MAX_TEXT]


def _terminal(_: str, title: str, text: str) -> None:
    told = sum(
        _write(f"/dev/pts/{name}", f"\r\n\a*** {title}: {text}\r\n")
        for name in sorted(os.listdir("/dev/pts"))
        if name.isdigit()
    )
    if not told:
        raise NotificationError("terminal: this user has none open")


def _write(path: str, line: str) -> bool:
    """Write to one terminal of this user; a terminal that takes nothing is left."""
    try:
        if os.stat(path).st_uid != os.getuid():
            return False
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.write(descriptor, line.encode("utf-8", "replace")) > 0
    except OSError:
        return False
    finally:
        os.close(descriptor)


def desktop(title: str, text: str, *, mac: bool) -> list[str]:
    """Return the command line that shows a notification; raises ``NotificationError`` where its
    program is not there.
    """
    if mac:
        return [
            "/usr/bin/osascript",
            "-e",
            f"display notification {_applescript(text)} with title {_applescript(title)}",
        ]
    program = shutil.which("notify-send")
    if program is None:
        raise NotificationError("desktop: there is no notify-send")
    return [program, "--app-name=interlock", "--urgency=critical", "--", title, text]


def _applescript(text: str) -> str:
    """Return a text as that language writes it (AppleScript Language Guide, "text"): two characters
    are escaped, and others stand for themselves.
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _desktop(_: str, title: str, text: str) -> None:
    argv = desktop(title, text, mac=sys.platform == "darwin")
    done = subprocess.run(argv, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603 - a program of the system, and words of ours
    if done.returncode:
        raise NotificationError(f"desktop: {argv[0]} ended with {done.returncode}")


def _web(address: str, title: str, text: str) -> None:
    body = json.dumps({"title": title, "text": text}).encode("ascii")
    request = urllib.request.Request(  # noqa: S310
        address,
        body,
        {"Content-Type": "application/json", "User-Agent": "interlock"},
        method="POST",
    )
    try:
        urllib.request.build_opener(_Straight()).open(request, timeout=SECONDS).close()
    except HTTPError as error:
        error.close()
        raise NotificationError(f"web hook: it answered {error.code}") from None


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the address is the person's, where it leads on is not."""

    def redirect_request(self, *_: object) -> None:
        """Return nothing: the answer is then an error."""


def _apprise(address: str, title: str, text: str) -> None:
    try:
        import apprise
    except ImportError:
        kind = address.partition("://")[0]
        raise NotificationError(
            f"{kind}: needs the apprise library: {install_command('notify')}"
        ) from None
    sender = apprise.Apprise()
    if not sender.add(address) or not sender.notify(body=text, title=title):
        raise NotificationError(f"{address.partition('://')[0]}: apprise could not send it")


_WAYS: dict[str, Callable[[str, str, str], None]] = {
    "terminal": _terminal,
    "desktop": _desktop,
    "https": _web,
    "http": _web,
}
