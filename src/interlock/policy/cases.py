"""Cases: calls and what a policy says of them, read from a file as strictly as a policy is."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from interlock.model.decision import Decision
from interlock.model.record import Record
from interlock.policy.load import find_yaml
from interlock.policy.problem import PolicyError, PolicyProblems, suggest_name
from interlock.policy.reading import Section, read_cases


class Case(Record):
    """A call and what is expected. ``call``: a command, or pairs of ``tool`` and its input.
    ``path``, ``line``, ``column``: where it stands.
    """

    name: str
    call: str | tuple[tuple[str, str], ...]
    path: str
    line: int
    column: int
    cwd: str = ""
    workspace: str = ""
    platform: str = "linux"
    shell: str = ""
    prompts: tuple[str, ...] = ()
    expect: str = ""
    rules: tuple[str, ...] = ()
    not_rules: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The call in one line."""
        return (
            self.call
            if isinstance(self.call, str)
            else ", ".join([f"{key}={value!r}" for key, value in self.call])
        )


def cases(data: bytes, path: str, known: Collection[str] | None = None) -> tuple[Case, ...]:
    """Return the cases of a file; raises ``PolicyError`` with every error in it. ``known``: the ids
    of all rules, or None where any may be named.
    """
    find_yaml()
    section, problems = read_cases(data, path)
    found = [
        _case(one, path, number)
        for number, one in enumerate(section.get("cases", ()), 1)
        if one.get("call") is not None
    ]
    if known is not None:
        for one in section.get("cases", ()):
            _exist(one, known, problems)
    if problems.broken:
        raise PolicyError(problems.found)
    return tuple(found)


def _case(one: Section, path: str, number: int) -> Case:
    call = one.get("call")
    name = one.get("name") or (call if isinstance(call, str) else f"case {number}")
    return Case(
        name,
        call,
        path,
        one.node.line,
        one.node.column,
        one.get("cwd", ""),
        one.get("workspace", ""),
        one.get("platform", "linux"),
        one.get("shell", ""),
        one.get("prompt", ()),
        one.get("expect", ""),
        one.get("rules", ()),
        one.get("not_rules", ()),
    )


def _exist(one: Section, known: Collection[str], problems: PolicyProblems) -> None:
    for key in ("rules", "not_rules"):
        node = one.at(key)
        nodes = node.value if node.kind == "list" else (node,)
        for name, where in zip(one.get(key, ()), nodes, strict=False):
            if name not in known:
                problems.add(
                    where.line, where.column, f"there is no rule {name}{suggest_name(name, known)}"
                )
        twice = set(one.get("rules", ())) & set(one.get("not_rules", ()))
        if twice and key == "not_rules":
            problems.add(node.line, node.column, f"{min(twice)} cannot both speak and not speak")


def answer_name(decision: Decision) -> str:
    """Return the answer as cases name it: ``allow``, ``warn``, ``ask`` or ``deny``."""
    return "warn" if decision.warned and not decision.observed else str(decision.verdict)


def unmet(case: Case, decision: Decision) -> Iterator[str]:
    """Yield what a decision is not that the case expects."""
    spoke = {finding.rule: finding.action for finding in decision.findings}
    said = ", ".join([f"{rule} ({action})" for rule, action in spoke.items()]) or "no rule spoke"
    if case.expect and answer_name(decision) != case.expect:
        yield f"expected {case.expect}, got {answer_name(decision)}: {said}"
    for rule in case.rules:
        if rule not in spoke:
            yield f"expected {rule} to speak; {said}"
    for rule in case.not_rules:
        if rule in spoke:
            yield f"expected {rule} not to speak, and it says {spoke[rule]}"
