"""The tables of options: each file can be read by a person and by the loader, and says where it is
from.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from interlock.data import options
from interlock.data.options import OptionNode, OptionTable, find

FILES = sorted(file for file in Path(options.FOLDER).glob("*.txt") if file.stem != options.ALSO)
OPTION = re.compile(r"(?:-\S+ )*-\S+(?: [=?~*!;](?:value|path|command))?")
HEAD = ("# ", "program ", "grammar ", "platform ", "whole", "command ")


def every(node: OptionNode) -> list[OptionNode]:
    """Return a node and all below it."""
    return [
        node,
        *[
            one
            for below in {id(one): one for one in node.commands.values()}.values()
            for one in every(below)
        ],
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_file_is_written_as_the_loader_reads_it(file: Path) -> None:
    """A line is one of those that ``data/options.py`` explains, and the first one names the
    source.
    """
    lines = file.read_text().splitlines()
    assert lines[0].startswith("# ")
    assert lines[1].startswith(f"program {file.stem.partition('.')[0]}")
    assert re.fullmatch(r"grammar (getopt|joined|single|words)( globals| first)?", lines[2])
    wrong = [line for line in lines if not line.startswith(HEAD) and not OPTION.fullmatch(line)]
    assert not wrong
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_option_stands_once(file: Path) -> None:
    """Two lines for one name would be two answers to one question."""
    table = OptionTable(file.read_text())
    written = sum(
        len(line.split()) - (line.split()[-1][0] in "=?~*!;")
        for line in file.read_text().splitlines()
        if line.startswith("-")
    )
    assert sum(len(node.options) for node in every(table.top)) == written


def test_every_other_name_leads_to_its_file() -> None:
    """``also.txt`` says what the ``program`` lines say."""
    named = [
        f"{name} {file.stem}"
        for file in FILES
        for line in file.read_text().splitlines()
        if line.startswith("program ")
        for name in line.split()[2:]
    ]
    assert Path(options.FOLDER, f"{options.ALSO}.txt").read_text().splitlines() == named


@pytest.mark.parametrize(
    ("program", "path", "option", "takes"),
    [
        ("ls", "", "-I", "="),
        ("ls", "", "--color", "?"),
        ("vdir", "", "-l", ""),
        ("git", "commit", "-m", "="),
        ("git", "commit", "-S", "?"),
        ("git", "commit", "--amend", ""),
        ("git", "cherry-pick", "-s", ""),
        ("docker", "run", "-v", "="),
        ("docker", "container run", "--rm", ""),
        ("kubectl", "get", "--all-namespaces", ""),
        ("pytest", "", "-k", "="),
        ("curl", "", "-d", "="),
        ("diff", "", "-u", ""),
        ("npm", "install", "-g", ""),
    ],
)
def test_what_everybody_knows_is_listed(program: str, path: str, option: str, takes: str) -> None:
    """Options of programs of every kind, as their manuals have them."""
    table = find(program)
    assert table is not None
    node = table.node(path.split())
    assert node is not None
    assert node.options[option].takes == takes


def test_a_mac_has_other_utilities() -> None:
    """BSD's ``ls`` knows no ``--color``, and what only one flavour has is found there."""
    mac, linux = find("ls", "darwin"), find("ls")
    assert mac is not None
    assert linux is not None
    assert "--color" in linux.top.options
    assert "-@" in mac.top.options
    assert not mac.abbreviates
    assert find("git", "darwin") is not None


@pytest.mark.parametrize("name", ["no-such-program", "../options/ls", "/etc/passwd", ""])
def test_what_nobody_listed_is_not_known(name: str) -> None:
    """A name is never taken for a path."""
    assert find(name) is None
