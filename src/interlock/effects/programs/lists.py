"""Names of files that are given in a file or on standard input (``tar -T``, ``zip -@``, ``rsync
--files-from``), a line or a word each.
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import Reads
from interlock.shell.value import HOLE, NOTHING, Flow, Value

MOST = 256
OPTIONS = {
    "rsync": ("--files-from",), "rclone": ("--files-from", "--files-from-raw"),
    "sort": ("--files0-from",), "wc": ("--files0-from",),
    "du": ("--files0-from",), "xz": ("--files", "--files0"), "zstd": ("--filelist",),
    "md5sum": ("-c", "--check"), "sha1sum": ("-c", "--check"),
    "sha256sum": ("-c", "--check"), "sha512sum": ("-c", "--check"),
    "git": ("--pathspec-from-file",),
}  # fmt: skip
"""Options of programs that read the files which a list names (each one's manual page); archivers
read theirs themselves.
"""


_CHECKING = frozenset("md5sum sha1sum sha256sum sha512sum git".split())
"""Programs that only compare what a list names, or look in a repository for it."""


def files_in_lists(run: Run, lists: list[Value]) -> list[Value]:
    """Return the files that these lists name, as far as their text is known in this call; ``-`` is
    standard input.
    """
    found: list[Value] = []
    for value in lists:
        flow = run.stdin or NOTHING if value.text in ("-", "/dev/stdin") else run.contents(value)
        if flow.text is None and not flow.listing and run.name not in _CHECKING:
            run.context.doubt(f"what the list {value.text} names is not known")
        found += flow.listing or [
            Value(line, value.start, value.end) for line in _lines(flow) if line
        ]
    return list(run.context.limit(found, MOST, "files of a list"))


def _lines(flow: Flow) -> list[str]:
    text = flow.text if flow.text is not None and HOLE not in flow.text else ""
    return text.replace("\0", "\n").split("\n")


def read_lists(run: Run) -> None:
    """Add the reading of what the lists name that a program's options give."""
    for value in files_in_lists(run, run.parsed.values(*OPTIONS[run.name])):
        run.path(Reads, value)
