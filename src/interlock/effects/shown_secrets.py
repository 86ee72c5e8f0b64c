"""Secrets that a program of text, a search or git shows though no effect speaks of them: variables
that its code names (``jq -n '$ENV'``, ``awk '{print ENVIRON["KEY"]}'``), files of other revisions
(``git show HEAD:.env``), files that a search is told to look into (``--include='.env*'``).
"""

from __future__ import annotations

from interlock.effects.programs.printing import shows_variables
from interlock.effects.run import Run
from interlock.effects.secret_variables import leading_name
from interlock.model.effect import PROJECT_SECRET, SECRET
from interlock.shell.value import Value

_CODING = frozenset("jq gojq jaq yq awk gawk mawk nawk mlr".split())
"""Programs whose code can ask for variables."""
_NAMING = ("$ENV.", "env.", '$ENV["', 'env["', 'ENVIRON["', 'ENV["', "strenv(", "env(", "envsubst(")
"""What stands before a variable's name in such code."""
_WHOLE = frozenset({"$ENV", "ENVIRON", "env"})
"""Filters, each up to the next bar, that are all of them."""
_HISTORY = frozenset(
    "show cat-file blame annotate grep diff stash log whatchanged format-patch archive".split()
)
"""Commands of git that show what files hold, or held."""
_ONLY_WITH_PATCH = frozenset({"log", "stash"})
_PATCH = ("-p", "-u", "--patch", "-S", "-G", "-L", "-c", "--cc", "-U")
_LOOKING_INTO = ("--include", "-g", "--glob", "--iglob")
_TEMPLATES = ("example", "sample", "template", "dist", "defaults")


def doubt_secrets(run: Run) -> None:
    """Note what such a program shows that may be a secret."""
    name, _, verb = run.name.partition(" ")
    if name in _CODING:
        for value in run.words:
            _doubt_variables(run, value.text)
    if name == "ps" and any("e" in value.text for value in run.arguments[:1] if _is_bsd(value)):
        run.context.doubt("some of the variables that are shown may be secret")
    if name == "git" and verb in _HISTORY and not _only_lists(run, verb):
        words = [*run.words]
    else:
        words = [value for one in _LOOKING_INTO for value in run.parsed.values(one)]
    for value in words:
        if _is_secret(run, value):
            run.context.doubt(f"{run.name} shows what is in {value.text}")


def _is_bsd(value: Value) -> bool:
    """Whether a word is letters without a dash, of which ``e`` shows the environment (ps(1))."""
    return value.text.isalpha()


def _doubt_variables(run: Run, text: str) -> None:
    found = [leading_name(piece) for mark in _NAMING for piece in text.split(mark)[1:]]
    shows_variables(run, found)
    rest = [piece[:1] for piece in text.split("$ENV")[1:] + text.split("ENVIRON")[1:]]
    filters = [piece.strip().split(" ")[0] for piece in text.replace("|", "\n").split("\n")]
    if not _WHOLE.isdisjoint(filters) or any(after not in (".", "[") for after in rest):
        run.context.doubt("some of the variables that are shown may be secret")


def _only_lists(run: Run, verb: str) -> bool:
    """Whether only the names of commits are shown: ``git log -- FILE`` without a patch."""
    words = [value.text for value in run.words]
    return verb in _ONLY_WITH_PATCH and not any(word.startswith(_PATCH) for word in words)


def _is_secret(run: Run, value: Value) -> bool:
    """Whether a path, or a pattern, is one of a secret; a revision may stand before it."""
    path = value.text.rpartition(":")[2]
    last = path.rpartition("/")[2]
    if path[:1] in ("-", "!") or not last or last.endswith(_TEMPLATES):
        return False
    if last.startswith(".env"):
        return True
    normal = run.context.normal(path, run.cwd)
    return normal is not None and not {SECRET, PROJECT_SECRET}.isdisjoint(
        run.context.place(normal).natures
    )
