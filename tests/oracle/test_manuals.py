"""Options as the installed programs have them, and what a help text says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.effects.programs import table
from interlock.effects.rows import ProgramRow
from tests.effects.reading import seen
from tests.oracle.manuals import ARTEFACTS, JOINED, NONE, VALUE, compare, differences, options, said
from tests.oracle.sandbox import Sandbox, why_not

if TYPE_CHECKING:
    from collections.abc import Iterator

WHY_NOT = why_not()
HELP = """
Usage: x [OPTION]... FILE...
  -a, --all                  take all
  -l[MAX-LINES]              like -L, but the value may be missing
  -o, --output=FILE          write to FILE
      --color[=WHEN]         when to colour
  -n NUM                     how often
  -q, --quiet, --silent
"""


EFFECTS = [
    line.split(" => ")
    for line in (Path(__file__).parent / "effects.txt").read_text(encoding="utf-8").splitlines()
]
"""A command, and a word of what it does."""
CHANGES: dict[str, str] = {
    **dict.fromkeys("mv ln install".split(), "--target-directory"), "cp": "--target-directory --parents", "split": "--filter", "bsdtar": "-O",
    "tar": "-O --to-stdout --to-command -d -x --extract --get",
    "zip": "-x -h2", "unzip": "-p -v -x", **dict.fromkeys("gzip xz bzip2 pigz".split(), "-c --stdout -k --keep"), "zstd": "-o -c --stdout",
    "lz4": "-m -r", "cpio": "-i --extract -I -O", **dict.fromkeys("awk gawk".split(), "-f -E"), "flock": "-c --command",
    "make": "--recon -q --question",
    "kill": "-L --table", "passwd": "-S --status", "mount": "-f --fake", "dpkg": "-p --simulate", "zsh": "-O",
    "bash": "-ilrsD -c -abefhkmnptuvxBCEHPT", "systemctl": "--with-dependencies", "node": "--disable-wasm-trap-handler",
}  # fmt: skip
"""Options that make of a command something else."""
ASKS = frozenset(
    "--help -h --version -V -v -? --usage --dry-run --no-act -n --just-print --list -t --test -l --diff --compare".split()
)
"""Options of many programs that only ask."""


def with_one_more(command: str, listed: dict[str, str]) -> Iterator[str]:
    """Yield a command with each option that its program lists put before its words, with a value
    where it takes one.
    """
    program, _, words = command.partition(" ")
    for name, takes in listed.items():
        if (
            name in ASKS
            or name in (CHANGES.get(program, "") + " " + ARTEFACTS.get(program, "")).split()
        ):
            continue
        for option in (
            (name,)
            if takes != VALUE
            else (f"{name} 1", f"{name}=1" if name.startswith("--") else f"{name}1")
        ):
            yield f"{program} {option} {words}"


def test_a_help_text_is_read() -> None:
    """What takes a value, what may take one, what takes none."""
    assert options(HELP) == {
        "-a": NONE, "--all": NONE, "-l": JOINED, "-o": VALUE, "--output": VALUE, "--color": JOINED, "-n": VALUE,
        "-q": NONE, "--quiet": NONE, "--silent": NONE,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (ProgramRow(options="-o:data --output:data -n:data -l:?data"), []),
        (ProgramRow(options="-o:data --output:data -n:data -l:data"), ["x swallows -l"]),
        (ProgramRow(options="-o:data --output:data -n:data -a:data"), ["x swallows -a"]),
        (ProgramRow(options="-o:data -n:data"), ["x misses --output"]),
    ],
)
def test_differences_are_told(row: ProgramRow, said: list[str]) -> None:
    """A row that swallows or misses a value is named."""
    assert [str(item) for item in compare("x", row, options(HELP))] == said


OPTIONAL_MAY_FOLLOW = frozenset({"rake"})
"""Programs of Ruby's ``optparse``: a value in brackets may be the next word all the same, unlike
with getopt_long(3).
"""
CHOSEN_HERE = frozenset({"x-terminal-emulator"})
"""Names for whichever program a machine's user chose (update-alternatives(1)), each of which has
options of its own.
"""


@pytest.mark.e2e
@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "the sandbox is there")
@pytest.mark.long
def test_no_row_swallows_a_word(tmp_path: Path) -> None:
    """No option of a program that is installed here takes the next word for its row, and not for
    the program itself.
    """
    found = differences(
        Sandbox(tmp_path),
        [name for name in table.names() if name not in OPTIONAL_MAY_FOLLOW | CHOSEN_HERE],
    )
    assert not [str(item) for item in found if item.what == "swallows"]


@pytest.mark.parametrize(("command", "word"), EFFECTS)
def test_the_command_does_it(command: str, word: str) -> None:
    """Without any option more, the effect is there."""
    assert word in seen(command)


@pytest.mark.e2e
@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "the sandbox is there")
@pytest.mark.long
def test_one_option_more_hides_nothing(tmp_path: Path) -> None:
    """Whatever option a program has, put into a command it does not hide what the command does."""
    helps = said(Sandbox(tmp_path), sorted({command.partition(" ")[0] for command, _ in EFFECTS}))
    made = [
        (more, word)
        for command, word in EFFECTS
        for more in with_one_more(command, options(helps.get(command.partition(" ")[0], "")))
    ]
    assert len(made) > 1000
    assert not [more for more, word in made if word not in seen(more)]
