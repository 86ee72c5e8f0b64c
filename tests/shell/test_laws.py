from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from interlock.shell import tree
from interlock.shell.parse import Budget, parse
from interlock.shell.places import children
from interlock.shell.scan import LONGEST, join_lines
from tests.shell.made import PIECES, noise, scripts
from tests.shell.names import commands, nodes, unread
from tests.shell.rows import ROWS, WRONG

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXTS = [text for text, _, _ in ROWS] + WRONG


def check_places(root: tree.Script) -> None:
    """Nodes lie in their parents, one after another; what is literal is what stands there."""
    text = root.text
    assert (root.start, root.end) == (0, len(text))
    todo: list[tree.ShellNode] = [root]
    while todo:
        node = todo.pop()
        assert 0 <= node.start <= node.end <= len(text)
        if isinstance(node, tree.Literal):
            read = join_lines(text[node.start : node.end])[0]
            assert node.text == read or "\t" in read
        at = node.start
        for child in children(node):
            if isinstance(child, tree.Script) and child.offsets is not None:
                check_nested(child, node)
            elif isinstance(node, tree.Redirect) and child is node.body:
                check_document(node, child)
                todo.append(child)
            else:
                assert at <= child.start
                at = child.end
                todo.append(child)
        assert at <= node.end


def check_nested(script: tree.Script, parent: tree.ShellNode) -> None:
    """A text of its own leads back into the text around it, in order."""
    assert script.offsets is not None
    assert len(script.offsets) == len(script.text) + 1
    assert list(script.offsets) == sorted(script.offsets)
    assert parent.start < script.offsets[0] <= script.offsets[-1] < parent.end
    check_places(script)


def check_document(redirect: tree.Redirect, body: tree.ShellNode) -> None:
    """A body stands after the line of its redirection, where it says."""
    assert redirect.end <= redirect.body_start <= redirect.body_end
    assert (body.start, body.end) == (redirect.body_start, redirect.body_end)


def rebuilt(script: tree.Script) -> str:
    """Return all words in the order of the text, with the gaps between; none of them overlap."""
    spans = sorted(
        {
            (node.start, node.end)
            for node in own_nodes(script)
            if not (children(node) or isinstance(node, tree.Opaque))
        }
    )
    out: list[str] = []
    at = 0
    for start, end in spans:
        assert start >= at
        out += [script.text[at:start], script.text[start:end]]
        at = end
    out.append(script.text[at:])
    return "".join(out)


def own_nodes(script: tree.Script) -> Iterator[tree.ShellNode]:
    """Nodes whose offsets are those of the text itself."""
    todo: list[tree.ShellNode] = [script]
    while todo:
        node = todo.pop()
        yield node
        todo += [
            child
            for child in children(node)
            if not (isinstance(child, tree.Script) and child.offsets is not None)
        ]


def gaps(script: tree.Script) -> str:
    """What no leaf, comment or here-document covers."""
    covered = bytearray(len(script.text))
    for node in own_nodes(script):
        if not children(node):
            covered[node.start : node.end] = b"\1" * (node.end - node.start)
    for comment in script.comments:
        covered[comment.start : comment.end] = b"\1" * (comment.end - comment.start)
    return "".join(c for c, flag in zip(script.text, covered, strict=True) if not flag)


@given(noise)
@settings(max_examples=1500, deadline=None)
def test_never_raises_and_keeps_every_character(text: str) -> None:
    """Whatever the text, there is a tree, and its places are right."""
    script = parse(text)
    assert script.text == text
    check_places(script)
    assert rebuilt(script) == text


@given(scripts)
@settings(max_examples=400, deadline=None)
def test_places_of_scripts(text: str) -> None:
    """Places are right in scripts that are mostly right."""
    script = parse(text)
    check_places(script)
    assert rebuilt(script) == text


@pytest.mark.parametrize("text", TEXTS)
def test_places_of_rows(text: str) -> None:
    """Places are right in all rows."""
    script = parse(text)
    check_places(script)
    assert rebuilt(script) == text


@given(scripts)
@settings(max_examples=400, deadline=None)
def test_nothing_is_dropped_between_the_words(text: str) -> None:
    """Every ``zz`` that is written stands in some node, so none was passed over."""
    assert "zz" not in gaps(parse(text))


@given(scripts, scripts)
@settings(max_examples=200, deadline=None)
def test_commands_of_lines_before_stay(first: str, second: str) -> None:
    """What comes after a line cannot hide what is on it."""
    if unread(parse(first)) or "<<" in first or "\\" in first:
        return
    alone = commands(parse(first))
    both = commands(parse(f"{first}\n{second}"))
    for name in set(alone):
        assert both.count(name) >= alone.count(name)


@given(scripts)
@settings(max_examples=200, deadline=None)
def test_wrapping_finds_the_same_commands(text: str) -> None:
    """A group, a subshell, a condition, a substitution: the commands in it are the same."""
    if unread(parse(text)) or "E" in text or "#" in text:
        return
    for wrapped in (f"( {text}\n)", f"{{ {text}\n}}", f"if {text}\nthen :\nfi", f"x=$({text}\n)"):
        found = commands(parse(wrapped))
        found = [name for name in found if name != ":"]
        assert found == commands(parse(text))


# fmt: off
HOSTILE = [
    "$((", "((", "${a:-", "$(", '"$(', "<(", "`", "\\`", "if a; then ", "case a in b) ", "{ ", "a() ", "a() {", "[[ (", "[[ ! ", "a=(",
    "a[", "$[", "@(", '"${a', "<<a\n", "<<-a\n", "<<a <<b\n", "cat <<a\n$x\na\n", "cat <<-a\n\t$x\n\ta\n", "#\\\n", "a#\\\n", "'\\\n'",
    "a \\\n", "$((a) ", "$(( (", "! ", "time ", "coproc a ", "function f ", "echo a\n", ">a ", "a&&", "a;", "`a` ", '"$a"', "$(a)", '""',
    "\\a", "${#", "${a[", "\\\\\\\n", "$'\\\n'", "for a in ", "for ((;;)) do ", "select a do ", "case a in ", "((1)) && ",
    "cat <<'a'\n\\\n\na\n", "a ) ", ">a=", "2>a",
]
# fmt: on


@pytest.mark.parametrize("piece", HOSTILE + PIECES)
def test_work_is_bounded(piece: str) -> None:
    """No piece repeated costs more than the budget, and what was read is in its place."""
    for length in (2_000, LONGEST):
        text = (piece * (length // len(piece) + 1))[:length]
        budget = Budget.of(text)
        granted = budget.steps
        script = parse(text, budget=budget)
        assert granted <= 20_000 + length // 8
        assert granted - budget.steps <= granted + length // 200 + 20
        check_places(script)


@pytest.mark.parametrize("pair", ["a ", "((", "$(", "`\\", "''", "<<", "a\n", "\ud800é"])
def test_too_long_is_not_read_at_all(pair: str) -> None:
    """A megabyte of anything is one opaque command."""
    text = pair * 500_000
    script = parse(text)
    (only,) = script.body.commands
    assert isinstance(only, tree.Opaque)
    assert (only.start, only.end) == (0, len(text))


def test_nul_is_not_read_at_all() -> None:
    """Bash drops a NUL, so nothing around one is what it seems."""
    assert unread(parse("ls\nrm\0 x")) == ["NUL byte"]


def test_budget_is_shared_and_ends() -> None:
    """Texts read on one budget spend it together."""
    budget = Budget(30)
    assert not unread(parse("a; b", budget=budget))
    assert budget.steps < 30
    script = parse("a; b; c\n" * 20, budget=budget)
    assert unread(script) == ["too much to read"]
    assert "a" in commands(script)
    assert unread(parse("a", budget=budget)) == ["too much to read"]


def test_nesting_is_bounded() -> None:
    """Fifty levels, counted from where the text itself is nested."""
    assert not unread(parse("( " * 45 + "a" + " )" * 45))
    script = parse("b\n" + "( " * 51 + "a" + " )" * 51)
    assert unread(script) == ["nested too deep"]
    assert commands(script) == ["b"]
    assert unread(parse("(a)", depth=50)) == ["nested too deep"]


def test_open_parentheses_cost_no_more_than_they_are_long() -> None:
    """``$((`` that are commands, nested, are not read twice for each level."""
    for depth in (5, 10, 20):
        text = "echo " + "$((a; " * depth + ") )" * depth
        budget = Budget(20_000)
        assert commands(parse(text, budget=budget)).count("a") == depth
        assert 20_000 - budget.steps < 40 * depth * depth


def test_a_deep_caller_is_told_so() -> None:
    """With hardly any stack left there is an answer too."""

    def deeper(levels: int) -> tree.Script:
        return deeper(levels - 1) if levels else parse("b\n$(((a) ) )")

    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    for room in range(10, 60):
        try:
            script = deeper(sys.getrecursionlimit() - used - room)
        except RecursionError:
            continue  # no room for a call of parse itself
        assert unread(script) in ([], ["nested too deep"])


def test_unread_text_in_nested_texts_is_seen() -> None:
    """Errors in texts that bash reads later are parts of the tree."""
    for text in ("a `if`", "cat <<E\n${x\nE\n", "cat <<E\n$(if)\nE\n"):
        assert any(isinstance(node, tree.Opaque) for node in nodes(parse(text)))


@pytest.mark.parametrize(
    "text",
    [
        "echo $(( ${x:-))\nrm a\necho } ))",
        "echo $[ ${x:-]\nrm a\necho } ]",
        "(( ${x:-))\nrm a\necho } ))",
        "echo $(( $[ ))\nrm a\necho ] ))",
        "echo $(( # ${x )) | rm a\n) )",
        "a[<(# '\n)]=1; rm a\necho ']'",
        "echo @(${x:-)\nrm a\necho })",
        "echo @($(# )\nrm a\n))",
        "echo ${a[}\nrm a\necho ]}",
        'echo "${x:-\'$(echo "\'")}" }" ; rm a ; echo "\n"',
        "echo $(( $'\\'' ))\nrm a\necho '))'",
        "echo \"${x:-$'\\x24(rm a)'}\"",
        "echo \"${x:-<(echo #'\n)}\"; rm a\n echo '}\"'",
    ],
)
def test_a_command_that_bash_runs_is_read_or_its_place_is_opaque(text: str) -> None:
    """Bash looks for the end of some constructs without reading what is in them: commands cannot be
    hidden there.
    """
    script = parse(text)
    assert "rm" in commands(script) or any(isinstance(node, tree.Opaque) for node in nodes(script))
