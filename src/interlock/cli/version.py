"""``interlock version``: print the version."""

from __future__ import annotations

import argparse
import sys

from interlock.model.release import __version__
from interlock.rules.catalogue import RULES, VERSION

NAME = "version"
SUMMARY = "show the version"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(options: argparse.Namespace) -> int:
    """Print versions: the package, the catalogue, Python."""
    del options
    print(
        f"interlock {__version__}, rules {VERSION} ({len(RULES)} of them), Python"
        f" {sys.version.split()[0]}"
    )
    return 0
