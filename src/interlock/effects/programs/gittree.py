"""git commands that change the work tree, and what they throw away."""

from __future__ import annotations

from interlock.effects.programs.gitshared import (
    after_dashes,
    discard,
    repository_effect,
    touch_tree,
)
from interlock.effects.run import Run
from interlock.model.effect import (
    GENERATED,
    GUARD,
    WORKSPACE,
    Deletes,
    DiscardsWork,
    Reads,
    Writes,
)
from interlock.model.facts import ALL, FILE, MISSING, TRACKED, UNTRACKED, Loss, Repository, Stat
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

_SOURCES = frozenset(
    "py pyi js mjs cjs ts tsx jsx go rs c h cc cpp hpp java kt rb php swift cs vue svelte md rst txt json yaml yml toml lock cfg ini sql html css "
    "scss sh xml gradle mod sum ipynb".split()
)
"""Endings of names that are files, hardly ever branches."""


def _can_restore(run: Run, path: str | None, of: str) -> bool:
    """Whether git can bring back all that lies at a path, or (None) in the whole work tree, and
    nothing before in this call may have changed that.

    Then the effect is added here: ``git reset --hard`` of a clean tree changes no file.
    """
    context = run.context
    if (
        not context.past.kept_all
        or context.files.changed
        or context.files.linked
        or run.cwd is None
        or not run.here
    ):
        return False
    if path is None:
        repository = context.facts.repository(run.cwd)
        path = repository.root if isinstance(repository, Repository) else None
    if path is None or context.facts.real(path) != path:
        return False
    loss = context.facts.loss(path, of)
    if not isinstance(loss, Loss) or loss.modified or loss.untracked:
        return False
    if loss.ignored and of != TRACKED and (of != UNTRACKED or run.has("-x")):
        return False
    repository_effect(
        run,
        DiscardsWork,
        path,
        "nothing-lost",
        detail="all that is there is in a commit",
        undoable=True,
    )
    return True


def _reset(run: Run) -> Flow:
    """``--hard``, ``--merge`` and ``--keep`` change the work tree; others the index and branch."""
    if run.has("--hard"):
        if [value.text for value in run.operands] in ([], ["HEAD"], ["@"]) and _can_restore(
            run, None, TRACKED
        ):
            return UNREAD
        discard(
            run,
            "tracked",
            target=run.operands[0].text if run.operands else "HEAD",
            detail="changes of tracked files are thrown away",
        )
    elif run.has("--merge", "--keep"):
        discard(
            run, "tracked", target=run.operands[0].text if run.operands else "HEAD", certain=False
        )
    return UNREAD


def _checkout(run: Run) -> Flow:
    """``git checkout`` of a branch keeps changes; of paths, or with ``-f``, it throws them away."""
    if run.has("-f", "--force") and not run.has("--detach-only"):
        touch_tree(run)
        discard(run, "tracked", detail="changes of tracked files are thrown away")
        return UNREAD
    if run.has("-B"):
        touch_tree(run)
        _moves_branch(run, run.parsed.value("-B"))
    if run.has("-b", "-B", "--orphan", "-t", "--track", "-p", "--patch", "-d", "--detach"):
        touch_tree(run)
        return UNREAD
    if run.parsed.value("--pathspec-from-file") is not None:
        discard(run, "tracked", "all-of", detail="changes of the files in the list are thrown away")
        return UNREAD
    dashed = after_dashes(run)
    paths = _checkout_paths(run) if dashed is None else dashed
    if not paths:
        touch_tree(run)
    _discards_paths(run, paths, elsewhere=len(run.operands) > len(paths))
    return UNREAD


def _moves_branch(run: Run, name: Value | None) -> None:
    """``-B NAME``, ``-C NAME``: a branch of that name, if there is one, now points elsewhere; only
    the reflog knows its commits.
    """
    discard(run, "branch", target=name.text if name is not None else "", certain=False, value=name)


def _checkout_paths(run: Run) -> list[Value]:
    """Without ``--``: a word after the first is a path, and a first that looks like one."""
    operands = run.operands
    if not operands:
        return []
    if len(operands) > 1:
        return operands if _looks_like_path(run, operands[0]) else operands[1:]
    if run.has("--ours", "--theirs", "-m", "--merge"):
        return operands
    return operands if _looks_like_path(run, operands[0]) else []


def _looks_like_path(run: Run, value: Value) -> bool:
    text = value.text
    if (
        text in (".", "..", ":/", ":")
        or text.startswith(("./", "../", ":/", "/", ":("))
        or value.pattern
        or text.endswith("/")
    ):
        return True
    if text.rpartition(".")[2].lower() in _SOURCES and "." in text:
        return True
    path = run.context.normal(text, run.cwd) if not value.hollow else None
    return path is not None and run.here and run.context.is_kind(path, FILE)


def _discards_paths(run: Run, paths: list[Value], *, elsewhere: bool) -> None:
    """Throw away the changes of paths. ``elsewhere``: what comes in their place is of some commit,
    and may overwrite what is not tracked.
    """
    for value in paths:
        everything = (
            value.text.rstrip("/") in (".", "..", ":", "*", "")
            or value.text in (":/", "/")
            or value.pattern
            or value.hollow
        )
        if run.parsed.has("--ours", "--theirs"):
            touch_tree(run)
            continue
        path = None if value.hollow else run.context.normal(value.text, run.cwd)
        plain = path is not None and not value.pattern and value.text[:1] != ":"
        if plain and (
            _is_made_again(run, path) or _can_restore(run, path, ALL if elsewhere else TRACKED)
        ):
            continue
        discard(
            run,
            "tracked",
            "all-of" if everything else "named",
            target=path or value.text,
            value=value,
            detail="changes of these files are thrown away",
        )
        _restore_guard_file(run, value, path)


_LOCK_FILES = frozenset(
    "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb Cargo.lock poetry.lock uv.lock pdm.lock Pipfile.lock "
    "Gemfile.lock composer.lock go.sum mix.lock pubspec.lock Podfile.lock Package.resolved flake.lock deno.lock gradle.lockfile".split()
)
"""What package managers write by themselves, and write again."""


def _is_made_again(run: Run, path: str | None) -> bool:
    """Whether a file's lost changes were no person's: a build's, or a package manager's."""
    if path is None or run.context.place(path).location != WORKSPACE:
        return False
    made = path.rpartition("/")[2] in _LOCK_FILES or GENERATED in run.context.place(path).natures
    if made:
        touch_tree(run)
    return made


def _restore_guard_file(run: Run, value: Value, path: str | None) -> None:
    """Taking back a file of the guard's is writing it."""
    if path is not None and GUARD in run.context.place(path).natures:
        run.path(Writes, value, "restored")


def _restore(run: Run) -> Flow:
    """Restores the work tree unless only ``--staged`` is asked for."""
    if run.has("-S", "--staged") and not run.has("-W", "--worktree"):
        return UNREAD
    paths = run.operands
    if run.has("-p", "--patch") or not paths:
        discard(run, "tracked", certain=bool(not paths))
        return UNREAD
    _discards_paths(run, paths, elsewhere=run.has("-s", "--source"))
    return UNREAD


def _switch(run: Run) -> Flow:
    touch_tree(run)
    if run.has("-f", "--force", "--discard-changes"):
        discard(run, "tracked", detail="changes of tracked files are thrown away")
    name = run.parsed.value("-C", "--force-create")
    if name is not None:
        _moves_branch(run, name)
    return UNREAD


def _clean(run: Run) -> Flow:
    """Deletes untracked files; ``-x`` ignored ones too, ``-X`` only those. Nothing with ``-n``;
    without ``-f`` only by configuration.
    """
    if run.has("-n", "--dry-run"):
        return UNREAD
    traits = (
        ["ignored"] if run.has("-X") else ["untracked", *(["ignored"] if run.has("-x") else [])]
    )
    if run.has("-d"):
        traits.append("recursive")
    certain = run.has("-f", "--force")
    for value in run.operands or [Value(".")]:
        path = None if value.hollow else run.context.normal(value.text, run.cwd)
        if (
            path is not None
            and not value.pattern
            and value.text[:1] != ":"
            and not run.has("-X")
            and _can_restore(run, path, UNTRACKED)
        ):
            continue
        if path is not None and GENERATED in run.context.place(path).natures:
            run.path(Deletes, value, "recursive", "found")
            continue
        discard(
            run,
            *traits,
            target=path or value.text,
            certain=certain,
            value=value,
            detail="files that no commit holds are deleted",
        )
        if path is not None and run.context.place(path).location != WORKSPACE:
            run.path(Deletes, value, "recursive", "found")
    return UNREAD


def _remove(run: Run) -> Flow:
    """``git rm`` deletes files; with ``--cached`` only the index forgets them."""
    if not run.has("--cached", "-n", "--dry-run"):
        for value in run.operands:
            # without --force git refuses to delete what is in no commit
            run.path(
                Deletes, value, "tracked", *([] if run.has("-f", "--force") else ["committed"])
            )
    return UNREAD


def _move(run: Run) -> Flow:
    """As ``mv``; git refuses what is not tracked."""
    from interlock.effects.programs.files import move  # few calls ask

    return (
        NOTHING
        if run.has("-n", "--dry-run")
        else move(run, run.operands[:-1], run.operands[-1] if len(run.operands) > 1 else None)
    )


def _stash(run: Run) -> Flow:
    verb = run.operands[0].text if run.operands else "push"
    if verb in ("drop", "clear"):
        named = tuple([value.text for value in run.operands[1:2]]) or ("stash@{0}",)
        discard(
            run,
            "stash",
            *(["all"] if verb == "clear" else []),
            detail="stashed changes are thrown away",
            only=() if verb == "clear" else named,
        )
    elif verb not in ("list", "show"):
        for value in run.operands[1:]:
            _restore_guard_file(
                run, value, None if value.hollow else run.context.normal(value.text, run.cwd)
            )
        touch_tree(run)
    return Flow(None, frozenset({"workspace"}))


def _own_worktree(run: Run, value: Value) -> None:
    """Note a work tree in a folder that was not there before."""
    path = run.context.normal(value.text, run.cwd) if value.known else None
    stat = (
        run.context.facts.stat(path)
        if path is not None and path not in run.context.files.changed and run.here
        else None
    )
    if path is not None and isinstance(stat, Stat) and stat.kind == MISSING:
        run.context.files.made.add(path)


def _worktree(run: Run) -> Flow:
    """``add PATH`` makes a folder; ``remove -f`` deletes one with changes in it (without ``-f`` git
    refuses).
    """
    operands = run.operands
    verb = operands[0].text if operands else ""
    rest = [value for value in operands[1:] if value.text[:1] != "-"]
    if verb == "add" and rest:
        # only a new folder: git refuses one that holds something
        _own_worktree(run, rest[0])
        run.possible(Writes, rest[0], "create")
    elif verb == "remove" and rest and run.has("-f", "--force"):
        path = run.context.normal(rest[0].text, run.cwd) if not rest[0].hollow else None
        if path is None or not (run.context.files.is_made(path) or run.context.facts.made(path)):
            discard(run, "worktree", target=path or rest[0].text, value=rest[0])
    return UNREAD


def _apply(run: Run) -> Flow:
    """Patches are read and the work tree is written, unless only asked about."""
    for value in run.operands:
        run.path(Reads, value)
    if not run.has("--stat", "--numstat", "--summary", "--check") or run.has("--apply"):
        _patches(run, run.operands)
    return UNREAD


def _patches(run: Run, files: list[Value]) -> None:
    """Write what the patches name where their text is known, else anything in the folder."""
    from interlock.effects.programs.streams import any_of_ours, patches

    any_of_ours(run, files)
    if run.has("-R", "--reverse") and run.stdin is not None and "unstaged" in run.stdin.labels:
        discard(run, "tracked", "all-of", detail="changes of tracked files are thrown away")
    folder, strip = run.parsed.value("--directory"), run.parsed.value("-p")
    if folder is not None:
        files = [Value(run.context.normal(file.text, run.cwd) or file.text) for file in files]
    strips = int(strip.text) if strip is not None and strip.text in "0123456789" else 1
    if not patches(run, files, strips, folder):
        run.path(Writes, folder if folder is not None else Value("."), "in-place")


def _mailbox(run: Run) -> Flow:
    """``git am MAILBOX..``: each mail holds a patch."""
    for value in run.operands:
        run.path(Reads, value)
    if run.operands or run.stdin is not None:
        _patches(run, run.operands)
    touch_tree(run)
    return UNREAD


def _checkout_index(run: Run) -> Flow:
    """``--prefix`` stands before the name of every file that is written (git-checkout-index(1))."""
    for value in run.parsed.values("--prefix"):
        run.path(Writes, Value(value.text.rstrip("/") or "/", value.start, value.end), "create")
    if run.has("-f", "--force"):
        discard(run, "tracked")
    return UNREAD


def _trailers(run: Run) -> Flow:
    """``interpret-trailers --in-place FILE`` edits the file; else what it makes is printed."""
    kind = Writes if run.has("--in-place") else Reads
    for value in run.operands:
        run.path(kind, value, *(["in-place"] if kind is Writes else []))
    return Flow(None, run.input_labels())


def _read_tree(run: Run) -> Flow:
    if run.has("-u") and run.has("--reset"):
        discard(run, "tracked")
    return UNREAD


def _reset_file(run: Run) -> Flow:
    """git-extras: ``reset-file FILE [COMMIT]``, ``undo --hard``."""
    discard(run, "tracked", target=run.operands[0].text if run.operands else "")
    return UNREAD
