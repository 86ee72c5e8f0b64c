"""What stands in a session after one more prompt of the person.

A new request takes the place of the one before it, which counts as half still under way: a call
that fits only that one is a misfit of the next lower action. ``Now push it`` adds to what stands.
``Yes`` and ``go on`` lose nothing of it, and leave it unsure: the person may have agreed to
something that only the model said. What is not to be done stays so until the person asks for it
themself.
"""

from __future__ import annotations

from interlock.intent.names import LOOKING, NOT_UNDERSTOOD
from interlock.intent.request import PromptIntent, SessionIntent

MOST_STANDING = 40
"""Limits that stand at once; of more the newest."""


def after(stood: SessionIntent, request: PromptIntent) -> SessionIntent:
    """Return what stands after a prompt."""
    if request.follows == "chat":
        return stood
    if request.follows in ("agree", "remark") or (request.follows == "more" and not request.names):
        limits = [
            limit
            for limit in _drop_lifted(stood.limits, request.lifts)
            if limit != "no write" or request.follows == "remark"
        ]
        return stood.replace(unsure=True, limits=_join_limits(limits, request.limits))
    if request.follows == "more":
        names = (*stood.names, *[name for name in request.names if name not in stood.names])
        kept = _widen_only(_drop_lifted(stood.limits, request.lifts), request.lifts)
        return SessionIntent(
            names,
            stood.before,
            stood.unsure or request.unsure,
            _join_limits(kept, request.limits),
            stood.was,
        )
    works = not request.names or not set(request.names) <= set(LOOKING)
    standing = _drop_lifted(stood.limits, request.lifts)
    past = [limit for limit in standing if works and not limit.startswith("no ")]
    kept = [limit for limit in standing if limit not in past]
    before = stood.names or ((NOT_UNDERSTOOD,) if stood.unsure else stood.before)
    return SessionIntent(
        request.names,
        before,
        request.unsure or not request.names,
        _join_limits(kept, request.limits),
        tuple(past),
    )


def _drop_lifted(limits: tuple[str, ...], lifts: tuple[str, ...]) -> list[str]:
    """Return the limits that a prompt leaves standing."""
    if "*" in lifts:
        return []
    return [
        limit
        for limit in limits
        if limit.startswith("only ") or limit.partition(" ")[2] not in lifts
    ]


def _widen_only(limits: list[str], lifts: tuple[str, ...]) -> list[str]:
    """Return the limits with ``only`` reaching to the paths that the person names themself."""
    if not any(limit.startswith("only ") for limit in limits):
        return limits
    acts = {limit.partition(" ")[2] for limit in limits if limit.startswith("no ")}
    return limits + [f"only {path}" for path in lifts if _is_target(path) and path not in acts]


def _is_target(path: str) -> bool:
    from interlock.intent.bounds import LIFTED_BY

    return path != "*" and path not in LIFTED_BY


def _join_limits(limits: list[str], more: tuple[str, ...]) -> tuple[str, ...]:
    """Return limits and those of a prompt; a new ``only`` takes the place of the old one."""
    if any(limit.startswith("only ") for limit in more):
        limits = [limit for limit in limits if not limit.startswith("only ")]
    return tuple(dict.fromkeys([*limits, *more]))[-MOST_STANDING:]
