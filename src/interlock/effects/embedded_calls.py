"""Functions of a language of a program's own that its words call: ``system("x")`` in a script of
Miller, ``load("file")`` in one of yq, ``esyscmd(x)`` in a definition of m4.

Which functions run, read or write what they are given is said by the program's section, in lines
``calls``. Whatever else a script computes is nobody's business.
"""

from __future__ import annotations

from interlock.effects.rows import table
from interlock.effects.run import Run
from interlock.shell.value import HOLE, Value

MAX_CALLS = 64
"""Calls in the words of one command that are read; one more is opaque."""
_REDIRECTS = ">|"


def read_calls(run: Run) -> None:
    """Add what the functions do that are called in the words of a command."""
    left = MAX_CALLS
    for word in run.words:
        for name, role in table(run.row.calls).items():
            for text in _find_arguments(word.text, name):
                left -= 1
                if left < 0:
                    run.context.opaque("more calls than can be read", run.span(), "too-much")
                    return
                _do(run, role, text, word)


def _do(run: Run, role: str, text: str | None, word: Value) -> None:
    if text is None or HOLE in text:
        run.context.doubt(f"what {run.name} is told to run or to open is not known")
    else:
        run.role(role, Value(text, word.start, word.end, word.why))


def _find_arguments(text: str, name: str) -> list[str | None]:
    """Return the text that each call of a function is given; None where it is worked out. A name
    that ends in ``>`` or ``|`` is a statement whose output goes there.
    """
    mark = name[-1] if name[-1] in _REDIRECTS else ""
    found: list[str | None] = []
    at = text.find(name.rstrip(_REDIRECTS))
    while at >= 0:
        end = at + len(name.rstrip(_REDIRECTS))
        if not _is_part(text[at - 1 : at]) and not _is_part(text[end : end + 1]):
            rest = text[end:]
            if mark:
                rest = _behind(rest, mark)
            if rest.lstrip()[:1] in ("(", '"', "'", "`") or mark:
                found += [_literal(rest.lstrip())] if rest.strip() else []
        at = text.find(name.rstrip(_REDIRECTS), end)
    return found


def _is_part(char: str) -> bool:
    """Whether a character belongs to a name."""
    return char.isalnum() or char == "_"


def _behind(text: str, mark: str) -> str:
    """Return what stands behind a mark in the same statement."""
    statement = text.partition(";")[0].partition("}")[0]
    return statement.partition(mark)[2].lstrip(mark)


def _literal(text: str) -> str | None:
    """Return the text that stands first in brackets or quotes; None where it is a name."""
    bracket = text[:1] == "("
    text = text[1:].lstrip() if bracket else text
    if text[:1] in ('"', "'", "`"):
        end = next((at for at in range(1, len(text)) if text[at] in _ENDS[text[0]]), -1)
        whole = text[end + 1 :].lstrip()[:1] in (")", ",", "", ";", "}", "|", "[")
        return text[1:end] if end > 0 and whole else None
    inner = text.partition(")")[0].strip()
    return inner if bracket and " " in inner and "$" not in inner else None


_ENDS = {'"': '"', "'": "'", "`": "`'"}
"""Quotes and what ends them; m4 begins with one and ends with the other."""
