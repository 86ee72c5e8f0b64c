"""What a call writes, compiles and then runs, and what tools run because of its name: the text that
this call wrote is what runs.
"""

from __future__ import annotations

from interlock.effects.programs.projects import manifest
from interlock.effects.run import Run
from interlock.effects.shebang import LANGUAGES
from interlock.effects.touched_files import is_unseen
from interlock.shell.value import Flow, Value

MAX_SOURCES = 256
MAX_BUILT = 64


def note_compile(run: Run, output: str = "", sources: list[Value] | None = None) -> None:
    """Note what a compiler makes of which sources; ``output`` is its name where no ``-o`` says it,
    else that of the first source.
    """
    found: list[tuple[Flow, str]] = []
    built = run.reader.built
    read = run.operands if sources is None else sources
    for value in run.context.limit(read, MAX_SOURCES, "sources"):
        path = None if value.hollow else run.context.normal(value.text, run.cwd)
        language = LANGUAGES.get(value.text.rpartition(".")[2], "")
        if path in built:
            found += built[path or ""]
        elif language:
            found += _read_source(run, value, language)
        elif value.text == "-" and run.stdin is not None:
            given = run.parsed.value("-x")
            found.append((run.stdin, LANGUAGES.get(given.text if given is not None else "c", "c")))
    if found and len(built) < MAX_BUILT:
        named = run.parsed.value("-o")
        stem = run.operands[0].text.rpartition("/")[2].rpartition(".")[0] if run.operands else ""
        name = named.text if named is not None else f"{stem}.o" if run.has("-c") else output or stem
        path = run.context.normal(name, run.cwd) if name else None
        if path is not None:
            built[path] = found


def _read_source(run: Run, value: Value, language: str) -> list[tuple[Flow, str]]:
    flow = run.contents(value)
    known = flow.text is not None or not flow.labels <= {"file", "workspace", "outside"}
    known = known or is_unseen(run, value)
    return [(flow, language)] if known else []


LIFECYCLE = ("preinstall", "install", "postinstall", "prepare")
"""Scripts of ``package.json`` that an install runs (npm's scripts page)."""


def lifecycle(run: Run) -> None:
    """Read what an install runs of a manifest that this call wrote."""
    if run.contents(Value("package.json")).text is not None:
        for name in LIFECYCLE:
            manifest(run, name, [])


def in_folder(run: Run, suffix: str) -> list[Value]:
    """Return the files of the command's folder with that ending that this call wrote."""
    folder = f"{run.cwd}/"
    return [
        Value(path)
        for path in run.reader.written
        if path.startswith(folder) and path.endswith(suffix) and "/" not in path[len(folder) :]
    ]
