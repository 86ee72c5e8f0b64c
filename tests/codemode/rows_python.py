"""Ways out of a guarded Python program, one row each: what tries to get out, its permitted twin,
and the layers that have to stop it.

``attempt`` returns, or sets ``got``, what it got; it fails where it is stopped. ``guard``: the
guard inside stops it without any kernel. ``landlock``,
``bubblewrap``: those walls stop it in a bare interpreter, without any guard. ``SECRET`` is a
private key, ``OUT`` a folder outside with ``note.txt``,
``HOME`` the home, ``CLOSED`` a folder that this run denies with ``x`` and a link ``pointer``; the
working folder is the workspace, with ``data.txt`` and links ``link`` to the key and ``way`` to the
folder outside.
"""

from __future__ import annotations

from typing import NamedTuple

GUARD, LANDLOCK, BUBBLEWRAP = "guard", "landlock", "bubblewrap"
ALL = frozenset({GUARD, LANDLOCK, BUBBLEWRAP})
WALLS = frozenset({LANDLOCK, BUBBLEWRAP})
ONLY_GUARD = frozenset({GUARD})
GUARD_AND_BUBBLEWRAP = frozenset({GUARD, BUBBLEWRAP})


class Row(NamedTuple):
    """One way out. ``number``: its number in the table of the page on code mode."""

    number: int
    name: str
    attempt: str
    twin: str
    stopped_by: frozenset[str] = ALL
    raced: bool = False
    """Whether it is luck what the guard alone comes to: it judges a name, and another program
    changes what that means.
    """


READ = "got = open('data.txt').read()"

ROWS: tuple[Row, ...] = (
    Row(1, "open", "got = open(SECRET).read()", READ),
    Row(2, "bytes", "got = open(SECRET.encode()).read()", "got = open(b'data.txt').read()"),
    Row(
        2,
        "path object",
        "import pathlib; got = pathlib.Path(SECRET).read_bytes()",
        "import pathlib; got = pathlib.Path('data.txt').read_bytes()",
    ),
    Row(
        3,
        "symbolic link",
        "got = open('link').read()",
        "import os; os.symlink('data.txt', 'own'); got = open('own').read(); os.remove('own')",
    ),
    Row(
        3,
        "write through a linked folder",
        "open('way/w3', 'w').write('x'); got = 1",
        "open('src/w3', 'w').write('x'); got = 1",
    ),
    Row(
        4,
        "change folder, then relative",
        "import os\nos.chdir(HOME)\ntry:\n    got = open('.ssh/id_rsa').read()\nfinally:\n    os.chdir(WORK)",
        "import os\nos.chdir('src')\ntry:\n    got = open('../data.txt').read()\nfinally:\n    os.chdir(WORK)",
    ),
    Row(
        5,
        "relative to a descriptor",
        "import os\nd = os.open(HOME, os.O_RDONLY)\ngot = os.read(os.open('.ssh/id_rsa', os.O_RDONLY, dir_fd=d), 99)",
        "import os\nd = os.open('.', os.O_RDONLY)\ngot = os.read(os.open('data.txt', os.O_RDONLY, dir_fd=d), 99)",
    ),
    Row(
        6,
        "/proc/self/root",
        "got = open('/proc/self/root' + SECRET).read()",
        "got = open('/proc/self/root' + WORK + '/data.txt').read()",
    ),
    Row(
        6,
        "/proc/self/cwd",
        "got = open('/proc/self/cwd/link').read()",
        "got = open('/proc/self/cwd/data.txt').read()",
    ),
    Row(
        6,
        "doubled slashes and dots",
        "got = open('/' + HOME + '//.ssh/../.ssh//id_rsa').read()",
        "got = open('src/../data.txt').read()",
    ),
    Row(
        7,
        "thread",
        "import threading\nr = []\nt = threading.Thread(target=lambda: r.append(open(SECRET).read()))\nthreading.excepthook = lambda *_: None\n"
        "t.start(); t.join()\ngot = r[0] if r else None",
        "import threading\nr = []\nt = threading.Thread(target=lambda: r.append(open('data.txt').read()))\nt.start(); t.join()\ngot = r[0] if r else None",
    ),
    Row(
        7,
        "asyncio",
        "import asyncio\nasync def f():\n    return await asyncio.to_thread(lambda: open(SECRET).read())\ngot = asyncio.run(f())",
        "import asyncio\nasync def f():\n    return await asyncio.to_thread(lambda: open('data.txt').read())\ngot = asyncio.run(f())",
    ),
    Row(
        7,
        "destructor",
        "r = []\nclass A:\n    def __del__(self):\n        try:\n            r.append(open(SECRET).read())\n        except OSError:\n            pass\n"
        "A()\ngot = r[0] if r else None",
        "r = []\nclass A:\n    def __del__(self):\n        r.append(open('data.txt').read())\nA()\ngot = r[0] if r else None",
    ),
    Row(
        7,
        "signal",
        "import os, signal\nr = []\ndef f(*_):\n    try:\n        r.append(open(SECRET).read())\n    except OSError:\n        pass\n"
        "signal.signal(signal.SIGUSR1, f)\nos.kill(os.getpid(), signal.SIGUSR1)\ngot = r[0] if r else None",
        "import os, signal\nr = []\nsignal.signal(signal.SIGUSR1, lambda *_: r.append(1))\nos.kill(os.getpid(), signal.SIGUSR1)\ngot = r[0] if r else None",
    ),
    Row(
        8,
        "open_code",
        "import io; got = io.open_code(SECRET).read()",
        "import io; got = io.open_code(WORK + '/data.txt').read()",
    ),
    Row(
        8,
        "FileIO",
        "import io; got = io.FileIO(SECRET).read()",
        "import io; got = io.FileIO('data.txt').read()",
    ),
    Row(
        8,
        "linecache",
        "import linecache; got = (linecache.getlines(SECRET) or [None])[0]",
        "import linecache; got = linecache.getlines('data.txt')[0]",
    ),
    Row(
        8,
        "loader",
        "import importlib.machinery as m; got = m.SourceFileLoader('x', SECRET).get_data(SECRET)",
        "import importlib.machinery as m; got = m.SourceFileLoader('x', 'data.txt').get_data('data.txt')",
    ),
    Row(
        9,
        "stat",
        "import os; got = os.stat(CLOSED + '/x').st_size",
        "import os; got = os.stat('data.txt').st_size",
        GUARD_AND_BUBBLEWRAP,
    ),
    Row(
        9,
        "access",
        "import os\nif not os.access(CLOSED + '/x', os.F_OK):\n    raise OSError\ngot = 1",
        "import os; assert os.access('data.txt', os.F_OK); got = 1",
        GUARD_AND_BUBBLEWRAP,
    ),
    Row(
        9,
        "exists",
        "import os.path\nif not os.path.exists(CLOSED + '/x'):\n    raise OSError\ngot = 1",
        "import os.path; assert os.path.exists('data.txt'); got = 1",
        GUARD_AND_BUBBLEWRAP,
    ),
    Row(
        10,
        "readlink",
        "import os; got = os.readlink(CLOSED + '/pointer')",
        "import os; got = os.readlink('link')",
        GUARD_AND_BUBBLEWRAP,
    ),
    Row(
        11,
        "mknod",
        "import os; os.mknod(OUT + '/m11'); got = 1",
        "import os; os.mknod('m11'); os.remove('m11'); got = 1",
    ),
    Row(
        11,
        "mkfifo",
        "import os; os.mkfifo(OUT + '/f11'); got = 1",
        "import os; os.mkfifo('f11'); os.remove('f11'); got = 1",
    ),
    Row(
        12,
        "chmod",
        "import os; os.chmod(OUT + '/note.txt', 0o600); got = 1",
        "import os; os.chmod('data.txt', 0o644); got = 1",
        GUARD_AND_BUBBLEWRAP,
    ),
    Row(
        12,
        "utime",
        "import os; os.utime(OUT + '/note.txt'); got = 1",
        "import os; os.utime('data.txt'); got = 1",
        GUARD_AND_BUBBLEWRAP,
    ),
    Row(
        12,
        "attributes",
        "import os; os.setxattr(OUT + '/note.txt', 'user.x', b'y'); got = 1",
        "import os; got = os.listxattr('data.txt') or 1",
        GUARD_AND_BUBBLEWRAP,
    ),
    *(
        Row(
            12,
            f"{name} by descriptor",
            f"import os\nf = os.open(OUT + '/note.txt', 0)\ntry:\n    {call}\nfinally:\n    os.close(f)\ngot = 1",
            f"import os\nf = os.open('data.txt', 0)\ntry:\n    {call}\nfinally:\n    os.close(f)\ngot = 1",
        )
        for name, call in (
            ("mode", "os.chmod(f, 0o644)"),
            ("times", "os.utime(f)"),
            ("owner", "os.chown(f, -1, -1)"),
        )
    ),
    Row(13, "chroot", "import os; os.chroot('/'); got = 1", "import os; got = os.getcwd()"),
    Row(13, "setuid", "import os; os.setuid(12345); got = 1", "import os; got = os.getuid() + 1"),
    Row(
        14,
        "sendfile to a socket",
        "import os, socket\ns = socket.create_connection(('127.0.0.1', PORT))\nf = open('data.txt', 'rb')\ngot = os.sendfile(s.fileno(), f.fileno(), 0, 4)",
        "import os\na = open('data.txt', 'rb'); b = open('copy14', 'wb')\ngot = os.sendfile(b.fileno(), a.fileno(), 0, 4)",
    ),
    Row(
        15,
        "sqlite attach",
        "import sqlite3\nc = sqlite3.connect(':memory:')\ntry:\n    c.execute('ATTACH \\'' + OUT + '/a15.db\\' AS o'); c.execute('CREATE TABLE o.t (a)')\n"
        "except sqlite3.Error as e:\n    raise OSError from e\ngot = 1",
        "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('ATTACH \\'' + WORK + '/a15.db\\' AS o'); c.execute('CREATE TABLE o.t (a)'); got = 1",
    ),
    Row(
        15,
        "sqlite attach by parameter",
        "import sqlite3\nc = sqlite3.connect(':memory:')\ntry:\n    c.execute('ATTACH ? AS o', (OUT + '/p15.db',)); c.execute('CREATE TABLE o.t (a)')\n"
        "except sqlite3.Error as e:\n    raise OSError from e\ngot = 1",
        "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('ATTACH :f AS o', {'f': WORK + '/p15.db'}); c.execute('CREATE TABLE o.t (a)'); got = 1",
    ),
    Row(
        16,
        "sqlite vacuum into",
        "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('CREATE TABLE t (a)')\ntry:\n    c.execute('VACUUM INTO ?', (OUT + '/v16.db',))\n"
        "except sqlite3.Error as e:\n    raise OSError from e\ngot = 1",
        "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('CREATE TABLE t (a)'); c.commit(); c.execute('VACUUM INTO ?', (WORK + '/v16.db',)); got = 1",
    ),
    Row(
        16,
        "sqlite extension",
        "import sqlite3\nc = sqlite3.connect(':memory:')\nc.enable_load_extension(True)\ngot = 1",
        "import sqlite3; got = sqlite3.connect(':memory:').execute('SELECT 1').fetchone()",
        ONLY_GUARD,
    ),
    Row(
        17,
        "readline writes",
        "import readline; readline.write_history_file(OUT + '/h17'); got = 1",
        "import readline; readline.write_history_file('h17'); got = 1",
    ),
    Row(
        17,
        "readline reads",
        "import readline\nreadline.read_history_file(SECRET)\ngot = 'read'",
        "import readline\nreadline.read_history_file('data.txt'); got = 1",
    ),
    Row(
        18,
        "certificates",
        "import ssl\ntry:\n    ssl.create_default_context().load_verify_locations(SECRET)\nexcept ssl.SSLError:\n    got = 'read'",
        "import ssl\ntry:\n    ssl.create_default_context().load_verify_locations('data.txt')\nexcept ssl.SSLError:\n    got = 'read'",
    ),
    Row(
        18,
        "certificate chain",
        "import ssl\ntry:\n    ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(SECRET)\nexcept ssl.SSLError:\n    got = 'read'",
        "import ssl\ntry:\n    ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain('data.txt')\nexcept ssl.SSLError:\n    got = 'read'",
    ),
    Row(
        19,
        "log file",
        "import logging; logging.FileHandler(OUT + '/l19').close(); got = 1",
        "import logging; logging.FileHandler('l19').close(); got = 1",
    ),
    Row(
        19,
        "profile",
        "import cProfile; cProfile.Profile().dump_stats(OUT + '/p19'); got = 1",
        "import cProfile; cProfile.Profile().dump_stats('p19'); got = 1",
    ),
    Row(
        20,
        "dbm",
        "import dbm; dbm.open(OUT + '/d20', 'c').close(); got = 1",
        "import dbm; dbm.open('d20', 'c').close(); got = 1",
    ),
    Row(
        20,
        "mailbox",
        "import mailbox; mailbox.mbox(OUT + '/m20').lock(); got = 1",
        "import mailbox; mailbox.mbox('m20'); got = 1",
    ),
    Row(
        21,
        "subprocess",
        "import subprocess; got = subprocess.run(['/bin/id'], capture_output=True).stdout",
        "import subprocess; got = subprocess.PIPE",
    ),
    Row(
        21,
        "system",
        "import os\nif os.system('exit 7') != 7 << 8:\n    raise OSError\ngot = 1",
        "import os; got = os.getpid()",
    ),
    Row(
        21,
        "popen",
        "import os\ngot = os.popen('echo ran').read()\nif not got:\n    raise OSError",
        "import os; got = os.getppid() + 1",
    ),
    Row(
        21,
        "posix_spawn",
        "import os; p = os.posix_spawn('/bin/true', ['true'], {}); os.waitpid(p, 0); got = 1",
        "import os; got = len(os.environ)",
    ),
    Row(
        21,
        "exec in a child",
        "import os\np = os.fork()\nif p == 0:\n    try:\n        os.execv('/bin/true', ['true'])\n    except OSError:\n        os._exit(9)\n"
        "if os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) != 0:\n    raise OSError\ngot = 1",
        "import os\np = os.fork()\nif p == 0:\n    os._exit(0)\ngot = os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) + 1",
    ),
    Row(
        22,
        "fork_exec",
        "import _posixsubprocess as p, os\nr, w = os.pipe()\npid = p.fork_exec([b'true'], [b'/bin/true'], True, (w,), None, None, -1, -1, -1, -1, -1, -1, r, w,\n"
        "    True, False, -1, None, None, None, -1, None, False)\nif os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:\n    raise OSError\ngot = 1",
        "import os; got = os.pipe()",
    ),
    Row(
        23,
        "multiprocessing by spawn",
        "import multiprocessing as m\nfrom multiprocessing import util\n"
        "import os, sys\npid = util.spawnv_passfds(sys.executable.encode(), [b'python', b'-c', b'pass'], [])\n"
        "if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0:\n    raise OSError\ngot = 1",
        "import multiprocessing as m\nc = m.get_context('fork')\na, b = c.Pipe()\np = c.Process(target=b.send, args=(3,))\np.start(); got = a.recv(); p.join()",
    ),
    Row(
        23,
        "process of another context",
        "import multiprocessing as m, os\nc = m.get_context('spawn')\np = c.Process(target=open, args=(OUT + '/s23', 'w'))\np.start(); p.join()\ngot = os.stat(OUT + '/s23')",
        "import multiprocessing as m\nc = m.get_context('fork')\na, b = c.Pipe()\np = c.Process(target=b.send, args=(3,))\np.start(); got = a.recv(); p.join()",
    ),
    Row(
        24,
        "terminal of its own",
        "import os\npid, fd = os.forkpty()\nif pid == 0:\n    os._exit(0)\ngot = 1",
        "import os; got = os.getpid()",
        frozenset({GUARD, LANDLOCK}),
    ),
    Row(
        25,
        "pickle",
        "import pickle\ndata = b\"cposix\\nsystem\\n(S'exit 7'\\ntR.\"\nif pickle.loads(data) != 7 << 8:\n    raise OSError\ngot = 1",
        "import pickle; got = pickle.loads(pickle.dumps([1]))",
    ),
    Row(
        26,
        "ctypes, the interpreter itself",
        "import ctypes\nif ctypes.CDLL(None).system(b'exit 7') != 7 << 8:\n    raise OSError\ngot = 1",
        "import struct; got = struct.calcsize('P')",
    ),
    Row(
        27,
        "_ctypes",
        "import _ctypes; got = _ctypes.dlopen(None, 0)",
        "import array; got = array.array('i', [1])",
        ONLY_GUARD,
    ),
    Row(
        27,
        "ctypes.pythonapi",
        "import ctypes; got = ctypes.pythonapi.PyErr_Print",
        "import sys; got = sys.version",
        ONLY_GUARD,
    ),
    Row(
        28,
        "extension in the workspace",
        "import importlib.machinery as m, importlib.util as u, shutil\nshutil.copy(EXTENSION, WORK + '/evil.so')\n"
        "import importlib\nl = m.ExtensionFileLoader(MODULE, WORK + '/evil.so')\ngot = u.module_from_spec(u.spec_from_file_location(MODULE, WORK + '/evil.so', loader=l))",
        "open('own28.py', 'w').write('x = 3')\nimport sys\nsys.path.insert(0, WORK)\nimport own28\ngot = own28.x",
        ONLY_GUARD,
    ),
    Row(
        29,
        "gc finds the hook",
        "import gc\nfor o in gc.get_objects():\n    if getattr(o, '__name__', '') == 'hook':\n        o.__code__ = (lambda *a: None).__code__\ngot = open(SECRET).read()",
        "import gc; got = gc.collect() + 1",
    ),
    Row(
        30,
        "subclasses",
        "got = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'FileIO' or c.__name__ == '_wrap_close'] and open(SECRET).read()",
        "got = len(().__class__.__base__.__subclasses__())",
    ),
    Row(
        30,
        "globals of a function",
        "import os\nos.path.join.__globals__['os'].fspath = lambda p: p\ngot = open(SECRET).read()",
        "import os; got = os.path.join.__globals__['sep']",
    ),
    Row(
        31,
        "settrace",
        "import sys\nsys.settrace(lambda f, e, a: None)\ntry:\n    got = open(SECRET).read()\nfinally:\n    sys.settrace(None)",
        "import sys; got = sys.getrecursionlimit()",
    ),
    Row(
        32,
        "crafted code",
        "def f():\n    pass\nf.__code__ = f.__code__.replace(co_consts=())\ngot = open(SECRET).read()",
        "def f():\n    return 1\ngot = f.__code__.co_consts",
    ),
    Row(
        33,
        "own memory",
        "got = open('/proc/self/mem', 'r+b').fileno()",
        "got = open('data.txt', 'r+b').fileno()",
    ),
    Row(
        34,
        "subinterpreter",
        "import _xxsubinterpreters as i\nn = i.create()\ntry:\n    i.run_string(n, f'open({SECRET!r})')\nexcept i.RunFailedError as e:\n    raise OSError from e\ngot = 1",
        "import sys; got = sys.implementation.name",
    ),
    Row(
        35,
        "reloaded module",
        "import importlib, os\nimportlib.reload(os)\ngot = os.open(SECRET, os.O_RDONLY)",
        "import importlib, json; got = importlib.reload(json).dumps(1)",
    ),
    Row(
        35,
        "module loaded anew",
        "import sys\nold = sys.modules.pop('io')\nimport io\nsys.modules['io'] = old\ngot = io.open(SECRET).read()",
        "import sys; got = sys.modules['io'].open('data.txt').read()",
    ),
    Row(
        36,
        "open from _io",
        "import _io, builtins\nbuiltins.open = _io.open\ngot = open(SECRET).read()",
        "import _io; got = _io.open('data.txt').read()",
    ),
    Row(
        37,
        "realpath replaced",
        "import os\nold = os.path.realpath, os.fsdecode\nos.path.realpath = os.fsdecode = lambda *a: WORK + '/data.txt'\ntry:\n    got = open(SECRET).read()\n"
        "finally:\n    os.path.realpath, os.fsdecode = old",
        "import os; got = os.path.realpath('.')",
    ),
    Row(
        38,
        "recursion inside the hook",
        "import sys\ndef f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n        return open(SECRET).read()\ngot = f(0)",
        "def f(n):\n    return n if n > 300 else f(n + 1)\ngot = f(0)",
    ),
    Row(
        39,
        "lying text",
        "class L(str):\n    def startswith(self, *_):\n        return True\n    def split(self, *_):\n        return ['data.txt']\n    def __fspath__(self):\n"
        "        return 'data.txt'\ngot = open(L(SECRET)).read()",
        "class L(str):\n    pass\ngot = open(L('data.txt')).read()",
    ),
    Row(
        39,
        "changing path object",
        "class P:\n    n = 0\n    def __fspath__(self):\n        P.n += 1\n        return 'data.txt' if P.n % 2 else CLOSED + '/x'\nimport os\n"
        "sizes = {os.stat(P()).st_size, os.stat(P()).st_size}\nif 10 not in sizes:\n    raise OSError\ngot = 1",
        "class P:\n    def __fspath__(self):\n        return 'data.txt'\nimport os; got = os.stat(P()).st_size",
        GUARD_AND_BUBBLEWRAP,
    ),
    Row(
        41,
        "hard link",
        "import os; os.link(SECRET, 'l41'); got = open('l41').read()",
        "import os; os.link('data.txt', 'l41b'); got = open('l41b').read()",
    ),
    Row(
        41,
        "rename in",
        "import os; os.rename(OUT + '/note.txt', 'r41'); got = 1",
        "open('r41a', 'w').close()\nimport os; os.rename('r41a', 'r41b'); got = 1",
    ),
    Row(
        40,
        "folder swapped for a link",
        "import os, signal\nos.makedirs('r40/d')\nopen('r40/d/x', 'w').write('mine')\nos.symlink(CLOSED, 'r40/l')\npid = os.fork()\nif pid == 0:\n"
        "    os.chdir('r40')\n    while True:\n        os.rename('d', 'e'); os.rename('l', 'd'); os.rename('d', 'l'); os.rename('e', 'd')\n"
        "got = None\nfor _ in range(4000):\n    try:\n        said = open('r40/d/x').read()\n    except OSError:\n        continue\n"
        "    if said != 'mine':\n        got = said\n        break\nos.kill(pid, signal.SIGKILL)\nos.waitpid(pid, 0)",
        "import os\nos.makedirs('t40/d')\nopen('t40/d/x', 'w').write('mine')\nos.rename('t40/d', 't40/e')\ngot = open('t40/e/x').read()",
        WALLS,
        raced=True,
    ),
    Row(
        42,
        "connect",
        "import socket\ns = socket.create_connection(('127.0.0.1', PORT), 5)\ngot = s.recv(2)",
        "import socket; a, b = socket.socketpair(); a.send(b'x'); got = b.recv(1)",
    ),
    Row(
        42,
        "urllib",
        "import urllib.request\ngot = urllib.request.urlopen(f'http://127.0.0.1:{PORT}/', timeout=5)",
        "import urllib.parse; got = urllib.parse.quote('a b')",
    ),
    Row(
        42,
        "asyncio connection",
        "import asyncio\nasync def f():\n    r, w = await asyncio.open_connection('127.0.0.1', PORT)\n    return 1\ngot = asyncio.run(f())",
        "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 1\ngot = asyncio.run(f())",
    ),
    Row(
        42,
        "datagram",
        "import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ngot = s.sendto(b'x', ('127.0.0.1', PORT))",
        "import socket; got = socket.AF_INET",
    ),
    Row(
        43,
        "inherited socket",
        "import socket\ngot = socket.socket(fileno=LISTENER).getsockname()",
        "import socket; got = socket.socketpair()[0].getsockname() + 'x'",
    ),
    Row(
        44,
        "socket of this machine",
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(SOCKET)\ngot = 1",
        "import socket; got = socket.socketpair()[0].fileno()",
    ),
    Row(
        44,
        "abstract socket",
        "import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(ABSTRACT)\ngot = 1",
        "import socket; got = socket.socketpair()[1].fileno()",
    ),
    Row(
        44,
        "connection of multiprocessing",
        "from multiprocessing.connection import Client\ngot = Client(SOCKET)",
        "import multiprocessing as m\na, b = m.Pipe()\na.send(3); got = b.recv()",
    ),
    Row(
        45,
        "lookup",
        "import socket\ntry:\n    socket.getaddrinfo('a.evil.example', 80)\nexcept socket.gaierror as e:\n    raise OSError from e\ngot = 1",
        "import socket; got = socket.gethostname()",
    ),
    Row(
        46,
        "raw socket",
        "import socket\ngot = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).fileno()",
        "import socket; got = int(socket.SOCK_RAW)",
    ),
    Row(
        46,
        "netlink",
        "import socket\ngot = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).fileno()",
        "import socket; got = int(socket.AF_NETLINK)",
    ),
    Row(
        47,
        "listening",
        "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\ngot = s.getsockname()",
        "import socket; got = int(socket.SOMAXCONN)",
    ),
    Row(
        49,
        "signal to the parent",
        "import os; os.kill(OUTSIDER, 18); got = 1",
        "import os; os.kill(os.getpid(), 0); got = 1",
    ),
    Row(
        48,
        "rings of system calls",
        "import ctypes\nl = ctypes.CDLL(None, use_errno=True)\nif l.syscall(425, 1, ctypes.create_string_buffer(120)) < 0:\n    raise OSError(ctypes.get_errno(), 'io_uring')\ngot = 1",
        "import os; got = os.getpid()",
    ),
    Row(
        48,
        "system call by number",
        "import ctypes, os, platform\nl = ctypes.CDLL(None, use_errno=True)\n"
        "d = l.syscall(56 if platform.machine() in ('aarch64', 'arm64') else 257, -100, SECRET.encode(), 0)\n"
        "if d < 0:\n    raise OSError(ctypes.get_errno(), 'openat')\ngot = os.read(d, 99)",
        "import os\nd = os.open('data.txt', os.O_RDONLY)\ngot = os.read(d, 99)",
    ),
    Row(
        49,
        "signal by descriptor",
        "import os, signal\nd = os.pidfd_open(OUTSIDER)\nsignal.pidfd_send_signal(d, 0)\ngot = 1",
        "import os; got = os.getpid()",
    ),
    Row(
        50,
        "environment",
        "import os; got = os.environ.get('A_SECRET_TOKEN')",
        "import os; got = os.environ['PATH']",
    ),
    Row(
        50,
        "environment of the parent",
        "got = open(f'/proc/{OUTSIDER}/environ').read()",
        "import os; got = os.environ['HOME']",
    ),
    Row(
        51,
        "start-up file of a shell",
        "open(HOME + '/.bashrc', 'a').write('x'); got = 1",
        "open('notes.md', 'a').write('x'); got = 1",
    ),
    Row(
        51,
        "start-up file of Python",
        "open(WORK + '/sitecustomize.py', 'w').write('x = 1'); got = 1",
        "open(WORK + '/custom.py', 'w').write('x = 1'); got = 1",
        ONLY_GUARD,
    ),
    Row(
        52,
        "browser",
        "import webbrowser\nif not webbrowser.GenericBrowser('/bin/true').open('http://x'):\n    raise OSError\ngot = 1",
        "import webbrowser; got = webbrowser.__name__",
    ),
    Row(
        53,
        "another interpreter",
        "import subprocess, sys\ngot = subprocess.run([sys.executable, '-c', 'print(open(\"' + SECRET + '\").read())'], capture_output=True, check=True).stdout",
        "import sys; got = sys.executable",
    ),
    Row(
        54,
        "inherited descriptor",
        "import os\ngot = os.read(INHERITED, 9)",
        "import os\nr, w = os.pipe()\nos.write(w, b'x')\ngot = os.read(r, 1)",
    ),
    Row(
        56,
        "shared memory",
        "import _posixshmem, os\nn = f'/interlock-test-{os.getpid()}'\nd = _posixshmem.shm_open(n, os.O_CREAT | os.O_RDWR, 0o600)\ngot = os.stat('/dev/shm' + n)",
        "import mmap; got = len(mmap.mmap(-1, 10))",
        frozenset({GUARD, LANDLOCK}),
    ),
    Row(
        56,
        "shared memory by name",
        "from multiprocessing import resource_tracker as r, shared_memory as s\nimport os\nr.register = r.unregister = lambda *a: None\nn = f'interlock-row-{os.getpid()}'\nm = s.SharedMemory(n, create=True, size=8)\n"
        "try:\n    got = os.stat('/dev/shm/' + n)\nfinally:\n    m.close(); m.unlink()",
        "import mmap; got = len(mmap.mmap(-1, 10))",
        frozenset({GUARD, LANDLOCK}),
    ),
    Row(
        57,
        "typing into a terminal",
        "import fcntl, os\nm, t = os.openpty()\nfcntl.ioctl(t, 0x5412, b'x')\ngot = 1",
        "import fcntl; got = fcntl.fcntl(0, fcntl.F_GETFD) + 1",
    ),
)
