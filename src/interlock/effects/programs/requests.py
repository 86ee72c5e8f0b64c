"""Requests that lose something: to stores that take HTTP, to services that control accounts, to
procedures by their name.
"""

from __future__ import annotations

from interlock.data.words import values, words
from interlock.effects import hosts
from interlock.effects.run import Run
from interlock.effects.verb_words import address_loses, field_loses, verb_of
from interlock.model.effect import LOCAL, ChangesDatabase, ChangesInfrastructure
from interlock.shell.value import Value

_CONTROL = words("requests", "control")
"""Services whose requests change accounts, machines and money."""
_STORES = values("requests", "stores")
"""Ports where a database takes HTTP: a ``DELETE`` there drops something, on this machine too."""
_BODIES = frozenset(
    "-d --data --data-raw --data-binary --data-ascii --data-urlencode --json --post-data"
    " --body-data".split()
)
"""Options of curl and wget whose value is what is sent."""


def loses(run: Run, host: str, url: Value, traits: set[str]) -> None:
    """``DELETE`` to a service elsewhere removes something there; to one that controls accounts,
    every sending changes something.
    """
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
        or (_loses_by_graphql(run) and hosts.classify(host) != LOCAL)
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


def _method(run: Run) -> str:
    """Return the method that a request names: of curl and wget by an option, of httpie by a word."""
    value = run.parsed.value("-X", "--request", "--method")
    words = [value] if value is not None else run.operands[:1]
    return words[0].text.upper() if words else ""


def _loses_by_graphql(run: Run) -> bool:
    """Whether a body is a mutation of GraphQL whose name says that it loses something."""
    bodies = [value.text for name, value in run.parsed.options if name in _BODIES]
    for body in bodies:
        names = body.partition("mutation")[2].replace("{", " ").replace("(", " ").split()
        if any(map(_loses, names[:MAX_NAMES])):
            return True
    return False


MAX_NAMES = 12


def _loses(word: str) -> bool:
    return word.isalnum() and verb_of(word) == ("delete", False)


def _orders_deletion(run: Run) -> bool:
    """Whether a body that is sent to a store says that something is deleted there: Solr's
    ``<delete>``, an operation of a bulk request.
    """
    bodies = [value.text for name, value in run.parsed.options if name in _BODIES]
    small = [body.replace(" ", "").lower() for body in bodies]
    return any(mark in body for body in small for mark in ("<delete>", '{"delete":', '"delete":{'))


def calls(run: Run, host: str) -> None:
    """``grpcurl HOST pkg.Service/DeleteUser``: the name of what is called says what it does."""
    for value in run.operands:
        service, slash, method = value.text.rpartition("/")
        verb = verb_of(method) if slash and "." in service and method.isalnum() else None
        if verb is not None and verb == ("delete", False) and hosts.classify(host) != LOCAL:
            run.effect(ChangesInfrastructure, value.text, "delete", value=value)
