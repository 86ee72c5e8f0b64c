"""Folders that a person names on the command line."""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError


def folder(path: str) -> str:
    """Return a folder's path as it was given; raises ``ArgumentTypeError`` where there is none, so
    that a slip of the pen is no empty project.
    """
    if not os.path.isdir(path):
        raise ArgumentTypeError(f"there is no folder {path!r}")
    return path


def add_project(parser: ArgumentParser, meaning: str) -> None:
    """Declare ``--project``: a project's folder, or this one; ``meaning`` is its help."""
    parser.add_argument(
        "--project", type=folder, nargs="?", const=".", metavar="FOLDER", help=meaning
    )
