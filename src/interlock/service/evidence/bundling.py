"""The evidence of a session in one file that is read and checked without this service: what
happened in order, who approved, by which policies, each record as it was hashed, proofs, and the
script that checks them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from interlock.model.display import visible
from interlock.model.jsontext import dumps
from interlock.service.evidence import verify_proof
from interlock.service.evidence.proving import ChainProver, ProofError
from interlock.service.export.facts import describe_event, name_event, read_origins
from interlock.service.signing import Signer
from interlock.service.store.protocol import ServiceReader
from interlock.service.store.rows import EventRow, RequestRow
from interlock.store.chain import canonical, now
from interlock.wire.batch import BatchLine, export_line

MOST_EVENTS, MOST_PROOFS, MOST_REQUESTS = 2000, 200, 500
MOST_PROVEN = 64 << 20
"""Characters of proofs, behind which there is no other: each is as long as its anchor is far."""
Files = dict[str, str]
_REQUEST = "id decision at state by settled reason quorum roles".split()
_COLUMNS = ("at", "kind", "summary", "approved_by", "policy", "id")
_STYLE = (
    "body{font:14px system-ui;margin:2rem}td,th{text-align:left;vertical-align:top;"
    "padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ccc;overflow-wrap:anywhere}"
)
README = """Evidence of session {session} on {machine} ({chain}), written {at}.

timeline.html    what happened, in order
session.json     the same for programs, with who approved and by which policy each was judged
records.jsonl    each record of the session as it was hashed, with its judgement
approvals.json   requests of this session, who answered them, and when
proofs/          for each decision the proof that it stood in the record
verify_proof.py  checks a proof; needs Python 3.11 and no interlock:
                 python3 verify_proof.py proofs/NAME.json --anchors FILE
                 FILE holds the roots that were kept elsewhere; take it from there.
manifest.json    SHA-256 of each file, signed by the service (Ed25519, over `signed` in UTF-8)

{left_out}
"""


def bundle_evidence(
    known: ServiceReader, signer: Signer, place: tuple[str, str], anchored: Iterable[str] = ()
) -> bytes:
    """Return the evidence of a session, ``(chain, session)``, as a ZIP file; raises ``ProofError``
    where there is none.
    """
    chain, session = place
    events = known.session_records(chain, session, MOST_EVENTS + 1)
    if not events:
        raise ProofError(f"no machine sent anything of a session {session!r}")
    left_out = [f"all behind the first {MOST_EVENTS} records"] if len(events) > MOST_EVENTS else []
    events = events[:MOST_EVENTS]
    whose = read_origins(known, events)
    facts = [describe_event(one, whose[one.chain]) for one in events]
    proofs, unproven = _prove_all(ChainProver(known, chain, anchored), signer, events)
    approvals, unlisted = _list_approvals(known, whose[chain].machine.id, session)
    left_out += [*unproven, *unlisted]
    said = "Left out: " + "; ".join(left_out) if left_out else "Nothing is left out."
    machine = str(facts[0]["machine_name"])
    head = {"session": session, "machine": machine, "chain": chain, "at": now()}
    files: Files = {
        "README.txt": README.format(**head, left_out=said),
        "timeline.html": _page(head, facts, said),
        "session.json": dumps(
            {**head, "events": [dict(one) for one in facts], "left_out": left_out}
        ),
        "records.jsonl": "".join(
            [export_line(BatchLine(one.fields, one.hash, one.row)) for one in events]
        ),
        "approvals.json": dumps(approvals),
        "verify_proof.py": _read_script(),
        **proofs,
    }
    return _pack({**files, "manifest.json": _sign_manifest(signer, files)})


def find_session(known: ServiceReader, name: str) -> tuple[str, str]:
    """Return the chain and the name of a session, by its name or ``CHAIN/NAME``; raises
    ``ProofError``.
    """
    chain, mark, rest = name.partition("/")
    if mark and known.chain(chain) is not None:
        return chain, rest
    held = [one.id for one in known.chains() if known.holds_session(one.id, name)]
    if len(held) != 1:
        names = ", ".join([f"{one}/{name}" for one in held])
        what = f"is several: name one of {names}" if held else "was sent by no machine"
        raise ProofError(f"the session {name!r} {what}")
    return held[0], name


def _prove_all(
    prover: ChainProver, signer: Signer, events: Sequence[EventRow]
) -> tuple[Files, list[str]]:
    """Return proofs by their files, and what has none and why."""
    found: Files = {}
    left_out = []
    decisions = [one for one in events if one.fields[3] == "decision"]
    room = MOST_PROVEN
    for number, event in enumerate(decisions):
        if number == MOST_PROOFS or room <= 0:
            left_out.append(f"proofs behind the first {number}")
            break
        try:
            proof = dumps(prover.prove(event, signer))
        except ProofError as error:
            left_out.append(f"no proof of {event.fields[5]}: {error}")
            continue
        room -= len(proof)
        found[_name_proof(event)] = proof
    return found, left_out


def _name_proof(event: EventRow) -> str:
    name = sha256(name_event(event).encode()).hexdigest()[:12]
    return f"proofs/{name}-{_word(str(event.fields[5]))}.json"


def _word(name: str) -> str:
    """Return a name as a file may be called: a machine may say anything."""
    return "".join(
        [one if one.isascii() and (one.isalnum() or one in "-_") else "_" for one in name]
    )[:40]


def _list_approvals(
    known: ServiceReader, machine: str, session: str
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return requests and their votes, and what is left out of them."""
    rows = known.session_requests(machine, session, MOST_REQUESTS + 1)
    cut = [f"requests behind the first {MOST_REQUESTS}"] if len(rows) > MOST_REQUESTS else []
    return [_describe_request(known, one) for one in rows[:MOST_REQUESTS]], cut


def _describe_request(known: ServiceReader, request: RequestRow) -> dict[str, Any]:
    votes = [
        {"person": vote.person, "yes": bool(vote.yes), "at": vote.at, "roles": vote.roles}
        for vote in known.votes(request.machine, request.id)
    ]
    return {**{name: getattr(request, name) for name in _REQUEST}, "votes": votes}


def _page(head: Mapping[str, str], facts: Sequence[Mapping[str, Any]], said: str) -> str:
    """Return the timeline as a page; what a call wrote is text."""
    rows = [
        "<tr>" + "".join([f"<td>{_escape_text(one.get(name))}</td>" for name in _COLUMNS]) + "</tr>"
        for one in facts
    ]
    titles = "".join([f"<th>{name.replace('_', ' ')}</th>" for name in _COLUMNS])
    about = ", ".join([_escape_text(head[one]) for one in ("machine", "chain", "at")])
    about += f". {_escape_text(said)}"
    return f"""<!doctype html><html lang="en"><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Session {_escape_text(head["session"])}</title>
<style>{_STYLE}</style>
<h1>Session {_escape_text(head["session"])}</h1>
<p>{about}</p>
<table><thead><tr>{titles}</tr></thead><tbody>
{chr(10).join(rows)}
</tbody></table></html>
"""


def _escape_text(value: object) -> str:
    return escape(visible(str(value if value is not None else "")))


def _read_script() -> str:
    with open(verify_proof.__file__, encoding="utf-8") as file:
        return file.read()


def _sign_manifest(signer: Signer, files: Files) -> str:
    sums = {name: sha256(text.encode()).hexdigest() for name, text in sorted(files.items())}
    signed = dumps(sums)
    signature = signer.sign(canonical(("interlock evidence 1", signed)))
    return dumps({"signed": signed, "signature": signature, "service_key": signer.public})


def _pack(files: Files) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as whole:
        for name, text in files.items():
            whole.writestr(ZipInfo(name), text.encode("utf-8", "replace"), ZIP_DEFLATED)
    return packed.getvalue()
