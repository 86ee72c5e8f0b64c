"""The reference page of policy files, of the schema's rows: it cannot say anything else."""

from __future__ import annotations

from collections.abc import Iterator

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

BEGINNING = """\
A policy file says what is different here. It is YAML, it is checked as a whole, and `interlock policy check FILE` shows every error with its
place, its line and what was expected. Nothing in it is guessed: an unknown key, a key that stands twice, a plain `no` or `1:30` where a text is
meant, a file that sets nothing are errors, and so is a rule whose own examples fail.

```yaml
version: 1
hosts:
  allow: [git.corp.test]                # reading from it, and from every host below it, warns nobody
files:
  block: ["${HOME}/customers"]          # neither read nor changed, by whatever tool
rules:
  - id: team.no-destroy
    title: takes down what others use
    match: {effect: changes-infrastructure, traits: delete}
    action: ask
    catches: ["terraform destroy"]      # run when the file is loaded
    passes: ["terraform plan"]
tune:
  - {tag: GR-005, action: ask}          # another action for rules that exist
allow:
  - rule: git.force-push                # an exception: narrow, and written into the rule it names
    match: {effect: pushes, ref: "topic/*"}
    because: our topics are rebased
```

## Where files lie, and what counts

| layer | file | may |
| --- | --- | --- |
| organisation | `/etc/interlock/policy.yaml` (Windows: `%ProgramData%\\interlock`) | loosen down to the floor of a rule, raise floors |
| tenant | `tenants/NAME.yaml` beside it; the organisation's file names the tenant | the same |
| user | `~/.config/interlock/policy.yaml` | loosen down to the floor, not what is tightened above, unless that is `tunable` |
| project | `.interlock/policy.yaml` in the workspace | tighten only, unless its user trusted this very content: `interlock trust` |
| session | put there by `interlock policy session FILE`, at a terminal | loosen as a user may, for one session |

`interlock policy show` prints the merged policy with the origin of every value, `interlock policy test cases.yaml` runs cases by it. A file counts
only if its owner alone could have written it: no symbolic link, no file or folder that others can write, nothing that a program in a sandbox may
write while it runs; the organisation's is root's. A home that only the variable `HOME` names, and not the system's list of users, loosens nothing.
No other variable of the environment is asked.

A file that is wrong loosens nothing. Every call is asked about until it is mended, and denied where nobody can be asked; what can be read
of it, and what its last good version tightened, holds. Where all that is wrong stands inside a rule, only what the readable part of that
rule matches is asked about. `interlock policy check` names every error with its line.

## Paths and patterns

`*` stands for any part of a name, `**` for any number of folders. `${WORKSPACE}` and `${HOME}` may stand at the start. A path that begins
nowhere (`src/keys`) lies in the workspace; a pattern without `/` (`*.pem`) lies anywhere. In lists of files `dir`, `dir/*` and `dir/**` mean
everything below. A symbolic link is where it lies and where it leads. In `target`, `ref` and accounts `*` stands for anything.

A folder that holds a blocked path is blocked for what takes all of it: copying, archiving, deleting, moving. Where the path is no pattern that is
sure; where it is one (`**/secrets/**`), deleting or moving any folder that may hold such a place is asked about. A search through a folder
(`grep -r`, `rg`) is not looked into. A push that names no branch is one of the current branch; where that is not known, it may be any: git's own
settings (`push.default`, `remote.NAME.push`), which may say otherwise, are not read.
"""

EXTENDING = """\
The list of commands that `careful` and `strict` let run is a person's to extend: for good in your own file, for one session with
`interlock policy session FILE`, and in a project's file once you trust it. What else such a call does is judged as before.

```yaml
version: 1
profile: careful
allow:
  - rule: careful.unlisted-command
    match: {commands: [go version, docker ps]}   # by their first words
    because: they only look
```

A profile that the organisation chose, only the organisation extends. The very same command, word for word, can be approved for the session at the
prompt, or by `interlock approve ID --for session` ([approvals](approvals.md)).
"""


def page() -> Iterator[str]:
    """Yield the page line by line."""
    yield "# Policy files"
    yield ""
    yield from BEGINNING.splitlines()
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
    yield from EXTENDING.splitlines()


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
