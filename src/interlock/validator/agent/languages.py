"""The languages of a call: by its tool, and by the programs that it starts."""

from __future__ import annotations

from interlock.model import call as tools
from interlock.model.call import ToolCall
from interlock.model.effect import GUESSED, Reading
from interlock.model.skill import BASH, GO, JS, POWERSHELL, PYTHON

_PROGRAMS = {
    PYTHON: "python python2 python3 pypy pypy3 pip pip3 pipx uv uvx pytest tox ipython",
    GO: "go gofmt",
    JS: "node nodejs npm npx pnpm pnpx yarn bun bunx deno tsx ts-node",
    POWERSHELL: "pwsh powershell pwsh.exe powershell.exe",
}
_BY_PROGRAM = {
    program: language for language, programs in _PROGRAMS.items() for program in programs.split()
}
_ENDINGS = {
    ".py": PYTHON,
    ".go": GO,
    ".js": JS,
    ".mjs": JS,
    ".cjs": JS,
    ".ts": JS,
    ".ps1": POWERSHELL,
    ".sh": BASH,
    ".bash": BASH,
}
_TRAITS = {"python": PYTHON, "javascript": JS, "powershell": POWERSHELL, "go": GO, "sh": BASH}


def languages(call: ToolCall, reading: Reading) -> frozenset[str]:
    """Return the languages in which a call does what it does."""
    found = {PYTHON} if call.tool == tools.PYTHON else set()
    if call.tool == tools.SHELL:
        found.add(POWERSHELL if call.shell == "powershell" else BASH)
    words = [words[0].removeprefix(GUESSED) for words in reading.commands if words]
    written = [
        value
        for key, value in call.input.items()
        if key.endswith("path") and isinstance(value, str)
    ]
    for name in (*words, *written):
        base = name.rpartition("/")[2].lower()
        found |= {
            _BY_PROGRAM.get(base, ""),
            _BY_PROGRAM.get(base.rstrip("0123456789."), ""),
            _ENDINGS.get(f".{base.rpartition('.')[2]}", ""),
        }
    found |= {
        _TRAITS[trait] for effect in reading.effects for trait in effect.traits if trait in _TRAITS
    }
    return frozenset(found - {""})
