"""When what is at stake is found out, and in which words it is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.audit.log import Audit
from interlock.audit.query import last
from interlock.engine.radius import MAX_TOLD, render_examples, render_radius, size
from interlock.facts import Live, Recorded
from interlock.guard.blast_radius import with_radius
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.model.action import VERDICT_ALLOW, VERDICT_ASK, VERDICT_DENY
from interlock.model.codec import decode, encode
from interlock.model.decision import Decision
from interlock.model.effect import HERE, WORKSPACE, Deletes, Effect, Place
from interlock.model.radius import Radius
from interlock.policy.builtin import builtin
from interlock.store.database import Store
from tests.facts.repositories import run
from tests.test_import_budget import copied as installed_in

if TYPE_CHECKING:
    from interlock.model.radius import Stake
from tests.guard import test_blast
from tests.guard.test_blast import call_of

original = test_blast.original
top = test_blast.top


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
