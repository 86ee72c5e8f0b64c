"""``interlock completion bash|zsh|fish``: print what completes interlock's commands, options and
their values in your shell.

bash: `eval "$(interlock completion bash)"` in ~/.bashrc; zsh: the same in ~/.zshrc, below
`compinit`; fish: `interlock completion fish | source`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

from interlock.cli import completion_names
from interlock.cli.colors import complain, visible
from interlock.data.texts import read_text
from interlock.model.record import Record

NAME = "completion"
SUMMARY = "print completions for bash, zsh or fish"

FILES, FOLDERS = "FILES", "FOLDERS"
"""What stands for a value that is a path."""
_PATHS = {"FILE": FILES, "PATH": FILES, "POLICY": FILES, "FOLDER": FOLDERS, "REPO": FOLDERS}


NAMES = "NAMES:"
"""What a value begins with that is looked up when it is completed, by kinds with commas between."""
_LIVE = {
    ("explain", "command"): (completion_names.RULE, completion_names.DECISION),
    ("approve", "id"): (completion_names.REQUEST, completion_names.DECISION),
    ("deny", "id"): (completion_names.REQUEST,),
    ("grants revoke", "id"): (completion_names.GRANT,),
    ("limits resume", "scope"): (completion_names.SESSION,),
    ("limits show", "scope"): (completion_names.SESSION,),
    ("log", "rule"): (completion_names.RULE,),
    ("log", "session"): (completion_names.SESSION,),
    ("policy", "session"): (completion_names.SESSION,),
    ("resume", "session"): (completion_names.SESSION,),
    ("stop", "call"): (completion_names.DECISION,),
    ("stop", "session"): (completion_names.SESSION,),
    ("undo", "name"): (completion_names.CHECKPOINT,),
}
"""By command and argument: the names that this machine knows just now."""


class Command(Record):
    """One command: its words (``approvals list``, ``""`` for interlock itself), and what may
    follow.

    ``words``: subcommands and fixed values with their meaning; ``options``: every spelling with its
    meaning; ``values``: by option what it takes, and by ``""`` what stands alone: words with spaces
    between, ``FILES``, ``FOLDERS`` or ``NAMES:KIND``; an option with none takes a value that nobody
    can know.
    """

    name: str
    words: tuple[tuple[str, str], ...]
    options: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str], ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the shell."""
    parser.add_argument("shell", nargs="?", choices=sorted(SHELLS), help="your shell")
    parser.add_argument("--names", default="", help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Print the script; ``options.whole`` makes the parser of the whole command line. The script
    asks for ``--names`` itself, while a line is completed.
    """
    if options.names:
        print("\n".join(completion_names.names(options.names.split(","))))
        return 0
    if options.shell is None:
        complain("interlock completion: name your shell: bash, fish or zsh\n")
        return 2
    sys.stdout.write("\n".join(SHELLS[options.shell](list(commands(options.whole())))) + "\n")
    return 0


def commands(parser: argparse.ArgumentParser, name: str = "") -> Iterator[Command]:
    """Yield what a parser takes, and below it every subcommand's."""
    words: list[tuple[str, str]] = []
    options: list[tuple[str, str]] = []
    values: list[tuple[str, str]] = []
    below: list[tuple[str, argparse.ArgumentParser]] = []
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way
        if action.help == argparse.SUPPRESS:
            continue
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            words += [
                (choice.dest, visible(choice.help or ""))
                for choice in action._choices_actions  # noqa: SLF001 - argparse has no other way
            ]
            below += action.choices.items()
        elif action.option_strings:
            options += [(spelling, _meaning(action)) for spelling in action.option_strings]
            values += [
                (spelling, _value(action, name))
                for spelling in action.option_strings
                if action.nargs != 0
            ]
        elif action.choices:
            words += [(str(choice), "") for choice in action.choices]
        elif _value(action, name):
            values.append(("", _value(action, name)))
    yield Command(name, tuple(words), tuple(options), tuple(values))
    for word, inner in below:
        yield from commands(inner, f"{name} {word}".strip())


def _meaning(action: argparse.Action) -> str:
    return visible(
        (action.help or "")
        .replace("%(default)s", str(action.default))
        .partition(";")[0]
        .replace("%%", "%")
    )


def _value(action: argparse.Action, command: str) -> str:
    live = _LIVE.get((command, action.dest))
    if live is not None:
        return NAMES + ",".join(live)
    if action.choices:
        return " ".join([str(choice) for choice in action.choices])
    return _PATHS.get(str(action.metavar), "")


def _quote_shell(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# -- bash and zsh ----------------------------------------------------------------------------------


def _cases(found: list[Command], word: str) -> Iterator[str]:
    """Yield what bash and zsh share: where the words have got to, and what an option takes."""
    names = " ".join([_quote_shell(command.name) for command in found if command.name])
    yield (
        "_interlock_is() { local known; for known in "
        + names
        + '; do [ "$known" = "$1" ] && return 0; done; return 1; }'
    )
    yield "_interlock_takes() {"
    yield '  case "$1|$2" in'
    for command in found:
        for option, value in command.values:
            yield f"    {_quote_shell(f'{command.name}|{option}')}) {word}={_quote_shell(value)} ;;"
    yield "    *) return 1 ;;"
    yield "  esac"
    yield "}"


def _offers(
    found: list[Command], said: Callable[[tuple[tuple[str, str], ...]], str]
) -> Iterator[str]:
    """Yield the two functions that say, by command, which words and which options there are;
    ``said``: how such a row is said.
    """
    for name in ("words", "options"):
        yield f"_interlock_{name}() {{"
        yield '  case "$1" in'
        yield from [
            f"    {_quote_shell(command.name)}) {said(getattr(command, name))} ;;"
            for command in found
            if getattr(command, name)
        ]
        yield "  esac"
        yield "}"


def bash(found: list[Command]) -> Iterator[str]:
    """Yield the script for bash (4 or newer)."""
    yield "# interlock's commands for bash; made by `interlock completion bash`"
    yield from _cases(found, "value")
    yield from _offers(
        found, lambda row: f"echo {_quote_shell(' '.join([word for word, _ in row]))}"
    )
    yield read_text("completion.bash").rstrip("\n")


def zsh(found: list[Command]) -> Iterator[str]:
    """Yield the script for zsh."""
    yield "# interlock's commands for zsh; made by `interlock completion zsh`"
    yield from _cases(found, "value")
    yield from _offers(
        found,
        lambda row: f"list=({' '.join([_format_zsh(word, meaning) for word, meaning in row])})",
    )
    yield read_text("completion.zsh").rstrip("\n")


def _format_zsh(word: str, meaning: str) -> str:
    """Return a word as zsh's ``_describe`` takes it."""
    return _quote_shell(word.replace(":", "\\:") + (f":{meaning}" if meaning else ""))


# -- fish ------------------------------------------------------------------------------------------


def fish(found: list[Command]) -> Iterator[str]:
    """Yield the script for fish."""
    yield "# interlock's commands for fish; made by `interlock completion fish`"
    yield "set -g __interlock_commands " + " ".join(
        [_fish(command.name) for command in found if command.name]
    )
    yield "set -g __interlock_takes " + " ".join(
        [
            _fish(f"{command.name}|{option}")
            for command in found
            for option, _ in command.values
            if option
        ]
    )
    yield read_text("completion.fish").rstrip("\n")
    for command in found:
        at = f"complete -c interlock -n {_fish(f'__interlock_at {_fish(command.name)}')}"
        values = dict(command.values)
        for word, meaning in command.words:
            yield f"{at} -a {_fish(word)}" + (f" -d {_fish(meaning)}" if meaning else "")
        yield from [f"{at} {_format_fish(values[''])}"] if "" in values else []
        for option, meaning in command.options:
            spelled = f"-l {option[2:]}" if option[:2] == "--" else f"-s {option[1:]}"
            taken = f" -r {_format_fish(values[option])}".rstrip() if option in values else ""
            yield f"{at} {spelled}{taken}" + (f" -d {_fish(meaning)}" if meaning else "")


def _fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _format_fish(value: str) -> str:
    """Return how fish is told what stands there."""
    if value.startswith(NAMES):
        kinds = value.removeprefix(NAMES)
        return f"-a '(interlock completion --names {kinds} 2>/dev/null)'"
    return {FILES: "-F", FOLDERS: "-a '(__fish_complete_directories)'", "": ""}.get(
        value, f"-a {_fish(value)}"
    )


SHELLS: dict[str, Callable[[list[Command]], Iterator[str]]] = {
    "bash": bash,
    "fish": fish,
    "zsh": zsh,
}
