"""Lines put into a person's own policy file, and the policy that would come of it: what `interlock
suggest` proposes, judged before it is written.
"""

from __future__ import annotations

import re
import time

from interlock.cli import build
from interlock.cli.policies import load_policy
from interlock.cli.profile import BEGUN, KEYS, ProfileError, with_words
from interlock.integrations import install
from interlock.integrations.changes import Change
from interlock.policy.builtin import builtin
from interlock.policy.files import PolicyLocations, is_own_home
from interlock.policy.load import compile_file, together
from interlock.policy.merge import MergedPolicy
from interlock.policy.problem import PolicyError, PolicyProblems
from interlock.policy.schema import LAYERS, USER
from interlock.policy.source import PolicySource


def with_lines(text: str, key: str, lines: tuple[str, ...], path: str = "policy") -> str:
    """Return a policy's text with items more in one of its lists, or with a word at a key; every
    other byte as it was. Raises ``ProfileError``.
    """
    if key in KEYS:
        return with_words(text, {key: lines[0].partition(": ")[2]}, path)
    if not text.strip("\ufeff \t\r\n"):
        text = BEGUN
    found = re.search(
        rf"^{key}[ \t]*:([^\n]*)\n(?:[ \t]*(?:#[^\n]*)?\n)*([ \t]*)(?=- )", text, re.MULTILINE
    )
    if found is not None and not found[1].partition("#")[0].strip():
        at = text.index("\n", found.start()) + 1
        return text[:at] + "".join(f"{found[2]}{line}\n" for line in lines) + text[at:]
    if re.search(rf"^[\"']?{key}\b", text, re.MULTILINE):
        raise ProfileError(
            f"{path}: expected `{key}:` with a list below it, which could be added to; write the"
            " lines there yourself"
        )
    return (
        text
        + ("" if text.endswith("\n") else "\n")
        + f"{key}:\n"
        + "".join(f"  {line}\n" for line in lines)
    )


def add_lines(where: PolicyLocations, key: str, lines: tuple[str, ...]) -> Change:
    """Return the change that adds lines to the person's own policy; raises ``ProfileError`` and
    ``SettingsError``.
    """
    if not where.user_file:
        raise ProfileError("HOME is not set, so there is no place for a policy of yours")
    before = install.content(where.user_file)
    return Change(where.user_file, before, with_lines(before, key, lines, where.user_file))


def candidate(where: PolicyLocations, key: str, lines: tuple[str, ...]) -> MergedPolicy | None:
    """Return the policy that would hold with lines added; None where they would be wrong, refused
    by a floor or a higher layer, or change nothing.
    """
    now = load_policy(where)
    known = {rule.id: rule for rule in (*builtin().rules, *now.policy.rules)}
    mine = is_own_home(where.home, where.owner)
    try:
        change = add_lines(where, key, lines)
        source = PolicySource(
            USER,
            change.path,
            where.home,
            known,
            build.reader(where.home),
            PolicyProblems(change.path),
            loosens=mine,
        )
        layers, _ = compile_file(change.after.encode(), change.path, source)
    except (PolicyError, ProfileError):
        return None
    rank = LAYERS.index(USER)
    others = [layer for layer in now.layers if layer.path != change.path]
    above = [layer for layer in others if layer.name in LAYERS and LAYERS.index(layer.name) < rank]
    below = [layer for layer in others if layer not in above]
    merged = together((*above, *layers, *below), time.strftime("%Y-%m-%d", time.gmtime()))
    unsaid = [
        note.partition(": ")[2]
        for note in merged.notes
        if note.partition(": ")[2] not in {old.partition(": ")[2] for old in now.merged.notes}
    ]
    return (
        None
        if unsaid or merged.policy.replace(hash="") == now.merged.policy.replace(hash="")
        else merged
    )
