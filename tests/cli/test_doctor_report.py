"""The page of ``interlock doctor --report``: what helps to find a fault, and nothing that says who
or where somebody is, what their agents did, or what is secret.
"""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

import pytest

from interlock.cli import doctor_report
from interlock.cli.main import main
from tests.approving import Desk

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_the_page_tells_versions_and_rows_and_nobodys_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """System, Python, policy, counts and what the doctor saw stand in it; the home, the project,
    the user, the machine and what agents called do not.
    """
    desk = Desk(tmp_path / "samuel")
    secret = desk.project.parent / "takeover-of-acme"
    secret.mkdir()
    monkeypatch.setenv("HOME", str(desk.home))
    monkeypatch.chdir(secret)
    monkeypatch.setattr(getpass, "getuser", lambda: "samuel-pepys")
    monkeypatch.setattr("platform.node", lambda: "pepys-laptop.local")
    desk.check("cat secret-plan-of-samuel")
    assert main(["doctor", "claude-code", "--report"]) == 1
    page = capsys.readouterr().out
    for said in (
        "| interlock | ",
        "| Python | CPython 3.",
        "| system | ",
        "1 calls",
        "## claude-code",
    ):
        assert said in page
    assert "claude-code does not ask interlock" in page
    for hidden in (str(tmp_path), "takeover", "samuel", "pepys", "secret-plan"):
        assert hidden not in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/samuel/x and /home/samuel/p/a.py", "~/x and PROJECT/a.py"),
        ("samuel's file, samuelson's not", "USER's file, samuelson's not"),
        ("on laptop.", "on HOST."),
        (f"token {TOKEN}", "token "),
        ("nothing of it", "nothing of it"),
    ],
)
def test_what_is_hidden_and_what_is_not(
    text: str, shown: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whole names alone are replaced; a secret is never shown."""
    desk = Desk(tmp_path)
    monkeypatch.setattr("interlock.cli.build.store", lambda _: desk.store)
    monkeypatch.setenv("HOME", "/home/samuel")
    monkeypatch.setattr(getpass, "getuser", lambda: "samuel")
    monkeypatch.setattr("platform.node", lambda: "laptop")
    said = doctor_report.anonymise(text, "/home/samuel/p")
    assert said.startswith(shown)
    assert TOKEN not in said
