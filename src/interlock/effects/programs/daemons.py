"""Servers and what administers them: web, mail, print and message servers, clusters of storage
(each program's manual).
"""

from __future__ import annotations

from interlock.effects.programs.acting import doing
from interlock.effects.rows import Reader
from interlock.effects.run import Run
from interlock.model.effect import ControlsSystem, Executes, Installs, Listens, Reads, Writes
from interlock.shell.value import NOTHING, UNREAD, Flow, Value


def _opens(looks: str = "-V --version --help -t -T") -> Reader:
    """Return a reader for a server that lets people in from elsewhere."""
    only = looks.split()

    def read(run: Run) -> Flow:
        if run.has(*only):
            return UNREAD
        run.effect(ControlsSystem, run.name, "service", "remote-access")
        run.effect(Listens, run.name, "public")
        return NOTHING

    return read


def _jupyter(run: Run) -> Flow:
    """A notebook server without a password, or open to all, runs code for whoever finds it."""
    words = " ".join([value.text for value in run.arguments])
    if [value.text for value in run.operands[1:2]] == ["install"]:
        run.effect(Installs, words, "user")
    if [value.text for value in run.operands[:1]] == ["nbconvert"]:
        _convert(run)
    open_to_all = "0.0.0.0" in words or "--ip=*" in words or "--ip '*'" in words  # noqa: S104 - a word of the command, not an address to bind
    no_password = any(
        mark in words for mark in ("token=''", 'token=""', "token= ", "password=''", "password= ")
    ) or words.endswith(("token=", "password="))
    if open_to_all and no_password:
        run.effect(ControlsSystem, run.name, "service", "remote-access")
    if open_to_all:
        run.effect(Listens, run.name, "public")
    return UNREAD


def _convert(run: Run) -> None:
    """``jupyter nbconvert [--execute] [--inplace] FILE..``: a notebook is read, run, or written."""
    for value in run.operands[1:]:
        run.path(Executes if run.has("--execute") else Reads, value, "script")
        if run.has("--inplace"):
            run.path(Writes, value, "in-place")


def _coder(run: Run) -> Flow:
    """``code-server --auth none``: an editor with a terminal in the browser."""
    words = [value.text for value in run.arguments]
    if "none" in words[1:] or "--auth=none" in words or any("0.0.0.0" in word for word in words):  # noqa: S104 - as above
        run.effect(ControlsSystem, run.name, "service", "remote-access")
    return UNREAD


def _config(run: Run) -> Flow:
    """A log daemon with a file of its own, whose rules run programs and write anywhere."""
    if run.has("-N", "-v", "-V", "--help"):
        return UNREAD
    for value in run.parsed.values("-f"):
        run.path(Reads, value)
    run.effect(ControlsSystem, run.name, "service")
    return UNREAD


_STOPS = "service,service-stop"
_administers_apache = doing("nothing = configtest status fullstatus -t -v -V -S -l -M",
    f"{_STOPS} = stop graceful-stop -k=stop -k=graceful-stop",
    "service = start restart graceful -k")  # fmt: skip


def _httpd(run: Run) -> Flow | None:
    """Two programs of one name: Apache, and BusyBox's of a folder (``-h``) at a port (``-p``)."""
    folder = run.parsed.value("-h")
    if folder is None and run.parsed.value("-p") is None:
        return _administers_apache(run)
    from interlock.effects.programs.serving import offers

    run.effect(Listens, "httpd", "serves-files", "public")
    offers(run, folder or Value("."))
    return UNREAD
