"""The judge of ``interlock agent``: named by the person's environment, unless a policy names one; a
hook's never is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from interlock.cli import build
from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.model.action import VERDICT_ALLOW, VERDICT_DENY
from interlock.model.call import SHELL, ToolCall
from interlock.model.policy import Reviewing
from interlock.policy.builtin import builtin
from interlock.policy.files import places
from interlock.validator.environment import NamedJudge, choose_judge
from tests.validator.endpoints import KEY, MODEL, Endpoint

if TYPE_CHECKING:
    from pathlib import Path

OWN = NamedJudge(Reviewing("openai-chat", MODEL, "https://models.example/v1"), "agents-key")


@pytest.mark.parametrize("word", ["", "false", "0", "off", " No "])
def test_nobody_is_named(word: str) -> None:
    """Without the variable, or where it says no, there is no judge, whatever the others say."""
    assert (
        choose_judge({"INTERLOCK_GUARD_LLM": word, "INTERLOCK_GUARD_LLM_MODEL": "m"}, OWN) is None
    )
    assert choose_judge({"INTERLOCK_GUARD_LLM_MODEL": "m"}, OWN) is None


def test_what_is_not_set_is_the_agents_own() -> None:
    """Model, endpoint, protocol and key are the agent's; each variable replaces one; `agent` makes
    it the guard agent.
    """
    assert choose_judge({"INTERLOCK_GUARD_LLM": "true"}, OWN) == NamedJudge(
        OWN.how.replace(seconds=60), "agents-key"
    )
    other = choose_judge(
        {
            "INTERLOCK_GUARD_LLM": "agent",
            "INTERLOCK_GUARD_LLM_MODEL": "m",
            "INTERLOCK_GUARD_LLM_API_KEY": "k",
        },
        OWN,
    )
    assert other == NamedJudge(
        Reviewing("openai-chat", "m", "https://models.example/v1", "", 60, agent=True), "k"
    )


def test_the_agents_key_goes_to_the_agents_endpoint_alone() -> None:
    """Another address gets the key that is named for it, or none."""
    there = {
        "INTERLOCK_GUARD_LLM": "1",
        "INTERLOCK_GUARD_LLM_BASE_URL": "http://127.0.0.1:11434/v1/",
    }
    assert choose_judge(there, OWN) == NamedJudge(
        Reviewing("openai-chat", MODEL, "http://127.0.0.1:11434/v1", "", 60), ""
    )
    filed = NamedJudge(OWN.how.replace(key_file="/home/user/key"))
    assert choose_judge(there, filed) == NamedJudge(
        Reviewing("openai-chat", MODEL, "http://127.0.0.1:11434/v1", "", 60), ""
    )
    assert choose_judge({"INTERLOCK_GUARD_LLM": "1"}, filed) == NamedJudge(
        filed.how.replace(seconds=60), ""
    )


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"INTERLOCK_GUARD_LLM": "perhaps"}, "expected true, agent or false"),
        (
            {
                "INTERLOCK_GUARD_LLM": "1",
                "INTERLOCK_GUARD_LLM_BASE_URL": "http://models.example/v1",
            },
            "https://HOST/PATH",
        ),
        (
            {
                "INTERLOCK_GUARD_LLM": "1",
                "INTERLOCK_GUARD_LLM_BASE_URL": "http://127.0.0.1@models.example/v1",
            },
            "https://HOST/PATH",
        ),
        (
            {"INTERLOCK_GUARD_LLM": "1", "INTERLOCK_GUARD_LLM_BASE_URL": "models.example"},
            "https://HOST/PATH",
        ),
    ],
)
def test_what_cannot_be_meant(variables: dict[str, str], told: str) -> None:
    """A variable that means nothing is an error in one sentence, and no silent default."""
    with pytest.raises(ValueError, match=told):
        choose_judge(variables, OWN)


def test_a_judge_without_a_model() -> None:
    """Where neither the agent nor the environment names a model, that is said."""
    with pytest.raises(ValueError, match="INTERLOCK_GUARD_LLM_MODEL"):
        choose_judge({"INTERLOCK_GUARD_LLM": "1"}, NamedJudge(Reviewing("openai-chat", "")))


def _guard(folder: Path, policy: Reviewing | None, said: dict[str, str], own: Reviewing) -> Guard:
    environment = {"HOME": str(folder), **said}
    guard = Guard(builtin("careful").replace(reviewing=policy), facts=Live(str(folder)))
    if policy is not None:
        guard.validator = build.validator(
            build.store(environment), guard.policy, guard.facts, lambda: places(environment)
        )
    guard.validator = build.agent_validator(environment, guard, own, KEY, str(folder))
    return guard


@pytest.mark.parametrize("word", ["true", "agent"])
def test_the_agents_guard_asks_it(word: str, tmp_path: Path) -> None:
    """What the environment names decides a review of the agent's own guard; without it nobody is
    asked, and a call that would ask is denied.
    """
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": "some-program"},
        cwd=str(tmp_path / "project"),
        roots=(str(tmp_path / "project"),),
    )
    with Endpoint() as endpoint:
        own = Reviewing("openai-chat", MODEL, endpoint.url)
        assert (
            _guard(tmp_path, None, {"INTERLOCK_GUARD_LLM": word}, own).check(call).verdict
            == VERDICT_ALLOW
        )
        assert len(endpoint.heard) == 1
        assert _guard(tmp_path, None, {}, own).check(call).verdict == VERDICT_DENY
        assert len(endpoint.heard) == 1


def test_a_policys_judge_stands_before_the_environments(tmp_path: Path) -> None:
    """Where people's policy names a judge, an endpoint of the environment that always says ALLOW is
    not asked.
    """
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": "some-program"},
        cwd=str(tmp_path / "project"),
        roots=(str(tmp_path / "project"),),
    )
    (tmp_path / "key").write_text(KEY, encoding="utf-8")
    (tmp_path / "key").chmod(0o600)
    with Endpoint(said="DENY: no") as theirs, Endpoint() as willing:
        held = Reviewing("openai-chat", MODEL, theirs.url, str(tmp_path / "key"))
        guard = _guard(
            tmp_path,
            held,
            {"INTERLOCK_GUARD_LLM": "1"},
            Reviewing("openai-chat", MODEL, willing.url),
        )
        assert guard.check(call).verdict == VERDICT_DENY
    assert (len(theirs.heard), len(willing.heard)) == (1, 0)
