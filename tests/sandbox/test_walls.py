"""The kernel's walls: filters as data, command lines, what is kept of output, and what a machine is
found to hold.
"""

from __future__ import annotations

import os
import resource
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from interlock.sandbox import bubblewrap, probe, seatbelt, seccomp
from interlock.sandbox.bounds import (
    BUBBLEWRAP,
    DIALLED,
    LANDLOCK,
    OFF,
    OPEN,
    SEATBELT,
    Bounds,
    Tier,
    Walls,
)
from interlock.sandbox.capture import MAX_SPILL, Capture
from interlock.sandbox.entrance import walls as entrance
from interlock.sandbox.probe import Kernel
from interlock.sandbox.process import ProcessEnd, ProcessStart, SandboxProcess, spec
from tests.disks import full_disk

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOTHING = ProcessStart(("/bin/true",), "/", {}, Walls(("/usr",)), Bounds(), "")
ALLOW, KILL, ERRNO, MASK = 0x7FFF0000, 0x80000000, 0x00050000, 0xFFFF0000
X86, ARM = 0xC000003E, 0xC00000B7


def answer(program: bytes, call: int, *arguments: int, arch: int = X86) -> int:
    """Run a filter on one system call, as the kernel would, and return its answer."""
    words = {
        0: call,
        4: arch,
        **{16 + 8 * at: value & 0xFFFFFFFF for at, value in enumerate(arguments)},
    }
    at, held = 0, 0
    while True:
        code = int.from_bytes(program[at * 8 : at * 8 + 2], "little")
        yes, no = program[at * 8 + 2], program[at * 8 + 3]
        value = int.from_bytes(program[at * 8 + 4 : at * 8 + 8], "little")
        at += 1
        if code == 0x20:
            held = words.get(value, 0)
        elif code == 0x54:
            held &= value
        elif code == 0x06:
            return value
        else:
            at += (
                yes
                if {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
                else no
            )


ROWS = [
    # machine's column, walls, call, arguments, whether it is let through
    ("read", Walls(), 0, (), True),
    ("execve, nothing may be started", Walls(), 59, (), False),
    ("execve", Walls(executes=("/bin",)), 59, (), True),
    ("a fork", Walls(), 56, (17,), True),
    ("a fork where nothing forks", Walls(forks=False), 56, (17,), False),
    ("a thread where nothing forks", Walls(forks=False), 56, (0x10000,), True),
    ("a namespace", Walls(), 56, (0x10000000,), False),
    ("clone3", Walls(), 435, (), False),
    ("internet, no network", Walls(network=OFF), 41, (2, 1), False),
    ("TCP, single hosts", Walls(network=DIALLED), 41, (2, 1 | 0o2000000), True),
    ("UDP, single hosts", Walls(network=DIALLED), 41, (2, 2), False),
    ("UDP, any host", Walls(network=OPEN), 41, (10, 2), True),
    ("a socket of this machine, any host", Walls(network=OPEN), 41, (1, 1), False),
    ("a raw packet socket", Walls(network=OPEN), 41, (17, 3), False),
    ("a pair", Walls(network=OFF), 53, (1, 1), True),
    ("a pair for packets", Walls(network=OPEN), 53, (1, 2 | 0o2000000), False),
    ("a pair for packets in order", Walls(network=OFF), 53, (1, 5), True),
    ("its own limits", Walls(), 302, (0, 7, 4096), True),
    ("another's limits", Walls(), 302, (7, 0, 4096), False),
    ("asking for another's limits", Walls(), 302, (7, 0, 0), True),
    ("memory that may be run", Walls(executes=("/usr/bin/git",)), 319, (0, 1), False),
    ("memory that never runs", Walls(executes=("/usr/bin/git",)), 319, (0, 0x9), True),
    ("memory where anything runs", Walls(executes=("/usr",)), 319, (0, 1), True),
    ("a pair of another family", Walls(network=OPEN), 53, (2, 1), False),
    ("typing into a terminal", Walls(), 16, (0, 0x5412), False),
    ("asking a terminal's size", Walls(), 16, (0, 0x5413), True),
    ("io_uring", Walls(executes=("/",)), 425, (), False),
    ("ptrace", Walls(executes=("/",)), 101, (), False),
    ("mount", Walls(executes=("/",)), 165, (), False),
    ("chmod", Walls(), 90, (), True),
    ("chmod where all stays still", Walls(still=True), 90, (), False),
    ("a number of the x32 machine", Walls(), 0x40000001, (), False),
]


@pytest.mark.parametrize(
    ("walls", "call", "arguments", "through"),
    [row[1:] for row in ROWS],
    ids=[row[0] for row in ROWS],
)
def test_a_filter_lets_through_what_it_should(
    walls: Walls, call: int, arguments: tuple[int, ...], *, through: bool
) -> None:
    """Each call is let through, or refused with an errno."""
    said = answer(seccomp.program("x86_64", walls), call, *arguments)
    assert said == ALLOW if through else said & MASK == ERRNO


def test_another_machines_calls_end_the_program() -> None:
    """Numbers mean something else on another machine, so its calls are not judged by them."""
    assert answer(seccomp.program("x86_64", Walls()), 0, arch=0x40000003) == KILL


def test_arm_has_its_own_numbers() -> None:
    """On arm64 execve is another number, and a call that is not there is not looked for."""
    program = seccomp.program("aarch64", Walls())
    assert answer(program, 221, arch=ARM) & MASK == ERRNO
    assert answer(program, 59, arch=ARM) == ALLOW
    with pytest.raises(ValueError, match="riscv64"):
        seccomp.program("riscv64", Walls())


def test_a_command_line_mounts_folders_before_what_lies_in_them(tmp_path: Path) -> None:
    """A folder that may be written inside one that may be read comes after it; what a folder above
    brings is not mounted again.
    """
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a-b").mkdir()
    (tmp_path / "a" / "key").write_text("x", encoding="utf-8")
    a, b, other, key = (str(tmp_path / name) for name in ("a", "a/b", "a-b", "a/key"))
    words = bubblewrap.command(
        "/usr/bin/bwrap", Walls((a, f"{a}/key", other), (b,), hidden=(key,)), a
    )
    mounts = [(word, words[at + 1]) for at, word in enumerate(words) if word.endswith("bind-try")]
    assert mounts == [("--ro-bind-try", a), ("--bind-try", b), ("--ro-bind-try", other)]
    assert words[words.index("/dev/null") - 1 : words.index("/dev/null") + 2] == [
        "--ro-bind",
        "/dev/null",
        key,
    ]
    assert "--unshare-net" in words
    assert "--unshare-net" not in bubblewrap.command("/usr/bin/bwrap", Walls(network=OPEN), a)


PROFILE = """(version 1)
(deny default)
(allow sysctl-read)
(allow process-info* (target same-sandbox))
(allow signal (target same-sandbox))
(allow file-read-metadata)
(allow file-read* (literal "/"))
(allow file-read* file-write-data file-ioctl DEVICES)
(allow file-read* file-map-executable RUNTIME (subpath "/opt/py") (subpath "/w") (subpath "/private/tmp/run") (subpath "/bin"))
(allow process-fork)
(allow process-exec (literal "/opt/py/python"))
(allow process-exec (subpath "/bin"))
(allow file-write* (subpath "/w") (subpath "/private/tmp/run"))
(deny file-read* file-write* (subpath "/w/.env"))
(deny file-write* (subpath "/w/.git/hooks"))
"""


def test_a_profile_of_macos_denies_last() -> None:
    """Everything is denied that no rule allows; what is hidden or fixed inside an allowed folder is
    denied behind it, for the last rule decides.
    """
    walls = Walls(("/opt/py",), ("/w", "/tmp/run"), ("/bin",), ("/w/.env",), ("/w/.git/hooks",))
    found = seatbelt.profile(walls, "/opt/py/python")
    devices = " ".join(
        [
            f'(literal "{path}")'
            for path in (
                "/dev/null",
                "/dev/zero",
                "/dev/random",
                "/dev/urandom",
                "/dev/dtracehelper",
                "/dev/fd",
            )
        ]
    )
    runtime = " ".join(
        [
            f'(subpath "{path}")'
            for path in (
                "/usr/lib",
                "/System",
                "/Library/Apple",
                "/private/var/db/timezone",
                "/private/var/db/dyld",
            )
        ]
    )
    assert found == PROFILE.replace("DEVICES", devices).replace("RUNTIME", runtime)
    assert seatbelt.command(walls, "/opt/py/python") == ["/usr/bin/sandbox-exec", "-p", found]


def test_a_profile_opens_the_network_only_where_it_is_open() -> None:
    """With single hosts the broker connects, so a profile opens nothing; with any host it does, and
    never sockets of this machine.
    """
    for network in (OFF, DIALLED):
        assert "network" not in seatbelt.profile(Walls(network=network), "/p")
    found = seatbelt.profile(Walls(network=OPEN, forks=False, still=True), "/p")
    assert "(allow network* (local ip" in found
    assert found.index("(deny network-outbound (remote unix-socket))") > found.index(
        "(allow network*"
    )
    assert "(allow process-fork)" not in found
    assert "(deny file-write-mode" in found


def test_a_path_cannot_end_a_rule() -> None:
    """Quotes and backslashes of a path are written so that they stay in it; a path with a line
    break is an error.
    """
    assert '(subpath "/w/a\\"b\\\\c)(allow default")' in seatbelt.profile(
        Walls(('/w/a"b\\c)(allow default',)), "/p"
    )
    with pytest.raises(ValueError, match="line break"):
        seatbelt.profile(Walls(("/w/a\nb",)), "/p")


def test_output_that_fits_is_kept_whole() -> None:
    """Nothing is left out of what fits, whatever pieces it came in."""
    kept = Capture(10)
    for piece in (b"abc", b"defg", b"hij"):
        kept.take(piece)
    assert kept.text() == "abcdefghij"


def test_output_that_does_not_fit_keeps_both_ends(tmp_path: Path) -> None:
    """Beginning and end are kept, what is left out is counted, and the file has all of it."""
    kept = Capture(10, str(tmp_path / "all"))
    for piece in (b"abcdefg", b"hijkl", b"mnopqrstuvwxyz"):
        kept.take(piece)
    text = kept.text()
    assert text.startswith("abcde\n[... 16 bytes left out")
    assert text.endswith("vwxyz")
    assert (tmp_path / "all").read_bytes() == b"abcdefghijklmnopqrstuvwxyz"


def test_output_outlives_a_full_disk(tmp_path: Path) -> None:
    """What the file does not take ends nothing: both ends are kept, and where they are told it is
    told why the file has less; so for one too long.
    """
    full, long = Capture(10, str(tmp_path / "full")), Capture(10, str(tmp_path / "long"))
    with full_disk(4096):
        for piece in (b"abcde", b"x" * 9000, b"vwxyz"):
            full.take(piece)
    assert (
        full.text()
        == f"abcde\n[... 9000 bytes left out; what could be kept of it is in {tmp_path}/full (File too large) ...]\nvwxyz"
    )
    for _ in range(MAX_SPILL // (1 << 20) + 1):
        long.take(b"x" * (1 << 20))
    assert (tmp_path / "long").stat().st_size == MAX_SPILL
    assert (
        f"what could be kept of it is in {tmp_path}/long (it is longer than 64 MiB)" in long.text()
    )


def test_the_strongest_walls_are_chosen() -> None:
    """Bubblewrap before Landlock; a Landlock that lets nothing be renamed across folders is
    none.
    """
    assert Kernel("/usr/bin/bwrap", 7).best == BUBBLEWRAP
    assert Kernel("", 7).best == LANDLOCK
    assert Kernel("", 1).best == ""
    assert Kernel(seatbelt=True).best == SEATBELT


@pytest.mark.parametrize(
    "known",
    [Kernel("/usr/bin/bwrap", 7, ("a note",), seatbelt=True), Kernel(notes=("a", "b"), job=True)],
)
def test_what_was_found_out_is_kept_until_the_machine_is_another(
    known: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second question is answered from the file; when kernel, bubblewrap or user changed it is
    asked anew, and a damaged file counts as none.
    """
    asked: list[int] = []

    def found() -> Kernel:
        asked.append(1)
        return known

    monkeypatch.setattr(probe, "_probe", found)
    for expected in (1, 1):
        monkeypatch.setattr(probe, "_known", {})
        assert probe.kernel(str(tmp_path)) == known
        assert len(asked) == expected
    monkeypatch.setattr(probe, "_known", {})
    monkeypatch.setattr(probe, "_fingerprint", lambda: "another")
    probe.kernel(str(tmp_path))
    assert len(asked) == 2
    (tmp_path / "sandbox").write_text("another", encoding="utf-8")
    monkeypatch.setattr(probe, "_known", {})
    probe.kernel(str(tmp_path))
    assert len(asked) == 3


def test_a_program_that_is_not_there_does_not_start() -> None:
    """The launcher says what it could not start, and nothing runs."""
    done = SandboxProcess(
        ProcessStart(("/no/such/program",), "/", {}, Walls(), Bounds(seconds=10), "")
    ).ended()
    assert (done.why, done.code) == ("exit", 125)
    assert "was not started" in done.stderr.text()
    twin = SandboxProcess(
        ProcessStart(("/bin/echo", "hi"), "/", {}, Walls(), Bounds(seconds=10), "")
    ).ended()
    assert (twin.code, twin.stdout.text()) == (0, "hi\n")


def as_somebody(holds: Callable[[], bool]) -> bool:
    """Tell whether something holds in a process of a user who is not root and runs nothing else;
    that user may read no module of ours any more.
    """
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setuid(64999)
            os._exit(0 if holds() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.skipif(not entrance.landlock_abi(), reason="this kernel has no Landlock")
def test_somebody_who_is_not_root_can_put_walls_up() -> None:
    """Who has no capabilities to give up still gets the walls: what they let through is read, what
    lies outside is not.
    """

    def held() -> bool:
        assert resource.RLIM_INFINITY  # imported while it can be read
        entrance.put_up({**spec(NOTHING.replace(kernel=LANDLOCK)), "limits": []})
        inside = bool(os.listdir("/usr"))
        try:
            os.listdir("/etc")
        except PermissionError:
            return inside
        return False

    assert as_somebody(held)


def test_threads_that_run_already_are_no_processes_of_a_run() -> None:
    """The kernel counts a user's threads against the limit of processes, so what a browser has
    running is added to it.
    """

    def held() -> bool:
        before, end = spec(NOTHING)["limits"][-1], Event()
        for _ in range(20):
            Thread(target=end.wait, daemon=True).start()
        after = spec(NOTHING)["limits"][-1]
        return before[0] == after[0] == "RLIMIT_NPROC" and int(after[1] - before[1]) >= 20

    assert as_somebody(held)


def test_a_filter_that_the_kernel_does_not_take_is_an_error() -> None:
    """What the C library answers is read as it is meant: a filter without an instruction was not
    loaded, and that is seen.
    """
    with pytest.raises(OSError, match=r"Invalid argument|Permission denied"):
        entrance.seccomp(b"")


@pytest.mark.parametrize(
    ("tier", "said"),
    [
        (Tier("bubblewrap", "python"), "kernel+guard (bubblewrap)"),
        (Tier("landlock"), "kernel (landlock)"),
        (Tier("", "go"), "guard only"),
        (Tier(), "none"),
    ],
)
def test_a_tier_says_what_held(tier: Tier, said: str) -> None:
    """Its words name the kernel's walls and the guard, or that there was none."""
    assert str(tier) == said


def test_what_does_not_work_is_told_by_its_first_sentence() -> None:
    """Bubblewrap goes on with pages to read, which were cut in the middle of a word."""

    def refused() -> ProcessEnd:
        raise OSError("bwrap: No permissions to create new namespace. See <https://a.test/x>")

    notes: list[str] = []
    assert not probe._check_held("bubblewrap", refused, notes)
    assert notes == ["bubblewrap does not work here: bwrap: No permissions to create new namespace"]
