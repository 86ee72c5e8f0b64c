"""Facts as whoever asks claims them. Nothing is looked up anywhere: this machine's disk, its
environment and its processes are not the caller's, and an agent must not read them through a
question. What was not claimed is unknown, which asks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from interlock.model.facts import (
    FILE,
    FOLDER,
    LINK,
    MISSING,
    SPECIAL,
    UNKNOWN,
    Loss,
    Process,
    Repository,
    Stat,
    Unknown,
)
from interlock.model.radius import Radius, Stake
from interlock.service.json_shape import Shape, close_shape, map_of, some, text_up_to, thing

MOST_CLAIMS, MOST_NAMES, MOST_PATH, MOST_SCRIPT = 100, 1000, 4096, 64 << 10
ABSOLUTE = r"^(/|[A-Za-z]:[\\/]|\\\\)"
PATH: Shape = {"type": "string", "maxLength": MOST_PATH, "pattern": ABSOLUTE}
STAT: Shape = close_shape(
    thing(
        {"kind": {"enum": [MISSING, FILE, FOLDER, LINK, SPECIAL], "type": "string"}},
        {"size": {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}},
    )
)
REPOSITORY: Shape = {
    **close_shape(thing({"root": PATH}, {"branch": text_up_to(500)})), "type": ["object", "null"],
}  # fmt: skip
CLAIMS: Shape = close_shape(
    thing(
        {},
        {
            "home": PATH,
            "temps": some(PATH, maxItems=20),
            "variables": map_of(text_up_to(MOST_PATH), MOST_CLAIMS),
            "real": map_of(PATH, MOST_CLAIMS),
            "stat": map_of(STAT, MOST_CLAIMS),
            "names": map_of(some(text_up_to(500), maxItems=MOST_NAMES), MOST_CLAIMS),
            "text": map_of(text_up_to(MOST_SCRIPT), MOST_CLAIMS),
            "repository": map_of(REPOSITORY, MOST_CLAIMS),
        },
    )
)
"""What may be claimed, each by its path: as ``model.facts.Facts`` asks for it."""
UNLOOKED = "what lies there, for nobody looked"


class ClaimedFacts:
    """The facts of one call; ``claims`` has the shape ``CLAIMS``. ``unread``: files whose text was
    asked for and not claimed, though they may be there.
    """

    def __init__(self, claims: Mapping[str, Any]) -> None:
        self._claims = claims
        self.unread: dict[str, None] = {}

    def _claim(self, question: str, subject: str) -> Any:
        return self._claims.get(question, {}).get(subject, UNKNOWN)

    def home(self) -> str:
        """Return the claimed home, ``""`` without."""
        return str(self._claims.get("home", ""))

    def variable(self, name: str) -> str | Unknown:
        """Return a claimed variable."""
        found: str | Unknown = self._claim("variables", name)
        return found

    def temps(self) -> tuple[str, ...]:
        """Return the claimed folders for temporary files."""
        return tuple(self._claims.get("temps", ()))

    def real(self, path: str) -> str | Unknown:
        """Return where a path is claimed to lead."""
        found: str | Unknown = self._claim("real", path)
        return found

    def stat(self, path: str) -> Stat | Unknown:
        """Return what is claimed to be at a path."""
        said = self._claim("stat", path)
        if isinstance(said, Unknown):
            text = self._claim("text", path)
            return text if isinstance(text, Unknown) else Stat(FILE, len(text))
        return Stat(said["kind"], int(said.get("size", 0)))

    def names(self, path: str) -> tuple[str, ...] | Unknown:
        """Return the claimed names in a folder."""
        said = self._claim("names", path)
        return said if isinstance(said, Unknown) else tuple(said)

    def text(self, path: str) -> str | Unknown:
        """Return the claimed text of a file."""
        found: str | Unknown = self._claim("text", path)
        if isinstance(found, Unknown) and not self._is_absent(path):
            self.unread[path] = None
        return found

    def _is_absent(self, path: str) -> bool:
        """Tell whether nothing is claimed to be at a path, by itself or by its folder's names."""
        said = self._claim("stat", path)
        if not isinstance(said, Unknown):
            return bool(said["kind"] == MISSING)
        folder, _, name = path.rpartition("/")
        names = self._claim("names", folder or "/")
        return not isinstance(names, Unknown) and name not in names

    def members(self, path: str) -> tuple[tuple[str, str], ...] | Unknown:
        """Nothing can be claimed of archives."""
        del path
        return UNKNOWN

    def repository(self, path: str) -> Repository | Unknown | None:
        """Return the repository that is claimed to be around a path."""
        said = self._claim("repository", path)
        if said is None or isinstance(said, Unknown):
            return said
        return Repository(said["root"], said.get("branch", ""))

    def loss(self, path: str, of: str) -> Loss | Unknown:
        """What git could bring back is nothing to take somebody's word for."""
        del path, of
        return UNKNOWN

    def find_altered(self, path: str) -> tuple[str, ...] | Unknown:
        """As ``loss``."""
        del path
        return UNKNOWN

    def untracked(self, path: str) -> tuple[str, ...] | Unknown:
        """As ``loss``."""
        del path
        return UNKNOWN

    def radius(self, stakes: tuple[Stake, ...]) -> Radius:
        """Nobody looked."""
        return Radius(unknown=(UNLOOKED,)) if stakes else Radius()

    def labels(self, subject: str) -> frozenset[str]:
        """Nothing: the session's own marks are remembered, and none is claimed."""
        del subject
        return frozenset()

    def made(self, path: str) -> bool:
        """As ``labels``."""
        del path
        return False

    def started(self, pid: str) -> bool:
        """As ``labels``."""
        del pid
        return False

    def process(self, pid: str) -> Process | Unknown:
        """Nothing can be claimed of processes."""
        del pid
        return UNKNOWN

    def own_code(self) -> tuple[str, ...]:
        """Nothing: the guard's code is not where the caller is."""
        return ()
