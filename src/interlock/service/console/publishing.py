"""The page of the team's policy: which one is where, the editor, and the steps of a rollout."""

from __future__ import annotations

from threading import Lock
from time import gmtime, strftime

from starlette.responses import RedirectResponse, Response

from interlock.service.console.page_answer import render_page
from interlock.service.context import ServiceContext
from interlock.service.policy import publishing as steps
from interlock.service.policy import repository
from interlock.service.policy.gates import read_gates
from interlock.service.policy.policy_keys import find_sealed, open_online_signer
from interlock.service.policy.publishing import PublishError, Signing, first_stage, list_signers
from interlock.service.policy.reports import read_reports
from interlock.service.policy.repository import RepositoryStateError
from interlock.service.policy.trials import (
    PolicyTrial,
    count_flips,
    read_history,
    row_of,
    try_policy,
)
from interlock.service.request import ServiceRequest
from interlock.service.roles import PUBLISH, TRY
from interlock.service.secrets import later
from interlock.service.store.protocol import ServiceWriter
from interlock.store.chain import now
from interlock.wire.rollout import WHOLE

MOST_FORM = 512 << 10
MOST_CALLS = 20_000
"""The newest calls that a page judges again; the command line judges ten times as many."""
DAYS = 30
SHOWN = 10
BEGIN = "version: 1\nprofile: default\n"
BEGIN_CASES = "cases:\n  - {call: ls, expect: allow}\n"
_TRYING = Lock()
"""One policy is tried at a time: it takes a processor for seconds."""


def show_policy(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Show which policy is where, and the editor with the newest one."""
    return _render(scene, asking)


def try_text(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Try a text, and show what came of it."""
    trial = _try(scene, asking)
    return _render(scene, asking, trial=trial)


def publish(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Publish a text that was tried, for a few machines first."""
    content = _field(asking, "policy").encode()
    return _do(
        scene, asking,
        lambda keeping, who: steps.publish(keeping, content, first_stage(keeping), who),
    )  # fmt: skip


def widen(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Take the newest policy to the next stage."""
    return _do(scene, asking, lambda keeping, who: steps.widen(keeping, 0, who))


def sign(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Sign what waits, as another person."""
    seen = asking.form.get("waits", "")
    return _do(scene, asking, lambda keeping, who: steps.sign(keeping, who, seen))


def go_back(scene: ServiceContext, asking: ServiceRequest) -> Response:
    """Publish an earlier policy again."""
    word = asking.form.get("bundle", "")
    number = int(word) if word.isdecimal() and len(word) < 10 else 0
    return _do(scene, asking, lambda keeping, who: steps.go_back(keeping, number, who))


def _do(scene: ServiceContext, asking: ServiceRequest, work: steps.PublishStep) -> Response:
    try:
        scene.keeping.write(lambda keeping: work(keeping, _signing(scene, keeping, asking)))
    except RepositoryStateError as error:
        return _render(scene, asking, wrong=str(error), status=409)
    return RedirectResponse("/policy", 303)


def _signing(scene: ServiceContext, keeping: ServiceWriter, asking: ServiceRequest) -> Signing:
    """Return who signs: the person, with a key that has not signed what waits."""
    waiting = repository.read_waiting(keeping)
    used = set(waiting.signatures) if waiting is not None and asking.path.endswith("/sign") else ()
    keys = [one for one in find_sealed(scene.folder) if one.public_key.keyid not in used]
    if not keys:
        raise PublishError("the owners' keys are not kept here: publish by `interlock fleet`")
    online, by = open_online_signer(scene.folder), asking.who.person.name
    return Signing(online, (keys[0],), by, sealed=True)


def _try(scene: ServiceContext, asking: ServiceRequest) -> PolicyTrial | str:
    content, tests = _field(asking, "policy"), _field(asking, "cases")
    if scene.tools is None:
        return "no policy can be tried here"
    if not _TRYING.acquire(blocking=False):
        return "somebody tries a policy just now: try it again in some seconds"
    try:
        since = later(-DAYS * 86400)
        past = scene.keeping.read(lambda known: read_history(known, since, MOST_CALLS))
        today = strftime("%Y-%m-%d", gmtime())
        trial = try_policy(content.encode(), tests.encode(), past, scene.tools, today)
    finally:
        _TRYING.release()
    if trial.passed:
        row = row_of(trial, tests, asking.who.person.name, now())
        scene.keeping.write(lambda keeping: keeping.put_trial(row))
    return trial


def _field(asking: ServiceRequest, name: str) -> str:
    """Return a text of the form with the ends of lines that files have."""
    return asking.form.get(name, "").replace("\r\n", "\n")


def _render(
    scene: ServiceContext,
    asking: ServiceRequest,
    *,
    trial: PolicyTrial | str | None = None,
    wrong: str = "",
    status: int = 200,
) -> Response:
    found = trial if isinstance(trial, PolicyTrial) else None
    wrong = wrong or (trial if isinstance(trial, str) else "")
    begun = scene.keeping.read(repository.is_begun)
    rollout = scene.keeping.read(repository.read_rollout) if begun else None
    gates = scene.keeping.read(lambda known: read_gates(known, rollout)) if rollout else []
    bundles = scene.keeping.read(lambda known: known.bundles(SHOWN))
    waits = scene.keeping.read(repository.read_proposal)
    newest = bundles[0] if bundles else None
    reports = scene.keeping.read(read_reports)
    texts = {
        "policy": _field(asking, "policy") or (newest.content if newest else BEGIN),
        "cases": _field(asking, "cases") or (newest.cases if newest else BEGIN_CASES),
    }
    return render_page(
        asking, "policy.html", status=status, here="policy", begun=begun, rollout=rollout,
        whole=WHOLE, gates=gates, bundles=bundles, waits=waits, reports=reports,
        signers=scene.keeping.read(list_signers), trial=found, wrong=wrong, texts=texts,
        flips=count_flips(found.report.flips) if found else (), shown=SHOWN,
        sealed=begun and bool(find_sealed(scene.folder)), lacks=asking.who.lacks(PUBLISH),
        first=scene.keeping.read(first_stage).permille if begun else 0,
        tries=not asking.who.lacks(TRY), mine=asking.who.person.name,
    )  # fmt: skip
