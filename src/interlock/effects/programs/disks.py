"""Disks: file systems, partitions, volumes, mounts. A disk is formatted for good; an image file is a file like others."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import DEVICE, HERE, Exhausts, Reads, Writes
from interlock.shell.value import HOLE, NOTHING, UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.programs.acting import Said
    from interlock.effects.run import Run
    from interlock.shell.value import Value

_SIZE = frozenset("0123456789kKmMgGtTsSbB%.")
_PARTED = frozenset("mklabel mktable mkpart mkpartfs rm resizepart resize set name toggle disk_set disk_toggle rescue move cp type".split())


def _is_disk(run: Run, value: Value) -> bool:
    """Whether a word names a device: by its path, or as ``LABEL=x``, ``disk2``, ``D:``."""
    text = value.text
    if (
        "=/dev/" in text
        or text.startswith(("/dev/", "UUID=", "LABEL=", "PARTUUID="))
        or (text[:4] == "disk" and text[4:5].isdigit())
        or text[1:] == ":"
    ):
        return True
    path = run.context.normal(text, run.cwd)
    return path is not None and run.context.where == HERE and run.context.place(path).location == DEVICE


def on_disks(run: Run, said: Said, rest: list[Value]) -> Flow:
    """Say it of each device among the words; where there is none, of the file or the unknown word that stands in its place."""
    words = [value for value in run.arguments if value.text[:1] != "-"]
    disks = [value for value in words if _is_disk(run, value)]
    named = [value for value in rest if not set(value.text) <= _SIZE]
    others = [] if disks else [value for value in named if value.hollow] or named[:1]
    for kind, traits in said:
        for value in disks:
            run.effect(kind, value.text, *traits, value=value)
        for value in others:
            if "mount" in traits:
                run.effect(kind, value.text, *traits, value=value)
            elif HOLE in value.text and not value.text.startswith("/"):
                run.effect(kind, value.text, *traits, value=value, certain=False)
            else:
                run.path(Writes, value, "raw")
        if not disks and not others:
            run.effect(kind, run.name, *traits)
    return NOTHING


def _parted(run: Run) -> Flow:
    """``parted [-s] DEVICE [COMMAND..]``: looks with ``print`` and the like, asks for commands where none is given."""
    if run.has("-l", "--list", "--help", "--version", "-v"):
        return UNREAD
    commands = [value.text for value in run.operands[1:]]
    if commands and _PARTED.isdisjoint(commands) and not any(HOLE in word for word in commands):
        return UNREAD
    return _PARTITION(run) or NOTHING


def _mount(run: Run) -> Flow:
    """``mount`` and ``umount``: without operands they list."""
    if not run.operands and not run.has("-a", "--all", "-A", "--all-targets"):
        return UNREAD
    if run.has("--help", "--version", "-V", "-h", "-f", "--fake") and run.name == "mount":
        return UNREAD
    return _MOUNTS(run) or NOTHING


def _last(run: Run, said: Said, rest: list[Value]) -> Flow:
    """Say it of the last word: where it is mounted, which disk."""
    for kind, traits in said:
        run.effect(kind, rest[-1].text if rest else run.name, *traits, value=rest[-1] if rest else None)
    return NOTHING


def _losetup(run: Run) -> Flow:
    """``losetup``: attaches where a file is given or a device detached."""
    if run.has("-d", "--detach", "-D", "--detach-all", "-c", "--set-capacity") or len(run.operands) > 1 or (run.operands and run.has("-f", "--find")):
        return _MOUNTS(run) or NOTHING
    return UNREAD


def _debugfs(run: Run) -> Flow:
    """``debugfs [-w] [-R COMMAND] DEVICE``: past all permissions; without ``-w`` it reads what it is asked for."""
    if run.has("-w"):
        return _DEBUGS(run) or NOTHING
    for value in run.operands:
        run.path(Reads, value)
    return Flow(None, run.input_labels())


def _huge(text: str) -> bool:
    """Whether a size is a hundred gigabytes or more: ``500G``, ``1T``, ``2TiB``."""
    size = text.rstrip("iB")
    return size[-1:].upper() in ("T", "P", "E") or (size[-1:].upper() == "G" and len(size) > len("99G"))


def _fallocate(run: Run) -> Flow:
    """``fallocate -l LENGTH FILE`` takes that much of the disk; ``-p``, ``-c`` and ``-z`` take out, or blank, what is there."""
    changes = run.has("-p", "--punch-hole", "-c", "--collapse-range", "-z", "--zero-range", "-i", "--insert-range")
    for value in run.operands:
        run.path(Writes, value, "in-place" if changes else "create")
    length = run.parsed.value("-l", "--length")
    if length is not None and _huge(length.text):
        run.effect(Exhausts, length.text, value=length, certain=False)
    return NOTHING


_PARTITION = doing("partition = *", say=on_disks)
_MOUNTS = doing("mount = *", say=_last)
_FORMAT = doing("nothing = -V --info", "format = *", say=on_disks)
_DEBUGS = doing("format = *", say=on_disks)
_TRIED = doing("nothing = -V -n -N", "format = *", say=on_disks)
"""``mke2fs -n`` and ``mkfs.xfs -N`` only say what they would do; of others ``-n`` is the name of the new file system."""

_LVM_SHOWS = "lvs vgs pvs lvdisplay vgdisplay pvdisplay lvscan vgscan pvscan lvmdiskscan pvck vgck lvmconfig"
_LVM_LOSES = "lvremove vgremove pvremove lvreduce vgreduce lvresize pvresize pvmove"
_LVM_CHANGES = (
    "lvcreate lvextend lvchange lvconvert lvrename vgcreate vgextend vgchange vgrename vgimport vgexport vgsplit vgmerge vgcfgrestore "
    "vgcfgbackup pvchange"
)
_MAKES = (
    "mkfs mke2fs mkswap mkdosfs mkntfs mkexfatfs mkudffs newfs newfs_apfs newfs_hfs newfs_msdos newfs_exfat mkfs.ext2 mkfs.ext3 mkfs.ext4 "
    "mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.msdos mkfs.exfat mkfs.ntfs mkfs.f2fs mkfs.jfs mkfs.reiserfs mkfs.minix mkfs.bfs mkfs.cramfs "
    "mkfs.nilfs2 mkfs.udf mkfs.ocfs2 mkfs.gfs2 mkfs.zfs mkfs.erofs mkfs.bcachefs mkfs.ubifs blkdiscard"
)
_CHECKS = (
    "fsck e2fsck fsck.ext2 fsck.ext3 fsck.ext4 fsck.vfat fsck.fat fsck.xfs fsck.btrfs fsck.exfat fsck.f2fs fsck_hfs fsck_apfs dosfsck "
    "xfs_repair ntfsfix reiserfsck"
)

ROWS: dict[str, Row] = dict.fromkeys(
    _MAKES.split(),
    Row(options="-t:data -L:data -b:data -i:data -N:data -m:data -O:data -E:data -T:data -U:data -s:data --label:data --type:data", read=_FORMAT),
)
ROWS.update(dict.fromkeys("mke2fs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs".split(), ROWS["mkfs"].replace(
    options="-t:data -L:data -b:data -i:data -m:data -O:data -E:data -T:data -U:data -s:data -d:data -l:data -r:data -g:data -G:data -I:data",
    read=_TRIED)))  # fmt: skip
ROWS.update(dict.fromkeys(_CHECKS.split(), Row(read=doing("nothing = -n -N --no-action", "volume = *", say=on_disks))))
ROWS.update(dict.fromkeys(_LVM_SHOWS.split(), Row()))
ROWS.update(dict.fromkeys(_LVM_LOSES.split(), Row(read=doing("nothing = -t --test", "partition = *"))))
ROWS.update(dict.fromkeys(_LVM_CHANGES.split(), Row(read=doing("nothing = -t --test", "volume = *"))))
ROWS.update(dict.fromkeys("findmnt blkid dumpe2fs xfs_info sync mountpoint lsusb lspci swaplabel".split(), Row()))
ROWS.update({
    "pvcreate": Row(read=doing("nothing = -t --test", "format = *", say=on_disks)),
    "fdisk": Row(options="-b:data -L:data -o:data -t:data -u:data -C:data -H:data -S:data -w:data -W:data", read=doing(
        "nothing = -l --list -s --getsz -v -V -h -x --list-details", "partition = *", say=on_disks)),
    "sfdisk": Row(read=doing(
        "nothing = -l --list -d --dump -J --json -s --show-size -F --list-free -V --verify -T --list-types -n --no-act -g -v -h", "partition = *",
        say=on_disks)),
    "gdisk": Row(read=doing("nothing = -l", "partition = *", say=on_disks)),
    "cfdisk": Row(read=_PARTITION), "cgdisk": Row(read=_PARTITION), "gparted": Row(read=_PARTITION),
    "growpart": Row(read=doing("nothing = -N --dry-run", "partition = *", say=on_disks)),
    "sgdisk": Row(options="-b:writes --backup:writes -i:data --info:data -n:data --new:data -d:data --delete:data -t:data --typecode:data "
        "-c:data --change-name:data -l:reads --load-backup:reads -u:data -A:data --attributes:data -R:data --replicate:data", read=doing(
        "partition = -Z --zap -z --zap-all -o --clear -n --new -d --delete -t --typecode -c --change-name -g --mbrtogpt -G --randomize-guids "
        "-l --load-backup -s --sort -m --gpttombr -u --partition-guid -U --disk-guid -A --attributes -R --replicate -N --largest-new -e "
        "--move-second-header -h --hybrid -r --transpose",
        say=on_disks)),
    "parted": Row(options="-a:data --align:data", read=_parted),
    "partprobe": Row(effects="controls-system:volume"), "partx": Row(read=doing("volume = -a --add -d --delete -u --update")),
    "kpartx": Row(read=doing("nothing = -l", "volume = *")),
    "wipefs": Row(options="-o:data -t:data -O:data", read=doing("nothing = -n --no-act", "format = -a --all -o --offset", say=on_disks)),
    "badblocks": Row(options="-b:data -c:data -e:data -o:writes -p:data -t:data -i:reads", read=doing("format = -w -n", say=on_disks)),
    "hdparm": Row(options="-N:data -S:data -B:data -M:data --security-set-pass:data --user-master:data --security-erase:data "
        "--security-erase-enhanced:data --write-sector:data --make-bad-sector:data --fwdownload:reads", read=doing(
        "format = --security-erase* --trim-sector* --write-sector --make-bad-sector --repair-sector --fwdownload* --dco-restore "
        "--sanitize-* -N --security-set-pass --drq-hsm-error",
        "volume = -y -Y -Z -S -B -M -W -A -d -X -K -w --security-*", say=on_disks)),
    "nvme": Row(read=doing(
        "format = format sanitize write write-zeroes write-uncor dsm delete-ns create-ns fw-download fw-commit fw-activate",
        "volume = attach-ns detach-ns reset subsystem-reset set-feature connect connect-all disconnect disconnect-all security-send", say=on_disks)),
    "sg_format": Row(read=_FORMAT), "sg_sanitize": Row(read=_FORMAT),
    "smartctl": Row(options="-s:data -d:data -t:data -l:data -n:data -q:data -o:data -S:data", read=doing("volume = -s -o -S", say=on_disks)),
    "cryptsetup": Row(options="-s:data -c:data -h:data -d:data --key-file:data -S:data -i:data --type:data --key-size:data --cipher:data "
        "--hash:data --label:data --header:reads --iter-time:data", read=doing(
        "format = luksFormat erase luksErase reencrypt luksKillSlot luksRemoveKey format convert luksHeaderRestore tcryptFormat",
        "mount = open luksOpen close luksClose create remove plainOpen loopaesOpen tcryptOpen bitlkOpen luksSuspend luksResume",
        "volume = luksAddKey luksChangeKey luksConvertKey resize config token refresh repair --uuid", say=on_disks)),
    "mdadm": Row(clustered=False, read=doing(
        "raid = -C --create --zero-superblock -r --remove -f --fail --set-faulty -S --stop -G --grow -B --build --replace",
        "volume = -A --assemble -a --add --re-add -R --run -w --readwrite -o --readonly --update*", say=on_disks)),
    "zpool": Row(read=doing(
        "format = create labelclear", "raid = destroy remove detach replace offline split",
        "volume = add attach import export scrub upgrade set online clear initialize trim reguid reopen resilver checkpoint sync")),
    "zfs": Row(read=doing(
        "nothing = -n", "format = destroy rollback receive recv",
        "volume = create snapshot snap clone set mount unmount umount rename promote inherit load-key unload-key change-key upgrade allow unallow "
        "share unshare hold release bookmark jail unjail rewrite")),
    "btrfs": Row(read=doing(
        "format = subvolume~delete", "raid = device~delete device~remove device~add replace~start",
        "nothing = subvolume~list subvolume~show subvolume~find-new subvolume~get-default filesystem~show filesystem~df filesystem~usage "
        "filesystem~du device~stats device~usage device~scan scrub~status balance~status property~get property~list inspect-internal qgroup~show "
        "replace~status help version send",
        "volume = *")),
    "diskutil": Row(read=doing(
        "nothing = list info information listFilesystems activity verifyDisk verifyVolume apfs+list apfs+listUsers cs+list coreStorage+list "
        "appleRAID+list apfs+listSnapshots listRAID",
        "format = eraseDisk eraseVolume reformat zeroDisk randomDisk secureErase eraseall eraseOptical apfs+deleteContainer apfs+deleteVolume "
        "apfs+eraseVolume apfs+createContainer apfs+create cs+delete coreStorage+delete apfs+deleteSnapshot",
        "partition = partitionDisk splitPartition mergePartitions resizeVolume addPartition apfs+resizeContainer cs+resize*",
        "raid = appleRAID ar", "mount = mount unmount umount mountDisk unmountDisk eject",
        "volume = *", say=_last)),
    "hdiutil": Row(options="-size:data -fs:data -volname:data -srcfolder:reads -o:writes -format:data -mountpoint:data", clustered=False, read=doing(
        "mount = attach detach mount unmount eject", "format = erase burn")),
    "udisksctl": Row(clustered=False, read=doing(
        "mount = mount unmount unlock lock loop-setup loop-delete power-off", say=on_disks)),
    "dmsetup": Row(read=doing(
        "nothing = ls info status table deps targets version splitname udevcookies", "partition = remove remove_all wipe_table clear", "volume = *")),
    "swapon": Row(options="-p:data -L:data -U:data", read=doing("nothing = -s --summary --show", "swap = ? -a --all")),
    "swapoff": Row(effects="controls-system:swap"), "fstrim": Row(effects="controls-system:volume"), "eject": Row(effects="controls-system:mount"),
    "losetup": Row(options="-j:data --associated:data -o:data --offset:data --sizelimit:data", read=_losetup),
    "mount": Row(read=_mount),
    "umount": Row(read=_mount),
    "fusermount": Row(effects="controls-system:mount"), "fusermount3": Row(effects="controls-system:mount"),
    "tune2fs": Row(read=doing("nothing = -l", "volume = *", say=on_disks)),
    "resize2fs": Row(options="-d:data -S:data -z:data", read=doing("nothing = -P", "volume = *", say=on_disks)),
    "e2label": Row(read=doing("volume = *", say=on_disks)), "xfs_growfs": Row(read=doing("nothing = -n", "volume = *", say=on_disks)),
    "xfs_admin": Row(read=doing("nothing = -l -u", "volume = *", say=on_disks)),
    "debugfs": Row(options="-R:data -f:reads -b:data -s:data", read=_debugfs),
    "fallocate": Row(options="-l:data -o:data --length:data --offset:data", read=_fallocate),
    "diskpart": Row(effects="controls-system:partition"), "format": Row(read=_FORMAT), "format.com": Row(read=_FORMAT),
})  # fmt: skip
