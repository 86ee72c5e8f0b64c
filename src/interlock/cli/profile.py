"""The profile in a person's own policy file: how it is written there, how the file was before, and
what each profile means in a few words.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec

from interlock.cli import build
from interlock.integrations import install
from interlock.integrations.changes import Change
from interlock.model.policy import APPROVE, PASS
from interlock.policy.builtin import builtin
from interlock.policy.compare import of_file
from interlock.policy.files import PolicyLocations
from interlock.policy.installation import install_command
from interlock.policy.load import find_yaml
from interlock.policy.problem import PolicyProblems
from interlock.policy.schema import DEFAULT, OBSERVE, PROFILES, USER
from interlock.policy.source import PolicySource

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
    APPROVE: "what is proven harmless runs without your agent's own question",
    PASS: "your agent asks as it always does",
}
"""What each profile and each word for what is proven does, for a narrow terminal."""

BEGUN = """\
# Your own policy, begun by `interlock init`. What else can stand here: docs/policy.md; `interlock policy check` checks it.
version: 1
"""
KEYS = {"profile": PROFILES, "proven": (PASS, APPROVE)}
"""What `interlock init` may write, and the words that can stand there."""
_VERSION = re.compile(r"^version[ \t]*:[^\n]*\n", re.MULTILINE)


class ProfileError(ValueError):
    """A policy file in which a word cannot be written; the text says what to do."""


def _line(key: str) -> re.Pattern[str]:
    return re.compile(
        rf"""^({key}[ \t]*:[ \t]*)(["']?)([\w-]+)\2([ \t]*(?:#[^\n]*)?\r?)$""", re.MULTILINE
    )


def with_words(text: str, chosen: Mapping[str, str], path: str = "policy") -> str:
    """Return a policy's text with other words at these keys and every other byte as it was; raises
    ``ProfileError``.
    """
    if not text.strip("\ufeff \t\r\n"):
        return BEGUN + "".join(f"{key}: {word}\n" for key, word in chosen.items())
    for key, word in chosen.items():
        text = _with_word(text, key, word, path)
    return text


def _with_word(text: str, key: str, word: str, path: str) -> str:
    found = list(_line(key).finditer(text))
    if len(found) == 1:
        return text[: found[0].start(3)] + word + text[found[0].end(3) :]
    version = _VERSION.search(text)
    if found or version is None or re.search(rf"^[\"']?{key}\b", text, re.MULTILINE):
        raise ProfileError(
            f"{path}: expected one line `{key}: WORD`, which could be changed; write `{key}:"
            f" {word}` there yourself"
        )
    return f"{text[: version.end()]}{key}: {word}\n{text[version.end() :]}"


def current(text: str, key: str = "profile") -> str:
    """Return the word of a policy's text at a key; the first of ``KEYS`` where it has none."""
    found = _line(key).search(text)
    return found[3] if found else KEYS[key][0]


def writing(where: PolicyLocations, chosen: Mapping[str, str]) -> Change | None:
    """Return the change that makes these the person's words, None where they are already.

    Raises ``ProfileError``, ``SettingsError`` for a file that cannot be read, and ``PolicyError``
    for one that is wrong.
    """
    if not where.user_file:
        raise ProfileError("HOME is not set, so there is no place for a policy of yours")
    before = install.content(where.user_file)
    fresh = {key: word for key, word in chosen.items() if current(before, key) != word}
    if not fresh:
        return None
    find_yaml()
    if find_spec("yaml") is None:
        raise ProfileError(
            f"policy files need PyYAML, which is missing here; install it with: {install_command()}"
        )
    after = with_words(before, fresh, where.user_file)
    known = {rule.id: rule for rule in builtin().rules}
    source = PolicySource(
        USER,
        where.user_file,
        where.home,
        known,
        build.reader(where.home),
        PolicyProblems(where.user_file),
        True,
    )
    of_file(after.encode(), source, time.strftime("%Y-%m-%d", time.gmtime()))
    return Change(where.user_file, before, after)


def loosens(change: Change) -> bool:
    """Tell whether a change may let more pass than before: every profile but one that observes only
    adds to the default.
    """
    was, now = [{key: current(text, key) for key in KEYS} for text in (change.before, change.after)]
    profile = was["profile"] != now["profile"] and (
        now["profile"] == OBSERVE or was["profile"] != DEFAULT
    )
    return profile or (was["proven"] != now["proven"] == APPROVE)


def _combinations() -> Iterator[dict[str, str]]:
    """Yield all that may have been written at once."""
    for profile in (None, *KEYS["profile"]):
        for proven in (None, *KEYS["proven"]):
            yield {
                key: word
                for key, word in (("profile", profile), ("proven", proven))
                if word is not None
            }


def plan_restore(where: PolicyLocations) -> Change | None:
    """Return the change that puts the policy file back as it was before a word was written; None
    where it was not, or was edited since.
    """
    path = where.user_file
    text = install.content(path) if path else ""
    kept = (
        [(backup, had) for backup in install.backups(path) for had in _match_backup(backup, text)]
        if text
        else []
    )
    spent = tuple([backup for backup, _ in kept])
    if text in {with_words("", chosen) for chosen in _combinations()}:
        return Change(path, text, "", spent=spent)
    return Change(path, text, kept[0][1], own=True, spent=spent) if kept else None


def _match_backup(backup: str, text: str) -> Iterator[str]:
    """Yield a backup's text, if other words make it this one."""
    try:
        had = install.content(backup)
        if any(with_words(had, chosen) == text for chosen in _combinations() if chosen):
            yield had
    except (ProfileError, install.SettingsError):
        return


def folder_for(path: str) -> None:
    """Make the folder of a policy file as others may read it and nobody else may write it; raises
    ``OSError``.
    """
    os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
