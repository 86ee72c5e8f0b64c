"""git in a program: what GitPython, pygit2, dulwich, Rugged and ruby-git do is read as the git
command that does the same. ``repo.git.VERB(words)`` is that command; of the other methods a row
says which.
"""

from __future__ import annotations

import _ast
from collections.abc import Callable

from interlock.data.words import values
from interlock.effects.python.call import PyCall
from interlock.effects.python.following import PythonInterpreter
from interlock.effects.python.gitclients import (
    GIT,
    GO,
    SIMPLE,
    of_go,
    simple,
)
from interlock.effects.python.values import (
    UNKNOWN,
    BoundAttribute,
    DottedName,
    KnownObject,
    PyValue,
    is_text,
    text_of,
)

_COMMAND = "git"
"""The attribute, and the kind of object, whose methods are git's own commands."""
_SAME = frozenset(
    "remote create_remote config_writer lookup_branch get submodule getRemote lookupRemote".split()
)
"""Methods that give a part of the repository."""

_ROWS = values("gitclients", "objects")
_REMOTE = frozenset({"push", "pull", "fetch"})
_PARTS = frozenset(
    "index head heads branches remotes tags submodules active_branch references lib".split()
)
"""Attributes of a repository whose methods are its own; lists of names have such as well."""
_CLONES = "source from_path url target to_path path"


def read_method(call: PyCall) -> PyValue | None:
    """Read a method of what is got from a repository; None where it only looks."""
    owner, steps = call.owner, []
    while owner is not None and isinstance(owner.value, BoundAttribute):
        steps.append(owner.value.attribute)
        owner = owner.value.thing
    steps.reverse()
    item = (
        owner.value
        if owner is not None and isinstance(owner.value, KnownObject)
        else KnownObject("")
    )
    if item.kind == SIMPLE:
        return simple(call, item) if not steps else None
    if item.kind == GO:
        return of_go(call, item)
    if steps[-1:] == [_COMMAND] or (item.kind == _COMMAND and not steps):
        return _command(call, item)
    row = ""
    for start in range(len(steps) + 1):
        row = row or _ROWS.get(".".join([*steps[start:], call.method]), "")
    of = item.fields.get("of") or (PyValue(steps[-1]) if len(steps) > 1 else None)
    if of is None and call.method in _REMOTE:
        of = PyValue("origin")
    if row and (not steps or steps[0] in _PARTS) and (item.kind or call.method == "push"):
        _run(call, item, row, call.arguments, of)
    if call.method == "clone" and call.arguments:
        _git(call, item, [PyValue("clone"), _folder(item), call.arguments[0]])
    if call.method in _PARTS and not call.arguments and call.owner is not None:
        return PyValue(BoundAttribute(call.owner, call.method), frozenset({GIT}))
    if call.method in _SAME:
        fields = {**item.fields, **({"of": call.arguments[0]} if call.arguments else {})}
        return PyValue(KnownObject("repository", fields), frozenset({GIT}))
    return None


def _command(call: PyCall, item: KnownObject) -> PyValue:
    """``repo.git.VERB("word", x=True, name=value)``, ``Git(folder).execute([words])``."""
    words = _flat(call.arguments)
    if call.method == "execute":
        return call.command(words)
    for name, thing in call.keywords.items():
        dashed = f"-{name}" if len(name) == 1 else f"--{name.replace('_', '-')}"
        if thing.value is True:
            words.insert(0, PyValue(dashed))
        elif thing.value not in (False, None):
            for one in _flat([thing]):
                joined = (
                    [PyValue(dashed), one]
                    if len(name) == 1
                    else [PyValue(f"{dashed}={text_of(one)}")]
                )
                words = [*joined, *words]
    return _git(call, item, [PyValue(call.method.replace("_", "-")), *words])


def _run(
    call: PyCall, item: KnownObject, row: str, given: list[PyValue], of: PyValue | None
) -> None:
    """Run the command of a row."""
    words: list[PyValue] = []
    for word in row.split():
        question, asked, option = word.partition("?")
        if asked:
            told_off = question.startswith("!")
            if _says(call, given, question.lstrip("!")) != told_off:
                words.append(PyValue(option))
        elif word == "*":
            words += [one for one in _flat(given) if is_text(one.value) or one.value is UNKNOWN]
        elif word == "@":
            words += [of] if of is not None and is_text(of.value) else []
        elif word[0].isdigit():
            numbers = [int(one) for one in word.split(".")]
            words.append(
                PyValue(".".join([text_of(given[at]) for at in numbers if at < len(given)]))
            )
        elif word[0] == "=":
            words += _flat([call.keywords[word[1:]]]) if word[1:] in call.keywords else []
        else:
            words.append(PyValue(word))
    _git(call, item, words)


def _says(call: PyCall, given: list[PyValue], question: str) -> bool:
    """Tell whether a keyword, or a constant that is called so, is among what is given."""
    keyword = call.keywords.get(question)
    if keyword is not None and keyword.value not in (False, None):
        return True
    tree = call.keywords.get("working_tree")
    if question == "hard" and tree is not None and tree.value is True:
        return True
    texts = [
        one.value.dotted if isinstance(one.value, DottedName) else text_of(one)
        for one in [*given, *call.keywords.values()]
        if isinstance(one.value, DottedName) or is_text(one.value)
    ]
    ends = (f"_{question}", f".{question}")
    return any(text.lower() == question or text.lower().endswith(ends) for text in texts)


def _git(call: PyCall, item: KnownObject, words: list[PyValue]) -> PyValue:
    folder = item.fields.get("folder")
    there = [PyValue("-C"), folder] if folder is not None and text_of(folder) != "." else []
    return call.command([PyValue("git"), *there, *words])


def _folder(item: KnownObject) -> PyValue:
    return item.fields.get("folder") or PyValue(".")


def _flat(things: list[PyValue]) -> list[PyValue]:
    """Return the words of lists and of single ones."""
    found: list[PyValue] = []
    for thing in things:
        found += thing.value if isinstance(thing.value, list) else [thing]
    return found


def forget(program: PythonInterpreter, targets: list[_ast.expr]) -> None:
    """Read ``del name``, and ``del repository.refs[name]``, as ``git update-ref -d``."""
    for target in targets:
        if isinstance(target, _ast.Name):
            program.scope.names.pop(target.id, None)
        elif isinstance(target, _ast.Subscript):
            owner, key = program.value(target.value), program.value(target.slice)
            if GIT in owner.labels:
                words = [PyValue(word) for word in ("git", "update-ref", "-d")]
                PyCall(program, "del", [], {}, target, owner).command([*words, key])


def _repository(kind: str) -> Callable[[PyCall], PyValue | None]:
    """Return what opens a repository: an object that knows its folder."""

    def open_it(call: PyCall) -> PyValue | None:
        folder = call.argument(0, "path", "working_dir", "root")
        known = folder is not None and (
            is_text(folder.value) or isinstance(folder.value, KnownObject)
        )
        fields = {"folder": folder} if folder is not None and known else {}
        return PyValue(KnownObject(kind, fields), frozenset({GIT}))

    return open_it


def _clone(call: PyCall) -> PyValue | None:
    """``Repo.clone_from(url, folder)``, ``porcelain.clone(url, folder)``."""
    named = [call.keywords[name] for name in _CLONES.split() if name in call.keywords]
    words = [one for one in [*call.arguments, *named] if one.value is not None][:2]
    call.command([PyValue("git"), PyValue("clone"), *words])
    fields = {"folder": words[1]} if len(words) > 1 else {}
    return PyValue(KnownObject("repository", fields), frozenset({GIT}))


def _init(call: PyCall) -> PyValue | None:
    folder = call.argument(0, "path")
    call.command([PyValue("git"), PyValue("init"), *([folder] if folder is not None else [])])
    return _repository("repository")(call)


def porcelain(call: PyCall) -> PyValue | None:
    """``dulwich.porcelain.VERB(repository, ..)``."""
    first = call.argument(0, "repo")
    known = first is not None and is_text(first.value)
    item = KnownObject("repository", {"folder": first} if first is not None and known else {})
    row = _ROWS.get(f"index.{call.method}" if call.method == "commit" else call.method)
    if call.method == "commit":
        row = "commit -m x"
    if row:
        _run(call, item, row, call.arguments[1:], None)
    return None
