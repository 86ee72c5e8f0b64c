"""Programs that say who may do what with a file, and whose it is (chmod, chown and kin)."""

from __future__ import annotations

from interlock.effects.run import Run
from interlock.model.effect import HOME, TEMP, WORKSPACE, ChangesMode
from interlock.shell.value import NOTHING, Flow


def _mode(run: Run) -> Flow:
    """``chmod MODE FILE..``: what the mode gives away becomes a trait."""
    operands = list(run.operands)
    reference = run.has("--reference")
    mode = "" if reference or not operands or "/" in operands[0].text else operands.pop(0).text
    for argument in run.arguments:
        # chmod -x FILE: the mode looks like an option
        if (
            argument.text[:1] == "-"
            and argument.text[1:2] in "rwxstugoa"
            and argument.text[1:]
            and argument.text != "-R"
            and set(argument.text[1:]) <= set("rwxXst")
        ):
            mode, operands = argument.text, list(run.operands)
    traits = mode_traits(mode)
    narrows = _narrows(mode) and not run.has("-R", "--recursive")
    for value in operands:
        path = None if value.hollow else run.context.normal(value.text, run.cwd)
        own = (
            narrows
            and path is not None
            and run.context.place(path).location in (WORKSPACE, TEMP, HOME)
        )
        shell = "setuid" in traits and run.reader.stands_for.get(path or "") in _SHELL_NAMES
        run.path(
            ChangesMode,
            value,
            *traits,
            *(["narrows"] if own else []),
            *(["shell"] if shell else []),
        )
    return NOTHING


_SHELL_NAMES = frozenset("sh bash dash zsh ksh ash fish csh tcsh".split())


def _narrows(mode: str) -> bool:
    """Whether a mode leaves the owner's rights and takes those of the others: ``600``, ``0700``,
    ``go-rwx``, ``o=``.
    """
    if mode.isdigit():
        return len(mode.lstrip("0")) == 3 and mode.endswith("00") and mode[-3] in "4567"
    clauses = [
        (clause[: len(clause) - len(clause.lstrip("go"))], clause.lstrip("go"))
        for clause in mode.split(",")
    ]
    return all(who and (rest[:1] == "-" or rest == "=") for who, rest in clauses)


def mode_traits(mode: str) -> list[str]:
    """Return what a mode gives away: ``4755``, ``a+w``; nobody's access is one as well."""
    traits = []
    digits = mode.lstrip("0") if mode.isdigit() else ""
    given = [] if mode.isdigit() else [_clause(clause) for clause in mode.split(",")]
    if (digits and len(digits) > 3 and digits[-4] in "4567") or any(
        "s" in bits and who != "o" for who, bits in given
    ):
        traits.append("setuid")
    if (digits and digits[-1:] in "2367") or any(
        "w" in bits and ("o" in who or "a" in who or (not who and set(bits) >= set("rwx")))
        for who, bits in given
    ):
        traits.append("world-writable")
    if mode.strip("0") == "" and mode:
        traits.append("removes-access")
    return traits


def _clause(clause: str) -> tuple[str, str]:
    """Return whom a clause of a mode (``go+rw``, ``u=rwxs``) gives what (chmod(1):
    ``[ugoa]*([-+=]perms)+``).
    """
    who = clause[: len(clause) - len(clause.lstrip("ugoa"))]
    bits, gives = "", False
    for char in clause[len(who) :]:
        if char in "+-=":
            gives = char != "-"
        elif gives:
            bits += char
    return who, bits


def _owner(run: Run) -> Flow:
    """``chown OWNER FILE..``; with ``--reference`` every operand is a file."""
    operands = list(run.operands)
    owner = "" if run.has("--reference") or not operands else operands.pop(0).text
    for value in operands:
        run.path(
            ChangesMode,
            value,
            "owner",
            *(["to-root"] if owner.partition(":")[0] in ("root", "0") else []),
        )
    return NOTHING
