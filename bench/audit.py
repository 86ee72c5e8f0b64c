"""What the chain and the redaction cost a judgement in a warm process: microseconds, and ratios to
the same without them.

    python bench/audit.py [ROUNDS]

Judgements are committed in turn to two stores, one with the chain and one whose judgements are
plain rows, so that a busy machine slows both alike.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from typing import TYPE_CHECKING

from interlock.audit.entry import Judgement
from interlock.audit.log import Audit
from interlock.audit.redact import Redactor
from interlock.cli.build import fixed_facts
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin
from interlock.store import chain
from interlock.store.database import Store
from interlock.store.schema import AUDIT_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from interlock.store.protocol import Connection
    from interlock.store.schema import Value, Write

HOME = "/home/user"
PLAIN = f"INSERT INTO guardrail_audit_log ({', '.join(AUDIT_COLUMNS)}) VALUES ({', '.join('?' * len(AUDIT_COLUMNS))})"  # noqa: S608 - our own words


def plain(connection: Connection, values: Sequence[Value]) -> None:
    """Write a judgement's row as it was before there was a chain."""
    connection.execute(PLAIN, values)


def judged(audit: Audit, number: int) -> Write:
    """Return the write of one ordinary judgement."""
    text = f"cd src && grep -rn 'def main' . | head -{number} && git status --short"
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": text},
        f"{HOME}/w",
        (f"{HOME}/w",),
        session="s",
        call_id=f"c{number}",
    )
    reading = read(call, fixed_facts(HOME))
    return audit.judged(
        Judgement(call, reading, decide(call, reading, builtin(), f"d-{number:016x}"), builtin())
    )


def commits(rounds: int, folder: str) -> dict[str, float]:
    """Return the median microseconds of a commit with and without the chain."""
    chained, step = (
        chain.STEPS["decision"],
        {"with the chain": chain.STEPS["decision"], "plain rows": plain},
    )
    stores = {name: Store(f"{folder}/{name.partition(' ')[0]}") for name in step}
    times: dict[str, list[float]] = {name: [] for name in step}
    for number in range(rounds):
        for name, store in stores.items():
            chain.STEPS["decision"] = step[name]
            write = judged(Audit(store), number)
            begun = time.perf_counter()
            store.commit([write])
            times[name].append(1e6 * (time.perf_counter() - begun))
    chain.STEPS["decision"] = chained
    return {name: statistics.median(some) for name, some in times.items()}


def redactions(rounds: int) -> dict[str, float]:
    """Return the microseconds of looking through one text for secrets: an ordinary one, and one
    that is looked at whole.
    """
    redactor = Redactor(lambda: b"k" * 32)
    texts = {
        "an ordinary command": "cd src && grep -rn 'def main' . | head -5 && git status --short",
        "one with a digest": f"git show {'0123456789abcdef' * 2}01234567 --stat | head -40",
        "16 KiB of a file": "    return value_of(name, 42)  # what the caller wanted\n" * 300,
    }
    found = {}
    for name, text in texts.items():
        begun = time.perf_counter()
        for _ in range(rounds):
            redactor.text(text)
        found[name] = 1e6 * (time.perf_counter() - begun) / rounds
    return found


def main(arguments: list[str]) -> int:
    """Print the tables."""
    rounds = int(arguments[0]) if arguments else 1000
    with tempfile.TemporaryDirectory() as folder:
        found = commits(rounds, folder)
    base = found["plain rows"]
    print(f"{'one commit':24} {'median us':>9} {'ratio':>6}")
    for name, middle in found.items():
        print(f"{name:24} {middle:9.0f} {middle / base:6.2f}")
    print(f"{'the chain alone':24} {found['with the chain'] - base:9.0f}")
    print(f"{'looking for secrets in':24} {'us':>9}")
    for name, took in redactions(rounds // 5).items():
        print(f"{name:24} {took:9.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
