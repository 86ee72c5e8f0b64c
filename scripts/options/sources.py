"""Where options are read from. A program is only ever asked for its help in a sandbox: no network,
an empty home, the disk for reading only.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from scripts.options.found import Node, Option
from scripts.options.screening import acts
from scripts.options.texts import commands, is_option, options

FIG = Path(__file__).with_name("fig.mjs")
SECONDS = 60
DEEPEST = 3
"""Subcommands below a program: ``kubectl config set`` is two."""
HOME = "/home/nobody"
_SANDBOX = [
    "bwrap",
    *"--ro-bind / / --dev /dev --proc /proc --tmpfs /home --tmpfs /tmp --dir".split(),
    HOME,
    "--chdir",
    HOME,
]
_SANDBOX += "--unshare-all --die-with-parent --new-session".split()
_TERMINAL = {
    "LANG": "C.UTF-8",
    "MANWIDTH": "200",
    "COLUMNS": "200",
    "NO_COLOR": "1",
    "TERM": "dumb",
    "CI": "1",
}


def run(words: list[str], *, sandbox: bool = True) -> str:
    """Return what a command prints; ``""`` where it does not end or is not there."""
    rust = {
        f"{name.upper()}_HOME": home
        for name in ("rustup", "cargo")
        if os.path.isdir(home := os.path.expanduser(f"~/.{name}"))
    }
    pages = {"MANPATH": given} if (given := os.environ.get("MANPATH")) else {}
    environment = _TERMINAL | rust | pages | {"PATH": os.environ["PATH"], "HOME": HOME}
    try:
        done = subprocess.run(
            [*(_SANDBOX if sandbox else []), *words],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env=environment,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    text = (done.stdout if len(done.stdout) > len(done.stderr) else done.stderr).decode(
        "utf-8", "replace"
    )
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|.\x08", "", text)


def manual(page: str) -> Node | None:
    """Read a manual page; None where there is none."""
    text = run(["man", "--nj", "--nh", "-Tascii", "-P", "cat", page], sandbox=False)
    if len(text) < 200:
        return None
    return Node(
        (page,),
        list(options(text, manual=True)),
        whole=True,
        sources=[f"{page}({_section(text)}), {_edition(text)}"],
    )


def _section(text: str) -> str:
    match = re.match(r"\s*[^\s(]+\((\w+)\)", text)
    return match.group(1) if match else "1"


def _edition(text: str) -> str:
    """Return the left and the middle of a page's last line: ``GNU coreutils 9.1  September
    2022``.
    """
    return " ".join(text.strip().split("\n")[-1].split("  ")[0].split())


def program_help(words: list[str], ask: tuple[str, ...] = ("--help",)) -> Node | None:
    """Read a program's help, without its subcommands; None where it gives none."""
    if shutil.which(words[0]) is None:
        return None
    text = run([*words, *ask])
    found = list(options(text))
    return Node((words[-1],), found, whole=True, sources=[_asked(words, ask)]) if found else None


def _asked(words: list[str], ask: tuple[str, ...]) -> str:
    """Return how a program was asked, and the number of its version."""
    number = re.search(r"\d+(?:\.\d+)+", run([*words, "--version"]))
    return f"{' '.join([*words, *ask])}{f', {number.group()}' if number else ''}"


def tree(
    words: list[str], ask: tuple[str, ...] = ("--help",), depth: int = 0, above: str = ""
) -> Node | None:
    """Read a program's help and that of all its subcommands; None where there is none, or where it
    is that of the command above.
    """
    text = run([*words, *ask]) if shutil.which(words[0]) is not None else ""
    if not text or text == above:
        return None
    node = Node(
        (words[-1],),
        list(options(text)),
        whole=True,
        sources=[_asked(words, ask)] if not depth else [],
    )
    listed = commands(text) or (commands(run([*words, "list"])) if not depth else [])  # poetry
    if words == ["cargo"]:  # its help names the common ones
        known = {name for names in listed for name in names}
        more = commands(run([*words, "--list"]))
        listed += [names for names in more if known.isdisjoint(names)]
    for names in listed if depth < DEEPEST else []:
        below = tree([*words, names[0]], ask, depth + 1, text) if names[0] != "help" else None
        made = below or Node(names, whole=names[0] == "help")  # it takes those of the program
        made.names = names
        node.commands.append(made)
    return node


def git() -> Node:
    """Read git's manual pages."""
    node = manual("git")
    if node is None:
        raise FileNotFoundError("git's manual pages are not installed (git-man)")
    names = run(["git", "--list-cmds=main,nohelpers,alias,list-mainporcelain"]).split()
    for name in sorted(set(names)):
        below = manual(f"git-{name}")
        if below is not None:
            below.names, below.sources = (name,), []
            below.options += _short_help(name)
            node.commands.append(below)
    return node


def _short_help(name: str) -> list[Option]:
    return list(options(run(["git", name, "-h"])))


def fig(folder: str, name: str, *, screened: bool = False) -> Node | None:
    """Read what @withfig/autocomplete says; None where it says nothing of the program.

    ``screened``: without the options whose name or description tells that they do something.
    """
    if not Path(folder, f"{name}.js").exists():
        return None
    done = subprocess.run(
        [shutil.which("node") or "node", str(FIG), folder, name],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return _of_fig(json.loads(done.stdout), screened=screened) if done.returncode == 0 else None


def _of_fig(said: dict[str, list[dict[str, object]]], *, screened: bool) -> Node:
    found = [
        Option(tuple(names), str(one["takes"]), bool(one["path"]))
        for one in said["options"]
        if isinstance(one["names"], list)
        and (names := [name for name in one["names"] if name and is_option(name)])
        and not (screened and acts(names, str(one["about"])))
    ]
    return Node(
        tuple(map(str, said["names"])),
        found,
        [_of_fig(below, screened=screened) for below in said["commands"]],  # type: ignore[arg-type]
    )
