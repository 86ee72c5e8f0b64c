"""Apple's simulators and the way to its tools: ``xcrun TOOL ..`` is the tool, ``simctl VERB DEVICE
..`` works on a pretended phone.
"""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import ControlsContainer, Publishes
from interlock.shell.value import UNREAD, Flow

_VERBS = {
    "erase": "remove",
    "delete": "remove",
    "uninstall": "stop-named",
    "shutdown": "stop-named",
}
"""What they take from a simulator: all that is in it, one app with its data, nothing. The other
verbs make, show and start (``simctl help``).
"""


def _simulator(run: Run) -> Flow:
    words = run.operands
    verb = words[0].text if words else ""
    action = _VERBS.get(verb, "")
    if action and not run.has("--help", "-h"):
        run.effect(
            ControlsContainer, " ".join([value.text for value in words[:3]]), action, value=words[0]
        )
    return run.command(words[2:]) if verb == "spawn" and words[2:] else UNREAD


def _tool(run: Run) -> Flow:
    return run.command(run.operands) if run.operands and not run.has("-f", "--find") else UNREAD


def _uploads(run: Run) -> Flow:
    """``altool --upload-app -f APP``, ``--upload-package``: a build goes to the App Store."""
    if run.has("--upload-app", "--upload-package"):
        run.effect(Publishes, "the App Store", "package")
    return UNREAD
