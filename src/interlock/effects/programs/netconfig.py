"""The machine's own network: firewalls, addresses, routes, interfaces, names."""

from __future__ import annotations

from interlock.effects.programs.acting import doing, effects, one
from interlock.effects.rows import Row
from interlock.model.effect import ControlsSystem, EscalatesPrivilege, Reads
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.rows import Reader
    from interlock.effects.run import Run

_IP_CHANGES = ("add", "append", "attach", "change", "chg", "delete", "down", "flush", "prepend", "replace", "restore", "set", "up")


def _among(left: str, changes: str, *, after: int = 0, unless: str = "") -> Reader:
    """Return a reader for programs that change something where one of these words stands anywhere after the first ``after``."""
    words = frozenset(changes.split())
    looks = unless.split()

    def read(run: Run) -> Flow:
        given = {value.text.lower() for value in run.operands[after:]}
        if (given & words or any(HOLE in word for word in given)) and not run.has(*looks):
            return one(run, effects(left), run.operands)
        return UNREAD

    return read


def _nft(run: Run) -> Flow:
    """``nft COMMAND``, as words or as one text with several commands; ``-f FILE`` loads a file."""
    if run.has("-c", "--check"):
        return UNREAD
    for value in run.parsed.values("-f", "--file"):
        if value.text != "-":
            run.path(Reads, value)
        run.effect(ControlsSystem, run.name, "firewall", value=value)
    text = " ".join([value.text for value in run.operands])
    for command in text.split(";"):
        words = command.split()
        if words and words[0] not in ("list", "describe", "monitor", "export"):
            run.effect(ControlsSystem, run.name, "firewall", *(["firewall-off"] if words[0] in ("flush", "delete", "destroy") else []))
    return NOTHING


def _ip(run: Run) -> Flow:
    """``ip OBJECT COMMAND``; both may be cut short. Inside another network namespace any command can run."""
    words = [value.text for value in run.operands]
    if run.has("-b", "-batch") or run.has("-help", "-Version", "-V"):
        return one(run, effects("network-config"), []) if run.has("-b", "-batch") else UNREAD
    if words[:1] == ["addrlabel"] or len(words) < 2:
        return UNREAD
    if "exec" in words[1:2]:
        run.effect(EscalatesPrivilege, run.name)
        return run.command(run.operands[3:])
    verb = words[2] if words[0] == "xfrm" and len(words) > 2 else words[1]
    changes = HOLE in verb or any(word.startswith(verb) for word in _IP_CHANGES)
    if changes and (verb != "s" or words[0].startswith("l")):
        return one(run, effects("network-config"), run.operands[2:])
    return UNREAD


def _ifconfig(run: Run) -> Flow:
    """``ifconfig NAME`` tells, with more words it changes."""
    if len(run.operands) > 2 or (len(run.operands) > 1 and run.operands[1].text not in ("inet", "inet6", "ether", "media")):
        run.effect(ControlsSystem, run.operands[0].text, "network-config")
    return UNREAD


_NMCLI = _among(
    "network-config",
    "up u down add a modify mod m delete del connect c disconnect reapply edit import clone reload on off hostname hotspot set",
    after=1,
)


def _nmcli(run: Run) -> Flow:
    """nmcli: ``-s`` shows passwords as well."""
    if run.has("-s", "--show-secrets"):
        run.path(Reads, Value("/etc/NetworkManager/system-connections"))
        return Flow(None, frozenset({"secret"}))
    return _NMCLI(run) or NOTHING


_CHAIN = "-A --append -I --insert -D --delete -R --replace -N --new-chain -E --rename-chain -Z --zero"
_TABLES = Row(
    options="-t:data --table:data -p:data --protocol:data -s:data --source:data -d:data --destination:data -j:data --jump:data -i:data "
    "--in-interface:data -o:data --out-interface:data -m:data --match:data -g:data --goto:data --dport:data --sport:data",
    read=doing("firewall,firewall-off = -F --flush -X --delete-chain -P --policy", f"firewall = {_CHAIN}"),
)
_RESTORE = Row(options="-T:data --table:data", read=doing("nothing = -t --test", "firewall = *"))
_SAVE = Row(options="-f:writes --file:writes -t:data --table:data")
_OF_LINK = "set add del delete connect disconnect up down change replace flush"

ROWS: dict[str, Row] = {
    "iptables": _TABLES, "ip6tables": _TABLES, "iptables-nft": _TABLES, "iptables-legacy": _TABLES, "ebtables": _TABLES, "arptables": _TABLES,
    "iptables-restore": _RESTORE, "ip6tables-restore": _RESTORE, "iptables-save": _SAVE, "ip6tables-save": _SAVE,
    "ipset": Row(read=doing("firewall,firewall-off = flush destroy -F -X", "firewall = create add del rename swap restore -N -A -D -E -W -R")),
    "nft": Row(options="-f:data --file:data -I:data --includepath:data -D:data", read=_nft),
    "ufw": Row(read=doing(
        "nothing = --dry-run status show version app+list app+info", "firewall,firewall-off,security-off = disable reset", "firewall = ?")),
    "firewall-cmd": Row(clustered=False, read=doing(
        "nothing = --check-config",
        "firewall,firewall-off = --remove-* --panic-off --set-default-zone=trusted",
        "firewall = --add-* --set-* --change-* --reload --complete-reload --runtime-to-permanent --new-* --delete-* --load-* --panic-on")),
    "pfctl": Row(options="-f:reads -F:data -s:data -t:data -T:data -a:data -i:data -k:data -K:data -p:data -x:data", read=doing(
        "nothing = -n", "firewall,firewall-off,security-off = -d -F", "firewall = -f -e -E -k -K -T -t -x -z")),
    "socketfilterfw": Row(clustered=False, read=doing(
        "nothing = --get* --list*", "firewall,firewall-off,security-off = --setglobalstate=off --setglobalstate", "firewall = --*")),
    "netsh": Row(clustered=False, read=_among(
        "firewall,network-config", "set add delete reset import install uninstall off disable connect disconnect stop start")),
    "ip": Row(options="-n:data -netns:data -f:data -family:data -b:reads -batch:reads -l:data -loops:data", operands="data data data command",
        clustered=False, read=_ip),
    "ifconfig": Row(clustered=False, read=_ifconfig), "iwconfig": Row(clustered=False, read=_ifconfig),
    "ifup": Row(effects="controls-system:network-config"), "ifdown": Row(effects="controls-system:network-config"),
    "route": Row(clustered=False, read=_among("network-config", "add del delete change flush")),
    "arp": Row(options="-i:data -H:data", read=doing("network-config = -d -s -f")),
    "nmcli": Row(options="-f:data --fields:data -g:data --get-values:data -m:data -c:data -e:data -w:data --wait:data", clustered=False, read=_nmcli),
    "networksetup": Row(clustered=False, read=doing(
        "nothing = -get* -list* -show* -is* -version -printcommands -help", "network-config = -*")),
    "wg-quick": Row(read=doing("network-config = up down save")), "wg": Row(read=doing("network-config = set setconf addconf syncconf")),
    "ethtool": Row(read=doing(
        "network-config = -s -K -A -C -G -L -X -U -N -E -f -r -p -t --change --features --pause --coalesce --set-* --flash --reset --offload "
        "--config-* --change-eeprom --test --negotiate")),
    "iw": Row(read=_among("network-config", _OF_LINK, after=1)), "brctl": Row(read=doing("nothing = show showmacs showstp", "network-config = ?")),
    "bridge": Row(clustered=False, read=_among("network-config", _OF_LINK, after=1)),
    "tc": Row(clustered=False, read=_among("network-config", _OF_LINK, after=1)),
    "rfkill": Row(read=doing("network-config = block unblock toggle")), "dhclient": Row(effects="controls-system:network-config"),
    "dhcpcd": Row(effects="controls-system:network-config"), "netplan": Row(read=doing("network-config = apply try set generate rebind")),
    "wpa_supplicant": Row(effects="controls-system:network-config"),
    "wpa_cli": Row(read=doing("nothing = status scan_results list_networks ping", "network-config = ?")),
    "tailscale": Row(read=doing("network-config = up down login logout set switch serve funnel lock update")),
    **dict.fromkeys("nordvpn expressvpn expressvpnctl mullvad protonvpn-cli protonvpn piactl surfshark-vpn warp-cli windscribe".split(), Row(clustered=False, read=doing(
        "nothing = status account countries cities groups settings version help list get relay+list tunnel+get", "network-config = ?"))),
    **dict.fromkeys("openconnect openfortivpn vpnc snx globalprotect".split(), Row(clustered=False, effects="controls-system:network-config")),
    **dict.fromkeys(("ipsec", "swanctl"), Row(clustered=False, read=doing(
        "nothing = status statusall listall listcerts version --list-sas --list-conns --stats --version", "network-config = *"))),
    "zerotier-cli": Row(read=doing("nothing = info listnetworks listpeers status", "network-config = ?")),
    "openvpn": Row(options="--config:reads", effects="controls-system:network-config"),
    "ipfw": Row(read=doing("nothing = list show -n -t", "firewall,firewall-off = flush delete -f -q", "firewall = *")),
    "conntrack": Row(read=doing("firewall = -F --flush -D --delete -I --create -U --update", "nothing = *")),
    "ipvsadm": Row(read=doing("nothing = -L -l --list -S --save", "network-config = *")), "vconfig": Row(read=doing("network-config = *")),
    "ovs-vsctl": Row(read=doing("nothing = show list-br list-ports get find", "network-config = ?")),
    "mii-tool": Row(read=doing("network-config = -F -r -R")),
    "ifenslave": Row(effects="controls-system:network-config"),
    "ss": Row(read=doing("kills-process:by-port = -K --kill")), "netstat": Row(),
}  # fmt: skip
