"""A person is asked once for what a program will do, before it starts; what nobody could foresee is asked when it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from interlock.codemode.run import run
from interlock.model.decision import Approval

if TYPE_CHECKING:
    from interlock.model.call import ToolCall
    from interlock.model.decision import Decision
    from interlock.model.effect import Reading
    from tests.codemode.scenes import Ground


class Person:
    """Somebody at the terminal who says yes or no to everything, and remembers what it was."""

    def __init__(self, *, yes: bool) -> None:
        self.yes = yes
        self.asked: list[str] = []

    def __call__(self, decision: Decision, call: ToolCall, reading: Reading) -> Approval | None:
        """Answer."""
        del call
        self.asked.append(" ".join(sorted({str(effect.kind) for effect in reading.effects})))
        return Approval(decision.id, by="ann") if self.yes else None


def foreseen(ground: Ground) -> str:
    """Write a program whose only act anybody can read."""
    return f"import shutil\nshutil.rmtree({str(ground.work / 'src')!r})\n"


def hidden(ground: Ground) -> str:
    """Write the same so that nobody can read it before it runs."""
    return f"import shutil, sys\nshutil.rmtree({str(ground.work)!r} + '/' + ''.join(chr(ord(c) + 1) for c in sys.stdin.read() or 'rqb'))\n"


def test_what_is_foreseen_is_asked_once(ground: Ground) -> None:
    """A yes before the start counts for the operation too."""
    source, person = foreseen(ground), Person(yes=True)
    scene = ground.scene(source)
    scene.guard.ask = person
    result = run(source, "python", scene)
    assert (result.status, result.refused) == ("ran", ()), result
    assert len(person.asked) == 1
    assert not (ground.work / "src").exists()


def test_a_no_beforehand_runs_nothing(ground: Ground) -> None:
    """Who says no before the start is not asked again, and nothing ran."""
    source, person = "open('first', 'w').close()\n" + foreseen(ground), Person(yes=False)
    scene = ground.scene(source)
    scene.guard.ask = person
    result = run(source, "python", scene)
    assert (result.status, result.refused[0].layer) == ("refused", "reader")
    assert len(person.asked) == 1
    assert not (ground.work / "first").exists()


def test_what_nobody_foresaw_is_asked_when_it_comes(ground: Ground) -> None:
    """The operation itself is asked about; a yes lets it be done, a no refuses it and nothing else."""
    source = hidden(ground)
    for person in (Person(yes=False), Person(yes=True)):
        scene = ground.scene("pass")
        scene.guard.ask = person
        result = run(source, "python", scene)
        assert person.asked == ["deletes"], result
        assert result.status == ("ran" if person.yes else "failed"), result
        assert (ground.work / "src").exists() is not person.yes


def test_where_nobody_can_be_asked_the_rest_still_runs(ground: Ground) -> None:
    """A question that nobody can answer refuses the operation, with its line, and not the program."""
    source = "open('first', 'w').close()\n" + foreseen(ground)
    result = run(source, "python", ground.scene(source))
    assert (ground.work / "first").exists()
    assert (ground.work / "src").exists()
    assert [(one.operation, one.where, one.layer) for one in result.refused] == [("rmtree", "program.py:3", "guard")]
