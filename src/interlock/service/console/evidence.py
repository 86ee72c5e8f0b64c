"""The evidence of a session, to take away."""

from __future__ import annotations

from starlette.responses import Response

from interlock.service.console.page_answer import render_page
from interlock.service.context import ServiceContext
from interlock.service.evidence.bundling import bundle_evidence
from interlock.service.evidence.proving import ProofError
from interlock.service.request import ServiceRequest


def download_evidence(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Return a session's evidence as a file; that somebody took it is on the record."""
    place = (asking.names["source"], asking.words.get("id", ""))
    try:
        packed = scene.keeping.read(lambda known: bundle_evidence(known, scene.signer, place))
    except ProofError as error:
        return render_page(asking, "missing.html", status=404, why=f"{error}.")
    body = {"by": asking.who.person.name, "source": place[0]}
    scene.keeping.write(lambda steps: steps.note("evidence", place[1], body))
    headers = {"Content-Disposition": 'attachment; filename="evidence.zip"'}
    return Response(packed, 200, headers, "application/zip")
