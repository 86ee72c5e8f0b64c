"""The real OpenCode and Pi where their plugin is not loaded, late, or what a user already had; all
else is in ``test_clients.py``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.clients import OPENCODE, PI, Client, Desk, desk_of
from tests.e2e.test_clients import row
from tests.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e
SCHEMA = "https://opencode.ai/config.json"
"""OpenCode writes it into its settings where it is missing."""
DOWN = "\x1b[B"


@pytest.fixture(params=[row(OPENCODE), row(PI)])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    """Install interlock for each client that loads a plugin."""
    client: Client = request.param
    return desk_of(client, tmp_path)


def _missing(desk: Desk) -> None:
    desk.settings.unlink()


def _unreadable(desk: Desk) -> None:
    desk.settings.write_text("this is ((( no JavaScript")


def _throwing(desk: Desk) -> None:
    desk.settings.write_text("throw new Error('as it is loaded')\n" + desk.settings.read_text())


@pytest.mark.parametrize("client", [row(OPENCODE)])
@pytest.mark.parametrize(
    "broken",
    [_missing, _unreadable, _throwing, None],
    ids=["missing", "unreadable", "throwing", "pure"],
)
def test_opencode_without_its_plugin_has_no_tools(
    client: Client, broken: Any, tmp_path: Path
) -> None:
    """Where the plugin is not loaded, nothing runs, also with every question answered yes; the
    doctor sees a plugin that is not as it should be.
    """
    desk = desk_of(client, tmp_path)
    pure = broken is None
    if not pure:
        broken(desk)
    with client.wire(client.run_shell("touch canary.txt")) as model:
        desk.ask(model, **({"OPENCODE_PURE": "1"} if pure else {}))
    assert not (desk.project / "canary.txt").exists()
    assert not any(request.get("tools") for request in model.requests)
    assert desk.run("doctor", "opencode").returncode == (0 if pure else 1)


@pytest.mark.parametrize("client", [row(PI)])
@pytest.mark.parametrize(
    "broken", [_unreadable, _throwing], ids=lambda broken: broken.__name__.strip("_")
)
def test_pi_does_not_start_with_a_broken_extension(
    client: Client, broken: Any, tmp_path: Path
) -> None:
    """An extension that cannot be loaded ends Pi before it asks the model anything."""
    desk = desk_of(client, tmp_path)
    broken(desk)
    with client.wire(client.run_shell("touch canary.txt")) as model:
        done = desk.started(model)
    assert done.returncode != 0
    assert model.requests == []
    assert desk.run("doctor", "pi").returncode == 1


@pytest.mark.parametrize("client", [row(PI)])
def test_pi_without_its_extension_is_not_guarded_and_the_doctor_says_so(
    client: Client, tmp_path: Path
) -> None:
    """Pi knows no second line: where the extension is missing calls run unjudged, as its page says,
    and the doctor is red.
    """
    desk = desk_of(client, tmp_path)
    assert desk.run("doctor", "pi").returncode == 0
    _missing(desk)
    with client.wire(client.run_shell("touch canary.txt")) as model:
        desk.ask(model)
    assert (desk.project / "canary.txt").exists()
    assert desk.run("doctor", "pi").returncode == 1


def test_an_interlock_that_never_answers_lets_nothing_run(desk: Desk) -> None:
    """The plugin's own deadline ends an interlock that hangs, its own watch included, and refuses
    the call.
    """
    desk.settings.write_text(desk.settings.read_text().replace("25_000", "1_500"))
    (desk.package / "hook.py").write_text("import time\ntime.sleep(60)\n")
    with desk.client.wire(desk.client.run_shell("touch canary.txt")) as model:
        desk.ask(model)
    assert not (desk.project / "canary.txt").exists()
    assert (
        "interlock failed (it ran out of time after 1.5 seconds), so this call did not run"
        in model.results()[0]
    )


def test_the_agent_does_not_take_its_guard_out(desk: Desk) -> None:
    """Deleting, overwriting or editing the plugin and uninstalling are refused as tampering; a file
    of the same name is written.
    """
    shell = desk.client.run_shell
    there = desk.settings.read_text()
    steps = [
        shell(f"rm {desk.settings}"),
        shell(f"sed -i 's/deny/allow/' {desk.settings}"),
        shell(f"cp /dev/null {desk.settings}"),
    ]
    steps += [
        shell(f"interlock uninstall {desk.client.name}"),
        shell(f"rm -r {desk.settings.parent}"),
        shell("echo mine > interlock.js"),
    ]
    with desk.client.wire(*steps) as model:
        desk.ask(model)
    assert desk.settings.read_text() == there
    assert (desk.project / "interlock.js").read_text() == "mine\n"
    *refused, wrote = model.results()
    assert len(refused) == 5
    assert all("rule: guard." in told for told in refused)
    assert "interlock" not in wrote


@pytest.mark.parametrize("client", [row(OPENCODE)])
def test_the_users_own_rules_stand_after_interlocks(client: Client, tmp_path: Path) -> None:
    """What the user denied in OpenCode stays denied where interlock has nothing against it, and
    uninstalling leaves their rules as they were.
    """
    desk = desk_of(client, tmp_path)
    desk.interlock("uninstall", "opencode")
    path = desk.home / ".config/opencode/opencode.json"
    own = {
        "$schema": SCHEMA,
        **json.loads(path.read_text()),
        "permission": {"bash": {"*": "allow", "touch secret*": "deny"}},
    }
    path.write_text(json.dumps(own, indent=4))
    desk.interlock("install", "opencode")
    assert list(json.loads(path.read_text())["permission"]) == ["bash", "**"]
    with client.wire(
        client.run_shell("touch secret.txt"), client.run_shell("touch other.txt")
    ) as model:
        desk.ask(model)
    assert not (desk.project / "secret.txt").exists()
    assert (desk.project / "other.txt").exists()
    desk.interlock("uninstall", "opencode")
    assert path.read_text() == json.dumps(own, indent=4)


@pytest.mark.parametrize("client", [row(OPENCODE)])
def test_settings_with_comments_are_left_alone_and_the_plugin_guards(
    client: Client, tmp_path: Path
) -> None:
    """Settings that are not rewritten keep their words; the plugin is installed all the same, and
    what is missing is said.
    """
    desk = desk_of(client, tmp_path)
    desk.interlock("uninstall", "opencode")
    path = desk.home / ".config/opencode/opencode.json"
    path.write_text(f'{{\n  // mine\n  "$schema": "{SCHEMA}",' + path.read_text().lstrip("{"))
    before = path.read_text()
    said = desk.interlock("install", "opencode")
    assert '"**": "deny"' in said
    assert path.read_text() == before
    with client.wire(
        client.run_shell(f"echo x > {path}"), client.run_shell("echo x > notes.txt")
    ) as model:
        desk.ask(model)
    assert path.read_text() == before
    assert (desk.project / "notes.txt").exists()
    assert "everything runs where the plugin is not loaded" in desk.run("doctor", "opencode").stdout


@pytest.mark.parametrize("client", [row(PI)])
@pytest.mark.parametrize("yes", [True, False])
def test_a_person_at_pi_is_asked(client: Client, tmp_path: Path, *, yes: bool) -> None:
    """At Pi's terminal the person is shown the reason: their yes lets the call happen and is
    recorded, their no is read by the model.
    """
    desk = desk_of(client, tmp_path)
    photos = desk.home / "photos"
    photos.mkdir()
    (photos / "one.txt").write_text("work that no commit holds\n")
    with client.wire(client.run_shell("rm -r ~/photos")) as model:
        argv, environment = desk.line(model, TERM="xterm-256color")
        terminal = Terminal([word for word in argv if word != "-p"], environment, desk.project)
        try:
            assert "interlock; rule: " in terminal.until("Yes, this once")
            assert photos.exists()
            terminal.type(DOWN + "\r" if yes else "\r")
            terminal.until("done")
        finally:
            terminal.kill()
    assert photos.exists() is not yes
    assert ("The user did not approve this call" in model.results()[0]) is not yes
    [recorded] = [json.loads(line) for line in desk.interlock("log", "--json").splitlines()]
    assert recorded["verdict"] == "ask"
    assert bool(recorded["result"]) is yes
