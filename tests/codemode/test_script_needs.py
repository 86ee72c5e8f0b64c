"""A program that says which packages it needs (PEP 723) runs in the environment that the real uv
made for it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.codemode import running
from interlock.codemode.python.run import run
from interlock.codemode.python.script import environment_of, needs
from tests.codemode import scenes
from tests.codemode.scenes import HELD, NONE, TIERS

if TYPE_CHECKING:
    from interlock.codemode.program import RunResult
    from tests.codemode.scenes import Ground

UV = str(Path(sys.executable).with_name("uv"))
BLOCK = "# /// script\n# dependencies = [{0}]\n# ///\n"
SAID = {
    BLOCK.format('"six", "attrs>=23"'): ("six", "attrs>=23"),
    "#!/usr/bin/env -S uv run --script\n#\n" + BLOCK.format('"six"') + "import six\n": ("six",),
    '# /// script\n# dependencies = [\n#   "six",\n# ]\n#\n# [tool.x]\n# ///\n': ("six",),
    BLOCK.format(""): (),
    '# /// script\n# requires-python = ">=3.11"\n# ///\n': (),
    BLOCK.format("six"): (),  # no TOML
    BLOCK.format("7"): (),
    BLOCK.format('"six"') + BLOCK.format('"attrs"'): (),  # an error, as PEP 723 says
    '# /// script\n# dependencies = ["six"]\n': (),  # does not end
    'print("# /// script")\n': (),
    "": (),
}


@pytest.mark.parametrize(("source", "wanted"), SAID.items())
def test_what_a_program_needs(source: str, wanted: tuple[str, ...]) -> None:
    """As the reference of PEP 723 reads it; nonsense needs nothing."""
    assert needs(source) == wanted


def wheel(folder: Path) -> Path:
    """Write a package of one module, as a file that uv installs without a network."""
    path = folder / "tiny-1-py3-none-any.whl"
    about = {
        "METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("tiny.py", "WORD = 'from its own environment'\n")
        for name, text in about.items():
            made.writestr(f"tiny-1.dist-info/{name}", text)
    return path


def run_file(
    ground: Ground, file: Path, tier: str, python: str = ""
) -> tuple[RunResult, list[str]]:
    """Run a program from its file; return its result, and what was told before it started."""
    scenes.needs(tier)
    source, told = file.read_text(encoding="utf-8"), list[str]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "kernel", lambda _: TIERS[tier])
        scene = ground.scene(source)
        scene.report = told.append
        scene.python = python
        return run(source, scene, (), str(file)), told


@pytest.mark.parametrize("tier", [*HELD, NONE])
def test_it_runs_in_the_environment_that_was_made(
    ground: Ground, tier: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is made the way to make it is told; that way works.

    The uv is a copy: one in a clone below a folder for temporary files would not be trusted.
    """
    shutil.copy(UV, ground.outside)
    monkeypatch.setenv("PATH", f"{ground.outside}:{os.environ['PATH']}")
    file = ground.work / "prog.py"
    needed = f'"tiny @ {wheel(ground.outside).as_uri()}"'
    file.write_text(f"{BLOCK.format(needed)}import tiny\nprint(tiny.WORD)\n", encoding="utf-8")
    before, told = run_file(ground, file, tier)
    assert before.status == "failed"
    [advice] = [line.partition("To make it: ")[2] for line in told]
    subprocess.run(advice, shell=True, check=True, capture_output=True, env={**os.environ})  # noqa: S602 - what a person would type
    after, told = run_file(ground, file, tier)
    assert (after.stdout, after.refused, told) == ("from its own environment\n", (), [])


def test_without_uv_another_way_is_told(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way that is told works: an interpreter that has the packages."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("interlock.codemode.python.script.search", lambda **_: "/nowhere")
    file = ground.work / "prog.py"
    wanted = '"a", "b", "hypothesis", "d"'
    file.write_text(f"{BLOCK.format(wanted)}import hypothesis\nprint(1)\n", encoding="utf-8")
    _, [told] = run_file(ground, file, NONE)
    assert told.startswith("prog.py needs packages (a, b, hypothesis and 1 more), and no")
    assert told.endswith("Name the interpreter of one that has them: --python PATH")
    done, told_again = run_file(ground, file, NONE, sys.executable)
    assert (done.stdout, told_again) == ("1\n", [])


def test_an_environment_that_an_agent_may_have_written_is_not_used(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that lies in the workspace, or a uv that does."""
    monkeypatch.setenv("PATH", f"{os.path.dirname(UV)}:{os.environ['PATH']}")
    file = ground.work / "prog.py"
    file.write_text(BLOCK.format(f'"tiny @ {wheel(ground.outside).as_uri()}"'), encoding="utf-8")
    subprocess.run([UV, "sync", "--script", str(file)], check=True, capture_output=True)
    found = environment_of(str(file), (str(ground.work),))
    assert found.endswith("/bin/python")
    above = os.path.dirname(os.path.dirname(found))
    for barred in (above, os.path.dirname(above), str(Path(UV).resolve().parent)):
        assert environment_of(str(file), (barred,)) == ""
