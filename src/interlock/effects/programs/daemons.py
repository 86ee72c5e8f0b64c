"""Servers and what administers them: web, mail, print and message servers, clusters of storage (each program's manual)."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import ControlsSystem, Installs, Listens, Reads
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.rows import Reader
    from interlock.effects.run import Run

_DATA = "changes-infrastructure:delete"
_MORE = "changes-infrastructure:modify"


def _opens(looks: str = "-V --version --help -t -T") -> Reader:
    """Return a reader for a server that lets people in from elsewhere."""
    only = looks.split()

    def read(run: Run) -> Flow:
        if run.has(*only):
            return UNREAD
        run.effect(ControlsSystem, run.name, "service", "remote-access")
        run.effect(Listens, run.name, "public")
        return NOTHING

    return read


def _jupyter(run: Run) -> Flow:
    """A notebook server without a password, or for all addresses, runs code for whoever finds it."""
    words = " ".join([value.text for value in run.arguments])
    if [value.text for value in run.operands[1:2]] == ["install"]:
        run.effect(Installs, words, "user")
    open_to_all = "0.0.0.0" in words or "--ip=*" in words or "--ip '*'" in words  # noqa: S104 - a word of the command, not an address to bind
    no_password = any(mark in words for mark in ("token=''", 'token=""', "token= ", "password=''", "password= ")) or words.endswith(
        ("token=", "password=")
    )
    if open_to_all and no_password:
        run.effect(ControlsSystem, run.name, "service", "remote-access")
    if open_to_all:
        run.effect(Listens, run.name, "public")
    return UNREAD


def _coder(run: Run) -> Flow:
    """``code-server --auth none``: an editor with a terminal in the browser."""
    words = [value.text for value in run.arguments]
    if "none" in words[1:] or "--auth=none" in words or any("0.0.0.0" in word for word in words):  # noqa: S104 - as above
        run.effect(ControlsSystem, run.name, "service", "remote-access")
    return UNREAD


def _config(run: Run) -> Flow:
    """A log daemon that is started with a file of its own: rules of that file run programs and write anywhere."""
    if run.has("-N", "-v", "-V", "--help"):
        return UNREAD
    for value in run.parsed.values("-f"):
        run.path(Reads, value)
    run.effect(ControlsSystem, run.name, "service")
    return UNREAD


_SERVER = _opens()
_STOPS = "service,service-stop"
_MAIL = Row(read=doing("nothing = -p -bp -bt -bv -q -j", f"{_STOPS} = -d -D -Mrm -Mg"))
_administers_apache = doing("nothing = configtest status fullstatus -t -v -V -S -l -M",
    f"{_STOPS} = stop graceful-stop -k=stop -k=graceful-stop", "service = start restart graceful -k")  # fmt: skip
_APACHE = Row(options="-k:data -f:reads -D:data -S:data", read=_administers_apache)


def _httpd(run: Run) -> Flow | None:
    """Two programs of one name: Apache, and BusyBox's server of a folder (``-h``) at a port (``-p``)."""
    folder = run.parsed.value("-h")
    if folder is None and run.parsed.value("-p") is None:
        return _administers_apache(run)
    from interlock.effects.programs.serving import offers

    run.effect(Listens, "httpd", "serves-files", "public")
    offers(run, folder or Value("."))
    return UNREAD


_TOPICS = Row(clustered=False, options="--topic:data --bootstrap-server:data --zookeeper:data --config:data --group:data --partitions:data",
    read=doing(
    "nothing = --list --describe --version", f"{_DATA} = --delete --delete-offsets", f"{_MORE} = --alter --create --reset-offsets"))  # fmt: skip
_HDFS = Row(clustered=False, read=doing(
    f"{_DATA} = -rm -rmr -expunge -truncate -rmdir", f"{_MORE} = -chmod -chown -mv -setrep", "nothing = *"))  # fmt: skip
_CEPH_SHOWS = "status health df osd+tree osd+df osd+ls osd+status pg+stat mon+stat versions fs+ls fs+status auth+ls orch+ps orch+ls config+dump -s -w"

ROWS: dict[str, Row] = {
    # web, mail, print, processes
    "nginx": Row(options="-s:data -c:reads -g:data -p:data", read=doing("nothing = -t -T -v -V -h", f"{_STOPS} = -s=stop -s=quit", "service = -s=*")),
    "openresty": Row(options="-s:data -c:reads -g:data -p:data", read=doing("nothing = -t -T -v -V", f"{_STOPS} = -s=stop -s=quit",
        "service = -s=*")),
    "apachectl": _APACHE, "apache2ctl": _APACHE, "httpd": Row(options="-k:data -D:data -S:data -p:data -h:data -c:data -u:data -r:data", read=_httpd), "apache2": _APACHE,
    "a2ensite": Row(effects="controls-system:service"), "a2dissite": Row(effects="controls-system:service"),
    "a2enmod": Row(effects="controls-system:service"), "a2dismod": Row(effects="controls-system:service"),
    "caddy": Row(read=doing(f"{_STOPS} = stop", "service = reload trust untrust", "nothing = *")),
    "pm2": Row(clustered=False, read=doing(
        "nothing = list ls l status logs log monit describe show info prettylist jlist id ping report --version -v start restart reload save env "
        "flush "
        "init scale reset", "kills-process:by-name = delete del kill stop", "persists:startup = startup resurrect unstartup", "plain = deploy link")),
    "forever": Row(read=doing("kills-process:by-name = stop stopall", "nothing = *")),
    "passenger-config": Row(read=doing("service = restart-app detach-process", "nothing = *")),
    "cupsdisable": Row(effects="controls-system:service-stop"), "cupsreject": Row(effects="controls-system:service-stop"),
    "cancel": Row(read=doing("plain = *")), "lprm": Row(read=doing("plain = *")), "lpadmin": Row(read=doing("plain = *")),
    "cupsctl": Row(read=doing("plain = -*")),
    "postsuper": Row(read=doing(f"{_STOPS} = *")), "postqueue": _MAIL, "qmHandle": _MAIL, "postfix": Row(read=doing(
        "nothing = status check", f"{_STOPS} = stop abort", "service = ?")), "postconf": Row(read=doing("service = -e -X -M -# -F -P",
            "nothing = *")),
    "doveadm": Row(read=doing("nothing = who search log auth help config fetch mailbox+list", f"{_DATA} = expunge purge mailbox+delete",
        "service = ?")),
    "newaliases": Row(effects="controls-system:service"),
    "svcadm": Row(read=doing(f"{_STOPS} = disable", "service = ?")), "svccfg": Row(read=doing("nothing = list export", "service = ?")),
    "s6-svc": Row(read=doing(f"{_STOPS} = -d -D -k -x", "service = *")), "s6-rc": Row(read=doing("nothing = list listall", "service = ?")),
    "dinitctl": Row(read=doing("nothing = list status is-started", f"{_STOPS} = stop shutdown", "service = ?")),
    "runsv": Row(effects="controls-system:service"), "xinetd": Row(effects="controls-system:service"),
    "inetd": Row(effects="controls-system:service"),
    "rsyslogd": Row(options="-f:data -i:data -n:data -N:data", read=_config), "syslog-ng": Row(options="-f:data", read=_config),
    "incrontab": Row(options="-u:data", read=doing("nothing = -l --list -t", "persists:cron = *")),
    "fcrontab": Row(options="-u:data", read=doing("nothing = -l", "persists:cron = *")),
    # what lets people in
    **dict.fromkeys("sshd dropbear telnetd in.telnetd rlogind rshd vsftpd proftpd pure-ftpd smbd tftpd in.tftpd x11vnc vncserver Xvnc "
        "tigervncserver krfb "
        "xrdp wayvnc wetty webssh sshesame teleport guacd".split(), Row(read=_SERVER)),
    "shellinaboxd": Row(read=_opens("--help")), "xhost": Row(read=doing("plain = *", "nothing = -help")),
    "xauth": Row(operands="data*", read=doing("nothing = list info help version", "plain = add merge remove generate source")),
    "jupyter": Row(read=_jupyter), "jupyter-lab": Row(read=_jupyter), "jupyter-notebook": Row(read=_jupyter), "code-server": Row(read=_coder),
    "openvscode-server": Row(read=_coder), "exportfs": Row(read=doing("nothing = -v -s", "service = *")),
    # messages, stores and clusters
    "rabbitmqctl": Row(options="-n:data -p:data", read=doing(
        "nothing = status list_* cluster_status ping environment report node_health_check version help diagnostics",
        f"{_STOPS} = stop stop_app shutdown",
        f"{_DATA} = reset force_reset delete_* purge_queue clear_* forget_cluster_node", f"{_MORE} = ?")),
    "rabbitmqadmin": Row(options="-u:data -p:data -H:data -P:data -V:data", read=doing(
        "nothing = list show get export help", f"{_DATA} = delete purge close", f"{_MORE} = declare import publish")),
    "kafka-topics": _TOPICS, "kafka-topics.sh": _TOPICS, "kafka-consumer-groups": _TOPICS, "kafka-consumer-groups.sh": _TOPICS,
    "kafka-delete-records": Row(read=doing(f"{_DATA} = *")), "kafka-delete-records.sh": Row(read=doing(f"{_DATA} = *")),
    "kafka-configs": _TOPICS, "kafka-configs.sh": _TOPICS,
    "etcdctl": Row(options="--endpoints:data --cacert:reads --cert:data --key:data", clustered=False, read=doing(
        f"{_DATA} = del rm rmdir member+remove user+delete role+delete defrag lease+revoke",
        f"{_MORE} = put set mk mkdir update snapshot+restore auth "
        "user+add role+grant-permission member+add move-leader", "nothing = *")),
    "zkCli.sh": Row(operands="data*", read=doing(f"{_MORE} = *")), "hdfs": _HDFS, "hadoop": _HDFS,
    "ceph": Row(clustered=False, read=doing(
        f"nothing = {_CEPH_SHOWS}", f"{_DATA} = osd+pool osd+purge osd+destroy osd+rm fs+rm auth+del mon+remove osd+out osd+down", f"{_MORE} = *")),
    "rados": Row(options="-p:data --pool:data", read=doing(f"{_DATA} = rm purge rmpool", "nothing = ls df lspools stat get listxattr",
        f"{_MORE} = ?")),
    "rbd": Row(options="-p:data --pool:data", read=doing(
        f"{_DATA} = rm remove trash+purge snap+rm snap+purge", "nothing = ls list info du status showmapped", f"{_MORE} = ?")),
    "gluster": Row(clustered=False, read=doing(
        "nothing = volume+info volume+status peer+status pool+list volume+list", f"{_DATA} = volume+delete volume+remove-brick volume+stop",
            f"{_MORE} = ?")),
    "pcs": Row(read=doing("nothing = status config", f"{_DATA} = cluster+destroy cluster+stop resource+delete", f"{_MORE} = ?")),
    "crm": Row(read=doing("nothing = status configure+show", f"{_MORE} = ?")),
}  # fmt: skip
