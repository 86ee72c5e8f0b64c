"""What watches the person at the machine: screen, camera, microphone, keys, clipboard."""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import Installs, Reads
from interlock.shell.value import NOTHING, Flow, Value


def _captures(run: Run) -> Flow:
    """Take a picture or a recording: the file named is written."""
    if run.has("--version", "--help", "-h"):
        return NOTHING
    run.executes(run.name, "captures")
    run.roles()
    return Flow(None, frozenset({"outside"}))


_TYPES = frozenset(
    "key keydown keyup type click mousedown mouseup mousemove mousemove_relative windowclose"
    " windowkill windowquit windowminimize windowmove windowsize windowactivate windowraise"
    " windowfocus windowreparent windowunmap windowmap set_window set_desktop exec behave".split()
)
"""Commands of ``xdotool`` that act; each may stand behind another."""


def _types(run: Run) -> Flow:
    """``xdotool search --name X windowactivate key Return``: a line of commands, some only look."""
    words = [value.text for value in run.arguments]
    if any(word in _TYPES for word in words) or not any(map(_looks_at_windows, words)):
        run.executes(run.name, "captures")
    return Flow(None, frozenset({"outside"}))


def _looks_at_windows(word: str) -> bool:
    return word in ("search", "version", "help", "selectwindow") or word.startswith("get")


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


_STORES = {"f": ".mozilla/firefox", "c": ".config/google-chrome"}


def _browser(run: Run) -> Flow:
    """A browser that others steer, in the person's own profile, opens all that the person is logged
    in to; so may an extension.
    """
    words = [value.text for value in run.arguments]
    steered = any(
        word.startswith(
            ("--remote-debugging-", "-remote-debugging-", "--marionette", "-marionette")
        )
        for word in words
    )
    profile = run.parsed.value("--user-data-dir", "-profile", "--profile")
    path = None if profile is None or profile.hollow else run.context.normal(profile.text, run.cwd)
    own = profile is None and not any(word.startswith("--headless") for word in words)
    printed = any(
        word.startswith(("--dump-dom", "--print-to-pdf", "--screenshot", "-screenshot"))
        for word in words
    )
    if (steered and own) or (
        (steered or printed) and path is not None and run.context.secret(path)
    ):
        store = _STORES[
            "f" if "fire" in run.name or "wolf" in run.name or "water" in run.name else "c"
        ]
        run.path(Reads, Value(f"{run.context.home or '~'}/{store}"))
    for value in run.parsed.values("--load-extension", "-install-global-extension"):
        path = run.context.normal(value.text.partition(",")[0], run.cwd)
        if path is None or not run.context.workspace(path):
            run.effect(Installs, value.text, "user", value=value)
    for value in run.operands:
        if "://" in value.text:
            run.role("url", value)
    return NOTHING
