"""git's configuration: which keys make git run a command, and what setting one means
(git-config(1), gitattributes(5)).
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects import hosts
from interlock.effects.connecting import to_host
from interlock.effects.programs.gitshared import is_address, is_local_path, repository_effect
from interlock.effects.programs.gitstaged import tell
from interlock.effects.programs.sending import leaks
from interlock.effects.run import Run
from interlock.model.effect import Connects, Reads, RewritesHistory, RunsCode, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow, Value

COMMAND_KEYS = frozenset(words("gitconfig", "command keys"))

COMMAND_SECTIONS: dict[str, frozenset[str]] = {
    "alias": frozenset({"*"}), "pager": frozenset({"*"}),
    "filter": frozenset({"clean", "smudge", "process"}),
    "diff": frozenset({"textconv", "command"}),
    "merge": frozenset({"driver"}), "mergetool": frozenset({"cmd", "path"}),
    "difftool": frozenset({"cmd", "path"}), "guitool": frozenset({"cmd"}),
    "browser": frozenset({"cmd", "path"}), "man": frozenset({"cmd", "path"}),
    "trailer": frozenset({"command", "cmd"}), "tar": frozenset({"command"}),
    "credential": frozenset({"helper"}), "gpg": frozenset({"program"}),
    "remote": frozenset({"uploadpack", "receivepack", "vcs"}),
    "submodule": frozenset({"update"}), "hook": frozenset({"command"}),
    "lfs": frozenset({"path", "clean", "smudge"}),
    "url": frozenset({"insteadof", "pushinsteadof"}),
}  # fmt: skip
"""``SECTION.anything.NAME``: by section, the last names whose value is run."""

PATH_KEYS = frozenset(
    {"core.hookspath", "init.templatedir", "include.path", "core.attributesfile", "core.worktree"}
)
"""Their value is a path that holds code or more configuration."""

HARMLESS = frozenset(words("gitconfig", "harmless"))
"""Values, in lower case, that everybody sets."""


def runs_code(key: str, text: str) -> bool:
    """Whether setting ``key`` to ``text`` makes git run something not known to be harmless."""
    section, _, last = key.lower().partition(".")
    name = last.rpartition(".")[2] or last
    value = text.strip()
    if value.lower() in HARMLESS or value.startswith(
        ("git-lfs ", "cache --timeout", "store --file")
    ):
        return False
    if key.lower() == "core.sshcommand" and plain_ssh(value):
        return False
    if section == "alias":
        return value.startswith("!")
    if section == "submodule":
        return name == "update" and value.startswith("!")
    if section == "url":
        return "ext::" in last
    if section == "remote" and name in ("url", "pushurl"):
        return value.startswith("ext::")
    lowered = f"{section}.{last.lower()}"
    if lowered in COMMAND_KEYS or lowered in PATH_KEYS or section == "includeif":
        return True
    names = COMMAND_SECTIONS.get(section)
    return (
        names is not None
        and ("*" in names or name.lower() in names)
        and (last != name or section in ("pager", "tar", "gpg"))
    )


_PLAIN_SSH = frozenset({"-i", "-o", "-p", "-l", "-q", "-v", "-4", "-6", "-T", "-x", "-a"})
_PLAIN_SSH_OPTIONS = words("gitconfig", "plain ssh options")


def plain_ssh(text: str) -> bool:
    """Whether a command is ``ssh`` with nothing but a key, a port and the like: what deploy keys
    need (ssh(1)).
    """
    words = text.split()
    if (
        not words
        or words[0] not in ("ssh", "/usr/bin/ssh")
        or any(mark in text for mark in ";|&$`<>()")
    ):
        return False
    before = ""
    for word in words[1:]:
        named = word if before == "-o" else word[2:] if word[:2] == "-o" else None
        harmless = (
            named.lower().startswith(_PLAIN_SSH_OPTIONS)
            if named
            else (word in _PLAIN_SSH or before in ("-i", "-p", "-l"))
        )
        if not harmless:
            return False
        before = word
    return True


def redirects(key: str, text: str) -> str:
    """Return the address that a key sends git's traffic to, or ``""``: another address, a proxy, or
    one address for another (``insteadOf``).
    """
    section, _, last = key.partition(".")
    middle, _, name = last.rpartition(".")
    section, name = section.lower(), name.lower()
    if section == "url" and name in ("insteadof", "pushinsteadof"):
        return middle
    if (section == "remote" and name in ("url", "pushurl", "proxy")) or (
        section == "http" and name == "proxy"
    ):
        return text
    return (
        text
        if section == "branch" and name in ("remote", "pushremote") and is_address(text)
        else ""
    )


def judge(run: Run, key: str, value: Value) -> None:
    """Add what setting a key to a value makes git run, or sends it to; a command is read too."""
    address = redirects(key, value.text)
    if address and not is_local_path(address):
        section, _, last = key.partition(".")
        traits = [] if section.lower() == "remote" else ["redirects"]
        sets_remote(
            run,
            "*" if traits else last.rpartition(".")[0],
            Value(address, value.start, value.end, value.why),
            *traits,
        )
    if key.lower() in _EXPIRIES and value.text.strip() in ("now", "all", "0", "0.seconds.ago"):
        repository_effect(
            run,
            RewritesHistory,
            "gc",
            "gc-prune",
            value=value,
            detail="the next gc deletes unreachable commits for good",
        )
    if not runs_code(key, value.text):
        return
    run.effect(RunsCode, key, "git-config-command", value=value, detail=f"{key} is run by git")
    command = value.text.strip().removeprefix("!").removeprefix("ext::")
    if key.lower() not in PATH_KEYS and not key.lower().startswith(
        ("url.", "protocol.", "include")
    ):
        run.code(Value(command, value.start, value.end, value.why))


def split(value: Value) -> tuple[str, Value]:
    """Return key and value of ``key=value``; a key alone means true (git(1), ``-c``)."""
    key, equals, text = value.text.partition("=")
    return key, Value(text if equals else "true", value.start, value.end, value.why)


_EXPIRIES = frozenset({"gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable"})
_READING = words("gitconfig", "reading")
_REMOVING = ("--unset", "--unset-all", "--remove-section", "--rename-section")
_NEW_READS = ("get", "list", "get-color", "get-colorbool")
_NEW_WRITES = ("set", "unset", "rename-section", "remove-section", "edit")
_IDENTITY = words("gitconfig", "identity")
_PLAIN = words("gitconfig", "plain")


def read_config(run: Run) -> Flow:
    """``git config [SCOPE] KEY VALUE``, and the newer ``git config set KEY VALUE``."""
    operands = list(run.operands)
    verb = operands[0].text if operands else ""
    if run.has(*_READING) or verb in _NEW_READS:
        for file in run.parsed.values("-f", "--file"):
            run.path(Reads, file)
        return Flow(None, frozenset({"file"}))
    if verb in _NEW_WRITES:
        operands.pop(0)
    elif len(operands) < 2 and not run.has("-e", "--edit", "--add", *_REMOVING):
        return Flow(None, frozenset({"file"}))
    key = operands[0].text if operands else ""
    value = (
        operands[1] if len(operands) > 1 and not run.has(*_REMOVING) and verb != "unset" else None
    )
    _write_config(run, key, value)
    if value is not None:
        if value.hollow and key.lower().startswith("user."):
            tell(run, value)
        judge(run, key, value)
        if key.lower().startswith("alias."):
            run.context.git.aliases[key[6:].lower()] = value.text
    return NOTHING


def _write_config(run: Run, key: str, value: Value | None) -> None:
    """The file that is changed; identity, looks and harmless values in a repository's own file are
    not worth a word.
    """
    named = run.parsed.value("-f", "--file", "--blob")
    if named is not None:
        run.path(Writes, named, "config")
    elif run.has("--system"):
        run.path(Writes, Value("/etc/gitconfig"), "config")
    elif run.has("--global"):
        plain = key.lower().startswith(_PLAIN) and not run.has(*_REMOVING)
        run.path(
            Writes,
            Value(f"{run.context.home or '~'}/.gitconfig"),
            "config",
            *(["identity"] if plain else []),
        )
    elif run.cwd is not None and (
        run.has("-e", "--edit") or (not key.lower().startswith(_IDENTITY) and _matters(key, value))
    ):
        run.path(Writes, Value(f"{run.cwd}/.git/config"), "config")


def _matters(key: str, value: Value | None) -> bool:
    """Whether git would run the value, or any value where none is given."""
    return runs_code(key, "?" if value is None else value.text)


def sets_remote(run: Run, name: str, address: Value, *traits: str) -> None:
    """Add that a remote (``*``: any) now has this address: later pushes of this call go there."""
    to_host(
        run.context,
        Connects,
        hosts.host_of(address.text),
        run.span(address),
        frozenset({"remote-set", *traits}),
        run.name,
    )
    run.context.git.remotes.add(name)
    leaks(run, hosts.host_of(address.text))


def option_command(run: Run, value: Value | None, harmless: tuple[str, ...], name: str) -> Flow:
    """Add an option's value that git runs as a command (``--upload-pack``, ``--extcmd``)."""
    if value is None or value.text.strip().rpartition("/")[2] in harmless:
        return UNREAD
    run.effect(RunsCode, name, "git-config-command", value=value, detail=f"{name} is run by git")
    return run.code(value)
