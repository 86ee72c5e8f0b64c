"""What the completions of the shell fish say of a program's options: names, and whether a value
follows. They are asked for as fish itself lists them, in the sandbox, without the program.
"""

from __future__ import annotations

import re
import shlex

from scripts.options.found import FLAG, ONE, Node, Option
from scripts.options.screening import acts
from scripts.options.sources import run
from scripts.options.texts import is_option

LETTERS = {"-s": "-", "--short-option": "-", "-l": "--", "--long-option": "--"}
OLD = ("-o", "--old-option")
VALUED = ("--require-parameter", "--exclusive", "-r", "-x")


def fish(name: str, *, screened: bool) -> Node | None:
    """Read what fish says of a program, all its subcommands as one; None where it says nothing.

    ``screened``: without the options whose name or description tells that they do something.
    """
    where = f"/usr/share/fish/completions/{name}.fish"
    said = run(["fish", "-c", f"source {where}; complete -c {shlex.quote(name)}"])
    found = [one for line in said.splitlines() if (one := _option(line, screened=screened))]
    if not found:
        return None
    version = re.search(r"\d+(?:\.\d+)+", run(["fish", "--version"]))
    return Node((name,), found, sources=[f"fish {version.group() if version else ''} (names)"])


def _option(line: str, *, screened: bool) -> Option | None:
    """Return the option of a line ``complete --exclusive NAME -s o -l output -d 'A sentence'``."""
    try:
        words = shlex.split(line)
    except ValueError:
        return None
    names = [
        LETTERS.get(word, "-") + words[at + 1]
        for at, word in enumerate(words[:-1])
        if word in LETTERS or word in OLD
    ]
    about = " ".join(words[at + 1] for at, word in enumerate(words[:-1]) if word == "-d")
    if not words or words[0] != "complete" or not names or not all(map(is_option, names)):
        return None
    if screened and acts(names, about):
        return None
    valued = any(word in VALUED for word in words)
    return Option(tuple(names), ONE if valued else FLAG, "--require-parameter" in words)
