"""What calls of the library do: rows of data first, functions of ``files``, ``processes`` and
``network`` for what rows cannot say.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.data.words import tables
from interlock.effects.labels import place_labels
from interlock.effects.named_code import find_functions, name_modules
from interlock.effects.python import (
    archives,
    connections,
    files,
    gitclients,
    gits,
    language,
    network,
    processes,
    variables,
    winreg_calls,
)
from interlock.effects.python import known as pure
from interlock.effects.python.call import PyCall
from interlock.effects.python.clients import CLIENT, judge_by_name
from interlock.effects.python.decoding import DECODERS
from interlock.effects.python.following import PythonInterpreter
from interlock.effects.python.printing import note
from interlock.effects.python.values import UNKNOWN, KnownObject, PyValue, unknown_from
from interlock.effects.rows import PATH_ROLES
from interlock.model.effect import Reads
from interlock.shell.value import HOLE

_MODULES = name_modules((
    archives, connections, files, gitclients, gits, language, network, processes, variables,
    winreg_calls,
))  # fmt: skip
_TABLES = tables("languages/python", "library")
ROWS = _TABLES["rows"]
"""Calls on paths: ``role[:trait,..]=POSITION,KEYWORD .. -> KIND``."""
SPECIAL: dict[str, Callable[[PyCall], PyValue | None]] = {
    **find_functions(_TABLES["calls"], _MODULES),
    **network.CLOUD,
    f"?.{HOLE}": language.call_unknown,
}
GITS = {name: SPECIAL[name] for name, what in _TABLES["calls"].items() if what.startswith("git")}
"""Functions that make a repository of git, or work with one."""

_SAME = (
    ("posix.", "os."), ("nt.", "os."), ("_socket.", "socket."), ("commands.", "subprocess."),
    ("urllib2.", "urllib.request."), ("httplib.", "http.client."), ("posixpath.", "os.path."),
    ("ntpath.", "os.path."), ("six.moves.", ""), ("importlib.import_module", "__import__"),
    ("importlib.__import__", "__import__"), ("multiprocess.", "multiprocessing."),
    ("cloudpickle.", "pickle."),
    ("dill.", "pickle."), ("_pickle.", "pickle."), ("cPickle.", "pickle."),
    ("torch.multiprocessing.", "multiprocessing."),
)  # fmt: skip
_INNER = (".os.", ".sys.", ".subprocess.", ".shutil.", ".socket.", ".builtins.", ".__builtins__.")


def full(name: str) -> str:
    """Return a thing's usual name: ``posix.system`` and ``shutil.os.system`` are ``os.system``."""
    for start, usual in _SAME:
        if name.startswith(start):
            name = usual + name[len(start) :]
    for inner in _INNER:
        if inner in name:
            name = (
                (inner[1:] + name.partition(inner)[2])
                .removeprefix("builtins.")
                .removeprefix("__builtins__.")
            )
    return name.removesuffix(".__call__")


_modules: set[str] = set()
_LIBRARY = frozenset(
    "abc argparse ast bisect calendar cmath collections concurrent contextlib contextvars copy csv dataclasses datetime decimal difflib dis email enum errno "
    "fnmatch fractions gc getopt gettext graphlib hashlib heapq hmac html inspect ipaddress itertools keyword locale math mimetypes numbers operator pprint "
    "queue random re reprlib secrets select selectors statistics string struct sys sysconfig textwrap threading time timeit token tokenize traceback "
    "types typing unicodedata unittest uuid warnings weakref xml zoneinfo __future__ scipy sklearn torch tensorflow flask fastapi django pytest attr attrs "
    "rich click tqdm pydantic jinja2 bs4 lxml setuptools PIL seaborn plotly networkx sympy openpyxl tabulate toml tomllib transformers".split()
)
"""Modules that everybody has, or that come from a registry: no project's file is looked for."""


def knows_module(name: str) -> bool:
    """Whether a module is of the library, or of a package whose functions are described."""
    if not _modules:
        for known in (*ROWS, *SPECIAL, *pure.PLAIN, *DECODERS):
            _modules.add(known.partition(".")[0])
        _modules.update(_LIBRARY)
    return name.partition(".")[0] in _modules


def describes(name: str) -> bool:
    """Whether a call of this name is known."""
    name = full(name)
    return name in ROWS or name in SPECIAL or name in pure.PLAIN or name in DECODERS


def perform_call(
    program: PythonInterpreter,
    name: str,
    arguments: list[PyValue],
    keywords: dict[str, PyValue],
    node: object,
    owner: PyValue | None = None,
) -> PyValue:
    """Add what a call does and return what it gives."""
    name = full(name)
    call = PyCall(program, name, arguments, keywords, node, owner)
    note(call)
    of_git = (
        gits.read_method(call) if owner is not None and gitclients.GIT in owner.labels else None
    )
    if of_git is not None:
        return of_git
    for known in (name, f"?.{name.rpartition('.')[2]}") if owner is not None else (name,):
        special = SPECIAL.get(known)
        if special is not None:
            result = special(call)
            return result if result is not None else call.unknown()
        row = ROWS.get(known)
        if row is not None:
            return _by_row(call, row)
    if owner is None:
        result = pure.call(name, arguments, keywords)
        if result is not None:
            return result
        for prefix, family in _FAMILIES:
            if name.startswith(prefix):
                return family(call) or call.unknown()
    return judge_by_name(call, known=knows_module(name))


def _by_row(call: PyCall, row: str) -> PyValue:
    spec, _, gives = row.partition("->")
    read: frozenset[str] = frozenset()
    for word in spec.split():
        role, _, place = word.partition("=")
        role, _, traits = role.partition(":")
        kind, more = PATH_ROLES[role]
        position, _, keyword = place.partition(",")
        thing = call.owner if position == "self" else call.argument(int(position), keyword)
        effect = (
            call.path(kind, thing, *more, *[trait for trait in traits.split(",") if trait])
            if thing is not None
            else None
        )
        if (
            effect is not None
            and thing is not None
            and kind is Reads
            and effect.traits.isdisjoint({"listed", "linked"})
        ):
            read |= place_labels(effect) | call.run.contents(call.word(thing)).labels
    given = _make_result(call, gives.strip())
    return PyValue(given.value, given.labels | read, given.why) if read else given


def _make_result(call: PyCall, kind: str) -> PyValue:
    first = call.argument(0, "path", "database")
    if kind == "names":
        return PyValue([PyValue(UNKNOWN, why="output")])
    if kind == "entries":
        from interlock.effects.python.values import join_paths

        return PyValue([join_paths([first or PyValue("."), PyValue(HOLE, why="output")])])
    if kind:
        return PyValue(KnownObject(kind, {"name": first} if first is not None else None))
    return unknown_from(call.arguments)


def _shell_module(call: PyCall) -> PyValue | None:
    """``sh.rm("-rf", "/")`` and ``plumbum.local["rm"]("-rf")``: a function for each program."""
    name = call.name.partition(".")[2] or call.name.partition("[")[2].rstrip("]")
    return call.command([PyValue(name.replace("_", "-").lstrip("-")), *call.arguments])


def _cloud(call: PyCall) -> PyValue | None:
    del call
    return PyValue(KnownObject("cloud"), frozenset({CLIENT}))


_FAMILIES: tuple[tuple[str, Callable[[PyCall], PyValue | None]], ...] = (
    ("sh.", _shell_module), ("plumbum.cmd.", _shell_module), ("plumbum.local[", _shell_module),
    ("boto3.", _cloud), ("kubernetes.client.", _cloud), ("google.cloud.", _cloud),
    ("azure.mgmt.", _cloud), ("dulwich.porcelain.", gits.porcelain),
)  # fmt: skip
