"""What administers other Unixes, arrays of disks, file systems of clusters and backups: what they drop no other copy brings back (each one's manual)."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import ChangesInfrastructure, ControlsSystem
from interlock.shell.value import NOTHING, UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.rows import Reader
    from interlock.effects.run import Run

_DATA = "changes-infrastructure:delete"
_MORE = "changes-infrastructure:modify"
_LOSES = frozenset(
    "del delete remove destroy erase clear init initialize flush reset purge deletegroup rm drop wipe secureerase eradicate offline -cfgclr -cfglddel "
    "-destroy -delete -remove deletesfx deleteall factory".split()
)
_LOOKS = frozenset("show status list ls info get help display query version -h --help -getlist -list -adpallinfo -ldinfo -pdlist -cfgdsply".split())


def _anywhere(run: Run) -> Flow:
    """Controllers are addressed first and told what to do after: ``storcli /c0/v1 del``, ``ssacli ctrl slot=0 ld 1 delete``."""
    words = [value.text.lower() for value in run.arguments]
    if any(word in _LOSES or word.startswith(("-cfgclr", "-cfglddel", "-pdclear", "-ldinit")) for word in words):
        run.effect(ControlsSystem, run.name, "raid", "format")
    elif not words or _LOOKS.isdisjoint(words):
        run.effect(ControlsSystem, run.name, "raid") if len(words) > 1 else None
    return NOTHING


def _spoken(*options: str) -> Reader:
    """Return a reader for a client that takes a command as one text, as a word or by these options: ``dsmadmc "delete filespace x"``."""

    def read(run: Run) -> Flow:
        texts = [value.text for value in (*run.parsed.values(*options), *run.arguments)]
        words = [word.strip(";,'\"").lower() for text in texts for word in text.split()]
        if run.stdin is not None and run.stdin.text:
            words += run.stdin.text.lower().split()
        if not _LOSES.isdisjoint(words):
            run.effect(ChangesInfrastructure, " ".join([run.name, *texts[:2]]), "delete")
        elif words and _LOOKS.isdisjoint(words) and words[0] not in ("q", "exit", "quit"):
            run.effect(ChangesInfrastructure, " ".join([run.name, *texts[:2]]), "modify", certain=False)
        return UNREAD

    return read


_RAID = Row(clustered=False, read=_anywhere)
_SPOKEN = Row(
    clustered=False,
    options="-cmd:data -c:data -sid:data -h:data -user:data -password:data -scope:data -id:data -f:reads -file:reads",
    read=_spoken("-cmd", "-c"),
)
_FORMATS = Row(effects="controls-system:format")
_USERS = Row(effects="controls-system:users")
_KERNEL = Row(effects="controls-system:kernel")

ROWS: dict[str, Row] = {
    **dict.fromkeys("storcli storcli64 perccli perccli64 megacli MegaCli MegaCli64 hpssacli ssacli hpacucli arcconf tw_cli sas2ircu sas3ircu mvcli".split(), _RAID),
    **dict.fromkeys("dsmadmc symconfigure symcli naviseccli uemcli nsradmin omnidb dscli mcli purecli 3par isi_cli".split(), _SPOKEN),
    **dict.fromkeys("purevol purehgroup purepgroup purehost".split(), Row(read=doing("nothing = list monitor", f"{_DATA} = destroy eradicate", f"{_MORE} = ?"))),
    **dict.fromkeys("symaccess symdev symsg".split(), Row(clustered=False, options="-sid:data", read=doing("nothing = list show", f"{_DATA} = delete remove", f"{_MORE} = ?"))),
    # file systems of clusters
    **dict.fromkeys("mmdelfs mmdeldisk mmdelsnapshot mmdelnode mmdelfileset mmshutdown mmumount mmdelnsd".split(), Row(effects="changes-infrastructure:delete")),
    "lctl": Row(clustered=False, read=doing(f"{_DATA} = deactivate lcfg_clear cleanup detach pool_destroy", "nothing = dl list_nids get_param list_param ping version", f"{_MORE} = ?")),
    "lfs": Row(read=doing(f"{_DATA} = unlink_foreign rm_entry", "nothing = find df getstripe quota osts check help", f"{_MORE} = setquota setstripe migrate")),
    "beegfs-ctl": Row(clustered=False, read=doing(f"{_DATA} = --removenode --removetarget --unlink --deletemirrorgroup --removebuddygroup", "nothing = --list* --get* --help",
        f"{_MORE} = --set* --createfile --migrate --addmirrorgroup --startresync")),
    # backups
    "nsrmm": Row(read=doing(f"{_DATA} = -d -o", f"{_MORE} = -l -m -u")), "bpexpdate": Row(clustered=False, effects="changes-infrastructure:delete"),
    "bpimage": Row(clustered=False, read=doing(f"{_DATA} = -cleanup", "nothing = *")), "nsrim": Row(read=doing(f"{_DATA} = -X -x", "nothing = *")),
    "dsmc": Row(clustered=False, read=doing("nothing = query q help", f"{_DATA} = delete expire", f"{_MORE} = restore retrieve set")),
    "pg_ctlcluster": Row(read=doing("service-stop = stop", "service = start restart reload promote", at=2)),
    **dict.fromkeys("pg_rewind myloader".split(), Row(effects="changes-database:restore")),
    **dict.fromkeys("xtrabackup mariabackup innobackupex".split(), Row(clustered=False, read=doing("changes-database:restore = --copy-back --move-back", "nothing = *"))),
    **dict.fromkeys("pt-table-sync pt-archiver pt-online-schema-change gh-ost pt-kill".split(), Row(clustered=False, read=doing(
        "nothing = --dry-run --print --help --version", "changes-database:alter = --execute --purge --kill", "nothing = *"))),
    "bareos-dbcheck": Row(effects="changes-infrastructure:delete"), "tarsnap": Row(read=doing(f"{_DATA} = -d --nuke", "nothing = *")),
    "wal-g": Row(read=doing(f"{_DATA} = delete", "nothing = backup-list st help", f"{_MORE} = backup-fetch backup-mark")),
    "barman": Row(read=doing(f"{_DATA} = delete", "nothing = list-backups list-backup show-backup check status", f"{_MORE} = recover switch-wal")),
    # other Unixes
    **dict.fromkeys("rmfs rmlv rmlvcopy reducevg exportvg rmvg rmpaging".split(), _FORMATS), **dict.fromkeys("chfs chlv chvg extendvg mklv crfs".split(), Row(effects="controls-system:partition")),
    **dict.fromkeys("chuser mkuser rmuser chgroup rmgroup mkgroup chrole rmrole pwdadm".split(), _USERS), **dict.fromkeys("rmdev chdev cfgmgr mkdev".split(), _KERNEL),
    "swremove": Row(effects="controls-system:packages"), "swinstall": Row(effects="controls-system:packages"), "pkgrm": Row(effects="controls-system:packages"),
    "pkgadd": Row(effects="controls-system:packages"), "installp": Row(effects="controls-system:packages"), "geninstall": Row(effects="controls-system:packages"),
    "stopsrc": Row(effects="controls-system:service-stop"), "startsrc": Row(effects="controls-system:service"),
    **dict.fromkeys("dladm ipadm flowadm".split(), Row(read=doing("nothing = show-* help", "network-config = ?"))),
    "gpart": Row(read=doing("nothing = show list status backup", "partition = delete add modify resize set unset bootcode commit undo", "format = destroy create recover restore")),
    "glabel": Row(read=doing("nothing = list status dump", "partition = ?")), "geli": Row(read=doing("nothing = list status dump", "format = init kill delkey setkey", "mount = ?")),
    "bioctl": Row(read=doing("format = -c -d -f")), "disklabel": Row(read=doing("partition = -e -E -w -R -B", "nothing = *")),
    # directories, queues and mail of enterprises
    **dict.fromkeys("dsdel dsadd dsmod dsmove dsrm csvde ldifde".split(), _USERS),
    "endmqm": Row(effects="controls-system:service-stop"), "strmqm": Row(effects="controls-system:service"), "dltmqm": Row(effects="changes-infrastructure:delete"),
    "zmprov": Row(read=doing("nothing = ga gaa gd gad gcf gacf gs gas gdl gadl help", "users = ?")),
    "oras": Row(read=doing("publishes:package = push attach copy cp", f"{_DATA} = delete manifest+delete repo+delete blob+delete", "nothing = *")),
    "snmpset": Row(effects="changes-infrastructure:modify"), "vncpasswd": Row(effects="controls-system:password"),
}  # fmt: skip
