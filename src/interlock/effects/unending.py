"""What goes through pipes and has no end, or holds every variable: ``cat /dev/zero | tr ..``,
``env | sort``.

Both are told by a label, which a program that only changes what it reads passes on, and one that
picks something out of it (``head``, ``grep NAME``) does not. Where it is stored, or shown, the call
is not proven.
"""

from __future__ import annotations

from interlock.effects.context import CallContext
from interlock.effects.places import ENDLESS
from interlock.effects.programs import table as programs
from interlock.effects.secret_searches import may_show
from interlock.effects.secret_variables import EVERYWHERE, SECRET_NAMES
from interlock.model.effect import Exhausts, Span
from interlock.shell.execution import Execution
from interlock.shell.value import Flow

UNENDING, EVERY_VARIABLE = "unending", "every-variable"
"""Labels of what flows: without end; all the variables that a program is given."""
_CHANGING = frozenset("text filters streams grep sed awk".split())
"""Families of programs that print what they read, or something that they made of it."""
_MORE = frozenset("pv tee dd gzip xz zstd bzip2 lz4".split())
_STORING = frozenset("tee dd split csplit sponge".split())
"""Programs that put what they read into files of their own naming."""
_SEARCHING = frozenset("grep egrep fgrep rg ag".split())


def carry(context: CallContext, execution: Execution, flow: Flow) -> Flow:
    """Return what a command prints, with the labels of what it passes on."""
    name = execution.argv[0].text.rpartition("/")[2]
    words = [value.text for value in execution.argv[1:]]
    read = execution.stdin.labels if execution.stdin is not None else frozenset[str]()
    if name == "yes" or _reads_endlessly(name, words, execution):
        read |= {UNENDING}
    given = {UNENDING, EVERY_VARIABLE} & read
    if UNENDING in given and name in _STORING and not _ends(name, words):
        context.doubt(f"what {name} stores has no end")
        _fill(context, execution, name, words)
    if not given or flow.text is not None:
        return flow
    passed = frozenset([label for label in given if _passes(label, name, words)])
    labels = (flow.labels - given) | passed
    return flow if labels == flow.labels else flow.labelled(labels)


def _fill(context: CallContext, execution: Execution, name: str, words: list[str]) -> None:
    """Add that the files that a program names grow until the disk is full."""
    named = [word.removeprefix("of=") for word in words if word[:1] != "-"]
    kept = [word for word in named if "=" not in word and not word.startswith("/dev/")]
    if kept and not (name == "dd" and any(word.startswith("if=") for word in words)):
        context.add(
            Exhausts,
            kept[0],
            span=Span(execution.text, execution.start, execution.end),
            by=name,
            certain=False,
            detail="writes without end",
        )


def doubt_shown(context: CallContext, flow: Flow) -> None:
    """Note that the person's agent, or a file, is given what never ends, or every variable."""
    if UNENDING in flow.labels:
        context.doubt("what is printed has no end")
    if EVERY_VARIABLE in flow.labels:
        context.doubt("some of the variables that are shown may be secret")


def _reads_endlessly(name: str, words: list[str], execution: Execution) -> bool:
    """Whether a device is read that has no end, by a program of text."""
    if name == "dd":
        return any(word.partition("=")[2] in ENDLESS for word in words) and not _ends(name, words)
    if not _is_changing(name):
        return False
    opened = [one.target.text for one in execution.redirects if one.operator == "<"]
    given = [word.removeprefix("if=") for word in words]
    return not ENDLESS.isdisjoint([*given, *opened]) or (name == "seq" and "inf" in words)


def _is_changing(name: str) -> bool:
    return name in _MORE or programs.names().get(programs.canonical(name)) in _CHANGING


def _passes(label: str, name: str, words: list[str]) -> bool:
    if label == UNENDING:
        return (_is_changing(name) or name == "dd") and not _ends(name, words)
    return name != "wc" and not _picks(name, words)


def _ends(name: str, words: list[str]) -> bool:
    """Whether a program stops reading at some point: after so many lines, or at a match."""
    if name == "head":
        return not any(word.lstrip("-nc=").startswith("-") for word in words)
    if name in _SEARCHING:
        return any(word.startswith(("-m", "-q", "-l", "--max-count", "--quiet")) for word in words)
    if name == "dd":
        return any(word.startswith("count=") for word in words)
    if name in ("sed", "awk", "gawk", "mawk"):
        return any("q" in word if name == "sed" else "exit" in word for word in words)
    return False


def _names_none(pattern: str) -> bool:
    """Whether a pattern names no variable that holds a secret."""
    named = [piece.strip("^$()=\\.*").upper() for piece in pattern.split("|")]
    if pattern.startswith("^") and pattern.endswith("="):
        return not any(name.endswith(SECRET_NAMES) for name in named)
    return all(name in EVERYWHERE or not may_show(name.lower()) for name in named)


def _picks(name: str, words: list[str]) -> bool:
    """Whether a program shows of variables only such as are no secrets: those that a pattern names,
    or their names.
    """
    plain = [word for word in words if word[:1] != "-"]
    if name in _SEARCHING:
        inverted = any(word[:1] == "-" and word[:2] != "--" and "v" in word for word in words)
        return bool(plain) and not inverted and _names_none(plain[0])
    if name == "cut":
        return "-f1" in words and any(word in ("-d=", "=") for word in words)
    return (
        name in ("awk", "gawk") and plain[-1:] == ["{print $1}"] and bool({"-F=", "="} & {*words})
    )
