"""A terminal session as a picture: commands are really run, on a terminal of their own, and what
they print becomes SVG.

``session(scene)`` runs the commands of a scene in a throw-away home, with a throw-away project
under version control, and returns what the terminal showed; ``svg(text, title)`` draws it. The same
scene gives the same picture everywhere: paths are shown as ones of ``/home/sam``, and files are of
one day.
"""

from __future__ import annotations

import html
import os
import pty
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import termios
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TOP = Path(__file__).resolve().parent.parent
HOME = "/home/sam"
DAY = 1_795_168_800  # 2026-11-20 10:00 UTC
COLUMNS = 100
ROWS = 50
CELL, LINE, SIZE, EDGE, BAR = 8, 19, 13.3, 18, 34
COLOURS = {
    "31": "#ff7b72",
    "32": "#56d364",
    "33": "#e3b341",
    "34": "#79c0ff",
    "36": "#39c5cf",
    "90": "#9aa4b2",
}
PLAIN, GROUND, FRAME = "#e6edf3", "#0d1117", "#30363d"
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SGR = re.compile(r"\x1b\[([0-9;]*)m")


def session(commands: tuple[str, ...]) -> str:
    """Run ``interlock`` commands one after the other; return all that a person would have seen,
    prompts included.
    """
    with home() as place:
        folder = project(place)
        seen = [f"{typed(command)}{_shown(command, place, folder)}" for command in commands]
        return "\n".join(seen).replace(str(place), HOME)


def typed(command: str) -> str:
    """Return a line on which a command was typed."""
    return f"\x1b[32m~/shop\x1b[0m \x1b[1m$ {command}\x1b[0m\n"


@contextmanager
def home() -> Iterator[Path]:
    """Make a home whose path is as long as the one that is shown, so that lines break where they
    would there.
    """
    made = Path("/tmp", secrets.token_hex(2))  # noqa: S108 - a path of nine letters takes a short folder
    while made.exists():
        made = made.with_name(secrets.token_hex(2))
    made.mkdir(mode=0o700)
    try:
        yield made
    finally:
        shutil.rmtree(made)


def project(at: Path) -> Path:
    """Make a project with work that is in no commit; every file is of one day."""
    folder = at / "shop"
    for name in ("cart", "mail", "stock", "order", "notes"):
        path = folder / "src" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}\n" * 400, encoding="utf-8")
    variables = {
        "HOME": str(at),
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    git = (
        "git",
        "-c",
        "user.name=sam",
        "-c",
        "user.email=sam@example.test",
        "-c",
        "init.defaultBranch=main",
    )
    for words in (
        ("init", "-q"),
        ("add", "src/cart.py", "src/mail.py"),
        ("commit", "-q", "-m", "first"),
    ):
        subprocess.run([*git, *words], cwd=folder, env=variables, check=True)
    for path in folder.rglob("*"):
        os.utime(path, (DAY, DAY), follow_symlinks=False)
    return folder


def environment(at: Path) -> dict[str, str]:
    """Return the variables of whoever lives there."""
    return {
        "HOME": str(at),
        "PATH": os.defpath,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONPATH": str(TOP / "src"),
    }


def _shown(command: str, at: Path, folder: Path) -> str:
    """Run one command on a terminal of its own; return what it printed."""
    argv = [sys.executable, "-m", *shlex.split(command)]
    variables = environment(at) | {"TERM": "xterm-256color"}
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (ROWS, COLUMNS))
    with subprocess.Popen(
        argv, cwd=folder, env=variables, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        printed = b"".join(_read(ours))
        process.wait()
    os.close(ours)
    return printed.decode("utf-8").replace("\r\n", "\n")


def _read(descriptor: int) -> Iterator[bytes]:
    """Yield what comes until the other end is closed, which Linux says by an error."""
    try:
        while data := os.read(descriptor, 65536):
            yield data
    except OSError:
        return


def rows(text: str) -> list[list[tuple[str, frozenset[str]]]]:
    """Return lines of (words, codes of their style), broken where a terminal of ``COLUMNS`` breaks
    them.
    """
    lines: list[list[tuple[str, frozenset[str]]]] = [[]]
    codes: frozenset[str] = frozenset()
    for number, piece in enumerate(SGR.split(text)):
        if number % 2:
            codes = _styled(codes, piece)
            continue
        for index, part in enumerate(piece.split("\n")):
            if index:
                lines.append([])
            rest = part
            while rest:
                room = COLUMNS - sum(len(words) for words, _ in lines[-1])
                lines[-1].append((rest[:room], codes))
                rest = rest[room:]
                if rest:
                    lines.append([])
    return lines


def _styled(codes: frozenset[str], said: str) -> frozenset[str]:
    """Return the codes of the style that holds after a sequence: ``0`` ends all of them, ``39`` a
    colour, and one colour ends another.
    """
    for code in said.split(";"):
        if not code.strip("0"):
            codes = frozenset()
        elif code in COLOURS or code == "39":
            codes = codes.difference(COLOURS).union({code}.intersection(COLOURS))
        else:
            codes |= {code}
    return codes


def svg(text: str, title: str) -> Iterator[str]:
    """Yield the lines of the picture."""
    lines = rows(text.rstrip("\n"))
    width, height = round(COLUMNS * CELL + 2 * EDGE), len(lines) * LINE + BAR + EDGE
    said = html.escape(SGR.sub("", text).strip())
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img">'
    )
    yield f"<title>{html.escape(title)}</title><desc>{said}</desc>"
    yield (
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9" fill="{GROUND}"'
        f' stroke="{FRAME}"/>'
    )
    for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{EDGE + 4 + 18 * number}" cy="18" r="5.5" fill="{colour}"/>'
    yield f'<g font-family="{FONT}" font-size="{SIZE}" xml:space="preserve">'
    for number, line in enumerate(lines):
        column = 0
        for words, codes in line:
            if words.strip():
                yield from _run(words, codes, EDGE + column * CELL, BAR + EDGE + number * LINE - 4)
            column += len(words)
    yield "</g></svg>"


def _run(words: str, codes: frozenset[str], left: int, base: int) -> Iterator[str]:
    """Draw words of one style; every letter gets a cell of its own, whatever the font."""
    shown = words.strip()
    left += (len(words) - len(words.lstrip())) * CELL
    colour = next((COLOURS[code] for code in sorted(codes) if code in COLOURS), PLAIN)
    bold = ' font-weight="700"' if "1" in codes else ""
    length = f'textLength="{len(shown) * CELL}" lengthAdjust="spacingAndGlyphs"'
    yield f'<text x="{left}" y="{base}" {length} fill="{colour}"{bold}>{html.escape(shown)}</text>'
    if "4" in codes:
        yield f'<path d="M{left} {base + 3}h{len(shown) * CELL}" stroke="{colour}"/>'
