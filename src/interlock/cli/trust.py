"""``interlock trust``: let a project's policy file, as it is now, loosen what holds there.

A project's file only tightens until its user has seen what it would loosen, and said yes at a
terminal of their own. The yes is for this very content at this very place: one byte more, and it
has to be said again.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator

from interlock.approvals.answers import AnswerError
from interlock.cli import build, person_check
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.policies import TODAY, load_policy
from interlock.policy.compare import about, changes
from interlock.policy.files import PolicyFile, PolicyLocations, look, places
from interlock.policy.load import LoadedPolicy, together, trust_path

NAME = "trust"
SUMMARY = "trust a project's policy file in its present form"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the project, and taking it back."""
    parser.add_argument(
        "folder",
        nargs="?",
        default=".",
        metavar="FOLDER",
        help="the project's folder (default: this one)",
    )
    parser.add_argument(
        "--revoke", action="store_true", help="revoke it: the file can only tighten again"
    )
    person_check.add_token(parser)


def run(options: argparse.Namespace) -> int:
    """Show what would be loosened and ask. 0 trusted (or taken back), 1 not."""
    where = places(os.environ, os.path.abspath(options.folder))
    file = look(where.project_file, (where.owner, where.above), where.lent)
    if file.data is None or file.problem:
        complain(f"interlock trust: {file.path}: {file.problem or 'there is no such file'}\n")
        return 1
    try:
        if options.revoke:
            return _revoke(where, file)
        person_check.needs_person(build.store(os.environ), given=options.token)
        return _trust(where, file)
    except (AnswerError, build.StoreError) as why:
        complain(f"interlock trust: {why}\n")
        return 1


def _trust(where: PolicyLocations, file: PolicyFile) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise AnswerError("this is answered by a person at a terminal, and here is none")
    found = load_policy(where)
    if any(problem.path == file.path for problem in found.problems):
        raise AnswerError(f"{file.path} is wrong: see `interlock policy check {file.path}`")
    loosened = list(_preview_trust(found, file))
    paint = Painter(sys.stdout)
    if not loosened:
        print(
            f"{visible(file.path)} loosens"
            f" nothing{', or is trusted already' if _has_mark(where, file) else ''}:"
            " there is nothing"
            " to trust"
        )
        return 0
    print(f"{visible(file.path)} would loosen:")
    for line in loosened:
        print(f"  {paint('-', 'amber')} {visible(line)}")
    if input("Let it, as long as not one byte of it changes? [y/N] ").strip().lower() not in (
        "y",
        "yes",
    ):
        print("nothing was changed")
        return 1
    _mark(where, file)
    print(paint("✓ trusted, as it is now", "green"))
    return 0


def _preview_trust(found: LoadedPolicy, file: PolicyFile) -> Iterator[str]:
    """Yield what would hold besides, or instead, if the file were trusted: each with its line."""
    trusted = tuple(
        [
            layer.replace(loosens=True) if layer.path == file.path else layer
            for layer in found.layers
        ]
    )
    after = together(trusted, TODAY)
    rules = list(changes(found.merged, after))
    for one in rules:
        yield f"{one.rule}: {one.field} {one.old} -> {one.new}  ({', '.join(one.at)})"
    for origin in after.origins:
        if origin not in found.merged.origins and not any(
            about(origin.what, one.rule) for one in rules
        ):
            yield f"{origin.what}: {origin.value}  ({origin.at})"


def _has_mark(where: PolicyLocations, file: PolicyFile) -> bool:
    return look(trust_path(where, file), (where.owner,)).data is not None


def _mark(where: PolicyLocations, file: PolicyFile) -> None:
    """Note the trust. What was shown is what is trusted: the file is looked at once more."""
    if look(file.path, (where.owner, where.above)).data != file.data:
        raise AnswerError(f"{file.path} changed while it was asked about")
    path = trust_path(where, file)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError as error:
        raise AnswerError(f"{path} cannot be written: {error.strerror}") from None


def _revoke(where: PolicyLocations, file: PolicyFile) -> int:
    try:
        os.unlink(trust_path(where, file))
    except FileNotFoundError:
        print(f"{visible(file.path)} was not trusted")
        return 1
    except OSError as error:
        raise AnswerError(f"the trust cannot be taken back: {error.strerror}") from None
    print(f"{visible(file.path)} only tightens from now on")
    return 0
