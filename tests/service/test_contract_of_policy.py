"""What a database of the service keeps of policies for the fleet: the same in SQLite and on a
PostgreSQL server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from securesystemslib.signer import CryptoSigner

from interlock.service.policy import publishing, repository
from interlock.service.policy.publishing import Signing, Stage
from interlock.service.policy.repository import Thresholds
from interlock.service.policy.trials import read_history
from interlock.service.store.rows import BundleRow, Chain, Machine, TrialRow
from interlock.store.chain import now
from interlock.wire.batch import KEPT, BatchLine
from interlock.wire.policy_state import hash_text

if TYPE_CHECKING:
    from interlock.service.store.protocol import ServiceStore, ServiceWriter

AT = "2026-01-31T10:00:00.000Z"


def test_documents_bundles_and_trials_are_kept_and_replaced(keeping: ServiceStore) -> None:
    """One of each name, number or hash; an empty document is none."""
    first = BundleRow(1, "a", "text", "cases", "ada", AT)
    second = BundleRow(2, "a", "text", "cases", "ben", AT, AT)

    def work(steps: ServiceWriter) -> None:
        for body in ("one", "two"):
            steps.put_policy_document("timestamp.json", body)
        steps.put_policy_document("gone", "")
        for row in (first, second, first.replace(by="eve")):
            steps.put_bundle(row)
        for report in ("{}", "[]"):
            steps.put_trial(TrialRow("a", "cases", "ada", AT, report))

    keeping.write(work)
    read = keeping.read
    assert read(lambda known: known.policy_document("timestamp.json")) == "two"
    assert read(lambda known: (known.policy_document("gone"), known.policy_document("no"))) == (
        "",
        "",
    )
    assert read(lambda known: [one.number for one in known.bundles(9)]) == [2, 1]
    assert read(lambda known: known.bundle(1)) == first.replace(by="eve")
    assert read(lambda known: known.bundle_of("a")) == second
    assert read(lambda known: (known.bundle(3), known.bundle_of("b"))) == (None, None)
    trial = read(lambda known: known.trial("a"))
    assert trial is not None
    assert trial.report == "[]"


def test_a_policy_is_published_in_it(keeping: ServiceStore) -> None:
    """The whole way: keys, a trial, a bundle, its documents."""
    online, root, owner = [CryptoSigner.generate_ed25519() for _ in range(3)]
    text = b"version: 1\nprofile: strict\n"

    def work(steps: ServiceWriter) -> int:
        repository.begin(steps, online, [root], [owner], Thresholds())
        steps.put_trial(TrialRow(hash_text(text), "cases", "ada", now(), "{}"))
        done = publishing.publish(steps, text, Stage(), Signing(online, (owner,), "ada"))
        return done.missing

    assert keeping.write(work) == 0
    found = keeping.read(repository.read_rollout)
    assert found is not None
    assert (found.bundle, found.permille) == (1, 10)
    assert keeping.read(repository.hashes) == {"policy.yaml": hash_text(text)}


def test_the_history_is_read_and_counted_by_chain_and_time(keeping: ServiceStore) -> None:
    """Decisions with their rows, the newest first; a call that was made twice counts twice."""

    def line(seq: int, verdict: str, at: str) -> BatchLine:
        said = {"action": "shell", "verdict": verdict, "parameters": "ls", "session_id": "s"}
        row = tuple([said.get(name) for name in KEPT])
        return BatchLine((seq, f"k{seq}", at, "decision", "s", f"d{seq}", "{}"), "h", row)

    def work(steps: ServiceWriter) -> None:
        steps.add_machine(Machine("m-1", "here", "linux", "1", "x", AT, team="web"))
        steps.add_chain(Chain("c-1", "m-1", 1))
        lines = [
            line(1, "allow", AT),
            line(2, "ask", AT),
            line(3, "deny", "2026-02-01T00:00:00.000Z"),
        ]
        steps.add_events("c-1", 0, lines)

    keeping.write(work)
    past = keeping.read(lambda known: read_history(known, "2026"))
    assert [(one.times, one.decision) for one in past.calls] == [(3, "d3")]
    assert (past.makers, past.cut) == ({"d3": {"c-1": 3}}, False)
    assert (past.names, past.teams) == ({"c-1": "here"}, {"c-1": "web"})
    assert keeping.read(lambda known: read_history(known, "2026-02")).calls[0].times == 1
    count = keeping.read(lambda known: known.count_answers("c-1", "2026", "2026-02"))
    assert count == (2, 1, 0)
    assert keeping.read(lambda known: known.count_answers("c-2", "2026", "9")) == (0, 0, 0)
