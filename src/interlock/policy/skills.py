"""The skills of a guard agent in ``guard-skills/`` folders, each ``NAME.md`` or ``NAME/SKILL.md``.
Read only when something is reviewed.

A home's are the person's own: the last of one name counts, and it may take the place of a built-in
one. A project's only tighten, and so do those of a home that is not the user's by the system's own
list: a variable must not choose whose skills let things pass.
"""

from __future__ import annotations

from interlock.model.skill import Skill, Skills
from interlock.policy.files import PAGE, SKILLS, PolicyFile, PolicyLocations, is_own_home, look
from interlock.policy.load import find_yaml
from interlock.policy.problem import PolicyError, PolicyProblem
from interlock.policy.reading import read_skill
from interlock.policy.schema import PROJECT, USER

LONGEST = 8000
"""Characters of one skill's text."""


def skills(where: PolicyLocations) -> Skills:
    """Return the skills that lie in these places, and what is wrong with some. Total."""
    own = where.own_home and is_own_home(where.home, where.owner)
    mine = _folders(where, where.home, (where.owner, where.above), USER)
    theirs = _folders(where, where.project, (), PROJECT)
    last = {skill.name: skill.replace(tightens=not own) for skill in mine.all}
    return Skills((*last.values(), *theirs.all), mine.problems + theirs.problems)


def _folders(where: PolicyLocations, top: str, owners: tuple[int, ...], layer: str) -> Skills:
    found: list[Skill] = []
    problems: list[str] = []
    for folder in [look(path, owners, where.lent) for path in where.guard_folders(top, SKILLS)]:
        if folder.problem:
            problems.append(f"{folder.path}: {folder.problem}")
            continue
        names = (folder.data or b"").decode("utf-8", "surrogateescape").split("\n")
        for file in [look(f"{folder.path}/{name}", owners, where.lent) for name in names if name]:
            try:
                found.append(skill(file, layer))
            except PolicyError as error:
                problems += [f"{one.where}: {one.message}" for one in error.problems]
    return Skills(tuple(found), tuple(problems))


def is_skill(path: str) -> bool:
    """Whether a path is one of a skill: a file in a folder of skills or a page in one."""
    *_, above, folder, name = ["", "", *path.split("/")]
    return folder == SKILLS or (above == SKILLS and name == PAGE)


def skill(file: PolicyFile, layer: str) -> Skill:
    """Return the skill in a file; raises ``PolicyError``."""
    if file.problem or file.data is None:
        gone = (
            f"a folder in {SKILLS} is a skill by its {PAGE}, and this one has none"
            if file.path.endswith(f"/{PAGE}")
            else "it is gone"
        )
        raise PolicyError([PolicyProblem(file.path, 1, 1, file.problem or gone)])
    find_yaml()
    front, text = read_skill(file.data, file.path, layer)
    if len(text) > LONGEST:
        raise PolicyError(
            [
                PolicyProblem(
                    file.path,
                    1,
                    1,
                    f"its text has {len(text)} characters; a skill has at most {LONGEST}",
                )
            ]
        )
    described = front.get("description")
    return Skill(
        front.get("name"),
        described,
        text,
        front.get("language", ""),
        front.get("auto_invoke", False),
        layer == PROJECT,
        file.path,
    )
