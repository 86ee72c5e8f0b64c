"""``Agent``: one prompt after another, each until the model wants no more tools. The guard is asked
in one place, ``_ran``, before a tool runs.

Models are those of Pydantic AI (its ``Model``), so each provider's protocol, its stream and its
form of a conversation are that library's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

from interlock.agent.conversation import ConversationError
from interlock.agent.events import (
    BLOCKED,
    DONE,
    FAILED,
    HALTED,
    TURNS,
    Asked,
    Blocked,
    Called,
    Ending,
    Event,
    Returned,
    Said,
    Tell,
    Used,
    Warned,
)
from interlock.agent.repeats import Repeats
from interlock.agent.tool import Tool, ToolError
from interlock.guard.check import Guard
from interlock.integrations.session import Refused, Session, session_of
from interlock.model.call import ToolCall
from interlock.model.decision import Decision
from interlock.model.jsontext import mend_texts
from interlock.model.usage import Usage
from interlock.policy.installation import install_command

try:
    from pydantic_ai import messages as said
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.exceptions import AgentRunError, UserError
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition
except ImportError as error:
    raise ImportError(
        "the agent needs packages that are not installed; install them with:"
        f" {install_command('agent')}"
    ) from error


MOST_TURNS = 50
CUT = {
    "length": "it reached the length that its endpoint gives it",
    "content_filter": "its endpoint filters what it says",
}
"""Why an answer is not whole, by the reason that the endpoint gives for its end."""
INTERRUPTED = "This was stopped before it ended: by the user, or with the program that ran it."


def ignore_event(_event: Event) -> None:
    """Tell nobody."""


def ignore_messages(_messages: list[Any]) -> None:
    """Keep nothing."""


class Agent:
    """A loop between a model and its tools.

    ``model``: any ``Model`` of Pydantic AI. ``guard``: a ``Guard``, or a ``Session`` with its name,
    folder and workspace. ``system``: what the model is told first. ``tell`` is handed every event
    as it happens, in the loop's own thread; warnings may come from others. ``messages``: the
    conversation so far, which may be set to go on with another one. ``keep`` is handed it whenever
    it has grown, calls and their results together: what it wrote before the program was killed can
    be gone on with, after ``mend``. Its ``ConversationError`` is told, and ends nothing.
    """

    def __init__(
        self,
        tools: Iterable[Tool],
        model: Any,
        guard: Guard | Session,
        *,
        system: str = "",
        tell: Tell = ignore_event,
        turns: int = MOST_TURNS,
    ) -> None:
        self.tell = tell
        self.tools = {tool.name: tool for tool in tools}
        self.model = model
        self.session = session_of(guard, "interlock").replace(
            tell=lambda text: self.tell(Warned(text))
        )
        self.turns = turns
        self.messages: list[Any] = []
        self.keep: Callable[[list[Any]], object] = ignore_messages
        self._lost = ""
        defined = [
            ToolDefinition(
                name=tool.name, parameters_json_schema=tool.schema, description=tool.told
            )
            for tool in self.tools.values()
        ]
        self._offered = ModelRequestParameters(
            function_tools=defined,
            instruction_parts=[said.InstructionPart(mend_texts(system))] if system else None,
        )
        self._settings: dict[str, Any] = (
            {"anthropic_cache": True} if model.system == "anthropic" else {}
        )

    async def turn(self, words: str) -> Ending:
        """Do what a person asks for, and return how that ended. Cancelled, it leaves a conversation
        that can be gone on with, and nothing running.
        """
        try:
            return await self._turn(words, Repeats())
        except BaseException:
            mend(self.messages)
            raise
        finally:
            self._save_messages()

    def _save_messages(self) -> None:
        """Have the conversation kept. What prevents it is told once: a full disk ends none."""
        try:
            self.keep(self.messages)
            self._lost = ""
        except ConversationError as error:
            if str(error) != self._lost:
                self.tell(
                    Warned(f"{error}; what is said from here on cannot be gone on with later")
                )
            self._lost = str(error)

    async def _turn(self, words: str, repeats: Repeats) -> Ending:
        await asyncio.to_thread(self.session.prompted, words)
        self.messages.append(said.ModelRequest(parts=[said.UserPromptPart(mend_texts(words))]))
        for _ in range(self.turns):
            self._save_messages()
            try:
                response = await self._answer()
            except (AgentRunError, UserError, OSError) as error:
                return Ending(FAILED, sentence(error), repeats.total)
            except Exception as error:  # noqa: BLE001 - an endpoint may send anything, and the library reads it trustingly
                return Ending(
                    FAILED,
                    f"what the model's endpoint sent is no answer: {type(error).__name__}:"
                    f" {str(error)[:200]}",
                    repeats.total,
                )
            await self._count_usage(response)
            if not response.tool_calls:
                return Ending(DONE, response.text or "", repeats.total)
            self._save_messages()
            results = said.ModelRequest(parts=[])
            self.messages.append(results)
            for call in response.tool_calls:
                results.parts.append(await self._run_call(call, repeats))
            if repeats.over:
                return Ending(BLOCKED, repeats.over, repeats.total)
            if any(_halts(part.metadata) for part in results.parts):
                return Ending(
                    HALTED,
                    "an emergency stop holds: nothing runs until a person resumes it",
                    repeats.total,
                )
        return Ending(
            TURNS, f"the model used tools {self.turns} times and is not done", repeats.total
        )

    async def _answer(self) -> Any:
        """Ask the model, tell its answer as it comes, and take it into the conversation; of one
        that broke off, the words that came.
        """
        self.tell(Asked())
        async with model_request_stream(
            self.model,
            self.messages,
            model_settings=self._settings,
            model_request_parameters=self._offered,
        ) as stream:
            try:
                async for event in stream:
                    text = _piece(event)
                    if text:
                        self.tell(Said(mend_texts(text)))
            except BaseException:
                self._keep(_whole(stream.get()))
                raise
            response = _whole(stream.get())
        self.messages.append(response)
        return response

    async def _count_usage(self, response: Any) -> None:
        """Count what an answer took, and tell where it is not whole."""
        if response.finish_reason in CUT:
            self.tell(Warned(f"the model's answer was cut off: {CUT[response.finish_reason]}"))
        used = response.usage
        self.tell(Used(used.input_tokens, used.output_tokens))
        anew = max(0, used.input_tokens - used.cache_read_tokens - used.cache_write_tokens)
        spent = Usage(
            response.model_name or "",
            anew,
            used.output_tokens,
            used.cache_read_tokens,
            used.cache_write_tokens,
        )
        for notice in await asyncio.to_thread(
            self.session.guard.spent, self.session.call("model", {}), spent
        ):
            self.tell(Warned(notice))

    def _keep(self, response: Any) -> None:
        """Keep the words of an answer that was broken off, without its calls."""
        text = response.text
        if text:
            self.messages.append(said.ModelResponse(parts=[said.TextPart(text)]))

    async def _run_call(self, call: Any, repeats: Repeats) -> Any:
        """Run what the model calls, if the guard lets it: the one point where it is asked. Returns
        what the model is told.
        """
        name: str = call.tool_name
        given: dict[str, Any] = {}
        try:
            tool, given = self._parse_call(call)
            self.tell(Called(name, given))
            made = self.session.call(name, given, tool.kind, call.tool_call_id)
            decision, warning = await asyncio.to_thread(self.session.decide, made)
            repeats.ran()
            text = await self._run_tool(tool, made, decision)
        except ToolError as error:
            text = mend_texts(str(error))
            self.tell(Returned(name, text, failed=True))
            return _result(call, text, "failed")
        except Refused as why:
            text = mend_texts("\n".join([str(why), repeats.blocked(name, given)]).rstrip())
            self.tell(Blocked(name, text, why.decision))
            return _result(call, text, "failed", why.decision)
        self.tell(Returned(name, text))
        return _result(call, f"{text}\n\n{warning}" if warning else text, "success")

    async def _run_tool(self, tool: Tool, call: ToolCall, decision: Decision) -> str:
        """Do a tool's work and record what became of it."""
        began = monotonic()
        try:
            text: str = mend_texts(await tool.run(call, decision))
        except BaseException as error:
            await asyncio.to_thread(self.session.ended, call, "failed", error, began)
            raise
        await asyncio.to_thread(self.session.ended, call, "ran", text, began)
        return text

    def _parse_call(self, call: Any) -> tuple[Tool, dict[str, Any]]:
        """Return the tool and the arguments of a call; raises ``ToolError``."""
        tool = self.tools.get(call.tool_name)
        if tool is None:
            raise ToolError(
                f"There is no tool {call.tool_name!r}. There are: {', '.join(self.tools)}."
            )
        try:
            given = call.args_as_dict(raise_if_invalid=True)
        except (ValueError, AssertionError) as error:
            raise ToolError(
                f"The arguments of {call.tool_name} are no JSON object: {str(error)[:200]}"
            ) from error
        tool.check_arguments(given)
        return tool, given


def mend(messages: list[Any]) -> None:
    """Give every call of a conversation's last answer a result: one that was interrupted has none,
    and no model goes on from there.
    """
    last = next(
        (
            number
            for number in range(len(messages) - 1, -1, -1)
            if messages[number].kind == "response"
        ),
        -1,
    )
    if last < 0 or not messages[last].tool_calls:
        return
    if last + 1 == len(messages):
        messages.append(said.ModelRequest(parts=[]))
    results = messages[last + 1]
    there = {getattr(part, "tool_call_id", "") for part in results.parts}
    results.parts = [
        *results.parts,
        *[
            _result(call, INTERRUPTED, "interrupted")
            for call in messages[last].tool_calls
            if call.tool_call_id not in there
        ],
    ]


def sentence(error: BaseException) -> str:
    """Return one sentence about why a model could not be asked."""
    status, body = getattr(error, "status_code", 0), getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else body
    told = inner.get("message", inner) if isinstance(inner, dict) else inner
    text = " ".join(str(told or error).split())[:300]
    return (
        f"the model's endpoint answered with status {status}: {text}"
        if status
        else f"the model could not be asked: {text or type(error).__name__}"
    )


def _piece(event: Any) -> str:
    """Return what an event of the stream adds to the words of the answer."""
    if isinstance(event, said.PartStartEvent) and isinstance(event.part, said.TextPart):
        return str(event.part.content)
    if isinstance(event, said.PartDeltaEvent) and isinstance(event.delta, said.TextPartDelta):
        return str(event.delta.content_delta)
    return ""


def _whole(response: Any) -> Any:
    """Return an answer that can be kept and sent: some endpoints send halves of characters."""
    kind = said.ModelMessagesTypeAdapter
    try:
        kind.dump_json([response])
    except ValueError:
        return kind.validate_python(mend_texts(kind.dump_python([response])))[0]
    return response


def _result(call: Any, text: str, outcome: str, decision: Decision | None = None) -> Any:
    stops = decision is not None and any(finding.stage == "stop" for finding in decision.findings)
    return said.ToolReturnPart(
        call.tool_name,
        text,
        call.tool_call_id,
        outcome=outcome,
        metadata={"halts": True} if stops else None,
    )


def _halts(metadata: Any) -> bool:
    return isinstance(metadata, dict) and metadata.get("halts") is True
