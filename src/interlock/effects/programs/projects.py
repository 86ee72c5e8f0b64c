"""Scripts that a project keeps for its tools: recipes of makefiles and justfiles, scripts of
manifests. Their text is read as the shell would run it.
"""

from __future__ import annotations

from interlock.effects.programs.makefiles import COMPUTED, Makefile
from interlock.effects.run import Run
from interlock.effects.touched_files import find_partial_text
from interlock.shell.value import FILE, UNREAD, Flow, Value

MAX_COMMANDS = 256
"""Lines of a recipe that are read; that there are more is said."""


def text_of(run: Run, name: str) -> str | None:
    """Return the text of a file in the command's folder: of the workspace, or written by this
    call; of one that nobody can read what this call put behind it.
    """
    text = run.text_of(Value(name))
    return text if text is not None else find_partial_text(run.context, run.contents(Value(name)))


# -- makefiles -------------------------------------------------------------------------------------


def make(
    run: Run,
    targets: list[str],
    given: dict[str, str],
    named: str | None,
    *,
    rehearses: bool = False,
) -> None:
    """Read the recipes of the targets, from the makefile that is named or the first of the usual
    ones; a rehearsal runs what is run in any case.
    """
    names = [named] if named else ["GNUmakefile", "makefile", "Makefile"]
    text = next(
        (found for found in (text_of(run, name) for name in names) if found is not None), None
    )
    if text is None:
        return
    prefix = {name: value.text for name, value in run.execution.prefix if value.known}
    seen: set[str] = set()
    for blank in (False, True):
        makefile = Makefile(text, {**prefix, **given}, lambda name: text_of(run, name))
        makefile.blank = blank
        lines = [line for target in targets or [makefile.first] for line in makefile.recipe(target)]
        lines = [
            line for line in lines if not rehearses or line.lstrip("@- ").startswith(("+", "make "))
        ]
        fresh = [line for line in [*makefile.commands, *lines] if line not in seen]
        seen.update(fresh)
        _run(run, fresh)
        if makefile.cut and not blank:
            run.unknown_code(FILE, "script")


def _run(run: Run, lines: list[str]) -> None:
    for line in run.context.limit(lines, MAX_COMMANDS, "lines of a recipe"):
        command = line.strip().lstrip("@-+ ")
        if command and command[:1] != "#":
            run.code(Value(command))


# -- justfiles and task files ----------------------------------------------------------------------


def just(run: Run, names: list[str]) -> None:
    """Read recipes of a justfile: indented lines below ``name args: needed``."""
    text = next(
        (
            found
            for found in (text_of(run, name) for name in ("justfile", "Justfile", ".justfile"))
            if found is not None
        ),
        None,
    )
    if text is None:
        return
    recipes: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.split("\n"):
        if line[:1] in (" ", "\t") and line.strip():
            current.append(_plain(line.strip()))
        elif ":" in line and line[:1] not in ("#", "@", "[") and ":=" not in line:
            current = recipes.setdefault(line.split(":")[0].split()[0].lstrip("@"), [])
        elif line.strip():
            current = []
    for name in names or list(recipes)[:1]:
        _run(run, recipes.get(name, []))


def _plain(line: str) -> str:
    """Return a line with ``{{ .. }}`` computed."""
    out = line
    for _ in range(16):
        head, mark, rest = out.partition("{{")
        if not mark:
            break
        out = head + COMPUTED + rest.partition("}}")[2]
    return out


def task(run: Run, names: list[str]) -> None:
    """Read the commands of a Taskfile: list items below ``cmds:`` of a task."""
    text = next(
        (
            found
            for found in (
                text_of(run, name) for name in ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml")
            )
            if found is not None
        ),
        None,
    )
    if text is None:
        return
    tasks: dict[str, list[str]] = {}
    inside, current = False, []
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip())
        word = line.strip()
        if depth == 0 and word.endswith(":"):
            inside = word == "tasks:"
        elif inside and depth == 2 and word.endswith(":"):
            current = tasks.setdefault(word.rstrip(":").strip("'\""), [])
        elif inside and word.startswith("- ") and not word.startswith(("- task:", "- defer:")):
            current.append(_plain(word[2:].removeprefix("cmd: ").strip("'\"")))
        elif inside and word.startswith("cmd: "):
            current.append(_plain(word[5:].strip("'\"")))
    for name in names or ["default"]:
        _run(run, tasks.get(name, []))


# -- manifests -------------------------------------------------------------------------------------


_MANIFESTS = {
    "npm": (("package.json", "scripts"),),
    "composer": (("composer.json", "scripts"),),
    "deno": (("deno.json", "tasks"), ("deno.jsonc", "tasks"), ("package.json", "scripts")),
}
"""Where the scripts of a package manager stand: files, and the key in each."""


def manifest(run: Run, name: str, rest: list[Value]) -> Flow:
    """Read a script of ``package.json``, ``composer.json`` or ``deno.json``, with what runs before
    and after it.
    """
    for file, key in _MANIFESTS.get(run.name, _MANIFESTS["npm"]):
        scripts = _scripts(text_of(run, file), key)
        for part in (f"pre{name}", name, f"post{name}"):
            for text in scripts.get(part, []):
                words = [value.text for value in rest if value.text != "--"] if part == name else []
                run.code(Value(" ".join([text, *words])))
    return UNREAD


def names_script(run: Run, name: str) -> bool:
    """Whether the project's manifest is known to have a script of that name."""
    return name in _scripts(text_of(run, "package.json"), "scripts")


def _scripts(text: str | None, key: str) -> dict[str, list[str]]:
    if text is None:
        return {}
    from interlock.model.jsontext import JsonError, loads

    try:
        found = loads(text)
    except JsonError:
        return {}
    scripts = found.get(key) if isinstance(found, dict) else None
    out: dict[str, list[str]] = {}
    for name, value in scripts.items() if isinstance(scripts, dict) else ():
        told = value.get("command") if isinstance(value, dict) else value
        lines = told if isinstance(told, list) else [told]
        out[name] = [line for line in lines if isinstance(line, str) and not line.startswith("@")]
    return out
