"""A denial as heuristic safety layers report it: an error, the rule that was triggered, and its
layer (1 patterns, 2 containment, 3 allow-list).
"""

from __future__ import annotations

from interlock.model.action import VERDICT_DENY
from interlock.model.decision import Decision, Finding

PATTERNS, CONTAINMENT, ALLOW_LIST = 1, 2, 3

NAMES: tuple[tuple[str, str, int], ...] = (
    ("strict.unlisted-command", "command_not_allowed", ALLOW_LIST),
    ("strict.forced", "flag_not_allowed", ALLOW_LIST),
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
    """Return ``error``, ``rule`` and ``layer`` of a denial; None where nothing is denied. The
    lowest layer that spoke is the one that counts.
    """
    if decision.verdict != VERDICT_DENY:
        return None
    layer, name, finding = min(
        [(*_named(one), one) for one in decision.deciding], key=lambda row: row[0]
    )
    return {
        "error": f"Command blocked by safety rule: it {finding.message}",
        "rule": name,
        "layer": layer,
    }


def _named(finding: Finding) -> tuple[int, str]:
    found = next(
        ((layer, name) for start, name, layer in NAMES if finding.rule.startswith(start)), None
    )
    return found or (PATTERNS, finding.rule)
