"""Ways around the checks of a Go program: each is refused where it reaches for what is not lent,
and works where it is, with the guard alone.
"""

from __future__ import annotations

import os
import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from interlock.codemode.permissions import ANY, RunPermissions
from tests.e2e.go_scenes import KERNELS, Place, built_from, hold, kept, place, said, serving, tried

if TYPE_CHECKING:
    from interlock.codemode.golang import run as go

pytestmark = [pytest.mark.e2e, pytest.mark.long]


@pytest.fixture(scope="module")
def home() -> str:
    """Return a home that is kept."""
    return kept()


@pytest.fixture(scope="module")
def built(home: str, tmp_path_factory: pytest.TempPathFactory) -> go.GoBuild:
    """Build the program with all cases, once."""
    return built_from(
        "bypasses.go", place(home).scene(RunPermissions()), str(tmp_path_factory.mktemp("bypasses"))
    )


@pytest.fixture(params=KERNELS)
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, home: str) -> str:
    """Run with the guard alone, and with the kernel's walls too."""
    hold(request.param, monkeypatch, home)
    return str(request.param)


FILES = """
    method-value alias dot-import in-a-map in-a-struct as-argument reflect interface goroutine deferred package-variable init root root-fs root-remove
    root-rename dir-fs walk glob http-dir template zip key-pair symlink symlink-to-write symlink-to-folder hard-link proc-root proc-cwd dev-fd
    double-slash dots dots-through chdir fchdir rename-in rename-out write append truncate mkdir remove-all chmod chtimes stat copy-fs heap-dump
    crash-output profile location broker-line
""".split()


@pytest.mark.parametrize("case", FILES)
def test_files(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """What is not lent is refused whatever way leads there, with the program's line; the same way
    to what is lent works.
    """
    here = place(home)
    permits = RunPermissions(deny_paths=(here.outside,))
    denied = tried(built, here.scene(permits), case, here.outside)
    assert said(denied) == "refused", (tier, denied)
    assert sorted(os.listdir(here.outside)) == [".git", "a.zip", "data.txt", "page.tmpl", "sub"]
    assert _read(here.outside, "data.txt") == "outside"
    assert any(
        one.where.startswith("bypasses.go:") and one.layer == "guard" for one in denied.refused
    ), denied
    allowed = tried(built, place(home).scene(permits), case, here.lent)
    assert said(allowed) == "done", (tier, allowed)
    assert allowed.refused == ()


def test_a_race_wins_nothing(built: go.GoBuild, home: str, tier: str) -> None:
    """A link that takes a file's place between the judgement and the opening is not followed."""
    here = place(home)
    name = os.path.join(here.workspace, "swapped.txt")
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            os.symlink(os.path.join(here.outside, "data.txt"), f"{name}.link")
            os.replace(f"{name}.link", name)
            shutil.copy(os.path.join(here.lent, "data.txt"), f"{name}.file")
            os.replace(f"{name}.file", name)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        found = tried(
            built, here.scene(RunPermissions(deny_paths=(here.outside,))), "swap", here.outside
        )
    finally:
        ended.set()
        thread.join()
    assert said(found) == "refused", (tier, found)


@pytest.mark.parametrize("case", ["shell-start", "git-hook"])
def test_what_runs_later(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """What a shell or git runs later is refused where it lies in a home or a repository; an
    ordinary file there is not.
    """
    here = place(home)
    target = here.home if case == "shell-start" else here.workspace
    assert said(tried(built, here.scene(RunPermissions()), case, target)) == "refused", tier
    assert said(tried(built, here.scene(RunPermissions()), "write", here.workspace)) == "done"


@pytest.mark.parametrize(
    "case", ["parent-memory", "own-memory", "parent-environment", "signal-parent"]
)
def test_other_processes(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """The parent is not read, not written and not signalled, and its own memory is not written as a
    file; its own signals arrive.
    """
    here = place(home)
    found = said(tried(built, here.scene(RunPermissions()), case, here.lent))
    # within the walls its parent is a process of the walls themselves, which its own may touch
    assert found == "refused" or (tier == "walled" and case != "own-memory"), found
    assert said(tried(built, here.scene(RunPermissions()), "signal-own", here.lent)) == "done"


@pytest.mark.parametrize("case", ["inherited", "terminal", "user"])
def test_what_a_run_starts_with(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """No descriptor of the parent's is inherited, standard input is empty, and who the user is may
    be known.
    """
    here = place(home)
    with open(os.path.join(here.outside, "data.txt"), encoding="utf-8") as file:
        os.set_inheritable(file.fileno(), True)
        result = tried(built, here.scene(RunPermissions()), case, here.lent)
    assert said(result) == "done", (tier, result)


PROGRAMS = "command command-literal command-context start-process command-in by-name".split()


@pytest.mark.parametrize("case", PROGRAMS)
def test_programs(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """A program that is not allowed is not started by any way; an allowed one is."""
    here = place(home)
    assert (
        said(
            tried(
                built, here.scene(RunPermissions(allow_commands=("true",))), case, "/usr/bin/touch"
            )
        )
        == "refused"
    ), tier
    allowed = tried(
        built, here.scene(RunPermissions(allow_commands=("true",))), case, "/usr/bin/true"
    )
    assert said(allowed) == "done", (tier, allowed)


def test_a_program_under_an_allowed_name(built: go.GoBuild, home: str, tier: str) -> None:
    """A program of the workspace is not an allowed one because it bears its name."""
    here = place(home)
    found = tried(
        built, here.scene(RunPermissions(allow_commands=("true",))), "shadowed", "/usr/bin/true"
    )
    assert said(found) == "refused", (tier, found)
    assert not os.path.exists(os.path.join(here.workspace, "shadowed"))
    assert (
        said(
            tried(
                built,
                here.scene(RunPermissions(allow_commands=("true",))),
                "by-name",
                "/usr/bin/true",
            )
        )
        == "done"
    )


def test_what_an_allowed_program_is_told_to_do(built: go.GoBuild, home: str, tier: str) -> None:
    """An allowed program is judged by its arguments: what they delete is as if the program itself
    did.
    """
    here = place(home)
    permits = RunPermissions(allow_commands=("find",), deny_paths=(here.outside,))
    assert (
        said(
            tried(
                built,
                here.scene(permits),
                "with-arguments",
                f"/usr/bin/find {here.outside} -delete",
            )
        )
        == "refused"
    ), tier
    assert os.path.exists(os.path.join(here.outside, "data.txt"))
    assert (
        said(tried(built, here.scene(permits), "with-arguments", "/usr/bin/find sub -name x"))
        == "done"
    )


HERE = RunPermissions(allow_hosts=("127.0.0.1",))
HOSTS = "get post transport own-dial dial dial-tcp control".split()


@pytest.mark.parametrize("case", HOSTS)
def test_hosts(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """A host is reached by no way where none is allowed, and by all where it is."""
    here: Place = place(home)
    with serving() as address:
        denied = tried(built, here.scene(RunPermissions()), case, address)
        assert said(denied) == "refused", (tier, denied)
        allowed = tried(built, here.scene(HERE), case, address)
        assert said(allowed) == "done", (tier, allowed)


def test_redirects(built: go.GoBuild, home: str, tier: str) -> None:
    """An allowed host that sends on to another leads no further than what is allowed."""
    here = place(home)
    with serving() as address:
        assert said(tried(built, here.scene(HERE), "redirect", address)) == "refused", tier
        assert said(tried(built, here.scene(HERE), "redirect", f"{address}/stay")) == "done"


def test_a_proxy_of_its_own(built: go.GoBuild, home: str, tier: str) -> None:
    """A proxy that the program names is a host like any other."""
    here = place(home)
    with serving() as address:
        assert (
            said(
                tried(
                    built,
                    here.scene(RunPermissions(allow_hosts=("example.com",))),
                    "proxy",
                    address,
                )
            )
            == "refused"
        ), tier
        both = RunPermissions(allow_hosts=("example.com", "127.0.0.1"))
        assert said(tried(built, here.scene(both), "proxy", address)) == "done"


@pytest.mark.parametrize(("case", "target"), [("udp", "127.0.0.1:9"), ("packet", "127.0.0.1:9")])
def test_packets(built: go.GoBuild, home: str, tier: str, case: str, target: str) -> None:
    """A packet is sent to no host where none is allowed; where the network is open it is."""
    here = place(home)
    assert said(tried(built, here.scene(RunPermissions()), case, target)) == "refused", tier
    assert (
        said(
            tried(built, here.scene(RunPermissions(allow_hosts=(ANY, "127.0.0.1"))), "udp", target)
        )
        == "done"
    )


@pytest.mark.parametrize("case", ["lookup", "text"])
def test_names_are_not_looked_up(built: go.GoBuild, home: str, tier: str, case: str) -> None:
    """A name is not even looked up where its host is not allowed: a look-up carries data away."""
    here = place(home)
    assert (
        said(tried(built, here.scene(RunPermissions()), case, "secret.example.com")) == "refused"
    ), tier
    assert (
        said(
            tried(
                built, here.scene(RunPermissions(allow_hosts=("localhost",))), "lookup", "localhost"
            )
        )
        == "done"
    )


def test_sockets_of_this_machine(built: go.GoBuild, home: str, tier: str) -> None:
    """A socket file (Docker, agents of keys) is not connected to."""
    here = place(home)
    found = tried(built, here.scene(RunPermissions()), "unix", os.path.join(here.outside, "socket"))
    assert said(found) == "refused", (tier, found)


def _read(folder: str, name: str) -> str:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()
