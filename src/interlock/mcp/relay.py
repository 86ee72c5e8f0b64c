"""``Relay``: what is done with each message between one client and one server. It reads and writes
nothing by itself: a message in, messages out.

No ``tools/call``, ``resources/read`` or ``prompts/get`` leaves it for the server unless it was
judged, or a person was asked about it. A message that cannot be read as exactly one thing is
refused. What the server sends passes, but for lists of tools (pinned), results that lose their
secrets, and answers to questions that nobody asked.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.mcp import elicitation, jsonrpc
from interlock.mcp.elicitation import OpenQuestions, ParkedCall
from interlock.mcp.jsonrpc import INVALID_REQUEST, SERVER_ERROR, Message, WireError
from interlock.mcp.judge import ASK, DECLINED, RUN, Ruling, ServerJudge
from interlock.mcp.methods import JUDGED, PASSING, TOOL, MethodRequest, parse_request
from interlock.mcp.tool_lists import Listing
from interlock.model.record import Record

MOST_PENDING = 1000
"""Requests that may be under way at once."""


class RelayOutput(Record):
    """What is to be sent: whole messages, each for one line or body."""

    to_server: tuple[bytes, ...] = ()
    to_client: tuple[bytes, ...] = ()


class PendingRequest(Record):
    """A request that the server is to answer. ``known``: how the same call is known again."""

    id: object
    method: str
    ruling: Ruling = Ruling(RUN)
    known: str = ""
    first: bool = False


class OutgoingMessages:
    """Messages gathered while one line or body is gone through."""

    def __init__(self) -> None:
        self.to_server: list[Message] = []
        self.to_client: list[Message] = []
        self.apart: list[Message] = []
        """For the client, and no answers: never part of a batch."""

    def said(self, *, batch: bool) -> RelayOutput:
        """Return them as they are sent: a batch goes on and is answered as one."""
        join = _encode_batch if batch else _each
        return RelayOutput(join(self.to_server), (*join(self.to_client), *_each(self.apart)))


def _each(messages: list[Message]) -> tuple[bytes, ...]:
    return tuple([jsonrpc.encode_message(message) for message in messages])


def _encode_batch(messages: list[Message]) -> tuple[bytes, ...]:
    return (jsonrpc.encode_message(messages),) if messages else ()


class Relay:
    """One connection of a client to a server. Not safe for threads: who calls it takes turns.

    ``tell`` is handed sentences for the log. ``questions`` may be shared by connections that have
    no state of their own.
    """

    def __init__(
        self,
        judge: ServerJudge,
        listing: Listing,
        tell: Callable[[str], None],
        questions: OpenQuestions | None = None,
    ) -> None:
        self.judge = judge
        self.listing = listing
        self.tell = tell
        self.questions = questions or OpenQuestions()
        self.asks = False
        """Whether the client said that it can show a person a form."""
        self._pending: dict[str, PendingRequest] = {}
        self._redacts_tasks = False
        """Whether the results of tasks lose their secrets: one has to, and none says which."""

    # -- from the client ---------------------------------------------------------------------------

    def receive_from_client(self, data: bytes) -> RelayOutput:
        """Return what becomes of a client's line or body. Total."""
        out, batch = OutgoingMessages(), False
        try:
            messages, batch = jsonrpc.parse(data)
            for message in messages:
                self._from_client(message, out)
        except WireError as problem:
            out.to_client.append(jsonrpc.refusal(problem))
        except Exception as problem:  # noqa: BLE001 - an answer is owed, and what was not judged is not passed on
            self.tell(f"a message could not be handled: {type(problem).__name__}: {problem}")
            answers = jsonrpc.id_within(data[:4096])
            return RelayOutput(
                (),
                (
                    jsonrpc.encode_message(
                        jsonrpc.error(
                            SERVER_ERROR,
                            f"this message could not be judged ({type(problem).__name__})",
                            answers,
                        )
                    ),
                ),
            )
        return out.said(batch=batch)

    def _from_client(self, raw: Message, out: OutgoingMessages) -> None:
        try:
            message = jsonrpc.check_message(raw)
            if "method" not in message:
                self._answer(message, out)
            elif "id" in message:
                self._request(message, out)
            else:
                self._notification(message, out)
        except WireError as problem:
            if "id" in raw or "method" not in raw:
                out.to_client.append(jsonrpc.refusal(problem))
            else:
                self.tell(f"a notification was dropped: {problem}")

    def _request(self, message: Message, out: OutgoingMessages) -> None:
        key = jsonrpc.key_of(message["id"])
        if key in self._pending or self.questions.waiting(message["id"]):
            raise WireError(INVALID_REQUEST, "a request of this id is under way")
        if len(self._pending) >= MOST_PENDING:
            raise WireError(
                SERVER_ERROR, f"{MOST_PENDING} requests are under way already", message["id"]
            )
        wanted = parse_request(message)
        if wanted is None:
            self._note(message)
            out.to_server.append(
                self._note_pending(
                    message,
                    PendingRequest(
                        message["id"], str(message["method"]), first=_first_page(message)
                    ),
                )
            )
            return
        if self._resume(message, wanted, out):
            return
        message = self._without_our_state(message)
        modern = elicitation.per_request(_params(message))
        can_ask = self.asks if modern is None else elicitation.can_show_form(modern)
        ruling = self.judge.rule(wanted, self._hints(wanted), asks=can_ask)
        self._apply_ruling(message, wanted, ruling, out)

    def _apply_ruling(
        self, message: Message, wanted: MethodRequest, ruling: Ruling, out: OutgoingMessages
    ) -> None:
        if ruling.answer == RUN:
            if ruling.text:
                self.tell(ruling.text)
            out.to_server.append(self._let_run(message, wanted, ruling))
        elif ruling.answer == ASK:
            name, gone = self.questions.park(ParkedCall(message, wanted, ruling))
            if gone is not None and not gone.modern:
                self._settle(gone, None, gone.message, out)
            if elicitation.per_request(_params(message)) is None:
                out.apart.append(elicitation.question(name, ruling.text))
            else:
                out.to_client.append(
                    jsonrpc.result(message["id"], elicitation.input_required(name, ruling.text))
                )
        else:
            out.to_client.append(_make_refusal(message, wanted, ruling.text))

    def _let_run(self, message: Message, wanted: MethodRequest, ruling: Ruling) -> Message:
        known = ParkedCall(message, wanted, ruling).known
        return self._note_pending(
            message, PendingRequest(message["id"], wanted.method, ruling, known)
        )

    def _note_pending(self, message: Message, pending: PendingRequest) -> Message:
        self._pending[jsonrpc.key_of(pending.id)] = pending
        return message

    def _hints(self, wanted: MethodRequest) -> tuple[str, ...]:
        return self.listing.hints(wanted.name) if wanted.method == TOOL else ()

    def _note(self, message: Message) -> None:
        if message["method"] == "initialize":
            self.asks = elicitation.can_show_form(_params(message).get("capabilities"))

    def _notification(self, message: Message, out: OutgoingMessages) -> None:
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
                self._pending.pop(jsonrpc.key_of(cancelled), None)
                if jsonrpc.is_id(cancelled)
                else None
            )
            if pending is not None:  # who is told of it need not answer any more
                self._ended(pending.ruling, "failed", "cancelled")
        out.to_server.append(message)

    def _give_up(self, name: str, out: OutgoingMessages) -> None:
        """The client cancels a call that a person is being asked about."""
        parked = self.questions.take(name)
        if parked is not None:
            self._ended(parked.ruling, "refused", "cancelled")
        params = {"requestId": name, "reason": "the call was cancelled"}
        out.apart.append({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    # -- what a person said ------------------------------------------------------------------------

    def _answer(self, message: Message, out: OutgoingMessages) -> None:
        """A response of the client: to a question of ours, or to a request of the server."""
        parked = self.questions.take(message["id"])
        if parked is None and self.questions.asked(message["id"]):
            self.tell("an answer came to a question that is not open any more; it was dropped")
        elif parked is None:
            out.to_server.append(message)
        elif "error" in message:
            self._ended(parked.ruling, "refused", "the client could not ask")
            ruling = self.judge.rule(parked.asked, self._hints(parked.asked), asks=False)
            self._apply_ruling(parked.message, parked.asked, ruling, out)
        else:
            self._settle(parked, message["result"], parked.message, out)

    def _resume(self, message: Message, wanted: MethodRequest, out: OutgoingMessages) -> bool:
        """Tell whether a call was one that comes again: with a person's answer to a question of
        ours, or to one of the server's.
        """
        params = _params(message)
        parked = self.questions.take(params.get("requestState"))
        again = ParkedCall(message, wanted, Ruling(RUN)).known
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
            self.questions.take_ruling(again, jsonrpc.key_of(params.get("requestState")))
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

    def _settle(
        self, parked: ParkedCall, given: object, message: Message, out: OutgoingMessages
    ) -> None:
        if elicitation.is_approved(given):
            out.to_server.append(self._let_run(message, parked.asked, parked.ruling))
            return
        self._ended(parked.ruling, "refused", "the user did not approve it")
        out.to_client.append(_make_refusal(message, parked.asked, DECLINED))

    # -- from the server ---------------------------------------------------------------------------

    def receive_from_server(self, data: bytes) -> RelayOutput:
        """Return what becomes of a server's line. Total: what is no message is dropped and told."""
        try:
            messages, batch = jsonrpc.parse(data)
            passed = [
                message
                for message in map(self._from_server, map(jsonrpc.clean_message, messages))
                if message is not None
            ]
        except WireError as problem:
            return self._answer_unread(problem)
        except Exception as problem:  # noqa: BLE001 - what a server sends may be anything
            self.tell(
                f"what the server sent could not be handled: {type(problem).__name__}: {problem}"
            )
            return self._answer_unread(
                WireError(
                    SERVER_ERROR,
                    f"it could not be handled ({type(problem).__name__})",
                    jsonrpc.id_within(data[:4096]),
                )
            )
        return RelayOutput((), _encode_batch(passed) if batch else _each(passed))

    def _answer_unread(self, problem: WireError) -> RelayOutput:
        self.tell(f"the server sent what is no message of MCP, and it was dropped: {problem}")
        pending = (
            self._pending.pop(jsonrpc.key_of(problem.answers), None)
            if jsonrpc.is_id(problem.answers)
            else None
        )
        if pending is None:
            return RelayOutput()
        self._ended(pending.ruling, "failed", str(problem))
        return RelayOutput(
            (),
            (
                jsonrpc.encode_message(
                    jsonrpc.error(
                        SERVER_ERROR, f"the server's answer was not readable: {problem}", pending.id
                    )
                ),
            ),
        )

    def _from_server(self, message: Message) -> Message | None:
        """Return the message as the client gets it: itself if unchanged, None if dropped."""
        if "method" in message:
            return message
        answers = message.get("id")
        if answers is None and "error" in message:
            return message
        pending = (
            self._pending.pop(jsonrpc.key_of(answers), None) if jsonrpc.is_id(answers) else None
        )
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

    def _result(self, message: Message, pending: PendingRequest, value: Message) -> Message:
        if value.get("resultType") == "input_required":
            self.questions.goes_on(
                pending.known, jsonrpc.key_of(value.get("requestState")), pending.ruling
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

    def too_long(self, head: bytes, tail: bytes, *, server: bool) -> RelayOutput:
        """Return what is said of a message longer than ``wire.MAX_MESSAGE`` and not kept."""
        why = f"the message is longer than {jsonrpc.MAX_MESSAGE // (1024 * 1024)} MiB"
        answers = jsonrpc.id_within(head, tail)
        if not server:
            return RelayOutput(
                (), (jsonrpc.encode_message(jsonrpc.error(INVALID_REQUEST, why, answers)),)
            )
        key = jsonrpc.key_of(answers) if answers is not None else ""
        if key not in self._pending:
            key = next(iter(self._pending)) if len(self._pending) == 1 else ""
        if not key:
            return self.broken(
                "the server sent a message that is too long, and it cannot be told whose answer"
                " it was"
            )
        self.tell(f"the server's answer was dropped: {why}")
        return self._failed(self._pending.pop(key), f"the server's answer was dropped: {why}")

    def broken(self, why: str) -> RelayOutput:
        """Return what is said to everybody who waits, when the server is gone or cannot be
        understood any more.
        """
        waiting, self._pending = list(self._pending.values()), {}
        return RelayOutput(
            (),
            tuple([line for pending in waiting for line in self._failed(pending, why).to_client]),
        )

    def expire_question(self, question: str) -> RelayOutput:
        """Return what is said of a call about which nobody answered."""
        out, parked = OutgoingMessages(), self.questions.take(question)
        if parked is not None:
            self._settle(parked, None, parked.message, out)
        return out.said(batch=False)

    def failed(self, request: object, why: str) -> RelayOutput:
        """Return what is said of one request that could not reach the server if it is under way."""
        pending = self._pending.pop(jsonrpc.key_of(request), None)
        return self._failed(pending, why) if pending is not None else RelayOutput()

    def _failed(self, pending: PendingRequest, why: str) -> RelayOutput:
        self._ended(pending.ruling, "failed", why)
        return RelayOutput(
            (), (jsonrpc.encode_message(jsonrpc.error(SERVER_ERROR, why, pending.id)),)
        )


def _params(message: Message) -> Message:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _first_page(message: Message) -> bool:
    return message["method"] == "tools/list" and _params(message).get("cursor") is None


def _make_refusal(message: Message, wanted: MethodRequest, text: str) -> Message:
    """Return a refusal: for a tool a result for the model; resources and prompts have none."""
    if wanted.method in JUDGED and wanted.method != TOOL:
        return jsonrpc.error(SERVER_ERROR, text, message["id"])
    return jsonrpc.tool_error(
        text, message["id"], typed=elicitation.per_request(_params(message)) is not None
    )
