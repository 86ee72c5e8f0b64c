"""Which rules of a policy could speak of an effect: those that name something else are not tried.

A rule is kept under one thing that every effect it matches has: the beginning of a path, a target,
a name, a program (``engine.rule_index``). What an effect has of these is looked up, and the rules
found there are tried like any other, in the policy's order. A rule that names nothing is always
tried. What is found too much costs its trial; nothing that would match is left out, which
``tests/test_candidates.py`` holds against trying every rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from interlock.engine.rule_index import (
    COMMANDS,
    REF,
    WORKSPACE,
    Names,
    Node,
    Plan,
    is_literal,
    key,
    make_plans,
    names_of,
)
from interlock.model.effect import Effect, Reading
from interlock.model.policy import Policy, Rules
from interlock.model.rule import Rule


class RuleIndex:
    """The rules of a policy, in order. ``plans``: where they are kept, by kind of effect."""

    def __init__(self, rules: Rules, plans: Mapping[str, Plan]) -> None:
        self.rules = rules
        self._plans = plans

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleIndex) and (self.rules, self._plans) == (
            other.rules,
            other._plans,
        )

    __hash__ = None  # type: ignore[assignment]

    def has(self, kind: str) -> bool:
        """Tell whether there are rules of a kind of effect, or under ``""`` of words."""
        return kind in self._plans

    def get(self, kind: str, default: tuple[Rule, ...] = ()) -> tuple[Rule, ...]:
        """Return all rules of a kind of effect, in order; under ``""`` those that ask for none."""
        plan = self._plans.get(kind)
        return default if plan is None else tuple([self.rules[place] for place in _every(plan)])

    def among(self, effect: Effect, roots: tuple[str, ...]) -> Sequence[int]:
        """Return the places of the rules that could match an effect.

        ``roots``: the call's own folders.
        """
        plan = self._plans.get(effect.kind)
        if plan is None:
            return ()
        always, folders, names = plan
        if not folders and not names:
            return always
        found = {
            place
            for aspect, kept in names.items()
            for place in _look_up_names(kept, aspect, effect)
        }
        if folders and effect.place is not None and effect.place.where == "here":
            found.update(_under(folders, _paths_of(effect), roots))
        return sorted(found.union(always)) if found else always

    def under(self, kind: str, paths: Iterable[str], roots: tuple[str, ...]) -> Sequence[int]:
        """Return the places of the rules of a kind that some path could fit, or that name none."""
        always, folders, _ = self._plans.get(kind, ([], {}, {}))
        return sorted({*always, *_under(folders, {(path, False) for path in paths}, roots)})

    def spoken(self, reading: Reading) -> Sequence[int]:
        """Return the places of the rules of words that could speak of a reading."""
        always, _, names = self._plans.get("", ([], {}, {}))
        if COMMANDS not in names or not reading.commands:
            return always
        from interlock.engine.command_names import program  # few policies look at words

        programs = {program(command) for command in reading.commands}
        return sorted({*always, *_like(names[COMMANDS], programs)})


def index(rules: Sequence[Rule]) -> RuleIndex:
    """Return rules as they are looked up."""
    return RuleIndex(rules, make_plans(rules))


def with_rules(policy: Policy, more: tuple[Rule, ...]) -> Policy:
    """Return a policy with more rules, which may speak of paths by name."""
    every = policy.rules + more
    return policy.replace(rules=every, by_kind=index(every), bound=True, hash=f"{policy.hash}+rows")


def _every(plan: Plan) -> list[int]:
    always, folders, names = plan
    return sorted(
        {*always, *_below(folders), *[place for kept in names.values() for place in kept[0]]}
    )


# -- by names --------------------------------------------------------------------------------------


def _look_up_names(kept: Names, aspect: str, effect: Effect) -> Iterable[int]:
    if aspect == REF:
        return _on_refs(kept, effect)
    return _like(kept, (effect.by if aspect == "by" else effect.target,))


def _on_refs(kept: Names, effect: Effect) -> Iterable[int]:
    """Return the rules of what a push or a change is made to; all where that may be anything."""
    from interlock.model.glob import is_unknown_ref, normalize_ref  # no built-in rule names a ref

    if effect.kind == "pushes" and (not effect.only or any(map(is_unknown_ref, effect.only))):
        return kept[0]
    return _like(kept, [normalize_ref(ref) for ref in effect.only])


def _like(kept: Names, texts: Iterable[str]) -> Iterator[int]:
    """Yield the places of the rules whose patterns of names some texts could fit."""
    _, whole, heads, tails = kept
    for text in map(key, texts):
        yield from whole.get(text, ())
        for size, by_head in heads.items():
            yield from by_head.get(text[:size], ())
        for size, by_tail in tails.items():
            yield from by_tail.get(text[-size:], ())


# -- by folders ------------------------------------------------------------------------------------


def _paths_of(effect: Effect) -> set[tuple[str, bool]]:
    """Return the paths and patterns that an effect is on, each with whether it reaches below."""
    from interlock.model.glob import WHOLE, plain  # no built-in rule names a path

    below = not WHOLE.isdisjoint(effect.traits)
    real = effect.place.real if effect.place is not None else ""
    paths = {
        (effect.target, below),
        (real or effect.target, below),
        *[(one, False) for one in effect.only],
    }
    return paths | {(plain(path), deep) for path, deep in paths if "[" in path}


def _under(
    folders: Node, paths: Iterable[tuple[str, bool]], roots: tuple[str, ...]
) -> Iterator[int]:
    """Yield the places of the rules whose patterns some paths or patterns could meet."""
    tops = [folders]
    own = folders.get(key(WORKSPACE))
    if own is not None:
        tops += [_place_in_root(root, own) for root in roots]
        if not roots or not all(map(is_literal, roots)):
            yield from _below(own)
    for path, deep in paths:
        for top in tops:
            yield from _walk_path(top, names_of(path), below=deep)


def _place_in_root(root: str, node: Node) -> Node:
    """Return the folders that lie in a root, where they lie."""
    for name in reversed(names_of(root.rstrip("/\\"))):
        node = {name: node}
    return node


def _walk_path(top: Node, names: list[str], *, below: bool) -> Iterator[int]:
    """Yield the places of the rules along a path, and where it reaches below those there."""
    here = [top]
    for name in names:
        for node in here:
            yield from node.get(None, ())
        if name == "**":
            below = True
            break
        here = [child for node in here for child in _children(node, name)]
    for node in here:
        yield from _below(node) if below else node.get(None, ())


def _children(node: Node, name: str) -> list[Node]:
    if is_literal(name):
        return [node[name]] if name in node else []
    from interlock.model.glob import name_fits

    pattern = name.replace("?", "*")  # a character may be two in small letters
    return [child for one, child in node.items() if one is not None and name_fits(pattern, one)]


def _below(node: Node) -> Iterator[int]:
    for name, child in node.items():
        if name is None:
            yield from child
        else:
            yield from _below(child)
