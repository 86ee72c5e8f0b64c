"""Which model is asked: what the environment says, what is guessed without it, and one sentence for
what is missing.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.agent import models
from interlock.agent.models import PROVIDERS, ModelChoice, ModelError, choose_model
from interlock.cli.main import main
from interlock.model.policy import SPOKEN
from interlock.policy.installation import install_command

if TYPE_CHECKING:
    from pathlib import Path

LOCAL = "http://127.0.0.1:11434/v1"
CHOSEN: dict[str, tuple[dict[str, str], ModelChoice]] = {
    "all of it": (
        {
            "INTERLOCK_PROVIDER": "openai-chat",
            "INTERLOCK_MODEL": "m",
            "INTERLOCK_BASE_URL": "https://x.test/v1",
            "INTERLOCK_API_KEY": "k",
        },
        ModelChoice("openai-chat", "m", "https://x.test/v1", "k"),
    ),
    "Anthropic's key": (
        {"ANTHROPIC_API_KEY": "k"},
        ModelChoice("anthropic", PROVIDERS["anthropic"].model, "", "k"),
    ),
    "OpenAI's key": (
        {"OPENAI_API_KEY": "k"},
        ModelChoice("openai-responses", PROVIDERS["openai-responses"].model, "", "k"),
    ),
    "Google's key": (
        {"GOOGLE_API_KEY": "k"},
        ModelChoice("gemini", PROVIDERS["gemini"].model, "", "k"),
    ),
    "the model's name before a key": (
        {"INTERLOCK_MODEL": "gemini-9", "GEMINI_API_KEY": "g", "ANTHROPIC_API_KEY": "a"},
        ModelChoice("gemini", "gemini-9", "", "g"),
    ),
    "a model on this machine": (
        {"INTERLOCK_BASE_URL": LOCAL, "INTERLOCK_MODEL": "qwen3"},
        ModelChoice("openai-chat", "qwen3", LOCAL, "none"),
    ),
    "a model of another maker's name on this machine": (
        {"INTERLOCK_BASE_URL": LOCAL, "INTERLOCK_MODEL": "gpt-oss:20b"},
        ModelChoice("openai-chat", "gpt-oss:20b", LOCAL, "none"),
    ),
    "a gateway for one maker": (
        {
            "INTERLOCK_BASE_URL": "https://gate.test",
            "INTERLOCK_MODEL": "claude-x",
            "INTERLOCK_API_KEY": "k",
        },
        ModelChoice("anthropic", "claude-x", "https://gate.test", "k"),
    ),
    "the maker's own variable for the address": (
        {
            "ANTHROPIC_API_KEY": "k",
            "ANTHROPIC_BASE_URL": "https://gate.test",
            "INTERLOCK_MODEL": "claude-x",
        },
        ModelChoice("anthropic", "claude-x", "https://gate.test", "k"),
    ),
}
MISSING: dict[str, tuple[dict[str, str], str]] = {
    "nothing": (
        {},
        "set one of ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY; or INTERLOCK_BASE_URL",
    ),
    "no such provider": (
        {"INTERLOCK_PROVIDER": "openai"},
        "expected one of anthropic, gemini, openai-chat, openai-responses",
    ),
    "no key": (
        {"INTERLOCK_PROVIDER": "gemini"},
        "there is no key for gemini: set GEMINI_API_KEY, or INTERLOCK_API_KEY",
    ),
    "no key for another host, whoever else's is there": (
        {
            "INTERLOCK_BASE_URL": "https://x.test/v1",
            "INTERLOCK_MODEL": "m",
            "OPENAI_API_KEY": "not for them",
        },
        "there is no key for x.test: set INTERLOCK_API_KEY",
    ),
    "no model": (
        {"INTERLOCK_BASE_URL": LOCAL},
        "INTERLOCK_MODEL is not set: name a model that 127.0.0.1 serves",
    ),
    "no address": (
        {"INTERLOCK_BASE_URL": "localhost:1", "INTERLOCK_MODEL": "m"},
        "expected the beginning of an address",
    ),
}


@pytest.mark.parametrize(("environment", "expected"), CHOSEN.values(), ids=CHOSEN)
def test_what_is_chosen(environment: dict[str, str], expected: ModelChoice) -> None:
    """Provider, model, address and key follow from the variables."""
    assert choose_model(environment) == expected


@pytest.mark.parametrize(("environment", "said"), MISSING.values(), ids=MISSING)
def test_what_is_missing(environment: dict[str, str], said: str) -> None:
    """One sentence says what to set; a key of one maker is never sent to another host."""
    with pytest.raises(ModelError, match=re.escape(said)) as error:
        choose_model(environment)
    assert "\n" not in str(error.value)


def test_the_words_are_those_of_the_validator() -> None:
    """A provider has the same name wherever one is named."""
    assert set(PROVIDERS) == set(SPOKEN)


def test_without_the_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says what to install, in one sentence, with exit code 2."""
    monkeypatch.setattr("os.environ", {"HOME": str(tmp_path), "ANTHROPIC_API_KEY": "k"})
    monkeypatch.chdir(tmp_path)
    for name in [
        name
        for name in sys.modules
        if name.partition(".")[0] == "pydantic_ai" or name == "interlock.agent.loop"
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    assert main(["agent", "-p", "x"]) == 2
    error = capsys.readouterr().err
    assert (
        error
        == f"interlock agent: the agent needs packages that are not installed; install them with: {install_command('agent')}\n"
    )
    with pytest.raises(ModelError, match="install them with"):
        models.model(ModelChoice("gemini", "m", "", "k"))


def test_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A conversation without a terminal is refused with the way to do without."""
    monkeypatch.setattr("os.environ", {"HOME": str(tmp_path), "ANTHROPIC_API_KEY": "k"})
    assert main(["agent"]) == 2
    assert "interlock agent -p TASK" in capsys.readouterr().err


def test_a_judge_that_means_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong value of ``INTERLOCK_GUARD_LLM`` is said, and nothing begins."""
    monkeypatch.setattr(
        "os.environ",
        {"HOME": str(tmp_path), "ANTHROPIC_API_KEY": "k", "INTERLOCK_GUARD_LLM": "maybe"},
    )
    monkeypatch.chdir(tmp_path)
    assert main(["agent", "-p", "x"]) == 2
    assert (
        capsys.readouterr().err
        == "interlock agent: INTERLOCK_GUARD_LLM is 'maybe': expected true, agent or false\n"
    )
