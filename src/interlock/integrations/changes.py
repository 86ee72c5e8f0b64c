"""What installing and uninstalling change on the disk, file by file: a client's settings, or its plugin and a line in its settings."""

from __future__ import annotations

import os

from interlock.integrations import install, plugin
from interlock.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.integrations.install import Line
    from interlock.integrations.protocol import Settings


class Change(Record):
    """One file: its text before and after, ``""`` where there is none. ``own``: all of it is ours, so no backup is kept of it."""

    path: str
    before: str
    after: str
    own: bool = False

    def diff(self) -> str:
        """Return the change as a unified diff, ``""`` where nothing changes."""
        return install.diff(self.path, self.before, self.after)

    def make(self) -> str:
        """Make the change; return the backup's path, or ``""`` where there is none. Raises ``SettingsError``."""
        if self.after == self.before:
            return ""
        if self.after:
            return install.write(self.path, self.after, keep=not self.own)
        install.remove(self.path)
        return ""


def installing(settings: Settings, line: Line, project: str | None) -> list[Change]:
    """Return the changes of installing; raises ``SettingsError``. The line in the settings beside a plugin is ``second``'s."""
    if settings.plugin is not None:
        path = plugin_path(settings, project)
        return [Change(path, plugin.own(path, line.client), plugin.text_of(settings.plugin, line), own=True)]
    path = settings_path(settings, project)
    before = install.content(path)
    return [Change(path, before, install.installed(before, settings, line, path))]


def second(settings: Settings, project: str | None) -> list[Change]:
    """Return the change that makes a plugin's absence a refusal, where the client knows one; raises ``SettingsError``."""
    if settings.plugin is None or not settings.plugin.line:
        return []
    path = settings_path(settings, project)
    before = install.content(path)
    return [Change(path, before, plugin.with_line(before, settings.plugin, path))]


def removing(settings: Settings, client: str, project: str | None) -> list[Change]:
    """Return the changes of uninstalling, in their order: what denies where nothing guards goes first. Raises ``SettingsError``."""
    path = settings_path(settings, project)
    if settings.plugin is None:
        before = install.content(path)
        return [_emptied(Change(path, before, install.uninstalled(before, settings, client, path)))]
    own = plugin_path(settings, project)
    changes = [Change(own, plugin.own(own, client), "", own=True)]
    if settings.plugin.line:
        before = install.content(path)
        changes.insert(0, _emptied(Change(path, before, plugin.without_line(before, settings.plugin, path))))
    return changes


def _emptied(change: Change) -> Change:
    """Return the change as the removal of a file that holds nothing any more and was not there before us."""
    ours = change.after != change.before and change.after.strip() == "{}" and not any(install.backups(change.path))
    return change.replace(after="") if ours else change


def settings_path(settings: Settings, project: str | None) -> str:
    """Return the settings file that is written: the user's, or a project's."""
    return os.path.join(install.folder_of(settings, project), settings.file)


def plugin_path(settings: Settings, project: str | None) -> str:
    """Return where the client's plugin is: the user's, or a project's."""
    return os.path.join(install.folder_of(settings, project), settings.plugin.file if settings.plugin else "")
