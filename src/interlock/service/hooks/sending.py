"""Telling a web hook: signed as Standard Webhooks 1.0 has it, to no address that only this network
knows unless it was listed as one, and to no other than the one that was looked at.
"""

from __future__ import annotations

import http.client
from functools import partial
from secrets import token_hex
from urllib.parse import urlsplit

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.release import __version__
from interlock.service.addresses import split_url
from interlock.service.context import ServiceContext
from interlock.service.outward import connect_http, limit_time, request_target
from interlock.service.secrets import later
from interlock.service.signing import Signer
from interlock.service.standard_webhooks import format_secret, sign
from interlock.service.store.protocol import ServiceWriter
from interlock.service.store.rows import DELIVERED, FAILED, Delivery, WebHook
from interlock.store.chain import now

SECONDS, WHOLE_SECONDS = 5.0, 10.0
"""For each word that a receiver says, and for all of them."""
AT_ONCE = 10
WAITS = (2, 10, 60, 300, 1800, 7200, 18000)
"""Seconds until it is tried again, each time one more; then it is given up."""
HELD_SECONDS = 2 * WHOLE_SECONDS
"""How long a node that tells something is waited for, before another one does."""
KEPT_SECONDS = 7 * 86400
GONE = 410


class HookError(Exception):
    """A web hook that cannot be told; one sentence says why."""


def create_hook(keeping: ServiceWriter, url: str, *, private: bool) -> WebHook:
    """Add a web hook; raises ``HookError``."""
    try:
        where = split_url(url)
    except ValueError as error:
        raise HookError(f"{url!r} is no address: {error}") from error
    if where.scheme != "https" and not (private and where.scheme == "http"):
        raise HookError(f"{url!r} is no https:// address (http:// only with --private)")
    made = WebHook(f"h-{token_hex(4)}", url, private, now())
    keeping.add_hook(made)
    keeping.note("hook", made.id, {"host": where.hostname, "private": private})
    return made


def secret(signer: Signer, hook: WebHook) -> str:
    """Return what a receiver checks signatures with: made of the service's key, kept nowhere."""
    return format_secret(signer.derive_secret(f"hook {hook.id}"))


def deliver(scene: ServiceContext) -> None:
    """Tell what is due; what is not taken is tried again later."""
    at = now()
    hooks = {one.id: one for one in scene.keeping.read(lambda known: known.hooks())}
    for one in scene.keeping.read(lambda known: known.deliveries(at, AT_ONCE)):
        if not scene.keeping.write(partial(_hold, one)):
            continue  # another node tells it
        done = _try_delivery(scene, hooks.get(one.hook), one)
        scene.keeping.write(lambda keeping, done=done: _save_delivery(keeping, done))  # type: ignore[misc]


def _hold(one: Delivery, keeping: ServiceWriter) -> bool:
    return keeping.hold_delivery(one, later(HELD_SECONDS))


def _save_delivery(keeping: ServiceWriter, done: Delivery) -> None:
    keeping.put_delivery(done)
    keeping.forget_deliveries(later(-KEPT_SECONDS))
    if done.state == FAILED and done.said.startswith(f"it answered {GONE}"):
        keeping.end_hook(done.hook, now())


def _try_delivery(scene: ServiceContext, hook: WebHook | None, one: Delivery) -> Delivery:
    if hook is None:
        return one.replace(state=FAILED, said="there is no such web hook any more")
    try:
        status = send(hook, one.id, _body(scene, one), scene.signer)
    except (OSError, ValueError, http.client.HTTPException) as error:
        # a name that is none (ValueError), too: the others are told all the same
        why = str(error) or type(error).__name__
    else:
        if 200 <= status < 300:
            return one.replace(state=DELIVERED, said="")
        why = f"it answered {status}"
    if one.tries >= len(WAITS) or why.endswith(str(GONE)):
        return one.replace(state=FAILED, said=why)
    return one.replace(tries=one.tries + 1, due=later(WAITS[one.tries]), said=why)


def _body(scene: ServiceContext, one: Delivery) -> bytes:
    """Return what is sent: a link, and what to say about it."""
    try:
        given = loads(one.body)
    except JsonError:
        given = {}
    page = f"{scene.url}{given.get('path', '/')}"
    data = {**given.get("data", {}), "page": page}
    text = f"{given.get('text', '')} {page}"
    return dumps({"type": one.kind, "timestamp": one.at, "text": text, "data": data}).encode()


def send(hook: WebHook, name: str, body: bytes, signer: Signer) -> int:
    """Send it once; return the status. Raises ``OSError`` and ``HTTPException``."""
    where = urlsplit(hook.url)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"interlock/{__version__}",
        **sign(signer.derive_secret(f"hook {hook.id}"), name, body),
    }
    connection = connect_http(hook.url, private=hook.private, seconds=SECONDS)
    try:
        with limit_time(connection.sock, WHOLE_SECONDS):
            connection.request("POST", request_target(where), body, headers)
            return connection.getresponse().status
    finally:
        connection.close()
