"""Scripts that a project keeps for its tools: recipes of makefiles and justfiles, scripts of manifests. Their text is read as the shell would run it."""

from __future__ import annotations

from interlock.shell.value import UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

MAX_LINES = 64
"""Recipe lines read for one command; what comes after them stays unread, as any program of the project does."""
MAX_TARGETS = 32
COMPUTED = "build/made-by-the-project"
"""Stands for what a makefile computes: a name below a build folder, as such names mostly are. Only what is written out is judged."""
_BUILT_IN = {
    "RM": "rm -f",
    "MAKE": "make",
    "CC": "cc",
    "CXX": "c++",
    "SHELL": "/bin/sh",
    "AR": "ar",
    "INSTALL": "install",
    "HOME": "$HOME",
    "@": COMPUTED,
    "<": "source",
    "^": "source",
    "*": "name",
    "?": "source",
}


def text_of(run: Run, name: str) -> str | None:
    """Return the text of a file in the command's folder: of the workspace, or written by this call."""
    return run.text_of(Value(name))


# -- makefiles -------------------------------------------------------------------------------------


class Makefile:
    """Variables and rules of one makefile (GNU make manual, 3 to 6)."""

    def __init__(self, text: str, given: dict[str, str]) -> None:
        self.variables = {**_BUILT_IN, **given}
        self.given = frozenset(given)
        self.rules: dict[str, tuple[list[str], list[str]]] = {}
        self.first = ""
        targets: list[str] = []
        for line in text.replace("\\\n", " ").split("\n"):
            if line.startswith("\t"):
                for target in targets:
                    self.rules[target][1].append(line[1:])
                continue
            targets = self._line(line.partition(" #")[0].strip()) or (targets if not line.strip() else [])

    def _line(self, line: str) -> list[str]:
        """Take a variable or a rule; return the rule's targets."""
        head, equals, value = line.partition("=")
        name = head.rstrip(":?+! ").removeprefix("export ").removeprefix("override ").strip()
        if equals and ("=" not in head) and name and " " not in name and (":" not in head.rstrip(":?+! ")):
            if name not in self.given and not (head.rstrip().endswith("?") and name in self.variables):
                before = f"{self.variables[name]} " if head.rstrip().endswith("+") and name in self.variables else ""
                self.variables[name] = before + value.strip()
            return []
        names, colon, rest = line.partition(":")
        if not colon or line.startswith("#") or not names.strip():
            return []
        needed, _, recipe = rest.lstrip(":").partition(";")
        targets = self.expanded(names).split()[:MAX_TARGETS]
        for target in targets:
            found = self.rules.setdefault(target, ([], []))
            found[0].extend(self.expanded(needed).split()[:MAX_TARGETS])
            if recipe.strip():
                found[1].append(recipe.strip())
            if not self.first and target[:1] != "." and "%" not in target:
                self.first = target
        return targets

    def expanded(self, text: str, depth: int = 0) -> str:
        """Return a text with ``$(NAME)`` put in; what a function or the environment gives is computed."""
        out: list[str] = []
        at = 0
        while at < len(text):
            mark = text.find("$", at)
            if mark < 0 or mark + 1 >= len(text):
                out.append(text[at:])
                break
            out.append(text[at:mark])
            name, at = _name(text, mark + 1)
            value = "$" if name == "$" else self.variables.get(name)
            if name == "CURDIR":
                value = "."
            out.append(
                COMPUTED if value is None else self.expanded(value, depth + 1) if depth < 8 and "$" in value and name not in ("$", "HOME") else value
            )
            if sum(map(len, out)) > 65536:
                break
        return "".join(out)

    def recipe(self, target: str) -> list[str]:
        """Return the lines that making a target runs: those of what it needs first."""
        out: list[str] = []
        left, met = [(target, False)], set()
        while left and len(out) < MAX_LINES:
            name, ready = left.pop()
            rule = self.rules.get(name)
            if rule is None or (name in met and not ready):
                continue
            if ready:
                out.extend([self.expanded(line) for line in rule[1]])
                continue
            met.add(name)
            left.append((name, True))
            left.extend([(needed, False) for needed in reversed(rule[0])])
        return out[:MAX_LINES]


def _name(text: str, at: int) -> tuple[str, int]:
    """Return the name after ``$`` and where it ends."""
    if text[at] not in "({":
        return text[at], at + 1
    close = ")" if text[at] == "(" else "}"
    depth, end = 1, at + 1
    while end < len(text) and depth:
        depth += (text[end] == text[at]) - (text[end] == close)
        end += 1
    return text[at + 1 : end - 1], end


def make(run: Run, targets: list[str], given: dict[str, str], named: str | None) -> None:
    """Read the recipes of the targets, from the makefile that is named or the first of the usual ones."""
    text = next(
        (found for found in (text_of(run, name) for name in ([named] if named else ["GNUmakefile", "makefile", "Makefile"])) if found is not None),
        None,
    )
    if text is None:
        return
    makefile = Makefile(text, given)
    for target in targets or [makefile.first]:
        _run(run, makefile.recipe(target))


def _run(run: Run, lines: list[str]) -> None:
    for line in lines:
        command = line.strip().lstrip("@-+ ")
        if command and command[:1] != "#":
            run.code(Value(command))


# -- justfiles and task files ------------------------------------------------------------------------


def just(run: Run, names: list[str]) -> None:
    """Read recipes of a justfile: indented lines below ``name args: needed``."""
    text = next((found for found in (text_of(run, name) for name in ("justfile", "Justfile", ".justfile")) if found is not None), None)
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
        _run(run, recipes.get(name, [])[:MAX_LINES])


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
    text = next((found for found in (text_of(run, name) for name in ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml")) if found is not None), None)
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
        _run(run, tasks.get(name, [])[:MAX_LINES])


# -- manifests -------------------------------------------------------------------------------------


def manifest(run: Run, name: str, rest: list[Value]) -> Flow:
    """Read a script of ``package.json``, ``composer.json`` or ``deno.json``, with what runs before and after it."""
    for file, key in (("package.json", "scripts"), ("composer.json", "scripts"), ("deno.json", "tasks")):
        if (run.name == "composer") != (file == "composer.json") or (run.name == "deno") != (file == "deno.json"):
            continue
        scripts = _scripts(text_of(run, file), key)
        for part in (f"pre{name}", name, f"post{name}"):
            for text in scripts.get(part, []):
                words = [value.text for value in rest if value.text != "--"] if part == name else []
                run.code(Value(" ".join([text, *words])))
    return UNREAD


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
        lines = value if isinstance(value, list) else [value]
        out[name] = [line for line in lines if isinstance(line, str) and not line.startswith("@")][:MAX_LINES]
    return out
