"""Commands are run in a sandbox, and what happened must have been read: a write, delete, start or
connection that was not is a failure.

``INTERLOCK_FUZZ=SECONDS`` makes up new commands for that long (``make e2e``); without it the same
ones are run every time.
"""

from __future__ import annotations

import os
import time
from collections import Counter

import pytest

from interlock.model.effect import Deletes, DiscardsWork, Effect, Kind, Writes
from tests.oracle.compare import Read, Verdict, compare, idle, read
from tests.oracle.made import Made, commands, git_commands
from tests.oracle.sandbox import Sandbox, escapes, why_not
from tests.oracle.trace import DELETED, MADE, STARTED, WROTE, happenings
from tests.oracle.world import PROJECT, REPOSITORY

WHY_NOT = why_not()
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT or "the sandbox is there")
IDLE = Counter[str]()
"""By program: writes and deletes that were read for certain and did not happen (the file was not
there, the command failed).
"""
SECONDS = int(os.environ.get("INTERLOCK_FUZZ") or 20)

PLAIN = (
    "rm -rf build/* && mv notes.txt docs/ && chmod 600 data.csv",
    "cd docs; (cd ../src; mv a.py z.py) & sleep 0.05; touch here; wait; cd ..; rm data.csv",
    "find . -name '*.md' -exec sh -c 'rm \"$1\"' _ {} \\;",
    'for f in *.txt; do cp "$f" "$f.bak"; done; tar czf all.tgz src --remove-files',
    "sed -i.bak s/old/new/ notes.txt; python3 -c \"import shutil; shutil.rmtree('build')\"",
    "echo 'rm notes.txt' > s.sh; sh s.sh; x=data.csv; eval 'rm $x'",
    "printf '%s\\n' notes.txt data.csv | xargs -l rm; echo x > ~/old/thing.txt; rm away/one.jpg",
    "git init -q . && git add -A && git -c user.name=x -c user.email=x@y.test commit -qm x",
    "echo cm0gbm90ZXMudHh0Cg== | base64 -d | sh; cat > n1 <<E\nbody\nE\nexec 3> n2; echo x >&3",
    "trap 'rm -f notes.txt' EXIT; f() { rm -f \"$1\"; }; f data.csv",
)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """Make a sandbox, and refuse to go on where something of this machine can be reached from
    inside.
    """
    made = Sandbox(tmp_path_factory.mktemp("world"))
    canary = tmp_path_factory.mktemp("outside") / "canary"
    canary.write_text("alive")
    reached = escapes(made, canary)
    if reached:
        pytest.exit(f"nothing destructive is run: {reached}", returncode=3)
    return made


def verdicts(sandbox: Sandbox, command: str, cwd: str = PROJECT) -> tuple[Read, list[Verdict]]:
    """Read a command, run it, and judge everything that happened."""
    seen, happened = read(command, sandbox.world, cwd), happenings(sandbox.trace(command, cwd), cwd)
    IDLE.update(effect.by for effect in idle(seen, happened, sandbox.world))
    return seen, compare(seen, happened, sandbox.world)


def missed(sandbox: Sandbox, made: list[str], cwd: str = PROJECT) -> tuple[list[str], Counter[str]]:
    """Return what happened and was not read, by command, and how often what was judged how."""
    found, counted = [], Counter[str]()
    for command in made:
        _, judged = verdicts(sandbox, command, cwd)
        counted.update(verdict.why for verdict in judged)
        wrong = sorted({str(verdict.happening) for verdict in judged if verdict.why == "missed"})
        if wrong:
            found.append(f"{command}\n    " + "\n    ".join(wrong))
    return found, counted


def test_everyday_forms(sandbox: Sandbox) -> None:
    """Commands of many parts: every part that happened was read, by name."""
    found, counted = missed(sandbox, list(PLAIN))
    assert not found, "\n".join(found)
    assert counted["certain"] > 60


def test_made_up_commands(sandbox: Sandbox) -> None:
    """What commands made up by a seed do to files, and what they start, is read."""
    found, counted = missed(sandbox, commands(Made(2026), 110))
    assert not found, "\n".join(found)
    assert counted["certain"] > 150


def test_git(sandbox: Sandbox) -> None:
    """What git starts, writes and deletes in a repository is read."""
    found, counted = missed(sandbox, git_commands(Made(2026), 25), REPOSITORY)
    assert not found, "\n".join(found)
    assert counted["explained"] > 100


# -- what git loses --------------------------------------------------------------------------------

LEFT = """
git rev-list --objects --all --reflog --indexed-objects | cut -c1-40 | git cat-file --batch-check='%(objecttype) %(objectname)' | sed -n 's/^blob //p'
git ls-files -s 2>/dev/null | cut -d' ' -f2
find . ../wt ../copy ../repo -type f -not -path '*/.git/*' -exec git hash-object --no-filters -t blob {} + 2>/dev/null
"""


def contents_left(sandbox: Sandbox, command: str) -> set[str]:
    """Return the ids of all contents that files, the index, or anything git still reaches hold
    after a command.
    """
    return set(sandbox.look(command, LEFT, REPOSITORY).split())


def says_lost(effect: Effect) -> bool:
    """Whether an effect says that work is lost, or that files are deleted or overwritten."""
    kinds: tuple[Kind, ...] = (DiscardsWork, Deletes, Writes)
    return effect.kind in kinds or str(effect.kind) == "rewrites-history"


def test_what_git_loses_is_said(sandbox: Sandbox) -> None:
    """A git command after which something is nowhere any more was read as one that loses it."""
    before = contents_left(sandbox, "true")
    assert len(before) > 10
    silent = []
    for command in git_commands(Made(7), 25):
        lost = before - contents_left(sandbox, command)
        if lost and not any(
            says_lost(effect) for effect in read(command, sandbox.world, REPOSITORY).effects
        ):
            silent.append(f"{command}: {len(lost)} contents are gone")
    assert not silent, "\n".join(silent)


# -- the oracle itself -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("rm notes.txt", Deletes),
        ("echo x > made.txt", Writes),
        ("mv notes.txt n2", Deletes),
        ("cd docs && touch here", Writes),
    ],
)
def test_bites(sandbox: Sandbox, command: str, kind: Kind) -> None:
    """Without the effect that says so, the same happening is a miss."""
    seen, judged = verdicts(sandbox, command)
    assert not [verdict for verdict in judged if verdict.why == "missed"]
    blind = Read(tuple([effect for effect in seen.effects if effect.kind != kind]), seen.programs)
    happened = happenings(sandbox.trace(command), PROJECT)
    assert [
        verdict for verdict in compare(blind, happened, sandbox.world) if verdict.why == "missed"
    ]


def test_bites_on_programs(sandbox: Sandbox) -> None:
    """A program that was not met is a miss."""
    blind = read("true", sandbox.world)
    judged = compare(
        blind, happenings(sandbox.trace("/usr/bin/env touch x"), PROJECT), sandbox.world
    )
    assert {
        (verdict.happening.what, verdict.happening.path)
        for verdict in judged
        if verdict.why == "missed"
    } >= {
        (STARTED, "/usr/bin/env"),
        (STARTED, "/usr/bin/touch"),
        (WROTE, f"{PROJECT}/x"),
    }


def test_traces_are_told_apart() -> None:
    """Interrupted lines are joined, folders are followed through forks, and names are decoded."""
    trace = """
10 chdir("/a") = 0
10 clone(child_stack=NULL, flags=SIGCHLD) = 11
11 unlink("b\\303\\244 \\"c\\"") = 0
10 mkdir("d", 0777 <unfinished ...>
11 rename("e", "/f") = -1 ENOENT (No such file or directory)
10 <... mkdir resumed>) = 0
11 openat(AT_FDCWD</a>, "g", O_WRONLY|O_CREAT, 0666) = 3</real/g>
11 unlink("/usr/x") = -1 EROFS (Read-only file system)
"""
    found = [(h.what, h.path, h.real) for h in happenings(trace, "/")]
    assert found == [
        (DELETED, '/a/b\u00e4 "c"', ""),
        (MADE, "/a/d", ""),
        (WROTE, "/a/g", "/real/g"),
        (DELETED, "/usr/x", ""),
    ]


@pytest.mark.e2e
@pytest.mark.long
def test_new_commands_every_time(sandbox: Sandbox) -> None:
    """The same laws for commands nobody has seen, for as long as is asked."""
    seed, count, counted, found = time.time_ns() % 2**32, 0, Counter[str](), list[str]()
    rng, end = Made(seed), time.monotonic() + SECONDS
    while time.monotonic() < end:
        for made, cwd in ((commands(rng, 20), PROJECT), (git_commands(rng, 5), REPOSITORY)):
            wrong, how = missed(sandbox, made, cwd)
            count, found = count + len(made), found + wrong
            counted.update(how)
    print(  # noqa: T201 - a long run says what it did
        f"seed {seed}: {count} commands, {dict(counted)}, read and idle: {dict(IDLE.most_common(20))}"
    )
    assert not found, f"seed {seed}\n" + "\n".join(found)
