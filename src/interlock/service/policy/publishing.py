"""Publishing: what may go to the machines, how far, and by whose signature.

A text is published only after it was tried as it is. It goes to a few machines first; each further
stage is signed anew, and held where a gate says so. Going back publishes an earlier text under a
new number: no machine ever takes an older document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from secrets import token_hex

from securesystemslib.signer import CryptoSigner

from interlock.model.record import Record
from interlock.service.policy import repository
from interlock.service.policy.gates import read_gates
from interlock.service.policy.repository import RepositoryStateError
from interlock.service.secrets import later
from interlock.service.store.protocol import ServiceReader, ServiceWriter
from interlock.service.store.rows import BundleRow
from interlock.store.chain import now
from interlock.wire.policy_state import hash_text
from interlock.wire.rollout import BEFORE, MOST_MACHINES, NEWEST, PLAN, WHOLE, Rollout

TRIAL_SECONDS = 86400
"""How long a trial counts: the history goes on."""
SIGNED = "policy-signed"
"""The setting that names who signed what waits."""


class PublishError(RepositoryStateError):
    """It is not published; one sentence says why and what to do."""


class Signing(Record):
    """Who publishes: the service's own key, keys of the policy's owners, and the person.
    ``sealed``: the service keeps those keys, so that it is persons who count.
    """

    online: CryptoSigner
    owners: tuple[CryptoSigner, ...]
    by: str
    sealed: bool = False


class PublishResult(Record):
    """What came of it. ``missing``: signatures that it still waits for, 0: machines are told."""

    rollout: Rollout
    missing: int


class Stage(Record):
    """How far a policy goes first. ``permille``: the share of machines; ``machines``: those that
    have it whatever their share is.
    """

    permille: int = PLAN[0]
    machines: tuple[str, ...] = ()


PublishStep = Callable[[ServiceWriter, Signing], PublishResult]


def publish(
    keeping: ServiceWriter, content: bytes, stage: Stage, signing: Signing
) -> PublishResult:
    """Publish a text that was tried; raises ``PublishError``."""
    hashed = hash_text(content)
    trial = keeping.trial(hashed)
    if trial is None:
        raise PublishError(
            "this very text was not tried: `interlock fleet try FILE --cases CASES` checks it, runs"
            " its cases and judges the history by it"
        )
    if trial.at < later(-TRIAL_SECONDS):
        raise PublishError("it was tried more than a day ago, and the history went on: try it anew")
    newest = repository.read_rollout(keeping)
    return _propose(
        keeping, (content.decode(), trial.cases), _begin(keeping, newest, stage), signing
    )


def widen(
    keeping: ServiceWriter, permille: int, signing: Signing, *, anyway: bool = False
) -> PublishResult:
    """Take the newest policy further, by a stage or to a share (0: the next of the plan); raises
    ``PublishError`` where a gate holds it. ``anyway``: the person knows, and it is recorded.
    """
    rollout = _newest(keeping)
    wanted = permille or rollout.next
    if rollout.whole:
        raise PublishError(f"bundle {rollout.bundle} is on all machines already")
    if wanted <= rollout.permille:
        raise PublishError(
            f"bundle {rollout.bundle} goes to {rollout.permille} of {WHOLE} machines already, and a"
            " stage never shrinks; `interlock fleet back` publishes an earlier policy"
        )
    held = [one for one in read_gates(keeping, rollout) if one.holds]
    if held and not anyway:
        said = "; ".join(f"{one.name}: {one.said}" for one in held)
        raise PublishError(f"a gate holds bundle {rollout.bundle} at its stage: {said}")
    if held:
        body = {"by": signing.by, "held": [one.name for one in held]}
        keeping.note("gate-passed", str(rollout.bundle), body)
    bundle = _bundle(keeping, rollout.bundle)
    goes = rollout.replace(permille=min(wanted, WHOLE))
    return _sign(keeping, bundle, goes, signing)


def go_back(keeping: ServiceWriter, number: int, signing: Signing) -> PublishResult:
    """Publish an earlier policy again, on all machines at once; raises ``PublishError``."""
    earlier = keeping.bundle(number)
    if earlier is None or not earlier.published:
        raise PublishError(f"there is no bundle {number}; `interlock fleet show` lists them")
    newest = _newest(keeping)
    goes = newest.replace(bundle=_next_number(keeping), permille=WHOLE, machines=())
    return _propose(keeping, (earlier.content, earlier.cases), goes, signing)


def sign(keeping: ServiceWriter, signing: Signing, seen: str | None = None) -> PublishResult:
    """Add signatures to what waits for them; raises ``PublishError``. Where the keys are the
    service's, nobody signs twice. ``seen``: the name of what the person was shown.
    """
    if signing.sealed and signing.by in list_signers(keeping):
        raise PublishError("you signed it: it takes somebody else now")
    waits = repository.read_proposal(keeping)
    if waits is None:
        raise PublishError("nothing waits for a signature")
    if seen is not None and seen != waits.name:
        raise PublishError("something else waits by now: look at it, then sign it")
    return _finish(keeping, _bundle(keeping, waits.rollout.bundle), waits.rollout, signing)


def first_stage(known: ServiceReader) -> Stage:
    """Return the smallest stage with which a new policy may begin."""
    newest = repository.read_rollout(known)
    return Stage() if newest is None or newest.whole else Stage(max(PLAN[0], newest.permille))


def _begin(known: ServiceReader, newest: Rollout | None, stage: Stage) -> Rollout:
    """Return how far a new policy goes first. Over one that is on its way it goes at least as far:
    who has that one gets what mends it.
    """
    if not 0 <= stage.permille <= WHOLE or len(stage.machines) > MOST_MACHINES:
        raise PublishError(f"a stage is a share from 0 to {WHOLE}, or {MOST_MACHINES} machines")
    unknown = [name for name in stage.machines if known.machine(name) is None]
    if unknown:
        raise PublishError(f"there is no machine {unknown[0]}; the page Machines has their names")
    number = _next_number(known)
    if newest is None or newest.whole:
        before = newest.bundle if newest is not None else 0
        return Rollout(number, before, token_hex(4), stage.permille, stage.machines)
    if stage.permille < newest.permille:
        raise PublishError(
            f"bundle {newest.bundle} is on its way to {newest.permille} of {WHOLE} machines: what"
            f" follows it goes at least as far (--permille {newest.permille})"
        )
    machines = tuple(dict.fromkeys((*newest.machines, *stage.machines)))
    return newest.replace(bundle=number, permille=stage.permille, machines=machines)


def _next_number(known: ServiceReader) -> int:
    rows = known.bundles(1)
    if rows and not rows[0].published:
        return rows[0].number  # what waits gives way to what is proposed now
    return rows[0].number + 1 if rows else 1


def _propose(
    keeping: ServiceWriter, texts: tuple[str, str], rollout: Rollout, signing: Signing
) -> PublishResult:
    content, tests = texts
    hashed = hash_text(content.encode())
    bundle = BundleRow(rollout.bundle, hashed, content, tests, signing.by, now())
    keeping.put_bundle(bundle)
    return _sign(keeping, bundle, rollout, signing)


def _sign(
    keeping: ServiceWriter, bundle: BundleRow, rollout: Rollout, signing: Signing
) -> PublishResult:
    contents = {NEWEST: bundle.content.encode()}
    if rollout.before:
        contents[BEFORE] = _bundle(keeping, rollout.before).content.encode()
    repository.propose(keeping, rollout, contents)
    keeping.set(SIGNED, "")
    return _finish(keeping, bundle, rollout, signing)


def _finish(
    keeping: ServiceWriter, bundle: BundleRow, rollout: Rollout, signing: Signing
) -> PublishResult:
    missing = repository.sign(keeping, signing.online, signing.owners)
    keeping.set(SIGNED, "\n".join((*list_signers(keeping), signing.by)) if missing else "")
    kind = "bundle-proposed" if missing else "bundle-published"
    if not missing:
        keeping.put_bundle(bundle.replace(published=bundle.published or now()))
    said = {"by": signing.by, "hash": bundle.hash, "permille": rollout.permille, "missing": missing}
    keeping.note(kind, str(rollout.bundle), said)
    return PublishResult(rollout, missing)


def list_signers(known: ServiceReader) -> tuple[str, ...]:
    """Return who signed what waits for signatures."""
    return tuple(filter(None, known.setting(SIGNED).split("\n")))


def _newest(known: ServiceReader) -> Rollout:
    found = repository.read_rollout(known)
    if found is None:
        raise PublishError("nothing was published yet: interlock fleet publish FILE --key KEY")
    return found


def _bundle(known: ServiceReader, number: int) -> BundleRow:
    found = known.bundle(number)
    if found is None:
        raise RepositoryStateError(f"the text of bundle {number} is not kept here any more")
    return found


def signers_of(keys: Sequence[CryptoSigner]) -> tuple[CryptoSigner, ...]:
    """Return keys, each once; raises ``PublishError`` where there is none."""
    if not keys:
        raise PublishError("name the key of an owner of the policy: --key FILE")
    return tuple({one.public_key.keyid: one for one in keys}.values())
