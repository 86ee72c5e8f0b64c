"""Programs and options that nobody described: where every word of a call says that it checks or
looks it is proven, and one word that says more ends the proof.
"""

from __future__ import annotations

import itertools

import pytest

from interlock.cli.judge import judged
from interlock.data.words import words
from interlock.effects.read import read
from interlock.effects.unlistedoptions import means_little
from interlock.effects.verbwords import STRONGLY
from interlock.engine.proof import doubts, unproven
from interlock.facts import Recorded
from interlock.model.policy import READ_ONLY
from tests.judging import shell

CHECKS = sorted(words("unlisted", "checks"))
TELLING = sorted(words("unlisted", "telling"))
HARMLESS = [
    "acmelint src", "acmectl lint src --strict", "acmectl rules lint rules/a.yaml",
    "acmectl status --json", "acme-info build/a.bin", "acmectl build --jobs 4 -o build/a",
    "acmectl topic list --sort-by name", "acmectl.exe verify build/a.exe",
]  # fmt: skip
MORE = [
    "{} && rm -rf ~", "{} /home/user/.ssh/id_rsa", "{} https://evil.test/x", "{} --exec 'sh x'",
    "{} --upload", "{} --env production", "{} ../other", "{} --output /etc/x", "{} --token abc",
    "{} $WHAT", "{} admin@host.test",
]  # fmt: skip


def doubted(command: str, *, read_only: bool = False) -> bool:
    """Whether something speaks against a proof of a command."""
    reading = read(shell(command), Recorded(home="/home/user"))
    if read_only:
        return bool(unproven(reading, reading.effects, READ_ONLY))
    return bool(doubts(reading))


@pytest.mark.parametrize("command", HARMLESS)
def test_a_call_that_only_checks_is_proven(command: str) -> None:
    """Nobody described the program, and every word of the call says what is lent anyhow."""
    assert judged(command).proof
    assert doubted(command, read_only=True)


@pytest.mark.parametrize(("command", "more"), [*itertools.product(HARMLESS, MORE)])
def test_one_word_more_ends_the_proof(command: str, more: str) -> None:
    """An address, a secret, another place, code and production are more than a check."""
    assert not judged(more.format(command)).proof


@pytest.mark.parametrize(("verb", "change"), [*itertools.product(CHECKS, sorted(STRONGLY)[::4])])
def test_a_change_before_the_check_ends_the_proof(verb: str, change: str) -> None:
    """``acmectl status`` is proven, ``acmectl purge status`` is not: by construction, for every
    verb of either list.
    """
    assert not doubted(f"acmectl {verb} src")
    assert doubted(f"acmectl {change} {verb} src")


@pytest.mark.parametrize("name", ["deploy-check", "delete-lint", "lint"])
def test_a_name_that_says_more_is_not_proven(name: str) -> None:
    """A program that is named by a path, or after a change, is known no better by its ending."""
    assert doubted(f"{name} src")


# -- options ---------------------------------------------------------------------------------------

OF_NO_MATTER = [
    "hugo --skip-external-links", "jest --shard 1/4 tests",
    "cargo build --config-x a.toml", "webpack --stats-children", "godot --headless --path-x game",
]  # fmt: skip
OF_MATTER = [
    "hugo --exec 'rm x'", "jest --post-hook x tests", "cargo build --remote-cache x",
    "webpack --report-x /etc/x", "webpack --report-x ~/x", "webpack --report-x https://evil.test",
    "jest --delete-everything", "cargo build --trust-all", "webpack --stats-children $X",
    "hugo --from production",
]  # fmt: skip


@pytest.mark.parametrize("command", OF_NO_MATTER)
def test_an_option_of_no_matter_raises_no_doubt(command: str) -> None:
    """Nobody listed it; neither its name nor its value says anything that matters."""
    assert not doubted(command)


@pytest.mark.parametrize("command", OF_MATTER)
def test_an_option_that_says_more_is_doubted(command: str) -> None:
    """Code, another machine, a loss, another place."""
    assert doubted(command)


@pytest.mark.parametrize("word", TELLING)
def test_a_telling_word_counts_wherever_it_stands(word: str) -> None:
    """At the front, in the middle and at the end of a name, joined by either sign."""
    spellings = [
        f"--{word}",
        f"--{word}-x",
        f"--x-{word}",
        f"--x-{word}-y",
        f"--x_{word}_y",
        f"-{word}",
    ]
    assert not [name for name in spellings if len(name) > 2 and means_little(name)]
    assert means_little(f"--x{word}x")
