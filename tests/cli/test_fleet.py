"""`interlock fleet` from beginning to end, by its command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interlock.cli.main import main
from interlock.service.store.sqlite import Database
from tests.policies import CASES, policy


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home in which a service has run, and in whose folder commands start."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ".local/state/interlock/service"
    folder.mkdir(parents=True)
    Database(str(folder)).close()
    (tmp_path / "policy.yaml").write_bytes(policy(1))
    (tmp_path / "cases.yaml").write_bytes(CASES)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Run a command; return its exit code and what it said."""
    code = main(["fleet", *words])
    out = capsys.readouterr()
    return code, out.out + out.err


def test_a_policy_is_tried_published_widened_and_taken_back(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each step says what comes next; what leaves one out is refused and says which."""
    code, text = said(capsys, "publish", "policy.yaml", "--key", "keys/owner-1.pem")
    assert (code, "keys/owner-1.pem cannot be read" in text) == (1, True)
    assert said(capsys, "begin", "--keys", "keys")[0] == 0
    assert said(capsys, "begin", "--keys", "more")[0] == 1
    assert not (home / "more").exists()
    assert (home / "keys/root-1.pem").stat().st_mode & 0o077 == 0
    code, text = said(capsys, "publish", "policy.yaml", "--key", "keys/owner-1.pem")
    assert (code, "this very text was not tried" in text) == (1, True)
    assert said(capsys, "try", "policy.yaml", "--cases", "cases.yaml")[0] == 0
    code, text = said(capsys, "publish", "policy.yaml", "--key", "keys/root-1.pem")
    assert (code, "no key of an owner" in text) == (1, True)
    code, text = said(capsys, "publish", "policy.yaml", "--key", "keys/owner-1.pem")
    assert (code, "bundle 1 is for 10 of 1000 machines" in text) == (0, True)
    assert "100 of 1000" in said(capsys, "widen", "--key", "keys/owner-1.pem")[1]
    assert "bundle 2 is for all" in said(capsys, "back", "1", "--key", "keys/owner-1.pem")[1]
    code, text = said(capsys, "show", "--json")
    assert (code, json.loads(text)["bundle"], json.loads(text)["permille"]) == (0, 2, 1000)
    assert "bundle 2 is for all machines" in said(capsys, "show")[1]


def test_a_policy_that_is_wrong_names_its_line(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of the file, and a case that fails."""
    (home / "policy.yaml").write_text("version: 1\nrulez: []\n")
    code, text = said(capsys, "try", "policy.yaml", "--cases", "cases.yaml")
    assert (code, "policy.yaml:2:1" in text) == (1, True)
    (home / "policy.yaml").write_bytes(policy(1))
    (home / "cases.yaml").write_text("cases:\n  - {call: tool1, expect: allow}\n")
    code, text = said(capsys, "try", "policy.yaml", "--cases", "cases.yaml")
    assert (code, "FAILED cases.yaml:2: tool1" in text) == (1, True)
    assert "0 of 1 cases pass" in text


def test_two_owners_have_a_key_each(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What one of them publishes waits for the other."""
    assert said(capsys, "begin", "--keys", "keys", "--owners", "2/2")[0] == 0
    said(capsys, "try", "policy.yaml", "--cases", "cases.yaml")
    text = said(capsys, "publish", "policy.yaml", "--key", "keys/owner-1.pem")[1]
    assert "waits for 1 more" in text
    shown = said(capsys, "show")[1]
    assert "nothing was published yet" in shown
    assert "bundle 1 for 10 of 1000 machines waits for a signature" in shown
    text = said(capsys, "sign", "--key", "keys/owner-2.pem")[1]
    assert "bundle 1 is for 10 of 1000" in text
    assert "100 of 1000" not in said(capsys, "show")[1]
    assert "waits" in said(capsys, "widen", "--key", "keys/owner-1.pem")[1]
    assert "bundle 1 for 100 of 1000 machines waits" in said(capsys, "show")[1]
    assert (home / "keys").exists()


def test_keys_that_the_service_keeps_are_in_no_folder_of_peoples(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it says is what was made; a folder that is there is left alone."""
    (home / "keys").mkdir()
    code, text = said(capsys, "begin", "--keys", "keys", "--sealed")
    assert (code, "keys has to be new, and cannot be made: File exists" in text) == (1, True)
    code, text = said(capsys, "begin", "--keys", "new", "--sealed")
    assert (code, "the service keeps the owners' keys" in text) == (0, True)
    assert "owner-*.pem" not in text
    assert [one.name for one in (home / "new").iterdir()] == ["root-1.pem"]


def test_keys_are_named_anew_by_root(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With root's key, and no other."""
    said(capsys, "begin", "--keys", "keys")
    owner, root = "keys/owner-1.pem", "keys/root-1.pem"
    assert said(capsys, "rekey", "--root-key", owner, "--key", owner)[0] == 1
    assert said(capsys, "rekey", "--root-key", root, "--key", owner)[0] == 0
    assert home.exists()
