"""What the guard says of one request of a client, in words for MCP."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from threading import Lock
from time import monotonic

from interlock.audit.shared_decision import SharedDecision
from interlock.engine.explain import one_line
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE, QUEUE
from interlock.integrations.protocol import CARRIES as NOTHING_MORE
from interlock.integrations.protocol import (
    CHECK,
    EXCERPT,
    PLATFORM,
    ClientEvent,
    clip,
    denial,
    effective_verdict,
    reason,
    warning,
)
from interlock.mcp.methods import MethodRequest
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK
from interlock.model.call import MCP, Outcome, ToolCall
from interlock.model.decision import Decision
from interlock.model.jsontext import dumps
from interlock.model.policy import Policy
from interlock.model.record import Record

Sharing = Callable[[ToolCall, Sequence[str], bool], tuple[str, SharedDecision]]
"""Of a call, its names with clients, and whether only a decision counts that a person was asked
about: the session it is made in, and the decision that the client's hook has made on it
already. Either may be empty.
"""

CARRIES = frozenset({"redact"})
"""Obligations that the proxy carries out: a result is redacted before the client reads it."""
ARGUMENTS = 1000
"""Characters of the arguments that a person is shown who is asked."""
ASKED = "interlock asks before this call:"
DECLINED = (
    "The user did not approve this call, so it did not run. For the agent: do not retry it, in this"
    " or another form."
)

RUN, ASK, REFUSE = "run", "ask", "refuse"


class Ruling(Record):
    """What becomes of a request: ``run``, ``ask`` or ``refuse``, with the words for the log, the
    person or the model.

    ``redact``: the result loses its secrets. ``call`` is None where a decision was made elsewhere,
    and its outcome is told there.
    """

    answer: str
    text: str = ""
    redact: bool = False
    call: ToolCall | None = None
    began: float = 0.0


class ServerJudge:
    """One server as the guard sees it.

    ``name``: what the client calls the server; ``folder``: where it works. ``share``: see
    ``Sharing``. ``policy``: the policy that holds by now for a session, since the proxy lives
    longer than a policy's files stay the same.
    """

    def __init__(
        self,
        guard: Guard,
        name: str,
        folder: str,
        share: Sharing | None = None,
        policy: Callable[[str], Policy] | None = None,
    ) -> None:
        self.guard = guard
        self.name = plain(name)
        self.folder = folder
        self.session = f"mcp-{os.urandom(8).hex()}"
        self._share = share
        self._policy = policy
        self._turn = Lock()
        self.guard.carries = CARRIES

    def again(self) -> ServerJudge:
        """Return the judge of another session of the same server, with the same guard."""
        other = copy(self)
        other.session = f"mcp-{os.urandom(8).hex()}"
        return other

    def rule(self, asked: MethodRequest, hints: tuple[str, ...] = (), *, asks: bool) -> Ruling:
        """Return what becomes of a request. ``asks``: the client can put a question to the person.
        Total, as the guard is.
        """
        call = self._call(asked, hints)
        session, decided = (
            self._share(call, self._names(asked.name), bool(set(hints) - {"changed"}))
            if self._share is not None
            else ("", None)
        )
        if decided is not None and decided.id and "changed" not in hints:
            return Ruling(RUN, redact="redact" in decided.duties)
        if session:
            call = call.replace(session=session)
        decision = self._decide(call, session, asks=asks)
        event = ClientEvent(CHECK, call.name, session=call.session, cwd=call.cwd, call=call)
        stands, redact = (
            effective_verdict(decision, CARRIES | NOTHING_MORE),
            any(duty.name == "redact" for duty in decision.obligations),
        )
        if stands == VERDICT_ALLOW:
            return Ruling(RUN, warning(decision, event), redact, call, monotonic())
        if stands == VERDICT_ASK and asks:
            return Ruling(
                ASK,
                f"{reason(decision, event, ASKED)}\n{self._told(asked)}",
                redact,
                call,
                monotonic(),
            )
        return Ruling(REFUSE, denial(decision, event))

    def _decide(self, call: ToolCall, session: str, *, asks: bool) -> Decision:
        with self._turn:
            if self._policy is not None:
                self.guard.policy = self._policy(session)
                self.guard.limited = self.guard.policy.limits is not None
            self.guard.ask = NATIVE if asks else QUEUE
            return self.guard.check(call)

    def _call(self, asked: MethodRequest, hints: tuple[str, ...]) -> ToolCall:
        name = f"mcp__{self.name}__{asked.name}"
        return ToolCall(
            MCP, name, asked.given, cwd=self.folder, roots=(self.folder,), platform=PLATFORM,
            session=self.session, agent="mcp", call_id=f"mcp-{os.urandom(8).hex()}", hints=hints,
        )  # fmt: skip

    def _told(self, asked: MethodRequest) -> str:
        """Say the call whole, as far as it is short and without its secrets: who is asked has to
        see more than the tool's name.
        """
        given = dumps(self.redacted(dict(asked.given)))
        return (
            f"tool: {clip(one_line(asked.name), 200)} of the server {self.name}, with"
            f" {clip(given, ARGUMENTS)}"
        )

    def _names(self, tool: str) -> tuple[str, ...]:
        """Return what clients with hooks call the tool: Claude Code, Codex and Qwen Code; Gemini
        CLI; Copilot; OpenCode.
        """
        known = plain(tool)
        return (
            f"mcp__{self.name}__{known}",
            f"mcp_{self.name}_{known}",
            f"{self.name}-{known}",
            f"{self.name}_{known}",
        )

    def ended(self, ruling: Ruling, status: str, said: object) -> tuple[str, ...]:
        """Record what became of a request that was let run: ``ran``, ``failed`` or ``refused``;
        returns what could not be recorded.
        """
        if ruling.call is None:
            return ()
        duration = max(0, int((monotonic() - ruling.began) * 1000))
        return self.guard.outcome(
            Outcome(ruling.call, status, excerpt=excerpt(said), duration_ms=duration)
        )

    def redacted(self, value: object) -> object:
        """Return a result without its secrets, or nothing of it if they cannot be found."""
        audit = self.guard.audit
        return _redact(value, audit.redactor.text if audit is not None else _no_redactor)


def plain(name: str) -> str:
    """Return a name as clients write it into tools' names, without ``__``, which ends it."""
    kept = "".join(
        [char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name]
    )[:200]
    while "__" in kept:
        kept = kept.replace("__", "_")
    return kept.strip("_") or "server"


def _no_redactor(text: str, limit: int) -> str:
    return f"<{len(text)} characters>" if limit else ""


_CODED = frozenset({"data", "blob"})
"""Fields of a result that hold pictures, sounds and files in base64."""


def _redact(value: object, clean: Callable[[str, int], str]) -> object:
    if isinstance(value, str):
        return clean(value, len(value))
    if isinstance(value, list):
        return [_redact(one, clean) for one in value]
    if isinstance(value, dict):
        return {
            key: (
                one
                if key in _CODED and isinstance(one, str) and " " not in one
                else _redact(one, clean)
            )
            for key, one in value.items()
        }
    return value


def excerpt(said: object) -> str:
    """Return the beginning of what a tool said: its texts, else its JSON."""
    if isinstance(said, dict) and isinstance(said.get("content"), list):
        texts = [one.get("text", "") for one in said["content"] if isinstance(one, dict)]
        return clip("\n".join([text for text in texts if isinstance(text, str)]), EXCERPT)
    return clip(said if isinstance(said, str) else dumps(said), EXCERPT)


def as_given(arguments: Mapping[str, object]) -> str:
    """Return what tells one set of arguments from another."""
    return dumps(dict(arguments), sort_keys=True)
