"""Commands made up by a seed: templates of everyday work, calls made from the rows of programs, and
the ways a shell wraps both.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from random import Random

from interlock.effects import rows
from interlock.effects.programs import table

FILES = (
    "notes.txt", "data.csv", "config.json", "src/a.py", "src/lib/c.py", "docs/guide.md", "build/out.o", "link.txt", "./README.md", "~/old/thing.txt",
    "/tmp/t.txt", "'my file.txt'", "/etc/app.conf", "/home/user/photos/one.jpg", "../photos/two.jpg", "linked/guide.md",
)  # fmt: skip
FOLDERS = (
    "src",
    "docs",
    "build",
    "src/lib",
    "linked",
    "/tmp/scratch",
    "~/old",
    "empty",
    "./build/sub",
    "../photos",
    "/opt/tool",
)
NEW = (
    "new.txt",
    "docs/new.md",
    "/tmp/made",
    "a-b.c",
    "~/made.txt",
    "'two words'",
    "src/new/deep.py",
    "out",
    ".hidden",
    "/srv/data/z",
)
PATTERNS = (
    "*.txt",
    "docs/*",
    "src/*.py",
    "**/*.o",
    "n?tes.txt",
    "[dn]*",
    "build/{out.o,app.log}",
    "{notes,none}.txt",
    "src/{a,b}.py",
    "*/g*.md",
)
TEXTS = ("hello", "'a b'", '"$HOME"', "old")

FOLDER = Path(__file__).parent
WORKSPACE = tuple((FOLDER / "workspace.txt").read_text(encoding="utf-8").splitlines())
"""One command a line, for the workspace. ``@f @g`` stand for files, ``@d`` a folder, ``@n`` a new
name, ``@p`` a pattern, ``@t`` a text.
"""
GIT = tuple((FOLDER / "repository.txt").read_text(encoding="utf-8").splitlines())
"""One command a line, to be run in the repository."""

PROGRAMS = (
    "rm mv cp ln install mkdir touch chmod truncate tee split csplit mktemp sort uniq head tail cut wc gzip bzip2 xz zstd tar zip unzip sed patch dd "
    "find grep base64"
).split()
"""Programs whose rows are used to make calls: any of their options, with a value of its role."""


class Made(Random):
    """Chance by a seed: the same commands for the same number."""


def commands(rng: Random, count: int) -> list[str]:
    """Return commands for the workspace: one, or some one after another, plain or wrapped."""
    usable = [name for name in PROGRAMS if shutil.which(name)]
    return [_wrapped(rng, _several(rng, usable)) for _ in range(count)]


def _several(rng: Random, usable: list[str]) -> str:
    parts = [
        _filled(rng, rng.choice(WORKSPACE))
        if rng.random() < 0.8
        else _from_row(rng, rng.choice(usable))
        for _ in range(rng.choice((1, 1, 1, 2, 3)))
    ]
    text = parts[0]
    for part in parts[1:]:
        text += (
            "\n"
            if "<<" in text or "#" in text
            else rng.choice(("; ", " && ", " || ", "\n", " & wait; "))
        ) + part
    return text


def git_commands(rng: Random, count: int) -> list[str]:
    """Return commands for the repository."""
    found = rng.sample(GIT, min(count, len(GIT)))
    return found + [f"{rng.choice(GIT)}; {rng.choice(GIT)}" for _ in range(count - len(found))]


def _filled(rng: Random, template: str) -> str:
    f, g = rng.sample(FILES, 2)
    words = {
        "f": f,
        "g": g,
        "d": rng.choice(FOLDERS),
        "n": rng.choice(NEW),
        "p": rng.choice(PATTERNS),
        "t": rng.choice(TEXTS),
    }
    text = re.sub(r"@([fgdnpt])\b", lambda match: words[match.group(1)], template)
    return text.replace("\\n", "\n") if "<<E" in text else text


def _from_row(rng: Random, name: str) -> str:
    """Return a call with options of the program's row."""
    row = table.find(name)
    assert row is not None, name
    words = [name]
    valued, flags = list(rows.table(row.options).items()), list(rows.table(row.flags))
    for option, role in rng.sample(valued, min(len(valued), rng.randint(0, 2))):
        value = rng.choice(
            NEW
            if role in ("writes", "makes", "appends")
            else FILES
            if role == "reads"
            else ("1", "x", "2")
        )
        words.append(
            f"{option}={value}"
            if option.startswith("--")
            else f"{option}{value}"
            if role.startswith("?")
            else f"{option} {value}"
        )
    words += rng.sample(flags, min(len(flags), rng.randint(0, 2)))
    if name == "tar":
        words.append(rng.choice(("-xf a.tar", "-tf a.tar", f"-cf {rng.choice(NEW)}")))
    return " ".join([*words, *rng.sample(FILES[:8], rng.randint(1, 2))])


def _wrapped(rng: Random, command: str) -> str:
    """Return the command as it is, or as a shell may also say it."""
    quoted = shlex.quote(command)
    ways = [
        f"( {command}\n)",
        f"{{ {command}\n}}",
        f"bash -c {quoted}",
        f"sh -c {shlex.quote(f'bash -c {quoted}')}",
        f"eval {quoted}",
        f"if true; then {command}\nfi",
        f"g() {{ {command}\n}}; g",
        f"cd src; cd ..; {command}",
        f"true; {command}",
        f"env X=1 bash -c {quoted}",
        f"timeout 5 bash -c {quoted}",
        f"for _ in 1; do {command}\ndone",
        f"echo {quoted} | bash",
        f"bash <<'EOT'\n{command}\nEOT\n",
        f"bash <<< {quoted}",
        f"trap {quoted} EXIT",
        f'c={quoted}; eval "$c"',
        f"cd .. && cd project && {command}",
        f"x=$(\n{command}\n)",
        f"find . -maxdepth 0 -exec bash -c {quoted} \\;",
        f"echo x | xargs -I{{}} bash -c {quoted}",
        f"! {command}",
        f"command -v ls > /dev/null && {command}",
        f"\\{command}"
        if command[0].isalpha()
        and not command.startswith(("for ", "while ", "if ", "case ", "f()", "x=", "t=", "d="))
        else command,
    ]
    return command if rng.random() < 0.5 else rng.choice(ways)
