"""The command ``interlock``: one module a command, one table, one place where errors end."""

from __future__ import annotations

import argparse
import importlib
import os
import sys

COMMANDS = tuple(
    """check run code tools explain rules policy trust log audit approvals approve deny grants limits
    undo checkpoints stop resume notify
    mcp pins install uninstall doctor test-guard hook judge demo version""".split()
)
"""One module of this package each: ``NAME``, ``SUMMARY``, ``add_arguments(parser)``, ``run(options) -> exit code``."""

INTERRUPTED = 130
OURS = 3


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = argparse.ArgumentParser(prog="interlock", description="The safety layer between what an AI agent decides and what a machine does.")
    subparsers = top.add_subparsers(dest="name", metavar="COMMAND", required=True)
    for name in COMMANDS:
        module = importlib.import_module(f"interlock.cli.{name.replace('-', '_')}")
        sub = subparsers.add_parser(module.NAME, help=module.SUMMARY, description=(module.__doc__ or "").partition("\n\n")[0].replace("``", "`"))
        module.add_arguments(sub)
        sub.set_defaults(run=module.run)
    return top


def main(argv: list[str] | None = None) -> int:
    """Run one command. Exit codes: the command's own; 2 bad usage; 3 a defect of ours; 130 interrupted."""
    options = parser().parse_args(argv)
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # whoever read us has had enough (`interlock log | head`); nothing more can be said on that stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as problem:
        if os.environ.get("INTERLOCK_DEBUG"):
            raise
        sys.stderr.write(
            f"interlock: a defect of ours: {type(problem).__name__}: {problem}\nRun it again with INTERLOCK_DEBUG=1 and report what it prints.\n"
        )
        return OURS


if __name__ == "__main__":
    sys.exit(main())
