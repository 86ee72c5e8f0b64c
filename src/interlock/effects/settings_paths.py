"""Settings by which a tool uses what nobody lent: ``pythonpath = /tmp/x``, ``outDir: "~/www"``.

What a call, or its session, writes into them decides what the tool loads and where it writes, as
words of its command line do, though no word says it. So a program that uses what lies in its folder
is not proven where such a file leads out of the workspace.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.effects.embedded_paths import find_paths
from interlock.effects.environment import DATA_OPTIONS, pieces
from interlock.effects.named_files import TALKING
from interlock.effects.other_folders import uses_words_alone
from interlock.effects.run import Run
from interlock.effects.touched_files import find_partial_text
from interlock.model.effect import HOME, OTHER_REPOSITORY, SECRET, TEMP, WORKSPACE

_ENDINGS = frozenset(
    "toml ini cfg conf config json jsonc json5 yaml yml properties xml props targets opts pth mod"
    " work plist env".split()
)
_COMMENTS = ("#", "//", ";", "<!--", "*", "/*")
_OUTSIDE = frozenset({TEMP, HOME, OTHER_REPOSITORY})
MAX_LINES = 4000


def doubt_written_settings(run: Run) -> None:
    """Note what settings say that this call wrote before it started a program that may use them."""
    if not run.reader.written or run.name.partition(" ")[0] in TALKING or uses_words_alone(run):
        return
    for path in [path for path in list(run.reader.written) if _is_settings(path)]:
        if run.context.place(path).location == WORKSPACE:
            text = find_partial_text(run.context, run.reader.written[path])
            doubt_paths(run, path, text or "")


def _is_settings(path: str) -> bool:
    """Whether a file is one of settings by its name: ``tsconfig.json``, ``.npmrc``."""
    name = path.rpartition("/")[2]
    before, dot, ending = name.rpartition(".")
    return bool(dot) and (not before or ending.lower() in _ENDINGS)


def doubt_paths(run: Run, path: str, text: str) -> None:
    """Note where settings lead out of the workspace; in lines that speak of data it is of no
    matter.
    """
    folder, _, name = path.rpartition("/")
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        run.context.doubt(f"not all of {name} was read")
    for line in lines[:MAX_LINES]:
        if not line.lstrip().startswith(_COMMENTS):
            for found in _leading_out(run, folder, _without_data(line)):
                run.context.doubt(f"what {name} makes of {found} is not known")


def _without_data(line: str) -> list[str]:
    """Return the parts of a line but those whose key says that they are data."""
    parts = line.replace(",", "\n").split("\n")
    return [part for part in parts if DATA_OPTIONS.isdisjoint(_key(part))]


def _key(part: str) -> list[str]:
    ends = [at for at in (part.find("="), part.find(":")) if at >= 0]
    return pieces(part[: min(ends, default=0)].strip(" \t\"'-{"))


def _leading_out(run: Run, folder: str, parts: Iterable[str]) -> list[str]:
    found = [path for part in parts for word in part.split() for path in find_paths(word)]
    places = [(path, run.context.normal(run.context.at_home(path), folder)) for path in found]
    return [path for path, full in places if full is not None and _is_outside(run, path, full)]


def _is_outside(run: Run, path: str, full: str) -> bool:
    """Whether a path is of what others own, or write; a route of a server looks like one at the
    top of the disk.
    """
    place = run.context.place(full)
    leads_up = ".." in path and place.location != WORKSPACE
    return leads_up or place.location in _OUTSIDE or SECRET in place.natures
