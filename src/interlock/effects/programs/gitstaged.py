"""Secrets that git is told to keep, and to publish: files that ``git add`` and ``git commit`` take, the message of a commit, a push of such."""

from __future__ import annotations

from interlock.effects.holding import ALL as WHOLE
from interlock.effects.holding import secrets_at
from interlock.effects.leaving import leaves
from interlock.effects.places import below
from interlock.effects.programs.gitshared import top_of
from interlock.effects.programs.sending import word_carries
from interlock.effects.rows import Row
from interlock.effects.seen import COMMITTED, mark_of
from interlock.model.effect import Reads
from interlock.model.facts import ALL, Loss, Repository
from interlock.shell.value import UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

MAX_PATHS = 32
"""Paths of a command that are looked at."""
STAGED = ("staged", "holds-secret")
MESSAGE = "the message of a commit"
_TRYING = frozenset("test tests __tests__ testdata fixtures fixture spec specs mocks examples example samples docs".split())
"""Folders of files that show how something is used: a key there is likely made for it."""


def _add(run: Run) -> Flow:
    """What is in git already, or is ignored, is not staged by this; ``-f`` stages what is ignored, too."""
    if run.here and not run.has("-n", "--dry-run", "-u", "--update"):
        values = run.operands or ([Value(".")] if run.has("-A", "--all", "--no-ignore-removal") else [])
        for value in values[:MAX_PATHS]:
            _staged(run, value, forced=run.has("-f", "--force"))
        if len(values) > MAX_PATHS:
            run.context.opaque("more files to stage than can be looked at", run.span(), "too-much")
    return UNREAD


def _staged(run: Run, value: Value, *, forced: bool) -> None:
    path = None if value.hollow else run.context.normal(value.text, run.cwd)
    if path is None:
        return
    found = [path] if _carried(run, path) else [one for one, sure in secrets_at(run.context, path, WHOLE, pattern=value.pattern) if sure]
    put = [one for one in run.reader.written if below(one, path)][:MAX_PATHS] if path not in run.reader.written else []
    for one in dict.fromkeys([*(found or [path]), *put]):
        if (found and _is_new(run, one, forced=forced)) or _comes(run, one):
            _keep(run, one, value)


def _keep(run: Run, path: str, value: Value | None = None) -> None:
    """Add that a secret comes into git; of what shows how something works it is only possible."""
    sure = _TRYING.isdisjoint(path[len(run.cwd or "") :].split("/"))
    run.effect(Reads, path, *STAGED, value=value, certain=sure)
    if sure:
        _remember(run, path)


def _remember(run: Run, what: str) -> None:
    if run.cwd is not None:
        run.context.git.kept.append((top_of(run, run.cwd), what))


def _comes(run: Run, path: str) -> bool:
    """Whether git does not have what a file holds now, and a secret is in that: this session put it there, or its text shows it."""
    if _carried(run, path):
        return True
    text = run.context.facts.text(path) if path not in run.context.changed else None
    return isinstance(text, str) and _is_changed(run, path) and bool(leaves(run.context, text))


def _carried(run: Run, path: str) -> bool:
    """Whether this call or its session put a secret into a file."""
    put = run.reader.written.get(path, UNREAD)
    if "secret" in put.labels | run.context.facts.labels(path):
        return True
    return put.text is not None and bool(leaves(run.context, put.text))


def _is_changed(run: Run, path: str) -> bool:
    """Whether what is staged of a file is not in git already, as far as git tells."""
    loss = run.context.facts.loss(path, ALL)
    return isinstance(loss, Loss) and bool(loss.untracked or loss.modified)


def _is_new(run: Run, path: str, *, forced: bool) -> bool:
    """Whether a file comes into git by being staged; where nobody knows what git has of it, not."""
    loss = run.context.facts.loss(path, ALL)
    return isinstance(loss, Loss) and not loss.tracked and (bool(loss.untracked) or (forced and bool(loss.ignored)))


def committed(run: Run) -> None:
    """Add the secrets that a commit takes along without their being staged: of all that is tracked (``-a``), or of the files that are named."""
    if not run.here or run.has("--dry-run"):
        return
    message(run)
    for value in run.operands[:MAX_PATHS]:
        _staged(run, value, forced=False)
    for path in _tracked_changes(run) if run.has("-a", "--all") else ():
        if _comes(run, path):
            _keep(run, path)


def _tracked_changes(run: Run) -> list[str]:
    """Return the tracked files that are otherwise than in the last commit, as far as git tells, by the disk or by what this call wrote."""
    found = run.context.facts.repository(run.cwd) if run.cwd is not None else None
    if not isinstance(found, Repository):
        return []
    changed = run.context.facts.altered(found.root)
    written = [path for path in run.reader.written if below(path, found.root)][:MAX_PATHS]
    paths = dict.fromkeys([*(changed if isinstance(changed, tuple) else ()), *[path for path in written if _is_tracked(run, path)]])
    return [path for path in paths if _carried(run, path) or path not in run.context.changed]


def _is_tracked(run: Run, path: str) -> bool:
    loss = run.context.facts.loss(path, ALL)
    return isinstance(loss, Loss) and bool(loss.tracked)


def published(run: Run, host: str, *, named: bool) -> None:
    """Add that a push sends the secrets that this call or its session has given to git.

    ``named``: to an address, and not to a remote that was set up for it.
    """
    kept = [effect for effect in run.context.effects if effect.kind is Reads and "staged" in effect.traits]
    for path in _given(run)[:MAX_PATHS]:
        run.effect(Reads, path, *STAGED, "published")
    if named and any(effect.certain for effect in kept):
        run.sends(host, "carries-secret", "upload")
    elif kept:
        run.context.possibly(lambda: run.sends(host, "carries-secret", "upload"))


def _given(run: Run) -> list[str]:
    """Return the secrets that this call and its session gave to a repository; on which branch they are, nobody asks."""
    if run.cwd is None or not run.here:
        return []
    top = top_of(run, run.cwd)
    marks = [label.partition(" ") for label in sorted(run.context.facts.labels(mark_of(top)))]
    own = [path for where, path in run.context.git.kept if where == top]
    return list(dict.fromkeys([*own, *[path for mark, _, path in marks if mark == COMMITTED]]))


def message(run: Run) -> None:
    """Add what the message of a commit holds of secrets: everybody who has the history reads it."""
    for value in run.parsed.values("-m", "--message"):
        if not {"carries-secret", "carries-token"}.isdisjoint(word_carries(run, value)):
            run.effect(Reads, MESSAGE, *STAGED, value=value)
            _remember(run, MESSAGE)


ROWS: dict[str, Row] = {name: Row(options="--pathspec-from-file:reads", read=_add) for name in ("add", "stage")}
