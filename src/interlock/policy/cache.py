"""The compiled policy: plain tuples in a file of the user's own, so that no call parses YAML unless
a policy file changed.

The file names everything it was made of: each file's path, owner, mode and SHA-256 (also of those
that were not there), this Python, the rules. Anything that is off, foreign or unreadable means:
work it out again. There is no claim against the same user forging it; that write is one of the
guard's own files.
"""

from __future__ import annotations

import marshal
import sys
from typing import Any

from interlock.engine.candidates import RuleIndex
from interlock.engine.rule_index import make_plans
from interlock.model.policy import Policy
from interlock.model.release import RULES_VERSION
from interlock.model.rule import Rule
from interlock.policy.files import PolicyFile, PolicyLocations, digest, fingerprint, look, sha256
from interlock.policy.plain_data import pack, unpack
from interlock.policy.rule_objects import RuleSequence
from interlock.policy.rule_objects import keep as keep_rules
from interlock.rules.catalogue import FAMILIES, RULES

if sys.platform == "win32":
    import nt as system
else:
    import posix as system


FORM = b"interlock-policy-3\n"
DIGEST = 32
MOST = 64
"""Files of compiled policies that are kept; the oldest go first."""
_BUILT_IN = {rule.id: rule for rule in RULES}
_known: dict[str, tuple[Any, Policy]] = {}
"""Policies that this process has used, with what each was made of."""


def folder(where: PolicyLocations) -> str:
    """Return the folder of compiled policies."""
    return f"{where.state}/compiled"


def identity() -> tuple[object, ...]:
    """Return what has to be the same for compiled data to mean the same: this Python, this
    interlock and its rules.
    """
    stats = [system.stat(family.__file__ or "") for family in FAMILIES]
    return (
        FORM,
        sys.version,
        RULES_VERSION,
        len(RULES),
        tuple([(stat.st_mtime_ns, stat.st_size) for stat in stats]),
    )


def path_of(where: PolicyLocations) -> str:
    """Return the file in which the policy of these places is kept."""
    name = repr(
        (
            where.system,
            where.home,
            where.project,
            where.owner,
            where.above,
            where.own_home,
            where.session,
        )
    )
    return f"{folder(where)}/{digest(name)}.policy"


def find(where: PolicyLocations, known: dict[str, PolicyFile], today: int) -> Policy | None:
    """Return the compiled policy, or None where there is none that was made of exactly what is
    there now.

    ``known``: files that were looked at already. ``today``: days since 1970, for exceptions that
    end.
    """
    path = path_of(where)
    kept = _known.get(path)
    held = kept[0] if kept is not None else _load(path, where)
    try:
        if (
            held is None
            or held[0] != identity()
            or not held[1] > today
            or not _is_as_it_was(held[2], known, where)
        ):
            _known.pop(path, None)
            return None if kept is None else find(where, known, today)
        return kept[1] if kept is not None else _remember_policy(path, held)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OSError):
        return None


def _is_as_it_was(
    made_of: tuple[tuple[str, tuple[int, ...], tuple[object, ...]], ...],
    known: dict[str, PolicyFile],
    where: PolicyLocations,
) -> bool:
    """Whether the files that a policy was made of are what they were then."""
    return all(
        fingerprint(known.get(path) or look(path, owners, where.lent)) == was
        for path, owners, was in made_of
    )


def _remember_policy(path: str, held: tuple[Any, ...]) -> Policy:
    """Return the policy that compiled data says, and keep it for later calls of this process."""
    policy: Policy = unpack(held[3], _BUILT_IN)
    rules = RuleSequence(held[4], _BUILT_IN)
    policy = policy.replace(rules=rules, by_kind=RuleIndex(rules, held[5]))
    if len(_known) >= MOST:
        _known.clear()
    _known[path] = (held, policy)
    return policy


def keep(
    where: PolicyLocations,
    policy: Policy,
    made_of: list[tuple[PolicyFile, tuple[int, ...]]],
    until: int,
) -> str:
    """Keep a compiled policy until a day (since 1970); return why it was not kept, or ``""``."""
    files = tuple([(file.path, owners, fingerprint(file)) for file, owners in made_of])
    bare = pack(policy.replace(rules=(), by_kind=None), _BUILT_IN)
    return write(
        path_of(where),
        (
            identity(),
            until,
            files,
            bare,
            keep_rules(policy.rules, _BUILT_IN),
            make_plans(policy.rules),
        ),
        where,
    )


def write(path: str, value: Any, where: PolicyLocations) -> str:
    """Write plain data for this user only, whole or not at all; return why not, or ``""``."""
    if not where.state:
        return "there is no home to keep it in"
    payload = marshal.dumps(value)
    fresh = f"{path}.{system.getpid()}"
    try:
        _prepare(where)
        handle = system.open(
            fresh,
            system.O_WRONLY | system.O_CREAT | system.O_TRUNC | getattr(system, "O_NOFOLLOW", 0),
            0o600,
        )
        try:
            _write_all(handle, FORM + sha256(payload) + payload)
        finally:
            system.close(handle)
        system.replace(fresh, path)
        _tidy(folder(where))
    except OSError as error:
        return f"{path}: {error.strerror}"
    return ""


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[system.write(handle, data) :]


def _prepare(where: PolicyLocations) -> None:
    """Make the folder, for its owner only, and those above it."""
    parts = folder(where).split("/")
    for end in range(2, len(parts) + 1):
        path = "/".join(parts[:end])
        try:
            system.stat(path)
        except FileNotFoundError:
            system.mkdir(path, 0o700)


def _tidy(path: str) -> None:
    names = [f"{path}/{name}" for name in system.listdir(path)]
    if len(names) > 2 * MOST:
        for name in sorted(names, key=lambda one: system.stat(one).st_mtime_ns)[
            : len(names) - MOST
        ]:
            system.unlink(name)


def _load(path: str, where: PolicyLocations) -> Any:
    """Return the plain data of a file, or None if missing, not this user's alone, or not whole."""
    if not where.state:
        return None
    file = look(path, (where.owner,))
    data = file.data
    if data is None or file.problem or (sys.platform != "win32" and file.mode & 0o077):
        return None
    head, payload = data[: len(FORM) + DIGEST], data[len(FORM) + DIGEST :]
    if head != FORM + sha256(payload):
        return None
    try:
        return marshal.loads(payload)  # noqa: S302 - plain tuples, written whole by this user, and the sum fits
    except (ValueError, EOFError, TypeError):
        return None


# -- the rules of a profile for one run ------------------------------------------------------------


def of_profile(where: PolicyLocations, path: str, mark: str) -> tuple[Rule, ...] | None:
    """Return the rules that the file of a profile adds to a policy, None where they are not known.
    ``mark``: the policy's hash.
    """
    held = _load(_profile_path(where, path, mark), where)
    try:
        if held is None or held[0] != _fingerprint(path):
            return None
        rules: tuple[Rule, ...] = unpack(held[1], {})
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, OSError):
        return None
    return rules


def keep_of_profile(where: PolicyLocations, path: str, mark: str, rules: tuple[Rule, ...]) -> str:
    """Keep them; return why that could not be, or ``""``."""
    return write(_profile_path(where, path, mark), (_fingerprint(path), pack(rules, {})), where)


def _profile_path(where: PolicyLocations, path: str, mark: str) -> str:
    return f"{folder(where)}/{digest(repr((path, mark)))}.profile"


def _fingerprint(path: str) -> tuple[object, ...]:
    """Return what has to be the same; raises ``OSError``."""
    found = system.stat(path)
    return (*identity(), found.st_mtime_ns, found.st_size)


# -- the last good version of a file ---------------------------------------------------------------


def good_path(where: PolicyLocations, path: str) -> str:
    """Return where the last good layers of a file are kept."""
    return f"{folder(where)}/{digest(path)}.good"


def keep_good(where: PolicyLocations, path: str, layers: tuple[Any, ...]) -> str:
    """Keep what a file said when it was last read well."""
    return write(good_path(where, path), (FORM, pack(layers, {})), where)


def last_good(where: PolicyLocations, path: str) -> tuple[Any, ...]:
    """Return what a file said when it was last read well; nothing where that is not known."""
    held = _load(good_path(where, path), where)
    try:
        layers: tuple[Any, ...] = (
            unpack(held[1], {}) if held is not None and held[0] == FORM else ()
        )
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return ()
    return layers
