"""The bundle of compiled modules: used while it is true, passed over as soon as it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.cli import bundle, bundling

if TYPE_CHECKING:
    from pathlib import Path

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
    bundling.write(str(package))
    assert seen(package) == ["True", "first", f"{package}/inner.py"]


def test_a_changed_source_is_imported_anew(package: Path) -> None:
    """A bundle never hides a newer source."""
    bundling.write(str(package))
    (package / "inner.py").write_text('"""Inner."""\nWORD = "second"\n')
    os.utime(package / "inner.py", ns=(1, 1))
    assert seen(package)[1] == "second"


def test_a_module_without_source_is_not_invented(package: Path) -> None:
    """What was removed from the package cannot come back from its bundle."""
    bundling.write(str(package))
    (package / "inner.py").unlink()
    with pytest.raises(subprocess.CalledProcessError):
        seen(package)


def test_what_is_as_new_as_its_sources_is_not_written_again(package: Path) -> None:
    """A second writing leaves the file; a changed source has it written anew."""
    path = bundling.write(str(package))
    os.utime(path, ns=(1, 1))
    assert os.stat(bundling.write(str(package))).st_mtime_ns == 1
    (package / "inner.py").write_text('"""Inner."""\nWORD = "other"\n')
    assert os.stat(bundling.write(str(package))).st_mtime_ns != 1
    assert seen(package)[:2] == ["True", "other"]


def test_a_module_that_is_met_late_runs_late(package: Path) -> None:
    """A module that is imported as one runs when something of it is asked for, and only once."""
    (package / "inner.py").write_text("print('inner runs')\nWORD = 'first'\n")
    (package / "outer.py").write_text(
        "from made import inner\n\n\ndef late() -> str:\n    return inner.WORD\n"
    )
    bundling.write(str(package))
    code = (
        "import sys; sys.path += sys.argv[1:3]; from interlock.cli.bundle import use;"
        "use(sys.argv[2] + '/made'); from made import outer; print('imported');"
        "print(outer.late(), outer.late())"
    )
    source = os.path.dirname(os.path.dirname(os.path.dirname(bundle.__file__)))
    argv = [sys.executable, "-I", "-S", "-c", code, source, str(package.parent)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["imported", "inner runs", "first first"]


@pytest.mark.parametrize("late", [True, False])
def test_what_was_left_out_is_there_for_a_newer_module(package: Path, *, late: bool) -> None:
    """A module that changed after the bundle takes a protocol or an alias that nothing needed when
    the bundle was written; a name that is nowhere is an error as ever.
    """
    (package / "cli").mkdir()
    (package / "cli" / "__init__.py").write_text("")
    taken = "" if late else "from made import inner\nX = inner.WORD\n"
    (package / "cli" / "build.py").write_text(taken)
    (package / "inner.py").write_text(
        "from __future__ import annotations\nfrom typing import Protocol\n"
        "class Shape(Protocol): ...\ndef f(x: Shape) -> None: ...\nWORD = 'first'\n"
    )
    (package / "outer.py").write_text("A = 1\n")
    bundling.write(str(package))
    (package / "outer.py").write_text(
        "from made.inner import Shape, WORD\nA = (Shape.__name__, WORD)\n"
    )
    code = (
        "import sys; sys.path += sys.argv[1:3]; from interlock.cli.bundle import use;"
        "use(sys.argv[2] + '/made'); from made import inner, outer; print(outer.A);"
        "print(hasattr(inner, 'Nothing'))"
    )
    source = os.path.dirname(os.path.dirname(os.path.dirname(bundle.__file__)))
    argv = [sys.executable, "-I", "-S", "-c", code, source, str(package.parent)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["('Shape', 'first')", "False"]


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
    bundling.write(str(package))
    assert seen(package)[1] == "Taken,annotations,f"


@pytest.mark.parametrize(
    "content", [b"", b"nonsense", b"\x00" * 40, b"\xa9\x02\xe9\x63\x00\x00\x00\xfb"]
)
def test_a_damaged_bundle_is_passed_over(package: Path, content: bytes) -> None:
    """A file that is no bundle changes nothing."""
    path = bundling.write(str(package))
    with open(path, "wb") as file:
        file.write(content)
    assert seen(package) == ["False", "first", f"{package}/inner.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="ulimit is what Unix has")
def test_without_room_nothing_is_left_of_it(package: Path) -> None:
    """What cannot be written whole is not there at all, beside the bundle of before."""
    before = bundling.write(str(package))
    (package / "late.py").write_text("")
    code = "import sys; from interlock.cli import bundling; bundling.write(sys.argv[1])"
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
from interlock.cli import bundle, bundling
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
    bundling.write(str(package))
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
