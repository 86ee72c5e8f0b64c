"""What routes for programs take and give, as JSON Schema: the part of the table of routes that
OpenAPI shows beside paths and permissions.
"""

from __future__ import annotations

from interlock.model.leases import KINDS as LEASE_KINDS
from interlock.model.limits import SHARED
from interlock.service.json_shape import ANY, TEXT, YES, Shape, some, thing, whole_number
from interlock.service.machines.checks import FIELDS, KINDS, MOST_ROWS
from interlock.service.machines.enrol import MOST_USES
from interlock.service.request import MOST_NUMBER
from interlock.service.store.views import DecisionLine
from interlock.wire.asks import (
    LONGEST_SECONDS,
    MOST_QUORUM,
    MOST_ROLES,
    MOST_TEXT,
    WireGrant,
    WireRequest,
)
from interlock.wire.leases import MOST_AMOUNT, MOST_ENTRIES, MOST_SECONDS
from interlock.wire.leases import MOST_TEXT as MOST_LEASE_TEXT
from interlock.wire.orders import ResumeOrder, StopOrder
from interlock.wire.policy_state import MOST_BUNDLE

WORD: Shape = {"type": "string", "minLength": 1, "maxLength": MOST_TEXT}
SHORT: Shape = {"type": "string", "maxLength": MOST_TEXT}
NUMBER: Shape = {"type": "integer", "minimum": 1, "maximum": MOST_NUMBER}
GZIP: Shape = {"type": "string", "format": "binary"}
"""Lines of `interlock audit export`, compressed."""


def _texts(names: tuple[str, ...]) -> dict[str, Shape]:
    return dict.fromkeys(names, TEXT)


PROBLEM = thing({"type": TEXT, "title": TEXT, "status": whole_number(400, 599)}, {"after": NUMBER})
"""What is wrong (RFC 9457)."""

ENROL = thing({"secret": TEXT}, {**_texts(("name", "platform", "version")), "first": NUMBER})
ENROLLED = thing(
    {**_texts(("machine", "credential", "chain", "service_key", "team")), "pace": NUMBER}
)
POLICY_STATE = thing(
    {},
    {
        **_texts(("hash", "since", "why", "drift", "drifted", "expires")),
        **dict.fromkeys(("bundle", "refused"), whole_number(0, MOST_BUNDLE)),
        "enforced": YES,
    },
)
"""Which policy of its team a machine has."""
CHAIN = thing({}, {"first": NUMBER, "continues": TEXT})
CHAINED = thing({"chain": TEXT})
BATCH: Shape = {"From": NUMBER, "Previous": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}
"""Headers of a batch: the number of its first event, the hash of the event before."""
RECEIPT = thing(
    {
        **_texts(("hash", "at", "receipt")), "acked": whole_number(0, MOST_NUMBER),
        "branch": whole_number(0, MOST_NUMBER), "told": some(TEXT), "pace": NUMBER,
    }
)  # fmt: skip
BEAT = thing({}, {"head": NUMBER})
AT = thing({"at": TEXT})
CHECK = thing(
    {"kind": {"enum": list(KINDS)}, "rows": some(thing(_texts(FIELDS)), maxItems=MOST_ROWS)}
)
STANDING = thing(
    {
        "epoch": whole_number(0, MOST_NUMBER),
        "stops": some(
            thing({**_texts(StopOrder.fields[1:]), "epoch": NUMBER, "told": YES, "freed": YES})
        ),
        "resumes": some(thing({**_texts(ResumeOrder.fields[2:]), "epoch": NUMBER, "stop": NUMBER})),
    }
)
REPORT = thing(
    {"done": YES},
    {**_texts(("survivors", "problems", "freed")), "ended": whole_number(0, 2**31 - 1)},
)
ASK = thing(
    {
        **dict.fromkeys(WireRequest.fields[:7], SHORT),
        "id": WORD, "digest": WORD, "chain": TEXT,
        "roles": some(SHORT, maxItems=MOST_ROLES),
        "quorum": whole_number(1, MOST_QUORUM), "second_person": YES,
        "seconds": whole_number(1, LONGEST_SECONDS), "left": whole_number(0, LONGEST_SECONDS),
        "shown": {"type": "object"},
    },
    {"fleet": SHORT},
)  # fmt: skip
ASKED = thing({"id": TEXT, "page": TEXT, "state": TEXT})
ANSWERS = thing({"requests": some(thing(_texts(("id", "state", "by", "reason"))))})
SETTLED = thing({"state": WORD}, {"by": TEXT})
NEW = thing({"new": YES})
CLAIM = thing(
    {
        "chain": TEXT,
        "holder": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^/]+$"},
    }
)
GRANT = thing(
    {
        name: whole_number(0, MOST_QUORUM) if name in ("quorum", "second_person") else TEXT
        for name in WireGrant.fields
    }
)
_AMOUNT = whole_number(0, MOST_AMOUNT)
_SHARED = thing(
    {
        "scope": {"enum": list(SHARED)}, "kind": {"enum": list(LEASE_KINDS)},
        "tools": {"type": "string", "maxLength": MOST_LEASE_TEXT},
        "most": whole_number(1, MOST_AMOUNT),
        **dict.fromkeys(("each", "reserve"), _AMOUNT),
        **dict.fromkeys(("every", "hold"), whole_number(0, MOST_SECONDS)),
    }
)  # fmt: skip
_LEASE_ID: Shape = {"type": "string", "minLength": 1, "maxLength": MOST_LEASE_TEXT}
_ENDED = thing({"limit": _SHARED, "id": _LEASE_ID, "amount": _AMOUNT, "used": _AMOUNT})
_WISH = thing({"limit": _SHARED, "id": _LEASE_ID, "amount": whole_number(1, MOST_AMOUNT)})
LEASES = thing(
    {},
    {
        "back": some(_ENDED, maxItems=MOST_ENTRIES),
        "want": some(_WISH, maxItems=MOST_ENTRIES),
        "keep": some(_LEASE_ID, maxItems=MOST_ENTRIES),
    },
)
_LEASE = thing({"id": TEXT, **dict.fromkeys(("amount", "seconds", "left", "wait"), _AMOUNT)})
LEASED = thing({"back": some(TEXT), "kept": {"type": "object"}, "leases": some(_LEASE)})
RETIRED = thing({"retired": YES})
TOKEN = thing({}, {"uses": whole_number(1, MOST_USES), "team": TEXT})
TOKENED = thing({"token": TEXT, "uses": NUMBER, "team": TEXT})
_CARD = thing(
    {
        **_texts(("id", "machine", "agent", "requester", "state", "at", "expires", "by", "reason")),
        "name": TEXT, "roles": some(TEXT), "quorum": NUMBER, "second_person": YES,
        "yes": whole_number(0, MOST_QUORUM), "shown": {"type": "object"},
    }
)  # fmt: skip
INBOX = thing({"waiting": some(_CARD), "before": some(_CARD)})
QUERY: Shape = {"q": TEXT, "at": TEXT, "name": TEXT}
"""What is looked for; the oldest call of the page before."""
DECISIONS = thing({"decisions": some(thing(dict.fromkeys((*DecisionLine.fields, "machine"), ANY)))})
DAYS: Shape = {"days": {"enum": ["7", "30", "90"]}}
"""How far back."""
INSIGHTS = thing(
    {
        **dict.fromkeys(("days", "asked", "ran"), whole_number(0, MOST_NUMBER)),
        **dict.fromkeys(
            ("rules", "calls", "machines", "teams", "limits", "guards"), some({"type": "object"})
        ),
    }
)
HEALTH = thing({"status": TEXT})
DOCUMENT = thing({"openapi": TEXT, "paths": {"type": "object"}})
