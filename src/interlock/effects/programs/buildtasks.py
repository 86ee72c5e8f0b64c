"""Build tools whose words are tasks of the build, any number in a row: what one of them publishes
leaves the machine, the rest is code of the project.
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.effects.verb_words import parts
from interlock.model.effect import Executes, Publishes
from interlock.shell.value import UNREAD, Flow, Value

_HERE = frozenset("local m2 mavenlocal dry check settings staging".split())
"""Parts of the names of tasks that publish into a folder of this machine, or only look."""
_ALIASES = ("-T", "-X", "-M", "-A")
"""Options of ``clojure`` that name sets of settings of the project, and run what stands there."""


def _sbt(run: Run) -> Flow:
    """``sbt clean "+ publishSigned"``: every word is a task, or several told apart by ``;``."""
    for word in run.operands:
        for text in word.text.split(";"):
            _task(run, text.strip().lstrip("+ "), word)
    return UNREAD


def _clojure(run: Run) -> Flow:
    """``clojure -T:build deploy``: functions of the project by the names of its aliases."""
    named = [value for value in run.arguments if value.text.startswith(_ALIASES)]
    if not named:
        flow: Flow = run.context.readers.function("interpreters.script_language")(
            "clojure", "-e", "--eval"
        )(run)
        return flow
    run.effect(Executes, named[0].text, "package-script", value=named[0])
    for value in run.parsed.values("-e", "--eval"):
        run.code(value, "clojure")
    for word in [] if named[0].text.startswith("-M") else run.operands:
        _task(run, word.text.rpartition("/")[2], word)
    return UNREAD


def _task(run: Run, text: str, word: Value) -> None:
    """Add what a task of the build does: one whose name says that it publishes, an expression that
    is run (``sbt 'set .. := ..'``, ``eval``; sbt 1.10, Command line reference).
    """
    if run.name == "sbt" and text.partition(" ")[0] in ("set", "eval"):
        run.code(Value(text, word.start, word.end, word.why), "scala")
    task = text.rpartition("/")[2].partition(" ")[0]
    said = parts(task)
    publishes = said[:1] in (["publish"], ["deploy"], ["release"]) or "sonatype" in said
    if publishes and _HERE.isdisjoint(said):
        run.effect(Publishes, task, "package", value=word)
    elif task:
        run.effect(Executes, task, "package-script", value=word)
