"""Examples that stand below a command's help; a test parses each of them."""

from __future__ import annotations

from interlock.data.texts import read_text
from interlock.data.words import sections

EXAMPLES = {
    name: tuple(body.strip().split("\n")) for name, body in sections(read_text("examples.txt"))
}


def below(name: str) -> str:
    """Return what stands below a command's help."""
    shown = EXAMPLES.get(name, ())
    return "\n".join(["examples:", *[f"  {line}" for line in shown]]) if shown else ""
