"""``interlock version``."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING

from interlock.model.release import __version__
from interlock.rules.catalogue import RULES, VERSION

if TYPE_CHECKING:
    import argparse

NAME = "version"
SUMMARY = "say which version this is"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(options: argparse.Namespace) -> int:
    """Print versions: the package, the catalogue, Python."""
    del options
    print(f"interlock {__version__}, rules {VERSION} ({len(RULES)} of them), Python {platform.python_version()}")
    return 0
