"""``interlock rules``: the catalogue, one line a rule."""

from __future__ import annotations

import argparse
import json
import sys

from interlock.cli.colors import VERDICTS, Painter, complain
from interlock.rules.catalogue import RULES

NAME = "rules"
SUMMARY = "list the rules"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--tag", metavar="TAG", help="only rules with this tag, such as GR-001 or data-loss"
    )
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def run(options: argparse.Namespace) -> int:
    """Print the rules."""
    found = [rule for rule in RULES if options.tag is None or options.tag in rule.tags]
    if options.json:
        print(
            json.dumps(
                [
                    {
                        "id": rule.id,
                        "action": str(rule.action),
                        "title": rule.title,
                        "tags": sorted(rule.tags),
                    }
                    for rule in found
                ],
                indent=2,
            )
        )
        return 0
    if not found:
        tags = ", ".join(sorted({tag for rule in RULES for tag in rule.tags}))
        complain(f"interlock rules: no rule has the tag {options.tag!r}; tags are: {tags}\n")
        return 2
    paint = Painter(sys.stdout)
    width = max(len(rule.id) for rule in found)
    for rule in found:
        colour = VERDICTS.get(str(rule.action), ("amber", "", ""))[0]
        print(f"{rule.id.ljust(width)}  {paint(str(rule.action).ljust(6), colour)}  {rule.title}")
    return 0
