"""What an auditor is handed proves what it says to somebody who has a root from elsewhere, and
nothing that was tampered with.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interlock.cli.main import main
from interlock.model.jsontext import dumps, loads
from interlock.service.databases import open_store
from interlock.service.evidence.proving import ProofError, prove
from interlock.service.evidence.verify_proof import WrongProofError, canonical, check
from interlock.service.ingest import roots
from interlock.service.ingest.verify import verify
from interlock.service.signing import Signer
from interlock.service.store.rows import Root
from interlock.store import chain
from interlock.store.chain import GENESIS, digest
from interlock.wire.tree import find_path, hash_leaf, hash_tree
from tests.disks import full_disk
from tests.exporting import take_in
from tests.serving import filled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore, ServiceWriter

MINUTES = ("2100-01-01T00:00:00.000Z", "2100-01-01T00:05:00.000Z", "2100-01-01T00:09:00.000Z")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a service's folder, as the command line finds it, with three machines' chains, three
    roots, and the second of them in ``anchors`` beside.
    """
    home = tmp_path_factory.mktemp("proof")
    place = home / ".local/state/interlock/service"
    with closing(open_store(str(place))) as keeping:
        take_in(keeping, filled(home / "one", 10))
        take_in(keeping, filled(home / "two", 3), "c-2")
        take_in(keeping, filled(home / "three", 3), "c-3")
        taken = [_take(keeping, at) for at in MINUTES]
    (home / "anchors").write_text("# kept elsewhere\n" + roots.line(taken[1]) + "\n")
    return place


def _take(keeping: ServiceStore, at: str) -> Root:
    """Take a root of everything that moved; and have a chain move after it, later."""

    def work(steps: ServiceWriter) -> Root:
        root = roots.take(steps, at)
        assert root is not None
        [main_of, *_] = steps.branches("c-2")
        steps.put_branch(main_of.replace(seq=main_of.seq + 1, hash=digest((at,)), grown=at))
        return root

    return keeping.write(work)


def proof_of(folder: Path, anchors: bool = True) -> tuple[dict[str, Any], str]:
    """Return the proof of the fourth decision, and the anchors."""
    text = (folder.parents[3] / "anchors").read_text()
    with closing(open_store(str(folder))) as keeping:
        name = name_of(keeping)
        lines = text.splitlines() if anchors else []
        signer = Signer(str(folder))
        return keeping.read(lambda known: prove(known, signer, name, lines)), text


def name_of(keeping: ServiceStore) -> str:
    """Return the name of a decision in the middle of the first chain."""
    events = keeping.read(lambda known: known.events("c-1", 0, 0, 99))
    return str([one.fields[5] for one in events if one.fields[3] == "decision"][3])


@pytest.fixture(scope="module")
def proof(folder: Path) -> dict[str, Any]:
    """Return an intact proof, as it is read from its file."""
    found: dict[str, Any] = json.loads(dumps(proof_of(folder)[0]))
    return found


def test_an_intact_proof_holds(folder: Path, proof: dict[str, Any]) -> None:
    """Up to the anchored root, and with the service's key; it shows no other machine."""
    _, anchors = proof_of(folder)
    assert check(proof, anchors, proof["service_key"])["minute"] == proof["root"]["minute"]
    assert len(proof["roots"]) == 2
    assert "c-2" not in dumps(proof)
    assert len(dumps(proof)) < 20_000


def changed(*way: str | int, to: object = None) -> Callable[[dict[str, Any]], None]:
    """Return what changes a value of a proof: another one, or the text with one sign changed."""

    def work(proof: dict[str, Any]) -> None:
        place: Any = proof
        for part in way[:-1]:
            place = place[part]
        old = place[way[-1]]
        new = to
        if to is None:
            new = old + 1 if isinstance(old, int) else ("1" if old[:1] != "1" else "2") + old[1:]
        assert new != old
        place[way[-1]] = new

    return work


def removed(name: str, at: int) -> Callable[[dict[str, Any]], None]:
    """Return what takes an element away."""
    return lambda proof: proof[name].pop(at)


TAMPERED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "another verdict": (changed("row", 8, to="x"), "not the one that was recorded"),
    "the last value of its row": (changed("row", -1, to="x"), "not the one that was recorded"),
    "another decision": (changed("decision"), "another one's"),
    "its record": (changed("events", 0, "fields", 2), "was changed"),
    "a record behind it": (changed("events", 1, "fields", 6), "was changed"),
    "a hash behind it": (changed("events", 1, "hash"), "was changed"),
    "a record removed": (removed("events", 1), "is missing"),
    "the last record removed": (removed("events", -1), "does not end at the head"),
    "the hash before": (changed("previous"), "was changed"),
    "the head's hash": (changed("head", 3), "does not end at the head"),
    "the head's branch": (changed("head", 1), "not in its minute's root"),
    "another chain's head": (changed("head", 0), "another chain's"),
    "a neighbour": (changed("path", 0, 1), "not in its minute's root"),
    "its side": (changed("path", 0, 0, to="left"), "not in its minute's root"),
    "a neighbour removed": (removed("path", 0), "not in its minute's root"),
    "the minute's heads": (changed("roots", 0, "heads"), "not in its minute's root"),
    "a minute": (changed("roots", 0, "minute", to="2099-01-01T00:00"), "the roots were changed"),
    "the roots' order": (lambda proof: proof["roots"].reverse(), "root"),
    "a root removed": (removed("roots", 1), "the roots were changed"),
    "a later root's heads": (changed("roots", 1, "heads"), "the roots were changed"),
    "the root before": (changed("before"), "the roots were changed"),
    "the root's hash": (changed("root", "hash"), "the roots were changed"),
    "the receipt's hash": (changed("receipt", "hash"), "for another head"),
    "the receipt's time": (changed("receipt", "at"), "not signed with that key"),
    "the signature": (changed("receipt", "signature"), "not signed with that key"),
    "another format": (changed("format"), "no interlock-proof 1"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_what_was_tampered_with_does_not_hold(
    what: str, folder: Path, proof: dict[str, Any]
) -> None:
    """And says where; as it was it holds."""
    tamper, said = TAMPERED[what]
    _, anchors = proof_of(folder)
    bad = deepcopy(proof)
    tamper(bad)
    with pytest.raises(WrongProofError, match=said):
        check(bad, anchors, proof["service_key"])
    check(deepcopy(proof), anchors, proof["service_key"])


def test_a_record_that_was_worked_out_anew_is_in_no_anchor(
    folder: Path, proof: dict[str, Any]
) -> None:
    """Whoever holds all of the service can make another proof that is whole in itself; the root
    elsewhere is another one.
    """
    _, anchors = proof_of(folder)
    made = deepcopy(proof)
    row = made["row"]
    row[8] = "allow"
    first = made["events"][0]["fields"]
    first[6] = dumps({**loads(first[6]), "digest": chain.of_kept(row)})
    previous = made["previous"]
    for one in made["events"]:
        previous = one["hash"] = chain.link(previous, one["fields"])
    made["head"][3] = made["receipt"]["hash"] = previous
    found = hash_leaf(made["head"])
    for side, beside in made["path"]:
        found = digest(("node", *((beside, found) if side == "left" else (found, beside))))
    made["roots"][0]["heads"] = found
    previous = made["before"]
    for root in made["roots"]:
        previous = digest((previous, root["minute"], root["heads"]))
    made["root"]["hash"] = previous
    assert check(made, None)["hash"] == previous
    with pytest.raises(WrongProofError, match="is not anchored there"):
        check(made, anchors)


def test_the_script_needs_no_interlock(
    folder: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Written by the command, run by a Python that finds nothing installed; its exit codes."""
    with closing(open_store(str(folder))) as keeping:
        name = name_of(keeping)
    proof, script = tmp_path / "proof.json", tmp_path / "verify_proof.py"
    anchors = str(home / "anchors")
    assert main(["audit", "prove", name, "--against", anchors, "-o", str(proof)]) == 0
    assert main(["audit", "prove", "--verifier", "-o", str(script)]) == 0
    assert main(["audit", "prove", name, "-o", str(proof)]) == 1
    assert "File exists" in capsys.readouterr().err

    def run(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(script), *words],
            capture_output=True, text=True, check=False, cwd=tmp_path, env={},
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    assert run(str(proof), "--anchors", anchors)[0] == 0
    assert run(str(proof))[0] == 4
    proof.write_text(proof.read_text().replace('"path":[["', '"path":[["x'))
    code, said = run(str(proof), "--anchors", anchors)
    assert (code, "NOT PROVEN" in said) == (1, True)
    proof.write_text("{}")
    assert run(str(proof))[0] == 2


def test_half_a_file_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On a full disk nothing stays under the name, which would be in the way once there is room;
    what is written then is its owner's alone.
    """
    script = tmp_path / "verify_proof.py"
    told = ["audit", "prove", "--verifier", "-o", str(script)]
    with full_disk(1000):
        assert main(told) == 1
    assert f"{script} cannot be written: File too large" in capsys.readouterr().err
    assert not script.exists()
    assert main(told) == 0
    assert (script.stat().st_size > 1000, script.stat().st_mode & 0o777) == (True, 0o600)


def test_what_cannot_be_proven_is_said(folder: Path) -> None:
    """A decision that nobody sent, one that is named by several, anchors without a root of it."""
    signer = Signer(str(folder))
    with closing(open_store(str(folder))) as keeping:
        name = name_of(keeping)
        for wanted, lines, said in (
            ("d-none", [], "no machine sent"),
            (name, [roots.MARK + '{"minute":"2000-01-01T00:00","hash":"x"}'], "anchor once more"),
        ):
            with pytest.raises(ProofError, match=said):
                keeping.read(lambda known, w=wanted, at=lines: prove(known, signer, w, at))  # type: ignore[misc]
        assert keeping.read(lambda known: prove(known, signer, f"c-1/{name}"))["decision"] == name


def test_a_root_of_an_older_interlock_proves_too(tmp_path: Path) -> None:
    """It was over the text of all heads; what follows it is as of today."""
    with closing(open_store(str(tmp_path))) as keeping:
        take_in(keeping, filled(tmp_path / "home", 4))

        def old(steps: ServiceWriter) -> None:
            [end] = steps.branches("c-1")
            said = dumps([[end.chain, end.number, end.seq, end.hash]])
            minute = end.grown[:16]
            steps.add_root(Root(minute, digest((GENESIS, minute, said)), said))

        keeping.write(old)
        assert keeping.read(verify).problems == ()
        name = name_of(keeping)
        found = keeping.read(lambda known: prove(known, Signer(str(tmp_path)), name))
    assert found["path"] is None
    assert check(found, roots.MARK + dumps(found["root"]))
    found["roots"][0]["heads"] = "[]"
    with pytest.raises(WrongProofError, match="not in its minute's root"):
        check(found, None)


@given(st.integers(1, 40), st.data())
def test_a_path_proves_its_own_head_alone(count: int, data: st.DataObject) -> None:
    """Of however many; the script hashes as the service does."""
    heads = [["c", number, number, "h"] for number in range(count)]
    at = data.draw(st.integers(0, count - 1))

    def climb(head: list[Any]) -> str:
        found = hash_leaf(head)
        for side, beside in find_path(heads, at):
            found = digest(("node", *((beside, found) if side == "left" else (found, beside))))
        return found

    assert climb(heads[at]) == hash_tree(heads)
    assert climb(["c", at, at, "other"]) != hash_tree(heads)
    assert canonical(heads[at]) == chain.canonical(heads[at])
