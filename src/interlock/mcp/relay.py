"""``Relay``: what is done with each message between one client and one server. It reads and writes
nothing by itself: a message in, messages out.

No ``tools/call``, ``resources/read`` or ``prompts/get`` leaves it for the server unless it was
judged, or a person was asked about it. A message that cannot be read as exactly one thing is
refused. What the server sends passes, but for lists of tools (pinned), results that lose their
secrets, and answers to questions that nobody asked.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.mcp import asking, wire
from interlock.mcp.asking import Parked, Questions
from interlock.mcp.judge import ASK, DECLINED, RUN, Judge, Ruling
from interlock.mcp.listing import Listing
from interlock.mcp.methods import JUDGED, PASSING, TOOL, Asked, asked
from interlock.mcp.wire import INVALID_REQUEST, SERVER_ERROR, Message, WireError
from interlock.model.record import Record

MOST_PENDING = 1000
"""Requests that may be under way at once."""


class Said(Record):
    """What is to be sent: whole messages, each for one line or body."""

    to_server: tuple[bytes, ...] = ()
    to_client: tuple[bytes, ...] = ()


class Pending(Record):
    """A request that the server is to answer. ``known``: what the same call would be known by when
    it comes again.
    """

    id: object
    method: str
    ruling: Ruling = Ruling(RUN)
    known: str = ""
    first: bool = False


class Outgoing:
    """Messages gathered while one line or body is gone through."""

    def __init__(self) -> None:
        self.to_server: list[Message] = []
        self.to_client: list[Message] = []
        self.apart: list[Message] = []
        """For the client, and no answers: never part of a batch."""

    def said(self, *, batch: bool) -> Said:
        """Return them as they are sent: what came as a batch goes on as one, and is answered as
        one.
        """
        join = _joined if batch else _each
        return Said(join(self.to_server), (*join(self.to_client), *_each(self.apart)))


def _each(messages: list[Message]) -> tuple[bytes, ...]:
    return tuple([wire.encoded(message) for message in messages])


def _joined(messages: list[Message]) -> tuple[bytes, ...]:
    return (wire.encoded(messages),) if messages else ()


class Relay:
    """One connection of a client to a server. Not safe for threads: who calls it takes turns.

    ``tell`` is handed sentences for the log. ``questions`` may be shared by connections that have
    no state of their own.
    """

    def __init__(
        self,
        judge: Judge,
        listing: Listing,
        tell: Callable[[str], None],
        questions: Questions | None = None,
    ) -> None:
        self.judge = judge
        self.listing = listing
        self.tell = tell
        self.questions = questions or Questions()
        self.asks = False
        """Whether the client said that it can show a person a form."""
        self._pending: dict[str, Pending] = {}
        self._redacts_tasks = False
        """Whether the results of tasks lose their secrets: one of them has to, and which one it is
        they do not say.
        """

    # -- from the client ---------------------------------------------------------------------------

    def client_said(self, data: bytes) -> Said:
        """Return what becomes of a client's line or body. Total."""
        out, batch = Outgoing(), False
        try:
            messages, batch = wire.parse(data)
            for message in messages:
                self._from_client(message, out)
        except WireError as problem:
            out.to_client.append(wire.refusal(problem))
        except Exception as problem:  # noqa: BLE001 - an answer is owed, and what was not judged is not passed on
            self.tell(f"a message could not be handled: {type(problem).__name__}: {problem}")
            answers = wire.id_within(data[:4096])
            return Said(
                (),
                (
                    wire.encoded(
                        wire.error(
                            SERVER_ERROR,
                            f"this message could not be judged ({type(problem).__name__})",
                            answers,
                        )
                    ),
                ),
            )
        return out.said(batch=batch)

    def _from_client(self, raw: Message, out: Outgoing) -> None:
        try:
            message = wire.checked(raw)
            if "method" not in message:
                self._answer(message, out)
            elif "id" in message:
                self._request(message, out)
            else:
                self._notification(message, out)
        except WireError as problem:
            if "id" in raw or "method" not in raw:
                out.to_client.append(wire.refusal(problem))
            else:
                self.tell(f"a notification was dropped: {problem}")

    def _request(self, message: Message, out: Outgoing) -> None:
        key = wire.key_of(message["id"])
        if key in self._pending or self.questions.waiting(message["id"]):
            raise WireError(INVALID_REQUEST, "a request of this id is under way")
        if len(self._pending) >= MOST_PENDING:
            raise WireError(
                SERVER_ERROR, f"{MOST_PENDING} requests are under way already", message["id"]
            )
        wanted = asked(message)
        if wanted is None:
            self._note(message)
            out.to_server.append(
                self._forwarded(
                    message,
                    Pending(message["id"], str(message["method"]), first=_first_page(message)),
                )
            )
            return
        if self._resumed(message, wanted, out):
            return
        message = self._without_our_state(message)
        modern = asking.per_request(_params(message))
        can_ask = self.asks if modern is None else asking.offered(modern)
        ruling = self.judge.rule(wanted, self._hints(wanted), asks=can_ask)
        self._ruled(message, wanted, ruling, out)

    def _ruled(self, message: Message, wanted: Asked, ruling: Ruling, out: Outgoing) -> None:
        if ruling.answer == RUN:
            if ruling.text:
                self.tell(ruling.text)
            out.to_server.append(self._let_run(message, wanted, ruling))
        elif ruling.answer == ASK:
            name, gone = self.questions.park(Parked(message, wanted, ruling))
            if gone is not None and not gone.modern:
                self._settle(gone, None, gone.message, out)
            if asking.per_request(_params(message)) is None:
                out.apart.append(asking.question(name, ruling.text))
            else:
                out.to_client.append(
                    wire.result(message["id"], asking.input_required(name, ruling.text))
                )
        else:
            out.to_client.append(_refused(message, wanted, ruling.text))

    def _let_run(self, message: Message, wanted: Asked, ruling: Ruling) -> Message:
        known = Parked(message, wanted, ruling).known
        return self._forwarded(message, Pending(message["id"], wanted.method, ruling, known))

    def _forwarded(self, message: Message, pending: Pending) -> Message:
        self._pending[wire.key_of(pending.id)] = pending
        return message

    def _hints(self, wanted: Asked) -> tuple[str, ...]:
        return self.listing.hints(wanted.name) if wanted.method == TOOL else ()

    def _note(self, message: Message) -> None:
        if message["method"] == "initialize":
            self.asks = asking.offered(_params(message).get("capabilities"))

    def _notification(self, message: Message, out: Outgoing) -> None:
        method = str(message["method"])
        if method in JUDGED or method in PASSING or not method.startswith("notifications/"):
            self.tell(
                f"{method[:60]!r} came without an id, so nobody could be told what becomes of it:"
                " it was dropped"
            )
            return
        if method == "notifications/cancelled":
            cancelled = _params(message).get("requestId")
            name = self.questions.waiting(cancelled)
            if name:
                self._give_up(name, out)
                return
            pending = (
                self._pending.pop(wire.key_of(cancelled), None) if wire.is_id(cancelled) else None
            )
            if pending is not None:  # who is told of it need not answer any more
                self._ended(pending.ruling, "failed", "cancelled")
        out.to_server.append(message)

    def _give_up(self, name: str, out: Outgoing) -> None:
        """The client cancels a call that a person is being asked about."""
        parked = self.questions.take(name)
        if parked is not None:
            self._ended(parked.ruling, "refused", "cancelled")
        params = {"requestId": name, "reason": "the call was cancelled"}
        out.apart.append({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    # -- what a person said ------------------------------------------------------------------------

    def _answer(self, message: Message, out: Outgoing) -> None:
        """A response of the client: to a question of ours, or to a request of the server."""
        parked = self.questions.take(message["id"])
        if parked is None and self.questions.asked(message["id"]):
            self.tell("an answer came to a question that is not open any more; it was dropped")
        elif parked is None:
            out.to_server.append(message)
        elif "error" in message:
            self._ended(parked.ruling, "refused", "the client could not ask")
            ruling = self.judge.rule(parked.asked, self._hints(parked.asked), asks=False)
            self._ruled(parked.message, parked.asked, ruling, out)
        else:
            self._settle(parked, message["result"], parked.message, out)

    def _resumed(self, message: Message, wanted: Asked, out: Outgoing) -> bool:
        """Tell whether a call was one that comes again: with a person's answer to a question of
        ours, or to one of the server's.
        """
        params = _params(message)
        parked = self.questions.take(params.get("requestState"))
        again = Parked(message, wanted, Ruling(RUN)).known
        if parked is not None:
            if parked.known != again:
                raise WireError(
                    INVALID_REQUEST, "this is not the call that was asked about", message["id"]
                )
            answers = params.get("inputResponses")
            given = answers.get(str(params["requestState"])) if isinstance(answers, dict) else None
            self._settle(parked, given, self._without_our_state(message), out)
            return True
        ruling = (
            self.questions.resumed(again, wire.key_of(params.get("requestState")))
            if "inputResponses" in params
            else None
        )
        if ruling is not None:
            out.to_server.append(self._let_run(message, wanted, ruling))
            return True
        return False

    def _without_our_state(self, message: Message) -> Message:
        """Return a call without the state of a question of ours: it means nothing to the server."""
        params = _params(message)
        if not self.questions.asked(params.get("requestState")):
            return message
        return {
            **message,
            "params": {
                key: value
                for key, value in params.items()
                if key not in ("inputResponses", "requestState")
            },
        }

    def _settle(self, parked: Parked, given: object, message: Message, out: Outgoing) -> None:
        if asking.approved(given):
            out.to_server.append(self._let_run(message, parked.asked, parked.ruling))
            return
        self._ended(parked.ruling, "refused", "the user did not approve it")
        out.to_client.append(_refused(message, parked.asked, DECLINED))

    # -- from the server ---------------------------------------------------------------------------

    def server_said(self, data: bytes) -> Said:
        """Return what becomes of a server's line or body. Total: what is no message is dropped, and
        said.
        """
        try:
            messages, batch = wire.parse(data)
            passed = [
                message
                for message in map(self._from_server, map(wire.cleaned, messages))
                if message is not None
            ]
        except WireError as problem:
            return self._unread(problem)
        except Exception as problem:  # noqa: BLE001 - what a server sends may be anything
            self.tell(
                f"what the server sent could not be handled: {type(problem).__name__}: {problem}"
            )
            return self._unread(
                WireError(
                    SERVER_ERROR,
                    f"it could not be handled ({type(problem).__name__})",
                    wire.id_within(data[:4096]),
                )
            )
        return Said((), _joined(passed) if batch else _each(passed))

    def _unread(self, problem: WireError) -> Said:
        self.tell(f"the server sent what is no message of MCP, and it was dropped: {problem}")
        pending = (
            self._pending.pop(wire.key_of(problem.answers), None)
            if wire.is_id(problem.answers)
            else None
        )
        if pending is None:
            return Said()
        self._ended(pending.ruling, "failed", str(problem))
        return Said(
            (),
            (
                wire.encoded(
                    wire.error(
                        SERVER_ERROR, f"the server's answer was not readable: {problem}", pending.id
                    )
                ),
            ),
        )

    def _from_server(self, message: Message) -> Message | None:
        """Return the message as the client gets it; itself where nothing is changed, None where it
        is dropped.
        """
        if "method" in message:
            return message
        answers = message.get("id")
        if answers is None and "error" in message:
            return message
        pending = self._pending.pop(wire.key_of(answers), None) if wire.is_id(answers) else None
        if pending is None:
            self.tell("the server answered a request that is not under way; the answer was dropped")
            return None
        value = message.get("result")
        if not isinstance(value, dict):
            self._ended(pending.ruling, "failed", message.get("error", ""))
            return message
        if pending.method not in JUDGED:
            if pending.method == "tasks/result" and self._redacts_tasks:
                return {**message, "result": self.judge.redacted(value)}
            seen = self.listing.seen(pending.method, value, first=pending.first)
            return message if seen is value else {**message, "result": seen}
        return self._result(message, pending, value)

    def _result(self, message: Message, pending: Pending, value: Message) -> Message:
        if value.get("resultType") == "input_required":
            self.questions.goes_on(
                pending.known, wire.key_of(value.get("requestState")), pending.ruling
            )
            return message
        self._redacts_tasks = self._redacts_tasks or (pending.ruling.redact and "task" in value)
        self._ended(pending.ruling, "failed" if value.get("isError") is True else "ran", value)
        return (
            {**message, "result": self.judge.redacted(value)} if pending.ruling.redact else message
        )

    def _ended(self, ruling: Ruling, status: str, said: object) -> None:
        for notice in self.judge.ended(ruling, status, said):
            self.tell(notice)

    # -- what breaks -------------------------------------------------------------------------------

    def too_long(self, head: bytes, tail: bytes, *, server: bool) -> Said:
        """Return what is said of a message that was longer than ``wire.MAX_MESSAGE`` and was not
        kept.
        """
        why = f"the message is longer than {wire.MAX_MESSAGE // (1024 * 1024)} MiB"
        answers = wire.id_within(head, tail)
        if not server:
            return Said((), (wire.encoded(wire.error(INVALID_REQUEST, why, answers)),))
        key = wire.key_of(answers) if answers is not None else ""
        if key not in self._pending:
            key = next(iter(self._pending)) if len(self._pending) == 1 else ""
        if not key:
            return self.broken(
                "the server sent a message that is too long, and it cannot be told whose answer"
                " it was"
            )
        self.tell(f"the server's answer was dropped: {why}")
        return self._failed(self._pending.pop(key), f"the server's answer was dropped: {why}")

    def broken(self, why: str) -> Said:
        """Return what is said to everybody who waits, when the server is gone or cannot be
        understood any more.
        """
        waiting, self._pending = list(self._pending.values()), {}
        return Said(
            (),
            tuple([line for pending in waiting for line in self._failed(pending, why).to_client]),
        )

    def unanswered(self, question: str) -> Said:
        """Return what is said of a call about which nobody answered."""
        out, parked = Outgoing(), self.questions.take(question)
        if parked is not None:
            self._settle(parked, None, parked.message, out)
        return out.said(batch=False)

    def failed(self, request: object, why: str) -> Said:
        """Return what is said of one request that could not reach the server; nothing where it is
        not under way.
        """
        pending = self._pending.pop(wire.key_of(request), None)
        return self._failed(pending, why) if pending is not None else Said()

    def _failed(self, pending: Pending, why: str) -> Said:
        self._ended(pending.ruling, "failed", why)
        return Said((), (wire.encoded(wire.error(SERVER_ERROR, why, pending.id)),))


def _params(message: Message) -> Message:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _first_page(message: Message) -> bool:
    return message["method"] == "tools/list" and _params(message).get("cursor") is None


def _refused(message: Message, wanted: Asked, text: str) -> Message:
    """Return a refusal: for a tool a result that the model reads; resources and prompts know no
    such thing.
    """
    if wanted.method in JUDGED and wanted.method != TOOL:
        return wire.error(SERVER_ERROR, text, message["id"])
    return wire.said(text, message["id"], typed=asking.per_request(_params(message)) is not None)
