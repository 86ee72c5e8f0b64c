"""Lists of packages that a call writes and then installs (``pip install -r FILE``, pip's page
*Requirements File Format*): a line counts like a word of the command.
"""

from __future__ import annotations

from interlock.effects.programs.registries import unusual_index
from interlock.effects.run import Run
from interlock.model.effect import Installs
from interlock.shell.value import Value

MAX_LINES = 2000
_EDITABLE = ("-e ", "--editable ", "--editable=")


def list_own_packages(run: Run, file: Value) -> list[Value]:
    """Return the packages of a list that this call wrote, and add the indexes that it names; those
    of a list that lay there are the project's.
    """
    path = run.context.normal(file.text, run.cwd) if file.known else None
    text = run.text_of(file) if path is not None and run.reader.find_written(path) else None
    lines = [line.partition(" #")[0].strip() for line in (text or "").split("\n")]
    packages = []
    for line in run.context.limit(lines, MAX_LINES, "packages of a list"):
        option, _, given = line.replace("=", " ", 1).partition(" ")
        if unusual_index(option, given.strip()):
            run.effect(Installs, given.strip(), "other-index", value=file)
        elif line and line[0] != "#" and (line[0] != "-" or line.startswith(_EDITABLE)):
            package = given.strip() if line.startswith(_EDITABLE) else line
            packages.append(Value(package, file.start, file.end))
    return packages
