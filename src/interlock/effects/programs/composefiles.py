"""What a file of Docker Compose that this call or session wrote lends to its containers: the whole
machine, its processes, its engine (docs.docker.com, Compose file reference).
"""

from __future__ import annotations

from interlock.effects.programs.lending import mount
from interlock.effects.run import Run
from interlock.effects.settingstext import find_quoted
from interlock.shell.value import Value

_NAMES = ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
MAX_LINES = 4000
_KEYS = {
    "privileged: true": "privileged",
    "pid: host": "host-namespace",
    "ipc: host": "host-namespace",
    "userns_mode: host": "host-namespace",
}


def powers(run: Run, named: list[Value]) -> list[str]:
    """Return the powers over this machine that the files give which are ``named``, else those that
    are found by their names.
    """
    found = set[str]()
    for file in named or [Value(name) for name in _NAMES]:
        path = None if file.hollow else run.context.normal(file.text, run.cwd)
        if path is not None and (path in run.reader.written or run.context.facts.made(path)):
            text = run.text_of(file) or ""
            for line in run.context.limit(text.split("\n"), MAX_LINES, "lines"):
                found |= _of_line(run, line.strip())
    return sorted(found)


def _of_line(run: Run, line: str) -> set[str]:
    found = {power for key, power in _KEYS.items() if line.replace('"', "").startswith(key)}
    mounts = find_quoted(line) if "[" in line else [line.removeprefix("- ").strip("'\" ")]
    if line.startswith(("- ", "volumes:")):
        for text in mounts:
            if text[:1] in ("/", "~", ".") and ":" in text:
                found |= mount(run, Value(text))
    return found
