"""What installing and uninstalling change on the disk, file by file: a client's settings, or its
plugin and a line in its settings.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator

from interlock.integrations import install, plugin
from interlock.integrations.install import HookCommand, SettingsError, UnwrittenError
from interlock.integrations.protocol import Plugin, Settings
from interlock.model.record import Record

PATIENCE = 60.0
"""Seconds that another interlock is waited for; a change takes some hundredths."""


class Change(Record):
    """One file: its text before and after, ``""`` where there is none. ``own``: all of it is ours,
    so no backup is kept of it.

    ``spent``: backups that say no more than what is put back, and go with the change. ``stays``: a
    file is there afterwards, be it empty.
    """

    path: str
    before: str
    after: str
    own: bool = False
    spent: tuple[str, ...] = ()
    stays: bool = False

    def diff(self) -> str:
        """Return the change as a unified diff, ``""`` where nothing changes."""
        return install.diff(self.path, self.before, self.after)

    def make(self) -> str:
        """Make the change; return the backup's path, or ``""`` where there is none.

        Raises ``SettingsError``; an ``UnwrittenError`` too where the file is no longer as it was
        looked at: clients write their settings whenever.
        """
        if self.after == self.before:
            return ""
        now = install.content(self.path)
        if now == self.after:
            return ""  # another process of ours came first
        if now != self.before:
            raise UnwrittenError(
                f"{self.path} was changed by somebody else just now, so it was left as it is; run"
                " this again"
            )
        backup = ""
        if self.after or self.stays:
            backup = install.write(self.path, self.after, keep=not self.own)
        else:
            install.remove(self.path)
        for path in self.spent:
            install.remove(path)
        return backup


@contextlib.contextmanager
def alone(patience: float = PATIENCE) -> Iterator[None]:
    """Be the only interlock that changes this user's settings; raises ``UnwrittenError`` where
    another one does not come to an end in time.

    The home itself is locked, so nothing is left behind. Where folders cannot be locked (Windows,
    some disks of the network) it goes on without: a file that another process changed is still left
    alone (``Change.make``).
    """
    try:
        import fcntl

        home = os.open(os.path.expanduser("~"), os.O_RDONLY)
    except (ImportError, OSError):
        yield
        return
    try:
        until = time.monotonic() + patience
        while not _try_lock(lambda: fcntl.flock(home, fcntl.LOCK_EX | fcntl.LOCK_NB)):
            if time.monotonic() > until:
                raise UnwrittenError(
                    "another interlock is changing settings and does not end; nothing was changed,"
                    " try it again"
                )
            time.sleep(0.01)
        yield
    finally:
        os.close(home)


def _try_lock(lock: Callable[[], None]) -> bool:
    """Try to lock; False where another process holds it."""
    try:
        lock()
    except BlockingIOError:
        return False
    except OSError:
        return True  # folders cannot be locked here
    return True


def installing(settings: Settings, line: HookCommand, project: str | None) -> list[Change]:
    """Return the changes of installing; raises ``SettingsError``. The line in the settings beside a
    plugin is ``second``'s.
    """
    if settings.plugin is not None:
        path = plugin_path(settings, project)
        return [
            Change(
                path, plugin.own(path, line.client), plugin.text_of(settings.plugin, line), own=True
            )
        ]
    return [with_entries(settings_path(settings, project), settings, line)]


def with_entries(path: str, settings: Settings, line: HookCommand) -> Change:
    """Return the change that puts our entries into a settings file; raises ``SettingsError``."""
    before = install.content(path)
    return Change(path, before, install.add_entries(before, settings, line, path))


def second(settings: Settings, project: str | None) -> list[Change]:
    """Return the change that makes a plugin's absence a refusal, where the client knows one; raises
    ``SettingsError``.
    """
    if settings.plugin is None or not settings.plugin.line:
        return []
    return [with_line(settings_path(settings, project), settings.plugin)]


def with_line(path: str, own: Plugin) -> Change:
    """Return the change that puts our line into a settings file; raises ``SettingsError``."""
    before = install.content(path)
    return Change(path, before, plugin.with_line(before, own, path))


def removing(settings: Settings, client: str, project: str | None) -> list[Change]:
    """Return the changes of uninstalling, in their order: what denies where nothing guards goes
    first. Raises ``SettingsError``.
    """
    path = settings_path(settings, project)
    if settings.plugin is None:
        line = install.line_for(client)
        ours = OwnSection(
            lambda text: install.add_entries(text, settings, line, path),
            lambda text: install.remove_entries(text, settings, client, path),
        )
        return [ours.plan_removal(path)]
    own = plugin_path(settings, project)
    changes = [Change(own, plugin.own(own, client), "", own=True)]
    if settings.plugin.line:
        made = settings.plugin
        ours = OwnSection(
            lambda text: plugin.with_line(text, made, path),
            lambda text: plugin.without_line(text, made, path),
        )
        changes.insert(0, ours.plan_removal(path))
    return changes


class OwnSection:
    """What is ours in a file: how it is put into a text, and how it is taken out of one; both raise
    ``SettingsError``.
    """

    def __init__(self, put: Callable[[str], str], take: Callable[[str], str]) -> None:
        self.put = put
        self.take = take

    def plan_removal(self, path: str) -> Change:
        """Return the change that takes ours out; where nothing else changed since it was put in,
        the file is as it was, byte for byte.
        """
        before = install.content(path)
        after = self.take(before)
        if after == before:
            return Change(path, before, after)
        kept = [
            (backup, text) for backup in install.backups(path) for text in self._same(backup, after)
        ]
        spent = tuple([backup for backup, _ in kept])
        for _, text in reversed(kept):
            if self.take(text) == text:
                return Change(path, before, text, own=True, spent=spent, stays=True)
        if after.strip("\ufeff \t\r\n") == "{}" and len(spent) == len(list(install.backups(path))):
            return Change(path, before, "", spent=spent)
        return Change(path, before, after)

    def _same(self, backup: str, after: str) -> Iterator[str]:
        """Yield a backup's text, if it says the same as the settings without ours."""
        try:
            text = install.content(backup)
            if _means(self.take(self.put(text))) == _means(after):
                yield text
        except SettingsError:
            return  # damaged, or written by hand: it stays where it is


def _means(text: str) -> str:
    """Return settings in one form, whatever their spaces."""
    return install.dump_settings(install.parse_settings(text, "settings"), "")


def settings_path(settings: Settings, project: str | None) -> str:
    """Return the settings file that is written: the user's, or a project's."""
    return os.path.join(install.folder_of(settings, project), settings.file)


def plugin_path(settings: Settings, project: str | None) -> str:
    """Return where the client's plugin is: the user's, or a project's."""
    return os.path.join(
        install.folder_of(settings, project), settings.plugin.file if settings.plugin else ""
    )
