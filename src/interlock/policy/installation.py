"""How interlock was installed, and the one command that adds what an extra names to that
installation.

No command here names interlock itself as a package of an index: nobody owns that name there, and
whoever registers it would be run by our own message. What is named are the requirements in the
installed metadata (core metadata, ``Requires-Dist``), or the folder that it came from.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import Distribution

from interlock.shell.quoting import join

PIPX, UV = "pipx_metadata.json", "uv-receipt.toml"
"""Files by which pipx and uv mark a program's environment (pipx's venvs/NAME, uv's tools/NAME)."""


def install_command(extra: str = "") -> str:
    """Return the shell command that installs what an extra names beside the interlock that runs; of
    no extra, what interlock always needs.
    """
    own = _distribution()
    if own is None:
        return f"make install{f' EXTRAS={extra}' if extra else ''}, in interlock's source folder"
    needs = requirements(own.requires or [], extra)
    prefix = sys.prefix
    if os.path.exists(os.path.join(prefix, PIPX)):
        return join(["pipx", "inject", os.path.basename(prefix), *needs])
    source = _source(own)
    if source and (os.path.exists(os.path.join(prefix, UV)) or _is_make_install(prefix)):
        return _from_source(source, extra, made=not os.path.exists(os.path.join(prefix, UV)))
    if _has_pip():
        return join([sys.executable, "-m", "pip", "install", *needs])
    return join(["uv", "pip", "install", "--python", sys.executable, *needs])


def remove_command() -> str:
    """Return the shell command that removes the interlock that runs."""
    own = _distribution()
    if own is None:
        return "delete the folder that interlock was cloned into"
    prefix = sys.prefix
    if os.path.exists(os.path.join(prefix, PIPX)):
        return join(["pipx", "uninstall", os.path.basename(prefix)])
    if os.path.exists(os.path.join(prefix, UV)):
        return "uv tool uninstall interlock"
    if _is_make_install(prefix):
        return join(["rm", "-r", prefix, os.path.expanduser("~/.local/bin/interlock")])
    if os.path.abspath(__file__).startswith("/usr/lib/python3/dist-packages/"):
        return "sudo apt remove interlock"
    if _has_pip():
        return join([sys.executable, "-m", "pip", "uninstall", "interlock"])
    return join(["uv", "pip", "uninstall", "--python", sys.executable, "interlock"])


def requirements(lines: list[str], extra: str) -> list[str]:
    """Return those of ``Requires-Dist`` that an extra adds, without their markers:
    ``apprise<3,>=2.2; extra == "notify"``.
    """
    wanted = f"extra=='{extra}'" if extra else ""
    found = []
    for line in lines:
        name, _, marker = line.partition(";")
        if wanted == marker.replace(" ", "").replace('"', "'"):
            found.append(name.strip())
    return found


def _distribution() -> Distribution | None:
    """Return the metadata of the interlock that runs; None if not installed."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution("interlock")
    except PackageNotFoundError:
        return None


def _source(own: Distribution) -> str:
    """Return the folder that interlock was installed from, if it is still there (PyPA, direct URL
    of a local directory), or ``""``.
    """
    try:
        url = str(json.loads(own.read_text("direct_url.json") or "{}").get("url", ""))
    except (ValueError, AttributeError):
        return ""
    from urllib.parse import unquote, urlsplit

    folder = unquote(urlsplit(url).path) if url.startswith("file:") else ""
    return folder if folder and os.path.exists(os.path.join(folder, "pyproject.toml")) else ""


def _is_make_install(prefix: str) -> bool:
    """Whether ``make install`` made this environment (scripts/install.sh)."""
    return prefix == os.path.join(os.path.expanduser("~"), ".local", "share", "interlock")


def _from_source(source: str, extra: str, *, made: bool) -> str:
    """Return the command that installs anew from a folder: by ``make install``, or by uv, whose
    tools are always installed whole.
    """
    if made:
        return join(["make", "-C", source, "install", *([f"EXTRAS={extra}"] if extra else [])])
    return join(["uv", "tool", "install", "--force", f"{source}[{extra}]" if extra else source])


def _has_pip() -> bool:
    from importlib.util import find_spec

    return find_spec("pip") is not None
