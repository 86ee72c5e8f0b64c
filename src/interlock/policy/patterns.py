"""Paths as people write them in a policy, to patterns as rules match them."""

from __future__ import annotations

WORKSPACE, HOME = "${WORKSPACE}", "${HOME}"
NOWHERE = "\0"
"""A pattern that no path fits: what hangs on a home that nobody knows."""
TOO_WIDE = frozenset({"/", "/**", "**", "**/*", "*", "/*"})


def pattern(text: str, home: str) -> str:
    """Return a pattern from the root: ``~`` and ``${HOME}`` are the home, what begins nowhere lies
    in the workspace, a bare name lies anywhere.
    """
    text = text.replace("\\", "/")
    for start in (HOME, "~"):
        if text == start or text.startswith(start + "/"):
            return home.rstrip("/") + text[len(start) :] if home else NOWHERE
    if text.startswith((WORKSPACE, "/", "**/")) or text == "**" or text[1:2] == ":":
        return text
    text = text.removeprefix("./")
    if "/" not in text.rstrip("/") and ("*" in text or "?" in text):
        return f"**/{text}"
    return f"{WORKSPACE}/{text}"


def below(text: str, home: str) -> str:
    """Return the pattern of a path and everything below it: ``dir``, ``dir/``, ``dir/*`` and
    ``dir/**`` mean the same.
    """
    found = pattern(text, home)
    for end in ("/**", "/*", "/"):
        found = found.removesuffix(end)
    return f"{found}/**"


def too_wide(text: str, home: str) -> bool:
    """Whether a pattern stands for nearly everything: no exception may be that wide."""
    found = pattern(text, home)
    wide = {home.rstrip("/") + end for end in ("", "/", "/*", "/**")} if home else set()
    return found in TOO_WIDE or found in wide or (home + "/").startswith(found.rstrip("/*") + "/")
