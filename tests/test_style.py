"""What people read on the command line is written as docs/style.md says, as far as a machine can
hold it.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from interlock.cli import main

PAGE = Path(__file__).parent.parent / "docs" / "style.md"


def avoided() -> list[str]:
    """Return the words that the page's table says not to use."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    cells = [cell for row in rows if row not in ("not", "---") for cell in row.split(", ")]
    return [re.sub(r" \(of .*\)", "", cell) for cell in cells if "(of " not in cell]


def sentences() -> list[tuple[str, str]]:
    """Return every help text of every command, with where it stands."""
    found = []
    for name in main.COMMANDS:
        waiting: list[tuple[str, argparse.ArgumentParser]] = [(name, _command(name))]
        while waiting:
            where, parser = waiting.pop()
            for action in parser._actions:
                found.append((f"{where} {action.dest}", action.help or ""))
                if isinstance(action, argparse._SubParsersAction):
                    waiting += [(f"{where} {below}", one) for below, one in action.choices.items()]
                    found += [
                        (f"{where} {one.dest}", one.help or "") for one in action._choices_actions
                    ]
        found.append((name, main._module(name).SUMMARY))
    return found


def _command(name: str) -> argparse.ArgumentParser:
    top = main.parser([name])
    below = next(one for one in top._actions if isinstance(one, argparse._SubParsersAction))
    parser: argparse.ArgumentParser = below.choices[name]
    return parser


def breaks(text: str) -> list[str]:
    """Return the avoided words that a text uses."""
    return [word for word in avoided() if re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE)]


def test_help_uses_the_words_of_the_field() -> None:
    """No help text says what the page has a better word for."""
    assert [(where, text) for where, text in sentences() if breaks(text)] == []


def test_the_words_are_found_where_they_are_used() -> None:
    """The law bites: a sentence with such a word is named, its better twin is not."""
    assert breaks("run a command behind walls of the kernel")
    assert not breaks("run a command in a sandbox")


def test_the_page_of_all_commands_fits() -> None:
    """In 80 columns, with every command once and no word broken."""
    page = main.overview()
    assert max(map(len, page.splitlines())) <= main.WIDTH
    assert sorted(re.findall(r"^  ([a-z-]+) ", page, re.MULTILINE)) == sorted(main.COMMANDS)
    words = {word for name in main.COMMANDS for word in main._module(name).SUMMARY.split()}
    assert words <= set(page.split())


@pytest.mark.parametrize("name", main.COMMANDS)
def test_a_summary_is_one_short_line(name: str) -> None:
    """It begins with a verb or what is shown, small, without a full stop, in 62 characters."""
    summary = main._module(name).SUMMARY
    assert len(summary) <= 62
    assert summary[0].islower()
    assert not summary.endswith(".")
