"""Makefiles: what making a target runs, as far as a small reader of GNU make's language can tell
(GNU make manual, 3 to 9).

A variable that nobody sets is empty to make, unless the environment has it: a recipe is read with
what this call sets, and once more with the names that are set nowhere left empty, for ``rm -rf
$(DIR)/*`` is then ``rm -rf /*``.
"""

from __future__ import annotations

from collections.abc import Callable

MAX_LINES = 64
"""Recipe lines read for one command; that there are more is said."""
MAX_TARGETS = 2048
MAX_INCLUDED = 8
MAX_DEPTH = 8
MAX_SIZE = 65536
COMPUTED = "build/made-by-the-project"
"""Stands for what a makefile computes: a name below a build folder, as such names mostly are. Only
what is written out is judged.
"""
_BUILT_IN = {
    "RM": "rm -f", "MAKE": "make", "CC": "cc", "CXX": "c++", "SHELL": "/bin/sh", "AR": "ar",
    "INSTALL": "install", "HOME": "$HOME", "@": COMPUTED,
    "<": "source", "^": "source", "*": "name", "?": "source", "CURDIR": ".",
}  # fmt: skip
_FUNCTIONS = frozenset(
    "subst patsubst strip findstring filter filter-out sort word words wordlist firstword lastword dir notdir suffix basename addsuffix addprefix join "
    "wildcard realpath abspath if or and foreach file call value eval origin flavor shell error warning info intcmp let guile".split()
)
_INCLUDES = ("include ", "-include ", "sinclude ")


class Makefile:
    """Variables and rules of one makefile and of those that it includes. ``open``: one of them
    could not be read, so any name may be set there.

    ``commands``: what is run as the makefile is read, whatever target is made.
    """

    def __init__(self, text: str, given: dict[str, str], read: Callable[[str], str | None]) -> None:
        self.variables = {**_BUILT_IN, **given}
        self.given = frozenset(given)
        self.rules: dict[str, tuple[list[str], list[str]]] = {}
        self.first = ""
        self.open = self.cut = False
        self.commands: list[str] = []
        self.blank = False
        self._read = read
        self._included = 0
        self._take(text)

    def _take(self, text: str) -> None:
        targets: list[str] = []
        defined = ""
        for line in text.replace("\\\n", " ").split("\n"):
            if defined:
                defined = "" if line.strip() == "endef" else self._define(defined, line)
            elif line.startswith("define "):
                defined = line.split()[1].rstrip(":+?=") if line.split()[1:] else ""
                self.variables[defined] = ""
            elif line.startswith("\t"):
                for target in targets:
                    self.rules[target][1].append(line[1:])
            elif line.startswith(_INCLUDES):
                self._include(line.split()[1:])
            else:
                targets = self._line(line.partition(" #")[0].strip()) or (
                    targets if not line.strip() else []
                )

    def _define(self, name: str, line: str) -> str:
        before = self.variables[name]
        self.variables[name] = f"{before}\n{line}" if before else line
        return name

    def _include(self, names: list[str]) -> None:
        """Read the makefiles that one includes; a name that nobody can read may set anything."""
        for name in self.expanded(" ".join(names)).split():
            self._included += 1
            text = (
                self._read(name)
                if self._included <= MAX_INCLUDED and not any(mark in name for mark in "*?[")
                else None
            )
            if text is None:
                self.open = True
            else:
                self._take(text)

    def _line(self, line: str) -> list[str]:
        """Take a variable or a rule; return the rule's targets."""
        head, equals, value = line.partition("=")
        name = head.rstrip(":?+! ").removeprefix("export ").removeprefix("override ").strip()
        if (
            equals
            and ("=" not in head)
            and name
            and " " not in name
            and (":" not in head.rstrip(":?+! "))
        ):
            self._set(name, head.rstrip(), value.strip())
            return []
        if line.startswith(("$(shell ", "$(eval ", "$(call ")):
            self._run_in(line)
            return []
        names, colon, rest = line.partition(":")
        if not colon or line.startswith("#") or not names.strip():
            return []
        if (
            "=" in rest.partition(";")[0]
            and rest.lstrip(":").split("=")[0].rstrip(":?+! ").strip().isidentifier()
        ):
            self._line(rest.lstrip(": "))  # target-specific: taken for all targets
            return []
        needed, _, recipe = rest.lstrip(":").partition(";")
        targets = self._limit(self.expanded(names).split())
        for target in targets:
            found = self.rules.setdefault(target, ([], []))
            found[0].extend(self._limit(self.expanded(needed).split()))
            if recipe.strip():
                found[1].append(recipe.strip())
            if not self.first and target[:1] != "." and "%" not in target:
                self.first = target
        return targets

    def _set(self, name: str, head: str, value: str) -> None:
        """``NAME = value`` in all its forms; ``:=`` and ``!=`` run the commands in them at once."""
        if name in self.given or (head.endswith("?") and name in self.variables):
            return
        if head.endswith("!"):
            self.commands.append(self.expanded(value))
            value = COMPUTED
        elif head.endswith(":"):
            self._run_in(value)
        before = f"{self.variables[name]} " if head.endswith("+") and name in self.variables else ""
        self.variables[name] = before + value

    def _run_in(self, text: str) -> None:
        """Note the commands of ``$(shell COMMAND)`` in a text that make expands as it reads it."""
        at = text.find("$(shell ")
        while at >= 0 and len(self.commands) < MAX_LINES:
            name, end = _name(text, at + 1)
            self.commands.append(self.expanded(name.partition(" ")[2]))
            at = text.find("$(shell ", end)

    def expanded(self, text: str, depth: int = 0, arguments: tuple[str, ...] = ()) -> str:
        """Return a text with ``$(NAME)`` put in; functions and the environment are computed."""
        out: list[str] = []
        at = 0
        while at < len(text):
            mark = text.find("$", at)
            if mark < 0 or mark + 1 >= len(text):
                out.append(text[at:])
                break
            out.append(text[at:mark])
            name, at = _name(text, mark + 1)
            out.append(self._value(name, depth, arguments))
            if sum(map(len, out)) > MAX_SIZE:
                break
        return "".join(out)

    def _value(self, name: str, depth: int, arguments: tuple[str, ...]) -> str:
        """Return what stands in place of ``$(name)``."""
        if name == "$":
            return "$"
        if name.isdecimal() and arguments:
            return arguments[int(name)] if int(name) < len(arguments) else ""
        function, blank, rest = name.partition(" ")
        if blank and function in _FUNCTIONS:
            return self._call_function(function, rest, depth, arguments)
        value = self.variables.get(name.partition(":")[0] if "=" in name else name)
        if value is None:
            return "" if self.blank and not self.open and _is_plain(name) else COMPUTED
        return (
            self.expanded(value, depth + 1, arguments)
            if depth < MAX_DEPTH and "$" in value and name != "HOME"
            else value
        )

    def _call_function(
        self, function: str, rest: str, depth: int, arguments: tuple[str, ...]
    ) -> str:
        """Return what a function gives, of those that put texts together; of others what the
        makefile computes.
        """
        if depth >= MAX_DEPTH:
            return COMPUTED
        words = [self.expanded(word.strip(), depth + 1, arguments) for word in rest.split(",")]
        if function == "call" and words[0] in self.variables:
            return self.expanded(self.variables[words[0]], depth + 1, tuple(words))
        if function in ("addprefix", "addsuffix") and len(words) > 1:
            return " ".join(
                [
                    words[0] + word if function == "addprefix" else word + words[0]
                    for word in words[1].split()
                ]
            )
        if function == "foreach" and len(words) > 2:
            name, _, body = rest.split(",", 2)
            held, out = self.variables.get(name.strip()), []
            for word in self._limit(words[1].split()):
                self.variables[name.strip()] = word
                out.append(self.expanded(body, depth + 1, arguments))
            self.variables.update({name.strip(): held} if held is not None else {})
            return " ".join(out)
        if function == "subst" and len(words) > 2:
            return ",".join(words[2:]).replace(words[0], words[1]) if words[0] else words[2]
        if function in (
            "abspath",
            "realpath",
            "strip",
            "wildcard",
            "sort",
            "firstword",
            "lastword",
        ):
            return words[0]
        if function == "shell":
            self.commands.append(self.expanded(rest, depth + 1, arguments))
        return COMPUTED

    def recipe(self, target: str) -> list[str]:
        """Return the lines that making a target runs: those of what it needs first."""
        out: list[str] = []
        left, met = [(target, False)], set()
        while left and len(out) <= MAX_LINES:
            name, ready = left.pop()
            rule = self._rule(name)
            if rule is None or (name in met and not ready):
                continue
            if ready:
                out.extend([line for raw in rule[1] for line in self.expanded(raw).split("\n")])
                continue
            met.add(name)
            left.append((name, True))
            left.extend([(needed, False) for needed in reversed(rule[0])])
        self.cut = self.cut or len(out) > MAX_LINES
        return out[:MAX_LINES]

    def _limit(self, targets: list[str]) -> list[str]:
        self.cut = self.cut or len(targets) > MAX_TARGETS
        return targets[:MAX_TARGETS]

    def _rule(self, target: str) -> tuple[list[str], list[str]] | None:
        """Return a target's rule, or the pattern rule that fits it."""
        found = self.rules.get(target)
        if found is not None:
            return found
        for pattern, rule in self.rules.items():
            head, mark, tail = pattern.partition("%")
            if (
                mark
                and target.startswith(head)
                and target.endswith(tail)
                and len(target) >= len(head) + len(tail)
            ):
                return rule
        return None


def _is_plain(name: str) -> bool:
    """Whether a name is one that a makefile, a call or the environment would set."""
    return name.replace("_", "a").replace("-", "a").replace(".", "a").isalnum()


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
