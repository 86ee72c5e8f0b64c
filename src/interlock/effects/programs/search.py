"""Programs that search: text in files, and files in folders (with what they then do to them)."""

from __future__ import annotations

from interlock.effects.labels import place_labels
from interlock.effects.places import below
from interlock.effects.rows import Row
from interlock.model.effect import ROOT_OF, Deletes, Reads, Writes
from interlock.shell.value import HOLE, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def _find(run: Run) -> Flow:
    """``find PATH.. TESTS ACTIONS``: ``-delete``, ``-exec``, ``-fprint`` act on what is found."""
    words = run.arguments
    at = 0
    roots: list[Value] = []
    while at < len(words) and (words[at].text[:1] not in ("-", "(", "!", ",", "\\") or words[at].text in ("-H", "-L", "-P")):
        if words[at].text not in ("-H", "-L", "-P"):
            roots.append(words[at])
        at += 1
    roots = roots or [Value(".")]
    tests = words[at:]
    narrow = any(
        value.text in ("-name", "-iname", "-path", "-regex", "-type", "-newer", "-mtime", "-size", "-empty", "-wholename", "-ipath", "-mmin", "-user")
        for value in tests
    )
    found = [_found(value, tests) for value in roots]
    for value in roots:
        run.path(Reads, value, "listed")
    labels = frozenset().union(*[place_labels(effect) for effect in run.context.effects[-len(roots) :]])
    _find_actions(run, tests, found, narrow=narrow)
    flow = Flow(None, labels)
    flow.listing = found
    return flow


def _found(root: Value, tests: list[Value]) -> Value:
    """Return the path that stands for what is found: below the root, named as ``-name`` says."""
    name = next((tests[index + 1].text for index, value in enumerate(tests[:-1]) if value.text in ("-name", "-iname")), "*")
    return Value(f"{root.text.rstrip('/')}/**/{name}", root.start, root.end, root.why, pattern=True)


def _find_actions(run: Run, tests: list[Value], found: list[Value], *, narrow: bool) -> None:
    traits = ["recursive", "found"] + (["narrowed"] if narrow else [])
    for index, value in enumerate(tests):
        if value.text == "-delete":
            for item in found:
                run.path(Deletes, item, *traits)
        elif value.text in ("-exec", "-execdir", "-ok", "-okdir"):
            _find_exec(run, tests[index + 1 :], found)
        elif value.text in ("-fprint", "-fprint0", "-fls", "-fprintf") and index + 1 < len(tests):
            run.path(Writes, tests[index + 1])


def _find_exec(run: Run, words: list[Value], found: list[Value]) -> None:
    """Run the words up to ``;`` or ``+`` once for each root, ``{}`` standing for what is found there."""
    end = next(
        (index for index, value in enumerate(words) if value.text == ";" or (value.text == "+" and index and words[index - 1].text == "{}")),
        len(words),
    )
    before = run.parsed.traits
    for item in found:
        argv = [
            Value(value.text.replace("{}", item.text), value.start, value.end, value.why, pattern=True) if "{}" in value.text else value
            for value in words[:end]
        ]
        run.command(argv)
    run.parsed.traits = before


def _fd(run: Run) -> Flow:
    """``fd PATTERN [PATH..] -x COMMAND``."""
    words = run.arguments
    at = next((index for index, value in enumerate(words) if value.text in ("-x", "-X", "--exec", "--exec-batch")), -1)
    if at >= 0:
        argv = [Value(value.text.replace("{}", "./x"), value.start, value.end) for value in words[at + 1 :]]
        if not any("{" in value.text for value in words[at + 1 :]):
            argv.append(Value(HOLE, why="output"))
        run.command(argv)
    for value in run.operands[1:] if at < 0 else []:
        run.path(Reads, value, "listed")
    return UNREAD


def _grep(run: Run) -> Flow:
    """The first operand is the pattern unless ``-e`` or ``-f`` gave one; ``rg --pre`` runs a program."""
    operands = list(run.operands)
    if not run.has("-e", "-f", "--regexp", "--file", "--files") and operands:
        operands.pop(0)
    for value in run.parsed.values("-f", "--file"):
        run.path(Reads, value)
    for value in run.parsed.values("--pre"):
        run.command([value])
    for value in operands:
        run.path(Reads, value)
    if run.name not in _PLAIN or run.has("-r", "-R", "--recursive", "--dereference-recursive"):
        _hunts(run, operands)
    return Flow(None, run.reader.carried(run))


_PLAIN = frozenset({"grep", "egrep", "fgrep", "zgrep"})
_OF_KEYS = ("private key", "private.*key", "akia", "passw", "secret", "token", "api_key", "apikey", "api.key", "credential", "begin.*key")


def _hunts(run: Run, folders: list[Value]) -> None:
    """A search for keys through a whole home or machine reads the keys that lie there."""
    patterns = [*run.parsed.values("-e", "--regexp"), *run.parsed.operands[:1]]
    if not any(word in value.text.lower() for value in patterns for word in _OF_KEYS):
        return
    for value in folders:
        path = None if value.hollow else run.context.normal(value.text, run.cwd)
        if path is not None and run.here and ROOT_OF in run.context.place(path).natures and below(run.context.home, path):
            run.possible(Reads, Value(f"{run.context.home}/.ssh", value.start, value.end), "searched")


_GREP = Row(
    options="-e:data -f:data -m:data -A:data -B:data -C:data --regexp:data --file:data --max-count:data --context:data --include:data --exclude:data "
    "--exclude-dir:data -d:data -D:data --color:data -g:data --glob:data -t:data -T:data --type:data --type-not:data -j:data --pre:data "
    "--pre-glob:data "
    "-E:data -r:data --replace:data --after-context:data --before-context:data --max-depth:data --sort:data --colors:data --encoding:data",
    read=_grep,
)
_GREP_PLAIN = Row(
    options="-e:data -f:data -m:data -A:data -B:data -C:data --regexp:data --file:data --max-count:data --context:data -d:data -D:data "
    "--after-context:data --before-context:data",
    read=_grep,
)
_FD = Row(options="-e:data -E:data -t:data -d:data --extension:data --exclude:data --type:data --max-depth:data -x:data -X:data -c:data", read=_fd)

ROWS: dict[str, Row] = {
    "find": Row(read=_find), "fd": _FD, "fdfind": _FD,
    "grep": _GREP_PLAIN, "egrep": _GREP_PLAIN, "fgrep": _GREP_PLAIN, "zgrep": _GREP_PLAIN, "rg": _GREP, "ag": _GREP, "ack": _GREP,
}  # fmt: skip
