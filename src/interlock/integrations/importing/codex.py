"""Rules of Codex: ``*.rules`` in ``~/.codex/rules`` and ``.codex/rules``, calls of
``prefix_rule(pattern, decision, justification, match, not_match)`` in Starlark.

An element of the pattern is a word or a list of alternatives; the decision is ``allow`` (also where
none is named), ``prompt`` or ``forbidden``. ``network_rule(host, protocol, decision)`` names hosts.
Source: developers.openai.com/codex/rules and codex-rs/execpolicy/README.md, read in November 2026.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import product

from interlock.integrations.importing.proposal import (
    ASK,
    DENY,
    ConfigLine,
    ProposedRule,
    UnreadError,
)

FILES = ("~/.codex/rules/*.rules", ".codex/rules/*.rules")
MOST = 200
"""Commands that the alternatives of one pattern may stand for."""
_ACTIONS = {"prompt": ASK, "forbidden": DENY, "deny": DENY}


def lines(text: str, path: str) -> Iterator[ConfigLine]:
    """Yield what the rules say; raises ``UnreadError``. Starlark's calls are parsed as Python's."""
    try:
        tree = ast.parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        line = getattr(problem, "lineno", None) or 1
        raise UnreadError(f"line {line}: expected calls of prefix_rule(...)") from None
    for node in tree.body:
        said = " ".join((ast.get_source_segment(text, node) or "").split())
        yield _line(f"line {node.lineno}", said, node)


def _line(where: str, said: str, node: ast.stmt) -> ConfigLine:
    call = node.value if isinstance(node, ast.Expr) else None
    name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
    if not isinstance(call, ast.Call) or name not in ("prefix_rule", "network_rule"):
        return ConfigLine(where, said, note="no rule that is written out; write it by hand")
    try:
        given = {word.arg or "": ast.literal_eval(word.value) for word in call.keywords}
        if call.args:
            given["pattern"] = ast.literal_eval(call.args[0])
    except (ValueError, RecursionError):
        return ConfigLine(
            where, said, note="its values are worked out when it is read; write it by hand"
        )
    decision = str(given.get("decision", "allow"))
    if name == "network_rule":
        return _host(where, said, str(given.get("host", "")), decision)
    found = _commands(given.get("pattern"))
    if not found:
        return ConfigLine(where, said, note=f"expected a pattern of at most {MOST} commands")
    if decision == "allow":
        return ConfigLine(where, said, allows=found)
    if decision not in _ACTIONS:
        return ConfigLine(where, said, note=f"the decision {decision!r} is not known")
    rule = ProposedRule(
        f"runs what Codex {'asks about' if _ACTIONS[decision] == ASK else 'refuses'}: {found[0]}",
        {"commands": found},
        _ACTIONS[decision],
        str(given.get("justification", "")),
    )
    return ConfigLine(where, said, (rule,))


def _commands(pattern: object) -> tuple[str, ...]:
    """Return the commands that a pattern stands for, if it is one and not of too many."""
    if not isinstance(pattern, list | tuple) or not pattern:
        return ()
    columns = [one if isinstance(one, list | tuple) else [one] for one in pattern]
    count = 1
    for column in columns:
        count *= len(column)
    if not 0 < count <= MOST or not all(isinstance(word, str) for one in columns for word in one):
        return ()
    return tuple([" ".join(words) for words in product(*columns)])


def _host(where: str, said: str, host: str, decision: str) -> ConfigLine:
    if decision == "allow":
        return ConfigLine(where, said, lists=(("hosts.allow", host),))
    if _ACTIONS.get(decision) == DENY:
        return ConfigLine(where, said, lists=(("hosts.block", host),))
    match = {"effect": ("connects", "sends"), "target": (host,)}
    return ConfigLine(where, said, (ProposedRule(f"connects to {host}", match, ASK),))
