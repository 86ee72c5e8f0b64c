"""The steps that bring a database to the tables of today: statements of ``migrations.sql``."""

from __future__ import annotations

_PATH = f"{__file__.rpartition('/')[0]}/migrations.sql"


def read_steps() -> list[list[str]]:
    """Return the statements of each step. Raises ``OSError`` where the package has lost them."""
    with open(_PATH, encoding="utf-8") as file:
        _, *steps = file.read().split("\n-- step ")
    return [_statements(step.partition("\n")[2]) for step in steps]


def _statements(text: str) -> list[str]:
    lines = "\n".join([line for line in text.split("\n") if not line.startswith("--")])
    return [statement.strip() for statement in f"{lines}\n".split(";\n") if statement.strip()]
