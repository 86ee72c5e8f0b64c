"""``interlock ui``: open the console over this machine's record in your browser.

It starts `interlock serve` where none runs, until Ctrl-C; where one runs it opens that.
"""

from __future__ import annotations

import argparse
import os
import sys
import webbrowser
from threading import Thread

from interlock.cli import build
from interlock.cli.colors import complain, visible
from interlock.cli.serve import LOOPBACK, lacking

NAME = "ui"
SUMMARY = "open the console in your browser: live calls, search, sessions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare whether a browser is opened."""
    parser.add_argument("--no-browser", action="store_true", help="only print the link")


def run(options: argparse.Namespace) -> int:
    """Open it. 0 opened or ended, 1 it could not, 2 what it needs is not installed."""
    missing = lacking(NAME)
    if missing:
        complain(missing)
        return 2
    from interlock.cli import serve_start  # what it stands on is there

    opened = (lambda _: None) if options.no_browser else open_link
    try:
        folder = serve_start.folder_of(build.state_folder(os.environ))
        if serve_start.is_running(folder):
            link = serve_start.new_link(folder)
            print(link)
            opened(link)
            return 0
        where = dict.fromkeys(("port", "url", "certificate", "key"), "")
        return serve_start.listen(
            folder, {"host": LOOPBACK, **where}, build.store(os.environ), opened
        )
    except (build.StoreError, *serve_start.ERRORS) as problem:
        complain(f"interlock ui: {visible(str(problem))}\n")
        return 1


def open_link(link: str) -> None:
    """Open a link where there is a screen; one that takes the terminal would be no help."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.platform in ("darwin", "win32") or screen:
        Thread(target=webbrowser.open, args=(link,), daemon=True).start()
