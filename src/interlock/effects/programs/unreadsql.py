"""Files of statements that nobody can read before they run: what their name, the folder they lie in
and the database they go to tell of them.
"""

from __future__ import annotations

from interlock.effects import touched_files
from interlock.effects.run import Run
from interlock.effects.scopes import in_production
from interlock.effects.verb_words import NEGATED, parts
from interlock.effects.verbs import stem
from interlock.model.effect import TEMP
from interlock.shell.value import Value

_LOSES = frozenset(
    "drop wipe truncate purge destroy nuke reset teardown delete clear rollback down undo".split()
)
"""Parts of the name of such a file that say something is lost."""
_PRODUCTION = frozenset({"production", "prod", "prd", "live"})
_TRYING = frozenset({"test", "tests", "fixture", "fixtures"})


def is_grave(run: Run, value: Value) -> bool:
    """Whether statements that nobody can read are worth a question: their file is called by what is
    lost, lies among temporary files that nobody has seen, or goes to production.
    """
    name = frozenset(parts(value.text.rpartition("/")[2]))
    if not (name | _database(run)).isdisjoint(_TRYING):
        return False
    loses = not name.isdisjoint(_LOSES) and frozenset(parts(stem(value.text))).isdisjoint(NEGATED)
    return loses or _is_unseen(run, value) or _is_production(run, value)


def _is_unseen(run: Run, value: Value) -> bool:
    path = run.context.normal(value.text, run.cwd) if value.known else None
    if path is None:
        return False
    place = run.context.place(path)
    flow = run.reader.find_written(path)
    return place.location == TEMP and bool(
        touched_files.unseen_traits(run.context, path, place, flow)
    )


def _database(run: Run) -> frozenset[str]:
    """Return the parts of the name of the database that is meant."""
    named = [*run.parsed.values("-d", "--dbname", "-D", "--database"), *run.operands[:1]]
    return frozenset([part for value in named for part in parts(value.text)])


def _is_production(run: Run, file: Value) -> bool:
    """Whether a host, a database or an address that is named is production's."""
    if in_production(run):
        return True
    given = [*[value for _, value in run.parsed.options], *run.operands]
    return any(
        not _PRODUCTION.isdisjoint(_pieces(value.text))
        for value in given
        if value.known and value.text != file.text
    )


def _pieces(text: str) -> list[str]:
    if " " in text or len(text) > len("postgres://") * 16:
        return []
    for mark in "/@:?=,":
        text = text.replace(mark, " ")
    return parts(text)
