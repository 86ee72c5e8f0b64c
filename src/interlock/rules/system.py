"""The machine: power, disks, services, users, processes, traces."""

from __future__ import annotations

from interlock.model.action import ASK, DENY, WARN
from interlock.model.effect import TEMP, ControlsSystem, ErasesTraces, KillsProcess, Persists
from interlock.model.rule import Rule, on

RULES = (
    Rule(
        id="system.format",
        title="formats or repartitions a disk",
        why="Every file on it is gone.",
        instead="Work on an image file in the workspace.",
        match=on(ControlsSystem, any={"format", "partition", "raid"}),
        action=DENY, possible=ASK, tags=frozenset({"data-loss", "attack.t1561"}),
        catches=("mkfs.ext4 /dev/sda1", "wipefs -a /dev/sdb", "fdisk /dev/sda",),
        passes=("lsblk", "df -h",),
    ),
    Rule(
        id="system.temporary-kernel-module",
        title="loads a kernel module from a folder for temporary files",
        why="A module can do everything the machine can, and anybody may have put it there.",
        instead="Build it in the workspace, and tell the user the command that loads it.",
        match=on(ControlsSystem, has={"kernel"}, location={TEMP}),
        action=DENY, possible=ASK, tags=frozenset({"system", "attack.t1547.006"}),
        catches=("insmod /tmp/x.ko", "sudo insmod /dev/shm/mod.ko",),
        passes=("modinfo /tmp/x.ko", "lsmod",),
    ),
    Rule(
        id="system.root-account",
        title="opens, removes or doubles the root account",
        why="Whoever then logs in as root owns the machine, or nobody can any more.",
        instead="Tell the user what should change, and let them do it.",
        match=on(ControlsSystem, has={"root-account"}),
        action=DENY, possible=ASK, tags=frozenset({"system", "attack.t1136.001"}),
        catches=("passwd -d root", "useradd -o -u 0 helper", "userdel root"),
        passes=("getent passwd root", "id -u root"),
    ),
    Rule(
        id="system.blind-scanner",
        title="switches off the scanner that sees scripts before they run",
        why="What comes next runs unseen. No development task needs it.",
        instead="Tell the user which script the scanner holds back.",
        match=on(ControlsSystem, target={"AMSI"}),
        action=DENY, possible=ASK, tags=frozenset({"evasion", "attack.t1562.001"}),
        catches=(
            "powershell -c \"[Ref].Assembly.GetType('System.Management.Automation.AmsiUtils')"
            ".GetField('amsiInitFailed','NonPublic,Static').SetValue($null,$true)\"",
            "pwsh -c \"[Ref].Assembly.GetType('System.Management.Automation.AmsiUtils').GetField('amsiContext','NonPublic,Static').SetValue($null,0)\"",
        ),
        passes=("powershell -c \"Get-MpComputerStatus\"",),
    ),
    Rule(
        id="system.control",
        title="changes the machine's own state",
        why="Power, services, users, the kernel and the network belong to the machine's owner.",
        instead="Tell the user which command to run.",
        match=on(ControlsSystem),
        action=ASK, tags=frozenset({"system", "attack.t1529"}),
        catches=("shutdown -h now", "reboot", "systemctl stop nginx", "iptables -F", "useradd x", "sysctl -w a=1",),
        passes=("systemctl status nginx", "uptime", "ip addr show",),
    ),
    Rule(
        id="system.kill-all",
        title="kills every process or the first one",
        why="The machine or the whole session goes down.",
        instead="Name the one process.",
        match=on(KillsProcess, any={"all", "init"}),
        action=DENY, possible=ASK, tags=frozenset({"system"}),
        catches=("kill -9 -1", "kill 1",),
        passes=("kill %1", "ps aux",),
    ),
    Rule(
        id="system.kill",
        title="kills a process that this session did not start",
        why="It may hold unsaved work of somebody else.",
        instead="Start it in this session and use `kill $!` or `kill %1`.",
        match=on(KillsProcess, any={"by-name", "by-pid", "by-port"}, lacks={"dev-port"}),
        action=ASK, tags=frozenset({"system"}),
        catches=("kill 4242", "pkill node", "killall python", "kill $(lsof -ti:5432)", "fuser -k 80/tcp",),
        passes=("sleep 5 & kill $!", "kill %1", "kill -0 4242", "kill $(lsof -ti:3000)",),
    ),
    Rule(
        id="system.kill-port",
        title="kills what holds a port of development",
        why="It is most likely a server that an earlier call left behind, but it may be the user's own.",
        instead="Start the server in this session and use `kill $!`.",
        match=on(KillsProcess, has={"dev-port"}),
        action=WARN, tags=frozenset({"system"}),
        catches=("kill $(lsof -ti:3000)", "lsof -t -i tcp:5173 | xargs kill -9", "fuser -k 8000/tcp", "npx kill-port 3000",),
        passes=("lsof -i:3000", "fuser 8000/tcp",),
    ),
    Rule(
        id="system.persist",
        title="makes something run later or at every start",
        why="Code put there runs unseen, with the user's rights.",
        instead="Tell the user what to schedule.",
        match=on(Persists),
        action=ASK, tags=frozenset({"persistence", "attack.t1053"}),
        catches=("crontab job.txt", "(crontab -l; echo \"* * * * * x\") | crontab -", "systemctl enable x",),
        passes=("crontab -l", "systemctl status x",),
    ),
    Rule(
        id="system.erase-traces",
        title="erases traces of what happened",
        why="Whoever hides what was done cannot be helped or trusted.",
        instead="Leave histories and logs as they are.",
        match=on(ErasesTraces),
        action=DENY, possible=ASK, tags=frozenset({"traces", "attack.t1070"}),
        catches=("history -c", "journalctl --vacuum-time=1s",),
        passes=("history", "journalctl -n 20",),
    ),
)  # fmt: skip
