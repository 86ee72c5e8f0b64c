"""Attacks in Python, one row each: ``class``, ``name``, what is tried, its twin, and which layers
stop it by themselves (as in ``tests.codemode.rows_python``, whose names they use).

Nothing here harms the machine that tries it bare: what is foreign is the test's own (``OUTSIDER``,
a process that sleeps; ``OUT`` and ``HOME``, folders of the test), what is the system's is only
opened. ``call`` makes a system call by its number on x86-64.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.codemode.rows_python import ALL, BUBBLEWRAP, GUARD, LANDLOCK, READ

CALL = (
    "import ctypes, os\nl = ctypes.CDLL(None, use_errno=True)\n"
    "def call(*a):\n    r = l.syscall(*a)\n    if r < 0:\n        e = ctypes.get_errno()\n"
    "        raise OSError(e, os.strerror(e))\n    return r + 1\n"
)
"""What makes a system call; it returns one more than that, so that nothing it returns is 0."""


NAMES = "names in a home, which the policy lets be seen"


class Attack(NamedTuple):
    """One attack. ``stopped_by``: the layers that stop it without the others."""

    sort: str
    name: str
    attempt: str
    twin: str = READ
    stopped_by: frozenset[str] = ALL


def _rows(sort: str, twin: str, *rows: tuple[str, ...]) -> list[Attack]:
    """Return the rows of one class, which share a twin. A row's third word says which layers let
    it through: ``guard``, ``landlock``, ``bubblewrap``.
    """
    return [
        Attack(sort, name, attempt, twin, ALL - frozenset("".join(passes).split()))
        for name, attempt, *passes in rows
    ]


def _calls(*rows: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [(name, CALL + attempt, *more) for name, attempt, *more in rows]


ROWS: list[Attack] = [
    *_rows(
        "programs from memory, and by a loader",
        "import os\nopen('tool', 'w').write('#!/bin/true')\nos.chmod('tool', 0o700)\ngot = os.access('tool', os.X_OK)",
        *[
            (name, f"import os, sys\npid = os.fork()\nif pid == 0:\n    try:\n        {run}\n    finally:\n        os._exit(9)\ngot = os.waitpid(pid, 0)[1] == 0 or None")
            for name, run in (
                ("file in memory", "d = os.memfd_create('x'); os.write(d, open('/bin/true', 'rb').read()); os.execve(d, ['true'], {})"),
                ("file in memory by its path", "d = os.memfd_create('x', 0); os.write(d, open('/bin/true', 'rb').read()); os.execv(f'/proc/self/fd/{d}', ['true'])"),
                ("the loader", "os.execv('/lib64/ld-linux-x86-64.so.2', ['ld', '/bin/true'])"),
                ("a copy in the workspace", "open('copied', 'wb').write(open('/bin/true', 'rb').read()); os.chmod('copied', 0o755); os.execv('./copied', ['copied'])"),
                ("a link in the workspace", "os.path.islink('linked') or os.symlink('/bin/true', 'linked'); os.execv('./linked', ['linked'])"),
                ("its own interpreter by /proc/self/exe", "os.execv('/proc/self/exe', ['python', '-I', '-S', '-c', ''])"),
                ("with LD_AUDIT", "os.execve(sys.executable, ['python', '-I', '-S', '-c', ''], {'LD_AUDIT': './audit.so'})"),
                ("a script", "open('script', 'w').write('#!/bin/true\\n'); os.chmod('script', 0o755); os.execv('./script', ['script'])"),
            )
        ],
    ),
    *_rows(
        "system calls by number",
        "import os\ngot = os.sysconf('SC_PAGE_SIZE')",
        *_calls(
            ("openat2", "how = (0).to_bytes(24, 'little'); d = call(437, -100, SECRET.encode(), how, 24) - 1; got = os.read(d, 9)"),
            ("execveat", "d = os.open('/bin/true', os.O_PATH)\npid = os.fork()\nif pid == 0:\n    try:\n        v = (ctypes.c_char_p * 2)(b'true', None); call(322, d, b'', v, None, 0x1000)\n    finally:\n        os._exit(9)\ngot = os.waitpid(pid, 0)[1] == 0 or None"),
            ("name_to_handle_at", "b = ctypes.create_string_buffer((128).to_bytes(4, 'little'), 140); m = ctypes.c_int(); call(303, -100, SECRET.encode(), b, ctypes.byref(m), 0); d = os.open('/', 0); got = os.read(call(304, d, b, 0) - 1, 9)"),
            ("statx", "b = ctypes.create_string_buffer(256); got = call(332, -100, (CLOSED + '/x').encode(), 0, 0xfff, b)", "landlock"),
            ("inotify on secrets", "d = call(294, 0) - 1; got = call(254, d, (HOME + '/.ssh').encode(), 0xfff)", "landlock"),
            ("fanotify", "got = call(300, 0, 0)"),
            ("io_uring", "got = call(425, 4, ctypes.create_string_buffer(120))"),
            ("userfaultfd", "got = call(323, 0)"),
            ("perf_event_open", "a = ctypes.create_string_buffer((1).to_bytes(4, 'little') + (112).to_bytes(4, 'little'), 112); got = call(298, a, 0, -1, -1, 0)"),
            ("bpf", "a = ctypes.create_string_buffer(b''.join(n.to_bytes(4, 'little') for n in (2, 4, 8, 1)), 72); got = call(321, 0, a, 72)"),
            ("key of a keyring", "got = call(248, b'user', b'interlock-test', b'x', 1, -2)"),
            ("keyctl", "got = call(250, 0, -2, 1)"),
            ("request_key", "call(248, b'user', b'interlock-r', b'x', 1, -2); got = call(249, b'user', b'interlock-r', None, -2)"),
            ("quotactl", "got = call(179, 0x80000100, None, 0, None)"),
            ("syslog", "got = call(103, 10, None, 0)"),
            ("a new memory policy for others", "got = call(256, OUTSIDER, 64, ctypes.create_string_buffer(8), ctypes.create_string_buffer(8))"),
        ),
    ),
    *_rows(
        "namespaces and mounts",
        "import os\ngot = os.listdir('.')",
        *_calls(
            ("a user namespace", "got = call(272, 0x10000000)"),
            ("a mount namespace", "got = call(272, 0x20000)"),
            ("a network namespace", "got = call(272, 0x40000000)"),
            ("a process namespace", "got = call(272, 0x20000000)"),
            ("a mount of its own", "call(272, 0x20000); call(165, b'none', b'/', None, 0x44000, None); got = call(165, b'none', b'src', b'tmpfs', 0, None)"),
            ("a bind mount", "call(272, 0x20000); call(165, b'none', b'/', None, 0x44000, None); call(165, HOME.encode(), b'src', None, 0x1000, None); got = open('src/.ssh/id_rsa').read()"),
            ("setns", "d = os.open(f'/proc/{OUTSIDER}/ns/uts', 0); got = call(308, d, 0)"),
            ("setns by pidfd", "d = call(434, OUTSIDER, 0) - 1; got = call(308, d, 0x4000000)"),
            ("fsopen", "got = call(430, b'tmpfs', 0)"),
            ("open_tree", "got = call(428, -100, OUT.encode(), 1)"),
            ("clone with a namespace", "pid = l.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)\nif pid == 0:\n    os._exit(0)\nif pid < 0:\n    raise OSError(ctypes.get_errno(), 'clone')\nos.waitpid(pid, 0)\ngot = 1"),
            ("another root", "got = call(161, OUT.encode())"),
        ),
    ),
    *_rows(
        "other processes",
        "import os, signal\nr = []\nsignal.signal(signal.SIGUSR2, lambda *_: r.append(1))\nos.kill(os.getpid(), signal.SIGUSR2)\ngot = r[0]",
        *_calls(
            ("ptrace", "got = call(101, 0x4206, OUTSIDER, 0, 0)"),
            ("process_vm_readv", "b = ctypes.create_string_buffer(8); v = (ctypes.c_size_t * 2)(ctypes.addressof(b), 8); r = (ctypes.c_size_t * 2)(int(open(f'/proc/{OUTSIDER}/maps').read(12), 16), 8); got = call(310, OUTSIDER, v, 1, r, 1, 0)"),
            ("pidfd_getfd", "d = call(434, OUTSIDER, 0) - 1; got = call(438, d, 2, 0)"),
            ("kcmp", "got = call(312, os.getpid(), OUTSIDER, 1, 0, 0)"),
            ("tgkill", "got = call(234, OUTSIDER, OUTSIDER, 0)"),
            ("rt_sigqueueinfo", "b = ctypes.create_string_buffer((18).to_bytes(4, 'little') + bytes(4) + (-1).to_bytes(4, 'little', signed=True), 128); got = call(129, OUTSIDER, 18, b)"),
            ("ioprio_set", "got = call(251, 1, OUTSIDER, 0x4004)"),
            ("robust list", "h = ctypes.c_size_t(); s = ctypes.c_size_t(); got = call(274, OUTSIDER, ctypes.byref(h), ctypes.byref(s))"),
            ("core scheduling", "got = call(157, 0x3e, 0, OUTSIDER, 0, ctypes.byref(ctypes.c_ulonglong()))"),
        ),
        ("priority", "import os; os.setpriority(os.PRIO_PROCESS, OUTSIDER, 5); got = 1"),
        ("affinity", "import os; os.sched_setaffinity(OUTSIDER, os.sched_getaffinity(0)); got = 1"),
        ("scheduler", "import os; os.sched_setscheduler(OUTSIDER, os.SCHED_BATCH, os.sched_param(0)); got = 1"),
        ("limits", "import resource; resource.prlimit(OUTSIDER, resource.RLIMIT_CORE, (0, resource.RLIM_INFINITY)); got = 1"),
        ("memory as a file", "import os; got = os.open(f'/proc/{OUTSIDER}/mem', os.O_RDWR)"),
        ("its root", "got = open(f'/proc/{OUTSIDER}/root' + SECRET).read()"),
        ("its folder", "import os; got = os.listdir(f'/proc/{OUTSIDER}/cwd')", "guard"),
        ("its descriptors", "import os; got = os.listdir(f'/proc/{OUTSIDER}/fd')", "guard"),
        ("its command line", "got = open(f'/proc/{OUTSIDER}/cmdline').read()", "guard"),
        ("its name", "got = open(f'/proc/{OUTSIDER}/comm', 'w').write('sleep')"),
        ("who is killed first", "got = open(f'/proc/{OUTSIDER}/oom_score_adj', 'w').write('0')"),
    ),
    *_rows(
        "shared memory and queues of all",
        "import mmap; got = len(mmap.mmap(-1, 10))",
        *_calls(
            ("System V memory", "d = call(29, 0, 64, 0o1600) - 1; got = call(31, d, 0, 0)", "bubblewrap"),
            ("System V semaphores", "d = call(64, 0, 1, 0o1600) - 1; got = call(66, d, 0, 0)", "bubblewrap"),
            ("System V queue", "d = call(68, 0, 0o1600) - 1; got = call(71, d, 0, 0)", "bubblewrap"),
            ("POSIX queue", "d = call(240, b'interlock-attack', 0o102, 0o600, None); got = call(241, b'interlock-attack')"),
        ),
        ("memory of another by name", "got = open('/dev/shm/' + SHARED).read()", "guard"),
    ),
    *_rows(
        "sockets of every family",
        "import socket\na, b = socket.socketpair()\na.send(b'x')\ngot = b.recv(1)",
        *[
            (name, f"import socket; got = socket.socket({words}).fileno() + 1")
            for name, words in (
                ("TCP", "2, 1"), ("UDP", "2, 2"), ("TCP over IPv6", "10, 1"), ("raw", "2, 3, 1"),
                ("ping", "2, 2, 1"), ("UDP-Lite", "2, 2, 136"), ("SCTP", "2, 1, 132"), ("MPTCP", "2, 1, 262"),
                ("packets", "17, 3, 0"), ("machines of this host (vsock)", "40, 1"), ("XDP", "44, 3"), ("kernel crypto (ALG)", "38, 5"),
                ("routes (netlink)", "16, 3, 0"), ("sockets of all (netlink)", "16, 3, 4"), ("audit (netlink)", "16, 3, 9"),
                ("devices (netlink)", "16, 3, 15"), ("generic netlink", "16, 3, 16"), ("keys (PF_KEY)", "15, 3, 2"),
                ("SMC", "43, 1"), ("CAN", "29, 3, 1"), ("TIPC", "30, 1"), ("RDS", "21, 5"), ("QRTR", "42, 2"), ("Bluetooth", "31, 3, 1"), ("KCM", "41, 2"),
            )
        ],
        ("pair of datagrams", "import socket; a, b = socket.socketpair(1, 2); got = 1; a.sendto(b'x', DATAGRAM)"),
        ("datagram without a pair", "import socket; got = socket.socket(1, 2).sendto(b'x', DATAGRAM)"),
        ("file of a socket by asyncio", "import asyncio\nasync def f():\n    r, w = await asyncio.open_unix_connection(SOCKET)\n    w.close()\n    return 1\ngot = asyncio.run(f())"),
        ("a descriptor from a socket", "import socket; s = socket.socket(1, 1); s.connect(SOCKET); got = s.fileno()"),
    ),
    *_rows(
        "hosts by the library",
        "import urllib.parse; got = urllib.parse.urlsplit('http://127.0.0.1:1/x').port",
        ("ftplib", "import ftplib\ntry:\n    ftplib.FTP().connect('127.0.0.1', PORT, timeout=2)\nexcept ftplib.Error as e:\n    got = repr(e)"),
        ("smtplib", "import smtplib\ntry:\n    smtplib.SMTP('127.0.0.1', PORT, timeout=2)\nexcept smtplib.SMTPException as e:\n    if isinstance(e, smtplib.SMTPConnectError) or 'closed' in str(e):\n        got = repr(e)\n    else:\n        raise"),
        ("poplib", "import poplib\ntry:\n    poplib.POP3('127.0.0.1', PORT, timeout=2)\nexcept poplib.error_proto as e:\n    got = repr(e)"),
        ("connection from an address", "import socket; got = socket.create_connection(('127.0.0.1', PORT), 5, ('127.0.0.1', 0)).recv(9)"),
        ("in hexadecimal", "import socket; got = socket.create_connection(('0x7f000001', PORT), 5).recv(9)"),
        ("mapped into IPv6", "import socket; s = socket.socket(10, 1); s.connect(('::ffff:127.0.0.1', PORT)); got = s.recv(9)"),
        ("connect_ex", "import socket\ns = socket.socket(2, 1)\ne = s.connect_ex(('127.0.0.1', PORT))\nif e:\n    raise OSError(e, 'refused')\ngot = s.recv(9)"),
        ("fast open", "import socket; s = socket.socket(2, 1); s.sendto(b'x', 0x20000000, ('127.0.0.1', PORT)); got = s.recv(9)"),
        ("loop.sock_connect", "import asyncio, socket\nasync def f():\n    s = socket.socket(2, 1); s.setblocking(False)\n    await asyncio.get_running_loop().sock_connect(s, ('127.0.0.1', PORT))\n    return 1\ngot = asyncio.run(f())"),
    ),
    *_rows(
        "secrets by the library",
        READ,
        ("copied by descriptor", "import os; r, w = os.pipe(); os.splice(os.open(SECRET, 0), w, 9); got = os.read(r, 9)"),
        ("copy_file_range", "import os; d = os.open('own-copy', os.O_CREAT | os.O_RDWR); os.copy_file_range(os.open(SECRET, 0), d, 9); got = os.pread(d, 9, 0)"),
        ("copy of a link", "import os, shutil\nos.path.islink('to-key') or os.symlink(SECRET, 'to-key')\ngot = open(shutil.copyfile('to-key', 'own-key')).read()"),
        ("mapped into memory", "import mmap, os; got = mmap.mmap(os.open(SECRET, 0), 0, prot=mmap.PROT_READ)[:]"),
        ("O_PATH, then again", "import os; d = os.open(SECRET, os.O_PATH); got = open(f'/proc/self/fd/{d}').read()"),
        ("preadv", "import os; b = bytearray(9); os.preadv(os.open(SECRET, 0), [b], 0); got = bytes(b)"),
        ("archive of a home", "import shutil, tarfile; shutil.make_archive('home', 'tar', HOME); got = [n for n in tarfile.open('home.tar').getnames() if 'id_rsa' in n]"),
        ("scandir by descriptor", "import os; got = [e.name for e in os.scandir(os.open(HOME + '/.ssh', 0))]"),
        ("fileinput", "import fileinput; got = list(fileinput.input([SECRET]))"),
        ("tokenize", "import tokenize; got = tokenize.open(SECRET).read()"),
        ("configparser", "import configparser\nc = configparser.ConfigParser()\ntry:\n    got = c.read(SECRET) or None\nexcept configparser.Error as e:\n    got = repr(e)"),
        ("runpy", "import runpy\ntry:\n    runpy.run_path(SECRET)\nexcept SyntaxError as e:\n    got = e.text"),
        ("py_compile", "import py_compile\ntry:\n    py_compile.compile(SECRET, 'x.pyc', doraise=True)\nexcept py_compile.PyCompileError as e:\n    got = str(e)"),
        ("netrc", "import netrc\ntry:\n    netrc.netrc(SECRET)\nexcept netrc.NetrcParseError as e:\n    got = str(e)"),
        ("an import", "import importlib.machinery, importlib.util\ns = importlib.util.spec_from_file_location('x', SECRET, loader=importlib.machinery.SourceFileLoader('x', SECRET))\ntry:\n    s.loader.exec_module(importlib.util.module_from_spec(s))\nexcept SyntaxError as e:\n    got = e.text"),
    ),
    *_rows(
        NAMES,
        "import os; got = os.listdir('.')",
        ("names in a home", "import os; got = [n for _, _, n in os.walk(HOME + '/.ssh')] or None", "guard"),
        ("glob", "import glob; got = glob.glob(HOME + '/.ssh/*') or None", "guard"),
        ("difflib of a home", "import filecmp, os; os.makedirs('empty', exist_ok=True); got = filecmp.dircmp(HOME + '/.ssh', 'empty').left_only or None", "guard"),
    ),
    *_rows(
        "what runs later",
        "open('ordinary.txt', 'w').write('x'); got = 1",
        *[
            (name, f"import os\nos.makedirs(os.path.dirname(HOME + '/{path}'), exist_ok=True)\nopen(HOME + '/{path}', 'w').write('x'); got = 1")
            for name, path in (
                ("profile", ".profile"), ("zsh", ".zshenv"), ("desktop", ".config/autostart/x.desktop"), ("systemd", ".config/systemd/user/x.service"),
                ("ssh keys", ".ssh/authorized_keys"), ("git", ".gitconfig"), ("a .pth file of the user", ".local/lib/python3/site-packages/x.pth"),
                ("npm", ".npmrc"), ("the client's settings", ".claude/settings.json"), ("the guard's policy", ".config/interlock/policy.yaml"),
            )
        ],
        *[
            (name, f"open(WORK + '/{path}', 'w').write('x'); got = 1", "landlock")
            for name, path in (
                ("git hook", ".git/hooks/pre-commit"), ("git configuration", ".git/config"), ("settings of a client", ".claude/settings.json"),
            )
        ],
        ("git hook by rename", "import os; open('hook', 'w').write('x'); os.replace('hook', WORK + '/.git/hooks/post-commit'); got = 1", "landlock"),
        ("git hook by link", "import os; os.symlink(WORK + '/.git/hooks', 'way-to-hooks'); open('way-to-hooks/pre-push', 'w').write('x'); got = 1", "landlock"),
    ),
    *_rows(
        "the machine itself",
        "got = open('/dev/null', 'w').write('x')",
        *[
            (path, f"import os; got = os.open('{path}', os.O_WRONLY)")
            for path in (
                "/etc/hosts", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger", "/dev/kmsg", "/dev/mem",
                "/proc/sys/vm/overcommit_memory", "/sys/kernel/mm/transparent_hugepage/enabled",
            )
        ],
        *[
            (path, f"got = open('{path}', 'rb').read(1)")
            for path in ("/etc/shadow", "/proc/kcore", "/proc/1/environ", "/root/.bash_history")
        ],
        *[
            (name, f"import resource as r\nhard = r.getrlimit(r.{limit})[1]\ntry:\n    r.setrlimit(r.{limit}, (hard if hard < 0 else hard + 4096,) * 2)\nexcept ValueError as e:\n    raise OSError(str(e))\ngot = 1")
            for name, limit in (("a core file", "RLIMIT_CORE"), ("more memory", "RLIMIT_AS"), ("larger files", "RLIMIT_FSIZE"))
        ],
        ("another user", "import os; os.setresuid(65534, 65534, 65534); got = 1"),
        ("groups", "import os; os.setgroups([]); got = 1"),
        ("the name of the machine", "import socket; socket.sethostname(socket.gethostname()); got = 1"),
        ("a device", "import os, stat; os.mknod('device', 0o600 | stat.S_IFCHR, os.makedev(1, 3)); got = 1"),
    ),
]  # fmt: skip
LAYERS = (GUARD, LANDLOCK, BUBBLEWRAP)
