"""The real clients, with interlock installed by its own command, against a fake model: the same
promises for each.

What is to be refused would be harmless if it ran: it writes inside the test's own folders. Claude
Code runs with every ``make test``, the others with ``make e2e`` (``INTERLOCK_CLIENTS=1``).
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clients import CLAUDE, CLIENTS, CODEX, MORE, Client, Desk, desk_of
from tests.lasting import is_temporary

pytestmark = pytest.mark.e2e


def row(client: Client) -> Any:
    """Return a client as a parameter, which skips where the real one is not to be had."""
    missing = f"the real {client.name} is not installed; to run this: python scripts/install_client.py {client.name}"
    there = pytest.mark.skipif(not os.path.exists(client.installed.path), reason=missing)
    return pytest.param(
        client, id=client.name, marks=[there] if client == CLAUDE else [there, MORE]
    )


@pytest.fixture(params=[row(client) for client in CLIENTS])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """Install interlock for each client."""
    client: Client = request.param
    return desk_of(client, tmp_path)


def test_a_denied_call_does_not_happen_and_its_twin_does(desk: Desk) -> None:
    """A call that takes the guard out is refused and the model reads why; the same words with a
    target in the workspace run, and nothing is said.
    """
    shell = desk.client.run_shell
    with desk.client.wire(
        shell(f"echo '{{}}' > {desk.settings}"), shell("echo '{}' > settings.json")
    ) as model:
        desk.ask(model)
    assert desk.guarded()
    assert (desk.project / "settings.json").read_text() == "{}\n"
    denied, ran = model.results()
    for part in ("Blocked by interlock", "rule: ", "do not retry"):
        assert part in denied
    assert "interlock" not in ran


DISARMING = '{"disableAllHooks": true}\n'


@pytest.mark.parametrize("allowed", [True, False])
def test_the_tool_that_writes_is_judged_too(desk: Desk, *, allowed: bool) -> None:
    """A file tool is held to the same policy as the shell: a project's file may be written, what
    disarms the guard not.
    """
    target = desk.project / ("notes.txt" if allowed else desk.client.switch[0])
    with desk.client.wire(
        desk.client.write(str(target), "{}\n" if allowed else DISARMING)
    ) as model:
        desk.ask(model)
    assert target.exists() is allowed
    assert ("Blocked by interlock" in model.results()[0]) is not allowed


@MORE
@pytest.mark.parametrize("allowed", [True, False])
def test_tools_of_mcp_servers_are_judged_too(desk: Desk, *, allowed: bool) -> None:
    """A tool of an MCP server is judged by its arguments."""
    if desk.client.mcp is None:
        pytest.skip(f"{desk.client.name}: {desk.client.note}")
    target = desk.project / ("notes.txt" if allowed else desk.client.switch[0])
    target.parent.mkdir(parents=True, exist_ok=True)
    with desk.client.wire(desk.client.mcp(str(target))) as model:
        desk.ask(model)
    assert target.exists() is allowed
    assert ("Blocked by interlock" in model.results()[0]) is not allowed


def test_a_server_behind_the_proxy_is_judged_once(desk: Desk) -> None:
    """Put behind ``interlock mcp`` by ``interlock servers wrap``, a server works on, and a call
    that the hook judged is not judged again.
    """
    if desk.client.mcp is None:
        pytest.skip(f"{desk.client.name}: {desk.client.note}")
    assert "demo is now behind interlock mcp" in desk.interlock("servers", "wrap", desk.client.name)
    allowed, denied = desk.project / "notes.txt", desk.project / desk.client.switch[0]
    denied.parent.mkdir(parents=True, exist_ok=True)
    waits = desk.client.run_shell(
        "for i in $(seq 60); do test -e ~/demo.listed && break; sleep 1; done"
    )
    with desk.client.wire(
        waits, desk.client.mcp(str(allowed)), desk.client.mcp(str(denied))
    ) as model:
        desk.ask(model)
    assert (allowed.exists(), denied.exists()) == (True, False)
    _, ran, refused = model.results()
    assert "touched" in ran
    assert "Blocked by interlock" in refused
    assert sorted(
        json.loads(line)["verdict"] for line in desk.interlock("log", "--json").splitlines()
    ) == ["allow", "allow", "deny"]
    assert "demo" in desk.interlock("pins")
    assert "behind interlock mcp: demo" in desk.interlock("doctor", desk.client.name)


def test_what_is_asked_about_waits_for_a_person(desk: Desk) -> None:
    """What a person has to approve does not happen, and the model reads why; what asks nothing
    happens.
    """
    for folder in (desk.home / "photos", desk.project / "src"):
        folder.mkdir()
        (folder / "one.txt").write_text("work that no commit holds\n")
    with desk.client.wire(
        desk.client.run_shell("rm -r ~/photos"), desk.client.run_shell("rm src/one.txt")
    ) as model:
        desk.ask(model)
    assert (desk.home / "photos/one.txt").exists()
    assert not (desk.project / "src/one.txt").exists()
    asked, ran = model.results()
    assert "rule: " in asked
    assert "interlock" not in ran


def test_a_warning_lets_the_call_happen(desk: Desk) -> None:
    """A call that is only warned about runs, and the model reads the warning where the client
    passes it on.
    """
    (desk.project / ".env").write_text("COLOUR=blue\n")
    with desk.client.wire(desk.client.run_shell("cat .env")) as model:
        desk.ask(model)
    assert "COLOUR=blue" in model.results()[0]
    assert ("Allowed by interlock, with a warning" in model.heard()) is desk.client.hears


def test_every_call_and_its_outcome_are_recorded(desk: Desk) -> None:
    """The log holds the refused call and the one that ran, with what it printed, under one
    session.
    """
    with desk.client.wire(
        desk.client.run_shell("echo it-ran"),
        desk.client.run_shell(f"echo '{{}}' > {desk.settings}"),
    ) as model:
        desk.ask(model)
    rows = [json.loads(line) for line in desk.interlock("log", "--json").splitlines()]
    ran, refused = sorted(rows, key=lambda row: str(row["verdict"]))
    assert (ran["verdict"], refused["verdict"]) == ("allow", "deny")
    assert "it-ran" in ran["result"]
    assert ran["session_id"] == refused["session_id"] != ""


@pytest.mark.parametrize(
    ("prompt", "runs"),
    [
        ("Delete old.txt, it is not needed any more.", True),
        ("Tidy up the project, but do not delete any files.", False),
        pytest.param("Explain what old.txt is for.", False, marks=MORE),
    ],
)
def test_a_prompt_counts_for_the_calls_that_follow(desk: Desk, prompt: str, *, runs: bool) -> None:
    """A file is deleted where the person wants that, and kept where they want no deletions."""
    (desk.project / "old.txt").write_text("old\n")
    with desk.client.wire(desk.client.run_shell("rm old.txt")) as model:
        desk.ask(model, prompt)
    assert (desk.project / "old.txt").exists() is not runs
    assert ("rule: intent." in model.results()[0]) is not runs


@MORE
def test_the_session_is_told_about_the_guard(desk: Desk) -> None:
    """The model reads at the start that calls are judged and that a blocked call is not to be
    retried.
    """
    with desk.client.wire() as model:
        desk.ask(model)
    assert "Do not retry a blocked call" in model.heard()


def test_a_subagent_is_guarded(desk: Desk) -> None:
    """What a sub-agent wants is judged like everything else; its allowed call happens."""
    if not desk.client.task:
        pytest.skip(f"{desk.client.name}: {desk.client.note or 'its sub-agents were not measured'}")
    shell = desk.client.run_shell
    steps = [shell(f"echo '{{}}' > {desk.settings}"), shell("echo hello > inside.txt")]
    waits = shell("for i in 1 2 3 4 5 6 7 8 9 10; do test -e inside.txt && break; sleep 1; done")
    with desk.client.wire(*desk.client.task, waits, scripts={"SUBMARK": steps}) as model:
        desk.ask(model)
    assert desk.guarded()
    assert (desk.project / "inside.txt").exists()
    assert "Blocked by interlock" in model.heard()


def test_a_client_without_its_hooks_is_not_started(desk: Desk) -> None:
    """An agent may not start another one that drops the hooks; asking that client for its version
    happens.
    """
    if is_temporary(Path(desk.client.installed.path)):
        pytest.skip(
            "the client lies in a folder for temporary files, out of which no agent runs what nobody has read"
        )
    with desk.client.wire(
        desk.client.run_shell(desk.client.nested),
        desk.client.run_shell(f"{shlex.quote(desk.client.installed.path)} --version"),
    ) as model:
        desk.ask(model)
    started, asked = model.results()
    assert "rule: guard." in started
    assert "interlock" not in asked
    assert desk.client.installed.version in asked


@pytest.mark.parametrize("strict", [True, False])
def test_the_projects_policy_counts_wherever_the_call_works(desk: Desk, *, strict: bool) -> None:
    """What the project's own policy asks about does not happen, also where the model chose another
    folder; without that policy it happens.
    """
    policy = desk.project / ".interlock/policy.yaml"
    policy.parent.mkdir()
    if strict:
        policy.write_text("version: 1\nfiles:\n  block: [notes.txt]\n")
    (desk.project / "sub").mkdir()
    (desk.project / "notes.txt").write_text("SAID-IN-NOTES\n")
    elsewhere = desk.client.elsewhere or (
        lambda command, folder: desk.client.run_shell(f"cd {folder} && {command}")
    )
    with desk.client.wire(elsewhere("cat ../notes.txt", str(desk.project / "sub"))) as model:
        desk.ask(model)
    [told] = model.results()
    assert ("SAID-IN-NOTES" in told) is not strict
    assert ("Blocked by interlock" in told) is strict


# -- a broken guard --------------------------------------------------------------------------------


def _empty(desk: Desk) -> None:
    (desk.package / "hook.py").write_text("")


def _garbage(desk: Desk) -> None:
    (desk.package / "hook.py").write_text("print('{{ this is no answer')\n")


def _missing_file(desk: Desk) -> None:
    (desk.package / "hook.py").unlink()


def missing_package(desk: Desk) -> None:
    """Take a part of interlock away."""
    shutil.rmtree(desk.package / "model")


def _killed(desk: Desk) -> None:
    (desk.package / "cli/build.py").write_text("import os\nos.kill(os.getpid(), 9)\n")


def _crashing(desk: Desk) -> None:
    (desk.package / "cli/build.py").write_text("1 / 0\n")


def _late(desk: Desk) -> None:
    path = desk.package / "cli/hook.py"
    path.write_text(path.read_text().replace("DEADLINE = 15.0", "DEADLINE = 1.0"))
    (desk.package / "cli/build.py").write_text(
        "while True:\n    try:\n        pass\n    except BaseException:\n        pass\n"
    )


def refuses(desk: Desk) -> bool:
    """Tell whether a call that nothing speaks against does not run; fails where the model is not
    told that the guard failed.
    """
    canary = desk.project / "canary.txt"
    with desk.client.wire(desk.client.run_shell(f"touch {canary}")) as model:
        desk.ask(model)
    [told] = model.results()
    assert canary.exists() or "interlock" in told
    assert "Traceback" not in told
    return not canary.exists()


@pytest.mark.parametrize(
    "broken",
    [
        _empty,
        _crashing,
        _late,
        *[
            pytest.param(broken, marks=MORE)
            for broken in (_garbage, _missing_file, missing_package, _killed)
        ],
    ],
    ids=lambda broken: broken.__name__.strip("_"),
)
def test_a_broken_guard_lets_nothing_run(desk: Desk, broken: Any) -> None:
    """However the hook is broken or late, the call does not run; the model is told that the guard
    failed, and never a traceback.
    """
    broken(desk)
    assert refuses(desk)


@pytest.mark.long
def test_the_clients_own_time_out(desk: Desk) -> None:
    """A hook that its client ends (60 seconds, 3 here) refuses the call with Claude Code alone;
    with the others it runs, as their pages say.
    """
    if desk.client.own.plugin is not None:
        pytest.skip(f"{desk.client.name}: a plugin waits by its own clock")
    for path in (desk.package / "integrations").glob("*.py"):
        path.write_text(
            path.read_text()
            .replace("timeout=60_000,", "timeout=3_000,")
            .replace("timeout=60,", "timeout=3,")
        )
    desk.interlock("install", desk.client.name, *desk.client.install)
    assert '"timeout": 3' in desk.settings.read_text()
    (desk.package / "hook.py").write_text(
        "import sys, time\ntime.sleep(8 * ('check' in sys.argv))\n"
    )
    canary = desk.project / "canary.txt"
    with desk.client.wire(desk.client.run_shell(f"touch {canary}")) as model:
        desk.ask(model)
    assert canary.exists() is not desk.client.refuses


def test_after_uninstall_the_client_is_as_before(desk: Desk) -> None:
    """After uninstalling, calls run unjudged again."""
    desk.interlock("uninstall", desk.client.name)
    (desk.project / "sub/.git").mkdir(parents=True)
    with desk.client.wire(desk.client.run_shell("rm -r sub/.git")) as model:
        desk.ask(model)
    assert not (desk.project / "sub/.git").exists()


def test_the_doctor_sees_a_switch(desk: Desk) -> None:
    """The doctor has nothing red after installing, and is red where the project switches hooks
    off.
    """
    assert "BAD" not in desk.interlock("doctor", desk.client.name)
    name, text = desk.client.switch
    if not text:
        pytest.skip(f"{desk.client.name}: nothing in a project drops its plugin")
    (desk.project / name).parent.mkdir(parents=True)
    (desk.project / name).write_text(text)
    done = desk.run("doctor", desk.client.name)
    assert done.returncode == 1
    assert "switched off" in done.stdout


@pytest.mark.parametrize("client", [row(CODEX)])
def test_codex_trusts_what_it_was_told_to(client: Client, tmp_path: Path) -> None:
    """Codex runs a hook only once it is trusted: the doctor is red before, and after a change of
    the entry; green in between.
    """
    desk = desk_of(client._replace(install=()), tmp_path)
    assert "does not run: preToolUse" in desk.run("doctor", "codex").stdout
    assert "codex trusts these hooks" in desk.interlock("install", "codex", "--trust")
    assert "runs all 4 hooks" in desk.interlock("doctor", "codex")
    desk.edit_settings(timeout=45)
    done = desk.run("doctor", "codex")
    assert (done.returncode, "does not run: preToolUse" in done.stdout) == (1, True)
    assert sys.executable in desk.settings.read_text()


@pytest.mark.parametrize("client", [row(CODEX)])
def test_codex_starts_nothing_to_type_into(client: Client, tmp_path: Path) -> None:
    """What ``write_stdin`` types no hook sees, so a shell that waits for it is not started; a shell
    that is given its command runs.
    """
    desk = desk_of(client, tmp_path)
    typing = {
        "tool": "exec_command",
        "input": {"cmd": "/bin/sh", "tty": True, "yield_time_ms": 300},
    }
    typed = {
        "tool": "write_stdin",
        "input": {"session_id": 1000, "chars": "touch typed.txt\n", "yield_time_ms": 300},
    }
    with client.wire(typing, typed, client.run_shell("sh -c 'touch given.txt'")) as model:
        desk.ask(model)
    assert not (desk.project / "typed.txt").exists()
    assert (desk.project / "given.txt").exists()
    assert "Blocked by interlock" in model.results()[0]
