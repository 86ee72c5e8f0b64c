"""Any text and any input of a tool is read; what is not understood is said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.action import VERDICT_ALLOW
from interlock.model.call import TOOLS, ToolCall
from interlock.model.effect import Reading
from tests.judging import ROOT, decided

SHELLISH = st.lists(
    st.sampled_from(
        [
            *list("rm -f/~$(){}[]<>|&;'\"`\\#!*?=:\n\t ab1\x00é"),
            "$(",
            "<<E",
            "\nE\n",
            "${x",
            "((",
            "[[",
            "then",
            "do ",
            "case x in",
            "rm -rf / ",
            "bash -c ",
        ]
    ),
    max_size=40,
).map("".join)
NONSENSE: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = [
    "command",
    "cmd",
    "code",
    "file_path",
    "path",
    "url",
    "pattern",
    "content",
    "new_string",
    "old_string",
    "edits",
    "patch",
    "input",
    "prompt",
    "sql",
    "files",
]


@given(st.text() | SHELLISH)
def test_reading_never_raises(text: str) -> None:
    """Any text is read, and what was not understood is in the reading."""
    call = ToolCall("shell", "Bash", {"command": text}, cwd=ROOT, roots=(ROOT,))
    reading = read(call, Recorded())
    assert isinstance(reading, Reading)
    assert reading.coverage in ("full", "partial")
    assert decided(call).verdict >= VERDICT_ALLOW


@given(
    st.sampled_from([*TOOLS, "nonsense", ""]),
    st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=8), NONSENSE, max_size=5),
    st.sampled_from(["", ROOT, "/", "relative", "C:\\x"]),
)
def test_no_input_of_any_tool_raises(kind: str, fields: dict[str, Any], cwd: str) -> None:
    """Values of any type under any key are read or answered as unread, for every kind of tool and a
    few that do not exist.
    """
    call = ToolCall(
        kind,
        kind or "?",
        fields,
        cwd=cwd,
        roots=(cwd,) if cwd.startswith("/") and cwd != "/" else (),
    )
    assert decided(call).verdict >= VERDICT_ALLOW


@pytest.mark.parametrize(
    "kind", ["shell", "python", "write", "edit", "read", "fetch", "no-such-kind"]
)
def test_a_call_without_its_field_is_asked_about(kind: str) -> None:
    """A call that names nothing to judge is not harmless."""
    several: list[dict[str, object]] = [{}, {"command": 5, "file_path": None, "url": []}]
    for fields in several:
        assert (
            decided(ToolCall(kind, kind, fields, cwd=ROOT, roots=(ROOT,))).verdict > VERDICT_ALLOW
        )
