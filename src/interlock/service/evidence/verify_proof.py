"""Checks a proof that ``interlock audit prove`` wrote. It needs Python 3.11 and nothing else, none
of interlock either; with ``--key`` the package ``cryptography``.

    python3 verify_proof.py proof.json --anchors anchors.txt [--key HEX]

``anchors.txt`` holds the roots that were kept where who can write the service cannot write; it
has to come from there, not from the service. Exit codes: 0 proven, 1 not, 2 it could not be read,
4 whole in itself, but compared with no anchor.
"""

from __future__ import annotations

import argparse
import json
import sys
from hashlib import blake2b
from typing import Any

MARK = "interlock-root "
FORMAT = "interlock-proof 1"
PROVEN, WRONG, UNREADABLE, ALONE = 0, 1, 2, 4


class WrongProofError(Exception):
    """What a proof says does not hold; one sentence says what."""


def digest(values: list[Any]) -> str:
    """Return the hash of values, each behind its length."""
    return blake2b(canonical(values), digest_size=32).hexdigest()


def canonical(values: list[Any]) -> bytes:
    """Return values as they are hashed and signed."""
    parts = ["-" if one is None else f"{len(str(one))}:{one}" for one in values]
    return "".join(parts).encode("utf-8", "surrogatepass")


def demand(holds: bool, otherwise: str) -> None:
    """Go on where something holds."""
    if not holds:
        raise WrongProofError(otherwise)


def check_record(proof: dict[str, Any]) -> None:
    """The decision is the one of its record, and its record leads to the head."""
    events, row = proof["events"], list(proof["row"])
    first, last, head = events[0]["fields"], events[-1], proof["head"]
    while len(row) > 2 and row[-1] is None:
        row.pop()
    body = json.loads(first[6])
    demand(first[3] == "decision" and first[5] == proof["decision"], "the record is another one's")
    demand(body.get("digest") == digest(row), "the decision is not the one that was recorded")
    previous, number = proof["previous"], first[0]
    for event in events:
        fields = event["fields"]
        demand(fields[0] == number, f"record {number} is missing")
        demand(event["hash"] == digest([previous, *fields]), f"record {number} was changed")
        previous, number = event["hash"], number + 1
    demand(proof["chain"] == head[0], "the head is another chain's")
    demand([last["fields"][0], last["hash"]] == head[2:], "the record does not end at the head")


def check_roots(proof: dict[str, Any]) -> dict[str, str]:
    """The head is in a minute's root, and that leads to the last one; return that one."""
    head, roots = proof["head"], proof["roots"]
    if proof["path"] is None:  # a root of an older interlock, which is over the text of all heads
        demand(head in json.loads(roots[0]["heads"]), "the head is not in its minute's root")
    else:
        found = digest(["leaf", *head])
        for side, beside in proof["path"]:
            demand(side in ("left", "right"), f"{side!r} is no side of a neighbour")
            pair = [beside, found] if side == "left" else [found, beside]
            found = digest(["node", *pair])
        demand(found == roots[0]["heads"], "the head is not in its minute's root")
    previous, minute = proof["before"], ""
    for root in roots:
        demand(root["minute"] > minute, "the roots are not in order")
        minute, previous = root["minute"], digest([previous, root["minute"], root["heads"]])
    demand(proof["root"] == {"minute": minute, "hash": previous}, "the roots were changed")
    return dict(proof["root"])


def check_receipt(proof: dict[str, Any], key: str) -> None:
    """The service signed the head."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    said = proof["receipt"]
    message = canonical(
        ["interlock receipt 1", said["chain"], said["seq"], said["hash"], said["at"]]
    )
    signed = [said["chain"], said["seq"], said["hash"]]
    demand(signed == [proof["head"][0], *proof["head"][2:]], "the receipt is for another head")
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(said["signature"]), message)
    except InvalidSignature:
        raise WrongProofError("the receipt was not signed with that key") from None


def read_anchors(text: str) -> list[dict[str, str]]:
    """Return the roots that a text holds."""
    lines = [one.partition(MARK)[2] for one in text.splitlines() if MARK in one]
    return [json.loads(one) for one in lines]


def check(proof: dict[str, Any], anchors: str | None, key: str = "") -> dict[str, str]:
    """Return the root that vouches for a decision; raises ``WrongProofError``."""
    demand(proof["format"] == FORMAT, f"it is no {FORMAT}")
    check_record(proof)
    root = check_roots(proof)
    if key:
        check_receipt(proof, key)
    if anchors is not None:
        demand(root in read_anchors(anchors), f"the root of {root['minute']} is not anchored there")
    return root


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(text + "\n")


def main(arguments: list[str]) -> int:
    """Check a file."""
    parser = argparse.ArgumentParser(prog="verify_proof.py", description="check a proof")
    parser.add_argument("proof")
    parser.add_argument("--anchors", help="the file of roots that were kept elsewhere")
    parser.add_argument("--key", default="", help="the service's public key, in hex")
    options = parser.parse_args(arguments)
    anchors = None
    try:
        with open(options.proof, encoding="utf-8") as file:
            proof = json.load(file)
        if options.anchors:
            with open(options.anchors, encoding="utf-8") as file:
                anchors = file.read()
        root = check(proof, anchors, options.key)
    except WrongProofError as wrong:
        say(f"NOT PROVEN: {wrong}")
        return WRONG
    except (OSError, ImportError, ValueError, LookupError, TypeError, AttributeError) as error:
        say(f"it cannot be read: {type(error).__name__}: {error}")
        return UNREADABLE
    what = f"decision {proof['decision']} stood in the record by {proof['roots'][0]['minute']} UTC"
    if anchors is None:
        say(f"whole, but compared with no anchor: {what}; its root of {root['minute']} is")
        say(root["hash"])
        return ALONE
    say(f"PROVEN: {what}, by the root of {root['minute']} that was anchored")
    return PROVEN


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
