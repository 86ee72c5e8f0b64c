"""The machine below its services: firmware, boot variables, kernel programs, messages on buses, snapshots, virtual machines (their manuals)."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.programs.disks import on_disks
from interlock.effects.rows import Row
from interlock.model.effect import ChangesInfrastructure, ControlsSystem, Exhausts, Reads, Writes
from interlock.shell.value import UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

_ASKS = ("introspect", "get", "getall", "ping", "getid", "listnames", "getnameowner", "getunit", "listunits", "getmachineid")
"""Members of a bus interface that only tell something."""


def _bus(run: Run) -> Flow:
    """``busctl call``, ``dbus-send``, ``gdbus call``: a message may make a service of the machine do anything it can."""
    words = [value.text for value in run.operands]
    if run.name == "busctl" and words[:1] not in (["call"], ["set-property"], ["emit"]):
        return UNREAD
    if run.name == "gdbus" and words[:1] not in (["call"], ["emit"]):
        return UNREAD
    member = next((value.text for name, value in run.parsed.options if name == "--method"), words[-1] if words else "")
    names = [word.rpartition(".")[2].lower() for word in [*words, member]]
    if any(name in _ASKS for name in names):
        return UNREAD
    run.effect(
        ControlsSystem,
        member.rpartition(".")[2] or run.name,
        "power" if any(name in ("poweroff", "reboot", "suspend", "halt") for name in names) else "service",
    )
    return UNREAD


def _pci(run: Run) -> Flow:
    """``setpci -s SLOT REGISTER=VALUE`` writes, without a value it tells."""
    if any("=" in value.text for value in run.operands):
        run.effect(ControlsSystem, run.name, "kernel")
    return UNREAD


def _of(run: Run) -> Flow:
    """``dcfldd if=.. of=..``, as ``dd``."""
    for value in run.arguments:
        name, equals, text = value.text.partition("=")
        if equals and name in ("if", "of", "hof", "hofs"):
            run.path(
                Reads if name == "if" else Writes, Value(text, value.start, value.end, value.why, value.pattern), *(["raw"] if name != "if" else [])
            )
    return UNREAD


_ESX_CHANGES = frozenset(
    "set add remove kill delete create unmount mount format enable disable install update vib unload reload unmap reboot shutdown".split()
)


def _esx(run: Run) -> Flow:
    """``esxcli NAMESPACE.. COMMAND``: the last word of the command says what it does."""
    words = [value.text for value in run.operands]
    changes = [word for word in words if word in _ESX_CHANGES]
    if changes:
        run.effect(ChangesInfrastructure, " ".join(words[:4]), "delete" if changes[-1] in ("kill", "remove", "delete", "format") else "modify")
    return UNREAD


def _stress(run: Run) -> Flow:
    """Programs made to take all there is of a machine; with a bound on the time they end."""
    if not run.has("--help", "--version", "-t", "--timeout", "--dry-run"):
        run.effect(Exhausts, run.name, certain=False)
    return UNREAD


_KERNEL = "kernel = *"

_IPMI = doing(
    "nothing = sel+list sel+elist sdr sensor fru chassis+status power+status mc+info lan+print user+list session",
    "power = chassis power",
    "plain = *",
)


def _ipmi(run: Run) -> Flow:
    """``ipmitool chassis power status`` looks, ``chassis power off`` does not."""
    return UNREAD if [value.text for value in run.operands[2:3]] in (["status"], ["identify"]) else _IPMI(run) or UNREAD


_TRACES = doing("nothing = -l -V --info", "kernel = *")


def _traced(run: Run) -> Flow:
    """``bpftrace -c COMMAND``: a command that is started to be watched (bpftrace(8))."""
    for value in run.parsed.values("-c"):
        run.code(value)
    return _TRACES(run) or UNREAD


def _locate(run: Run) -> Flow:
    """``locate PATTERN``: prints the paths of the whole machine that hold it (locate(1))."""
    flow = Flow(None)
    flow.listing = [Value(f"/**/*{value.text.strip('*')}*", value.start, value.end, value.why, pattern=True) for value in run.operands]
    return flow


ROWS: dict[str, Row] = {
    # firmware and boot
    "flashrom": Row(options="-p:data -r:writes --read:writes -w:reads --write:reads -v:reads -c:data -l:data -i:data", read=doing(
        "format = -w --write -E --erase", "nothing = *")),
    "fwupdmgr": Row(read=doing(
        "nothing = get-* security version verify report-history", "kernel,boot = ?")),
    "fwupdtool": Row(read=doing("nothing = get-* version", "kernel,boot = ?")), "fwupdate": Row(read=doing("boot = -a --apply")),
    "mokutil": Row(read=doing(
        "nothing = --sb-state --list-* -l -N -X --test-key -t", "kernel,boot,security-off = --disable-validation --reset", "kernel,boot = *")),
    "sbctl": Row(read=doing("nothing = status list-* verify list-files", "boot = ?")), "efivar": Row(read=doing("boot = -w --write -a --append")),
    "grub-editenv": Row(read=doing("nothing = list", "boot = *"), operands="data*"), "grub2-editenv": Row(read=doing("nothing = list", "boot = *")),
    "grub-mkrescue": Row(options="-o:writes --output:writes"), "lilo": Row(effects="controls-system:boot"),
    "extlinux": Row(effects="controls-system:boot"),
    "kernel-install": Row(read=doing("nothing = inspect list", "boot = *")), "kernelstub": Row(read=doing("boot = *")),
    "ipmitool": Row(options="-H:data -U:data -P:data -I:data -f:reads -L:data", read=_ipmi),
    "nvram-wakeup": Row(effects="controls-system:power"), "wakeonlan": Row(), "etherwake": Row(),
    "wrmsr": Row(read=doing(_KERNEL)), "rdmsr": Row(), "setpci": Row(options="-s:data -d:data", read=_pci),
    "bpftool": Row(read=doing(
        "kernel = prog+load prog+loadall prog+attach prog+detach map+update map+delete map+create net+attach net+detach cgroup+attach cgroup+detach "
        "link+detach iter+pin struct_ops+register", "nothing = *")),
    "bpftrace": Row(options="-e:data -p:data -o:writes -c:data", read=_traced),
    "stap": Row(read=doing("nothing = -l -L -V", _KERNEL)),
    "kmutil": Row(read=doing("nothing = showloaded inspect libraries print-diagnostics", "kernel = ?")),
    "livepatch": Row(effects="controls-system:kernel"), "kpatch": Row(read=doing("nothing = list info", "kernel = ?")),
    "softwareupdate": Row(read=doing("nothing = -l --list --history --list-full-installers", "packages = *")),
    "installer": Row(clustered=False, options="-pkg:reads -target:data -volinfo:data", read=doing("nothing = -volinfo -pkginfo -query",
        "packages = *")),
    "startosinstall": Row(effects="controls-system:packages"),
    **dict.fromkeys("locate plocate mlocate slocate".split(), Row(options="-l:data --limit:data -n:data -d:data --database:data", read=_locate)),
    # disks that have no row of their own
    "flash-kernel": Row(effects="controls-system:boot"), "scrub": Row(read=doing("format = *", say=on_disks)),
    "nwipe": Row(read=doing("format = *", say=on_disks)),
    "dcfldd": Row(read=_of), "dc3dd": Row(read=_of), "multipath": Row(read=doing("partition = -F -f -r", "nothing = *")),
    "fsfreeze": Row(read=doing("volume = *")), "thin_repair": Row(options="-i:reads -o:writes"),
    "ndctl": Row(read=doing("nothing = list", "partition = ?")),
    "drbdadm": Row(read=doing("nothing = status role cstate dump", "raid = ?")), "tgtadm": Row(read=doing("volume = *")),
    "iscsiadm": Row(options="-m:data -p:data -T:data", read=doing("mount = -l --login -u --logout", "nothing = *")),
    "tmutil": Row(read=doing(
        "erases-traces:audit = disable", "format = delete deletelocalsnapshots deleteinprogress thinlocalsnapshots",
        "volume = enable startbackup stopbackup localsnapshot setdestination removedestination addexclusion removeexclusion inheritbackup "
        "associatedisk restore setquota", "nothing = *")),
    "snapper": Row(options="-c:data", read=doing("nothing = list list-configs status diff get-config", "format = delete rollback undochange",
        "volume = ?")),
    "timeshift": Row(read=doing("nothing = --list --list-devices", "format = --delete --delete-all --restore", "volume = *")),
    # hosts of virtual machines, fleets of machines
    "esxcli": Row(operands="data*", clustered=False, read=_esx), "vim-cmd": Row(read=doing(
        "nothing = vmsvc/get* vmsvc/device.get* hostsvc/get* vimsvc/auth/* help solo/*", "power = vmsvc/power.*",
        "changes-infrastructure:delete = vmsvc/destroy vmsvc/unregister vmsvc/snapshot.remove*", "plain = ?")),
    "jamf": Row(read=doing("nothing = help version about checkJSSConnection", "plain = ?")),
    "amazon-ssm-agent": Row(clustered=False, read=doing("changes-infrastructure:permission = -register", "nothing = *")),
    # messages, memory, load
    "busctl": Row(operands="data*", read=_bus), "dbus-send": Row(clustered=False, read=_bus),
    "gdbus": Row(options="--dest:data -d:data --object-path:data -o:data --method:data -m:data", read=_bus), "qdbus": Row(read=doing("service = *")),
    "crudini": Row(operands="data*", options="--set:writes --del:writes --merge:writes --get:reads --list:reads"),
    "augtool": Row(read=doing("nothing = print ls match get", "plain = *")), "ipcrm": Row(read=doing("plain = *")), "ipcs": Row(),
    "wall": Row(read=doing("plain = *")), "stress": Row(read=_stress),
    "stress-ng": Row(read=_stress),
    "cpuburn": Row(read=_stress), "burnP6": Row(read=_stress),
}  # fmt: skip
