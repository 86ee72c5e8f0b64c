"""Histories and logs: what prints them, what erases them; the builtins that can switch a history off."""

from __future__ import annotations

from interlock.effects.environment import hides_history
from interlock.effects.programs.acting import doing
from interlock.effects.rows import Row
from interlock.model.effect import ErasesTraces
from interlock.shell.value import ENVIRONMENT, NOTHING, Flow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from interlock.effects.run import Run


def _history(run: Run) -> Flow:
    """``history [-c] [-d N] [-w]``; fish and zsh spell it ``history clear``, ``history -p``."""
    words = [value.text for value in run.operands]
    if run.has("-c", "-d", "-w") or words[:1] == ["clear"] or words[:1] == ["delete"]:
        run.effect(ErasesTraces, run.name, "history")
        return NOTHING
    return Flow(None, frozenset({"outside"}))


def _assigns(run: Run) -> Flow:
    """``export NAME=VALUE``, ``declare``, ``readonly``: some values switch the history off."""
    for value in run.arguments:
        name, equals, text = value.text.partition("=")
        if equals and hides_history(name, text):
            run.effect(ErasesTraces, name, "history", value=value)
    return Flow(None, frozenset({ENVIRONMENT})) if not run.operands else NOTHING


def _unset(run: Run) -> Flow:
    for value in run.operands:
        if value.text in ("HISTFILE", "SAVEHIST"):
            run.effect(ErasesTraces, value.text, "history", value=value)
    return NOTHING


def _set(run: Run) -> Flow:
    """``set +o history`` switches the history off; ``set`` alone prints all variables."""
    words = [value.text for value in run.arguments]
    if "+o" in words and "history" in words[words.index("+o") + 1 :][:1]:
        run.effect(ErasesTraces, "history", "history")
    return Flow(None, frozenset({ENVIRONMENT})) if not words else NOTHING


def _shopt(run: Run) -> Flow:
    """``shopt -uo history`` is ``set +o history``."""
    if run.has("-u") and run.has("-o") and "history" in [value.text for value in run.operands]:
        run.effect(ErasesTraces, "history", "history")
    return NOTHING


_ASSIGNS = Row(read=_assigns)

ROWS: dict[str, Row] = {
    "history": Row(options="-d:data", read=_history), "fc": Row(read=doing("erases-traces:history = -p -R")),
    "export": _ASSIGNS, "declare": _ASSIGNS, "typeset": _ASSIGNS, "readonly": _ASSIGNS, "local": _ASSIGNS, "unset": Row(read=_unset),
    "set": Row(read=_set), "shopt": Row(read=_shopt),
    "dmesg": Row(options="-n:data -l:data -f:data -s:data -F:reads", read=doing(
        "erases-traces:log = -c -C --clear --read-clear", "kernel = -D -E --console-off")),
    "log": Row(read=doing("erases-traces:log = erase", "plain = config")), "wevtutil": Row(clustered=False, read=doing(
        "erases-traces:log = cl clear-log", "plain = sl set-log im um")),
    "utmpdump": Row(operands="reads*"), "lastlog": Row(options="-u:data -b:data -t:data", read=doing("erases-traces:log = -C --clear -S --set")),
    "lastb": Row(), "faillog": Row(options="-u:data", read=doing("erases-traces:log = -r --reset")), "ausearch": Row(), "aureport": Row(),
    "bleachbit": Row(effects="erases-traces:log"),
}  # fmt: skip
