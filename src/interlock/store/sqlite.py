"""The C module of SQLite, loaded without what it drags along.

While it is being imported, ``_sqlite3`` asks ``functools`` for ``lru_cache`` (its cache of
statements). With ``functools`` come ``collections``, ``operator``, ``keyword`` and ``reprlib``,
which take about half as long as the start of the bare interpreter. What ``lru_cache`` comes down to
is one class of the C module ``_functools``, so for the length of that import a stand-in answers
with it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from interlock.store.place import StoreError


def load() -> Any:
    """Return the C module, else the standard library's wrapper; raises ``StoreError`` where Python
    was built without either.
    """
    for attempt in (_lean, _plain, _import_package):
        try:
            return attempt()
        except (ImportError, AttributeError, TypeError):
            continue
    raise StoreError("this Python was built without SQLite, so nothing can be recorded")


def _lean() -> Any:
    if "_sqlite3" in sys.modules or "functools" in sys.modules:
        return _plain()
    # CPython has had this class since 3.5; where it is missing or takes other arguments, the plain
    # import is next
    from _functools import _lru_cache_wrapper as wrapper  # type: ignore[import-not-found]

    def lru_cache(maxsize: int = 128, typed: bool = False) -> Callable[[Any], Any]:
        return lambda function: wrapper(function, maxsize, typed, tuple)

    stand_in = type(sys)("functools")
    stand_in.lru_cache = lru_cache  # type: ignore[attr-defined]
    sys.modules["functools"] = stand_in
    try:
        return _plain()
    finally:
        del sys.modules["functools"]


def _plain() -> Any:
    return __import__("_sqlite3")


def _import_package() -> Any:
    return __import__("sqlite3")
