"""What a person approves and the walls do not let a Go program do, the broker does; what it cannot
do needs another run, which the result says.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.golang import run as go
from interlock.codemode.golang.instrument import OverlayListing
from interlock.codemode.permissions import RunPermissions
from interlock.codemode.program import GO
from interlock.sandbox.bounds import BUBBLEWRAP
from tests.codemode.scenes import HELD, TIERS, needs
from tests.codemode.test_asking import Person
from tests.e2e.go_scenes import Place, built_from, kept, place, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from interlock.codemode.program import RunResult
    from interlock.sandbox.probe import Kernel

pytestmark = [pytest.mark.e2e, pytest.mark.long]
ASKS = RunPermissions(asks=True)


@pytest.fixture(scope="module")
def home() -> str:
    """Return a home that is kept."""
    return kept()


@pytest.fixture(scope="module", params=[GO, go.CALLS])
def built(
    request: pytest.FixtureRequest, home: str, tmp_path_factory: pytest.TempPathFactory
) -> go.GoBuild:
    """Build the program once with checks in the library, and once with checks in its own calls."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == go.CALLS:
            patch.setattr(go, "prepare_library", lambda *_: OverlayListing("", "it is too new"))
        made = built_from(
            "carried.go", place(home).scene(ASKS), str(tmp_path_factory.mktemp("carried"))
        )
    assert made.guard == request.param
    return made


@pytest.fixture(params=HELD)
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run behind either of the walls."""
    needs(request.param)
    monkeypatch.setattr("interlock.codemode.running.kernel", lambda _: TIERS[request.param])
    return str(request.param)


def ground(home: str) -> Place:
    """Make the folders anew, with an empty one outside."""
    here = place(home)
    os.mkdir(os.path.join(here.outside, "empty"))
    return here


def tried(
    built: go.GoBuild, here: Place, act: str, person: Person | None, permits: RunPermissions = ASKS
) -> RunResult:
    """Have the program act on the folder that lies outside, with somebody to ask or nobody."""
    scene = here.scene(permits)
    scene.call = scene.call.replace(headless=person is None)
    scene.guard.ask = person
    return go.start(built, scene, (act, here.outside))


def seen(here: Place) -> list[tuple[str, int, int, int]]:
    """Return what lies in the folder outside: names, modes, sizes and times of change."""
    found = []
    for folder, _, names in sorted(os.walk(here.outside)):
        for path in (folder, *(os.path.join(folder, name) for name in sorted(names))):
            there = os.lstat(path)
            found.append((path, there.st_mode, there.st_size, there.st_mtime_ns))
    return found


def data(here: Place, name: str = "data.txt") -> os.stat_result:
    """Return what is known of a file outside."""
    return os.lstat(os.path.join(here.outside, name))


def gone(name: str) -> Callable[[Place], bool]:
    """Return what tells that a file outside is no longer there."""
    return lambda here: not os.path.lexists(os.path.join(here.outside, name))


def there(name: str) -> Callable[[Place], bool]:
    """Return what tells that something is outside."""
    return lambda here: os.path.lexists(os.path.join(here.outside, name))


ACTS: dict[str, Callable[[Place], bool]] = {
    "make": there("made"), "mkdir": there("new"), "mkdir-all": there("new/deep"), "remove": gone("data.txt"), "rmdir": gone("empty"),
    "remove-all": gone("sub"), "rename": lambda here: there("moved.txt")(here) and gone("data.txt")(here), "rename-in": there("moved.txt"),
    "link": lambda here: data(here).st_nlink == 2, "symlink": lambda here: os.readlink(os.path.join(here.outside, "pointer")) == "data.txt",
    "truncate": lambda here: data(here).st_size == 3, "chmod": lambda here: data(here).st_mode & 0o777 == 0o600,
    "chtimes": lambda here: data(here).st_mtime_ns == 7_000_000_000,
}  # fmt: skip


@pytest.mark.parametrize("act", ACTS)
def test_what_a_person_approves_the_broker_does(
    built: go.GoBuild, home: str, tier: str, act: str
) -> None:
    """A yes has it done outside the walls; a no, or nobody to ask, leaves everything there as it
    was, and says which line was refused.
    """
    here, person = ground(home), Person(yes=True)
    result = tried(built, here, act, person)
    assert (result.stdout, result.refused) == ("done\n", ()), (tier, result)
    assert person.asked
    assert ACTS[act](here)
    for somebody in (Person(yes=False), None):
        here = ground(home)
        before = seen(here)
        denied = tried(built, here, act, somebody)
        assert "is refused" in denied.stdout, (tier, denied)
        assert {(one.layer, one.where.partition(":")[0]) for one in denied.refused} == {
            ("guard", "carried.go")
        }
        assert seen(here) == before
        assert denied.wider == ()


@pytest.mark.parametrize("act", ["read", "stat", "list"])
def test_what_is_no_secret_is_seen_without_a_question(
    built: go.GoBuild, home: str, tier: str, act: str
) -> None:
    """What the policy lets be read outside is read and looked at by way of the broker; what was
    denied beforehand is not.
    """
    here, person = ground(home), Person(yes=True)
    assert (tried(built, here, act, person).stdout, person.asked) == ("done\n", []), tier
    denied = tried(built, here, act, person, RunPermissions(asks=True, deny_paths=(here.outside,)))
    assert denied.stdout != "done\n", denied


def test_what_the_broker_cannot_do_needs_another_run(
    built: go.GoBuild, home: str, tier: str
) -> None:
    """Giving a file to somebody is not done from outside the walls, unless they let it through
    (Landlock): the result says which run would do it.
    """
    here = ground(home)
    result = tried(built, here, "chown", Person(yes=True))
    if tier != BUBBLEWRAP:
        assert (result.stdout, result.wider) == ("done\n", ()), result
        return
    assert result.wider == (("--allow-path", here.outside),), (tier, result)
    assert ([one.rule for one in result.refused], "--allow-path" in result.stdout) == (
        ["code.rerun"],
        True,
    )
    assert tried(built, here, "chown", Person(yes=False)).wider == ()
    scene = here.scene(RunPermissions(asks=True, allow_paths=(here.outside,)))
    scene.call = scene.call.replace(roots=(here.workspace, here.outside))
    scene.guard.ask = Person(yes=True)
    assert go.start(built, scene, ("chown", here.outside)).stdout == "done\n"


def test_a_copy_leads_nowhere_also_without_landlock(
    built: go.GoBuild, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is handed over is a copy, so bubblewrap alone is enough; what was written is put back."""
    needs(BUBBLEWRAP)
    alone: Kernel = TIERS[BUBBLEWRAP].replace(landlock=0)
    monkeypatch.setattr("interlock.codemode.running.kernel", lambda _: alone)
    here = ground(home)
    result = tried(built, here, "make", Person(yes=True))
    assert (result.stdout, result.wider, result.refused) == ("done\n", (), ()), result
    assert there("made")(here)
    assert tried(built, here, "mkdir", Person(yes=True)).stdout == "done\n"


def test_after_a_secret_was_read_an_allowed_host_is_asked_about(
    built: go.GoBuild, home: str, tier: str
) -> None:
    """What has read a project's secrets reaches an allowed host only with a yes, though it did
    before; other files do not count.
    """
    here = ground(home)
    with open(os.path.join(here.workspace, ".env"), "w", encoding="utf-8") as file:
        file.write("TOKEN=x")
    with serving() as address:
        scene = here.scene(RunPermissions(allow_hosts=("127.0.0.1",)))
        url = f"http://{address}/"
        refused = go.start(built, scene, ("fetch-secret", url))
        assert ([one.rule for one in refused.refused], refused.stdout[:5]) == (
            ["code.send-after-secret"],
            'Get "',
        ), (tier, refused)
        assert go.start(built, here.scene(scene.permits), ("fetch-plain", url)).stdout == "done\n"
        scene = here.scene(scene.permits)
        scene.guard.ask = person = Person(yes=True)
        scene.call = scene.call.replace(headless=False)
        assert (go.start(built, scene, ("fetch-secret", url)).stdout, len(person.asked)) == (
            "done\n",
            1,
        )
