"""The command ``interlock``: one module a command, one table, one place where errors end."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from types import ModuleType

from interlock.cli.colors import complain, wrap_line
from interlock.cli.parsing import BAD_USAGE, PURPOSE, CliParser, make_parser, parse_options

GROUPS = {
    "Start here": "init status tour demo check explain doctor",
    "While agents work": "ui log stats approvals approve deny grants pause stop resume undo"
    " checkpoints",
    "Policy": "policy rules suggest import trust limits",
    "Run programs under guard": "run code tools agent",
    "The record": "audit replay-sessions",
    "For a team": "serve enrol sidecar fleet export",
    "Agents and MCP servers": "install uninstall servers mcp pins",
    "Test a guard": "test-guard judge",
    "Parts": "resident hook statusline notify completion version",
}
"""The commands by what people want. One module of this package each: ``NAME``, ``SUMMARY``,
``add_arguments(parser)``, ``run(options) -> exit code``.
"""
COMMANDS = tuple(" ".join(GROUPS.values()).split())

WIDTH = 80
INTERRUPTED = 130
OURS = 3


def parser(names: Sequence[str] = COMMANDS) -> CliParser:
    """Return the parser of the whole command line, or of these commands alone."""
    return make_parser(map(_module, names), parser)


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
            options = parse_options(parser([name]), given)
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


if __name__ == "__main__":
    sys.exit(main())
