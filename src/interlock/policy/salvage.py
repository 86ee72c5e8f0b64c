"""What a policy file that is wrong somewhere still says: its good rules hold, and a bad one asks about whatever its readable part matches.

Nothing of such a file loosens. Where something is wrong outside of a rule, or a rule's match cannot be read at all, nobody knows what else the file
was to say: then every call is asked about.
"""

from __future__ import annotations

from interlock.model.action import ASK
from interlock.model.rule import Rule
from interlock.policy.compile import MINE, compiled, match_of
from interlock.policy.document import TABLE
from interlock.policy.layer import Written
from interlock.policy.problem import ERROR, PolicyError
from interlock.policy.reading import Section, read
from interlock.policy.schema import PROFILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.policy.compile import Source
    from interlock.policy.document import Node
    from interlock.policy.layer import Layer
    from interlock.policy.problem import Problem

UNREAD = "policy.unread-rule"


def salvaged(data: bytes, path: str, source: Source) -> tuple[tuple[Layer, ...], bool]:
    """Return what a broken file still tightens, and whether all that is wrong with it stands in rules that ask instead."""
    try:
        section, problems = read(data, path, source.layer)
    except PolicyError:
        return (), False
    if section.get("version") == "1.0":
        return (), False
    source = source.replace(path=path, problems=problems, loosens=False)
    layer = compiled(section, source)
    bad, elsewhere = _bad_rules(section, [problem for problem in problems.found if problem.weight == ERROR])
    asking = [_asking(item, path, source.home) for item in bad.values()]
    lines = {f"{path}:{line}" for line in bad}
    good = [one for one in layer.rules if one.at not in lines]
    kept = layer.replace(
        rules=(*good, *[one for one in asking if one is not None]),
        exemptions=(),
        profile=layer.profile if layer.profile in PROFILES else "",
    )
    return (kept,), not elsewhere and None not in asking


def _bad_rules(section: Section, problems: list[Problem]) -> tuple[dict[int, Section | None], bool]:
    """Return the rules in which something is wrong, by their lines (None: no table), and whether something is wrong elsewhere."""
    whole: Node | None = section.nodes.get("rules")
    items: list[Node] = list(whole.value) if whole is not None and isinstance(whole.value, (list, tuple)) else []
    read_ones = {id(one.node): one for one in section.get("rules", ())}
    bad: dict[int, Section | None] = {}
    elsewhere = False
    ends = min([node.line for node in section.nodes.values() if items and node.line > items[-1].line], default=1 << 30)
    for problem in problems:
        item = next((one for one in reversed(items) if one.line <= problem.line), None)
        if item is None or problem.column == 1 or problem.line >= ends:
            elsewhere = True
        else:
            bad[item.line] = read_ones.get(id(item)) if item.kind == TABLE else None
    return bad, elsewhere


def _asking(one: Section | None, path: str, home: str) -> Written | None:
    """Return a rule that asks about what the readable part of a bad rule matches; None where that is nothing, or might be anything."""
    match = one.get("match") if one is not None else None
    if one is None or not isinstance(match, Section) or not (match.get("effect") or match.get("text") or match.get("commands")):
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
