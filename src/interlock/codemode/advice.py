"""What would let a refused operation be done, as words that can be typed as they stand."""

from __future__ import annotations

import os

from interlock.codemode.commands import expand_names
from interlock.codemode.operations import is_loopback
from interlock.codemode.permissions import PRIVATE, REACH, RUN
from interlock.model.decision import Finding
from interlock.model.glob import name_fits

NAME = "NAME"
HERE = (
    "If the program itself waits there, ask the user to let it: --allow-loopback; else to allow"
    " that very host: --allow-host {}."
)


def advice(finding: Finding, typed: str = "") -> str:
    """Return the safer way that a finding names; where that is an option, with its value.
    ``typed``: the name by which a program was called, which may lead elsewhere when more is seen.
    """
    effect = finding.effect
    if effect is None or finding.rule not in (RUN.id, REACH.id, PRIVATE.id):
        return finding.instead
    if finding.rule != RUN.id and is_loopback(effect.target):
        return HERE.format(effect.target)
    called = os.path.basename(typed)
    leads = called and any(name_fits(one, effect.target) for one in expand_names((called,)))
    return finding.instead.replace(NAME, _quote_word(called if leads else effect.target))


def _quote_word(word: str) -> str:
    plain = word.replace("/", "").replace(".", "").replace("-", "").replace("_", "")
    return word if plain.isalnum() else "'" + word.replace("'", "'\\''") + "'"
