"""The words of a command line: read as people write them, and explained."""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import NoReturn

from interlock.cli import samples
from interlock.cli.colors import complain, terminal_width

PURPOSE = "The safety layer between what an AI agent decides and what a machine does."
BAD_USAGE = 2
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


def make_parser(modules: Iterable[ModuleType], whole: Callable[[], CliParser]) -> CliParser:
    """Return the parser of commands, each a module. ``whole``: makes that of all of them."""
    top = CliParser(prog="interlock", description=PURPOSE, formatter_class=Formatter)
    # with its name said, nothing is laid out now
    subparsers = top.add_subparsers(prog="interlock", dest="name", metavar="COMMAND", required=True)
    for module in modules:
        sub = subparsers.add_parser(
            module.NAME,
            help=module.SUMMARY,
            formatter_class=Formatter,
            epilog=samples.below(module.NAME),
            description=(module.__doc__ or "").partition("\n\n")[0].replace("``", "`"),
        )
        module.add_arguments(sub)
        sub.set_defaults(run=module.run, parser=sub, whole=whole)
    return top


def parse_options(top: CliParser, argv: list[str]) -> argparse.Namespace:
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
