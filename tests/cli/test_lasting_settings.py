"""Settings outlast what machines do: a full disk, a process that was killed, many at once. They are
whole at every moment, and nothing is lost.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from interlock.integrations import changes, install
from interlock.integrations.install import UnwrittenError

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="ulimit and locks of folders are what Unix has"
)
SOURCE = Path(__file__).resolve().parents[2] / "src"
CLAUDE = '{\n    "model": "opus",\n    "permissions": {"allow": ["Bash(ls:*)"]}\n}\n'
OPENCODE = '{"theme": "x",   "model": "y"}'
SERVERS = '{"mcpServers": {"a": {"command": "npx", "args": ["a"]}}}\n'
START = "import sys, interlock.cli.install as i; i.compiled = lambda: None; from interlock.cli.main import main; "
"""The command, without compiling the package of these tests."""
RUN = START + "sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a home with settings of two clients."""
    for name, text in (
        (".claude/settings.json", CLAUDE),
        (".config/opencode/opencode.json", OPENCODE),
        (".claude.json", SERVERS),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def files(home: Path) -> dict[str, bytes]:
    """Return every file of a home but what is recorded."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and ".local/state" not in str(path)
    }


def start(home: Path, code: str, *words: str, blocks: str = "unlimited") -> subprocess.Popen[str]:
    """Start Python in a home, where no file may grow beyond so many blocks of 512 bytes."""
    argv = [
        "/bin/sh",
        "-c",
        f'ulimit -f {blocks}; exec "$0" "$@"',
        sys.executable,
        "-c",
        code,
        *words,
    ]
    environment = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(SOURCE),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.Popen(
        argv,
        env=environment,
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for a process; return its exit code and what it complained about."""
    _, error = process.communicate(timeout=240)
    return process.returncode, error


# -- no room ---------------------------------------------------------------------------------------

# what is done before, where there is room; what is done where there is none; what is said
NO_ROOM = [
    ("", "install claude-code", "settings.json: cannot be written: File too large"),
    ("", "install opencode", "interlock.js: cannot be written: File too large"),
    ("", "servers wrap claude-code", ".claude.json: cannot be written: File too large"),
    ("", "policy init", "policy.yaml cannot be written: File too large"),
    (
        "install claude-code",
        "uninstall claude-code",
        "claude-code may still ask interlock; try again",
    ),
    ("install opencode", "uninstall opencode", "opencode may still ask interlock; try again"),
    (
        "servers wrap claude-code",
        "servers unwrap claude-code",
        ".claude.json: cannot be written: File too large",
    ),
]


@pytest.mark.parametrize(("before", "command", "said"), NO_ROOM)
def test_without_room_everything_stays_as_it_was(
    home: Path, before: str, command: str, said: str
) -> None:
    """Exit code 1, what could not be written, no half file and no backup of what was not changed;
    with room again it is done.
    """
    if before:
        assert ended(start(home, RUN, *before.split()))[0] == 0
    there = files(home)
    code, error = ended(start(home, RUN, *command.split(), blocks="0"))
    assert (code, "Traceback" in error, said in error, error.count("\n") <= 2) == (
        1,
        False,
        True,
        True,
    ), error
    assert files(home) == there
    assert ended(start(home, RUN, *command.split())) == (0, "")
    assert files(home) != there


def test_a_report_without_room_is_named(home: Path) -> None:
    """What the disk refuses is said with the file that it is about."""
    (home / "cases.yaml").write_text("cases:\n  - {call: ls, expect: allow}\n")
    words = ("policy", "test", "cases.yaml", "--junit", "x.xml")
    code, error = ended(start(home, RUN, *words, blocks="0"))
    assert (code, error) == (2, "interlock policy test: x.xml cannot be written: File too large\n")
    assert ended(start(home, RUN, *words)) == (0, "")


# -- killed ----------------------------------------------------------------------------------------


def test_what_a_killed_process_left_is_cleared_away(home: Path) -> None:
    """A half-made file beside the settings goes with the next change; files of other names stay."""
    left, other = (
        home / ".claude/settings.json.interlock-new-7",
        home / ".claude/settings.json.mine",
    )
    left.write_text('{"model": "op')
    other.write_text("mine")
    assert ended(start(home, RUN, "install", "claude-code")) == (0, "")
    assert not left.exists()
    assert other.read_text() == "mine"


# -- at once ---------------------------------------------------------------------------------------


def test_no_backup_takes_the_place_of_another(tmp_path: Path) -> None:
    """However soon a file is changed again, every text that it had is beside it."""
    path = tmp_path / "settings.json"
    path.write_text("0")
    kept = [install.write(str(path), str(number)) for number in range(1, 6)]
    assert [Path(backup).read_text() for backup in kept] == ["0", "1", "2", "3", "4"]
    assert list(install.backups(str(path))) == sorted(kept)


def test_settings_that_somebody_changed_meanwhile_are_left_alone(tmp_path: Path) -> None:
    """A change was worked out from a text: over another one it is not made. Where it is made
    already nothing is to be done.
    """
    path = tmp_path / "settings.json"
    path.write_text("theirs")
    change = changes.Change(str(path), "old", "ours")
    with pytest.raises(UnwrittenError, match="was changed by somebody else just now"):
        change.make()
    assert path.read_text() == "theirs"
    path.write_text("ours")
    assert change.make() == ""
    path.write_text("old")
    assert Path(change.make()).read_text() == "old"
    assert path.read_text() == "ours"


def test_one_interlock_at_a_time(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one changes settings another waits, and says so where that does not end; afterwards it
    goes on, and nothing of it is left in the home.
    """
    monkeypatch.setenv("HOME", str(home))
    there = files(home)
    with (
        changes.alone(),
        pytest.raises(UnwrittenError, match="another interlock is changing settings"),
        changes.alone(patience=0),
    ):
        pytest.fail("two at once")
    with changes.alone():
        assert files(home) == there


AGAIN = (
    START
    + "[main([words, client]) for _ in range(5) for client in ('opencode', 'claude-code') for words in sys.argv[1:]]"
)


def test_many_at_once_leave_everything_or_nothing(home: Path) -> None:
    """Processes that install and uninstall against each other end in one of the two whole states,
    and from there all is taken back byte for byte.
    """
    there = files(home)
    orders = [("install", "uninstall"), ("uninstall", "install")] * 2
    for process in [start(home, AGAIN, *order) for order in orders]:
        assert ended(process) == (0, "")
    plugin, settings = (
        home / ".config/opencode/plugin/interlock.js",
        home / ".config/opencode/opencode.json",
    )
    assert plugin.exists() == ('"**": "deny"' in settings.read_text())
    for client in ("opencode", "claude-code"):
        assert ended(start(home, RUN, "uninstall", client)) == (0, "")
    assert files(home) == there
