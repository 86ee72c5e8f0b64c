"""``interlock audit prove``: what an auditor is handed, where the service runs."""

from __future__ import annotations

import os
import sys
from contextlib import closing

from interlock.cli import serve
from interlock.cli.colors import complain, visible
from interlock.integrations.writing import begin
from interlock.model.jsontext import dumps

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VERIFIER = f"{_PACKAGE}/service/evidence/verify_proof.py"


class NotWrittenError(Exception):
    """A file cannot be written; one sentence says why."""


def prove_decision(folder: str, name: str, against: str, output: str) -> int:
    """Write the proof of a decision. 0 written, 1 there is none, 2 something is not installed."""
    missing = serve.lacking("audit prove")
    if missing:
        complain(missing)
        return 2
    from interlock.audit.sinks import FILE, read
    from interlock.cli import serve_start  # what it stands on is there
    from interlock.service.evidence.proving import ProofError, prove
    from interlock.service.signing import Signer

    try:
        place = against if against in ("", "-") else os.path.abspath(against)
        anchored = read(f"{FILE}:{place}") if place else []
        with closing(serve_start.open_database(folder)) as keeping:
            signer = Signer(folder)
            proof = keeping.read(lambda known: prove(known, signer, name, anchored))
        _write(output, dumps(proof) + "\n")
    except (ProofError, NotWrittenError, *serve_start.ERRORS) as problem:
        complain(f"interlock audit prove: {visible(str(problem))}\n")
        return 1
    return 0


def write_evidence(folder: str, session: str, against: str, output: str) -> int:
    """Write the evidence of a session, ``CHAIN/SESSION`` or a name that one chain has. 0 written, 1
    there is none, 2 something is not installed.
    """
    missing = serve.lacking("audit evidence")
    if missing:
        complain(missing)
        return 2
    from interlock.audit.sinks import FILE, read
    from interlock.cli import serve_start  # what it stands on is there
    from interlock.service.evidence.bundling import bundle_evidence, find_session
    from interlock.service.evidence.proving import ProofError
    from interlock.service.signing import Signer

    try:
        anchored = read(f"{FILE}:{os.path.abspath(against)}") if against else []
        with closing(serve_start.open_database(folder)) as keeping:
            signer = Signer(folder)
            place = keeping.read(lambda known: find_session(known, session))
            packed = keeping.read(lambda known: bundle_evidence(known, signer, place, anchored))
        _create_file(output, packed)
    except (ProofError, NotWrittenError, *serve_start.ERRORS) as problem:
        complain(f"interlock audit evidence: {visible(str(problem))}\n")
        return 1
    print(f"the evidence of {visible(session)} is in {visible(output)}; it begins with README.txt")
    return 0


def print_verifier(output: str) -> int:
    """Write the script that checks proofs; it needs no interlock."""
    with open(VERIFIER, encoding="utf-8") as file:
        text = file.read()
    try:
        _write(output, text)
    except NotWrittenError as problem:
        complain(f"interlock audit prove: {visible(str(problem))}\n")
        return 1
    return 0


def _write(output: str, text: str) -> None:
    if output == "-":
        sys.stdout.write(text)
    else:
        _create_file(output, text.encode())


def _create_file(output: str, data: bytes) -> None:
    """Write a new file, whole or not at all, that is its owner's alone."""
    try:
        begin(output, data, 0o600)
    except OSError as error:
        raise NotWrittenError(f"{output} cannot be written: {error.strerror}") from error
