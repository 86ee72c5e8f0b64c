"""Options that nobody listed, of programs whose work is known and lies in the workspace.

A section lists the options that do something; of the others there is no end. Such an option is of
no matter where its name says neither that code is started or loaded, nor that something goes
elsewhere, is lost or reaches beyond the workspace, and where its value lies within: a word, a
number, a file of the workspace. What the program does is told by everything else in the call.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.programs import table as programs
from interlock.effects.raising import PRODUCTION
from interlock.effects.run import Run
from interlock.effects.verbwords import parts
from interlock.model.effect import TEMP, WORKSPACE
from interlock.shell.value import Value

_FAMILIES = frozenset(words("unlisted", "families"))
_BUILDERS = frozenset(words("unlisted", "builders"))
_TELLING = frozenset(words("unlisted", "telling"))
_LETTERS = frozenset(words("unlisted", "letters"))
_MOST = 80
"""Characters of a value that is a word."""
_PLAIN = frozenset("-_.,:/+@%=*")
"""What stands in values beside letters and digits."""


def works_here(name: str) -> bool:
    """Whether the work of a program lies in the workspace, and nobody listed all its options."""
    known = programs.canonical(name)
    return (
        known in _BUILDERS or programs.names().get(known) in _FAMILIES
    ) and not programs.is_whole(known)


def of_no_matter(run: Run, option: str) -> bool:
    """Whether an option of a program that works here changes nothing that matters."""
    found = False
    for at, value in enumerate(run.arguments):
        name, equals, given = value.text.partition("=")
        if not _is_it(name, option):
            continue
        found = True
        if equals and not given:
            return False
        following = run.arguments[at + 1] if at + 1 < len(run.arguments) else None
        taken = Value(given) if equals else following
        if not (means_little(name) or _takes_file(name, taken)):
            return False
        if taken is not None and not lies_within(run, taken):
            return False
    return found


def _takes_file(name: str, taken: Value | None) -> bool:
    """Whether a letter that means code elsewhere, or the name of a port, has a file or a number
    behind it: ``-c app.toml``, ``--port 8080``.
    """
    text = taken.text if taken is not None else ""
    if text.isdecimal():
        return len(name) == 2 or name in ("--port", "-port")
    stem, dot, ending = text.rpartition(".")
    return len(name) == 2 and bool(stem and dot) and ending.isalnum() and text[:1] != "-"


def _is_it(name: str, option: str) -> bool:
    return name == option or (
        name[:1] == "-" and name[:2] != "--" and len(option) == 2 and option[1] in name[1:]
    )


def means_little(name: str) -> bool:
    """Whether the name of an option says nothing of what matters."""
    bare = name.lstrip("-")
    plain = bare.replace("-", "").replace("_", "").replace(".", "").replace(":", "")
    if not plain.isalnum():
        return False
    if len(bare) == 1:
        return bare not in _LETTERS
    said = parts(name.lstrip("-"))
    glued = name[:2] != "--" and name[1:2] in _LETTERS and len(said) == 1 and not said[0].isalpha()
    return not glued and not any(
        word in _TELLING or word.removesuffix("s") in _TELLING for word in said
    )


def lies_within(run: Run, value: Value) -> bool:
    """Whether what stands behind an option is a word, a number, or a path of what was lent."""
    text = value.text
    if text[:1] == "-" or not text:
        return True
    if value.hollow or len(text) > _MOST or text in PRODUCTION or "://" in text:
        return False
    if not all(char.isalnum() or char in _PLAIN for char in text):
        return False
    if text[:1] not in ("/", "~", "@") and ".." not in text and ":/" not in text:
        return True
    path = run.context.normal(run.context.at_home(text), run.cwd)
    return path is not None and run.context.place(path).location in (WORKSPACE, TEMP)
