"""Verbs of clouds and platforms: what a word of a command line does, for all of them and for each
with its exceptions.

A command is looked up word by word, first in the program's own exceptions, then by the verbs that
all of them share (``describe-instances`` begins with ``describe``, ``apps:destroy`` ends with
``destroy``).
"""

from __future__ import annotations

from interlock.data.words import tables, texts, words

_VERBS: dict[str, str] = texts("clouds", "verbs")

_SHARED: dict[str, str] = {
    verb: action for action, words in _VERBS.items() for verb in words.split()
}

READING = "read"
"""What an own exception says of a command that changes nothing worth a question."""
SOFT = "soft"
"""Of one that only points later commands elsewhere, or writes settings: worth a warning."""


def exceptions(file: str) -> dict[str, dict[str, str]]:
    """Return for each program what its own commands do, of the lists ``own PROGRAM`` of a file."""
    return {
        program: {command.replace("+", " "): action for command, action in table.items()}
        for program, table in tables(file, "own").items()
    }


OWN: dict[str, dict[str, str]] = exceptions("clouds")
ALIKE = {
    "tofu": "terraform",
    "terragrunt": "terraform",
    "fly": "flyctl",
    "sls": "serverless",
    "now": "vercel",
    "ntl": "netlify",
    "hub": "gh",
    "tea": "gh",
    "awslocal": "aws",
    "tflocal": "terraform",
    "cdklocal": "cdk",
    "samlocal": "sam",
    "pulumilocal": "pulumi",
    "bao": "vault",
    "openbao": "vault",
}
EMULATED = frozenset({"awslocal", "tflocal", "cdklocal", "samlocal", "pulumilocal"})
"""Wrappers that send every command to LocalStack, an emulator on this machine."""

_GROUPS = {
    "gcloud": frozenset(
        "run deploy scheduler builds logging monitoring functions tasks workflows".split()
    ),
    "terragrunt": frozenset({"run-all", "run"}),
    "az": frozenset("monitor deployment functionapp webapp".split()),
    "ansible-galaxy": frozenset({"role", "collection"}),
}
"""First words that name a group, though they read like verbs."""
_STAGES = frozenset({"alpha", "beta"})
"""Words before a group that change nothing of its meaning."""

_NOUNS = frozenset(words("clouds", "nouns"))

_LED = frozenset(
    "aws gcloud oci az doctl scw exo ibmcloud hcloud linode-cli openstack civo vultr-cli upctl".split()
)
"""Programs whose first word always names a group, whatever it reads like (``aws deploy
list-deployments``).
"""
_BEFORE = ("transact-", "batch-", "bulk-", "admin-", "force-", "global-")
"""Parts before a verb that do not change what it does."""


_GROUPED = frozenset({"az", "gh", "glab", "gcloud"})
"""Programs whose commands are groups, and then a verb that is a word of its own."""


def action_of(program: str, words: list[str], own: dict[str, str]) -> tuple[str, str]:
    """Return what a command does (``read``, ``soft``, ``create``, ``modify``, ``delete``,
    ``reveals`` or ``""``) and the word that says so.
    """
    while program == "gcloud" and words and words[0] in _STAGES:
        words = words[1:]
    for count in (4, 3, 2, 1):
        found = own.get(" ".join(words[:count])) if len(words) >= count else None
        if found is not None:
            behind = _SHARED.get(words[1]) if count == 1 and len(words) > 1 else None
            if (
                found == READING
                and behind == "delete"
                and words[1] in _LOSING
                and words[0] not in _OWN_THINGS
            ):
                return behind, " ".join(words[:2])  # ``gh ruleset delete``: a group that is read
            looks = found not in (READING, "reveals") and behind == READING
            return (READING, words[1]) if looks else (found, " ".join(words[:count]))
    if len(words) > 1 and (program in _LED or words[0] in _GROUPS.get(program, ())):
        words = words[1:]
    named = ""
    verb = (
        next((word for word in words[:4] if word in _SHARED and word not in _NOUNS), "")
        if program in _GROUPED
        else ""
    )
    if verb and _SHARED[verb] == READING:
        # ``az sql failover-group list``: what stands before the verb are the names of groups
        return READING, verb
    for at, word in enumerate(words[:5]):
        action = _find_action(word)
        if named and action not in ("", "delete") and at > words.index(named) + 1:
            break  # ``apps logs NAME --type run``: a name stands behind what looks
        if action and not (action == READING and word in _NOUNS):
            return action, word
        named = named or (word if action else "")
    return (READING, named) if named else ("", "")


_LOSING = frozenset({"delete", "destroy", "remove", "purge", "terminate"})
_OWN_THINGS = frozenset(
    {"alias", "config", "configure", "configs", "context", "plugin", "cache", "extension"}
)
"""Groups of settings of the client's own."""


def _find_action(word: str) -> str:
    """Return the action of a word by the shared verbs: the word itself, its part after a colon, or
    before a hyphen.
    """
    last = word.rpartition(":")[2].lower()
    for before in _BEFORE:
        last = last.removeprefix(before)
    found = _SHARED.get(word) or _SHARED.get(last, "")
    if found:
        return found
    head, _, tail = last.partition("-")
    if not tail:
        return ""
    first, second = _SHARED.get(head, ""), _SHARED.get(tail.rpartition("-")[2], "")
    found = first or (second if second != READING else "")
    return found if found != "reveals" else ""
