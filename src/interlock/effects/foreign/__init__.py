"""Code in languages other than shell and Python: one reader, and a table of words for each
language.

A program's text is cut into tokens (``tokens``), those become the same kind of tree that Python
programs have (``grammar``), and the tree is followed with known values (``program``). What a
language calls its functions is a table of its own (``languages``), in words of ``actions``. Text
that no language of ours can read is searched for the calls that matter (``search``).
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.shell.value import Flow, Value


def read_code(run: Run, text: str, value: Value | None, name: str) -> Flow | None:
    """Add what a text of a language would do; return what it prints. Its reader is loaded late."""
    from interlock.effects.foreign.read import read_code as read

    return read(run, text, value, name)
