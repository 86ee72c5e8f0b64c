"""A session inside the real Claude Code as a moving picture: the real program in a window of tmux,
a person's keys, a model that plays a script over HTTP, and interlock between them.

``python -m scripts.claude_recording`` writes ``docs/pictures/claude-code.svg``. Frames are taken
where something is to be read, and each is shown for as long as it takes to read it: nothing of the
picture depends on how fast this machine is. Needs tmux and the client (``make client``).
"""

from __future__ import annotations

import html
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from interlock.doctor.fake_models import MessagesModel, Step
from interlock.doctor.modelserver import Answer
from scripts import install_client, terminal_picture, tmux

TOP = Path(__file__).resolve().parent.parent
PICTURE = TOP / "docs/pictures/claude-code.svg"
COLUMNS, ROWS = 96, 30
CELL, LINE, SIZE, EDGE, BAR = 8, 18, 13.3, 16, 32
GROUND, FRAME, PLAIN, DIM = "#0d1117", "#30363d", "#e6edf3", "#8b949e"
BASIC = ("#484f58", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#39c5cf", "#e6edf3")
SGR = re.compile(r"\x1b\[([0-9;:]*)m")
PROMPT = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
NAMES = (
    (r"d-[0-9a-f]{16}", "d-84bdc43fdec518ce"),
    (r"c-[0-9a-f]{16}", "c-5a10c2e99b0f4d71"),
    (r"[A-Z][^\W\d]+ for \d+s · done [\d:]+ [AP]M", "Baked for 3s · done 10:00 AM"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "2026-11-20 10:00:00"),
)
"""What is made anew each time, and what is shown for it, as long as it is."""


class Frame(NamedTuple):
    """A screen with the codes of its colours, and for how many seconds it is shown."""

    screen: str
    seconds: float


class Scene(NamedTuple):
    """What the person types, what the model says and calls, what has to come up, and the key by
    which a question is answered.
    """

    typed: str
    steps: tuple[Step, ...]
    shows: str
    seconds: float
    key: str = ""
    after: str = ""


def bash(say: str, command: str) -> Step:
    """Return the model's step that calls the shell."""
    return {"say": say, "tool": "Bash", "input": {"command": command, "description": say}}


SCENES = (
    Scene(
        "free some space on this machine",
        (
            bash("I'll clear the home folder.", "rm -rf ~"),
            {"say": "That was refused, and I won't try another way. I can list what is large."},
        ),
        "I can list what is large",
        6.0,
    ),
    Scene(
        "put the release out",
        (bash("I'll push over what is there.", "git push --force origin main"),),
        "Do you want to proceed?",
        6.0,
        "Escape",
        "Interrupted",
    ),
    Scene(
        "throw my changes away",
        (
            bash("I'll reset the work tree.", "git reset --hard"),
            {"say": "Done. A checkpoint was taken first: interlock undo brings the changes back."},
        ),
        "brings the changes back",
        5.0,
    ),
    Scene("!interlock undo", ({"say": "Your changes are back."},), "Your changes are back", 6.0),
)


class Played(MessagesModel):
    """A model that answers each request that offers tools with the next step."""

    def serve(self, body: dict[str, Any]) -> Answer:
        """Answer by the number of such requests; what the client asks besides gets a word."""
        self.requests.append(body)
        if not body.get("tools"):
            return self.answer(body, {"say": "ok"}, len(self.requests))
        steps = self.scripts[""]
        self.used = getattr(self, "used", -1) + 1
        return self.answer(body, steps[min(self.used, len(steps) - 1)], len(self.requests))


def missing() -> str:
    """Return what is missing for the picture, ``""`` where nothing is."""
    client = Path(install_client.CLIENTS["claude-code"].path)
    return ", ".join(
        [*([] if client.exists() else ["make client"]), *([] if tmux.installed() else ["tmux"])]
    )


def recorded() -> list[Frame]:
    """Have the session; return what is shown, in order."""
    client = install_client.CLIENTS["claude-code"]
    steps = [step for scene in SCENES for step in scene.steps]
    with terminal_picture.home() as home, Played(*steps) as wire:
        project = terminal_picture.project(home)
        (project / "src/cart.py").write_text("# cart, with a week of work\n" * 400)
        program = home / ".local/bin/interlock"
        program.parent.mkdir(parents=True)
        program.write_text(
            f'#!/bin/sh\nPYTHONPATH={TOP}/src exec {sys.executable} -m interlock "$@"\n'
        )
        program.chmod(0o755)
        environment = {
            "HOME": str(home),
            "PATH": f"{program.parent}:{Path(client.path).parent}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "SHELL": "/bin/bash",
            "ANTHROPIC_BASE_URL": wire.url,
            "ANTHROPIC_API_KEY": "sk-ant-dummy-key-of-nobody",
            "IS_SANDBOX": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "1",
            "INTERLOCK_RESIDENT": "off",
        }
        _settle(home, project, environment)
        argv = [client.path, "--model", "claude-sonnet-4-5"]
        with tmux.Window(argv, environment, project, COLUMNS, ROWS) as window:
            frames = list(_played(window))
            window.types("/exit")  # it writes into its home until it has ended
            window.until(lambda screen: "/exit" in screen)
            window.presses("Enter")
            window.code()
        return [frame._replace(screen=_neutral(frame.screen, home)) for frame in frames]


def _settle(home: Path, project: Path, environment: dict[str, str]) -> None:
    """Write what the client's first start would ask, and put interlock into its settings."""
    import subprocess

    key = environment["ANTHROPIC_API_KEY"]
    (home / ".claude.json").write_text(
        json.dumps(
            {
                "hasCompletedOnboarding": True,
                "theme": "dark",
                "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []},
                "projects": {
                    str(project): {
                        "hasTrustDialogAccepted": True,
                        "hasCompletedProjectOnboarding": True,
                    }
                },
            }
        )
    )
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash"]}}))
    words = [str(home / ".local/bin/interlock"), "install", "claude-code"]
    subprocess.run(words, env=environment, cwd=project, check=True, capture_output=True)


def _played(window: tmux.Window) -> Iterator[Frame]:
    window.until(lambda screen: PROMPT in screen)
    for scene in SCENES:
        for part in (scene.typed[: len(scene.typed) // 2], scene.typed[len(scene.typed) // 2 :]):
            window.types(part)
            window.until(lambda screen, part=part: part.strip(" !") in screen)  # type: ignore[misc]
            yield Frame(window.screen(painted=True), 0.6)
        window.presses("Enter")
        window.until(lambda screen, scene=scene: scene.shows in screen)  # type: ignore[misc]
        yield Frame(window.screen(painted=True), scene.seconds)
        if scene.key:
            window.presses(scene.key)
            window.until(lambda screen, scene=scene: scene.after in screen)  # type: ignore[misc]
            yield Frame(window.screen(painted=True), 2.0)


def _neutral(screen: str, home: Path) -> str:
    """Return a screen without what hangs on the day: names, times, the client's own warnings."""
    screen = screen.replace(str(home), terminal_picture.HOME)
    screen = "\n".join(["" if "⚠" in line else line for line in screen.split("\n")])
    for pattern, shown in NAMES:
        screen = re.sub(pattern, shown, screen)
    return screen


# -- the picture -----------------------------------------------------------------------------------


class Style(NamedTuple):
    """How letters are painted."""

    colour: str = PLAIN
    bold: bool = False
    dim: bool = False


def painted(screen: str) -> list[list[tuple[str, Style]]]:
    """Return the lines of a screen as words with their style."""
    style, lines = Style(), []
    for text in screen.split("\n"):
        line: list[tuple[str, Style]] = []
        for number, piece in enumerate(SGR.split(text)):
            if number % 2:
                style = _styled(style, piece)
            elif piece:
                line.append((piece, style))
        lines.append(line)
    return lines


def _styled(style: Style, said: str) -> Style:
    codes = [int(code or 0) for code in said.replace(":", ";").split(";")] if said else [0]
    at = 0
    while at < len(codes):
        code = codes[at]
        if code == 0:
            style = Style()
        elif code in (1, 2, 22):
            style = style._replace(bold=code == 1, dim=code == 2)
        elif code == 39:
            style = style._replace(colour=PLAIN)
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = style._replace(colour=BASIC[code % 10] if code != 90 else DIM)
        elif code in (38, 48) and codes[at + 1 : at + 2] == [5]:
            style = style._replace(colour=cube(codes[at + 2])) if code == 38 else style
            at += 2
        elif code in (38, 48) and codes[at + 1 : at + 2] == [2]:
            red, green, blue = codes[at + 2 : at + 5]
            style = (
                style._replace(colour=f"#{red:02x}{green:02x}{blue:02x}") if code == 38 else style
            )
            at += 4
        at += 1
    return style


def cube(number: int) -> str:
    """Return a colour of the table of 256 that terminals share."""
    if number < 16:
        return DIM if number == 8 else BASIC[number % 8]
    if number >= 232:
        grey = 8 + (number - 232) * 10
        return f"#{grey:02x}{grey:02x}{grey:02x}"
    steps = (0, 95, 135, 175, 215, 255)
    red, rest = divmod(number - 16, 36)
    return "#" + "".join(f"{steps[one]:02x}" for one in (red, rest // 6, rest % 6))


def picture(frames: list[Frame]) -> Iterator[str]:
    """Yield the lines of the moving picture: one group a frame, shown in turn. Who wants no motion
    sees the last frame.
    """
    width, height = COLUMNS * CELL + 2 * EDGE, ROWS * LINE + BAR + EDGE
    whole = sum(frame.seconds for frame in frames)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img">'
    )
    said = html.escape(SGR.sub("", frames[-1].screen).strip())
    title = "Claude Code under interlock: a refusal, a question, an undo"
    yield f"<title>{title}</title><desc>{said}</desc>"
    yield f"<style>{''.join(_keyframes(frames, whole))}</style>"
    yield (
        f'<rect x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="9" fill="{GROUND}"'
        f' stroke="{FRAME}"/>'
    )
    for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{EDGE + 4 + 18 * number}" cy="17" r="5.5" fill="{colour}"/>'
    yield f'<g font-family="{terminal_picture.FONT}" font-size="{SIZE}" xml:space="preserve">'
    for number, frame in enumerate(frames):
        yield f'<g class="f f{number}">'
        yield from _frame(frame)
        yield "</g>"
    yield "</g></svg>"


def _keyframes(frames: list[Frame], whole: float) -> Iterator[str]:
    yield f".f{{visibility:hidden;animation:{whole:g}s step-end infinite}}"
    begin = 0.0
    for number, frame in enumerate(frames):
        start, end = 100 * begin / whole, 100 * (begin + frame.seconds) / whole
        first = "" if number == 0 else "0%{visibility:hidden}"
        yield f"@keyframes k{number}{{{first}{start:.2f}%{{visibility:visible}}"
        yield f"{end:.2f}%{{visibility:hidden}}}}" if end < 99.99 else "}"
        yield f".f{number}{{animation-name:k{number}}}"
        begin += frame.seconds
    last = len(frames) - 1
    yield (
        "@media(prefers-reduced-motion:reduce){.f{animation:none}"
        f".f{last}{{visibility:visible}}}}"
    )


def _frame(frame: Frame) -> Iterator[str]:
    for number, line in enumerate(painted(frame.screen)[:ROWS]):
        column = 0
        for words, style in line:
            shown = words.strip()
            if shown:
                left = EDGE + (column + len(words) - len(words.lstrip())) * CELL
                base = BAR + LINE + number * LINE - 4
                colour = DIM if style.dim and style.colour == PLAIN else style.colour
                bold = ' font-weight="700"' if style.bold else ""
                yield (
                    f'<text x="{left}" y="{base}" textLength="{len(shown) * CELL}"'
                    f' lengthAdjust="spacingAndGlyphs" fill="{colour}"{bold}>'
                    f"{html.escape(shown)}</text>"
                )
            column += len(words)


if __name__ == "__main__":
    lacks = missing()
    if lacks:
        sys.exit(f"the recording needs {lacks}")
    PICTURE.write_text("\n".join(picture(recorded())) + "\n", encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(TOP)}")
