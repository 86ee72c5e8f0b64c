"""How each client notes its requests to the model, as rows. What a line says is read by
``read_line``, the same for all of them.

Claude Code's and Copilot's were seen in files of the clients themselves (2.1.329, 1.0.102), the
others are after descriptions of their formats and have not been seen whole.
"""

from __future__ import annotations

from interlock.model.jsontext import JsonError, loads
from interlock.model.record import Record
from interlock.model.usage import Usage


class Format(Record):
    """One client's transcript: a file of lines, each a JSON object.

    A line counts where it holds ``cue``, and the value at ``kind`` is ``kinds``. Paths are keys
    with dots between. ``usage`` leads to the figures; ``id`` to what tells two notes of one
    request; ``sums``: each line says the sum of all before it. ``input`` holds what ``cached`` and
    ``written`` say too where ``inclusive``. ``total``: a sum which says what the others leave out.
    ``last``: where the figures of the last request alone are. ``model_cue``: lines that only name
    the model. ``child``: the file of a sub-agent; ``{stem}`` is the path without ``.jsonl``.
    """

    cue: bytes
    kind: str
    kinds: tuple[str, ...]
    usage: str
    input: str
    output: tuple[str, ...]
    cached: str = ""
    written: str = ""
    total: str = ""
    id: str = ""
    model: str = ""
    model_cue: bytes = b""
    last: str = ""
    sums: bool = False
    inclusive: bool = True
    child: str = ""


FORMATS = {
    "claude-code": Format(
        cue=b'"usage":', kind="type", kinds=("assistant",), usage="message.usage", id="message.id",
        model="message.model",
        input="input_tokens", output=("output_tokens",), cached="cache_read_input_tokens",
        written="cache_creation_input_tokens",
        inclusive=False, child="{stem}/subagents/agent-{agent}.jsonl",
    ),
    "codex": Format(
        cue=b'"token_count"', kind="payload.type", kinds=("token_count",),
        usage="payload.info.total_token_usage", sums=True,
        input="input_tokens", output=("output_tokens",), cached="cached_input_tokens",
        last="payload.info.last_token_usage",
        model="payload.model", model_cue=b'"turn_context"',
    ),
    "gemini-cli": Format(
        cue=b'"tokens":', kind="type", kinds=("gemini",), usage="tokens", id="id", model="model",
        input="input", output=("output", "thoughts", "tool"), cached="cached", total="total",
    ),
    "qwen-code": Format(
        cue=b'"usageMetadata":', kind="type", kinds=("assistant",), usage="usageMetadata",
        id="uuid", model="model",
        input="promptTokenCount", output=("candidatesTokenCount",),
        cached="cachedContentTokenCount", total="totalTokenCount",
    ),
    "copilot-cli": Format(
        cue=b'"session.usage_record"', kind="type", kinds=("session.usage_record",),
        usage="data.usage", id="id", model="data.usage.model",
        input="inputTokens", output=("outputTokens",), cached="cacheReadTokens",
        written="cacheWriteTokens",
    ),
}  # fmt: skip
"""Clients by the name that ``ToolCall.agent`` says. Others' figures come by ``Guard.spent``."""

MOST = 10**12


class LineUsage(Record):
    """What a line says: usage, under which id, and what that request alone held. Of ``sums`` the
    usage is all since the file began.
    """

    usage: Usage | None
    id: str = ""
    context: int = 0
    model: str = ""


class UnreadableLineError(ValueError):
    """A line that has to hold figures does not; the text says what is wrong with it."""


def read_line(line: bytes, form: Format) -> LineUsage | None:
    """Return what a line says, or None where it says nothing about usage; raises
    ``UnreadableLineError``.
    """
    naming = bool(form.model_cue) and form.model_cue in line
    if form.cue not in line and not naming:
        return None
    try:
        said = loads(line)
    except JsonError as error:
        raise UnreadableLineError(f"a line is no JSON ({error})") from error
    model = _text(said, form.model)
    if _at(said, form.kind) not in form.kinds:
        return LineUsage(None, model=model) if naming and model else None
    figures = _at(said, form.usage)
    if figures is None and form.sums:
        return None  # noted before the first answer
    if not isinstance(figures, dict):
        raise UnreadableLineError(f"a line has no figures at {form.usage}")
    usage = _usage(figures, form, model)
    last = _at(said, form.last) if form.last else None
    alone = _usage(last, form, model) if isinstance(last, dict) else usage
    context = (
        0
        if form.sums and not isinstance(last, dict)
        else alone.input + alone.output + alone.cached + alone.written
    )
    return LineUsage(usage, _text(said, form.id), context, model)


def _usage(figures: dict[str, object], form: Format, model: str) -> Usage:
    given = _count(figures, form.input, needed=True)
    output = sum(
        [_count(figures, name, needed=number == 0) for number, name in enumerate(form.output)]
    )
    cached, written = _count(figures, form.cached), _count(figures, form.written)
    fresh = given - cached - written if form.inclusive and given >= cached + written else given
    missing = (
        max(_count(figures, form.total) - fresh - cached - written - output, 0) if form.total else 0
    )
    return Usage(model, fresh, output + missing, cached, written)


def _count(figures: dict[str, object], name: str, *, needed: bool = False) -> int:
    value = figures.get(name) if name else 0
    if value is None and not needed:
        return 0
    if type(value) is not int or not 0 <= value < MOST:
        raise UnreadableLineError(f"{name} is {str(value)[:40]!r}, no number of tokens")
    return value


def _at(said: object, path: str) -> object:
    for key in path.split("."):
        said = said.get(key) if isinstance(said, dict) else None
    return said


def _text(said: object, path: str) -> str:
    value = _at(said, path) if path else None
    return value[:200] if isinstance(value, str) else ""
