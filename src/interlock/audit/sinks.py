"""Where anchors are kept: a file, a branch of a git repository that nobody works on, the system's
log. Each has a name: ``file:/mnt/log``.
"""

from __future__ import annotations

import os
import subprocess
import sys

FILE, GIT, SYSLOG = "file", "git", "syslog"
BRANCH = "refs/heads/interlock-audit"
KEPT = "anchors.txt"
"""The one file of that branch."""
_SECONDS = 60
_PIPED = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Where a shell's ``<(command)`` is."""
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
"""A pipe that nobody reads is an error, not a wait for ever."""
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "gc.auto=0",
    *[f"protocol.{way}.allow=never" for way in ("file", "ext", "ssh", "git", "http", "https")],
)
"""Over the repository's own settings, which may not be the person's: no hook runs, and nothing that
is missing is fetched by a program they name.
"""


class SinkError(Exception):
    """An anchor could not be written or read; one sentence says where and why."""


def write(sink: str, text: str) -> None:
    """Add one line to a sink; raises ``SinkError``."""
    kind, _, place = sink.partition(":")
    {FILE: _to_file, GIT: _to_git, SYSLOG: _to_syslog}[kind](place, text)


def read(sink: str) -> list[str]:
    """Return the lines of a sink; ``file:-`` is standard input. Raises ``SinkError``."""
    kind, _, place = sink.partition(":")
    if kind == SYSLOG:
        raise SinkError(
            "the system's log is read where it is printed: `journalctl -t interlock | interlock"
            " audit verify --file -`"
        )
    if kind == GIT:
        return _git(place, "cat-file", "-p", f"{BRANCH}:{KEPT}").splitlines()
    try:
        if place == "-":
            return sys.stdin.read().splitlines()
        if os.path.exists(place) and not os.path.isfile(place) and not place.startswith(_PIPED):
            raise SinkError(
                f"{place} is no file: anchors are looked for in files, or with --file - in what is"
                " piped in"
            )
        with open(place, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError as error:
        raise SinkError(f"{place} cannot be read: {error.strerror}") from error


def _to_file(path: str, text: str) -> None:
    if path == "-":
        sys.stdout.write(text + "\n")
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_WAIT, 0o644)
        try:
            os.write(descriptor, text.encode() + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise SinkError(f"{path} cannot be written: {error.strerror}") from error


def _to_git(repository: str, text: str) -> None:
    """Add a commit to the branch by git's plumbing alone (no work tree, index, hook, filter)."""
    tip = _git(repository, "for-each-ref", "--format=%(objectname)", BRANCH).strip()
    before = _git(repository, "cat-file", "-p", f"{tip}:{KEPT}") if tip else ""
    blob = _git(
        repository, "hash-object", "-w", "--no-filters", "--stdin", text=f"{before}{text}\n"
    ).strip()
    tree = _git(repository, "mktree", text=f"100644 blob {blob}\t{KEPT}\n").strip()
    parent = ("-p", tip) if tip else ()
    commit = _git(
        repository,
        "-c",
        "user.name=interlock",
        "-c",
        "user.email=interlock@localhost",
        "commit-tree",
        tree,
        *parent,
        text=text + "\n",
    ).strip()
    _git(repository, "update-ref", BRANCH, commit, tip or "0" * len(commit))


def _git(repository: str, *arguments: str, text: str = "") -> str:
    try:
        done = subprocess.run(  # noqa: S603 - our own words, and a repository that the person named
            [  # noqa: S607 - the person's own git
                "git",
                "-C",
                repository,
                *[word for setting in _SETTINGS for word in ("-c", setting)],
                *arguments,
            ],
            input=text,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            env={**_environment(), "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SinkError(f"git could not be run in {repository}: {error}") from error
    if done.returncode:
        raise SinkError(
            f"git in {repository}:"
            f" {done.stderr.strip().splitlines()[0] if done.stderr.strip() else f'exit code {done.returncode}'}"
        )
    return done.stdout


def _environment() -> dict[str, str]:
    """Return the environment without git's own variables: GIT_DIR would name another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def _to_syslog(place: str, text: str) -> None:
    del place
    try:
        import syslog
    except ImportError:
        raise SinkError("this system has no syslog: anchor in a file or in git") from None
    syslog.openlog("interlock", facility=syslog.LOG_AUTH)
    syslog.syslog(syslog.LOG_NOTICE, text)
    syslog.closelog()
