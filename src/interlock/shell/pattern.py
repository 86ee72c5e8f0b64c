"""Shell patterns (``*``, ``?``, ``[..]``) against known text, in bounded work. POSIX 2.13."""

from __future__ import annotations

_LIMIT = 4096


def matches(pattern: str, text: str) -> bool:
    """Tell whether the whole text matches. Iterative, so that no pattern is exponential; over 4,096
    characters nothing matches.
    """
    if len(pattern) > _LIMIT or len(text) > _LIMIT:
        return False
    at = spot = 0
    star = star_spot = -1
    while spot < len(text):
        step = _step(pattern, at, text[spot])
        if step:
            at += step
            spot += 1
        elif at < len(pattern) and pattern[at] == "*":
            star, star_spot = at, spot
            at += 1
        elif star >= 0:
            star_spot += 1
            at, spot = star + 1, star_spot
        else:
            return False
    return all(char == "*" for char in pattern[at:])


def _step(pattern: str, at: int, char: str) -> int:
    """Return how many characters of the pattern at ``at`` match one character, or 0."""
    if at >= len(pattern) or pattern[at] == "*":
        return 0
    mark = pattern[at]
    if mark == "?":
        return 1
    if mark == "[":
        end = pattern.find("]", at + 2)
        if end > 0:
            return end - at + 1 if _in_set(pattern[at + 1 : end], char) else 0
    if mark == "\\" and at + 1 < len(pattern):
        return 2 if pattern[at + 1] == char else 0
    return 1 if mark == char else 0


def _in_set(members: str, char: str) -> bool:
    negated = members[:1] in ("!", "^")
    if negated:
        members = members[1:]
    found, at = False, 0
    while at < len(members):
        if at + 2 < len(members) and members[at + 1] == "-":
            found |= members[at] <= char <= members[at + 2]
            at += 3
        else:
            found |= members[at] == char
            at += 1
    return found != negated


_WORK = 40_000
"""How many characters may be compared by one operation; past it the result is unknown."""


def strip(text: str, pattern: str, *, front: bool, longest: bool) -> str | None:
    """Return the text without what the pattern matches at its front (``${x#p}``) or end
    (``${x%p}``); None where that is too much work.
    """
    if not any(mark in pattern for mark in "*?[\\"):
        return text.removeprefix(pattern) if front else text.removesuffix(pattern)
    if len(text) * (len(text) + len(pattern)) > _WORK:
        return None
    cuts = range(len(text) + 1) if front != longest else range(len(text), -1, -1)
    for cut in cuts:
        if front and matches(pattern, text[:cut]):
            return text[cut:]
        if not front and matches(pattern, text[cut:]):
            return text[:cut]
    return text


def replace_anchored(text: str, pattern: str, instead: str, *, front: bool) -> str | None:
    """Return the text with the longest match at its front (``${x/#p/i}``) or end (``${x/%p/i}``)
    replaced; None where that is too much work.
    """
    rest = strip(text, pattern, front=front, longest=True)
    if rest is None or (rest == text and not matches(pattern, "")):
        return rest
    return instead + rest if front else rest + instead


def substitute(text: str, pattern: str, instead: str, *, every: bool) -> str | None:
    """Return the text with one or all matches replaced (``${x/p/i}``); None if too much work."""
    if not any(mark in pattern for mark in "*?[\\"):
        return text.replace(pattern, instead, -1 if every else 1) if pattern else text
    if len(text) ** 2 * (1 + len(pattern)) > _WORK:
        return None
    out, at = [], 0
    while at < len(text):
        end = next((end for end in range(len(text), at, -1) if matches(pattern, text[at:end])), at)
        if end == at:
            out.append(text[at])
            at += 1
            continue
        out.append(instead)
        at = end
        if not every:
            break
    return "".join(out) + text[at:]
