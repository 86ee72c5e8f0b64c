"""Programs that administer Windows: registry, tasks, accounts, shadow copies. Their options begin with a slash (two in Git Bash)."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import ControlsSystem, Persists
from interlock.shell.value import NOTHING, UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

_STARTS = ("\\run", "\\runonce", "\\winlogon", "\\services\\", "image file execution options", "\\appinit_dlls")
"""Keys of the registry whose values Windows starts by itself."""


def _reg(run: Run) -> Flow:
    """``reg add|delete|import|query KEY``."""
    words = [value.text.lower() for value in run.operands]
    if not words or words[0] not in ("add", "delete", "import", "restore", "load", "unload", "copy"):
        return UNREAD
    key = words[1].replace("\\\\", "\\") if len(words) > 1 else ""
    starts = words[0] != "delete" and any(key.endswith(end) or (end[-1:] != "n" and end in key) for end in _STARTS)
    run.effect(Persists if starts else ControlsSystem, key or run.name, "startup" if starts else "defaults")
    return NOTHING


def _net(run: Run) -> Flow:
    """``net user NAME PASSWORD /add``, ``net stop NAME``: without further words it lists."""
    words = [value.text.lower() for value in run.operands]
    if words[:1] in (["start"], ["stop"], ["pause"], ["continue"]) and len(words) > 1:
        run.effect(ControlsSystem, words[1], "service-stop" if words[0] == "stop" else "service")
    elif words[:1] in (["user"], ["localgroup"], ["group"], ["accounts"]) and len(words) > 2:
        run.effect(ControlsSystem, words[1], "users")
    elif words[:1] in (["share"], ["use"]) and len(words) > 2:
        run.effect(ControlsSystem, words[1], "mount")
    return UNREAD


_TASKS = Row(
    clustered=False,
    read=doing("nothing = /query //query", "persists:cron = /create //create /change //change /run //run", "persists:cron,remove = /delete //delete"),
)
_NET = Row(clustered=False, read=_net)
_REG = Row(clustered=False, read=_reg)

ROWS: dict[str, Row] = {
    "reg": _REG, "reg.exe": _REG, "regedit": Row(effects="controls-system:defaults"), "schtasks": _TASKS, "schtasks.exe": _TASKS,
    "net": _NET, "net.exe": _NET, "net1": _NET,
    "vssadmin": Row(clustered=False, read=doing("format = delete+shadows", "partition = resize+shadowstorage", "volume = create add")),
    "wbadmin": Row(clustered=False, read=doing("nothing = get", "format = delete", "volume = ?")),
    "wmic": Row(clustered=False, read=doing("format = shadowcopy+delete", "nothing = os cpu bios logicaldisk", "plain = ?")),
    "fsutil": Row(clustered=False, read=doing("erases-traces:log = usn+deletejournal", "volume = volume+dismount repair+set behavior+set")),
    "cipher": Row(clustered=False, read=doing("format = /w*", "plain = /e /d")), "powercfg": Row(clustered=False, read=doing("power = /h* /s* /c* -h -s -change")),
    "takeown": Row(effects="changes-mode:owner"), "sdelete": Row(operands="deletes*", clustered=False), "sdelete64": Row(operands="deletes*", clustered=False),
}  # fmt: skip
