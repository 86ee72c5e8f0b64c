"""Version control beside git: what throws away work, rewrites what was committed, or deletes in a repository of others (each one's help)."""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import ChangesInfrastructure, DiscardsWork, Pushes
from interlock.shell.value import UNREAD, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def _hg(run: Run) -> Flow:
    """Mercurial: ``update -C`` and ``revert --all`` drop changes, ``purge`` files, ``strip`` commits; ``push -f`` and to a URL."""
    words = [value.text for value in run.operands]
    verb = words[0] if words else ""
    if run.has("--config") and any("hooks." in value.text or "alias." in value.text or "!" in value.text for value in run.parsed.values("--config")):
        run.unknown_code("argument", "option-command")
    switched = verb in ("update", "up", "checkout", "co", "goto") and run.has("-C", "--clean")
    if switched or (verb == "revert" and run.has("--all", "-a") and not run.has("-n", "--dry-run")):
        run.effect(DiscardsWork, "the working copy", "tracked")
    elif verb in ("purge", "clean") and not run.has("-p", "--print"):
        run.effect(DiscardsWork, "files that are not tracked", "untracked")
    elif verb in ("strip", "debugstrip", "rollback") or (verb == "shelve" and run.has("-d", "--delete", "--cleanup")):
        run.effect(DiscardsWork, " ".join(words[:2]), "all")
    elif verb == "push" and (run.has("-f", "--force") or any("://" in word for word in words[1:])):
        run.effect(Pushes, " ".join(words[1:2]), "force" if run.has("-f", "--force") else "url-remote")
    return UNREAD


def _svn(run: Run) -> Flow:
    """Subversion: a URL is changed at once, for everybody; ``revert -R`` and ``cleanup --remove-unversioned`` drop what is here."""
    words = [value.text for value in run.operands]
    verb = words[0] if words else ""
    remote = any("://" in word for word in words[1:])
    if verb in ("delete", "del", "rm", "remove", "mkdir", "mv", "move", "rename", "copy", "cp", "import", "propset", "propdel") and remote:
        run.effect(ChangesInfrastructure, " ".join(["svn", *words[:2]]), "delete" if verb[:1] in "dr" else "modify")
    elif verb == "revert" and run.has("-R", "--recursive", "--depth", "--remove-added"):
        run.effect(DiscardsWork, "the working copy", "tracked")
    elif verb == "cleanup" and run.has("--remove-unversioned", "--remove-ignored"):
        run.effect(DiscardsWork, "files that are not tracked", "untracked")
    return UNREAD


_ALL = "discards-work:all"
_TRACKED = "discards-work:tracked"
ROWS: dict[str, Row] = {
    "hg": Row(options="-R:data --repository:data --cwd:data --config:data -r:data --rev:data -m:data --message:data -u:data -d:data -l:reads", read=_hg),
    "chg": Row(options="-R:data --config:data -r:data -m:data", read=_hg),
    "svn": Row(options="-m:data --message:data -r:data --revision:data --username:data --password:data -F:reads", read=_svn),
    "svnadmin": Row(clustered=False, read=doing("nothing = info verify dump lslocks help", f"{_ALL} = rmtxns rmlocks load setrevprop setlog recover upgrade")),
    "cvs": Row(options="-d:data -r:data -m:data -z:data", read=doing(f"{_ALL} = admin", f"{_TRACKED} = -C")),
    "fossil": Row(clustered=False, read=doing(f"{_ALL} = purge scrub", f"{_TRACKED} = revert undo clean", "nothing = *")),
    "p4": Row(options="-p:data -u:data -c:data -P:data -d:data", read=doing(f"{_ALL} = obliterate archive", f"{_TRACKED} = clean revert",
        "changes-infrastructure:modify = admin user protect configure triggers submit lock unlock", "nothing = *")),
    "dvc": Row(clustered=False, read=doing("changes-infrastructure:delete = gc destroy", "nothing = *")),
}  # fmt: skip
