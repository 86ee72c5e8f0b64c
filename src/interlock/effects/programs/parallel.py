"""GNU parallel: a command for every item of its input sources (parallel(1), "INPUT SOURCES" and
"REPLACEMENT STRINGS").
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import Reads
from interlock.shell.value import FILE, HOLE, OUTPUT, UNREAD, Flow, Value

MAX_ITEMS = 64
"""Items that are followed one by one; of more nobody knows which."""
_SOURCES = frozenset({":::", ":::+", "::::", "::::+"})


def _parallel(run: Run) -> Flow:
    """``parallel CMD {} ::: a b``, ``parallel -a FILE CMD``, ``parallel CMD :::: FILE``; without a
    source the lines of standard input.
    """
    command, sources = _sources(run)
    if not command:
        for item in sources[0]:
            run.code(item)
        return UNREAD
    template = " ".join([value.text for value in command])
    given = run.parsed.value("-I")
    mark = given.text if given is not None else "{}"
    for items in _together(sources):
        why = next((item.why for item in items if item.hollow), "")
        run.code(
            Value(
                _fill_template(template, [item.text for item in items], mark),
                command[0].start,
                command[-1].end,
                why,
            )
        )
    return UNREAD


def _sources(run: Run) -> tuple[list[Value], list[list[Value]]]:
    """Return the words of the command, and the items of each input source; at least one."""
    words = run.operands
    cut = next((index for index, value in enumerate(words) if value.text in _SOURCES), len(words))
    found = [_of_file(run, value) for value in run.parsed.values("-a", "--arg-file")]
    files = False
    for value in words[cut:]:
        if value.text in _SOURCES:
            files = value.text.startswith("::::")
            found += [] if files else [[]]
        elif files:
            found.append(_of_file(run, value))
        else:
            found[-1].append(value)
    return words[:cut], found or [_lines(run.stdin)]


def _of_file(run: Run, value: Value) -> list[Value]:
    if value.text == "-":
        return _lines(run.stdin)
    run.path(Reads, value)
    flow = run.contents(value)
    return _lines(flow if flow.text is not None else Flow(None, frozenset({FILE}), flow.path))


def _lines(flow: Flow | None) -> list[Value]:
    """Return the lines of a source, or one hole that says where they come from."""
    if flow is not None and flow.listing:
        return flow.listing
    if flow is None or flow.text is None or HOLE in flow.text:
        return [Value(HOLE, why=OUTPUT if flow is None else flow.why)]
    return [Value(line) for line in flow.text.split("\n") if line]


def _together(sources: list[list[Value]]) -> list[list[Value]]:
    """Return every combination of one item of each source; past the bound one of unknown items."""
    found: list[list[Value]] = [[]]
    for items in sources:
        if len(found) * len(items) > MAX_ITEMS:
            return [[Value(HOLE, why=OUTPUT) for _ in sources]]
        found = [[*before, item] for before in found for item in items]
    return found


def _fill_template(template: str, items: list[str], mark: str) -> str:
    """Return the command for some items: put in place of the replacement strings, else behind it,
    quoted as parallel does.
    """
    text, joined = template, " ".join([_quote(item) for item in items])
    forms = [(mark, items[0] if len(items) == 1 else None)] + [
        (f"{{{number}}}", item) for number, item in enumerate(items, 1)
    ]
    if len(items) == 1:
        name = items[0].rpartition("/")[2]
        folder = items[0].rpartition("/")[0] or "."
        stem, base = _without_end(items[0]), _without_end(name)
        forms += [("{.}", stem), ("{/}", name), ("{//}", folder), ("{/.}", base)]
    for form, item in forms:
        text = text.replace(form, joined if item is None else _quote(item))
    return text if text != template else f"{template} {joined}"


def _without_end(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(".")[0] or name)


def _quote(item: str) -> str:
    """Return an item as one word; an unknown one stays bare, and one that a pattern or a tilde
    could change is taken as it is written.
    """
    plain = item and all(char.isalnum() or char in "_-./:@%+=," or char == HOLE for char in item)
    return item if plain else "'" + item.replace("'", "'\\''") + "'"
