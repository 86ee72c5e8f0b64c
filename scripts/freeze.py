"""What every text at hand does and how it is judged, so that a change that was to change nothing
can be seen to: ``make freeze``, then ``make thaw``.

Texts are the labelled corpora beside the repository, where they are, and every command in tests/.
One JSON line a text: its digest, its verdict and rules, its effects (kind, target, place, traits,
certainty). What is written lies in build/ and is no part of the repository: not all texts are ours.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from multiprocessing import Pool
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from interlock.effects.read import read
from interlock.engine.decide import decide
from interlock.facts import Recorded
from interlock.model.call import PYTHON, SHELL, ToolCall
from interlock.policy.builtin import builtin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.model.effect import Effect

TOP = Path(__file__).resolve().parent.parent
ROOT, HOME = "/home/user/project", "/home/user"
SHOWN = 200
"""Changed texts that are shown."""
_STRINGS = re.compile(r'"((?:[^"\\\n]|\\.)*)"|\'((?:[^\'\\\n]|\\.)*)\'')


def texts(corpora: Path) -> Iterator[tuple[str, str]]:
    """Yield every text, with what it is."""
    for path in sorted(corpora.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield (PYTHON if row["kind"] == "python" else SHELL), row["command"]
    for path in sorted((TOP / "tests/corpus").glob("*.yaml")):
        yield from (
            (SHELL, text) for text in _strings(yaml.safe_load(path.read_text(encoding="utf-8")))
        )
    for path in sorted((TOP / "tests").rglob("*.py")):
        found = _STRINGS.findall(path.read_text(encoding="utf-8"))
        yield from ((SHELL, one or other) for one, other in found if " " in one + other)


def _strings(node: Any) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    for child in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        yield from _strings(child)


def frozen(text: tuple[str, str]) -> dict[str, Any]:
    """Read and judge one text with nothing known of the disk; return it as a line."""
    tool, command = text
    call = ToolCall(tool, tool, {"command": command}, cwd=ROOT, roots=(ROOT,))
    reading = read(call, Recorded(home=HOME))
    decision = decide(call, reading, builtin(), "frozen")
    rules = sorted({finding.rule for finding in decision.findings})
    return {
        "text": command,
        "verdict": str(decision.verdict),
        "rules": rules,
        "effects": sorted(map(_words, reading.effects)),
    }


def _words(effect: Effect) -> str:
    place = effect.place
    where = (
        ""
        if place is None
        else (
            f" @{place.location}{''.join(sorted(f' {nature}' for nature in place.natures))}"
            f" {place.where}"
        )
    )
    traits = " ".join(sorted(effect.traits))
    return (
        f"{effect.kind} {effect.target}{where} [{traits}] {effect.host}"
        f" {'' if effect.certain else 'possible'}"
    )


def freeze(corpora: Path) -> dict[str, dict[str, Any]]:
    """Return a line for each text, by the digest of the text."""
    every = list(dict.fromkeys(texts(corpora)))
    with Pool() as pool:
        lines = pool.map(frozen, every, chunksize=64)
    return {
        hashlib.sha256("\0".join(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]: line
        for text, line in zip(every, lines, strict=True)
    }


def compared(before: dict[str, dict[str, Any]], after: dict[str, dict[str, Any]]) -> list[str]:
    """Return what is different in texts that both have: of each the text, and what changed."""
    told = []
    for key in before.keys() & after.keys():
        one, other = before[key], after[key]
        if one != other:
            lines = [f"{one['text'][:150]!r}"]
            lines += [
                f"    {name}: {one[name]} -> {other[name]}"
                for name in ("verdict", "rules")
                if one[name] != other[name]
            ]
            lines += [
                f"    - {effect}" for effect in one["effects"] if effect not in other["effects"]
            ]
            lines += [
                f"    + {effect}" for effect in other["effects"] if effect not in one["effects"]
            ]
            told.append((one["verdict"] == other["verdict"], "\n".join(lines)))
    return [text for _, text in sorted(told)]


def main() -> int:
    """Write what is now, or hold it against what was written; 1 where something is different."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--corpora", type=Path, default=TOP / "../shared/corpora")
    parser.add_argument(
        "--against", action="store_true", help="compare with what was written before"
    )
    parser.add_argument("--file", type=Path, default=TOP / "build/frozen.json")
    options = parser.parse_args()
    now = freeze(options.corpora)
    if not options.against:
        options.file.parent.mkdir(exist_ok=True)
        options.file.write_text(json.dumps(now), encoding="utf-8")
        print(f"{len(now)} texts: {options.file}")
        return 0
    changed = compared(json.loads(options.file.read_text(encoding="utf-8")), now)
    print("\n".join(changed[:SHOWN]))
    print(f"{len(now)} texts, {len(changed)} of them are read or judged otherwise than before")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
