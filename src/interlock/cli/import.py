"""``interlock import TOOL [FILE ...]``: read the rules of another guard, or of an agent's client,
and propose a policy; what does not translate is said line by line.

The policy goes to standard output, the report to standard error, so `interlock import codex >
policy.yaml` keeps the two apart. Only what makes interlock stricter is carried over, with hosts and
folders of your own; what another program allows is judged, and you are told where interlock would
still ask. Nothing of it holds before it stands in your policy: `--write` puts it there, if you have
none yet. Exit codes: 0 done; 1 nothing was found, or it cannot be read or written.
"""

from __future__ import annotations

import argparse
import glob
import os
import sys
import time
from collections.abc import Iterator
from types import ModuleType

from interlock.approvals.answers import AnswerError
from interlock.cli import build, person_check
from interlock.cli.colors import Painter, visible
from interlock.cli.policy_cases import content, here, judge_case
from interlock.integrations.changes import Change
from interlock.integrations.importing import claude, codex, dippy, nah, safetynet
from interlock.integrations.importing.proposal import (
    ConfigLine,
    UnreadError,
    check_line,
    render_policy,
)
from interlock.integrations.install import SettingsError
from interlock.model.action import ALLOW, WARN
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.policy.builtin import builtin
from interlock.policy.cases import Case
from interlock.policy.compare import of_file
from interlock.policy.examples import HOME
from interlock.policy.problem import PolicyError, PolicyProblems
from interlock.policy.schema import USER
from interlock.policy.source import PolicySource

NAME = "import"
SUMMARY = "propose a policy from another guard's or client's rules"
TOOLS: dict[str, ModuleType] = {
    "cc-safety-net": safetynet,
    "claude-code": claude,
    "codex": codex,
    "dippy": dippy,
    "nah": nah,
}
"""Each reads one program's files: ``FILES``, where they lie, and ``lines(text, path)``."""
YOURS = "your policy"


class ImportedFile(Record):
    """A file that was read: its path, and its lines."""

    path: str
    lines: tuple[ConfigLine, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is read, and where it is written."""
    parser.add_argument("tool", metavar="TOOL", choices=sorted(TOOLS), help=", ".join(TOOLS))
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="its files (else those of your home and of this folder)",
    )
    parser.add_argument(
        "--write",
        nargs="?",
        const=YOURS,
        metavar="POLICY",
        help="write the proposal into this file, or your own policy; one that is there stays",
    )


def run(options: argparse.Namespace) -> int:
    """Propose, or write."""
    try:
        found = list(_read(options.tool, options.files))
        proposed = render_policy([line for one in found for line in one.lines], options.tool)
        policy = _policy(proposed)
        _report(found, policy)
        if options.write:
            return _write(options.write, proposed)
        sys.stdout.write(proposed)
    except (UnreadError, PolicyError, AnswerError, SettingsError) as problem:
        sys.stderr.write(f"interlock import: {problem}\n")
        return 1
    return 0


def _read(tool: str, files: list[str]) -> Iterator[ImportedFile]:
    """Yield what was read; raises ``UnreadError`` where there is nothing to read."""
    reader = TOOLS[tool]
    paths = files or _there(reader.FILES)
    if not paths:
        looked = ", ".join(reader.FILES)
        raise UnreadError(f"no file of {tool} is here (looked for {looked}); name one")
    for path in paths:
        try:
            text = content(path).decode("utf-8", "replace")
        except PolicyError as problem:
            raise UnreadError(str(problem)) from None
        try:
            found = [
                check_line(line) for line in reader.lines(text, _shorten_home(path, reader.FILES))
            ]
        except UnreadError as problem:
            raise UnreadError(f"{path}: {problem}") from None
        yield ImportedFile(path, tuple(found))


def _there(places: tuple[str, ...]) -> list[str]:
    """Return the files that lie where they do by default, each once."""
    found = [path for place in places for path in sorted(glob.glob(os.path.expanduser(place)))]
    return list(
        {os.path.realpath(path): path for path in reversed(found) if os.path.isfile(path)}.values()
    )[::-1]


def _shorten_home(path: str, places: tuple[str, ...]) -> str:
    """Return a path, with ``~/`` before the user's own files: their paths count from there."""
    home = os.path.expanduser("~/")
    whole = os.path.abspath(path)
    own = any(
        place[:2] == "~/" and "*" not in place and whole == home + place[2:] for place in places
    )
    return "~/" + whole.removeprefix(home) if own else path


def _policy(proposed: str) -> Policy:
    """Return the policy that the proposal makes of the built-in rules; raises ``PolicyError`` where
    it is none, which its author would have to be told.
    """
    if not proposed:
        return builtin()
    known = {rule.id: rule for rule in builtin().rules}
    home = here().home
    path = "proposal.yaml"
    source = PolicySource(
        USER, path, home, known, build.reader(home), PolicyProblems(path), loosens=True
    )
    return of_file(proposed.encode(), source, time.strftime("%Y-%m-%d", time.gmtime())).policy


def _report(found: list[ImportedFile], policy: Policy) -> None:
    """Say of each line what became of it."""
    paint, counts = Painter(sys.stderr), {"carried over": 0, "need nothing": 0, "not": 0}
    for one in found:
        sys.stderr.write(f"{paint(visible(one.path), 'bold')}\n")
        for line in one.lines:
            colour, key, said = _describe_line(line, policy)
            counts[key] += 1
            sys.stderr.write(f"  {visible(line.where)}: {visible(line.said)[:100]}\n")
            sys.stderr.write(f"      {paint(visible(said), colour)}\n")
    total = sum(counts.values())
    sys.stderr.write(
        f"{total} {'line' if total == 1 else 'lines'}: {counts['carried over']} carried over,"
        f" {counts['need nothing']} need nothing, {counts['not']} not translated\n"
    )


def _describe_line(line: ConfigLine, policy: Policy) -> tuple[str, str, str]:
    """Return a colour, what it counts as, and what is said of a line."""
    if line.carried:
        return "green", "carried over", f"carried over{f': {line.note}' if line.note else ''}"
    if line.needless:
        return "green", "need nothing", f"needs nothing: {line.note}"
    if line.note or not line.allows:
        return "amber", "not", f"not translated: {line.note}"
    asked = [(command, rules) for command in line.allows if (rules := _asking(command, policy))]
    if not asked:
        return "green", "need nothing", "needs nothing: interlock does not ask about it"
    command, rules = asked[0]
    said = f"interlock answers `{command}` with a question or a refusal, by {', '.join(rules)}"
    return "amber", "not", f"not translated: {said}"


def _asking(command: str, policy: Policy) -> list[str]:
    """Return the rules for which a command would be asked about or refused."""
    _, decision = judge_case(Case("", command, "", 0, 0), policy, HOME)
    if decision.action in (ALLOW, WARN):
        return []
    return list(dict.fromkeys([one.rule for one in decision.findings if one.effective > WARN]))


def _write(where: str, proposed: str) -> int:
    """Write the proposal into a file that is not there yet; raises ``AnswerError`` for an agent."""
    person_check.refuses_agents("write your policy", given=False)
    path = here().user_file if where == YOURS else os.path.abspath(where)
    if not path:
        raise UnreadError("HOME is not set, so there is no place for a policy of yours")
    if not proposed:
        raise UnreadError("nothing of it translates, so nothing was written")
    if os.path.lexists(path):
        raise UnreadError(
            f"{path} is there already, and stays as it is; write to another file, put what you want"
            f" of it into yours, and check it: interlock policy check {path}"
        )
    Change(path, "", proposed).make()
    print(f"wrote {path}; what holds now: interlock policy show")
    return 0
