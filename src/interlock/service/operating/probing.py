"""Is the service on this machine ready? Asked by what starts it and watches it, without its
database: where it listens stands in a file of its folder.
"""

from __future__ import annotations

import os
import ssl
from http.client import HTTPConnection, HTTPException, HTTPSConnection

from interlock.model.jsontext import dumps, object_of

FILE = "listening.json"
SECONDS = 5.0
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - what is listened at, and asked


def keep_address(folder: str, host: str, port: int, url: str, certificate: str) -> None:
    """Keep where a service listens, and what it is called."""
    there = os.path.abspath(certificate) if certificate else ""
    said = {"host": host, "port": port, "name": url.partition("://")[2], "certificate": there}
    with open(f"{folder}/{FILE}.new", "w", encoding="ascii") as file:
        file.write(dumps(said))
    os.replace(f"{folder}/{FILE}.new", f"{folder}/{FILE}")


def probe(folder: str) -> tuple[int, str]:
    """Return the status of ``/readyz`` and a sentence; 0 where nothing answers."""
    try:
        with open(f"{folder}/{FILE}", encoding="ascii") as file:
            said = object_of(file.read())
        connection = _connection(said)
    except (OSError, ValueError, KeyError) as error:
        return 0, f"none has run here: {error}"
    try:
        connection.request("GET", "/readyz", headers={"Host": str(said["name"])})
        status = connection.getresponse().status
    except (OSError, HTTPException) as error:
        return 0, f"{said['name']} does not answer: {error}"
    finally:
        connection.close()
    return status, f"{said['name']} is {'ready' if status == 200 else f'not ready ({status})'}"


def _connection(said: dict[str, object]) -> HTTPConnection:
    host, port = str(said["host"]), int(str(said["port"]))
    host = ANYWHERE.get(host, host)
    if not said["certificate"]:
        return HTTPConnection(host, port, timeout=SECONDS)
    # this very certificate is trusted, whatever it is called by
    context = ssl.create_default_context(cafile=str(said["certificate"]))
    context.check_hostname = False
    return HTTPSConnection(host, port, timeout=SECONDS, context=context)
