"""The reference page of policy files, of the schema's rows: it cannot say anything else."""

from __future__ import annotations

from collections.abc import Iterator

from interlock.data.texts import read_text
from interlock.data.traits import BEGIN, MEANT
from interlock.policy.profiles import describe_profile
from interlock.policy.schema import (
    ADR,
    DEFAULT,
    EVERY,
    LAYERS,
    LIST,
    MAP,
    PROFILES,
    SOME,
    TABLES,
    SchemaKey,
    SchemaTable,
)
from interlock.policy.value_kinds import WORDS

_MANY = {SOME: "one or more: ", LIST: "list of ", MAP: "table of names, each: "}


def page() -> Iterator[str]:
    """Yield the page line by line."""
    yield "# Policy files"
    yield ""
    yield from read_text("policy-page.md").splitlines()
    yield ""
    yield from _profiles()
    for table in TABLES.values():
        yield from _table(table)
    yield from _traits()


def _traits() -> Iterator[str]:
    """Yield what traits there are, by what they say of an effect."""
    yield ""
    yield "## Traits"
    yield ""
    yield "What an effect says of itself besides its kind, its place and its host. `interlock explain` shows those of a call; some begin alike:"
    yield f"{', '.join([f'`{first}...`' for first in BEGIN])} tell where code or data comes from, a request's method."
    yield ""
    yield "| what they say | traits |"
    yield "| --- | --- |"
    for meaning, traits in MEANT.items():
        yield f"| {meaning} | {' '.join([f'`{trait}`' for trait in traits])} |"


def _profiles() -> Iterator[str]:
    """Yield what the profiles are, as the first words of their files say it."""
    yield "## Profiles"
    yield ""
    yield "`profile: NAME` chooses what everything builds on; each is a policy file like any other, and comes with interlock (`policy/shipped/`)."
    yield ""
    yield "- `default`: the built-in rules. An unknown program is not asked about for being unknown; what it does counts."
    for name in PROFILES:
        if name != DEFAULT:
            yield f"- `{name}`: {describe_profile(name)}"
    yield ""
    yield from read_text("policy-extending.md").splitlines()


def _table(table: SchemaTable) -> Iterator[str]:
    yield ""
    yield f"## {'The older shape' if table is ADR else table.name}"
    yield ""
    if table.meaning:
        yield table.meaning
        yield ""
    yield "| key | value | meaning |"
    yield "| --- | --- | --- |"
    for key in table.keys:
        yield f"| `{key.name}`{' (needed)' if key.needed else ''} | {_value(key)} | {_meaning(key)} |"


def _value(key: SchemaKey) -> str:
    many = (
        "table of names, each one or more: "
        if key.many == MAP and key.of in WORDS
        else _MANY.get(key.many, "")
    )
    if key.of in TABLES:
        return f"{many}[{key.of}](#{key.of.replace(' ', '-')})"
    if key.of == "example":
        return f"{many}a command, or a table of `tool` and its input"
    if key.of == "trait":
        return f"{many}a [trait](#traits)"
    words = WORDS[key.of].expected
    return f"{many}[{key.of}](rules.md)" if len(words) > 160 else f"{many}{words}"


def _meaning(key: SchemaKey) -> str:
    default = f" Default: {key.default}." if key.default else ""
    layers = (
        ""
        if key.layers == EVERY
        else f" Counts in files of the {' or '.join([layer for layer in LAYERS if layer in key.layers])}."
    )
    return f"{key.meaning}{default}{layers}".replace("|", "\\|")
