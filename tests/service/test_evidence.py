"""The evidence of a session: whole, signed, proven, readable, and handed to whoever may see it."""

from __future__ import annotations

import gzip
import json
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from interlock.cli.main import main
from interlock.model.jsontext import dumps
from interlock.service.databases import open_store
from interlock.service.evidence.bundling import bundle_evidence
from interlock.service.evidence.verify_proof import check
from interlock.service.ingest import roots
from interlock.service.signing import Signer
from interlock.service.store.rows import RequestRow
from interlock.store.chain import GENESIS, canonical, link, now, of_kept
from interlock.wire.batch import KEPT, BatchLine, unpack_lines, wrong
from tests.exporting import CHAIN, add_events, record, take_in
from tests.serving import served

if TYPE_CHECKING:
    from pathlib import Path

    from interlock.service.store.protocol import ServiceStore

SOON = "2100-01-01T00:00:00.000Z"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a service with a session in which alice approved a call."""
    home = tmp_path_factory.mktemp("evidence")
    place = home / ".local/state/interlock/service"
    with closing(open_store(str(place))) as keeping:
        take_in(keeping, record(home))
        root = keeping.write(lambda steps: roots.take(steps, SOON))
    assert root is not None
    (home / "anchors").write_text(roots.line(root))
    return place


def unpack(packed: bytes) -> dict[str, str]:
    """Return files by their names."""
    with ZipFile(BytesIO(packed)) as whole:
        return {name: whole.read(name).decode() for name in whole.namelist()}


def test_it_is_whole_signed_and_proven(folder: Path) -> None:
    """Each file stands in the manifest, which the service signed; each decision has a proof that
    leads to the anchor; a manifest that was changed is not what was signed.
    """
    signer = Signer(str(folder))
    with closing(open_store(str(folder))) as keeping:
        files = unpack(keeping.read(lambda known: bundle_evidence(known, signer, (CHAIN, "s"))))
    manifest = json.loads(files.pop("manifest.json"))
    sums = json.loads(manifest["signed"])
    assert sums == {name: sha256(text.encode()).hexdigest() for name, text in files.items()}
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signer.public))
    signature = bytes.fromhex(manifest["signature"])
    public.verify(signature, canonical(("interlock evidence 1", manifest["signed"])))
    with pytest.raises(InvalidSignature):
        public.verify(signature, canonical(("interlock evidence 1", manifest["signed"] + " ")))
    said = json.loads(files["session.json"])
    assert said["left_out"] == []
    assert "Nothing is left out." in files["README.txt"]
    decisions = [one["decision"] for one in said["events"] if one["kind"] == "decision"]
    proofs = [json.loads(text) for name, text in files.items() if name.startswith("proofs/")]
    assert sorted(one["decision"] for one in proofs) == sorted(decisions)
    anchors = (folder.parents[3] / "anchors").read_text()
    for one in proofs:
        check(one, anchors, signer.public)
    assert "alice" in files["timeline.html"]
    assert len(files["records.jsonl"].splitlines()) == len(said["events"])


def test_requests_are_those_of_the_session_however_many_came_since(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the votes; what is more than fits is said, as are proofs that are."""
    monkeypatch.setattr("interlock.service.evidence.bundling.MOST_REQUESTS", 2)
    with closing(open_store(str(tmp_path))) as keeping:
        add_events(keeping, 1)
        for number, session in enumerate(("s", "s", "other", "other", "other")):
            add_request(keeping, f"a-{number}", session)

        def approvals() -> tuple[list[str], str]:
            signer, place = Signer(str(tmp_path)), (CHAIN, "s")
            files = unpack(keeping.read(lambda known: bundle_evidence(known, signer, place)))
            found = json.loads(files["approvals.json"])
            return [one["id"] for one in found], files["README.txt"]

        named, said = approvals()
        assert (named, "Nothing is left out" in said) == (["a-0", "a-1"], True)
        add_request(keeping, "a-9", "s")
        named, said = approvals()
        assert (named, "requests behind the first 2" in said) == (["a-0", "a-1"], True)


def add_request(keeping: ServiceStore, name: str, session: str) -> None:
    """Have a machine ask."""
    request = RequestRow(
        "", name, CHAIN, "", "", session, "", "", "", "", "[]", 1, False, 60, now(), now(), "denied"
    )
    keeping.write(lambda steps: steps.add_request(request))


def test_a_decision_without_its_judgement_has_no_proof_and_that_is_said(tmp_path: Path) -> None:
    """A record without its row would prove something to nobody."""
    fields = (1, "e-1", now(), "decision", "s", "d-1", '{"digest":"x"}')
    line = BatchLine(fields, link(GENESIS, fields))
    with closing(open_store(str(tmp_path))) as keeping:
        keeping.write(lambda steps: steps.add_events(CHAIN, 0, [line]))
        signer = Signer(str(tmp_path))
        files = unpack(keeping.read(lambda known: bundle_evidence(known, signer, (CHAIN, "s"))))
    assert "Left out: no proof of d-1: its judgement was not sent" in files["README.txt"]


@pytest.mark.parametrize("columns", [len(KEPT), len(KEPT) - 1])
def test_a_judgement_of_an_older_interlock_lacks_the_last_columns(
    columns: int, tmp_path: Path
) -> None:
    """It was kept when there were fewer: what is missing is nothing, and the digest is the same."""
    row = tuple(["x" if name == "action" else None for name in KEPT])
    fields = (1, "e-1", now(), "decision", "s", "d-1", dumps({"digest": of_kept(row)}))
    line = BatchLine(fields, link(GENESIS, fields), row[:columns])
    with closing(open_store(str(tmp_path))) as keeping:
        keeping.write(lambda steps: steps.add_events(CHAIN, 0, [line]))
        signer, place = Signer(str(tmp_path)), (CHAIN, "s")
        files = unpack(keeping.read(lambda known: bundle_evidence(known, signer, place)))
    [read] = unpack_lines(gzip.compress(files["records.jsonl"].encode()))
    assert (read.row, wrong(read, GENESIS)) == (row, "")


@pytest.mark.parametrize("bound", ["MOST_PROOFS", "MOST_PROVEN"])
def test_proofs_have_a_bound_that_is_said(
    bound: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their number and by their length."""
    monkeypatch.setattr(f"interlock.service.evidence.bundling.{bound}", 1)
    signer = Signer(str(folder))
    with closing(open_store(str(folder))) as keeping:
        files = unpack(keeping.read(lambda known: bundle_evidence(known, signer, (CHAIN, "s"))))
    assert len([name for name in files if name.startswith("proofs/")]) == 1
    assert "Left out: proofs behind the first 1" in files["README.txt"]


def test_what_a_machine_wrote_is_text(tmp_path: Path) -> None:
    """On the page, in names of files; and what has no proof yet is said."""
    with closing(open_store(str(tmp_path))) as keeping:
        add_events(keeping, 1, by="<script>alert(1)</script>\u202e")
        signer = Signer(str(tmp_path))
        files = unpack(keeping.read(lambda known: bundle_evidence(known, signer, (CHAIN, "s"))))
    assert "<script" not in files["timeline.html"]
    assert "&lt;script&gt;" in files["timeline.html"]
    assert "\u202e" not in files["timeline.html"]


def test_who_may_see_it_takes_it_and_that_is_on_the_record(folder: Path) -> None:
    """A reader; an approver, who sees their own requests alone, does not."""
    with served(folder) as service:
        path = f"/sessions/{CHAIN}/evidence?id=s"
        reader = service.person("ada", "reader")
        page = service.ask("GET", f"/sessions/{CHAIN}?id=s", reader)
        assert path in page.text
        status, headers = _download(service.where, path, reader)
        assert (status, headers["content-type"]) == (200, "application/zip")
        assert "attachment" in headers["content-disposition"]
        assert service.ask("GET", path, service.person("bob", "approver:lead")).status == 403
        assert service.ask("GET", f"/sessions/{CHAIN}/evidence?id=none", reader).status == 404
        [noted] = service.scene.keeping.read(lambda known: known.noted(("evidence",), 9))
        assert (noted.subject, noted.body["by"]) == ("s", "ada")


def _download(where: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str]]:
    import http.client

    with closing(http.client.HTTPConnection(where, timeout=60)) as connection:
        connection.request("GET", path, None, {"Host": where, **headers})
        answer = connection.getresponse()
        assert "README.txt" in unpack(answer.read())
        return answer.status, {name.lower(): value for name, value in answer.headers.items()}


def test_the_command_writes_it_once(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And says what it does not find."""
    output = tmp_path / "evidence.zip"
    told = ["audit", "evidence", "s", "--against", str(home / "anchors"), "-o", str(output)]
    assert main(told) == 0
    assert "proofs/" in "".join(unpack(output.read_bytes()))
    assert main(told) == 1
    assert "File exists" in capsys.readouterr().err
    assert main(["audit", "evidence", "none", "-o", str(output)]) == 1
    assert "was sent by no machine" in capsys.readouterr().err
