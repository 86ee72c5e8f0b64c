"""Compare the rows of programs with what the programs installed here say of their own options
(``--help``), asked in the sandbox.

An option that takes a value but is not in the row shifts the operands; one that takes none but is
said to swallows a word. Both hide what a command does: ``xargs -l rm -rf /`` ran ``-rf`` for a row
that gave ``-l`` the next word.

    python -m tests.oracle.manuals [--all] [PROGRAM ...]

Prints ``swallows`` (the row takes the next word, the program never does) for every program, and
``misses`` (the program takes a value, the row does not know it) for programs that run a command, or
for all with ``--all``.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from interlock.effects import rows
from interlock.effects.programs import table
from tests.oracle.sandbox import Sandbox, why_not

if TYPE_CHECKING:
    from interlock.effects.rows import ProgramRow

VALUE, JOINED, NONE = "value", "joined value", "no value"
NEVER = frozenset("sleep yes".split())
"""Programs that have nothing to say."""
_OPTION = re.compile(r"^(-{1,2}[A-Za-z0-9?@#%^][\w.+-]*)(.*)$")
_NEXT = re.compile(r"(?:,\s*|\s*\|\s*|\s+or\s+|\s/\s)(?=-)")
ARTEFACTS: dict[str, str] = {
    "wget": "-O -P -o -a -i -U -t -T -w -l -A -R -D -I -X -Q -e -B", "npx": "--package -c --call", "bash": "--rcfile --init-file",
    "rbash": "--rcfile --init-file", "rg": "--replace", "mvn": "-C", "emacsclient": "-e --eval -u", "heaptrack": "-o",
    "killall": "-y -o --younger-than --older-than",
    "hostname": "-F --file", "arp": "-i", "cargo": "--version", "zsh": "-O", "node": "-p --print", "nodejs": "-p --print",
    "head": "-n -c --lines --bytes", "tail": "-n -c --lines --bytes", "cpio": "-F -I -O --file -R", "xxd": "-s", "rustc": "-L -l",
    "less": "-p -o -O -k -x -j -P -T -t", "man": "-T --html", "sysctl": "-f", "rustfmt": "--config", "pg_dumpall": "-r", "pigz": "-S", "unpigz": "-S",
    "bq": "--format --project_id --location --dataset_id", "rename": "-e -E", "stat": "-c", "file": "-P", "zip": "-x", "unzip": "-x",
    **dict.fromkeys("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum".split(), "-c --check"), "mkfs.cramfs": "-E -s",
    "blkdiscard": "-s", "ld": "-x", "gold": "-x", "as": "-L -D", "od": "-w", "rake": "-D", "chfn": "-u",
}  # fmt: skip
"""Options whose help does not show, in the way this reads it, that they take the next word (they
do: the manuals), and, in the last three lines, some that swallow a word that is only read, or that
do not change what is said of the program.
"""


@dataclass(frozen=True)
class Difference:
    """An option that a row and its program disagree on. ``what``: ``swallows`` or ``misses``."""

    program: str
    option: str
    what: str

    def __str__(self) -> str:
        return f"{self.program} {self.what} {self.option}"


BATCH = 25
ASK = """
ask() { for question in --help -h -help; do
    answer=$(COLUMNS=200 PAGER=cat MANPAGER=cat timeout -s KILL 3 "$1" $question 2>&1 < /dev/null | head -c 60000)
    if [ "${#answer}" -gt 200 ]; then printf '\\001%s\\n%s\\n' "$1" "$answer"; return; fi
done; }
mkdir -p /tmp/asked && cd /tmp/asked
"""


def said(sandbox: Sandbox, programs: list[str]) -> dict[str, str]:
    """Return what programs say of their options."""
    found: dict[str, str] = {}
    for start in range(0, len(programs), BATCH):
        asked = ASK + "\n".join([f"ask {name}" for name in programs[start : start + BATCH]])
        for answer in sandbox.look("true", asked, seconds=9 * BATCH).split("\1")[1:]:
            name, _, text = answer.partition("\n")
            found[name] = text
    return found


def options(text: str) -> dict[str, str]:
    """Return the options that a help text lists, each with ``VALUE``, ``JOINED`` or ``NONE``."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        if line.lstrip().startswith("-") and not line.startswith(" " * 20):
            for name, takes in _of_line(re.split(r"\s{2,}|\t", line.strip())[0]).items():
                found.setdefault(name, takes)
    return found


def _of_line(head: str) -> dict[str, str]:
    """Read ``-o, --output=FILE``: the value of the long option is the short one's too (GNU)."""
    found: dict[str, str] = {}
    for item in _NEXT.split(head):
        match = _OPTION.match(item)
        takes = _takes(match.group(2)) if match else ""
        if match and takes:
            found[match.group(1)] = takes
    shared = next((takes for takes in (VALUE, JOINED) if takes in found.values()), NONE)
    return {name: shared if takes == NONE else takes for name, takes in found.items()}


def _takes(rest: str) -> str:
    if rest.startswith(("[", " [")):
        return JOINED
    if rest.startswith(("=", "<")) or re.match(r"^ +([<A-Z{(\"]|[a-z][\w-]*$)", rest):
        return VALUE
    return NONE if not rest.strip() or rest[:1] in ",;:" else ""


def compare(program: str, row: ProgramRow, listed: dict[str, str]) -> list[Difference]:
    """Return what a row and the options that a program lists disagree on."""
    taken = rows.table(row.options)
    explained = ARTEFACTS.get(program, "").split()
    swallowed = [
        name
        for name, role in taken.items()
        if not role.startswith("?") and listed.get(name, VALUE) != VALUE and name not in explained
    ]
    missed = [name for name, takes in listed.items() if takes == VALUE and name not in taken]
    return [Difference(program, name, "swallows") for name in swallowed] + [
        Difference(program, name, "misses") for name in missed
    ]


def runs_command(row: ProgramRow) -> bool:
    """Whether the operands of a program are a command: a word too many there hides the command's
    name.
    """
    return row.operands.startswith("command") or row.operands.endswith(" command")


def differences(
    sandbox: Sandbox, names: list[str], *, everything: bool = False
) -> list[Difference]:
    """Return all differences of the programs that are installed."""
    known = [
        name
        for name in names
        if shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin")
        and name not in NEVER
        and table.find(name)
    ]
    found: list[Difference] = []
    for name, text in said(sandbox, known).items():
        row = table.find(name)
        if row is not None:
            found += [
                item
                for item in compare(name, row, options(text))
                if item.what == "swallows" or everything or runs_command(row)
            ]
    return found


def main(arguments: list[str]) -> int:
    """Print the differences."""
    problem = why_not()
    if problem:
        sys.stdout.write(f"{problem}\n")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        names = [word for word in arguments if word != "--all"] or list(table.names())
        found = differences(Sandbox(Path(folder)), names, everything="--all" in arguments)
    sys.stdout.write(
        ("\n".join(map(str, found)) or "the rows agree with the programs that are installed here")
        + "\n"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
