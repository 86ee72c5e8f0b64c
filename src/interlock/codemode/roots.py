"""What the kernel is told of a policy: the folders that it lets be read, changed and run from, asked of the policy itself.

The kernel knows folders; a policy knows what things are. So the walls hold what is certain (the workspace, temporary files, the runtime), and all
else goes through the broker, which judges the single file and hands it over.
"""

from __future__ import annotations

import glob
import os

from interlock.codemode.operations import Operation, effects
from interlock.codemode.permits import ANY
from interlock.codemode.plain import ENDINGS, NAMES, WORDS, Plain, is_plain
from interlock.effects.places import ANY_FOLDER
from interlock.engine.decide import decide
from interlock.engine.duties import UNMET
from interlock.model.action import REVIEW, VERDICT_ALLOW
from interlock.model.effect import Reading
from interlock.policy.patterns import pattern
from interlock.sandbox.terms import DIALLED, OFF, OPEN, Walls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from interlock.codemode.program import Prepared, Scene
    from interlock.model.decision import Decision

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/System/Library", "/Library/Developer",
)  # fmt: skip
"""Programs and what they are made of: readable in every run. Nothing of a person lies there."""
SETTINGS = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "debian_version", "fonts", "gai.conf", "host.conf", "hosts",
    "inputrc", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "locale.conf", "localtime", "magic", "mime.types", "nsswitch.conf",
    "os-release", "pki/tls/certs", "pki/ca-trust", "protocols", "python3", "python3.11", "python3.12", "python3.13", "services", "ssl/certs",
    "ssl/openssl.cnf", "terminfo", "timezone", "passwd", "group", "resolv.conf", "mtab", "mailcap", "shells", "xattr.conf", "login.defs", "profile",
    "bash.bashrc", "environment",
)  # fmt: skip
"""Of ``/etc``, what libraries read on their own: no keys, no passwords."""
MAX_LOOKED = 2000
MAX_DEPTH = 3
SKIPPED = frozenset({"node_modules", ".venv", "venv", "__pycache__", "target", "dist", "build", ".git"})
"""Folders into which is not looked for files that a policy singles out; the guard in the program and the broker judge them by name."""


def system() -> tuple[str, ...]:
    """Return what of the system every run may read."""
    return tuple([path for path in (*SYSTEM, *[f"/etc/{name}" for name in SETTINGS]) if os.path.exists(path)])


def freely(scene: Scene, name: str, path: str) -> bool:
    """Tell whether the policy lets an operation be done without a question, and without anything else that has to happen."""
    return _decided(scene, name, path).verdict == VERDICT_ALLOW


def lets(scene: Scene, name: str, path: str) -> bool:
    """Tell whether the policy lets an operation be done, if what has to go with it does, and a run sees to that."""
    decision, carries = _decided(scene, name, path), scene.guard.carries
    return all(found.effective < REVIEW or (found.rule == UNMET and not carries.isdisjoint(found.tags)) for found in decision.findings)


def _decided(scene: Scene, name: str, path: str) -> Decision:
    reading = Reading(effects(Operation(name, (path,)), scene.call, scene.guard.facts))
    return decide(scene.call, reading, scene.guard.policy, "walls")


def within(path: str, folders: Iterable[str]) -> bool:
    """Tell whether a path is one of these, or lies below one."""
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def network(scene: Scene) -> str:
    """Return the network of a run by the hosts that were allowed."""
    hosts = scene.permits.allow_hosts
    asked = scene.permits.asks and scene.guard.ask is not None
    return OPEN if ANY in hosts else DIALLED if hosts or asked else OFF


def walls(scene: Scene, prepared: Prepared, private: str) -> Walls:
    """Return the walls of a run. ``private``: its own temporary folder."""
    writes, reads = [private], [*system(), *prepared.reads]
    for folder in _lent(scene):
        if _may(scene, "write", folder):
            writes.append(folder)
        elif _may(scene, "read", folder):
            reads.append(folder)
    lent = [folder for folder in (*writes, *reads) if folder in scene.call.roots]
    hidden, fixed = [], []
    for path in _singled(scene, lent):
        if not lets(scene, "read", path):
            hidden.append(path)
        elif not lets(scene, "write", path):
            fixed.append(path)
    executes = prepared.executes
    if prepared.commands or ANY in scene.permits.allow_commands:
        executes = (*executes, *system(), *lent)
    elif scene.permits.allow_commands:
        executes = (*executes, *_programs(scene.permits.allow_commands))
    still = not any(folder != private for folder in writes)
    return Walls(
        tuple(dict.fromkeys(reads)), tuple(dict.fromkeys((*writes, *prepared.writes))), tuple(dict.fromkeys(executes)),
        tuple(hidden), tuple(fixed), network(scene), still=still, listens=scene.permits.loopback,
    )  # fmt: skip


def _may(scene: Scene, name: str, folder: str) -> bool:
    """Tell whether an operation in a folder may come to be done: the policy lets it, or a person is asked about each (the guard does the asking)."""
    return lets(scene, name, f"{folder}/x") or (scene.permits.interactive and scene.guard.ask is not None)


def _lent(scene: Scene) -> Iterator[str]:
    """Yield the folders that a policy may let be written: the workspace, and where everybody puts temporary files."""
    for folder in (*scene.call.roots, *scene.guard.facts.temps(), "/var/tmp"):  # noqa: S108 - a folder to ask the policy about
        if os.path.isdir(folder):
            yield os.path.realpath(folder)
    for text in scene.permits.only_paths:
        meant = pattern(text, scene.guard.facts.home()).replace("${WORKSPACE}", scene.call.cwd)
        for folder in (meant.partition("*")[0].rstrip("/"), *glob.glob(meant)):
            if folder and os.path.isdir(folder):
                yield os.path.realpath(folder)


def _programs(names: Iterable[str]) -> Iterator[str]:
    """Yield what has to be runnable for programs by name: themselves, what they link to, and the loader that starts them."""
    import shutil

    for name in names:
        found = shutil.which(name, path=f"/usr/local/bin:/usr/bin:/bin:{os.defpath}")
        if found:
            yield os.path.realpath(found)
    for folder in ("/lib64", "/lib", "/usr/lib", "/usr/lib64", "/usr/libexec"):
        if os.path.isdir(folder):
            yield os.path.realpath(folder)


def _singled(scene: Scene, lent: list[str]) -> Iterator[str]:
    """Yield what lies in lent folders and may be singled out by the policy: what has a name of its own, and anything where paths are named."""
    named = _names_paths(scene)
    plain = plainness(scene, lent)
    seen = 0
    left = [(folder, 0) for folder in lent]
    while left:
        folder, depth = left.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            seen += 1
            if seen > MAX_LOOKED:
                return
            if named or not is_plain(entry.path, plain):
                yield entry.path
            if depth + 1 < MAX_DEPTH and entry.is_dir(follow_symlinks=False) and entry.name not in SKIPPED:
                left.append((entry.path, depth + 1))
        yield from [f"{folder}/{name}" for name in ANY_FOLDER if name.startswith(".git/") and os.path.lexists(f"{folder}/{name}")]


def _names_paths(scene: Scene) -> bool:
    """Whether some rule speaks of paths by name, so that a plain name tells nothing."""
    return bool(scene.guard.policy.places) or any(rule.match.path or rule.match.not_path for rule in scene.guard.policy.rules)


def plainness(scene: Scene, lent: Iterable[str]) -> Plain:
    """Return what is plain in a run: nothing of the workspace where rules speak of paths by name, or where the embedder has rules of their own."""
    folders = tuple(lent)
    if scene.guard.rules or _names_paths(scene) or not all(freely(scene, "read", f"{folder}/x") for folder in folders):
        folders = ()
    written = bool(folders) and all(freely(scene, "write", f"{folder}/x") and freely(scene, "delete", f"{folder}/x") for folder in folders)
    return Plain(lent=folders, written=written, names=NAMES, words=WORDS, endings=ENDINGS)
