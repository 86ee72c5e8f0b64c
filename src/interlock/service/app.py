"""The application: each row of the table as a route, behind what all of them share: by which name
it was called, who asks, how much they may send.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from inspect import iscoroutinefunction
from time import perf_counter
from urllib.parse import parse_qsl, quote, urlsplit

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from interlock.model.jsontext import loads
from interlock.service import patience
from interlock.service.answers import BROWSER, PROBLEM, RequestEnd, problem
from interlock.service.approvals import inbox
from interlock.service.console.nav import home, inside
from interlock.service.console.page_answer import plain
from interlock.service.context import ServiceContext
from interlock.service.export.delivery import Exporter, ExportTools
from interlock.service.hooks.sending import deliver
from interlock.service.ingest import roots
from interlock.service.machines.stream import beat
from interlock.service.notifier import EVERYTHING, Hint
from interlock.service.people import tokens
from interlock.service.people.routes import SIGN_IN
from interlock.service.people.signin import find_viewer, proves
from interlock.service.policy.policy_keys import open_online_signer
from interlock.service.policy.repository import is_vouching_due, live_version, refresh
from interlock.service.request import ServiceRequest
from interlock.service.roles import ANYONE, MACHINE, PERSON
from interlock.service.routes import ROWS
from interlock.service.routing import Row, is_api
from interlock.service.secrets import hash_secret
from interlock.service.store.protocol import NoRoomError, ServiceStoreError
from interlock.service.store.rows import Machine, Visit
from interlock.service.viewer import AGAIN, FACTOR, ROLE, Viewer
from interlock.store.chain import now
from interlock.store.place import StoreError

ARCHIVE_SECONDS = 60.0
"""How often it is looked whether a day has ended."""
ROOT_SECONDS = 5.0
"""How often it is looked whether a minute has ended."""
BEAT_SECONDS = 1.0
"""How often the next part of all streams hears that the service is there."""
VOUCH_SECONDS = 600.0
"""How often it is looked whether the newest policy has to be vouched for again."""
LOOK_SECONDS = 1.0
"""How often it is looked whether there is a stop that nobody here knows of."""


def make(scene: ServiceContext) -> Starlette:
    """Return the application."""
    routes = [_route(scene, row) for row in ROWS]

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        del app
        scene.keeping.listen(partial(_hear, scene))
        exporter = Exporter(ExportTools(scene.keeping, scene.signer, scene.keys, scene.fail))
        works = (*NOW_AND_THEN, (LOOK_SECONDS, lambda _: exporter.look()))
        tasks = [asyncio.create_task(_again(scene, *one)) for one in works]
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await run_in_threadpool(exporter.close)

    wrong = {404: _answering(404), 405: _answering(405), 500: _answering(500)}
    return Starlette(routes=routes, lifespan=life, exception_handlers=wrong)


def _route(scene: ServiceContext, row: Row) -> Route:
    made = Route(row.path, _endpoint(scene, row), methods=[row.method])
    # a HEAD would do what a GET does and show nothing of it: use up a link that signs in once
    made.methods = {row.method}
    return made


_SAID = {
    404: ("unknown", "there is nothing here"),
    405: ("method", "this cannot be done here"),
    500: ("bug", "a bug in interlock stopped this; its service says more where it was started"),
}


def _answering(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    """Return what answers where no route does, or where one failed."""

    async def answering(request: Request, error: Exception) -> Response:
        del error
        answer = _for_people(request, problem(status, *_SAID[status]))
        answer.headers.update(BROWSER)
        return answer

    return answering


async def _again(
    scene: ServiceContext, seconds: float, work: Callable[[ServiceContext], None]
) -> None:
    while True:
        try:
            await run_in_threadpool(work, scene)
        except (ServiceStoreError, StoreError) as error:
            scene.fail(str(error))  # the next look tries again
        except Exception as error:  # noqa: BLE001 - one that ends would end unseen, for good
            scene.fail(f"a bug in interlock, in what it does now and then: {error!r}")
        await asyncio.sleep(seconds)


def _root(scene: ServiceContext) -> None:
    scene.keeping.write(lambda keeping: roots.take(keeping, now()))


def _look(scene: ServiceContext) -> None:
    """Find what another process wrote, or what was not said when it was written."""
    epoch, answered, policy = scene.keeping.read(
        lambda known: (known.epoch(), known.answered(), live_version(known))
    )
    if policy != scene.bell.policy:
        scene.bell.policy = policy
        scene.bell.ring(Hint("bundle", {}))
    if epoch > scene.bell.epoch or answered > scene.bell.answered:
        scene.bell.epoch, scene.bell.answered = epoch, answered
        scene.bell.ring(EVERYTHING)


def _hear(scene: ServiceContext) -> None:
    """Look at once; whatever keeps this from working, the next look says."""
    with suppress(ServiceStoreError):
        _look(scene)


def _vouch(scene: ServiceContext) -> None:
    """Say again that the newest policy is the newest, where that is due."""
    if scene.keeping.read(is_vouching_due):
        online = open_online_signer(scene.folder)
        scene.keeping.write(lambda keeping: refresh(keeping, online))


def _inbox(scene: ServiceContext) -> None:
    if scene.keeping.read(lambda known: known.requests(opened=True, most=1)):
        scene.keeping.write(lambda keeping: inbox.look(keeping, now()))


def _archive(scene: ServiceContext) -> None:
    if scene.archive is not None:
        scene.archive.add_past_days(scene.keeping, now())


NOW_AND_THEN = (
    (ARCHIVE_SECONDS, _archive),
    (ROOT_SECONDS, _root),
    (LOOK_SECONDS, _look),
    (LOOK_SECONDS, _inbox),
    (VOUCH_SECONDS, _vouch),
    (LOOK_SECONDS, deliver),
    (BEAT_SECONDS, beat),
)
"""What is done now and then, and how often."""


def _endpoint(scene: ServiceContext, row: Row) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        begun, status, who = perf_counter(), 500, ""
        try:
            answer, who = await _answer_request(scene, row, request)
            status = answer.status_code
            return answer
        finally:
            seconds = perf_counter() - begun
            scene.metrics.count_request(row.method, row.path, status, seconds)
            scene.trouble.note_answer(row.method, row.path, status, seconds, who)

    return endpoint


async def _answer_request(
    scene: ServiceContext, row: Row, request: Request
) -> tuple[Response, str]:
    """Return the answer to a request, and whose it is: a machine's, a token's or a person's name,
    empty where that is not known.
    """
    asking = None
    try:
        asking = await _asking(scene, row, request)
        answer = await _answer(row, scene, asking)
    except RequestEnd as stop:
        answer = _for_people(request, stop.answer)
    except (ServiceStoreError, StoreError) as error:
        scene.fail(str(error))
        answer = _for_people(request, _unkept(error))
    except ClientDisconnect:
        answer = Response(status_code=400)  # nobody hears it
    answer.headers.update(BROWSER)
    answer.headers.setdefault("Cache-Control", "no-store")
    if asking is not None and asking.machine is not None:
        answer.headers["Interlock-Epoch"] = str(scene.bell.epoch)
    return answer, asking.name if asking is not None else ""


async def _answer(row: Row, scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Return a row's answer: where it waits for others it says so, and is no thread's."""
    found = row.answer
    if iscoroutinefunction(found):
        waited: Response = await found(scene, asking)
        return waited
    return await run_in_threadpool(found, scene, asking)  # type: ignore[arg-type]


def _unkept(error: Exception) -> Response:
    """Say that something cannot be kept or read; where and why is said where it was started."""
    if isinstance(error, NoRoomError):
        return problem(507, "full", "the service's disk is full: it reads on", after=60)
    title = "the service cannot use its database now, and says why where it was started"
    return problem(503, "store", title, after=5)


async def _asking(scene: ServiceContext, row: Row, request: Request) -> ServiceRequest:
    """Return the request, once it is known that whoever asks may; raises ``RequestEnd``."""
    if request.headers.get("host", "") not in scene.hosts:
        # a name of somebody else's that leads here: a page of theirs would speak for its reader
        raise RequestEnd(problem(421, "host", "this service is not called by that name"))
    who = row.permission.who
    if who == ANYONE and row.method != "GET" and not _is_api(request):
        _same_site(scene, request)
    machine = await run_in_threadpool(_machine, scene, request) if who == MACHINE else None
    someone = await _find_viewer(scene, row, request) if who == PERSON else None
    if someone is not None:
        _may(someone, row, request)
    body = await _body(request, row.most) if row.method != "GET" else b""
    if someone is not None and someone.visit is not None and row.method != "GET":
        _ours(scene, someone.visit, request, body)
    return ServiceRequest(
        request.url.path, dict(request.path_params), dict(request.query_params),
        dict(request.headers), body, now(), machine, someone,
    )  # fmt: skip


async def _find_viewer(scene: ServiceContext, row: Row, request: Request) -> Viewer:
    """Return who asks, as ``_viewer``. For calls that wait for a decision the look at a token is
    worth no other thread, where the database is a file here: there are many.
    """
    if scene.keeping.near and iscoroutinefunction(row.answer):
        return _viewer(scene, request)
    return await run_in_threadpool(_viewer, scene, request)


def _machine(scene: ServiceContext, request: Request) -> Machine:
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    found = None
    if kind.lower() == "bearer" and secret:
        found = scene.keeping.read(lambda known: known.machine_of(hash_secret(secret)))
    if found is None:
        raise RequestEnd(problem(401, "credential", "this is no machine's credential (any more)"))
    return found


def _viewer(scene: ServiceContext, request: Request) -> Viewer:
    """Return the person whose visit it is, or for whom a program acts; raises ``RequestEnd``."""
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    if _is_api(request) and kind.lower() == "bearer":
        found = tokens.find_viewer(scene.keeping, scene.keys, secret.strip())
    else:
        found = find_viewer(scene.keeping, request.cookies.get(scene.cookie, ""))
    if found is not None:
        return found
    if _is_api(request) or request.method != "GET":
        raise RequestEnd(problem(401, "sign-in", "sign in first: `interlock ui` prints a link"))
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    raise RequestEnd(
        RedirectResponse(SIGN_IN if path == "/" else f"{SIGN_IN}?to={quote(path)}", 303)
    )


def _is_api(request: Request) -> bool:
    return is_api(request.url.path)


LACKING = {
    ROLE: "no role of yours lets you {said}: ask whoever admits people here",
    FACTOR: "to {said} takes a second factor: sign in with a passkey, or your password and a code",
    AGAIN: "to {said} takes a code or a passkey within 15 minutes: give one",
}


def _may(someone: Viewer, row: Row, request: Request) -> None:
    """Make sure that a role lets somebody look, or do; raises ``RequestEnd``."""
    lacks = someone.lacks(row.may)
    if lacks == ROLE and row.path == "/" and request.method == "GET":
        raise RequestEnd(RedirectResponse(home(someone), 303))
    if lacks == ROLE or (lacks and row.method != "GET"):
        raise RequestEnd(problem(403, lacks, LACKING[lacks].format(said=row.permission.said)))


def _for_people(request: Request, answer: Response) -> Response:
    """Return what is wrong as a page, where a browser asked for one."""
    kind = answer.headers.get("content-type", "")
    wants = "text/html" in request.headers.get("accept", "") and not _is_api(request)
    if kind != PROBLEM or not wants:
        return answer
    said = loads(bytes(answer.body))
    return plain(
        "refused.html", status=answer.status_code, title="Not done", why=_sentence(said["title"]),
        kind=said["type"], to=_before(request),
    )  # fmt: skip


def _before(request: Request) -> str:
    """Return the page of this console that led here."""
    try:
        there = urlsplit(request.headers.get("referer", "/"))
    except ValueError:
        return "/"  # a browser sends no such address
    return inside(f"{there.path}?{there.query}" if there.query else there.path or "/")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def _ours(scene: ServiceContext, visit: Visit, request: Request, body: bytes) -> None:
    """Make sure that a form comes from a page of this very visit; raises ``RequestEnd``."""
    _same_site(scene, request)
    form = dict(parse_qsl(body.decode("utf-8", "replace")))
    proof = form.get("proof", "") or request.headers.get("interlock-proof", "")
    if not proves(visit, proof):
        raise RequestEnd(_forgery_problem())


def _same_site(scene: ServiceContext, request: Request) -> None:
    """Make sure that a form comes from a page of this service; raises ``RequestEnd``."""
    origin = request.headers.get("origin", scene.url)
    told = request.headers.get("sec-fetch-site", "same-origin")
    if origin.partition("://")[2] not in scene.hosts or told not in ("same-origin", "none"):
        raise RequestEnd(_forgery_problem())


def _forgery_problem() -> Response:
    return problem(403, "forged", "this did not come from a page of yours: load it anew")


async def _body(request: Request, most: int) -> bytes:
    """Return what was sent; raises ``RequestEnd`` as soon as it is too much."""
    large = problem(413, "large", f"this takes at most {most} bytes")
    said = request.headers.get("content-length", "0")
    if said.isdecimal() and (len(said) > 12 or int(said) > most):
        raise RequestEnd(large)
    try:
        async with asyncio.timeout(patience.BODY_SECONDS):
            return await _read(request, most, large)
    except TimeoutError:
        raise RequestEnd(problem(408, "slow", "what was sent did not end in time")) from None


async def _read(request: Request, most: int, large: Response) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise RequestEnd(large)
        chunks.append(chunk)
    return b"".join(chunks)
