"""What a command says to another program: JSON on standard output, and nothing else there."""

from __future__ import annotations

import contextlib
import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from contextlib import AbstractContextManager

from interlock.integrations.changes import Change

HELP = "print JSON; what is said to people goes to standard error"


def add_json(parser: ArgumentParser, meaning: str = "print JSON") -> None:
    """Declare the option."""
    parser.add_argument("--json", action="store_true", help=meaning)


def tell(value: object) -> None:
    """Print a value as JSON."""
    print(json.dumps(value, indent=2))


def files(changes: Iterable[Change]) -> list[dict[str, object]]:
    """Return which files are written, and whether that changes anything."""
    return [{"path": one.path, "changed": one.after != one.before} for one in changes]


def aside(*, wanted: bool) -> AbstractContextManager[object]:
    """Have what is printed meanwhile go to standard error, where that is wanted."""
    return contextlib.redirect_stdout(sys.stderr) if wanted else contextlib.nullcontext()
