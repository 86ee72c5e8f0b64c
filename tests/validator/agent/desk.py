"""A guard agent at a desk of its own: a project, a home with skills, a store, and a model on this
machine that follows a script.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from interlock.audit.log import Audit
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Live
from interlock.model.call import SHELL, ToolCall
from interlock.model.policy import Reviewing
from interlock.policy import skills
from interlock.policy.builtin import builtin
from interlock.policy.files import PolicyLocations
from interlock.store.database import Store
from interlock.validator.agent.conversation import GuardAgent, GuardAgentContext
from interlock.validator.agent.memory import Memory
from tests.validator.endpoints import KEY, MODEL

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from interlock.model.decision import Finding
    from interlock.model.skill import Skills
    from interlock.validator.review import Review
    from tests.validator.endpoints import Endpoint, Heard

SKILL = "---\nname: {name}\ndescription: {description}\n{more}---\n{text}\n"


class Desk:
    """Judges calls in ``project`` with the endpoint's model. ``took`` keeps what each review took;
    ``now`` is the clock's time.
    """

    def __init__(self, folder: Path, endpoint: Endpoint, **terms: Any) -> None:
        self.home = folder / "home"
        self.project = self.home / "project"
        (self.project / "src").mkdir(parents=True)
        self.terms = {"agent": True, "seconds": 30, "remember": 0, **terms}
        self.endpoint = endpoint
        self.how = Reviewing(endpoint.protocol, MODEL, endpoint.url, **self.terms)
        self.took: list[Review] = []
        self.store = Store(str(folder / "state"))
        self.where = PolicyLocations(
            "/nowhere", str(self.home), str(self.project), owner=os.getuid(), above=os.getuid()
        )
        self.own = True
        self.now = 1_000_000.0
        self.policy = builtin("careful").replace(hash="policy-1")

    def skill(
        self, folder: Path, name: str, text: str, more: str = "", described: str = "A skill."
    ) -> None:
        """Write a skill into a folder of a home or a project."""
        (folder / "guard-skills").mkdir(parents=True, exist_ok=True)
        (folder / "guard-skills" / f"{name}.md").write_text(
            SKILL.format(name=name, description=described, more=more, text=text), encoding="utf-8"
        )

    def skills(self) -> Skills:
        """Return what the folders hold; whether the home is the user's own is not asked of the
        system's list, which knows no test's home.
        """
        found = skills.skills(self.where)
        mine = [
            skill.replace(
                tightens=skill.tightens and (not self.own or str(self.project) in skill.path)
            )
            for skill in found.all
        ]
        return found.replace(all=tuple(mine))

    def __call__(
        self, command: str, *, roots: bool = True, keeps: bool = True, rows: tuple[str, ...] = ()
    ) -> Finding:
        """Return what the guard agent says of a shell command; ``rows``: rules that are not
        applied.
        """
        call = ToolCall(
            SHELL,
            "Bash",
            {"command": command},
            cwd=str(self.project),
            roots=(str(self.project),) if roots else (),
        )
        facts = Live(str(self.home))
        reading = read(call, facts)
        decision = decide(call, reading, self.policy, "test")
        decision = decision.replace(
            findings=tuple([one for one in decision.findings if one.rule not in rows])
        )
        memory = (
            Memory(self.store, self.how.remember, lambda: self.now, keeps=keeps)
            if self.how.remember
            else None
        )
        means = GuardAgentContext(
            facts,
            self.policy.hash,
            KEY,
            self.skills,
            memory,
            lambda _, review: self.took.append(review),
        )
        return GuardAgent(self.how, Audit(self.store).redactor, means)(call, reading, decision)


def script(*said: str) -> Any:
    """Return a model that says these, one after the other; the last one again and again."""

    def speak(heard: Heard) -> str:
        return said[min(len(heard.said) // 2, len(said) - 1)]

    return speak
