"""What was installed, thing by thing: how each is now, how it is put back, and what is said of it.
One row a kind.

How a thing is now is a text that tells it from any other: ``""`` where there is none. What cannot
be read is as good as gone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator

from interlock.integrations import changes, hook_switches, install, plugin, writing
from interlock.integrations.changes import Change
from interlock.integrations.clients import adapter_of
from interlock.integrations.install import HookCommand, SettingsError, UnwrittenError
from interlock.model.record import Record
from interlock.policy.files import GUARDS, PolicyLocations, look, sha256
from interlock.presence.file_state import KEPT
from interlock.presence.record import ClientInstall, InstalledItem
from interlock.resident import building

Now = Callable[[InstalledItem], str]
Back = Callable[[InstalledItem, ClientInstall | None, str], None]
"""Puts a thing back, as a state folder has it; raises ``SettingsError``."""

UNREADABLE = "unreadable"


class InstalledKind(Record):
    """A kind of thing. ``said`` names one; ``how`` says what became of it where it is not gone.

    ``disarms``: without it calls of its client are not judged. ``only_gone``: it is put back where
    it is gone, and never where it was changed, which may be the person's own doing; ``back`` is
    None where it is never put back.
    """

    now: Now
    back: Back | None
    said: str
    how: str = "was changed"
    disarms: bool = False
    only_gone: bool = False


# -- a client's settings ---------------------------------------------------------------------------


def _entries(item: InstalledItem) -> str:
    settings = adapter_of(item.client).SETTINGS
    try:
        text = install.readable(install.content(item.path), settings)
        found = install.entries(text, settings, item.client, item.path)
    except SettingsError:
        return UNREADABLE
    return (
        _digest(
            json.dumps(
                sorted([[one.event, one.matcher, one.hook] for one in found], key=repr),
                sort_keys=True,
            ).encode()
        )
        if found
        else ""
    )


def _entries_back(item: InstalledItem, of: ClientInstall | None, state: str) -> None:
    del state
    if of is not None:
        changes.with_entries(item.path, adapter_of(item.client).SETTINGS, _line(of)).make()


def _plugin(item: InstalledItem) -> str:
    try:
        text = install.content(item.path)
    except SettingsError:
        return UNREADABLE
    return _digest(text.encode()) if text else ""


def _plugin_back(item: InstalledItem, of: ClientInstall | None, state: str) -> None:
    del state
    own, before = adapter_of(item.client).SETTINGS.plugin, install.content(item.path)
    if own is not None and of is not None:
        ours = not before or plugin.line_of(before, item.client) is not None
        Change(item.path, before, plugin.text_of(own, _line(of)), own=ours).make()


def _last_line(item: InstalledItem) -> str:
    own = adapter_of(item.client).SETTINGS.plugin
    try:
        return (
            "last"
            if own is not None and plugin.holds(install.content(item.path), own, item.path)
            else ""
        )
    except SettingsError:
        return UNREADABLE


def _last_line_back(item: InstalledItem, of: ClientInstall | None, state: str) -> None:
    del of, state
    own = adapter_of(item.client).SETTINGS.plugin
    if own is not None:
        changes.with_line(item.path, own).make()


HOOKS_RUN = "hooks run"


def _switches(item: InstalledItem) -> str:
    settings = adapter_of(item.client).SETTINGS
    try:
        said = hook_switches.document(install.content(item.path), item.path, settings)
    except (SettingsError, ValueError, RecursionError):
        # what the client cannot read switches nothing; that our entries cannot be read is said by
        # themselves
        return HOOKS_RUN
    return (
        ", ".join([*hook_switches.on(said, settings), *hook_switches.unhooking(said, settings)])
        or HOOKS_RUN
    )


def _switches_back(item: InstalledItem, of: ClientInstall | None, state: str) -> None:
    del of, state
    before, keys = (
        install.content(item.path),
        [key for key in _switches(item).split(", ") if key not in item.state.split(", ")],
    )
    Change(
        item.path,
        before,
        hook_switches.without(before, keys, item.path, adapter_of(item.client).SETTINGS),
    ).make()


def _line(of: ClientInstall) -> HookCommand:
    return HookCommand(of.python, of.file, of.client, building.find_relay(os.environ))


# -- files that are all ours, or the person's policy -----------------------------------------------


def _files(item: InstalledItem) -> str:
    """Return each file with its digest, one a line; a folder's by their names."""
    return "\n".join([f"{name} {digest}" for name, digest, _ in _contents(item.path)])


def _contents(path: str) -> Iterator[tuple[str, str, bytes]]:
    found = look(path, ())
    if not path.endswith(f"/{GUARDS}"):
        if found.there:
            yield (
                "",
                _digest(found.data or b"") if found.data is not None else UNREADABLE,
                found.data or b"",
            )
        return
    for name in (found.data or b"").decode("utf-8", "surrogateescape").split("\n"):
        file = look(f"{path}/{name}", ()) if name else found.replace(data=None)
        if name and file.data is not None:
            yield name, _digest(file.data), file.data


def keep(item: InstalledItem, state: str) -> None:
    """Keep the bytes of a file as it is now, so that it can be put back; raises ``OSError``."""
    if KINDS[item.kind].back is not _files_back:
        return
    folder = os.path.join(state, KEPT)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    for name, digest, data in _contents(item.path):
        kept = os.path.join(folder, digest)
        mode = _mode(os.path.join(item.path, name) if name else item.path)
        if not os.path.exists(kept):
            writing.whole(kept, data, mode)
        os.chmod(kept, mode)  # the bytes may be an older file's


def _mode(path: str) -> int:
    return os.stat(path).st_mode & 0o777


def _files_back(item: InstalledItem, of: ClientInstall | None, state: str) -> None:
    """Put back the files that are not there; what is there stays as it is."""
    del of
    there = {name for name, _, _ in _contents(item.path)}
    for line in item.state.split("\n"):
        name, _, digest = line.rpartition(" ")
        if name in there:
            continue
        kept, path = (
            os.path.join(state, KEPT, digest),
            os.path.join(item.path, name) if name else item.path,
        )
        try:
            with open(kept, "rb") as file:
                data = file.read()
            if _digest(data) != digest:
                raise UnwrittenError(f"what was kept of {path} is not as it was")
            os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
            writing.begin(path, data, _mode(kept))
        except OSError as error:
            raise UnwrittenError(f"{path}: {error.strerror}") from None


def _digest(data: bytes) -> str:
    return sha256(data).hex()[:32]


KINDS = {
    "entries": InstalledKind(
        _entries, _entries_back, "interlock's entry for {client} in {path}", disarms=True
    ),
    "plugin": InstalledKind(
        _plugin, _plugin_back, "interlock's plugin for {client}, {path},", disarms=True
    ),
    "line": InstalledKind(
        _last_line,
        _last_line_back,
        "the line that lets no tool of {client} run without the plugin, in {path},",
    ),
    "switches": InstalledKind(
        _switches,
        _switches_back,
        "{path}",
        "switched the hooks of {client} off ({now})",
        disarms=True,
    ),
    "code": InstalledKind(
        _files, _files_back, "the file that clients start, {path},", only_gone=True
    ),
    "layer": InstalledKind(_files, _files_back, "the policy {path}", only_gone=True),
    "project-layer": InstalledKind(_files, None, "the project's policy {path}"),
}
"""A project's policy is never put back: another branch may hold another one, or none."""


def now(item: InstalledItem) -> str:
    """Return how a thing is now."""
    return KINDS[item.kind].now(item)


def is_gone(item: InstalledItem, state: str) -> bool:
    """Tell whether a thing in this state is gone, in whole or in part, and not only changed."""
    if not item.state or not state or not KINDS[item.kind].only_gone:
        return bool(item.state) and not state
    here = {line.rpartition(" ")[0] for line in state.split("\n")}
    return any(line.rpartition(" ")[0] not in here for line in item.state.split("\n"))


def may_be_put_back(item: InstalledItem, state: str) -> bool:
    """Tell whether a thing in this state is one that is put back: what a person may have edited is
    not.
    """
    kind = KINDS[item.kind]
    return (
        bool(item.state) and kind.back is not None and (not kind.only_gone or is_gone(item, state))
    )


def put_back(item: InstalledItem, of: ClientInstall | None, state: str) -> str:
    """Put a thing back as it was; return why that could not be done, or ``""``."""
    back = KINDS[item.kind].back
    try:
        if back is not None:
            back(item, of, state)
    except OSError as error:
        return f"{error.filename or item.path}: {error.strerror}"
    except SettingsError as error:
        return str(error)
    return ""


def describe_change(item: InstalledItem, state: str) -> str:
    """Say in a few words what became of a thing."""
    kind = KINDS[item.kind]
    how = (
        "is new"
        if not item.state
        else (
            "was gone"
            if is_gone(item, state)
            else "cannot be read any more"
            if state == UNREADABLE
            else kind.how
        )
    )
    return f"{kind.said} {how}".format(client=item.client, path=item.path, now=state)


# -- what an installation is made of ---------------------------------------------------------------


def items_of(client: str, project: str | None) -> tuple[InstalledItem, ...]:
    """Return what of a client's installation is to be looked at, as it is now."""
    settings = adapter_of(client).SETTINGS
    path = changes.settings_path(settings, project)
    found = [
        InstalledItem("switches", os.path.join(os.path.dirname(path), name), "", client)
        for name in settings.files
    ]
    if settings.plugin is None:
        found.append(InstalledItem("entries", path, "", client))
    else:
        found.append(InstalledItem("plugin", changes.plugin_path(settings, project), "", client))
        found += [InstalledItem("line", path, "", client)] if settings.plugin.line else []
    line = install.line_for(client)
    found += [InstalledItem("code", path, "") for path in (line.file, line.relay) if path]
    return tuple([item.replace(state=now(item)) for item in found])


def layers_of(where: PolicyLocations) -> tuple[InstalledItem, ...]:
    """Return the policy files of the organisation, the user and (where there is one) a project,
    there or not, as they are now.
    """
    paths = [
        ("layer", path)
        for path in (where.organisation_file, where.user_file, *where.guard_folders(where.home))
        if path
    ]
    paths += [
        ("project-layer", path)
        for path in (where.project_file, *where.guard_folders(where.project))
        if path
    ]
    return tuple(
        [
            item.replace(state=now(item))
            for item in (InstalledItem(kind, path, "") for kind, path in paths)
        ]
    )


def loss_time(path: str) -> float:
    """Return when a thing was changed last, in Unix seconds, as the kernel says; of what is gone,
    when the nearest folder that is left was.
    """
    while True:
        try:
            return os.stat(path).st_ctime
        except OSError:
            above = os.path.dirname(path)
            if above == path:
                return 0.0
            path = above


def in_place(items: tuple[InstalledItem, ...]) -> bool:
    """Tell whether what disarms a client where it is missing is there."""
    return all(
        item.state not in ("", UNREADABLE) for item in items if item.kind in ("entries", "plugin")
    )
