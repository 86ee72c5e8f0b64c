"""Configuration of nah: ``config.yaml`` and ``.nah.yaml`` of 0.x; of 1.x the guards that a project
switches on (``.nah/project.toml``), which are built-in rules of nah's own.

Source: nah 0.11.0 as PyPI has it (its description and ``nah types``), and docs/configuration.md of
github.com/manuelschipper/nah at 1.3, read in November 2026.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from interlock.integrations.importing.proposal import (
    ASK,
    DENY,
    ConfigLine,
    ProposedRule,
    UnreadError,
)
from interlock.model.action import Action
from interlock.policy.builtin import builtin
from interlock.policy.document import LIST, TABLE, DocumentNode, parse
from interlock.policy.problem import PolicyError

FILES = ("~/.config/nah/config.yaml", ".nah.yaml", ".nah/project.toml")
TUNES = {
    "git_remote_write": ("git.push", "git.push-main"),
    "git_discard": ("git.discard-work",),
    "git_history_rewrite": ("git.rewrite-history", "git.force-push", "git.force-push-main"),
    "network_outbound": ("net.connect-unknown",),
    "network_write": ("net.post", "net.upload"),
    "package_install": ("pkg.install-named", "pkg.install-machine"),
    "process_signal": ("system.kill",),
    "container_lifecycle": ("infra.container-run",),
    "container_destructive": ("infra.container-remove",),
    "service_write": ("infra.change", "system.control"),
    "service_destructive": ("infra.change", "system.control"),
    "db_exec": ("db.write", "db.change-all", "db.drop"),
    "env_read": ("secret.read-project-env",),
    "obfuscated": ("exec.unread-code", "exec.hidden-command"),
}
"""Which rules of interlock's speak of what nah calls an action type."""
EFFECTS = {"filesystem_write": "writes", "filesystem_delete": "deletes", "filesystem_read": "reads"}
_ACTIONS = {"ask": ASK, "block": DENY}
_LOOSER = "nothing is loosened by itself; `interlock suggest` says what your own record would allow"


def lines(text: str, path: str) -> Iterator[ConfigLine]:
    """Yield what a file says; raises ``UnreadError``."""
    told = _toml(text) if path.endswith(".toml") else _yaml(text, path)
    for key, value in told.items():
        pairs = value.items() if isinstance(value, dict) else [("", value)]
        if key == "classify" and isinstance(value, dict):
            yield from _read_classify(value, told.get("actions"))
        elif key in ("known_registries", "trusted_paths", "enable-guards"):
            yield from _read_lists(key, value)
        else:
            for name, word in pairs:
                yield _line(key, str(name), str(word))


def _yaml(text: str, path: str) -> dict[str, object]:
    if not text.strip():
        return {}
    try:
        node, problems = parse(text.encode(), path)
    except PolicyError as problem:
        raise UnreadError(str(problem)) from None
    if problems.broken:
        raise UnreadError("\n".join([one.text() for one in problems.found]))
    told = _plain(node)
    if not isinstance(told, dict):
        raise UnreadError("expected a table of keys such as `actions:`")
    return told


def _plain(node: DocumentNode) -> object:
    """Return a node's texts, lists and tables; what a plain word means does not matter here."""
    if node.kind == TABLE:
        return {str(key.value): _plain(value) for key, value in node.value}
    return [_plain(one) for one in node.value] if node.kind == LIST else str(node.value)


def _toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        raise UnreadError(f"this is no TOML: {problem}") from None


def _line(key: str, name: str, word: str) -> ConfigLine:
    where = f"{key}.{name}" if name else key
    if key == "actions":
        return _action(where, name, word)
    if key == "sensitive_paths" and word in _ACTIONS:
        pattern = ("${HOME}" + name[1:] if name.startswith("~") else name).rstrip("/")
        if word == "block":
            return ConfigLine(where, word, lists=(("files.block", pattern),))
        match = {"effect": ("reads", "writes", "deletes"), "path": (pattern, f"{pattern}/**")}
        return ConfigLine(where, word, (ProposedRule(f"uses {pattern}", match, ASK),))
    return ConfigLine(where, word, note="has no equal here" if word != "allow" else _LOOSER)


def _action(where: str, name: str, word: str) -> ConfigLine:
    if word not in _ACTIONS:
        return ConfigLine(
            where,
            word,
            note="decided by what it does, as everything" if word == "context" else _LOOSER,
        )
    if name == "unknown":
        return ConfigLine(
            where, word, note="profile: careful asks about every command that is not listed"
        )
    if name in EFFECTS:
        rule = ProposedRule(f"{EFFECTS[name]} files", {"effect": (EFFECTS[name],)}, _ACTIONS[word])
        return ConfigLine(where, word, (rule,))
    names = _stricter(TUNES.get(name, ()), _ACTIONS[word])
    if names:
        return ConfigLine(where, word, tunes=((names, _ACTIONS[word]),))
    if name in TUNES:
        return ConfigLine(where, word, note="interlock's own rules say so already", needless=True)
    return ConfigLine(where, word, note=f"interlock has no kind of rule for {name}")


def _stricter(names: tuple[str, ...], action: str) -> tuple[str, ...]:
    """Return the rules that an action makes stricter."""
    known = {rule.id: rule.action for rule in builtin().rules}
    return tuple([name for name in names if known[name] < Action.of(action)])


def _read_classify(told: dict[str, object], actions: object) -> Iterator[ConfigLine]:
    policies = actions if isinstance(actions, dict) else {}
    for kind, some in told.items():
        action = str(policies.get(kind, DEFAULTS.get(str(kind), "context")))
        for command in some if isinstance(some, list) else [some]:
            where, said = f"classify.{kind}", str(command)
            if action in _ACTIONS:
                match = {"commands": (said,)}
                rule = ProposedRule(
                    f"runs `{said}`, which counts as {kind}", match, _ACTIONS[action]
                )
                yield ConfigLine(where, said, (rule,))
            else:
                yield ConfigLine(where, said, allows=(said,))


DEFAULTS = {
    "git_remote_write": "ask", "git_discard": "ask", "git_history_rewrite": "ask",
    "package_uninstall": "ask", "process_signal": "ask", "container_exec": "ask",
    "container_destructive": "ask", "service_write": "ask", "service_destructive": "ask",
    "env_read": "ask", "filesystem_delete": "ask", "db_exec": "ask", "obfuscated": "block",
    "unknown": "ask",
}  # fmt: skip
"""What nah answers to an action type that its configuration says nothing of; those that it decides
by the surroundings are asked about where they change something.
"""


def _read_lists(key: str, value: object) -> Iterator[ConfigLine]:
    found = value.get("add", []) if isinstance(value, dict) else value
    for word in found if isinstance(found, list) else [found]:
        if key == "enable-guards":
            note = "a built-in guard of nah's; `interlock rules` lists what is built in here"
            yield ConfigLine(key, str(word), note=note)
        else:
            name = "hosts.allow" if key == "known_registries" else "workspace.roots"
            yield ConfigLine(key, str(word), lists=((name, str(word)),))
