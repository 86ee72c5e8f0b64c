"""The stage of what was installed: where some of it is gone, the session and the person are told,
and the call is judged as before.
"""

from __future__ import annotations

from interlock.guard.failures import Failure, attempt
from interlock.guard.parts import GuardParts

MISSED = "presence.gone"
SESSION, PERSON = "session", "person"


def report_losses(guard: GuardParts, to: str) -> tuple[str, ...]:
    """Return what is to be told to the session's model, or to the person."""
    look = guard.presence
    said = attempt("presence", lambda: look(to), tuple) if look is not None else ()
    return (
        (f"Whether all that was installed is still there could not be found out: {said.why}",)
        if isinstance(said, Failure)
        else said
    )
