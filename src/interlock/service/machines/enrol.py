"""Enrolment: a token that works once makes a machine, a credential and a chain."""

from __future__ import annotations

from secrets import token_hex

from interlock.model.record import Record
from interlock.service.secrets import hash_secret, later, new_secret
from interlock.service.store import rows
from interlock.service.store.protocol import ServiceWriter
from interlock.service.store.rows import Chain, Machine
from interlock.store.chain import now
from interlock.wire.token import EnrolmentToken

DAY = 86400
MOST_NAME = 80
MOST_USES = 10_000


class EnrolmentRequest(Record):
    """What a machine says of itself. ``first``: the number of the first event that it will send."""

    secret: str
    name: str
    platform: str
    version: str
    first: int


class Enrolment(Record):
    """What it is told: its name here, the secret that it sends along from then on, its chain."""

    machine: str
    credential: str
    chain: str
    team: str = ""


class MachineOwner(Record):
    """Whose the machines of a token are: the team's, and the person's who owns them."""

    team: str = ""
    owner: str = ""


NOBODY = MachineOwner()


def token(
    keeping: ServiceWriter,
    url: str,
    pin: str = "",
    uses: int = 1,
    whose: MachineOwner = NOBODY,
    *,
    by: str = "",
) -> EnrolmentToken:
    """Return a new token, good for a day; ``by``: who made it, empty for whoever runs the
    service.
    """
    secret, team, owner = new_secret(), whose.team[:MOST_NAME], whose.owner[:MOST_NAME]
    keeping.add_token(rows.EnrolmentTokenRow(hash_secret(secret), uses, later(DAY), team, owner))
    known = (("by", by), ("team", team), ("owner", owner))
    keeping.note("token", "", {"uses": uses, **{name: what for name, what in known if what}})
    return EnrolmentToken(url, secret, pin)


def enrol(keeping: ServiceWriter, asked: EnrolmentRequest) -> Enrolment | None:
    """Enrol a machine; None where the token is used up, too old or none of ours."""
    at = now()
    if not keeping.spend_token(hash_secret(asked.secret), at):
        return None
    machine, chain, credential = f"m-{token_hex(6)}", f"c-{token_hex(8)}", new_secret()
    name = asked.name[:MOST_NAME] or machine
    made = keeping.token(hash_secret(asked.secret))
    team, owner = (made.team, made.owner) if made is not None else ("", "")
    row = Machine(
        machine, name, asked.platform, asked.version, hash_secret(credential), at, at,
        team=team, owner=owner,
    )  # fmt: skip
    keeping.add_machine(row)
    keeping.add_chain(Chain(chain, machine, asked.first))
    keeping.note("enrolled", machine, {"chain": chain, "first": asked.first, "name": name})
    return Enrolment(machine, credential, chain, team)


def retire(keeping: ServiceWriter, machine: str, by: str) -> bool:
    """Have a machine's credential count no more; tell whether it did before."""
    done = keeping.retire(machine, now())
    if done:
        keeping.note("retired", machine, {"by": by})
    return done


def another(keeping: ServiceWriter, machine: Machine, first: int, continues: str) -> str:
    """Return a new chain of a machine: its store was begun anew, and the old chain stays."""
    chain = f"c-{token_hex(8)}"
    known = keeping.chain(continues)
    before = continues if known is not None and known.machine == machine.id else ""
    keeping.add_chain(Chain(chain, machine.id, first, continues=before))
    keeping.note("chain", machine.id, {"chain": chain, "continues": before, "first": first})
    return chain
