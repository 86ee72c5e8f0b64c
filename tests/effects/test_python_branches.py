"""What Python leaves behind branches that nobody knows: both arms count, and each place where a
block may end.
"""

from __future__ import annotations

import pytest

from interlock.model.action import ASK, VERDICT_ALLOW
from tests.judging import judged

ASKED = (
    "try:\n  from urllib.request import urlretrieve as f\nexcept ImportError:\n  from urllib import urlretrieve as f\nf('', '/usr/bin/x')",
    "import sys\nif sys.argv[1:]:\n  from os import remove as r\nelse:\n  from posix import unlink as r\nr('/home/user/Documents/a')",
    "import os\nc = 'rm -rf ~'\ntry:\n  open('x')\n  c = 'ls'\nexcept OSError:\n  pass\nos.system(c)",
    "import os, sys\nC = 'ls'\ndef f():\n  global C\n  C = 'rm -rf ~'\n  if sys.argv[1:]:\n    return\n  C = 'ls'\nf()\nos.system(C)",
    "import os, sys\np = 'build' if sys.argv[1:] else '/home/user'\nimport shutil\nshutil.rmtree(p)",
    "import os, subprocess\nos.environ['LD_PRELOAD'] = '/tmp/x.so'\nsubprocess.run(['ls'])",
    "import subprocess\nsubprocess.run(['git', 'fetch'], env={'GIT_SSH_COMMAND': 'rm -rf ~'})",
    "import sys\nsys.path.insert(0, '/tmp/x')\nimport m",
    "import ctypes\nctypes.CDLL('/tmp/x.so')",
    "import configparser\nprint(configparser.ConfigParser().read('/home/user/.aws/credentials'))",
    "import netrc\nprint(netrc.netrc())",
    "import boto3\nprint(boto3.Session().get_credentials())",
    "import sqlite3\nsqlite3.connect('/home/user/x.db').execute('delete from t')",
)
ALLOWED = (
    "try:\n  import ujson as json\nexcept ImportError:\n  import json\nprint(json.loads('{}'))",
    "import os\nc = 'echo hi'\ntry:\n  open('x')\n  c = 'ls'\nexcept OSError:\n  pass\nos.system(c)",
    "import subprocess\nsubprocess.run(['git', 'log'], env={'GIT_PAGER': 'cat'})",
    "import sys\nsys.path.insert(0, 'src')\nimport m",
    "import configparser\nprint(configparser.ConfigParser().read('setup.cfg'))",
    "import sqlite3\nprint(sqlite3.connect('/home/user/x.db').execute('select 1'))",
    "try: import x; print(1); except: print(2)",
)


@pytest.mark.parametrize("program", ASKED)
def test_every_arm_counts(program: str) -> None:
    """What one of them does is asked about, and what was set before a statement that may fail
    stays.
    """
    assert judged(f"python3 <<'EOF'\n{program}\nEOF").action >= ASK


@pytest.mark.parametrize("program", ALLOWED)
def test_harmless_arms_say_nothing(program: str) -> None:
    """The permitted twins; text that no Python compiles does nothing."""
    assert judged(f"python3 <<'EOF'\n{program}\nEOF").verdict == VERDICT_ALLOW
