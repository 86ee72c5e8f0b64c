"""What waits for somebody to type, where the client types into it later without asking the guard
again.

Codex's ``write_stdin`` is not hooked (measured with 0.169.0): what is typed into ``sh``, ``python``
or ``psql`` nobody judges, so the start of what waits is all that can be judged.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects.gathering import ReadResult
from interlock.model.effect import GUESSED, Effect, Executes

_SQL = "-c --command -f --file -e --execute -q --query -l --list --version -V --help -?"
WAITS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        "psql mysql mariadb pgcli mycli litecli clickhouse-client clickhouse cqlsh snowsql usql"
        " sqlcmd sqlplus isql".split(),
        frozenset(_SQL.split()),
    ),
    **dict.fromkeys(
        "mongosh mongo".split(), frozenset("--eval --file -f --version --help".split())
    ),
    **dict.fromkeys(
        "gdb lldb".split(),
        frozenset("-batch --batch -ex --ex -x --command --version --help -o".split()),
    ),
}
"""Programs that wait for typing although no reader says so, and options against that."""
ALONE = frozenset(
    "redis-cli valkey-cli screen tmux byobu zellij script nix-shell gdb lldb bc dc ftp sftp cmd.exe"
    " mongosh mongo psql mysql mariadb".split()
)
"""Programs that wait where they are started with no word at all."""
OPENING = frozenset(
    {
        *[(name, "shell") for name in ("poetry", "pipenv", "hatch", "pixi", "nix")],
        *[("rails", "console"), ("rails", "c"), ("nix", "develop"), ("sqlite3", "-interactive")],
        *[("tmux", "attach"), ("tmux", "a"), ("screen", "-r"), ("screen", "-x")],
    }
)
"""Programs and first words that open a shell, or a session that somebody else began."""


def judge(read: ReadResult, commands: Iterable[tuple[str, ...]], text: str) -> ReadResult:
    """Mark what waits for typing as something that nobody looks at."""
    read = read.each(_mark_nested)
    if "|" in text or "<" in text:
        return read  # it is fed, by what is read already
    names = [
        words[0].removeprefix(GUESSED)
        for words in commands
        if words and _waits((words[0].removeprefix(GUESSED), *words[1:]))
    ]
    traits = frozenset({"interactive", "nested"})
    waits = [Effect(Executes, name, traits=traits, by=name) for name in names]
    return read.of([*read.effects, *waits])


def _mark_nested(effect: Effect) -> Effect:
    if effect.kind is not Executes or "interactive" not in effect.traits:
        return effect
    return effect.replace(traits=effect.traits | {"nested"})


def _waits(words: tuple[str, ...]) -> bool:
    """Whether a command waits for typing; of a database's file shell (``sqlite3 FILE``, ``duckdb
    FILE``) where no statement follows.
    """
    name, rest = (words[0].rpartition("/")[2] if words else ""), words[1:]
    if name in ("sqlite3", "duckdb"):
        return len([word for word in rest if word[:1] != "-"]) < 2 and not {
            "-c",
            "-version",
            "--version",
            "-cmd",
        } & set(rest)
    if name.startswith("python") and "-i" in rest:
        return True
    if (name, *rest[:1]) in OPENING or (not rest and name in ALONE):
        return True
    quiet = WAITS.get(name)
    return quiet is not None and not any(
        word.partition("=")[0] in quiet or (word[:2] in quiet and word[:2] != "--") for word in rest
    )
