"""Code in languages that are not followed: searched for the calls that start commands, delete files
or open sockets.

Only strings handed to a known call are read further; what is not found stays one effect, "runs
code", that ordinary rules judge as harmless unless the text cannot be seen.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.run import Run
from interlock.model.effect import (
    PROJECT_SECRET,
    SECRET,
    Connects,
    Deletes,
    Reads,
    RunsCode,
    Writes,
)
from interlock.shell.value import HOLE, Value

COMMANDS = (
    "system(", "system ", "exec(", "exec ", "execSync(", "spawn(", "spawnSync(", "execFile(",
    "execFileSync(", "popen(", "shell_exec(", "passthru(",
    "proc_open(", "os.execute(", "io.popen(",
    "Open3.", "do shell script", "qx", "`", "Process.spawn", "run(", "fork",
)  # fmt: skip
DELETES = words("search", "deletes")
SOCKETS = (
    "IO::Socket",
    "Socket::INET",
    "TCPSocket",
    "fsockopen",
    "net.Socket",
    "net.connect",
    "socket(",
    "stream_socket_client",
    "Net.Sockets",
    "socket.tcp",
    "socket.connect",
    "pfsockopen",
    'require("net")',
    "require('net')",
    "node:net",
)
WRITES = (
    "writeFile",
    "appendFile",
    "createWriteStream",
    "truncateSync",
    "copyFile",
    "renameSync",
    "symlink",
    "file_put_contents",
    "File.write",
    "File.open",
    "IO.write",
    "FileUtils.cp",
    "FileUtils.mv",
    "fopen",
    "Set-Content",
    "Add-Content",
    "Out-File",
    "io.open",
    "writeTextFile",
    "Bun.write",
    "open(",
    "open ",
)
"""Calls that write the file they name; some of them only if they are told to."""
SHELLS = (
    "/bin/sh",
    "/bin/bash",
    "cmd.exe",
    'exec("sh',
    "exec('sh",
    "sh -i",
    "bash -i",
    "powershell",
)


_SHELL_NAMES = frozenset(words("search", "shell names"))


def _words(text: str) -> list[str]:
    """Return the words of a text, split at everything but letters, digits and slashes."""
    return (
        "".join([char if char.isalnum() or char in "/._$" else " " for char in text])
        .replace("$", " ")
        .replace("_", " ")
        .split()
    )


def read_code(run: Run, text: str, value: Value | None, name: str) -> None:
    """Add what the text seems to do."""
    run.effect(RunsCode, name, name, "inline", value=value, detail=f"{name} code")
    socket = any(mark in text for mark in SOCKETS)
    if socket:
        starts = any(mark in text for mark in COMMANDS) and any(
            word in _SHELL_NAMES for word in _words(text)
        )
        traits = ["socket"] + (["shell"] if starts or any(mark in text for mark in SHELLS) else [])
        run.effect(Connects, "", *traits, value=value, host="unknown", detail="code opens a socket")
    if any(mark in text for mark in COMMANDS):
        for literal in strings(text):
            if " " in literal.strip() or literal.strip().isalpha():
                _as_command(run, literal, value)
    if name == "tcl":
        for line in text.replace(";", "\n").split("\n"):
            verb, _, command = line.strip().partition(" ")
            if verb in ("spawn", "exec") and command:
                run.code(word_at(command, value))
    _files(run, text, value)
    if any(mark in text for mark in DELETES):
        found = [literal for literal in strings(text) if literal[:1] in "/~." or "/" in literal]
        for literal in found:
            run.path(Deletes, word_at(literal, value), "recursive")
        if not found:
            run.path(Deletes, word_at(HOLE, value), "recursive")


def _files(run: Run, text: str, value: Value | None) -> None:
    """Add the files that the text names: secrets are read, and what stands first in a writing call
    is written, as far as can be told.
    """
    for literal in strings(text):
        path = (
            run.context.normal(literal, run.cwd)
            if "/" in literal and " " not in literal and "://" not in literal
            else None
        )
        if path is not None and not run.context.place(path).natures.isdisjoint(
            {SECRET, PROJECT_SECRET}
        ):
            run.possible(Reads, word_at(literal, value))
    for mark in WRITES:
        for rest in run.context.limit(text.split(mark)[1:], MAX_CALLS, "calls that write"):
            call = rest.partition(")")[0]
            named = strings(call)[:2]
            if mark.startswith(("open", "fopen", "File.open", "io.open")) and not _to_write(
                named, call
            ):
                continue
            for literal in named:
                target = literal.lstrip("+> ")
                if "/" in target or "." in target.strip("."):
                    run.possible(Writes, word_at(target, value))


MAX_CALLS = 256


def _to_write(literals: list[str], call: str) -> bool:
    """Whether a call of ``open`` opens to write, by its mode: ``"w"``, ``'>'``, ``">file"``."""
    modes = [
        literal
        for literal in literals
        if literal.lstrip("+")[:1] == ">"
        or (len(literal) < 4 and not {"w", "a", "x"}.isdisjoint(literal))
    ]
    return bool(modes) or "WRONLY" in call


def word_at(text: str, value: Value | None) -> Value:
    """Return a text as a word standing where the code stands."""
    return Value(text, value.start if value else 0, value.end if value else 0)


def _as_command(run: Run, literal: str, value: Value | None) -> None:
    if not any(mark in literal for mark in ("\n\n", "://")) and len(literal) < 4096:
        run.code(word_at(literal, value))


def strings(text: str) -> list[str]:
    """Return the quoted literals of a text, in single, double or back quotes; at most 64."""
    out: list[str] = []
    at = 0
    while at < len(text) and len(out) < 64:
        quote = text[at]
        if quote not in "\"'`":
            at += 1
            continue
        end = at + 1
        while end < len(text) and text[end] != quote:
            end += 2 if text[end] == "\\" else 1
        out.append(text[at + 1 : end].replace("\\" + quote, quote))
        at = end + 1
    return out
