"""What is noticed stands in the record, and what people and long-lived programs see of it."""

from __future__ import annotations

import os
import shutil
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from interlock.approvals import caller
from interlock.cli import build
from interlock.cli.embed import session
from interlock.integrations.protocol import ClientEvent, warning
from interlock.model.action import DENY, WARN
from interlock.model.decision import Decision, Finding
from interlock.store.database import Store
from tests.losing import POLICY, Home
from tests.proxying import Wire
from tests.test_import_budget import copied, probe, too_many

if TYPE_CHECKING:
    from pathlib import Path
from tests.presence import test_noticing
from tests.presence.test_noticing import GONE

guarded = test_noticing.guarded
home = test_noticing.home


def test_without_any_installation_one_look_is_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who embeds the guard and installed nothing pays for one question to the disk."""
    asked: list[str] = []

    def stat(path: str) -> os.stat_result:
        asked.append(path)
        return os.stat(path)

    monkeypatch.setattr("interlock.cli.build.system", SimpleNamespace(stat=stat))
    kept = Store(str(tmp_path / "state"))
    assert build.report_losses({"HOME": str(tmp_path)}, kept, "session") == ()
    assert asked == [f"{tmp_path}/state/installed"]


def test_looking_where_all_is_there_loads_nothing_dear(guarded: Home, tmp_path: Path) -> None:
    """A guarded home costs a hook no module that an unguarded one does not."""
    source = copied(tmp_path / "src")
    probe(source, tmp_path, "ls")  # the first call in a folder reads the policy's files
    done, loaded = probe(source, tmp_path, "ls")
    assert (done.returncode, done.stdout, too_many(loaded)) == (0, "", set())
    guarded.at_work()
    guarded.settings.unlink()
    assert "additionalContext" in probe(source, tmp_path, "ls")[0].stdout


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"form": 2}',
        '{"form": 1, "repair": 1, "installs": [[1]], "layers": []}',
        "\0" * 9,
        None,
    ],
)
def test_a_damaged_record_breaks_no_call(guarded: Home, text: str | None) -> None:
    """Calls are judged as before, it is told once, doctor says it, and ``init`` writes it anew."""
    guarded.at_work()
    record = guarded.state / "installed/record.json"
    if text is None:
        record.unlink()
    else:
        record.write_text(text, encoding="utf-8")
    assert "The record of what was installed cannot be used" in guarded.told()
    assert guarded.told() == ""
    assert guarded.event("codex", command="rm -rf /")["permissionDecision"] == "deny"
    said = guarded.run("doctor", "codex")[1]
    assert ("was not written down" if text is None else str(record)) in said, said
    guarded.init()
    guarded.settings.unlink()
    assert "it was put back" in guarded.told()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"record": 1}',
        '{"record":[],"signs":[],"known":[],"session":[],"person":[]}',
        None,
    ],
)
def test_what_was_seen_may_be_damaged(guarded: Home, text: str | None) -> None:
    """It is only what saves looking: all is looked at anew, and a loss is found as before."""
    guarded.at_work()
    seen = guarded.state / "installed/seen.json"
    if text is None:
        seen.unlink()
    else:
        seen.write_text(text, encoding="utf-8")
    assert guarded.told() == ""
    guarded.settings.unlink()
    assert "it was put back" in guarded.told()


def test_an_older_installation_is_told_by_doctor(guarded: Home) -> None:
    """Where nothing was written down nothing is compared; one command writes it down."""
    shutil.rmtree(guarded.state / "installed")
    guarded.settings.unlink()
    assert guarded.told() == ""
    assert not guarded.settings.exists()
    assert (
        "was not written down, so it is not noticed when it goes"
        in guarded.run("doctor", "codex")[1]
    )


def test_what_an_agent_installs_takes_no_policy_as_it_is(
    guarded: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`interlock install` is free for agents; what only a person says is left as it was."""
    guarded.at_work()
    guarded.policy.unlink()

    def refuses(*_: object) -> None:
        raise caller.AgentCallerError("CLAUDECODE is set")

    with monkeypatch.context() as patch:
        patch.setattr("interlock.approvals.caller.examine", refuses)
        assert guarded.run("install", "claude-code")[0] == 0
    assert f"the policy {guarded.policy} was gone; it was put back" in guarded.told()


def test_people_are_told_by_the_ways_of_the_policy(
    guarded: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the policy that names them is what went: it is back by then."""
    told: list[list[str]] = []

    def start(_: object, words: list[str]) -> tuple[str, ...]:
        told.append(words)
        return ()

    monkeypatch.setattr("interlock.cli.alarm.Alarm.start", start)
    guarded.policy.write_text(f"{POLICY}notify: [desktop]\n", encoding="utf-8")
    guarded.init()
    guarded.at_work()
    guarded.settings.unlink()
    assert GONE in guarded.run("status")[1]
    (words,) = told
    assert words[0] == "notify"
    assert any(GONE in word for word in words)


@pytest.mark.parametrize("stage", ["presence", "policy"])
def test_an_observing_policy_tells_it_too(stage: str) -> None:
    """Nothing is stopped there, and that the guard is gone is said all the same; no other warning
    is.
    """
    findings = (
        Finding("fs.any", DENY, message="it deletes"),
        Finding("a.b", WARN, stage, "It is gone."),
    )
    assert warning(Decision("d", findings, observed=True), ClientEvent("check")) == (
        "It is gone." if stage == "presence" else ""
    )


def test_a_program_that_embeds_the_guard_notices(guarded: Home) -> None:
    """Looking is done at each call, so a session of one's own, the agent loop and the proxy, which
    stand on it, find it without any hook.
    """
    guarded.at_work()
    notices: list[str] = []
    mine = session(str(guarded.project), ask="never").replace(tell=notices.append)
    guarded.settings.unlink()
    assert mine.run(mine.call("shell", {"command": "ls"}), lambda: "ran") == "ran"
    assert GONE in " ".join(notices)
    assert guarded.asks()


def test_the_proxy_notices(guarded: Home) -> None:
    """Before an MCP server a call goes on to it, the loss is told, and the hooks are back."""
    guarded.at_work()
    wire = Wire(guarded.home)
    wire.begin()
    wire.list({"name": "add", "description": "adds", "inputSchema": {"type": "object"}})
    guarded.settings.unlink()
    assert wire.call("add", a=1).to_server
    assert GONE in " ".join(wire.log)
    assert guarded.asks()


def test_what_changes_within_one_tick_is_seen(guarded: Home) -> None:
    """A file of the same size and time is another one: its number, or the kernel's own time of the
    change, tells.
    """
    guarded.at_work()
    found, text = guarded.settings.stat(), guarded.settings.read_text(encoding="utf-8")
    guarded.settings.write_text(text.replace("block", "allow"), encoding="utf-8")
    os.utime(guarded.settings, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert guarded.settings.stat().st_size == found.st_size
    assert "it was put back" in guarded.told()
