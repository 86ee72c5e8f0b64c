"""The moving picture of a session inside Claude Code: what it shows, and how it moves."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from scripts import claude_recording
from scripts.claude_recording import PICTURE, PLAIN, Frame, Style, painted, picture

TOP = Path(__file__).resolve().parent.parent
SVG = "{http://www.w3.org/2000/svg}"


def shown(text: str) -> list[str]:
    """Return the words of each frame of a picture, in order."""
    root = ET.fromstring(text)  # noqa: S314 - our own
    groups = [one for one in root.iter(f"{SVG}g") if str(one.get("class", "")).startswith("f f")]
    return [" ".join([one.text or "" for one in group.iter(f"{SVG}text")]) for group in groups]


def test_the_picture_shows_a_refusal_a_question_and_an_undo() -> None:
    """Each in a frame of its own, with what the person typed, and nothing of where or when it was
    made.
    """
    text = PICTURE.read_text(encoding="utf-8")
    frames = " | ".join(shown(text))
    for said in (
        "rm -rf ~",
        "permission denied",
        "git push --force origin main",
        "requires confirmation",
        "A checkpoint was taken before this call",
        "brought back",
    ):
        assert said in frames
    assert len(shown(text)) >= 3 * len(claude_recording.SCENES)
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"/tmp/|127\.0\.0\.1|retire", text)
    assert "docs/pictures/claude-code.svg" in (TOP / "README.md").read_text(encoding="utf-8")


def test_every_frame_has_its_time_and_the_last_one_stays_without_motion() -> None:
    """One after the other, none twice; who wants no motion sees the last."""
    text = "\n".join(picture([Frame("a", 1.0), Frame("b", 3.0)]))
    assert shown(text) == ["a", "b"]
    assert "animation:4s step-end infinite" in text
    assert "@keyframes k0{0.00%{visibility:visible}25.00%{visibility:hidden}}" in text
    assert "@keyframes k1{0%{visibility:hidden}25.00%{visibility:visible}}" in text
    assert "prefers-reduced-motion:reduce){.f{animation:none}.f1{visibility:visible}}" in text


@pytest.mark.parametrize(
    ("screen", "line"),
    [
        ("plain", [("plain", Style())]),
        ("\x1b[31mred\x1b[39mnot", [("red", Style("#ff7b72")), ("not", Style(PLAIN))]),
        ("\x1b[1;38;5;196mx\x1b[0my", [("x", Style("#ff0000", bold=True)), ("y", Style())]),
        ("\x1b[38;2;1;2;3mx", [("x", Style("#010203"))]),
        ("\x1b[48;5;31mx", [("x", Style())]),
        ("\x1b[38;5;244mx", [("x", Style("#808080"))]),
        ("\x1b[2mx\x1b[22my", [("x", Style(dim=True)), ("y", Style())]),
        ("\x1b[mx", [("x", Style())]),
    ],
)
def test_codes_of_colours_are_read_as_terminals_do(screen: str, line: list[object]) -> None:
    """Basic colours, those of the table of 256, and any; a ground is not painted."""
    assert painted(screen) == [line]


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.skipif(
    bool(claude_recording.missing()),
    reason="needs the real Claude Code and tmux: make client, sudo apt-get install tmux",
)
def test_it_can_be_recorded_anew() -> None:
    """The real client still asks, refuses and shows as the picture has it."""
    frames = claude_recording.recorded()
    texts = " | ".join([claude_recording.SGR.sub("", frame.screen) for frame in frames])
    assert all(scene.shows in texts for scene in claude_recording.SCENES)
    assert len(frames) == len(shown(PICTURE.read_text(encoding="utf-8")))
