"""``guarded``: any function, sync or async, as a tool whose every call is judged before it runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypedDict, TypeVar

from interlock.integrations.session import Refused, Session
from interlock.model.call import ToolCall

P = ParamSpec("P")
R = TypeVar("R")


class GuardedOptions(TypedDict, total=False):
    """How a function is guarded.

    ``tool``: its kind, one of ``interlock.model.call.TOOLS``; else guessed by its name and
    arguments. ``name``: what it is called in records; else the function's name. ``keys``: what its
    parameters are to the readers, where they are called otherwise (``{"line": "command"}``).
    ``skip``: parameters that are no part of the call, such as a framework's context.
    ``refusal``: ``raise`` (``Refused``; so it is where nothing is said) or ``text``: the refusal is
    the function's result, which the model reads.
    """

    tool: str
    name: str
    keys: Mapping[str, str]
    skip: tuple[str, ...]
    refusal: str


KNOWN = frozenset({"tool", "name", "keys", "skip", "refusal"})


def guarding(
    session: Callable[[], Session], function: Callable[P, R], terms: GuardedOptions
) -> Callable[P, R]:
    """Return the function, guarded. ``session`` is asked with every call. Raises ``TypeError`` for
    what cannot be guarded, or so.

    The returned function has the name, the docstring and the signature of the given one.
    """
    _check_terms(function, terms)
    signature = inspect.signature(function)
    method = "." in getattr(function, "__qualname__", "").rpartition("<locals>.")[2]
    raises = terms.get("refusal", "raise") == "raise"

    def called(
        open_session: Session, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> ToolCall:
        given = _bind_arguments(signature, args, kwargs, method=method)
        names = terms.get("keys", {})
        kept = {
            names.get(key, key): value
            for key, value in given.items()
            if key not in terms.get("skip", ())
        }
        return open_session.call(
            terms.get("name", "") or function.__name__, kept, terms.get("tool", "")
        )

    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def judged(*args: P.args, **kwargs: P.kwargs) -> object:
            try:
                here = session()
                return await here.arun(
                    called(here, args, kwargs), lambda: function(*args, **kwargs)
                )
            except Refused as why:
                if raises:
                    raise
                return str(why)

        return judged  # type: ignore[return-value]

    @wraps(function)
    def judged_now(*args: P.args, **kwargs: P.kwargs) -> object:
        try:
            here = session()
            return here.run(called(here, args, kwargs), lambda: function(*args, **kwargs))
        except Refused as why:
            if raises:
                raise
            return str(why)

    return judged_now  # type: ignore[return-value]


def _check_terms(function: object, terms: GuardedOptions) -> None:
    unknown = sorted(set(terms) - KNOWN)
    if unknown:
        raise TypeError(f"guarded() has no term {unknown[0]!r}; it has {', '.join(sorted(KNOWN))}")
    if terms.get("refusal", "raise") not in ("raise", "text"):
        raise TypeError(f"refusal is 'raise' or 'text', not {terms.get('refusal')!r}")
    if not inspect.isroutine(function):
        raise TypeError(
            f"guarded() guards functions, not {type(function).__name__}; guard the function that"
            " the tool is made of"
        )
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(
            f"{function.__name__} is a generator; guard a function that returns its result"
        )


def _bind_arguments(
    signature: inspect.Signature,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
    *,
    method: bool,
) -> dict[str, object]:
    """Return the arguments by name, the defaults too; raises ``TypeError`` as the function itself
    would. A method's own object is no argument.
    """
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    given: dict[str, object] = {}
    for number, (name, value) in enumerate(bound.arguments.items()):
        if number == 0 and method and name in ("self", "cls"):
            continue
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            given.update(value)
        else:
            given[name] = value
    return given
