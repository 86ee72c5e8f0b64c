"""Attacks by Go's standard library: each gets somewhere bare, is stopped under the guard alone and
behind either of the walls, and what is permitted by the same functions works.
"""

from __future__ import annotations

import faulthandler
import os
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from interlock.codemode import running
from interlock.codemode.golang import run as go
from interlock.codemode.permissions import RunPermissions
from interlock.sandbox.bounds import Bounds
from tests.codemode.scenes import NONE, TIERS, without
from tests.codemode.trying import standing
from tests.e2e.go_scenes import PROGRAMS, kept

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.codemode.scenes import Ground

pytestmark = [pytest.mark.e2e, pytest.mark.long]
FEWEST = 60
"""Attacks that have to lead somewhere on the machine that tries them."""
PASSES = {NONE: frozenset({"maps of another"})}
"""Cases that a tier lets through, as the page says."""
MINUTES = 20
Said = dict[str, str]


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Said]:
    """Return what each case printed, bare and under each tier that this machine has."""
    # two builds of the library, where none is kept yet, take longer than any other test may
    faulthandler.dump_traceback_later(MINUTES * 60, exit=True, file=2)
    folder = str(tmp_path_factory.mktemp("attacks"))
    source = Path(PROGRAMS) / "attacks.go"
    state = os.path.join(kept(), "state")
    found: dict[str, Said] = {}
    bare = os.path.join(folder, "bare")
    subprocess.run(
        ["go", "build", "-o", bare, str(source)],
        cwd=folder,
        env={**os.environ, "GOCACHE": os.path.join(kept(), "bare")},
        check=True,
        timeout=MINUTES * 30,
    )
    names = _output([bare, "names"], folder).split("\n")
    with standing([]) as (ground, constants, _):
        found["bare"] = _all(
            names, constants, lambda words: _output([bare, *words], str(ground.work))
        )
    for tier in filter(lambda one: not without(one), TIERS):
        with standing([]) as (ground, constants, _), pytest.MonkeyPatch.context() as patch:
            patch.setattr(running, "kernel", lambda _, tier=tier: TIERS[tier])
            built = _built(ground, state, source, folder)
            found[tier] = _all(names, constants, partial(_ran, built, ground, state))
    return found


def _all(names: list[str], constants: dict[str, Any], run: Callable[[list[str]], str]) -> Said:
    words = [f"{name}={value}".replace("\0", "") for name, value in constants.items()]
    return {name: run([name, *words]).strip() for name in (*filter(None, names), "twins")}


def _output(argv: list[str], folder: str) -> str:
    done = subprocess.run(
        argv,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout


def _built(ground: Ground, state: str, source: Path, folder: str) -> go.GoBuild:
    scene = ground.scene("", RunPermissions(), Bounds(seconds=300))
    scene.state = state
    made = go.build(source.read_text(encoding="utf-8"), scene, folder, str(source))
    assert isinstance(made, go.GoBuild), made
    return made


def _ran(built: go.GoBuild, ground: Ground, state: str, words: list[str]) -> str:
    scene = ground.scene("", RunPermissions(deny_paths=(str(ground.outside),)))
    scene.state = state
    return go.start(built, scene, tuple(words)).stdout


@pytest.mark.parametrize("tier", list(TIERS))
def test_no_attack_gets_anywhere(said: dict[str, Said], tier: str) -> None:
    """Of at least sixty that succeed bare none does under any tier, but for what the page says."""
    if tier not in said:
        pytest.skip(without(tier))
    valid = [name for name, text in said["bare"].items() if text == "got"]
    assert len(valid) >= FEWEST, said["bare"]
    out = {name for name in valid if not said[tier][name].startswith("stopped")}
    assert out == PASSES.get(tier, frozenset())


@pytest.mark.parametrize("tier", ["bare", *TIERS])
def test_what_is_permitted_works(said: dict[str, Said], tier: str) -> None:
    """The same functions do in the workspace what they are for."""
    if tier not in said:
        pytest.skip(without(tier))
    assert said[tier]["twins"] == "end"
