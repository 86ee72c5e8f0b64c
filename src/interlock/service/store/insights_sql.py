"""What was asked about, counted, in SQL."""

from __future__ import annotations

from typing import Protocol

from interlock.service.store.statements import Statements
from interlock.service.store.views import AskedCount, RepeatedQuestion

_RAN = """sum(CASE WHEN (SELECT o.status FROM outcome o WHERE o.chain = d.chain AND o.name = d.name
    ORDER BY o.id DESC LIMIT 1) = 'ran' THEN 1 ELSE 0 END)"""
_ASKED = "verdict = 'ask' AND at >= ? AND chain != ? AND session != 'interlock-doctor'"


class InsightReader(Protocol):
    """Questions about what was asked, of all chains but one."""

    def count_asked(self, since: str, without: str) -> list[AskedCount]:
        """Return how often each rule asked of each chain from a time on, and how often it ran."""

    def asked_most(self, since: str, without: str, most: int) -> list[RepeatedQuestion]:
        """Return the calls that were asked about most often from a time on."""


class InsightQueries(Statements):
    """``InsightReader``, within one transaction."""

    def count_asked(self, since: str, without: str) -> list[AskedCount]:
        """Return how often each rule asked of each chain."""
        sql = f"""SELECT chain, rule, count(*), {_RAN} FROM decision d WHERE {_ASKED}
            GROUP BY chain, rule"""
        return [AskedCount(*row) for row in self._all(sql, since, without)]

    def asked_most(self, since: str, without: str, most: int) -> list[RepeatedQuestion]:
        """Return the calls that were asked about most often."""
        sql = f"""SELECT rule, action, text, count(*), {_RAN} FROM decision d WHERE {_ASKED}
            GROUP BY rule, action, text HAVING count(*) > 1 ORDER BY 4 DESC, 1, 3 LIMIT ?"""
        return [RepeatedQuestion(*row) for row in self._all(sql, since, without, most)]
