"""``openssl``: keys that it makes or shows, what it decodes, and the connections it opens."""

from __future__ import annotations

from interlock.effects import hosts
from interlock.effects.connecting import to_host
from interlock.effects.programs.network import is_joined_by_pipe
from interlock.effects.programs.sending import (
    NETWORK_FLOW,
    flow_carries,
    send,
)
from interlock.effects.run import Run
from interlock.model.effect import (
    PROJECT_SECRET,
    SECRET,
    Connects,
    Executes,
    Listens,
)
from interlock.model.facts import FILE as IS_FILE
from interlock.shell.value import NOTHING, UNREAD, Flow


def _openssl(run: Run) -> Flow:
    """``openssl COMMAND ..``: connections, listening, keys, and decoding that can be followed."""
    verb = run.operands[0].text if run.operands else ""
    inner = run.parsed
    for name in ("-engine", "-provider-path"):
        value = inner.value(name)
        if value is not None:
            run.effect(Executes, value.text, "loads", "option-command", value=value)
    if verb == "s_client":
        return _s_client(run)
    if verb in ("s_server", "ocsp") and (inner.has("-accept", "-port") or verb == "s_server"):
        port = inner.value("-accept", "-port")
        run.effect(
            Listens,
            port.text if port is not None else "4433",
            "public",
            *(["serves-files"] if run.has("-WWW", "-HTTP", "-www") else []),
        )
        return NETWORK_FLOW
    if verb == "verify":
        return UNREAD
    if _makes_keys(run, verb):
        run.parsed.traits.add("new-key")
    run.roles()
    if run.has("-d", "-decrypt"):
        return _openssl_decodes(run, verb)
    return NOTHING if inner.value("-out") is not None else Flow(None, run.input_labels())


_MAKING = frozenset({"genrsa", "genpkey", "dhparam", "gendsa", "ecparam"})


def _makes_keys(run: Run, verb: str) -> bool:
    """Whether a new pair is made for development, in files that are not known to be there and are
    no secrets yet (``req -x509 -keyout key.pem``).
    """
    if verb not in _MAKING and not (verb == "req" and run.has("-x509", "-new", "-newkey")):
        return False
    for value in run.parsed.values("-out", "-keyout"):
        path = run.context.normal(value.text, run.cwd) if value.known else None
        if (
            path is None
            or run.context.is_kind(path, IS_FILE)
            or not run.context.place(path).natures.isdisjoint((SECRET, PROJECT_SECRET))
        ):
            return False
    return True


def _openssl_decodes(run: Run, verb: str) -> Flow:
    """``openssl enc -base64 -d`` and ``openssl base64 -d`` of known text; a cipher hides it."""
    from interlock.effects.programs.streams import decode_flow, from_base64

    source = run.parsed.value("-in")
    flow = run.contents(source) if source is not None else run.stdin
    plain = verb == "base64" or (
        verb == "enc"
        and run.has("-base64", "-a")
        and not any(
            flag.startswith(("-aes", "-des", "-cam", "-chacha", "-bf", "-rc"))
            for flag in run.parsed.flags
        )
    )
    return decode_flow(flow, from_base64 if plain else lambda _: None)


def _s_client(run: Run) -> Flow:
    target = run.parsed.value("-connect") or run.parsed.value("-host")
    host = hosts.host_of(target.text) if target is not None else ""
    shell = is_joined_by_pipe(run)
    to_host(
        run.context,
        Connects,
        host,
        run.span(target),
        frozenset({"socket", "shell"} if shell else {"get"}),
        run.name,
    )
    if (
        run.stdin is not None
        and not shell
        and run.stdin.labels & {"secret", "workspace", "outside", "environment"}
    ):
        send(run, host, {"upload", *flow_carries(run.stdin)})
    return NETWORK_FLOW
