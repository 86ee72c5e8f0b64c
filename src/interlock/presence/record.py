"""What was installed, as written by ``install``, ``init`` and ``uninstall``, never by a hook."""

from __future__ import annotations

from collections.abc import Iterable

from interlock.model.jsontext import JsonError, dumps, loads
from interlock.model.record import Record
from interlock.presence.file_state import MOST_BYTES, RECORD

FORM = 1


class InstalledItem(Record):
    """One thing that was installed: what kind (a row of ``integrations.installed_things``), where,
    and how it was, as a text that tells it from any other.
    """

    kind: str
    path: str
    state: str
    client: str = ""

    @property
    def key(self) -> str:
        """What it is known by."""
        return f"{self.kind} {self.client} {self.path}"


class ClientInstall(Record):
    """One client that asks the guard: in the user's settings, or a project's; ``python`` and
    ``file`` are what it starts.
    """

    client: str
    project: str
    python: str
    file: str
    items: tuple[InstalledItem, ...] = ()


class InstallRecord(Record):
    """All of it. ``repair``: whether the person wants put back what is gone; None where nobody was
    asked. ``layers``: policy files.
    """

    repair: bool | None = None
    installs: tuple[ClientInstall, ...] = ()
    layers: tuple[InstalledItem, ...] = ()

    @property
    def items(self) -> tuple[InstalledItem, ...]:
        """Everything that is looked at, each once."""
        every = [item for install in self.installs for item in install.items] + list(self.layers)
        return tuple({item.key: item for item in every}.values())

    def without(self, client: str, project: str) -> InstallRecord:
        """Return it without one client's installation."""
        return self.replace(
            installs=tuple(
                [one for one in self.installs if (one.client, one.project) != (client, project)]
            )
        )

    def of(self, item: InstalledItem) -> ClientInstall | None:
        """Return the installation that an item belongs to."""
        return next((one for one in self.installs if item in one.items), None)

    def text(self) -> str:
        """Return it as it is kept."""
        installs = [
            [one.client, one.project, one.python, one.file, _plain(one.items)]
            for one in self.installs
        ]
        return (
            dumps(
                {
                    "form": FORM,
                    "repair": self.repair,
                    "installs": installs,
                    "layers": _plain(self.layers),
                }
            )
            + "\n"
        )


class DamagedError(Exception):
    """The record is there and cannot be read; the text says what is wrong."""


def read(state: str) -> InstallRecord | None:
    """Return what was installed, None where nothing was written down; raises ``DamagedError``."""
    path = f"{state}/{RECORD}"
    try:
        with open(path, "rb") as file:
            said = loads(file.read(MOST_BYTES))
        if said["form"] != FORM:
            raise DamagedError(
                f"{path} is of the form {said['form']!r}; this interlock knows {FORM}"
            )
        installs = tuple(
            [
                ClientInstall(client, project, python, file, _items(items))
                for client, project, python, file, items in said["installs"]
            ]
        )
        return InstallRecord(
            said["repair"] if isinstance(said["repair"], bool) else None,
            installs,
            _items(said["layers"]),
        )
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise DamagedError(f"{path} cannot be read: {error.strerror}") from None
    except (JsonError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedError(f"{path} is damaged ({type(error).__name__})") from None


def _plain(items: Iterable[InstalledItem]) -> list[list[str]]:
    return [[item.kind, item.path, item.state, item.client] for item in items]


def _items(rows: object) -> tuple[InstalledItem, ...]:
    """Return items from their rows; raises ``TypeError`` and ``ValueError`` for what is none."""
    if not isinstance(rows, list) or not all(
        isinstance(row, list) and all(isinstance(word, str) for word in row) for row in rows
    ):
        raise TypeError("items are lists of texts")
    return tuple([InstalledItem(kind, path, state, client) for kind, path, state, client in rows])
