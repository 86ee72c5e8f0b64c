"""`interlock audit` as a person runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from interlock.audit.anchor import MARK
from interlock.cli.main import main
from tests.cli import test_log_explain
from tests.cli.test_log_explain import OURS, SRC, record, store_of

home = test_log_explain.home


def test_audit_from_end_to_end(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Verify, anchor, verify against it, export, verify the export, find a change; the exit codes
    say which.
    """
    store = store_of(home)
    record(store, 1)
    assert main(["audit", "verify"]) == 0
    assert "not anchored yet" in capsys.readouterr().out
    assert main(["audit", "verify", "--anchored"]) == 4
    assert main(["audit", "anchor", "--file", str(home / "anchors")]) == 0
    assert (home / "anchors").read_text().startswith(MARK)
    capsys.readouterr()
    assert main(["audit", "verify", "--anchored", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["anchored"], report["unanchored"], report["notes"]) == (3, 0, [])
    assert main(["audit", "export", "-o", str(home / "out.jsonl")]) == 0
    # a file that is there is not written over
    assert main(["audit", "export", "-o", str(home / "out.jsonl")]) == 1
    assert (
        main(
            [
                "audit",
                "verify",
                "--export",
                str(home / "out.jsonl"),
                "--file",
                str(home / "anchors"),
            ]
        )
        == 0
    )
    assert "anchored" in capsys.readouterr().out
    store.transact(
        lambda connection: connection.execute("UPDATE guardrail_audit_log SET verdict = 'allow'")
    )
    assert main(["audit", "verify"]) == 1
    assert "the judgement of record 2" in capsys.readouterr().out
    assert main(["audit", "prune", "--older-than", "0d"]) == 1
    assert "take the traces away" in capsys.readouterr().err
    assert main(["audit", "prune", "--older-than", "0d", "--even-if-broken"]) == 0
    assert main(["audit", "verify"]) == 0
    assert "retention took the records through 3" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="ulimit is what Unix has")
def test_half_an_export_is_none(home: Path) -> None:
    """Where the disk is full the file is named and goes again: half a record would pass for all of
    it. With room it is written.
    """
    for number in range(60):
        record(store_of(home), number)
    for blocks, code, said in (
        ("100", 1, "interlock audit: out.jsonl: File too large\n"),
        ("unlimited", 0, ""),
    ):
        assert not (home / "out.jsonl").exists()
        argv = [
            "/bin/sh",
            "-c",
            f'ulimit -f {blocks}; exec "$0" "$@"',
            sys.executable,
            "-m",
            "interlock",
            "audit",
            "export",
            "-o",
            "out.jsonl",
        ]
        environment = {
            "HOME": str(home),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": SRC,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            argv,
            cwd=home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, said)
    assert len((home / "out.jsonl").read_text().splitlines()) > 60


def test_the_policy_says_how_long_records_are_kept(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without an age of its own the command takes the policy's."""
    record(store_of(home), 1)
    monkeypatch.setattr(
        "interlock.cli.build.policy", lambda _environment: OURS.replace(retention_days=30)
    )
    assert main(["audit", "prune"]) == 0
    assert "no record is older than" in capsys.readouterr().out


def test_a_sink_that_is_gone_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The audit knows where it was anchored: an anchor that is not there any more is missed, and no
    proof.
    """
    record(store_of(home), 1)
    main(["audit", "anchor", "--file", str(home / "anchors")])
    (home / "anchors").write_text("")
    assert main(["audit", "verify"]) == 0
    assert "lacks the anchor of record 3" in capsys.readouterr().out
    (home / "anchors").unlink()
    assert main(["audit", "verify", "--anchored"]) == 4
    assert "not compared" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["anchor"], "name a place outside"),
        (["anchor", "--file", "/dev/null/x"], "cannot be written"),
        (["prune", "--older-than", "soon"], "expected days, such as 90d"),
        (["prune", "--older-than", "9" * 30 + "d"], "interlock audit prune: "),
        (["prune"], "say how old records may get"),
        (["verify", "--export", "/dev/null/x"], "cannot be read"),
    ],
)
def test_what_a_person_got_wrong(
    home: Path, capsys: pytest.CaptureFixture[str], argv: list[str], words: str
) -> None:
    """One sentence, no traceback."""
    record(store_of(home), 1)
    assert main(["audit", *argv]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("interlock audit verify", 0),
        ("interlock log --since 2026", 0),
        ("interlock audit prune --older-than 0d", 11),
        ("python3 -m interlock audit prune --older-than 0d", 11),
        ("rm ~/.local/state/interlock/audit.key", 11),
    ],
)
def test_an_agent_may_look_and_not_prune(
    home: Path, capsys: pytest.CaptureFixture[str], command: str, code: int
) -> None:
    """An agent may ask whether the audit is whole; taking records away is a person's."""
    assert home.is_dir()
    assert main(["check", "--", command]) == code
    assert capsys.readouterr().out
