"""What PowerShell keeps on drives that are no disks: the registry, variables, certificates
(about_Providers).
"""

from __future__ import annotations

from collections.abc import Mapping

from interlock.effects.powershell.following import PowerShellInterpreter
from interlock.effects.powershell.values import PsValue
from interlock.effects.programs.windows import starts
from interlock.effects.run import Run
from interlock.model.effect import ControlsSystem, Effect, Kind, Persists, Reads
from interlock.shell.value import Value

_REGISTRY = tuple(
    "hklm: hkcu: hkcr: hku: hkcc: hkey_ registry: microsoft.powershell.core/registry::".split()
)
_OWN = ("env:", "variable:", "function:", "alias:", "temp:")
_CERTIFICATES = ("cert:", "wsman:")
_SECRET_KEYS = tuple(
    (
        "hklm:/sam hklm:/security hkey_local_machine/sam hkey_local_machine/security"
        " winlogon/defaultpassword"
    ).split()
)


def of(text: str) -> str:
    """Return which drive a path is on: ``registry``, ``session`` (variables, functions), ``store``
    (certificates, WSMan), or ``""`` for a disk.
    """
    low = (
        text.lower()
        .replace("\\", "/")
        .removeprefix("microsoft.powershell.core/")
        .removeprefix("registry::")
    )
    if low.startswith(_REGISTRY):
        return "registry"
    if low.startswith(_OWN):
        return "session"
    return "store" if low.startswith(_CERTIFICATES) else ""


def effect(
    session: PowerShellInterpreter, run: Run, kind: Kind, value: Value, given: Mapping[str, PsValue]
) -> Effect:
    """Add what an effect on such a path comes to; nothing where only this session is changed.
    ``given``: the parameters of the command.
    """
    drive = of(value.text)
    text = value.text.replace("/", "\\")
    low = text.lower()
    if (
        kind is Reads
        and drive == "registry"
        and any(key in low.replace("\\", "/") for key in _SECRET_KEYS)
    ):
        return run.effect(Reads, text, "registry", value=value)
    if kind is Reads or drive == "session":
        _session(session, run.name, low, given.get("value"))
        return Effect(Reads)
    if drive == "store":
        return run.effect(
            ControlsSystem,
            text,
            "security-off" if "root" in low or "wsman" in low else "defaults",
            value=value,
        )
    name = given["name"].text if "name" in given else ""
    if (
        "defender" in low
        or "security center" in low
        or "systemguard" in low
        or "\\lsa" in low
        or "policies\\system" in low
        or "amsi" in low
    ):
        return run.effect(ControlsSystem, text, "security-off", value=value)
    if starts(low, name.lower()) and run.name not in (
        "remove-item",
        "remove-itemproperty",
        "clear-itemproperty",
    ):
        return run.effect(Persists, text, "startup", value=value)
    return run.effect(ControlsSystem, text, "defaults", value=value)


def _session(session: PowerShellInterpreter, command: str, low: str, value: PsValue | None) -> None:
    """A variable or an alias that is set by its drive: ``Set-Item env:X v``."""
    drive, _, name = low.replace("\\", "/").partition(":")
    name = name.lstrip("/")
    if command in ("set-item", "new-item", "set-content") and value is not None and name:
        if drive == "alias":
            session.aliases[name] = value.text.lower()
        else:
            session.assign(f"env:{name}" if drive == "env" else name, value)
