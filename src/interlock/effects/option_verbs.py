"""What the options of a command line say that is done: ``--delete NAME``, ``--action delete``,
``--drop-schema``, ``DRY_RUN=false``.
"""

from __future__ import annotations

from interlock.data.words import words
from interlock.effects.verb_words import SAYING, STRONGLY, bare, parts, verb_of
from interlock.effects.worded_change import DATABASES, EMPTYING, WordedChange
from interlock.shell.value import Value

REALLY = frozenset(words("verbs", "really"))
SENDING = frozenset(words("verbs", "sending"))
LENDING = frozenset({"--privileged", "--cap-add=ALL", "--pid=host", "--cap-add=SYS_ADMIN"})
"""Options that lend the whole machine to what is started in a container."""
_STATES = frozenset(
    "absent deleted destroyed terminated drain drained down disabled decommissioned".split()
)
_VERBS_AS_OPTIONS = frozenset(
    "--delete --del --remove --revoke --eraseall --erase-all --remove-all --destroy --purge --wipe"
    " --uninstall --drop --terminate --delete-all --destroy-all --erase --nuke"
    " --factory-reset --replace-all --overwrite-all".split()
)
_OPTION_VERBS = frozenset(
    "delete destroy wipe purge erase nuke uninstall terminate revoke deregister decommission zap"
    " expunge".split()
)
"""First parts of options that say what is done: ``--delete-volumes``, ``--wipe-data``."""


def by_option(arguments: list[Value], *, looks: bool) -> WordedChange | None:
    """Return the change that an option is (``--delete-volumes``), or that its value or a key tells
    of (``--action delete``, ``state=absent``).
    """
    lets_in = any(value.text in _LETS_IN for value in arguments)
    for at, value in enumerate(arguments):
        if value.text == "--":
            break
        name, equals, given = value.text.partition("=")
        if _is_real(name, given) or (not looks and "mainnet" in (value.text, given)):
            return WordedChange("modify", name, mild=False)
        long = name[:2] == "--" or (name[:1] == "-" and name[1:] in _OPTION_VERBS)
        if (
            name in _VERBS_AS_OPTIONS
            or _drops(name)
            or (long and not equals and _says_loss(parts(name)))
        ):
            return WordedChange("delete", name, mild=False)
        following = (
            arguments[at + 1].text
            if name[:1] == "-" and not equals and at + 1 < len(arguments)
            else given
        )
        anybody = value.text in _OPEN or (value.text == "any" and _about_walls(arguments))
        if not looks and (following in _OPEN or (anybody and lets_in)):
            return WordedChange("permission", name, mild=False)
        if (
            not looks
            and name.lstrip("-").lower() in SAYING
            and (following.lower() in _STATES or _loses(following))
        ):
            return WordedChange("delete", name, mild=False)
        if name in LENDING and given not in _DENIED:
            return WordedChange("permission", name, mild=False)
        if _tells_to_delete(name, following):
            return WordedChange("delete", following, mild=False)
        if not looks and name in _ORDERING and following.lower() in STRONGLY:
            return WordedChange(STRONGLY[following.lower()], name, mild=False)
    return None


def _says_loss(pieces: list[str]) -> bool:
    """Whether the parts of an option's name are a verb that loses and what is lost:
    ``--wipe-data``, ``--force-delete``.
    """
    if pieces[:1] and pieces[0] in _INSISTING:
        pieces = pieces[1:]
    return bool(pieces) and pieces[0].rstrip("0123456789") in _OPTION_VERBS


_INSISTING = frozenset("force confirm really hard do".split())


def _is_real(name: str, given: str) -> bool:
    """Whether a word says that this is no rehearsal: ``--broadcast``, ``DRY_RUN=false``."""
    rehearsed = name.lower().lstrip("-").replace("-", "_") in ("dry_run", "dryrun")
    return given in _DENIED if rehearsed else name in REALLY and given not in _DENIED


def _drops(option: str) -> bool:
    """Whether an option says that a database goes: ``--drop-schema``, ``--reset-db``."""
    pieces = parts(option) if option[:2] == "--" else []
    empties = pieces[:1] == ["reset"] or EMPTYING.issuperset(pieces[:1])
    return len(pieces) > 1 and empties and not _DROPPED.isdisjoint(pieces[1:])


_DROPPED = DATABASES | frozenset("existing all everything data index indexes collection".split())
_OPEN = ("0.0.0.0/0", "::/0")


def _about_walls(arguments: list[Value]) -> bool:
    """Whether the words are about who may come in: ``rule allow any any``."""
    return any(not _WALLS.isdisjoint(parts(value.text)) for value in arguments[:4])


_WALLS = frozenset("rule rules acl firewall fw policy filter ingress securitygroup".split())
_LETS_IN = frozenset("allow permit accept add open grant authorize whitelist".split())


def _tells_to_delete(option: str, following: str) -> bool:
    """Whether a letter says what is done: ``burp -a delete -b 5``."""
    return option in ("-a", "-A", "-x", "-X") and STRONGLY.get(following) == "delete"


_DENIED = ("false", "no", "0", "none")
_ORDERING = frozenset({"--command", "--cmd", "--action", "--operation", "--op"})


def unlisted_change(options: list[str]) -> WordedChange | None:
    """Return the change that options say which a known program is not known to have:
    ``--broadcast``, ``--push``.
    """
    lends = next((option for option in options if option in LENDING), None)
    if lends is not None:
        return WordedChange("permission", lends, mild=False)
    found = next((option for option in options if option in SENDING), None)
    return WordedChange("modify", found, mild=False) if found is not None else None


def _loses(word: str) -> bool:
    found = verb_of(word) if bare(word) else None
    return found is not None and found[0] == "delete" and not found[1]
