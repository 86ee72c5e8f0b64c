"""git in programs of JavaScript and Go: what simple-git, isomorphic-git, nodegit and go-git do is
read as the git command that does the same (their pages on the API).
"""

from __future__ import annotations

from interlock.data.words import values
from interlock.effects.python.call import PyCall
from interlock.effects.python.values import UNKNOWN, KnownObject, PyValue, is_text, text_of

SIMPLE = "simple-git"
"""The kind of a client whose methods are git's commands, each of which gives the client again."""
GIT = "git-repository"
"""Label of a repository's object, and of what is got from it."""
LABELS = frozenset({GIT})
_NAMED = values("gitclients", "simple")
_MODES = frozenset({"hard", "soft", "mixed", "merge", "keep"})
_WORDS = frozenset(
    "add apply branch checkout clean clone fetch init log merge mv rebase remote reset revert rm"
    " show stash status tag diff grep".split()
)
"""Methods of simple-git that are called as the command is."""


def simple(call: PyCall, item: KnownObject) -> PyValue | None:
    """Read a method of simple-git: ``git.push(['--force', 'origin', 'main'])``."""
    words = _NAMED.get(call.method, call.method if call.method in _WORDS else None)
    if call.method in ("cwd", "env") or words is None:
        return None
    given = [PyValue(word) for word in _argument_words(call, words)]
    folder = item.fields.get("folder")
    there = [PyValue("-C"), folder] if folder is not None and is_text(folder.value) else []
    call.command([PyValue("git"), *there, *[PyValue(word) for word in words.split()], *given])
    return call.owner


def _argument_words(call: PyCall, words: str) -> list[str]:
    """Return the words of what a method is given: texts, lists of them, names of options."""
    found: list[str] = []
    for thing in call.arguments:
        found += _texts(thing)
    if words == "reset":
        found = [f"--{text}" if text in _MODES else text for text in found]
    if words == "clean":
        found = [text if text[:1] == "-" else f"-{text}" for text in found[:1]] + found[1:]
    return found


def _texts(thing: PyValue) -> list[str]:
    if isinstance(thing.value, list):
        return [text for one in thing.value for text in _texts(one)]
    if isinstance(thing.value, dict):
        return [str(name) for name in thing.value]
    if is_text(thing.value) or thing.value is UNKNOWN:
        return [text_of(thing)]
    return []


# -- isomorphic-git ----------------------------------------------------------------------------

_ISOMORPHIC = values("gitclients", "isomorphic")


def isomorphic(call: PyCall) -> PyValue | None:
    """``git.push({fs, http, dir, ref, force: true})``."""
    row, first = _ISOMORPHIC.get(call.method), call.argument(0)
    if row is None or first is None or not isinstance(first.value, dict):
        return None
    given: dict[object, PyValue] = first.value
    words = [word for part in row.split() for word in _fill_part(part, given)]
    folder = given.get("dir")
    there = (
        [PyValue("-C"), folder] if folder is not None and text_of(folder) not in ("", ".") else []
    )
    return call.command([PyValue("git"), *there, *[PyValue(word) for word in words]])


def _fill_part(word: str, given: dict[object, PyValue]) -> list[str]:
    """Return the words of a part of a row."""
    name, asked, option = word.partition("?")
    if asked:
        told = given.get(name)
        return [option] if told is not None and told.value not in (False, None) else []
    if word[:1] != "=":
        return [word]
    name, _, default = word[1:].partition("|")
    name, _, behind = name.partition(":")
    there = given.get(name)
    if there is not None and isinstance(there.value, list):
        return _texts(there)
    text = text_of(there) if there is not None else default
    also = given.get(behind)
    return [f"{text}:{text_of(also)}" if also is not None else text] if text else []


# -- nodegit -----------------------------------------------------------------------------------


def _resets(call: PyCall) -> PyValue | None:
    """``Reset.reset(repository, commit, Reset.TYPE.HARD)``."""
    hard = any("HARD" in repr(thing.value) for thing in call.arguments)
    return call.command([PyValue("git"), PyValue("reset"), *([PyValue("--hard")] if hard else [])])


def _deletes_branch(call: PyCall) -> PyValue | None:
    """``Branch.delete(reference)``."""
    return call.command([PyValue("git"), PyValue("branch"), PyValue("-D"), *call.arguments[:1]])


def _checks_out(call: PyCall) -> PyValue | None:
    """``Checkout.head(repository, {checkoutStrategy: FORCE})``."""
    forced = any("FORCE" in repr(thing.value) for thing in call.arguments)
    return call.command([PyValue("git"), PyValue("checkout"), *([PyValue("-f")] if forced else [])])


# -- go-git ------------------------------------------------------------------------------------

GO = "go-git"
"""The kind of a repository of go-git, and of its work tree."""
_GO = values("gitclients", "go")


def opens(call: PyCall) -> PyValue:
    """``git.PlainOpen(folder)`` gives a repository and an error."""
    folder = call.argument(0)
    fields = {"folder": folder} if folder is not None and is_text(folder.value) else {}
    return PyValue([PyValue(KnownObject(GO, fields), LABELS), PyValue(None)], LABELS)


def of_go(call: PyCall, item: KnownObject) -> PyValue | None:
    """Read a method of go-git: ``r.Push(&git.PushOptions{Force: true})``."""
    if call.method == "Worktree":
        return PyValue([PyValue(item, LABELS), PyValue(None)], LABELS)
    row = _GO.get(call.method)
    if row is None:
        return None
    given: dict[object, PyValue] = {}
    for thing in call.arguments:
        given |= thing.value if isinstance(thing.value, dict) else {}
    mode = given.get("Mode")
    hard = mode is not None and "hard" in _last(mode).lower()
    words = [word for part in row.split() for word in _fill_part(part, given)]
    words = [("--hard" if hard else "--mixed") if word == "--MODE" else word for word in words]
    words += [text for thing in call.arguments for text in _texts(thing) if is_text(thing.value)]
    return call.command([PyValue("git"), *[PyValue(word) for word in words]])


def _last(thing: PyValue) -> str:
    """Return the last part of a name that stands for a constant."""
    return str(getattr(thing.value, "attribute", "") or getattr(thing.value, "dotted", ""))
