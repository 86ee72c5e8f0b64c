"""Sessions in which calls follow each other, as lines that tests play.

A scenario is lines, each with a mark::

    ? COMMAND => VERDICT      judged as a shell command; where it may run, the client then says that it ran
    ? COMMAND =>? VERDICT     the same, but the client says nothing (the person said no, or nobody knows)
    w PATH => VERDICT         judged as the Write tool, r PATH as Read, f URL as WebFetch
    < TEXT                    what the call before printed
    ! COMMAND                 really done, in the folder of the test: the world between two calls
    @ SESSION                 from here on another session
    ~ FOLDER                  from here on the client works in another folder, which it says is the session's
    - AGENT                   from here on a sub-agent of the session

``{T}`` is a folder for temporary files, ``{H}`` the home. The project holds the committed files
``src/a.py``, ``src/b.py`` and ``.gitignore`` with ``*.log``, ``out/`` and ``__pycache__/``, and
starts without changes.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

from interlock.audit.log import Audit
from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.guard.services import NATIVE
from interlock.ledger.sessions import Ledger
from interlock.model.call import Outcome, ToolCall
from interlock.policy.builtin import builtin
from interlock.store.database import Store

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.model.decision import Decision


GIT = "git -c user.name=t -c user.email=t@example.test"


TOOLS = {
    "w": ("write", "Write", "file_path"),
    "r": ("read", "Read", "file_path"),
    "f": ("fetch", "WebFetch", "url"),
    "?": ("shell", "Bash", "command"),
}


class Session:
    """A guard with a store and a project of its own, and the calls that were made."""

    def __init__(self, top: Path, *, headless: bool = False) -> None:
        self.top = top.resolve()
        self.home, self.temp, self.project = (
            self.top / "home",
            self.top / "temp",
            self.top / "home/project",
        )
        for folder in (self.home / ".aws", self.temp, self.project / "src"):
            folder.mkdir(parents=True)
        for name in ("src/a.py", "src/b.py"):
            (self.project / name).write_text("print(1)\n")
        (self.project / ".gitignore").write_text("*.log\nout/\n__pycache__/\n")
        (self.project / ".env").write_text("A=1\n")
        (self.home / ".aws/credentials").write_text("x\n")
        self.do(
            f"git init -q -b main && echo .env >> .git/info/exclude && git add -A && {GIT} commit -q -m x"
        )
        self.store = Store(str(self.top / "state"))
        self.headless = headless
        self.session, self.agent, self.calls = "s", "", 0
        self.folder = str(self.project)

    def do(self, command: str) -> None:
        """Change the world."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        subprocess.run(["sh", "-ec", command], cwd=self.project, env=environment, check=True)

    def guard(self) -> Guard:
        """Return a guard as a new process would have it."""
        facts = Live(str(self.home), (str(self.temp),))
        return Guard(
            builtin(), ask=NATIVE, facts=facts, audit=Audit(self.store), ledger=Ledger(self.store)
        )

    def call(self, mark: str, text: str) -> ToolCall:
        """Return the next call."""
        self.calls += 1
        tool, name, key = TOOLS[mark]
        given = {key: text, **({"content": "print(2)\n"} if mark == "w" else {})}
        cwd = self.folder
        return ToolCall(
            tool,
            name,
            given,
            cwd,
            (cwd,),
            session=self.session,
            call_id=f"c{self.calls}",
            agent_id=self.agent,
            headless=self.headless,
        )

    def judge(self, mark: str, text: str, excerpt: str = "", *, silent: bool = False) -> Decision:
        """Judge a call and, unless the client is silent, let it run as far as anybody knows."""
        call = self.call(mark, text)
        decision = self.guard().check(call)
        if str(decision.verdict) != "deny" and not silent:
            assert self.guard().outcome(Outcome(call, "ran", excerpt)) == ()
        return decision

    def play(self, lines: str) -> list[tuple[str, list[tuple[str, str]]]]:
        """Go through a scenario; return the lines that were answered otherwise than they say, each
        with what was found.
        """
        wrong = []
        steps = [
            line.strip().replace("{T}", str(self.temp)).replace("{H}", str(self.home))
            for line in lines.strip().split("\n")
        ]
        for at, step in enumerate(steps):
            mark, _, rest = step.partition(" ")
            if mark == "!":
                self.do(rest)
            elif mark == "@":
                self.session = rest
            elif mark == "~":
                self.folder = rest
            elif mark == "-":
                self.agent = rest
            elif mark != "<":
                text, arrow, verdict = rest.rpartition(" =>")
                printed = (
                    steps[at + 1][2:].encode().decode("unicode_escape")
                    if steps[at + 1 :] and steps[at + 1][:1] == "<"
                    else ""
                )
                decision = self.judge(mark, text, printed, silent=verdict[:1] == "?")
                assert arrow, step
                if str(decision.verdict) != verdict.strip("? "):
                    wrong.append(
                        (
                            step,
                            [
                                (finding.rule, str(finding.effective))
                                for finding in decision.findings
                            ],
                        )
                    )
        return wrong
