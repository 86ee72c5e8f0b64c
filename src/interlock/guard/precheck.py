"""What is seen to before any call is judged, where a flag stands: an undo that was cut off is
finished, and what is stopped runs nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.checkpoint.service import Checkpoints
from interlock.model.call import ToolCall
from interlock.model.decision import Finding


def precheck(
    state: str, call: ToolCall, checkpoints: Callable[[], Checkpoints]
) -> tuple[Finding, ...]:
    """Return the refusal of a call that is stopped. Raises as its parts do; the guard then asks."""
    from interlock.stop.flags import findings

    stopped = findings(state, call)
    if not stopped:
        checkpoints().finish()
    return stopped
