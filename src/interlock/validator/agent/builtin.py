"""The skills that interlock brings: how to look at calls in a language, and how to follow code
without running it.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.data.texts import read_text
from interlock.model.skill import LANGUAGES, Skill


def _read_skills(text: str) -> Iterator[Skill]:
    """Yield the skills of a text: ``[NAME] what it is about``, and below it what is said."""
    for part in text.split("\n[")[1:]:
        head, _, said = part.partition("\n")
        name, _, about = head.partition("] ")
        language = name if name in LANGUAGES else ""
        yield Skill(name, about, said.rstrip("\n"), language, auto_invoke=bool(language))


SKILLS = tuple(_read_skills(read_text("skills.md")))
