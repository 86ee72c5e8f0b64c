"""Paths are read by the rules of the call's platform, on whatever machine the guard runs."""

from __future__ import annotations

import pytest

from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.call import ToolCall
from tests.effects.windows import on_windows

ROWS = [
    ("darwin", "/Users/me/.SSH/id_rsa", "home", "secret"),
    ("linux", "/home/me/.SSH/notes", "home", ""),
    ("darwin", "/System/Library/x", "system", ""),
    ("windows", "C:\\Windows\\System32\\drivers\\etc\\hosts", "system", ""),
    ("windows", "c:/Users/me/.ssh/id_rsa", "home", "secret"),
    ("windows", "C:\\Users\\me\\work\\a.txt", "workspace", ""),
    ("windows", "C:\\Users\\me\\work\\..\\..\\..\\Windows\\win.ini", "system", ""),
    ("windows", "sub\\a.txt", "workspace", ""),
    ("windows", "..\\other\\a.txt", "home", ""),
]


FOLLOWED = [
    ("cd frontend && npm run build && cd .. && rm -rf dist", "allow"),
    ("cd a/b && make && cd ../.. && rm -rf build", "allow"),
    ('cd "C:\\Users\\me\\work\\a" && rm -rf ../dist', "allow"),
    ("cd C:/Users/me/work/a; cd -; rm -rf dist", "allow"),
    ("cd /c/Users/me/work/a && rm -rf ../dist", "allow"),
    ("cd a && rm -rf ../../other", "ask"),
    ("cd D:/ && rm -rf dist", "ask"),
    ("cd .. && rm -rf .", "deny"),
    ("cd C:/Windows && rm -rf System32", "deny"),
]


@pytest.mark.parametrize(("command", "verdict"), FOLLOWED)
def test_git_bash_goes_from_folder_to_folder(command: str, verdict: str) -> None:
    """``cd`` leads where Git Bash goes: a drive is kept, and ``..`` goes up from a folder of
    Windows.
    """
    assert str(on_windows(command, "sh").verdict) == verdict


@pytest.mark.parametrize(("platform", "path", "location", "nature"), ROWS)
def test_a_path_is_placed_by_its_platform(
    platform: str, path: str, location: str, nature: str
) -> None:
    """The same table of places serves every platform, its spelling apart."""
    home = "c:/Users/me" if platform == "windows" else "/Users/me"
    call = ToolCall(
        "read",
        "Read",
        {"file_path": path},
        cwd=f"{home}/work",
        roots=(f"{home}/work",),
        platform=platform,
    )
    place = read(call, Recorded(home)).effects[0].place
    assert place is not None
    assert place.location == location
    assert not nature or nature in place.natures
