"""The pages, each a link."""

from __future__ import annotations

from time import time
from urllib.parse import urlencode

from starlette.responses import Response

from interlock.service.answers import RequestEnd, json_response, problem
from interlock.service.console.activity_chart import MINUTES, Hour, hour, minute_of
from interlock.service.console.decision_view import describe_row
from interlock.service.console.page_answer import render_page
from interlock.service.console.templating import STATIC, static
from interlock.service.context import ServiceContext
from interlock.service.history.everywhere import FleetHistory
from interlock.service.history.query_words import query
from interlock.service.limits.overview import list_shared
from interlock.service.machines.checks import read
from interlock.service.machines.health import health
from interlock.service.policy.reports import KIND, read_reports, read_state
from interlock.service.policy.repository import is_begun
from interlock.service.request import ServiceRequest
from interlock.service.roles import MACHINES
from interlock.service.store.views import OWN, DecisionLine, DecisionQuery

SHOWN = 50
SESSIONS = 100
WEEK_MINUTES = 7 * 24 * 60
FOR_EVER = "public, max-age=31536000, immutable"


def history(scene: ServiceContext) -> FleetHistory:
    """Return the history of all that is at hand."""
    return FleetHistory(scene.keeping, scene.own, scene.archive)


def live(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show what is decided now."""
    past = history(scene)
    end = past.end()
    calls = past.decisions(query("").replace(wanted=DecisionQuery(most=SHOWN)))
    return render_page(
        asking, "live.html", here="live", calls=calls, names=past.names(), end=end,
        hour=this_hour(past),
    )  # fmt: skip


def this_hour(past: FleetHistory) -> Hour:
    """Return what was decided in the hour until now."""
    now = time()
    return hour(past.minutes(minute_of(now - 60 * (MINUTES - 1))), now)


def search(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Find calls."""
    past = history(scene)
    text, asked, calls = _find_decisions(past, asking)
    older = ""
    if len(calls) == SHOWN:
        older = "/search?" + urlencode({"q": text, "at": calls[-1].at, "name": calls[-1].name})
    return render_page(
        asking, "search.html", here="search", q=text, calls=calls, names=past.names(),
        wrong=asked, older=older, paged="at" in asking.words,
    )  # fmt: skip


def _find_decisions(
    past: FleetHistory, asking: ServiceRequest
) -> tuple[str, str, list[DecisionLine]]:
    text = asking.words.get("q", "")[:500]
    asked = query(text)
    before = (asking.words.get("at", ""), asking.words.get("name", ""))
    wanted = asked.wanted.replace(before=before, most=SHOWN)
    return text, asked.wrong, past.decisions(asked.replace(wanted=wanted))


def sessions(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show the sessions of the last week."""
    past = history(scene)
    found = past.sessions(minute_of(time() - 60 * WEEK_MINUTES), SESSIONS)
    return render_page(asking, "sessions.html", here="sessions", sessions=found, names=past.names())


def session(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show what happened in one session, in order."""
    past = history(scene)
    source, name = asking.names["source"], asking.words.get("id", "")
    moments = past.session(source, name)
    if not moments:
        return _missing(asking, "There is no such session.")
    _record_view(scene, asking, source, f"session {name}")
    calls = [one.seen for one in moments if one.seen is not None]
    return render_page(
        asking, "session.html", here="sessions", name=name, moments=moments, calls=calls,
        machine=past.names().get(source, source), source=source, on=_machine_of(scene, source),
    )  # fmt: skip


def _machine_of(scene: ServiceContext, source: str) -> str:
    """Return the machine that sends a chain, empty where none does."""
    chain = scene.keeping.read(lambda known: known.chain(source))
    return chain.machine if chain is not None else ""


def decision(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show one decision in full."""
    past = history(scene)
    source = asking.names["source"]
    found = past.decision(source, asking.names["name"])
    if found is None:
        return _missing(asking, "There is no such decision.")
    _record_view(scene, asking, source, found.seen.name)
    return render_page(
        asking, "decision.html", here="", whole=found, call=found.seen,
        machine=past.names().get(source, source), said=describe_row(found.row), source=source,
    )  # fmt: skip


def machines(
    scene: ServiceContext, asking: ServiceRequest, wrong: str = "", line: str = ""
) -> Response:
    """Show the machines, and how their guards and their records are; ``line``: a token's, which is
    shown this once.
    """
    past = history(scene)
    found = scene.keeping.read(health)
    problems = scene.keeping.read(lambda known: known.problems(SHOWN))
    published = scene.keeping.read(is_begun)
    reports = scene.keeping.read(read_reports) if published else []
    policies = {one.machine: one for one in reports}
    shared = scene.keeping.read(list_shared)
    exports = scene.keeping.read(lambda known: known.exports())
    own = None
    if past.own is not None and not past.twin:
        own = (*past.own.count(), past.own.proven(minute_of(time() - 24 * 3600)))
    return render_page(
        asking, "machines.html", status=400 if wrong else 200, here="machines", machines=found,
        problems=problems, own=own, names=past.names(), wrong=wrong, line=line,
        lacks=asking.who.lacks(MACHINES), published=published, policies=policies,
        shared=shared, exports=exports, stuck=sum(bool(one.cursor.said) for one in exports),
    )  # fmt: skip


def machine(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show one machine: what it says of its guard, and its record."""
    name = asking.names["name"]
    found = next((one for one in scene.keeping.read(health) if one.machine.id == name), None)
    if found is None:
        return _missing(asking, "There is no such machine.")
    checks = scene.keeping.read(lambda known: known.checks(name))
    rows = [(check, read(check.rows)) for check in checks if check.kind != KIND]
    policy = scene.keeping.read(lambda known: read_state(known, name))
    problems = scene.keeping.read(lambda known: known.problems(1000))
    told = [one for one in problems if one.chain in found.sources]
    people = scene.keeping.read(lambda known: known.persons())
    return render_page(
        asking, "machine.html", here="machines", one=found, checks=rows, problems=told,
        policy=policy[0] if policy else None, lacks=asking.who.lacks(MACHINES),
        people=[one.name for one in people if not one.ended],
    )  # fmt: skip


def decisions(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Return what ``search`` shows, as JSON."""
    past = history(scene)
    _, wrong, calls = _find_decisions(past, asking)
    if wrong:
        raise RequestEnd(problem(400, "query", wrong))
    names = past.names()
    rows = [
        {
            **{name: getattr(one, name) for name in DecisionLine.fields},
            "machine": names.get(one.source, ""),
        }
        for one in calls
    ]
    return json_response({"decisions": rows})


def file(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Return a file of the console."""
    del scene
    name = asking.names["name"]
    try:
        return Response(static(name), 200, {"Cache-Control": FOR_EVER}, STATIC[name])
    except KeyError:
        raise RequestEnd(problem(404, "unknown", "there is no such file")) from None


def _record_view(scene: ServiceContext, asking: ServiceRequest, source: str, what: str) -> None:
    """Record that somebody looked at another machine's record."""
    if source != OWN:
        body = {"by": asking.who.person.name, "source": source}
        scene.keeping.write(lambda keeping: keeping.note("view", what, body))


def _missing(asking: ServiceRequest, why: str) -> Response:
    return render_page(asking, "missing.html", status=404, here="", why=why)
