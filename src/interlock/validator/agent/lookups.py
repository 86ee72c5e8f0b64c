"""What the guard agent may ask for while it judges a call: read-only facts, each a pure question to
interlock's own readers.

Nothing is run, nothing is fetched, and no file is opened but those that the call itself runs and
that lie in its workspace without being secret.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.read import read
from interlock.engine.explain import one_line
from interlock.model.call import PYTHON, READ, SHELL, ToolCall
from interlock.model.effect import WORKSPACE, Effect, Executes, Reading
from interlock.model.facts import Facts, Unknown
from interlock.model.record import Record
from interlock.model.skill import Skill
from interlock.validator.question import MOST_WORD, QuestionRedactor, effects, redact_text, visible

MOST_REQUEST = 6000
"""Characters of a request; a longer one is none."""
MOST_COMMANDS = 40
MOST_TEXTS = 20
REQUESTS = """\
Answer with exactly one line:
ALLOW
DENY: <reason>
ASK: <reason>
or first look closer, with one request at a time ({turns} of your messages may be requests):
SKILL: <name>            tells you one of the skills below
TEXT: <number>           shows a text that belongs to the call, by its number in the list after "{mark} texts"
PATH: <path>             says what is at a path in the working folder
READ: <language>         the lines below it are code (bash, python, js or powershell): says what it would do in the working folder; it is not run
"""


class LookupAnswer(Record):
    """What a request was answered with. ``whole``: nothing of it was left out. ``skill``: the one
    that was told, or ``""``.
    """

    text: str
    whole: bool = True
    skill: str = ""


class CallLookups:
    """Answers requests about one call. ``facts``: what the readers may ask the world. ``skills``:
    those that may be told.
    """

    def __init__(
        self,
        call: ToolCall,
        reading: Reading,
        facts: Facts,
        redactor: QuestionRedactor,
        skills: tuple[Skill, ...],
    ) -> None:
        self.call = call
        self.facts = facts
        self.redactor = redactor
        self.skills = {skill.name: skill for skill in skills}
        files = {
            text: effect.target for effect in reading.effects if (text := self._script(effect))
        }
        within = [(text.label, text.text) for text in reading.texts[1:] if text.text not in files]
        self.texts = [*within, *[(path, text) for text, path in files.items()]][:MOST_TEXTS]

    def listed(self) -> list[str]:
        """Return a line for each text that belongs to the call."""
        return [
            f"{number}. {one_line(self.redactor.text(name, MOST_WORD))}, {len(text)} characters"
            for number, (name, text) in enumerate(self.texts, 1)
        ]

    def asked(self, said: str) -> LookupAnswer | None:
        """Return what a model's words are answered with where they are a request, else None."""
        line, _, rest = said.strip().partition("\n")
        word, colon, what = line.partition(":")
        answer = self._ANSWERS.get(word)
        if (
            answer is None
            or not colon
            or not what.strip()
            or len(said) > MOST_REQUEST
            or (rest.strip() and word != "READ")
        ):
            return None
        return answer(self, what.strip(), rest)

    def _skill(self, name: str, _: str) -> LookupAnswer:
        skill = self.skills.get(name)
        return (
            LookupAnswer(skill.text, skill=name)
            if skill is not None
            else LookupAnswer(f"there is no skill {name!r}; there are {', '.join(self.skills)}")
        )

    def _text(self, number: str, _: str) -> LookupAnswer:
        if not (number.isascii() and number.isdigit() and 0 < int(number[:6]) <= len(self.texts)):
            return LookupAnswer(f"there is no text {number!r}; there are {len(self.texts)}")
        kept, whole = redact_text(self.texts[int(number) - 1][1], self.redactor)
        return LookupAnswer(visible(kept), whole)

    def _path(self, path: str, _: str) -> LookupAnswer:
        reading = read(
            self.call.replace(tool=READ, name="Read", input={"file_path": path}), self.facts
        )
        place = reading.effects[0].place if reading.effects else None
        if place is None or place.location != WORKSPACE or "secret" in place.natures:
            return LookupAnswer("nothing is told of what is outside the working folder or secret")
        found = self.facts.stat(reading.effects[0].target)
        kind = (
            "nobody knows what is there"
            if isinstance(found, Unknown)
            else f"{found.kind}, {found.size} bytes"
        )
        return LookupAnswer("\n".join([kind, *effects(reading, self.redactor)]))

    def _read(self, language: str, code: str) -> LookupAnswer:
        made = _CALLS.get(language)
        if made is None or not code.strip():
            return LookupAnswer(
                f"READ takes one of {', '.join(_CALLS)}, and code on the lines below it"
            )
        tool, shell, command = made(code)
        reading = read(
            self.call.replace(tool=tool, name=language, input={"command": command}, shell=shell),
            self.facts,
        )
        commands = [
            f"{number}. {self.redactor.text(' '.join(words), MOST_WORD)}"
            for number, words in enumerate(reading.commands[:MOST_COMMANDS], 1)
        ]
        lines = [
            *(["It would run, in this order:", *commands] if commands else []),
            "It would do:",
            *effects(reading, self.redactor),
        ]
        if reading.coverage != "full":
            lines.append("Not all of it could be followed.")
        return LookupAnswer(visible("\n".join(lines)), len(reading.commands) <= MOST_COMMANDS)

    _ANSWERS: dict[str, Callable[[CallLookups, str, str], LookupAnswer]] = {  # noqa: RUF012 - never changed
        "SKILL": _skill,
        "TEXT": _text,
        "PATH": _path,
        "READ": _read,
    }

    def _script(self, effect: Effect) -> str:
        """Return the text of a file in the workspace that the call runs, or ``""``."""
        place = effect.place
        if (
            effect.kind != Executes
            or place is None
            or place.location != WORKSPACE
            or place.natures & {"secret", "project-secret"}
        ):
            return ""
        text = self.facts.text(effect.target)
        return "" if isinstance(text, Unknown) else text


_CALLS: dict[str, Callable[[str], tuple[str, str, str]]] = {
    "bash": lambda code: (SHELL, "sh", code),
    "python": lambda code: (PYTHON, "", code),
    "js": lambda code: (SHELL, "sh", "node -e '" + code.replace("'", "'\\''") + "'"),
    "powershell": lambda code: (SHELL, "powershell", code),
}
"""By language: the tool, the shell and the text that a call of such code has, but for Go."""
