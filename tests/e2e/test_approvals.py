"""The real Claude Code: what a person granted runs even where nobody can be asked, and what the
agent runs approves nothing.
"""

from __future__ import annotations

import os
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from interlock.approvals import answers
from interlock.approvals.service import Approvals
from interlock.audit.log import Audit
from interlock.cli import build
from interlock.guard.services import QUEUE
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin
from tests.approving import request_of
from tests.e2e import test_claude_code
from tests.e2e.fake_model import FakeModel
from tests.e2e.test_claude_code import bash
from tests.e2e.test_claude_code import desk as desk  # noqa: PLC0414 - a fixture

if TYPE_CHECKING:
    from interlock.store.database import Store
    from tests.e2e.clients import Desk

pytestmark = test_claude_code.pytestmark
COMMAND = "rm -rf ~/photos"


def requested(desk: Desk) -> tuple[Store, str]:
    """File a request as a client that cannot ask would, in a session of its own; forget that it was
    this process.
    """
    store = build.store({"HOME": str(desk.home)})
    guard = build.guard({"HOME": str(desk.home)})
    guard.ask, guard.approvals = QUEUE, lambda: Approvals(store, Audit(store).redactor)
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": COMMAND},
        cwd=str(desk.project),
        roots=(str(desk.project),),
        session="another",
    )
    name = request_of(guard.check(call))
    store.transact(
        lambda connection: (
            connection.execute("DELETE FROM agent_process WHERE pid = ?", (os.getpid(),)).rowcount
        )
    )
    return store, name


@pytest.mark.parametrize("granted", [True, False])
def test_a_grant_counts_where_nobody_can_be_asked(desk: Desk, granted: bool) -> None:
    """With ``-p`` what asks is refused; what a person granted for the project before runs, and its
    twin without the grant does not.
    """
    (desk.home / "photos").mkdir()
    store, name = requested(desk)
    if granted:
        answers.approve(store, name, answers.ApprovalAnswer("alice", scope="project"), builtin())
    with FakeModel(bash(COMMAND)) as model:
        desk.ask(model)
    assert (desk.home / "photos").exists() is not granted
    assert ("Blocked by interlock" in model.results()[0]) is not granted


def test_what_the_client_runs_approves_nothing(desk: Desk) -> None:
    """A program that the guard cannot read, run by the client, calls ``interlock approve``: it is
    refused below the recorded client.
    """
    store, name = requested(desk)
    program = desk.project / "frob"
    with program.open("wb") as file:
        file.write(f"#!{os.path.realpath(sys.executable)}\n".encode())
        with zipfile.ZipFile(file, "w") as archive:
            argv = [sys.executable, "-m", "interlock", "approve", name]
            variables = {
                "HOME": str(desk.home),
                "PYTHONPATH": str(desk.package.parent),
                "PATH": "/usr/bin:/bin",
            }
            archive.writestr(
                "__main__.py", f"import os\nos.execve({argv[0]!r}, {argv!r}, {variables!r})\n"
            )
    program.chmod(0o755)
    with FakeModel(bash("./frob")) as model:
        desk.ask(model)
    assert "an agent may not approve" in model.results()[0]
    assert [request.state for request in answers.list_requests(store)] == ["pending"]
    [(process,)] = store.query("SELECT name FROM agent_process")
    assert process in ("claude", "node")
