"""Tools that write the firmware of boards, phones and machines: what is flashed or erased is gone, and may leave a brick (each tool's manual)."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import ControlsSystem
from interlock.shell.value import UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run

_WRITES = "firmware"


def _avrdude(run: Run) -> Flow:
    """``-U memory:w:file``, ``-e`` erases the chip; ``-U memory:r:file`` and ``:v:`` look (avrdude's manual, 2.1)."""
    acts = [value.text.split(":")[:2] for value in run.parsed.values("-U")]
    if run.has("-e") or any(len(act) == 1 or act[1] == "w" for act in acts):
        run.effect(ControlsSystem, "a chip", _WRITES)
    return UNREAD


_OPENOCD = ("erase", "write_image", "unlock", "option_write", "flash fill")


def _openocd(run: Run) -> Flow:
    """``-c "program file verify"``, ``-c "flash erase_sector .."``; without them it only serves a debugger."""
    for value in run.parsed.values("-c", "--command"):
        if any(mark in value.text for mark in _OPENOCD):
            run.effect(ControlsSystem, "a chip", _WRITES, value=value)
    return UNREAD


def _jlink(run: Run) -> Flow:
    """``JLinkExe -CommandFile FILE``: commands that nobody reads here."""
    if run.parsed.has("-CommandFile", "-CommanderScript", "-commandfile") or run.stdin is not None:
        run.effect(ControlsSystem, "a chip", _WRITES, certain=False)
    return UNREAD


def _row(writes: str, looks: str = "", options: str = "") -> Row:
    lines = [f"nothing = {looks}"] if looks else []
    return Row(clustered=False, options=options, read=doing(*lines, f"{_WRITES} = {writes}"))


_SAMD = "-p:data --port:data -b:data --boot:data"
ROWS: dict[str, Row] = {
    "avrdude": Row(options="-p:data -c:data -P:data -b:data -B:data -U:data -C:data -x:data -E:data", read=_avrdude),
    "openocd": Row(options="-f:reads -c:data --command:data -s:data -d:?data -l:writes", clustered=False, read=_openocd),
    **dict.fromkeys("JLinkExe JLink jlink".split(), Row(options="-CommandFile:reads -CommanderScript:reads -device:data -if:data -speed:data -autoconnect:data", clustered=False, read=_jlink)),
    "dfu-util": _row("-D --download", options="-a:data -d:data -s:data -S:data -D:data --download:data -U:writes --upload:writes"),
    "dfu-programmer": Row(read=doing(f"{_WRITES} = *")),
    "bossac": _row("-e --erase -w --write -u --unlock", options=_SAMD), "stm32flash": _row("-w -o -u -k -j", options="-w:data -b:data -r:writes -S:data -s:data"),
    "st-flash": _row("write erase reset", "read --version"), "st-info": Row(), "pyocd": _row("erase flash load", "list --version commander gdbserver pack"),
    **dict.fromkeys(("nrfjprog", "nrfutil"), _row("--program --eraseall --chiperase --recover -e --sectorerase --eraseuicr dfu device+program device+erase device+recover", "--ids --version")),
    "picotool": _row("load erase otp reboot", "info save help version"), "teensy_loader_cli": _row("*"), "lm4flash": _row("*"), "mspdebug": _row("*"),
    "rkdeveloptool": _row("db wl ul gpt ef wlx", "ld rfi rci rl"), "heimdall": _row("flash", "detect info print-pit"),
    "edl": _row("w wl wf e es ws qfil reset", "printgpt r rl rf"), "edl.py": _row("w wl wf e es ws qfil reset", "printgpt r rl rf"),
    "mtk": _row("w wl wf e es da reset", "printgpt r rl rf"), "sunxi-fel": _row("spiflash-write write exec uboot", "ver version spiflash-info read"),
    "uuu": Row(clustered=False, read=doing("nothing = -h -lsusb", f"{_WRITES} = *")), "wchisp": _row("flash erase eeprom", "info probe"), "xfel": _row("spinand spinor write", "version"),
    "probe-rs": _row("erase download run", "list info"), "cargo-flash": _row("*"), "espflash": _row("flash erase-flash erase-region erase-parts write-bin", "board-info monitor"),
    **dict.fromkeys("espefuse espefuse.py".split(), Row(clustered=False, options="--port:data -p:data --chip:data", read=doing("nothing = summary dump get_custom_mac", f"{_WRITES} = ?"))),
    "afuc": _row("*"), "odin4": _row("*"), "flashcp": Row(operands="reads writes", effects="controls-system:firmware"),
    **dict.fromkeys("flash_erase flash_eraseall flash_unlock nandwrite ubiformat ubiupdatevol mtd_debug".split(), Row(effects="controls-system:firmware,format")),
    "sysupgrade": Row(read=doing("nothing = -l -T -b --test --list-backup --create-backup", "firmware = *")), "mtd": Row(read=doing("firmware = erase write unlock resetbc")),
    **dict.fromkeys(("firstboot", "jffs2reset"), Row(effects="controls-system:firmware")), "fwup": Row(read=doing("nothing = -l -m -V --list --verify --detect", "firmware = -a -U -E *")),
    "fw_setenv": Row(effects="controls-system:boot"), "fw_printenv": Row(),
    "racadm": Row(read=doing("nothing = get getconfig getsysinfo getsel getractime help getniccfg", "power = serveraction", f"{_WRITES} = ?")),
    "ilorest": Row(read=doing("nothing = get list status info serverinfo login logout types", f"{_WRITES} = ?")),
}  # fmt: skip
