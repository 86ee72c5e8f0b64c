"""What people are told by web hooks: written down in the step that it tells of, sent by another."""

from __future__ import annotations

from collections.abc import Mapping
from secrets import token_hex

from interlock.model.display import visible
from interlock.model.jsontext import dumps
from interlock.service.store.protocol import ServiceWriter
from interlock.service.store.rows import Delivery
from interlock.store.chain import now

REQUEST, REMINDER, SETTLED, STOPPED, RESUMED, NOTICE = (
    "request.created", "request.reminder", "request.settled", "stop.engaged", "stop.resumed",
    "decision.notice",
)  # fmt: skip


def tell(
    keeping: ServiceWriter, kind: str, path: str, text: str, data: Mapping[str, object]
) -> None:
    """Have every web hook told. ``path``: the page that one is led to; ``text``: for people, free
    of secrets.
    """
    at = now()
    body = dumps({"path": path, "text": visible(text), "data": dict(data)})
    for hook in keeping.hooks():
        keeping.put_delivery(Delivery(f"msg_{token_hex(12)}", hook.id, kind, body, at, at))
