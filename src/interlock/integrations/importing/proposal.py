"""A proposal: what another program's configuration asks for, as lines of a policy, and what of it
does not translate.

Only what makes interlock stricter is carried over, and what names hosts and folders of one's own.
An allow of another program's needs no line: interlock does not ask about most commands; where it
would, the person is told (``Line.allows``), and decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from json import dumps

from interlock.model.display import visible
from interlock.model.record import Record
from interlock.policy.value_kinds import WORDS

LISTS = (
    ("workspace", ("roots",)),
    ("hosts", ("allow", "block")),
    ("files", ("block", "read_only")),
)
"""The tables of a policy that hold lists, and which lists of them a proposal fills."""
ASK, DENY = "ask", "deny"


class ProposedRule(Record):
    """A rule to be written: what it completes "This call ..." with, what it matches (keys of a
    policy's ``match`` with their words), its action, and why.
    """

    title: str
    match: Mapping[str, tuple[str, ...]]
    action: str
    why: str = ""


class ConfigLine(Record):
    """One line of the other configuration.

    ``where``: its place in the file (``line 3``, ``permissions.deny[0]``). ``said``: its own words.
    ``rules``, ``tunes`` (rules of interlock's and their new action) and ``lists`` (a dotted key of
    a policy, a word) are what it becomes. ``allows``: commands that it lets run, to be judged.
    ``note``: what is lost or different, ``""`` where it translates whole. ``needless``: it needs no
    line of a policy, and the note says why.
    """

    where: str
    said: str
    rules: tuple[ProposedRule, ...] = ()
    tunes: tuple[tuple[tuple[str, ...], str], ...] = ()
    lists: tuple[tuple[str, str], ...] = ()
    allows: tuple[str, ...] = ()
    note: str = ""
    needless: bool = False

    @property
    def carried(self) -> bool:
        """Whether anything of it is in the proposal."""
        return bool(self.rules or self.tunes or self.lists)


class UnreadError(Exception):
    """The configuration cannot be read; the message is one sentence that says where and why."""


def check_line(line: ConfigLine) -> ConfigLine:
    """Return a line of which every word is one that a policy takes; a part that has others is left
    out, and the note says why.
    """
    problems: list[str] = []
    rules = [rule for rule in line.rules if _fits(_words_of(rule), problems)]
    lists = [one for one in line.lists if _fits([(_KINDS[one[0]], one[1])], problems)]
    if not problems:
        return line
    note = "; ".join([*([line.note] if line.note else []), *dict.fromkeys(problems)])
    return line.replace(rules=tuple(rules), lists=tuple(lists), note=note)


_KINDS = {
    "workspace.roots": "path", "hosts.allow": "host", "hosts.block": "host",
    "files.block": "path", "files.read_only": "path",
    "commands": "command", "path": "path", "target": "text", "text": "text",
}  # fmt: skip


def _words_of(rule: ProposedRule) -> list[tuple[str, str]]:
    found = [(_KINDS[key], word) for key in rule.match if key in _KINDS for word in rule.match[key]]
    return [*found, ("text", rule.title), *([("text", rule.why)] if rule.why else [])]


def _fits(words: Iterable[tuple[str, str]], problems: list[str]) -> bool:
    for kind, word in words:
        try:
            WORDS[kind].read(word)
        except ValueError as problem:
            problems.append(f"{visible(word)}: {problem}")
            return False
    return True


def render_policy(lines: Iterable[ConfigLine], family: str) -> str:
    """Return the proposal as a policy file, ``""`` where nothing is carried over. ``family``: the
    first part of the new rules' names.
    """
    kept = [line for line in lines if line.carried]
    if not kept:
        return ""
    return "\n".join(["version: 1", *_lists(kept), *_rules(kept, family), *_tunes(kept)]) + "\n"


def _lists(lines: list[ConfigLine]) -> Iterator[str]:
    for table, keys in LISTS:
        found = {
            key: [word for line in lines for name, word in line.lists if name == f"{table}.{key}"]
            for key in keys
        }
        if any(found.values()):
            yield f"{table}:"
        for key, words in found.items():
            if words:
                yield f"  {key}:"
                yield from [f"    - {dumps(word)}" for word in dict.fromkeys(words)]


def _rules(lines: list[ConfigLine], family: str) -> Iterator[str]:
    number = 0
    for line in lines:
        for rule in line.rules:
            if not number:
                yield "rules:"
            number += 1
            yield f"  # {visible(line.where)}: {visible(line.said)[:160]}"
            yield f"  - id: imported.{family}-{number}"
            yield f"    title: {dumps(rule.title)}"
            if rule.why:
                yield f"    why: {dumps(rule.why)}"
            yield f"    match: {{{', '.join(_match(rule))}}}"
            yield f"    action: {rule.action}"


def _match(rule: ProposedRule) -> Iterator[str]:
    for key, words in rule.match.items():
        shown = dumps(words[0]) if len(words) == 1 else f"[{', '.join(map(dumps, words))}]"
        yield f"{key}: {shown}"


def _tunes(lines: list[ConfigLine]) -> Iterator[str]:
    found = [(line, tune) for line in lines for tune in line.tunes]
    if found:
        yield "tune:"
    for line, (names, action) in found:
        yield f"  # {visible(line.where)}: {visible(line.said)[:160]}"
        yield f"  - {{rule: [{', '.join(names)}], action: {action}}}"
