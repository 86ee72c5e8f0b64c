"""Code that words hand to a program: the value of an option that takes code, a pipe from a command
that fetches something, a URL behind an option whose value is run.
"""

from __future__ import annotations

from interlock.effects.environment import option_values, pieces, says
from interlock.effects.run import Run
from interlock.effects.verb_words import parts
from interlock.shell.value import NETWORK, Value

CODE = frozenset(
    "-c -e --exec --execute --command --cmd --run --shell --eval -x --on-change"
    " --hook --pre --post".split()
)
"""Options whose value is a command or code, whoever's they are."""


def read_pipe(run: Run, word: Value) -> None:
    """A pipe from a command that fetches something, given to a program that nobody described: it
    may run that (``escript <(curl -s URL)``).
    """
    flow = run.walker.substitutions.paths.get(word.text)
    if flow is not None and NETWORK in flow.labels:
        run.unknown_code(NETWORK, value=word)


def read_code(run: Run, word: Value, before: str) -> None:
    """Read the value of an option that takes code as code of a language nobody knows: ``--eval
    'removeDir("x")'``, ``-g "shell('rm -rf x')"``.
    """
    option, mark, rest = word.text.partition("=" if "=" in word.text else ":")
    named, text = (option, rest) if mark and option[:2] == "--" else (before, word.text)
    bare = named.strip("-").lower()
    if named[:1] != "-" or (named not in CODE and not _TAKES_CODE.intersection(parts(bare))):
        return
    if "(" in text or "<" in text or ";" in text:
        from interlock.effects.foreign.unknown_calls import (
            read_names,  # few programs are given code
        )

        if "python" in parts(bare):
            run.code(Value(text, word.start, word.end), "python")
        else:
            read_names(run, text, word, followed=False)


_TAKES_CODE = frozenset("eval expr expression code g e goal execute".split())
"""Parts of the names of options whose value is code."""


_FETCHED = ("http://", "https://", "data:text/javascript", "data:application/javascript")
_RUN = ("SCRIPT", "EXECUTE", "FILTER", "IMPORT", "REQUIRE", "LOADER", "PLUGIN", "PRELOAD", "HOOK")
"""Parts of the names of options whose value is run, wherever it is fetched from."""


def judge_fetched(run: Run) -> None:
    """Add that an option runs what is fetched: ``--lua-filter https://..``."""
    for name, value in option_values(run):
        if value.text.startswith(_FETCHED) and says(pieces(name), _RUN):
            run.unknown_code(NETWORK, value=value)
