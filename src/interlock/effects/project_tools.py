"""What a tool runs of the project that it works on: where that lies, and where it comes from.

``make`` runs a makefile, ``pytest`` what is in ``conftest.py``: whoever wrote that file decides
what the call does, as with a script that is named openly. So the files and folders that
``data/projects.txt`` tells of each tool are judged as scripts are: by their text where this call or
this session wrote it, else by where they come from.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.data import projects
from interlock.data.projects import ProjectTool
from interlock.effects import touched_files
from interlock.effects.environment import judge_given
from interlock.effects.programs import table as programs
from interlock.effects.rows import roles
from interlock.effects.run import Run
from interlock.effects.settings_paths import doubt_written_settings
from interlock.effects.settingstext import read_settings
from interlock.effects.shebang import LANGUAGES
from interlock.effects.verb_words import LOOKS, parts
from interlock.model.effect import TEMP, Executes
from interlock.shell.pattern import matches
from interlock.shell.value import NETWORK, Flow, Value

ITSELF = "itself"
"""In place of a language: the tool's own reader reads what of the file is run."""
CLONED = "cloned"
"""The label of what a version control system fetched: building it is everyday work."""
MOST = 256
"""Operands of a tool that are looked at."""
_TOLD = frozenset({"downloaded"})
"""Marks of earlier calls that count for what is run."""


def look(run: Run) -> None:
    """Add what a tool runs of its project, if from outside, or written in this call or session."""
    tool = projects.find(run.name)
    if not run.here:
        return
    doubt_written_settings(run)
    if tool is None:
        _operands(run)
        _read_handed(run)
        return
    words = run.arguments
    if run.has("--help", "--version") or (tool.verbs and _verb(words, tool) not in tool.verbs):
        return
    judge_given(run)
    folder = run.cwd
    for value in _option_values(words, tool.folders):
        folder = None if value.hollow else run.context.normal(value.text, folder)
        if folder is not None:
            _judge(run, folder, value, settings=not tool.runs)
            _members(run, folder, tool.inside)
    _judge_files(run, tool, folder)
    if folder is None or not tool.runs:
        return
    if folder == run.cwd:
        _judge(run, folder, None)
    _members(run, folder, tool.runs)


def _operands(run: Run) -> None:
    """Judge the files of code that a program is given of which it is only known that it runs code
    of the project: ``k6 run /tmp/x.js``.
    """
    if "executes:package-script" not in run.row.effects:
        return
    words = run.context.limit(run.operands, MOST, "files to run")
    for value, role in zip(words, roles(run.row.operands, len(words)), strict=True):
        ending = value.text.rpartition(".")[2]
        path = run.context.normal(value.text, run.cwd) if value.known else None
        if path is not None and role in ("data", "reads") and ending in _CODE:
            _judge(run, path, value, LANGUAGES.get(ending, ""))


def _read_handed(run: Run) -> None:
    """Read the files that this call wrote and hands to a program of which nobody knows what it does
    with them, and those that are called like it (``acme run -f jobs.yml``, ``acme.yml``).
    """
    if not run.reader.written or (programs.find(run.name) is not None and not _runs(run)):
        return
    if _only_looks(run):
        return
    words = [Value(word.text.rpartition("=")[2]) for word in run.arguments if word.known]
    paths = {run.context.normal(word.text, run.cwd) for word in words if word.text}
    for path in list(run.reader.written):
        ending = path.rpartition(".")[2]
        if (path in paths or _is_called_like(run, path)) and ending not in _DOCUMENTS:
            read = run.context.gather(lambda one=path: _read_written(run, one))  # type: ignore[misc]
            run.context.take(read.each(lambda effect: effect.replace(certain=False)))


def _read_written(run: Run, path: str) -> None:
    """Read a file that this call wrote as code of the language that its name tells."""
    language = LANGUAGES.get(path.rpartition(".")[2], "")
    _read(run, Value(path), language, run.reader.find_written(path))


def _is_called_like(run: Run, path: str) -> bool:
    """Whether a file of the folder bears the name of the program: ``acme.yml``, ``.acmerc``."""
    folder, _, name = path.rpartition("/")
    stem = name.lstrip(".").lower().partition(".")[0]
    by_name = "/" not in run.execution.argv[0].text
    return by_name and folder == run.cwd and stem in (run.name, f"{run.name}rc", f"{run.name}file")


def _runs(run: Run) -> bool:
    return "executes:package-script" in run.row.effects


def _only_looks(run: Run) -> bool:
    """Whether the name or the first words of a program say that it only looks at what it is
    given.
    """
    words = [word.text for word in run.arguments[:2]]
    said = {piece for word in [run.name, *words] for piece in parts(word)}
    return not LOOKS.isdisjoint(said) or run.name.endswith(("lint", "fmt", "ls", "cat"))


_DOCUMENTS = frozenset("md mdx rst txt adoc tex html htm css scss csv tsv xml svg sql log".split())
"""Ends of the names of files that are no code for whoever takes commands."""
_MORE = "ipynb feature"
_CODE = frozenset([*LANGUAGES, *_MORE.split()])
"""Ends of the names of files of code."""


def _judge_files(run: Run, tool: ProjectTool, folder: str | None) -> None:
    """Look at the files that options name, and at operands where these are run."""
    for option, language in tool.files:
        for value in _option_values(run.arguments, frozenset({option})):
            path = (
                None
                if value.hollow or "://" in value.text
                else run.context.normal(value.text, folder)
            )
            if path is not None:
                _judge(run, path, value, language, settings=not tool.runs)
    if tool.operands is None:
        return
    for value in run.context.limit(run.operands, MOST, "files to run"):
        text = value.text.partition("::")[0]
        if value.hollow or value.pattern or "://" in text or not ("/" in text or "." in text):
            continue
        path = run.context.normal(text, folder)
        if path is not None:
            _judge(run, path, value, LANGUAGES.get(text.rpartition(".")[2], ""))
            _members(run, path, tool.inside)


def _verb(words: list[Value], tool: ProjectTool) -> str:
    """Return the first word that is no option and no option's value."""
    options = tool.folders.union([option for option, _ in tool.files])
    for at, word in enumerate(words):
        if word.text[:1] not in ("-", "+") and not (at and words[at - 1].text in options):
            return word.text
    return ""


def _option_values(words: list[Value], options: frozenset[str]) -> list[Value]:
    """Return the values of these options, joined or not: ``-C x``, ``-Cx``, ``--directory=x``."""
    found: list[Value] = []
    for at, word in enumerate(words):
        option, equals, text = word.text.partition("=")
        if word.text in options:
            found.extend(words[at + 1 : at + 2])
        elif equals and option in options:
            found.append(Value(text, word.start, word.end, word.why, word.pattern))
        elif word.text[1:2].isalpha() and word.text[:2] in options:
            found.append(Value(word.text[2:], word.start, word.end, word.why, word.pattern))
    return found


def _judge(
    run: Run, path: str, value: Value | None, language: str = "", *, settings: bool = False
) -> None:
    """Judge a file or folder that is run. ``settings``: it is no code itself, so that one of
    another folder of the person's says nothing.
    """
    context = run.context
    path = context.through(path)
    flow = run.reader.find_written(path)
    if _own(run, path, flow):
        _read(run, Value(path, *_position(value)), language, flow)
        return
    place = context.place(path)
    traits = touched_files.unseen_traits(context, path, place, flow)
    if settings and place.location != TEMP:
        traits = frozenset()
    _add(run, path, value, traits | _origin_traits(run, path, flow))


def _members(run: Run, folder: str, names: tuple[tuple[str, str], ...]) -> None:
    """Judge files that are found by their names in a folder that was looked at by itself: as what
    this call or session put there.
    """
    for name, language in _there(run, folder, names):
        path = run.context.through(f"{folder}/{name}")
        flow = run.reader.find_written(path)
        if not _own(run, path, flow):
            _add(run, path, None, _origin_traits(run, path, flow))
        else:
            _read(run, Value(path), language, flow)


def _there(run: Run, folder: str, names: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    """Yield the names, in place of a pattern those of the files that this call wrote."""
    for name, language in names:
        if "*" not in name:
            yield name, language
            continue
        for path in list(run.reader.written):
            if matches(f"{folder}/{name}", path):
                yield path[len(folder) + 1 :], language


def _read(run: Run, value: Value, language: str, flow: Flow | None) -> None:
    """Read a file of this call or session: as code of its language, else for its commands."""
    path = value.text
    if language:
        if language != ITSELF:
            run.script(value, language)
        return
    known = touched_files.find_partial_text(run.context, flow) if flow is not None else None
    text = known if flow is not None else run.context.script(path)
    if text:
        read_settings(run, path, text)


def _origin_traits(run: Run, path: str, flow: Flow | None) -> frozenset[str]:
    """Return the traits of what this call, or an earlier one, brought from outside."""
    brought = frozenset[str]()
    if flow is not None and NETWORK in flow.labels:
        brought = frozenset(
            {"from-cloned"} if CLONED in flow.labels else {f"from-{label}" for label in flow.labels}
        )
    elif flow is not None and "unseen" in flow.labels:
        brought = frozenset({"from-unseen"})
    return brought | (run.context.facts.labels(path) & _TOLD)


def _add(run: Run, path: str, value: Value | None, traits: frozenset[str]) -> None:
    if traits:
        run.context.add(
            Executes,
            path,
            place=run.context.place(path),
            traits=traits | {"of-project"},
            span=run.span(value),
            by=run.name,
        )


def _own(run: Run, path: str, flow: Flow | None) -> bool:
    """Whether a file's text is known because this call, or this session, wrote it, or put a file
    there that was here before.
    """
    if flow is not None:
        return touched_files.find_partial_text(run.context, flow) is not None
    return run.context.facts.made(path) and run.context.script(path) is not None


def _position(value: Value | None) -> tuple[int, int]:
    return (value.start, value.end) if value is not None else (0, 0)
