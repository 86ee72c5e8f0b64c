"""What calls of the library do: rows of data first, functions of ``files``, ``processes`` and
``network`` for what rows cannot say.
"""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.labels import place_labels
from interlock.effects.python import known as pure
from interlock.effects.python.archives import ARCHIVES
from interlock.effects.python.call import PyCall
from interlock.effects.python.clients import CLIENT, judge_by_name
from interlock.effects.python.decoding import DECODERS
from interlock.effects.python.files import FILES
from interlock.effects.python.following import PythonInterpreter
from interlock.effects.python.gitclients import GIT
from interlock.effects.python.gits import GITS, porcelain
from interlock.effects.python.gits import read_method as told_by_git
from interlock.effects.python.language import LANGUAGE
from interlock.effects.python.network import NETWORKING
from interlock.effects.python.printing import note
from interlock.effects.python.processes import PROCESSES
from interlock.effects.python.values import UNKNOWN, KnownObject, PyValue, unknown_from
from interlock.effects.python.variables import VARIABLES
from interlock.effects.python.winreg_calls import REGISTRY
from interlock.effects.rows import PATH_ROLES
from interlock.model.effect import Reads

ROWS: dict[str, str] = {
    # name: "role[:trait,..]=POSITION,KEYWORD ..", and after -> the kind of object it gives
    "os.remove": "deletes=0,path", "os.unlink": "deletes=0,path", "os.rmdir": "deletes=0,path",
    "os.removedirs": "deletes=0,name", "shutil.rmtree": "deletes:recursive=0,path",
    "send2trash.send2trash": "deletes:recursive=0,paths",
    "distutils.dir_util.remove_tree": "deletes:recursive=0,directory",
    "os.truncate": "writes:truncate=0,path",
    "os.mkdir": "makes=0,path", "os.makedirs": "makes=0,name", "os.mkfifo": "makes=0,path",
    "os.mknod": "makes=0,path", "os.utime": "makes=0,path",
    "os.chown": "mode:owner=0,path", "os.lchown": "mode:owner=0,path",
    "shutil.chown": "mode:owner=0,path",
    "os.listdir": "reads:listed=0,path -> names", "os.scandir": "reads:listed=0,path -> entries",
    "numpy.save": "makes=0,file", "numpy.savetxt": "makes=0,fname", "numpy.load": "reads=0,file",
    "pandas.read_csv": "reads=0,filepath_or_buffer", "pandas.read_excel": "reads=0,io",
    "pandas.read_json": "reads=0", "pandas.read_parquet": "reads=0",
    "pandas.read_pickle": "reads=0", "?.to_csv": "makes=0,path_or_buf",
    "?.to_json": "makes=0,path_or_buf",
    "?.to_excel": "makes=0", "?.to_parquet": "makes=0", "?.to_pickle": "makes=0",
    "?.savefig": "makes=0", "matplotlib.pyplot.savefig": "makes=0,fname",
    "?.extractall": "writes:extracted=0,path",
    "PIL.Image.open": "reads=0", "?.save": "makes=0,fp", "numpy.loadtxt": "reads=0,fname",
    "numpy.genfromtxt": "reads=0,fname", "numpy.fromfile": "reads=0,file",
    "numpy.fromregex": "reads=0,file", "configparser.ConfigParser": "-> settings",
    "configparser.RawConfigParser": "-> settings",
    "configparser.SafeConfigParser": "-> settings", "<settings>.read": "reads=0,filenames",
    "toml.load": "reads=0",
    "pandas.read_table": "reads=0", "pandas.read_fwf": "reads=0", "pandas.read_xml": "reads=0",
    "pandas.read_html": "reads=0",
    "linecache.getline": "reads=0,filename", "tokenize.open": "reads=0,filename",
    "dotenv.dotenv_values": "reads=0", "linecache.getlines": "reads=0",
    "<path>.unlink": "deletes=self", "<path>.rmdir": "deletes=self",
    "<path>.remove": "deletes=self", "<path>.rmtree": "deletes:recursive=self",
    "<path>.touch": "makes=self",
    "<path>.mkdir": "makes=self", "<path>.write_text": "", "<path>.chown": "mode:owner=self",
    "<path>.symlink_to": "writes:link=self reads:linked=0,target",
    "<path>.hardlink_to": "writes:link=self reads:linked=0,target", "?.unlink": "deletes=self",
    "?.rmtree": "deletes:recursive=self",
    "<entries>.unlink": "deletes=self", "psycopg2.connect": "-> db", "psycopg.connect": "-> db",
    "pymysql.connect": "-> db", "MySQLdb.connect": "-> db", "mysql.connector.connect": "-> db",
    "logging.FileHandler": "makes:append=0,filename",
}  # fmt: skip
"""Calls on paths. ``self`` is the object whose method is called."""

SPECIAL: dict[str, Callable[[PyCall], PyValue | None]] = {
    **LANGUAGE,
    **FILES,
    **PROCESSES,
    **NETWORKING,
    **ARCHIVES,
    **REGISTRY,
    **VARIABLES,
    **GITS,
}

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
    of_git = told_by_git(call) if owner is not None and GIT in owner.labels else None
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
        from interlock.shell.value import HOLE

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
    ("azure.mgmt.", _cloud), ("dulwich.porcelain.", porcelain),
)  # fmt: skip
