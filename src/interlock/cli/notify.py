"""``interlock notify``: send people a message in the ways that the policy's `notify` names.
interlock calls it itself; by hand it is a test.
"""

from __future__ import annotations

import argparse
import os

from interlock.cli import build
from interlock.cli.colors import complain, visible
from interlock.notification import NotificationError
from interlock.notification.channels import kinds, tell

NAME = "notify"
SUMMARY = "notify people as the policy says (interlock calls this)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is told."""
    parser.add_argument("--title", default="interlock", help="a few words")
    parser.add_argument(
        "--text", default="This is how interlock tells you of a stop.", help="a sentence or two"
    )


def run(options: argparse.Namespace) -> int:
    """Tell by every way; failures are recorded. 0 told, 1 not by every way, 2 no way named."""
    addresses = build.policy(os.environ).notify
    if not addresses:
        complain(
            "interlock notify: the policy names nobody to tell; see `notify` in docs/policy.md\n"
        )
        return 2
    try:
        kept = build.store(os.environ)
        title, text = build.redact_text(kept, options.title), build.redact_text(kept, options.text)
        failed = [
            why for why in (_notify_address(address, title, text) for address in addresses) if why
        ]
        build.record(kept, "notification", title, {"by": kinds(addresses), "failed": failed})
    except build.StoreError as problem:
        failed = [str(problem)]
    for why in failed:
        complain(f"interlock notify: {visible(why)}\n")
    return 1 if failed else 0


def _notify_address(address: str, title: str, text: str) -> str:
    try:
        tell(address, title, text)
    except NotificationError as error:
        return str(error)
    return ""
