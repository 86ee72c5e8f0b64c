"""Python source to its tree. Old print statements and the magic lines of notebooks are read too."""

from __future__ import annotations

import _ast

MAX_SOURCE = 262_144


def parse(text: str) -> _ast.Module | None:
    """Return the tree of a program, or None where it is no Python that we can read."""
    if len(text) > MAX_SOURCE or "\0" in text:
        return None
    return _tree(text) or _tree(_dedent(text)) or _tree(modern(text))


def _tree(text: str) -> _ast.Module | None:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = compile(text, "<program>", "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if isinstance(tree, _ast.Module) else None


def _dedent(text: str) -> str:
    lines = text.split("\n")
    margin = min([len(line) - len(line.lstrip()) for line in lines if line.strip()], default=0)
    return "\n".join([line[margin:] for line in lines])


def magic(text: str) -> list[str]:
    """Return a cell's shell commands: ``!command`` lines, and the rest of a ``%%bash`` cell."""
    lines = text.split("\n")
    first = next((line.strip() for line in lines if line.strip()), "")
    if first.startswith(("%%bash", "%%sh", "%%script bash", "%%script sh", "%%!")):
        return ["\n".join(lines[lines.index(next(line for line in lines if line.strip())) + 1 :])]
    marks = [(line.strip(), line.strip().partition("=")[2].strip()) for line in lines]
    found = [
        line.lstrip("!") if line.startswith("!") else after[1:]
        for line, after in marks
        if line.startswith("!") or (after.startswith("!") and not after.startswith("!="))
    ]
    return found + [
        line[1:]
        for line, _ in marks
        if line.startswith(("%pip ", "%conda ", "%sx ", "%rm ", "%mv ", "%cp "))
    ]


def modern(text: str) -> str:
    """Return source of Python 2, or of a notebook, in the words of Python 3, line by line."""
    if text.lstrip().startswith("%%"):
        return ""
    return "\n".join([_modern_line(line) for line in text.split("\n")])


def _modern_line(line: str) -> str:
    body = line.lstrip()
    margin = line[: len(line) - len(body)]
    if body[:1] in ("!", "%"):
        return margin + "pass"
    for word, call in (("print ", "print"), ("exec ", "exec")):
        if body.startswith(word) and body[len(word) :].lstrip()[:1] not in ("(", "="):
            rest = body[len(word) :]
            if rest.startswith(">>"):
                rest = rest.partition(",")[2]
            return f"{margin}{call}({rest.rstrip().rstrip(',')})"
    if body.startswith("except ") and "," in body and " as " not in body:
        kind, _, name = body.partition(",")
        return f"{margin}{kind} as {name.strip()}" if "(" not in kind else line
    head, equals, after = line.partition("=")
    if equals and after.strip().startswith("!"):
        return f"{head}= None"
    return _old_numbers(line)


def _old_numbers(line: str) -> str:
    """``0755`` was octal; ``raise E, "text"`` and backquotes stay unread."""
    words = line.split("0")
    out = words[0]
    for at, word in enumerate(words[1:]):
        before = words[at]
        fresh = not before or not (before[-1].isalnum() or before[-1] in "._\"'")
        out += ("0o" if fresh and len(word) > 1 and word[:2].isdigit() else "0") + word
    return out
