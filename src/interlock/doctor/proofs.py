"""Proof, by what happens: the installed lines are run as the client runs them, and the client is
asked whether it runs them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from interlock.doctor.hook_probe import DENY, PASS, HookAnswer, ask
from interlock.doctor.report_row import AMBER, GREEN, RED, ReportRow
from interlock.integrations.clients import adapter_of
from interlock.integrations.install import HookEntry
from interlock.integrations.protocol import Settings
from interlock.model.call import PROVING

PROOFS = (
    ("refuses", "rm -rf /", DENY),
    ("guards itself", "interlock uninstall {client}", DENY),
    ("permits", "echo hello", PASS),
)
"""What is shown, by which command, and the answer that shows it: two that every policy refuses, and
their permitted twin.
"""


def proofs(found: list[HookEntry], settings: Settings, client: str) -> Iterator[ReportRow]:
    """Run every installed line that guards, with each command of the table (judged, never run)."""
    event = next(hooked.event for hooked in settings.events if not hooked.note)
    for line in dict.fromkeys(
        str(entry.hook.get("command")) for entry in found if entry.event == event
    ):
        for what, form, wanted in PROOFS:
            command = form.format(client=client)
            answer = ask(line, _payload(command, event, client), os.environ, os.getcwd())
            yield _row(what, command, answer, wanted, client)
            if what == "permits" and answer.verdict == PASS:
                yield _recording_row(answer)


def _row(what: str, command: str, answer: HookAnswer, wanted: str, client: str) -> ReportRow:
    judged = "could not judge" not in answer.err and "interlock failed" not in answer.err
    if answer.verdict == wanted and judged:
        return ReportRow(
            GREEN,
            what,
            f"`{command}` {'was refused' if wanted == DENY else 'passed'} in {answer.took} ms",
        )
    return ReportRow(RED, what, f"`{command}`: {answer.said()}", f"interlock install {client}")


def _recording_row(answer: HookAnswer) -> ReportRow:
    if "audit.not-written" in answer.out:
        return ReportRow(AMBER, "records", f"decisions are not recorded: {answer.said()}")
    return ReportRow(GREEN, "records", "see: interlock log --all")


def _payload(command: str, event: str, client: str) -> dict[str, object]:
    adapter = adapter_of(client)
    given = {"command": command, "description": "a proof of interlock doctor; judged, never run"}
    call = {"tool_name": adapter.SETTINGS.shell_tool, "tool_input": given}
    made: dict[str, object] = {
        "session_id": PROVING,
        "cwd": os.getcwd(),
        "hook_event_name": event,
        "tool_use_id": "doctor",
        **call,
    }
    return adapter.DIALECT.shape.told(made) if adapter.DIALECT.shape is not None else made


def check_trust(settings: Settings, client: str, project: str) -> Iterator[ReportRow]:
    """Ask the client itself whether it runs our hooks."""
    from interlock.integrations import trust

    mend = f"interlock install {client} --trust"
    try:
        found = trust.hooks(settings, client, project)
    except trust.TrustError as error:
        yield ReportRow(
            RED, "trust", f"whether {client} runs these hooks cannot be seen: {error}", mend
        )
        return
    waiting = ", ".join(hook.event for hook in found if not hook.trusted)
    if waiting or not found:
        yield ReportRow(
            RED, "trust", f"{client} does not run: {waiting or 'any hook of interlock'}", mend
        )
    else:
        yield ReportRow(GREEN, "trust", f"{client} runs all {len(found)} hooks")
