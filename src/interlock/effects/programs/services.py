"""What runs on the machine and when: power, services, schedules; the kernel, the start, the clock, the host's name and its guards."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import ControlsSystem, EscalatesPrivilege, Persists, Reads
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.programs.acting import Said
    from interlock.effects.run import Run

_WATCHING = frozenset(
    "auditd ufw firewalld nftables iptables apparmor rsyslog syslog syslog-ng systemd-journald fail2ban falco crowdsec osqueryd clamav-daemon "
    "falcon-sensor wazuh-agent sentinelone windefend mpssvc".split()
)
"""Services that watch over the machine: stopping one is switching security off."""
_FIELDS = 5


def _service(run: Run, said: Said, rest: list[Value]) -> Flow:
    """Say it of each service that is named; stopping one that watches over the machine switches security off."""
    for kind, traits in said:
        for value in rest or [Value(run.name)]:
            name = value.text.lower().removesuffix(".service")
            off = ["security-off"] if "service-stop" in traits and name in _WATCHING else []
            run.effect(kind, value.text, *traits, *off, value=value)
    return NOTHING


# -- schedules ------------------------------------------------------------------------------------------------


def _crontab(run: Run) -> Flow:
    """``crontab [FILE | - | -r | -e | -l]``: what it will run is read where it can be."""
    if run.has("-l"):
        return Flow(HOLE + "\n")
    if run.has("-V", "-T", "--help"):
        return UNREAD
    run.effect(Persists, run.operands[0].text if run.operands else run.name, "cron", *(["remove"] if run.has("-r") else []))
    if run.has("-r", "-e"):
        return NOTHING
    if run.operands and run.operands[0].text not in ("-", "/dev/stdin"):
        run.path(Reads, run.operands[0])
        _cron_lines(run, run.contents(run.operands[0]))
    elif run.stdin is not None:
        _cron_lines(run, run.stdin)
    return NOTHING


def _cron_lines(run: Run, flow: Flow) -> None:
    """Read the command of each line of a table (crontab(5)): after five fields, or after ``@daily`` and the like."""
    for line in (run.reader.known_text(flow) or "").split("\n")[:64]:
        text = line.strip()
        count = 1 if text[:1] == "@" else _FIELDS
        fields = text.split(None, count)
        if text[:1] != "#" and len(fields) > count and HOLE not in "".join(fields[:count]):
            run.code(Value(fields[count]))


def _at(run: Run) -> Flow:
    """``at TIME``, ``batch``: commands come from standard input or ``-f FILE``."""
    if run.has("-l", "-c", "-V"):
        return UNREAD
    run.effect(Persists, run.operands[0].text if run.operands else run.name, "at", *(["remove"] if run.has("-r", "-d") else []))
    file = run.parsed.value("-f")
    if file is not None:
        return run.script(file)
    return run.input_as_code() if run.stdin is not None and not run.has("-r", "-d") else NOTHING


def _logrotate(run: Run) -> Flow:
    """``logrotate [-f] CONFIG``: moves logs away and runs the commands of its configuration; ``-d`` only tells."""
    if run.has("-d", "--debug", "--version", "--usage", "--help"):
        return UNREAD
    for value in run.operands:
        run.path(Reads, value)
    for value in run.parsed.values("-m", "--mail"):
        run.code(value)
    run.effect(ControlsSystem, run.name, "service")
    return NOTHING


# -- others ---------------------------------------------------------------------------------------------------


def _init(run: Run) -> Flow:
    """``init LEVEL``: 0 and 6 are power, others change what runs."""
    for value in run.operands[:1]:
        run.effect(ControlsSystem, value.text, "power" if value.text in ("0", "6", "1", "s", "S") or value.hollow else "service", value=value)
    return UNREAD


def _sysctl(run: Run) -> Flow:
    """``sysctl NAME`` tells, ``NAME=VALUE`` sets; ``-p FILE`` sets all that is in a file."""
    load = run.has("-p", "--load", "--system")
    for value in run.operands:
        if load:
            run.path(Reads, value)
        elif "=" in value.text or run.has("-w", "--write"):
            run.effect(ControlsSystem, value.text.partition("=")[0], "sysctl", value=value)
    if load:
        run.effect(ControlsSystem, run.name, "sysctl")
    return UNREAD


def _insmod(run: Run) -> Flow:
    """``insmod FILE [OPTION...]``: where the module lies tells who may have made it."""
    for value in run.operands[:1]:
        run.path(Reads, value)
        effect = run.context.path(ControlsSystem, value, run.cwd, run.span(value), frozenset({"kernel"}), run.name)
        if not effect.certain:
            run.effect(ControlsSystem, run.name, "kernel")
    return NOTHING


def _launchctl(run: Run) -> Flow:
    """``launchctl asuser UID COMMAND`` runs another command, ``submit`` keeps one running; the rest goes by its verb."""
    words = [value.text for value in run.operands[:1]]
    if words == ["submit"]:
        run.effect(Persists, run.name, "service", detail="a job that is started again whenever it ends")
    if words == ["asuser"] and len(run.operands) > 2:
        run.effect(EscalatesPrivilege, run.operands[1].text)
    if words and words[0] in ("asuser", "bsexec", "submit") and len(run.operands) > 2:
        return run.command(run.operands[2:])
    return _LAUNCH(run) or NOTHING


def _label(run: Run) -> Flow:
    """``chcon CONTEXT FILE..``: what may be done with a file changes."""
    from interlock.model.effect import ChangesMode

    for value in run.operands[0 if run.name == "restorecon" or run.has("--reference", "-t", "-u", "-r") else 1 :]:
        run.path(ChangesMode, value)
    return NOTHING


_HOST_NAME = doing("hostname = set* icon-name chassis deployment location hostname")


def _host_name(run: Run) -> Flow:
    """``hostnamectl hostname`` prints the name, ``hostnamectl hostname NAME`` sets it."""
    return UNREAD if len(run.operands) == 1 and run.operands[0].text == "hostname" else _HOST_NAME(run) or NOTHING


_LAUNCH = doing(
    "persists:service = load bootstrap enable submit", "service-stop = unload bootout disable remove stop kill",
    "service = start kickstart setenv unsetenv config debug attach", "power = reboot userspace", say=_service,
)  # fmt: skip
_VERBS = (
    "service-stop = stop kill disable mask condstop zap remove delete forcestop del",
    "service = start restart reload force-reload try-restart condrestart reload-or-restart graceful pause continue",
)
_POWER = Row(read=doing("nothing = -w --wtmp-only -c --show -k", "power = *"))
_ADDED = doing("service-stop = del delete remove off --del disable", "persists:service = add on --add reset defaults enable", say=_service)
_OF_NAME = doing("service-stop = off disable", "persists:service = on reset", at=1, say=_service)


def _chkconfig(run: Run) -> Flow:
    return (_ADDED if run.has("--add", "--del") else _OF_NAME)(run) or NOTHING


ROWS: dict[str, Row] = {
    "systemctl": Row(options="-H:host --host:host --kill-value:data", read=doing(
        "persists:service = enable reenable preset preset-all link add-wants add-requires edit revert",
        "service-stop = stop kill disable mask clean isolate",
        "power = poweroff reboot halt suspend hibernate hybrid-sleep suspend-then-hibernate kexec soft-reboot switch-root exit rescue emergency "
        "default",
        "service = start restart reload try-restart condrestart try-reload-or-restart reload-or-restart force-reload unmask daemon-reload "
        "daemon-reexec set-property set-environment unset-environment import-environment reset-failed set-default log-level log-target "
        "service-log-level service-watchdogs freeze thaw bind mount-image cancel",
        say=_service)),
    "service": Row(read=doing("nothing = --status-all", *_VERBS, "nothing = status info help", "service = ?", at=1, say=_service)),
    "rc-service": Row(read=doing(*_VERBS, at=1, say=_service)), "rc-update": Row(read=_ADDED),
    "update-rc.d": Row(read=doing("service-stop = remove disable", "persists:service = defaults enable", at=1, say=_service)),
    "invoke-rc.d": Row(read=doing(*_VERBS, at=1, say=_service)), "chkconfig": Row(options="--level:data", read=_chkconfig),
    "sv": Row(read=doing("service-stop = down d exit x kill k stop shutdown", "service = up u once o restart reload start hup", say=_service)),
    "launchctl": Row(operands="data data command", read=_launchctl),
    "sc": Row(clustered=False, read=doing(*_VERBS, "persists:service = create", "service = config failure sdset triggerinfo", say=_service)),
    "sc.exe": Row(clustered=False, read=doing(*_VERBS, "persists:service = create", "service = config failure sdset triggerinfo", say=_service)),
    "initctl": Row(read=doing(*_VERBS, "service = emit reload-configuration", say=_service)),
    "supervisorctl": Row(options="-c:reads -s:data -u:data -p:data", read=doing(
        "service-stop = stop shutdown remove signal clear", "service = start restart reload update add reread", say=_service)),
    "monit": Row(options="-c:reads", read=doing("service-stop = stop unmonitor quit", "service = start restart monitor reload", say=_service)),
    "loginctl": Row(read=doing(
        "power = poweroff reboot suspend hibernate halt hybrid-sleep suspend-then-hibernate",
        "kills-process:by-name = terminate-session terminate-user terminate-seat kill-session kill-user",
        "persists:service = enable-linger", "service = lock-session lock-sessions unlock-session unlock-sessions activate attach disable-linger "
        "flush-devices")),
    "journalctl": Row(options="-b:data --file:reads", read=doing(
        "erases-traces:log = --vacuum*", "service = --rotate --flush --relinquish-var --smart-relinquish-var --setup-keys")),
    "logrotate": Row(options="-s:data --state:data -l:data --log:data -m:data --mail:data", read=_logrotate),
    "shutdown": _POWER, "reboot": _POWER, "halt": _POWER, "poweroff": _POWER, "pm-suspend": _POWER, "pm-hibernate": _POWER,
    "kexec": Row(read=doing("nothing = -v --version -h -S --status", "power = *")),
    "pmset": Row(read=doing("nothing = -g", "power = *")), "rtcwake": Row(effects="controls-system:power"),
    "systemsetup": Row(clustered=False, read=doing("nothing = -get* -list*", "defaults = -set*")),
    "init": Row(read=_init), "telinit": Row(read=_init),
    "crontab": Row(options="-u:data -n:data", read=_crontab),
    "at": Row(options="-f:data -q:data -t:data", read=_at), "batch": Row(options="-f:data -q:data", read=_at),
    "atq": Row(), "atrm": Row(effects="persists:at,remove"), "anacron": Row(effects="persists:cron"),
    "hostnamectl": Row(options="-H:host -M:data", read=_host_name),
    "hostname": Row(options="-F:reads --file:reads", read=doing("hostname = ? -F --file -b --boot")),
    "scutil": Row(clustered=False, read=doing("hostname = --set", "network-config = --nc --prefs --renew", "nothing = *")),
    "timedatectl": Row(read=doing("time = set* timesync ntp-servers revert")),
    "hwclock": Row(read=doing("time = -w --systohc -s --hctosys --set --adjust -a --systz")),
    "ntpdate": Row(read=doing("nothing = -q", "time = *")), "sntp": Row(read=doing("time = -s -S")), "chronyc": Row(
        read=doing("time = makestep settime burst add delete online offline local manual waitsync")),
    "sysctl": Row(options="-f:reads", read=_sysctl),
    "modprobe": Row(read=doing(
        "nothing = -c --showconfig --show-config --show-depends -D -n --dry-run --show --resolve-alias -R --dump-modversions", "kernel = *")),
    "insmod": Row(read=_insmod), "rmmod": Row(effects="controls-system:kernel"), "lsmod": Row(),
    "modinfo": Row(), "kmod": Row(read=doing("kernel = load unload insert remove")), "depmod": Row(read=doing("nothing = -n --dry-run", "kernel = -a *")),
    "dkms": Row(options="-m:data -v:data -k:data", read=doing("kernel = add build install remove uninstall autoinstall unbuild")),
    "kextload": Row(effects="controls-system:kernel"), "kextunload": Row(effects="controls-system:kernel"),
    "update-grub": Row(effects="controls-system:boot"), "update-grub2": Row(effects="controls-system:boot"),
    "grub-install": Row(effects="controls-system:boot"), "grub2-install": Row(effects="controls-system:boot"),
    "grub-mkconfig": Row(options="-o:writes --output:writes"), "grub2-mkconfig": Row(options="-o:writes --output:writes"),
    "grub-set-default": Row(effects="controls-system:boot"), "grub-reboot": Row(effects="controls-system:boot"),
    "grubby": Row(read=doing("nothing = --info* --default*", "boot = --*")), "bless": Row(clustered=False, read=doing("nothing = --info", "boot = --*")),
    "efibootmgr": Row(options="-b:data -o:data -n:data -d:data -p:data -L:data -l:data -t:data", read=doing(
        "boot = -c -B -o -n -a -A -N -O -t -T -D --create --delete-bootnum --bootorder --bootnext --active --inactive --delete* --timeout")),
    "update-initramfs": Row(effects="controls-system:boot"), "mkinitcpio": Row(effects="controls-system:boot"),
    "dracut": Row(read=doing("nothing = --list-modules --print-cmdline", "boot = * -f --force --regenerate-all")),
    "bootctl": Row(read=doing("boot = install update remove set-* random-seed unlink cleanup kernel-install")),
    "bcdedit": Row(clustered=False, read=doing("nothing = /enum*", "boot = /*")), "nvram": Row(read=doing("nothing = -p -x", "boot = ? -c -d -f")),
    "setenforce": Row(read=doing("security-off = 0 permissive", "plain = *")), "getenforce": Row(), "sestatus": Row(),
    "setsebool": Row(effects="controls-system"), "semodule": Row(read=doing("nothing = -l --list*", "plain = -*")),
    "semanage": Row(read=doing("nothing = -l --list", "security-off = permissive", "plain = *")),
    "auditctl": Row(options="-e:data -w:data -W:data -a:data -d:data -p:data -k:data -S:data -F:data -f:data -b:data -r:data -R:reads", read=doing(
        "security-off erases-traces:audit = -D -d -W -e=0", "nothing = -l -s -v", "plain = -*")),
    "aa-status": Row(), "aa-enabled": Row(), "apparmor_status": Row(), "aa-unconfined": Row(),
    "apparmor_parser": Row(read=doing("security-off = -R --remove", "nothing = -p -Q -N", "plain = *")),
    "spctl": Row(clustered=False, read=doing(
        "nothing = --status --assess -a --verbose", "security-off = --master-disable --global-disable --disable --remove --reset*", "plain = --*")),
    "csrutil": Row(read=doing("nothing = status report", "security-off = disable authenticated-root", "plain = enable clear netboot")),
    "fdesetup": Row(read=doing("nothing = status list isactive version", "security-off = disable remove*", "plain = *")),
    "tccutil": Row(effects="controls-system"), "chcon": Row(options="--reference:reads", read=_label),
    "restorecon": Row(read=_label),
    "update-alternatives": Row(clustered=False, read=doing("nothing = --display --list --query --get-selections", "packages = --*")),
    "alternatives": Row(clustered=False, read=doing("nothing = --display --list", "packages = --*")),
    "ldconfig": Row(read=doing("nothing = -p --print-cache -N", "packages = *")),
    "defaults": Row(clustered=False, read=doing(
        "defaults = write delete rename import -currentHost+write -currentHost+delete", "nothing = *")),
    "gsettings": Row(read=doing("defaults = set reset reset-recursively")), "dconf": Row(read=doing("defaults = write reset load update compile")),
    "localectl": Row(read=doing("defaults = set*")), "xdg-mime": Row(read=doing("defaults = default install uninstall")),
    "xdg-settings": Row(read=doing("defaults = set")),
}  # fmt: skip
ROWS.update(dict.fromkeys("scancel qdel bkill condor_rm".split(), Row(effects="kills-process:by-pid")))  # jobs of a cluster for computing
ROWS.update(dict.fromkeys("aa-disable aa-teardown aa-complain aa-remove-unknown".split(), Row(effects="controls-system:security-off")))
ROWS.update(dict.fromkeys("aa-enforce aa-audit aa-genprof aa-logprof".split(), Row(effects="controls-system")))
