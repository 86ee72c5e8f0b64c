"""``interlock policy test``: the cases of files, and the examples of the policy's own rules, run
like tests.

Exit codes: 0 all pass; 1 some fail; 2 a file is wrong, or there is nothing to run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator

from interlock.cli import build, reports
from interlock.cli.colors import Painter, complain, visible
from interlock.cli.explain import example_text
from interlock.cli.policy_cases import WRONG, content, here, judge_case, policy_of
from interlock.cli.reports import CaseResult
from interlock.engine.decide import decide
from interlock.integrations.writing import name_errors
from interlock.model.policy import Policy
from interlock.model.rule import Rule
from interlock.policy.builtin import builtin
from interlock.policy.cases import Case, answer_name, cases, unmet
from interlock.policy.files import PolicyLocations
from interlock.policy.merge import MergedPolicy
from interlock.policy.problem import PolicyError, PolicyProblem

TESTS = "tests"
"""The folder of cases beside a policy file."""
ROW = 100


def run(options: argparse.Namespace) -> int:
    """Run the cases and tell what came of them."""
    where = here()
    try:
        merged = policy_of(options.policy)
        found = _cases(
            options.files or _beside(where),
            {rule.id for rule in merged.policy.rules} | {rule.id for rule in builtin().rules},
        )
    except PolicyError as error:
        complain(f"{error}\n")
        return WRONG
    own = tuple(rule for rule in merged.policy.rules if _is_own(rule))
    results = [*_judge_cases(found, merged.policy, where.home), *_examples(own, merged, where.home)]
    if not results:
        complain(
            "interlock policy test: there is nothing to run: name files of cases, or put them into"
            " .interlock/tests/*.yaml\n"
        )
        return WRONG
    count = coverage(own, results)
    try:
        _write(options, results)
    except OSError as problem:
        complain(
            f"interlock policy test: {problem.filename} cannot be written: {problem.strerror}\n"
        )
        return WRONG
    if options.json:
        print(json.dumps(_plain(results, count), indent=2))
    else:
        for line in lines(results, count, Painter(sys.stdout)):
            print(line)
    return 1 if any(result.failures for result in results) else 0


def _write(options: argparse.Namespace, results: list[CaseResult]) -> None:
    for path, text in ((options.junit, reports.junit), (options.sarif, reports.sarif_of_cases)):
        if path:
            with name_errors(path), open(path, "w", encoding="utf-8") as file:
                file.write(text(results))


def _beside(where: PolicyLocations) -> list[str]:
    """Return the files of cases that lie beside the user's and the project's policy."""
    folders = [
        f"{os.path.dirname(path)}/{TESTS}" for path in (where.user_file, where.project_file) if path
    ]
    return [
        f"{folder}/{name}"
        for folder in folders
        if os.path.isdir(folder)
        for name in sorted(os.listdir(folder))
        if name.endswith(".yaml")
    ]


def _cases(paths: Iterable[str], known: set[str]) -> list[Case]:
    """Return the cases of all files; raises ``PolicyError`` with the errors of all of them."""
    found: list[Case] = []
    problems: list[PolicyProblem] = []
    for path in paths:
        try:
            found += cases(content(path), path, known)
        except PolicyError as error:
            problems += error.problems
    if problems:
        raise PolicyError(problems)
    return found


def _is_own(rule: Rule) -> bool:
    """Tell whether a policy file made the rule what it is: wrote, tuned or excepted from it."""
    was = _BUILT_IN.get(rule.id)
    return was is None or was != rule


_BUILT_IN = {rule.id: rule for rule in builtin().rules}


def _judge_cases(found: Iterable[Case], policy: Policy, home: str) -> Iterator[CaseResult]:
    for case in found:
        _, decision = judge_case(case, policy, home)
        spoke = tuple(dict.fromkeys([finding.rule for finding in decision.findings]))
        yield CaseResult(
            case, case.path, answer_name(decision), spoke, tuple(unmet(case, decision))
        )


def _examples(own: Iterable[Rule], merged: MergedPolicy, home: str) -> Iterator[CaseResult]:
    """Yield what came of the examples of the policy's own rules, each rule alone."""
    reader = build.reader(home)
    at = {origin.what: origin.at.rpartition(":") for origin in merged.origins}
    for rule in own:
        if rule.id in _BUILT_IN:
            continue
        path, _, line = at.get(rule.id, ("", "", ""))
        for label, wanted in (("catches", True), ("passes", False)):
            for of in getattr(rule, label):
                call, reading = reader(of)
                decision = decide(call, reading, Policy((rule,), bound=True), "example")
                spoke = bool(decision.findings)
                failures = (
                    ()
                    if spoke == wanted
                    else (f"{rule.id} {'does not catch it' if wanted else 'catches it'}",)
                )
                case = Case(
                    f"{rule.id} {label}: {example_text(of)}",
                    example_text(of),
                    path,
                    int(line or 1),
                    1,
                )
                yield CaseResult(
                    case,
                    f"{path or rule.id} (examples)",
                    answer_name(decision),
                    (rule.id,) if spoke else (),
                    failures,
                )


def coverage(own: Iterable[Rule], results: Iterable[CaseResult]) -> dict[str, int]:
    """Return how many cases each rule that a policy file made what it is spoke in."""
    count = dict.fromkeys([rule.id for rule in own], 0)
    for result in results:
        for rule in set(result.spoke) & set(count):
            count[rule] += 1
    return count


def lines(results: list[CaseResult], count: dict[str, int], paint: Painter) -> Iterator[str]:
    """Yield the result for people: a mark for each case, failures, rules nothing caught."""
    for suite in dict.fromkeys([result.suite for result in results]):
        marks = ["F" if result.failures else "." for result in results if result.suite == suite]
        for start in range(0, len(marks), ROW):
            shown = "".join(marks[start : start + ROW])
            yield f"{visible(suite)} {paint(shown, 'red' if 'F' in shown else 'green')}"
    failed = [result for result in results if result.failures]
    for result in failed:
        case = result.case
        yield ""
        yield (
            f"{paint('FAILED', 'red', 'bold')} {visible(case.path)}:{case.line}:{case.column}:"
            f" {visible(case.name)}"
        )
        yield f"    {visible(case.text)}"
        yield from [f"    {visible(text)}" for text in result.failures]
    never = [rule for rule, times in count.items() if not times]
    yield ""
    if count:
        yield (
            f"{len(count) - len(never)} of {len(count)} rules that the policy wrote or changed"
            " spoke in some case"
        )
    for rule in never:
        yield f"  {paint('never', 'amber')} {rule}"
    summary = f"{len(results) - len(failed)} passed" + (f", {len(failed)} failed" if failed else "")
    yield paint(summary, "red" if failed else "green", "bold")


def _plain(results: list[CaseResult], count: dict[str, int]) -> dict[str, object]:
    told = [
        {"name": one.case.name, "at": f"{one.case.path}:{one.case.line}:{one.case.column}",
            "answer": one.answer, "rules": [*one.spoke],
         "failures": [*one.failures]}
        for one in results
    ]  # fmt: skip
    return {"failed": sum(1 for one in results if one.failures), "cases": told, "coverage": count}
