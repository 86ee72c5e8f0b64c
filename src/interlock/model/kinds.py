"""What each kind of effect means to those who judge, grant and remember: one row a kind, one column
a question.

| column | the question |
| --- | --- |
| loses | may work or data be gone for good, whatever its target? (what files lose is told by their
places) |
| reaches | does it reach another machine? |
| path | is its target a path, whose place says what is at stake? |
| grant | what can a yes cover: its ``target``, the ``call`` as it stands, since the target does not
say what would happen, or ``none`` of it? |
| goal | is it what somebody wants, or only the ``way`` to it: a program that is started, code that
is run? |
| machine | is it of the machine that it happens on, so that in a container it is of that container?
|
| far | does it change what lies elsewhere: a cluster, a database, a registry? |
| past | do earlier calls and the repository say something of it? |
| future | may it have to do with what later calls do? |
"""

from __future__ import annotations

from interlock.model.effect import KINDS, Kind

_TABLE = """
kind                    loses reaches path grant  goal machine far past future
reads                   -     -       path target goal -       -   -    -
writes                  -     -       path target goal -       -   past future
deletes                 -     -       path target goal -       -   past future
changes-mode            -     -       path target goal -       -   past future
executes                -     -       -    target way  -       -   past -
runs-code               -     -       -    none   way  -       -   -    -
connects                -     reaches -    target goal -       -   past -
sends                   -     reaches -    target goal -       -   past future
listens                 -     reaches -    target goal -       -   -    -
installs                -     -       -    target goal machine -   -    -
publishes               -     reaches -    call   goal -       far -    -
pushes                  -     reaches -    target goal -       -   -    -
discards-work           loses -       -    target goal -       -   -    -
rewrites-history        loses -       -    target goal -       -   -    -
escalates-privilege     -     -       -    call   goal machine -   -    -
controls-system         -     -       -    call   goal -       -   -    future
kills-process           -     -       -    call   goal machine -   past future
changes-database        loses -       -    call   goal -       far -    -
changes-infrastructure  loses -       -    call   goal -       far -    -
controls-container      -     -       -    call   goal -       far -    -
persists                -     -       -    none   goal -       -   -    -
tampers-with-guard      -     -       -    none   goal -       -   -    -
erases-traces           -     -       -    none   goal -       -   -    -
exhausts                -     -       -    none   goal -       -   -    -
calls                   -     -       -    target way  -       -   -    -
opaque                  -     -       -    none   way  -       -   -    -
"""


def rows(table: str = _TABLE) -> dict[str, dict[str, str]]:
    """Return for each kind its answer to each question. Raises ``ValueError`` for a row that does
    not answer them all.
    """
    head, *lines = [line.split() for line in table.split("\n") if line]
    return {line[0]: dict(zip(head, line, strict=True)) for line in lines}


_ROWS = rows()
_MEANT: dict[str, frozenset[Kind]] = {}


def meaning(answer: str) -> frozenset[Kind]:
    """Return the kinds with an answer of the table: ``meaning("loses")``, ``meaning("call")``.
    Raises ``KeyError`` for a kind without a row.
    """
    found = _MEANT.get(answer)
    if found is None:
        found = _MEANT[answer] = frozenset(
            [kind for kind in KINDS if answer in _ROWS[kind].values()]
        )
    return found
