"""Files that the words of a call name and that its reader did not speak of: values of options, what stands behind ``@`` and ``file:``.

A program may show whatever file it is given, in its output or its complaints, and may write to whatever it is told to keep a record in. So a
secret that is named there may be read, and a file that starts programs or lets people in may be written, whichever option it was.
"""

from __future__ import annotations

from interlock.model.effect import ACCESS, GUARD, PERSISTENCE, SECRET, TEMP, WORKSPACE, Reads, Writes
from interlock.shell.value import HOLE, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

OWN_KEYS = ("-key", "cert", "identity", "config", "credential", "netrc", "auth", "-ca", "--private", "keyring", "profile")
"""Parts of an option's name that say the program uses the file for itself; ``-i`` is an identity as well."""
MATTERS = frozenset({GUARD, PERSISTENCE, ACCESS})
MOST = 64
_BEHIND = ("@", "file://", "file:")


def account(run: Run, first: int) -> None:
    """Add what may be done to files of which none of the effects from number ``first`` on tells."""
    words = [("", value) for value in run.arguments[:MOST] if _behind(value.text) != value.text]
    if run.name not in TALKING:
        words += [pair for pair in run.parsed.options[:MOST] if _matters(run, pair[1])]
    if run.name not in TALKING:
        _doubt(run, first)
    for option, value in [*run.parsed.paths[:MOST], *words]:
        text = _behind(value.text)
        if "/" in text and not value.hollow and not value.pattern and "://" not in text:
            _named(run, option, Value(text, value.start, value.end), first)


TALKING = frozenset(
    "echo printf test [ export declare typeset local readonly alias which type command cd pushd basename dirname realpath readlink read case git "
    "grep rg ag ack sed awk find fd jq xargs env sudo ssh docker kubectl expr logger say notify-send gh glab".split()
)
"""Programs whose words are texts, patterns or other commands as often as files, or whose own reader tells one from the other."""


def _doubt(run: Run, first: int) -> None:
    """Note the options whose values are paths outside of what was lent and that no effect speaks of: a program may write there, whichever it was."""
    told = {effect.target for effect in run.context.effects[first:]}
    given = [value.text for option, value in run.parsed.options[:MOST] if option not in _LOOKED_IN]
    for text in given + [value.text.partition("=")[2] for value in run.operands[:MOST]]:
        path = run.context.normal(run.context.at_home(text), run.cwd) if text.startswith(_OUTSIDE) and HOLE not in text else None
        if path is not None and path not in told and run.context.place(path).location not in (WORKSPACE, TEMP):
            run.context.doubts[f"what {run.name} does with {text} is not known"] = None


_OUTSIDE = ("/", "~", "../")
_LOOKED_IN = ("-I", "-L", "-isystem")


def _matters(run: Run, value: Value) -> bool:
    """Whether a word is the path of a file that matters and that a program could only be given to write it."""
    text = value.text
    if text[:1] not in ("/", "~") or value.hollow or value.pattern or " " in text:
        return False
    path = run.context.normal(run.context.at_home(text), run.cwd)
    return path is not None and not run.context.place(path).natures.isdisjoint(MATTERS)


def _behind(text: str) -> str:
    """Return a word without what says that a file's contents are meant: ``@FILE``, ``name=@FILE``, ``file:///FILE``."""
    _, equals, rest = text.partition("=")
    if equals and rest.startswith(_BEHIND):
        text = rest
    return next((text.removeprefix(mark) for mark in _BEHIND if text.startswith(mark)), text)


def _named(run: Run, option: str, value: Value, first: int) -> None:
    """Add the possible reading of a secret, or writing of a file that matters."""
    context = run.context
    path = context.normal(context.at_home(value.text), run.cwd)
    if path is None:
        return
    natures = context.place(path).natures
    own = option == "-i" or any(part in option for part in OWN_KEYS)
    reads, writes = SECRET in natures and not own, not natures.isdisjoint(MATTERS)
    told = context.effects[first:]
    if not (reads or writes) or any(effect.target == path or (option and effect.span == run.span(value)) for effect in told):
        return
    if reads:
        run.possible(Reads, Value(path, value.start, value.end), "named")
    if writes and not own:
        run.possible(Writes, Value(path, value.start, value.end), "named")
