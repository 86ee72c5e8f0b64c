"""What trying a policy for the fleet takes of the world."""

from __future__ import annotations

from interlock.cli import build
from interlock.cli.policy_cases import judge_case
from interlock.cli.policy_replay import commands
from interlock.guard.intent_stage import misfits
from interlock.policy.examples import HOME
from interlock.service.trial_tools import TrialTools


def trial_tools() -> TrialTools:
    """Return it: the same for everybody who tries one."""
    return TrialTools(
        build.reader(HOME), lambda case, policy: judge_case(case, policy, HOME)[1], misfits,
        commands,
    )  # fmt: skip
