"""What one run may do besides what its policy says, or may not: a person's own command line, as
rules like any others.

A preset is a profile of the policy files. Allowed folders count as the workspace; what files are by
nature (secrets, what runs at login) they stay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from interlock.codemode.commands import expand_names
from interlock.engine.candidates import index
from interlock.model.action import ALLOW, ASK, DENY
from interlock.model.effect import (
    LOCAL,
    METADATA_SERVICE,
    ChangesMode,
    Connects,
    Deletes,
    Executes,
    Listens,
    Reads,
    Sends,
    Writes,
)
from interlock.model.policy import Policy
from interlock.model.record import Record
from interlock.model.rule import Match, Rule
from interlock.policy import compile as compiling
from interlock.policy import profiles
from interlock.policy.files import PolicyLocations
from interlock.policy.patterns import below
from interlock.policy.schema import DEFAULT, OBSERVE, PROFILES

WORKSPACE_WRITE = "workspace-write"
STARTED, NATIVE, LOOPBACK, AFTER_SECRET, OF_GUARD = (
    "started-by-program",
    "native-code",
    "loopback",
    "after-secret",
    "of-the-guard",
)
"""Traits of what a running program does: it starts another program; machine code in its own
process; it listens where only this machine reaches; it has read a secret before; it touches what
belongs to the guard itself.
"""
ANY = "*"


class RunPermissions(Record):
    """What a person allows and denies one run.

    ``preset``: a profile, or ``""`` for the policy as it stands. ``allow_paths``: folders that
    count as the workspace. ``deny_paths``: neither read nor changed. ``only_paths``: nothing else
    is. ``allow_commands``: programs by name that may be started, ``*`` for any; ``deny_commands``:
    not these. ``allow_hosts``: names of hosts, each with those below it, ``*`` for any.
    ``interactive``: a person is asked about each operation.
    ``loopback``: it may wait for connections on this machine, and reach itself there. ``asks``: a
    person is asked about what is denied for not having been allowed beforehand: another program, a
    host, a file that is nobody's business.
    """

    preset: str = WORKSPACE_WRITE
    allow_paths: tuple[str, ...] = ()
    deny_paths: tuple[str, ...] = ()
    only_paths: tuple[str, ...] = ()
    allow_commands: tuple[str, ...] = ()
    deny_commands: tuple[str, ...] = ()
    allow_hosts: tuple[str, ...] = ()
    interactive: bool = False
    loopback: bool = False
    asks: bool = False


RUN = Rule(
    "code.run-program",
    "starts another program",
    "Another program is held by the kernel's walls alone; nothing in it asks.",
    "Do it in the program itself, or ask the user to allow the command: --allow-command NAME.",
    Match((Executes,), has=frozenset({STARTED})),
    DENY,
    possible=DENY,
)
LOAD = Rule(
    "code.load-native",
    "runs machine code of its own",
    "What machine code does asks nobody.",
    "Use the language's own library, or an installed package.",
    Match((Executes,), has=frozenset({NATIVE})),
    DENY,
    possible=DENY,
)
REACH = Rule(
    "code.reach-host",
    "reaches a host",
    "Programs run without a network unless a host is allowed.",
    "Work with what is on disk, or ask the user to allow the host: --allow-host NAME.",
    Match((Connects, Sends)),
    DENY,
    possible=DENY,
)
PRIVATE = Rule(
    "code.reach-private",
    "reaches this machine, or a service that hands out a machine's keys",
    "What listens on this machine trusts who comes from it.",
    "Ask the user to allow that very host: --allow-host NAME.",
    Match((Connects, Sends), host=frozenset({LOCAL, METADATA_SERVICE})),
    DENY,
    possible=DENY,
)
LISTEN = Rule(
    "code.listen",
    "waits for connections",
    "Whoever can reach this machine could reach the program.",
    "Call the code directly instead of serving it, or ask the user to allow it on this machine"
    " alone: --allow-loopback.",
    Match((Listens,)),
    DENY,
    possible=DENY,
)
OWN = Rule(
    "code.own-files",
    "looks at or changes what belongs to the guard itself",
    "Who reads its record can lock it, and keep every other agent of the user waiting.",
    "Ask the user; interlock log shows the record.",
    Match((Reads, Writes, Deletes, ChangesMode), has=frozenset({OF_GUARD})),
    DENY,
    possible=DENY,
)
AFTER = Rule(
    "code.send-after-secret",
    "reaches a host after a secret was read",
    "What a program says to a host nobody sees: it may be the secret.",
    "Reach the host before the secret is read, or have the user asked: --ask.",
    Match((Sends,), has=frozenset({AFTER_SECRET})),
    ASK,
    possible=ASK,
)
EACH = Rule(
    "code.each-operation",
    "is an operation of a program",
    "Whoever runs the program wants to be asked about each operation.",
    "Ask the user.",
    Match((Reads, Writes, Deletes, ChangesMode, Executes, Connects), lacks=frozenset({"listed"})),
    ASK,
    possible=ASK,
)
ROWS = (RUN, LOAD, REACH, PRIVATE, LISTEN, OWN, AFTER)
ASKED = frozenset({RUN.id, REACH.id, PRIVATE.id})
"""Of these, what a person may be asked about while a program runs; the others no answer helps."""


def apply_permits(
    policy: Policy, permits: RunPermissions, home: str, where: PolicyLocations | None = None
) -> Policy:
    """Return the policy of one run; raises ``ValueError`` for a preset that does not exist,
    ``PolicyError`` where profiles cannot be read. ``where``: where compiled policies are kept.
    """
    rules = {rule.id: rule for rule in policy.rules}
    for rule in _of_preset(permits.preset, policy, where):
        rules.setdefault(rule.id, _asking(rule, permits))
    for rule in _own(permits, home):
        rules.setdefault(rule.id, _asking(rule, permits) if rule.id in ASKED else rule)
    for kinds, rule_ids, match in _exceptions(permits):
        for name in rule_ids or tuple(rules):
            rule = rules[name]
            if (
                rule.floor == ALLOW
                and name != EACH.id
                and not set(kinds).isdisjoint(rule.match.kinds)
            ):
                rules[name] = rule.replace(excepts=(*rule.excepts, match))
    made = tuple(rules.values())
    return policy.replace(rules=made, by_kind=index(made), bound=True, hash=f"{policy.hash}+run")


def _asking(rule: Rule, permits: RunPermissions) -> Rule:
    """Return a rule of the run, where a person is asked of what is else denied."""
    return (
        rule.replace(action=ASK, possible=ASK)
        if permits.asks and rule.action == DENY and rule.floor <= ASK
        else rule
    )


def _of_preset(name: str, policy: Policy, where: PolicyLocations | None) -> Iterable[Rule]:
    if name in ("", DEFAULT, policy.profile):
        return ()
    if name not in PROFILES or name == OBSERVE:
        raise ValueError(
            f"there is no preset {name!r}; known:"
            f" {', '.join([one for one in PROFILES if one != OBSERVE])}"
        )
    return profiles.rules_of(name, policy, where)


def _own(permits: RunPermissions, home: str) -> Iterator[Rule]:
    yield from (*ROWS, EACH) if permits.interactive else ROWS
    if permits.deny_paths:
        yield compiling.blocking_rule(permits.deny_paths, home).replace(id="code.blocked-path")
    if permits.only_paths:
        only = tuple([below(path, home) for path in permits.only_paths])
        above = Match((Reads,), has=frozenset({"listed"}), path=tuple(_above(only)))
        rule = compiling.make_not_allowed(only)
        yield rule.replace(id="code.not-allowed-path", excepts=(*rule.excepts, above))
    if permits.deny_commands:
        match = Match(
            (Executes,), has=frozenset({STARTED}), like=expand_names(permits.deny_commands)
        )
        yield RUN.replace(
            id="code.blocked-command",
            title="starts a program that is not to be started",
            match=match,
        )


def _above(patterns: Iterable[str]) -> Iterator[str]:
    """Yield the folders of what patterns name: who makes ``/tmp/x`` looks for ``/tmp``."""
    for text in patterns:
        steps = text.split("/")
        plain = next(
            (at for at, step in enumerate(steps) if "*" in step or "?" in step), len(steps)
        )
        for end in range(1, min(plain, len(steps) - 1) + 1):
            yield "/".join(steps[:end]) or "/"


def _exceptions(
    permits: RunPermissions,
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Match]]:
    """Yield kinds, the rules that are meant (none: all of those kinds without a floor) and what
    they are not to speak of.
    """
    if permits.allow_commands:
        names = expand_names(permits.allow_commands)
        yield (Executes,), (RUN.id,), Match((Executes,), has=frozenset({STARTED}), like=names)
    if permits.loopback:
        own = Match((Listens,), has=frozenset({LOOPBACK}))
        yield (
            (Listens,),
            (
                (LISTEN.id, "workspace-write.reach-out")
                if permits.preset == WORKSPACE_WRITE
                else (LISTEN.id,)
            ),
            own,
        )
    if permits.allow_hosts:
        forms = tuple(
            [
                form
                for host in permits.allow_hosts
                for form in ((host,) if host == ANY else (host, f"*.{host}"))
            ]
        )
        kinds = (Connects, Sends)
        yield kinds, (REACH.id,), Match(kinds, like=forms)
        named = tuple([form for form in forms if form != ANY])
        if named:
            yield kinds, (PRIVATE.id,), Match(kinds, like=named)
        yield (
            kinds,
            ("workspace-write.reach-out",) if permits.preset == WORKSPACE_WRITE else (REACH.id,),
            Match(kinds, like=forms),
        )
