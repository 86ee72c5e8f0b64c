"""The policy that holds now: the built-in one, the compiled one, or what the files say. On the way
of every call.
"""

from __future__ import annotations

from collections.abc import Callable
from time import time

from interlock.model.policy import Policy
from interlock.policy.builtin import builtin
from interlock.policy.files import PolicyFile, PolicyLocations, is_missing, look
from interlock.policy.source import Reader

DAY = 86400


def base(where: PolicyLocations) -> dict[str, tuple[int, ...]]:
    """Return the files that any policy begins with, and whose each has to be; nobody in particular
    for a project's, which only tightens.
    """
    mine = (where.owner, where.above)
    files = {
        where.organisation_file: (where.above,),
        **dict(zip(where.fleet_files, ((where.above,), mine), strict=False)),
        where.user_file: mine,
        where.project_file: (),
        where.session_file: mine,
    }
    files.update(dict.fromkeys(where.guard_folders(where.home), mine))
    files.update(dict.fromkeys(where.guard_folders(where.project), ()))
    files.pop("", None)
    return files


def current(where: PolicyLocations, reader: Callable[[], Reader]) -> Policy:
    """Return the policy of these places. Total: a file that is wrong is left out, tightens as it
    last did, and every answer says so.

    ``reader``: makes what reads examples, where files have to be read anew.
    """
    places = base(where)
    if all(map(is_missing, places)):
        return builtin()
    known: dict[str, PolicyFile] = {
        path: look(path, owners, where.lent) for path, owners in places.items()
    }
    if where.session and not (where.session_file and known[where.session_file].there):
        where = where.replace(session="")  # what is compiled is every session's
    from interlock.policy.cache import find  # most machines have no policy file

    today = int(time()) // DAY
    found = find(where, known, today)
    if found is not None:
        return found
    from interlock.policy.load import load  # only when a file changed

    return load(where, reader(), today).policy
