"""``policy test``, ``policy diff``, and findings as files for other programs, as people run
them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree.ElementTree import fromstring

import pytest

from tests.judging import decided
from tests.judging import shell as call_of
from tests.policy.test_commands import Shell

if TYPE_CHECKING:
    from pathlib import Path

POLICY = "version: 1\nfiles: {block: keys}\nhosts: {block: evil.test}\n"
GOOD = """\
cases:
  - {call: cat keys/a, expect: deny, rules: files.blocked, not_rules: hosts.blocked}
  - {call: {tool: Read, file_path: src/a}, expect: allow}
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Make a home and a project with a policy and cases beside it."""
    found = Shell(tmp_path)
    found.own.write_text(POLICY, encoding="utf-8")
    (found.own.parent / "tests").mkdir()
    (found.own.parent / "tests/a.yaml").write_text(GOOD, encoding="utf-8")
    return found


def test_cases_are_run_like_tests(shell: Shell) -> None:
    """Those beside the policy are found, passed and failed are told with what decided, and rules
    that nothing caught are named.
    """
    code, said = shell.run("policy", "test")
    assert code == 0, said
    assert "2 passed" in said
    assert "1 of 2 rules that the policy wrote or changed spoke" in said
    assert "never hosts.blocked" in said
    file = shell.project / "more.yaml"
    file.write_text(
        GOOD + "  - {call: cat <keys/b, expect: allow, name: reads a key}\n", encoding="utf-8"
    )
    code, said = shell.run("policy", "test", "more.yaml")
    assert code == 1
    assert "FAILED more.yaml:4:5: reads a key" in said
    assert "expected allow, got deny: files.blocked (deny)" in said


@pytest.mark.parametrize(
    ("case", "passes"),
    [
        ("{call: rm -rf src, prompt: explain what this code does, expect: ask}", True),
        ("{call: git status, prompt: [explain what this code does], expect: allow}", True),
        ("{call: echo x > a.txt, cwd: sub, expect: allow}", True),
        ("{call: echo x > a.txt, cwd: /etc, expect: allow}", False),
        ("{call: cat a, workspace: /srv/w, cwd: /srv/w/keys, expect: deny}", True),
        (
            "{call: 'Remove-Item -Recurse -Force C:\\\\', shell: powershell, platform: windows, expect: deny}",
            True,
        ),
        ("{call: ls, rules: files.blocked}", False),
        ("{call: cat keys/a, not_rules: files.blocked}", False),
        ("{call: ls, expect: warn}", False),
    ],
)
def test_a_case_says_all_that_a_call_has(shell: Shell, case: str, passes: bool) -> None:
    """Folder, workspace, platform, shell, prompts; and which rules must and must not speak."""
    (shell.project / "one.yaml").write_text(f"cases:\n  - {case}\n", encoding="utf-8")
    code, said = shell.run("policy", "test", "one.yaml")
    assert code == (0 if passes else 1), said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "cases:\n  - {call: ls, expects: deny}\n",
            "one.yaml:2:16: there is no key 'expects' in a case; did you mean 'expect'?",
        ),
        (
            "cases:\n  - {call: ls, rules: files.blockd}\n",
            "one.yaml:2:23: there is no rule files.blockd; did you mean 'files.blocked'?",
        ),
        ("cases:\n  - {call: ls}\n", "one.yaml:2:5:"),
        (
            "cases:\n  - {call: ls, rules: git.push, not_rules: git.push}\n",
            "cannot both speak and not speak",
        ),
        ("- ls\n", "one.yaml:1:1: a file of cases is a table with the key `cases`"),
        ("", "one.yaml:1:1:"),
    ],
)
def test_a_wrong_file_of_cases_is_told_by_its_place(shell: Shell, text: str, said: str) -> None:
    """It runs nothing and passes nothing."""
    (shell.project / "one.yaml").write_text(text, encoding="utf-8")
    code, told = shell.run("policy", "test", "one.yaml")
    assert (code, said in told) == (2, True), told


def test_nothing_to_run_is_no_success(shell: Shell) -> None:
    """Neither no cases, nor a file that is not there, nor a policy that is broken passes."""
    (shell.own.parent / "tests/a.yaml").unlink()
    assert shell.run("policy", "test")[0] == 2
    assert shell.run("policy", "test", "none.yaml")[0] == 2
    shell.own.write_text("version: 1\nrulez: 1\n", encoding="utf-8")
    (shell.own.parent / "tests/a.yaml").write_text(
        "cases: [{call: ls, expect: allow}]\n", encoding="utf-8"
    )
    assert shell.run("policy", "test")[0] == 2
    assert shell.run("policy", "test", "--policy", "default")[0] == 0


def test_what_came_of_cases_is_written_for_machines(shell: Shell) -> None:
    """JUnit's counts and SARIF's places are those of the cases; a text that XML cannot hold breaks
    nothing.
    """
    (shell.project / "one.yaml").write_text(
        GOOD + '  - {call: "echo <\\u0007", expect: deny}\n', encoding="utf-8"
    )
    assert (
        shell.run("policy", "test", "one.yaml", "--junit", "out.xml", "--sarif", "out.sarif")[0]
        == 1
    )
    suite = fromstring((shell.project / "out.xml").read_text(encoding="utf-8"))[0]  # noqa: S314 - our own
    assert (suite.get("tests"), suite.get("failures"), len(suite.findall("testcase/failure"))) == (
        "3",
        "1",
        1,
    )
    log = json.loads((shell.project / "out.sarif").read_text(encoding="utf-8"))
    is_sarif(log)
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == (
        "one.yaml",
        {"startLine": 4, "startColumn": 5},
    )


def test_check_tells_findings_as_sarif(shell: Shell) -> None:
    """Each finding names its rule, what it is about, and where in the text; a call without findings
    has none.
    """
    code, said = shell.run("check", "--sarif", "--", "ls && rm -rf /")
    assert code == 11
    log = json.loads(said)
    is_sarif(log)
    run = log["runs"][0]
    found = next(one for one in run["results"] if one["level"] == "error")
    place = found["locations"][0]["physicalLocation"]
    text = run["artifacts"][place["artifactLocation"]["index"]]["contents"]["text"]
    start = place["region"]["charOffset"]
    assert text[start : start + place["region"]["charLength"]] == "/"
    code, said = shell.run("check", "--sarif", "--", "ls")
    assert (code, json.loads(said)["runs"][0]["results"]) == (0, [])


def is_sarif(log: dict[str, object]) -> None:
    """Hold a log against what SARIF 2.1.0 demands: section 3 of the standard, its required
    properties, levels and indices.
    """
    assert log["version"] == "2.1.0"
    assert str(log["$schema"]).endswith("sarif-schema-2.1.0.json")
    assert isinstance(log["runs"], list)
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        assert isinstance(driver["name"], str)
        ids = [rule["id"] for rule in driver["rules"]]
        assert len(ids) == len(set(ids))
        for result in run["results"]:
            assert isinstance(result["message"]["text"], str)
            assert result["message"]["text"]
            assert result["level"] in ("none", "note", "warning", "error")
            assert ids[result["ruleIndex"]] == result["ruleId"]
            for location in result.get("locations", ()):
                _is_place(location["physicalLocation"], run)


def _is_place(place: dict[str, dict[str, int]], run: dict[str, list[object]]) -> None:
    assert {"uri", "index"} & set(place["artifactLocation"])
    region = place["region"]
    assert "startLine" in region or {"charOffset", "charLength"} <= set(region)
    assert all(type(value) is int and value >= 0 for value in region.values())
    if "index" in place["artifactLocation"]:
        assert place["artifactLocation"]["index"] < len(run["artifacts"])


def test_diff_names_the_rules_and_the_cases_that_change(shell: Shell) -> None:
    """Counts and samples of what flips, each rule with the line that says so; of a policy and
    itself nothing.
    """
    strict = shell.project / "strict.yaml"
    strict.write_text(
        "version: 1\ntune: [{rule: git.push, action: deny}]\nfiles: {block: keys}\n",
        encoding="utf-8",
    )
    code, said = shell.run(
        "policy", "diff", "default", "strict.yaml", "--cases", ".interlock/tests/a.yaml"
    )
    assert code == 1
    assert (
        f"rule git.push: action warn -> deny  {strict}:2" in said or f"-> deny  {strict}:2" in said
    )
    assert "rule files.blocked: - -> deny" in said
    assert "allow -> deny:" in said
    assert "cat keys/a  files.blocked" in said
    assert shell.run("policy", "diff", "strict.yaml", "strict.yaml")[0] == 0
    assert shell.run("policy", "diff", ".interlock/policy.yaml")[0] == 0
    told = json.loads(shell.run("policy", "diff", "default", "strict.yaml", "--json")[1])
    assert {one["new"] for one in told["flips"]} == {"deny"}
    assert {one["rule"] for one in told["rules"]} == {"git.push", "files.blocked"}


def test_diff_of_what_is_no_policy_says_so(shell: Shell) -> None:
    """Neither too few names nor a broken file is taken for the same."""
    assert shell.run("policy", "diff")[0] == 2
    assert shell.run("policy", "diff", "default", "none.yaml")[0] == 2


@pytest.mark.parametrize(
    ("wide", "narrow", "shadowed"),
    [
        ("{effect: deletes}", "{effect: deletes, traits: recursive}", True),
        (
            "{effect: [deletes, writes], path: a/**}",
            "{effect: writes, path: a/**, location: temp}",
            True,
        ),
        ("{effect: deletes, traits: recursive}", "{effect: deletes}", False),
        ("{effect: deletes, path: a/**}", "{effect: deletes, path: b/**}", False),
        ("{effect: deletes}", "{effect: writes}", False),
    ],
)
def test_check_names_a_rule_that_another_shadows(
    shell: Shell, wide: str, narrow: str, *, shadowed: bool
) -> None:
    """A rule that an earlier, wider and as strict one speaks for already is named; one that says
    more is not.
    """
    rule = "  - {{id: a.{}, title: t, action: {}, match: {}}}\n"
    shell.own.write_text(
        "version: 1\nrules:\n" + rule.format("b", "deny", wide) + rule.format("c", "ask", narrow),
        encoding="utf-8",
    )
    code, said = shell.run("policy", "check")
    assert (code, "a.c says nothing that a.b does not say already" in said) == (0, shadowed), said
    shell.own.write_text(
        shell.own.read_text(encoding="utf-8").replace("deny", "warn"), encoding="utf-8"
    )
    assert "a.c says nothing" not in shell.run("policy", "check")[1]


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("interlock policy diff default strict", "allow"),
        ("interlock policy replay --since 7d", "allow"),
        ("interlock policy test --junit out.xml", "allow"),
        ("interlock policy test --junit ~/.bashrc", "ask"),
        ("interlock policy test --sarif=/srv/x", "ask"),
        ("interlock policy test --junit ~/.config/interlock/policy.yaml", "deny"),
        ("interlock policy session a.yaml", "deny"),
    ],
)
def test_what_agents_may_do_with_the_tools(command: str, verdict: str) -> None:
    """They look and test; where a report is written is a write like any other; what changes the
    policy is a person's.
    """
    assert str(decided(call_of(command)).verdict) == verdict
