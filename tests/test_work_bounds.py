"""Texts that would grow without bound if they were followed to the end: each is answered, and what
was not followed is said.
"""

from __future__ import annotations

import pytest

from interlock.effects import registry
from interlock.effects.context import CallContext
from interlock.effects.gathering import MAX_EFFECTS
from interlock.effects.shell import ShellReader
from interlock.facts import Recorded
from interlock.shell.frame import MAX_COMMANDS
from interlock.shell.state import ShellState
from interlock.shell.walk import Walker
from tests.judging import ROOT, judged, shell

BOMBS = {
    "loops in loops": "for ((a=0;a<500;a++)); do for ((b=0;b<500;b++)); do x+=$a; done; done",
    "items in items": "for a in {1..60}; do for b in {1..60}; do for c in {1..60}; do x=$a$b$c; done; done; done",
    "doubled text": "x=a; for ((i=0;i<400;i++)); do x=$x$x; done; echo $x",
    "wide fields": "for ((i=0;i<500;i++)); do x+=$(printf '%4096s' a); done",
    "choices of choices": ";".join(
        [f"if t; then a{at}=x; else a{at}=y; fi; b{at}=$a{at}" for at in range(100)]
    ),
    "subscripts that expand each other": "x='a[$((y))$((y))]'; y='a[$((z))$((z))]'; z='a[$((x))$((x))]'; echo $((x))",
    "variables that double each other": "a0=1; "
    + "; ".join([f"a{at}='a{at - 1}+a{at - 1}'" for at in range(1, 40)])
    + "; echo $((a39))",
    "functions that call twice": "".join(
        [f"f{at}() {{ f{at + 1}; f{at + 1}; }}; " for at in range(20)]
    )
    + "f20() { echo x; }; f0",
    "eval of itself": "x='eval $x; eval $x'; eval \"$x\"",
    "many patterns": "; ".join([f"echo {at} > d/{at}" for at in range(200)])
    + "; "
    + "; ".join([f"cat d/*{at}*?*[0-9]*" for at in range(200)]),
    "names of names": "declare -n a=b; declare -n b=a; echo $a $b; a=1",
    "aliases of aliases": "alias -g A='A A'; alias B='B B'; A A A; B B",
    "endless": "while true; do while true; do while true; do echo a; done; done; done",
    "hashes of hashes": "for ((i=0;i<500;i++)); do x=$(echo $x | md5sum | rev); done",
}


@pytest.mark.parametrize("name", BOMBS)
def test_work_ends(name: str) -> None:
    """A bounded number of commands is followed, and there is an answer."""
    context = CallContext(shell(BOMBS[name]), Recorded("/home/user"), registry)
    reader = ShellReader(context)
    state = ShellState(ROOT, "/home/user", lambda _name: None)
    state.arguments = []
    walker = Walker(reader, state)
    walker.nested(BOMBS[name], 0, len(BOMBS[name]), "input", state)
    assert len(walker.texts) <= MAX_COMMANDS
    assert len(context.found().effects) <= MAX_EFFECTS + 1
    assert judged(BOMBS[name]).verdict is not None


@pytest.mark.parametrize(
    "text",
    [
        "seq --1",
        "echo {--1..3}",
        "echo {\u00b2..3}",
        "shift \u00b2",
        "shift --1",
        "[ --1 -eq 1 ]",
        "head --1 f",
        "echo $((\u00b2))",
        "$\u00b2",
    ],
)
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    """Signs without digits and digits of other scripts raise nothing."""
    assert judged(text).verdict is not None
