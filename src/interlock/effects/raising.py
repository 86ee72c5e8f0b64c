"""What makes a mild verb more than a line of one's own: a thing of an infrastructure beside it,
production, another machine that the call names, or that nobody is asked.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects import hosts
from interlock.effects.verb_words import parts
from interlock.model.effect import LOCAL
from interlock.shell.value import Value

UNITS = frozenset(words("verbs", "units"))
RESOURCES = frozenset(words("verbs", "resources"))
LOCAL_THINGS = frozenset(words("verbs", "local things"))
KEPT = frozenset(words("verbs", "kept"))
CACHES = frozenset(words("verbs", "caches"))
PRODUCTION = frozenset("production prod live mainnet".split())

WITHOUT_ASKING = frozenset(
    "-f --force -y --yes --now --all -a --assume-yes --no-prompt --recursive -ay -ya -af -fa -yf"
    " -fy -rf".split()
)
LOSING = frozenset(
    "flush prune clear empty expire archive clean revert forget invalidate gc deactivate disable"
    " stop kill suspend detach kick down reinit off unmap toggle cancel cleanup shutdown"
    " reinstall silence retire poweroff halt discard dismantle scrap evacuate dispose"
    " unprovision deactivate trash untag".split()
)
"""Of the mild verbs, those that lose something where nobody is asked, or where it is all."""
ENDING = LOSING | frozenset("close resolve silence mute ack acknowledge".split())
"""Verbs that end what is kept elsewhere: an issue, an alert, an incident."""
_ON_OTHERS = frozenset("write put pub call".split())
"""Verbs that everything has; they matter where another machine or a device is named."""
_ENLISTS = frozenset("register enroll enrol adopt join".split())
"""Verbs by which this machine takes its orders from the one that is named, from then on."""
_CALLS = frozenset({"pub", "call"})
_CALLED = frozenset("service topic action method procedure rpc function device".split())
"""What is called and published to by them."""
_CONFIRMS = tuple(
    "--auto-approve -auto-approve --auto-apply --skip-confirm --no-confirm --yes-i-really-mean-it"
    " --force-destroy --bypass- --unsafe".split()
)
_OVER = frozenset({"import", "restore"})
"""Verbs that write over what is there, where nobody is asked."""
_OVERWRITES = frozenset({"-f", "--force", "--overwrite", "--clobber", "--replace"})
_MAKES = frozenset("clean clear cleanup archive gc prune".split())
"""Verbs that what is built is lost by, as ``clean all``."""
_SCOPES = frozenset(
    "domain tenant account org organization zone cluster fleet queue topic bucket database".split()
)
"""Options that name a thing of an infrastructure."""
_HOST_OPTIONS = frozenset(
    "-h -H --host --hostname --server --broker --brokers --bootstrap-server --url --endpoint --addr"
    " --address --target --rpc-url --network --nodes -s -u -b".split()
)
"""Options by which a client is told where to act."""
_HERE = ("localhost", "127.", "[::1]", "::1", "local", "host.docker.internal")
_IN_NAMES = frozenset(
    "backup snapshot vault db database queue registry cluster dns mail volume bucket".split()
)
"""Things that the name of a program says it keeps: ``acme-backup forget ID``."""
_CONTROLS = ("ctl", "control", "admin")
_ENDS_ALL = frozenset("shutdown poweroff halt reboot".split())
"""Verbs that end a service as a whole, said to the program that controls it."""
_DEVICES = ("/dev/tty", "/dev/cu.", "/dev/serial", "/dev/can", "/dev/i2c", "/dev/spidev")


def is_serious(
    verb: str, action: str, given: list[str], arguments: list[Value], name: str = ""
) -> bool:
    """Whether a mild verb stands beside something of an infrastructure, or goes ahead unasked."""
    near = [
        piece for word in given for piece in parts(word) if word != verb or len(parts(word)) > 1
    ]
    said = frozenset(parts(verb))
    if said & _ENLISTS and goes_out(arguments):
        return True
    if said & _ON_OTHERS:
        return goes_out(arguments) or (bool(said & _CALLS) and not _CALLED.isdisjoint(near))
    losing = not LOSING.isdisjoint(said)
    if losing and not CACHES.isdisjoint(near):
        return False
    if action != "delete" and not losing and stays_here(arguments):
        return False
    things = RESOURCES - LOCAL_THINGS if action == "create" else RESOURCES
    near += [piece for piece in parts(name) if losing and piece in _IN_NAMES]
    things = things | KEPT if not ENDING.isdisjoint(said) else things
    near += [key.removesuffix("name").removesuffix("id") for key in _keys(arguments)]
    near += _scopes(arguments) if losing else []
    if any(piece in things or piece.removesuffix("s") in things for piece in near):
        return True
    if _gives_role(arguments) or (name.endswith(_CONTROLS) and not said.isdisjoint(_ENDS_ALL)):
        return True
    return (losing and _loses_all(given, arguments)) or _ahead(said, arguments)


def _gives_role(arguments: list[Value]) -> bool:
    """Whether an option says that somebody may do everything: ``--role owner``, ``--admin``."""
    for at, value in enumerate(arguments):
        option, equals, given = value.text.partition("=")
        following = given if equals else "".join([one.text for one in arguments[at + 1 : at + 2]])
        if option in _ROLE_OPTIONS and following.lower() in _ROLES:
            return True
    return False


_ROLE_OPTIONS = frozenset("--role --roles --permission --permissions --access --level".split())
_ROLES = frozenset("owner admin administrator root superuser superadmin maintainer".split())


def _loses_all(given: list[str], arguments: list[Value]) -> bool:
    """Whether nobody is asked about a loss, or a part of the machine is meant."""
    every = any(value.text in ("all", "*") for value in arguments) and _MAKES.isdisjoint(given)
    return every or any(map(_is_forced, arguments)) or any(_is_unit(word) for word in given)


def _is_forced(value: Value) -> bool:
    if value.text in WITHOUT_ASKING or value.text[:2] != "--":
        return value.text in WITHOUT_ASKING
    first, *rest = [*parts(value.text.partition("=")[0].strip("-")), ""]
    every = first == "all" and any(piece.removesuffix("s") in RESOURCES for piece in rest)
    return every or "force" in (first, *rest)  # ``--all-users``


def _ahead(said: frozenset[str], arguments: list[Value]) -> bool:
    """Whether production is meant, or what would be asked about goes ahead."""
    texts = [value.text for value in arguments]
    return (
        in_production(arguments)
        or any(text.startswith(_CONFIRMS) for text in texts)
        or (not said.isdisjoint(_OVER) and not _OVERWRITES.isdisjoint(texts))
    )


def in_production(arguments: list[Value]) -> bool:
    """Whether a word, the value of one or the host of an address says that production is meant."""
    given = [value.text.lstrip("-").rpartition("=")[2] for value in arguments]
    return any(text.partition(":")[0] in PRODUCTION or _is_production_host(text) for text in given)


def _is_production_host(address: str) -> bool:
    _, colon, rest = address.partition("://")
    host = rest.partition("/")[0].rpartition("@")[2].partition(":")[0]
    return bool(colon) and not PRODUCTION.isdisjoint(host.replace("-", ".").split("."))


def _keys(arguments: list[Value]) -> list[str]:
    """Return the keys of words like ``nodename=n1``."""
    pairs = [value.text.partition("=") for value in arguments if value.text[:1] != "-"]
    return [key.lower() for key, equals, _ in pairs if equals and key.isalpha()]


def _scopes(arguments: list[Value]) -> list[str]:
    """Return the options that say in what something is lost: ``--domain example.com``."""
    names = [value.text.partition("=")[0].lstrip("-") for value in arguments[:-1]]
    return [name for name in names if name in _SCOPES]


def _is_unit(word: str) -> bool:
    """Whether a word is a device or an interface of the machine: ``hci0``, ``wlan1``."""
    return word.rstrip("0123456789") in UNITS and word[-1:].isdigit()


# -- where -----------------------------------------------------------------------------------------


def goes_out(arguments: list[Value]) -> bool:
    """Whether a call names another machine to act on, or a device that is wired to this one."""
    if any(text.startswith(_DEVICES) for text in _texts(arguments)):
        return True
    return any(not _is_here(where) for where in _addresses(arguments))


def stays_here(arguments: list[Value]) -> bool:
    """Whether a call names this machine as the one that it acts on, and no other."""
    found = _addresses(arguments)
    return bool(found) and all(map(_is_here, found))


def _is_here(host: str) -> bool:
    return host.startswith(_HERE) or hosts.classify(host) == LOCAL


def _addresses(arguments: list[Value]) -> list[str]:
    """Return the hosts that words name: of an address, an option, a machine's bare number."""
    found: list[str] = []
    before = ""
    for value in arguments:
        option, equals, rest = value.text.partition("=")
        text = rest if equals and option[:1] == "-" else value.text
        named = option if equals else before
        scheme, colons, _ = text.partition("://")
        if colons and scheme.isalnum() and scheme != "file":
            found.append(hosts.host_of(text) or text)
        elif is_number(text) or (named in _HOST_OPTIONS and _is_host(text)):
            found.append(text.partition(":")[0])
        before = value.text if value.text[:1] == "-" else ""
    return found


def _texts(arguments: list[Value]) -> list[str]:
    return [value.text.rpartition("=")[2] for value in arguments]


def is_number(text: str) -> bool:
    """Whether a word is a machine's number: ``10.0.0.7``, ``10.0.0.7:502``."""
    pieces = text.partition(":")[0].split(".")
    return len(pieces) == len("ipv4") and all(piece.isdecimal() for piece in pieces)


def _is_host(text: str) -> bool:
    """Whether the value of an option that says where is a name of a machine: one with a dot or a
    port, or this one's.
    """
    host, _, port = text.partition(":")
    plain = host.replace("-", "").replace(".", "").isalnum()
    return plain and ("." in host or port.isdecimal() or host.startswith(_HERE))
