"""Folders of this machine that a container is lent."""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import SECRET, WORKSPACE, ControlsContainer
from interlock.shell.value import HOLE, Value


def mount(run: Run, value: Value) -> set[str]:
    """``SRC:DST[:ro]`` or ``type=bind,source=SRC,..``: the workspace is fine, the rest not."""
    source = value.text.partition(":")[0]
    if "volume-opt=device=" in value.text:
        source = value.text.partition("volume-opt=device=")[2].partition(",")[0]
    elif "source=" in value.text or "src=" in value.text:
        source = value.text.replace("src=", "source=").partition("source=")[2].partition(",")[0]
        if "type=volume" in value.text:
            return set()
    if HOLE in source:
        return {"host-mount"} if source.strip(HOLE)[:1] != "" or source == HOLE else set()
    if "docker.sock" in source or "containerd.sock" in source or "podman.sock" in source:
        return {"socket"}
    if source[:1] not in ("/", "~", "."):
        return set()
    path = run.context.normal(
        run.context.home + source[1:] if source[:1] == "~" else source, run.cwd
    )
    if path is None:
        return {"host-mount"}
    place = run.context.place(path)
    if SECRET in place.natures or place.location not in (WORKSPACE, "temp"):
        return {"host-mount"}
    return set()


def volume(run: Run, given: list[Value]) -> None:
    """``volume create --opt type=none --opt o=bind --opt device=FOLDER``: a later mount."""
    for value in given:
        device = value.text.removeprefix("device=")
        if device != value.text and mount(run, Value(device, value.start, value.end)):
            run.effect(ControlsContainer, f"volume {device}", "run", "host-mount", value=value)
