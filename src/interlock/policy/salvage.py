"""What a policy file that is wrong somewhere still says: its good rules hold, and a bad one asks
about whatever its readable part matches.

Nothing of such a file loosens. Where something is wrong outside of a rule, or a rule's match cannot
be read at all, nobody knows what else the file was to say: then every call is asked about.
"""

from __future__ import annotations

from interlock.model.action import ASK
from interlock.model.rule import Rule
from interlock.policy.compile import MINE, compile_layer, match_of
from interlock.policy.document import LIST, DocumentNode, parse
from interlock.policy.layer import Layer, Written
from interlock.policy.problem import PolicyError, PolicyProblems
from interlock.policy.reading import Section, read_node
from interlock.policy.schema import PROFILES
from interlock.policy.source import PolicySource

UNREAD = "policy.unread-rule"
RULES = "rules"


def salvage_layers(data: bytes, path: str, source: PolicySource) -> tuple[tuple[Layer, ...], bool]:
    """Return what a broken file still tightens, and whether all that is wrong with it stands in
    rules that ask instead.

    Each rule is read as if it were alone in the file; what is wrong with the file without the bad
    ones is wrong elsewhere.
    """
    try:
        node, problems = parse(data, path)
        version = read_node(node, PolicyProblems(path), source.layer).get("version")
    except PolicyError:
        return (), False
    if version == "1.0":
        return (), False
    source = source.replace(path=path, problems=problems, loosens=False)
    bad, without = _bad_rules(node, source)
    layer = compile_layer(read_node(without, problems, source.layer), source)
    asking = [_asking(one, path, source.home) for one in bad]
    kept = layer.replace(
        rules=(*layer.rules, *[one for one in asking if one is not None]),
        exemptions=(),
        profile=layer.profile if layer.profile in PROFILES else "",
    )
    return (kept,), not problems.broken and None not in asking


def _bad_rules(
    node: DocumentNode, source: PolicySource
) -> tuple[list[Section | None], DocumentNode]:
    """Return the rules with something wrong (None: no table), and the document without them."""
    whole = next(
        (value for key, value in node.value if key.value == RULES and value.kind == LIST), None
    )
    bad: list[Section | None] = []
    good: list[DocumentNode] = []
    names: set[str] = set()
    for item in whole.value if whole is not None else ():
        found, is_good = _alone(node, item, source)
        name = found.get("id", "") if found is not None else ""
        if is_good and name not in names:
            names.add(name)
            good.append(item)
        else:
            bad.append(found)
    return bad, _with_rules(node, tuple(good)) if bad else node


def _alone(
    node: DocumentNode, rule: DocumentNode, source: PolicySource
) -> tuple[Section | None, bool]:
    """Return a rule as it is read where the file holds only it and its version, and whether nothing
    is wrong then.
    """
    source = source.replace(problems=PolicyProblems(source.path))
    version = tuple([pair for pair in node.value if pair[0].value in ("version", RULES)])
    section = read_node(
        _with_rules(node.replace(value=version), (rule,)), source.problems, source.layer
    )
    compile_layer(section, source)
    return next(iter(section.get(RULES, ())), None), not source.problems.broken


def _with_rules(node: DocumentNode, rules: tuple[DocumentNode, ...]) -> DocumentNode:
    """Return a document with these rules instead of its own; without any, without the key."""
    pairs = [
        (key, value.replace(value=rules) if key.value == RULES else value)
        for key, value in node.value
    ]
    return node.replace(value=tuple([pair for pair in pairs if rules or pair[0].value != RULES]))


def _asking(one: Section | None, path: str, home: str) -> Written | None:
    """Return a rule that asks about what the readable part of a bad rule matches; None where that
    is nothing, or might be anything.
    """
    match = one.get("match") if one is not None else None
    if (
        one is None
        or not isinstance(match, Section)
        or not (match.get("effect") or match.get("text") or match.get("commands"))
    ):
        return None
    line = one.node.line
    rule = Rule(
        f"{UNREAD}-{line}",
        f"is what the rule in {path}:{line} may mean, which cannot be read whole",
        "A rule that cannot be read may have forbidden this.",
        f"Ask the user to mend the file: interlock policy check {path}",
        match_of(match, home),
        ASK,
        possible=ASK,
        tags=frozenset({MINE}),
    )
    return Written(rule, f"{path}:{line}")
