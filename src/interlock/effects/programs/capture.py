"""What watches the person at the machine: the screen, the camera, the microphone, the keys, what was copied last."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.shell.value import NOTHING, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def _captures(run: Run) -> Flow:
    """Take a picture or a recording: the file named is written."""
    run.executes(run.name, "captures")
    run.roles()
    return Flow(None, frozenset({"outside"}))


def _clipboard(run: Run) -> Flow:
    """Print what the person copied last; copying into it is no matter."""
    if (
        run.name in ("pbpaste", "wl-paste")
        or run.has("-o", "-out", "--output", "-out-file", "-b")
        or (run.name == "xsel" and not run.has("-i", "--input"))
    ):
        run.executes(run.name, "clipboard")
        return Flow(None, frozenset({"outside"}))
    return NOTHING


_CAPTURE = Row(operands="makes*", options="-d:data -o:writes -w:data -f:data -r:data -i:data", read=_captures)
_TYPES = Row(effects="executes:captures")
_WATCHES = Row(effects="executes:security-tool")

ROWS: dict[str, Row] = dict.fromkeys(
    "scrot import screencapture gnome-screenshot grim maim flameshot spectacle xwd fswebcam imagesnap arecord parecord pw-record wf-recorder "
    "simplescreenrecorder kazam recordmydesktop ksnapshot shutter streamer motion".split(),
    _CAPTURE,
)
ROWS.update(dict.fromkeys("logkeys evtest xspy keylogger evemu-record libinput-record".split(), _WATCHES))
ROWS.update(
    dict.fromkeys(
        "xclip xsel pbpaste wl-paste pbcopy wl-copy".split(), Row(options="-selection:data -t:data -target:data", clustered=False, read=_clipboard)
    )
)
ROWS.update(dict.fromkeys("xdotool ydotool showkey wtype cliclick dotool xte".split(), _TYPES))
ROWS["xinput"] = Row(read=doing("executes:security-tool = test test-xi2", "plain = set-* disable enable float reattach create-master remove-master"))
