"""The settings of a policy file, compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from interlock.data.programs import wrong_with
from interlock.model.policy import Duty, Named, Reviewing
from interlock.policy.document import DocumentNode
from interlock.policy.layer import Setting
from interlock.policy.limits import limits_of
from interlock.policy.patterns import below, pattern
from interlock.policy.problem import suggest_name
from interlock.policy.reading import Section
from interlock.policy.recovery import SPOKEN, recovery_of
from interlock.policy.source import PolicySource

DAY = 86400


def exist(one: Section, source: PolicySource, besides: frozenset[str] = frozenset()) -> None:
    """Complain about rules and tags that do not exist: a misspelt one would change nothing, for
    ever. ``besides``: tags of no rule.
    """
    families = {f"{name.partition('.')[0]}.*" for name in source.known}
    for name, node in each(one, "rule"):
        if name not in source.known and name not in families:
            source.say(node, f"there is no rule {name}{suggest_name(name, source.known)}")
    tags = {tag for rule in source.known.values() for tag in rule.tags} | besides
    for name, node in each(one, "tag"):
        if name not in tags:
            source.say(node, f"no rule has the tag {name}{suggest_name(name, sorted(tags))}")


def each(one: Section, key: str) -> Iterator[tuple[str, DocumentNode]]:
    """Yield the values of a list, each with where it stands."""
    node = one.at(key)
    nodes = node.value if node.kind == "list" else (node,)
    yield from zip(one.get(key, ()), nodes, strict=False)


_SWITCHED = {"prompts": "full", "durable": "always"}
"""Keys with two words, of which this one is the switch's other position."""


def settings(section: Section, source: PolicySource) -> Iterator[Setting]:
    """Yield the settings that a file makes, in the order of its schema."""
    for table, key, name in (
        ("", "observe", "observe"),
        ("", "tenant", "tenant"),
        ("", "intent", "intent"),
        ("", "proven", "proven"),
        ("", "unproven", "unproven"),
        ("", "proven_scope", "proven_scope"),
        ("audit", "required", "audit_required"),
        ("audit", "prompts", "prompts_full"),
        ("audit", "durable", "audit_durable"),
        *[("approvals", key, f"approving.{name}") for key, name in _APPROVING],
    ):
        part = section.get(table) if table else section
        if part is not None and part.get(key) is not None:
            value = part.get(key)
            yield Setting(
                name,
                value == _SWITCHED[key] if key in _SWITCHED else value,
                source.at(part.at(key)),
            )
    for name in section.get("audit").get("redact", ()) if section.get("audit") is not None else ():
        yield Setting("redacted", name.lower(), source.at(section.get("audit").at("redact")))
    kept = section.get("audit").get("keep", 0) if section.get("audit") is not None else 0
    if kept:
        if kept % DAY:
            source.say(
                section.get("audit").at("keep"), "records are kept for whole days, such as 90d"
            )
        yield Setting(
            "retention_days", kept // DAY or 1, source.at(section.get("audit").at("keep"))
        )
    if section.get("validator") is not None:
        yield _validator(section.get("validator"), source)
    yield from _sets(section, source)


def _validator(one: Section, source: PolicySource) -> Setting:
    seconds = one.get("wait", Reviewing.defaults["seconds"])
    if seconds > LONGEST_REVIEW:
        source.say(
            one.at("wait"),
            f"expected at most {LONGEST_REVIEW}s: an agent waits for its hook only so long",
        )
    file = one.get("key_file", "")
    reviewing = Reviewing(
        one.get("protocol", ""),
        one.get("model", ""),
        one.get("url", ""),
        pattern(file, source.home) if file else "",
        seconds,
    )
    given = {name: one.get(name) for name in ("agent", *_BOUNDS) if one.get(name) is not None}
    for name, most in _BOUNDS.items():
        if given.get(name, 0) > most:
            source.say(one.at(name), f"expected at most {'7d' if name == 'remember' else most}")
        if name in given and not given.get("agent"):
            source.say(
                one.at(name),
                f"{name} is for the guard agent, and this validator is none: write `agent: true`,"
                " or leave it out",
            )
    return Setting("reviewing", reviewing.replace(**given), source.at(one.node))


LONGEST_REVIEW = 10


_BOUNDS = {"turns": 10, "tokens": 200_000, "remember": 7 * DAY}


_APPROVING = (
    ("wait", "seconds"),
    ("session", "session_seconds"),
    ("project", "project_seconds"),
    ("uses", "uses"),
    ("most_pending", "most_pending"),
    ("token_always", "token_always"),
)


def _sets(section: Section, source: PolicySource) -> Iterator[Setting]:
    home = source.home
    if section.get("roles"):
        yield Setting("roles", holders(section.get("roles")), source.at(section.at("roles")))
    if section.get("workspace") is not None:
        roots = tuple([pattern(root, home) for root in section.get("workspace").get("roots", ())])
        yield Setting("roots", roots, source.at(section.at("workspace")))
    if section.get("hosts") is not None and section.get("hosts").get("allow"):
        yield Setting(
            "hosts",
            frozenset(section.get("hosts").get("allow")),
            source.at(section.get("hosts").at("allow")),
        )
    if section.get("files") is not None and section.get("files").get("allow"):
        paths = tuple([below(path, home) for path in section.get("files").get("allow")])
        yield Setting("allowed", paths, source.at(section.get("files").at("allow")))
    if section.get("programs"):
        yield Setting(
            "programs",
            tuple(_programs(section.get("programs"), source)),
            source.at(section.at("programs")),
        )
    for one in section.get("places", ()):
        paths = tuple([pattern(path, home) for path in one.get("path", ())])
        yield Setting("places", Named(paths, frozenset(one.get("nature", ()))), source.at(one.node))
    for one in section.get("obligations", ()):
        exist(one, source)
        yield Setting(
            "duties",
            Duty(frozenset(one.get("rule", ())), frozenset(one.get("tag", ())), one.get("do", ())),
            source.at(one.node),
        )
    if section.get("limits") is not None:
        yield from limits_of(section.get("limits"), source)
    if section.get("stop") is not None:
        exist(section.get("stop"), source, SPOKEN)
    yield from recovery_of(section, source)


def _programs(
    some: tuple[Section, ...], source: PolicySource
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each program by its name with what is said of it; an unreadable line is an error."""
    for one in some:
        says = tuple(one.get("says", ()))
        wrong = next(((line, why) for line in says if (why := wrong_with(line))), None)
        if wrong is not None:
            source.say(
                one.at("says"),
                "expected a line such as `operands reads*`, `-o --output =writes` or `-q --quiet`,"
                f" not {wrong[0]!r}: {wrong[1]}",
            )
            continue
        for name in one.get("name", ()):
            yield name, says


def holders(roles: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return who holds each role, of a table that says which roles each user has."""
    names = sorted({role for held in roles.values() for role in held})
    return tuple(
        [
            (role, frozenset([user for user, held in roles.items() if role in held]))
            for role in names
        ]
    )
