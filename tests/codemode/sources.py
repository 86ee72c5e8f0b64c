"""Rows of the corpus about code mode: an operation judged by the policy of a run, or a source
judged by the static gate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.codemode.golang.gate import of_source
from interlock.codemode.operations import Operation, effects
from interlock.codemode.permissions import RunPermissions, apply_permits
from interlock.codemode.sandboxing import read, resolve_permits
from interlock.engine.decide import decide
from interlock.model.call import PYTHON, ToolCall
from interlock.model.effect import Reading
from interlock.policy.builtin import builtin
from tests.codemode.test_sandboxing import WHOLE

if TYPE_CHECKING:
    from interlock.model.facts import Facts

CALL = ToolCall(
    PYTHON, "execute_go_code", {"code": ""}, cwd="/home/user/project", roots=("/home/user/project",)
)
TEXTS = {
    "code-mode": WHOLE,
    "code-mode-without-network": WHOLE.replace(b"allowNetwork: true", b"allowNetwork: false"),
    "code-mode-interactive": WHOLE.replace(b"interactive: false", b"interactive: true"),
}
"""What each profile of the rows stands for: the document's own shape; any other name is the usual
run, without a network.
"""


def verdict_of(operation: tuple[str, ...], profile: str, code: str, facts: Facts) -> str:
    """Return what code mode answers: to an operation by its policy; without one, to a source by
    what its imports may be.
    """
    if not operation:
        return (
            "deny"
            if of_source(f"package main\n{code}\nfunc main() {{}}\n", "run.go").refused
            else "allow"
        )
    permits, _ = (
        resolve_permits(read(TEXTS[profile], profile), trusted=True)
        if profile in TEXTS
        else (RunPermissions(), ())
    )
    policy = apply_permits(builtin(), permits, "/home/user")
    return str(
        decide(
            CALL,
            Reading(effects(Operation(operation[0], operation[1:]), CALL, facts)),
            policy,
            "row",
        ).verdict
    )
