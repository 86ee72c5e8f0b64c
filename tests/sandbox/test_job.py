"""Windows' job: what it is asked for, as bytes, read by the structures of Windows' own headers (64
bits); and what a job is said to hold.
"""

from __future__ import annotations

import ctypes
from ctypes import c_int64, c_uint16, c_uint32, c_uint64

import pytest

from interlock.doctor import client_context
from interlock.sandbox import probe, windows_job
from interlock.sandbox.bounds import Bounds, Tier
from interlock.sandbox.probe import Kernel

MIB = 1 << 20


class Basic(ctypes.Structure):
    """``JOBOBJECT_BASIC_LIMIT_INFORMATION`` (winnt.h)."""

    _fields_ = (
        ("PerProcessUserTimeLimit", c_int64), ("PerJobUserTimeLimit", c_int64), ("LimitFlags", c_uint32), ("MinimumWorkingSetSize", c_uint64),
        ("MaximumWorkingSetSize", c_uint64), ("ActiveProcessLimit", c_uint32), ("Affinity", c_uint64), ("PriorityClass", c_uint32),
        ("SchedulingClass", c_uint32),
    )  # fmt: skip


class Extended(ctypes.Structure):
    """``JOBOBJECT_EXTENDED_LIMIT_INFORMATION`` (winnt.h)."""

    _fields_ = (
        ("BasicLimitInformation", Basic), ("IoInfo", c_uint64 * 6), ("ProcessMemoryLimit", c_uint64), ("JobMemoryLimit", c_uint64),
        ("PeakProcessMemoryUsed", c_uint64), ("PeakJobMemoryUsed", c_uint64),
    )  # fmt: skip


class Startup(ctypes.Structure):
    """``STARTUPINFOEXW`` (winbase.h)."""

    _fields_ = (
        ("cb", c_uint32), ("lpReserved", c_uint64), ("lpDesktop", c_uint64), ("lpTitle", c_uint64), ("dwX", c_uint32), ("dwY", c_uint32),
        ("dwXSize", c_uint32), ("dwYSize", c_uint32), ("dwXCountChars", c_uint32), ("dwYCountChars", c_uint32), ("dwFillAttribute", c_uint32),
        ("dwFlags", c_uint32), ("wShowWindow", c_uint16), ("cbReserved2", c_uint16), ("lpReserved2", c_uint64), ("hStdInput", c_uint64),
        ("hStdOutput", c_uint64), ("hStdError", c_uint64), ("lpAttributeList", c_uint64),
    )  # fmt: skip


def test_a_job_is_asked_for_its_limits() -> None:
    """It ends with its handle, shows no box, bounds memory and processes, and lets nobody out; the
    desktop is not to be reached.
    """
    limits, interface = windows_job.build_requests(
        Bounds(memory=300 * MIB, processes=7), nested=False
    )
    assert (limits.number, len(limits.data)) == (9, ctypes.sizeof(Extended))
    found = Extended.from_buffer_copy(limits.data)
    assert found.BasicLimitInformation.LimitFlags == 0x2000 | 0x400 | 0x100 | 0x8
    # JOB_OBJECT_LIMIT_BREAKAWAY_OK, SILENT_BREAKAWAY_OK
    assert not found.BasicLimitInformation.LimitFlags & (0x800 | 0x1000)
    assert found.BasicLimitInformation.ActiveProcessLimit == 7
    assert (found.ProcessMemoryLimit, found.JobMemoryLimit) == (300 * MIB, 0)
    assert (interface.number, interface.data) == (4, b"\xff\0\0\0")
    # Windows lets no job inside another say more
    assert windows_job.build_requests(Bounds(memory=300 * MIB, processes=7), nested=True) == (
        limits,
    )


def test_a_process_is_told_its_three_streams_and_nothing_else() -> None:
    """The start has the handles of the streams, says that it has them, and the address of the list
    of what is inherited.
    """
    data = windows_job.startup((0x44, 0x48, 0x4C), 0x1122334455667788)
    found = Startup.from_buffer_copy(data)
    assert (found.cb, len(data)) == (ctypes.sizeof(Startup), ctypes.sizeof(Startup))
    assert (found.dwFlags, found.hStdInput, found.hStdOutput, found.hStdError) == (
        0x100,
        0x44,
        0x48,
        0x4C,
    )
    assert found.lpAttributeList == 0x1122334455667788


def test_a_token_keeps_one_privilege() -> None:
    """Of what a token has only ``SeChangeNotifyPrivilege`` (23) stays, whether it is switched on or
    not.
    """
    rows = [
        number.to_bytes(8, "little") + state.to_bytes(4, "little")
        for number, state in ((23, 3), (17, 0), (20, 2), (23 << 32, 3))
    ]
    held = windows_job.privileges(len(rows).to_bytes(4, "little") + b"".join(rows))
    assert held == rows
    assert windows_job.lost_privileges(held) == rows[1:]
    assert windows_job.lost_privileges(held[:1]) == []


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (
            (r"C:\w\cmd.exe", "/d", "/s", "/c", 'dir "C:\\a b" & echo "x"'),
            'C:\\w\\cmd.exe /d /s /c "dir "C:\\a b" & echo "x""',
        ),
        ((r"C:\a b\cmd.exe", "/d", "/s", "/c", "echo hi"), r'"C:\a b\cmd.exe" /d /s /c "echo hi"'),
        (
            (r"C:\py\python.exe", "-c", 'print("x y")', "C:\\dir\\"),
            r'C:\py\python.exe -c "print(\"x y\")" C:\dir' + "\\",
        ),
        (("git.exe", "/c", "a b"), 'git.exe /c "a b"'),
    ],
    ids=["a line for cmd", "cmd in a folder with a blank", "a program's words", "not cmd"],
)
def test_words_become_one_line(argv: tuple[str, ...], line: str) -> None:
    """cmd.exe gets its line as it was judged, between quotes; a program's words are quoted as the C
    library takes them apart.
    """
    assert windows_job.command_line(argv) == line


def test_a_line_of_which_only_the_beginning_would_run_is_an_error() -> None:
    """A command that cmd.exe cuts off, at a line break or for its length, is not begun."""
    start = (r"C:\w\cmd.exe", *windows_job.LINE)
    for line in ("echo a\ndel b", "echo " + "a" * 8000):
        with pytest.raises(ValueError, match="one line"):
            windows_job.command_line((*start, line))
    assert windows_job.command_line((*start, "a" * 8000)).endswith('a"')


def test_variables_are_one_block() -> None:
    """Each ends with NUL, they are sorted without regard to case, and one that could forge another
    is an error.
    """
    assert (
        windows_job.block({"b": "2", "A": "1", "PATH": "C:\\x;D:\\y"})
        == "A=1\0b=2\0PATH=C:\\x;D:\\y\0\0"
    )
    with pytest.raises(ValueError, match="NUL"):
        windows_job.block({"A": "1\0PATH=C:\\mine"})


def test_a_job_is_no_wall(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, in a result and by the doctor, and is never taken for the kernel's walls."""
    found = Kernel(job=True, notes=(windows_job.NO_WALLS,))
    assert found.best == ""
    assert str(Tier(job=True)) == "job only (no walls)"
    monkeypatch.setattr(probe, "_known", {"here": found})
    row = client_context.walls()
    assert (row.colour, row.mend) == ("amber", "")
    assert "commands run in a job" in row.seen
    assert "holds no file and no host" in row.seen
