"""The aliases that every PowerShell session starts with (``Get-Alias``; about_Aliases), and the
verbs of cmdlets (``Get-Verb``).
"""

from __future__ import annotations

from interlock.data.words import words

ALIASES: dict[str, str] = {
    alias: name
    for entry in words("powershell", "aliases")
    for name, _, aliases in [entry.partition("=")]
    for alias in aliases.split(",")
}

LOOKING = frozenset(
    "get test measure select where sort group format out write show find search compare convert convertto convertfrom join split resolve read wait trace "
    "debug ping skip step receive watch limit use enter exit assert describe it should context foreach tee expand confirm validate import".split()
)
"""Verbs of cmdlets that change nothing outside their session."""

MACHINE_NOUNS = words("powershell", "machine nouns")
CLOUD_NOUNS = words("powershell", "cloud nouns")
ATTACKING = words("powershell", "attacking")
