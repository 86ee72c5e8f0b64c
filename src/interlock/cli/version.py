"""``interlock version``: print the version."""

from __future__ import annotations

import argparse
import sys

from interlock.model.release import describe

NAME = "version"
SUMMARY = "show the version"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""
    del parser


def run(options: argparse.Namespace) -> int:
    """Print versions: the package, the rules, Python."""
    del options
    print(describe(sys.version))
    return 0
