"""Whether a client is guarded by a package of its own: the plugin of Claude Code, the extension of
Gemini CLI. Nothing of it stands among the hooks of the client's settings.
"""

from __future__ import annotations

import os

from interlock.integrations import install
from interlock.integrations.clients import adapter_of
from interlock.integrations.install import SettingsError

PLUGIN = "interlock@"
"""How the plugin's name begins among those that are switched on; behind it stands its
marketplace.
"""


def packaged(client: str) -> bool:
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
        plugins = install.parsed(install.content(path), path).get("enabledPlugins")
    except SettingsError:
        return False
    names = plugins if isinstance(plugins, dict) else {}
    return any(name.startswith(PLUGIN) and on is True for name, on in names.items())
