"""Secrets that git is told to keep: files that ``git add`` stages, and the message of a commit (git-add(1), git-commit(1))."""

from __future__ import annotations

from interlock.effects.holding import ALL as WHOLE
from interlock.effects.holding import secrets_at
from interlock.effects.leaving import leaves
from interlock.effects.programs.sending import word_carries
from interlock.effects.rows import Row
from interlock.model.effect import Reads
from interlock.model.facts import ALL, Loss
from interlock.shell.value import UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

MAX_PATHS = 32
"""Paths of a command that are looked at."""
STAGED = ("staged", "holds-secret")
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
    carried = "secret" in run.reader.written.get(path, UNREAD).labels | run.context.facts.labels(path)
    found = [path] if carried else [one for one, sure in secrets_at(run.context, path, WHOLE, pattern=value.pattern) if sure]
    if not found and _tells(run, path):
        found, carried = [path], _is_changed(run, path)
    for one in found:
        if carried or _is_new(run, one, forced=forced):
            named = frozenset(one[len(run.cwd or "") :].split("/"))
            run.effect(Reads, one, *STAGED, value=value, certain=_TRYING.isdisjoint(named))


def _tells(run: Run, path: str) -> bool:
    """Whether the text of a file that is named holds a token, or a value of the project's own secret files."""
    text = run.context.facts.text(path) if path not in run.context.changed else None
    return isinstance(text, str) and bool(leaves(run.context, text))


def _is_changed(run: Run, path: str) -> bool:
    """Whether what is staged of a file is not in git already, as far as git tells."""
    loss = run.context.facts.loss(path, ALL)
    return isinstance(loss, Loss) and bool(loss.untracked or loss.modified)


def _is_new(run: Run, path: str, *, forced: bool) -> bool:
    """Whether a file comes into git by being staged; where nobody knows what git has of it, not."""
    loss = run.context.facts.loss(path, ALL)
    return isinstance(loss, Loss) and not loss.tracked and (bool(loss.untracked) or (forced and bool(loss.ignored)))


def message(run: Run) -> None:
    """Add what the message of a commit holds of secrets: everybody who has the history reads it."""
    for value in run.parsed.values("-m", "--message"):
        if not {"carries-secret", "carries-token"}.isdisjoint(word_carries(run, value)):
            run.effect(Reads, "the message of a commit", *STAGED, value=value)


ROWS: dict[str, Row] = {name: Row(options="--pathspec-from-file:reads --chmod:data", abbreviates=False, read=_add) for name in ("add", "stage")}
