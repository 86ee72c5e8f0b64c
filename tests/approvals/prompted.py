"""A little agent loop of our own, run by tests on a real terminal: it judges the commands it is
given, with a prompt, and writes down each answer.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path

from interlock.approvals import answers
from interlock.approvals.prompt import Prompt
from interlock.approvals.service import Approvals
from interlock.audit.log import Audit
from interlock.facts import Live
from interlock.guard.check import Guard
from interlock.ledger.sessions import Ledger
from interlock.model.call import SHELL, ToolCall
from interlock.model.policy import Approving
from interlock.policy.builtin import builtin
from interlock.store.database import Store


class Spinner:
    """Writes over its line for ever, unless it is paused."""

    def __init__(self) -> None:
        self.paused = threading.Event()
        self.turns = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.spin, daemon=True)
        self.thread.start()

    def spin(self) -> None:
        """Turn."""
        while not self.ended.is_set():
            if not self.paused.is_set():
                sys.stderr.write(f"\rthinking {'|/-'[self.turns % 3]}")
                sys.stderr.flush()
                self.turns += 1
            time.sleep(0.01)

    def end(self) -> None:
        """Stand still: Python must not end while it writes."""
        self.ended.set()
        self.thread.join()


def main(spec: dict[str, object]) -> None:
    """Judge, and write the report."""
    home = Path(str(spec["home"]))
    policy = builtin().replace(approving=Approving(seconds=int(str(spec.get("seconds", 600)))))
    store, facts = Store(str(home / "state")), Live(str(home))
    prompt = Prompt(policy, facts, colour=bool(spec.get("colour")))
    events: list[str] = []
    spinner = Spinner() if spec.get("spinner") else None
    if spinner is not None:
        time.sleep(0.1)

        def pause() -> None:
            spinner.paused.set()
            time.sleep(0.05)
            events.append("paused")

        def resume() -> None:
            events.append("resumed")
            spinner.paused.clear()

        prompt.pause, prompt.resume = pause, resume
    audit = Audit(store)
    guard = Guard(
        policy,
        ask=prompt,
        facts=facts,
        audit=audit,
        ledger=Ledger(store),
        approvals=lambda: Approvals(store, audit.redactor),
    )
    root = str(home / "project")
    report = []
    for number, command in enumerate(spec["commands"]):  # type: ignore[arg-type, var-annotated]
        call = ToolCall(
            SHELL,
            "Bash",
            {"command": command},
            cwd=root,
            roots=(root,),
            session="s",
            call_id=f"c{number}",
        )
        decision = guard.check(call)
        report.append(
            [
                str(decision.verdict),
                sorted(
                    {finding.rule for finding in decision.findings if finding.stage == "approval"}
                ),
            ]
        )
    grants = [cover.told() for grant in answers.grants(store) for cover in grant.covers]
    if spinner is not None:
        spinner.end()
    Path(str(spec["report"])).write_text(
        json.dumps({"verdicts": report, "grants": grants, "events": events}), encoding="utf-8"
    )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
