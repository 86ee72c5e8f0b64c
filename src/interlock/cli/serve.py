"""``interlock serve``: the record of your machines in one place, and a console over it.

It listens on this machine alone unless told otherwise, and needs no configuration. It prints one
link that signs you in once; `--token` prints the line that enrols a machine.
"""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec

from interlock.cli import build
from interlock.cli.colors import complain, visible

NAME = "serve"
SUMMARY = "keep the record of many machines, with a console over it"
NEEDED = tuple(
    "starlette uvicorn jinja2 cryptography argon2 pyotp segno webauthn authlib httpx2"
    " prometheus_client tuf securesystemslib".split()
)
LOOPBACK = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare where it listens, and what it prints instead."""
    parser.add_argument(
        "--listen",
        default="",
        metavar="ADDRESS[:PORT]",
        help="where (default: 127.0.0.1, at the port of the last time)",
    )
    for name, said in (("--certificate", "of TLS, in PEM"), ("--key", "the certificate's, in PEM")):
        parser.add_argument(name, default="", metavar="FILE", help=said)
    parser.add_argument(
        "--url", default="", help="how a proxy before it is called: https://NAME[:PORT]"
    )
    parser.add_argument(
        "--oidc",
        default="",
        metavar="FILE",
        help="the provider that people sign in with, and what its groups may do (JSON)",
    )
    parser.add_argument(
        "--database",
        default="",
        metavar="URL",
        help="keep it in a PostgreSQL database (postgresql://...), which several nodes share; the"
        " folder remembers it",
    )
    parser.add_argument(
        "--log",
        default="text",
        choices=("text", "json"),
        help="what it says on standard error: what keeps it from its work (text), or lines of JSON"
        " with each answer, too",
    )
    _add_instead(parser)
    _add_details(parser)


def _add_details(parser: argparse.ArgumentParser) -> None:
    """Declare what is said besides."""
    parser.add_argument(
        "--against",
        default="",
        metavar="FILE",
        help="with --verify: the roots that --anchor wrote there (-: standard input)",
    )
    parser.add_argument(
        "--tenant",
        default="",
        metavar="NAME",
        help="serve this organisation, too, apart from all others, at NAME.HOST; with the options"
        " that do something else and end: that organisation's",
    )
    parser.add_argument(
        "--team", default="", metavar="NAME", help="with --token: the team of those machines"
    )
    parser.add_argument(
        "--owner", default="", metavar="PERSON", help="with --token: whose machines they are"
    )
    parser.add_argument(
        "--private",
        action="store_true",
        help="with --webhook: an address of this network, or http://, is meant",
    )
    parser.add_argument(
        "--uses", type=int, default=1, help="how many machines a token enrols (default 1)"
    )


def _add_instead(parser: argparse.ArgumentParser) -> None:
    """Declare what it does instead of serving."""
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--demo",
        action="store_true",
        help="serve a made-up week of five machines, from a folder that is thrown away",
    )
    instead.add_argument(
        "--token", action="store_true", help="print the line that enrols a machine, and end"
    )
    instead.add_argument(
        "--link",
        nargs="?",
        const="",
        metavar="NAME",
        help="print a link that signs somebody in once (default: the first admin), and end",
    )
    instead.add_argument(
        "--reset",
        default="",
        metavar="NAME",
        help="take what somebody signs in with, print the link to set it anew, and end",
    )
    instead.add_argument(
        "--webhook",
        default="",
        metavar="URL",
        help="tell this address of requests and stops, and print the secret that it checks with",
    )
    instead.add_argument("--webhooks", action="store_true", help="list them")
    instead.add_argument(
        "--forget-webhook", default="", metavar="ID", help="tell one of them nothing more"
    )
    instead.add_argument(
        "--verify", action="store_true", help="say whether all that is kept is as it was sent"
    )
    instead.add_argument(
        "--ready", action="store_true", help="say whether the one that runs here is ready, and end"
    )
    instead.add_argument(
        "--backup",
        default="",
        metavar="FOLDER",
        help="copy all that is kept into a new folder, while it runs or not, and end",
    )
    instead.add_argument(
        "--anchor",
        default="",
        metavar="FILE",
        help="add the newest root to a file that whoever can write here cannot change (-: print)",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until it is ended. 0 ended, 1 it could not, 2 what it needs is not installed."""
    missing = lacking("serve")
    if missing:
        complain(missing)
        return 2
    from interlock.cli import serve_start  # what it stands on is there

    try:
        if options.demo:
            return serve_start.demonstrate(parse_listening(options))
        state = build.state_folder(os.environ)
        folder = serve_start.folder_of(state, options.tenant)
        if options.token:
            return serve_start.print_token(
                folder, options.uses, {"team": options.team, "owner": options.owner}
            )
        if options.link is not None:
            return serve_start.print_link(folder, options.link)
        if options.reset:
            return serve_start.print_reset(folder, options.reset)
        if options.webhook or options.webhooks or options.forget_webhook:
            from interlock.cli import webhooks  # few commands need it

            if options.webhook:
                return webhooks.add(folder, options.webhook, private=options.private)
            if options.webhooks:
                return webhooks.show(folder)
            return webhooks.forget(folder, options.forget_webhook)
        if options.verify:
            return serve_start.print_report(folder, options.against)
        if options.anchor:
            return serve_start.anchor(folder, options.anchor)
        if options.ready:
            return serve_start.ask_ready(serve_start.folder_of(state))
        if options.backup:
            return serve_start.back_up(folder, os.path.abspath(options.backup))
        return serve_start.listen(
            serve_start.folder_of(state),
            parse_listening(options),
            build.store(os.environ),
            options=serve_start.ServeOptions(options.oidc, options.tenant, options.database),
        )
    except (ValueError, build.StoreError, *serve_start.ERRORS) as problem:
        complain(f"interlock serve: {visible(str(problem))}\n")
        return 1


def lacking(command: str) -> str:
    """Return the sentence that says what to install, empty where all is there."""
    absent = [name for name in NEEDED if find_spec(name) is None]
    return (
        f"interlock {command}: {', '.join(absent)} {'is' if len(absent) == 1 else 'are'} not"
        " installed here; `pip install 'interlock[serve]'` (or `make install EXTRAS=serve`) brings"
        " what it needs\n"
        if absent
        else ""
    )


def parse_listening(options: argparse.Namespace) -> dict[str, str]:
    """Return where it is to listen, by the names of ``Listening``; raises ``ValueError``."""
    host, port = options.listen, ""
    if host.count(":") == 1 or host.startswith("["):
        host, _, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if port and not (port.isdecimal() and int(port) < 65536):
        raise ValueError(f"--listen is {options.listen!r}; expected ADDRESS or ADDRESS:PORT")
    return {
        "host": host.strip("[]") or LOOPBACK,
        "port": port,
        "url": options.url,
        "certificate": options.certificate,
        "key": options.key,
        "log": options.log,
    }
