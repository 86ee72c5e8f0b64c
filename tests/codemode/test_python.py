"""Python programs under guard, end to end, under every tier that this machine has."""

from __future__ import annotations

import os
import shutil
import time
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.permissions import RunPermissions
from interlock.sandbox.bounds import BUBBLEWRAP, Bounds
from tests.codemode.scenes import HELD, NONE, Ground, needs

if TYPE_CHECKING:
    from interlock.codemode.program import RunResult

EVERY = (*HELD, NONE)


def rules(result: RunResult) -> list[tuple[str, str]]:
    """Return what was refused, and by which rule."""
    return [(one.operation, one.rule) for one in result.refused]


@pytest.mark.parametrize("tier", EVERY)
def test_an_ordinary_program_runs(ground: Ground, tier: str) -> None:
    """A program that works in its workspace runs as it would without a guard, and its result names
    what held it.
    """
    source = "import json, sys\nopen('out.json', 'w').write(json.dumps([1]))\nprint(open('data.txt').read(), sys.argv[1:], file=sys.stdout)\n"
    result = ground.run(source, tier, arguments=("a", "b"))
    assert (result.status, result.code, result.stdout) == ("ran", 0, "some data ['a', 'b']\n"), (
        result
    )
    assert (ground.work / "out.json").read_text(encoding="utf-8") == "[1]"
    assert str(result.tier) == (tier if tier == NONE else f"kernel+guard ({tier})")


@pytest.mark.parametrize("tier", EVERY)
def test_a_refused_operation_is_data(ground: Ground, tier: str) -> None:
    """What is refused is told with operation, argument, rule, layer and the program's own line; the
    program sees a PermissionError.
    """
    target = ground.outside / "x"
    source = f"\n\ntry:\n    open({str(target)!r}, 'w')\nexcept PermissionError as error:\n    print(error)\n"
    result = ground.run(source, tier)
    assert result.status == "ran"
    (refused,) = result.refused
    assert (refused.operation, refused.argument, refused.where, refused.layer) == (
        "write",
        str(target),
        "program.py:4",
        "guard",
    )
    assert refused.rule == "workspace-write.change-outside"
    assert refused.instead
    assert "workspace-write.change-outside" in result.stdout
    assert not target.exists()


@pytest.mark.parametrize("tier", EVERY)
def test_an_allowed_folder_is_the_workspace_too(ground: Ground, tier: str) -> None:
    """The same program with the folder allowed writes there."""
    result = ground.run(
        f"open({str(ground.outside / 'x')!r}, 'w').write('y')",
        tier,
        RunPermissions(allow_paths=(str(ground.outside),)),
    )
    assert (result.status, rules(result)) == ("ran", []), result.stderr
    assert (ground.outside / "x").read_text(encoding="utf-8") == "y"


@pytest.mark.parametrize("tier", HELD)
def test_what_the_walls_hide_and_the_policy_allows_is_handed_over(
    ground: Ground, tier: str
) -> None:
    """A file outside that is no secret can be read, looked at and listed: the broker opens it."""
    source = f"""
import os, pathlib
note = pathlib.Path({str(ground.outside / "note.txt")!r})
print(note.read_text(), note.exists(), note.stat().st_size, os.listdir(note.parent), [e.is_file() for e in os.scandir(note.parent)])
print([(len(folders), files) for _, folders, files in os.walk(note.parent)])
"""
    result = ground.run(source, tier)
    assert result.stdout == "a note True 6 ['note.txt'] [True]\n[(0, ['note.txt'])]\n", result


@pytest.mark.parametrize("tier", EVERY)
def test_a_whole_folder_is_asked_about_and_one_file_is_not(ground: Ground, tier: str) -> None:
    """Removing a tree of the workspace is a question, which nobody answers here; removing a file
    that the program names is none.
    """
    result = ground.run("import os, shutil\nos.remove('data.txt')\nshutil.rmtree('src')\n", tier)
    assert result.status == "failed"
    assert [one.operation for one in result.refused] == ["rmtree"]
    assert not (ground.work / "data.txt").exists()
    assert (ground.work / "src").is_dir()


@pytest.mark.parametrize("tier", HELD)
def test_a_program_has_a_temporary_folder_of_its_own(ground: Ground, tier: str) -> None:
    """Temporary files work, whole trees of them go, and nothing of it is left."""
    source = """
import os, shutil, tempfile
folder = tempfile.mkdtemp()
open(folder + "/x", "w").write("y")
with tempfile.NamedTemporaryFile("w+") as file:
    file.write("z")
print(folder)
shutil.rmtree(folder)
print(os.path.exists(folder))
"""
    result = ground.run(source, tier)
    assert (result.status, rules(result)) == ("ran", []), result.stderr
    folder, gone = result.stdout.split()
    assert gone == "False"
    assert folder.startswith("/tmp/interlock-run-")


@pytest.mark.parametrize("tier", HELD)
def test_time_is_limited(ground: Ground, tier: str) -> None:
    """A program that does not end is interrupted, and killed with its children if it goes on."""
    source = "import os, time\nos.fork()\nwhile True:\n    try:\n        time.sleep(60)\n    except KeyboardInterrupt:\n        print('no', flush=True)\n"
    result = ground.run(source, tier, bounds=Bounds(seconds=5.0, grace=0.5))
    assert (result.status, result.code) == ("timeout", 124)
    assert "no" in result.stdout


@pytest.mark.parametrize("tier", EVERY)
def test_who_leaves_the_tree_is_ended_too(ground: Ground, tier: str) -> None:
    """A process that detaches itself does not outlive the run."""
    source = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for _ in range(600):
            open("alive", "a").write("x")
            time.sleep(0.05)
    os._exit(0)
os.wait()
while not os.path.exists("alive"):
    time.sleep(0.01)
"""
    assert ground.run(source, tier).status == "ran"
    size = (ground.work / "alive").stat().st_size
    time.sleep(0.3)
    assert (ground.work / "alive").stat().st_size == size


@pytest.mark.parametrize("tier", HELD)
def test_who_ends_when_interrupted_is_not_killed(ground: Ground, tier: str) -> None:
    """The interrupt is an interrupt: what is written last is still written."""
    source = "import time\ntry:\n    time.sleep(60)\nfinally:\n    open('last', 'w').write('x')\n"
    result = ground.run(source, tier, bounds=Bounds(seconds=5.0, grace=10))
    assert result.status == "timeout"
    assert (ground.work / "last").exists()


def test_output_is_kept_at_both_ends_and_whole_in_a_file(ground: Ground) -> None:
    """Of endless output beginning and end are in the result, all of it in a file."""
    result = ground.run(
        "print('first')\nprint('x' * 100000)\nprint('last')", NONE, bounds=Bounds(output=1000)
    )
    assert result.stdout.startswith("first")
    assert result.stdout.endswith("last\n")
    assert len(result.stdout) < 1500
    (path,) = result.spilled
    with open(path, encoding="utf-8") as file:
        assert len(file.read()) == 100000 + len("first\n\nlast\n")
    shutil.rmtree(os.path.dirname(path))


def test_short_output_needs_no_file(ground: Ground) -> None:
    """What fits is not written anywhere."""
    assert ground.run("print('x' * 100)", NONE, bounds=Bounds(output=1000)).spilled == ()


def test_memory_is_limited(ground: Ground) -> None:
    """A program that wants more memory than it may have gets an error, and one that does not gets
    it.
    """
    small = Bounds(memory=1 << 30)
    assert ground.run("b = bytearray(100 << 20)", NONE, bounds=small).status == "ran"
    result = ground.run("b = bytearray(2 << 30)", NONE, bounds=small)
    assert result.status == "failed"
    assert "MemoryError" in result.stderr


def test_a_file_does_not_grow_for_ever(ground: Ground) -> None:
    """A file is as big as it may be."""
    small = Bounds(file_size=1 << 20)
    assert ground.run("open('a', 'wb').write(bytes(1 << 19))", NONE, bounds=small).status == "ran"
    assert (
        ground.run("open('b', 'wb').write(bytes(1 << 22))", NONE, bounds=small).status == "failed"
    )
    assert (ground.work / "b").stat().st_size <= 1 << 20


@pytest.mark.parametrize("tier", HELD)
def test_processes_do_not_multiply_for_ever(ground: Ground, tier: str) -> None:
    """More processes than there may be end the run; a few do not."""
    few = "import os, time\nfor _ in range(3):\n    if os.fork() == 0:\n        time.sleep(0.3); os._exit(0)\nprint('ok')\nos.wait()\n"
    assert ground.run(few, tier, bounds=Bounds(processes=8, seconds=20)).status == "ran"
    many = "import os, time\nfor _ in range(30):\n    if os.fork() == 0:\n        time.sleep(60)\ntime.sleep(60)\n"
    result = ground.run(many, tier, bounds=Bounds(processes=8, seconds=20))
    assert result.status in ("killed", "failed")


def test_a_forked_program_asks_on_a_line_of_its_own(ground: Ground) -> None:
    """Children that ask at the same time all get their own answers."""
    source = f"""
import os
for number in range(6):
    if os.fork() == 0:
        for turn in range(20):
            try:
                open({str(ground.outside)!r} + f"/{{number}}-{{turn}}", "w")
            except PermissionError:
                pass
            else:
                os._exit(1)
            assert open("data.txt").read() == "some data"
            assert open({str(ground.outside / "note.txt")!r}).read() == "a note"
        os._exit(0)
print([os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(6)])
"""
    result = ground.run(source, NONE)
    assert result.stdout == "[0, 0, 0, 0, 0, 0]\n", result.stderr
    assert len(result.refused) == 120


def test_a_signal_that_comes_while_waiting_for_an_answer_may_ask(ground: Ground) -> None:
    """What a signal's handler does is asked about on a line of its own, so nobody waits for
    himself.
    """
    source = f"""
import signal
seen = []
def handler(*_):
    try:
        open({str(ground.outside / "from-handler")!r}, "w")
    except PermissionError:
        seen.append(1)
signal.signal(signal.SIGALRM, handler)
refused = 0
for turn in range(100):
    signal.setitimer(signal.ITIMER_REAL, 0.0001 + turn / 100000)
    try:
        open({str(ground.outside)!r} + f"/{{turn}}", "w")
    except PermissionError:
        refused += 1
print(refused, bool(seen))
"""
    result = ground.run(source, NONE)
    assert result.stdout == "100 True\n", (result.stdout, result.stderr)


def test_an_error_of_the_program_looks_as_it_always_does(ground: Ground) -> None:
    """A traceback shows the program's own lines and none of the guard's."""
    result = ground.run("def f():\n    return 1 / 0\nf()\n", NONE)
    assert (result.status, result.code) == ("failed", 1)
    assert "ZeroDivisionError" in result.stderr
    assert "return 1 / 0" in result.stderr
    assert "interlock/codemode" not in result.stderr


def test_what_is_denied_for_sure_stops_a_program_before_it_starts(ground: Ground) -> None:
    """A program that is to write outside does not do the half before; the line is named by every
    rule that speaks of it. Its twin inside runs.
    """
    first = "open('half', 'w').write('x')\n"
    result = ground.run_whole(first + f"open({str(ground.outside / 'x')!r}, 'w')\n", NONE)
    assert (result.status, result.code) == ("refused", 126)
    assert {(one.layer, one.where) for one in result.refused} == {("reader", "line 2")}
    assert not (ground.work / "half").exists()
    assert ground.run_whole(first, NONE).status == "ran"


@pytest.mark.parametrize("tier", HELD)
def test_what_the_kernel_refuses_says_so(ground: Ground, tier: str) -> None:
    """An error of the walls that the guard did not foresee is told as theirs."""
    source = f"import _io\n_io.FileIO({str(ground.outside / 'note.txt')!r})\n"
    result = ground.run(source, tier)
    assert result.status == "failed"
    assert tier == "bubblewrap" or [(one.layer, one.rule) for one in result.refused] == [
        ("kernel", "code.walls")
    ]


def test_required_walls_that_are_not_to_be_had_run_nothing(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the kernel required and not to be had nothing runs, and why is told; without the
    requirement it runs, and the tier says guard only.
    """
    from interlock.codemode import running
    from interlock.codemode.python.run import run as run_python
    from tests.codemode.scenes import TIERS

    monkeypatch.setattr(running, "kernel", lambda _: TIERS[NONE])
    source = "open('ran', 'w').write('x')"
    result = run_python(source, ground.scene(source, require="kernel"))
    assert (result.status, result.refused[0].rule) == ("refused", "code.require")
    assert "switched off for a test" in result.refused[0].message
    assert not (ground.work / "ran").exists()
    loose = run_python(source, ground.scene(source))
    assert (loose.status, str(loose.tier)) == ("ran", "guard only")


@pytest.mark.parametrize("tier", HELD)
def test_required_walls_that_are_there_hold(ground: Ground, tier: str) -> None:
    """The same requirement is met where the kernel can."""
    from interlock.codemode.python.run import run as run_python

    needs(tier)
    assert run_python("print(1)", ground.scene("", require="both")).status == "ran"


@pytest.mark.parametrize(
    "words",
    [
        ("carry", "", "", "mkdir", "WORK/x", "no number"), ("carry", "", "", "mkdir", "WORK/x", "9" * 40), ("carry", "", "", "mkdir", "WORK/x"),
        ("carry", "", "", "utime", "WORK/data.txt", "9" * 40, "1"), ("open", "", "", "WORK/data.txt", "9" * 40, "0"),
    ],
    ids=["no number", "too large", "missing", "no time", "no flags"],
)  # fmt: skip
def test_nonsense_on_the_line_is_denied_and_the_run_goes_on(
    ground: Ground, words: tuple[str, ...]
) -> None:
    """A program that writes into its own line what its guard would never write gets a no, as a
    program that is read; what it does else still runs.
    """
    message = "\0".join(words).replace("WORK", str(ground.work)).encode()
    source = f"""
import os, stat
for number in range(3, 64):
    try:
        is_line = stat.S_ISSOCK(os.fstat(number).st_mode)
    except OSError:
        continue
    if is_line:
        os.write(number, {message!r})
        print(os.read(number, 1000).split(b"\\0")[:2])
print(open("data.txt").read())
"""
    assert (
        ground.run(source, BUBBLEWRAP).stdout == "[b'deny', b'code.unknown-operation']\nsome data\n"
    )


@pytest.mark.parametrize("argument", ["a\0b", "x" * 300_000], ids=["a zero byte", "too long"])
def test_what_the_system_does_not_start_is_a_refusal(ground: Ground, argument: str) -> None:
    """An argument that no program can be given is said, and nothing ran."""
    result = ground.run("print(1)", BUBBLEWRAP, arguments=(argument,))
    assert (result.status, result.stdout, result.refused[0].rule) == ("refused", "", "code.not-run")


def test_a_guard_that_does_not_show_itself_ends_the_run(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program whose first word is not the canary is none that is guarded: nothing of its result
    counts.
    """
    from interlock.codemode.python import run as module

    monkeypatch.setattr(module, "BOOT", "print('unguarded')")
    result = ground.run("print(1)", NONE)
    assert (result.status, result.refused[0].rule) == ("refused", "code.not-armed")
