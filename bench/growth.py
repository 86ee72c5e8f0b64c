"""What a call takes as things grow: the text, the rules of a policy, the rows of the audit, the
sessions that ask at once.

    python -m bench.growth [--rows 1000000] [--rounds 300]

What is compared takes turns, so that a busy machine slows both alike; each ratio is of medians. The
store of the rows lies in a folder for temporary files (1.4 kB a row) and is removed. The sessions
ask a resident guard over connections of their own, in a home made for it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.decide import made
from bench.policy import TODAY, policy
from bench.resident import asked, staying
from bench.week import Filling, one
from interlock.audit.entry import Judgement
from interlock.audit.log import Audit
from interlock.cli.build import reader
from interlock.effects.read import read
from interlock.engine.candidates import index
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model.call import SHELL, ToolCall
from interlock.policy.builtin import builtin
from interlock.policy.files import PolicyLocations
from interlock.policy.load import load
from interlock.store.database import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from interlock.model.policy import Policy

CWD = "/home/user/project"
DELETES = "rm -rf build/out dist"
OWN = 2_500
"""Rules of one file: it may have 1 MiB and 50,000 values."""


def in_turn(rounds: int, works: Mapping[str, Callable[[int], object]]) -> dict[str, float]:
    """Return the median microseconds of each piece of work, done in turn."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 3):
        for name, work in works.items():
            begun = time.perf_counter()
            work(number)
            taken[name].append(1e6 * (time.perf_counter() - begun))
    return {name: statistics.median(some[3:]) for name, some in taken.items()}


def shown(title: str, found: Mapping[str, float], unit: str = "us") -> None:
    """Print a table; every ratio is to the first row."""
    base = next(iter(found.values()))
    print(f"\n{title:58}{unit:>9}{'ratio':>8}")
    for name, middle in found.items():
        print(f"  {name:56}{middle:9.1f}{middle / base:8.2f}")


def judged(policy: Policy, command: str) -> object:
    """Read a command and decide."""
    call = ToolCall(SHELL, "Bash", {"command": command}, cwd=CWD, roots=(CWD,))
    return decide(call, read(call, Recorded()), policy, "bench")


def lengths(rounds: int) -> None:
    """Print what a longer text takes."""
    policy, part = builtin(), "grep -n 'def main' src/module_{}.py | head -5; "
    texts = {
        count: "".join([part.format(number) for number in range(count)])
        for count in (1, 10, 100, 1000)
    }
    found = in_turn(
        max(rounds // 30, 5),
        {
            f"{len(text):,} characters": lambda _, text=text: judged(policy, text)  # type: ignore[misc]
            for text in texts.values()
        },
    )
    shown("read and decide, per text", found)
    each = {
        name: middle / len(text)
        for (name, middle), text in zip(found.items(), texts.values(), strict=True)
    }
    shown("the same for each character", each)


def grown(rules: int) -> Policy:
    """Return the built-in policy with so many rules about paths that are named, as files of a
    person or a team would have them.
    """
    with tempfile.TemporaryDirectory() as top:
        home = f"{top}/home"
        where = PolicyLocations(
            f"{top}/etc",
            home,
            f"{top}/work",
            f"{home}/.local/state/interlock",
            os.getuid(),
            os.getuid(),
        )
        file = Path(where.user_file)
        file.parent.mkdir(parents=True)
        file.write_text(policy(OWN), encoding="utf-8")
        found = load(where, reader(home), TODAY)
    if found.problems:
        sys.exit(found.problems[0].text())
    own = [rule for rule in found.policy.rules if rule.id.startswith("team.")]
    more = [
        rule.replace(id=f"{rule.id}-{copy}") for copy in range(rules // OWN - 1) for rule in own
    ]
    every = (*found.policy.rules, *more)
    return found.policy.replace(rules=every, by_kind=index(every))


def rules(rounds: int) -> None:
    """Print what more rules take, of effects that a call does not have and of those that it has."""
    few, many, ordinary = builtin(), grown(10_000), made()
    names = {f"{len(few.rules)} rules": few, f"{len(many.rules):,} rules, of deletions": many}
    each = {
        name: lambda at, policy=policy: judged(policy, ordinary[at % len(ordinary)])
        for name, policy in names.items()
    }
    shown("an ordinary command", in_turn(rounds, each))
    each = {
        name: lambda _, policy=policy: judged(policy, DELETES) for name, policy in names.items()
    }
    shown(f"a deletion ({DELETES})", in_turn(max(rounds // 3, 5), each))


def fill(store: Filling, count: int) -> None:
    """Put so many decisions into the audit, each with its place in the chain."""
    call = ToolCall(
        SHELL,
        "Bash",
        {"command": "cd src && grep -rn 'def main' . | head -5"},
        CWD,
        (CWD,),
        session="filled",
        call_id="c",
    )
    reading, audit = read(call, Recorded()), Audit(store)
    for number in range(count):
        store.commit(
            [
                audit.judged(
                    Judgement(
                        call,
                        reading,
                        decide(call, reading, builtin(), f"d-{number:016x}"),
                        builtin(),
                    )
                )
            ]
        )
        if number % 1000 == 999:
            store.flush()
    store.flush()


def rows(rounds: int, count: int) -> None:
    """Print what a full audit takes: a call judged, recorded and its outcome told, in a process
    that has the store open.
    """
    with tempfile.TemporaryDirectory(prefix="interlock-bench-") as top:
        full = Filling(f"{top}/full")
        fill(full, count)
        full.close()
        stores = {"no rows": Store(f"{top}/none"), f"{count:,} rows": Store(f"{top}/full")}
        found = in_turn(
            rounds,
            {
                name: lambda at, store=store: one(store, 10**9 + at)  # type: ignore[misc]
                for name, store in stores.items()
            },
        )
        shown("a call judged and recorded, and its outcome", found)
        print(
            f"  (the full store has {Path(f'{top}/full/interlock.db').stat().st_size / 1e6:.0f} MB)"
        )
        for store in stores.values():
            store.close()


def sessions(rounds: int) -> None:
    """Print how long an answer takes while others ask, and how many there are in a second."""
    print(
        f"\n{'sessions that ask a resident guard at once':44}{'median us':>10}{'p99 us':>9}{'a second':>10}"
    )
    with tempfile.TemporaryDirectory() as top, staying(Path(top)) as guard:
        asked(guard, range(20))
        for count in (1, 2, 4, 8):
            begun = time.perf_counter()
            with multiprocessing.Pool(count) as pool:
                parts = pool.starmap(
                    asked, [(guard, range(at * rounds, (at + 1) * rounds)) for at in range(count)]
                )
            spent, found = (
                time.perf_counter() - begun,
                sorted([took for part in parts for took in part]),
            )
            print(
                f"  {count:<42}{1e6 * statistics.median(found):10.0f}{1e6 * found[int(0.99 * len(found)) - 1]:9.0f}{len(found) / spent:10.0f}"
            )


def main() -> int:
    """Print the tables."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--rounds", type=int, default=300)
    given = options.parse_args()
    lengths(given.rounds)
    rules(given.rounds)
    sessions(given.rounds)
    rows(given.rounds, given.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
