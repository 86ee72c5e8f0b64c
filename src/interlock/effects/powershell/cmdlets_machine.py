"""Cmdlets that change the machine: power, disks, services, accounts, protection, logs."""

from __future__ import annotations

from collections.abc import Callable

from interlock.effects.powershell.cmdlet import Cmdlet
from interlock.effects.powershell.values import PsValue, unknown
from interlock.model.effect import ControlsSystem, ErasesTraces, Executes, Persists, Reads


def _says(traits: str) -> Callable[[Cmdlet], PsValue]:
    """Return what reads a cmdlet that changes the machine's state, with its traits."""

    def act(run: Cmdlet) -> PsValue:
        target = run.text("name", "inputobject", "driveletter", "displayname", "path")
        run.effect(
            ControlsSystem, target or run.name, *[trait for trait in traits.split(",") if trait]
        )
        return unknown("output")

    return act


def _service(run: Cmdlet) -> None:
    """``Stop-Service``, ``Set-Service``; a service that protects is protection switched off."""
    name = run.text("name", "displayname", "inputobject")
    low = name.lower()
    protects = low in _PROTECTING or "defender" in low
    stops = (
        run.name in ("stop-service", "remove-service", "suspend-service")
        or run.text("startuptype").lower() == "disabled"
        or run.text("status").lower() == "stopped"
    )
    run.effect(
        ControlsSystem,
        name,
        "security-off" if protects and stops else "service-stop" if stops else "service",
    )


_PROTECTING = frozenset(
    "windefend wdnissvc sense securityhealthservice wscsvc mpssvc eventlog wuauserv sysmon sysmon64 bits vss sdrsvc".split()
)


def _new_service(run: Cmdlet) -> None:
    run.effect(Persists, run.text("name"), "service")


def _clear_log(run: Cmdlet) -> None:
    run.effect(ErasesTraces, run.text("logname", "name") or run.name, "log")


def _clear_history(run: Cmdlet) -> None:
    run.effect(ErasesTraces, "history", "history")


def _protection(run: Cmdlet) -> None:
    """``Set-MpPreference``, ``Add-MpPreference``: exclusions and switched-off parts of Defender."""
    weakens = run.name == "add-mppreference" or any(
        name.startswith(
            ("disable", "exclusion", "threat", "mapsreporting", "submit", "puaprotection", "enable")
        )
        for name in run.named
    )
    run.effect(ControlsSystem, "Defender", "security-off" if weakens else "defaults")


def _firewall(run: Cmdlet) -> None:
    off = (
        run.text("enabled").lower() in ("false", "$false", "0")
        or run.name == "disable-netfirewallrule"
    )
    run.effect(ControlsSystem, "firewall", "firewall-off" if off else "firewall")


def _credential(run: Cmdlet) -> PsValue:
    """``Get-Credential`` asks the person; ``Get-StoredCredential`` takes what Windows keeps."""
    if run.name == "get-credential":
        return unknown("secret")
    run.effect(Executes, run.name, "security-tool")
    return unknown("secret")


def _clipboard(run: Cmdlet) -> PsValue:
    run.effect(Reads, "clipboard", "clipboard", detail="the clipboard may hold a password")
    return unknown("secret", "clipboard")


def _certificate(run: Cmdlet) -> None:
    store = run.text("certstorelocation").lower()
    if "root" in store:
        run.effect(ControlsSystem, store, "security-off")
    elif store:
        run.effect(ControlsSystem, store, "defaults")
    for value in run.paths("filepath") if "filepath" in run.named else []:
        run.path(Reads, value)


def _environment(run: Cmdlet) -> PsValue:
    del run
    return unknown("environment")
