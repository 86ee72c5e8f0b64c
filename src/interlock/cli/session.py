"""``interlock policy session FILE``: a policy file for one session, put there by a person at a
terminal; ``--clear`` takes it away.

It is the lowest layer: it may loosen what is built in, down to the floors, and nothing that a layer
above it tightened. It lies among the guard's own files, which no agent may write, and counts from
the session's next call on. Exit codes: 0 done; 1 not; 2 the file is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys

from interlock.approvals.answers import AnswerError
from interlock.cli import build, person_check
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.policies import TODAY, load_policy
from interlock.cli.policy_cases import WRONG, content
from interlock.integrations.writing import whole
from interlock.policy.builtin import builtin
from interlock.policy.files import PolicyLocations, is_own_home, places
from interlock.policy.layer import Layer
from interlock.policy.lint import lint
from interlock.policy.load import compile_file, together
from interlock.policy.merge import MergedPolicy
from interlock.policy.problem import PolicyError, PolicyProblems
from interlock.policy.schema import SESSION
from interlock.policy.source import PolicySource

_LAST = """SELECT session_id, cwd, roots FROM guardrail_audit_log WHERE session_id != '' ORDER BY id DESC LIMIT 1000"""


def run(options: argparse.Namespace) -> int:
    """Show what the file would change and ask; or take it away."""
    if len(options.files) != (0 if options.clear else 1):
        complain(
            "interlock policy session: name one file that is to hold for the session, or give"
            " --clear and none\n"
        )
        return WRONG
    try:
        store = build.store(os.environ)
        session = options.session or _last(os.getcwd())
        where = places(os.environ, os.getcwd(), session)
        person_check.needs_person(store, given=options.token)
        return (
            _clear_policy(where)
            if options.clear
            else _apply_file(where, os.path.abspath(options.files[0]))
        )
    except PolicyError as error:
        complain(f"{error}\n")
        return WRONG
    except (AnswerError, build.StoreError) as why:
        complain(f"interlock policy session: {why}\n")
        return 1


def _last(folder: str) -> str:
    """Return the session that worked in a folder last."""
    for session, cwd, roots in build.store(os.environ).query(_LAST):
        if cwd == folder or f'"{folder}"' in str(roots):
            return str(session)
    raise AnswerError(
        "no session was seen in this folder yet: name one with --session (`interlock log` shows"
        " them)"
    )


def _apply_file(where: PolicyLocations, path: str) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise AnswerError("this is answered by a person at a terminal, and here is none")
    data = content(path)
    merged, layer = _merge_file(where, data, path)
    known = {rule.id: rule for rule in merged.policy.rules}
    paint = Painter(sys.stdout)
    print(f"for the session {visible(where.session)}, from its next call on:")
    for one in merged.origins:
        if one.at.startswith(f"{path}:"):
            print(f"  {paint('-', 'amber')} {visible(one.what)}: {visible(one.value)}")
    for note in (
        *[note for note in merged.notes if note.startswith(f"{path}:")],
        *lint(layer, known, build.reader(where.home), TODAY),
    ):
        print(f"  {paint('!', 'amber')} {visible(note)}")
    if input("Let it hold? [y/N] ").strip().lower() not in ("y", "yes"):
        print("nothing was changed")
        return 1
    _write(where.session_file, data)
    print(paint("✓ it holds; `interlock policy session --clear` takes it away", "green"))
    return 0


def _merge_file(where: PolicyLocations, data: bytes, path: str) -> tuple[MergedPolicy, Layer]:
    """Return the policy with the file as the session's layer; raises ``PolicyError``."""
    found = load_policy(where.replace(session=""))
    known = {rule.id: rule for rule in (*builtin().rules, *found.policy.rules)}
    mine = is_own_home(where.home, where.owner)
    source = PolicySource(
        SESSION,
        path,
        where.home,
        known,
        build.reader(where.home),
        PolicyProblems(path),
        loosens=mine,
    )
    layers, problems = compile_file(data, path, source)
    for problem in problems.found:
        print(problem.text())
    return together((*found.layers, *layers), TODAY), layers[0]


def _write(path: str, data: bytes) -> None:
    """Write what was shown, whole or not at all."""
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        whole(path, data, 0o600)
    except OSError as error:
        raise AnswerError(f"{path} cannot be written: {error.strerror}") from None


def _clear_policy(where: PolicyLocations) -> int:
    try:
        os.unlink(where.session_file)
    except FileNotFoundError:
        print(f"the session {visible(where.session)} has no policy of its own")
        return 1
    except OSError as error:
        raise AnswerError(f"{where.session_file} cannot be taken away: {error.strerror}") from None
    print(f"the session {visible(where.session)} has no policy of its own any more")
    return 0
