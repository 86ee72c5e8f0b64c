"""Programs that search files in folders, and what they then do to them."""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.labels import place_labels
from interlock.effects.run import Run
from interlock.model.effect import Deletes, Reads, Writes
from interlock.shell.value import Flow, Value

HERE = Value(".")


def _find(run: Run) -> Flow:
    """``find PATH.. TESTS ACTIONS``: ``-delete``, ``-exec``, ``-fprint`` act on what is found."""
    words = run.arguments
    at = 0
    roots: list[Value] = []
    while at < len(words) and (
        words[at].text[:1] not in ("-", "(", "!", ",", "\\") or words[at].text in ("-H", "-L", "-P")
    ):
        if words[at].text not in ("-H", "-L", "-P"):
            roots.append(words[at])
        at += 1
    roots = roots or [Value(".")]
    tests = words[at:]
    labels = frozenset().union(*[place_labels(run.path(Reads, value, "listed")) for value in roots])
    shown = _find_actions(run, tests, roots)
    flow = Flow(None, labels | shown)
    if "secret" not in shown:
        # else it prints what is in the files, and not only their names
        flow.listing = _result_paths(roots, tests)
    return flow


def _result_paths(roots: list[Value], tests: list[Value]) -> list[Value]:
    """Return the paths that stand for what is found: below each root, named as the tests say."""
    names = _names(tests)
    return [
        Value(f"{root.text.rstrip('/')}/**/{name}", root.start, root.end, root.why, pattern=True)
        for root in roots
        for name in names
    ]


_NESTED = 20
_ALTERNATIVES = 16
_OR = frozenset({"-o", "-or", ","})
_NO_ARGUMENT = frozenset(words("search", "no argument"))
_ANY = ["*"]


def _names(tests: list[Value], depth: int = 0) -> list[str]:
    """Return the names that these tests let through, one of which fits what is found; ``*`` where
    they tell nothing (find(1), OPERATORS).
    """
    at = _after_or(tests)
    while at < len(tests):
        text = tests[at].text
        if text in ("!", "-not"):
            inner = tests[at + 1].text if at + 1 < len(tests) else ""
            at = (
                _group_end(tests, at + 1) + 1
                if inner == "("
                else at + (2 if inner in _NO_ARGUMENT else 3)
            )
        elif text == "(":
            end = _group_end(tests, at)
            names = _alternatives(tests[at + 1 : end], depth + 1)
            if names != _ANY:
                return names
            at = end + 1
        elif text in ("-name", "-iname", "-path", "-ipath", "-wholename") and at + 1 < len(tests):
            name = tests[at + 1].text
            return [
                name
                if text.endswith("name") and text != "-wholename"
                else name.removeprefix(".").lstrip("*").lstrip("/") or "*"
            ]
        else:
            at += 1
    return _ANY


def _after_or(tests: list[Value]) -> int:
    """Return where the last alternative begins: an action belongs to the one that it stands in."""
    depth, start = 0, 0
    for index, value in enumerate(tests):
        depth += (value.text == "(") - (value.text == ")")
        if depth == 0 and value.text in _OR:
            start = index + 1
    return start


def _group_end(tests: list[Value], at: int) -> int:
    depth = 0
    for index in range(at, len(tests)):
        depth += (tests[index].text == "(") - (tests[index].text == ")")
        if depth == 0:
            return index
    return len(tests)


def _alternatives(tests: list[Value], depth: int) -> list[str]:
    """Return the names of all alternatives of a group, or ``*`` where one of them tells nothing."""
    if depth > _NESTED:
        return _ANY
    names: list[str] = []
    start, level = 0, 0
    for index in range(len(tests) + 1):
        text = tests[index].text if index < len(tests) else "-o"
        level += (text == "(") - (text == ")")
        if level == 0 and text in _OR:
            found = _names(tests[start:index], depth)
            if found == _ANY or len(names) > _ALTERNATIVES:
                return _ANY
            names += found
            start = index + 1
    return names


_MOST_ACTIONS = 32
"""Actions that are looked at; one more is opaque."""


def _find_actions(run: Run, tests: list[Value], roots: list[Value]) -> frozenset[str]:
    """Each action acts on what the tests before it let through: ``find . -delete -name x`` deletes
    all. Return labels of what commands print.
    """
    seen, labels = 0, frozenset[str]()
    for index, value in enumerate(tests):
        if value.text not in _ACTIONS:
            continue
        seen += 1
        if seen > _MOST_ACTIONS:
            run.context.opaque("more actions of find than can be looked at", None, "too-much")
            break
        before = tests[:index]
        if value.text == "-delete":
            for item in _result_paths(roots, before):
                run.path(
                    Deletes,
                    item,
                    "recursive",
                    "found",
                    *(["nothing-lost"] if _only_empty(before) else []),
                )
        elif value.text in _EXECS:
            labels |= _find_exec(run, tests[index + 1 :], _result_paths(roots, before))
        elif index + 1 < len(tests):
            run.path(Writes, tests[index + 1])
    return labels


_EXECS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_ACTIONS = _EXECS | {"-delete", "-fprint", "-fprint0", "-fls", "-fprintf"}


def _only_empty(tests: list[Value]) -> bool:
    """Whether only empty folders and files are let through; of folders ``-delete`` takes none that
    holds something (find(1)).
    """
    words = [value.text for value in tests]
    plain = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if before not in ("!", "-not")
    ]
    empty = "-empty" in plain or any(
        word == "-type" and plain[at + 1 : at + 2] == ["d"] for at, word in enumerate(plain)
    )
    return empty and not (_OR | {"(", "\\("}) & set(words)


def _find_exec(run: Run, words: list[Value], found: list[Value]) -> frozenset[str]:
    """Run the words up to ``;`` or ``+`` once for each root, ``{}`` standing for what is found
    there; return labels of what they print.
    """
    end = next(
        (
            index
            for index, value in enumerate(words)
            if value.text == ";" or (value.text == "+" and index and words[index - 1].text == "{}")
        ),
        len(words),
    )
    before, labels = run.parsed.traits, frozenset[str]()
    for item in found:
        argv = [
            Value(
                value.text.replace("{}", item.text), value.start, value.end, value.why, pattern=True
            )
            if "{}" in value.text
            else value
            for value in words[:end]
        ]
        labels |= run.command(argv).labels
    run.parsed.traits = before
    return labels


def _fd(run: Run) -> Flow:
    """``fd PATTERN [PATH..] -x COMMAND``."""
    words = run.arguments
    at = next((index for index, value in enumerate(words) if _runs(value.text)), -1)
    if at >= 0:
        joined = (
            words[at]
            .text.removeprefix("--exec-batch")
            .removeprefix("--exec")
            .removeprefix("-x")
            .removeprefix("-X")
            .removeprefix("=")
        )
        given = [
            *([Value(joined, words[at].start, words[at].end)] if joined else []),
            *words[at + 1 :],
        ]
        for item in _fd_results(run, words[:at]):
            argv = [
                Value(
                    value.text.replace("{}", item.text),
                    value.start,
                    value.end,
                    pattern="{}" in value.text,
                )
                for value in given
            ]
            run.command(argv if any("{" in value.text for value in given) else [*argv, item])
    for value in run.operands[1:] if at < 0 else []:
        run.path(Reads, value, "listed")
    if not run.operands[1:]:
        run.looks_at(HERE)
    flow = Flow(None)
    if at < 0 and not run.has("-l", "--list-details"):
        flow.listing = _fd_results(run, words)
    return flow


def _runs(text: str) -> bool:
    """Whether an option of ``fd`` runs the words behind it, or the one that is joined to it."""
    return text[:2] in ("-x", "-X") or text.partition("=")[0] in ("--exec", "--exec-batch")


def _fd_results(run: Run, words: list[Value]) -> list[Value]:
    """Return the paths that stand for what ``fd`` finds: by extension, by a glob, by a regular
    expression that is a plain name.
    """
    operands = run.parse(words).operands
    pattern = operands[0].text if operands else ""
    extension = run.parsed.value("-e", "--extension")
    plain = pattern.strip("^$").replace("\\.", ".")
    name = "*"
    if extension is not None:
        name = f"*.{extension.text}"
    elif run.has("-g", "--glob"):
        name = pattern or "*"
    elif plain and all(char.isalnum() or char in "._-" for char in plain):
        name = f"{'' if pattern[:1] == '^' else '*'}{plain}{'' if pattern[-1:] == '$' else '*'}"
    return [
        Value(f"{root.text.rstrip('/')}/**/{name}", root.start, root.end, root.why, pattern=True)
        for root in operands[1:] or [Value(".")]
    ]
