"""Programs that read, search, print and transform text, ask the system, and the shell's own quiet builtins."""

from __future__ import annotations

from interlock.effects.filenames import is_file
from interlock.effects.labels import place_labels
from interlock.effects.programs.grep import listed
from interlock.effects.rows import Row
from interlock.model.effect import Reads, Writes
from interlock.shell.value import ENVIRONMENT, HOLE, NAME, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def _cat(run: Run) -> Flow:
    """Print files, or standard input, one after another."""
    values = [value for value in run.operands if value.text != "-"]
    read = [(value, run.path(Reads, value)) for value in values]
    if not run.operands:
        return run.stdin if run.stdin is not None else UNREAD
    if len(values) < len(run.operands) and run.stdin is not None and not values:
        return run.stdin
    flow = run.contents(values[0]) if len(values) == len(run.operands) == 1 else run.all_contents(values)
    matched = frozenset[str]().union(*[place_labels(effect) for value, effect in read if value.pattern]) & {"secret"}
    return Flow(flow.text, flow.labels | matched, flow.path) if matched else flow


def passes_on(run: Run) -> Flow:
    """Read the operands by role; print something made of them and of standard input."""
    run.roles()
    return Flow(None, run.input_labels())


_LISTERS = frozenset({"ls", "dir", "vdir", "du", "tree"})
"""Programs that list the folder they work in where they are given none."""


def _list(run: Run) -> Flow:
    """Print names of files: nothing of what is in them."""
    for value in run.operands:
        run.path(Reads, value, "listed")
    flow = Flow(None, run.input_labels() - {"secret"})
    if not run.operands:
        if run.name in _LISTERS:
            run.looks_at(Value("."))
        flow.listing = [Value("*", pattern=True)]
    elif all(value.pattern or _prints_itself(run, value) for value in run.operands):
        flow.listing = list(run.operands)
    elif run.name == "du" or (run.name == "tree" and any("f" in value.text for value in run.arguments if value.text[:1] == "-")):
        flow.listing = listed(run, run.operands, deep=True)
    return flow


def _prints_itself(run: Run, value: Value) -> bool:
    """Whether what is printed is the very word: a file, or a folder that is not looked into (``ls -d``)."""
    whole = run.has("-d", "--directory") or (value.known and is_file(run.context, value.text, run.cwd))
    return whole and run.name in ("ls", "dir", "vdir", "stat") and not run.has("-l", "-s", "--size", "-i", "--inode")


def _yq(run: Run) -> Flow:
    """``yq EXPRESSION FILE..``; with ``-i`` the files are written."""
    if run.has("-i", "--inplace", "--in-place"):
        for value in run.operands[1:]:
            run.path(Writes, value, "in-place")
    return passes_on(run)


def _date(run: Run) -> Flow:
    """``date -s TEXT`` and ``date MMDDhhmm[CCYY][.ss]`` set the clock."""
    if run.has("-s", "--set") or any(value.text.replace(".", "").isdigit() for value in run.operands):
        from interlock.model.effect import ControlsSystem

        run.effect(ControlsSystem, "clock", "time")
    form = next((value.text[1:] for value in run.operands if value.text[:1] == "+"), "%s")
    return Flow(None) if HOLE in form or run.has("-f", "--file") else Flow(_conversions(form) + "\n", frozenset({"number"}))


def _conversions(form: str) -> str:
    """Return what ``date +FORMAT`` prints: each conversion is something without a slash but for those that are dates (date(1))."""
    out, at = [], 0
    while at < len(form):
        mark = form[at : at + 2]
        at += 2 if form[at] == "%" else 1
        if mark[:1] == "%" and mark[1:] in ("-", "_", "^", "#", "0", "E", "O", ":"):
            mark = "%" + form[at : at + 1]
            at += 1
        slashed = NAME + "/" + NAME
        out.append(mark[0] if mark[0] != "%" else {"%%": "%", "%n": "\n", "%t": "\t", "%D": slashed, "%x": slashed, "%c": HOLE}.get(mark, NAME))
    return "".join(out)


def _plain_name(run: Run) -> Flow:
    """Print a number or a name without slashes: ``nproc``, ``uname``, ``id -u``."""
    short = run.name != "id" or bool(run.parsed.flags & {"-u", "-g", "--user", "--group"})
    return Flow(NAME + "\n", frozenset({"number"})) if short and not run.has("-a", "--all", "--version", "--help", "-n", "-un") else UNREAD


def _which(run: Run) -> Flow:
    if run.name == "type" and not run.has("-P", "-p"):
        return UNREAD
    known = [value.text for value in run.operands]
    return (
        Flow("".join([f"/usr/bin/{name}\n" for name in known]), frozenset({"lookup"}))
        if known and all(HOLE not in name and "/" not in name for name in known)
        else UNREAD
    )


def _basename(run: Run) -> Flow:
    values = run.operands
    if not values or values[0].hollow or run.has("-s", "-a"):
        return UNREAD
    text = values[0].text.rstrip("/").rpartition("/")[2] or values[0].text[:1]
    return Flow((text.removesuffix(values[1].text) if len(values) > 1 else text) + "\n")


def _dirname(run: Run) -> Flow:
    values = run.operands
    if not values or values[0].hollow:
        return UNREAD
    head, slash, _ = values[0].text.rstrip("/").rpartition("/")
    return Flow(((head or "/") if slash else ".") + "\n")


def _pwd(run: Run) -> Flow:
    return Flow(run.cwd + "\n") if run.cwd is not None else UNREAD


def _path_itself(run: Run) -> Flow:
    """``realpath``, ``readlink -f``: the absolute path, where the links do not matter to what is known."""
    values = run.operands
    if len(values) != 1 or values[0].hollow:
        return UNREAD
    path = run.context.normal(values[0].text, run.cwd)
    return Flow(path + "\n") if path is not None else UNREAD


def _variables(run: Run) -> Flow:
    """``printenv``, ``export -p``: the environment, where secrets may be."""
    return Flow(None, frozenset({ENVIRONMENT} if not run.operands else set()))


_QUIET = Row(operands="data*")
_READS = Row(operands="reads*", read=passes_on)
_LISTS = Row(operands="reads*", read=_list)
_LINES = Row(operands="data*", options="-C:code -c:data -d:data -n:data -O:data -s:data -u:data")

_QUIET_NAMES = (
    "test [ true false : cal type whereis whoami groups lsb_release uptime df free expr bc sleep wait cd pushd popd dirs "
    "shift alias unalias return exit break continue let getopts fg bg disown umask ulimit hash help yes "
    "tput clear "
    "locale lscpu lsblk ps top htop pgrep pstree w who last tty stty numfmt read mapfile readarray"
)
_READ_NAMES = "cmp comm join fmt column nl hexdump strings more bat batcat jless delta difft glow mdcat hexyl tokei b3sum xxhsum ccat lolcat icdiff wdiff eza exa lsd dust iconv tsort sum envsubst xmllint"

ROWS: dict[str, Row] = dict.fromkeys(_QUIET_NAMES.split(), _QUIET)
ROWS.update(dict.fromkeys(_READ_NAMES.split(), _READS))
_COMPARES = Row(operands="reads*", flags="-r:recursive --recursive:recursive", read=passes_on)
ROWS.update({
    "diff": _COMPARES, "colordiff": _COMPARES,
    "cat": Row(operands="reads*", read=_cat),
    "ls": _LISTS, "dir": _LISTS, "file": Row(operands="reads*", options="-m:reads --magic-file:reads -f:reads", read=_list),
    "wc": Row(operands="reads*", options="--files0-from:reads --total:data", read=_list),
    "stat": Row(operands="reads*", read=_list),
    "du": Row(operands="reads*", options="--files0-from:reads", read=_list),
    "tree": Row(operands="reads*", options="-o:writes --filelimit:data", read=_list),
    "look": Row(operands="data reads*", options="-t:data --terminate:data"),
    "shuf": Row(
        operands="reads*",
        options="-o:writes --output:writes --random-source:reads",
        read=passes_on,
    ),
    "jq": Row(operands="data reads*", options="-f:reads --from-file:reads --indent:data", read=passes_on),
    "yq": Row(operands="data reads*", options="-o:data --output-format:data -p:data --input-format:data", read=_yq),
    "iconv": Row(operands="reads*", options="-f:data -t:data -o:writes --from-code:data --to-code:data --output:writes", read=passes_on),
    "xmllint": Row(operands="reads*", options="--output:writes -o:writes --xpath:data --schema:reads --dtdvalid:reads", read=passes_on),
    "date": Row(options="-r:reads -f:reads --file:reads --reference:reads", read=_date),
    "mapfile": _LINES, "readarray": _LINES, "pwd": Row(read=_pwd), "basename": Row(options="-s:data", read=_basename), "dirname": Row(read=_dirname),
    "realpath": Row(read=_path_itself), "readlink": Row(read=_path_itself), "which": Row(read=_which), "nproc": Row(read=_plain_name), "uname": Row(read=_plain_name), "id": Row(read=_plain_name),
    "type": Row(read=_which),
    "printenv": Row(read=_variables),
    "cksum": _READS,
    "dos2unix": Row(operands="writes*"), "unix2dos": Row(operands="writes*"),
})  # fmt: skip
