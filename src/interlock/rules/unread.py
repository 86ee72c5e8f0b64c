"""What could not be read or followed."""

from __future__ import annotations

from interlock.model.action import ASK
from interlock.model.effect import Opaque
from interlock.model.rule import Rule, call, on

RULES = (
    Rule(
        id="unread.text",
        title="holds text that could not be read",
        why="What cannot be read cannot be judged.",
        instead="Write it in simpler steps.",
        match=on(Opaque, any={"syntax", "too-much", "no-text"}),
        action=ASK, possible=ASK, tags=frozenset({"unread"}),
        catches=("echo $(", "if true; then rm x", call("shell", other="x"),),
        passes=("echo hi", "if true; then echo x; fi",),
    ),
    Rule(
        id="unread.no-target",
        title="names no target that could be judged",
        why="A file or web tool without a path or URL cannot be judged.",
        instead="Give the path or the URL.",
        match=on(Opaque, has={"no-path"}),
        action=ASK, tags=frozenset({"unread"}),
        catches=(call("write", content="x"), call("fetch", other="x"),),
        passes=(call("write", file_path="/home/user/project/a.txt", content="x"),),
    ),
    Rule(
        id="unread.unknown-tool",
        title="is of a kind the guard does not know",
        why="What a tool does cannot be told from an unknown kind.",
        instead="Use one of the usual tools.",
        match=on(Opaque, has={"unknown-tool"}),
        action=ASK, tags=frozenset({"unread"}),
        catches=(call("no-such-kind", x="y"), call("another-kind", path="a"),),
        passes=(call("read", file_path="/home/user/project/a.txt"),),
    ),
)  # fmt: skip
