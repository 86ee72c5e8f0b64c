"""What may be a workspace, and what never is."""

from __future__ import annotations

from os.path import normpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.guard.workspace import may_be_root


@pytest.mark.parametrize(
    ("folder", "fits"),
    [
        ("/home/dev/project", True),
        ("/home/dev/project/", True),
        ("/home/dev/a/../project", False),
        ("/home/dev2", True),
        ("/tmp/x", True),
        ("/srv/app", True),
        ("/var/www/site", True),
        ("/usr/src/app", True),
        ("/workspace", True),
        ("/opt/app", True),
        ("/", False),
        ("//", False),
        ("/home/dev", False),
        ("/home/dev/", False),
        ("/home/dev/project/..", False),
        ("/home", False),
        ("/etc", False),
        ("/etc/nginx", False),
        ("/usr", False),
        ("/usr/bin", False),
        ("/usr/local/bin", False),
        ("/usr/src", False),
        ("/dev/shm", False),
        ("/proc/1/root/x", False),
        ("/tmp", False),
        ("/var/lib", False),
        ("/root", False),
        ("/private/etc/x", False),
        ("project", False),
        ("~/project", False),
        ("", False),
        ("/a\0b", False),
    ],
)
def test_workspace(folder: str, *, fits: bool) -> None:
    """A project's folder is a root; what is too wide, shared or the system's never is."""
    assert may_be_root(folder, "/home/dev") is fits


@pytest.mark.parametrize(
    ("folder", "fits"),
    [
        ("C:\\Users\\dev\\project", True),
        ("C:/work/x", True),
        ("C:\\", False),
        ("C:\\Users", False),
        ("C:\\Users\\dev", False),
        ("C:\\Windows\\Temp", False),
        ("C:\\work\\..\\Windows", False),
        ("\\\\host\\share", False),
        ("work", False),
    ],
)
def test_windows_workspace(folder: str, *, fits: bool) -> None:
    """The same on Windows."""
    assert may_be_root(folder, "C:\\Users\\dev") is fits


@given(
    st.lists(st.sampled_from(["home", "dev", "etc", "..", ".", "", "x", "usr", "src"]), max_size=6)
)
def test_a_root_holds_neither_home_nor_the_system(parts: list[str]) -> None:
    """No spelling of a path brings a root that HOME or a system folder lies in."""
    path = "/" + "/".join(parts)
    if may_be_root(path, "/home/dev"):
        for inner in ("/home/dev", "/etc", "/usr/bin", "/"):
            assert not (normpath(inner) + "/").startswith(normpath(path) + "/")
