"""A file that was read, to a layer: the same records that the built-in rules are made of.

``known``: every rule of the layers before, by id. ``reader`` reads an example as the guard would
read a call; a policy whose own examples fail is not loaded.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.engine.command_names import ANY_PROGRAM
from interlock.engine.decide import decide
from interlock.model.action import ALLOW, ASK, DENY, Action
from interlock.model.effect import (
    SINK,
    ChangesMode,
    Connects,
    Deletes,
    DiscardsWork,
    Reading,
    Reads,
    Sends,
    Writes,
)
from interlock.model.policy import Policy
from interlock.model.rule import Call, Match, Rule
from interlock.policy.compile_settings import exist, settings
from interlock.policy.document import DocumentNode
from interlock.policy.layer import Exemption, Layer, Tune, Written
from interlock.policy.patterns import below, pattern, too_wide
from interlock.policy.problem import suggest_name
from interlock.policy.reading import Section
from interlock.policy.schema import PROFILES
from interlock.policy.source import PolicySource

TOUCHED = (Writes, Deletes, ChangesMode)
STANDS_FOR = "The policy of this machine or project says so."
"""Why a rule that a key stands for: it has no words and no examples of its own."""
MINE = "policy"
"""The tag of every rule that a policy file wrote."""


def compile_layer(section: Section, source: PolicySource) -> Layer:
    """Return the layer that a file of version 1 says; its problems are added to the source's."""
    written = [
        *_rules(section, source),
        *_files(section, source),
        *_hosts(section, source),
        *_environments(section, source),
    ]
    known = {**source.known, **{one.rule.id: one.rule for one in written}}
    source = source.replace(known=known)
    if section.get("profile", PROFILES[0]) not in PROFILES:
        name = section.get("profile")
        source.say(
            section.at("profile"),
            f"there is no profile {name!r}; known: {', '.join(PROFILES)}{suggest_name(name, PROFILES)}",
        )
    return Layer(
        source.layer,
        source.path,
        source.loosens,
        section.get("profile", ""),
        tuple(written),
        tuple([_tune(one, source) for one in section.get("tune", ())]),
        tuple([found for one in section.get("allow", ()) for found in _exemption(one, source)])
        + tuple(_exempt_writes(section, source)),
        tuple(settings(section, source)),
    )


# -- rules -----------------------------------------------------------------------------------------


def match_of(section: Section, home: str) -> Match:
    """Return what a ``match`` table says."""
    many = section.get
    return Match(
        many("effect", ()),
        frozenset(many("location", ())),
        frozenset(many("nature", ())),
        frozenset(many("no_nature", ())),
        frozenset(many("host", ())),
        has=frozenset(many("traits", ())),
        any=frozenset(many("any_trait", ())),
        lacks=frozenset(many("no_trait", ())),
        remote=section.get("remote"),
        path=tuple([pattern(one, home) for one in many("path", ())]),
        not_path=tuple([pattern(one, home) for one in many("not_path", ())]),
        like=many("target", ()),
        ref=many("ref", ()),
        by=frozenset(many("by", ())),
        commands=many("commands", ()),
        outside=many("outside", ()),
        text=many("text", ()),
        tools=frozenset(many("tool", ())),
    )


def _rules(section: Section, source: PolicySource) -> Iterator[Written]:
    seen: dict[str, DocumentNode] = {}
    for one in section.get("rules", ()):
        name = one.get("id", "")
        if name in source.known or name in seen:
            before = (
                f"in line {seen[name].line}"
                if name in seen
                else "already; to change what it says, use `tune`"
            )
            source.say(one.at("id"), f"there is a rule {name} {before}")
        elif name and one.get("match") and one.get("action") is not None and one.get("title"):
            seen[name] = one.at("id")
            rule = _rule(one, source.home)
            _consistent(one, rule, source)
            _examples(one, rule, source)
            yield Written(rule, source.at(one.node))


def _rule(one: Section, home: str) -> Rule:
    return Rule(
        one.get("id"),
        one.get("title"),
        one.get("why", ""),
        one.get("instead", ""),
        match_of(one.get("match"), home),
        one.get("action"),
        one.get("floor", ALLOW),
        one.get("possible"),
        frozenset([MINE, *one.get("tags", ())]),
        tuple([example_of(of) for of in one.get("catches", ())]),
        tuple([example_of(of) for of in one.get("passes", ())]),
        one.get("approver", ""),
        quorum=one.get("quorum", 1),
        second_person=one.get("second_person", False),
        seconds=one.get("wait", 0),
        anywhere=one.get("anywhere", False),
    )


def _consistent(one: Section, rule: Rule, source: PolicySource) -> None:
    for key in ("possible", "floor"):
        found: Action | None = one.get(key)
        if found is not None and found > rule.action:
            source.say(
                one.at(key), f"{key} is {found}, and that is stricter than the action {rule.action}"
            )
    if rule.match.kinds and (rule.match.commands or rule.match.outside or rule.match.text):
        source.say(one.at("match"), "it asks for effects and for words; write two rules")
    if rule.match.text and rule.action > ASK:
        source.say(
            one.at("action"),
            "words alone prove nothing, so a rule that asks for `text` can ask at most, and not"
            f" {rule.action}",
        )
    if rule.match.has & rule.match.lacks or rule.match.any & rule.match.lacks:
        source.say(one.at("match"), "it asks for a trait and forbids it, so it never matches")
    if rule.match.nature & rule.match.no_nature:
        source.say(one.at("match"), "it asks for a nature and forbids it, so it never matches")
    if rule.approver and rule.action < ASK:
        source.say(
            one.at("approver"), f"nobody is asked for {rule.action}, so there is nothing to approve"
        )
    if rule.anywhere and rule.action < ASK:
        source.say(
            one.at("anywhere"),
            f"nobody is asked for {rule.action}, so there is no answer that counts elsewhere",
        )
    if rule.quorum < 1:
        source.say(one.at("quorum"), "at least one person has to approve")


def example_of(of: str | tuple[tuple[str, str], ...]) -> str | Call:
    """Return an example as rules hold it, of what was read of a file."""
    if isinstance(of, str):
        return of
    fields = dict(of)
    return Call(fields.pop("tool"), tuple(fields.items()))


def _examples(one: Section, rule: Rule, source: PolicySource) -> None:
    """Run a rule's own examples through the reading that judges real calls."""
    if source.reader is None:
        return
    alone = Policy((rule,), bound=True)
    for key, wanted in (("catches", True), ("passes", False)):
        examples = getattr(rule, key)
        nodes = one.at(key).value if examples else ()
        for of, node in zip(examples, nodes, strict=False):
            call, reading = source.reader(of)
            spoke = bool(decide(call, reading, alone, "example").findings)
            if spoke != wanted:
                source.say(
                    node,
                    f"this example fails: {rule.id}"
                    f" {'does not catch it' if wanted else 'catches it'}{_what(reading) if wanted else ''}",
                )


def _what(reading: Reading) -> str:
    effects = sorted({f"{effect.kind} {effect.target}".strip() for effect in reading.effects})[:4]
    return f" (it was read as: {'; '.join(effects) or 'no effect'})"


# -- rules that other keys stand for ---------------------------------------------------------------


def rule_of(name: str, title: str, match: Match, action: Action, approver: str = "") -> Rule:
    """Return a rule that a key of a policy stands for."""
    instead, tags = "Ask the user, or whoever wrote the policy.", frozenset({MINE})
    return Rule(
        name,
        title,
        STANDS_FOR,
        instead,
        match,
        action,
        possible=min(ASK, action),
        tags=tags,
        approver=approver,
    )


def blocking_rule(paths: tuple[str, ...], home: str) -> Rule:
    """Return the rule for paths that may be neither read nor changed."""
    match = Match(
        (Reads, *TOUCHED, DiscardsWork),
        path=tuple([below(path, home) for path in paths]),
        holding=True,
    )
    return rule_of("files.blocked", "reads or changes what the policy blocks", match, DENY)


def _files(section: Section, source: PolicySource) -> Iterator[Written]:
    files = section.get("files")
    if files is None:
        return
    if files.get("block"):
        yield Written(blocking_rule(files.get("block"), source.home), source.at(files.at("block")))
    if files.get("read_only"):
        match = Match(
            (*TOUCHED, DiscardsWork),
            path=tuple([below(path, source.home) for path in files.get("read_only")]),
            holding=True,
        )
        yield Written(
            rule_of("files.read-only", "changes what the policy lets only be read", match, DENY),
            source.at(files.at("read_only")),
        )


def make_not_allowed(paths: tuple[str, ...]) -> Rule:
    """Return the rule for what is used outside the paths that a policy allows; the paths are
    patterns already.
    """
    match = Match((Reads, *TOUCHED), no_nature=frozenset({SINK}), not_path=paths)
    return rule_of(
        "files.not-allowed",
        "reads or changes what is not among the paths that the policy allows",
        match,
        DENY,
    )


def exempt_writes(paths: tuple[str, ...], home: str, at: str) -> Iterator[Exemption]:
    """Yield what a list of allowed paths lets pass: writing there is not asked about for lying
    outside the workspace.
    """
    outside = tuple(
        [
            below(path, home)
            for path in paths
            if not too_wide(path, home) and not pattern(path, home).startswith("${WORKSPACE}")
        ]
    )
    if outside:
        yield Exemption(
            ("fs.write-outside-workspace",), Match((Writes,), path=outside), at, "an allowed path"
        )


def _exempt_writes(section: Section, source: PolicySource) -> Iterator[Exemption]:
    files = section.get("files")
    if files is not None and files.get("allow"):
        yield from exempt_writes(files.get("allow"), source.home, source.at(files.at("allow")))


def _hosts(section: Section, source: PolicySource) -> Iterator[Written]:
    hosts = section.get("hosts")
    names = hosts.get("block", ()) if hosts is not None else ()
    if names:
        yield Written(
            rule_of(
                "hosts.blocked", "reaches a host that the policy blocks", _to_hosts(names), DENY
            ),
            source.at(hosts.at("block")),
        )


def _to_hosts(names: tuple[str, ...]) -> Match:
    return Match(
        (Connects, Sends), like=tuple([form for name in names for form in (name, f"*.{name}")])
    )


def _environments(section: Section, source: PolicySource) -> Iterator[Written]:
    from interlock.policy.environments import rows  # few policies name any

    for name, one in section.get("environments", {}).items():
        for kind, match in rows(one, source.home):
            rule = rule_of(
                f"environment.{name}-{kind}",
                f"touches {name}",
                match,
                one.get("action", ASK),
                approver=one.get("approver", ""),
            )
            yield Written(rule.replace(tags=rule.tags | {name}), source.at(one.node))


# -- changes to rules that exist -------------------------------------------------------------------


def _tune(one: Section, source: PolicySource) -> Tune:
    rules, tags = one.get("rule", ()), one.get("tag", ())
    tuned = [rule for rule in source.known.values() if speaks_of(rules, tags, rule)]
    exist(one, source)
    action, floor = one.get("action"), one.get("floor")
    if action is None and floor is None and not one.get("approver"):
        source.say(one.node, "this changes nothing; expected action, floor or approver")
    for rule in tuned:
        if action is not None and action < rule.floor:
            source.say(
                one.at("action"),
                f"{rule.id} has the floor {rule.floor}, so it cannot become {action}",
            )
    return Tune(
        rules,
        tags,
        source.at(one.node),
        action,
        floor,
        one.get("tunable", False),
        one.get("approver", ""),
    )


def speaks_of(rules: tuple[str, ...], tags: tuple[str, ...], rule: Rule) -> bool:
    """Tell whether ids (``git.*`` for a family) or tags name a rule."""
    family = rule.id.partition(".")[0] + ".*"
    return rule.id in rules or family in rules or not rule.tags.isdisjoint(tags)


def _exemption(one: Section, source: PolicySource) -> Iterator[Exemption]:
    exist(one, source)
    if one.get("match") is None:
        return
    match = match_of(one.get("match"), source.home)
    named = match.path or match.like or match.ref
    if bool(match.commands) == bool(match.kinds and named) or match != _commands_only(match):
        source.say(
            one.at("match"),
            "an exception names what it is for: expected effect, and path, target or ref; or"
            " commands alone",
        )
    for text in (
        *one.get("match").get("path", ()),
        *match.like,
        *match.ref,
        *[text for text in match.commands if text.split()[0] == ANY_PROGRAM],
    ):
        if too_wide(text, source.home) or text in match.commands:
            source.say(
                one.at("match"),
                f"{text!r} stands for nearly everything; an exception names what it is for",
            )
    for name in one.get("rule", ()):
        rule = source.known.get(name)
        if rule is not None and rule.floor > ALLOW:
            source.say(
                one.at("rule"),
                f"{name} has the floor {rule.floor}, so nothing can be excepted from it",
            )
        elif rule is not None and (why := _misses(match, rule)):
            source.say(one.at("match"), why)
        elif name.endswith(".*"):
            source.say(one.at("rule"), f"an exception names its rules one by one, not {name}")
    yield Exemption(
        one.get("rule", ()),
        match,
        source.at(one.node),
        one.get("because", ""),
        one.get("until", ""),
    )


def _commands_only(match: Match) -> Match:
    """Return a match of commands without all else, and any other as it is."""
    return Match((), commands=match.commands) if match.commands else match


def _misses(match: Match, rule: Rule) -> str:
    """Say why an exception excepts nothing from a rule, or ``""``."""
    if rule.match.outside:
        return (
            ""
            if match.commands
            else (
                f"{rule.id} asks about commands that are on no list; write `match: {{commands:"
                " [PROGRAM]}` to list one"
            )
        )
    if not rule.match.kinds:
        return (
            f"{rule.id} looks at words and not at effects, so there are no exceptions from it;"
            " `tune` gives it another action"
        )
    if match.commands:
        return (
            f"{rule.id} speaks of the effect {', '.join(rule.match.kinds)}, so an exception names"
            " that effect and its target, and no commands"
        )
    if set(match.kinds) & set(rule.match.kinds):
        return ""
    return (
        f"{rule.id} speaks of {', '.join(rule.match.kinds)} and not of"
        f" {', '.join(match.kinds) or 'what this names'}, so this excepts nothing"
    )


# -- settings --------------------------------------------------------------------------------------
