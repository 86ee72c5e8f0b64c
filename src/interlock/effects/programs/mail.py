"""Programs that write letters: what is said to other people cannot be called back."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.programs.sending import file_carries, flow_carries, leaks, send, word_carries
from interlock.effects.run import Run
from interlock.model.effect import LOCAL, RunsCode
from interlock.shell.value import UNREAD, Flow, Value


def _mail(run: Run) -> Flow:
    """Mail to the operands: its body is standard input, ``-a`` and ``-A`` attach files, ``--exec``
    is a command of its own language.
    """
    for value in run.parsed.values("--exec"):
        run.effect(RunsCode, "--exec", "option-command", value=value)
        run.code(Value(value.text.lstrip("!"), value.start, value.end, value.why))
    rcpt = run.operands[0].text if run.operands else ""
    if not rcpt and not run.has("-t", "--to"):
        return UNREAD
    server = run.parsed.value("--server")
    if server is not None and hosts.classify(server.text.partition(":")[0]) == LOCAL:
        return UNREAD  # a server of this machine that catches letters, as for tests
    traits = {"message", *flow_carries(run.stdin)}
    for value in run.parsed.values("-a", "-A", "--attach", "--attach-file", "-f-attach"):
        traits |= {"upload"} | file_carries(run, value)
    for value in run.parsed.values("--body", "-q"):
        traits |= (
            file_carries(run, Value(value.text.lstrip("@"), value.start, value.end, value.why))
            if value.text.startswith("@")
            else word_carries(run, value)
        )
    send(run, rcpt.rpartition("@")[2] or "mail", traits)
    leaks(run, rcpt.rpartition("@")[2] or "mail")
    return UNREAD
