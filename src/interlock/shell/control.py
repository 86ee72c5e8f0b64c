"""Compound commands, followed: which branches and rounds run, and in which state (bash manual
3.2.5).

Where it is known whether a condition holds, the state goes on from the branch that is taken; the
other one is read all the same, once, since a person would want to know of it. Where it is not
known, every branch may have been taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from interlock.shell.api import ShellWalk
from interlock.shell.execution import ENDING, LEAVING
from interlock.shell.expand import fields, single
from interlock.shell.numbers import calculate
from interlock.shell.state import ShellState
from interlock.shell.tree import (
    AndOr,
    Arithmetic,
    Command,
    CommandList,
    Compound,
    Literal,
    Quoted,
    Simple,
    Word,
)
from interlock.shell.truth import evaluate_test
from interlock.shell.value import HOLE, LOOP, MAX_CHOICES, NOTHING, UNREAD, Flow, Value, join_flows

Goes = Callable[[list[Flow]], bool | None]
"""Whether a loop goes on; what the condition prints is added to the flows."""
Step = Callable[[], object]

MAX_ITEMS = 64
"""Items of a ``for`` that are followed one by one."""
MAX_ROUNDS = 512
"""Rounds of a loop that only computes; of one that does something to the world ``MAX_DOING``."""
MAX_DOING = 8


CALLED_BY_THE_SHELL = frozenset(
    (
        "command_not_found_handle command_not_found_handler precmd preexec chpwd TRAPEXIT"
        " TRAPDEBUG TRAPZERR"
    ).split()
)
"""Functions that bash and zsh call by themselves (bash manual 3.7.2, zshmisc(1))."""


def follow(node: Compound, walker: ShellWalk) -> Flow:
    """Follow a compound command; return what it prints."""
    keyword = node.keyword
    if keyword == "{":
        return walker.sequence(node.bodies[0])
    if keyword in ("(", "coproc"):
        return _subshell(node, walker)
    if keyword == "function":
        walker.state.define(node, maybe=walker.at.maybe > 0)
        if node.name in CALLED_BY_THE_SHELL:
            for body in node.bodies:
                pass_by(body, walker)
        return NOTHING
    if keyword in ("for", "select"):
        return _for(node, walker)
    if keyword == "case":
        return _case(node, walker)
    if keyword == "if":
        return _if(node, walker)
    if keyword == "for((":
        return _counting(node, walker)
    if keyword in ("while", "until"):
        if _endless(node, walker):
            walker.visitor.exhausts(keyword, walker, node.start, node.end)
        ends = not _never_ends(node)
        return _loop(
            walker,
            node.bodies[1],
            lambda flows: _condition(node, walker, flows),
            lambda: None,
            ends=ends,
        )
    if keyword == "((":
        number = _reckon(node.words[0].parts, walker)
        walker.status = None if number is None else number != 0
        return NOTHING
    values = [single(word, walker) for word in node.words]
    walker.status = evaluate_test(values, walker, double=True) if walker.plain(node) else None
    return NOTHING


def _subshell(node: Compound, walker: ShellWalk) -> Flow:
    """``( .. )``, and ``coproc``: a subshell that reads what the script may write to it later."""
    stdin = UNREAD if node.keyword == "coproc" else walker.at.stdin
    with walker.within(walker.state.subshell(), stdin=stdin):
        return walker.ending(join_flows([walker.sequence(body) for body in node.bodies]))


# -- branches --------------------------------------------------------------------------------------


def _if(node: Compound, walker: ShellWalk) -> Flow:
    """Conditions in order, each branch from the state its condition leaves; then what is common."""
    bodies = list(node.bodies)
    last = bodies.pop() if node.has_else else None
    ends: list[ShellState] = []
    flows: list[Flow] = []
    sure = True
    for number in range(0, len(bodies), 2):
        flows.append(walker.sequence(bodies[number]))
        holds = walker.status
        if holds is False:
            pass_by(bodies[number + 1], walker)
            continue
        if holds:
            for body in [*bodies[number + 2 :], *([last] if last is not None else [])]:
                pass_by(body, walker)
            last = bodies[number + 1]
            break
        sure = False
        flows.append(_branch(bodies[number + 1], walker, ends))
    if sure:
        walker.status = None
        return join_flows([*flows, walker.sequence(last)] if last is not None else flows)
    if last is not None:
        flows.append(_branch(last, walker, ends))
    else:
        ends.append(walker.state)
    _meet(walker, ends)
    walker.status = None
    return _merge_flows(flows)


def pass_by(body: Command, walker: ShellWalk) -> Flow:
    """Read what is not run, once, without what it would leave."""
    if id(body) not in walker.passed_by:
        walker.passed_by.add(id(body))
        _branch(body, walker, [])
    return NOTHING


def _branch(body: Command, walker: ShellWalk, ends: list[ShellState]) -> Flow:
    outer = walker.state
    with walker.within(outer.copy(), maybe=walker.at.maybe + 1):
        flow = walker.command(body)
        if not leaves(body):
            ends.append(walker.state)
        elif not leaves(body, ENDING):
            outer.hear(walker.state)
        return flow


def _meet(walker: ShellWalk, ends: list[ShellState]) -> None:
    if ends:
        walker.state.merge([end.copy() for end in ends])


def _case(node: Compound, walker: ShellWalk) -> Flow:
    single(node.words[0], walker)
    ends: list[ShellState] = [walker.state]
    for patterns in node.patterns:
        for word in patterns:
            single(word, walker)
    flows = [_branch(body, walker, ends) for body in node.bodies]
    _meet(walker, ends)
    walker.status = None
    return _merge_flows(flows)


# -- loops -----------------------------------------------------------------------------------------


def _for(node: Compound, walker: ShellWalk) -> Flow:
    items = walker.state.arguments
    if node.explicit_in:
        items = [value for word in node.words for value in fields(word, walker)]
    if items is None:
        items = [Value(HOLE, why="argument")]
    elif len(items) > MAX_ITEMS:
        items = [*items[:MAX_ITEMS], Value(HOLE, node.start, node.end, LOOP)]
    before = walker.state.copy()
    outer, walker.left_early = walker.left_early, False
    flows = []
    for item in items:
        walker.state.assign(node.name, item)
        flows.append(walker.sequence(node.bodies[0]))
        if walker.left.full:
            break
    if walker.left_early or not items or any(item.hollow or item.pattern for item in items):
        _meet(walker, [before, walker.state.copy()])
    walker.left_early = walker.left_early or outer
    walker.status = None
    return join_flows([flow for flow in flows if flow is not NOTHING])


def _condition(node: Compound, walker: ShellWalk, flows: list[Flow]) -> bool | None:
    """Whether ``while`` or ``until`` goes on; None where nobody knows or only its body ends it."""
    flows.append(walker.sequence(node.bodies[0]))
    holds = None if _only_word(node.bodies[0]) is not None else walker.status
    return holds if holds is None or node.keyword == "while" else not holds


def _endless(node: Compound, walker: ShellWalk) -> bool:
    """Whether rounds follow each other without end, and none waits for anything: all that a round
    does goes on in the background.
    """
    condition, body = node.bodies
    if {*body.operators} != {"&"} or len(condition.commands) > 1:
        return False
    walker.sequence(condition)  # nothing that runs in the background changes what it asks
    return walker.status is (node.keyword == "while")


def _never_ends(node: Compound) -> bool:
    """Whether the condition is a word that always holds, or for ``until`` one that never does, or
    says only that a text is one: ``while [ 1 ]``.
    """
    words = _literal_words(node.bodies[0])
    if node.keyword == "until":
        return words == ["false"]
    told = words[1:2] if words[:1] in (["["], ["test"], ["[["]) and len(words) <= _TOLD else []
    return words in ([":"], ["true"]) or bool(told and told[0])


_TOLD = len(("[", "1", "]"))


def _literal_words(condition: CommandList) -> list[str]:
    """Return the words of a condition that is one command of known words; none of another."""
    command = condition.commands[0]
    if len(condition.commands) > 1 or not isinstance(command, Simple):
        return []
    texts = [
        "".join([part.text for part in word.parts if isinstance(part, Literal)])
        for word in command.words
        if isinstance(word, Word) and all(isinstance(part, Literal) for part in word.parts)
    ]
    return texts if len(texts) == len(command.words) else []


def _only_word(condition: CommandList) -> Word | None:
    """Return the word of a condition that is one word, as ``true`` is."""
    command = condition.commands[0]
    if len(condition.commands) > 1 or not isinstance(command, Simple) or len(command.words) != 1:
        return None
    return command.words[0] if isinstance(command.words[0], Word) else None


def _counting(node: Compound, walker: ShellWalk) -> Flow:
    """``for ((first; goes on; step))``; with no such, until its body ends it."""
    first, test, step = _expressions(node.words[0])
    _reckon(first, walker)
    blank = all(isinstance(part, Quoted) and not part.text.strip() for part in test)
    if blank and {*node.bodies[0].operators} == {"&"}:
        walker.visitor.exhausts("for", walker, node.start, node.end)

    def goes_on(flows: list[Flow]) -> bool | None:
        del flows
        number = _reckon(test, walker) if not blank else None
        return None if number is None else number != 0

    return _loop(walker, node.bodies[0], goes_on, lambda: _reckon(step, walker), ends=not blank)


def _loop(walker: ShellWalk, body: CommandList, goes_on: Goes, step: Step, *, ends: bool) -> Flow:
    """Follow a loop round by round as long as it is known to go on; else the body once more, in a
    state that may be any round's. ``ends``: whether something but its body may end it.
    """
    flows: list[Flow] = []
    outer, walker.left_early = walker.left_early, False
    begun = walker.visitor.done()
    holds = goes_on(flows)
    for number in range(MAX_ROUNDS):
        if not holds:
            break
        flows.append(walker.sequence(body))
        if (
            not walker.left.round()
            or walker.left_early
            or walker.left.full
            or (number >= MAX_DOING and walker.visitor.done() > begun)
        ):
            holds = None
            break
        step()
        holds = goes_on(flows)
    if holds is not False:
        flows.append(_any_round(walker, body, goes_on, step))
    if not ends and not walker.left_early:
        walker.visitor.never_ends(walker)
    walker.left_early = walker.left_early or outer
    walker.status = None
    return join_flows(flows) if holds is False else _merge_flows(flows)


def _any_round(walker: ShellWalk, body: CommandList, goes_on: Goes, step: Step) -> Flow:
    """Follow the body in the state it is entered in, and again if that changes what is known."""
    flows: list[Flow] = []
    for _ in range(2):
        before = walker.state.copy()
        ends: list[ShellState] = []
        flows.append(_branch(body, walker, ends))
        _meet(walker, [walker.state, *ends])
        if not any(_unlike(before, end) for end in ends) or walker.left.full:
            break
        step()
        goes_on(flows)
    return _merge_flows(flows)


def _unlike(before: ShellState, after: ShellState) -> bool:
    """Whether a round changed a variable that was known before it, or the folder."""
    if before.cwd != after.cwd:
        return True
    for name, value in before.variables.items():
        other = after.variables.get(name)
        if (
            other is not value
            and (other is None or other.text != value.text)
            and value.text != HOLE
        ):
            return True
    return False


def _expressions(word: Word) -> list[list[object]]:
    """Return the parts of the three expressions of ``for ((;;))``."""
    part = word.parts[0]
    out: list[list[object]] = [[]]
    for piece in part.parts if isinstance(part, Arithmetic) else ():
        texts = piece.text.split(";") if isinstance(piece, Quoted) else None
        if texts is None:
            out[-1].append(piece)
            continue
        out[-1].append(Quoted(piece.start, piece.end, texts[0]))
        out.extend([[Quoted(piece.start, piece.end, text)] for text in texts[1:]])
    return [*out, [], []][:3]


def _reckon(parts: Sequence[object], walker: ShellWalk) -> int | None:
    """Return the value of an arithmetic expression, expansions and all."""
    if len(parts) == 1 and isinstance(parts[0], Arithmetic):
        parts = parts[0].parts
    text = single(Word(0, 0, parts), walker).text  # type: ignore[arg-type]
    return calculate(text, walker)


# -- what branches have in common ------------------------------------------------------------------


def _merge_flows(flows: list[Flow]) -> Flow:
    """What branches print: known only where nothing is printed at all."""
    flows = [flow for flow in flows if flow is not NOTHING and flow.text != ""]
    if not flows:
        return NOTHING
    return (
        flows[0]
        if len(flows) == 1
        else Flow(None, frozenset().union(*[flow.labels for flow in flows]))
    )


def leaves(node: Command, by: frozenset[str] = LEAVING) -> bool:
    """Whether the last thing a branch does is to leave it (``exit``, ``return``...)."""
    while not isinstance(node, Simple):
        if isinstance(node, (CommandList, AndOr)):
            inner: Sequence[Command] = node.commands
        elif isinstance(node, Compound) and node.keyword == "{":
            inner = node.bodies
        else:
            return False
        if not inner:
            return False
        node = inner[-1]
    words = list(node.words)
    parts: Sequence[object] = getattr(words[0], "parts", ()) if words else ()
    return len(parts) == 1 and getattr(parts[0], "text", "") in by


def merge_right(command: Command, right: ShellState, walker: ShellWalk) -> bool:
    """Take in the state that the right side of ``||`` ends in; whether that side leaves, so that
    who goes on is on the left.
    """
    if not leaves(command):
        walker.state.merge([walker.state.copy(), right])
        return False
    if not leaves(command, ENDING):
        walker.state.hear(right)
    return True


def looks_up(flow: Flow) -> bool:
    """Whether this is what ``which`` or ``command -v`` prints: nothing, if there is none."""
    return "lookup" in flow.labels and (flow.text is not None or bool(flow.choices))


def one_of(first: Flow, second: Flow) -> Flow:
    """What ``which a || which b`` prints."""
    flow = Flow(None, first.labels | second.labels)
    texts = first.choices or ((first.text or "").rstrip("\n"),)
    flow.choices = (*texts, *(second.choices or ((second.text or "").rstrip("\n"),)))[:MAX_CHOICES]
    return flow
