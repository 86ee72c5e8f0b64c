"""Clients of databases, clouds and services in programs: what a method does is told by its name, in
any language (``drop_all``, ``dropDatabase``).
"""

from __future__ import annotations

import _ast

from interlock.data.words import words
from interlock.effects.orders import find_order
from interlock.effects.python.call import PyCall
from interlock.effects.python.far_clients import is_far_client
from interlock.effects.python.handed_commands import read_handed
from interlock.effects.python.values import UNKNOWN, DottedName, PyValue, is_text, text_of
from interlock.effects.python.written_out import write_out
from interlock.effects.verb_words import parts
from interlock.model.effect import ChangesDatabase, ChangesInfrastructure, Sends
from interlock.shell.value import NETWORK

STRANGE = "strange"
"""Label of what a package gives that nobody described: its methods are told by name alone."""
CLIENT = "client"
"""Label of what a client's library gives: its methods speak to something that is not here."""

_ROOTS = frozenset(words("clouds", "client libraries"))
"""Packages that are clients of something elsewhere; for ``@scope/name`` its scope counts."""
_SCOPES = words("clients", "scopes")
_SPOKEN = frozenset("ldap imap ftp ssh2 snmp amqp mqtt ibase oci odbc cubrid".split())
"""What the names of functions begin with that speak to a server, in a language without packages."""

_DATABASE: dict[str, str] = {
    **dict.fromkeys("drop_database dropDatabase dropdatabase drop_all dropAll drop_collection dropCollection drop_table dropTable drop_tables dropTables "
        "dropAllTables dbRemoveTable drop_schema dropSchema drop_keyspace dropAllSchemas dropTableIfExists drop_db wipe_db".split(), "drop"),
    **dict.fromkeys("flushall flushAll flush_all flushdb flushDb flushDB flush_db FlushAll FlushDB".split(), "flush"),
    **dict.fromkeys("delete_collection deleteCollection delete_keyspace delete_database deleteDatabase remove_database dropIndexes drop_indexes "
        "drop_stream drop_index reset_db resetDatabase reset_database clear_database clearDatabase recreate_db".split(), "drop"),
    **dict.fromkeys("purge_queue purgeQueue purge_all purgeAll flush_queue empty_queue".split(), "flush"),
    **dict.fromkeys("truncate_tables truncateTable truncate_table truncateAll".split(), "truncate"),
    **dict.fromkeys("delete_all destroy_all deleteAll destroyAll delete_many deleteMany DeleteMany delete_by_query deleteByQuery".split(), "delete-all"),
}  # fmt: skip
"""Methods whose name says enough, whoever has them."""
_GIVING = frozenset("update create get_or_create update_or_create create_user update_all".split())
_RIGHTS = frozenset("is_superuser is_staff is_admin admin superuser superadmin is_root".split())
"""Columns that say who may do everything."""
_IN_MEMORY = (":memory:", "sqlite://")
_HERE = (*_IN_MEMORY, "localhost", "127.0.0.1", "sqlite3", "duckdb")
"""What says that a database is of this machine."""
_NARROWED = frozenset("where filter filter_by exclude limit find_by whereIn findBy having".split())
"""Calls before a deletion that pick what is deleted."""
_WHOLE = frozenset({"all", "query"})
"""Calls before ``.delete()`` that pick nothing: ``objects.all().delete()``,
``session.query(T).delete()``.
"""

_VERBS: dict[str, str] = {
    **dict.fromkeys("delete drop terminate destroy purge erase wipe revoke deregister deactivate prune evict uninstall shutdown kill truncate "
        "flush obliterate expunge nuke annihilate decommission deprovision undeploy dele del archive rmtree rmdir".split(), "delete"),
    **dict.fromkeys("refund payout transfer capture charge publish deploy promote rollback restore".split(), "modify"),
}  # fmt: skip
"""First parts of a client's method that lose something or bind somebody; two parts for those that
Python's own types have as well.
"""
_TELLING = frozenset(_VERBS).union(
    "push send upload submit remove reset clear post put transfer withdraw pay order invoke execute"
    " call trigger notify invite grant run_command".split()
)
"""Parts of the name of a method of which nobody knows what it does."""
_CHANGES = frozenset(
    "put update modify attach detach set create add remove disable enable run start stop reboot restart write invoke send scale patch replace grant".split()
)
_THINGS = frozenset(words("clients", "things"))
_PAYING = frozenset("stripe Stripe paypalrestsdk braintree square plaid adyen razorpay".split())
_SAYING = frozenset("send write emit publish request push sendall".split())
"""First parts of the name of a method by which a client is given a text to say."""
_SAYS = frozenset(
    "create_tweet update_status chat_postMessage post_message send_message sendMessage postMessage create_comment add_comment create_issue".split()
)


def judge_by_name(call: PyCall, *, known: bool = True) -> PyValue:
    """Add what the name of a method tells, where nothing else is known of it; return what the call
    gives. ``known``: it is of a module that everybody has.
    """
    read_handed(call)
    if _trusts(call):
        call.run.context.possibly(lambda: call.run.unknown_code(NETWORK, "hub"))
    client = _client(call)
    strange = not client and (
        (call.owner is None and not known and "." in call.name)
        or (call.owner is not None and STRANGE in call.owner.labels)
    )
    if not call.program.idling:
        trait = _of_database(call, client=client)
        if trait:
            call.effect(ChangesDatabase, call.method, *trait)
        elif client:
            _of_service(call)
            call.run.context.doubt(f"{call.name.partition('.')[0]} speaks to a service elsewhere")
        elif strange and not _TELLING.isdisjoint(parts(call.method)):
            call.run.context.doubt(f"what {call.method} does is not known")
    made = call.unknown()
    client = client or is_far_client(call)
    label = CLIENT if client else STRANGE if strange else ""
    return PyValue(UNKNOWN, made.labels | {label}, made.why, made.path) if label else made


def _trusts(call: PyCall) -> bool:
    """Whether a call says that code is trusted which comes with what it fetches
    (``trust_remote_code=True``), and not from a folder that it names.
    """
    first = call.text(0, "repo_or_dir", "pretrained_model_name_or_path", "path")
    named = [name for name, thing in call.keywords.items() if thing.value is True]
    return first[:1] not in ("/", ".", "~") and any(
        name.startswith(("trust_r", "allow_dangerous_", "allow_remote_code")) for name in named
    )


def _client(call: PyCall) -> bool:
    """Whether what is called belongs to a client's library, or came from one."""
    if call.owner is not None and CLIENT in call.owner.labels:
        return True
    name = call.name.removeprefix("node:")
    root = name.partition(".")[0]
    known = root in _ROOTS or root.lower() in _ROOTS  # Ruby's are called by their class: Bunny
    spoken = "." not in name and name.partition("_")[0] in _SPOKEN  # PHP's: ldap_delete($l, ..)
    return (call.owner is None and (known or spoken)) or name.startswith(_SCOPES)


def _of_database(call: PyCall, *, client: bool) -> tuple[str, ...]:
    """Return what the call does to a database, or nothing."""
    before = _before(call)
    found = _DATABASE.get(call.method, "")
    if call.method in _GIVING and any(
        inner.value is True for key, inner in call.keywords.items() if key in _RIGHTS
    ):
        return ("grant",)
    if _replaces(call) and not any(mark in call.program.source for mark in _HERE):
        return ("drop",)
    if found == "drop" and any(mark in call.program.source for mark in _IN_MEMORY):
        return ()  # a database for the moment, or a file that is looked at as such
    if found == "delete-all":
        first = next(iter([*call.arguments, *call.keywords.values()]), None)
        whole = first is None or _empty(first) or _is_class(first)
        narrowed = before & _NARROWED or not whole
        return ("delete",) if narrowed else ("delete-all",)
    if found:
        return (found,)
    if (
        call.method == "delete"
        and before & _WHOLE
        and not before & _NARROWED
        and not client
        and not call.arguments
    ):
        return ("delete-all",)
    if call.method == "sync" and any(_forces(thing) for thing in [*call.arguments]):
        return ("drop",)
    return ()


def _replaces(call: PyCall) -> bool:
    """Whether a table is dropped where there is one: ``to_sql("t", e, if_exists="replace")``."""
    given = [call.text(-1, name) for name in ("if_exists", "if_table_exists")]
    return "replace" in given or (
        call.method == "saveAsTable" and "overwrite" in call.program.source
    )


def _empty(thing: PyValue) -> bool:
    """Whether a filter picks everything: ``{}``, ``{where: {}}``, ``{"match_all": {}}``."""
    value = thing.value
    if not isinstance(value, dict):
        return False
    return all(isinstance(inner.value, dict) and _empty(inner) for inner in value.values())


def _is_class(thing: PyValue) -> bool:
    """Whether a thing is a class of rows by its name: ``Repo.delete_all(App.User)``."""
    name = thing.value.dotted.rpartition(".")[2] if isinstance(thing.value, DottedName) else ""
    return name[:1].isupper() and not name.isupper()


def _forces(thing: PyValue) -> bool:
    """``sync({force: true})`` of Sequelize drops what is there."""
    return isinstance(thing.value, dict) and any(
        key == "force" and inner.value is True for key, inner in thing.value.items()
    )


def _before(call: PyCall) -> frozenset[str]:
    """Return the names called before this one in the same chain: ``a.b().c()``."""
    found = set(call.name.split("."))
    node = getattr(getattr(call.node, "func", None), "value", None)
    for _ in range(16):
        if isinstance(node, _ast.Call):
            node = node.func
        elif isinstance(node, _ast.Attribute):
            found.add(node.attr)
            node = node.value
        elif isinstance(node, _ast.Subscript):
            node = node.value
        else:
            break
    return frozenset(found)


def _ends(pieces: list[str]) -> list[str]:
    """Return the first and the last part of a name, without a version: ``files_delete_v2``."""
    while len(pieces) > 1 and pieces[-1].lstrip("v").isdecimal():
        pieces = pieces[:-1]
    return [pieces[0], pieces[-1]]


def _names_none(call: PyCall) -> bool:
    """Whether a call is given nothing but options: what a list loses is named."""
    return all(isinstance(thing.value, dict) for thing in call.arguments)


def _of_service(call: PyCall) -> None:
    """What a method of a client does, by the parts of its name."""
    pieces = parts(call.method)
    if not pieces or any(name in call.keywords for name in ("DryRun", "dry_run")):
        return
    before = _before(call)
    if call.method in _SAYS or (pieces == ["create"] and "messages" in before):
        call.effect(Sends, call.method, "message", "post", host="unknown")
    elif verb := next((piece for piece in _ends(pieces) if piece in _VERBS), ""):
        call.effect(ChangesInfrastructure, call.method, _VERBS[verb])
    elif (before & _PAYING and pieces[0] in (*_CHANGES, "cancel", "pay")) or (
        len(pieces) > 1
        and pieces[0] in _CHANGES
        and any(piece.removesuffix("s") in _THINGS for piece in pieces[1:])
    ):
        call.effect(ChangesInfrastructure, call.method, "modify")
    elif pieces[0] in _SAYING and find_order(call.run.context, map(write_out, call.arguments)):
        call.effect(ChangesInfrastructure, call.method, "delete")
    elif pieces in (["remove"], ["clear"], ["clear!"]) and _names_none(call):
        call.effect(ChangesInfrastructure, call.method, "delete")  # a list's takes what goes
    elif pieces[:1] == ["bulk"] and any(
        is_text(thing.value) and "delete" in text_of(thing) for thing in call.arguments
    ):
        call.effect(ChangesInfrastructure, call.method, "delete")
