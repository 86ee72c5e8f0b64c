"""Cmdlets that use the network: downloads, uploads, mail, remote sessions."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host, to_url
from interlock.effects.powershell.cmdlet import Cmdlet
from interlock.effects.powershell.values import NULL, SECRET_VARIABLE, PsValue, unknown
from interlock.effects.programs.sending import download, file_carries, flow_carries, send
from interlock.model.effect import LOCAL, ChangesInfrastructure, Connects, Reads
from interlock.shell.value import HOLE, Flow, Value

_SENDING = ("post", "put", "patch", "delete", "merge")


def connect(run: Cmdlet, thing: PsValue, *traits: str) -> str:
    """Add a connection to each URL of a thing; return the last host."""
    host = ""
    for value in thing.values(literal=True):
        url = (
            value.text if "://" in value.text or HOLE in value.text[:1] else "http://" + value.text
        )
        host = to_url(run.context, url, run.span(value), frozenset(traits), run.name).target
        if "environment" in thing.labels or "secret" in thing.labels or "outside" in thing.labels:
            carry(run, host, thing)
    return host


def carry(run: Cmdlet, host: str, thing: PsValue) -> None:
    """Data that stands in an address leaves with it."""
    if thing.known:
        return
    traits = data_carries(thing)
    if traits - {"unknown-data", "inline-data"}:
        send(run, host.replace("?", HOLE), {"post", *traits})


def data_carries(thing: PsValue) -> set[str]:
    """Return what data carries, by where it comes from."""
    labels = thing.labels.union(*[one.labels for one in thing.fields.values()])
    text = (
        thing.text
        if not thing.fields
        else HOLE
        if any(not one.known for one in thing.fields.values())
        else "{}"
    )
    found = flow_carries(Flow(text if HOLE not in text else None, labels - {"output"}))
    return found | {"carries-variable"} if SECRET_VARIABLE in labels else found


def _web(run: Cmdlet) -> PsValue:
    """``Invoke-WebRequest``, ``Invoke-RestMethod``."""
    url = run.thing("uri") or (run.input if run.input is not NULL else unknown("output"))
    host = connect(run, url, "get", *(["insecure"] if run.on("skipcertificatecheck") else []))
    traits: set[str] = set()
    for value in run.paths("infile"):
        traits |= {"upload"} | file_carries(run, value)
    for name in ("body", "form", "headers"):
        thing = run.thing(name)
        if thing is not None:
            found = data_carries(thing)
            upload = (
                {"upload"}
                if name == "form"
                and thing.fields
                and any(one.paths for one in thing.fields.values())
                else set()
            )
            traits |= (found | upload) if name != "headers" else found & {"carries-secret"}
    method = run.text("method", "custommethod").lower()
    if traits or method in _SENDING:
        send(run, host, {"post", *(traits or {"inline-data", f"method-{method}"})})
    if method == "delete" and hosts.classify(host) != LOCAL:
        run.effect(ChangesInfrastructure, host, "delete")
    for value in run.paths("outfile"):
        download(run, value)
        return NULL if not run.on("passthru") else unknown("network")
    return unknown("network")


def _transfer(run: Cmdlet) -> None:
    """``Start-BitsTransfer SOURCE DESTINATION``; with ``-TransferType Upload`` the other way."""
    source, target = run.thing("source") or unknown("output"), run.thing("destination")
    if run.text("transfertype").lower().startswith("upload"):
        host = connect(run, target or unknown("output"))
        for value in run.paths("source"):
            send(run, host, {"upload", *file_carries(run, value)})
        return
    connect(run, source, "get", "download")
    for value in run.paths("destination") or [Value(".")]:
        written = value
        name = source.text.rstrip("/").rpartition("/")[2]
        if target is None or not value.text.rpartition("/")[2].partition(".")[2]:
            download(run, Value(f"{value.text}/{name}", value.start, value.end, value.why))
        else:
            download(run, written)


def _query_sql(run: Cmdlet) -> PsValue:
    """``Invoke-Sqlcmd -Query TEXT``."""
    from interlock.effects.sql import read_text

    for value in run.paths("inputfile") if "inputfile" in run.named else []:
        run.path(Reads, value)
    thing = run.thing("query")
    if thing is not None:
        read_text(run.context, thing.text, run.name)
    return unknown("output")


def _mail(run: Cmdlet) -> None:
    traits = {"message"}
    for value in run.paths("attachments"):
        traits |= {"upload"} | file_carries(run, value)
    for name in ("body", "subject"):
        thing = run.thing(name)
        if thing is not None:
            traits |= data_carries(thing)
    send(run, run.text("smtpserver"), traits)


def _look_up(run: Cmdlet) -> PsValue:
    """``Test-NetConnection``, ``Resolve-DnsName``: a host is asked for, nothing is sent."""
    thing = run.thing("computername", "name", "targetname") or NULL
    for value in thing.values(literal=True):
        carries = {"unknown-word"} if value.hollow else set()
        to_host(
            run.context,
            Connects,
            value.text,
            run.span(value),
            frozenset({"get", *carries}),
            run.name,
        )
        if value.hollow:
            carry(run, value.text, thing)
    return unknown("output")


def _session(run: Cmdlet) -> PsValue:
    """``Enter-PSSession``, ``New-PSSession``: a shell on another machine."""
    host = run.text("computername", "hostname", "vmname", "containerid")
    run.effect(Connects, host, "remote-shell", host=hosts.classify(host))
    return unknown("network", kind="object session")


def _map_share(run: Cmdlet) -> None:
    r"""``New-SmbMapping``, ``New-PSDrive -Root \\host\share``."""
    root = run.text("root", "remotepath").replace("\\", "/")
    if root.startswith("//"):
        to_host(
            run.context,
            Connects,
            root[2:].partition("/")[0],
            run.span(),
            frozenset({"get"}),
            run.name,
        )
