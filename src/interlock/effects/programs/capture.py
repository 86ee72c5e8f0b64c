"""What watches the person at the machine: the screen, the camera, the microphone, the keys, what was copied last."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import Installs, Reads
from interlock.shell.value import NOTHING, Flow, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def _captures(run: Run) -> Flow:
    """Take a picture or a recording: the file named is written."""
    if run.has("--version", "--help", "-h"):
        return NOTHING
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


_BROWSERS = (
    "google-chrome google-chrome-stable chrome chromium chromium-browser brave brave-browser microsoft-edge msedge vivaldi opera firefox firefox-esr "
    "librewolf waterfox"
)
_STORES = {"f": ".mozilla/firefox", "c": ".config/google-chrome"}


def _browser(run: Run) -> Flow:
    """A browser that others steer, in the person's own profile, opens all that the person is logged in to; so may an extension."""
    words = [value.text for value in run.arguments]
    steered = any(word.startswith(("--remote-debugging-", "-remote-debugging-", "--marionette", "-marionette")) for word in words)
    profile = run.parsed.value("--user-data-dir", "-profile", "--profile")
    path = None if profile is None or profile.hollow else run.context.normal(profile.text, run.cwd)
    own = profile is None and not any(word.startswith("--headless") for word in words)
    printed = any(word.startswith(("--dump-dom", "--print-to-pdf", "--screenshot", "-screenshot")) for word in words)
    if (steered and own) or ((steered or printed) and path is not None and run.context.secret(path)):
        store = _STORES["f" if "fire" in run.name or "wolf" in run.name or "water" in run.name else "c"]
        run.path(Reads, Value(f"{run.context.home or '~'}/{store}"))
    for value in run.parsed.values("--load-extension", "-install-global-extension"):
        path = run.context.normal(value.text.partition(",")[0], run.cwd)
        if path is None or not run.context.workspace(path):
            run.effect(Installs, value.text, "user", value=value)
    for value in run.operands:
        if "://" in value.text:
            run.role("url", value)
    return NOTHING


_BROWSER = Row(
    options="--user-data-dir:data -P:data -profile:data --profile:data --remote-debugging-port:data -install-global-extension:data",
    clustered=False,
    read=_browser,
)
_CAPTURE = Row(operands="makes*", options="-d:data -o:writes -w:data -f:data -r:data -i:data", read=_captures)
_TYPES = Row(effects="executes:captures")
_WATCHES = Row(effects="executes:security-tool")

ROWS: dict[str, Row] = dict.fromkeys(
    "scrot import screencapture gnome-screenshot grim maim flameshot spectacle xwd fswebcam imagesnap arecord parecord pw-record wf-recorder "
    "simplescreenrecorder kazam recordmydesktop ksnapshot shutter".split(),
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

ROWS.update(dict.fromkeys(_BROWSERS.split(), _BROWSER))
