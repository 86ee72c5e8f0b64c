"""Requests, votes and claims in SQL: ``requests_protocol``, within one transaction."""

from __future__ import annotations

from interlock.service.store.rows import Claim, RequestRow, UseGrant, VoteRow
from interlock.service.store.statements import Statements

Statements.tables.update(
    {
        RequestRow: ("request", 2),
        VoteRow: ("vote", 3),
        Claim: ("claim", 2),
        UseGrant: ("use_grant", 2),
    }
)
_ONE = "machine = ? AND request = ?"


class RequestQueries(Statements):
    """``waiting.RequestsReading``."""

    def request(self, machine: str, name: str) -> RequestRow | None:
        """Return a request."""
        found = self._row(RequestRow, "machine = ? AND id = ?", machine, name)
        return _whole(found) if found is not None else None

    def requests(self, *, machine: str = "", opened: bool = False, most: int) -> list[RequestRow]:
        """Return requests, the newest first."""
        where = "state = 'pending'" if opened else "true"
        order = "ORDER BY at DESC, machine, id LIMIT ?"
        rows = self._rows(RequestRow, f"{where} AND ?1 IN ('', machine) {order}2", machine, most)
        return [_whole(one) for one in rows]

    def session_requests(self, machine: str, session: str, most: int) -> list[RequestRow]:
        """Return the requests of a machine's session, the oldest first."""
        where = "machine = ? AND session = ? ORDER BY at, id LIMIT ?"
        return [_whole(one) for one in self._rows(RequestRow, where, machine, session, most)]

    def find_twins(self, fleet: str) -> list[RequestRow]:
        """Return the open requests of one call on all machines."""
        open_now = "fleet != '' AND fleet = ? AND state IN ('pending', 'granted')"
        rows = self._rows(RequestRow, f"{open_now} ORDER BY at, machine, id", fleet)
        return [_whole(one) for one in rows]

    def answered(self) -> str:
        """Return when somebody answered last."""
        return str(self._value("SELECT coalesce(max(at), '') FROM vote"))

    def votes(self, machine: str, name: str) -> list[VoteRow]:
        """Return what people answered."""
        rows = self._rows(VoteRow, f"{_ONE} ORDER BY at, person", machine, name)
        return [one.replace(yes=bool(one.yes)) for one in rows]

    def claim(self, machine: str, name: str) -> Claim | None:
        """Return who has a request's yes."""
        return self._row(Claim, _ONE, machine, name)

    def find_given(self, giver: str) -> list[Claim]:
        """Return the claims that came of a yes."""
        return self._rows(Claim, "giver != '' AND giver = ? ORDER BY machine, request", giver)

    def use_grant(self, machine: str, name: str) -> UseGrant | None:
        """Return how often a yes counts."""
        return self._row(UseGrant, _ONE, machine, name)

    def use_grants(self, fleet: str) -> list[UseGrant]:
        """Return what counts several times for a call."""
        return self._rows(UseGrant, "fleet = ? AND spare > 0 ORDER BY expires, request", fleet)


class RequestCommands(RequestQueries):
    """``waiting.RequestsWriting``."""

    def add_request(self, request: RequestRow) -> bool:
        """Add a request."""
        return self._add_new(request)

    def move_request(self, request: RequestRow, before: str) -> bool:
        """Note how a request stands."""
        sql = """UPDATE request SET state = ?, "by" = ?, settled = ?, reason = ?, expires = ?
            WHERE machine = ? AND id = ? AND state = ?"""
        said = (request.state, request.by, request.settled, request.reason, request.expires)
        return self._did(sql, *said, request.machine, request.id, before) == 1

    def remind(self, machine: str, name: str, percent: int) -> bool:
        """Note that people were reminded."""
        sql = "UPDATE request SET reminded = ?3 WHERE machine = ?1 AND id = ?2 AND reminded < ?3"
        return self._did(sql, machine, name, percent) == 1

    def put_vote(self, vote: VoteRow) -> None:
        """Note a person's answer."""
        self._put(vote)

    def add_claim(self, claim: Claim) -> None:
        """Add a yes."""
        self._put(claim)

    def take_claim(self, claim: Claim) -> bool:
        """Give a yes to a chain."""
        sql = """UPDATE claim SET chain = ?3, holder = ?4, at = ?5 WHERE machine = ?1 AND
            request = ?2 AND ((chain, holder) = ('', '') OR (chain, holder) = (?3, ?4))"""
        said = (claim.machine, claim.request, claim.chain, claim.holder, claim.at)
        return self._did(sql, *said) == 1

    def add_use_grant(self, grant: UseGrant) -> None:
        """Have a yes count several times."""
        self._add(grant)

    def take_use(self, grant: UseGrant) -> bool:
        """Take one use of what is left."""
        sql = f"UPDATE use_grant SET spare = spare - 1 WHERE {_ONE} AND spare > 0"
        return self._did(sql, grant.machine, grant.request) == 1

    def end_use_grant(self, machine: str, name: str) -> bool:
        """Have nothing be left of it."""
        sql = f"UPDATE use_grant SET spare = 0 WHERE {_ONE} AND spare > 0"
        return self._did(sql, machine, name) == 1

    def own(self, machine: str, person: str) -> bool:
        """Name whose machine it is."""
        return self._did("UPDATE machine SET owner = ? WHERE id = ?", person, machine) == 1


def _whole(row: RequestRow) -> RequestRow:
    return row.replace(second_person=bool(row.second_person))
