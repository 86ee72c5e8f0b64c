"""How much a program is told to make, and how many at a time: ``head -c 500G``, ``truncate -s 1T``,
``make -j 100000``. What fills a disk, or takes the whole machine, is not proven harmless.
"""

from __future__ import annotations

from interlock.effects.places import LARGEST
from interlock.effects.run import Run

BUSIEST = 512
"""Processes at a time, of a program that is told how many."""
REQUESTS = 1_000_000
_MAKING = frozenset("head seq dd truncate fallocate openssl jot shuf rand fio pwgen mkfile".split())
_ASKING = frozenset("ab wrk hey bombardier oha vegeta siege autocannon k6 h2load".split())
"""Programs that ask a server many times."""
_AT_A_TIME = frozenset(
    "-j --jobs --parallel --workers --max-procs --max-workers --maxWorkers --numprocesses --procs"
    " --concurrency --threads --max-parallel-forks -parallel".split()
)
_UNITS: dict[str, int] = {unit: 1024**power for power, unit in enumerate("kmgtpe", 1)}


def doubt_amounts(run: Run) -> None:
    """Note that a program is told to make more than a call may, or to start more at a time."""
    most = LARGEST if run.name in _MAKING else REQUESTS if run.name in _ASKING else 0
    if most and any(amount > most for amount in _amounts(run)):
        run.context.doubt(f"how much {run.name} is told to make is too much")
    for option, value in run.parsed.options:
        names = {option, *run.parsed.same.get(option, ())}
        if not names.isdisjoint(_AT_A_TIME) and read_size(value.text) > BUSIEST:
            run.context.doubt(f"{run.name} is told to start {value.text} at a time")


def _amounts(run: Run) -> list[int]:
    """Return the amounts that the words are; of ``dd`` how much a block holds, times how many."""
    words = [value.text for value in run.words]
    given = dict([word.partition("=")[::2] for word in words if "=" in word])
    blocks = read_size(given.get("bs", "512")) * read_size(given.get("count", "0"))
    return [blocks, *[read_size(word.rpartition("=")[2].lstrip("-nclsk+")) for word in words]]


def read_size(text: str) -> int:
    """Return the number that a text is, with a unit or without (``500G``, ``2TiB``, ``1e12``); 0 of
    any other text.
    """
    small = text.lower().removesuffix("b").removesuffix("i")
    unit = _UNITS.get(small[-1:], 1)
    digits, _, power = (small[:-1] if unit > 1 else small).partition("e")
    if not digits.isdecimal() or len(digits) > len("1" * 18) or not (power or "0").isdecimal():
        return 0
    return int(digits) * unit * int("1" + "0" * min(int(power or 0), 18))
