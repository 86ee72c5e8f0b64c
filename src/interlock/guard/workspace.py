"""What may be a workspace: never the root, a home, what lies above a home, or a folder of the
system.

At a client's hook it is the repository around the folder that the session began in. Where there is
none (it began in the home folder), or work goes on elsewhere in the same project, the first
question about it says that a yes makes the project part of the workspace.
"""

from __future__ import annotations

from collections.abc import Iterable

from interlock.guard.failures import Failure, attempt
from interlock.ledger.session_grants import is_one_project, plain
from interlock.ledger.sessions import SessionState
from interlock.model.action import ASK, WARN
from interlock.model.call import ToolCall
from interlock.model.decision import Decision, Finding
from interlock.model.facts import FILE, Facts, Repository, Stat

SYSTEM_FOLDERS = frozenset(
    """/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /opt /proc /run /run/user /sbin /srv /sys
        /usr /usr/local /System /Library /Applications
    /var /var/cache /var/folders /var/lib /var/log /var/run /var/spool /var/tmp /var/www
    /private /private/etc /private/tmp /private/var /private/var/tmp
    /home /Users /Volumes /root /mnt /media /nix /snap /tmp""".split()
)
"""The system's, and those that everybody shares: never a workspace themselves."""
_WHOLE = (
    "/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /sbin /sys /usr /System /Library"
    " /Applications /private/etc".split()
)
"""Neither is anything below these..."""
_ALLOWED_BELOW = ("/usr/src", "/usr/local/src")
"""... but here."""
MANIFESTS = """package.json pyproject.toml setup.py Cargo.toml go.mod pom.xml build.gradle
    build.gradle.kts Gemfile composer.json pubspec.yaml mix.exs
    CMakeLists.txt Makefile Package.swift deno.json""".split()
"""Files that lie at the top of a project."""
JOINS = "session.workspace"
"""The rule that says what a yes adds to the workspace."""


def place_call(
    call: ToolCall, remembered: SessionState | Failure, facts: Facts, *, whole: bool = False
) -> ToolCall:
    """Return the call with the workspace and intent of its session. Where even that fails there is
    no workspace, which is the strictest.

    ``whole``: as in ``roots``.
    """
    if not isinstance(remembered, Failure) and remembered.known:
        call = call.replace(roots=remembered.roots)
        if call.intent or call.scope or not (remembered.intent or remembered.scope):
            return call
        scope = "; ".join(
            [*filter(None, [remembered.scope]), *(["unsure"] if remembered.forgotten else [])]
        )
        return call.replace(intent=remembered.intent, scope=scope)
    found = attempt("facts", lambda: roots(call, facts, whole=whole), tuple)
    return call.replace(roots=() if isinstance(found, Failure) else found)


def roots(call: ToolCall, facts: Facts, *, whole: bool = False) -> tuple[str, ...]:
    """Return the workspace of a session whose first call this is: the client's folders, else the
    folder it began in; none where none may be one.

    ``whole``: a folder inside a repository stands for the repository, for a client is often started
    where the shell happens to be.
    """
    home = facts.home()
    candidates = [_normal(one) for one in call.roots or (call.cwd,)]
    if whole:
        candidates = [_whole(one, home, facts) for one in candidates]
    return tuple(
        dict.fromkeys(
            [
                root
                for root in candidates
                if may_be_root(root, home) and may_be_root(_real(root, facts), home)
            ]
        )
    )


def _whole(folder: str, home: str, facts: Facts) -> str:
    found = facts.repository(folder)
    return (
        found.root
        if isinstance(found, Repository)
        and may_be_root(found.root, home)
        and is_one_project(found.root, home)
        else folder
    )


def offer_workspace(decision: Decision, call: ToolCall, facts: Facts) -> Decision:
    """Return the decision with what a yes adds to the workspace, where it adds something. Total:
    what cannot be found out is not offered.
    """
    folder = attempt("facts", lambda: joins(decision, call, facts), str)
    if isinstance(folder, Failure) or not folder:
        return decision
    home = facts.home()
    named = f"~{folder[len(home) :]}" if folder.startswith(f"{home}/") else folder
    said = (
        f"A yes makes {named} part of this session's workspace: the rules for the workspace hold"
        " there until the session ends"
    )
    return decision.with_findings(Finding(JOINS, WARN, "workspace", said))


def joins(decision: Decision, call: ToolCall, facts: Facts) -> str:
    """Return the folder that a yes to this decision makes part of the workspace: the one project
    outside it that is asked about, or ``""``.

    Only where the session has no workspace, or one inside that project: elsewhere a yes covers what
    was asked about, and nothing more.
    """
    asked = [
        finding
        for finding in decision.findings
        if finding.effective == ASK and finding.stage == "policy"
    ]
    found = {_project(finding, facts) for finding in asked} - {""}
    top = found.pop() if len(found) == 1 else ""
    inside = all(root.startswith(f"{top}/") for root in call.roots)
    return top if top and inside and may_be_root(_real(top, facts), facts.home()) else ""


def _project(finding: Finding, facts: Facts) -> str:
    """Return the top folder of the project that a finding is about: of its repository, or where the
    file lies that describes it.
    """
    path, home = plain(finding), facts.home()
    if not path:
        return ""
    repository = facts.repository(path)
    top = (
        repository.root
        if isinstance(repository, Repository)
        else _manifest_folder(path, home, facts)
    )
    whole = finding.effect is not None and not finding.effect.traits.isdisjoint(
        {"repository", "found"}
    )
    below = f"{path}/" if whole else path
    return (
        top
        if below.startswith(f"{top}/") and may_be_root(top, home) and is_one_project(top, home)
        else ""
    )


def _manifest_folder(path: str, home: str, facts: Facts) -> str:
    """Return the nearest folder above a path, below home, describing a project."""
    folder = path.rpartition("/")[0]
    while folder.startswith(f"{home}/"):
        if any(
            isinstance(found := facts.stat(f"{folder}/{name}"), Stat) and found.kind == FILE
            for name in MANIFESTS
        ):
            return folder
        folder = folder.rpartition("/")[0]
    return ""


def widen_roots(found: tuple[str, ...], more: tuple[str, ...], home: str) -> tuple[str, ...]:
    """Return the folders of a workspace with those that a policy adds, as far as they may be one;
    where there is no workspace there is none.
    """
    return (
        tuple(
            dict.fromkeys(
                [*found, *[root for root in map(_normal, more) if may_be_root(root, home)]]
            )
        )
        if found and more
        else found
    )


def _real(path: str, facts: Facts) -> str:
    found = facts.real(path)
    return found if isinstance(found, str) else path


def may_be_root(path: str, home: str) -> bool:
    """Tell whether a folder may be a workspace: written plainly and absolute, not too wide, and not
    holding the user's home.
    """
    path, mine = _normal(path), _normal(home)
    if path[1:2] == ":":
        return _may_be_root_on_windows(
            path.lower().replace("\\", "/"), mine.lower().replace("\\", "/")
        )
    if not path.startswith("/") or "\0" in path or not {".", ".."}.isdisjoint(path.split("/")):
        return False
    if path == "/" or path in SYSTEM_FOLDERS or f"{mine}/".startswith(f"{path}/"):
        return False
    return _below(path, _ALLOWED_BELOW) or not _below(path, _WHOLE)


def _may_be_root_on_windows(path: str, home: str) -> bool:
    parts = path.split("/")
    if (
        len(parts) < 2
        or not {"", ".", ".."}.isdisjoint(parts)
        or path.endswith(":/users")
        or f"{home}/".startswith(f"{path}/")
    ):
        return False
    return parts[1] not in ("windows", "program files", "program files (x86)", "programdata")


def _below(path: str, folders: Iterable[str]) -> bool:
    return path.startswith(tuple([f"{folder}/" for folder in folders]))


def _normal(path: str) -> str:
    while "//" in path:
        path = path.replace("//", "/")
    return path.rstrip("/") or "/" if path else ""
