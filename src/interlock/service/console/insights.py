"""The page on what can be acted on, and the same for programs."""

from __future__ import annotations

from time import gmtime, strftime, time

from starlette.responses import Response

from interlock.model.codec import encode
from interlock.service.answers import RequestEnd, json_response, problem
from interlock.service.console.page_answer import render_page
from interlock.service.console.pages import history
from interlock.service.context import ServiceContext
from interlock.service.history.insights import Insights, QuestionCount, find_near_limits
from interlock.service.machines.checks import PROVEN
from interlock.service.machines.health import RETIRED, Health, health
from interlock.service.request import ServiceRequest
from interlock.service.store.rows import CALLER

SPANS = (7, 30, 90)
"""Days that one can look back."""


def show_insights(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show what can be acted on."""
    days = _days(asking)
    found = _gather(scene, days)
    return render_page(
        asking, "insights.html", here="insights", found=found, days=days, spans=SPANS,
        guards=_unproven(scene),
    )  # fmt: skip


def insights(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Return what ``show_insights`` shows, as JSON."""
    days = _days(asking)
    found = _gather(scene, days)
    said = {name: [encode(one) for one in getattr(found, name)] for name in Insights.fields[2:]}
    for name in ("rules", "machines", "teams"):
        some: tuple[QuestionCount, ...] = getattr(found, name)
        said[name] = [{**encode(one), "share": one.share} for one in some]
    guards = [
        {"machine": one.machine.name, "id": one.machine.id, "guard": one.guard, "why": one.why}
        for one in _unproven(scene)
    ]
    return json_response(
        {"days": days, "asked": found.asked, "ran": found.ran, **said, "guards": guards}
    )


def _gather(scene: ServiceContext, days: int) -> Insights:
    since = strftime("%Y-%m-%dT%H:%M:%S", gmtime(time() - days * 86400))
    found = history(scene).insights(since)
    uses, now = scene.keeping.read(lambda known: (known.shared_uses(), known.clock()))
    return found.replace(limits=find_near_limits(uses, now))


def _unproven(scene: ServiceContext) -> list[Health]:
    """Return the machines whose guard nobody saw refuse within a day."""
    fine = (PROVEN, RETIRED, CALLER)
    return [one for one in scene.keeping.read(health) if one.guard not in fine]


def _days(asking: ServiceRequest) -> int:
    """Return how many days are asked for; raises ``RequestEnd``."""
    text = asking.words.get("days", "30")
    if text not in map(str, SPANS):
        said = ", ".join(map(str, SPANS))
        raise RequestEnd(problem(400, "query", f"days is none of {said}"))
    return int(text)
