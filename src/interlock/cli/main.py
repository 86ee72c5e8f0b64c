"""The command ``interlock``: one module a command, one table, one place where errors end."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import textwrap
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import NoReturn

from interlock.cli import samples
from interlock.cli.colors import complain, terminal_width, wrap_line

GROUPS = {
    "Start here": "init status tour demo check explain doctor",
    "While agents work": "ui log stats approvals approve deny grants pause stop resume undo"
    " checkpoints",
    "Policy": "policy rules suggest import trust limits",
    "Run programs under guard": "run code tools agent",
    "The record": "audit replay-sessions",
    "For a team": "serve enrol sidecar",
    "Agents and MCP servers": "install uninstall servers mcp pins",
    "Test a guard": "test-guard judge",
    "Parts": "resident hook statusline notify completion version",
}
"""The commands by what people want. One module of this package each: ``NAME``, ``SUMMARY``,
``add_arguments(parser)``, ``run(options) -> exit code``.
"""
COMMANDS = tuple(" ".join(GROUPS.values()).split())

PURPOSE = "The safety layer between what an AI agent decides and what a machine does."
WIDTH = 80
BAD_USAGE = 2
INTERRUPTED = 130
OURS = 3


LONGEST = 40
"""Characters of choices in one word; more of them stand in the help instead."""


class Formatter(argparse.HelpFormatter):
    """Help that fits a terminal: a long set of choices is no word of its own."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=terminal_width() - 2)

    def _metavar_formatter(
        self, action: argparse.Action, default_metavar: str
    ) -> Callable[[int], tuple[str, ...]]:
        if _is_long(action):
            return lambda count: (action.dest.upper(),) * count
        return super()._metavar_formatter(action, default_metavar)

    def _expand_help(self, action: argparse.Action) -> str:
        said = super()._expand_help(action)
        choices = map(str, action.choices or ())
        return f"{said}; one of {', '.join(choices)}" if _is_long(action) else said

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return text
        return "\n".join(
            textwrap.wrap(
                " ".join(text.split()),
                width,
                initial_indent=indent,
                subsequent_indent=indent,
                break_on_hyphens=False,
            )
        )


def _is_long(action: argparse.Action) -> bool:
    return (
        action.metavar is None
        and action.choices is not None
        and not isinstance(action, argparse._SubParsersAction)  # noqa: SLF001
        and len(",".join(map(str, action.choices))) > LONGEST
    )


class CliParser(argparse.ArgumentParser):
    """Arguments as people write them. Where a command takes another command's words
    (``set_defaults(words=True)``) the first word ends the options, as it does for ``env`` and
    ``timeout``: no ``--`` is needed before it.
    """

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Tell options and words apart."""
        given = list(sys.argv[1:] if args is None else args)
        if self.get_default("words"):
            first = self._first_word(given)
            given[first:first] = ["--"] if first < len(given) else []
        return super().parse_known_args(given, namespace)

    def _first_word(self, given: list[str]) -> int:
        """Return where the first word that is no option and no option's value stands; behind the
        last one where there is none, or where ``--`` says it.
        """
        at = 0
        while at < len(given) and given[at].startswith("-") and given[at] != "-":
            if given[at] == "--":
                return len(given)
            at += 2 if self._takes_next(given[at]) else 1
        return at

    def _takes_next(self, option: str) -> bool:
        named = [
            action
            for name, action in self._option_string_actions.items()
            if name == option or (option[:2] == "--" and name.startswith(option))
        ]
        return bool(named) and named[0].nargs != 0

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is; exit 2."""
        complain(f"{self.prog}: {message}\nSee: {self.prog} --help\n")
        self.exit(BAD_USAGE)


def parser(names: Sequence[str] = COMMANDS) -> CliParser:
    """Return the parser of the whole command line, or of these commands alone."""
    top = CliParser(prog="interlock", description=PURPOSE, formatter_class=Formatter)
    # with its name said, nothing is laid out now
    subparsers = top.add_subparsers(prog="interlock", dest="name", metavar="COMMAND", required=True)
    for name in names:
        module = _module(name)
        sub = subparsers.add_parser(
            module.NAME,
            help=module.SUMMARY,
            formatter_class=Formatter,
            epilog=samples.below(name),
            description=(module.__doc__ or "").partition("\n\n")[0].replace("``", "`"),
        )
        module.add_arguments(sub)
        sub.set_defaults(run=module.run, parser=sub, whole=parser)
    return top


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"interlock.cli.{name.replace('-', '_')}")


def overview() -> str:
    """Return the page of all commands, by what people want."""
    lines = ["usage: interlock COMMAND ...", "", PURPOSE]
    for title, names in GROUPS.items():
        lines += ["", f"{title}:"]
        lines += [f"  {name:<16}{_module(name).SUMMARY}" for name in names.split()]
    lines += ["", "Begin with `interlock init`. More on a command: `interlock help COMMAND`"]
    return "\n".join([wrap_line(line, WIDTH, " " * 18) for line in lines]) + "\n"


def main(argv: list[str] | None = None) -> int:
    """Run one command. Exit codes: the command's own; 1 the machine would not; 2 bad usage; 3 a
    defect of ours; 130 interrupted.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    name = next(iter(given), "")
    try:
        try:
            if name in ("-h", "--help", "help") and name == given[-1]:
                print(overview(), end="")
                return 0
            if name == "help":
                name, given = given[1], [given[1], "--help"]
            if name in ("--version", "-V"):
                name, given = "version", ["version"]
            if name not in COMMANDS:
                return _report_unknown(name)
            options = _parse_options(parser([name]), given)
            return int(options.run(options))
        finally:
            # where nobody reads on it shows here, and not when the interpreter ends
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # whoever read us has had enough (`interlock log | head`); nothing more can be said on that
        # stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except EOFError:
        complain(f"\ninterlock {name}: there was no answer, so nothing was done\n")
        return 1
    except Exception as problem:
        if os.environ.get("INTERLOCK_DEBUG"):
            raise
        return _report_failure(name, problem)


def _report_unknown(name: str) -> int:
    """Say which commands there are, or which one was perhaps meant."""
    if not name:
        sys.stderr.write(overview())
        return BAD_USAGE
    from difflib import get_close_matches  # only a word that is no command needs it

    near = get_close_matches(name, COMMANDS, 1)
    meant = f"did you mean `interlock {near[0]}`? " if near else ""
    what = "option" if name[:1] == "-" else "command"
    complain(
        f"interlock: there is no {what} {name!r}; {meant}`interlock help` lists the commands\n"
    )
    return BAD_USAGE


def _report_failure(name: str, problem: Exception) -> int:
    """Say what went wrong: what the machine would not do (a full disk, a folder that may not be
    written), or a bug in interlock.
    """
    if isinstance(problem, OSError) and problem.strerror:
        where = f"{problem.filename}: " if problem.filename else ""
        complain(f"interlock {name}: {where}{problem.strerror}\n")
        return 1
    complain(
        f"interlock: a bug in interlock stopped this: {type(problem).__name__}: {problem}\n"
        "Run it again with INTERLOCK_DEBUG=1 and report what it prints.\n"
    )
    return OURS


def _parse_options(top: CliParser, argv: list[str]) -> argparse.Namespace:
    """Return the options. Where a command says by ``late`` which list takes them, words may stand
    behind options too: argparse itself loses those.
    """
    options, rest = top.parse_known_args(argv)
    late = getattr(options, "late", "")
    if rest and (not late or any(word[:1] == "-" for word in rest)):
        unknown = next((word for word in rest if word[:1] == "-"), rest[0])
        what = "option" if unknown[:1] == "-" else "word"
        options.parser.error(f"unknown {what} {unknown!r}")
    if rest:
        setattr(options, late, [*getattr(options, late), *rest])
    return options


if __name__ == "__main__":
    sys.exit(main())
