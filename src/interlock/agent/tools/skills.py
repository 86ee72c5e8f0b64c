"""Skill: a page of instructions that is read when it is needed, from ``skills/NAME/SKILL.md`` of
the project or the home.

A skill is words and nothing else: what a model does after reading one is judged as ever.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from interlock.agent.tool import Tool, ToolError, clip_text, text_of
from interlock.agent.tools.files import tool
from interlock.model import call as kinds
from interlock.model.call import ToolCall
from interlock.model.record import Record

FOLDERS = (".agents", ".claude", ".bitcode", ".interlock")
LARGEST, LONGEST = 20_000, 300


class AgentSkill(Record):
    """A skill: its name, what it is for, and all of it."""

    name: str
    told: str
    text: str


def find_skills(places: Iterable[str]) -> dict[str, AgentSkill]:
    """Return the skills below some folders by name; of the same name the later place's counts."""
    skills: dict[str, AgentSkill] = {}
    for place in places:
        for folder in FOLDERS:
            top = os.path.join(place, folder, "skills")
            for name in _names(top):
                skill = _skill(place, name, os.path.join(top, name, "SKILL.md"))
                if skill is not None:
                    skills[skill.name] = skill
    return skills


def _names(folder: str) -> list[str]:
    """Return what lies in a folder; nothing where there is none that can be looked into."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def page(place: str, path: str) -> str:
    """Return a page of words for the model, ``""`` where there is none. A link that leads out of
    its place, or to what is no such page, is none.

    Nor is a pipe, which would be waited for. No call asks for it, so no guard judges it: a link in
    a cloned repository must not put somebody's key before a model.
    """
    real = os.path.realpath(path)
    if (
        not real.startswith(os.path.realpath(place).rstrip("/") + "/")
        or not real.endswith(".md")
        or not os.path.isfile(real)
    ):
        return ""
    try:
        with open(real, encoding="utf-8") as file:
            return file.read(LARGEST)
    except (OSError, UnicodeDecodeError):
        return ""


def _skill(place: str, folder: str, path: str) -> AgentSkill | None:
    """Return a skill, None where there is none that can be read."""
    text = page(place, path)
    if not text:
        return None
    lines = text.split("\n")
    ends = [number for number, line in enumerate(lines) if line.rstrip() == "---"][:2]
    front = lines[1 : ends[1]] if len(ends) == 2 and ends[0] == 0 else []
    said = {
        key.strip(): value.strip().strip("'\"")
        for key, colon, value in (line.partition(":") for line in front)
        if colon
    }
    return AgentSkill(said.get("name") or folder, said.get("description", "")[:LONGEST], text)


def tools(skills: Mapping[str, AgentSkill]) -> tuple[Tool, ...]:
    """Return the tool that reads one of these, nothing where there are none."""

    def skill(call: ToolCall) -> str:
        wanted = skills.get(text_of(call, "name"))
        if wanted is None:
            raise ToolError(f"There is no such skill. There are: {', '.join(sorted(skills))}.")
        return clip_text(wanted.text)

    takes = {"name": {"type": "string", "enum": sorted(skills)}}
    return (
        (
            tool(
                "Skill",
                "Read a skill's instructions before you do what it is for.",
                takes,
                kinds.TASK,
                skill,
            ),
        )
        if skills
        else ()
    )
