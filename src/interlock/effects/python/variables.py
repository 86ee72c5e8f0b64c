"""Environment variables, as a program reads them; and what loads a file of secrets into it."""

from __future__ import annotations

from interlock.effects.python.call import PyCall
from interlock.effects.python.values import UNKNOWN, PyValue, is_known, is_text
from interlock.effects.secret_variables import KEPT, holds
from interlock.effects.unending import EVERY_VARIABLE
from interlock.model.effect import Reads
from interlock.shell.value import ENVIRONMENT, HOLE


def _getenv(call: PyCall) -> PyValue | None:
    """A variable: known where it is harmless; one that is named like a secret says so."""
    name = call.text(0, "key")
    value = call.run.context.facts.variable(name) if name and HOLE not in name else None
    if name in ("HOME", "USERPROFILE") and call.run.context.home:
        return PyValue(call.run.context.home)
    if isinstance(value, str):
        return PyValue(value)
    sensitive = any(
        word in name.upper() for word in ("KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL", "AUTH")
    )
    default = call.argument(1, "default")
    labels = frozenset({"variable"} if sensitive else ())
    if holds(call.run.context, name):
        labels |= {KEPT + name}
    if default is not None and is_text(default.value) and not sensitive and is_known(default):
        return default
    return PyValue(HOLE, labels, ENVIRONMENT)


def _load_settings(call: PyCall) -> PyValue | None:
    """``load_dotenv()``: what a file of secrets says is in the environment from here on."""
    call.run.context.secrets.unnamed = True
    return None


def _show_settings(call: PyCall) -> PyValue | None:
    """``dotenv_values()``: what a file of secrets says, as a table."""
    named = call.argument(0, "dotenv_path")
    call.path(Reads, named if named is not None else PyValue(".env"))
    return PyValue(UNKNOWN, frozenset({"secret"}))


def _setting(call: PyCall) -> PyValue | None:
    """``decouple.config("API_KEY")``: a value of such a file, or of the environment."""
    call.run.context.secrets.unnamed = True
    return _getenv(call)


def _environment(call: PyCall) -> PyValue | None:
    del call
    return PyValue(UNKNOWN, frozenset({ENVIRONMENT, EVERY_VARIABLE}), ENVIRONMENT)
