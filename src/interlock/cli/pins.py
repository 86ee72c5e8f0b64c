"""``interlock pins``: what MCP servers said of their tools when they were first seen, and what they
say by now.

A tool whose description or schema changed is asked about with every call until a person has
compared both and accepted the new one.
"""

from __future__ import annotations

import argparse
import os
import sys

from interlock.approvals.answers import AnswerError
from interlock.approvals.user import me
from interlock.cli import build, machine, person_check
from interlock.cli.colors import Painter, complain, visible
from interlock.ledger.pins import Pin
from interlock.store.database import Store

NAME = "pins"
SUMMARY = "show and accept the pinned tool descriptions of MCP servers"
LIST, ACCEPT, FORGET = "list", "accept", "forget"
MOST_LINES = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is done, and of which server and tools."""
    parser.add_argument(
        "what",
        nargs="?",
        choices=[LIST, ACCEPT, FORGET],
        default=LIST,
        help="what to do (default: list)",
    )
    parser.add_argument(
        "server",
        nargs="?",
        default="",
        metavar="SERVER",
        help="the server, as `interlock mcp --server` names it",
    )
    parser.add_argument("tool", nargs="*", metavar="TOOL", help="these tools only")
    machine.add_json(parser, f"print JSON ({LIST} only)")
    person_check.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """List, accept or forget. 0 done, 1 refused, or nothing there to do."""
    from interlock.ledger import pins

    if options.what != LIST and not options.server:
        complain(f"interlock pins: name the server: interlock pins {options.what} SERVER\n")
        return 1
    try:
        store = build.store(os.environ)
        found = [
            pin
            for pin in pins.every(store, options.server)
            if not options.tool or pin.tool in options.tool
        ]
        if options.what == LIST and options.json:
            machine.tell([_to_dict(pin) for pin in found])
            return 0
        if options.what == LIST:
            return _list(found)
        person_check.needs_person(store, given=options.token)
        return _accept(store, found) if options.what == ACCEPT else _forget(store, found)
    except (AnswerError, build.StoreError) as problem:
        complain(f"interlock pins: {problem}\n")
        return 1


def _to_dict(pin: Pin) -> dict[str, object]:
    return {
        "server": pin.server, "source": pin.source, "tool": pin.tool, "since": pin.since,
        "changed": bool(pin.other), "changed_since": pin.other_since,
    }  # fmt: skip


def _list(found: list[Pin]) -> int:
    paint = Painter(sys.stdout)
    servers = dict.fromkeys([(pin.server, pin.source) for pin in found])
    for server, source in servers:
        mine = [pin for pin in found if (pin.server, pin.source) == (server, source)]
        changed = [pin for pin in mine if pin.other]
        said = f"{len(changed)} changed" if changed else "as they were pinned"
        print(
            f"{paint(visible(server), 'bold')} ({source}): {len(mine)} pinned since"
            f" {mine[0].since}, {paint(said, 'amber' if changed else 'green')}"
        )
        for pin in changed:
            _show(pin, paint)
    if not found:
        print("no pinned servers yet; a server is pinned on first use through `interlock mcp`")
    return 0


def _show(pin: Pin, paint: Painter) -> None:
    """Print what changed, line by line; whatever a server wrote is made visible first."""
    from difflib import unified_diff

    print(f"  {paint('!', 'amber')} {visible(pin.tool)}, since {pin.other_since}")
    was, now = [_lines(text) for text in (pin.body, pin.other_body)]
    shown = [
        line
        for line in unified_diff(was, now, lineterm="", n=1)
        if not line.startswith(("---", "+++", "@@"))
    ]
    for line in shown[:MOST_LINES]:
        print(f"    {paint(visible(line), *{'-': ['red'], '+': ['green']}.get(line[:1], []))}")
    if len(shown) > MOST_LINES:
        print(f"    ... and {len(shown) - MOST_LINES} lines more")


def _lines(text: str) -> list[str]:
    """Return a description as JSON lines, without its secrets; one too long to be kept says so."""
    import json

    if not text:
        return ["(too long to be kept)"]
    return json.dumps(json.loads(text), indent=1, ensure_ascii=False).split("\n")


def _accept(store: Store, found: list[Pin]) -> int:
    from interlock.ledger import pins

    changed = [pin for pin in found if pin.other]
    if not changed:
        print("nothing changed there")
        return 1
    paint = Painter(sys.stdout)
    for pin in changed:
        _show(pin, paint)
    done = pins.accept(store, changed, me())
    print(f"{paint('✓ accepted', 'green')}: {done} of {len(changed)} are pinned as they are now")
    return 0 if done == len(changed) else 1


def _forget(store: Store, found: list[Pin]) -> int:
    from interlock.ledger import pins

    if not found:
        print("no pinned server of this name")
        return 1
    print(f"forgotten: {pins.forget(store, found, me())}; what the server says next is pinned anew")
    return 0
