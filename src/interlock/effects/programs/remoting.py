"""Programs that open this machine to somebody elsewhere, run commands on many machines, or hand files to whoever has the word (their manuals)."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.programs.sending import NETWORK_FLOW, file_carries, send
from interlock.effects.rows import Row
from interlock.model.effect import ChangesInfrastructure, Connects, Executes, Listens
from interlock.shell.value import UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.rows import Reader
    from interlock.effects.run import Run

_LOOKS = ("--help", "--version", "-V", "-h")


def _tunnel(run: Run) -> Flow:
    """A way in from outside is opened, through a machine of somebody else."""
    if run.has(*_LOOKS):
        return UNREAD
    run.effect(Connects, run.operands[0].text if run.operands else run.name, "tunnel", host="unknown")
    return NETWORK_FLOW


def _shell(run: Run) -> Flow:
    """A program made to hand a shell to another machine: with an option that names one, it does."""
    words = [value.text for value in run.arguments]
    if any(word.rpartition("/")[2] in ("sh", "bash", "zsh", "cmd", "powershell") for word in words):
        run.effect(Connects, run.name, "shell", "socket", host="unknown")
    elif run.has("-l", "-L", "--listen", "-lp") or "listen" in words[:1]:
        run.effect(Listens, run.name, "public")
        run.effect(Connects, run.name, "tunnel", host="unknown")
    else:
        return _tunnel(run)
    return NETWORK_FLOW


def _notifies(run: Run) -> Flow:
    """``ntfy publish --file=FILE TOPIC``: a note to one's own telephone; a file beside it lies on a server that everybody can ask."""
    for value in run.parsed.values("--file", "-f"):
        send(run, "ntfy.sh", {"upload", *file_carries(run, value)}, value)
    return UNREAD


def _on_many(where: int, *, option: str = "", before: str = "") -> Reader:
    """Return a reader for programs that run a command on many machines: the command stands behind ``where`` operands, or is an option's value."""

    def read(run: Run) -> Flow:
        if run.has("--help", "--version", "-V"):
            return UNREAD
        code = run.parsed.value(*option.split()) if option else None
        words = run.operands[where:]
        run.effect(ChangesInfrastructure, run.operands[0].text if run.operands else run.name, "modify", "many-machines")
        if code is None and words:
            words = [value for value in words if value.text not in before.split()]
            code = Value(" ".join([value.text for value in words]), words[0].start, words[-1].end, words[0].why) if words else None
        if code is not None:
            _there(run, code)
        return NETWORK_FLOW

    return read


def _fabric(run: Run) -> Flow:
    """``fab -H HOSTS -- COMMAND``: what stands behind the dashes runs on the hosts; a task by name is the project's own (Fabric's manual, CLI)."""
    words = [value.text for value in run.arguments]
    behind = run.arguments[words.index("--") + 1 :] if "--" in words else []
    if not behind:
        for value in run.operands:
            run.effect(Executes, value.text, "package-script", value=value)
        return UNREAD
    run.effect(ChangesInfrastructure, "fab", "modify", "many-machines")
    _there(run, Value(" ".join([value.text for value in behind]), behind[0].start, behind[-1].end, behind[0].why))
    return NETWORK_FLOW


def _there(run: Run, code: Value) -> None:
    """Read a command as it runs on the other machines."""
    held = run.context.where
    run.context.where = "many machines"
    try:
        run.code(code)
    finally:
        run.context.where = held


def _gives(verbs: str = "", looks: str = "") -> Reader:
    """Return a reader for programs that put files where others find them; ``verbs``: the words that do (none: always)."""
    wanted, only = verbs.split(), looks.split()

    def read(run: Run) -> Flow:
        words = run.operands
        if run.has(*_LOOKS, *only) or (wanted and (not words or words[0].text not in wanted)):
            return NETWORK_FLOW
        for value in words[1 if wanted else 0 :] or [Value("-")]:
            send(run, "shared", {"upload", *file_carries(run, value)}, value)
        return NETWORK_FLOW

    return read


def _smb(run: Run) -> Flow:
    """``smbclient -L HOST`` lists what a machine shares; ``//HOST/SHARE -c 'put FILE'`` sends there."""
    target = run.parsed.value("-L") or (run.operands[0] if run.operands else None)
    if target is None:
        return UNREAD
    host = target.text.strip("/\\").partition("/")[0]
    run.context.host(Connects, host, run.span(target), frozenset({"remote-shell"} if run.parsed.value("-L") is None else {"scan"}), run.name)
    code = run.parsed.value("-c")
    if code is not None and "put " in code.text:
        for word in code.text.replace(";", " ").split("put ")[1:]:
            send(run, host, {"upload", *file_carries(run, Value(word.split()[0]))}, code)
    return NETWORK_FLOW


def _adb(run: Run) -> Flow:
    """``adb shell COMMAND`` runs on the phone; some verbs change what is installed there."""
    words = [value.text for value in run.operands]
    for value in run.operands[1:-1] if words[:1] == ["push"] else ():
        if "carries-secret" in file_carries(run, value):
            send(run, "", {"upload", "carries-secret"}, value)
    if words[:1] == ["shell"] and len(words) > 1:
        text = " ".join(words[1:])
        if (
            words[1] in ("pm", "cmd", "am", "settings", "svc", "reboot", "wm", "dpm")
            and len(words) > 2
            and words[2] not in ("list", "get", "path", "dump")
        ):
            loses = words[2] in ("uninstall", "clear", "disable-user", "trim-caches", "remove-user")
            if loses:
                run.effect(ChangesInfrastructure, text, "delete")
        _there(run, Value(text, run.operands[1].start, run.operands[-1].end, run.operands[1].why))
        return UNREAD
    return (
        doing(
            "changes-infrastructure:delete = uninstall",
            "power = reboot reboot-bootloader",
            "mount = remount disable-verity root unroot",
            "nothing = *",
        )(run)
        or UNREAD
    )


_TUNNEL = Row(operands="data*", read=_tunnel)
_SHELLS = Row(operands="data*", options="-p:data", read=_shell)
_ATTACKS = Row(effects="executes:security-tool")

ROWS: dict[str, Row] = {
    **dict.fromkeys((
        "sshx teleconsole gsocket gs-netcat gs-sftp gs-mount dnscat dnscat2 dnscat2-client iodine iodined ptunnel ptunnel-ng icmpsh udp2raw "
        "sish-client rathole wstunnel stunnel stunnel4 bore-cli pinggy serveo rustdesk anydesk teamviewer upterm warp2 reverse-ssh tunnelto "
        "webhookrelay revsocks"
    ).split(), _TUNNEL),
    **dict.fromkeys((
        "pwncat pwncat-cs rcat rustcat cryptcat dbd sbd powercat hoaxshell"
    ).split(), _SHELLS),
    **dict.fromkeys((
        "sliver-client sliver-server poshc2 koadic pupysh armitage cobaltstrike mimipenguin laZagne.py laZagne LinEnum.sh "
        "linux-exploit-suggester.sh pspy32 ssh2john ssh2john.py zip2john pdf2john keepass2john office2john bulk_extractor truecrack rtgen "
        "rcracki brutespray GetUserSPNs.py GetNPUsers.py rpcclient ldapdomaindump theHarvester ngrep tcpflow tcpkill driftnet urlsnarf "
        "mailsnarf thc-ipv6 slowhttptest hulk.py loic torshammer xmr-stak lolMiner phoenixminer scanmem steghide outguess stegsnow "
        "wifiphisher gcore reptyr criu hexinject dumpit avml fridump dhcpig"
    ).split(), _ATTACKS),
    "fab": Row(operands="data*", options="-H:data --hosts:data -i:data -c:data -r:data", read=_fabric),
    "pssh": Row(operands="command", options="-h:data -H:data -l:data -p:data -t:data -o:data -e:data -O:data -i:data", read=_on_many(0)),
    "parallel-ssh": Row(operands="command", options="-h:data -H:data -l:data -p:data -t:data", read=_on_many(0)),
    "pdsh": Row(operands="command", options="-w:data -x:data -l:data -R:data -f:data -g:data", read=_on_many(0)),
    "clush": Row(operands="command", options="-w:data -x:data -g:data -f:data -l:data", read=_on_many(0)),
    "dsh": Row(operands="command", options="-m:data -g:data -r:data -F:data", read=_on_many(0)),
    "mussh": Row(options="-h:data -c:data -l:data", read=_on_many(9, option="-c")), "cssh": Row(read=_on_many(9)),
    "knife": Row(options="-c:data", read=doing(
        "nothing = search status node+list node+show role+list role+show environment+list cookbook+list client+list ssl",
            "changes-infrastructure:modify = *")),
    "salt": Row(operands="data*", options="-t:data", read=_on_many(1, before="cmd.run cmd.shell cmd.run_all")),
    "salt-call": Row(operands="data*", read=_on_many(0, before="cmd.run cmd.shell state.apply")),
    "salt-run": Row(read=_on_many(9)), "salt-key": Row(read=doing("nothing = -L --list-all", "changes-infrastructure:permission = *")),
    "puppet": Row(options="-e:data", read=doing("nothing = config module+list facts resource help lookup", "changes-infrastructure:apply = apply "
    "agent cert")),
    "chef-client": Row(read=doing("nothing = -W --why-run", "changes-infrastructure:apply = *")), "chef-solo": Row(read=_on_many(9)),
    "chef-apply": Row(read=_on_many(9)),
    "check_by_ssh": Row(options="-H:data -C:data -o:data -l:data", read=_on_many(9, option="-C")),
    "adb": Row(operands="data*", options="-s:data", read=_adb),
    "fastboot": Row(options="-s:data", read=doing(
        "nothing = devices getvar help", "changes-infrastructure:delete = erase format -w flashall", "changes-infrastructure:modify = ?")),
    "ntfy": Row(clustered=False, options="--file:data -f:data --title:data -t:data --message:data -m:data --tags:data -T:data --priority:data -p:data --attach:data -a:data --token:data",
        read=_notifies),
    "wormhole": Row(read=_gives("send tx")), "magic-wormhole": Row(read=_gives("send")),
    "croc": Row(options="--code:data --relay:data --pass:data", read=_gives("send")),
    "ffsend": Row(read=_gives("upload up u")),
    "pastebinit": Row(options="-i:data -b:data -a:data -t:data", read=_gives(looks="-l")),
    "wgetpaste": Row(options="-s:data -l:data -d:data -n:data", read=_gives(looks="-S -L -E")),
    "gist": Row(options="-d:data -f:data -t:data", read=_gives(looks="-l -r --login")),
    "fpaste": Row(read=_gives()), "hastebin": Row(read=_gives()), "sprunge": Row(read=_gives()),
    "termbin": Row(read=_gives()),
    "ipfs": Row(read=_gives("add")), "mega-put": Row(read=_gives()), "megaput": Row(read=_gives()), "gdrive": Row(read=_gives("upload sync files")),
    "dropbox-uploader": Row(read=_gives("upload share")), "dropbox_uploader.sh": Row(read=_gives("upload share")),
    "onionshare-cli": Row(read=_gives()),
    "onionshare": Row(read=_gives()), "bashupload": Row(read=_gives()),
    "qrcp": Row(read=_gives()),
    "syncthing": Row(read=_tunnel), "filebrowser": Row(read=_tunnel), "updog": Row(read=_tunnel),
    "smbclient": Row(operands="data*", options="-U:data -c:data -L:data -I:data -W:data -p:data -A:data", read=_smb),
    "mount.cifs": Row(effects="controls-system:mount"),
    "lwp-download": Row(operands="url writes"),
}  # fmt: skip
