"""What makes a call the same call on another machine: its words and effects, with paths told from
the top of its repository, at one commit of one repository that has an address.

A yes of which its rules say ``anywhere`` is found again by it. No key of this machine is in it: the
service that keeps it hashes it with a key of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os.path import isdir, join
from typing import Any

from interlock.approvals.exact_calls import bare_effect, said_fields
from interlock.approvals.terms import ApprovalTerms
from interlock.effects.programs.gitfiles import settings
from interlock.effects.programs.gitshared import is_local_path
from interlock.facts.files import read_file
from interlock.facts.gitrefs import Refs
from interlock.facts.worktree import TooMuchError
from interlock.model.blake import blake2b
from interlock.model.call import ToolCall
from interlock.model.codec import encode
from interlock.model.effect import Reading
from interlock.model.facts import Facts, Repository
from interlock.model.jsontext import dumps

TOP = "\ue001"
"""Stands for the top of the repository."""
MOST_CONFIG = 256 << 10
_GITDIR = "gitdir:"
_IN_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class AnyCall:
    """A call and why it is asked about. ``clean``: takes secrets out of a text."""

    def __init__(
        self, call: ToolCall, reading: Reading, why: list[str], clean: Callable[[str], str]
    ) -> None:
        self.call, self.reading, self.why, self._clean = call, reading, why, clean

    def digest(self, needed: ApprovalTerms, facts: Facts) -> str:
        """Return what the call is on every machine; empty where that cannot be told: without a
        commit or an address, with a secret in its words, or where part of it was not read.
        """
        top = facts.repository(self.call.cwd)
        where = identify(top.root) if isinstance(top, Repository) else []
        if not isinstance(top, Repository) or not where or self.reading.coverage != "full":
            return ""
        call = self.call
        bound = [
            call.tool, call.name, call.agent, call.platform, call.shell, encode(said_fields(call)),
            call.cwd, list(call.roots), [encode(bare_effect(one)) for one in self.reading.effects],
        ]  # fmt: skip
        if any(TOP in text or self._clean(text) != text for text in _iter_texts(bound)):
            return ""
        terms = [list(needed.roles), needed.quorum, needed.second_person]
        tops = sorted({top.root, str(facts.real(top.root) or top.root)}, key=len, reverse=True)
        for one in tops:
            bound = _tell_from(bound, one)
        text = dumps([where, self.why, terms, bound], sort_keys=True)
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def identify(top: str) -> list[str]:
    """Return what a work tree is on every machine: its commit, and its remotes with their
    addresses; nothing where one of both is lacking, or leads to a folder of this machine.
    """
    try:
        refs = Refs(_git_folder(top))
        text = read_file(f"{refs.common}/config", MOST_CONFIG).decode("utf-8", "replace")
    except (OSError, ValueError, TooMuchError):
        return []
    remotes = [
        (key, value)
        for key, value in settings(text)
        if key.startswith("remote.") and key.endswith((".url", ".pushurl"))
    ]
    local = any(is_local_path(value) for _, value in remotes)
    if not refs.head or not remotes or local:
        return []
    return [refs.head.hex(), *sorted(f"{key} {_without_user(value)}" for key, value in remotes)]


def _git_folder(top: str) -> str:
    if isdir(f"{top}/.git"):
        return f"{top}/.git"
    said = read_file(f"{top}/.git", 4096).decode("utf-8")
    if not said.startswith(_GITDIR):
        raise ValueError(top)
    return join(top, said.removeprefix(_GITDIR).strip())


def _without_user(address: str) -> str:
    """Return an address without who goes there: a runner's is another token each time."""
    scheme, mark, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}" if mark else address


def _iter_texts(value: Any) -> Iterator[str]:
    """Yield the texts of plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _iter_texts(one)


def _tell_from(value: Any, top: str) -> Any:
    """Return plain data with the paths of its texts told from a folder."""
    if isinstance(value, str):
        return tell_from(value, top)
    if isinstance(value, list):
        return [_tell_from(one, top) for one in value]
    if isinstance(value, dict):
        return {key: _tell_from(one, top) for key, one in value.items()}
    return value


def tell_from(text: str, top: str) -> str:
    """Return a text with a folder's path taken out of it, wherever it stands as a whole path or as
    the beginning of one.
    """
    first, *rest = text.split(top)
    for piece in rest:
        begins = not first or (first[-1] not in _IN_NAMES and first[-1] != "/")
        ends = not piece or piece[0] not in _IN_NAMES
        first += (TOP if begins and ends else top) + piece
    return first
