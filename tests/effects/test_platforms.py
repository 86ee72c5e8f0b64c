"""Paths are read by the rules of the call's platform, on whatever machine the guard runs."""

from __future__ import annotations

import pytest

from interlock.effects.read import read
from interlock.facts import Recorded
from interlock.model.call import ToolCall

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


@pytest.mark.parametrize(("platform", "path", "location", "nature"), ROWS)
def test_a_path_is_placed_by_its_platform(platform: str, path: str, location: str, nature: str) -> None:
    """The same table of places serves every platform, its spelling apart."""
    home = "c:/Users/me" if platform == "windows" else "/Users/me"
    call = ToolCall("read", "Read", {"file_path": path}, cwd=f"{home}/work", roots=(f"{home}/work",), platform=platform)
    place = read(call, Recorded(home)).effects[0].place
    assert place is not None
    assert place.location == location
    assert not nature or nature in place.natures
