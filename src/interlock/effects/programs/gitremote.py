"""git's dealings with other repositories: push, clone, fetch and kin (git-push(1),
git-clone(1)).
"""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.programs.gitconfig import judge, option_command, sets_remote, split
from interlock.effects.programs.gitfiles import iter_settings
from interlock.effects.programs.gitshared import (
    MAIN,
    PLACED,
    connect,
    current_branch,
    discard,
    find_repository,
    is_address,
    is_local_path,
    repository_effect,
    touch_tree,
)
from interlock.effects.programs.gitstaged import add_push_secrets
from interlock.effects.programs.sending import arrive, leaks
from interlock.effects.run import Run
from interlock.model.effect import (
    Listens,
    Pushes,
    Reads,
    RewritesHistory,
    RunsCode,
    Sends,
    Writes,
)
from interlock.shell.value import HOLE, UNREAD, Flow, Value


def _push(run: Run) -> Flow:
    """``git push [REMOTE [REF..]]``: what the refs and options would do over there."""
    option_command(
        run, run.parsed.value("--receive-pack", "--exec"), ("git-receive-pack",), "receive-pack"
    )
    if run.has("-n", "--dry-run"):
        return UNREAD
    repo = run.parsed.value("--repo")
    operands = run.operands
    remote = operands[0] if operands else repo
    traits = set(run.parsed.traits)
    for value in operands[1:]:
        traits |= _ref_traits(value, deleting="delete" in traits)
    if traits & {"force", "force-with-lease"} and (
        len(operands) < 2 or operands[-1].text in ("HEAD", "@")
    ):
        repository = find_repository(run)
        if repository is not None and repository.branch in MAIN:
            traits.add("main")
    if "all" in traits:
        traits.add("main")  # every branch goes, the one that others build on with them
    name = remote.text if remote is not None else ""
    if len(operands) < 2:
        traits.add("default-refs")
    if _set_here(run, name or "origin"):
        traits.add("url-remote")
    host = hosts.host_of(name) if is_address(name) else name or "origin"
    leaks(run, host)
    if not is_local_path(name) and not _leads_here(run, name or "origin"):
        add_push_secrets(run, host, named=is_address(name))
    if name and (is_address(name) or HOLE in name):
        traits.add("url-remote" if is_address(name) else "unknown-remote")
        connect(run, remote, kind=Pushes)
    repository_effect(
        run,
        Pushes,
        name or "origin",
        *traits,
        value=remote,
        only=_list_branches(run, operands[1:], traits),
        host=hosts.classify(hosts.host_of(name))
        if is_address(name) and not is_local_path(name)
        else "",
    )
    return UNREAD


_CURRENT = frozenset({"HEAD", "@"})


def _list_branches(run: Run, refs: list[Value], traits: set[str]) -> tuple[str, ...]:
    """Return the branches as ``SOURCE:TARGET``, nothing before the colon where one is deleted;
    ``*`` for all.

    Where none is named it is the current one, as git pushes unless its settings say otherwise;
    nothing where that is not known.
    """
    if not traits.isdisjoint({"all", "mirror"}):
        return ("*",)
    texts = [value.text.removeprefix("+").replace(HOLE, "?") for value in refs]
    if not refs or not _CURRENT.isdisjoint(texts):
        branch = current_branch(run)
        texts = [
            branch if branch and text in _CURRENT else text
            for text in texts or [branch]
            if text or branch
        ]
    return tuple(
        [
            f":{text}" if run.has("-d", "--delete") else text if ":" in text else f"{text}:{text}"
            for text in texts
        ]
    )


def _leads_here(run: Run, name: str) -> bool:
    """Whether a repository's own remote is a folder here: pushes stay here."""
    changed = any("config" in path for path in run.context.files.rewritten)
    if not run.here or changed or PLACED in run.context.files.made or _set_here(run, name):
        return False
    told = list(iter_settings(run))
    given = [
        value for key, value in told if key in (f"remote.{name}.url", f"remote.{name}.pushurl")
    ]
    return (
        bool(given)
        and all(map(is_local_path, given))
        and not any(key.startswith("url.") for key, _ in told)
    )


def _set_here(run: Run, name: str) -> bool:
    """Whether this call itself gave the remote its address: then nobody set it up."""
    return not {name, "*"}.isdisjoint(run.context.git.remotes)


def _ref_traits(value: Value, *, deleting: bool) -> set[str]:
    """``+a:b`` forces, ``:b`` deletes, a variable may be anything (git-push(1), refspec)."""
    text = value.text
    traits = set()
    if text.startswith("+"):
        traits.add("force")
        text = text[1:]
    source, colon, target = text.partition(":")
    if colon and not source and target:
        traits.add("delete")
    name = (target or source).removeprefix("refs/heads/")
    if HOLE in name:
        traits.add("unknown-ref")
        if text.startswith(HOLE) and not deleting:
            traits.add("partly-known" if text.strip(HOLE) else "unknown-ref")
    if name in MAIN or name.startswith(("release/", "hotfix/", "production/")):
        traits.add("main")
    return traits


def _clone(run: Run) -> Flow:
    """``git clone [OPTIONS] URL [FOLDER]``."""
    option_command(
        run, run.parsed.value("-u", "--upload-pack"), ("git-upload-pack",), "upload-pack"
    )
    for value in run.parsed.values("-c", "--config"):
        judge(run, *split(value))
    template = run.parsed.value("--template")
    if template is not None and template.text:
        run.effect(
            RunsCode,
            template.text,
            "git-config-command",
            value=template,
            detail="hooks are taken from a template",
        )
    if not run.operands:
        return UNREAD
    url = run.operands[0]
    connect(run, url, "get", "clone")
    _arrive(run, run.operands)
    return UNREAD


def _arrive(run: Run, words: list[Value]) -> None:
    """Remember that a repository came into a folder: ``words`` are its address, and the folder."""
    url = words[0]
    name = url.text.rstrip("/").removesuffix(".git").rpartition("/")[2].rpartition(":")[2]
    folder = words[1] if len(words) > 1 else Value(name or "clone", url.start, url.end, url.why)
    arrive(run, run.path(Writes, folder, "create", "cloned"), "cloned")


def _fetch(run: Run) -> Flow:
    option_command(run, run.parsed.value("--upload-pack"), ("git-upload-pack",), "upload-pack")
    connect(run, run.operands[0] if run.operands else None, "get")
    for value in run.operands[1:] if run.name == "git fetch" else []:
        _, colon, target = value.text.partition(":")
        if (
            colon
            and target
            and not target.startswith("refs/remotes/")
            and (value.text.startswith("+") or run.has("-f", "--force"))
        ):
            discard(
                run,
                "branch",
                target=target,
                certain=False,
                value=value,
                detail="commits that only this branch holds are lost",
            )
    touch_tree(run)
    return UNREAD


def _ls_remote(run: Run) -> Flow:
    option_command(
        run, run.parsed.value("--upload-pack", "--exec"), ("git-upload-pack",), "upload-pack"
    )
    connect(run, run.operands[0] if run.operands else None, "get")
    return Flow(None, frozenset({"network"}))


def _remote_command(run: Run) -> Flow:
    """``git remote add NAME URL``, ``set-url NAME URL``: an address may run a command, and what is
    pushed there later in this call is remembered.
    """
    operands = run.operands
    for value in operands[1:]:
        if value.text.startswith("ext::"):
            connect(run, value)
    if (
        len(operands) > 2
        and operands[0].text in ("add", "set-url")
        and not is_local_path(operands[2].text)
    ):
        sets_remote(run, operands[1].text, operands[2])
    return Flow(None, frozenset({"workspace"}))


def _submodule(run: Run) -> Flow:
    """``foreach TEXT`` runs the text in each; ``update`` fetches, ``add`` clones."""
    operands = run.operands
    verb = operands[0].text if operands else ""
    if verb == "foreach":
        words = [
            value for value in operands[1:] if value.text not in ("--recursive", "-q", "--quiet")
        ]
        return run.command(words) if len(words) > 1 else (run.code(words[0]) if words else UNREAD)
    if verb == "add":
        urls = [value for value in operands[1:] if is_address(value.text)]
        connect(run, urls[0] if urls else None, "get")
        if urls:
            _arrive(run, operands[operands.index(urls[0]) :])
    elif verb == "update":
        connect(run, None, "get")
        touch_tree(run)
    if verb in ("deinit", "update") and any(value.text in ("-f", "--force") for value in operands):
        discard(run, "tracked")
    return UNREAD


def _archive(run: Run) -> Flow:
    """``git archive -o FILE [--remote=R [--exec=C]] TREE``."""
    output = run.parsed.value("-o")
    if output is not None:
        run.path(Writes, output)
    remote = run.parsed.value("--remote")
    if remote is not None:
        connect(run, remote, "get")
    option_command(run, run.parsed.value("--exec"), ("git-upload-archive",), "exec")
    return Flow(None, frozenset({"workspace"}))


def _send_email(run: Run) -> Flow:
    if not run.has("--dry-run"):
        run.effect(Sends, "mail", "message", "carries-workspace", host="unknown")
    for name in ("--smtp-server", "--to-cmd", "--cc-cmd", "--header-cmd", "--sendmail-cmd"):
        value = run.parsed.value(name)
        if value is not None and (name != "--smtp-server" or value.text.startswith("/")):
            option_command(run, value, ("sendmail",), name)
    return UNREAD


def _serve(run: Run) -> Flow:
    run.effect(Listens, run.name, "serves-files")
    return UNREAD


def _svn(run: Run) -> Flow:
    verb = run.operands[0].text if run.operands else ""
    if verb in ("dcommit", "submit"):
        repository_effect(run, Pushes, verb)
    return UNREAD


def _lfs(run: Run) -> Flow:
    verb = run.operands[0].text if run.operands else ""
    if verb == "push":
        repository_effect(run, Pushes, "origin")
    elif verb in ("pull", "fetch", "clone"):
        connect(run, None, "get")
    elif verb == "prune" and any(value.text in ("-f", "--force") for value in run.arguments):
        repository_effect(
            run,
            RewritesHistory,
            "lfs prune",
            "gc-prune",
            detail="large files that no ref needs are deleted, pushed or not",
        )
    elif verb == "migrate":
        repository_effect(
            run,
            RewritesHistory,
            "lfs migrate",
            "filter",
            certain=any(value.text in ("import", "export") for value in run.operands),
        )
    return UNREAD


def _bundle(run: Run) -> Flow:
    operands = run.operands
    if len(operands) > 1:
        run.path(Writes if operands[0].text == "create" else Reads, operands[1])
    return UNREAD


def _delete_branches(run: Run) -> Flow:
    """git-extras: ``delete-branch`` deletes a branch here and on its remote."""
    for value in run.operands:
        discard(run, "branch", target=value.text, value=value)
        repository_effect(run, Pushes, "origin", "delete", value=value)
    return UNREAD


def _subtree(run: Run) -> Flow:
    """``git subtree push --prefix DIR REMOTE REF`` pushes, ``add`` and ``pull`` fetch."""
    verb, remote = (
        [value.text for value in run.operands[:1]],
        run.operands[1] if len(run.operands) > 1 else None,
    )
    if verb == ["push"] and remote is not None:
        traits = _ref_traits(run.operands[-1], deleting=False) | (
            {"url-remote"} if is_address(remote.text) else set()
        )
        host = hosts.classify(hosts.host_of(remote.text)) if "url-remote" in traits else ""
        if not is_local_path(remote.text):
            add_push_secrets(
                run, hosts.host_of(remote.text) if host else remote.text, named=bool(host)
            )
        repository_effect(run, Pushes, remote.text, *traits, value=remote, host=host)
    elif verb in (["add"], ["pull"]):
        connect(run, remote, "get")
    return UNREAD
