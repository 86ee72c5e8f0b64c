"""Version control beside git: what throws away work, rewrites what was committed, or deletes in a
repository of others (each one's help).
"""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.programs.bringing import bring_trees
from interlock.effects.programs.gitguarded import change_tracked
from interlock.effects.programs.gitshared import MAIN, connect, is_address
from interlock.effects.programs.gitstaged import add_by_name
from interlock.effects.programs.sending import arrive, base
from interlock.effects.run import Run
from interlock.effects.unknown_programs import climb
from interlock.model.effect import ChangesInfrastructure, DiscardsWork, Pushes, RunsCode, Writes
from interlock.shell.value import UNREAD, Flow, Value


def _push(run: Run, remote: Value | None, branch: str, *traits: str) -> None:
    """A push to what is configured, or to the address that is named."""
    address = remote is not None and is_address(remote.text)
    named = remote.text if remote is not None else "what is configured"
    run.effect(
        Pushes,
        named,
        *traits,
        *(["url-remote"] if address else []),
        *(["main"] if branch in MAIN else []),
        value=remote,
    )
    if address:
        connect(run, remote, kind=Pushes)


_OTHER_FILES: dict[str, frozenset[str]] = {
    "hg": frozenset(
        "update up checkout co goto revert merge rebase graft backout import unshelve histedit fetch strip pull fold split".split()
    ),
    "svn": frozenset("update up switch sw revert merge patch checkout co".split()),
    "jj": frozenset(
        "new edit restore undo redo abandon rebase squash unsquash move next prev duplicate backout parallelize split".split()
    )
    | {"op restore", "op revert", "op undo"},
    "bzr": frozenset("clean-tree revert update up pull merge switch remove-tree uncommit".split()),
    "darcs": frozenset("revert pull apply rebase rollback unrecord obliterate clone".split()),
    "fossil": frozenset(
        "checkout clean update open revert merge stash undo redo pull sync".split()
    ),
    "pijul": frozenset("reset apply pull unrecord channel".split()),
}
"""Commands after which tracked files may be others, as each one's help has them."""
_LOOKS: dict[str, frozenset[str]] = {
    "hg": frozenset(
        "log status st diff cat annotate blame heads id identify incoming in outgoing out paths root summary sum tags branches bookmarks files manifest "
        "parents help version config showconfig grep export verify tip archive bundle clone serve".split()
    ),
    "svn": frozenset(
        "log status stat st diff di info list ls cat blame praise annotate ann proplist propget pget help export checkout co".split()
    ),
    "jj": frozenset(
        "log status st show diff evolog obslog interdiff file config help version root git tag util workspace".split()
    )
    | {"op log", "op show", "op diff"},
}
"""Commands that only look, or that name the folder they make."""


def _change_tree(run: Run, name: str, verb: str) -> None:
    """Add what a command may do to the guard's files, and the write where it changes a repository
    outside the workspace.
    """
    if verb in _OTHER_FILES[name] or (name == "hg" and verb in ("purge", "clean")):
        change_tracked(run, _DATA.get(name, f".{name}"))
    paths = run.operands[1:2] if name == "svn" else []
    named = run.parsed.value("-R", "--repository", "--cwd") or next(iter(paths), None)
    folder = (
        run.cwd
        if named is None
        else None
        if named.hollow
        else run.context.normal(named.text, run.cwd)
    )
    if (
        verb
        and name in _LOOKS
        and verb not in _LOOKS[name]
        and folder is not None
        and run.here
        and not run.context.workspace(folder)
    ):
        run.path(Writes, Value(folder), "repository")


_DATA = {"darcs": "_darcs", "fossil": ".fslckout"}
"""What the data of a work tree is called at its top, where it is not the program's own name."""


def _other(run: Run) -> Flow:
    """Version control of which little is known but which commands replace files."""
    name = "bzr" if run.name == "brz" else run.name
    words = [value.text for value in run.operands[:1]]
    if not run.has("-n", "--dry-run"):
        _change_tree(run, name, "".join(words))
        _DOING[name](run)
        if not _LOOKING.issuperset(words):
            climb(run)
    return UNREAD


_LOOKING = frozenset(
    "status st log diff info list ls cat annotate blame show help version timeline whatsnew changes"
    " credit missing tags branches".split()
)
_DOING = {
    "bzr": doing("discards-work:untracked = clean-tree", "discards-work:tracked = revert",
        "discards-work:all = uncommit remove-tree", "nothing = *"),
    "darcs": doing("discards-work:tracked = revert", "discards-work:all = obliterate unrecord",
        "nothing = *"),
    "fossil": doing("discards-work:all = purge scrub",
        "discards-work:tracked = revert undo clean", "nothing = *"),
    "pijul": doing("discards-work:tracked = reset", "discards-work:all = unrecord", "nothing = *"),
}  # fmt: skip


def _clone(run: Run, words: list[Value]) -> None:
    """A repository comes into the folder that is named behind its address, or into one of its own
    name.
    """
    if words:
        folder = (
            words[1]
            if words[1:]
            else Value(
                base(words[0].text.rstrip("/")).removesuffix(".git") or "clone",
                words[0].start,
                words[0].end,
                words[0].why,
            )
        )
        arrive(run, run.path(Writes, folder, "create", "cloned"), "cloned")


def _hg(run: Run) -> Flow:
    """Mercurial and Sapling: ``update -C`` and ``revert --all`` drop changes, ``purge`` files,
    ``strip`` commits; ``push`` and to what.
    """
    words = [value.text for value in run.operands]
    verb = words[0] if words else ""
    _change_tree(run, "hg", verb)
    if run.has("--config") and any(
        "hooks." in value.text or "alias." in value.text or "!" in value.text
        for value in run.parsed.values("--config")
    ):
        run.unknown_code("argument", "option-command")
    switched = verb in ("update", "up", "checkout", "co", "goto") and run.has("-C", "--clean")
    if switched or (verb == "revert" and run.has("--all", "-a") and not run.has("-n", "--dry-run")):
        run.effect(DiscardsWork, "the working copy", "tracked")
    elif verb in ("purge", "clean") and not run.has("-p", "--print"):
        run.effect(DiscardsWork, "files that are not tracked", "untracked")
    elif verb in ("strip", "debugstrip", "rollback", "hide", "prune", "debugobsolete") or (
        verb == "shelve" and run.has("-d", "--delete", "--cleanup")
    ):
        run.effect(DiscardsWork, " ".join(words[:2]), "all")
    elif verb in ("add", "commit", "ci", "record", "import"):
        for value in run.operands[1:]:
            add_by_name(run, value)
    elif verb == "push":
        to = run.parsed.value("--to", "-B", "--bookmark", "-b", "--branch")
        _push(
            run,
            run.operands[1] if len(words) > 1 else None,
            to.text if to is not None else "",
            *(["force"] if run.has("-f", "--force") else []),
        )
    elif verb in ("clone", "pull", "incoming", "identify") and len(words) > 1:
        connect(run, run.operands[1], "get")
        if verb == "clone":
            _clone(run, run.operands[1:])
    return UNREAD


_COMMANDS = tuple(
    (
        "ui.editor ui.diff ui.merge ui.pager aliases. merge-tools. fix.tools. signing.backends."
    ).split()
)
"""Settings of Jujutsu that name a program, as its handbook has them (Settings)."""


def _jj(run: Run) -> Flow:
    """Jujutsu, whose own log of operations brings back what it changed here, until operations are
    abandoned (its command line reference).
    """
    words = [value.text for value in run.operands]
    _change_tree(
        run,
        "jj",
        f"op {''.join(words[1:2])}" if words[:1] in (["op"], ["operation"]) else "".join(words[:1]),
    )
    if words[:2] == ["util", "exec"]:
        return run.command(run.operands[2:])
    settings = [
        *run.parsed.values("--config"),
        *(run.operands[2:3] if words[:2] == ["config", "set"] else []),
    ]
    for value in [value for value in settings if value.text.startswith(_COMMANDS)]:
        run.effect(
            RunsCode,
            value.text.partition("=")[0],
            "git-config-command",
            value=value,
            detail="this setting names a program",
        )
    if words[:2] == ["git", "push"] and not run.has("--dry-run"):
        branch = run.parsed.value("-b", "--bookmark", "--branch")
        name = (
            "main" if run.has("--all", "--tracked") else branch.text if branch is not None else ""
        )
        _push(
            run, run.parsed.value("--remote"), name, *(["delete"] if run.has("--deleted") else [])
        )
    elif words[:2] in (["git", "clone"], ["git", "remote"]):
        for value in run.operands[2:]:
            if is_address(value.text):
                connect(run, value, "get")
        if words[1] == "clone":
            _clone(run, run.operands[2:])
    elif words[:2] in (["op", "abandon"], ["operation", "abandon"]) or (
        words[:2] == ["util", "gc"] and run.has("--expire")
    ):
        run.effect(DiscardsWork, "operations that could be gone back to", "all")
    return UNREAD


def _svn(run: Run) -> Flow:
    """Subversion: a URL is changed at once, for everybody; ``revert -R`` and ``cleanup
    --remove-unversioned`` drop what is here.
    """
    words = [value.text for value in run.operands]
    verb = words[0] if words else ""
    remote = any("://" in word for word in words[1:])
    if not remote:
        _change_tree(run, "svn", verb)
    elif verb in ("checkout", "co", "export"):
        connect(run, run.operands[1], "get")
        _clone(run, run.operands[1:])
    if (
        verb
        in (
            "delete",
            "del",
            "rm",
            "remove",
            "mkdir",
            "mv",
            "move",
            "rename",
            "copy",
            "cp",
            "import",
            "propset",
            "propdel",
        )
        and remote
    ):
        run.effect(
            ChangesInfrastructure,
            " ".join(["svn", *words[:2]]),
            "delete" if verb[:1] in "dr" else "modify",
        )
    elif verb in ("add", "commit", "ci"):
        for value in run.operands[1:]:
            add_by_name(run, value)
    elif verb == "revert" and run.has("-R", "--recursive", "--depth", "--remove-added"):
        run.effect(DiscardsWork, "the working copy", "tracked")
    elif verb == "cleanup" and run.has("--remove-unversioned", "--remove-ignored"):
        run.effect(DiscardsWork, "files that are not tracked", "untracked")
    return UNREAD


def _home_git(run: Run) -> Flow:
    """yadm(1): git with the home as its work tree; its own commands (``alt``, ``bootstrap``,
    ``encrypt``) beside.
    """
    home = run.context.home
    return run.command(
        [
            Value("git"),
            Value(f"--git-dir={home}/.local/share/yadm/repo.git"),
            Value(f"--work-tree={home}"),
            *run.arguments,
        ]
    )


def _stow(run: Run) -> Flow:
    """stow(8): puts links to all that is in packages (folders of ``-d``) into the target (``-t``),
    by default the folder above.
    """
    if run.has("-n", "--no", "--simulate"):
        return UNREAD
    folder = run.parsed.value("-d", "--dir") or Value(".")
    target = run.parsed.value("-t", "--target") or Value(f"{folder.text}/..")
    bring_trees(
        run,
        [
            Value(f"{folder.text}/{value.text}", value.start, value.end, value.why)
            for value in run.operands
        ],
        target,
        contents=True,
    )
    return UNREAD
