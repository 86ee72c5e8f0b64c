"""The registry of Windows, by ``winreg``: what Windows starts by itself, and settings."""

from __future__ import annotations

from interlock.effects.programs.windows import starts
from interlock.effects.python.call import PyCall
from interlock.effects.python.values import KnownObject, PyValue, text_of
from interlock.model.effect import ControlsSystem, Persists

_KEY = "registry-key"


def _open_key(call: PyCall) -> PyValue:
    """``OpenKey(root, path)``: a key below a root, or below another key."""
    return PyValue(
        KnownObject(
            _KEY, {"path": PyValue(_below(call.argument(0, "key"), call.text(1, "sub_key")))}
        )
    )


def _below(key: PyValue | None, path: str) -> str:
    above = (
        key.value.fields.get("path")
        if key is not None and isinstance(key.value, KnownObject) and key.value.kind == _KEY
        else None
    )
    return "\\".join([part for part in (text_of(above) if above is not None else "", path) if part])


def _set(call: PyCall) -> PyValue | None:
    """``SetValueEx(key, name, 0, type, value)``, ``SetValue(key, path, type, value)`` and what
    takes keys and values away.
    """
    named = call.method in ("SetValueEx", "DeleteValue")
    path = _below(call.argument(0, "key"), "" if named else call.text(1, "sub_key"))
    if call.method.startswith("Set") and starts(
        path.lower(), call.text(1, "value_name").lower() if named else ""
    ):
        call.effect(Persists, path, "startup")
    else:
        call.effect(ControlsSystem, path or "the registry", "defaults")
    return None
