"""What rules of text may mean: a sample of a pattern, and the effect or command that is proposed in
its place.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.engine.automaton import matches_text
from interlock.model.action import ASK
from interlock.model.rule import Match, Rule
from interlock.policy.builtin import builtin
from interlock.policy.regex import compile_pattern
from interlock.policy.text_effects import propose_match, sample
from tests.policy.layering import answer, policy, reader
from tests.policy.test_regex import PATTERNS

TRAITS = {
    trait
    for rule in builtin().rules
    for trait in (*rule.match.has, *rule.match.any, *rule.match.lacks)
}


def meant(pattern: str, *tools: str) -> str:
    """Return what is proposed for a guard's pattern."""
    program, fold = compile_pattern(pattern)
    return propose_match(
        Rule(
            "plugin.x",
            "t",
            "",
            "",
            Match((), pattern=program, fold=fold, tools=frozenset(tools)),
            ASK,
        ),
        reader,
        TRAITS,
    )


@given(st.sampled_from([*PATTERNS, "(a|b)*c", "(a*)*b", "(x|y|z){3}", "[^a]+q", "\\s+$"]))
def test_a_sample_is_one_the_pattern_finds_or_none(pattern: str) -> None:
    """Whatever the pattern, there is an answer, and it is no guess."""
    program, fold = compile_pattern(pattern)
    text = sample(program, fold=fold)
    assert not text or matches_text(program, text, fold=fold)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("docker", "{commands: docker}"),
        ("rm\\s+-rf", "{effect: deletes, traits: [force, recursive]}"),
        ("git push.*--force", "{effect: pushes, traits: [force]}"),
        ("^git commit -m", "{commands: git commit -m}"),
        ("DROP TABLE", "{effect: changes-database, traits: [drop]}"),
        ("terraform destroy", "{effect: changes-infrastructure, traits: [delete]}"),
        ("npm publish", "{effect: publishes}"),
        # nothing that could be shown to hold
        ("secret", ""),
        ("\\bmain\\b", ""),
        ("", ""),
        ("x{300}", ""),
    ],
)
def test_the_effect_that_a_pattern_means_is_proposed(pattern: str, expected: str) -> None:
    """Of commands that are known; a word that is no program means no effect."""
    assert meant(pattern) == expected


def test_text_of_files_means_no_command() -> None:
    """A guard of writing tools looks at what is written."""
    assert meant("docker", "write", "edit") == ""
    assert meant("docker", "shell") == "{commands: docker}"


def test_what_is_proposed_is_a_match_that_loads_and_holds() -> None:
    """Put into a rule it speaks where the thing is done, in other words too, and not where the
    words are shown.
    """
    by_text = policy("rules: [{id: a.b, title: t, action: ask, match: {text: terraform destroy}}]")
    by_effect = policy(
        f"rules: [{{id: a.b, title: t, action: deny, match: {meant('terraform destroy')}}}]"
    )
    for command, text, effect in (
        ("echo 'terraform destroy'", "ask", "allow"),
        ("terraform -chdir=x destroy", "ask", "deny"),
        ("terraform plan", "allow", "allow"),
    ):
        assert (answer(command, by_text), answer(command, by_effect)) == (text, effect), command
