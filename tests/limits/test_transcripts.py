"""Transcripts are read on from where they were left, and whatever stands in them, the count never
gets smaller and nobody crashes.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.limits import figures
from interlock.limits.formats import FORMATS, UnreadableLineError, read_line
from interlock.limits.transcripts import Mark, advance, mark_of
from interlock.model.limits import CostBudget, Limits, Rate, TokenBudget
from interlock.model.usage import Usage
from tests.limits.counting import World, rules, said

if TYPE_CHECKING:
    from pathlib import Path

CLAUDE = FORMATS["claude-code"]
BUDGET = Limits(tokens=(TokenBudget(1000),))
ASKED = [("limits.not-counted", "ask")]


def total(usages: tuple[Usage, ...]) -> int:
    """Return all tokens."""
    return sum(usage.input + usage.output + usage.cached + usage.written for usage in usages)


# -- what each client writes -----------------------------------------------------------------------

LINES: dict[str, list[dict[str, Any]]] = {
    "claude-code": [
        {"type": "user", "message": {"role": "user", "content": 'he said "usage":'}, "uuid": "u1"},
        {"type": "last-prompt", "lastPrompt": "go"},
        {"type": "assistant", "isSidechain": False, "message": {"id": "msg_1", "model": "claude-opus-5", "usage": {
            "input_tokens": 10, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 20, "output_tokens": 5, "service_tier": "standard",
            "output_tokens_details": {"thinking_tokens": 3}}}},
        # one request is noted once for each block of its answer, and the last note says all
        {"type": "assistant", "message": {"id": "msg_1", "model": "claude-opus-5", "usage": {
            "input_tokens": 10, "cache_creation_input_tokens": 30, "cache_read_input_tokens": 20, "output_tokens": 45}}},
        # what a sub-agent used in all stands in its result too, and is counted from its own file
        {"type": "user", "toolUseResult": {"totalTokens": 900, "usage": {"input_tokens": 900, "output_tokens": 0}}},
    ],
    "codex": [
        {"type": "session_meta", "payload": {"id": "0"}},
        {"type": "turn_context", "payload": {"model": "gpt-5-codex", "cwd": "/x"}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": None}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": {
            "total_token_usage": {"input_tokens": 30, "cached_input_tokens": 10, "output_tokens": 15, "reasoning_output_tokens": 5},
            "last_token_usage": {"input_tokens": 30, "cached_input_tokens": 10, "output_tokens": 15}}}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": {
            "total_token_usage": {"input_tokens": 60, "cached_input_tokens": 20, "output_tokens": 45, "reasoning_output_tokens": 5},
            "last_token_usage": {"input_tokens": 30, "cached_input_tokens": 10, "output_tokens": 30}}}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": {
            "total_token_usage": {"input_tokens": 60, "cached_input_tokens": 20, "output_tokens": 45}, "last_token_usage": {
                "input_tokens": 30, "cached_input_tokens": 10, "output_tokens": 30}}}},
    ],
    "gemini-cli": [
        {"id": "u", "type": "user", "content": "go"},
        {"id": "g1", "type": "gemini", "model": "gemini-3-pro", "content": "",
         "tokens": {"input": 60, "output": 20, "cached": 20, "thoughts": 15, "tool": 10, "total": 105}},
        {"id": "g1", "type": "gemini", "model": "gemini-3-pro", "content": "again, with its tools' results",
         "tokens": {"input": 60, "output": 20, "cached": 20, "thoughts": 15, "tool": 10, "total": 105}},
    ],
    "qwen-code": [
        {"uuid": "u", "type": "user", "message": {}},
        {"uuid": "q1", "type": "assistant", "model": "qwen3-coder", "usageMetadata": {
            "promptTokenCount": 60, "candidatesTokenCount": 40, "cachedContentTokenCount": 20, "thoughtsTokenCount": 5, "totalTokenCount": 105}},
    ],
    "copilot-cli": [
        {"type": "user.message", "data": {"content": "go"}, "id": "e1"},
        {"type": "session.usage_record", "id": "e2", "data": {"usage": {
            "model": "gpt-5", "inputTokens": 60, "outputTokens": 45, "cacheReadTokens": 15, "cacheWriteTokens": 5}}},
    ],
}  # fmt: skip
"""One conversation of each client, written after the descriptions of their formats: 105 tokens, 20
of them from or into the cache.
"""


@pytest.mark.parametrize("client", FORMATS)
def test_every_client_is_counted(tmp_path: Path, client: str) -> None:
    """What each client notes comes to the tokens that it spent, once, with the model's name."""
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES[client]))
    progress = advance(Mark(str(path)), FORMATS[client])
    assert (total(progress.usages), progress.problem) == (105, "")
    assert {usage.model for usage in progress.usages} <= {
        "claude-opus-5",
        "gpt-5-codex",
        "gemini-3-pro",
        "qwen3-coder",
        "gpt-5",
    }
    assert all(usage.model for usage in progress.usages)
    assert 20 <= sum(usage.cached + usage.written for usage in progress.usages) <= 50
    assert progress.context in (105, 60)


@pytest.mark.parametrize("client", FORMATS)
@pytest.mark.parametrize("cut", [1, 2, 3, 7])
def test_read_in_pieces_it_comes_to_the_same(tmp_path: Path, client: str, cut: int) -> None:
    """However often it is read while it is written, also in the middle of a line, the sum is the
    same.
    """
    data = "".join(json.dumps(line) + "\n" for line in LINES[client]).encode()
    path, mark, found = tmp_path / "t.jsonl", Mark(str(tmp_path / "t.jsonl")), 0
    path.touch()
    for end in range(0, len(data) + cut * 37, cut * 37):
        path.write_bytes(data[:end])
        progress = advance(mark, FORMATS[client])
        assert progress.problem == ""
        mark, found = progress.mark, found + total(progress.usages)
        mark = mark_of(mark.path, mark.inode, mark.head, mark.offset, (mark.state, mark.unread))
    assert found == 105


def test_a_sum_that_begins_anew(tmp_path: Path) -> None:
    """Where a client's own sum falls back, what comes after it is counted from nothing."""
    path = tmp_path / "t.jsonl"
    for tokens in (100, 30, 50):
        info = {"total_token_usage": {"input_tokens": tokens, "output_tokens": 0}}
        with path.open("a") as file:
            file.write(
                json.dumps({"type": "event_msg", "payload": {"type": "token_count", "info": info}})
                + "\n"
            )
    assert total(advance(Mark(str(path)), FORMATS["codex"]).usages) == 150


@pytest.mark.parametrize(
    "figures",
    [
        {"input_tokens": -1, "output_tokens": 1},
        {"input_tokens": "10", "output_tokens": 1},
        {"input_tokens": 1.5, "output_tokens": 1},
        {"input_tokens": True, "output_tokens": 1},
        {"input_tokens": 10**12, "output_tokens": 1},
        {"output_tokens": 1},
        {"input_tokens": 1},
        {"input_tokens": 1, "output_tokens": 1, "cache_read_input_tokens": "x"},
        [],
        "none",
    ],
)
def test_figures_that_are_none(tmp_path: Path, figures: object) -> None:
    """A request whose figures mean nothing is asked about until a person resumes; it is no zero.
    Its sound twin is counted.
    """
    line = {"type": "assistant", "message": {"id": "m", "model": "claude-opus-5", "usage": figures}}
    with pytest.raises(UnreadableLineError):
        read_line(json.dumps(line).encode(), CLAUDE)
    world = World(tmp_path, BUDGET)
    world.write(line, said("n", 10))
    assert rules(world.check(world.chatting())) == ASKED
    assert rules(world.check(world.chatting())) == ASKED
    world.meter.resume("session:s", "bob")
    assert rules(world.check(world.chatting())) == []
    assert read_line(json.dumps(said("n", 10)).encode(), CLAUDE) is not None


@pytest.mark.parametrize(
    "line",
    [b"", b"nonsense", b'{"type":"user"', b"\xff\xfe\x00", b"[]", b"null", b'{"type": "assistant"}', b'"usage"', b"\x00" * 5000,
     b'{"type":"summary","usage":{"input_tokens":5}}', b'{"message":{"usage":{"output_tokens":1}}}'],
)  # fmt: skip
def test_lines_that_note_no_request(tmp_path: Path, line: bytes) -> None:
    """What is no note of a request is passed over, whatever it is, and what follows is counted."""
    world = World(tmp_path, BUDGET)
    world.write(line, said("m", 850))
    assert rules(world.check(world.chatting())) == [("limits.tokens", "warn")]


@given(
    lines=st.lists(
        st.binary(max_size=60)
        | st.sampled_from([b'{"usage":', b'"usage":', b'{"type":"assistant","usage":{}}']),
        max_size=12,
    )
)
def test_nonsense_never_makes_less(
    lines: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With any bytes between them the requests that are noted whole are counted."""
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    note = json.dumps(said("m", 1)).encode()
    notes = [note.replace(b'"m"', f'"m{number}"'.encode()) for number in range(len(lines) + 1)]
    path.write_bytes(
        b"".join(
            noted + b"\n" + line + b"\n" for noted, line in zip(notes, [*lines, b""], strict=True)
        )
    )
    assert total(advance(Mark(str(path)), CLAUDE).usages) >= len(notes)


# -- what happens to files -------------------------------------------------------------------------


def test_truncated_and_replaced(tmp_path: Path) -> None:
    """A file that shrank, or is another one now, is read from its beginning; what was counted stays
    counted.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(10_000),)))
    world.write(said("a", 100), said("b", 100))
    world.check(world.chatting())
    world.transcript.write_bytes(b"")
    world.write(said("c", 50))
    world.check(world.chatting())
    other = tmp_path / "other"
    other.write_text(
        json.dumps(said("d", 7))
        + "\n"
        + json.dumps(said("e", 7))
        + "\n"
        + json.dumps(said("f", 7))
        + "\n"
    )
    os.replace(other, world.transcript)
    world.check(world.chatting())
    assert world.store.query("SELECT input FROM spending WHERE scope = 'session:s'") == [(271,)]


def test_the_same_requests_again_count_once(tmp_path: Path) -> None:
    """A file that is written anew with the requests it held before adds only what is new."""
    world = World(tmp_path, Limits(tokens=(TokenBudget(10_000),)))
    world.write(said("a", 100), said("b", 100))
    world.check(world.chatting())
    world.transcript.write_bytes(b"")
    world.write(
        {"type": "summary", "summary": "compacted"}, said("a", 100), said("b", 100), said("c", 1)
    )
    world.check(world.chatting())
    assert world.store.query("SELECT input FROM spending WHERE scope = 'session:s'") == [(201,)]


def test_a_transcript_that_is_not_there_yet(tmp_path: Path) -> None:
    """A client may write its first lines just after its first call: that one is let pass, a second
    without any is asked about.
    """
    world = World(tmp_path, BUDGET)
    call = world.chatting()
    world.transcript.unlink()
    assert rules(world.check(call)) == []
    assert rules(world.check(call)) == ASKED
    world.write(said("a", 10))
    assert rules(world.check(world.chatting())) == []


@pytest.mark.parametrize("kind", ["folder", "pipe", "unreadable", "no path"])
def test_a_transcript_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    """No plain file or none that may be opened: asked about, at once and without waiting. Without
    budgets nobody looks at it.
    """
    world = World(tmp_path, BUDGET)
    call = world.chatting()
    world.transcript.unlink()
    if kind == "folder":
        world.transcript.mkdir()
    elif kind == "pipe":
        os.mkfifo(world.transcript)
    elif kind == "unreadable":
        world.transcript.symlink_to(world.transcript)
    elif kind == "no path":
        call = call.replace(transcript="")
    decision = world.check(call)
    assert rules(decision) == ASKED
    assert "cannot be counted" in decision.deciding[0].message
    assert rules(world.check(call, limits=None)) == []


def test_a_transcript_that_is_gone(tmp_path: Path) -> None:
    """One that was read and is there no more is asked about; when it is there again it is not."""
    world = World(tmp_path, BUDGET)
    world.write(said("a", 10))
    assert rules(world.check(world.chatting())) == []
    hidden = tmp_path / "hidden"
    call = world.chatting()
    os.replace(world.transcript, hidden)
    assert rules(world.check(call)) == ASKED
    os.replace(hidden, world.transcript)
    assert rules(world.check(world.chatting())) == []


def test_too_much_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a long file a part is read for each call; until all of it is, calls are asked about, and
    then the sum is right.
    """
    monkeypatch.setattr(figures, "advance", lambda mark, form: advance(mark, form, 2000))
    world = World(tmp_path, Limits(tokens=(TokenBudget(10_000),)))
    for number in range(40):
        world.write(said(f"m{number}", 10))
    asked = 0
    while rules(world.check(world.chatting())) == ASKED:
        asked += 1
    assert 2 <= asked <= 6
    assert world.store.query("SELECT input FROM spending WHERE scope = 'session:s'") == [(400,)]


def test_a_line_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line longer than all that is read at once is passed over, and asked about until a person
    resumes; what follows is counted.
    """
    monkeypatch.setattr(figures, "advance", lambda mark, form: advance(mark, form, 2000))
    world = World(tmp_path, Limits(tokens=(TokenBudget(10_000),)))
    world.write(b'{"type":"user","x":"' + b"x" * 5000 + b'"}', said("m", 10))
    for _ in range(6):
        assert rules(world.check(world.chatting())) == ASKED
    world.meter.resume("session:s", "bob")
    world.write(said("n", 10))
    assert rules(world.check(world.chatting())) == []
    assert world.store.query(
        "SELECT input, tokens_before FROM spending WHERE scope = 'session:s'"
    ) == [(10, 10)]


def test_an_unfinished_line_is_left(tmp_path: Path) -> None:
    """What the client is still writing is read when its line is whole."""
    world = World(tmp_path, BUDGET)
    line = json.dumps(said("m", 850)).encode()
    world.transcript.write_bytes(line[:100])
    assert rules(world.check(world.chatting())) == []
    world.transcript.write_bytes(line + b"\n")
    assert rules(world.check(world.chatting())) == [("limits.tokens", "warn")]


def test_the_head_is_known_again(tmp_path: Path) -> None:
    """A file that was empty, or short, at first is the same file when it has grown."""
    world = World(tmp_path, Limits(tokens=(TokenBudget(10_000),)))
    for number in range(5):
        world.check(world.chatting())
        world.write(b"{}", said(f"m{number}", 1))
    world.check(world.chatting())
    assert world.store.query("SELECT input FROM spending WHERE scope = 'session:s'") == [(5,)]


# -- who reads -------------------------------------------------------------------------------------


def test_another_process_was_quicker(tmp_path: Path) -> None:
    """What was read meanwhile by another process is not counted again, and what that one left
    is.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(10_000),)))
    world.write(said("a", 100))
    call = world.chatting()
    stale = figures.read_on(world.store.query(*figures.marks_query(call)), call)
    world.check(world.chatting())
    world.write(said("b", 10))

    def work(connection: Any) -> list[str]:
        limits = world.policy.limits
        assert limits is not None
        return figures.count(connection, limits, call, stale, world.now)

    assert world.store.transact(work) == []
    assert world.store.query("SELECT input FROM spending WHERE scope = 'session:s'") == [(110,)]


def test_files_of_sub_agents(tmp_path: Path) -> None:
    """A sub-agent's own file counts for it and for the session, also what it noted after its last
    call; it may come late once.
    """
    world = World(tmp_path, Limits(tokens=(TokenBudget(1000), TokenBudget(500, per="agent"))))
    world.write(said("a", 10))
    child = tmp_path / "chat" / "subagents" / "agent-x1.jsonl"
    assert rules(world.check(world.chatting(agent_id="x1"))) == []
    assert rules(world.check(world.chatting(agent_id="x1"))) == ASKED
    child.parent.mkdir(parents=True)
    child.write_text(json.dumps(said("b", 300)) + "\n")
    assert rules(world.check(world.chatting(agent_id="x1"))) == []
    child.write_text(json.dumps(said("b", 300)) + "\n" + json.dumps(said("c", 110)) + "\n")
    assert ("limits.tokens", "warn") in rules(world.check(world.chatting()))
    assert world.store.query(
        "SELECT scope, input FROM spending WHERE every = 0 AND scope LIKE 'agent:%' ORDER BY scope"
    ) == [
        ("agent:s/", 420),
        ("agent:s/x1", 410),
    ]


@pytest.mark.parametrize("name", ["../../../etc/passwd", "a/b", "..", "x\x00y", "é*?"])
def test_a_sub_agents_name_is_no_path(name: str, tmp_path: Path) -> None:
    """Whatever a sub-agent is called, its file is looked for beside the session's own."""
    call = World(tmp_path, BUDGET).chatting(agent_id=name)
    [_, (path, _)] = figures._own(call, CLAUDE)
    assert path.startswith(f"{tmp_path}/chat/subagents/agent-")
    assert "/" not in path.removeprefix(f"{tmp_path}/chat/subagents/")
    assert "\x00" not in path


def test_money_from_a_transcript(tmp_path: Path) -> None:
    """Prices are those of the model that the transcript names; one without a price is asked
    about.
    """
    world = World(tmp_path, Limits(costs=(CostBudget(0.10),)))
    world.write(said("a", 19_000))
    assert rules(world.check(world.chatting())) == []
    world.write(said("b", 2_000))
    assert rules(world.check(world.chatting())) == [("limits.cost", "ask")]
    unpriced = World(tmp_path / "unpriced", Limits(costs=(CostBudget(0.10),)))
    (tmp_path / "unpriced").mkdir(exist_ok=True)
    unpriced.write(said("a", 1, model="who-knows"))
    assert rules(unpriced.check(unpriced.chatting())) == ASKED


def test_nothing_is_read_without_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rates alone open no transcript; with a budget it is opened, and where that fails it is asked
    about.
    """

    def unwanted(*_: object) -> None:
        raise RuntimeError("nobody asked for it")

    monkeypatch.setattr(figures, "read_on", unwanted)
    assert (
        rules(
            World(tmp_path / "a", Limits(rates=(Rate("9/s"),))).check(
                World(tmp_path, None).chatting()
            )
        )
        == []
    )
    assert rules(World(tmp_path / "b", BUDGET).check(World(tmp_path, None).chatting())) == ASKED
