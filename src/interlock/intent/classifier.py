"""A classifier of an embedder's own, a language model for one, beside the table of cues. It may
narrow or add, and never takes a limit back.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.intent.names import INTENTS
from interlock.intent.request import PromptIntent


def apply_classifier(
    classifier: Callable[[str, tuple[str, ...]], object], words: str, request: PromptIntent
) -> PromptIntent:
    """Return the request as the classifier has it; raises ``TypeError`` or ``ValueError`` for an
    answer that means nothing.

    It is given the words and the intents of the table, and returns intents, or None to abstain.
    Some of the table's intents alone narrow it; others are added to it. Limits stay as the table
    reads them.
    """
    said = classifier(words, request.names)
    if said is None:
        return request
    if not isinstance(said, (tuple, list, set, frozenset)):
        raise TypeError("it answered with something else than names of intents")
    unknown = [str(name)[:40] for name in said if name not in INTENTS]
    if unknown:
        raise ValueError(f"it named {unknown[0]!r}, which is no intent")
    narrower = bool(said) and set(said) <= set(request.names)
    names = (
        tuple(said)
        if narrower
        else (*request.names, *[name for name in said if name not in request.names])
    )
    follows = "" if request.follows == "remark" and names else request.follows
    return request.replace(
        names=tuple(dict.fromkeys(names)), follows=follows, unsure=request.unsure and not said
    )
