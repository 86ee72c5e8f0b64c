"""Secrets that git is told to keep, and to publish: files that ``git add`` and ``git commit`` take,
the message of a commit, a push of such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from interlock.effects.command_history import COMMITTED, mark_of
from interlock.effects.outgoing_words import leaves
from interlock.effects.places import below
from interlock.effects.programs.gitplumbing import note_index_flags
from interlock.effects.programs.gitshared import is_meant, top_of
from interlock.effects.programs.sending import keeps, word_carries
from interlock.effects.read_selection import ALL as WHOLE
from interlock.effects.run import Run
from interlock.effects.secret_reads import secrets_at
from interlock.model.effect import PROJECT_SECRET, SECRET, Reads
from interlock.model.facts import ALL, FILE, FOLDER, Loss, Repository
from interlock.shell.value import ENVIRONMENT, HOLE, UNREAD, Flow, Value
from interlock.shell.value import NAME as NAMELESS

T = TypeVar("T")
MAX_PATHS = 256
"""Paths of a command that are looked at."""
STAGED = ("staged", "holds-secret")
MESSAGE = "the message of a commit"
_TRYING = frozenset(
    "test tests __tests__ testdata fixtures fixture spec specs mocks examples example samples docs".split()
)
"""Folders of files that show how something is used: a key there is likely made for it."""


_EVERYTHING = ("-A", "--all", "--no-ignore-removal", "-u", "--update", "--pathspec-from-file")
_CHOSEN = ("-p", "--patch", "-i", "--interactive", "-e", "--edit")
"""Options by which ``git add`` takes, or offers, the whole work tree where no path is named."""


def _limit(run: Run, paths: Sequence[T]) -> Sequence[T]:
    return run.context.limit(paths, MAX_PATHS, "files of git")


def _add(run: Run) -> Flow:
    """What is in git already, or is ignored, is not staged; ``-f`` stages the ignored, too."""
    if run.here and not run.has("-n", "--dry-run"):
        whole = run.has(*_EVERYTHING, *_CHOSEN)
        values = run.operands or ([Value(top_of(run, run.cwd))] if whole and run.cwd else [])
        kept = set[str]()
        for value in [] if run.has("-u", "--update") else _limit(run, values):
            kept.update(_add_named_secrets(run, value, forced=run.has("-f", "--force")))
        _add_text_secrets(run, values, kept, new=not run.has("-u", "--update", "-p", "--patch"))
    return UNREAD


def _update_index(run: Run) -> Flow:
    """Its files come into git as those of ``git add`` do, new ones with ``--add``."""
    note_index_flags(run)
    for value in _limit(run, run.operands) if run.here else ():
        list(_add_named_secrets(run, value, forced=run.has("--add")))
    return UNREAD


def _add_text_secrets(run: Run, values: list[Value], kept: set[str], *, new: bool) -> None:
    """Add the secrets that stand in the text of what git takes, whatever it is called and however
    it was named: by its folder, by a pattern of git's own, by an option.

    ``kept``: what was told already; ``new``: files that git does not have yet are taken, too.
    """
    named = [_pathspec(run, value) for value in values]
    meant = [path for path in named if not path or not run.context.is_kind(path, FILE)]
    if run.cwd is None or not meant:
        return
    top = top_of(run, run.cwd)
    alone = meant[0] if len(meant) == 1 and run.context.is_kind(meant[0] or top, FOLDER) else ""
    facts = run.context.facts
    answers = (facts.untracked(alone or top) if new else (), facts.find_altered(alone or top))
    for one in [path for found in answers if isinstance(found, tuple) for path in found]:
        wanted = one not in kept and any(not path or is_meant(one, path) for path in meant)
        if wanted and (_has_put_secret(run, one) or _holds(run, one)):
            _keep(run, one)


def _pathspec(run: Run, value: Value) -> str:
    """Return the path or pattern that a word of git's names; ``""``: it may be anywhere in the work
    tree (gitglossary(7), "pathspec": ``:/``, ``:(glob)``, ``:!x``).
    """
    loose = value.hollow or value.text.startswith(":")
    return "" if loose else run.context.normal(value.text, run.cwd) or ""


def _holds(run: Run, path: str) -> bool:
    """Whether the text of a file, as it is on the disk, shows a secret."""
    text = run.context.facts.text(path) if path not in run.context.files.changed else None
    return isinstance(text, str) and bool(leaves(run.context, text))


def _add_named_secrets(run: Run, value: Value, *, forced: bool) -> Iterator[str]:
    """Add the secrets that a word names, and those this call put into files; yield their paths."""
    path = None if value.hollow else run.context.normal(value.text, run.cwd)
    if path is None:
        return
    found = (
        [path]
        if _has_put_secret(run, path)
        else [
            one for one, sure in secrets_at(run.context, path, WHOLE, pattern=value.pattern) if sure
        ]
    )
    put = (
        _limit(run, [one for one in run.reader.written if below(one, path)])
        if path not in run.reader.written
        else []
    )
    for one in dict.fromkeys([*(found or [path]), *put]):
        if (found and _is_new(run, one, forced=forced)) or _comes(run, one):
            _keep(run, one, value)
            yield one


def _keep(run: Run, path: str, value: Value | None = None) -> None:
    """Add that a secret comes into git; of what shows how something works it is only possible."""
    sure = _TRYING.isdisjoint(path[len(run.cwd or "") :].split("/"))
    run.effect(Reads, path, *STAGED, value=value, certain=sure)
    run.context.git.given.add("sure" if sure and not run.context.guessing else "possible")
    if sure:
        _remember(run, path)


def _remember(run: Run, what: str) -> None:
    if run.cwd is not None:
        run.context.git.kept.append((top_of(run, run.cwd), what))


def _comes(run: Run, path: str) -> bool:
    """Whether git does not have what a file holds now, and a secret is in that: this session put it
    there, or its text shows it.
    """
    return _has_put_secret(run, path) or (_holds(run, path) and _is_changed(run, path))


def _has_put_secret(run: Run, path: str) -> bool:
    """Whether this call or its session put a secret into a file."""
    put = run.reader.written.get(path, UNREAD)
    if put.text is not None and HOLE in put.text and "secret" in _read_so_far(run):
        return True
    if not {"secret", ENVIRONMENT}.isdisjoint(put.labels | run.context.facts.labels(path)):
        return True
    return put.text is not None and bool(leaves(run.context, put.text))


def _read_so_far(run: Run) -> frozenset[str]:
    return run.context.past.labels(run.reader.written)


def _is_changed(run: Run, path: str) -> bool:
    """Whether what is staged of a file is not in git already, as far as git tells."""
    answers = (run.context.facts.untracked(path), run.context.facts.find_altered(path))
    return any(isinstance(found, tuple) and path in found for found in answers)


def _is_new(run: Run, path: str, *, forced: bool) -> bool:
    """Whether a file comes into git by being staged; where nobody knows what git has of it, not."""
    loss = run.context.facts.loss(path, ALL)
    return (
        isinstance(loss, Loss)
        and not loss.tracked
        and (bool(loss.untracked) or (forced and bool(loss.ignored)))
    )


def add_commit_secrets(run: Run) -> None:
    """Add the secrets that a commit takes along without their being staged: of all that is tracked
    (``-a``), or of the files that are named.
    """
    if not run.here or run.has("--dry-run"):
        return
    message(run)
    kept = {
        one
        for value in _limit(run, run.operands)
        for one in _add_named_secrets(run, value, forced=False)
    }
    _add_text_secrets(run, run.operands, kept, new=False)
    for path in _find_tracked_changes(run) if run.has("-a", "--all") else ():
        if _comes(run, path):
            _keep(run, path)


def _find_tracked_changes(run: Run) -> list[str]:
    """Return the tracked files that are otherwise than in the last commit, as far as git tells, by
    the disk or by what this call wrote.
    """
    found = run.context.facts.repository(run.cwd) if run.cwd is not None else None
    if not isinstance(found, Repository):
        return []
    changed = run.context.facts.find_altered(found.root)
    written = _limit(run, [path for path in run.reader.written if below(path, found.root)])
    paths = dict.fromkeys(
        [
            *(changed if isinstance(changed, tuple) else ()),
            *[path for path in written if _is_tracked(run, path)],
        ]
    )
    return [
        path
        for path in paths
        if _has_put_secret(run, path) or path not in run.context.files.changed
    ]


def _is_tracked(run: Run, path: str) -> bool:
    loss = run.context.facts.loss(path, ALL)
    return isinstance(loss, Loss) and bool(loss.tracked)


def add_push_secrets(run: Run, host: str, *, named: bool) -> None:
    """Add that a push sends the secrets that this call or its session has given to git.

    ``named``: to an address, and not to a remote that was set up for it.
    """
    given = frozenset(run.context.git.given)
    for path in _limit(run, _list_secrets(run)):
        run.effect(Reads, path, *STAGED, "published")
    if named and "sure" in given:
        run.sends(host, "carries-secret", "upload")
    elif given:
        run.context.possibly(lambda: run.sends(host, "carries-secret", "upload"))


def _list_secrets(run: Run) -> list[str]:
    """Return secrets that this call and its session gave to a repository, on any branch."""
    if run.cwd is None or not run.here:
        return []
    top = top_of(run, run.cwd)
    marks = [label.partition(" ") for label in sorted(run.context.facts.labels(mark_of(top)))]
    own = [path for where, path in run.context.git.kept if where == top]
    return list(dict.fromkeys([*own, *[path for mark, _, path in marks if mark == COMMITTED]]))


def message(run: Run) -> None:
    """Add what the message of a commit holds of secrets: everybody who has the history reads it."""
    for value in run.parsed.values("-m", "--message", "--trailer"):
        tell(run, value)
    for value in run.parsed.values("-F", "--file"):
        path = run.context.normal(value.text, run.cwd) if value.known else None
        if path is not None and (_is_secret(run, path) or _has_put_secret(run, path)):
            _publish(run, MESSAGE, value)
    for name, value in (*run.execution.inherited, *run.execution.prefix):
        if name.startswith(("GIT_AUTHOR_", "GIT_COMMITTER_")):
            tell(run, value)


def tell(run: Run, value: Value, what: str = MESSAGE) -> None:
    """Add what a word holds of secrets that git keeps for everybody: a message, the name of a
    branch or a tag, who an author says to be.
    """
    carried = word_carries(run, value)
    if keeps(run, value) or not {"carries-secret", "carries-token"}.isdisjoint(carried):
        _publish(run, what, value)


def _publish(run: Run, what: str, value: Value) -> None:
    run.effect(Reads, what, *STAGED, value=value)
    run.context.git.given.add("possible" if run.context.guessing else "sure")
    _remember(run, what)


NAME = "a name that git keeps"


def add_name_secrets(run: Run) -> None:
    """Add what the name of a branch or a tag holds of secrets."""
    for value in run.operands:
        if value.hollow:
            tell(run, value, NAME)


def _is_secret(run: Run, path: str) -> bool:
    return not run.context.place(path).natures.isdisjoint((SECRET, PROJECT_SECRET))


def _hash_object(run: Run) -> Flow:
    """``hash-object -w FILE`` puts a file into git without a commit or an index."""
    run.roles()
    for value in _limit(run, run.operands) if run.has("-w") and run.here else ():
        add_by_name(run, value)
    return Flow(NAMELESS + "\n", frozenset({"number"}))


def add_by_name(run: Run, value: Value) -> None:
    """Add that a secret is put into history by its name, where nobody can ask what is there yet."""
    path = run.context.normal(value.text, run.cwd) if value.known else None
    if path is not None and (_is_secret(run, path) or _has_put_secret(run, path)):
        _keep(run, path, value)
