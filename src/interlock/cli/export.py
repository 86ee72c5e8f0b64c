"""``interlock export``: where a service's record goes besides.

Alone it lists the destinations and how far each is. `add KIND URL` adds one, `forget` ends one,
`skip` passes over one event that a destination refuses.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import closing

from interlock.cli import build, serve
from interlock.cli.colors import Painter, complain, visible

NAME = "export"
SUMMARY = "send the record of a service on: SIEM, collector, web hook"
_KINDS = "webhook, otlp, ocsf, ecs (https://...) or cef (tls://HOST[:6514], which is syslog)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is done."""
    parser.add_argument(
        "--tenant", default="", metavar="NAME", help="the record of this organisation"
    )
    parser.set_defaults(work="show")
    commands = parser.add_subparsers(dest="what", metavar="add/forget/skip")
    one = commands.add_parser("add", help="send the record on to an address from now on")
    one.add_argument("kind", metavar="KIND", help=_KINDS)
    one.add_argument("url", metavar="URL", help="where")
    one.add_argument(
        "--header",
        default="",
        metavar="FILE",
        help="a file with the line of HTTP that authorizes: `Authorization: Bearer ...`",
    )
    one.add_argument(
        "--authority",
        default="",
        metavar="FILE",
        help="certificates in PEM that vouch for it (default: the system's)",
    )
    one.add_argument(
        "--private",
        action="store_true",
        help="an address of this network, or http://, is meant",
    )
    one.add_argument(
        "--everything", action="store_true", help="send what is kept already, too, oldest first"
    )
    one.set_defaults(work="add")
    one = commands.add_parser("forget", help="send nothing there any more")
    one.add_argument("name", metavar="ID")
    one.set_defaults(work="forget")
    one = commands.add_parser("skip", help="never send it the event that it refuses")
    one.add_argument("name", metavar="ID")
    one.set_defaults(work="skip")


def run(options: argparse.Namespace) -> int:
    """Do it. 0 done, 1 it could not be, 2 what it needs is not installed."""
    missing = serve.lacking("export")
    if missing:
        complain(missing)
        return 2
    from interlock.cli import serve_start  # what it stands on is there
    from interlock.service.export.destinations import DestinationError

    work: Callable[[str, argparse.Namespace], int] = _WORKS[options.work]
    try:
        state = build.state_folder(os.environ)
        return work(serve_start.folder_of(state, options.tenant), options)
    except (DestinationError, ValueError, build.StoreError, *serve_start.ERRORS) as problem:
        complain(f"interlock export: {visible(str(problem))}\n")
        return 1


def _show(folder: str, options: argparse.Namespace) -> int:
    """List the destinations. 1 where one does not take what it is sent."""
    del options
    from interlock.cli.serve_start import open_database
    from interlock.service.store.views import MOST_BEHIND

    with closing(open_database(folder)) as keeping:
        found = keeping.read(lambda known: known.exports())
    paint = Painter(sys.stdout)
    for one in found:
        where, at = one.destination, one.cursor
        more = "+" if one.behind == MOST_BEHIND else ""
        print(f"{where.id}  {where.kind:<8} {visible(where.url)}")
        print(f"  {at.sent:,} sent, {one.behind:,}{more} to go" + _since(at.taken, "last"))
        if at.said:
            print(f"  {paint('✗', 'red')} {visible(at.said)}{_since(at.failing, 'since')}")
    if not found:
        print("the record goes nowhere else; send it on: interlock export add KIND URL")
    return 1 if any(one.cursor.said for one in found) else 0


def _since(at: str, word: str) -> str:
    return f", {word} {at[:10]} {at[11:19]} UTC" if at else ""


def _add(folder: str, options: argparse.Namespace) -> int:
    from interlock.cli.serve_start import open_database, user
    from interlock.service.export.delivery import derive_key
    from interlock.service.export.destinations import DestinationRequest, add_destination
    from interlock.service.export.encoding import KINDS
    from interlock.service.keys import ServiceKeys
    from interlock.service.signing import Signer
    from interlock.service.standard_webhooks import format_secret

    wanted = DestinationRequest(
        options.kind, options.url, _read(options.header).strip(), _read(options.authority),
        options.private, options.everything,
    )  # fmt: skip
    with closing(open_database(folder)) as keeping:
        keys, by = ServiceKeys(folder), user()
        made = keeping.write(lambda steps: add_destination(steps, keys, wanted, by))
    which = "all of the record" if wanted.everything else "the record from now on"
    print(f"{made.id}: {visible(made.url)} is sent {which} ({made.kind})")
    if KINDS[made.kind].signed:
        secret = format_secret(derive_key(Signer(folder), made))
        print(f"it checks signatures (Standard Webhooks) with: {secret}")
    return 0


def _read(path: str) -> str:
    """Return a file's text, empty where none is named; raises ``ValueError``."""
    if not path:
        return ""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} cannot be read: it is no text in UTF-8") from error


def _forget(folder: str, options: argparse.Namespace) -> int:
    from interlock.cli.serve_start import open_database, user
    from interlock.service.export.destinations import forget_destination

    by = user()
    with closing(open_database(folder)) as keeping:
        keeping.write(lambda steps: forget_destination(steps, options.name, by))
    print(f"{visible(options.name)} is sent nothing more")
    return 0


def _skip(folder: str, options: argparse.Namespace) -> int:
    from interlock.cli.serve_start import open_database, user
    from interlock.service.export.destinations import skip_event

    by = user()
    with closing(open_database(folder)) as keeping:
        event = keeping.write(lambda steps: skip_event(steps, options.name, by))
    print(f"{visible(options.name)} is never sent {visible(event)}; it goes on behind it")
    return 0


_WORKS = {"show": _show, "add": _add, "forget": _forget, "skip": _skip}
