"""Cmdlets that change the machine: power, disks, services, accounts, protection, logs."""

from __future__ import annotations

from interlock.effects.powershell.cmdlet import Cmdlet, CmdletShape
from interlock.effects.powershell.values import PsValue, unknown
from interlock.model.effect import ControlsSystem, ErasesTraces, Executes, Persists, Reads

_ANY = (
    "id: computername: inputobject: path: credential: scope: value: password: group: member: displayname: drivelettter: number: size: filesystem: newfilesystemlabel: mount: "
    "logname: policy: profile: direction: action: protocol: localport: description: fullname: startuptype: binarypathname: status: subject: dnsname: certstorelocation: "
    "filepath: store: delay: timeout: for: newname: domainname: workgroupname: destination: exclusionpath: exclusionprocess: exclusionextension: "
    "disablerealtimemonitoring: disablebehaviormonitoring: disablescriptscanning: disableioavprotection: disableintrusionpreventionsystem: "
    "mapsreporting: submitsamplesconsent: puaprotection: enablecontrolledfolderaccess: threatiddefaultaction_ids: threatiddefaultaction_actions: enabled: "
    "defaultinboundaction: defaultoutboundaction: source: shadowid: driveletter: partitionstyle: friendlyname: identity: interfacealias: serveraddresses: ipaddress: adminpassword: "
)
"""Parameters with a value of the cmdlets below, all together, whichever has which."""
_ANY_SWITCH = "force: passthru: wait: whatif: full: quick: removedata: removeoem: all: confirm: usemaximumsize: assigndriveletter: dependentservices: norestart: online: restart:"


def _says(traits: str) -> CmdletShape:
    """A cmdlet that changes the machine's state, with its traits."""

    def act(run: Cmdlet) -> PsValue:
        target = run.text("name", "inputobject", "driveletter", "displayname", "path")
        run.effect(
            ControlsSystem, target or run.name, *[trait for trait in traits.split(",") if trait]
        )
        return unknown("output")

    return CmdletShape(positions="name:", options=_ANY, switches=_ANY_SWITCH, act=act)


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


_SERVICE = CmdletShape(
    positions="name:", options=_ANY, switches=_ANY_SWITCH, act=_service, piped="inputobject"
)
_MP = CmdletShape(options=_ANY, switches=_ANY_SWITCH, act=_protection)
_FIREWALL = CmdletShape(positions="name:", options=_ANY, switches=_ANY_SWITCH, act=_firewall)
_CLEARED = CmdletShape(positions="logname:", options="computername: name:", act=_clear_log)

SHAPES: dict[str, CmdletShape] = {
    **dict.fromkeys(("stop-computer", "restart-computer", "suspend-computer"), _says("power")),
    **dict.fromkeys(("format-volume", "clear-disk", "initialize-disk", "remove-physicaldisk", "clear-storagediagnosticinfo"), _says("format")),
    **dict.fromkeys(("remove-partition", "new-partition", "resize-partition", "set-disk", "set-partition", "reset-physicaldisk", "new-volume", "repair-volume", "optimize-volume",
        "update-disk"), _says("partition")),
    **dict.fromkeys(("stop-service", "start-service", "restart-service", "set-service", "remove-service", "suspend-service", "resume-service"), _SERVICE),
    "new-service": CmdletShape(positions="name: binarypathname:", options=_ANY, switches=_ANY_SWITCH,
        act=_new_service),
    **dict.fromkeys(("new-localuser", "set-localuser", "remove-localuser", "add-localgroupmember", "remove-localgroupmember", "new-localgroup", "remove-localgroup",
        "enable-localuser", "disable-localuser", "rename-localuser", "new-aduser",
        "add-adgroupmember", "set-aduser", "remove-aduser",
        "set-adaccountpassword"), _says("users")),
    **dict.fromkeys(("set-mppreference", "add-mppreference", "remove-mppreference", "update-mppreference"), _MP),
    **dict.fromkeys(("uninstall-windowsdefender", "disable-bitlocker", "suspend-bitlocker", "disable-tamperprotection", "unlock-bitlocker"), _says("security-off")),
    **dict.fromkeys(("set-netfirewallprofile", "set-netfirewallrule", "new-netfirewallrule", "disable-netfirewallrule", "remove-netfirewallrule", "enable-netfirewallrule",
        "set-netfirewallsetting"), _FIREWALL),
    **dict.fromkeys(("clear-eventlog", "remove-eventlog", "limit-eventlog", "wevtutil-clear"), _CLEARED), "clear-history": CmdletShape(options="id: count: commandline:", act=_clear_history),
    "clear-recyclebin": _says("defaults"), "disable-computerrestore": _says("format"),
    "enable-computerrestore": _says("defaults"), "checkpoint-computer": _says("defaults"),
    "rename-computer": _says("hostname"), "add-computer": _says("users"),
    "remove-computer": _says("users"), "set-date": _says("time"),
    "set-timezone": _says("time"), "enable-psremoting": _says("service"),
    "disable-psremoting": _says("service"), "enable-windowsoptionalfeature": _says("packages"),
    "disable-windowsoptionalfeature": _says("packages"), "add-windowscapability": _says("packages"),
    "add-appxpackage": CmdletShape(positions="path:", effects="installs:user"),
    "remove-appxpackage": CmdletShape(positions="package:", effects="installs:remove,system"),
    "import-certificate": CmdletShape(
        positions="filepath: certstorelocation:", options="password:", act=_certificate),
    "import-pfxcertificate": CmdletShape(positions="filepath: certstorelocation:", options="password:",
        switches="exportable:", act=_certificate),
    "export-pfxcertificate": CmdletShape(positions="cert: filepath:", options="password:", effects="controls-system:defaults"), "new-selfsignedcertificate": CmdletShape(
        options="dnsname: certstorelocation: subject: friendlyname: notafter: type: keyusage: signer: textextension:", prints="output"),
    "get-credential": CmdletShape(positions="credential:", options="username: message: title:", act=_credential), "get-storedcredential": CmdletShape(positions="target:", act=_credential),
    "get-clipboard": CmdletShape(options="format:", switches="raw:", act=_clipboard),
    "set-netadapter": _says("network-config"), "disable-netadapter": _says("network-config"),
    "set-dnsclientserveraddress": _says("network-config"),
    "new-netipaddress": _says("network-config"), "new-netroute": _says("network-config"),
    "remove-netroute": _says("network-config"), "new-smbshare": _says("mount"),
    "set-smbserverconfiguration": _says("security-off"), "mount-diskimage": _says("mount"),
    "dismount-diskimage": _says("mount"), "dismount-volume": _says("mount"),
    "set-itemowner": _says("users"), "invoke-gpupdate": _says("defaults"),
    "get-environment": CmdletShape(act=_environment), "set-wsmanquickconfig": _says("service"),
    "set-vm": _says("service"), "remove-vm": _says("service-stop"),
    "stop-vm": _says("service-stop"), "restart-vm": _says("service"),
}  # fmt: skip
