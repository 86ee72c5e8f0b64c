"""Secrets in what a call reads: below a folder that is read whole, behind a pattern, in a file that
is named like a key.

What is read is what is in it: each secret that is found there is read as well, surely where the
disk shows it, else possibly.
"""

from __future__ import annotations

from collections.abc import Iterator

from interlock.effects import keys
from interlock.effects.context import CallContext
from interlock.effects.path_actions import PathAction
from interlock.effects.places import GENERATED_NAMES, HOME_FILES, SYSTEM_FILES, below, natures
from interlock.effects.read_selection import ALL, ReadSelection
from interlock.model.effect import (
    PROJECT_SECRET,
    ROOT_OF,
    SECRET,
    TEMP,
    WORKSPACE,
    Place,
    Reads,
    Span,
)
from interlock.model.facts import FILE, FOLDER, LINK, MISSING, Stat
from interlock.shell.pattern import matches

NAMES_ONLY = frozenset({"listed", "linked"})
_PATTERNS = frozenset({"all-of", "some-of", "found"})
"""Traits of a path that stands for what a pattern names (see ``behind``)."""
LABEL = "holds-secret"
MAX_TREES = 32
"""Folders of a call that are looked into."""
MAX_FOLDERS = 24
"""Folders below one that are looked into, the nearest first."""
MAX_SHOWN = 3
"""Secrets of a folder that are named."""
MAX_HOMES = 8
_SOMEONE = "someone"
"""Stands for a user, where nobody knows who has a home there."""
MAX_MATCHED = 64
"""Files behind a pattern that are looked at."""
_SECRETS = tuple([name for name, nature in HOME_FILES.items() if SECRET in nature.split()])
_OF_SYSTEM = tuple(
    [
        path
        for path, nature in SYSTEM_FILES.items()
        if SECRET in nature.split() and not path.startswith(("/proc/", "/dev/"))
    ]
)
_OPEN = frozenset({SECRET, PROJECT_SECRET})
_USUAL = ("id_rsa", "id_ed25519", "credentials", "logins.json", "private.key")
"""Names of files in stores of secrets: a pattern that fits one may mean it where nobody looked."""
_ENVIRONMENT = ".env"


def _is_search(picks: ReadSelection) -> bool:
    """Tell whether only what fits a pattern is shown, and no pattern is likely to fit a secret."""
    if not picks.sought:
        return False
    from interlock.effects.secret_searches import may_show  # only where secrets are found

    return not any(may_show(pattern) for pattern in picks.sought)


# -- what a read reaches ---------------------------------------------------------------------------


def add_secrets(
    context: CallContext, act: PathAction, path: str, place: Place
) -> tuple[Place, tuple[str, ...]]:
    """Add the secrets that reading a path reaches; return its place, and traits for any."""
    if SECRET in place.natures or _is_named_only(act):
        return place, ()
    if not keys.WHOLE.isdisjoint(act.traits) and act.traits.isdisjoint(_PATTERNS):
        picks = act.picks or ALL
        found = _in_tree(context, path, picks)
        if found:
            _add(context, found, picks, act.traits, (act.span, act.by))
            context.secrets.holding.add(path)
            return place, (LABEL,)
    if PROJECT_SECRET in place.natures:
        return place, ()
    kind = keys.secret_kind(context, path, sent="sent" in act.traits)
    if not kind:
        return place, ()
    context.secrets.holding.add(path)
    if place.location == WORKSPACE and path.rpartition("/")[2].lower() in keys.KEPT_NAMES:
        return place.replace(natures=place.natures | {PROJECT_SECRET}), ()
    if kind == keys.PRIVATE and place.location not in (WORKSPACE, TEMP):
        return place.replace(natures=place.natures | {SECRET}), ()
    return place, (LABEL,)


def beneath(
    context: CallContext, folder: str, picks: ReadSelection, told: tuple[Span | None, str]
) -> bool:
    """Add the secrets below a folder, without the folder; tell whether there are any."""
    found = _in_tree(context, folder, picks)
    _add(context, found, picks, frozenset(), told)
    return bool(found)


def secrets_at(
    context: CallContext, path: str, picks: ReadSelection, *, pattern: bool
) -> list[tuple[str, bool]]:
    """Return the secrets at a path, below it or of a pattern, and whether each is surely there."""
    if pattern:
        return list(_match_secrets(context, path, picks, deep=True))
    return [(path, True)] if _is_open(context, path) else _in_tree(context, path, picks)


def behind(context: CallContext, act: PathAction, pattern: str) -> bool:
    """Add the secrets that a pattern names; tell whether there are any."""
    if _is_named_only(act):
        return False
    picks = act.picks or ALL
    found = list(
        _match_secrets(context, pattern, picks, deep=not keys.WHOLE.isdisjoint(act.traits))
    )
    if found:
        _add(context, found, picks, act.traits, (act.span, act.by))
        context.secrets.holding.add(pattern)
    return bool(found)


def _is_named_only(act: PathAction) -> bool:
    """Whether nothing of what is in a file is shown or taken."""
    return not act.traits.isdisjoint(NAMES_ONLY) or (act.picks is not None and act.picks.told)


def _add(
    context: CallContext,
    found: list[tuple[str, bool]],
    picks: ReadSelection,
    traits: frozenset[str],
    told: tuple[Span | None, str],
) -> None:
    more = (
        traits - {"recursive"}
        | {"held"}
        | ({"searched"} if found and _is_search(picks) else frozenset())
    )
    span, by = told
    told_of = context.secrets.told
    for path, sure in [one for one in found if (by, one[0]) not in told_of][:MAX_SHOWN]:
        told_of.add((by, path))
        place, label = context.place(path), frozenset[str]()
        if _OPEN.isdisjoint(place.natures) and place.location in (WORKSPACE, TEMP):
            label = frozenset({LABEL})
        elif _OPEN.isdisjoint(place.natures):
            place = place.replace(natures=place.natures | {SECRET})
        context.add(Reads, path, place=place, span=span, traits=more | label, by=by, certain=sure)


# -- what lies below a folder ----------------------------------------------------------------------


def _in_tree(context: CallContext, folder: str, picks: ReadSelection) -> list[tuple[str, bool]]:
    """Return the secrets below a folder, and whether each is surely there; looked for once."""
    key = (folder, picks)
    if key not in context.secrets.trees_read:
        if len(context.secrets.trees_read) >= MAX_TREES:
            context.opaque("more folders than can be looked into for secrets", None, "too-much")
            return []
        context.secrets.trees_read[key] = _look(context, folder, picks)
    return context.secrets.trees_read[key]


def _look(context: CallContext, folder: str, picks: ReadSelection) -> list[tuple[str, bool]]:
    unsure: list[tuple[str, bool]] = []
    sure: list[tuple[str, bool]] = []
    search = _is_search(picks)
    for path in _secret_paths(context, folder, search=search):
        told = _is_there(context, path, folder, picks)
        if told is not None:
            (sure if told else unsure).append((path, told))
        if len(sure) >= MAX_SHOWN:
            break
    if sure or search:
        return sure or unsure[:1]
    found, whole = _walk(context, folder, picks)
    return (
        [(path, True) for path in found]
        or unsure[:1]
        or ([] if whole else _sample_names(context, folder, picks))
    )


def _sample_names(
    context: CallContext, folder: str, picks: ReadSelection
) -> list[tuple[str, bool]]:
    """Return what the names that are meant stand for, where they are those of keys and the folder
    is a whole home or machine.
    """
    if ROOT_OF not in context.place(folder).natures:
        return []
    named = [_sample(name) for name in picks.names]
    return [(f"{folder.rstrip('/')}/{name}", False) for name in named if keys.may_hold(name)][:1]


def _sample(pattern: str) -> str:
    """Return a name that a pattern fits."""
    return "".join(["x" if char in "*?" else char for char in pattern])


def _secret_paths(context: CallContext, folder: str, *, search: bool) -> Iterator[str]:
    """Yield the paths below a folder that would be secrets of a user or of the system, or for a
    ``search`` of a user alone.
    """
    for home in dict.fromkeys([context.home, *_homes(context, folder)]):
        if home and (below(home, folder) or below(folder, home)):
            yield from [
                path
                for name in _SECRETS
                if (path := f"{home}/{name}") != folder and below(path, folder)
            ]
    if folder == "/" or not search:
        yield from [path for path in _OF_SYSTEM if path != folder and below(path, folder)]


def _homes(context: CallContext, folder: str) -> list[str]:
    """Return the homes, whoever's, that lie in a folder or around it."""
    parts = folder.split("/")
    if parts[1:2] == ["root"]:
        return ["/root"]
    if parts[1:2] not in (["home"], ["Users"]):
        return []
    if len(parts) > len(("", "home")):
        return ["/".join(parts[:3])]
    names = context.facts.names(folder)
    return (
        [f"{folder}/{name[:-1]}" for name in names if name[-1:] == "/"][:MAX_HOMES]
        if isinstance(names, tuple)
        else [f"{folder}/{_SOMEONE}"]
    )


def _is_there(context: CallContext, path: str, folder: str, picks: ReadSelection) -> bool | None:
    """Tell whether a secret is there and read: surely, possibly (False), or None for not at all."""
    relative = path[len(folder.rstrip("/")) + 1 :]
    if not _is_included(relative, picks):
        return None
    stat = context.facts.stat(path) if path not in context.files.changed else None
    if not isinstance(stat, Stat):
        return False if _may_be_named(relative, picks) else None
    if stat.kind == FILE:
        return True if _is_named(relative, picks) else None
    return _store(context, path, picks) if stat.kind in (FOLDER, LINK) else None


def _store(context: CallContext, path: str, picks: ReadSelection) -> bool | None:
    """Tell whether a store of secrets holds what is read of it; an empty one holds nothing."""
    names = context.facts.names(_real(context, path))
    if not isinstance(names, tuple):
        return False if _may_be_named("", picks) else None
    inside = [name for name in names if _is_included(name.rstrip("/"), picks)]
    if any(
        _is_named(name, picks)
        and (name[-1:] == "/" or SECRET in natures(f"{path}/{name}", (), context.home))
        for name in inside
    ):
        return True
    return False if any(name[-1:] == "/" for name in inside) and _may_be_named("", picks) else None


def _real(context: CallContext, path: str) -> str:
    real = context.facts.real(path)
    return real if isinstance(real, str) else path


def _is_included(relative: str, picks: ReadSelection) -> bool:
    """Tell whether a path is not left out, by itself or by a folder above it."""
    steps = relative.split("/")
    if not picks.hidden and any(step[:1] == "." for step in steps):
        return False
    for pattern in picks.without:
        plain = (
            pattern.removeprefix("./")
            .removeprefix("**/")
            .strip("/")
            .removesuffix("/**")
            .removesuffix("/*")
        )
        if any(matches(plain, step) for step in steps) or any(
            matches(plain, "/".join(steps[: at + 1])) for at in range(len(steps))
        ):
            return False
    return True


def _is_named(name: str, picks: ReadSelection) -> bool:
    """Tell whether a file is among those that are meant; of a folder nobody knows what is in it."""
    last = name.rpartition("/")[2]
    return not picks.names or (
        bool(last) and any(matches(pattern, last) for pattern in picks.names)
    )


def _may_be_named(relative: str, picks: ReadSelection) -> bool:
    """Tell whether a store that nobody can look into may hold a file that is meant."""
    return _is_named(relative, picks) or any(
        matches(pattern, name) for pattern in picks.names for name in _USUAL
    )


def _walk(context: CallContext, folder: str, picks: ReadSelection) -> tuple[list[str], bool]:
    """Return the project's secrets and keys below a folder, and whether all of it was seen; what is
    built anew is left out.
    """
    left, seen, whole, found = [folder.rstrip("/")], 0, True, list[str]()
    while left and seen < MAX_FOLDERS:
        here = left.pop(0)
        names = context.facts.names(here or "/")
        whole = whole and isinstance(names, tuple)
        seen += 1
        for name in names if isinstance(names, tuple) else ():
            path, plain = f"{here}/{name.rstrip('/')}", name.rstrip("/")
            if not _is_included(path[len(folder.rstrip("/")) + 1 :], picks):
                continue
            if name[-1:] == "/":
                left += [path] if plain not in GENERATED_NAMES and plain != ".git" else []
            elif (
                _is_named(plain, picks)
                and _is_open(context, path)
                and _may_show(context, path, picks)
            ):
                found.append(path)
        if len(found) >= MAX_SHOWN:
            break
    return found[:MAX_SHOWN], whole and not left


def _is_open(context: CallContext, path: str) -> bool:
    """Tell whether a file is a secret, by its name or by what is in it."""
    if path in context.files.changed:
        return False
    return not _OPEN.isdisjoint(natures(path, context.call.roots, context.home)) or bool(
        keys.secret_kind(context, path)
    )


def _may_show(context: CallContext, path: str, picks: ReadSelection) -> bool:
    """Tell whether a search may show of a file: not if what it seeks is known not to be there."""
    if not picks.sought:
        return True
    from interlock.effects.secret_searches import plain

    text = context.facts.text(path)
    words = [plain(pattern).lower() for pattern in picks.sought]
    return not isinstance(text, str) or "" in words or any(word in text.lower() for word in words)


# -- what a pattern names --------------------------------------------------------------------------


def _match_secrets(
    context: CallContext, pattern: str, picks: ReadSelection, *, deep: bool
) -> Iterator[tuple[str, bool]]:
    """Yield the secrets that a pattern names, folders read with all they hold where ``deep``;
    ``**/`` is any folder below.
    """
    folder, deeper, rest = pattern.partition("/**/")
    if deeper:
        if not any(mark in folder for mark in "*?["):
            yield from _in_tree(
                context,
                folder or "/",
                picks.replace(names=(rest.rpartition("/")[2],)) if rest.strip("*") else picks,
            )
        return
    steps = pattern.split("/")
    found, seen = [""], 0
    for at, step in enumerate(steps[1:], 1):
        if not any(mark in step for mark in "*?["):
            found = [f"{one}/{step}" for one in found]
            continue
        more: list[str] = []
        for one in found:
            names = context.facts.names(one or "/") if seen < MAX_FOLDERS else ()
            seen += 1
            if not isinstance(names, tuple):
                if deep:
                    yield from _in_tree(context, one or "/", picks)
                elif at == len(steps) - 1 and _fits(step, _ENVIRONMENT):
                    yield f"{one}/{_ENVIRONMENT}", False
                continue
            more += [f"{one}/{name.rstrip('/')}" for name in names if _fits(step, name.rstrip("/"))]
        found = more[:MAX_MATCHED]
    for path in found:
        yield from _behind(context, path, picks, deep=deep)


def _behind(
    context: CallContext, path: str, picks: ReadSelection, *, deep: bool
) -> Iterator[tuple[str, bool]]:
    if SECRET in context.place(path).natures or (
        _is_open(context, path) and not _is_search(picks) and _may_show(context, path, picks)
    ):
        stat = context.facts.stat(path)
        if isinstance(stat, Stat) and stat.kind != MISSING:
            yield path, True
    elif deep:
        yield from _in_tree(context, path, picks)


def _fits(pattern: str, name: str) -> bool:
    """Whether a pattern matches a name; a leading dot is matched by a dot only (POSIX 2.13.3)."""
    return (name[:1] != "." or pattern[:1] == ".") and matches(pattern, name)
