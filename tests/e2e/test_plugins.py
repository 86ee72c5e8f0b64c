"""The real OpenCode and Pi where their plugin is not loaded, late, or what a user already had; all else is in ``test_clients.py``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.clients import OPENCODE, PI, Client, Desk, desk_of
from tests.e2e.test_clients import row

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e


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
@pytest.mark.parametrize("broken", [_missing, _unreadable, _throwing, None], ids=["missing", "unreadable", "throwing", "pure"])
def test_opencode_without_its_plugin_has_no_tools(client: Client, broken: Any, tmp_path: Path) -> None:
    """Where the plugin is not loaded, nothing runs, also with every question answered yes; the doctor sees a plugin that is not as it should be."""
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
@pytest.mark.parametrize("broken", [_unreadable, _throwing], ids=lambda broken: broken.__name__.strip("_"))
def test_pi_does_not_start_with_a_broken_extension(client: Client, broken: Any, tmp_path: Path) -> None:
    """An extension that cannot be loaded ends Pi before it asks the model anything."""
    desk = desk_of(client, tmp_path)
    broken(desk)
    with client.wire(client.run_shell("touch canary.txt")) as model:
        done = desk.started(model)
    assert done.returncode != 0
    assert model.requests == []
    assert desk.run("doctor", "pi").returncode == 1


def test_an_interlock_that_never_answers_lets_nothing_run(desk: Desk) -> None:
    """The plugin's own deadline ends an interlock that hangs, its own watch included, and refuses the call."""
    desk.settings.write_text(desk.settings.read_text().replace("25_000", "1_500"))
    (desk.package / "hook.py").write_text("import time\ntime.sleep(60)\n")
    with desk.client.wire(desk.client.run_shell("touch canary.txt")) as model:
        desk.ask(model)
    assert not (desk.project / "canary.txt").exists()
    assert "interlock failed (it ran out of time after 1.5 seconds), so this call did not run" in model.results()[0]


def test_the_agent_does_not_take_its_guard_out(desk: Desk) -> None:
    """Deleting, overwriting or editing the plugin and uninstalling are refused as tampering; a file of the same name is written."""
    shell = desk.client.run_shell
    there = desk.settings.read_text()
    steps = [shell(f"rm {desk.settings}"), shell(f"sed -i 's/deny/allow/' {desk.settings}"), shell(f"cp /dev/null {desk.settings}")]
    steps += [shell(f"interlock uninstall {desk.client.name}"), shell(f"rm -r {desk.settings.parent}"), shell("echo mine > interlock.js")]
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
    """What the user denied in OpenCode stays denied where interlock has nothing against it, and uninstalling leaves their rules as they were."""
    desk = desk_of(client, tmp_path)
    desk.interlock("uninstall", "opencode")
    path = desk.home / ".config/opencode/opencode.json"
    own = {**json.loads(path.read_text()), "permission": {"bash": {"*": "allow", "touch secret*": "deny"}}}
    path.write_text(json.dumps(own, indent=4))
    desk.interlock("install", "opencode")
    assert list(json.loads(path.read_text())["permission"]) == ["bash", "**"]
    with client.wire(client.run_shell("touch secret.txt"), client.run_shell("touch other.txt")) as model:
        desk.ask(model)
    assert not (desk.project / "secret.txt").exists()
    assert (desk.project / "other.txt").exists()
    desk.interlock("uninstall", "opencode")
    assert path.read_text() == json.dumps(own, indent=4)


@pytest.mark.parametrize("client", [row(OPENCODE)])
def test_settings_with_comments_are_left_alone_and_the_plugin_guards(client: Client, tmp_path: Path) -> None:
    """Settings that are not rewritten keep their words; the plugin is installed all the same, and what is missing is said."""
    desk = desk_of(client, tmp_path)
    desk.interlock("uninstall", "opencode")
    path = desk.home / ".config/opencode/opencode.json"
    path.write_text("{\n  // mine\n" + path.read_text().lstrip("{"))
    before = path.read_text()
    said = desk.interlock("install", "opencode")
    assert '"**": "deny"' in said
    assert path.read_text() == before
    with client.wire(client.run_shell(f"echo x > {path}"), client.run_shell("echo x > notes.txt")) as model:
        desk.ask(model)
    assert path.read_text() == before
    assert (desk.project / "notes.txt").exists()
    assert "everything runs where the plugin is not loaded" in desk.run("doctor", "opencode").stdout
