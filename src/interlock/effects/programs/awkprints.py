"""What a plain awk program prints: a list of ``print`` and ``printf`` with known words, for each
known line (POSIX awk).
"""

from __future__ import annotations

Token = tuple[str, str]
"""A kind and a text."""
MAX_LINES = 200
_ENDS = frozenset({";", "\n"})


def program_output(
    tokens: list[Token], known: dict[str, str], lines: list[str] | None, separator: str
) -> str | None:
    """Return what is printed; None if the program does more, or reads unknown lines."""
    before, each, after = _blocks(tokens)
    if before is None or ((each or after) and (lines is None or len(lines) > MAX_LINES)):
        return None
    out: list[str] = []
    for block, line in [
        (before, ""),
        *[(each, line) for line in (lines or []) if each],
        (after, ""),
    ]:
        for statement in block:
            text = _statement_output(statement, known, line, separator)
            if text is None:
                return None
            out.append(text)
    return "".join(out)


def _blocks(
    tokens: list[Token],
) -> tuple[list[list[Token]] | None, list[list[Token]], list[list[Token]]]:
    """Return the statements of ``BEGIN {..}``, ``{..}`` and ``END {..}``; None first where there is
    anything beside them.
    """
    found: dict[str, list[list[Token]]] = {"BEGIN": [], "": [], "END": []}
    at = 0
    while at < len(tokens):
        name = tokens[at][1] if tokens[at] in (("name", "BEGIN"), ("name", "END")) else ""
        at += bool(name)
        if tokens[at : at + 1] == [("op", "\n")] or tokens[at : at + 1] == [("op", ";")]:
            at += 1
            continue
        if tokens[at : at + 1] != [("op", "{")] or ("op", "}") not in tokens[at:]:
            return None, [], []
        end = tokens.index(("op", "}"), at)
        found[name] += _statements(tokens[at + 1 : end])
        at = end + 1
    if any(
        statement[0] not in (("name", "print"), ("name", "printf"))
        for statements in found.values()
        for statement in statements
    ):
        return None, [], []
    return found["BEGIN"], found[""], found["END"]


def _statements(tokens: list[Token]) -> list[list[Token]]:
    out: list[list[Token]] = [[]]
    for token in tokens:
        if token[0] == "op" and token[1] in _ENDS:
            out.append([])
        else:
            out[-1].append(token)
    return [statement for statement in out if statement]


def _statement_output(
    statement: list[Token], known: dict[str, str], line: str, separator: str
) -> str | None:
    """Return what one statement prints."""
    values = [""]
    fields = line.split(separator) if separator else line.split()
    rest = statement[1:]
    at = 0
    while at < len(rest):
        kind, word = rest[at]
        if kind in ("text", "number"):
            values[-1] += word
        elif kind == "name" and word in known:
            values[-1] += known[word]
        elif (
            (kind, word) == ("op", "$")
            and at + 1 < len(rest)
            and (rest[at + 1][0] == "number" or rest[at + 1] == ("name", "NF"))
        ):
            number = (
                len(fields)
                if rest[at + 1][1] == "NF"
                else int(rest[at + 1][1])
                if rest[at + 1][1].isdigit()
                else 0
            )
            values[-1] += line if number == 0 else (fields[number - 1 : number] or [""])[0]
            at += 1
        elif (kind, word) == ("op", ","):
            values.append("")
        elif (kind, word) not in (("op", "("), ("op", ")")):
            return None
        at += 1
    if statement[0][1] == "print":
        return (" ".join(values) if rest else line) + "\n"
    text = values[0]
    for value in values[1:]:
        head, mark, tail = text.partition("%s")
        text = head + value + tail if mark else text
    return text if "%" not in text.replace("%%", "") else None
