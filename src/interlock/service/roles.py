"""Who may do what: one table. Every route names a permission of it, and so does every button.

No role holds all: whoever admits people cannot vote, publish or change a record. One person may
hold several roles.
"""

from __future__ import annotations

from interlock.model.record import Record

ANYONE, MACHINE, PERSON = "anyone", "machine", "person"
"""By what whoever asks is known: by nothing, by a machine's credential, by a visit or a token."""
READER, APPROVER, OPERATOR, POLICY_OWNER, ADMIN, CALLER = (
    "reader", "approver", "operator", "policy-owner", "admin", "caller",
)  # fmt: skip
ROLES = {
    READER: "sees the record: live calls, sessions, search, machines",
    APPROVER: "votes on requests of the roles that it is approver for, and stops",
    OPERATOR: "sees, stops and resumes, enrols and retires machines",
    POLICY_OWNER: "sees, and publishes policies",
    ADMIN: "sees, stops and resumes, enrols machines, admits people and gives roles",
    CALLER: "asks what a call may do, and says what became of it: for programs",
}
"""The roles, and what each is for. An approver is one *for* something: the names that a rule's
``approver:`` says, ``EVERY`` for all of them.
"""
EVERY = "*"
PROGRAMS = (READER, OPERATOR, CALLER)
"""Roles that a program may have; what it may do with them are the permissions with ``token``."""
PROOF_SECONDS = 15 * 60
"""How long somebody who proved to be there in person counts as such."""


class Permission(Record):
    """``who``: anyone, a machine or a person; ``roles``: that hold it, none where every person
    does; ``second``: what changes something takes a visit with a second factor; ``recent``: and
    one that was shown within ``PROOF_SECONDS``; ``token``: an API token of such a role may, too.

    ``second`` and ``recent`` are about doing. To look takes the role alone.
    """

    name: str
    said: str
    who: str = PERSON
    roles: tuple[str, ...] = ()
    second: bool = False
    recent: bool = False
    token: bool = False


PUBLIC, SEND, OWN, SEE, REQUESTS, VOTE, STOP, RESUME, TRY, PUBLISH, MACHINES, PEOPLE, DECIDE = (
    "public", "send", "own", "see", "requests", "vote", "stop", "resume", "try", "publish",
    "machines", "people", "decide",
)  # fmt: skip
_SEERS = (READER, OPERATOR, POLICY_OWNER, ADMIN)
PERMISSIONS = {
    one.name: one
    for one in (
        Permission(PUBLIC, "what is there for everybody", ANYONE),
        Permission(SEND, "send a machine's own record", MACHINE),
        Permission(OWN, "look after one's own account"),
        Permission(SEE, "see the record of all machines", roles=_SEERS, token=True),
        Permission(
            REQUESTS, "see what waits for an answer", roles=(*_SEERS, APPROVER), token=True
        ),
        Permission(VOTE, "approve or deny", roles=(APPROVER,), second=True, recent=True),
        Permission(STOP, "stop", roles=(APPROVER, OPERATOR, ADMIN), second=True),
        Permission(RESUME, "resume", roles=(OPERATOR, ADMIN), second=True, recent=True),
        Permission(TRY, "try policies", roles=(POLICY_OWNER,)),
        Permission(PUBLISH, "publish policies", roles=(POLICY_OWNER,), second=True, recent=True),
        Permission(
            MACHINES, "enrol and retire machines", roles=(OPERATOR, ADMIN), second=True,
            recent=True, token=True,
        ),
        Permission(
            PEOPLE, "admit people, give and take roles and tokens", roles=(ADMIN,), second=True,
            recent=True,
        ),
        Permission(DECIDE, "ask for decisions", roles=(CALLER,), token=True),
    )
}  # fmt: skip
"""All permissions. An approver sees what it is asked about; to see the whole record, be a reader,
too.
"""
