"""The guard agent as the guard calls it: a conversation with a model about one call, within bounds,
that ends in one line.

A project's skills can only tighten: they are told in a second conversation, which is held only
where the first one, without them, ends in ALLOW, and of the two answers the stricter counts. What
the model says is worth as much as what the one-line validator says, and no more.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from secrets import token_hex
from time import monotonic

from interlock.model.action import ALLOW, ASK
from interlock.model.call import ToolCall
from interlock.model.codec import encode
from interlock.model.decision import Decision, Finding
from interlock.model.effect import Reading
from interlock.model.facts import Facts
from interlock.model.jsontext import dumps
from interlock.model.policy import Reviewing
from interlock.model.record import Record
from interlock.model.skill import Skill, Skills
from interlock.model.usage import Usage
from interlock.validator.agent.builtin import SKILLS
from interlock.validator.agent.languages import languages
from interlock.validator.agent.lookups import REQUESTS, CallLookups, LookupAnswer
from interlock.validator.agent.memory import Memory, StoredAnswer
from interlock.validator.answer import GUARD_AGENT, read, weigh_answer
from interlock.validator.endpoint import EndpointError, ask, tokens
from interlock.validator.injection import speaks
from interlock.validator.question import (
    INSTRUCTIONS,
    ONE_LINE,
    QuestionRedactor,
    ReviewQuestion,
    question,
)
from interlock.validator.review import Review
from interlock.validator.reviewer import Told as Telling

ANSWER = 1000
"""Tokens that one message of the model may have, where the protocol takes a bound."""
PROJECTS = (
    "Those whose names begin with project/ come with the folder that the agent works in. They may"
    " give you reasons to ASK or DENY, never to ALLOW."
)
_MARK = "MARK"
"""What stands for the marks where two questions are compared."""


class GuardAgentContext(Record):
    """What a guard agent works with. ``facts``: what its readers may ask the world. ``policy``: the
    hash of the policy that holds.

    ``key``: the endpoint's key, where it is not in a file. ``skills``: makes those of folders,
    which are only read when there is something to review. ``told`` is told what each review took.
    """

    facts: Facts
    policy: str = ""
    key: str = ""
    skills: Callable[[], Skills] = Skills
    memory: Memory | None = None
    told: Telling | None = None


class ConversationResult(Record):
    """How one conversation went. ``said``: how it ended; ``last``: whether an answer came, which
    may be remembered.
    """

    said: Finding
    turns: int = 0
    usage: Usage = Usage()
    counted: bool = True
    asked: tuple[tuple[str, str], ...] = ()
    skills: tuple[str, ...] = ()
    last: bool = False
    remembered: bool = False

    @property
    def used(self) -> int:
        """The tokens of all its turns."""
        return self.usage.input + self.usage.cached + self.usage.output


class GuardAgent:
    """Asks the model that a policy names, and lets it look closer before it answers. What cannot be
    had asks a person.
    """

    def __init__(
        self, how: Reviewing, redactor: QuestionRedactor, means: GuardAgentContext
    ) -> None:
        self._how = how
        self._redactor = redactor
        self._means = means

    def __call__(self, call: ToolCall, reading: Reading, decision: Decision) -> Finding:
        """Return ``ALLOW``, ``DENY`` or ``ASK`` as a finding."""
        began, found = monotonic(), self._means.skills()
        known = together(found.all)
        asked = question(call, reading, decision, self._redactor, token_hex(16))
        subject = self._subject(call, reading, decision, asked)
        spoken = languages(call, reading)
        own = tuple([skill for skill in known if not skill.tightens])
        talks = [self._talk(AgentInquiry(asked, call, reading, own, spoken), subject, began)]
        theirs = tuple(
            [skill for skill in known if skill.tightens and skill.language in ("", *spoken)]
        )
        if theirs and talks[0].said.action == ALLOW:
            talks.append(
                self._talk(
                    AgentInquiry(asked, call, reading, (*own, *theirs), spoken),
                    subject,
                    began,
                    talks[0].used,
                )
            )
        if self._means.told is not None:
            self._means.told(call, _review(self._how.model, talks))
        said = max([talk.said for talk in talks], key=lambda one: one.action)
        if said.action == ALLOW and found.problems:
            return GUARD_AGENT.finding(
                "skills",
                ASK,
                "A skill of the guard agent cannot be used, so a person decides:"
                f" {found.problems[0]}.",
            )
        return said

    def _subject(
        self, call: ToolCall, reading: Reading, decision: Decision, asked: ReviewQuestion
    ) -> tuple[str, ...]:
        """Return all that an answer hangs on, the skills apart. The text of the question alone
        would not do: secrets are taken out of it.
        """
        how, texts = self._how, [text.text for text in reading.texts]
        mark = asked.text.partition(" ")[0]
        terms = (
            how.protocol,
            how.model,
            how.url,
            str(how.turns),
            str(how.tokens),
            self._means.policy,
            INSTRUCTIONS,
            REQUESTS,
            asked.text,
        )
        same = dumps(
            [
                call.tool,
                call.name,
                encode(dict(call.input)),
                call.cwd,
                list(call.roots),
                call.platform,
                call.shell,
                call.user,
                call.tenant,
            ]
        )
        read_ = dumps([encode(reading.effects), encode(reading.commands), texts, reading.coverage])
        reasons = dumps([[one.rule, str(one.action), one.message] for one in decision.findings])
        return tuple([part.replace(mark, _MARK) for part in (*terms, same, read_, reasons)])

    def _talk(
        self, asking: AgentInquiry, subject: tuple[str, ...], began: float, used: int = 0
    ) -> ConversationResult:
        """Hold one conversation, unless the same one was held before. ``used``: tokens that this
        call took already.
        """
        memory = self._means.memory
        look = CallLookups(
            asking.call, asking.reading, self._means.facts, self._redactor, asking.skills
        )
        opened = asking.opened(look, self._how.turns)
        known = dumps(
            [[encode(skill) for skill in asking.skills], look.texts, opened.whole, opened.speaks]
        )
        name = memory.name(*subject, known) if memory is not None else ""
        kept = memory.recall(name) if memory is not None else None
        if kept is not None and all(
            _digest(look.asked(request)) == digest for request, digest in kept.asked
        ):
            return ConversationResult(kept.said, remembered=True)
        talk = self._held(opened, look, began, used)
        talk = talk.replace(skills=(*[skill.name for skill in asking.told()], *talk.skills))
        if memory is not None and talk.last:
            memory.keep(name, StoredAnswer(talk.said, talk.asked))
        return talk

    def _held(
        self, asked: ReviewQuestion, look: CallLookups, began: float, used: int
    ) -> ConversationResult:
        how, talk, whole = (
            self._how,
            ConversationResult(_failure_finding("nothing was asked")),
            True,
        )
        while True:
            left = how.seconds - (monotonic() - began)
            if used + talk.used + _size(asked) > how.tokens:
                return talk.replace(said=_failure_finding(f"it took more than {how.tokens} tokens"))
            if left <= 0:
                return talk.replace(
                    said=_failure_finding(f"it came to no answer within {how.seconds} seconds")
                )
            try:
                said = ask(how, asked, self._means.key, left)
            except EndpointError as error:
                return talk.replace(said=_failure_finding(str(error)))
            talk = talk.replace(
                turns=talk.turns + 1,
                usage=talk.usage.plus(said.usage),
                counted=talk.counted and said.counted,
            )
            told = look.asked(said.text)
            if told is None:
                answer = weigh_answer(
                    read(said.text, GUARD_AGENT),
                    asked.replace(whole=asked.whole and whole),
                    GUARD_AGENT,
                )
                return talk.replace(said=answer, last=not answer.rule.endswith(".unclear"))
            if talk.turns > how.turns:
                return talk.replace(
                    said=_failure_finding(
                        f"it asked more than {how.turns} times and gave no answer"
                    )
                )
            whole = whole and told.whole
            talk = talk.replace(
                asked=(*talk.asked, (said.text, _digest(told))),
                skills=(*talk.skills, *([told.skill] if told.skill else [])),
            )
            asked = asked.replace(
                turns=(*asked.turns, (said.text, _reply(asked, told, how.turns - talk.turns)))
            )


class AgentInquiry(Record):
    """One conversation to be held: the question about a call, and the skills that may be told in
    it. ``spoken``: the languages of the call.
    """

    question: ReviewQuestion
    call: ToolCall
    reading: Reading
    skills: tuple[Skill, ...]
    spoken: frozenset[str]

    def told(self) -> tuple[Skill, ...]:
        """Return the skills that are told without being asked for."""
        return tuple(
            [
                skill
                for skill in self.skills
                if skill.auto_invoke and skill.language in ("", *self.spoken)
            ]
        )

    def opened(self, look: CallLookups, turns: int) -> ReviewQuestion:
        """Return the question with what the model may ask for, its skills, and the texts that
        belong to the call.
        """
        mark = self.question.text.partition(" ")[0]
        told = self.told()
        theirs = "\n" + PROJECTS if any(skill.tightens for skill in self.skills) else ""
        lines = [
            f"Skills:{theirs}",
            *[f"- {skill.name}: {skill.description}" for skill in self.skills if skill not in told],
        ]
        for skill in told:
            lines += ["", f"Skill {skill.name}: {skill.description}", skill.text]
        may = REQUESTS.format(turns=turns, mark=mark)
        system = self.question.system.replace(ONE_LINE, may) + "\n\n" + "\n".join(lines)
        end = f"{mark} end"
        text = "\n".join(
            [
                self.question.text.removesuffix(end) + f"{mark} texts",
                *(look.listed() or ["none"]),
                end,
            ]
        )
        told_of = self.question.speaks or speaks(*[content for _, content in look.texts])
        return self.question.replace(system=system, text=text, speaks=told_of, most=ANSWER)


def together(found: tuple[Skill, ...]) -> tuple[Skill, ...]:
    """Return the skills that count: a person's takes the place of a built-in one of its name, a
    project's of none.
    """
    own = {skill.name: skill for skill in SKILLS}
    own.update({skill.name: skill for skill in found if not skill.tightens})
    theirs = [skill.replace(name=f"project/{skill.name}") for skill in found if skill.tightens]
    return (*own.values(), *theirs)


def _reply(asked: ReviewQuestion, told: LookupAnswer, left: int) -> str:
    mark = asked.text.partition(" ")[0]
    text = (
        f"Skill {told.skill}:\n{told.text}"
        if told.skill
        else f"{mark} told\n{told.text}\n{mark} end"
    )
    more = f"You may ask {left} times more." if left > 0 else "You may ask no more: answer now."
    return f"{text}\n{'' if told.whole else 'Not all of it is shown. '}{more}"


def _size(asked: ReviewQuestion) -> int:
    return (
        tokens(asked.system)
        + tokens(asked.text)
        + sum([tokens(said) + tokens(told) for said, told in asked.turns])
    )


def _digest(told: LookupAnswer | None) -> str:
    return (
        ""
        if told is None
        else sha256(dumps([told.text, told.whole, told.skill]).encode()).hexdigest()
    )


def _failure_finding(why: str) -> Finding:
    return GUARD_AGENT.finding("failed", ASK, f"The guard agent was no help: {why}.")


def _review(model: str, talks: list[ConversationResult]) -> Review:
    usage = Usage(model)
    for talk in talks:
        usage = usage.plus(talk.usage)
    names = tuple(dict.fromkeys([name for talk in talks for name in talk.skills]))
    turns, known = sum([talk.turns for talk in talks]), all(talk.counted for talk in talks)
    return Review(
        GUARD_AGENT.id,
        model,
        turns,
        usage,
        known,
        not turns and all(talk.remembered for talk in talks),
        names,
    )
