"""What the tools of a project run of it, read from ``data/projects.txt``: folders, files and names,
each a row a person can add to.
"""

from __future__ import annotations

from interlock.data.words import read_text
from interlock.model.record import Record

FILE = f"{__file__.rpartition('/')[0]}/projects.txt"


class ProjectTool(Record):
    """``verbs``: the subcommands that run anything, all calls where there are none. ``folders``:
    options that say where the project is.

    ``files``: options that name a file that is run, with its language, ``""`` where it is none that
    is read. ``operands``: the language of its operands, None where they are not run. ``runs``:
    names of files in the project that are run, each with its language; ``inside``: of files in a
    folder that is an operand.
    """

    verbs: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    files: tuple[tuple[str, str], ...] = ()
    operands: str | None = None
    runs: tuple[tuple[str, str], ...] = ()
    inside: tuple[tuple[str, str], ...] = ()


_tools: dict[str, ProjectTool] = {}


def find(name: str) -> ProjectTool | None:
    """Return what is known of a tool; None of a program that is none.

    Raises:
        OSError: the package has lost its data.
    """
    if not _tools:
        _tools.update(parse(read_text(FILE)))
    return _tools.get(name)


def names() -> frozenset[str]:
    """Return the names of all files that some tool runs because of their name."""
    find("")
    return frozenset([name for tool in _tools.values() for name, _ in (*tool.runs, *tool.inside)])


def parse(text: str) -> dict[str, ProjectTool]:
    """Return the tools of a text in the format of ``projects.txt``, by every name.

    Raises:
        ValueError: a line is none of the format; the message says which.
    """
    found: dict[str, ProjectTool] = {}
    tools: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0][:1] == "#":
            continue
        if line[:1] == "[":
            tools = line.strip("[] ").split()
            found.update(dict.fromkeys(tools, ProjectTool()))
            continue
        field = _FIELDS.get(words[0])
        if field is None or not tools:
            raise ValueError(
                f"{FILE}, line {number}: {line!r} begins with none of {', '.join(_FIELDS)}"
            )
        tool = found[tools[0]].replace(**{field: _parse_value(field, words[1:])})
        found.update(dict.fromkeys(tools, tool))
    return found


_FIELDS = {
    "verbs": "verbs",
    "folder": "folders",
    "file": "files",
    "operands": "operands",
    "runs": "runs",
    "inside": "inside",
}


def _parse_value(field: str, words: list[str]) -> object:
    """Return what the words of a line say."""
    if field == "operands":
        return words[0][1:] if words else ""
    if field in ("verbs", "folders"):
        return frozenset(words)
    language, out = "", []
    spoken = next((word[1:] for word in words if word[:1] == "="), "") if field == "files" else ""
    for word in words:
        if word[:1] == "=":
            language = word[1:]
        else:
            out.append((word, spoken or language))
    return tuple(out)
