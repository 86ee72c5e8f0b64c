"""Telling a client about the guard: one entry per event in the client's settings, found again by
what it runs.

Pure text in, text out (``add_entries``, ``remove_entries``, ``entries``); ``write`` alone touches
the disk. Nothing but our own entries changes: keys keep their order, the file its indent, line ends
and final newline.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import json
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from typing import Any

from interlock.integrations import writing
from interlock.integrations.protocol import HookedEvent, Settings
from interlock.model.record import Record
from interlock.resident import building
from interlock.resident.relay_protocol import name_of
from interlock.shell.quoting import join

BACKUP = ".interlock-backup-"


class SettingsError(ValueError):
    """A settings file that is not to be rewritten; the message names the file, the line, what was
    expected and what to do.
    """


class UnwrittenError(SettingsError):
    """A change that the machine did not let through, or that another program came before; the file
    is as it was.
    """


class HookCommand(Record):
    """What the client is to run: the interpreter and the hook file, absolute, and the client's
    name.

    ``relay``: the program that asks the resident guard, and runs the hook file where that does not
    answer; ``""`` where there is none.
    """

    python: str
    file: str
    client: str
    relay: str = ""

    @property
    def words(self) -> list[str]:
        """The program and its arguments, without the mode."""
        hook = [self.python, "-I", "-S", self.file, self.client]
        if not self.relay:
            return hook
        folder = os.path.dirname(self.relay)
        return [
            self.relay,
            folder,
            name_of(self.python, os.path.dirname(self.file)),
            self.python,
            self.file,
            self.client,
        ]

    def command(self, *, note: bool) -> str:
        """Return the shell line.

        Its ``case`` turns every end but an answer (100, or 2 with words) into a refusal, in the
        words of every client: a missing interpreter or hook file, a crash, a kill, an empty hook
        file, half an answer. For events that ask nothing it is an error that blocks nobody. A relay
        that cannot be started (126, 127) has read nothing: the hook file is run instead.
        """
        mode = "note" if note else "check"
        plain = f"{join(self.replace(relay='').words)} {mode}"
        start = f"{join(self.words)} {mode}"
        if note:
            again = f"case $rc in 126|127) {plain}; rc=$?;; esac; " if self.relay else ""
            return (
                f'{start}; rc=$?; {again}case $rc in 0) ;; *) echo "interlock failed ($rc); this'
                ' event was not recorded" >&2; exit 1;; esac'
            )
        again = f"case $rc in 126|127) said=$({plain}); rc=$?;; esac; " if self.relay else ""
        return (
            f"said=$({start}); rc=$?; {again}case $rc:$said in 100:*) rc=0;; 2:?*) ;; *)"
            f' {_FAILED};; esac; printf %s "$said" || exit 2; exit $rc'
        )


_REFUSAL = (
    '{"decision":"block","reason":"%s","permissionDecision":"deny","permissionDecisionReason":"%s"}'
)
_FAILED = (
    'why="interlock failed ($rc), so this call did not run; try: interlock doctor"; '
    f'said=$(printf \'{_REFUSAL}\' "$why" "$why"); echo "$why" >&2; rc=2'
)


class HookEntry(Record):
    """One of our entries as found: the event, the matcher of its group, the hook itself."""

    event: str
    matcher: str
    hook: dict[str, object]


def line_for(client: str) -> HookCommand:
    """Return the line that this installation of interlock is started by."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return HookCommand(
        os.path.abspath(sys.executable),
        os.path.join(package, "hook.py"),
        client,
        building.find_relay(os.environ),
    )


# -- text in, text out -----------------------------------------------------------------------------


def add_entries(text: str, settings: Settings, line: HookCommand, path: str = "settings") -> str:
    """Return the settings with exactly one entry of ours for each event, in place where there was
    one, else at the end.
    """
    document = parse_settings(text, path)
    table = _table(document, settings, path)
    for hooked in settings.events:
        groups = _groups(table, hooked.event, path)
        _put_entry(groups, hooked, _hook(hooked, settings, line), line.client)
    return dump_settings(document, text)


def remove_entries(text: str, settings: Settings, client: str, path: str = "settings") -> str:
    """Return the settings without our entries, and without what held nothing else; settings that
    never held one may be written in any way.
    """
    if "interlock" not in text:
        return text
    document = parse_settings(text, path)
    table = document.get(settings.key)
    if not isinstance(table, dict):
        return text
    found = False
    for event, groups in list(table.items()):
        if isinstance(groups, list) and _take_out(groups, client):
            found = True
            if not groups:
                del table[event]
    if not found:
        return text
    if not table:
        del document[settings.key]
    return dump_settings(document, text)


def entries(text: str, settings: Settings, client: str, path: str = "settings") -> list[HookEntry]:
    """Return our entries, in the file's order."""
    table = parse_settings(text, path).get(settings.key)
    found = []
    for event, groups in table.items() if isinstance(table, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            found += [
                HookEntry(event, str(group.get("matcher", "")), hook)
                for hook in _hooks(group)
                if is_ours(hook, client)
            ]
    return found


def snippet(settings: Settings, line: HookCommand) -> str:
    """Return what a person may paste into settings that we do not rewrite."""
    return add_entries("", settings, line)


def parse_settings(text: str, path: str) -> dict[str, Any]:
    """Return settings as an object; raises ``SettingsError`` for what is no strict JSON."""
    if not text.strip("\ufeff \t\r\n"):
        return {}
    try:
        document = json.loads(
            text.removeprefix("\ufeff"), object_pairs_hook=_unique, parse_constant=_no_constant
        )
    except json.JSONDecodeError as error:
        hint = " (comments are not JSON)" if re.search(r"^\s*(//|/\*)", text, re.MULTILINE) else ""
        raise SettingsError(
            f"{path}:{error.lineno}:{error.colno}: expected strict JSON: {error.msg}{hint}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: expected strict JSON: {error}") from None
    if not isinstance(document, dict):
        raise SettingsError(f"{path}: expected an object at the top")
    return document


def readable(text: str, settings: Settings) -> str:
    """Return settings as strict JSON, for reading: without the comments that the client itself
    writes, where it does.
    """
    return _COMMENT.sub(lambda found: found[1] or "", text) if settings.commented else text


_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
"""A comment, or (kept) a text, in which the same signs are none."""


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(
            f"the key {next(name for name in names if names.count(name) > 1)!r} is there twice"
        )
    return made


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def _table(document: dict[str, Any], settings: Settings, path: str) -> dict[str, Any]:
    table = document.setdefault(settings.key, {})
    if not isinstance(table, dict):
        raise SettingsError(f"{path}: expected an object under {settings.key!r}")
    return table


def _groups(table: dict[str, Any], event: str, path: str) -> list[Any]:
    groups = table.setdefault(event, [])
    if not isinstance(groups, list):
        raise SettingsError(f"{path}: expected a list under {event!r}")
    return groups


def _hook(hooked: HookedEvent, settings: Settings, line: HookCommand) -> dict[str, object]:
    entry: dict[str, object] = {
        "type": "command",
        "command": line.command(note=hooked.note),
        "timeout": settings.timeout,
    }
    return entry if hooked.note else entry | dict(settings.block)


def _put_entry(
    groups: list[Any], hooked: HookedEvent, hook: dict[str, object], client: str
) -> None:
    """Change our entry in place if its group guards every call, else append one; others go."""
    kept: dict[str, object] | None = None
    for group in groups:
        for present in _hooks(group):
            if (
                kept is None
                and is_ours(present, client)
                and group.get("matcher", "") == hooked.matcher
            ):
                kept = present
    if kept is not None:
        kept.update(hook)
    _take_out(groups, client, kept)
    if kept is None:
        groups.append(({"matcher": hooked.matcher} if hooked.matcher else {}) | {"hooks": [hook]})


def _take_out(groups: list[Any], client: str, but: object = None) -> bool:
    """Remove our hooks except one, and groups left empty; tell whether there were any."""
    found = False
    for group in list(groups):
        mine = [hook for hook in _hooks(group) if is_ours(hook, client) and hook is not but]
        if not mine:
            continue
        found = True
        group["hooks"] = [hook for hook in group["hooks"] if not any(hook is one for one in mine)]
        if not group["hooks"]:
            groups.remove(group)
    return found


def _hooks(group: object) -> list[dict[str, object]]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return [hook for hook in hooks if isinstance(hook, dict)] if isinstance(hooks, list) else []


def is_ours(hook: dict[str, object], client: str) -> bool:
    """Tell by what it runs: our hook file or our program's ``hook`` command, for this client."""
    command = hook.get("command")
    program = (
        r"""(?:interlock[/\\]hook\.py|(?:^|[/\\\s'"])interlock(?:\.exe)?['"]?\s+hook)['"]?\s+"""
    )
    return (
        isinstance(command, str)
        and re.search(program + re.escape(client) + r"(?=[\s;]|$)", command) is not None
    )


def dump_settings(document: dict[str, Any], like: str) -> str:
    """Return settings as text, with the indent, line ends and end of another."""
    body = like.strip("\ufeff \t\r\n")
    if body and "\n" not in body and body != "{}":
        made = json.dumps(
            document,
            ensure_ascii=False,
            separators=(", ", ": ") if re.search(r'": ', body) else (",", ":"),
        )
    else:
        indent = re.search(r"^([ \t]+)\S", body, re.MULTILINE)
        made = json.dumps(document, ensure_ascii=False, indent=indent[1] if indent else 2)
    end = re.search(r"[ \t\r\n]*$", like)
    tail = end[0] if body and end else "\n"
    made = ("\ufeff" if like.startswith("\ufeff") else "") + made + tail.replace("\r\n", "\n")
    return made.replace("\n", "\r\n") if "\r\n" in like else made


# -- the disk --------------------------------------------------------------------------------------


def folder_of(settings: Settings, project: str | None) -> str:
    """Return the folder of the client's settings: a project's, or the user's."""
    if project is not None:
        return os.path.join(os.path.abspath(project), settings.project or settings.folder)
    moved = os.environ.get(settings.variable)
    return (
        os.path.join(*filter(None, (moved, settings.below)))
        if moved
        else os.path.join(os.path.expanduser("~"), settings.folder)
    )


def content(path: str) -> str:
    """Return a settings file's text, ``""`` for none; raises ``SettingsError`` if unreadable."""
    try:
        with open(path, encoding="utf-8", newline="", opener=_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SettingsError(
                    f"{path}: cannot be read: expected a file, found a pipe or a device"
                )
            return file.read()
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise SettingsError(f"{path}: expected UTF-8") from None
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read: {error.strerror}") from None


def _at_once(path: str, flags: int) -> int:
    """Open without waiting: at a pipe somebody else would have to write first."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def diff(path: str, before: str, after: str) -> str:
    """Return the change as a unified diff; a last line without an end is marked as such."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), path, path, n=2
    )
    return "".join(
        [
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        ]
    )


def write(path: str, after: str, *, keep: bool = True) -> str:
    """Put a text into place at once; return the backup's path, or ``""`` where there was nothing to
    back up, or nothing is to be kept.

    A symbolic link stays one (its target is replaced), the mode stays. Raises ``UnwrittenError``.
    """
    real = os.path.realpath(path)
    backup = ""
    try:
        os.makedirs(os.path.dirname(real), exist_ok=True)
        there = os.path.exists(real)
        mode = os.stat(real).st_mode & 0o7777 if there else 0o600
        backup = _back_up(real, mode & 0o777) if keep and there else ""
        writing.whole(real, after.encode(), mode)
    except OSError as error:
        if backup:
            os.unlink(backup)
        raise UnwrittenError(f"{path}: cannot be written: {error.strerror}") from None
    return backup


def _back_up(real: str, mode: int) -> str:
    """Copy a file beside itself, under a name that no other backup has."""
    stamp = real + BACKUP + time.strftime("%Y%m%dT%H%M%S")
    names = itertools.chain([stamp], (f"{stamp}-{number:02}" for number in itertools.count(1)))
    backup = next(name for name in names if not os.path.lexists(name))
    with open(real, "rb") as source:
        writing.whole(backup, source.read(), mode, beside=real)
    return backup


def backups(path: str) -> Iterator[str]:
    """Yield the backups that were made of a file."""
    real = os.path.realpath(path)
    folder, name = os.path.split(real)
    if os.path.isdir(folder):
        yield from (
            os.path.join(folder, entry)
            for entry in sorted(os.listdir(folder))
            if entry.startswith(name + BACKUP)
        )


def remove(path: str) -> None:
    """Remove a file that we made and that holds nothing any more, and the folders below the home
    that this empties; raises ``UnwrittenError``.

    A symbolic link that led to no file before leads to none again.
    """
    home, real = os.path.realpath(os.path.expanduser("~")), os.path.realpath(path)
    folder = os.path.dirname(real)
    try:
        os.unlink(real)
    except OSError as error:
        raise UnwrittenError(f"{path}: cannot be removed: {error.strerror}") from None
    # the first that holds something, or that is not ours to remove
    with contextlib.suppress(OSError):
        while folder.startswith(f"{home}/"):
            os.rmdir(folder)
            folder = os.path.dirname(folder)
