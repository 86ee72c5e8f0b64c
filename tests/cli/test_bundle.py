"""The bundle of compiled modules: used while it is true, passed over as soon as it is not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from interlock.cli import bundle, bundle_writer

SHOW = """
import sys
sys.path += [sys.argv[1], sys.argv[2].rpartition("/")[0]]
from interlock.cli.bundle import use
used = use(sys.argv[2])
import made.inner as inner
print(used, inner.WORD, inner.__file__)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of two modules."""
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "__init__.py").write_text('"""Made for a test."""\n')
    (folder / "inner.py").write_text('"""Inner."""\nWORD = "first"\n')
    return folder


def _subsets(names: list[str]) -> Iterator[tuple[str, ...]]:
    for many in range(len(names) + 1):
        yield from combinations(names, many)


def seen(package: Path) -> list[str]:
    """Return whether a fresh process used the bundle, and what it then imported."""
    source = os.path.dirname(os.path.dirname(os.path.dirname(bundle.__file__)))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", SHOW, source, str(package)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_a_module_comes_from_the_bundle(package: Path) -> None:
    """With a bundle, the module runs even where its own cache and the path finder are out of the
    way.
    """
    bundle_writer.write(str(package))
    assert seen(package) == ["True", "first", f"{package}/inner.py"]


def test_a_copy_of_the_package_has_a_copy_of_its_bundle(package: Path, tmp_path: Path) -> None:
    """It is used where it lies then, its modules are those that lie beside it, and nothing is
    written anew.
    """
    path = Path(bundle_writer.write(str(package)))
    copy = tmp_path / "other" / "made"
    shutil.copytree(package, copy)
    assert seen(copy) == ["True", "first", f"{copy}/inner.py"]
    os.utime(copy / "__pycache__" / path.name, ns=(1, 1))
    assert os.stat(bundle_writer.write(str(copy))).st_mtime_ns == 1


def test_a_changed_source_is_imported_anew(package: Path) -> None:
    """A bundle never hides a newer source."""
    bundle_writer.write(str(package))
    (package / "inner.py").write_text('"""Inner."""\nWORD = "second"\n')
    os.utime(package / "inner.py", ns=(1, 1))
    assert seen(package)[1] == "second"


def test_a_module_without_source_is_not_invented(package: Path) -> None:
    """What was removed from the package cannot come back from its bundle."""
    bundle_writer.write(str(package))
    (package / "inner.py").unlink()
    with pytest.raises(subprocess.CalledProcessError):
        seen(package)


def test_what_is_as_new_as_its_sources_is_not_written_again(package: Path) -> None:
    """A second writing leaves the file; a changed source has it written anew."""
    path = bundle_writer.write(str(package))
    os.utime(path, ns=(1, 1))
    assert os.stat(bundle_writer.write(str(package))).st_mtime_ns == 1
    (package / "inner.py").write_text('"""Inner."""\nWORD = "other"\n')
    assert os.stat(bundle_writer.write(str(package))).st_mtime_ns != 1
    assert seen(package)[:2] == ["True", "other"]


def test_a_module_that_is_met_late_runs_late(package: Path) -> None:
    """A module that is imported as one runs when something of it is asked for, and only once."""
    (package / "inner.py").write_text("print('inner runs')\nWORD = 'first'\n")
    (package / "outer.py").write_text(
        "from made import inner\n\n\ndef late() -> str:\n    return inner.WORD\n"
    )
    bundle_writer.write(str(package))
    code = (
        "import sys; sys.path += sys.argv[1:3]; from interlock.cli.bundle import use;"
        "use(sys.argv[2] + '/made'); from made import outer; print('imported');"
        "print(outer.late(), outer.late())"
    )
    source = os.path.dirname(os.path.dirname(os.path.dirname(bundle.__file__)))
    argv = [sys.executable, "-I", "-S", "-c", code, source, str(package.parent)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["imported", "inner runs", "first first"]


OTHERS = {
    "by a function alone": ("import json as other\ndef f() -> str:\n    return other.dumps(1)\n", False),
    "at the top": ("import json as other\nX = other.dumps(1)\ndef f() -> str:\n    return X\n", True),
    "for what a parameter is otherwise": (
        "import json as other\ndef f(to=other.dumps) -> str:\n    return to(1)\n", True,
    ),
    "to change something of it": (
        "import json as other\ndef f() -> str:\n    other.made = 1\n    return other.dumps(1)\n", True,
    ),
    "for its import alone": ("import json as other\ndef f() -> str:\n    return '1'\n", True),
}  # fmt: skip
"""How a module uses one of Python's own, and whether that is imported with it."""


@pytest.mark.parametrize(("text", "soon"), OTHERS.values(), ids=OTHERS)
def test_a_module_of_pythons_own_is_imported_when_it_is_needed(
    package: Path, text: str, *, soon: bool
) -> None:
    """One that only functions name is imported when one of them asks for something of it, and is
    the one that everybody else has; every other is imported at the top, where it stands.
    """
    (package / "inner.py").write_text(text)
    bundle_writer.write(str(package))
    code = (
        "import sys; sys.path += sys.argv[1:3]; from interlock.cli.bundle import use;"
        "use(sys.argv[2] + '/made'); from made import inner; inner.f;"
        "print('json' in sys.modules); print(inner.f()); print(len(sys.modules['json'].dumps([])))"
    )
    expected = [str(soon), "1", "2"]
    assert _said(code, package) == expected


MODULES = {
    "cli/__init__": "",
    "cli/build": "from made import inner, late\ndef say() -> str:\n    return late.say()\n",
    "inner": (
        "from __future__ import annotations\nfrom typing import Protocol\n"
        "class Shape(Protocol): ...\ndef f(x: Shape) -> None: ...\nWORD = 'first'\n"
    ),
    "late": "from made import outer\ndef say() -> str:\n    return outer.say()\n",
    "outer": "from made.inner import WORD\ndef say() -> str:\n    return WORD\n",
}
CHANGED = {
    "cli/__init__": "HERE = 'here'\n",
    "cli/build": "from made import late\ndef say() -> str:\n    return 'new' + late.say()\n",
    "inner": "class Shape: ...\nWORD = 'second'\n",
    "late": "from made import inner, outer\ndef say() -> str:\n    return inner.WORD + outer.say()\n",
    "outer": "from made.inner import Shape, WORD\ndef say() -> str:\n    return Shape.__name__ + WORD\n",
}
"""Each fits the others as they stand, changed or not: ``Shape`` is left out of the first's bundle."""


@pytest.mark.parametrize("touched", [True, False])
@pytest.mark.parametrize("changed", [*_subsets(sorted(MODULES))], ids="+".join)
def test_whatever_changed_the_answer_is_that_without_a_bundle(
    package: Path, changed: tuple[str, ...], *, touched: bool
) -> None:
    """Whichever modules changed after the bundle was written, by their text or only their time, a
    process does what it does without a bundle; it is used where nothing changed.
    """
    (package / "cli").mkdir()
    for name, text in MODULES.items():
        (package / f"{name}.py").write_text(text)
    bundle_writer.write(str(package))
    for name in changed:
        file = package / f"{name}.py"
        file.write_text(MODULES[name] if touched else CHANGED[name])
        os.utime(file, ns=(1, 1))
    code = (
        "import sys; sys.path += sys.argv[1:3]; from interlock.cli.bundle import use;"
        "print(use(sys.argv[2] + '/made')); from made.cli import build; print(build.say())"
    )
    with_it = _said(code, package)
    for file in package.glob("__pycache__/*.bundle"):
        file.unlink()
    assert with_it == [str(not changed), *_said(code, package)[1:]]


def _said(code: str, package: Path) -> list[str]:
    source = os.path.dirname(os.path.dirname(os.path.dirname(bundle.__file__)))
    argv = [sys.executable, "-I", "-S", "-B", "-c", code, source, str(package.parent)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()


def test_what_only_annotations_name_is_left_out(package: Path) -> None:
    """Imports and aliases for annotations are not there when the module runs; what another module
    takes, or reaches through the module, is.
    """
    (package / "inner.py").write_text(
        "from __future__ import annotations\n"
        "from fractions import Fraction\n"
        "from decimal import Decimal\n"
        "from collections.abc import Callable\n"
        "Made = Callable[[Decimal], None]\n"
        "Taken = list[int]\n"
        "def f(x: Fraction, y: Made, z: Taken) -> None: ...\n"
        "WORD = ','.join(sorted(n for n in list(globals()) if n[:1].isalpha()))\n"
    )
    (package / "outer.py").write_text("from made import inner\nX = inner.Taken\n")
    bundle_writer.write(str(package))
    assert seen(package)[1] == "Taken,annotations,f"


FULFILS = {
    "what is only declared": ("class Says(Protocol):\n    n: int\n    def f(self) -> int: ...\n", ""),
    "with a type in brackets": (
        "T = TypeVar('T')\nclass Says(Protocol[T]):\n    def f(self) -> T:\n        'x'\n", "",
    ),
    "a value": ("class Says(Protocol):\n    n: int = 1\n", "Protocol,Says"),
    "a body": ("class Says(Protocol):\n    def f(self) -> int:\n        return 1\n", "Protocol,Says"),
}  # fmt: skip
"""Protocols, and what of them is there for a class that fulfils them."""


@pytest.mark.parametrize(("said", "left"), FULFILS.values(), ids=FULFILS)
def test_a_class_stands_on_no_protocol_that_only_declares(
    package: Path, said: str, left: str
) -> None:
    """Nothing of it is there to be inherited; what a protocol gives is kept, and so is itself."""
    (package / "says.py").write_text(
        f"from __future__ import annotations\nfrom typing import Protocol, TypeVar\n{said}"
    )
    base = "Says[int]" if "[T]" in said else "Says"
    (package / "inner.py").write_text(
        "from __future__ import annotations\nfrom made import says\nfrom made.says import Says\n"
        f"class Made({base}):\n    def g(self) -> int:\n        return 2\n"
        "assert Made().g() == 2\n"
        "WORD = ','.join(sorted({n for n in (*dir(says), *globals()) if n in ('Says', 'Protocol')}))\n"
    )
    bundle_writer.write(str(package))
    assert seen(package)[1:2] == ([left] if left else [f"{package}/inner.py"])


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"\x00" * 40, b"\xa9\x02\xe9\x63\x00\x00\x00\xfb"]
)
def test_a_damaged_bundle_is_passed_over(package: Path, content: bytes) -> None:
    """A file that is no bundle changes nothing."""
    path = bundle_writer.write(str(package))
    with open(path, "wb") as file:
        file.write(content)
    assert seen(package) == ["False", "first", f"{package}/inner.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="ulimit is what Unix has")
def test_without_room_nothing_is_left_of_it(package: Path) -> None:
    """What cannot be written whole is not there at all, beside the bundle of before."""
    before = bundle_writer.write(str(package))
    (package / "late.py").write_text("")
    code = "import sys; from interlock.cli import bundle_writer; bundle_writer.write(sys.argv[1])"
    argv = [
        "/bin/sh",
        "-c",
        'ulimit -f 0; exec "$0" "$@"',
        sys.executable,
        "-c",
        code,
        str(package),
    ]
    done = subprocess.run(
        argv,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "File too large" in done.stderr
    assert [path.name for path in package.glob("__pycache__/*")] == [os.path.basename(before)]
    assert seen(package)[0] == "True"


FIRST = """
import sys
sys.path += [sys.argv[1], sys.argv[2].rpartition("/")[0]]
from interlock.cli import bundle, bundle_writer
used = bundle.use(sys.argv[2])
print(used, *[name for name in sys.modules if name.startswith("made.")])
import made.cli.build as build
print(build.WORD)
"""


def first(package: Path) -> list[str]:
    """Return whether a fresh process used the bundle, what it ran at once, and what the wanted
    module then says.
    """
    source = os.path.dirname(os.path.dirname(os.path.dirname(bundle.__file__)))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", FIRST, source, str(package)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_what_every_call_needs_runs_at_once(package: Path) -> None:
    """The modules of ``ALWAYS`` and what they import are there as soon as the bundle is used,
    others are not; a changed one is imported anew.
    """
    (package / "cli").mkdir()
    (package / "cli" / "__init__.py").write_text("")
    (package / "cli" / "build.py").write_text(
        "from made.inner import WORD\nfrom made import other\n"
    )
    (package / "other.py").write_text("")
    (package / "seldom.py").write_text("")
    bundle_writer.write(str(package))
    assert first(package) == [
        "True",
        "made.cli",
        "made.inner",
        "made.other",
        "made.cli.build",
        "first",
    ]
    (package / "inner.py").write_text('"""Inner."""\nWORD = "second"\n')
    os.utime(package / "inner.py", ns=(1, 1))
    assert first(package)[-1] == "second"
