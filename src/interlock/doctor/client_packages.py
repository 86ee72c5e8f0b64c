"""Whether a client is guarded by a package of its own: the plugin of Claude Code, the extension of
Gemini CLI. Nothing of it stands among the hooks of the client's settings.
"""

from __future__ import annotations

import os
import shutil

from interlock.doctor.report_row import AMBER, GREEN, RED, ReportRow
from interlock.integrations import install
from interlock.integrations.clients import adapter_of
from interlock.integrations.install import SettingsError

PLUGIN = "interlock@"
"""How the plugin's name begins among those switched on; behind it stands its marketplace."""
REMOVAL = {
    "claude-code": "claude plugin uninstall interlock@interlock",
    "gemini": "gemini extensions uninstall interlock",
}
_PLACES = tuple(
    (
        "~/.local/bin /opt/homebrew/bin /home/linuxbrew/.linuxbrew/bin /usr/local/bin /usr/bin"
    ).split()
)
"""Where a package looks for the program beside the PATH (``guard.sh`` in ``packaging/``)."""


def has_package(client: str) -> bool:
    """Tell whether the client's package is there and switched on, by the user's own settings."""
    folder = install.folder_of(adapter_of(client).SETTINGS, None)
    if client == "gemini":
        return os.path.isfile(
            os.path.join(folder, "extensions", "interlock", "hooks", "hooks.json")
        )
    if client != "claude-code":
        return False
    path = os.path.join(folder, "settings.json")
    try:
        plugins = install.parse_settings(install.content(path), path).get("enabledPlugins")
    except SettingsError:
        return False
    names = plugins if isinstance(plugins, dict) else {}
    return any(name.startswith(PLUGIN) and on is True for name, on in names.items())


def package_row(client: str, *, twice: bool) -> ReportRow:
    """Return the row of a package that is there: whether the program that it calls is, too.
    ``twice``: hooks stand in the client's settings besides.
    """
    beside = os.pathsep.join([os.path.expanduser(place) for place in _PLACES])
    program = shutil.which("interlock") or shutil.which("interlock", path=beside)
    if program is None:
        why = (
            f"{client} asks by interlock's package, whose program is neither on the PATH nor in"
            f" {_PLACES[0]}: no call runs"
        )
        return ReportRow(RED, "package", why, "install the program (docs/install.md)")
    if twice:
        why = f"{client} asks by hooks in its settings and by interlock's package: each call twice"
        return ReportRow(AMBER, "package", why, REMOVAL[client])
    return ReportRow(
        GREEN, "package", f"{client} asks by interlock's package, which calls {program}"
    )
