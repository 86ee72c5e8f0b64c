"""The house keeps its laws, and each law is known to bite: a made-up tree that breaks it is
rejected, its twin is not.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.architecture import bounds, imports, style
from tests.architecture.asserting import blind
from tests.architecture.source import Module, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Check = Callable[[Iterable[Module]], list[str]]

SOURCE = Path(__file__).parent.parent / "src" / "interlock"

CHECKS: tuple[Check, ...] = (
    imports.import_law,
    imports.within,
    imports.doors,
    imports.circles,
    imports.foreign,
    imports.purity_of_imports,
    style.purity_of_calls,
    style.module_sizes,
    style.module_median,
    style.function_sizes,
    style.parameters,
    style.names,
    style.verbs,
    style.class_names,
    style.silence,
    bounds.cuts,
)


def function(lines: int, name: str = "f") -> str:
    """Write a function of so many lines."""
    return f"def {name}():\n" + "    1\n" * (lines - 1)


def swallowing(what: str, body: str = "pass") -> str:
    """Write a ``try`` whose ``except`` is as given."""
    return f"for x in y:\n    try:\n        f()\n    except{what}:\n        {body}\n"


# each row: the law, a tree that breaks it, a tree that does not
SEEDED: dict[str, tuple[Check, dict[str, str], dict[str, str]]] = {
    "up": (
        imports.import_law,
        {"model/a.py": "from interlock.engine.b import c\n", "engine/b.py": "c = 1\n"},
        {"engine/b.py": "from interlock.model.a import c\n", "model/a.py": "c = 1\n"},
    ),
    "up, named by from": (
        imports.import_law,
        {"engine/a.py": "from interlock import policy\n", "policy/__init__.py": ""},
        {"policy/a.py": "from interlock import engine\n", "engine/__init__.py": ""},
    ),
    "up, relative": (
        imports.import_law,
        {"model/a.py": "from ..shell.b import c\n", "shell/b.py": "c = 1\n"},
        {"shell/a.py": "from ..model.b import c\n", "model/b.py": "c = 1\n"},
    ),
    "up, inside a function": (
        imports.import_law,
        {"guard/a.py": "def f():\n    import interlock.cli.b\n", "cli/b.py": ""},
        {"cli/a.py": "def f():\n    import interlock.guard.b\n", "guard/b.py": ""},
    ),
    "up, by a call": (
        imports.import_law,
        {
            "effects/a.py": "__import__(f'interlock.cli.{x}', None, None, ['y'])\n",
            "cli/__init__.py": "",
        },
        {
            "effects/a.py": "__import__(f'interlock.effects.programs.{x}', None, None, ['y'])\n",
            "effects/programs/__init__.py": "",
        },
    ),
    "up, for types": (
        imports.import_law,
        {
            "shell/a.py": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from interlock.effects.b import C\n",
            "effects/b.py": "",
        },
        {
            "effects/a.py": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from interlock.shell.b import C\n",
            "shell/b.py": "",
        },
    ),
    "up, to the package itself": (
        imports.import_law,
        {"guard/a.py": "from interlock import Guard\n", "__init__.py": "Guard = 1\n"},
        {"__init__.py": "from interlock.guard.a import Guard\n", "guard/a.py": "Guard = 1\n"},
    ),
    "sideways between services": (
        imports.import_law,
        {"audit/a.py": "from interlock.ledger import b\n", "ledger.py": "b = 1\n"},
        {"audit/a.py": "from interlock.audit import b\n", "audit/b.py": ""},
    ),
    "sideways between rules and effects": (
        imports.import_law,
        {"effects/a.py": "from interlock.rules import b\n", "rules/b.py": ""},
        {"engine/a.py": "from interlock.rules import b\n", "rules/b.py": ""},
    ),
    "sideways between parts of the service": (
        imports.within,
        {
            "service/ingest/a.py": "from interlock.service.people import b\n",
            "service/people/b.py": "",
        },
        {
            "service/routes.py": "from interlock.service.people import b\n",
            "service/people/b.py": "",
        },
    ),
    "a part of the service on no floor": (
        imports.within,
        {
            "service/odd.py": "from interlock.service.store import b\n",
            "service/store/b.py": "",
            "service/app.py": "import interlock.service.odd\n",
        },
        {"service/app.py": "from interlock.service.store import b\n", "service/store/b.py": ""},
    ),
    "a room on no floor": (imports.import_law, {"misc/a.py": ""}, {"stop/a.py": ""}),
    "the door to the world": (
        imports.doors,
        {"guard/a.py": "from interlock.facts import Live\n", "facts.py": "Live = 1\n"},
        {"cli/build.py": "from interlock.facts import Live\n", "facts.py": "Live = 1\n"},
    ),
    "the store": (
        imports.doors,
        {"cli/log.py": "from interlock import store\n", "store/__init__.py": ""},
        {"audit/log.py": "from interlock import store\n", "store/__init__.py": ""},
    ),
    "the store, opened where its type may be named": (
        imports.doors,
        {"guard/a.py": "from interlock.store import Store\nx = Store()\n", "store/__init__.py": ""},
        {
            "guard/a.py": "from interlock.store import Store\ndef f(x: list[Store]): 1\n",
            "store/__init__.py": "",
        },
    ),
    "a rule that names a command line's type": (
        imports.doors,
        {
            "rules/a.py": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from interlock.shell.b import C\n",
            "shell/b.py": "",
        },
        {
            "rules/a.py": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from interlock.model.b import C\n",
            "model/b.py": "",
        },
    ),
    "a rule that reads command lines": (
        imports.doors,
        {"rules/a.py": "from interlock.shell.b import c\n", "shell/b.py": "c = 1\n"},
        {"effects/a.py": "from interlock.shell.b import c\n", "shell/b.py": "c = 1\n"},
    ),
    "a circle of two": (
        imports.circles,
        {
            "shell/a.py": "from interlock.shell import b\n",
            "shell/b.py": "def f():\n    from interlock.shell.a import c\n",
        },
        {"shell/a.py": "from interlock.shell import b\n", "shell/b.py": "c = 1\n"},
    ),
    "a circle of types": (
        imports.circles,
        {
            "shell/a.py": "from interlock.shell import b\n",
            "shell/b.py": "from interlock.shell.a import C\ndef f(x: C): 1\n",
        },
        {
            "shell/a.py": "from interlock.shell import b\n",
            "shell/b.py": "from interlock.shell.c import C\ndef f(x: C): 1\n",
            "shell/c.py": "class C: 1\n",
        },
    ),
    "a circle by a call": (
        imports.circles,
        {
            "shell/a.py": "__import__(f'interlock.shell.{x}', None, None, ['y'])\n",
            "shell/b.py": "import interlock.shell.a\n",
        },
        {
            "shell/a.py": "__import__(f'interlock.shell.{x}', None, None, ['y'])\n",
            "shell/b.py": "",
        },
    ),
    "a circle around corners": (
        imports.circles,
        {
            "shell/a.py": "import interlock.shell.b\n",
            "shell/b.py": "try:\n    from .c import x\nexcept ImportError:\n    raise\n",
            "shell/c.py": "from . import a\n",
        },
        {
            "shell/a.py": "import interlock.shell.b\nimport interlock.shell.c\n",
            "shell/b.py": "from . import c\n",
            "shell/c.py": "",
        },
    ),
    "shlex": (imports.foreign, {"shell/a.py": "import shlex\n"}, {"shell/a.py": "import string\n"}),
    "yaml outside policy": (
        imports.foreign,
        {"rules/a.py": "import yaml\n"},
        {"policy/load.py": "import yaml\n"},
    ),
    "a network client": (
        imports.foreign,
        {"audit/a.py": "from urllib import request\n"},
        {"validator/a.py": "from urllib import request\n"},
    ),
    "urllib.parse is no network client": (
        imports.foreign,
        {"audit/a.py": "import http.client\n"},
        {"audit/a.py": "import urllib.parse\n"},
    ),
    "somebody else's package": (
        imports.foreign,
        {"cli/a.py": "import click\n"},
        {"cli/a.py": "import argparse\n"},
    ),
    "the disk in a pure room": (
        imports.purity_of_imports,
        {"effects/a.py": "import os.path\n"},
        {"audit/a.py": "import os.path\n"},
    ),
    "the clock in a pure room": (
        imports.purity_of_imports,
        {"engine/a.py": "def f():\n    from time import time\n"},
        {"limits.py": "import time\n"},
    ),
    "a process in a pure module": (
        imports.purity_of_imports,
        {"policy/merge.py": "import subprocess\n"},
        {"policy/load.py": "import subprocess\n"},
    ),
    "chance in a pure room": (
        imports.purity_of_imports,
        {"rules/a.py": "from random import choice\n"},
        {"rules/a.py": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from random import Random\n"},
    ),
    "open in a pure room": (
        style.purity_of_calls,
        {"shell/a.py": "f = open('x')\n"},
        {"store/a.py": "f = open('x')\n"},
    ),
    "the disk by a call": (
        imports.purity_of_imports,
        {"effects/a.py": "__import__('os')\n"},
        {"effects/a.py": "__import__('json')\n"},
    ),
    "a module chosen at run time": (
        style.purity_of_calls,
        {"effects/a.py": "__import__(f'{x}')\n"},
        {"effects/a.py": "__import__(f'interlock.effects.{x}')\n"},
    ),
    "code compiled": (
        style.purity_of_calls,
        {"effects/a.py": "x = compile(y, 'z', 'exec', 0)\n"},
        {"effects/a.py": "x = compile(y, 'z', 'exec', _ast.PyCF_ONLY_AST, dont_inherit=True)\n"},
    ),
    "code compiled beside its tree": (
        style.purity_of_calls,
        {"effects/a.py": "x = compile(y, 'z', 'exec', _ast.PyCF_ONLY_AST & 0)\n"},
        {"effects/a.py": "x = compile(y, 'z', 'eval', _ast.PyCF_ONLY_AST)\n"},
    ),
    "open under another name": (
        style.purity_of_calls,
        {"model/a.py": "f = [open]\n"},
        {"model/a.py": "f = x.open\n"},
    ),
    "a long module": (
        style.module_sizes,
        {"engine/a.py": "x = 1\n" * 501},
        {"engine/a.py": "x\n" * 500},
    ),
    "a long module that does not say why": (
        style.module_sizes,
        {"shell/a.py": '"""Parse."""\n' + "x\n" * 700},
        {
            "shell/a.py": '"""Parse.\n\nIt has more than 500\nlines because of x.\n"""\n'
            + "x\n" * 700
        },
    ),
    "a module too long to say why": (
        style.module_sizes,
        {"shell/a.py": '"""It has more than 500 lines because of x."""\n' + "x\n" * 800},
        {"shell/a.py": '"""It has more than 500 lines because of x."""\n' + "x\n" * 799},
    ),
    "only the parser may say why": (
        style.module_sizes,
        {"engine/a.py": '"""It has more than 500 lines because of x."""\n' + "x\n" * 500},
        {"shell/a.py": '"""It has more than 500 lines because of x."""\n' + "x\n" * 500},
    ),
    "long modules": (
        style.module_median,
        {"model/__init__.py": '"""."""\n', "model/a.py": "x\n" * 151, "model/b.py": "x\n" * 160},
        {"model/__init__.py": '"""."""\n', "model/a.py": "x\n" * 140, "model/b.py": "x\n" * 160},
    ),
    "a long __init__": (
        style.module_sizes,
        {"model/__init__.py": "x\n" * 61},
        {"model/__init__.py": "x\n" * 39},
    ),
    "a long function": (
        style.function_sizes,
        {"a.py": function(61) + function(2) * 20},
        {"a.py": function(60) + function(2) * 20},
    ),
    "a tenth long": (
        style.function_sizes,
        {"a.py": function(31) * 2 + function(2) * 8},
        {"a.py": function(31) + function(2) * 9},
    ),
    "a high median": (
        style.function_sizes,
        {"a.py": function(11) * 3 + function(2) * 2},
        {"a.py": function(11) * 2 + function(2) * 3},
    ),
    "many parameters": (
        style.parameters,
        {"a.py": "def f(a, b, c, *d, e, g, **h): 1\n"},
        {"a.py": "class A:\n    def f(self, a, b, c, d, e, *, g): 1\n"},
    ),
    "many parameters of a constructor that works": (
        style.parameters,
        {
            "a.py": "class A:\n    def __init__(self, a, b, c, d, e, f, g):\n        self.a = a\n        open(b)\n"
        },
        {
            "a.py": "class A:\n    def __init__(self, a, b, c, d, e, f, g):\n        '''Fields.'''\n        self.a = a\n        self.b: int = b\n"
        },
    ),
    "a module's name": (style.names, {"cli/utils.py": ""}, {"cli/utility.py": ""}),
    "a class's name": (
        style.names,
        {"a.py": "class HTTPManager: 1\n"},
        {"a.py": "class Management: 1\n"},
    ),
    "a function's name": (
        style.names,
        {"a.py": "def _parse_helper(): 1\n"},
        {"a.py": "def parse_help(): 1\n"},
    ),
    "a parameter's name": (
        style.names,
        {"a.py": "def f(*, handler): 1\n"},
        {"a.py": "x.handler(handlers)\n"},
    ),
    "a variable's name": (style.names, {"a.py": "HANDLERS = 1\n"}, {"a.py": "HANDLED = 1\n"}),
    "a function that is a participle": (
        style.verbs,
        {"a.py": "def told_again(text): 1\n"},
        {"a.py": "def tell_again(text): 1\ndef feed(text): 1\nclass A:\n    def told(self): 1\n"},
    ),
    "a participle that no rule of spelling finds": (
        style.verbs,
        {"a.py": "async def _joined(texts): 1\n"},
        {"a.py": "async def _join(texts): 1\n"},
    ),
    "a class's name, twice": (
        style.class_names,
        {"a.py": "class Row: 1\n", "b.py": "class Row: 1\n"},
        {"a.py": "class Row: 1\n", "b.py": "class Column:\n    class Row: 1\n"},
    ),
    "a bare except": (
        style.silence,
        {"a.py": swallowing("", "raise")},
        {"a.py": swallowing(" ValueError")},
    ),
    "everything passed over": (
        style.silence,
        {"a.py": swallowing(" Exception")},
        {"a.py": swallowing(" Exception", "raise")},
    ),
    "everything continued": (
        style.silence,
        {"a.py": swallowing(" (OSError, BaseException) as e", "continue")},
        {"a.py": swallowing(" (OSError, KeyError) as e", "continue")},
    ),
    "a slice by a bound": (
        bounds.cuts,
        {"effects/a.py": "def f(x):\n    return x[:MAX_LINES]\n"},
        {"effects/a.py": "def f(x):\n    return g() if len(x) > MAX_LINES else x[:MAX_LINES]\n"},
    ),
    "everything suppressed": (
        style.silence,
        {"a.py": "import contextlib\nwith contextlib.suppress(Exception):\n    f()\n"},
        {"a.py": "import contextlib\nwith contextlib.suppress(KeyError):\n    f()\n"},
    ),
}


def plant(folder: Path, files: dict[str, str]) -> tuple[Module, ...]:
    """Write a made-up package and read it."""
    package = folder / "interlock"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return load(package)


@pytest.fixture(scope="module")
def house() -> tuple[Module, ...]:
    """The source itself."""
    return load(SOURCE)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_house_keeps_its_laws(check: Check, house: tuple[Module, ...]) -> None:
    """Every law holds for the source as it stands."""
    complaints = check(house)
    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.parametrize("name", SEEDED)
def test_a_seeded_violation_is_rejected(name: str, tmp_path: Path) -> None:
    """A made-up tree that breaks a law is complained about."""
    check, broken, _ = SEEDED[name]
    complaints = check(plant(tmp_path, broken))
    assert len(complaints) == 1, complaints


@pytest.mark.parametrize("name", SEEDED)
def test_its_twin_is_permitted(name: str, tmp_path: Path) -> None:
    """Nearly the same tree, within the law, is not complained about."""
    check, _, kept = SEEDED[name]
    assert check(plant(tmp_path, kept)) == []


def test_what_is_still_long_is_listed_as_it_is(house: tuple[Module, ...]) -> None:
    """Nothing on the list may grow, and what became shorter is struck out, so that it stays so."""
    assert style.still_long(house) == style.STILL_LONG


def test_what_is_longer_than_the_law_is_seen(tmp_path: Path) -> None:
    """A module and a function that are too long are measured; those within the law are not."""
    long = {
        "engine/a.py": "x\n" * 501,
        "engine/b.py": "x\n" * 500,
        "c.py": function(61) + function(60, "g"),
    }
    assert style.still_long(plant(tmp_path, long)) == {
        "interlock.engine.a": 501,
        "interlock.c.f": 61,
    }


def test_every_law_is_known_to_bite() -> None:
    """No law stands without a violation that it rejects."""
    assert set(CHECKS) == {check for check, _, _ in SEEDED.values()}


def test_the_house_is_found(house: tuple[Module, ...]) -> None:
    """The laws are held against the real source and not against an empty folder."""
    assert {"interlock.model.record", "interlock.shell.tree"} <= {module.name for module in house}


def test_every_test_asserts_what_it_holds() -> None:
    """No test leaves its assertions to a function that it calls."""
    assert blind(Path(__file__).parent) == []


@pytest.mark.parametrize(
    ("body", "sees"),
    [
        ("assert f()", True),
        ("with pytest.raises(OSError):\n        f()", True),
        ("f()", False),
        ("with pytest.MonkeyPatch.context():\n        f()", False),
    ],
)
def test_a_test_without_an_assertion_is_found(tmp_path: Path, body: str, *, sees: bool) -> None:
    """What only calls is complained about; what asserts, or expects an exception, is not."""
    (tmp_path / "test_x.py").write_text(f"def test_x():\n    {body}\n", encoding="utf-8")
    assert (blind(tmp_path) == []) is sees
