"""Where the record goes besides, and how far it is there."""

from __future__ import annotations

from starlette.responses import Response

from interlock.service.console.page_answer import render_page
from interlock.service.context import ServiceContext
from interlock.service.request import ServiceRequest
from interlock.service.store.views import MOST_BEHIND


def exports(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show the destinations; addresses without what may stand behind their host."""
    found = scene.keeping.read(lambda known: known.exports())
    hosts = {one.destination.id: _host(one.destination.url) for one in found}
    return render_page(
        asking, "exports.html", here="machines", exports=found, hosts=hosts, most=MOST_BEHIND
    )


def _host(url: str) -> str:
    """Return an address without its path and query: some hold a key."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0].partition('?')[0]}"
