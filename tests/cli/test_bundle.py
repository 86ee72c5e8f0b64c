"""The bundle of compiled modules: used while it is true, passed over as soon as it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from interlock.cli import bundle

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
    done = subprocess.run([sys.executable, "-I", "-S", "-c", SHOW, source, str(package)], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_module_comes_from_the_bundle(package: Path) -> None:
    """With a bundle, the module runs even where its own cache and the path finder are out of the way."""
    bundle.write(str(package))
    assert seen(package) == ["True", "first", f"{package}/inner.py"]


def test_a_changed_source_is_imported_anew(package: Path) -> None:
    """A bundle never hides a newer source."""
    bundle.write(str(package))
    (package / "inner.py").write_text('"""Inner."""\nWORD = "second"\n')
    os.utime(package / "inner.py", ns=(1, 1))
    assert seen(package)[1] == "second"


def test_a_module_without_source_is_not_invented(package: Path) -> None:
    """What was removed from the package cannot come back from its bundle."""
    bundle.write(str(package))
    (package / "inner.py").unlink()
    with pytest.raises(subprocess.CalledProcessError):
        seen(package)


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\x00" * 40, b"\xa9\x02\xe9\x63\x00\x00\x00\xfb"])
def test_a_damaged_bundle_is_passed_over(package: Path, content: bytes) -> None:
    """A file that is no bundle changes nothing."""
    path = bundle.write(str(package))
    with open(path, "wb") as file:
        file.write(content)
    assert seen(package) == ["False", "first", f"{package}/inner.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="ulimit is what Unix has")
def test_without_room_nothing_is_left_of_it(package: Path) -> None:
    """What cannot be written whole is not there at all, beside the bundle of before."""
    before = bundle.write(str(package))
    code = "import sys; from interlock.cli import bundle; bundle.write(sys.argv[1])"
    argv = ["/bin/sh", "-c", 'ulimit -f 0; exec "$0" "$@"', sys.executable, "-c", code, str(package)]
    done = subprocess.run(argv, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, check=False)
    assert "File too large" in done.stderr
    assert [path.name for path in package.glob("__pycache__/*")] == [os.path.basename(before)]
    assert seen(package)[0] == "True"


FIRST = """
import sys
sys.path += [sys.argv[1], sys.argv[2].rpartition("/")[0]]
from interlock.cli import bundle
used = bundle.use(sys.argv[2])
print(used, *[name for name in sys.modules if name.startswith("made.")])
import made.cli.build as build
print(build.WORD)
"""


def first(package: Path) -> list[str]:
    """Return whether a fresh process used the bundle, what it ran at once, and what the wanted module then says."""
    source = os.path.dirname(os.path.dirname(os.path.dirname(bundle.__file__)))
    done = subprocess.run([sys.executable, "-I", "-S", "-c", FIRST, source, str(package)], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_what_every_call_needs_runs_at_once(package: Path) -> None:
    """The modules of ``ALWAYS`` and what they import are there as soon as the bundle is used, others are not; a changed one is imported anew."""
    (package / "cli").mkdir()
    (package / "cli" / "__init__.py").write_text("")
    (package / "cli" / "build.py").write_text("from made.inner import WORD\nfrom made import other\n")
    (package / "other.py").write_text("")
    (package / "seldom.py").write_text("")
    bundle.write(str(package))
    assert first(package) == ["True", "made.cli", "made.inner", "made.other", "made.cli.build", "first"]
    (package / "inner.py").write_text('"""Inner."""\nWORD = "second"\n')
    os.utime(package / "inner.py", ns=(1, 1))
    assert first(package)[-1] == "second"
