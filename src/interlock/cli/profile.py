"""The profile in a person's own policy file: how it is written there, how the file was before, and what each profile means in a few words."""

from __future__ import annotations

import os
import re
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

from interlock.cli import build
from interlock.integrations import install
from interlock.integrations.changes import Change
from interlock.policy.builtin import builtin
from interlock.policy.compare import of_file
from interlock.policy.compile import Source
from interlock.policy.installation import install_command
from interlock.policy.load import find_yaml
from interlock.policy.problem import Problems
from interlock.policy.schema import DEFAULT, OBSERVE, PROFILES, USER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interlock.policy.files import Where

MEANINGS = {
    DEFAULT: "ordinary work runs; what loses or leaks something is asked",
    "careful": "what is known to be safe runs, all else is asked about",
    "strict": "only listed programs run, only inside the workspace",
    "read-only": "what is no secret may be read, nothing is changed",
    "network-only": "hosts may be reached, no file is read or changed",
    "workspace-write": "the workspace may be changed, nothing else; no network",
    "pure": "the workspace may be read, nothing else happens",
    "production": "every change is asked about, wherever it is made",
    OBSERVE: "nothing is stopped, everything is recorded",
}
"""What each profile does, short enough for one line of a narrow terminal."""

BEGUN = """\
# Your own policy, begun by `interlock init`. What else can stand here: docs/policy.md; `interlock policy check` checks it.
version: 1
profile: {name}
"""
_LINE = re.compile(r"""^(profile[ \t]*:[ \t]*)(["']?)([\w-]+)\2([ \t]*(?:#[^\n]*)?\r?)$""", re.MULTILINE)
_VERSION = re.compile(r"^version[ \t]*:[^\n]*\n", re.MULTILINE)


class ProfileError(ValueError):
    """A policy file in which no profile can be written; the text is one sentence that says what to do."""


def with_profile(text: str, name: str, path: str = "policy") -> str:
    """Return a policy's text with another profile and every other byte as it was; raises ``ProfileError``."""
    if not text.strip("\ufeff \t\r\n"):
        return BEGUN.format(name=name)
    found = list(_LINE.finditer(text))
    if len(found) == 1:
        return text[: found[0].start(3)] + name + text[found[0].end(3) :]
    version = _VERSION.search(text)
    if found or version is None or re.search(r"^[\"']?profile\b", text, re.MULTILINE):
        raise ProfileError(f"{path}: expected one line `profile: NAME`, which could be changed; write `profile: {name}` there yourself")
    return f"{text[: version.end()]}profile: {name}\n{text[version.end() :]}"


def current(text: str) -> str:
    """Return the profile that a policy's text names; the default where it names none."""
    found = _LINE.search(text)
    return found[3] if found else DEFAULT


def writing(where: Where, name: str) -> Change | None:
    """Return the change that makes this the person's profile, None where it is already.

    Raises ``ProfileError``, ``SettingsError`` for a file that cannot be read, and ``PolicyError`` for one that is wrong.
    """
    if not where.user_file:
        raise ProfileError("HOME is not set, so there is no place for a policy of yours")
    before = install.content(where.user_file)
    if current(before) == name and (before or name == DEFAULT):
        return None
    find_yaml()
    if find_spec("yaml") is None:
        raise ProfileError(f"policy files need PyYAML, which is missing here; install it with: {install_command()}")
    after = with_profile(before, name, where.user_file)
    known = {rule.id: rule for rule in builtin().rules}
    source = Source(USER, where.user_file, where.home, known, build.reader(where.home), Problems(where.user_file), True)
    of_file(after.encode(), source, time.strftime("%Y-%m-%d", time.gmtime()))
    return Change(where.user_file, before, after)


def loosens(change: Change, name: str) -> bool:
    """Tell whether a change of profile may let more pass than before: every profile but one that observes only adds to the default."""
    return name == OBSERVE or current(change.before) != DEFAULT


def taken_back(where: Where) -> Change | None:
    """Return the change that puts the policy file back as it was before a profile was written; None where it was not, or was edited since."""
    path = where.user_file
    text = install.content(path) if path else ""
    kept = [(backup, had) for backup in install.backups(path) for had in _led_to(backup, text)] if text else []
    spent = tuple([backup for backup, _ in kept])
    if text in {BEGUN.format(name=name) for name in PROFILES}:
        return Change(path, text, "", spent=spent)
    return Change(path, text, kept[0][1], own=True, spent=spent) if kept else None


def _led_to(backup: str, text: str) -> Iterator[str]:
    """Yield a backup's text, if another profile makes it this one."""
    try:
        had = install.content(backup)
        if any(with_profile(had, name) == text for name in PROFILES):
            yield had
    except (ProfileError, install.SettingsError):
        return


def folder_for(path: str) -> None:
    """Make the folder of a policy file as others may read it and nobody else may write it; raises ``OSError``."""
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
