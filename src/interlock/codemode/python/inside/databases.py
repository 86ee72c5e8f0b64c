"""SQLite: what a statement attaches is a file like any other; only connecting raises an event
(sqlite.org/lang_attach.html, lang_vacuum.html).
"""

from __future__ import annotations

from .paths import CHANGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .asking import Asking
    from .events import EventChecks

_ATTACH, _FINE, _DENIED = 24, 0, 1
"""SQLITE_ATTACH, SQLITE_OK, SQLITE_DENY (sqlite.org/c3ref/c_alter_table.html)."""


def sqlite(asking: Asking, _events: EventChecks, module: Any) -> None:
    """Have statements looked at that name files."""
    original, usual = module.connect, _connection(asking, module)

    def connect(database: Any, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) < 5:
            keywords.setdefault("factory", usual)
        return original(database, *arguments, **keywords)

    module.Connection = usual
    module.connect = connect
    module.dbapi2.connect = connect


def _ask(asking: Asking, path: str) -> None:
    """Ask about an attached file; one of memory is none."""
    if path not in ("", ":memory:"):
        file = path.removeprefix("file:").partition("?")[0]
        asking.path("update", file, CHANGE, "sqlite3 ATTACH")


def _authorizer(asking: Asking, callback: Any, judged: list[str]) -> Callable[..., int]:
    """Return what SQLite asks about each step of a statement. ``judged``: what a parameter names,
    which was asked about already.
    """

    def authorized(action: int, first: Any, *rest: Any) -> int:
        if action == _ATTACH and first is None and not judged:
            # an expression, whose value nobody tells
            message = "Write the path into the statement itself."
            what = "what ATTACH computes"
            asking.tell(asking.where(), "update", what, "code.path", "guard", message)
            return _DENIED
        if action == _ATTACH and first is not None:
            try:
                _ask(asking, first)
            except OSError:
                return _DENIED
        return int(callback(action, first, *rest)) if callback is not None else _FINE

    return authorized


def _connection(asking: Asking, module: Any) -> Any:
    class Connection(module.Connection):  # type: ignore[misc]
        """A connection whose statements are asked about where they name files."""

        def __init__(self, *arguments: Any, **keywords: Any) -> None:
            super().__init__(*arguments, **keywords)
            self._answer_question: list[str] = []
            super().set_authorizer(_authorizer(asking, None, self._answer_question))

        def set_authorizer(self, callback: Any) -> None:
            """Have statements looked at besides."""
            super().set_authorizer(_authorizer(asking, callback, self._answer_question))

        def cursor(self, factory: Any = None) -> Any:
            """Return a cursor that knows what its parameters name."""
            return super().cursor(factory or Cursor)

        def execute(self, sql: Any, parameters: Any = ()) -> Any:
            """Run one statement with a cursor of its own."""
            return self.cursor().execute(sql, parameters)

    class Cursor(module.Cursor):  # type: ignore[misc]
        """A cursor that has the file asked about that a parameter of ATTACH names."""

        def execute(self, sql: Any, parameters: Any = ()) -> Any:
            """Run one statement."""
            found = _parse_attach(sql, parameters)
            if found is None or not isinstance(self.connection, Connection):
                return super().execute(sql, parameters)
            path, text, values = found
            _ask(asking, path)
            self.connection._answer_question.append(path)  # noqa: SLF001 - of the class above
            try:
                return super().execute(text, values)
            finally:
                self.connection._answer_question.pop()  # noqa: SLF001 - of the class above

    return Connection


def _parse_attach(sql: Any, parameters: Any) -> tuple[str, str, Any] | None:
    """Return the path that a parameter of ATTACH is, with the statement and exact parameters; None
    for every other statement.
    """
    import re

    if not isinstance(sql, str) or "attach" not in sql.lower():
        return None
    text = str.__str__(sql)
    found = re.fullmatch(_BY_PARAMETER, text, re.IGNORECASE | re.ASCII)
    if found is None:
        return None
    if found[1] is None:
        values = [_exactly(one) for one in parameters]
        first = values[0] if values else None
        return (first, text, values) if isinstance(first, str) else None
    named = {str.__str__(name): _exactly(parameters[name]) for name in parameters}
    path = named.get(found[1])
    return (path, text, named) if isinstance(path, str) else None


def _exactly(value: Any) -> Any:
    """Return a text that nobody can make say something else."""
    return str.__str__(value) if isinstance(value, str) else value


_BY_PARAMETER = (
    r"\s*attach\s+(?:database\s+)?(?:\?1?|[:@$](\w+))\s+as\s+"
    r"(?:\w+|\"\w+\"|'\w+'|\?2?|[:@$]\w+)\s*;?\s*"
)
"""A statement whose file is one parameter (sqlite.org/lang_attach.html)."""
