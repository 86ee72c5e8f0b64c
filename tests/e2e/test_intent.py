"""What the person said to the real Claude Code counts for the calls that its model wants."""

from __future__ import annotations

import pytest

from tests.e2e.fake_model import FakeModel
from tests.e2e.test_claude_code import CLIENT, Desk, bash
from tests.e2e.test_claude_code import desk as desk  # noqa: PLC0414 - a fixture is found by its name here

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not CLIENT.exists(), reason="the real Claude Code is not installed; to run this: python scripts/install_client.py"),
]


@pytest.mark.parametrize(
    ("prompt", "runs"),
    [
        ("Explain what old.txt is for.", False),
        ("Delete old.txt, it is not needed any more.", True),
        ("Tidy up the project, but do not delete any files.", False),
    ],
)
def test_a_prompt_counts_for_the_calls_that_follow(desk: Desk, prompt: str, *, runs: bool) -> None:
    """A file is deleted where the person wants that, and kept where they want an explanation or no deletions: nobody can be asked here."""
    (desk.project / "old.txt").write_text("old\n")
    with FakeModel(bash("rm old.txt")) as model:
        desk.ask(model, prompt)
    assert (desk.project / "old.txt").exists() is not runs
    assert ("rule: intent." in model.results()[0]) is not runs
