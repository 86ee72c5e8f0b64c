"""What an ask says of the loss: each command with its figures, a twin that loses nothing, and that
it never changes an answer.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.audit.log import Audit
from interlock.audit.query import last
from interlock.effects.read import read
from interlock.engine.radius import MAX_TOLD, render_examples, render_radius, size
from interlock.facts import Live, Recorded
from interlock.guard.blast_radius import radius, with_radius
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY
from interlock.model.call import ToolCall
from interlock.model.codec import decode, encode
from interlock.model.decision import Decision
from interlock.model.effect import HERE, WORKSPACE, Deletes, Effect, Place
from interlock.model.radius import Radius
from interlock.policy.builtin import builtin
from interlock.store.database import Store
from tests.facts.repositories import copied, made, run
from tests.test_import_budget import copied as installed_in

if TYPE_CHECKING:
    from interlock.model.radius import Stake


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the repository that all tests copy, with a little work in it that no commit has."""
    top = made(tmp_path_factory.mktemp("repositories"))
    run(
        "echo x >> src/a.py; echo n > src/new.py; mkdir d; echo n > d/new; ln -s src/a.py link", top
    )
    with closing(sqlite3.connect(top / "app.db")) as database, database:
        database.execute("create table t (x)")
    database.close()
    return top


@pytest.fixture
def top(original: Path, tmp_path: Path) -> Path:
    """Return a repository of the test's own."""
    return copied(original, tmp_path)


def call_of(top: Path, command: str, **fields: Any) -> ToolCall:
    """Return the call of a shell command in the repository."""
    return ToolCall(
        "shell",
        "Bash",
        {"command": command},
        cwd=str(top),
        roots=(str(top),),
        session="s",
        **fields,
    )


def lost(top: Path, command: str) -> Radius | None:
    """Return what a command would take away."""
    facts = Live(str(top.parent / "home"))
    return radius(read(call_of(top, command), facts).effects, facts)


def figures(found: Radius | None) -> dict[str, object]:
    """Return what is not at its default, apart from bytes, times and names."""
    shown = (
        {
            field: getattr(found, field)
            for field in Radius.fields
            if field not in ("size", "newest", "examples")
        }
        if found
        else {}
    )
    return {field: value for field, value in shown.items() if value != Radius.defaults[field]}


NOTHING: dict[str, object] = {}
CHANGED: dict[str, object] = {"files": 1, "changed": 1}
ROWS: list[tuple[str, dict[str, object], str, dict[str, object]]] = [
    # command, what it takes away, a twin that takes away nothing (or less), what that takes
    (
        "rm -rf src",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "rm -rf src/deep",
        NOTHING,
    ),
    (
        "rm -rf src/*",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "rm -rf src/*.none",
        NOTHING,
    ),
    (
        "rm -f src/*.py",
        {"files": 3, "committed": 1, "changed": 1, "untracked": 1},
        "rm -f src/c*.py",
        {"files": 1, "committed": 1},
    ),
    (
        "rm src/a.py src/new.py",
        {"files": 2, "changed": 1, "untracked": 1},
        "rm missing.py",
        NOTHING,
    ),
    (
        "rm -rf src src/a.py",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "rmdir src",
        NOTHING,
    ),
    ("rm link", {"files": 1, "untracked": 1}, "ls link", NOTHING),
    ("cd src && rm -rf deep new.py", {"files": 1, "untracked": 1}, "cd src && ls", NOTHING),
    ("rm -rf build", {"files": 1, "ignored": 1}, "ls build", NOTHING),
    (
        "find . -name '*.py' -delete",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1, "most": True},
        "find . -name '*.py'",
        NOTHING,
    ),
    (
        "find src -type f -exec rm {} +",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1, "most": True},
        "find src -type f",
        NOTHING,
    ),
    (
        "python3 -c 'import shutil; shutil.rmtree(\"src\")'",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "python3 -c 1",
        NOTHING,
    ),
    (
        "rsync -a --delete build/ src/",
        {
            "files": 4,
            "committed": 2,
            "changed": 1,
            "untracked": 1,
            "unknown": ("what is overwritten in src",),
        },
        "rsync -a build/ new/",
        NOTHING,
    ),
    ("git reset --hard", CHANGED, "git reset --soft HEAD~1", NOTHING),
    ("git reset --hard HEAD~2", {**CHANGED, "commits": 2}, "git reset HEAD~2", NOTHING),
    ("git reset --hard mine", {**CHANGED, "commits": 2}, "git log mine", NOTHING),
    ("git checkout -- .", CHANGED, "git checkout -b new", NOTHING),
    ("git checkout -- src/deep src/a.py", CHANGED, "git checkout -- top.txt", NOTHING),
    ("git checkout -f mine", CHANGED, "git checkout mine", NOTHING),
    ("git restore src", CHANGED, "git restore --staged src", NOTHING),
    ("git clean -fd", {"files": 4, "untracked": 4}, "git clean -n", NOTHING),
    ("git clean -f", {"files": 3, "untracked": 3}, "git clean -nf", NOTHING),
    ("git clean -fdx", {"files": 6, "untracked": 4, "ignored": 2}, "git clean -fd build", NOTHING),
    ("git clean -fdX", {"files": 2, "ignored": 2}, "git status", NOTHING),
    ("git branch -D mine", {"commits": 2}, "git branch -D merged", NOTHING),
    ("git branch -D mine topic", {"commits": 2}, "git branch -d mine", NOTHING),
    (
        "git update-ref -d refs/heads/mine",
        {"commits": 2},
        "git update-ref -d refs/heads/merged",
        NOTHING,
    ),
    ("git tag -d lone", {"commits": 1}, "git tag -d v1", NOTHING),
    ("git rm -rf src", CHANGED, "git rm -r src", NOTHING),
    (
        "git worktree remove -f src",
        {"files": 4, "committed": 2, "changed": 1, "untracked": 1},
        "git worktree remove src",
        NOTHING,
    ),
    ("git submodule deinit -f .", CHANGED, "git submodule status", NOTHING),
    ("git stash drop", {"stashes": 1}, "git stash drop stash@{5}", NOTHING),
    ("git stash clear", {"stashes": 2}, "git stash list", NOTHING),
    ("git push -f origin main:theirs", {"remote_commits": 2}, "git push origin main", NOTHING),
    (
        "git push -f origin topic~1:theirs",
        {"remote_commits": 1},
        "git push -f origin main",
        NOTHING,
    ),
    ("git push --mirror", {"remote_commits": 2}, "git push --all", NOTHING),
    (
        "git push origin --delete theirs",
        {"remote_commits": 2},
        "git push origin --delete merged",
        NOTHING,
    ),
    ("git push origin :theirs", {"remote_commits": 2}, "git push origin main:theirs", NOTHING),
    ("git push --force upstream", {"unknown": ("what upstream holds",)}, "git push", NOTHING),
    (
        "git push -f https://x.test/y main",
        {"unknown": ("what https://x.test/y would lose",)},
        "git push https://x.test/y main",
        NOTHING,
    ),
    ("git reflog expire --expire=now --all", NOTHING, "git reflog", NOTHING),
    (
        "git gc --prune=now",
        {"unknown": ("how many commits nothing names any more",)},
        "git gc",
        NOTHING,
    ),
    ("git filter-branch --all", {"commits": 4, "stashes": 2}, "git rebase main", NOTHING),
    (
        "cd d && git branch -D mine",
        {"commits": 2},
        "cd .. && git branch -D merged",
        {"unknown": ("what the repository holds, for none was found",)},
    ),
    (
        "git -C /nowhere branch -D mine",
        {"unknown": ("what the repository holds, for none was found",)},
        "git -C src branch -D merged",
        NOTHING,
    ),
    (
        "git branch -D $X",
        {"unknown": ("what git branch throws away, before it runs",)},
        "echo $X",
        NOTHING,
    ),
    ("> src/a.py", CHANGED, ">> src/a.py", NOTHING),
    ("echo x > src/c.py", {"files": 1, "committed": 1}, "echo x > src/fresh.py", NOTHING),
    ("echo x > link", CHANGED, "echo x > /dev/null", NOTHING),
    ("cp top.txt src/new.py", {"files": 1, "untracked": 1}, "cp top.txt src/fresh.py", NOTHING),
    ("mv top.txt src/new.py", {"files": 1, "untracked": 1}, "mv top.txt src/fresh.py", NOTHING),
    ("cp top.txt src", {"unknown": ("what is overwritten in src",)}, "cp -n top.txt src", NOTHING),
    ("truncate -s 0 src/a.py", CHANGED, "truncate -s 0 src/fresh.py", NOTHING),
    (
        "sed -i s/a/b/ src/a.py src/c.py",
        {"files": 2, "changed": 1, "committed": 1},
        "sed s/a/b/ src/a.py",
        NOTHING,
    ),
    ("shred -u src/new.py", {"files": 1, "untracked": 1}, "shred -u missing", NOTHING),
    (
        "docker volume rm x",
        {"unknown": ("how much docker rm x removes",)},
        "docker volume ls",
        NOTHING,
    ),
    (
        "kubectl delete pvc x",
        {"unknown": ("how much kubectl delete pvc x removes",)},
        "kubectl get pvc",
        NOTHING,
    ),
    ("dropdb x", {"unknown": ("how much x holds",)}, "psql -l", NOTHING),
    (
        "psql -c 'drop table t'",
        {"unknown": ("how much table t holds",)},
        "psql -c 'select 1'",
        NOTHING,
    ),
    (
        "sqlite3 app.db 'drop table t'",
        {"files": 1, "untracked": 1, "most": True},
        "sqlite3 app.db 'select 1'",
        NOTHING,
    ),
    ("rm -rf $X/y", {"unknown": ("what rm deletes, before it runs",)}, "ls $X/y", NOTHING),
    (
        "ssh host 'rm -rf /srv/x'",
        {"unknown": ("what /srv/x holds in remote host",)},
        "ssh host ls",
        NOTHING,
    ),
    (
        "dd if=/dev/zero of=/dev/sda",
        {"unknown": ("what is on /dev/sda",)},
        "dd if=top.txt of=/dev/null",
        NOTHING,
    ),
]


@pytest.mark.parametrize(
    ("command", "expected", "twin", "less"), ROWS, ids=[row[0] for row in ROWS]
)
def test_what_a_command_takes_away(
    top: Path, command: str, expected: dict[str, object], twin: str, less: dict[str, object]
) -> None:
    """A command takes away what its figures say, and its twin nothing, or what its own say."""
    assert figures(lost(top, command)) == expected
    assert figures(lost(top, twin)) == less


def test_an_edit_by_a_tool(top: Path) -> None:
    """A file that a tool writes over is at stake as any other; one that is new is not."""
    facts = Live(str(top.parent / "home"))
    for name, expected in (("src/a.py", CHANGED), ("src/fresh.py", NOTHING)):
        call = ToolCall(
            "write",
            "Write",
            {"file_path": f"{top}/{name}", "content": "x"},
            cwd=str(top),
            roots=(str(top),),
        )
        assert figures(radius(read(call, facts).effects, facts)) == expected


def test_many_files_that_are_written(top: Path) -> None:
    """Of the files that a call writes only so many are looked at, and the rest is said to be
    unknown.
    """
    run("mkdir many; for i in $(seq 90); do echo x > many/$i; done", top)
    found = lost(
        top, "; ".join([f"echo y > many/{number}" for number in range(1, 91)]) + "; rm src/new.py"
    )
    assert figures(found) == {
        "files": 64,
        "untracked": 64,
        "complete": False,
        "unknown": ("what the rest of the call overwrites, before it runs",),
    }
    assert figures(lost(top, "echo y > many/1; rm src/new.py")) == {"files": 2, "untracked": 2}


# -- when it is asked ------------------------------------------------------------------------------


class Counting(Live):
    """The disk, and how often it was asked what would be lost."""

    asked = 0

    def radius(self, stakes: tuple[Stake, ...]) -> Radius:
        """Count, and answer."""
        self.asked += 1
        return super().radius(stakes)


@pytest.mark.parametrize(
    ("command", "verdict", "asked"),
    [
        ("ls", VERDICT_ALLOW, 0),
        ("rm src/new.py", VERDICT_ALLOW, 0),
        ("rm -rf src/deep", VERDICT_ALLOW, 0),
        ("git push", VERDICT_ALLOW, 0),
        ("rm -rf src", VERDICT_ASK, 1),
        ("git branch -D mine; git stash clear; rm -rf src", VERDICT_ASK, 1),
        ("sudo ls", VERDICT_ASK, 0),
        ("rm -rf /", VERDICT_DENY, 0),
        ("rm -rf / src", VERDICT_DENY, 0),
    ],
)
def test_only_asks_are_looked_into(top: Path, command: str, verdict: object, asked: int) -> None:
    """What is allowed or denied outright costs no look at the disk; an ask costs one question,
    whatever it holds.
    """
    facts = Counting(str(top.parent / "home"))
    decision = Guard(builtin(), ask=NATIVE, facts=facts).check(call_of(top, command))
    assert (decision.verdict, facts.asked) == (verdict, asked)
    assert (decision.radius is not None) == bool(asked)


def test_a_refusal_because_nobody_can_be_asked_says_it_too(top: Path) -> None:
    """Where nobody can be asked the refusal holds what was at stake."""
    decision = Guard(builtin(), facts=Live(str(top.parent / "home"))).check(
        call_of(top, "git branch -D mine")
    )
    assert decision.verdict == VERDICT_DENY
    assert decision.radius == Radius(commits=2)


class Failing(Live):
    """The disk, and a count of what would be lost that fails."""

    def radius(self, stakes: tuple[Stake, ...]) -> Radius:
        """Fail."""
        raise RuntimeError(f"no \n answer for {len(stakes)}")


def test_a_failure_is_said_and_changes_nothing(top: Path) -> None:
    """Where it cannot be found out what would be lost, the answer is the same and the words say
    so.
    """
    call = call_of(top, "rm -rf src")
    decision = Guard(builtin(), ask=NATIVE, facts=Failing(str(top.parent / "home"))).check(call)
    assert decision.verdict == VERDICT_ASK
    assert decision.radius is not None
    assert (
        render_radius(decision.radius)
        == "it is not known what would be lost: no answer for 1 (RuntimeError)"
    )


@given(
    st.lists(
        st.builds(
            Effect,
            st.just(Deletes),
            st.text(max_size=9),
            st.just(Place(WORKSPACE, frozenset(), HERE)),
            only=st.just(("x",)),
        )
    )
)
def test_it_never_fails_and_never_changes_a_verdict(effects: list[Effect]) -> None:
    """Whatever the effects are, there is an answer, and the decision's findings stay."""
    decision = Decision("d")
    after = with_radius(decision, effects, Recorded())
    assert after.replace(radius=None) == decision


def test_it_is_recorded_without_secrets(top: Path, tmp_path: Path) -> None:
    """The row of the decision holds the figures, and no secret that stands in a file's name; the
    log's JSON shows it.
    """
    secret = "ghp_" + "a1B2" * 9
    run(f"mkdir names; echo 1 > names/{secret}.txt", top)
    store = Store(str(tmp_path / "store"))
    guard = Guard(builtin(), ask=NATIVE, facts=Live(str(top.parent / "home")), audit=Audit(store))
    decision = guard.check(call_of(top, "rm -rf names"))
    assert decision.radius is not None
    assert secret in decision.radius.examples[0]
    (row,) = last(store)
    assert secret not in json.dumps(row)
    kept = decode(Radius, json.loads(str(row["radius"])))
    assert (kept.files, kept.untracked, kept.size) == (1, 1, 2)
    assert "github" in kept.examples[0] or "<" in kept.examples[0]


ONLY_FOR_ASKS = {
    "interlock.guard.blast_radius",
    "interlock.engine.radius",
    "interlock.facts.radius",
    "interlock.facts.commits",
}
RUN = """
import sys
source, report = sys.argv[1:]
sys.path.append(source)
from interlock.cli.bundle import use
assert use(source + "/interlock")
import interlock.cli.hook as hook

def leave(code):
    ran = [name for name, module in sys.modules.items() if type(module).__name__ != "_LazyModule"]
    with open(report, "w") as file:
        file.write(" ".join(ran))
    sys.exit(code)

hook.leave = leave
hook.main(["claude-code"])
"""
"""Runs the hook as its file does, and notes which modules ran."""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package as `interlock install` leaves it."""
    return installed_in(tmp_path_factory.mktemp("installed"))


@pytest.mark.parametrize(
    ("command", "answer", "said"),
    [("git branch -D mine", "ask", "At stake: 2 commits exist only here"), ("ls", "", "")],
)
def test_the_hook_says_it_and_loads_nothing_of_it_for_what_is_allowed(
    installed: Path, top: Path, command: str, answer: str, said: str
) -> None:
    """The client's prompt holds what would be lost; an allowed call does not even load what would
    find it out.
    """
    event = {
        "session_id": "s",
        "cwd": str(top),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    environment = {"HOME": str(top.parent / "home"), "PATH": "/usr/bin:/bin"}
    report = top.parent / "report"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", RUN, str(installed), str(report)],
        input=json.dumps(event), env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    spoken = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
    assert spoken.get("permissionDecision", "") == answer
    assert said in spoken.get("permissionDecisionReason", "")
    ran = set(report.read_text().split())
    assert ran & ONLY_FOR_ASKS == (ONLY_FOR_ASKS if answer else set())


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Radius(), "nothing unsaved would be lost"),
        (
            Radius(312, 41_000_000, committed=309, untracked=3, commits=2),
            "312 files, 41 MB, 3 of them in no commit; 2 commits exist only here",
        ),
        (Radius(1, 1, committed=1), "1 file, 1 byte, as the last commit has it"),
        (Radius(2, 0, committed=2), "2 files, 0 bytes, as the last commit has them"),
        (Radius(2, 1500, changed=1, untracked=1), "2 files, 1.5 kB, all of them in no commit"),
        (Radius(9, 999, committed=4, ignored=5), "9 files, 999 bytes, 5 of them ignored by git"),
        (
            Radius(9, 10, changed=1, ignored=5, unversioned=3),
            "9 files, 10 bytes, 1 of them in no commit, 5 ignored by git, 3 under no version control",
        ),
        (Radius(4, 10), "4 files, 10 bytes, all of them perhaps in no commit"),
        (
            Radius(20000, 10**10, unversioned=20000, complete=False),
            "at least 20,000 files, 10 GB, all of them under no version control",
        ),
        (
            Radius(3, 10, unversioned=3, most=True),
            "up to 3 files, 10 bytes, all of them under no version control",
        ),
        (
            Radius(3, 10, unversioned=3, most=True, complete=False),
            "some of at least 3 files, 10 bytes, all of them under no version control",
        ),
        (Radius(commits=1), "1 commit exists only here"),
        (Radius(commits=3000, complete=False), "at least 3,000 commits exist only here"),
        (Radius(stashes=1), "1 stash"),
        (Radius(stashes=2, commits=1), "1 commit exists only here; 2 stashes"),
        (
            Radius(remote_commits=2),
            "2 commits of the remote, as it was last seen, would be gone there",
        ),
        (
            Radius(unknown=("how much x holds", "what y is")),
            "it is not known how much x holds and what y is",
        ),
        (
            Radius(complete=False),
            "not all of it could be checked; nothing unsaved would be lost in the rest",
        ),
        (Radius(unknown=("a\x1b[2J\u202eb\nc",)), "it is not known a\\x1b[2J\\u202eb c"),
    ],
)
def test_words(found: Radius, words: str) -> None:
    """The figures are one line that a person understands."""
    assert render_radius(found) == words


def test_names() -> None:
    """Names are quoted, shortened at the front, and hold nothing that a terminal would obey or that
    ends the quote.
    """
    assert (
        render_examples(Radius(examples=("a`b", "c\x1b[2J\u202e"))) == "`a'b`, `c\\x1b[2J\\u202e`"
    )
    assert render_examples(Radius(examples=("x" * 90 + ".py",))) == "`..." + "x" * 42 + ".py`"
    assert render_examples(Radius()) == ""


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (9949, "9.9 kB"),
        (9960, "10 kB"),
        (999_400, "999 kB"),
        (999_600, "1.0 MB"),
        (41_234_567, "41 MB"),
        (10**12, "1.0 TB"),
        (10**20, "100000 PB"),
    ],
)
def test_sizes(count: int, words: str) -> None:
    """Bytes are said in the unit that fits."""
    assert size(count) == words


@given(
    st.builds(
        Radius,
        files=st.integers(0, 10**9),
        size=st.integers(0, 2**64),
        examples=st.tuples(st.text()),
        unknown=st.tuples(st.text(max_size=999)),
    )
)
def test_every_radius_has_words(found: Radius) -> None:
    """Whatever the figures are, the line is printable, bounded, and one; and the record comes back
    from its JSON.
    """
    for line in (render_radius(found), render_examples(found)):
        assert line.isprintable()
        assert len(line) <= MAX_TOLD
    assert decode(Radius, encode(found)) == found


def test_both_together() -> None:
    """What two things take away is their sum; a bound that one of them hit is one of both."""
    one, other = (
        Radius(2, 10, changed=2, newest=5, examples=("a",)),
        Radius(1, 1, commits=3, newest=9, examples=("a", "b"), complete=False),
    )
    assert one.plus(other) == Radius(
        3, 11, changed=2, commits=3, newest=9, examples=("a", "b"), complete=False
    )
    assert one.plus(Radius()) == one
    assert Radius(1, most=True).plus(Radius(unknown=tuple("abcdef"))).unknown == tuple("abcd")
