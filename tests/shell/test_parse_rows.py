from __future__ import annotations

import pytest

from interlock.shell import tree
from interlock.shell.ansi import decode
from interlock.shell.parse import parse
from tests.shell.names import commands, nodes, targets, unread
from tests.shell.rows import ROWS, WRONG


@pytest.mark.parametrize(("text", "names", "files"), ROWS)
def test_finds_the_commands_and_the_redirections(text: str, names: str, files: str) -> None:
    """Each row holds the commands and redirections it says."""
    script = parse(text)
    assert unread(script) == []
    assert commands(script) == sorted(names.split(" ") if names else [])
    assert targets(script) == sorted(files.split())


@pytest.mark.parametrize("text", WRONG)
def test_says_what_is_wrong_and_keeps_what_came_before(text: str) -> None:
    """A syntax error ends the tree with one opaque command; lines before stay."""
    script = parse(f"one\ntwo; three &\n{text}")
    assert len(unread(script)) == 1
    assert {"one", "two", "three"} <= set(commands(script))
    assert isinstance(script.body.commands[-1], tree.Opaque)
    assert script.body.commands[-1].end == len(script.text)


def only(text: str) -> tree.Simple:
    """The one command of a text."""
    (command,) = parse(text).body.commands
    assert isinstance(command, tree.Simple)
    return command


def parts(text: str) -> list[tree.Part]:
    """The parts of the first argument."""
    return list(only(f"a {text}").words[1].parts)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "name", "prefix", "operator", "argument"),
    [
        ("$x", "x", "", "", ""),
        ("$10", "1", "", "", ""),
        ("${10}", "10", "", "", ""),
        ("${x:-a b}", "x", "", ":-", "a b"),
        ("${x-}", "x", "", "-", ""),
        ("${x##*/}", "x", "", "##", "*/"),
        ("${x//a/b}", "x", "", "//", "a/b"),
        ("${x/#a/b}", "x", "", "/#", "a/b"),
        ("${x:1:2}", "x", "", ":", "1:2"),
        ("${x^^}", "x", "", "^^", ""),
        ("${x@Q}", "x", "", "@", "Q"),
        ("${#x}", "x", "#", "", ""),
        ("${#}", "#", "", "", ""),
        ("${##}", "#", "#", "", ""),
        ("${#:-a}", "#", "", ":-", "a"),
        ("${!x}", "x", "!", "", ""),
        ("${!x*}", "x", "!", "*", ""),
        ("${@:2}", "@", "", ":", "2"),
        ("${x y}", "x", "", "invalid", " y"),
        ("${(f)x}", "", "", "invalid", "(f)x"),
        ("${}", "", "", "", ""),
    ],
)
def test_reads_parameters(text: str, name: str, prefix: str, operator: str, argument: str) -> None:
    """Name, prefix, operator and argument, in and out of double quotes."""
    for node in (parts(text)[0], parts(f'"{text}"')[0].parts[0]):  # type: ignore[union-attr]
        assert isinstance(node, tree.Parameter)
        read = "".join(part.text for part in node.argument.parts) if node.argument else ""  # type: ignore[union-attr]
        assert (node.name, node.prefix, node.operator, read) == (name, prefix, operator, argument)


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (r"\x72\x6d", "rm"),
        (r"\162\155\0", "rm"),
        (r"a\u0041\U00000042", "aAB"),
        (r"\xc3\xa9\x{41}", "\u00e9A"),
        (r"\xff", "\udcff"),
        (r"\cA\c\\", "\x01\x1c"),
        (r"\n\t\\\'\"\?\e", "\n\t\\'\"?\x1b"),
        (r"\q\x\u", r"\q\x\u"),
        (r"a\x00b", "a"),
        (r"a\777b", "a\udcffb"),
        ("\ud800\\x80", "\ud800\udc80"),
        (r"\UFFFFFFFF", "\U0010ffff"),
        ("a\\", "a\\"),
    ],
)
def test_decodes_ansi_quotes(escaped: str, text: str) -> None:
    """Escapes mean what bash makes of them."""
    assert decode(escaped) == text


def test_here_document_has_its_body_and_place() -> None:
    """Tabs are out of the text of a body, not out of its places."""
    text = "cat <<-E >f\n\ta $x\n\t\tb\n\tE\nls"
    redirect = only(text[:-3]).redirects[0]
    assert (redirect.operator, redirect.body_start, redirect.body_end) == ("<<-", 12, 22)
    assert redirect.body is not None
    texts = [getattr(part, "text", part) for part in redirect.body.parts]
    assert (texts[0], texts[2]) == ("a ", "\nb\n")
    assert isinstance(texts[1], tree.Parameter)
    assert text[texts[1].start : texts[1].end] == "$x"


def test_quoted_here_document_keeps_its_backslashes() -> None:
    """Backslash-newlines stay in a quoted here-document."""
    redirect = only("cat <<'E' \\\n-n\na\\\nb\\$\nE\n").redirects[0]
    assert redirect.body is not None
    assert [part.text for part in redirect.body.parts] == ["a\\\nb\\$\n"]  # type: ignore[union-attr]


def test_script_of_back_ticks_leads_back_to_the_text() -> None:
    """Offsets name the character of the outer text for each one."""
    text = "a `b \\`c\\``"
    (tick,) = parts(text[2:])
    assert isinstance(tick, tree.CommandSubstitution)
    script = tick.script
    assert script.text == "b `c`"
    assert script.offsets is not None
    assert "".join(text[offset] for offset in script.offsets[:-1]) == script.text


def test_spans_count_the_backslash_newlines() -> None:
    """They are out of the text of words, not out of their places."""
    text = "a\\\nb 'c\\\nd' \\\n e\\\n"
    words = only(text).words
    assert [text[word.start : word.end] for word in words] == ["a\\\nb", "'c\\\nd'", "e"]
    assert [word.parts[0].text for word in words] == ["ab", "c\\\nd", "e"]  # type: ignore[union-attr]


def test_says_what_each_compound_command_holds() -> None:
    """Bodies, words, names and patterns."""
    text = "case a in b|c) d;; esac\nif a; then b; else c; fi\nfor x in a b; do c; done\nf() { a; }\ncoproc N { a; }"
    found = [node for node in parse(text).body.commands if isinstance(node, tree.Compound)]
    assert [node.keyword for node in found] == ["case", "if", "for", "function", "coproc"]
    assert [len(node.bodies) for node in found] == [1, 3, 1, 1, 1]
    assert [len(node.words) for node in found] == [1, 0, 2, 1, 0]
    assert [node.name for node in found] == ["", "", "x", "f", "N"]
    assert [len(patterns) for patterns in found[0].patterns] == [2]
    assert found[1].has_else
    assert found[2].explicit_in


def test_pipelines_and_lists_keep_their_operators() -> None:
    """Operators stand between or after the commands."""
    body = parse("! a | b |& c && d || e & time f\ng;").body
    assert list(body.operators) == ["&", "\n", ";"]
    first, second, third = body.commands
    assert isinstance(first, tree.AndOr)
    assert list(first.operators) == ["&&", "||"]
    assert isinstance(first.commands[0], tree.Pipeline)
    assert (list(first.commands[0].operators), first.commands[0].negated) == (["|", "|&"], True)
    assert isinstance(second, tree.Pipeline)
    assert second.timed
    assert isinstance(third, tree.Simple)


def test_declarations_hold_assignments() -> None:
    """Arguments of declaring builtins are assignments."""
    command = only("A=1 export B=2 C D+=(3 [4]=5)")
    assert [assignment.name for assignment in command.assignments] == ["A"]
    _, b, c, d = command.words
    assert isinstance(b, tree.Assignment)
    assert isinstance(c, tree.Word)
    assert isinstance(d, tree.Assignment)
    assert d.append
    assert d.array is not None
    assert [type(item) for item in d.array] == [tree.Word, tree.Assignment]


def test_comments_are_kept() -> None:
    """Comments are in the script, wherever they stood."""
    text = "# a\nls # b \\\ncat <<E # c\n$(ls # d\n)\nE\n"
    script = parse(text)
    assert sorted(text[node.start : node.end] for node in script.comments) == [
        "# a",
        "# b \\",
        "# c",
        "# d",
    ]
    assert not any(isinstance(node, tree.Opaque) for node in nodes(script))
