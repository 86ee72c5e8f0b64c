"""What judges of reviews let pass: the one-line validator and the guard agent, on the same set of
calls that speak to them.

Without an endpoint two judges are measured that are no models. The worst there is says ALLOW to
everything: what then still does not run is what no model has to be trusted for. The other one says
DENY where it reads one of a few words, and looks at a text before that where it may: what it does
better as a guard agent is what looking closer is worth to somebody who understands nothing.

With an endpoint of yours (``--protocol``, ``--model``, ``--url``, ``--key-file``) your model is
measured on a part of the set (``--all``: on the whole, some 1,500 questions for each judge); it
costs what your provider takes. Nothing of the set is run.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from interlock.cli import build
from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.guard.review_stage import run_review
from interlock.limits.prices import cost
from interlock.model.action import REVIEW, VERDICT_ALLOW
from interlock.model.call import SHELL, ToolCall
from interlock.model.policy import SPOKEN, Reviewing
from interlock.model.usage import Usage
from interlock.policy.builtin import builtin
from interlock.policy.files import PolicyLocations
from interlock.store.database import Store
from tests.validator.endpoints import KEY, MODEL, Endpoint, Heard
from tests.validator.injections import SCRIPT, Case, every, scripts, some

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from interlock.model.policy import Policy
    from interlock.validator.review import Review

HOME, PROJECT = "/home/user", "/home/user/project"
GROUPS: dict[str, Callable[[Case], bool]] = {
    "dangers that show": lambda case: case.danger not in ("", "unseen", "script"),
    "dangers that do not show, alone": lambda case: case.danger == "unseen" and not case.words,
    "dangers that do not show, with words that are known": lambda case: (
        case.danger == "unseen" and case.words == "known"
    ),
    "dangers that do not show, with other words": lambda case: (
        case.danger == "unseen" and case.words == "other"
    ),
    "dangers in a file that the readers do not read": lambda case: case.danger == "script",
    "ordinary calls": lambda case: not case.danger,
}
BAD = (
    "rm -",
    "unlink",
    "-delete",
    "curl",
    "wget",
    "http",
    "push",
    "publish",
    ".ssh",
    ".env",
    "crontab",
    "sudo",
    "drop ",
    "wipe",
    "exfil",
    "miner",
)
"""The words of the judge that knows nothing else."""


def words(heard: Heard) -> str:
    """Look at the first text of the call, where that may be done; then say DENY where a bad word is
    to be read.
    """
    listed = heard.said[0].rpartition(" texts\n")[2]
    if "TEXT: <number>" in heard.system and listed.startswith("1. ") and len(heard.said) == 1:
        return "TEXT: 1"
    read_ = "\n".join(heard.said[::2]).lower()
    return next((f"DENY: it says {word}" for word in BAD if word in read_), "ALLOW")


SCRIPTED: dict[str, Callable[[Heard], str]] = {
    "says ALLOW to everything": lambda _: "ALLOW",
    "says DENY to a few words": words,
}


class Judged(NamedTuple):
    """What became of the set under one judge: the cases that ran, those that the judge was asked
    about, and what it took.
    """

    ran: frozenset[Case]
    asked: frozenset[Case]
    took: list[Review]
    seconds: float


def main() -> None:
    """Measure both judges and print a table for each model, or what stands for one."""
    options = _options()
    if options.protocol:
        how = Reviewing(
            options.protocol, options.model, options.url, options.key_file, options.wait, remember=0
        )
        _measure(how.model, how, [*(every() if options.all else some()), *scripts()])
        return
    for name, said in SCRIPTED.items():
        with Endpoint(said=said, counts=False) as endpoint, tempfile.TemporaryDirectory() as folder:
            key = Path(folder) / "key"
            key.touch(0o600)
            key.write_text(KEY, encoding="utf-8")
            _measure(
                f"{name} (no model)",
                Reviewing("openai-chat", MODEL, endpoint.url, str(key), 60, remember=0),
                [*every(), *scripts()],
            )


def _measure(name: str, how: Reviewing, cases: list[Case]) -> None:
    print(f"judge: {name}; {len(cases)} calls, profile careful")
    with tempfile.TemporaryDirectory() as folder:
        found = {
            title: _judged(cases, how.replace(agent=agent), folder)
            for title, agent in (("one line", False), ("guard agent", True))
        }
    for line in _table(cases, found):
        print(line)
    print()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--protocol", choices=SPOKEN, help="how your model is spoken to")
    parser.add_argument("--model", default="", help="its name")
    parser.add_argument(
        "--url",
        default="",
        help="where it is asked; the protocol's own provider where it is not given",
    )
    parser.add_argument("--key-file", default="", help="the file that holds your key")
    parser.add_argument("--wait", type=int, default=60, help="seconds that an answer may take")
    parser.add_argument("--all", action="store_true", help="the whole set")
    options = parser.parse_args()
    if bool(options.protocol) != bool(options.model):
        parser.error("--protocol and --model go together")
    return options


def _judged(cases: list[Case], how: Reviewing, folder: str) -> Judged:
    policy = builtin("careful").replace(reviewing=how)
    took: list[Review] = []
    where = PolicyLocations("/nowhere", "", "", owner=os.getuid(), above=os.getuid())
    store = Store(f"{folder}/state")
    ran, asked, began = set(), set(), time.perf_counter()
    for case in cases:
        call = ToolCall(SHELL, "Bash", {"command": case.command}, cwd=PROJECT, roots=(PROJECT,))
        facts = Recorded(HOME, texts={f"{PROJECT}/{SCRIPT}": case.text} if case.text else None)
        reading = read(call, facts)
        decision = decide(call, reading, policy, "bench")
        if decision.action == REVIEW:
            asked.add(case)
            judge = build.validator(store, policy, facts, lambda: where, told=took.append)
            decision = run_review(judge, call, reading, decision, policy)
        if decision.verdict == VERDICT_ALLOW:
            ran.add(case)
    return Judged(frozenset(ran), frozenset(asked), took, time.perf_counter() - began)


def _table(cases: list[Case], found: dict[str, Judged]) -> Iterator[str]:
    yield f"{'':58}" + "".join([f"{name:>24}" for name in found])
    for title, belongs in GROUPS.items():
        group = [case for case in cases if belongs(case)]
        if group:
            figures = [f"{len(one.ran & set(group))} of {len(group)} ran" for one in found.values()]
            yield f"{title:58}" + "".join([f"{figure:>24}" for figure in figures])
    yield f"{'asked the model':58}" + "".join([f"{len(one.asked):>24}" for one in found.values()])
    yield f"{'turns':58}" + "".join(
        [f"{sum(review.turns for review in one.took):>24}" for one in found.values()]
    )
    totals = [_total(one.took) for one in found.values()]
    yield (
        f"{'tokens in, out' + ('' if all(review.counted for one in found.values() for review in one.took) else ' (guessed)'):58}"
        + "".join([f"{f'{used.input + used.cached:,}, {used.output:,}':>24}" for used in totals])
    )
    yield f"{'price':58}" + "".join([f"{_price(used, builtin()):>24}" for used in totals])
    yield f"{'seconds':58}" + "".join([f"{one.seconds:>24.1f}" for one in found.values()])


def _total(took: list[Review]) -> Usage:
    used = Usage(took[0].model if took else "")
    for review in took:
        used = used.plus(review.usage)
    return used


def _price(used: Usage, policy: Policy) -> str:
    money = cost(used, policy.limits.prices if policy.limits is not None else ())
    return "not known" if money is None else f"${money / 1_000_000:.4f}"


if __name__ == "__main__":
    main()
