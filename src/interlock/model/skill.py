"""``Skill``: what a guard agent is told about a language, or about a way to look at a call."""

from __future__ import annotations

from interlock.model.record import Record

BASH, PYTHON, GO, JS, POWERSHELL = LANGUAGES = ("bash", "python", "go", "js", "powershell")
"""The languages that skills are for; a skill without one is for every call."""


class Skill(Record):
    """A skill. ``language``: one of ``LANGUAGES``, or ``""``. ``auto_invoke``: told without being
    asked for, with calls in its language.

    ``tightens``: a project brought it, so it is heard only where all others allow, and can then
    only say no. ``path``: where it was read, or ``""``.
    """

    name: str
    description: str
    text: str
    language: str = ""
    auto_invoke: bool = False
    tightens: bool = False
    path: str = ""


class Skills(Record):
    """The skills there are, and what is wrong with files that should be skills: as long as anything
    is, no ALLOW counts.
    """

    all: tuple[Skill, ...] = ()
    problems: tuple[str, ...] = ()
