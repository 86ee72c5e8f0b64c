"""git's configuration files, read like scripts: what an alias stands for, and what git would run of
its own accord (git-config(1), "Syntax").
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects.programs.gitconfig import PATH_KEYS, runs_code
from interlock.effects.run import Run
from interlock.model.facts import Repository
from interlock.shell.quoting import join
from interlock.shell.value import UNREAD, Flow, Value

MAX_RUN = 16
"""Aliases, commands and further files of configurations that are followed in one call."""
_TELLING = (
    "fsmonitor", "command", "textconv", "external", "clean", "smudge", "process", "driver",
    "program", "pager", "editor", "askpass", "helper", "include",
)  # fmt: skip
"""Words one of which is in every file that makes git run something in a command that only looks."""


def settings(text: str) -> Iterator[tuple[str, str]]:
    """Yield ``section.key`` or ``section.name.key``, section and key in small letters, and its
    value, quotes and comments taken off.
    """
    section = ""
    for line in text.replace("\\\n", "").split("\n"):
        section, rest = (
            _section(line.strip()) if line.strip()[:1] == "[" else (section, line.strip())
        )
        key, equals, value = rest.partition("=")
        if key.strip() and key[:1] not in "#;":
            yield f"{section}.{key.strip().lower()}", _value(value) if equals else "true"


def _section(line: str) -> tuple[str, str]:
    """Return the name of a section's head, and what is behind it: ``[diff "x"] textconv = y``."""
    quoted, end = line.find('"'), line.find("]")
    if 0 <= quoted < end:
        close = line.find('"', quoted + 1)
        end = line.find("]", close)
        name = f"{line[1:quoted].strip().lower()}.{line[quoted + 1 : close]}"
    else:
        name = line[1:end].strip().lower()
    return (name, line[end + 1 :].strip()) if end > 0 else ("", "")


def _value(text: str) -> str:
    """Return a value as git takes it: a backslash takes the next letter as it is, and a comment
    begins outside of quotes.
    """
    found, quoted, at = [], False, 0
    text = text.strip()
    while at < len(text):
        char = text[at]
        if char == "\\" and at + 1 < len(text):
            at += 1
            found.append({"n": "\n", "t": "\t"}.get(text[at], text[at]))
        elif char == '"':
            quoted = not quoted
        elif char in "#;" and not quoted:
            break
        else:
            found.append(char)
        at += 1
    return "".join(found).rstrip()


def follow_alias(run: Run, name: str, rest: list[Value]) -> Flow | None:
    """Read what an alias of the configuration stands for; None where nobody gave one."""
    text = run.context.git.aliases.get(name.lower())
    if text is None:
        # the last one counts
        text = next(
            (
                value
                for key, value in reversed(list(iter_settings(run)))
                if key == f"alias.{name.lower()}"
            ),
            None,
        )
    return None if text is None else run_alias(run, text, rest)


def run_alias(run: Run, text: str, rest: list[Value]) -> Flow:
    """Read an alias with the words behind it: a command of the shell (``!``), or one of git's."""
    if not may_follow(run):
        return UNREAD
    words = join([value.text for value in rest])
    word = run.execution.argv[0]
    code = f"{text[1:]} {words}" if text[:1] == "!" else f"git {text} {words}"
    return run.code(Value(code, word.start, word.end))


def run_configured(run: Run) -> None:
    """Read the commands that the repository's own configuration makes git run: they are possible,
    for what runs which is git's to know.
    """
    path = _own(run)
    if not any(word in _text(run, path).lower() for word in _TELLING):
        return
    for key, value in _with_included(run, path):
        section = key.partition(".")[0]
        if (
            section not in ("alias", "url", "submodule", "include", "includeif")
            and key not in PATH_KEYS
            and runs_code(key, value)
            and may_follow(run)
        ):
            run.context.possibly(lambda code=value: run.code(Value(code.removeprefix("!"))))  # type: ignore[misc]


def may_follow(run: Run) -> bool:
    """Whether one more part of a configuration is followed; past the bound it is unreadable."""
    run.context.git.followed += 1
    if run.context.git.followed == MAX_RUN + 1:
        run.context.opaque(
            "more of git's configuration than can be followed", run.span(), "too-much"
        )
    return run.context.git.followed <= MAX_RUN


def _own(run: Run) -> str:
    """Return where the repository's own configuration lies, or ``""``; a linked work tree has that
    of its repository (git-worktree(1)).
    """
    found = run.context.facts.repository(run.cwd) if run.cwd is not None and run.here else None
    if not isinstance(found, Repository):
        return ""
    linked = _text(run, f"{found.root}/.git").partition("gitdir: ")[2].strip()
    return f"{linked.partition('/worktrees/')[0] if linked else f'{found.root}/.git'}/config"


def iter_settings(run: Run) -> Iterator[tuple[str, str]]:
    """Yield the user's settings, then the repository's, which count before them."""
    home = run.context.home
    for path in (f"{home}/.config/git/config", f"{home}/.gitconfig") if home and run.here else ():
        yield from _with_included(run, path)
    yield from _with_included(run, _own(run))


def _with_included(run: Run, path: str) -> Iterator[tuple[str, str]]:
    """Yield a file's settings, and those of files that it includes, each once; whether a condition
    holds is not asked (``includeIf``).
    """
    yield from _settings(run, path, {path})


def _settings(run: Run, path: str, seen: set[str]) -> Iterator[tuple[str, str]]:
    for key, value in settings(_text(run, path)):
        yield key, value
        included = (
            run.context.normal(run.context.at_home(value), path.rpartition("/")[0])
            if _includes(key)
            else None
        )
        if included is not None and included not in seen and may_follow(run):
            seen.add(included)
            yield from _settings(run, included, seen)


def _includes(key: str) -> bool:
    return key.startswith("include") and key.endswith(".path")


def _text(run: Run, path: str) -> str:
    text = run.context.facts.text(path) if path else ""
    return text if isinstance(text, str) else ""
