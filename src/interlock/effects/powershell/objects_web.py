"""Methods of objects of .NET that reach other machines."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_url
from interlock.effects.powershell.object_actions import MethodCall
from interlock.effects.powershell.values import NULL, PsValue, unknown
from interlock.effects.programs.sending import download, file_carries, flow_carries, send
from interlock.model.effect import (
    Connects,
    Listens,
)
from interlock.shell.value import HOLE, Flow


def _host(acting: MethodCall, thing: PsValue, *traits: str) -> str:
    effect = to_url(
        acting.run.context, thing.text, acting.run.span(), frozenset(traits), acting.run.name
    )
    labels = thing.labels - {"output"}
    if not thing.known and flow_carries(Flow(None, labels)) - {"unknown-data"}:
        send(
            acting.run,
            effect.target.replace("?", HOLE),
            {"post", *flow_carries(Flow(None, labels))},
        )
    return effect.target


def download_url(acting: MethodCall) -> PsValue:
    """``DownloadString(url)`` and its like: what comes is code, if it is run."""
    url = acting.argument(0) if acting.arguments else acting.target
    _host(acting, url, "get")
    acting.target.labels |= {"network"}  # what the object shows from now on
    return unknown("network")


def open_request(acting: MethodCall) -> PsValue:
    """``$request.open('GET', url)`` of an XMLHTTP object."""
    _host(acting, acting.argument(1), "get")
    acting.target.labels |= {"network"}
    return NULL


def to_file(acting: MethodCall) -> PsValue:
    """``$client.DownloadFile(url, path)``."""
    _host(acting, acting.argument(0), "get", "download")
    download(acting.run, acting.path(1))
    return NULL


def upload_data(acting: MethodCall) -> PsValue:
    """``UploadString(url, data)``, ``UploadFile(url, path)``, ``PostAsync(url, content)``."""
    host = _host(acting, acting.argument(0))
    data = acting.arguments[-1] if len(acting.arguments) > 1 else NULL
    traits = (
        {"upload", *file_carries(acting.run, acting.path(len(acting.arguments) - 1))}
        if acting.node.parts[1].name.lower().startswith("uploadfile")
        else {
            "post",
            *flow_carries(Flow(data.text if data.known else None, data.labels - {"output"})),
        }
    )
    send(acting.run, host, traits)
    return unknown("network")


def connect_socket(acting: MethodCall) -> PsValue:
    """``New-Object Net.Sockets.TCPClient(host, port)``: a socket; it is read from the network."""
    host = acting.argument(0).text
    if acting.arguments:
        traits = {"socket", *(["unknown-host"] if not acting.argument(0).known else [])}
        if acting.session.shells:
            traits.add("shell")
        acting.session.sockets.append(
            acting.run.effect(Connects, host, *traits, host=hosts.classify(host))
        )
    return unknown("network", kind="object net.sockets.tcpclient")


def listening(acting: MethodCall) -> PsValue:
    """A listener waits for connections."""
    acting.run.effect(
        Listens,
        acting.argument(len(acting.arguments) - 1).text,
        *(["shell"] if acting.session.shells else []),
    )
    return unknown("network", kind="object net.sockets.tcplistener")


def make_request(acting: MethodCall) -> PsValue:
    """``[Net.WebRequest]::Create(url)``: asked when the response is taken."""
    _host(acting, acting.argument(0), "get")
    return unknown("network", kind="object net.webrequest")
