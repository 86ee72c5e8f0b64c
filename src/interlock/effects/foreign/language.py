"""What a language is to the reader: how it is written, and what its functions do, as rows."""

from __future__ import annotations

from interlock.effects.foreign.tokens import TokenDialect
from interlock.model.record import Record


class Language(Record):
    """One language.

    ``calls``: full name of a function -> what it does, in words of ``actions`` (``"fs.rmSync":
    "deletes:recursive=0"``); a method of an object whose kind is known is ``<kind>.name``, of one
    nobody knows ``?.name``. ``names``: what a name stands for (``"process.env": "environ"``).
    ``modules``: module names that are the same (``fs/promises`` is ``fs``). ``prefixes``: parts of
    a name that change nothing.
    ``tilde``: its functions take ``~`` at the beginning of a path for the home folder.
    """

    dialect: TokenDialect
    calls: dict[str, str]
    names: dict[str, str] = {}  # noqa: RUF012 - a record: never changed
    modules: dict[str, str] = {}  # noqa: RUF012
    prefixes: tuple[str, ...] = ()
    tilde: bool = False
