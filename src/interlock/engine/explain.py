"""A decision as steps for a person: each effect, each rule that matched it, what came of them."""

from __future__ import annotations

from interlock.model.decision import Decision, Finding
from interlock.model.effect import Effect, Place, Reading, Span
from interlock.model.record import Record

MAX_QUOTE = 200
_LOSES = frozenset({"deletes", "discards-work"})
PLACES = {
    "home": "in the home folder",
    "temp": "temporary",
    "elsewhere": "outside the workspace",
    "other-repository": "another repository",
    "unknown": "place not known",
    "root-of": "all of it",
    "workspace-root": "the whole workspace",
    "secret": "holds secrets",
    "project-secret": "holds secrets of the project",
    "sensitive-name": "named like a secret",
    "persistence": "starts by itself",
    "guard": "interlock's own",
    "vcs-internal": "git's own data",
    "instruction-file": "instructions of an agent",
    "access": "decides who may log in",
    "log": "a log",
    "notes": "notes of an agent",
}
"""Places and natures in a person's words; one that is missing is a plain word already."""
SHOWN = {
    "recursive": "with everything in it",
    "force": "by force",
    "force-with-lease": "by force, if nobody pushed since",
    "unread": "which interlock cannot read",
    "from-network": "downloaded",
    "network": "downloaded",
    "downloaded": "downloaded",
    "all": "all of them",
    "in-container": "in a container",
    "administrator": "as administrator",
    "production": "in production",
    "remote-command": "on another machine",
    "listed": "by name only",
    "if-cd-fails": "if the `cd` before it fails",
    "world-writable": "writable for everybody",
    "history": "with its history",
    "carries-secret": "with a secret",
    "holds-secret": "with a secret",
    "carries-environment": "with environment variables",
    "carries-workspace": "with files of the workspace",
    "carries-outside": "with files from outside the workspace",
    "made-here": "made in this session",
    "unknown-host": "to a host that is not known",
}
"""Traits that tell a person something, in their words; the others are for rules."""


VERBS = {
    "changes-mode": "changes the permissions of",
    "connects": "connects to",
    "sends": "sends to",
    "pushes": "pushes to",
    "discards-work": "discards work in",
    "rewrites-history": "rewrites the history of",
    "escalates-privilege": "gets another user's rights by",
    "controls-system": "controls the system:",
    "changes-database": "changes a database:",
    "changes-infrastructure": "changes infrastructure:",
    "controls-container": "controls the container",
    "persists": "makes something start by itself:",
    "tampers-with-guard": "changes the guard:",
    "erases-traces": "erases traces:",
    "exhausts": "uses up the machine:",
}
"""Kinds whose name makes no sentence with a target; the others do."""


class EffectStep(Record):
    """One effect in words, and the findings about it."""

    effect: Effect | None
    words: str
    findings: tuple[Finding, ...] = ()


class Quote(Record):
    """A piece of a call's text with the range ``[start, end)`` in it that is meant; ``inner`` is
    the nested text it stands for, or ``""``.
    """

    line: str
    start: int
    end: int
    inner: str = ""


def steps(reading: Reading, decision: Decision) -> tuple[EffectStep, ...]:
    """Return every effect with its findings, and the findings without an effect last."""
    found = [
        EffectStep(effect, describe(effect, loss=decision.radius is None), _about(effect, decision))
        for effect in reading.effects
    ]
    loose = tuple(finding for finding in decision.findings if finding.effect is None)
    return (*found, EffectStep(None, "the call as a whole", loose)) if loose else tuple(found)


def _about(effect: Effect, decision: Decision) -> tuple[Finding, ...]:
    return tuple(
        finding
        for finding in decision.findings
        if finding.effect is not None and _same(finding.effect, effect)
    )


def _same(one: Effect, other: Effect) -> bool:
    return one is other or (
        one.kind == other.kind
        and one.target == other.target
        and one.traits == other.traits
        and one.certain == other.certain
    )


def describe_loss(effect: Effect) -> str:
    """Return what is known to be lost (``2 files are in no commit``), or ``""``: the detail of a
    deletion or of work thrown away.
    """
    return effect.detail if effect.kind in _LOSES and effect.target else ""


def one_line(text: str) -> str:
    """Blank runs become one blank; what a terminal would obey, or what turns the direction of
    writing, is shown instead of sent.
    """
    flat = " ".join(text.split())
    return (
        flat
        if flat.isprintable()
        else "".join([char if char.isprintable() else ascii(char)[1:-1] for char in flat])
    )


def describe(effect: Effect, *, loss: bool = True, exact: bool = False) -> str:
    """Return an effect in a few words: ``deletes /etc (system), recursively``.

    ``loss``: with what is known to be lost, where no radius tells it; ``exact``: with the words by
    which rules know places and traits, instead of those for people.
    """
    kind, said = (
        effect.kind.replace("-", " "),
        effect.target or effect.detail or "something unknown",
    )
    if not exact:
        kind = VERBS.get(effect.kind, kind)
    # not "runs code code from network"
    words = [
        kind.removesuffix(" code") if said == effect.detail and said.startswith("code ") else kind,
        said,
    ]
    if effect.place is not None:
        words.append(f"({_place(effect.place, exact=exact)})")
    elif effect.host:
        words.append(f"({effect.host} host)")
    text = ", ".join([" ".join(words), *_traits(effect, exact=exact)])
    if loss and describe_loss(effect):
        text += f"; {describe_loss(effect)}"
    return text if effect.certain else "possibly " + text


def _place(place: Place, *, exact: bool) -> str:
    natures = sorted(place.natures - {place.location})
    names = [place.location, *natures, *([] if place.where == "here" else [place.where])]
    return ", ".join(names if exact else [PLACES.get(name, name) for name in names])


def _traits(effect: Effect, *, exact: bool) -> list[str]:
    found = sorted(effect.traits)
    if exact:
        return found
    said = dict.fromkeys([SHOWN[one] for one in found if one in SHOWN])
    if effect.detail.endswith("from network"):
        said.pop("downloaded", None)
    return list(said)


def quote(reading: Reading, span: Span | None) -> Quote | None:
    """Return the line of the call's own text in which a span stands; of a nested text the range it
    was taken from, and the inner words.
    """
    if span is None or not reading.texts or span.text >= len(reading.texts):
        return None
    inner = ""
    for _ in range(len(reading.texts)):
        text = reading.texts[span.text]
        if text.parent is None:
            return _line(text.text, span.start, span.end, inner)
        inner = inner or _line(text.text, span.start, span.end, "").line.strip()
        span = text.parent
    return None


def _line(text: str, start: int, end: int, inner: str) -> Quote:
    """Cut out the line where the range starts, at most 200 characters around it."""
    low = text.rfind("\n", 0, start) + 1
    high = text.find("\n", start)
    high = len(text) if high < 0 else high
    end = min(max(end, start + 1), high)
    cut = max(low, start - MAX_QUOTE // 2)
    stop = min(high, cut + MAX_QUOTE)
    before = "…" if cut > low else ""
    after = "…" if stop < high else ""
    shift = len(before) - cut
    return Quote(
        before + text[cut:stop] + after, start + shift, min(end, stop) + shift, inner[:MAX_QUOTE]
    )
