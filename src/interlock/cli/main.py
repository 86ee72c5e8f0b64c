"""The command ``interlock``: one module a command, one table, one place where errors end."""

from __future__ import annotations

import argparse
import difflib
import importlib
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = tuple(
    """init status tour check run code agent tools explain rules policy trust log audit approvals approve deny grants limits pause
    undo checkpoints stop resume notify
    mcp servers pins install uninstall resident doctor test-guard hook judge replay-sessions demo completion statusline suggest version""".split()
)
"""One module of this package each: ``NAME``, ``SUMMARY``, ``add_arguments(parser)``, ``run(options) -> exit code``."""

BAD_USAGE = 2
INTERRUPTED = 130
OURS = 3


def parser(names: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """Return the parser of the whole command line, or of these commands alone."""
    top = argparse.ArgumentParser(
        prog="interlock",
        description="The safety layer between what an AI agent decides and what a machine does.",
        epilog="Begin with `interlock init`, which protects the agents of this machine; `interlock tour` shows what they would be answered.",
    )
    subparsers = top.add_subparsers(dest="name", metavar="COMMAND", required=True)
    for name in names:
        module = importlib.import_module(f"interlock.cli.{name.replace('-', '_')}")
        sub = subparsers.add_parser(module.NAME, help=module.SUMMARY, description=(module.__doc__ or "").partition("\n\n")[0].replace("``", "`"))
        module.add_arguments(sub)
        sub.set_defaults(run=module.run, parser=sub)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command. Exit codes: the command's own; 1 the machine would not; 2 bad usage; 3 a defect of ours; 130 interrupted."""
    name = next(iter(sys.argv[1:] if argv is None else argv), "")
    if name == "--version":
        name, argv = "version", ["version"]
    try:
        try:
            if name not in COMMANDS and name[:1] != "-":
                return _lost(name)
            options = _parsed(parser([name] if name in COMMANDS else COMMANDS), argv)
            return int(options.run(options))
        finally:
            sys.stdout.flush()  # where nobody reads on it shows here, and not when the interpreter ends
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # whoever read us has had enough (`interlock log | head`); nothing more can be said on that stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except EOFError:
        sys.stderr.write(f"\ninterlock {name}: there was no answer, so nothing was done\n")
        return 1
    except Exception as problem:
        if os.environ.get("INTERLOCK_DEBUG"):
            raise
        return _failed(name, problem)


def _lost(name: str) -> int:
    """Say which commands there are, or which one was perhaps meant."""
    if not name:
        parser().print_help(sys.stderr)
        return BAD_USAGE
    near = difflib.get_close_matches(name, COMMANDS, 1)
    meant = f"did you mean `interlock {near[0]}`? " if near else ""
    sys.stderr.write(f"interlock: there is no command {name!r}; {meant}`interlock --help` lists them\n")
    return BAD_USAGE


def _failed(name: str, problem: Exception) -> int:
    """Say what went wrong: what the machine would not do (a full disk, a folder that may not be written), or a defect of ours."""
    if isinstance(problem, OSError) and problem.strerror:
        where = f"{problem.filename}: " if problem.filename else ""
        sys.stderr.write(f"interlock {name}: {where}{problem.strerror}\n")
        return 1
    sys.stderr.write(
        f"interlock: a defect of ours: {type(problem).__name__}: {problem}\nRun it again with INTERLOCK_DEBUG=1 and report what it prints.\n"
    )
    return OURS


def _parsed(top: argparse.ArgumentParser, argv: list[str] | None) -> argparse.Namespace:
    """Return the options. Where a command says by ``late`` which list takes them, words may stand behind options too: argparse itself loses those."""
    options, rest = top.parse_known_args(argv)
    late = getattr(options, "late", "")
    if rest and (not late or any(word[:1] == "-" for word in rest)):
        options.parser.error(f"{' '.join(rest)}: not known here")
    if rest:
        setattr(options, late, [*getattr(options, late), *rest])
    return options


if __name__ == "__main__":
    sys.exit(main())
