"""Programs such as agents write: tasks, each in variants of data, size and manner. Written for this
project.

``$N`` is a number, ``$W`` a word, ``$READ`` and ``$WRITE`` ways to read and write a file; every
program prints what it found. They run in a folder with ``data.csv``, ``app.log``, ``config.ini``,
``settings.toml``, ``notes.md``, ``items.json`` and ``pkg/tools.py``.
"""

from __future__ import annotations

from string import Template

VARIANTS = 10
WORDS = (
    "alpha",
    "report",
    "result",
    "summary",
    "metrics",
    "orders",
    "users",
    "events",
    "totals",
    "index",
)
READS = (
    "def read(p):\n    with open(p) as f:\n        return f.read()",
    "from pathlib import Path\ndef read(p):\n    return Path(p).read_text()",
    "import io\ndef read(p):\n    return io.open(p, encoding='utf-8').read()",
    "import os\ndef read(p):\n    fd = os.open(p, os.O_RDONLY)\n    try:\n        return os.read(fd, 1 << 20).decode()\n    finally:\n        os.close(fd)",
    "import codecs\ndef read(p):\n    with codecs.open(p, 'r', 'utf-8') as f:\n        return f.read()",
)
WRITES = (
    "def write(p, t):\n    with open(p, 'w') as f:\n        f.write(t)",
    "import pathlib\ndef write(p, t):\n    pathlib.Path(p).write_text(t)",
    "import os, tempfile\ndef write(p, t):\n    fd, name = tempfile.mkstemp(dir='.')\n    os.write(fd, t.encode())\n    os.close(fd)\n    os.replace(name, p)",
    "def write(p, t):\n    with open(p, 'ab') as f:\n        f.truncate(0)\n        f.write(t.encode())",
    "import os\ndef write(p, t):\n    os.makedirs(os.path.dirname(p) or '.', exist_ok=True)\n    print(t, file=open(p, 'w', buffering=1), end='')",
)

FILES = {
    "data.csv": "name,group,amount\n"
    + "".join([f"n{at},g{at % 4},{at * 3 % 17}\n" for at in range(40)]),
    "app.log": "".join(
        [
            f"2026-01-{at % 28 + 1:02d} {'ERROR' if at % 5 == 0 else 'INFO'} worker-{at % 3} took {at * 7 % 90}ms\n"
            for at in range(60)
        ]
    ),
    "config.ini": "[server]\nhost = localhost\nport = 8080\n[paths]\ncache = ./cache\n",
    "settings.toml": "title = 'x'\n[tool]\nlevel = 3\nnames = ['a', 'b']\n",
    "notes.md": "# Title\n\ntext\n\n## First part\n\n- a\n- b\n\n## Second part\n\nmore `code`\n",
    "items.json": '[{"id": 1, "tags": ["a", "b"], "price": 2.5}, {"id": 2, "tags": [], "price": 10}, {"id": 3, "tags": ["b"], "price": 0.5}]',
    "pkg/__init__.py": "",
    "pkg/tools.py": "def double(x):\n    return 2 * x\n",
}

TASKS: dict[str, str] = {
    "sum a csv": "import csv, io, collections\n$READ\nt = collections.Counter()\nfor r in csv.DictReader(io.StringIO(read('data.csv'))):\n    t[r['group']] += int(r['amount'])\nprint(sorted(t.items())[:$N])",
    "csv to json": "import csv, json\n$WRITE\nrows = list(csv.DictReader(open('data.csv')))\nwrite('$W.json', json.dumps(rows[:$N], indent=2))\nprint(len(json.load(open('$W.json'))))",
    "filter a log": "import re\n$READ\nfound = [l for l in read('app.log').splitlines() if re.search(r'ERROR.*worker-[0-$N]', l)]\nprint(len(found), found[:1])",
    "slowest calls": "import heapq, re\n$READ\nt = [int(m) for m in re.findall(r'took (\\d+)ms', read('app.log'))]\nprint(heapq.nlargest($N, t))",
    "replace in files": "import glob, os\n$READ\n$WRITE\nos.makedirs('$W', exist_ok=True)\nfor i in range($N):\n    write(f'$W/f{i}.txt', 'foo bar ' * i)\nfor p in sorted(glob.glob('$W/*.txt')):\n    write(p, read(p).replace('foo', 'baz'))\nprint(read('$W/f1.txt'))",
    "rename files": "import os\nos.makedirs('$W', exist_ok=True)\nfor i in range($N):\n    open(f'$W/old{i}', 'w').close()\nfor n in os.listdir('$W'):\n    os.rename(f'$W/{n}', f'$W/{n.replace(\"old\", \"new\")}')\nprint(sorted(os.listdir('$W')))",
    "back up a folder": "import shutil\nshutil.copytree('pkg', '$W-copy$N', ignore=shutil.ignore_patterns('*.pyc', '__pycache__'))\nimport os\nprint(sorted(os.listdir('$W-copy$N')))",
    "zip": "import zipfile\nwith zipfile.ZipFile('$W.zip', 'w') as z:\n    for n in ('data.csv', 'notes.md')[:$N]:\n        z.write(n)\nprint(zipfile.ZipFile('$W.zip').namelist())",
    "tar": "import tarfile\nwith tarfile.open('$W.tar.gz', 'w:gz') as t:\n    t.add('notes.md')\nwith tarfile.open('$W.tar.gz') as t:\n    print([m.name for m in t.getmembers()] * $N)",
    "sqlite report": "import sqlite3\nc = sqlite3.connect('$W.db')\nc.execute('CREATE TABLE IF NOT EXISTS t (a, b)')\nc.executemany('INSERT INTO t VALUES (?, ?)', [(i, i * i) for i in range($N)])\nc.commit()\nprint(c.execute('SELECT sum(b) FROM t').fetchone())",
    "sqlite in memory": "import sqlite3\nwith sqlite3.connect(':memory:') as c:\n    c.execute('CREATE TABLE t (a)')\n    c.executemany('INSERT INTO t VALUES (?)', [(x,) for x in range($N)])\n    print(c.execute('SELECT count(*), max(a) FROM t').fetchall())",
    "count words": "import collections\n$READ\nprint(collections.Counter(read('notes.md').split()).most_common($N))",
    "hash files": "import hashlib, os\nfor n in sorted(os.listdir('.'))[:$N]:\n    if os.path.isfile(n):\n        print(n, hashlib.sha256(open(n, 'rb').read()).hexdigest()[:8])",
    "find duplicates": "import hashlib, pathlib, collections\nd = collections.defaultdict(list)\nfor i in range($N):\n    pathlib.Path(f'$W{i}.bin').write_bytes(bytes([i % 3]) * 10)\nfor p in sorted(pathlib.Path('.').glob('$W*.bin')):\n    d[hashlib.md5(p.read_bytes()).hexdigest()].append(p.name)\nprint(sorted(map(len, d.values())))",
    "table of contents": "$READ\nfor l in read('notes.md').splitlines():\n    if l.startswith('#'):\n        n = len(l) - len(l.lstrip('#'))\n        print('  ' * (n - 1) + '- ' + l.strip('# ')[:$N * 3])",
    "edit an ini": "import configparser\nc = configparser.ConfigParser()\nc.read('config.ini')\nc['server']['port'] = str(8000 + $N)\nwith open('$W.ini', 'w') as f:\n    c.write(f)\nprint(open('$W.ini').read())",
    "read toml": "import tomllib\nwith open('settings.toml', 'rb') as f:\n    s = tomllib.load(f)\nprint(s['tool']['level'] + $N, s['tool']['names'])",
    "render a template": "from string import Template\n$WRITE\nwrite('$W.txt', Template('Dear $$name, you owe $$sum').substitute(name='$W', sum=$N))\nprint(open('$W.txt').read())",
    "command line": "import argparse\np = argparse.ArgumentParser()\np.add_argument('--count', type=int, default=$N)\np.add_argument('names', nargs='*', default=['$W'])\na = p.parse_args([])\nprint(a.count * len(a.names))",
    "dates": "import datetime as d\nb = d.date(2026, 1, 31)\nprint([(b + d.timedelta(days=7 * i)).isoformat() for i in range($N)], b.strftime('%A'))",
    "time zones": "import datetime, zoneinfo\nz = zoneinfo.ZoneInfo('Europe/Berlin')\nprint(datetime.datetime(2026, ($N - 1) % 12 + 1, 1, 12, tzinfo=z).utcoffset())",
    "primes": "n = $N * 100\ns = bytearray([1]) * (n + 1)\nfor i in range(2, int(n ** .5) + 1):\n    if s[i]:\n        s[i * i::i] = bytes(len(s[i * i::i]))\nprint(sum(s[2:]))",
    "shortest way": "import collections\ng = {i: [(i * 2) % 50, (i + $N) % 50] for i in range(50)}\nq, seen = collections.deque([(0, 0)]), {0}\nwhile q:\n    v, d = q.popleft()\n    if v == 37:\n        print(d)\n        break\n    for w in g[v]:\n        if w not in seen:\n            seen.add(w)\n            q.append((w, d + 1))\nelse:\n    print('none')",
    "unit tests": "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(sum(range($N)), $N * ($N - 1) // 2)\nr = unittest.TextTestRunner(stream=open('$W.out', 'w')).run(unittest.defaultTestLoader.loadTestsFromTestCase(T))\nprint(r.wasSuccessful())",
    "data classes": "import dataclasses, json\n@dataclasses.dataclass(order=True)\nclass P:\n    x: int\n    tags: list = dataclasses.field(default_factory=list)\nprint(json.dumps([dataclasses.asdict(p) for p in sorted(P($N - i) for i in range(3))]))",
    "enumerations": "import enum\nclass C(enum.IntFlag):\n    A = enum.auto()\n    B = enum.auto()\nprint(C.A | C.B, C($N % 4))",
    "thread pool": "import concurrent.futures as f\ndef work(p):\n    return len(open(p).read())\nwith f.ThreadPoolExecutor($N) as e:\n    print(list(e.map(work, ['data.csv', 'app.log', 'notes.md'])))",
    "asyncio": "import asyncio\nasync def work(i):\n    await asyncio.sleep(0.001 * i)\n    return i * i\nasync def main():\n    print(sum(await asyncio.gather(*[work(i) for i in range($N)])))\nasyncio.run(main())",
    "forked processes": "import multiprocessing as m\nif __name__ == '__main__':\n    c = m.get_context('fork')\n    a, b = c.Pipe()\n    p = c.Process(target=lambda: b.send($N * 2))\n    p.start()\n    print(a.recv())\n    p.join()",
    "logging": "import logging\nlogging.basicConfig(filename='$W.log', level=logging.INFO, format='%(levelname)s %(message)s')\nfor i in range($N):\n    logging.info('step %d', i)\nprint(len(open('$W.log').readlines()))",
    "temporary folder": "import tempfile, pathlib\nwith tempfile.TemporaryDirectory() as d:\n    for i in range($N):\n        (pathlib.Path(d) / f'{i}.txt').write_text('x' * i)\n    print(sum(p.stat().st_size for p in pathlib.Path(d).iterdir()))",
    "walk a tree": "import os\nt = 0\nfor r, ds, fs in os.walk('.'):\n    ds[:] = sorted(x for x in ds if x == 'pkg')\n    t += sum(os.path.getsize(os.path.join(r, f)) for f in fs if f in ('tools.py', 'data.csv', 'notes.md'))\nprint(t + $N)",
    "difference of texts": "import difflib\n$READ\na = read('notes.md').splitlines()\nb = a[:$N] + ['new'] + a[$N:]\nprint('\\n'.join(difflib.unified_diff(a, b, lineterm='')))",
    "statistics": "import statistics as s\nx = [(i * 37) % 101 for i in range($N * 5)]\nprint(s.mean(x), s.median(x), round(s.stdev(x), 3))",
    "money": "from decimal import Decimal, ROUND_HALF_UP\nprint([str((Decimal(i) / 3).quantize(Decimal('0.01'), ROUND_HALF_UP)) for i in range($N)])",
    "base64": "import base64, zlib\nx = zlib.compress(b'$W' * $N)\nprint(base64.b64encode(x).decode(), zlib.decompress(x)[:5])",
    "parse html": "from html.parser import HTMLParser\nclass P(HTMLParser):\n    n = 0\n    def handle_starttag(self, t, a):\n        self.n += t == 'a'\np = P()\np.feed('<p><a href=x>y</a></p>' * $N)\nprint(p.n)",
    "parse xml": "import xml.etree.ElementTree as e\nr = e.fromstring('<r>' + '<i v=\"3\"/>' * $N + '</r>')\nprint(sum(int(i.get('v')) for i in r.iter('i')))\ne.ElementTree(r).write('$W.xml')",
    "pickle a cache": "import pickle, os\nif not os.path.exists('$W.pkl'):\n    with open('$W.pkl', 'wb') as f:\n        pickle.dump({i: i ** 3 for i in range($N)}, f)\nprint(len(pickle.load(open('$W.pkl', 'rb'))))",
    "memoise": "import functools\n@functools.lru_cache(None)\ndef f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f($N * 10))",
    "combinations": "import itertools, operator, functools\nprint(sum(functools.reduce(operator.mul, c) for c in itertools.combinations(range(1, $N + 3), 2)))",
    "a report": "import textwrap, json\ni = json.load(open('items.json'))\nfor x in i:\n    print(textwrap.shorten(f'{x[\"id\"]}: {\", \".join(x[\"tags\"]) or \"-\"} at {x[\"price\"]:.2f}', 20 + $N))",
    "json lines": "import json\nwith open('$W.jsonl', 'w') as f:\n    for i in range($N):\n        f.write(json.dumps({'i': i}) + '\\n')\nprint(sum(json.loads(l)['i'] for l in open('$W.jsonl')))",
    "binary records": "import struct\nwith open('$W.bin', 'wb') as f:\n    for i in range($N):\n        f.write(struct.pack('<IH', i, i * 2))\nprint([struct.unpack('<IH', c) for c in iter(lambda f=open('$W.bin', 'rb'): f.read(6), b'')][-1])",
    "gzip": "import gzip\nwith gzip.open('$W.gz', 'wt') as f:\n    f.write('line\\n' * $N)\nprint(len(gzip.open('$W.gz', 'rt').readlines()))",
    "unique names": "import uuid, secrets\nprint(len({uuid.uuid4() for _ in range($N)}), len(secrets.token_hex($N)))",
    "calendar": "import calendar\nprint(calendar.month(2026, ($N - 1) % 12 + 1))",
    "profile": "import cProfile, pstats, io\np = cProfile.Profile()\np.enable()\nsorted(range($N * 100), key=lambda x: -x)\np.disable()\ns = io.StringIO()\npstats.Stats(p, stream=s).print_stats(3)\nprint('function calls' in s.getvalue())",
    "rewrite code": "import ast\n$READ\nt = ast.parse(read('pkg/tools.py'))\nfor n in ast.walk(t):\n    if isinstance(n, ast.Constant):\n        n.value = $N\nprint(ast.unparse(t))",
    "import beside": "import sys\nsys.path.insert(0, '.')\nfrom pkg.tools import double\nprint(double($N))",
    "links in the workspace": "import os\nif os.path.lexists('$W.lnk'):\n    os.remove('$W.lnk')\nos.symlink('notes.md', '$W.lnk')\nprint(os.readlink('$W.lnk'), os.path.realpath('$W.lnk').endswith('notes.md'), len(open('$W.lnk').read()) > $N)",
    "file locks": "import fcntl\nwith open('$W.lock', 'w') as f:\n    fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\n    f.write('x' * $N)\nprint(len(open('$W.lock').read()))",
    "copy with times": "import shutil, os\nshutil.copy2('notes.md', '$W.md')\nos.chmod('$W.md', 0o644)\nos.utime('$W.md', (1, $N))\nprint(int(os.stat('$W.md').st_mtime))",
    "a time-out of its own": "import signal\ndef late(*_):\n    raise TimeoutError\nsignal.signal(signal.SIGALRM, late)\nsignal.setitimer(signal.ITIMER_REAL, 0.05)\ntry:\n    while True:\n        pass\nexcept TimeoutError:\n    print('late', $N)",
}  # fmt: skip


def programs() -> list[tuple[str, str]]:
    """Return all programs, each with its name."""
    return [(f"{task}-{at}", written(task, at)) for task in TASKS for at in range(VARIANTS)]


def written(task: str, at: int) -> str:
    """Return one variant of a task."""
    given = {
        "N": str(at + 2),
        "W": WORDS[at],
        "READ": READS[at % len(READS)],
        "WRITE": WRITES[at * 3 % len(WRITES)],
    }
    return Template(TASKS[task]).substitute(given) + "\n"
