"""Windows' ways to spell a path all name the same place, and Git Bash's and WSL's do too."""

from __future__ import annotations

import pytest

from interlock.effects import windows_paths
from interlock.model.action import WARN
from tests.effects.windows import HOME, ROOT, on_windows

SPELLED = [
    ("C:\\Windows\\System32\\x", "c:/Windows/System32/x"),
    ("c:/windows//system32/./x", "c:/windows/system32/x"),
    ("\\\\?\\C:\\Windows", "c:/Windows"),
    ("\\\\.\\C:\\Windows", "c:/Windows"),
    ("\\??\\C:\\Windows", "c:/Windows"),
    ("\\\\localhost\\c$\\Windows", "c:/Windows"),
    ("\\\\127.0.0.1\\C$", "c:/"),
    ("\\\\server\\share\\..\\x", "//server/x"),
    ("Microsoft.PowerShell.Core\\FileSystem::C:\\Windows", "c:/Windows"),
    ("C:\\PROGRA~1\\x", "c:/Program Files/x"),
    ("C:\\Windows.\\win.ini ", "c:/Windows/win.ini"),
    ("a.txt:stream", "c:/Users/me/work/a.txt"),
    ("a.txt::$DATA", "c:/Users/me/work/a.txt"),
    ("C:", "c:/"),
    ("D:\\x", "d:/x"),
    ("\\Windows", "c:/Windows"),
    ("..\\..\\..\\..\\Windows", "c:/Windows"),
    ("sub\\a.txt", "c:/Users/me/work/sub/a.txt"),
    ("/c/Users/me", "c:/Users/me"),
    ("/mnt/c/Users/me", "c:/Users/me"),
    ("/dev/null", "/dev/null"),
    ("/etc/../tmp/x", "/tmp/x"),
    ("\\\\.\\PhysicalDrive0", "/dev/PhysicalDrive0"),
    ("", "c:/Users/me/work"),
]


@pytest.mark.parametrize(("spelled", "path"), SPELLED)
def test_every_spelling_names_one_path(spelled: str, path: str) -> None:
    """Drives, slashes, prefixes, short names, streams, dots and blanks at the end do not hide a
    path.
    """
    assert windows_paths.normal(spelled, ROOT) == path


PLACES = [
    ("c:/windows/system32/x.dll", "system", ""),
    ("c:/", "system", "root-of"),
    ("d:/", "system", "root-of"),
    ("d:/data", "elsewhere", ""),
    ("c:/users", "system", "root-of"),
    ("c:/Users/ME", "home", "root-of"),
    ("c:/users/other", "home", "root-of"),
    ("c:/users/public/x", "system", ""),
    ("c:/users/me/WORK/bin", "workspace", "generated"),
    ("c:/users/me/work", "workspace", "workspace-root"),
    ("c:/users/me/appdata/local/temp/x", "temp", ""),
    ("c:/users/me/.SSH/id_rsa", "home", "secret"),
    ("c:/users/me/appdata/local/google/chrome/user data/default/login data", "home", "secret"),
    ("c:/windows/system32/config/sam", "system", "secret"),
    ("c:/windows/system32/tasks/x", "system", "persistence"),
    ("c:/users/me/documents/powershell/profile.ps1", "home", "persistence"),
    (
        "c:/users/me/appdata/roaming/microsoft/windows/start menu/programs/startup/x.lnk",
        "home",
        "persistence",
    ),
    ("c:/windows/system32/winevt/logs/security.evtx", "system", "log"),
    ("c:/users/me/work/nul", "device", "sink"),
    ("/dev/physicaldrive0", "device", ""),
    ("c:/users/me/.claude/settings.json", "home", "guard"),
    ("c:/users/me/work/.claude/settings.json", "workspace", "guard"),
    ("//server/share/x", "elsewhere", ""),
    ("/etc/passwd", "system", ""),
]


@pytest.mark.parametrize(("path", "location", "nature"), PLACES)
def test_where_windows_folders_are(path: str, location: str, nature: str) -> None:
    """The folders of Windows have their places, whatever the case of their names."""
    place = windows_paths.classify(path, (ROOT,), HOME, ())
    assert place.location == location
    assert not nature or nature in place.natures


@pytest.mark.parametrize(
    "command",
    ["cd /c/Users/me/work && npm test", "ls > /dev/null 2>&1", "rm -rf ./node_modules", "cat src/a.ts | grep x", "mkdir -p build && cp a.txt build/",
     "echo x > /tmp/a.txt",
     "rm -rf /c/Users/me/work/dist", "cat /c/Users/me/work/a.txt", "grep -r foo src", "find . -name '*.cs'"],
)  # fmt: skip
def test_git_bash_is_let_through(command: str) -> None:
    """Ordinary work in Git Bash on Windows is at most warned about."""
    assert on_windows(command, "sh").action <= WARN


@pytest.mark.parametrize(
    ("action", "command"),
    [("deny", "rm -rf /c/Users/me"), ("deny", "rm -rf /"), ("deny", "rm -rf ~"), ("deny", "rm -rf /c/Windows"), ("deny", "rm -rf 'C:\\Windows'"),
     ("ask", "rm -rf /d/data"),
     ("ask", "cat ~/.ssh/id_rsa"), ("ask", "echo x > /c/Users/me/notes.txt"), ("ask", "rm -rf src"), ("deny", "echo x > /c/Windows/win.ini")],
)  # fmt: skip
def test_git_bash_is_stopped(action: str, command: str) -> None:
    """What is dangerous in Git Bash on Windows gets its action."""
    assert str(on_windows(command, "sh").action) == action
