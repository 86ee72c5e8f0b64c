"""A denial as heuristic safety layers report it: an error, the rule that was triggered, and its
layer (1 patterns, 2 containment, 3 allow-list).
"""

from __future__ import annotations

from collections.abc import Sequence

from interlock.model.action import VERDICT_DENY
from interlock.model.decision import Decision

PATTERNS, CONTAINMENT, ALLOW_LIST = 1, 2, 3

NAMES: tuple[tuple[str, str, int], ...] = (
    ("strict.forced", "flag_not_allowed", ALLOW_LIST),
    ("strict.unlisted-command", "command_not_allowed", ALLOW_LIST),
    ("strict.outside-workspace", "workspace_containment", CONTAINMENT),
    ("fs.delete-", "mass_deletion", PATTERNS),
    ("fs.write-device", "raw_disk_write", PATTERNS),
    ("system.format", "filesystem_format", PATTERNS),
    ("exec.network-code", "remote_code_execution", PATTERNS),
    ("fs.open-", "world_writable", PATTERNS),
    ("fs.world-writable", "world_writable", PATTERNS),
    ("fs.change-mode-", "ownership_change", PATTERNS),
    ("fs.setuid", "privilege_escalation", PATTERNS),
    ("exec.as-another-user", "privilege_escalation", PATTERNS),
    ("exec.fork-bomb", "fork_bomb", PATTERNS),
    ("system.kill-all", "force_kill", PATTERNS),
    ("system.control", "system_control", PATTERNS),
    ("files.", "workspace_containment", CONTAINMENT),
    ("workspace-write.change-outside", "workspace_containment", CONTAINMENT),
    ("code.run-program", "command_not_allowed", ALLOW_LIST),
    ("code.blocked-command", "command_not_allowed", ALLOW_LIST),
    ("fs.", "workspace_containment", CONTAINMENT),
)
"""How a rule's id begins, the name such layers give it, and the layer; the first that fits counts.
All others keep their own id.
"""


def refusal(decision: Decision) -> dict[str, str | int] | None:
    """Return ``error``, ``rule`` and ``layer`` of a denial; None where nothing is denied."""
    if decision.verdict != VERDICT_DENY:
        return None
    said = decision.deciding[choose_reported([one.rule for one in decision.deciding])]
    name, layer = split_rule_name(said.rule)
    return {
        "error": f"Command blocked by safety rule: it {said.message}",
        "rule": name,
        "layer": layer,
    }


def choose_reported(rules: Sequence[str]) -> int:
    """Return which of the rules that spoke is the one to report: of the lowest layer, and there the
    first of the table.
    """
    return min(range(len(rules)), key=lambda at: _row(rules[at]))


def split_rule_name(rule: str) -> tuple[str, int]:
    """Return the name that such layers give a rule, and its layer."""
    layer, at = _row(rule)
    return (NAMES[at][1] if at < len(NAMES) else rule), layer


def _row(rule: str) -> tuple[int, int]:
    """Return the layer of a rule and its place in the table; one that is not there speaks of a
    danger, and stands behind all.
    """
    rows = ((layer, at) for at, (begins, _, layer) in enumerate(NAMES) if rule.startswith(begins))
    return next(rows, (PATTERNS, len(NAMES)))
