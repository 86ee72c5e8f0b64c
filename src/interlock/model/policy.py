"""``Policy``: the merged, frozen whole that a call is judged by."""

from __future__ import annotations

from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from interlock.model.rule import Rule


class Policy(Record):
    """Every rule with the action it has after the layers were merged, and the few settings stages read.

    ``by_kind``: the same rules by kind of effect, or None where nobody made the index yet.
    ``hosts``: host names (and domains) that count as allowed. ``hash`` names this exact policy in the audit.
    ``roles``: the roles that somebody holds. A rule's ``approver`` counts only where somebody can be that approver; elsewhere the
    person at the prompt is.
    """

    rules: tuple[Rule, ...]
    by_kind: Mapping[str, tuple[Rule, ...]] | None = None
    profile: str = "default"
    hash: str = ""
    hosts: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    observe: bool = False
    audit_required: bool = False
    prompts_full: bool = False
