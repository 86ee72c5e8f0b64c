"""Small web servers: whoever reaches the port reads the folder."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.run import Run
from interlock.model.effect import LOCAL, ROOT_OF, TEMP, WORKSPACE, Listens, Sends
from interlock.shell.value import UNREAD, Flow, Value


def offers(run: Run, folder: Value) -> None:
    """What lies outside the workspace and is served goes to whoever asks for it; so does what other
    programs keep in the top of ``/tmp``.
    """
    path = run.context.normal(folder.text, run.cwd) if folder.known else None
    place = run.context.place(path) if path is not None else None
    if place is not None and (place.location not in (WORKSPACE, TEMP) or ROOT_OF in place.natures):
        run.context.add(
            Sends,
            "",
            host="unknown",
            traits=frozenset({"upload", "carries-outside"}),
            span=run.span(folder),
            by=run.name,
            certain=False,
        )


def _serve(run: Run) -> Flow:
    """A server that is given a folder, unless it is bound to this machine."""
    bound = [value.text.partition("=")[2] or value.text for value in run.arguments]
    bound = [hosts.host_of(text) if "://" in text else text for text in bound]
    if run.has("--help", "--version", "-h", "-V") or any(
        hosts.classify(text) == LOCAL and text != "0.0.0.0"  # noqa: S104 - a word to look for
        for text in bound
    ):
        return UNREAD
    run.effect(Listens, run.name, "serves-files", "public")
    offers(run, run.operands[0] if run.operands else Value("."))
    return UNREAD
