"""What the kernel is told of a policy: the folders that it lets be read, changed and run from,
asked of the policy itself.

The kernel knows folders; a policy knows what things are. So the walls hold what is certain (the
workspace, temporary files, the runtime), and all else goes through the broker, which judges the
single file and hands it over.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator

from interlock.codemode.commands import ProgramFiles, everything, program, search
from interlock.codemode.operations import OWN_FOLDERS, Operation, effects
from interlock.codemode.permissions import ANY, EACH
from interlock.codemode.plain_paths import ENDINGS, NAMES, WORDS, PlainPaths
from interlock.codemode.program import RunCommand, RunContext
from interlock.codemode.sensitive_paths import FolderIndex, SensitivePaths, SensitivePathScan
from interlock.effects import places
from interlock.engine.decide import decide
from interlock.engine.obligations import UNMET
from interlock.model.action import REVIEW, VERDICT_ALLOW
from interlock.model.call import OTHER
from interlock.model.decision import Decision
from interlock.model.effect import Reading
from interlock.model.glob import DEEP, name_fits
from interlock.policy.files import digest
from interlock.policy.patterns import WORKSPACE, pattern
from interlock.sandbox.bounds import DIALLED, OFF, OPEN, Walls

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store",
    "/gnu/store", "/System/Library", "/Library/Developer",
)  # fmt: skip
"""Programs and what they are made of: readable in every run. Nothing of a person lies there."""
SETTINGS = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "crypto-policies", "debian_version",
    "fonts", "gai.conf", "gitconfig", "host.conf", "hosts",
    "inputrc", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "locale.conf",
    "localtime", "magic", "mime.types", "nsswitch.conf",
    "os-release", "pki/tls/certs", "pki/ca-trust", "protocols", "python3", "python3.11",
    "python3.12", "python3.13", "services", "ssl/certs",
    "ssl/openssl.cnf", "terminfo", "timezone", "passwd", "group", "resolv.conf", "mtab", "mailcap",
    "shells", "xattr.conf", "login.defs", "profile",
    "bash.bashrc", "environment",
)  # fmt: skip
"""Of ``/etc``, what libraries read on their own: no keys, no passwords."""
INSTALLED = (
    "/var/lib/dpkg", "/var/lib/apt", "/var/cache/apt", "/etc/dpkg", "/etc/apt/apt.conf.d",
    "/etc/apt/keyrings", "/etc/apt/preferences.d", "/etc/apt/sources.list",
    "/etc/apt/sources.list.d", "/etc/apt/trusted.gpg.d",
    "/var/lib/rpm", "/etc/rpm", "/etc/dnf", "/etc/yum.conf", "/etc/yum.repos.d", "/etc/apk",
    "/lib/apk",
)  # fmt: skip
"""What says which packages are installed, and which there are: readable where programs may be
started (``dpkg -l``, ``apt-get install --simulate``). Passwords of archives lie in
``/etc/apt/auth.conf`` (apt_auth.conf(5)), which is not among them.
"""
OF_HOME = (".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes")
"""Below the home folder, what programs read on their own, if the policy lets them."""


def system() -> tuple[str, ...]:
    """Return what of the system every run may read."""
    return tuple(
        [path for path in (*SYSTEM, *[f"/etc/{name}" for name in SETTINGS]) if os.path.exists(path)]
    )


def freely(scene: RunContext, name: str, path: str) -> bool:
    """Tell whether the policy lets an operation be done without a question, and without anything
    else that has to happen.
    """
    return _decide_path(scene, name, path).verdict == VERDICT_ALLOW


def lets(scene: RunContext, name: str, path: str) -> bool:
    """Tell whether the policy lets an operation be done, if what has to go with it does, and a run
    sees to that; that a person is asked about each operation the guard sees to.
    """
    decision, carries = _decide_path(scene, name, path), scene.guard.carries
    asks = scene.guard.ask is not None
    return all(
        (found.rule == EACH.id and asks)
        or found.effective < REVIEW
        or (found.rule == UNMET and not carries.isdisjoint(found.tags))
        for found in decision.findings
    )


def _decide_path(scene: RunContext, name: str, path: str) -> Decision:
    asked = scene.call.replace(tool=OTHER, name="walls", input={})  # of a path, and of no command
    reading = Reading(effects(Operation(name, (path,)), asked, scene.guard.facts))
    return decide(asked, reading, scene.guard.policy, "walls")


def within(path: str, folders: Iterable[str]) -> bool:
    """Tell whether a path is one of these, or lies below one."""
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def network(scene: RunContext) -> str:
    """Return the network of a run by the hosts that were allowed."""
    hosts = scene.permits.allow_hosts
    asked = scene.permits.asks and scene.guard.ask is not None
    return OPEN if ANY in hosts else DIALLED if hosts or asked else OFF


def walls(scene: RunContext, prepared: RunCommand, private: str) -> Walls:
    """Return the walls of a run. ``private``: its own temporary folder."""
    writes, reads = [private], [*system(), *prepared.reads]
    for folder in () if prepared.apart else _writable_folders(scene):
        if lets(scene, "write", f"{folder}/x"):
            writes.append(folder)
        elif lets(scene, "read", f"{folder}/x"):
            reads.append(folder)
    starts = prepared.commands or bool(scene.permits.allow_commands)
    programs = _programs(scene, prepared) if starts else ProgramFiles()
    if starts:
        reads += [path for path in INSTALLED if os.path.exists(path)]
        reads += [path for path in _of_home(scene) if lets(scene, "read", path)]
        reads += programs.parts
    lent = [path for path in (*writes[1:], *reads) if path in (*writes, *scene.call.roots)]
    lent = [path for path in lent if path != private]
    lent += [prepared.cwd] if within(prepared.cwd, lent) else []
    found = _single_out(scene, lent, [*reads, *prepared.writes, private], repositories=starts)
    scene.made = make_newness_test(found, scene.call.roots, private)
    executes = prepared.executes
    if prepared.commands or ANY in scene.permits.allow_commands:
        lent = [folder for folder in (*writes, *reads) if folder in scene.call.roots]
        executes = (*executes, *system(), *lent)
    elif scene.permits.allow_commands:
        executes = (*executes, *programs.paths, *LOADERS)
        if not BUILDERS.isdisjoint(scene.permits.allow_commands):
            executes = (*executes, private)
    executes = (*executes, *programs.parts)
    still = not any(folder != private for folder in writes)
    return Walls(
        tuple(dict.fromkeys(reads)), tuple(dict.fromkeys((*writes, *prepared.writes))),
        tuple(dict.fromkeys(executes)),
        found.hidden, (*found.fixed, *prepared.fixed), found.kept, network(scene), still=still,
        listens=scene.permits.loopback, empty=(*prepared.empty, *found.empty),
    )  # fmt: skip


def _of_home(scene: RunContext) -> Iterator[str]:
    home = scene.guard.facts.home()
    yield from [f"{home}/{name}" for name in OF_HOME if home and os.path.isfile(f"{home}/{name}")]


BUILDERS = frozenset({"go", "cargo"})
"""Who runs what it has built itself, in a folder for temporary files (``go test``): whoever allows
it allows any code.
"""
LOADERS = tuple(
    dict.fromkeys(
        [
            os.path.realpath(folder)
            for folder in ("/lib64", "/lib", "/usr/lib", "/usr/lib64", "/usr/libexec")
            if os.path.isdir(folder)
        ]
    )
)
"""Where the loader lies that starts programs, and what programs start for themselves."""


def _programs(scene: RunContext, prepared: RunCommand) -> ProgramFiles:
    """Return the programs that a run may start, and the folders that they are made of."""
    home, allowed = scene.guard.facts.home(), scene.permits.allow_commands
    own = prepared.argv[0]
    first = [os.path.dirname(path) for path in (own, os.path.realpath(own))]
    path = search(first, (*scene.call.roots, *map(os.path.realpath, _temporary(scene))))
    if prepared.commands or ANY in allowed:
        parts: tuple[str, ...] = everything(path, home)
        return ProgramFiles((), tuple([one for one in parts if not within(one, SYSTEM)]))
    found = [program(name, path, home) for name in allowed]
    return ProgramFiles(
        tuple([one for each in found for one in each.paths]),
        tuple([one for each in found for one in each.parts]),
    )


def _temporary(scene: RunContext) -> tuple[str, ...]:
    return (*scene.guard.facts.temps(), "/var/tmp")  # noqa: S108 - a folder to ask about


def _writable_folders(scene: RunContext) -> Iterator[str]:
    """Yield the folders a policy may let be written: the workspace, and temporary ones."""
    for folder in (*scene.call.roots, *_temporary(scene)):
        if os.path.isdir(folder):
            yield os.path.realpath(folder)
    for text in scene.permits.only_paths:
        meant = pattern(text, scene.guard.facts.home()).replace("${WORKSPACE}", scene.call.cwd)
        for folder in (meant.partition("*")[0].rstrip("/"), *glob.glob(meant)):
            if folder and os.path.isdir(folder):
                yield os.path.realpath(folder)


_indexes: dict[str, FolderIndex] = {}
"""What this process knows of folders, by where that is kept."""


def _single_out(
    scene: RunContext, folders: list[str], spared: list[str], *, repositories: bool
) -> SensitivePaths:
    """Return what the policy singles out below folders; raises ``TooManyFoldersError``."""
    judged: dict[tuple[str, object], bool] = {}
    named = _make_name_test(scene, folders)

    def judge(name: str) -> Callable[[str], bool]:
        def lets_it(path: str) -> bool:
            if named is not None and named(path):
                return lets(scene, name, path)
            roots, home = scene.call.roots, scene.guard.facts.home()
            key = name, places.classify(path, roots, home, scene.guard.facts.temps())
            if key not in judged:
                judged[key] = lets(scene, name, path)
            return judged[key]

        return lets_it

    kept = digest("\n".join(scene.call.roots))
    path = f"{scene.state}/looked/{kept}" if scene.state else ""
    index = _indexes.get(path) or _indexes.setdefault(path, FolderIndex(path))
    judges = judge("read"), judge("write")
    temps = [os.path.realpath(one) for one in _temporary(scene)]
    looking = SensitivePathScan(judges, index, named, repositories=repositories)
    given = [folder for folder in folders if folder in scene.call.roots or folder not in temps]
    found = looking.single_out(given, [one for one in folders if one in temps], spared)
    home = scene.guard.facts.home()
    own = [f"{home}/{name}" for name in OWN_FOLDERS]
    hidden = [path for path in own if home and within(path, folders)]
    return found.replace(hidden=(*found.hidden, *hidden))


def make_newness_test(
    found: SensitivePaths, roots: tuple[str, ...], private: str
) -> Callable[[str], bool]:
    """Return what tells whether a path lies in a folder that was not there before a run began."""
    before = found.folders
    whole = [root for root in roots if root in before]

    def made(path: str) -> bool:
        if within(path, (private,)):
            return True
        gone = not os.path.lexists(path)  # there is nothing to lose
        folder = gone or (os.path.isdir(path) and not os.path.islink(path))
        at = path if folder else os.path.dirname(path)
        return within(at, whole) and at not in before and not within(at, found.hidden)

    return made


def _make_name_test(scene: RunContext, folders: Iterable[str]) -> Callable[[str], bool] | None:
    """Return what tells whether the policy speaks of a path below folders; None if never."""
    policy, roots = scene.guard.policy, scene.call.roots
    ours = [path for rule in policy.rules for path in rule.match.path]
    ours += [path for place in policy.places for path in place.paths]
    ours = [one for one in _fill_patterns(ours, roots) if any(_meets(one, at) for at in folders)]
    others = [rule.match.not_path for rule in policy.rules if rule.match.not_path]
    if not ours and not others:
        return None
    fits, misses = _one_of(ours), [_one_of(_fill_patterns(one, roots)) for one in others]
    return lambda path: bool(fits(path)) or not all(one(path) for one in misses)


def _fill_patterns(patterns: Iterable[str], roots: tuple[str, ...]) -> list[str]:
    """Return patterns with the workspace's folders in them."""
    whole = []
    for one in patterns:
        told = one.startswith(WORKSPACE)
        whole += [root + one[len(WORKSPACE) :] for root in roots] if told else [one]
    return whole


def _meets(pattern: str, folder: str) -> bool:
    """Tell whether a pattern may speak of what lies below a folder."""
    steps = zip(pattern.strip("/").split("/"), folder.strip("/").split("/"), strict=False)
    for said, there in steps:
        if said == DEEP:
            return True
        if not name_fits(said.lower(), there.lower()):
            return False
    return True


def _one_of(patterns: Iterable[str]) -> Callable[[str], object]:
    """Return what tells whether a path may fit one of a policy's patterns (``model.glob``)."""
    forms = []
    for one in patterns:
        steps = [
            "(?:/[^/]+)*" if step == DEEP else "/" + _form(step)
            for step in one.strip("/").split("/")
        ]
        forms.append("".join(steps))
    return re.compile(f"(?:{'|'.join(forms) or '(?!)'})/?$", re.IGNORECASE).match


def _form(step: str) -> str:
    """Return one step of a pattern as a regular expression."""
    signs = {"*": "[^/]*", "?": "[^/]"}
    return "".join([signs.get(one) or re.escape(one) for one in step])


def plainness(scene: RunContext, lent: Iterable[str]) -> PlainPaths:
    """Return what is plain in a run: nothing of the workspace where rules speak of paths by name,
    or where the embedder has rules of their own.
    """
    folders = tuple(lent)
    if (
        scene.guard.rules
        or _make_name_test(scene, folders) is not None
        or not all(freely(scene, "read", f"{folder}/x") for folder in folders)
    ):
        folders = ()
    written = bool(folders) and all(
        freely(scene, "write", f"{folder}/x") and freely(scene, "delete", f"{folder}/x")
        for folder in folders
    )
    return PlainPaths(lent=folders, written=written, names=NAMES, words=WORDS, endings=ENDINGS)
