"""Methods of objects of .NET that act on files."""

from __future__ import annotations

from interlock.effects.powershell.object_actions import MethodCall
from interlock.effects.powershell.values import NULL, PsValue, derive, from_flow, unknown
from interlock.effects.programs.sending import read_labels
from interlock.model.effect import (
    Deletes,
    Reads,
    Writes,
)
from interlock.shell.value import HOLE, Flow, Value


def delete_path(acting: MethodCall) -> PsValue:
    """``[IO.File]::Delete(path)``, ``[IO.Directory]::Delete(path, recursive)``."""
    tree = acting.argument(1).text.lower() in ("true", "1") or not acting.argument(1).known
    acting.run.path(
        Deletes, acting.path(), *(["recursive"] if tree and "directory" in acting.kind else [])
    )
    return NULL


def write_file(acting: MethodCall) -> PsValue:
    """``[IO.File]::WriteAllText(path, text)``, and what else makes or opens a file to write."""
    name = acting.node.parts[1].name.lower()
    value, thing = acting.path(), acting.argument(1)
    trait = (
        "append"
        if name.startswith("append")
        else "create"
        if name == "createdirectory"
        else "redirect"
    )
    acting.run.writes_made(value, thing.labels, trait)
    path = acting.run.context.normal(value.text, acting.run.cwd) if value.known else None
    if path is not None and acting.arguments[1:]:
        acting.session.reader.written[path] = Flow(
            thing.text if thing.known and not name.startswith("append") else None, thing.labels
        )
    return unknown("file")


def read(acting: MethodCall) -> PsValue:
    """``[IO.File]::ReadAllText(path)``, by lines or bytes as well."""
    thing = from_flow(read_labels(acting.run, acting.path()))
    return (
        thing
        if "bytes" not in acting.node.parts[1].name.lower()
        else derive(HOLE, thing, kind="bytes")
    )


def copy_file(acting: MethodCall) -> PsValue:
    """``[IO.File]::Copy(path, target)``."""
    effect = acting.run.path(Reads, acting.path())
    flow = acting.run.contents(acting.path())
    there = acting.run.path(Writes, acting.path(1), "copied")
    acting.session.reader.carry(effect.target, there.target, flow)
    return NULL


def move_path(acting: MethodCall) -> PsValue:
    """``[IO.File]::Move(path, target)``."""
    acting.run.path(Deletes, acting.path(), "moved", "recursive")
    acting.run.path(Writes, acting.path(1), "moved-to")
    return NULL


def delete_own(acting: MethodCall) -> PsValue:
    """``$file.Delete()``: what the object stands for."""
    for value in acting.target.paths or [Value(HOLE, why="output")]:
        acting.run.path(Deletes, value, "recursive")
    return NULL


def pack_folder(acting: MethodCall) -> PsValue:
    """``[IO.Compression.ZipFile]::CreateFromDirectory(folder, archive)``."""
    acting.run.path(Reads, acting.path(), "archived")
    effect = acting.run.path(Writes, acting.path(1))
    acting.session.reader.written[effect.target] = Flow(
        None, acting.run.contents(acting.path()).labels
    )
    return NULL


def unpack_archive(acting: MethodCall) -> PsValue:
    """``[IO.Compression.ZipFile]::ExtractToDirectory(archive, folder)``."""
    from interlock.effects.programs.sending import unpack

    acting.run.path(Reads, acting.path())
    unpack(acting.run, acting.path(), acting.path(1), acting.run.contents(acting.path()).labels)
    return NULL
