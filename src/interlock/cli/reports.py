"""What was found as files that other programs read: SARIF 2.1.0 (OASIS, 2020) and JUnit's XML."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, tostring

from interlock.cli.show import sentence
from interlock.engine.explain import describe
from interlock.model.action import DENY, WARN, Action
from interlock.model.decision import Decision, Finding
from interlock.model.effect import Reading
from interlock.model.record import Record
from interlock.model.release import RULES_VERSION
from interlock.model.rule import Rule
from interlock.policy.cases import Case

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FAILED = "policy-test.failed"


class CaseResult(Record):
    """What came of a case, or of a rule's own example. ``spoke``: the rules that spoke.
    ``failures``: what is not as expected; empty: passed.
    """

    case: Case
    suite: str
    answer: str
    spoke: tuple[str, ...]
    failures: tuple[str, ...] = ()


def _level(action: Action) -> str:
    return "error" if action >= DENY else "note" if action <= WARN else "warning"


def _log(
    rules: list[dict[str, object]], results: list[dict[str, object]], texts: Iterable[str] = ()
) -> str:
    driver = {
        "name": "interlock",
        "semanticVersion": "0.1.0",
        "properties": {"catalogue": RULES_VERSION},
        "rules": rules,
    }
    run: dict[str, object] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    artifacts = [{"contents": {"text": text}} for text in texts]
    run.update({"artifacts": artifacts} if artifacts else {})
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def sarif(reading: Reading, decision: Decision, known: Mapping[str, Rule]) -> str:
    """Return the findings about one call as SARIF; its texts are the artifacts they are in."""
    named = list(dict.fromkeys([finding.rule for finding in decision.findings]))
    results = [
        _result(finding, named.index(finding.rule), reading) for finding in decision.findings
    ]
    return _log(
        [_rule(name, known.get(name)) for name in named],
        results,
        [text.text for text in reading.texts],
    )


def _rule(name: str, rule: Rule | None) -> dict[str, object]:
    if rule is None:
        return {"id": name}
    found: dict[str, object] = {
        "id": name,
        "shortDescription": {"text": f"A call that {rule.title}."},
        "defaultConfiguration": {"level": _level(rule.action)},
        "properties": {"tags": sorted(rule.tags)},
    }
    found.update({"fullDescription": {"text": rule.why}} if rule.why else {})
    found.update({"help": {"text": rule.instead}} if rule.instead else {})
    return found


def _result(finding: Finding, index: int, reading: Reading) -> dict[str, object]:
    what = f" ({describe(finding.effect)})" if finding.effect is not None else ""
    found: dict[str, object] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _level(finding.effective),
        "message": {"text": f"{sentence(finding.message or 'was found by this rule')}{what}"},
        "properties": {"action": str(finding.effective), "stage": finding.stage},
    }
    span = finding.span
    if span is not None and span.text < len(reading.texts):
        region = {"charOffset": span.start, "charLength": max(0, span.end - span.start)}
        found["locations"] = [
            {"physicalLocation": {"artifactLocation": {"index": span.text}, "region": region}}
        ]
    return found


def sarif_of_cases(results: Iterable[CaseResult]) -> str:
    """Return the cases that failed as SARIF, each at its place in its file."""
    told: list[dict[str, object]] = []
    for one in results:
        for failure in one.failures:
            place = {
                "artifactLocation": {"uri": _uri(one.case.path)},
                "region": {"startLine": one.case.line, "startColumn": one.case.column},
            }
            message = {"text": f"{one.case.name}: {failure}"}
            told.append(
                {
                    "ruleId": FAILED,
                    "ruleIndex": 0,
                    "level": "error",
                    "message": message,
                    "locations": [{"physicalLocation": place}],
                }
            )
    return _log(
        [{"id": FAILED, "shortDescription": {"text": "A case of the policy's tests that fails."}}],
        told,
    )


def _uri(path: str) -> str:
    """Return a path as SARIF names files: from this folder where it lies below it."""
    below = os.path.relpath(path)
    return quote(below) if not below.startswith("..") else f"file://{quote(os.path.abspath(path))}"


def junit(results: Iterable[CaseResult]) -> str:
    """Return what came of cases as JUnit's XML: a suite for each file."""
    by_suite: dict[str, list[CaseResult]] = {}
    for one in results:
        by_suite.setdefault(one.suite, []).append(one)
    top = Element("testsuites", name="interlock policy test")
    for name, some in by_suite.items():
        failed = str(sum(1 for one in some if one.failures))
        suite = SubElement(
            top,
            "testsuite",
            name=_xml(name),
            tests=str(len(some)),
            failures=failed,
            errors="0",
            skipped="0",
        )
        for one in some:
            case = one.case
            found = SubElement(
                suite,
                "testcase",
                classname=_xml(name),
                name=_xml(case.name),
                file=_xml(case.path),
                line=str(case.line),
            )
            if one.failures:
                SubElement(found, "failure", message=_xml(one.failures[0])).text = _xml(
                    "\n".join([case.text, *one.failures])
                )
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(top, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Return a text without characters that XML cannot hold."""
    return "".join(
        [
            (
                char
                if char in "\t\n"
                or (char >= " " and not "\ud800" <= char <= "\udfff" and char not in "￾￿")
                else "�"
            )
            for char in text
        ]
    )
