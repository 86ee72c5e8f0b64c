"""Policies and cases as people name them on the command line, and a case judged as the guard would
judge it.
"""

from __future__ import annotations

import os
import time

from interlock.cli import build
from interlock.cli.policies import layer_of, load_policy, policy_source
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.guard.intent_stage import misfits
from interlock.integrations.claude_code import tool_of
from interlock.model.call import SHELL, TOOLS, ToolCall
from interlock.model.decision import Decision
from interlock.model.effect import Reading
from interlock.model.policy import Policy
from interlock.policy.cases import Case
from interlock.policy.compare import of_file, of_profile
from interlock.policy.examples import HOME
from interlock.policy.files import PolicyLocations, look, places
from interlock.policy.merge import MergedPolicy
from interlock.policy.problem import PolicyError, PolicyProblem
from interlock.policy.schema import PROFILES

WRONG = 2
"""The exit code where there was nothing to work with: a file that is wrong, or none."""


def here() -> PolicyLocations:
    """Return where policy may lie for this folder."""
    return places(os.environ, os.getcwd())


def policy_of(name: str | None) -> MergedPolicy:
    """Return a policy by name: None for what holds here, a profile, or a file, which is taken
    alone; raises ``PolicyError``.
    """
    where = here()
    if name is None:
        found = load_policy(where)
        if found.problems:
            raise PolicyError(found.problems)
        return found.merged.replace(policy=found.policy)
    if name in PROFILES and not os.path.exists(name):
        return of_profile(name)
    path = os.path.abspath(name)
    source = policy_source(layer_of(path, where), path, where)
    return of_file(content(path), source, time.strftime("%Y-%m-%d", time.gmtime()))


def content(path: str) -> bytes:
    """Return what is in a file that a person named; raises ``PolicyError``."""
    file = look(os.path.realpath(path), ())
    if file.data is None:
        raise PolicyError([PolicyProblem(path, 1, 1, file.problem or "there is no such file")])
    return file.data


def call_of(case: Case, home: str) -> ToolCall:
    """Return the call of a case, with what the person asked for."""
    root = case.workspace or f"{home or HOME}/project"
    cwd = (
        case.cwd
        if case.cwd.startswith("/") or case.cwd[1:2] == ":"
        else f"{root}/{case.cwd}".rstrip("/")
    )
    if isinstance(case.call, str):
        tool, name, given = SHELL, "Bash", {"command": case.call}
    else:
        given = dict(case.call)
        name = given.pop("tool")
        tool = name if name in TOOLS else tool_of(name)
    call = ToolCall(
        tool, name, given, cwd, (root,), case.platform, session="test", shell=case.shell
    )
    return _apply_prompts(call, case.prompts) if case.prompts else call


def _apply_prompts(call: ToolCall, prompts: tuple[str, ...]) -> ToolCall:
    from interlock.intent.classify import classify  # only prompts need the table of cues
    from interlock.intent.prompt_history import after
    from interlock.intent.request import SessionIntent

    stood = SessionIntent()
    for words in prompts:
        stood = after(stood, classify(words))
    return call.replace(intent=stood.intent, scope=stood.scope)


def judge_case(case: Case, policy: Policy, home: str) -> tuple[Reading, Decision]:
    """Read and judge the call of a case with facts that are the same everywhere."""
    call = call_of(case, home)
    reading = read(call, build.fixed_facts(home or HOME))
    return reading, decide(call, reading, policy, "case").with_findings(
        *misfits(call, reading, policy.intent)
    )
