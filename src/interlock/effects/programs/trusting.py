"""What a machine trusts, what watches over it, and the settings of a Mac that say so (each program's manual)."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import Writes
from interlock.shell.value import UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def _plutil(run: Run) -> Flow:
    """``plutil -replace KEY -TYPE VALUE FILE``, ``-convert FORMAT FILE``: the file is changed, unless ``-o`` names another."""
    changes = ("-replace", "-insert", "-remove", "-convert", "-create")
    for value in run.parsed.values("-o"):
        run.role("writes", value)
    if run.operands and run.has(*changes) and not run.has("-o"):
        run.path(Writes, run.operands[-1], "in-place")
    return UNREAD


def _plist(run: Run) -> Flow:
    """``PlistBuddy -c COMMAND FILE``: only ``Print`` and ``Help`` change nothing."""
    codes = [value.text.split(None, 1)[0].lower() for value in run.parsed.values("-c") if value.text.strip()]
    if run.operands and any(code not in ("print", "help", "exit") for code in codes):
        run.path(Writes, run.operands[-1], "in-place")
    return UNREAD


_TRUST = Row(effects="controls-system:security-off")

ROWS: dict[str, Row] = {
    # whose signatures the machine believes
    "update-ca-certificates": _TRUST, "update-ca-trust": Row(read=doing("nothing = check", "security-off = *")), "c_rehash": _TRUST,
    "trust": Row(read=doing("nothing = list check dump extract extract-compat", "security-off = ?")),
    "mkcert": Row(read=doing("security-off = -install -uninstall", "nothing = *")),
    "fapolicyd-cli": Row(read=doing("nothing = --list --check-*", "security-off = *")),
    "aide": Row(read=doing("nothing = --check -C", "security-off = -i -u --init --update")),
    "tripwire": Row(read=doing("nothing = -m=c --check", "security-off = *")), "usbguard": Row(read=doing("nothing = list-*", "security-off = ?")),
    "firewalld": Row(effects="controls-system:firewall"),
    "falconctl": Row(read=doing("nothing = -g stats info", "security-off = *")), "mdatp": Row(read=doing("nothing = health", "security-off = ?")),
    "osqueryctl": Row(read=doing("nothing = status", "security-off = ?")), "wazuh-control": Row(read=doing("nothing = status", "security-off = ?")),
    "fail2ban-client": Row(read=doing("nothing = status ping version get", "security-off = stop unban set", "service = ?")),
    "auditd": Row(effects="controls-system:service"), "augenrules": Row(read=doing("nothing = --check", "security-off = *")),
    "eslogger": Row(effects="executes:captures"), "santactl": Row(read=doing("nothing = status version fileinfo", "security-off = ?")),
    # settings of macOS
    "plutil": Row(clustered=False, options="-o:writes -e:data", read=_plutil), "PlistBuddy": Row(options="-c:data", read=_plist),
    "profiles": Row(read=doing("plain = install remove renew -I -R -D -N", "nothing = *")),
}  # fmt: skip
