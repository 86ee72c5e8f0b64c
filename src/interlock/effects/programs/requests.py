"""Requests that lose something: to stores that take HTTP, to services that control accounts, to
procedures by their name.
"""

from __future__ import annotations

from interlock.data.words import values, words
from interlock.effects import hosts
from interlock.effects.embedded_paths import find_paths
from interlock.effects.named_files import MATTERS
from interlock.effects.orders import find_order
from interlock.effects.programs.sending import is_chat
from interlock.effects.run import Run
from interlock.effects.verb_words import address_loses, field_loses, verb_of
from interlock.model.effect import LOCAL, SECRET, ChangesDatabase, ChangesInfrastructure, Writes
from interlock.shell.value import Value

_CONTROL = words("requests", "control")
"""Services whose requests change accounts, machines and money."""
_STORES = values("requests", "stores")
"""Ports where a database takes HTTP: a ``DELETE`` there drops something, on this machine too."""
_BODIES = frozenset(
    "-d --data --data-raw --data-binary --data-ascii --data-urlencode --json --post-data"
    " --body-data --raw --body -b -F --form --form-string -x --execute".split()
)
"""Options of clients of HTTP and of sockets whose value is what is sent."""
_FILES = frozenset("-T --upload-file --post-file --body-file".split())
"""And those whose value is a file that is."""


def loses(run: Run, host: str, url: Value, traits: set[str]) -> None:
    """``DELETE`` to a service elsewhere removes something there; to one that controls accounts,
    every sending changes something.
    """
    if hosts.classify(host) == LOCAL:
        _tell_paths(run)
    deletes = "method-delete" in traits or _method(run) == "DELETE"
    named = address_loses(url.text)
    port = next((port for port in _STORES if port in url.text), "")
    port = port or (
        ":9200"
        if host.startswith(("elastic", "opensearch", "es.", "kibana")) or host == "es"
        else ""
    )
    if port and (
        deletes
        or any(mark in url.text for mark in ("_delete_by_query", "_shutdown", "_close"))
        or _orders_deletion(run)
    ):
        run.effect(
            ChangesDatabase, f"{_STORES[port]} {url.text.rpartition('/')[2]}", "drop", value=url
        )
    elif named and hosts.classify(host) == LOCAL:
        run.context.doubt("what an address that speaks of a loss does is not known")
    elif (
        "ftp-command" in traits
        or ((deletes or named) and hosts.classify(host) != LOCAL)
        or (hosts.classify(host) != LOCAL and orders_loss(run, host))
    ):
        run.effect(ChangesInfrastructure, url.text, "delete", value=url)
    elif (_method(run) in ("PATCH", "PUT") and hosts.classify(host) != LOCAL) or (
        host in _CONTROL and "/graphql" not in url.text
    ):
        run.effect(ChangesInfrastructure, url.text, "modify", value=url)


def asked_for(run: Run, host: str, url: Value) -> None:
    """A mere visit removes something where the address says so (``?action=delete``)."""
    if field_loses(url.text) and hosts.classify(host) != LOCAL:
        run.effect(ChangesInfrastructure, url.text, "delete", value=url)


def _tell_paths(run: Run) -> None:
    """Add that a server of this machine may write where the data that it is sent says: to files
    that start programs or let people in (``{"dir": "/home/me/.ssh"}``).
    """
    for body in find_bodies(run):
        for path in find_paths(body.replace('"', "\n").replace(" ", "\n")):
            given = Value(run.context.at_home(path))
            place = run.context.place(run.context.normal(given.text, run.cwd) or "")
            if not place.natures.isdisjoint(MATTERS | {SECRET}):
                run.path(Writes, given, "named")


def _method(run: Run) -> str:
    """Return the method that a request names: of curl and wget by an option, of httpie by a word."""
    value = run.parsed.value("-X", "--request", "--method")
    words = [value] if value is not None else run.operands[:1]
    return words[0].text.upper() if words else ""


def find_bodies(run: Run) -> list[str]:
    """Return what is known of the data that a command sends: words, files, what comes down the
    pipe.
    """
    given = [value for name, value in run.parsed.options if name in _BODIES]
    texts = [_body(run, value) for value in given]
    texts += [run.text_of(value) for name, value in run.parsed.options if name in _FILES]
    if run.stdin is not None and not given:
        texts.append(run.stdin.text)
    fields = [value.text.partition("=")[::2] for value in run.operands if "://" not in value.text]
    texts += [f'"{key.rstrip(":")}":"{given}"' for key, given in fields if given]
    return [text for text in texts if text]


def _body(run: Run, value: Value) -> str | None:
    if value.text in ("@-", "@/dev/stdin"):
        return run.stdin.text if run.stdin is not None else None
    if value.text[:1] == "@":
        return run.text_of(Value(value.text[1:], value.start, value.end))
    return value.text


def orders_loss(run: Run, host: str) -> bool:
    """Whether what is sent tells whoever takes it to lose something; people are told anything."""
    return not is_chat(host) and bool(find_order(run.context, find_bodies(run)))


def _orders_deletion(run: Run) -> bool:
    """Whether a body that is sent to a store says that something is deleted there: Solr's
    ``<delete>``, an operation of a bulk request.
    """
    small = [body.replace(" ", "").lower() for body in find_bodies(run)]
    return any(mark in body for body in small for mark in ("<delete>", '{"delete":', '"delete":{'))


def calls(run: Run, host: str) -> None:
    """``grpcurl HOST pkg.Service/DeleteUser``: the name of what is called says what it does."""
    for value in run.operands:
        service, slash, method = value.text.rpartition("/")
        verb = verb_of(method) if slash and "." in service and method.isalnum() else None
        if verb is not None and verb == ("delete", False) and hosts.classify(host) != LOCAL:
            run.effect(ChangesInfrastructure, value.text, "delete", value=value)
