"""Windows: one process in a job of its own, under a token with fewer rights; started suspended, put
into the job, looked at, let go.

What cannot be held so does not start. ``windows_job`` says what is asked for; the functions are of
kernel32 and advapi32 (learn.microsoft.com/windows/win32). Run under Wine 8, never on Windows
itself.
"""

from __future__ import annotations

import contextlib
import ctypes
import msvcrt
import os
import struct
import tempfile
import time
from collections.abc import Iterator
from threading import Lock, Thread
from typing import Any

from interlock.sandbox import windows_job
from interlock.sandbox.capture import Capture
from interlock.sandbox.process import ProcessEnd, ProcessStart

_LIBRARIES = {
    "kernel32": (
        "CreateJobObjectW SetInformationJobObject AssignProcessToJobObject IsProcessInJob"
        " TerminateJobObject ResumeThread TerminateProcess WaitForSingleObject GetExitCodeProcess"
        " CloseHandle InitializeProcThreadAttributeList UpdateProcThreadAttribute"
        " DeleteProcThreadAttributeList GetSystemDirectoryW"
    ),
    "advapi32": "OpenProcessToken GetTokenInformation CreateRestrictedToken CreateProcessAsUserW",
}
_OF_TOKENS = 0x2 | 0x1 | 0x8 | 0x80
"""``TOKEN_DUPLICATE``, ``ASSIGN_PRIMARY``, ``QUERY``, ``ADJUST_DEFAULT``."""
_PRIVILEGES = 3
_THIS_PROCESS = -1
"""What stands for it (GetCurrentProcess)."""
_RUNNING = 0x102
_NEVER_STARTED, _ENDED_BY_US = 125, 124
_LOOK = 100
"""Milliseconds between two looks for Ctrl-C, which a waiting thread is not told of."""
_DRAINED = 10.0
"""Seconds for the last of the output, when nobody is left who could write."""


def cmd() -> str:
    """Return the path of cmd.exe in the system's own folder, whatever PATH and COMSPEC say."""
    text = ctypes.create_unicode_buffer(260)
    _call_api("GetSystemDirectoryW", text, len(text))
    return f"{text.value}\\cmd.exe"


class WindowsProcess:
    """A started process and what it prints, as ``sandbox.process.Process``; raises ``OSError``
    where it could not be held, and then it never ran.
    """

    def __init__(self, start: ProcessStart) -> None:
        self.start = start
        self.began = time.monotonic()
        self._lock = Lock()
        self._job = _call_api("CreateJobObjectW", None, None)
        self._process = 0
        self._readers: list[Thread] = []
        bounds, spill = start.bounds, start.spill
        self._captures = [
            Capture(bounds.output, f"{spill}/{name}" if spill else "")
            for name in ("stdout", "stderr")
        ]
        try:
            for one in windows_job.build_requests(bounds, nested=_is_in(_THIS_PROCESS, None)):
                _call_api("SetInformationJobObject", self._job, one.number, one.data, len(one.data))
            self._process = self._started()
        except BaseException:
            self._close_handles()
            raise

    def ended(self) -> ProcessEnd:
        """Wait until it ends or its time is over; in any case nothing it started is left."""
        try:
            why = "exit" if self._wait_for_exit() else "time"
        finally:
            self.kill()
        for reader in self._readers:
            reader.join(_DRAINED)
        code = ctypes.c_uint32()
        _call_api("GetExitCodeProcess", self._process, ctypes.byref(code))
        self._close_handles()
        return ProcessEnd(
            why, code.value, self._captures[0], self._captures[1], time.monotonic() - self.began
        )

    def kill(self) -> None:
        """End it and all that it started, at once; nothing where that was done. From any thread."""
        with self._lock:
            if self._job:
                _call_api("TerminateJobObject", self._job, _ENDED_BY_US)

    def _wait_for_exit(self) -> bool:
        """Wait for the first process; whether it ended in time."""
        deadline = self.began + self.start.bounds.seconds
        while (left := deadline - time.monotonic()) > 0:
            if (
                _call_api(
                    "WaitForSingleObject",
                    self._process,
                    min(_LOOK, int(left * 1000) + 1),
                    fails=False,
                )
                != _RUNNING
            ):
                return True
        return False

    def _close_handles(self) -> None:
        """Give the handles back. With the last one of a job ends whoever is left in it."""
        with self._lock:
            handles, self._job, self._process = (self._job, self._process), 0, 0
        for handle in handles:
            if handle:
                _call_api("CloseHandle", handle)

    def _started(self) -> int:
        """Start it in the job; return its handle. Its ends of the streams are inherited, and
        nothing else.
        """
        with contextlib.ExitStack() as ends:
            given = ends.enter_context(tempfile.TemporaryFile())
            given.write(self.start.stdin)
            given.seek(0)
            handles = [_inheritable(given.fileno())]
            for capture in self._captures:
                ours, theirs = os.pipe()
                ends.callback(os.close, theirs)
                handles.append(_inheritable(theirs))
                self._readers.append(Thread(target=_read, args=(ours, capture), daemon=True))
            for reader in self._readers:
                reader.start()
            token = ends.enter_context(_fewer_rights())
            process, thread = self._create_process(token, handles)
            ends.callback(_call_api, "CloseHandle", thread)
            try:
                _call_api("AssignProcessToJobObject", self._job, process)
                self._check_held(process)
                _call_api("ResumeThread", thread)
            except BaseException:
                _call_api("TerminateProcess", process, _NEVER_STARTED)
                _call_api("CloseHandle", process)
                raise
        return process

    def _create_process(self, token: int, handles: list[int]) -> tuple[int, int]:
        """Make the process, suspended; return its handle and that of its thread."""
        size = ctypes.c_size_t()
        # tells the size
        _call_api("InitializeProcThreadAttributeList", None, 1, 0, ctypes.byref(size), fails=False)
        attributes, inherited = (
            ctypes.create_string_buffer(size.value),
            struct.pack("<3Q", *handles),
        )
        _call_api("InitializeProcThreadAttributeList", attributes, 1, 0, ctypes.byref(size))
        try:
            _call_api(
                "UpdateProcThreadAttribute",
                attributes,
                0,
                windows_job.HANDLE_LIST,
                inherited,
                len(inherited),
                None,
                None,
            )
            line = ctypes.create_unicode_buffer(windows_job.command_line(self.start.argv))
            variables = ctypes.create_unicode_buffer(windows_job.block(self.start.environment))
            startup, made = (
                windows_job.startup(handles, ctypes.addressof(attributes)),
                ctypes.create_string_buffer(24),
            )
            _call_api(
                "CreateProcessAsUserW", token, ctypes.c_wchar_p(self.start.argv[0]), line, None,
                None, 1, windows_job.CREATION, variables,
                ctypes.c_wchar_p(self.start.cwd), startup, made,
            )  # fmt: skip
        finally:
            _call_api("DeleteProcThreadAttributeList", attributes, fails=False)
        process, thread, _, _ = struct.unpack("<QQII", made.raw)
        return process, thread

    def _check_held(self, process: int) -> None:
        """See that it is held, before it runs: it is in the job, and its token has lost its
        privileges. Raises ``OSError``.
        """
        inside = _is_in(process, self._job)
        with _token(process) as token:
            left = windows_job.lost_privileges(windows_job.privileges(_privileges(token)))
        if not inside or left:
            raise OSError(
                1,
                f"the program was not started: it is {'' if inside else 'not '}in its job, and has"
                f" {len(left)} privileges",
            )


def _is_in(process: int, one: int | None) -> bool:
    """Whether a process is in a job; None for any."""
    inside = ctypes.c_uint32()
    _call_api("IsProcessInJob", process, one, ctypes.byref(inside))
    return bool(inside.value)


def _read(descriptor: int, capture: Capture) -> None:
    with open(descriptor, "rb", buffering=0) as stream:
        while data := stream.read(1 << 16):
            capture.take(data)


def _inheritable(descriptor: int) -> int:
    """Return the handle of a descriptor, which may be inherited from now on."""
    handle: int = msvcrt.get_osfhandle(descriptor)  # type: ignore[attr-defined] # of Windows alone
    os.set_handle_inheritable(handle, True)  # type: ignore[attr-defined] # of Windows alone
    return handle


@contextlib.contextmanager
def _token(process: int) -> Iterator[int]:
    """Give the token of a process."""
    found = ctypes.c_size_t()
    _call_api("OpenProcessToken", process, _OF_TOKENS, ctypes.byref(found))
    try:
        yield found.value
    finally:
        _call_api("CloseHandle", found.value)


def _privileges(token: int) -> bytes:
    """Return the ``TOKEN_PRIVILEGES`` of a token."""
    data, size = ctypes.create_string_buffer(4096), ctypes.c_uint32()
    _call_api("GetTokenInformation", token, _PRIVILEGES, data, len(data), ctypes.byref(size))
    return data.raw[: size.value]


@contextlib.contextmanager
def _fewer_rights() -> Iterator[int]:
    """Give a token like this process's own, with fewer rights. What the flags do on Windows Wine
    leaves undone, so privileges are named as well.
    """
    made = ctypes.c_size_t()
    with _token(_THIS_PROCESS) as own:
        gone = windows_job.lost_privileges(windows_job.privileges(_privileges(own)))
        _call_api(
            "CreateRestrictedToken",
            own,
            windows_job.FEWER_RIGHTS,
            0,
            None,
            len(gone),
            b"".join(gone),
            0,
            None,
            ctypes.byref(made),
        )
    try:
        yield made.value
    finally:
        _call_api("CloseHandle", made.value)


_known: dict[str, Any] = {}


def _call_api(name: str, *arguments: Any, fails: bool = True) -> int:
    """Call a function of Windows, every number as a word of the machine; return its 32 bits.
    ``fails``: 0 is an error, raised as ``OSError``.
    """
    if not _known:
        for library, names in _LIBRARIES.items():
            # with 64 bits there is one way to call
            loaded = ctypes.CDLL(library, use_last_error=True)
            _known.update({one: getattr(loaded, one) for one in names.split()})
    function = _known[name]
    function.restype = ctypes.c_uint32
    answer: int = function(
        *[ctypes.c_void_p(one) if isinstance(one, int) else one for one in arguments]
    )
    if fails and not answer:
        number: int = ctypes.get_last_error()  # type: ignore[attr-defined] # of Windows alone
        raise OSError(1, f"{name} of Windows said no, error {number}")
    return answer
